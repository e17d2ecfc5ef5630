/*
 * Reads of logs, gathered.
 */
#include "answer/reads.h"

#include "base/error.h"
#include "iceberg/metadata.h"
#include "source/mapping.h"

void ice_reads_init(struct ice_reads *reads, struct ice_run *run) {
    *reads = (struct ice_reads){.run = run};
    ice_arena_init(&reads->arena, &run->alloc);
}

void ice_reads_release(struct ice_reads *reads) {
    if (reads->run == NULL)
        return;
    ice_array_free(&reads->run->alloc, &reads->items, &reads->capacity,
                   sizeof(*reads->items));
    ice_arena_release(&reads->arena);
    *reads = (struct ice_reads){0};
}

/* ---- which table ---- */

static bool knows_snapshot(const struct ice_metadata *m, int64_t id) {
    if (ice_metadata_find_snapshot(m, id) != SIZE_MAX)
        return true;
    for (size_t i = 0; i < m->n_snapshot_log; i++)
        if (m->snapshot_log[i].has_what && m->snapshot_log[i].snapshot_id == id)
            return true;
    return false;
}

static bool has_file(const struct ice_target *target, struct ice_str location) {
    struct ice_str name = ice_uri_base_name(location);
    for (size_t i = 0; i < target->n_names && name.size > 0; i++)
        if (ice_str_equal(target->names[i].name, name))
            return true;
    return false;
}

bool ice_evidence_is_about(const struct ice_evidence *record,
                           const struct ice_metadata *metadata,
                           const struct ice_target *target, struct ice_str name) {
    return (record->has_snapshot_id && knows_snapshot(metadata, record->snapshot_id)) ||
           has_file(target, record->metadata_location) ||
           (record->table.size > 0 && ice_evidence_names(record->table, name));
}

bool ice_read_is_about(const struct ice_read *read, const struct ice_metadata *metadata,
                       const struct ice_target *target, struct ice_str name) {
    const struct ice_evidence record = {.kind = read->kind,
                                        .table = read->table,
                                        .metadata_location = read->metadata_location,
                                        .has_snapshot_id = read->has_snapshot_id,
                                        .snapshot_id = read->snapshot_id};
    return ice_evidence_is_about(&record, metadata, target, name);
}

/* ---- gathering ---- */

struct gathering {
    struct ice_reads *reads;
    struct ice_str source;
    size_t first; /* of this input */
    /* the newest row of a metadata table is what the session saw, wherever it stands */
    bool has_row;
    struct ice_read row;
    /* what the catalog loaded last, by table */
    struct ice_str loaded_table, loaded_from;
    struct ice_error *err;
};

static bool is_same(const struct ice_read *read, const struct ice_evidence *record) {
    bool is_none = record->kind == ICE_EVIDENCE_NO_SCAN;
    return (read->kind == ICE_EVIDENCE_NO_SCAN) == is_none &&
           read->has_snapshot_id == record->has_snapshot_id &&
           (!read->has_snapshot_id || read->snapshot_id == record->snapshot_id) &&
           ice_str_equal(read->table, record->table);
}

/* A state that is read again moves to the end. */
static struct ice_read take_out(struct gathering *g, const struct ice_evidence *record) {
    struct ice_reads *reads = g->reads;
    for (size_t i = reads->n; i-- > g->first;) {
        struct ice_read found = reads->items[i];
        if (!is_same(&found, record))
            continue;
        memmove(&reads->items[i], &reads->items[i + 1],
                (reads->n - i - 1) * sizeof(*reads->items));
        reads->n--;
        return found;
    }
    return (struct ice_read){.kind = record->kind};
}

static enum ice_status append(struct ice_reads *reads, const struct ice_read *read,
                              struct ice_error *err) {
    if (reads->n == ICE_MOST_READS) {
        memmove(reads->items, reads->items + 1,
                (ICE_MOST_READS - 1) * sizeof(*reads->items));
        reads->n--;
        reads->n_dropped++;
    }
    if (!ice_array_reserve(&reads->run->alloc, &reads->items, reads->n, &reads->capacity,
                           sizeof(*reads->items)))
        return ice_error_memory(err);
    reads->items[reads->n++] = *read;
    return ICE_OK;
}

/* Into the arena, unless it is there already. */
static enum ice_status copy(struct gathering *g, struct ice_str text,
                            struct ice_str *out) {
    if (ice_str_equal(text, *out))
        return ICE_OK;
    return ice_arena_dup(&g->reads->arena, text, out) ? ICE_OK : ice_error_memory(g->err);
}

static void set_last(struct ice_read *read, const struct ice_evidence *record) {
    read->has_snapshot_id = record->has_snapshot_id;
    read->snapshot_id = record->snapshot_id;
    read->time_ms = record->time_ms;
    read->line = record->line;
    read->n += !record->repeats;
}

static enum ice_status keep_row(struct gathering *g, const struct ice_evidence *record) {
    uint64_t n = g->row.n + 1;
    if (g->has_row && record->time_ms < g->row.time_ms) {
        g->row.n = n;
        return ICE_OK;
    }
    g->has_row = true;
    g->row.kind = ICE_EVIDENCE_SESSION;
    g->row.source = g->source;
    set_last(&g->row, record);
    g->row.n = n;
    return copy(g, record->metadata_location, &g->row.metadata_location);
}

static enum ice_status on_record(const struct ice_evidence *record, void *user) {
    struct gathering *g = user;
    if (record->kind == ICE_EVIDENCE_LOADED && record->metadata_location.size > 0) {
        ICE_TRY(copy(g, record->table, &g->loaded_table));
        return copy(g, record->metadata_location, &g->loaded_from);
    }
    if (!ice_evidence_is_read(record))
        return ICE_OK;
    if (record->kind == ICE_EVIDENCE_SESSION)
        return keep_row(g, record);
    struct ice_read read = take_out(g, record);
    set_last(&read, record);
    read.source = g->source;
    ICE_TRY(copy(g, record->table, &read.table));
    if (read.metadata_location.size == 0 && ice_str_equal(read.table, g->loaded_table))
        read.metadata_location = g->loaded_from;
    return append(g->reads, &read, g->err);
}

enum ice_status ice_reads_add(struct ice_reads *reads, const char *path,
                              const struct ice_listing_options *options,
                              const char **out_what, struct ice_error *err) {
    struct ice_evidence_log log;
    struct gathering g = {.reads = reads, .first = reads->n, .err = err};
    if (!ice_arena_dup(&reads->arena, ice_uri_base_name(ice_str_from(path)), &g.source))
        return ice_error_memory(err);
    enum ice_status status = ice_evidence_open(&log, reads->run, path, options, err);
    if (status >= 0)
        status = ice_evidence_read(&log, on_record, &g, err);
    if (status >= 0)
        *out_what = ice_evidence_what(log.format);
    if (status >= 0 && g.has_row)
        status = append(reads, &g.row, err);
    if (status >= 0 && log.n_records == 0)
        status = ice_error_set(err, ICE_EUNSUPPORTED, "source.unknown", ICE_NO_OFFSET,
                               "%s", ice_evidence_advice());
    ice_evidence_release(&log);
    return status;
}
