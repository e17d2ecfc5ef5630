/*
 * xz: legal Avro, rare in Iceberg.
 */
#include "avro/codec.h"

#ifdef ICE_WITH_LZMA

#include "base/error.h"
#include "base/size.h"

#include <assert.h>
#include <lzma.h>

/* what xz -9 needs, and half as much again */
static const uint64_t decoder_memory = UINT64_C(96) << 20;

static void *xz_malloc(void *user, size_t n, size_t size) {
    assert(n == 1); /* as lzma/base.h promises */
    return ice_sized_malloc(user, n * size);
}

static void xz_free(void *user, void *pointer) {
    ice_sized_free(user, pointer);
}

static enum ice_status xz_error(const struct ice_codec *codec, lzma_ret result,
                                struct ice_error *err) {
    if (result == LZMA_MEM_ERROR)
        return ice_codec_memory(codec, err);
    if (result == LZMA_MEMLIMIT_ERROR)
        return ice_error_set(
            err, ICE_ELIMIT, "limit.window", codec->offset,
            "the block at byte %llu asks for an xz dictionary above %llu "
            "bytes",
            (unsigned long long)codec->offset, (unsigned long long)decoder_memory);
    if (result == LZMA_BUF_ERROR)
        return ice_codec_corrupt(codec, "the xz stream ends early", err);
    return ice_codec_corrupt(codec, "error in the xz stream", err);
}

static enum ice_status inflate(struct ice_codec *codec, lzma_stream *stream,
                               struct ice_error *err) {
    for (;;) {
        const size_t limit = ice_size_min(codec->capacity, codec->ceiling);
        if (codec->size == limit) {
            ICE_TRY(ice_codec_grow(codec, true, err));
            continue;
        }
        stream->next_out = (uint8_t *)codec->data + codec->size;
        stream->avail_out = limit - codec->size;
        const lzma_ret result = lzma_code(stream, LZMA_FINISH);
        codec->size = limit - stream->avail_out;
        if (result == LZMA_STREAM_END) {
            if (stream->avail_in > 0)
                return ice_codec_corrupt(codec, "bytes behind the end of the xz stream",
                                         err);
            return ICE_OK;
        }
        if (result != LZMA_OK)
            return xz_error(codec, result, err);
    }
}

static enum ice_status xz_unpack(struct ice_codec *codec, struct ice_str packed,
                                 struct ice_error *err) {
    const lzma_allocator memory = {xz_malloc, xz_free, &codec->run->alloc};
    lzma_stream stream = LZMA_STREAM_INIT;
    stream.allocator = &memory;
    const lzma_ret result = lzma_stream_decoder(&stream, decoder_memory, 0);
    if (result != LZMA_OK)
        return xz_error(codec, result, err);
    stream.next_in = (const uint8_t *)packed.data;
    stream.avail_in = packed.size;
    const enum ice_status status = inflate(codec, &stream, err);
    lzma_end(&stream);
    return status;
}

const struct ice_codec_ops ice_codec_xz = {NULL, NULL, xz_unpack};

#endif
