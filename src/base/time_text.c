/*
 * Times as text; no call of the C library, whose answer depends on the environment.
 */
#include "base/time_text.h"

#include <inttypes.h>
#include <stdio.h>

/* Days since 1970 to a date of the proleptic Gregorian calendar, by 400-year eras. */
static void civil_from_days(int64_t days, int *year, int *month, int *day) {
    days += 719468; /* since 0000-03-01 */
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t of_era = days - era * 146097;
    int64_t y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * y + y / 4 - y / 100);
    int64_t march = (5 * of_year + 2) / 153;
    *day = (int)(of_year - (153 * march + 2) / 5 + 1);
    *month = (int)(march < 10 ? march + 3 : march - 9);
    *year = (int)(y + era * 400 + (*month <= 2 ? 1 : 0));
}

struct ice_str ice_time_text(int64_t ms, char out[ICE_TIME_SIZE]) {
    const int64_t first = INT64_C(-62167219200000), last = INT64_C(253402300799999);
    int n;
    if (ms < first || ms > last) {
        n = snprintf(out, ICE_TIME_SIZE, "%" PRId64 " ms (not a date)", ms);
    } else {
        const int64_t day_ms = 86400000;
        int64_t days = ms / day_ms - (ms % day_ms < 0 ? 1 : 0), rest = ms - days * day_ms;
        int year, month, day;
        civil_from_days(days, &year, &month, &day);
        n = snprintf(out, ICE_TIME_SIZE, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", year,
                     month, day, (int)(rest / 3600000), (int)(rest / 60000 % 60),
                     (int)(rest / 1000 % 60), (int)(rest % 1000));
    }
    return (struct ice_str){out, n < 0 ? 0 : (size_t)n};
}

const char *ice_duration_text(int64_t ms, char out[48]) {
    static const int64_t DAY = 24 * INT64_C(60); /* minutes */
    if (ms < 0)
        ms = 0;
    if (ms < 60000) {
        (void)snprintf(out, 48, "%" PRId64 " s", ms / 1000);
        return out;
    }
    int64_t minutes = ms / 60000;
    if (minutes >= 2 * DAY)
        (void)snprintf(out, 48, "%" PRId64 " d %" PRId64 " h", minutes / DAY,
                       minutes / 60 % 24);
    else if (minutes >= 60 && minutes % 60 == 0)
        (void)snprintf(out, 48, "%" PRId64 " h", minutes / 60);
    else if (minutes >= 60)
        (void)snprintf(out, 48, "%" PRId64 " h %" PRId64 " min", minutes / 60,
                       minutes % 60);
    else
        (void)snprintf(out, 48, "%" PRId64 " min", minutes);
    return out;
}
