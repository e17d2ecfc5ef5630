/*
 * Bucket hashes (spec: App. B 32-bit hash requirements): what of a value is hashed, and
 * murmur3_x86_32 itself. Other platforms' byte order does not matter: bytes are put
 * together one by one.
 */
#include "iceberg/transform_apply.h"
#include "iceberg/value.h"

static uint32_t rotate(uint32_t word, unsigned bits) {
    return word << bits | word >> (32 - bits);
}

static uint32_t scramble(uint32_t word) {
    return rotate(word * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
}

static uint32_t murmur3(struct ice_str text) {
    uint32_t hash = 0, tail = 0;
    size_t whole = text.size - text.size % 4;
    const unsigned char *bytes = (const unsigned char *)text.data;
    for (size_t i = 0; i < whole; i += 4) {
        uint32_t word = (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 |
                        (uint32_t)bytes[i + 2] << 16 | (uint32_t)bytes[i + 3] << 24;
        hash = rotate(hash ^ scramble(word), 13) * 5 + UINT32_C(0xe6546b64);
    }
    for (size_t i = text.size; i > whole; i--)
        tail = tail << 8 | bytes[i - 1];
    if (whole < text.size)
        hash ^= scramble(tail);
    hash ^= (uint32_t)(text.size & UINT32_MAX);
    hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
    hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
    return hash ^ hash >> 16;
}

/* Numbers are hashed as eight bytes, little endian, so that int may become long. */
static uint32_t hash_number(int64_t number) {
    char bytes[8];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)(unsigned char)((uint64_t)number >> 8 * i & 0xff);
    return murmur3(ice_str_make(bytes, sizeof(bytes)));
}

/* Without the bytes in front that only repeat the sign. */
static struct ice_str shortest_decimal(struct ice_str value) {
    while (value.size > 1) {
        unsigned char first = (unsigned char)value.data[0];
        bool is_negative = (unsigned char)value.data[1] & 0x80;
        if (first != (is_negative ? 0xff : 0))
            break;
        value = ice_str_from_index(value, 1);
    }
    return value;
}

/* Nanoseconds count in microseconds, rounded down: both precisions share a bucket. */
static int64_t whole_micros(int64_t nanos) {
    return nanos / 1000 - (nanos % 1000 < 0);
}

static bool number_hash(const struct ice_type *source, struct ice_str value,
                        bool is_nanos, uint32_t *out) {
    int64_t number;
    if (!ice_value_integer(source, value, &number))
        return false;
    *out = hash_number(is_nanos ? whole_micros(number) : number);
    return true;
}

bool ice_bucket_hash(const struct ice_type *source, struct ice_str value, int32_t *out) {
    uint32_t hash = 0;
    bool ok = ice_value_length_ok(source, value.size);
    switch (source->kind) {
    case ICE_TYPE_INT:
    case ICE_TYPE_LONG:
    case ICE_TYPE_DATE:
    case ICE_TYPE_TIME:
    case ICE_TYPE_TIMESTAMP:
    case ICE_TYPE_TIMESTAMPTZ:
        ok = ok && number_hash(source, value, false, &hash);
        break;
    case ICE_TYPE_TIMESTAMP_NS:
    case ICE_TYPE_TIMESTAMPTZ_NS:
        ok = ok && number_hash(source, value, true, &hash);
        break;
    case ICE_TYPE_DECIMAL:
        if (ok)
            hash = murmur3(shortest_decimal(value));
        break;
    case ICE_TYPE_STRING:
    case ICE_TYPE_UUID:
    case ICE_TYPE_FIXED:
    case ICE_TYPE_BINARY:
        if (ok)
            hash = murmur3(value);
        break;
    case ICE_TYPE_BOOLEAN:
    case ICE_TYPE_FLOAT:
    case ICE_TYPE_DOUBLE:
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
    case ICE_TYPE_BAD:
        return false;
    }
    *out =
        hash > INT32_MAX ? (int32_t)((int64_t)hash - (INT64_C(1) << 32)) : (int32_t)hash;
    return ok;
}
