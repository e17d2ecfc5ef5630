/*
 * snappy: the raw format, then four bytes of CRC-32 (big-endian) of the inflated bytes.
 */
#include "avro/codec.h"

#include "base/error.h"

#include <libdeflate.h>
#include <snappy-c.h>

static uint32_t big_endian(const char *data) {
    uint32_t value = 0;
    for (size_t i = 0; i < 4; i++)
        value = value << 8 | (unsigned char)data[i];
    return value;
}

static enum ice_status snappy_unpack(struct ice_codec *codec, struct ice_str packed,
                                     struct ice_error *err) {
    if (packed.size < 4)
        return ice_codec_corrupt(codec, "no room for the checksum", err);
    const size_t stored = packed.size - 4;
    size_t size;
    if (snappy_uncompressed_length(packed.data, stored, &size) != SNAPPY_OK)
        return ice_codec_corrupt(codec, "the snappy length is malformed", err);
    ICE_TRY(ice_codec_check_size(codec, size, err));
    /* a claim only: nothing is allocated for it that the stored bytes could not fill */
    if (snappy_validate_compressed_buffer(packed.data, stored) != SNAPPY_OK)
        return ice_codec_corrupt(codec, "error in the snappy data, or it ends early",
                                 err);
    while (codec->capacity < size || codec->capacity == 0)
        ICE_TRY(ice_codec_grow(codec, false, err));
    /* of validated bytes only the checksum can say no */
    if (snappy_uncompress(packed.data, stored, codec->data, &size) != SNAPPY_OK ||
        libdeflate_crc32(0, codec->data, size) != big_endian(packed.data + stored))
        return ice_codec_corrupt(codec, "the CRC-32 does not match", err);
    codec->size = size;
    return ICE_OK;
}

const struct ice_codec_ops ice_codec_snappy = {NULL, NULL, snappy_unpack};
