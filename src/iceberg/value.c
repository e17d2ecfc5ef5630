/*
 * Single values: lengths, order, numbers. Their text: value_text.c.
 */
#include "iceberg/value.h"

#include <math.h>

bool ice_value_length_ok(const struct ice_type *type, size_t size) {
    switch (type->kind) {
    case ICE_TYPE_BOOLEAN:
        return size == 1;
    case ICE_TYPE_INT:
    case ICE_TYPE_DATE:
    case ICE_TYPE_FLOAT:
        return size == 4;
    case ICE_TYPE_LONG:
    case ICE_TYPE_DOUBLE:
    case ICE_TYPE_TIMESTAMP:
    case ICE_TYPE_TIMESTAMP_NS:
        return size == 8 || size == 4;
    case ICE_TYPE_TIME:
    case ICE_TYPE_TIMESTAMPTZ:
    case ICE_TYPE_TIMESTAMPTZ_NS:
        return size == 8;
    case ICE_TYPE_DECIMAL:
        return size >= 1 && size <= 16;
    case ICE_TYPE_UUID:
        return size == 16;
    case ICE_TYPE_FIXED:
        return type->length >= 0 && size <= (uint64_t)type->length;
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
        return size == 16 || size == 24 || size == 32;
    case ICE_TYPE_STRING:
    case ICE_TYPE_BINARY:
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_BAD:
        return true;
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
        break;
    }
    return false;
}

static uint64_t little_endian(struct ice_str value) {
    uint64_t bits = 0;
    for (size_t i = value.size; i > 0; i--)
        bits = bits << 8 | (unsigned char)value.data[i - 1];
    return bits;
}

static uint64_t big_endian(const char *bytes) {
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; i++)
        bits = bits << 8 | (unsigned char)bytes[i];
    return bits;
}

/* 4 or 8 bytes */
static int64_t signed_number(struct ice_str value) {
    uint64_t bits = little_endian(value);
    return value.size == 4 ? (int64_t)(int32_t)(uint32_t)bits : (int64_t)bits;
}

/* Days in the unit of a timestamp; beyond 64 bits the ends stand for "out of reach". */
static int64_t days_to(int64_t days, int64_t units_a_day) {
    int64_t out;
    if (__builtin_mul_overflow(days, units_a_day, &out))
        return days < 0 ? INT64_MIN : INT64_MAX;
    return out;
}

bool ice_value_integer(const struct ice_type *type, struct ice_str value, int64_t *out) {
    const int64_t micros = INT64_C(86400000000), nanos = INT64_C(86400000000000);
    if (!ice_value_length_ok(type, value.size))
        return false;
    switch (type->kind) {
    case ICE_TYPE_BOOLEAN:
        *out = value.data[0] != 0;
        return true;
    case ICE_TYPE_INT:
    case ICE_TYPE_LONG:
    case ICE_TYPE_DATE:
    case ICE_TYPE_TIME:
    case ICE_TYPE_TIMESTAMPTZ:
    case ICE_TYPE_TIMESTAMPTZ_NS:
        *out = signed_number(value);
        return true;
    case ICE_TYPE_TIMESTAMP:
        *out = value.size == 4 ? days_to(signed_number(value), micros)
                               : signed_number(value);
        return true;
    case ICE_TYPE_TIMESTAMP_NS:
        *out =
            value.size == 4 ? days_to(signed_number(value), nanos) : signed_number(value);
        return true;
    case ICE_TYPE_FLOAT:
    case ICE_TYPE_DOUBLE:
    case ICE_TYPE_DECIMAL:
    case ICE_TYPE_STRING:
    case ICE_TYPE_UUID:
    case ICE_TYPE_FIXED:
    case ICE_TYPE_BINARY:
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
    case ICE_TYPE_BAD:
        break;
    }
    return false;
}

bool ice_value_double(const struct ice_type *type, struct ice_str value, double *out) {
    if (type->kind != ICE_TYPE_FLOAT && type->kind != ICE_TYPE_DOUBLE)
        return false;
    if (!ice_value_length_ok(type, value.size))
        return false;
    uint64_t bits = little_endian(value);
    if (value.size == 4) {
        uint32_t narrow = (uint32_t)bits;
        float number;
        memcpy(&number, &narrow, sizeof(number));
        *out = (double)number;
    } else {
        memcpy(out, &bits, sizeof(*out));
    }
    return true;
}

bool ice_value_is_nan(const struct ice_type *type, struct ice_str value) {
    double number;
    return ice_value_double(type, value, &number) && isnan(number);
}

static enum ice_order order_of(int sign) {
    return sign < 0 ? ICE_IS_LESS : sign > 0 ? ICE_IS_GREATER : ICE_IS_EQUAL;
}

/* Big-endian two's complement of lengths that may differ: the shorter is sign-extended.
 */
static enum ice_order compare_decimal(struct ice_str a, struct ice_str b) {
    unsigned fill_a = (unsigned char)a.data[0] & 0x80 ? 0xff : 0;
    unsigned fill_b = (unsigned char)b.data[0] & 0x80 ? 0xff : 0;
    if (fill_a != fill_b)
        return fill_a ? ICE_IS_LESS : ICE_IS_GREATER;
    size_t size = a.size > b.size ? a.size : b.size;
    for (size_t i = 0; i < size; i++) {
        size_t pad_a = size - a.size, pad_b = size - b.size;
        unsigned byte_a = i < pad_a ? fill_a : (unsigned char)a.data[i - pad_a];
        unsigned byte_b = i < pad_b ? fill_b : (unsigned char)b.data[i - pad_b];
        if (byte_a != byte_b)
            return byte_a < byte_b ? ICE_IS_LESS : ICE_IS_GREATER;
    }
    return ICE_IS_EQUAL;
}

enum ice_order ice_value_compare_uuid_signed(struct ice_str a, struct ice_str b) {
    if (a.size != 16 || b.size != 16)
        return ICE_IS_UNORDERED;
    for (size_t half = 0; half < 16; half += 8) {
        int64_t x = (int64_t)big_endian(a.data + half),
                y = (int64_t)big_endian(b.data + half);
        if (x != y)
            return x < y ? ICE_IS_LESS : ICE_IS_GREATER;
    }
    return ICE_IS_EQUAL;
}

enum ice_order ice_value_compare(const struct ice_type *type, struct ice_str a,
                                 struct ice_str b) {
    int64_t x, y;
    double p, q;
    if (!ice_value_length_ok(type, a.size) || !ice_value_length_ok(type, b.size))
        return ICE_IS_UNORDERED;
    switch (type->kind) {
    case ICE_TYPE_BOOLEAN:
    case ICE_TYPE_INT:
    case ICE_TYPE_LONG:
    case ICE_TYPE_DATE:
    case ICE_TYPE_TIME:
    case ICE_TYPE_TIMESTAMP:
    case ICE_TYPE_TIMESTAMPTZ:
    case ICE_TYPE_TIMESTAMP_NS:
    case ICE_TYPE_TIMESTAMPTZ_NS:
        if (!ice_value_integer(type, a, &x) || !ice_value_integer(type, b, &y))
            return ICE_IS_UNORDERED;
        return x < y ? ICE_IS_LESS : x > y ? ICE_IS_GREATER : ICE_IS_EQUAL;
    case ICE_TYPE_FLOAT:
    case ICE_TYPE_DOUBLE:
        if (!ice_value_double(type, a, &p) || !ice_value_double(type, b, &q) ||
            isnan(p) || isnan(q))
            return ICE_IS_UNORDERED;
        return p < q ? ICE_IS_LESS : p > q ? ICE_IS_GREATER : ICE_IS_EQUAL;
    case ICE_TYPE_DECIMAL:
        return compare_decimal(a, b);
    case ICE_TYPE_STRING:
    case ICE_TYPE_UUID:
    case ICE_TYPE_FIXED:
    case ICE_TYPE_BINARY:
        return order_of(ice_str_compare(a, b));
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
    case ICE_TYPE_BAD:
        break;
    }
    return ICE_IS_UNORDERED;
}
