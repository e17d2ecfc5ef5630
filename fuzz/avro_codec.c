/*
 * Codecs: the first byte picks one, the rest is a block. What comes out stays below the
 * ceiling, is the same each time, and no block spoils the next, large ones neither.
 */
#include "avro/codec.h"
#include "fuzz/target.h"

enum { BLOCK_BYTES = 1 << 20, RATIO = 100 };

static uint64_t unpack(struct ice_codec *codec, struct ice_str packed) {
    struct ice_str out;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    const enum ice_status status = ice_codec_unpack(codec, packed, 7, &out, &err);
    require(err.status == status);
    if (status == ICE_OK) {
        require(out.size <= BLOCK_BYTES);
        require(out.size <= packed.size * RATIO + (64 << 10));
        return ice_hash64(out, 1);
    }
    require(status == ICE_EFORMAT || status == ICE_ELIMIT);
    require(err.rule != NULL && err.offset == 7 && out.size == 0);
    return ice_hash64(ice_str_from(err.rule), 2) ^
           ice_hash64(ice_str_from(err.message), (uint64_t)-status);
}

/* As behind larger blocks: all the room there may be, and for zstd a window of 2^20. */
static void wear(struct ice_codec *codec) {
    struct ice_str out;
    codec->ceiling = BLOCK_BYTES;
    while (codec->kind != ICE_CODEC_NULL && codec->capacity < BLOCK_BYTES)
        require(ice_codec_grow(codec, false, NULL) == ICE_OK);
    (void)ice_codec_unpack(codec, ICE_STR("\x28\xb5\x2f\xfd\0\x50\x09\0\0x"), 7, &out,
                           NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    const enum ice_avro_codec kind = (enum ice_avro_codec)(data[0] % (ICE_CODEC_XZ + 1));
    if (!ice_codec_is_built(kind))
        return 0;
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    options.limits.block_bytes = BLOCK_BYTES;
    options.limits.inflate_ratio = RATIO;
    options.limits.zstd_window_log = 22;
    struct ice_run run;
    struct ice_codec *codec;
    ice_run_init(&run, &options);
    require(ice_codec_open(&codec, kind, &run, NULL) == ICE_OK);
    const struct ice_str packed = ice_str_make(data + 1, size - 1);
    const uint64_t first = unpack(codec, packed);
    (void)unpack(codec, ice_str_first(packed, packed.size / 2));
    require(unpack(codec, packed) == first);
    ice_codec_free(codec);
    require(ice_codec_open(&codec, kind, &run, NULL) == ICE_OK);
    wear(codec);
    require(unpack(codec, packed) == first);
    ice_codec_free(codec);
    require(run.alloc.used == 0);
    return 0;
}
