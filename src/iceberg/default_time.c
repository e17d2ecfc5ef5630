/*
 * ISO 8601 as java.time reads it: years of four digits, or more with a sign; a fraction
 * of up to nine digits.
 */
#include "iceberg/default_time.h"

#include <assert.h>

/* Text that is eaten from its front. */
struct rest {
    struct ice_str text;
};

static bool take_char(struct rest *r, char c) {
    if (r->text.size == 0 || r->text.data[0] != c)
        return false;
    r->text = ice_str_from_index(r->text, 1);
    return true;
}

static size_t count_digits(const struct rest *r) {
    size_t n = 0;
    while (n < r->text.size && r->text.data[n] >= '0' && r->text.data[n] <= '9')
        n++;
    return n;
}

/* n digits that are there, n <= 9 */
static int64_t take_number(struct rest *r, size_t n) {
    int64_t number = 0;
    assert(r->text.data != NULL || n == 0);
    for (size_t i = 0; i < n; i++)
        number = number * 10 + (r->text.data[i] - '0');
    r->text = ice_str_from_index(r->text, n);
    return number;
}

/* n digits, n <= 9 */
static bool take_digits(struct rest *r, size_t n, int64_t *out) {
    if (count_digits(r) < n)
        return false;
    *out = take_number(r, n);
    return true;
}

static bool take_year(struct rest *r, int64_t *out) {
    const bool minus = take_char(r, '-'), plus = !minus && take_char(r, '+');
    const size_t n = count_digits(r);
    if (n < 4 || n > 9 || (n > 4 && !minus && !plus) || (n == 4 && plus))
        return false;
    *out = take_number(r, n);
    if (minus)
        *out = -*out;
    return true;
}

static bool is_leap(int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01 in the proleptic Gregorian calendar; months count from March. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    const int64_t y = month <= 2 ? year - 1 : year;
    const int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    const int64_t from_march = month > 2 ? month - 3 : month + 9;
    const int64_t of_year = (153 * from_march + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool take_date(struct rest *r, int64_t *out_days) {
    static const int64_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, day;
    if (!take_year(r, &year) || !take_char(r, '-') || !take_digits(r, 2, &month) ||
        !take_char(r, '-') || !take_digits(r, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1)
        return false;
    int64_t length = lengths[month - 1] + (month == 2 && is_leap(year) ? 1 : 0);
    if (day > length)
        return false;
    *out_days = days_of(year, month, day);
    return true;
}

/* .123 */
static bool take_fraction(struct rest *r, size_t most, struct ice_default_time *out) {
    if (!take_char(r, '.'))
        return true;
    size_t n = count_digits(r);
    if (n > 9)
        return false;
    int64_t value = take_number(r, n);
    out->is_loose = n > most;
    for (size_t i = n; i < 9; i++)
        value *= 10;
    out->nanos += value;
    return true;
}

static bool take_time(struct rest *r, size_t most_digits, struct ice_default_time *out) {
    const int64_t second_nanos = INT64_C(1000000000);
    int64_t hour, minute, second = 0;
    if (!take_digits(r, 2, &hour) || !take_char(r, ':') || !take_digits(r, 2, &minute))
        return false;
    bool has_seconds = take_char(r, ':');
    if (has_seconds && !take_digits(r, 2, &second))
        return false;
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    out->nanos = ((hour * 60 + minute) * 60 + second) * second_nanos;
    out->is_loose = !has_seconds;
    return !has_seconds || take_fraction(r, most_digits, out);
}

static bool take_zone(struct rest *r, struct ice_default_time *out) {
    if (take_char(r, 'Z')) {
        out->is_loose = true;
        return true;
    }
    if (!ice_str_starts(r->text, ICE_STR("+00:00")))
        return false;
    r->text = ice_str_from_index(r->text, 6);
    return true;
}

/* What the type has bits for: 32 of days, 64 of microseconds or nanoseconds. */
static bool is_in_range(enum ice_type_kind kind, bool is_nanos,
                        const struct ice_default_time *time) {
    const int64_t day_nanos = INT64_C(86400000000000);
    const int64_t unit = is_nanos ? 1 : 1000, day_units = day_nanos / unit;
    if (kind == ICE_TYPE_DATE)
        return time->days >= INT32_MIN && time->days <= INT32_MAX;
    /* counted from the nearer end of the day, so that the least value fits too */
    const int64_t days = time->days < 0 ? time->days + 1 : time->days;
    const int64_t rest = time->nanos / unit - (time->days < 0 ? day_units : 0);
    if (days > INT64_MAX / day_units || days < INT64_MIN / day_units)
        return false;
    const int64_t whole = days * day_units;
    return rest < 0 ? whole >= INT64_MIN - rest : whole <= INT64_MAX - rest;
}

bool ice_default_time_parse(enum ice_type_kind kind, struct ice_str text,
                            struct ice_default_time *out) {
    struct rest r = {text};
    const bool has_zone = kind == ICE_TYPE_TIMESTAMPTZ || kind == ICE_TYPE_TIMESTAMPTZ_NS;
    const bool is_nanos =
        kind == ICE_TYPE_TIMESTAMP_NS || kind == ICE_TYPE_TIMESTAMPTZ_NS;
    *out = (struct ice_default_time){0};
    if (kind != ICE_TYPE_TIME && !take_date(&r, &out->days))
        return false;
    if (kind == ICE_TYPE_DATE)
        return r.text.size == 0 && is_in_range(kind, is_nanos, out);
    if (kind != ICE_TYPE_TIME && !take_char(&r, 'T'))
        return false;
    if (!take_time(&r, is_nanos ? 9 : 6, out) || (has_zone && !take_zone(&r, out)))
        return false;
    return r.text.size == 0 && is_in_range(kind, is_nanos, out);
}
