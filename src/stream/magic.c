/*
 * Kinds of files by their first bytes.
 */
#include "stream/stream.h"

#include "base/compiler.h"

struct magic {
    enum ice_magic magic;
    size_t offset;
    struct ice_str bytes;
};

#define MAGIC(kind, offset, literal)                                                     \
    {                                                                                    \
        ICE_MAGIC_##kind, offset, {                                                      \
            literal, sizeof(literal) - 1                                                 \
        }                                                                                \
    }

static const struct magic magics[] = {
    MAGIC(GZIP, 0, "\x1f\x8b"),
    MAGIC(ZSTD, 0, "\x28\xb5\x2f\xfd"),
    MAGIC(AVRO, 0, "Obj\x01"),
    MAGIC(AVRO, 0,
          "Obj\x02"), /* a wrong version byte is an Avro fault, not an unknown file */
    MAGIC(AVRO, 0, "Obj\x00"),
    MAGIC(PARQUET, 0, "PAR1"),
    MAGIC(PARQUET, 0, "PARE"),
    MAGIC(ORC, 0, "ORC"),
    MAGIC(PUFFIN, 0, "PFA1"),
    MAGIC(SQLITE, 0, "SQLite format 3\0"),
    MAGIC(ZIP, 0, "PK\x03\x04"),
    MAGIC(AGS1, 0, "AGS1"),
    MAGIC(PNG, 0, "\x89PNG\r\n\x1a\n"),
    MAGIC(UTF16, 0, "\xff\xfe"),
    MAGIC(UTF16, 0, "\xfe\xff"),
    MAGIC(TAR, 257, "ustar"),
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

enum ice_magic ice_magic_of(struct ice_str first_bytes) {
    for (size_t i = 0; i < ICE_COUNT_OF(magics); i++) {
        struct ice_str rest = ice_str_from_index(first_bytes, magics[i].offset);
        if (ice_str_starts(rest, magics[i].bytes))
            return magics[i].magic;
    }
    if (is_skippable_zstd(first_bytes))
        return ICE_MAGIC_ZSTD;
    return is_bare_utf16(first_bytes) ? ICE_MAGIC_UTF16 : ICE_MAGIC_NONE;
}

bool ice_is_foreign_zstd(struct ice_str first_bytes) {
    return first_bytes.size >= ICE_ZSTD_MAGIC_BYTES &&
           ice_magic_of(first_bytes) != ICE_MAGIC_ZSTD;
}
