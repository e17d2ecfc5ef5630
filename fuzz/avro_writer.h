/*
 * A small writer of Avro containers, for targets and the mutator: what the library has no
 * use for. Memory that runs out ends the program: it is ours.
 */
#ifndef ICE_FUZZ_AVRO_WRITER_H
#define ICE_FUZZ_AVRO_WRITER_H

#include "avro/codec.h"
#include "base/buf.h"
#include "fuzz/target.h"

#include <libdeflate.h>
#include <snappy-c.h>
#include <zlib.h>
#include <zstd.h>

#define TARGET_SYNC "0123456789abcdef"
enum { SYNC_BYTES = 16, SNAPPY_CRC_BYTES = 4 };

static inline void put_raw(struct ice_buf *out, struct ice_str bytes) {
    require(ice_buf_append_str(out, bytes) == ICE_OK);
}

static inline void put_byte(struct ice_buf *out, unsigned byte) {
    require(ice_buf_append_char(out, (char)byte) == ICE_OK);
}

static inline void put_long(struct ice_buf *out, int64_t value) {
    uint64_t bits = (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
    for (; bits > 0x7f; bits >>= 7)
        put_byte(out, (unsigned)(bits & 0x7f) | 0x80);
    put_byte(out, (unsigned)bits);
}

static inline void put_sized(struct ice_buf *out, struct ice_str bytes) {
    put_long(out, (int64_t)bytes.size);
    put_raw(out, bytes);
}

/* Magic and header map with a sync marker of 16 bytes. codec NULL: no such key. */
static inline void put_header(struct ice_buf *out, struct ice_str schema,
                              const char *codec, struct ice_str sync) {
    put_raw(out, ICE_STR("Obj\1"));
    put_long(out, codec != NULL ? 2 : 1);
    put_sized(out, ICE_STR("avro.schema"));
    put_sized(out, schema);
    if (codec != NULL) {
        put_sized(out, ICE_STR("avro.codec"));
        put_sized(out, ice_str_from(codec));
    }
    put_long(out, 0);
    put_raw(out, sync);
}

static inline void pack_deflate(struct ice_buf *out, struct ice_str plain) {
    z_stream z = {0};
    require(deflateInit2(&z, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    const size_t room = deflateBound(&z, plain.size);
    require(ice_buf_reserve(out, room) == ICE_OK);
    z.next_in = (z_const Bytef *)(uintptr_t)plain.data;
    z.avail_in = (uInt)plain.size;
    z.next_out = (Bytef *)out->data + out->size;
    z.avail_out = (uInt)room;
    require(deflate(&z, Z_FINISH) == Z_STREAM_END);
    out->size += room - z.avail_out;
    (void)deflateEnd(&z);
}

static inline void pack_zstd(struct ice_buf *out, struct ice_str plain) {
    const size_t room = ZSTD_compressBound(plain.size);
    require(ice_buf_reserve(out, room) == ICE_OK);
    const size_t n =
        ZSTD_compress(out->data + out->size, room, plain.data, plain.size, 1);
    require(!ZSTD_isError(n));
    out->size += n;
}

static inline void pack_snappy(struct ice_buf *out, struct ice_str plain) {
    size_t n = snappy_max_compressed_length(plain.size);
    require(ice_buf_reserve(out, n + SNAPPY_CRC_BYTES) == ICE_OK);
    require(snappy_compress(plain.size > 0 ? plain.data : "", plain.size,
                            out->data + out->size, &n) == SNAPPY_OK);
    out->size += n;
    const uint32_t crc = libdeflate_crc32(0, plain.data, plain.size);
    for (unsigned shift = 32; shift > 0; shift -= 8)
        put_byte(out, crc >> (shift - 8) & 0xff);
}

/* A block's bytes as they are stored; false: a codec that is only read. */
static inline bool pack_block(enum ice_avro_codec codec, struct ice_str plain,
                              struct ice_buf *out) {
    switch (codec) {
    case ICE_CODEC_NULL:
        put_raw(out, plain);
        return true;
    case ICE_CODEC_DEFLATE:
        pack_deflate(out, plain);
        return true;
    case ICE_CODEC_ZSTANDARD:
        pack_zstd(out, plain);
        return true;
    case ICE_CODEC_SNAPPY:
        pack_snappy(out, plain);
        return true;
    case ICE_CODEC_BZIP2:
    case ICE_CODEC_XZ:
        return false;
    }
    return false;
}

static inline void put_block(struct ice_buf *out, int64_t count, struct ice_str packed,
                             struct ice_str sync) {
    put_long(out, count);
    put_sized(out, packed);
    put_raw(out, sync);
}

#endif
