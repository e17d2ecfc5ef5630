/*
 * A read as a row of pointers: what was read, and how far it is from what is current. A
 * reader is no catalog: nothing is found wrong with it.
 */
#include "answer/pointer_reads.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

/* Commits from the current snapshot back to one; false: it is no ancestor that is known.
 */
static bool commits_behind(const struct ice_metadata *m, int64_t id, size_t *out) {
    int64_t at = m->current_snapshot_id;
    for (*out = 0; *out <= m->n_snapshots; (*out)++) {
        if (at == id)
            return true;
        size_t index = ice_metadata_find_snapshot(m, at);
        if (index == SIZE_MAX ||
            !ice_snapshot_has(&m->snapshots[index], ICE_SNAP_parent_snapshot_id))
            return false;
        at = m->snapshots[index].parent_snapshot_id;
    }
    return false;
}

/* The metadata file that was read is another than the current one. */
static bool is_other_file(const struct ice_read *read, struct ice_str current) {
    return read->metadata_location.size > 0 &&
           !ice_str_equal(ice_uri_base_name(read->metadata_location), current);
}

/* State, and commits behind, of what was read. */
static void judge(const struct ice_check *ck, const struct ice_read *read,
                  struct ice_pointer_verdict *out) {
    const struct ice_metadata *m = &ck->metadata;
    bool is_current;
    if (read->kind == ICE_EVIDENCE_NO_SCAN)
        is_current = !ice_metadata_has_current(m);
    else if (read->has_snapshot_id)
        is_current =
            ice_metadata_has_current(m) && read->snapshot_id == m->current_snapshot_id;
    else
        is_current = !is_other_file(read, ice_uri_base_name(ck->metadata_file));
    out->state = is_current ? ICE_STATE_CURRENT : ICE_STATE_STALE;
    if (is_current || !read->has_snapshot_id ||
        !commits_behind(m, read->snapshot_id, &out->n_newer))
        out->n_newer = 0;
}

static void explain(const struct ice_read *read, const struct ice_pointer_verdict *of,
                    char *out, size_t size) {
    char source[64], state[64] = "that is not current";
    (void)ice_escape(source, sizeof(source), read->source);
    if (of->state == ICE_STATE_CURRENT)
        (void)snprintf(state, sizeof(state), "that is current");
    else if (of->n_newer > 0)
        (void)snprintf(state, sizeof(state), "that is %zu commit%s behind", of->n_newer,
                       of->n_newer == 1 ? "" : "s");
    (void)snprintf(
        out, size, "line %" PRIu64 " of %s%s a state %s%s%s", read->line, source,
        read->kind == ICE_EVIDENCE_SESSION ? ", the newest row there, is of" : " read",
        state, of->state == ICE_STATE_STALE ? ": see icefsck diff --from " : "",
        of->state == ICE_STATE_STALE ? source : "");
}

/* catalog.namespace.table, as engines print it: the last part is the table. */
static struct ice_pointer entry_of(const struct ice_read *read) {
    struct ice_pointer entry = {.file = read->source,
                                .table = read->table,
                                .metadata_location = read->metadata_location,
                                .version = -1,
                                .has_time = read->time_ms != INT64_MIN,
                                .time_ms = read->time_ms,
                                .has_snapshot_id = read->has_snapshot_id,
                                .snapshot_id = read->snapshot_id};
    size_t dot = ice_str_rfind(read->table, '.');
    bool is_path = ice_str_find(read->table, '/') != SIZE_MAX;
    if (dot == SIZE_MAX || dot + 1 == read->table.size || is_path)
        return entry;
    entry.table = ice_str_from_index(read->table, dot + 1);
    entry.space = ice_str_first(read->table, dot);
    return entry;
}

static enum ice_status put(struct ice_row *row, struct ice_check *ck,
                           struct ice_read *read, struct ice_pointer_verdict *verdict,
                           struct ice_error *err) {
    const struct ice_pointer entry = entry_of(read);
    const struct ice_catalog_row entry_row = {.entry = &entry, .name = verdict->name};
    verdict->row = &entry_row;
    verdict->current = read->metadata_location;
    read->is_told = true;
    enum ice_status status = ice_put_pointer(row, ck, verdict, err);
    verdict->row = NULL;
    return status;
}

enum ice_status ice_put_reads(struct ice_row *row, struct ice_check *ck,
                              const struct ice_pointer_verdict *verdict,
                              struct ice_reads *reads, struct ice_error *err) {
    if (!ck->metadata_readable)
        return ICE_OK;
    for (size_t i = 0; i < reads->n; i++) {
        struct ice_read *read = &reads->items[i];
        char words[320];
        struct ice_pointer_verdict of = {.name = verdict->name,
                                         .newest = verdict->newest};
        if (read->is_told ||
            !ice_read_is_about(read, &ck->metadata, ck->target, verdict->name))
            continue;
        judge(ck, read, &of);
        explain(read, &of, words, sizeof(words));
        of.why = ice_str_from(words);
        ICE_TRY(put(row, ck, read, &of, err));
    }
    return ICE_OK;
}

enum ice_status ice_put_other_reads(struct ice_row *row, struct ice_check *ck,
                                    struct ice_reads *reads, struct ice_error *err) {
    for (size_t i = 0; i < reads->n; i++) {
        struct ice_read *read = &reads->items[i];
        if (read->is_told)
            continue;
        struct ice_pointer_verdict of = {
            .name = read->table,
            .why = ICE_STR("no table that is given has this name, file or snapshot")};
        ICE_TRY(put(row, ck, read, &of, err));
    }
    return ICE_OK;
}
