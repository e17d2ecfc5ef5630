/*
 * Objects that were written later than the commits that name them: replaced in place, or
 * restored, or copied. A file is written before the commit that names it, so ten minutes
 * are no clock's fault. Statistics and logs are no part of this: they come later.
 */
#include "check/storage.h"

#include "base/time_text.h"

#include <inttypes.h>
#include <stdio.h>

static const int64_t TOLERANCE_MS = INT64_C(10) * 60 * 1000;

enum { OF_FILES, OF_METADATA, OF_NONE };

static size_t kind_of(const struct ice_storage_key *key) {
    switch ((enum ice_storage_kind)key->kind) {
    case ICE_STORED_DATA:
    case ICE_STORED_DELETES:
        return OF_FILES;
    case ICE_STORED_MANIFEST:
    case ICE_STORED_LIST:
        return OF_METADATA;
    case ICE_STORED_STATISTICS:
    case ICE_STORED_METADATA:
    case ICE_STORED_METADATA_LOG:
    case ICE_STORED_UNFOUND:
        break;
    }
    return OF_NONE;
}

/* The earliest of the commits that name it. */
static int64_t first_commit(const struct ice_check *ck, size_t at, size_t n) {
    int64_t least = INT64_MIN;
    for (size_t i = at; i < at + n; i++) {
        int64_t time = ice_storage_committed(ck, &ck->storage->keys[i]);
        if (time != INT64_MIN && (least == INT64_MIN || time < least))
            least = time;
    }
    return least;
}

enum ice_status ice_storage_see_time(struct ice_check *ck, size_t at, size_t n,
                                     const struct ice_stored_object *object) {
    struct ice_storage *s = ck->storage;
    struct ice_storage_key *key = &s->keys[at];
    size_t kind = kind_of(key);
    if (object->mtime_ms == INT64_MIN || kind == OF_NONE)
        return ICE_OK;
    int64_t committed = first_commit(ck, at, n);
    if (committed == INT64_MIN)
        return ICE_OK;
    key->flags |= ICE_STORAGE_TIMED;
    if (object->mtime_ms <= committed + TOLERANCE_MS + object->slack_ms ||
        (key->flags & ICE_STORAGE_NEWER))
        return ICE_OK;
    key->flags |= ICE_STORAGE_NEWER;
    struct ice_late *late = &s->late[kind];
    if (late->n++ > 0 && object->mtime_ms >= late->least_ms)
        return ICE_OK;
    late->least_ms = object->mtime_ms;
    if (late->n > 1)
        return ICE_OK;
    late->key = at;
    late->time_ms = object->mtime_ms;
    return ice_arena_dup(&s->arena, object->uri, &late->uri) ? ICE_OK : ICE_ENOMEM;
}

/* Files of that kind that were there before the first of the late ones was written, and
 * have kept their time. A copy or a restored table leaves next to none. */
static uint64_t count_kept(const struct ice_check *ck, size_t kind) {
    const struct ice_storage *s = ck->storage;
    uint64_t n_kept = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct ice_storage_key *key = &s->keys[i];
        if (kind_of(key) == kind && (key->flags & ICE_STORAGE_TIMED) &&
            !(key->flags & ICE_STORAGE_NEWER))
            n_kept += ice_storage_committed(ck, key) < s->late[kind].least_ms;
    }
    return n_kept;
}

/* "3 d 4 h", "2 h 5 min" */
static void put_duration(char *out, size_t size, int64_t ms) {
    int64_t minutes = ms / 60000, hours = minutes / 60, days = hours / 24;
    if (days > 0)
        (void)snprintf(out, size, "%" PRId64 " d %" PRId64 " h", days, hours % 24);
    else if (hours > 0)
        (void)snprintf(out, size, "%" PRId64 " h %" PRId64 " min", hours, minutes % 60);
    else
        (void)snprintf(out, size, "%" PRId64 " min", minutes);
}

static void report(struct ice_check *ck, enum ice_severity severity, size_t at, size_t n,
                   struct ice_str uri, int64_t time_ms, const char *more) {
    struct ice_row_place place;
    char after[64], when[ICE_TIME_SIZE];
    ice_storage_place(ck, &ck->storage->keys[at], NULL, &place);
    put_duration(after, sizeof(after), time_ms - first_commit(ck, at, n));
    FOUND_AS(ck->emit, ICE_RULE_STORAGE_FILE_NEWER, severity, &place.place,
             arg_str("path", ice_storage_name(ck, uri)),
             arg_str("written", ice_time_text(time_ms, when)), arg_text("after", after),
             arg_text("more", more));
}

static enum ice_status report_each(struct ice_check *ck,
                                   const struct ice_stored_object *object, void *user) {
    const bool *is_wanted = user;
    struct ice_storage *s = ck->storage;
    size_t n, at = ice_storage_find(s, object->hash, &n);
    /* one written twice under its name is told as that; told once, it is done */
    if (n == 0 || object->is_old || object->mtime_ms == INT64_MIN ||
        kind_of(&s->keys[at]) == OF_NONE || !is_wanted[kind_of(&s->keys[at])] ||
        (s->keys[at].flags & (ICE_STORAGE_NEWER | ICE_STORAGE_TWICE)) !=
            ICE_STORAGE_NEWER)
        return ICE_OK;
    s->keys[at].flags &= (uint8_t)~ICE_STORAGE_NEWER;
    report(ck, ICE_WARN, at, n, object->uri, object->mtime_ms, "");
    return ICE_OK;
}

enum ice_status ice_storage_report_newer(struct ice_check *ck, struct ice_error *err) {
    struct ice_storage *s = ck->storage;
    bool is_wanted[2] = {false, false};
    if (!ice_emit_is_on(ck->emit, ICE_RULE_STORAGE_FILE_NEWER))
        return ICE_OK;
    for (size_t kind = 0; kind < OF_NONE; kind++) {
        const struct ice_late *late = &s->late[kind];
        char more[128];
        if (late->n == 0)
            continue;
        is_wanted[kind] = count_kept(ck, kind) * 10 > late->n;
        if (is_wanted[kind])
            continue;
        (void)snprintf(more, sizeof(more),
                       "; so were %" PRIu64 " others: the table was copied or restored",
                       late->n - 1);
        size_t n;
        (void)ice_storage_find(s, s->keys[late->key].hash, &n);
        report(ck, ICE_INFO, late->key, n, late->uri, late->time_ms,
               late->n > 1 ? more : "");
    }
    if (!is_wanted[OF_FILES] && !is_wanted[OF_METADATA])
        return ICE_OK;
    return ice_storage_stream(ck, report_each, is_wanted, err);
}
