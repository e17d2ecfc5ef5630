/*
 * Kinds of files by their first bytes.
 */
#include "stream/stream.h"

#include "base/compiler.h"

struct magic {
    enum ice_magic magic;
    struct ice_str bytes;
};

#define MAGIC(kind, literal)                                                             \
    {                                                                                    \
        ICE_MAGIC_##kind, {                                                              \
            literal, sizeof(literal) - 1                                                 \
        }                                                                                \
    }

static const struct magic magics[] = {
    MAGIC(GZIP, "\x1f\x8b"),
    MAGIC(ZSTD, "\x28\xb5\x2f\xfd"),
    MAGIC(AVRO, "Obj\x01"),
    MAGIC(AVRO,
          "Obj\x02"), /* a wrong version byte is an Avro fault, not an unknown file */
    MAGIC(AVRO, "Obj\x00"),
    MAGIC(PARQUET, "PAR1"),
    MAGIC(PARQUET, "PARE"),
    MAGIC(ORC, "ORC"),
    MAGIC(PUFFIN, "PFA1"),
    MAGIC(SQLITE, "SQLite format 3\0"),
    MAGIC(ZIP, "PK\x03\x04"),
    MAGIC(AGS1, "AGS1"),
    MAGIC(PNG, "\x89PNG\r\n\x1a\n"),
    MAGIC(UTF16, "\xff\xfe"),
    MAGIC(UTF16, "\xfe\xff"),
};

/* Every second byte is NUL: UTF-16 without a mark (RFC 4627, section 3). */
static bool is_bare_utf16(struct ice_str bytes) {
    if (bytes.size < 4)
        return false;
    bool little = bytes.data[0] && !bytes.data[1] && bytes.data[2] && !bytes.data[3];
    bool big = !bytes.data[0] && bytes.data[1] && !bytes.data[2] && bytes.data[3];
    return little || big;
}

/* 0x184D2A50 to 0x184D2A5F: a frame that readers step over, before a real one */
static bool is_skippable_zstd(struct ice_str bytes) {
    return bytes.size >= 4 && ((unsigned char)bytes.data[0] & 0xf0) == 0x50 &&
           memcmp(bytes.data + 1, "\x2a\x4d\x18", 3) == 0;
}

static bool is_tar(struct ice_str bytes) {
    return ice_str_starts(ice_str_from_index(bytes, 257), ICE_STR("ustar"));
}

/* The first bytes go before what stands further on, which may not be here yet. */
enum ice_magic ice_magic_of(struct ice_str first_bytes) {
    for (size_t i = 0; i < ICE_COUNT_OF(magics); i++)
        if (ice_str_starts(first_bytes, magics[i].bytes))
            return magics[i].magic;
    if (is_skippable_zstd(first_bytes))
        return ICE_MAGIC_ZSTD;
    if (is_bare_utf16(first_bytes))
        return ICE_MAGIC_UTF16;
    return is_tar(first_bytes) ? ICE_MAGIC_TAR : ICE_MAGIC_NONE;
}

bool ice_is_foreign_zstd(struct ice_str first_bytes) {
    return first_bytes.size >= ICE_ZSTD_MAGIC_BYTES &&
           ice_magic_of(first_bytes) != ICE_MAGIC_ZSTD;
}
