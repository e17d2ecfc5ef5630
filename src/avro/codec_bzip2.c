/*
 * bzip2: legal Avro, rare in Iceberg.
 */
#include "avro/codec.h"

#ifdef ICE_WITH_BZIP2

#include "base/error.h"
#include "base/size.h"

#include <assert.h>
#include <bzlib.h>

static void *bzip2_malloc(void *user, int n, int size) {
    assert(n >= 0 && size >= 0); /* a few MB at most */
    return ice_sized_malloc(user, (size_t)n * (size_t)size);
}

static void bzip2_free(void *user, void *pointer) {
    ice_sized_free(user, pointer);
}

static enum ice_status inflate(struct ice_codec *codec, bz_stream *stream,
                               struct ice_error *err) {
    for (;;) {
        const size_t limit = ice_size_min(codec->capacity, codec->ceiling);
        if (codec->size == limit) {
            ICE_TRY(ice_codec_grow(codec, true, err));
            continue;
        }
        const size_t room = ice_size_min(limit - codec->size, 1u << 30);
        const unsigned had = stream->avail_in;
        stream->next_out = codec->data + codec->size;
        stream->avail_out = (unsigned)room;
        const int result = BZ2_bzDecompress(stream);
        const size_t got = room - stream->avail_out;
        codec->size += got;
        if (result == BZ_STREAM_END) {
            if (stream->avail_in > 0)
                return ice_codec_corrupt(codec,
                                         "bytes behind the end of the bzip2 stream", err);
            return ICE_OK;
        }
        if (result == BZ_MEM_ERROR)
            return ice_codec_memory(codec, err);
        if (result != BZ_OK)
            return ice_codec_corrupt(codec, "error in the bzip2 stream", err);
        if (got == 0 && had == stream->avail_in)
            return ice_codec_corrupt(codec, "the bzip2 stream ends early", err);
    }
}

static enum ice_status bzip2_unpack(struct ice_codec *codec, struct ice_str packed,
                                    struct ice_error *err) {
    if (packed.size > UINT32_MAX)
        return ice_codec_corrupt(codec, "longer than bzip2 can be read", err);
    bz_stream stream = {
        .bzalloc = bzip2_malloc, .bzfree = bzip2_free, .opaque = &codec->run->alloc};
    if (BZ2_bzDecompressInit(&stream, 0, 0) != BZ_OK)
        return ice_codec_memory(codec, err);
    char *input = NULL;
    memcpy(&input, &packed.data, sizeof(input)); /* its API has no const */
    stream.next_in = input;
    stream.avail_in = (unsigned)packed.size;
    const enum ice_status status = inflate(codec, &stream, err);
    (void)BZ2_bzDecompressEnd(&stream);
    return status;
}

const struct ice_codec_ops ice_codec_bzip2 = {NULL, NULL, bzip2_unpack};

#endif
