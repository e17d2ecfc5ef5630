/*
 * Which metadata file was current at a time.
 *
 * Four things tell, each by itself: the versions that a catalog has kept, the metadata
 * log of the current file, versions of the hint, and times of objects. A row says what
 * one of them says; where they differ, a person must judge.
 */
#include "answer/pointer_at.h"

#include "base/error.h"
#include "check/pick_snapshot.h"

#include <inttypes.h>
#include <stdio.h>

const struct ice_column ice_pointer_at_columns[] = {
    {"kind", ICE_VALUE_STR},
    {"name", ICE_VALUE_STR},
    {"at", ICE_VALUE_TIME},
    {"current", ICE_VALUE_STR},
    {"metadata_location", ICE_VALUE_STR},
    {"since", ICE_VALUE_TIME},
    {"until", ICE_VALUE_TIME},
    {"snapshot_id", ICE_VALUE_I64},
    {"evidence", ICE_VALUE_STR},
    {"source", ICE_VALUE_STR},
    {NULL, ICE_VALUE_NULL},
};

struct at {
    struct ice_row *row;
    struct ice_check *ck;
    const struct ice_pointer_verdict *verdict;
    const struct ice_listed_place *place;
    int64_t at_ms;
    struct ice_str logged; /* the file's name, by the metadata log; or empty */
    size_t n_rows;
    struct ice_error *err;
};

/* What one evidence says. Times INT64_MIN: unknown, or open. */
struct answer {
    struct ice_str location; /* as the evidence has it: a URI, or a name */
    int64_t since_ms, until_ms;
    bool has_snapshot;
    int64_t snapshot_id;
    const char *evidence;
    struct ice_str source;
};

static enum ice_status put(struct at *at, const struct answer *a) {
    struct ice_row *row = at->row;
    struct ice_str name = ice_uri_base_name(a->location);
    bool is_uri = name.size < a->location.size;
    ice_row_begin(row);
    ice_row_text(row, "pointer");
    ice_row_str_if(row, at->verdict->name.size > 0, at->verdict->name);
    ice_row_time(row, at->at_ms);
    ice_row_str_if(row, name.size > 0, name);
    ice_row_str_if(row, is_uri, a->location);
    ice_row_time_if(row, a->since_ms != INT64_MIN, a->since_ms);
    ice_row_time_if(row, a->until_ms != INT64_MIN, a->until_ms);
    ice_row_i64_if(row, a->has_snapshot, a->snapshot_id);
    ice_row_text(row, a->evidence);
    ice_row_str_if(row, a->source.size > 0, a->source);
    at->n_rows++;
    return ice_row_send(row, at->err);
}

/* ---- versions of the catalog ---- */

static enum ice_status by_catalog(struct at *at, const struct ice_catalog *catalog) {
    const struct ice_catalog_row *row = at->verdict->row;
    const struct ice_pointer *found = NULL;
    int64_t until = INT64_MIN;
    if (row == NULL)
        return ICE_OK;
    for (size_t i = row->first; i < row->first + row->n; i++) {
        const struct ice_pointer *entry = catalog->versions[i];
        if (!entry->has_time || entry->metadata_location.size == 0)
            continue;
        if (entry->time_ms > at->at_ms) {
            until = until == INT64_MIN || entry->time_ms < until ? entry->time_ms : until;
        } else if (found == NULL || entry->time_ms > found->time_ms) {
            found = entry;
        }
    }
    if (found == NULL)
        return ICE_OK;
    struct answer a = {.location = found->metadata_location,
                       .since_ms = found->time_ms,
                       .until_ms = until,
                       .has_snapshot = found->has_snapshot_id,
                       .snapshot_id = found->snapshot_id,
                       .evidence = row->n > 1
                                       ? "a version that the catalog has kept"
                                       : "the catalog's entry has not changed since",
                       .source = found->file};
    return put(at, &a);
}

/* ---- the metadata log ---- */

static enum ice_status by_log(struct at *at) {
    const struct ice_metadata *m = &at->ck->metadata;
    struct answer a = {.since_ms = INT64_MIN,
                       .until_ms = INT64_MIN,
                       .evidence = "the metadata log of the current file",
                       .source = at->ck->metadata_file};
    if (!at->verdict->is_read || !ice_metadata_has(m, ICE_META_last_updated_ms))
        return ICE_OK;
    if (m->last_updated_ms <= at->at_ms) {
        a.location = at->verdict->current;
        a.since_ms = m->last_updated_ms;
        a.evidence = "the current file is older than that";
    } else {
        a.until_ms = m->last_updated_ms;
    }
    for (size_t i = m->n_metadata_log; a.location.size == 0 && i > 0; i--) {
        const struct ice_metadata_log_entry *entry = &m->metadata_log[i - 1];
        if (!entry->has_what || !entry->has_timestamp)
            continue;
        if (entry->timestamp_ms > at->at_ms) {
            a.until_ms = entry->timestamp_ms;
        } else {
            a.location = entry->file;
            a.since_ms = entry->timestamp_ms;
        }
    }
    if (a.location.size == 0)
        return ICE_OK;
    a.has_snapshot = ice_snapshot_as_of(m, at->at_ms, &a.snapshot_id);
    at->logged = ice_uri_base_name(a.location);
    return put(at, &a);
}

/* ---- listings ---- */

static bool is_in_log(const struct at *at, struct ice_str name) {
    const struct ice_metadata *m = &at->ck->metadata;
    bool found = ice_str_equal(name, ice_uri_base_name(at->verdict->current));
    for (size_t i = 0; !found && i < m->n_metadata_log; i++)
        found = m->metadata_log[i].has_what &&
                ice_str_equal(name, ice_uri_base_name(m->metadata_log[i].file));
    return found;
}

/* A commit that did not succeed leaves a file, often of a higher number: the log knows
 * better than numbers do. */
static void prefer_logged(const struct at *at, const struct ice_listed_metadata *listed,
                          struct answer *a, char *text, size_t size) {
    char name[256];
    if (!listed->has_wanted || listed->wanted_ms == INT64_MIN ||
        ice_str_equal(listed->newest, at->logged) || is_in_log(at, listed->newest))
        return;
    a->location = at->logged;
    a->since_ms = listed->wanted_ms;
    (void)snprintf(text, size,
                   "times of objects: the file of the log was there; the log does not "
                   "know %s, which has a higher number",
                   ice_escape(name, sizeof(name), listed->newest));
    a->evidence = text;
}

static enum ice_status by_objects(struct at *at) {
    struct ice_listed_metadata listed;
    char text[512];
    struct answer a = {.until_ms = INT64_MIN,
                       .evidence = "times of objects: the newest that was there"};
    if (ice_listed_metadata_at(at->place, at->logged, at->at_ms, &listed) < 0)
        return ice_error_memory(at->err);
    if (listed.newest.size == 0 || listed.newest_ms == INT64_MIN)
        return ICE_OK;
    a.location = listed.newest;
    a.since_ms = listed.newest_ms;
    if (at->place->versions->has_local_times)
        a.evidence = "times of objects, which name no zone and were taken for UTC "
                     "(--listing-tz): the newest that was there";
    prefer_logged(at, &listed, &a, text, sizeof(text));
    return put(at, &a);
}

/* The hint's own bytes are not in a listing: it is written right behind the file that it
 * names. */
static enum ice_status by_hint(struct at *at) {
    const struct ice_object_versions *all = at->place->versions;
    const struct ice_object_version *hint = NULL;
    struct answer a = {.since_ms = INT64_MIN,
                       .until_ms = INT64_MIN,
                       .evidence =
                           "a version of version-hint.text, written behind this file"};
    for (size_t i = 0; i < all->n; i++) {
        const struct ice_object_version *version = &all->items[i];
        struct ice_str name;
        if (!ice_str_is(ice_key_name(version->key), "version-hint.text") ||
            version->time_ms == INT64_MIN)
            continue;
        enum ice_status status = ice_listed_name(at->place, version, &name);
        if (status < 0)
            return ice_error_memory(at->err);
        if (status == ICE_DONE)
            continue;
        if (version->time_ms > at->at_ms) {
            a.until_ms = a.until_ms == INT64_MIN ? version->time_ms : a.until_ms;
        } else {
            hint = version;
        }
    }
    struct ice_listed_metadata listed;
    if (hint == NULL || hint->is_deleted)
        return ICE_OK;
    if (ice_listed_metadata_at(at->place, ICE_STR_NONE, hint->time_ms, &listed) < 0)
        return ice_error_memory(at->err);
    if (listed.newest.size == 0)
        return ICE_OK;
    a.location = listed.newest;
    a.since_ms = hint->time_ms;
    a.source = hint->version_id;
    return put(at, &a);
}

enum ice_status ice_put_pointers_at(struct ice_row *row, struct ice_check *ck,
                                    const struct ice_pointer_verdict *verdict,
                                    const struct ice_catalog *catalog,
                                    const struct ice_listed_place *place, int64_t at_ms,
                                    bool *out_any, struct ice_error *err) {
    struct at at = {.row = row,
                    .ck = ck,
                    .verdict = verdict,
                    .place = place,
                    .at_ms = at_ms,
                    .err = err};
    ICE_TRY(by_catalog(&at, catalog));
    ICE_TRY(by_log(&at));
    if (place->directory.size > 0) {
        ICE_TRY(by_hint(&at));
        ICE_TRY(by_objects(&at));
    }
    *out_any = at.n_rows > 0;
    if (at.n_rows > 0)
        return ICE_OK;
    struct answer none = {.since_ms = INT64_MIN,
                          .until_ms = INT64_MIN,
                          .evidence = "nothing goes back to that time: give "
                                      "get-table-versions, a listing of versions, or "
                                      "the table's directory"};
    return put(&at, &none);
}
