/*
 * What the codecs share: the output buffer, its ceiling, the choice by kind.
 */
#include "avro/codec.h"

#include "base/error.h"
#include "base/size.h"

enum {
    LEAST_BUFFER = 64 << 10,
    /* what manifests inflate to: the first guess */
    USUAL_RATIO = 4,
    /* a block that grew this often past its stored size when it meets the ceiling is a
       bomb */
    BOMB_RATIO = 16,
    /* a larger buffer is not kept behind a failure */
    KEEP_BUFFER = 1 << 20,
};

/* NULL: none is needed, or not built in */
static const struct ice_codec_ops *ops_of(enum ice_avro_codec kind) {
    switch (kind) {
    case ICE_CODEC_NULL:
        break;
    case ICE_CODEC_DEFLATE:
        return &ice_codec_deflate;
    case ICE_CODEC_ZSTANDARD:
        return &ice_codec_zstd;
    case ICE_CODEC_SNAPPY:
        return &ice_codec_snappy;
    case ICE_CODEC_BZIP2:
#ifdef ICE_WITH_BZIP2
        return &ice_codec_bzip2;
#else
        break;
#endif
    case ICE_CODEC_XZ:
#ifdef ICE_WITH_LZMA
        return &ice_codec_xz;
#else
        break;
#endif
    }
    return NULL;
}

bool ice_codec_is_built(enum ice_avro_codec kind) {
    return kind == ICE_CODEC_NULL || ops_of(kind) != NULL;
}

enum ice_status ice_codec_open(struct ice_codec **out, enum ice_avro_codec kind,
                               struct ice_run *run, struct ice_error *err) {
    *out = NULL;
    struct ice_codec *codec = ice_calloc(&run->alloc, 1, sizeof(*codec));
    if (codec == NULL)
        return ice_error_memory(err);
    codec->ops = ops_of(kind);
    codec->kind = kind;
    codec->run = run;
    if (codec->ops != NULL && codec->ops->open != NULL) {
        const enum ice_status status = codec->ops->open(codec, err);
        if (status < 0) {
            ice_codec_free(codec);
            return status;
        }
    }
    *out = codec;
    return ICE_OK;
}

static void drop_buffer(struct ice_codec *codec) {
    ice_free(&codec->run->alloc, codec->data, codec->capacity);
    codec->data = NULL;
    codec->size = codec->capacity = 0;
}

void ice_codec_free(struct ice_codec *codec) {
    if (codec == NULL)
        return;
    if (codec->ops != NULL && codec->ops->free != NULL)
        codec->ops->free(codec);
    drop_buffer(codec);
    ice_free(&codec->run->alloc, codec, sizeof(*codec));
}

static void set_ceiling(struct ice_codec *codec, size_t packed) {
    const struct ice_limits *limits = &codec->run->limits;
    uint64_t by_ratio;
    if (__builtin_mul_overflow((uint64_t)packed, limits->inflate_ratio, &by_ratio) ||
        __builtin_add_overflow(by_ratio, UINT64_C(64) << 10, &by_ratio))
        by_ratio = UINT64_MAX;
    codec->ceiling_is_ratio = by_ratio < limits->block_bytes;
    const uint64_t ceiling = codec->ceiling_is_ratio ? by_ratio : limits->block_bytes;
    codec->ceiling = ceiling > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)ceiling;
}

enum ice_status ice_codec_unpack(struct ice_codec *codec, struct ice_str packed,
                                 uint64_t offset, struct ice_str *out,
                                 struct ice_error *err) {
    codec->offset = offset;
    codec->packed_bytes = packed.size;
    set_ceiling(codec, packed.size);
    codec->size = 0;
    *out = packed;
    if (codec->kind == ICE_CODEC_NULL) {
        const enum ice_status status = ice_codec_check_size(codec, packed.size, err);
        if (status < 0)
            *out = ICE_STR_NONE;
        return status;
    }
    const enum ice_status status = codec->ops->unpack(codec, packed, err);
    *out = ice_str_make(codec->data, codec->size);
    if (status < 0) {
        *out = ICE_STR_NONE;
        if (codec->capacity > KEEP_BUFFER)
            drop_buffer(codec);
    }
    return status;
}

enum ice_status ice_codec_corrupt(const struct ice_codec *codec, const char *what,
                                  struct ice_error *err) {
    return ice_error_set(err, ICE_EFORMAT, "avro.codec.corrupt", codec->offset,
                         "the block at byte %llu does not decompress: %s",
                         (unsigned long long)codec->offset, what);
}

enum ice_status ice_codec_memory(const struct ice_codec *codec, struct ice_error *err) {
    if (!atomic_load_explicit(&codec->run->alloc.over, memory_order_relaxed))
        return ice_error_memory(err);
    return ice_error_set(
        err, ICE_ELIMIT, "limit.memory", codec->offset,
        "inflating the block at byte %llu would pass the memory limit of "
        "%llu bytes",
        (unsigned long long)codec->offset, (unsigned long long)codec->run->alloc.limit);
}

enum ice_status ice_codec_check_size(const struct ice_codec *codec, uint64_t size,
                                     struct ice_error *err) {
    if (size <= codec->ceiling)
        return ICE_OK;
    const bool is_bomb =
        codec->ceiling_is_ratio || codec->packed_bytes < codec->ceiling / BOMB_RATIO;
    return ice_error_set(
        err, ICE_ELIMIT, is_bomb ? "limit.bomb" : "limit.block", codec->offset,
        "the block at byte %llu inflates %zu bytes to more than %zu",
        (unsigned long long)codec->offset, codec->packed_bytes, codec->ceiling);
}

enum ice_status ice_codec_grow(struct ice_codec *codec, bool keep,
                               struct ice_error *err) {
    if (codec->capacity >= codec->ceiling)
        return ice_codec_check_size(codec, (uint64_t)codec->ceiling + 1, err);
    size_t wanted = LEAST_BUFFER;
    if (codec->capacity > 0) { /* and below the ceiling, so below SIZE_MAX / 2 */
        wanted = codec->capacity * 2;
    } else if (codec->packed_bytes > LEAST_BUFFER / USUAL_RATIO) {
        /* these bytes have arrived, so they may be trusted with as much */
        const size_t most = codec->ceiling / USUAL_RATIO + 1;
        wanted = ice_size_min(codec->packed_bytes, most) * USUAL_RATIO;
    }
    wanted = ice_size_min(wanted, codec->ceiling);
    if (!keep)
        drop_buffer(codec);
    char *grown = ice_realloc(&codec->run->alloc, codec->data, codec->capacity, wanted);
    if (grown == NULL)
        return ice_codec_memory(codec, err);
    codec->data = grown;
    codec->capacity = wanted;
    return ICE_OK;
}
