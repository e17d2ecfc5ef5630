/*
 * Evidence: opening, recognising, and the last read of a table.
 */
#include "inputs/evidence.h"

#include "base/error.h"
#include "inputs/identify.h"
#include "inputs/stdin.h"
#include "inputs/text_cells.h"

enum { PEEK_BYTES = 64 * 1024 };

const char *ice_evidence_what(enum ice_evidence_format format) {
    switch (format) {
    case ICE_EVIDENCE_LOG:
        return "log of a reader, line by line";
    case ICE_EVIDENCE_JSON:
        return "log, metrics report or query of a reader, as JSON";
    case ICE_EVIDENCE_ROWS:
        return "rows of a metadata table, as the reader's session saw them";
    case ICE_EVIDENCE_FORMATS:
        break;
    }
    return "unknown";
}

const char *ice_evidence_advice(void) {
    return "no line of it says which snapshot or metadata file was read: let the logger "
           "org.apache.iceberg write at INFO (log4j 2: logger.iceberg.name = "
           "org.apache.iceberg and logger.iceberg.level = info), and run the reader "
           "again";
}

bool ice_evidence_is_read(const struct ice_evidence *record) {
    switch (record->kind) {
    case ICE_EVIDENCE_SCAN:
    case ICE_EVIDENCE_REPORT:
    case ICE_EVIDENCE_NO_SCAN:
    case ICE_EVIDENCE_QUERY:
    case ICE_EVIDENCE_SESSION:
        return true;
    case ICE_EVIDENCE_REFRESH:
    case ICE_EVIDENCE_LOADED:
    case ICE_EVIDENCE_COMMIT:
        break;
    }
    return false;
}

bool ice_evidence_names(struct ice_str logged, struct ice_str table) {
    if (table.size == 0 || !ice_str_ends(logged, table))
        return false;
    if (logged.size == table.size)
        return true;
    char before = logged.data[logged.size - table.size - 1];
    return before == '.' || before == '/';
}

/* ---- recognising ---- */

/* Two lines of a log, or one of Iceberg's messages. What stands before the first (banners
 * of launchers, dependency resolution) does not count against it. */
static bool is_log(struct ice_str first) {
    size_t n = 0;
    while (first.size > 0) {
        size_t at = ice_str_find(first, '\n');
        struct ice_str line = ice_str_first(first, at);
        first = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(first, at + 1);
        if (ice_evidence_speaks(line) || ice_evidence_body(line).size > 0)
            return true;
        n += ice_evidence_is_log_line(line);
        if (n == 2)
            return true;
    }
    return false;
}

enum ice_evidence_format ice_evidence_detect(struct ice_run *run, struct ice_str first) {
    if (ice_magic_of(first) != ICE_MAGIC_NONE)
        return ICE_EVIDENCE_FORMATS;
    struct ice_str text = ice_text_trim(ice_evidence_trim(first, true));
    /* a log of text may begin with a bracket, too: "[2026-05-02 ..." */
    enum ice_evidence_format format = ICE_EVIDENCE_FORMATS;
    if (text.size > 0 && (text.data[0] == '{' || text.data[0] == '['))
        format = ice_evidence_detect_json(run, text);
    if (format == ICE_EVIDENCE_FORMATS && is_log(first))
        format = ICE_EVIDENCE_LOG;
    if (format == ICE_EVIDENCE_FORMATS && ice_evidence_is_table(run, first))
        format = ICE_EVIDENCE_ROWS;
    return format;
}

/* ---- opening ---- */

static enum ice_status open_stream(struct ice_evidence_log *log, struct ice_stream *out,
                                   struct ice_error *err) {
    struct ice_file_info info;
    enum ice_magic magic;
    return ice_open_inflated(log->source, log->key, log->run, out, &info, &magic, err);
}

static enum ice_status recognise(struct ice_evidence_log *log, struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_str first;
    const uint64_t refused = ice_alloc_refusals(&log->run->alloc);
    enum ice_status status = open_stream(log, &stream, err);
    if (status == ICE_OK)
        status = ice_stream_peek_first(&stream, PEEK_BYTES, &first, err);
    if (status == ICE_OK)
        log->format = ice_evidence_detect(log->run, first);
    if (status == ICE_OK && ice_alloc_refusals(&log->run->alloc) != refused)
        status = ice_error_memory(err);
    ice_stream_release(&stream);
    if (status == ICE_OK && log->format == ICE_EVIDENCE_FORMATS)
        status = ice_error_set(err, ICE_EUNSUPPORTED, "source.unknown", ICE_NO_OFFSET,
                               "its first 64 KiB are no log of a reader, metrics report, "
                               "Trino query or metadata table");
    return status;
}

enum ice_status ice_evidence_open(struct ice_evidence_log *log, struct ice_run *run,
                                  const char *path,
                                  const struct ice_listing_options *options,
                                  struct ice_error *err) {
    *log = (struct ice_evidence_log){.run = run, .options = *options};
    ice_arena_init(&log->arena, &run->alloc);
    enum ice_status status =
        ice_source_open_argument(&log->source, &log->key, &log->arena, run, path, err);
    if (status == ICE_OK)
        status = recognise(log, err);
    ice_error_set_file(err, ice_str_from(path));
    return status;
}

void ice_evidence_release(struct ice_evidence_log *log) {
    if (log->run == NULL)
        return;
    ice_source_free(log->source);
    ice_arena_release(&log->arena);
    *log = (struct ice_evidence_log){0};
}

/* ---- reading ---- */

void ice_evidence_time(struct ice_evidence_log *log, struct ice_str text,
                       struct ice_evidence *out) {
    int64_t ms;
    bool has_zone;
    if (!ice_time_of_text(text, &log->options, &ms, &has_zone))
        return;
    out->time_ms = ms;
    out->has_zone = has_zone;
    if (!has_zone && !log->options.has_zone)
        log->has_local_times = true;
}

enum ice_status ice_evidence_tell(struct ice_evidence_reader *reader,
                                  const struct ice_evidence *record) {
    reader->log->n_records++;
    reader->log->n_reads += ice_evidence_is_read(record);
    return reader->each(record, reader->user);
}

void ice_evidence_reader_init(struct ice_evidence_reader *reader,
                              struct ice_evidence_log *log, ice_evidence_fn each,
                              void *user, struct ice_error *err) {
    *reader =
        (struct ice_evidence_reader){.log = log, .each = each, .user = user, .err = err};
    ice_buf_init(&reader->line, &log->run->alloc, SIZE_MAX);
    ice_buf_init(&reader->report, &log->run->alloc, SIZE_MAX);
    ice_buf_init(&reader->uri, &log->run->alloc, SIZE_MAX);
    ice_buf_init(&reader->scanned, &log->run->alloc, SIZE_MAX);
}

void ice_evidence_reader_release(struct ice_evidence_reader *reader) {
    ice_buf_release(&reader->line);
    ice_buf_release(&reader->report);
    ice_buf_release(&reader->uri);
    ice_buf_release(&reader->scanned);
}

enum ice_status ice_evidence_read_stream(struct ice_evidence_log *log,
                                         struct ice_stream *stream, ice_evidence_fn each,
                                         void *user, struct ice_error *err) {
    struct ice_evidence_reader reader;
    enum ice_status status = ICE_OK;
    log->n_lines = log->n_records = log->n_reads = 0;
    ice_evidence_reader_init(&reader, log, each, user, err);
    switch (log->format) {
    case ICE_EVIDENCE_LOG:
        status = ice_evidence_read_text(&reader, stream);
        break;
    case ICE_EVIDENCE_JSON:
        status = ice_evidence_read_documents(&reader, stream);
        break;
    case ICE_EVIDENCE_ROWS:
        status = ice_evidence_read_rows(&reader, stream);
        break;
    case ICE_EVIDENCE_FORMATS:
        break;
    }
    ice_evidence_reader_release(&reader);
    return status == ICE_DONE ? ICE_OK : status;
}

enum ice_status ice_evidence_read(struct ice_evidence_log *log, ice_evidence_fn each,
                                  void *user, struct ice_error *err) {
    struct ice_stream stream = {0};
    enum ice_status status = open_stream(log, &stream, err);
    if (status == ICE_OK)
        status = ice_evidence_read_stream(log, &stream, each, user, err);
    ice_stream_release(&stream);
    return status;
}

/* ---- the last read ---- */

struct last {
    ice_evidence_match_fn is_of;
    void *user;
    bool is_found;
    struct ice_evidence record;
    struct ice_buf table, location;
};

static enum ice_status keep_last(const struct ice_evidence *record, void *user) {
    struct last *last = user;
    if (!ice_evidence_is_read(record) || !last->is_of(record, last->user))
        return ICE_OK;
    if (last->is_found && record->kind == ICE_EVIDENCE_SESSION &&
        record->time_ms < last->record.time_ms)
        return ICE_OK; /* rows of a metadata table, newest first */
    last->is_found = true;
    last->record = *record;
    ice_buf_clear(&last->table);
    ice_buf_clear(&last->location);
    ICE_TRY(ice_buf_append_str(&last->table, record->table));
    return ice_buf_append_str(&last->location, record->metadata_location);
}

enum ice_status ice_evidence_last(struct ice_evidence_log *log,
                                  ice_evidence_match_fn is_of, void *user,
                                  struct ice_evidence *out, struct ice_error *err) {
    struct last last = {.is_of = is_of, .user = user};
    ice_buf_init(&last.table, &log->run->alloc, SIZE_MAX);
    ice_buf_init(&last.location, &log->run->alloc, SIZE_MAX);
    enum ice_status status = ice_evidence_read(log, keep_last, &last, err);
    if (status == ICE_OK && !last.is_found)
        status = ICE_DONE;
    if (status == ICE_OK) {
        *out = last.record;
        if (!ice_arena_dup(&log->arena, ice_buf_str(&last.table), &out->table) ||
            !ice_arena_dup(&log->arena, ice_buf_str(&last.location),
                           &out->metadata_location))
            status = ice_error_memory(err);
    }
    ice_buf_release(&last.table);
    ice_buf_release(&last.location);
    return status;
}
