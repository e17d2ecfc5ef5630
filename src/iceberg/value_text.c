/*
 * Single values as text and as canonical JSON.
 */
#include "iceberg/value.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>

enum { MAX_DECIMAL_BYTES = 64 };

static enum ice_status put_hex(struct ice_buf *out, struct ice_str value) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < value.size; i++) {
        unsigned char byte = (unsigned char)value.data[i];
        const char pair[2] = {digits[byte >> 4], digits[byte & 15]};
        ICE_TRY(ice_buf_append(out, pair, sizeof(pair)));
    }
    return ICE_OK;
}

/* floor division, also for times before 1970 */
static int64_t divide(int64_t value, int64_t by, int64_t *out_rest) {
    int64_t quotient = value / by, rest = value % by;
    if (rest < 0) {
        rest += by;
        quotient--;
    }
    *out_rest = rest;
    return quotient;
}

/* Days since 1970 to a proleptic Gregorian date, in eras of 400 years from 0000-03-01. */
static enum ice_status put_date(struct ice_buf *out, int64_t days) {
    int64_t day_of_era, era = divide(days + 719468, 146097, &day_of_era);
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t shifted = (5 * day_of_year + 2) / 153; /* March is 0 */
    int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
    int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
    int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
    return ice_buf_printf(out, "%s%04" PRId64 "-%02" PRId64 "-%02" PRId64,
                          year < 0 ? "-" : "", year < 0 ? -year : year, month, day);
}

/* units: in a second, 10^digits */
static enum ice_status put_time(struct ice_buf *out, int64_t of_day, int64_t units,
                                int digits) {
    int64_t fraction, rest, seconds = divide(of_day, units, &fraction);
    int64_t minutes = divide(seconds, 60, &rest);
    ICE_TRY(ice_buf_printf(out, "%02" PRId64 ":%02" PRId64 ":%02" PRId64, minutes / 60,
                           minutes % 60, rest));
    if (fraction == 0)
        return ICE_OK;
    return ice_buf_printf(out, ".%0*" PRId64, digits, fraction);
}

static enum ice_status put_timestamp(struct ice_buf *out, int64_t value, int64_t units,
                                     int digits, const char *zone) {
    int64_t of_day, days = divide(value, units * 86400, &of_day);
    ICE_TRY(put_date(out, days));
    ICE_TRY(ice_buf_append_char(out, 'T'));
    ICE_TRY(put_time(out, of_day, units, digits));
    return ice_buf_append_str(out, ice_str_from(zone));
}

static enum ice_status put_uuid(struct ice_buf *out, struct ice_str value) {
    static const size_t ends[] = {4, 6, 8, 10, 16};
    size_t start = 0;
    for (size_t i = 0; i < ICE_COUNT_OF(ends); i++) {
        if (i > 0)
            ICE_TRY(ice_buf_append_char(out, '-'));
        ICE_TRY(put_hex(out, ice_str_make(value.data + start, ends[i] - start)));
        start = ends[i];
    }
    return ICE_OK;
}

/* Magnitude of two's complement bytes into decimal digits, least significant first. */
static size_t decimal_digits(struct ice_str value, bool is_negative,
                             char digits[MAX_DECIMAL_BYTES * 3]) {
    unsigned char bytes[MAX_DECIMAL_BYTES];
    unsigned carry = 1;
    memcpy(bytes, value.data, value.size);
    for (size_t i = value.size; is_negative && i > 0; i--) {
        unsigned byte = (unsigned)(unsigned char)~bytes[i - 1] + carry;
        bytes[i - 1] = (unsigned char)byte;
        carry = byte >> 8;
    }
    size_t n = 0, start = 0;
    while (start < value.size) {
        unsigned rest = 0;
        for (size_t i = start; i < value.size; i++) {
            unsigned part = rest << 8 | bytes[i];
            bytes[i] = (unsigned char)(part / 10);
            rest = part % 10;
        }
        digits[n++] = (char)('0' + rest);
        while (start < value.size && bytes[start] == 0)
            start++;
    }
    return n;
}

static enum ice_status put_decimal(struct ice_buf *out, struct ice_str value,
                                   int64_t scale) {
    char digits[MAX_DECIMAL_BYTES * 3];
    bool is_negative = (unsigned char)value.data[0] & 0x80;
    size_t n = decimal_digits(value, is_negative, digits);
    if (is_negative)
        ICE_TRY(ice_buf_append_char(out, '-'));
    size_t point = scale > 0 && scale <= MAX_DECIMAL_BYTES ? (size_t)scale : 0;
    for (size_t i = n > point ? n : point + 1; i > 0; i--) {
        ICE_TRY(ice_buf_append_char(out, i <= n ? digits[i - 1] : '0'));
        if (point > 0 && i - 1 == point)
            ICE_TRY(ice_buf_append_char(out, '.'));
    }
    return ICE_OK;
}

static enum ice_status append_to_buf(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

static enum ice_status put_double(struct ice_buf *out, double number) {
    if (isnan(number))
        return ice_buf_append_str(out, ICE_STR("NaN"));
    if (isinf(number))
        return ice_buf_append_str(out, number < 0 ? ICE_STR("-Infinity")
                                                  : ICE_STR("Infinity"));
    struct ice_json_writer writer;
    ice_jw_init(&writer, append_to_buf, out, 0);
    ice_jw_f64(&writer, number);
    return ice_jw_finish(&writer);
}

static enum ice_status put_0x(struct ice_buf *out, struct ice_str value) {
    ICE_TRY(ice_buf_append_str(out, ICE_STR("0x")));
    return put_hex(out, value);
}

static enum ice_status put_number(const struct ice_type *type, struct ice_str value,
                                  struct ice_buf *out) {
    int64_t number = 0;
    double real = 0;
    (void)ice_value_integer(type, value, &number);
    (void)ice_value_double(type, value, &real);
    switch (type->kind) {
    case ICE_TYPE_BOOLEAN:
        return ice_buf_append_str(out, number ? ICE_STR("true") : ICE_STR("false"));
    case ICE_TYPE_DATE:
        return put_date(out, number);
    case ICE_TYPE_TIME:
        if (number < 0 || number >= INT64_C(86400000000))
            return ice_buf_printf(out, "%" PRId64 " us (no time of day)", number);
        return put_time(out, number, 1000000, 6);
    case ICE_TYPE_TIMESTAMP:
        return put_timestamp(out, number, 1000000, 6, "");
    case ICE_TYPE_TIMESTAMPTZ:
        return put_timestamp(out, number, 1000000, 6, "+00:00");
    case ICE_TYPE_TIMESTAMP_NS:
        return put_timestamp(out, number, 1000000000, 9, "");
    case ICE_TYPE_TIMESTAMPTZ_NS:
        return put_timestamp(out, number, 1000000000, 9, "+00:00");
    case ICE_TYPE_FLOAT:
    case ICE_TYPE_DOUBLE:
        return put_double(out, real);
    case ICE_TYPE_INT:
    case ICE_TYPE_LONG:
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
    return ice_buf_printf(out, "%" PRId64, number);
}

static bool is_number(enum ice_type_kind kind) {
    return kind <= ICE_TYPE_TIMESTAMPTZ_NS && kind != ICE_TYPE_DECIMAL;
}

enum ice_status ice_value_to_text(const struct ice_type *type, struct ice_str value,
                                  struct ice_buf *out) {
    if (!ice_value_length_ok(type, value.size))
        return put_0x(out, value);
    if (type->kind == ICE_TYPE_STRING)
        return ice_buf_append_str(out, value);
    if (type->kind == ICE_TYPE_UUID)
        return put_uuid(out, value);
    if (type->kind == ICE_TYPE_DECIMAL)
        return put_decimal(out, value, type->scale);
    if (is_number(type->kind))
        return put_number(type, value, out);
    return put_0x(out, value);
}

/* "0x" and the bits of a float or double, big endian */
static void write_bits(const struct ice_type *type, struct ice_str value,
                       struct ice_json_writer *out) {
    static const char digits[] = "0123456789abcdef";
    char text[2 + 16] = "0x";
    size_t n = 2;
    (void)type;
    for (size_t i = value.size; i > 0; i--) {
        unsigned char byte = (unsigned char)value.data[i - 1];
        text[n++] = digits[byte >> 4];
        text[n++] = digits[byte & 15];
    }
    ice_jw_str(out, ice_str_make(text, n));
}

static void write_text(const struct ice_type *type, struct ice_str value,
                       struct ice_json_writer *out) {
    /* a uuid or decimal is at most 16 bytes: 64 of text are enough, without an allocator
     */
    char storage[128];
    struct ice_buf text = {
        .data = storage, .capacity = sizeof(storage), .max = sizeof(storage)};
    if (ice_value_to_text(type, value, &text) < 0)
        ice_jw_hex(out, value);
    else
        ice_jw_str(out, ice_buf_str(&text));
}

void ice_value_to_json(const struct ice_type *type, struct ice_str value,
                       struct ice_json_writer *out) {
    int64_t number;
    if (!ice_value_length_ok(type, value.size)) {
        ice_jw_hex(out, value);
        return;
    }
    if (type->kind == ICE_TYPE_BOOLEAN)
        ice_jw_bool(out, value.data[0] != 0);
    else if (ice_value_integer(type, value, &number))
        ice_jw_i64(out, number);
    else if (type->kind == ICE_TYPE_FLOAT || type->kind == ICE_TYPE_DOUBLE)
        write_bits(type, value, out);
    else if (type->kind == ICE_TYPE_DECIMAL || type->kind == ICE_TYPE_UUID)
        write_text(type, value, out);
    else if (type->kind == ICE_TYPE_STRING)
        ice_jw_str(out, value);
    else
        ice_jw_hex(out, value);
}
