/*
 * Transforms on single values. Dates go through civil calendar arithmetic of our own: no
 * libc, no time zone, 64 bits wide.
 */
#include "iceberg/transform_apply.h"

#include "base/utf8.h"
#include "iceberg/value.h"

#include <assert.h>

/* Longest legal decimal, and one byte that a subtraction may add. */
enum { DECIMAL_BYTES = 17 };

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

/* ---- dates and times ---- */

/* Days since 1970-01-01 to year and month (0 .. 11), proleptic Gregorian. */
static void civil(int64_t days, int64_t *out_year, int64_t *out_month) {
    /* years begin in March here, so that the leap day comes last */
    int64_t shifted = days + 719468;
    int64_t era = floor_div(shifted, 146097);
    int64_t day_of_era = shifted - era * 146097;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t from_march = (5 * day_of_year + 2) / 153;
    *out_month = from_march < 10 ? from_march + 2 : from_march - 10;
    *out_year = year_of_era + era * 400 + (*out_month <= 1);
}

static int64_t units_a_day(enum ice_type_kind kind) {
    if (kind == ICE_TYPE_DATE)
        return 1;
    if (kind == ICE_TYPE_TIMESTAMP || kind == ICE_TYPE_TIMESTAMPTZ)
        return INT64_C(86400000000);
    return INT64_C(86400000000000);
}

static int64_t apply_time(enum ice_transform_kind transform, enum ice_type_kind source,
                          int64_t value) {
    int64_t units = units_a_day(source), year, month;
    int64_t days = floor_div(value, units);
    if (transform == ICE_TRANSFORM_HOUR) {
        assert(units >= 24); /* a date is not allowed */
        return floor_div(value, units / 24);
    }
    if (transform == ICE_TRANSFORM_DAY)
        return days;
    civil(days, &year, &month);
    return transform == ICE_TRANSFORM_YEAR ? year - 1970 : (year - 1970) * 12 + month;
}

/* ---- truncate ---- */

static struct ice_str first_code_points(struct ice_str text, int64_t n) {
    size_t at = 0;
    for (int64_t i = 0; i < n && at < text.size; i++)
        (void)ice_utf8_next(text, &at);
    return ice_str_first(text, at);
}

/*
 * Subtract the remainder (of floored division by width) from a big-endian number.
 * Remainder: byte by byte, the sign byte counted as what it stands for.
 */
static void truncate_decimal(struct ice_str value, int64_t width,
                             struct ice_transformed *out) {
    unsigned fill = (unsigned char)value.data[0] & 0x80 ? 0xff : 0;
    int64_t remainder = fill ? width - 1 : 0; /* all bits set is -1 */
    unsigned char bytes[DECIMAL_BYTES];
    size_t pad = DECIMAL_BYTES - value.size;
    for (size_t i = 0; i < DECIMAL_BYTES; i++)
        bytes[i] = i < pad ? (unsigned char)fill : (unsigned char)value.data[i - pad];
    for (size_t i = pad; i < DECIMAL_BYTES; i++)
        remainder = (remainder * 256 + bytes[i]) % width;
    int64_t borrow = 0;
    for (size_t i = DECIMAL_BYTES; i > 0; i--) {
        int64_t left = (int64_t)bytes[i - 1] - (remainder & 0xff) - borrow;
        remainder >>= 8;
        borrow = left < 0;
        bytes[i - 1] = (unsigned char)(left & 0xff);
    }
    size_t skip = 0;
    while (skip + 1 < DECIMAL_BYTES && bytes[skip] == (bytes[skip + 1] & 0x80 ? 0xff : 0))
        skip++;
    memcpy(out->storage, bytes + skip, DECIMAL_BYTES - skip);
    out->bytes = ice_str_make(out->storage, DECIMAL_BYTES - skip);
}

static bool apply_truncate(int64_t width, const struct ice_type *source,
                           struct ice_str value, struct ice_transformed *out) {
    if (source->kind == ICE_TYPE_STRING) {
        out->bytes = first_code_points(value, width);
        return true;
    }
    if (source->kind == ICE_TYPE_BINARY) {
        out->bytes = ice_str_first(value, (size_t)width);
        return true;
    }
    if (source->kind == ICE_TYPE_DECIMAL) {
        truncate_decimal(value, width, out);
        return true;
    }
    out->is_number = ice_value_integer(source, value, &out->number);
    if (!out->is_number)
        return false;
    int64_t remainder = out->number % width;
    if (remainder < 0)
        remainder += width;
    return !__builtin_sub_overflow(out->number, remainder, &out->number);
}

bool ice_transform_apply(const struct ice_transform *transform,
                         const struct ice_type *source, struct ice_str value,
                         struct ice_transformed *out) {
    int32_t hash;
    bool has_argument =
        transform->has_argument && !transform->argument_big && transform->argument > 0;
    out->is_number = false;
    out->bytes = ICE_STR_NONE;
    if (!ice_transform_allows(transform, source) ||
        !ice_value_length_ok(source, value.size))
        return false;
    switch (transform->kind) {
    case ICE_TRANSFORM_IDENTITY:
        out->is_number = ice_value_integer(source, value, &out->number);
        out->bytes = value;
        return true;
    case ICE_TRANSFORM_BUCKET:
        if (!has_argument || !ice_bucket_hash(source, value, &hash))
            return false;
        out->is_number = true;
        out->number = (hash & INT32_MAX) % transform->argument;
        return true;
    case ICE_TRANSFORM_TRUNCATE:
        return has_argument && apply_truncate(transform->argument, source, value, out);
    case ICE_TRANSFORM_YEAR:
    case ICE_TRANSFORM_MONTH:
    case ICE_TRANSFORM_DAY:
    case ICE_TRANSFORM_HOUR:
        out->is_number = ice_value_integer(source, value, &out->number);
        if (out->is_number)
            out->number = apply_time(transform->kind, source->kind, out->number);
        return out->is_number;
    case ICE_TRANSFORM_VOID:
    case ICE_TRANSFORM_UNKNOWN:
        break;
    }
    return false;
}
