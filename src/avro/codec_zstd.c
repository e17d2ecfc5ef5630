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

struct zstd {
    ZSTD_DCtx *context; /* NULL: none yet */
    /* what the frames it has begun ask for, each the same */
    uint64_t window, declared;
};

static void *zstd_malloc(void *user, size_t size) {
    return ice_sized_malloc(user, size);
}

static void zstd_free_memory(void *user, void *pointer) {
    ice_sized_free(user, pointer);
}

static enum ice_status zstd_open(struct ice_codec *codec, struct ice_error *err) {
    codec->state = ice_calloc(&codec->run->alloc, 1, sizeof(struct zstd));
    return codec->state == NULL ? ice_error_memory(err) : ICE_OK;
}

static void zstd_free(struct ice_codec *codec) {
    struct zstd *zstd = codec->state;
    if (zstd == NULL)
        return;
    (void)ZSTD_freeDCtx(zstd->context);
    ice_free(&codec->run->alloc, zstd, sizeof(*zstd));
}

/*
 * A context that has read a frame keeps its buffers, if they are large enough, and what a
 * damaged frame reads from behind its window hangs on their size. That follows from
 * window and declared size alone: only for a frame of the same is it as good as new.
 */
static enum ice_status make_ready(struct ice_codec *codec, uint64_t window,
                                  uint64_t declared, struct ice_error *err) {
    struct zstd *zstd = codec->state;
    if (zstd->context != NULL && zstd->window == window && zstd->declared == declared)
        return ICE_OK;
    const ZSTD_customMem memory = {zstd_malloc, zstd_free_memory, &codec->run->alloc};
    (void)ZSTD_freeDCtx(zstd->context);
    *zstd = (struct zstd){ZSTD_createDCtx_advanced(memory), window, declared};
    if (zstd->context == NULL)
        return ice_codec_memory(codec, err);
    (void)ZSTD_DCtx_setParameter(zstd->context, ZSTD_d_windowLogMax,
                                 ice_zstd_window_log(codec->run));
    return ICE_OK;
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

/* Of the frame that the library is in. */
struct frame {
    uint64_t declared; /* bytes; ZSTD_CONTENTSIZE_UNKNOWN */
    size_t begins;     /* at this byte of the output */
};

/*
 * Reads the header of the frame that begins at in->pos, and gives the library that alone.
 * A frame that it has whole at once, and room for it, it decodes by another way, which
 * does not look at the window and refuses more: the verdict would hang on the room that
 * is left of earlier blocks.
 */
static enum ice_status begin_frame(struct ice_codec *codec, ZSTD_inBuffer *in,
                                   struct frame *out, struct ice_error *err) {
    const struct ice_str rest =
        ice_str_from_index(ice_str_make(in->src, in->size), in->pos);
    ZSTD_frameHeader header;
    *out = (struct frame){ZSTD_CONTENTSIZE_UNKNOWN, codec->size};
    if (ice_is_foreign_zstd(rest))
        return ice_codec_corrupt(codec, ZSTD_getErrorString(ZSTD_error_prefix_unknown),
                                 err);
    if (ZSTD_getFrameHeader(&header, rest.data, rest.size) != 0 ||
        header.frameType != ZSTD_frame) /* what is wrong with it, the library says */
        return make_ready(codec, 0, 0, err);
    out->declared = header.frameContentSize;
    in->size = in->pos + header.headerSize;
    if (out->declared != ZSTD_CONTENTSIZE_UNKNOWN)
        ICE_TRY(ice_codec_check_size(codec, out->declared, err));
    return make_ready(codec, header.windowSize, out->declared, err);
}

/* The library does not ask if the frame ends with an empty block. */
static enum ice_status end_frame(const struct ice_codec *codec, const struct frame *frame,
                                 struct ice_error *err) {
    return frame->declared == ZSTD_CONTENTSIZE_UNKNOWN ||
                   frame->declared == codec->size - frame->begins
               ? ICE_OK
               : ice_codec_corrupt(
                     codec, ZSTD_getErrorString(ZSTD_error_corruption_detected), err);
}

/*
 * One step of the library: *out_result as it gives it; *out_more if it may hold text yet.
 * At the ceiling it has room for a byte beyond, which must stay empty: frames without
 * text may follow.
 */
static enum ice_status step(struct ice_codec *codec, ZSTD_inBuffer *in,
                            size_t *out_result, bool *out_more, struct ice_error *err) {
    const struct zstd *zstd = codec->state;
    char beyond;
    const bool is_full = codec->size == codec->ceiling;
    if (!is_full && codec->size == ice_size_min(codec->capacity, codec->ceiling))
        ICE_TRY(ice_codec_grow(codec, true, err));
    ZSTD_outBuffer out = {codec->data, ice_size_min(codec->capacity, codec->ceiling),
                          codec->size};
    if (is_full)
        out = (ZSTD_outBuffer){&beyond, 1, 0};
    *out_result = ZSTD_decompressStream(zstd->context, &out, in);
    if (ZSTD_isError(*out_result))
        return zstd_error(codec, *out_result, err);
    *out_more = out.pos == out.size;
    if (!is_full)
        codec->size = out.pos;
    else if (out.pos > 0)
        return ice_codec_check_size(codec, (uint64_t)codec->ceiling + 1, err);
    return ICE_OK;
}

static enum ice_status zstd_unpack(struct ice_codec *codec, struct ice_str packed,
                                   struct ice_error *err) {
    const struct zstd *zstd = codec->state;
    ZSTD_inBuffer in = {packed.data, packed.size, 0};
    struct frame frame;
    size_t result = 0;
    bool more = false;
    if (zstd->context != NULL)
        (void)ZSTD_DCtx_reset(zstd->context, ZSTD_reset_session_only);
    do {
        if (result == 0)
            ICE_TRY(begin_frame(codec, &in, &frame, err));
        ICE_TRY(step(codec, &in, &result, &more, err));
        in.size = packed.size;
        if (result == 0)
            ICE_TRY(end_frame(codec, &frame, err));
    } while (in.pos < in.size || (result != 0 && more));
    return result == 0 ? ICE_OK
                       : ice_codec_corrupt(codec, "the zstd frame ends early", err);
}

const struct ice_codec_ops ice_codec_zstd = {zstd_open, zstd_free, zstd_unpack};
