/*
 * The older state by the reader's own word: the last read of this table in its log, or
 * the newest row of what its session saw. Reads of one state that follow one another are
 * kept as one, 80 bytes each.
 */
#include "answer/diff.h"

#include "answer/reads.h"
#include "answer/state_parts.h"
#include "base/error.h"
#include "base/time_text.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    MOST_READS = 10000, /* changes of what was read; the older half goes then */
    MOST_TRIED = 20,    /* states that are looked for in all metadata files */
};

struct collected {
    struct ice_diff *d;
    struct ice_str table;  /* the table's own name */
    struct ice_buf loaded; /* the metadata file that this table was loaded from last */
    struct ice_str other;  /* table of a read of another one */
    uint64_t n_reads;
};

/* ---- which records ---- */

static size_t file_of(const struct ice_diff *d, struct ice_str location) {
    return location.size > 0 ? ice_document_find(d->reader, ice_uri_base_name(location))
                             : SIZE_MAX;
}

static bool is_same_state(const struct ice_diff_read *a,
                          const struct ice_evidence *record) {
    return a->kind == record->kind && a->has_snapshot_id == record->has_snapshot_id &&
           a->snapshot_id == record->snapshot_id &&
           ice_str_equal(a->table, record->table) && record->kind != ICE_EVIDENCE_SESSION;
}

static enum ice_status copy_texts(struct ice_arena *arena, struct ice_diff_read *read,
                                  const struct ice_diff_read *before) {
    bool is_as_before = before != NULL && ice_str_equal(before->table, read->table) &&
                        ice_str_equal(before->location, read->location);
    if (is_as_before) {
        read->table = before->table;
        read->location = before->location;
        return ICE_OK;
    }
    return ice_arena_dup(arena, read->table, &read->table) &&
                   ice_arena_dup(arena, read->location, &read->location)
               ? ICE_OK
               : ICE_ENOMEM;
}

/* What the older half alone named goes with it. */
static enum ice_status drop_older(struct ice_diff *d) {
    struct ice_arena kept;
    size_t half = d->n_reads / 2;
    enum ice_status status = ICE_OK;
    memmove(d->reads, d->reads + half, (d->n_reads - half) * sizeof(*d->reads));
    d->n_reads -= half;
    ice_arena_init(&kept, &d->reader->run.alloc);
    for (size_t i = 0; i < d->n_reads && status >= 0; i++)
        status = copy_texts(&kept, &d->reads[i], i > 0 ? &d->reads[i - 1] : NULL);
    ice_arena_release(&d->read_texts);
    d->read_texts = kept;
    return status < 0 ? ice_error_memory(d->err) : ICE_OK;
}

static enum ice_status begin_read(struct collected *c,
                                  const struct ice_evidence *record) {
    struct ice_diff *d = c->d;
    if (d->n_reads == MOST_READS)
        ICE_TRY(drop_older(d));
    if (!ice_array_reserve(&d->reader->run.alloc, &d->reads, d->n_reads, &d->cap_reads,
                           sizeof(*d->reads)))
        return ice_error_memory(d->err);
    struct ice_diff_read *read = &d->reads[d->n_reads];
    *read = (struct ice_diff_read){.table = record->table,
                                   .location = record->metadata_location.size > 0
                                                   ? record->metadata_location
                                                   : ice_buf_str(&c->loaded),
                                   .kind = record->kind,
                                   .has_snapshot_id = record->has_snapshot_id,
                                   .snapshot_id = record->snapshot_id};
    if (copy_texts(&d->read_texts, read,
                   d->n_reads > 0 ? &d->reads[d->n_reads - 1] : NULL) < 0)
        return ice_error_memory(d->err);
    d->n_reads++;
    return ICE_OK;
}

static enum ice_status keep(struct collected *c, const struct ice_evidence *record) {
    struct ice_diff *d = c->d;
    if (d->n_reads == 0 || !is_same_state(&d->reads[d->n_reads - 1], record))
        ICE_TRY(begin_read(c, record));
    struct ice_diff_read *last = &d->reads[d->n_reads - 1];
    last->n += !record->repeats;
    last->time_ms = record->time_ms;
    last->has_zone = record->has_zone;
    last->line = record->line;
    return ICE_OK;
}

static enum ice_status keep_loaded(struct collected *c, struct ice_str location) {
    ice_buf_clear(&c->loaded);
    return ice_buf_append_str(&c->loaded, location) < 0 ? ice_error_memory(c->d->err)
                                                        : ICE_OK;
}

static enum ice_status on_record(const struct ice_evidence *record, void *user) {
    struct collected *c = user;
    bool is_ours = ice_evidence_is_about(record, c->d->reader->metadata,
                                         &c->d->reader->target, c->table);
    if (record->kind == ICE_EVIDENCE_LOADED || record->kind == ICE_EVIDENCE_REFRESH)
        return is_ours && record->metadata_location.size > 0
                   ? keep_loaded(c, record->metadata_location)
                   : ICE_OK;
    if (!ice_evidence_is_read(record))
        return ICE_OK;
    c->n_reads++;
    if (is_ours)
        return keep(c, record);
    if (c->other.size == 0 && record->table.size > 0 &&
        !ice_arena_dup(&c->d->arena, record->table, &c->other))
        return ice_error_memory(c->d->err);
    return ICE_OK;
}

/* ---- the state ---- */

static bool is_current_in(const struct ice_state *state,
                          const struct ice_diff_read *read) {
    return !read->has_snapshot_id ||
           (state->has_snapshot && state->snapshot_id == read->snapshot_id);
}

/* A state that is not here is ICE_EARG: no misuse, for the log tells of it. */
static enum ice_status pass_final(struct ice_diff *d, enum ice_status status,
                                  const struct ice_error *fault) {
    return status == ICE_EARG ? ICE_OK : ice_error_pass_final(d->err, status, fault);
}

/* The file that was loaded, where it is here and what was read is current in it. */
static enum ice_status try_file(struct ice_diff *d, const struct ice_diff_read *read,
                                bool *out_done) {
    size_t name = file_of(d, read->location);
    *out_done = false;
    if (name == SIZE_MAX)
        return ICE_OK;
    struct ice_error fault = {0};
    enum ice_status status = ice_state_open_file(&d->from, d->reader, name, &fault);
    if (status < 0)
        return pass_final(d, status, &fault);
    *out_done = is_current_in(&d->from, read);
    if (!*out_done)
        ice_state_release(&d->from);
    return ICE_OK;
}

static enum ice_status try_snapshot(struct ice_diff *d, const struct ice_diff_read *read,
                                    bool *out_done) {
    struct ice_error fault = {0};
    enum ice_status status;
    if (read->kind == ICE_EVIDENCE_NO_SCAN) {
        status = ice_state_open(&d->from, d->reader, NULL, &fault);
        d->from.has_snapshot = false;
        d->from.snapshot = SIZE_MAX;
    } else if (read->has_snapshot_id) {
        status = ice_state_open_id(&d->from, d->reader, read->snapshot_id, &fault);
    } else {
        return ICE_OK;
    }
    *out_done = status >= 0;
    return pass_final(d, status, &fault);
}

static enum ice_status say_why(struct ice_diff *d, const struct ice_diff_read *read,
                               const char *path) {
    char shown[ICE_SHOWN_SIZE], time[ICE_TIME_SIZE];
    bool has_time = read->time_ms != INT64_MIN;
    (void)ice_escape(shown, sizeof(shown), ice_uri_base_name(ice_str_from(path)));
    return ice_state_says(
        &d->from, d->err, "by line %" PRIu64 " of %s, %s%s%s", read->line, shown,
        read->kind == ICE_EVIDENCE_SESSION ? "the newest that the session saw" : "read",
        has_time ? read->kind == ICE_EVIDENCE_SESSION ? ", of " : " at " : "",
        has_time ? ice_time_text(read->time_ms, time).data : "");
}

/* The last read whose state can be found; of a session the newest row. */
static enum ice_status take_last(struct ice_diff *d, const char *path) {
    for (size_t i = d->n_reads, tried = 0; i-- > 0 && tried < MOST_TRIED; tried++) {
        bool is_done;
        ICE_TRY(try_file(d, &d->reads[i], &is_done));
        if (!is_done)
            ICE_TRY(try_snapshot(d, &d->reads[i], &is_done));
        if (!is_done)
            continue;
        d->taken = i;
        return say_why(d, &d->reads[i], path);
    }
    return ice_error_set(d->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                         "no metadata file here knows what the log says was read, last "
                         "snapshot %" PRId64,
                         d->reads[d->n_reads - 1].snapshot_id);
}

/* ---- reading ---- */

/* A session's rows come in any order: the newest is what it saw. */
static void put_newest_last(struct ice_diff *d) {
    struct ice_diff_read *last = &d->reads[d->n_reads - 1];
    for (size_t i = 0; i + 1 < d->n_reads && last->kind == ICE_EVIDENCE_SESSION; i++) {
        struct ice_diff_read kept = d->reads[i];
        if (kept.kind != ICE_EVIDENCE_SESSION || kept.time_ms <= last->time_ms)
            continue;
        d->reads[i] = *last;
        *last = kept;
    }
}

static enum ice_status refuse(const struct collected *c, uint64_t n_records) {
    char table[80], other[80];
    if (n_records == 0)
        return ice_error_set(c->d->err, ICE_EARG, NULL, ICE_NO_OFFSET, "%s",
                             ice_evidence_advice());
    (void)ice_escape(table, sizeof(table), c->table);
    if (c->n_reads == 0)
        return ice_error_set(c->d->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "it speaks of Iceberg, but of no scan of a table: let the "
                             "logger org.apache.iceberg write at INFO and run the reader "
                             "again, or give --from the metadata file that it loaded, or "
                             "the time of that");
    (void)ice_escape(other, sizeof(other), c->other);
    const char *of = c->other.size > 0 ? ", but of " : "";
    if (c->n_reads == 1)
        return ice_error_set(c->d->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "the one read in it is not of table %s%s%s", table, of,
                             other);
    return ice_error_set(c->d->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                         "none of the %" PRIu64 " reads in it is of table %s%s%s",
                         c->n_reads, table, c->other.size > 0 ? ", one is of " : "",
                         other);
}

static enum ice_status collect(struct ice_diff *d, struct ice_evidence_log *log,
                               const char *path) {
    struct collected c = {.d = d, .table = d->reader->check.table_name};
    ice_buf_init(&c.loaded, &d->reader->run.alloc, SIZE_MAX);
    enum ice_status status = ice_evidence_read(log, on_record, &c, d->err);
    if (status >= 0 && d->n_reads == 0) {
        status = refuse(&c, log->n_records);
        if (d->err != NULL)
            ice_error_set_file(d->err, ice_str_from(path));
    } else if (status >= 0) {
        put_newest_last(d);
        status = take_last(d, path);
    }
    ice_buf_release(&c.loaded);
    return status;
}

enum ice_status ice_diff_from_evidence(struct ice_diff *d, const char *path,
                                       bool *out_is_evidence) {
    const struct ice_options *options = d->reader->options;
    const struct ice_listing_options how = {.has_zone = options->has_listing_zone,
                                            .zone_minutes =
                                                options->listing_zone_minutes};
    struct ice_evidence_log log = {0};
    struct ice_error fault = {0};
    *out_is_evidence = false;
    enum ice_status status = ice_evidence_open(&log, &d->reader->run, path, &how, &fault);
    if (status >= 0) {
        *out_is_evidence = true;
        status = collect(d, &log, path);
        d->has_local_times = log.has_local_times;
    } else {
        status = status == ICE_ENOMEM ? ice_error_memory(d->err) : ICE_OK;
    }
    ice_evidence_release(&log);
    return status;
}

/* ---- rows ---- */

enum ice_status ice_diff_reads(struct ice_diff *d) {
    for (size_t i = d->n_reads; i-- > 0;) {
        const struct ice_diff_read *read = &d->reads[i];
        const char *what = read->kind == ICE_EVIDENCE_SESSION ? "row" : "read";
        ice_buf_clear(&d->text);
        if (ice_buf_printf(&d->text, "%" PRIu64 " %s%s, %sline %" PRIu64 "%s%s", read->n,
                           what, read->n == 1 ? "" : "s",
                           read->n == 1 ? "" : "the last on ", read->line,
                           i == d->taken ? ": taken for from" : "",
                           d->has_local_times && !read->has_zone && i == d->taken
                               ? "; its clock names no zone (--listing-tz)"
                               : "") < 0)
            return ice_error_memory(d->err);
        const struct ice_diff_row row = {.section = "reads",
                                         .name = read->table,
                                         .has_snapshot_id = read->has_snapshot_id,
                                         .snapshot_id = read->snapshot_id,
                                         .has_time = read->time_ms != INT64_MIN,
                                         .time_ms = read->time_ms,
                                         .file = read->location,
                                         .detail = ice_buf_str(&d->text)};
        ICE_TRY(ice_diff_put(d, &row));
    }
    return ICE_OK;
}
