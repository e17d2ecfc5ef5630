/*
 * Bounds of columns with one type: answers for the usual case, where nothing is wrong.
 * What is not plainly fine goes to bound_rules.c, which judges it in full.
 */
#include "base/utf8.h"
#include "check/column_types.h"

#include <math.h>

static uint32_t word_at(const char *bytes) {
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static uint64_t long_at(const char *bytes) {
    return word_at(bytes) | (uint64_t)word_at(bytes + 4) << 32;
}

static float float_at(const char *bytes) {
    uint32_t bits = word_at(bytes);
    float number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

static double double_at(const char *bytes) {
    uint64_t bits = long_at(bytes);
    double number;
    memcpy(&number, &bits, sizeof(number));
    return number;
}

/* ---- numbers ---- */

static bool one_fits_4(const struct ice_table_column *column, struct ice_str value) {
    (void)column;
    return value.size == 4;
}

static bool one_fits_8(const struct ice_table_column *column, struct ice_str value) {
    (void)column;
    return value.size == 8;
}

static bool pair_fits_4(const struct ice_table_column *column, struct ice_str lower,
                        struct ice_str upper) {
    (void)column;
    return lower.size == 4 && upper.size == 4 &&
           (int32_t)word_at(lower.data) <= (int32_t)word_at(upper.data);
}

static bool pair_fits_8(const struct ice_table_column *column, struct ice_str lower,
                        struct ice_str upper) {
    (void)column;
    return lower.size == 8 && upper.size == 8 &&
           (int64_t)long_at(lower.data) <= (int64_t)long_at(upper.data);
}

static bool one_fits_float(const struct ice_table_column *column, struct ice_str value) {
    (void)column;
    return value.size == 4 && !isnan(float_at(value.data));
}

static bool pair_fits_float(const struct ice_table_column *column, struct ice_str lower,
                            struct ice_str upper) {
    (void)column;
    return lower.size == 4 && upper.size == 4 &&
           float_at(lower.data) <= float_at(upper.data);
}

static bool one_fits_double(const struct ice_table_column *column, struct ice_str value) {
    (void)column;
    return value.size == 8 && !isnan(double_at(value.data));
}

static bool pair_fits_double(const struct ice_table_column *column, struct ice_str lower,
                             struct ice_str upper) {
    (void)column;
    return lower.size == 8 && upper.size == 8 &&
           double_at(lower.data) <= double_at(upper.data);
}

bool ice_decimal_is_minimal(struct ice_str value) {
    if (value.size < 2)
        return true;
    bool is_negative = (unsigned char)value.data[1] & 0x80;
    return (unsigned char)value.data[0] != (is_negative ? 0xff : 0);
}

/* Magnitude, most significant limb first; 38 digits are below 2^127. */
static void magnitude(struct ice_str value, uint64_t out[2]) {
    bool is_negative = (unsigned char)value.data[0] & 0x80;
    out[0] = out[1] = is_negative ? UINT64_MAX : 0;
    for (size_t i = 0; i < value.size; i++) {
        out[0] = out[0] << 8 | out[1] >> 56;
        out[1] = out[1] << 8 | (unsigned char)value.data[i];
    }
    if (!is_negative)
        return;
    out[1] = ~out[1] + 1;
    out[0] = ~out[0] + (out[1] == 0);
}

bool ice_decimal_fits(struct ice_str value, int64_t precision) {
    uint64_t number[2], power[2] = {0, 1};
    if (precision < 1 || precision > 38)
        return true;
    magnitude(value, number);
    for (int64_t i = 0; i < precision; i++) { /* times 10 = times 8 and times 2 */
        uint64_t low = power[1];
        uint64_t twice[2] = {power[0] << 1 | low >> 63, low << 1};
        power[0] = (power[0] << 3 | low >> 61) + twice[0];
        power[1] = low << 3;
        power[0] += __builtin_add_overflow(power[1], twice[1], &power[1]);
    }
    return number[0] != power[0] ? number[0] < power[0] : number[1] < power[1];
}

static bool one_fits_decimal(const struct ice_table_column *column,
                             struct ice_str value) {
    return value.size >= 1 && value.size <= 16 && ice_decimal_is_minimal(value) &&
           ice_decimal_fits(value, column->types->type.precision);
}

static int64_t short_decimal(struct ice_str value) {
    uint64_t bits = (unsigned char)value.data[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < value.size; i++)
        bits = bits << 8 | (unsigned char)value.data[i];
    return (int64_t)bits;
}

static bool pair_fits_decimal(const struct ice_table_column *column, struct ice_str lower,
                              struct ice_str upper) {
    int64_t most = column->decimal_most;
    if (most > 0 && lower.size - 1 < 8 && upper.size - 1 < 8 &&
        ice_decimal_is_minimal(lower) && ice_decimal_is_minimal(upper)) {
        int64_t a = short_decimal(lower), b = short_decimal(upper);
        return a <= b && a >= -most && b <= most;
    }
    return one_fits_decimal(column, lower) && one_fits_decimal(column, upper) &&
           ice_value_compare(&column->types->type, lower, upper) != ICE_IS_GREATER;
}

/* ---- bytes ---- */

/* Truncated text has at most 16 bytes: two overlapping reads see all of it. */
static bool is_short_ascii(struct ice_str text) {
    uint64_t high = UINT64_C(0x8080808080808080), all;
    if (text.size > 16)
        return false;
    if (text.size >= 8) {
        all = long_at(text.data) | long_at(text.data + text.size - 8);
    } else if (text.size >= 4) {
        all = word_at(text.data) | word_at(text.data + text.size - 4);
    } else {
        all = 0;
        for (size_t i = 0; i < text.size; i++)
            all |= (unsigned char)text.data[i];
    }
    return (all & high) == 0;
}

static bool one_fits_text(const struct ice_table_column *column, struct ice_str value) {
    (void)column;
    return is_short_ascii(value) || ice_utf8_is_valid(value);
}

static bool pair_fits_text(const struct ice_table_column *column, struct ice_str lower,
                           struct ice_str upper) {
    return one_fits_text(column, lower) && one_fits_text(column, upper) &&
           (lower.size == 0 ||
            (upper.size > 0 &&
             (unsigned char)lower.data[0] < (unsigned char)upper.data[0]) ||
            ice_str_compare(lower, upper) <= 0);
}

static bool one_fits_length(const struct ice_table_column *column, struct ice_str value) {
    return ice_value_length_ok(&column->types->type, value.size);
}

static bool pair_fits_any(const struct ice_table_column *column, struct ice_str lower,
                          struct ice_str upper) {
    return one_fits_length(column, lower) && one_fits_length(column, upper) &&
           ice_value_compare(&column->types->type, lower, upper) != ICE_IS_GREATER;
}

/* ---- geometry and geography ---- */

void ice_geo_point(struct ice_str value, double *x, double *y) {
    *x = double_at(value.data);
    *y = double_at(value.data + 8);
}

const char *ice_geo_fault(const struct ice_type *type, struct ice_str value) {
    double x, y;
    ice_geo_point(value, &x, &y);
    if (isnan(x))
        return "x is NaN";
    if (isnan(y))
        return "y is NaN";
    if (type->kind == ICE_TYPE_GEOGRAPHY && (x < -180 || x > 180))
        return "the longitude is not between -180 and 180";
    if (type->kind == ICE_TYPE_GEOGRAPHY && (y < -90 || y > 90))
        return "the latitude is not between -90 and 90";
    return NULL;
}

/* ---- choice ---- */

static bool one_is_for_later(const struct ice_table_column *column,
                             struct ice_str value) {
    (void)column;
    (void)value;
    return false;
}

static bool pair_is_for_later(const struct ice_table_column *column, struct ice_str lower,
                              struct ice_str upper) {
    (void)column;
    (void)lower;
    (void)upper;
    return false;
}

static bool one_is_fine(const struct ice_table_column *column, struct ice_str value) {
    (void)column;
    (void)value;
    return true;
}

static bool pair_is_fine(const struct ice_table_column *column, struct ice_str lower,
                         struct ice_str upper) {
    (void)column;
    (void)lower;
    (void)upper;
    return true;
}

/* The largest number of so many digits, where 64 bits hold it; else 0. */
static int64_t most_of(int64_t precision) {
    int64_t power = 1;
    if (precision < 1 || precision > 18)
        return 0;
    for (int64_t i = 0; i < precision; i++)
        power *= 10;
    return power - 1;
}

static void choose_by_kind(struct ice_table_column *column, enum ice_type_kind kind) {
    switch (kind) {
    case ICE_TYPE_INT:
    case ICE_TYPE_DATE:
        column->one_fits = one_fits_4;
        column->pair_fits = pair_fits_4;
        return;
    case ICE_TYPE_LONG:
    case ICE_TYPE_TIME:
    case ICE_TYPE_TIMESTAMP:
    case ICE_TYPE_TIMESTAMPTZ:
    case ICE_TYPE_TIMESTAMP_NS:
    case ICE_TYPE_TIMESTAMPTZ_NS:
        column->one_fits = one_fits_8;
        column->pair_fits = pair_fits_8;
        return;
    case ICE_TYPE_FLOAT:
        column->one_fits = one_fits_float;
        column->pair_fits = pair_fits_float;
        return;
    case ICE_TYPE_DOUBLE:
        column->one_fits = one_fits_double;
        column->pair_fits = pair_fits_double;
        return;
    case ICE_TYPE_DECIMAL:
        column->one_fits = one_fits_decimal;
        column->pair_fits = pair_fits_decimal;
        return;
    case ICE_TYPE_STRING:
        column->one_fits = one_fits_text;
        column->pair_fits = pair_fits_text;
        return;
    case ICE_TYPE_BOOLEAN:
    case ICE_TYPE_UUID:
    case ICE_TYPE_FIXED:
    case ICE_TYPE_BINARY:
        column->one_fits = one_fits_length;
        column->pair_fits = pair_fits_any;
        return;
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_BAD:
        column->one_fits = one_is_fine;
        column->pair_fits = pair_is_fine;
        return;
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
        return;
    }
}

void ice_column_choose(struct ice_table_column *column) {
    column->one_fits = one_is_for_later;
    column->pair_fits = pair_is_for_later;
    if (column->n_types == 0)
        choose_by_kind(column, ICE_TYPE_BAD);
    else if (column->n_types == 1)
        choose_by_kind(column, column->types->type.kind);
    if (column->n_types == 1 && column->types->type.kind == ICE_TYPE_DECIMAL)
        column->decimal_most = most_of(column->types->type.precision);
}
