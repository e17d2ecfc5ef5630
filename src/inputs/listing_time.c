/*
 * Times as listings have them.
 */
#include "inputs/listing.h"
#include "base/chars.h"

/* n digits at the front. */
static bool take(struct ice_str *text, size_t n, int *out) {
    *out = 0;
    if (text->size < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!ice_is_digit(text->data[i]))
            return false;
        *out = *out * 10 + (text->data[i] - '0');
    }
    *text = ice_str_from_index(*text, n);
    return true;
}

static bool skip(struct ice_str *text, char c) {
    if (text->size == 0 || text->data[0] != c)
        return false;
    *text = ice_str_from_index(*text, 1);
    return true;
}

/* Days since 1970-01-01 of the proleptic Gregorian calendar. */
static int64_t days_of(int year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* ".250000": milliseconds */
static int fraction(struct ice_str *text) {
    int ms = 0, scale = 100;
    if (!skip(text, '.') && !skip(text, ','))
        return 0;
    while (text->size > 0 && ice_is_digit(text->data[0])) {
        ms += (text->data[0] - '0') * scale;
        scale /= 10;
        *text = ice_str_from_index(*text, 1);
    }
    return ms;
}

/* Minutes east of UTC; *out_has false: none is named. */
static bool zone(struct ice_str *text, bool *out_has, int *out_minutes) {
    int hours, minutes = 0;
    *out_has = text->size > 0;
    *out_minutes = 0;
    if (text->size == 0 || skip(text, 'Z') || skip(text, 'z'))
        return true;
    if (ice_str_is(*text, "UTC")) {
        *text = ICE_STR_NONE;
        return true;
    }
    int sign = text->data[0] == '-' ? -1 : 1;
    if ((!skip(text, '+') && !skip(text, '-')) || !take(text, 2, &hours))
        return false;
    (void)skip(text, ':');
    if (text->size > 0 && !take(text, 2, &minutes))
        return false;
    *out_minutes = sign * (hours * 60 + minutes);
    return hours <= 18 && minutes < 60;
}

/* 1795984859, 1795984859.615, 1795984859615 */
static bool epoch(struct ice_str text, int64_t *out_ms) {
    size_t dot = ice_str_find(text, '.');
    int64_t whole;
    if (!ice_str_to_i64(ice_str_first(text, dot), &whole))
        return false;
    struct ice_str rest = dot == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(text, dot);
    static const int64_t LEAST_MS = INT64_C(100000000000);
    if (whole > LEAST_MS && rest.size == 0) {
        *out_ms = whole;
        return true;
    }
    if (whole > LEAST_MS || whole < -LEAST_MS)
        return false;
    *out_ms = whole * 1000 + fraction(&rest);
    return rest.size == 0;
}

/* "Fri, 06 May 2022 07:08:09 GMT" */
static bool http_date(struct ice_str text, int64_t *out_ms) {
    const char *name = "JanFebMarAprMayJunJulAugSepOctNovDec";
    int day, month = 0, year, hour, minute, second;
    text = ice_str_from_index(text, 5);
    if (!take(&text, 2, &day) || !skip(&text, ' ') || text.size < 4)
        return false;
    for (int i = 1; i <= 12 && month == 0; i++, name += 3)
        month = memcmp(name, text.data, 3) == 0 ? i : 0;
    text = ice_str_from_index(text, 3);
    if (month == 0 || !skip(&text, ' ') || !take(&text, 4, &year) || !skip(&text, ' ') ||
        !take(&text, 2, &hour) || !skip(&text, ':') || !take(&text, 2, &minute) ||
        !skip(&text, ':') || !take(&text, 2, &second) || !ice_str_is(text, " GMT"))
        return false;
    *out_ms = (((days_of(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) *
              INT64_C(1000);
    return true;
}

bool ice_time_of_text(struct ice_str text, const struct ice_listing_options *options,
                      int64_t *out_ms, bool *out_has_zone) {
    int year, month, day, hour = 0, minute = 0, second = 0, ms = 0, minutes = 0;
    *out_has_zone = true;
    if (text.size > 5 && text.data[3] == ',' && text.data[4] == ' ')
        return http_date(text, out_ms);
    if (text.size < 5 || text.data[4] != '-')
        return epoch(text, out_ms);
    if (!take(&text, 4, &year) || !skip(&text, '-') || !take(&text, 2, &month) ||
        !skip(&text, '-') || !take(&text, 2, &day) || month < 1 || month > 12 ||
        day < 1 || day > 31)
        return false;
    if (text.size > 0 && !skip(&text, 'T') && !skip(&text, ' '))
        return false;
    if (text.size > 0) {
        if (!take(&text, 2, &hour) || !skip(&text, ':') || !take(&text, 2, &minute))
            return false;
        if (skip(&text, ':') && !take(&text, 2, &second))
            return false;
        ms = fraction(&text);
    }
    (void)skip(&text, ' ');
    if (!zone(&text, out_has_zone, &minutes) || text.size > 0)
        return false;
    if (!*out_has_zone && options->has_zone)
        minutes = options->zone_minutes;
    *out_ms = ((days_of(year, month, day) * 24 + hour) * 60 + minute - minutes) * 60000 +
              second * INT64_C(1000) + ms;
    return true;
}

bool ice_listing_time(struct ice_listing *listing, struct ice_str text, int64_t *out_ms) {
    static const struct ice_listing_options utc = {.has_zone = true};
    bool has_zone;
    if (!ice_time_of_text(text, listing->has_utc_times ? &utc : &listing->options, out_ms,
                          &has_zone))
        return false;
    if (!has_zone && !listing->has_utc_times && !listing->options.has_zone)
        listing->has_local_times = true;
    return true;
}

bool ice_listing_size(struct ice_str text, uint64_t *out) {
    int64_t size;
    if (text.size == 0 || !ice_is_digit(text.data[0]) || !ice_str_to_i64(text, &size))
        return false;
    *out = (uint64_t)size;
    return true;
}
