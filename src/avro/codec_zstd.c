/*
 * zstandard, streaming: several frames and skippable ones are fine, checksums are
 * verified, the window has a limit. Its memory comes from the run's allocator.
 */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_createDCtx_advanced: our allocator */
#include "avro/codec.h"

#include "base/error.h"
#include "base/size.h"
#include "stream/stream.h"

#include <zstd.h>
#include <zstd_errors.h>

static void *zstd_malloc(void *user, size_t size) {
    return ice_sized_malloc(user, size);
}

static void zstd_free_memory(void *user, void *pointer) {
    ice_sized_free(user, pointer);
}

static enum ice_status zstd_open(struct ice_codec *codec, struct ice_error *err) {
    const ZSTD_customMem memory = {zstd_malloc, zstd_free_memory, &codec->run->alloc};
    ZSTD_DCtx *context = ZSTD_createDCtx_advanced(memory);
    if (context == NULL)
        return ice_error_memory(err);
    codec->state = context;
    (void)ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax,
                                 ice_zstd_window_log(codec->run));
    return ICE_OK;
}

static void zstd_free(struct ice_codec *codec) {
    ZSTD_freeDCtx(codec->state);
}

static enum ice_status zstd_error(const struct ice_codec *codec, size_t result,
                                  struct ice_error *err) {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(result);
    if (code == ZSTD_error_memory_allocation)
        return ice_codec_memory(codec, err);
    if (code == ZSTD_error_frameParameter_windowTooLarge)
        return ice_error_set(err, ICE_ELIMIT, "limit.window", codec->offset,
                             "the block at byte %llu asks for a zstd window above 2^%llu",
                             (unsigned long long)codec->offset,
                             (unsigned long long)codec->run->limits.zstd_window_log);
    return ice_codec_corrupt(codec, ZSTD_getErrorString(code), err);
}

static enum ice_status zstd_unpack(struct ice_codec *codec, struct ice_str packed,
                                   struct ice_error *err) {
    ZSTD_DCtx *context = codec->state;
    const char *const unknown = ZSTD_getErrorString(ZSTD_error_prefix_unknown);
    (void)ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    if (ice_is_foreign_zstd(packed))
        return ice_codec_corrupt(codec, unknown, err);
    const unsigned long long declared =
        ZSTD_getFrameContentSize(packed.data, packed.size);
    if (declared != ZSTD_CONTENTSIZE_UNKNOWN && declared != ZSTD_CONTENTSIZE_ERROR)
        ICE_TRY(ice_codec_check_size(codec, declared, err));
    ZSTD_inBuffer in = {packed.data, packed.size, 0};
    size_t result = 1;
    for (;;) {
        const size_t room = ice_size_min(codec->capacity, codec->ceiling);
        if (codec->size == room) {
            ICE_TRY(ice_codec_grow(codec, true, err));
            continue;
        }
        ZSTD_outBuffer out = {codec->data, room, codec->size};
        result = ZSTD_decompressStream(context, &out, &in);
        if (ZSTD_isError(result))
            return zstd_error(codec, result, err);
        codec->size = out.pos;
        if (in.pos == in.size && (result == 0 || out.pos < out.size))
            break;
        if (result == 0 && ice_is_foreign_zstd(ice_str_from_index(packed, in.pos)))
            return ice_codec_corrupt(codec, unknown, err);
    }
    if (result != 0)
        return ice_codec_corrupt(codec, "the zstd frame ends early", err);
    return ICE_OK;
}

const struct ice_codec_ops ice_codec_zstd = {zstd_open, zstd_free, zstd_unpack};
