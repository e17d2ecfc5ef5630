/*
 * Which snapshot --snapshot names.
 */
#include "check/pick_snapshot.h"

#include "base/error.h"
#include "base/str.h"

/* Fixed-width decimal digits at *at; steps over them. */
static bool digits(struct ice_str text, size_t *at, size_t width, int64_t *out) {
    int64_t value = 0;
    if (text.size - *at < width)
        return false;
    for (size_t i = 0; i < width; i++) {
        char c = text.data[*at + i];
        if (c < '0' || c > '9')
            return false;
        value = value * 10 + (c - '0');
    }
    *at += width;
    *out = value;
    return true;
}

static bool literal(struct ice_str text, size_t *at, char c) {
    if (*at >= text.size || text.data[*at] != c)
        return false;
    (*at)++;
    return true;
}

static int64_t days_of_month(int64_t year, int64_t month) {
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 && leap);
}

/* Days since 1970-01-01 of a date of the Gregorian calendar, years 0 to 9999. */
static int64_t days_since_epoch(int64_t year, int64_t month, int64_t day) {
    int64_t days = day - 1;
    for (int64_t m = 1; m < month; m++)
        days += days_of_month(year, m);
    int64_t before = year - 1; /* whole years before this one, from year 1 */
    days += 365 * (year - 1970);
    days +=
        (before / 4 - before / 100 + before / 400) - (1969 / 4 - 1969 / 100 + 1969 / 400);
    return days;
}

static bool parse_date(struct ice_str text, size_t *at, int64_t *out_days) {
    int64_t year, month, day;
    if (!digits(text, at, 4, &year) || !literal(text, at, '-') ||
        !digits(text, at, 2, &month) || !literal(text, at, '-') ||
        !digits(text, at, 2, &day))
        return false;
    if (year < 1 || month < 1 || month > 12 || day < 1 ||
        day > days_of_month(year, month))
        return false;
    *out_days = days_since_epoch(year, month, day);
    return true;
}

/* hh:mm[:ss[.fraction]] */
static bool parse_clock(struct ice_str text, size_t *at, int64_t *out_ms) {
    int64_t hour, minute, second = 0, ms = 0;
    if (!digits(text, at, 2, &hour) || !literal(text, at, ':') ||
        !digits(text, at, 2, &minute))
        return false;
    if (literal(text, at, ':')) {
        if (!digits(text, at, 2, &second))
            return false;
        if (literal(text, at, '.')) {
            int64_t digit, weight = 100;
            size_t start = *at;
            while (digits(text, at, 1, &digit)) {
                ms += digit * weight;
                weight /= 10;
            }
            if (*at == start)
                return false;
        }
    }
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    *out_ms = ((hour * 60 + minute) * 60 + second) * 1000 + ms;
    return true;
}

/* Z, +hh:mm, -hhmm, +hh */
static bool parse_zone(struct ice_str text, size_t *at, int64_t *out_ms) {
    *out_ms = 0;
    if (*at == text.size || literal(text, at, 'Z') || literal(text, at, 'z'))
        return true;
    bool minus = literal(text, at, '-');
    if (!minus && !literal(text, at, '+'))
        return false;
    int64_t hour, minute = 0;
    if (!digits(text, at, 2, &hour))
        return false;
    if (*at < text.size) {
        (void)literal(text, at, ':');
        if (!digits(text, at, 2, &minute))
            return false;
    }
    if (hour > 18 || minute > 59)
        return false;
    *out_ms = (hour * 60 + minute) * 60000 * (minus ? -1 : 1);
    return true;
}

bool ice_time_parse(struct ice_str text, int64_t *out_ms) {
    size_t at = 0;
    int64_t days, clock = 0, zone = 0;
    if (!parse_date(text, &at, &days))
        return false;
    if (literal(text, &at, 'T') || literal(text, &at, 't') || literal(text, &at, ' ')) {
        if (!parse_clock(text, &at, &clock) || !parse_zone(text, &at, &zone))
            return false;
    }
    if (at != text.size)
        return false;
    *out_ms = days * 86400000 + clock - zone;
    return true;
}

bool ice_snapshot_as_of(const struct ice_metadata *metadata, int64_t time_ms,
                        int64_t *out_id) {
    bool found = false;
    for (size_t i = 0; i < metadata->n_snapshot_log; i++) {
        const struct ice_log_entry *entry = &metadata->snapshot_log[i];
        if (entry->has_timestamp && entry->has_what && entry->timestamp_ms <= time_ms) {
            *out_id = entry->snapshot_id;
            found = true;
        }
    }
    return found;
}

static const struct ice_ref *find_ref(const struct ice_metadata *metadata,
                                      struct ice_str name) {
    for (size_t i = 0; i < metadata->n_refs; i++)
        if (metadata->refs[i].has_snapshot_id &&
            ice_str_equal(metadata->refs[i].name, name))
            return &metadata->refs[i];
    return NULL;
}

enum ice_status ice_pick_snapshot(const struct ice_metadata *metadata, const char *text,
                                  size_t *out_index, struct ice_error *err) {
    struct ice_str name = ice_str_from(text);
    char shown[128];
    (void)ice_escape(shown, sizeof(shown), name);
    int64_t id, time_ms;
    const struct ice_ref *ref = find_ref(metadata, name);
    if (ice_str_to_i64(name, &id)) {
        *out_index = ice_metadata_find_snapshot(metadata, id);
        if (*out_index != SIZE_MAX)
            return ICE_OK;
    }
    if (ref != NULL) {
        id = ref->snapshot_id;
    } else if (ice_str_is(name, "main") &&
               ice_metadata_has(metadata, ICE_META_current_snapshot_id)) {
        id = metadata->current_snapshot_id; /* refs may leave main out: it is the current
                                               one */
    } else if (ice_time_parse(name, &time_ms)) {
        if (!ice_snapshot_as_of(metadata, time_ms, &id))
            return ice_error_set(
                err, ICE_EARG, NULL, ICE_NO_OFFSET,
                "the snapshot log names no snapshot that was current at '%s'", shown);
    } else {
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "the table keeps no snapshot, ref or time '%s': see inspect "
                             "snapshots and inspect refs",
                             shown);
    }
    *out_index = ice_metadata_find_snapshot(metadata, id);
    if (*out_index == SIZE_MAX)
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "'%s' is snapshot %lld, which the table no longer keeps",
                             shown, (long long)id);
    return ICE_OK;
}
