/*
 * deflate (RFC 1951 without wrapping) by libdeflate, which wants all of its output at
 * once: the buffer starts at the size of the last block and doubles.
 */
#include "avro/codec.h"

#include "base/error.h"
#include "base/size.h"

#include <libdeflate.h>

static enum ice_status deflate_open(struct ice_codec *codec, struct ice_error *err) {
    codec->state = libdeflate_alloc_decompressor();
    return codec->state ? ICE_OK : ice_error_memory(err);
}

static void deflate_free(struct ice_codec *codec) {
    if (codec->state != NULL)
        libdeflate_free_decompressor(codec->state);
}

/* Are the bytes behind the stream what a zlib wrapper left there? */
static bool is_adler(const struct ice_codec *codec, struct ice_str rest) {
    const uint32_t sum = libdeflate_adler32(1, codec->data, codec->size);
    if (rest.size > 4)
        return false;
    for (size_t i = 0; i < rest.size; i++)
        if ((unsigned char)rest.data[i] != (unsigned char)(sum >> (24 - 8 * i)))
            return false;
    return true;
}

static enum ice_status deflate_unpack(struct ice_codec *codec, struct ice_str packed,
                                      struct ice_error *err) {
    if (codec->capacity == 0)
        ICE_TRY(ice_codec_grow(codec, false, err));
    for (;;) {
        size_t used = 0, room = ice_size_min(codec->capacity, codec->ceiling);
        const enum libdeflate_result result =
            libdeflate_deflate_decompress_ex(codec->state, packed.data, packed.size,
                                             codec->data, room, &used, &codec->size);
        switch (result) {
        case LIBDEFLATE_SUCCESS:
            if (used != packed.size && !is_adler(codec, ice_str_from_index(packed, used)))
                return ice_codec_corrupt(
                    codec, "bytes behind the end of the deflate stream", err);
            return ICE_OK;
        case LIBDEFLATE_INSUFFICIENT_SPACE:
            ICE_TRY(ice_codec_grow(codec, false, err));
            break;
        case LIBDEFLATE_BAD_DATA:
        case LIBDEFLATE_SHORT_OUTPUT:
            codec->size = 0;
            return ice_codec_corrupt(
                codec, "error in the deflate stream, or it ends early", err);
        }
    }
}

const struct ice_codec_ops ice_codec_deflate = {deflate_open, deflate_free,
                                                deflate_unpack};
