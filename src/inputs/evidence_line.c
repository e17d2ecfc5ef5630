/*
 * What one line of a log says. Every layout puts its own things in front of the message
 * (time, level, thread, logger), so the fixed texts of Iceberg's messages are looked for;
 * names, ids and URIs behind them are data. The texts are those of SnapshotScan,
 * LoggingMetricsReporter, BaseMetastoreOperations, BaseMetastoreCatalog and
 * SnapshotProducer; they have not changed since Iceberg 0.7, but for what is said there.
 */
#include "inputs/evidence.h"
#include "base/chars.h"

#include "base/error.h"

enum {
    TIME_BYTES = 48,
    LEVEL_WORDS = 8,
    REPORT_LINES = 16,
    REPORT_BYTES = 64 * 1024,
    REFRESH_LINES = 100
};

enum text {
    TEXT_SCAN,
    TEXT_NO_SCAN,
    TEXT_SCAN_REPORT,
    TEXT_COMMIT_REPORT,
    TEXT_REFRESH,
    TEXT_LOADED,
    TEXT_COMMITTED,
    TEXT_SUCCESSFULLY,
    TEXT_NONE,
};

static const char *const texts[TEXT_NONE] = {
    [TEXT_SCAN] = "Scanning table ",
    [TEXT_NO_SCAN] = "Scanning empty table ",
    [TEXT_SCAN_REPORT] = "ScanReport{tableName=",
    [TEXT_COMMIT_REPORT] = "CommitReport{tableName=",
    [TEXT_REFRESH] = "Refreshing table metadata from new version: ",
    [TEXT_LOADED] = "Table loaded by catalog: ",
    [TEXT_COMMITTED] = "Committed snapshot ",
    [TEXT_SUCCESSFULLY] = "Successfully committed to table ",
};

/* ---- pieces ---- */

/* The text at the front of rest, if it is there. */
static bool take(struct ice_str *rest, const char *text) {
    struct ice_str front = ice_str_from(text);
    if (!ice_str_starts(*rest, front))
        return false;
    *rest = ice_str_from_index(*rest, front.size);
    return true;
}

/* Where needle begins, at `from` or behind, or SIZE_MAX. */
static size_t find_from(struct ice_str in, size_t from, struct ice_str needle) {
    while (from < in.size) {
        size_t at = ice_str_find(ice_str_from_index(in, from), needle.data[0]);
        if (at == SIZE_MAX)
            return SIZE_MAX;
        from += at;
        if (ice_str_starts(ice_str_from_index(in, from), needle))
            return from;
        from++;
    }
    return SIZE_MAX;
}

static size_t find(struct ice_str in, struct ice_str needle) {
    return find_from(in, 0, needle);
}

/* The first of the fixed texts; *out_rest: what is behind it. */
static enum text find_text(struct ice_str line, struct ice_str *out_rest) {
    for (size_t i = 0; i < line.size; i++) {
        char c = line.data[i];
        if (c != 'S' && c != 'C' && c != 'R' && c != 'T')
            continue;
        for (int t = 0; t < TEXT_NONE; t++) {
            *out_rest = ice_str_from_index(line, i);
            if (take(out_rest, texts[t]))
                return (enum text)t;
        }
    }
    return TEXT_NONE;
}

bool ice_evidence_speaks(struct ice_str line) {
    struct ice_str rest;
    return find_text(line, &rest) != TEXT_NONE;
}

bool ice_evidence_holds_report(struct ice_str line) {
    return find(line, ICE_STR("\"report-type\"")) != SIZE_MAX;
}

bool ice_evidence_mentions(struct ice_str line) {
    static const char *const names[] = {"\"report-type\"", "\"connectorInfo\"",
                                        "\"latest_snapshot_id\"", "\"made_current_at\""};
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++) {
        if (find(line, ice_str_from(names[i])) != SIZE_MAX)
            return true;
    }
    return ice_evidence_speaks(line);
}

/* A whole number at the front, stepped over. */
static bool take_number(struct ice_str *rest, int64_t *out) {
    size_t n = rest->size > 0 && rest->data[0] == '-' ? 1 : 0;
    while (n < rest->size && ice_is_digit(rest->data[n]))
        n++;
    if (!ice_str_to_i64(ice_str_first(*rest, n), out))
        return false;
    *rest = ice_str_from_index(*rest, n);
    return true;
}

/* "NAME<between>123<after>...": the name may hold anything, also what stands between. */
static bool take_named_number(struct ice_str *rest, const char *between,
                              const char *after, struct ice_str *out_name,
                              int64_t *out_number) {
    struct ice_str needle = ice_str_from(between);
    size_t from = 1; /* no name is empty */
    for (;;) {
        from = find_from(*rest, from, needle);
        if (from == SIZE_MAX)
            return false;
        struct ice_str behind = ice_str_from_index(*rest, from + needle.size);
        if (take_number(&behind, out_number) && take(&behind, after)) {
            *out_name = ice_str_first(*rest, from);
            *rest = behind;
            return true;
        }
        from++;
    }
}

/* ---- the time in front ---- */

static bool has_digits(struct ice_str text, size_t at, size_t n) {
    if (text.size < at + n)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!ice_is_digit(text.data[at + i]))
            return false;
    }
    return true;
}

static bool has_char(struct ice_str text, size_t at, char c) {
    return at < text.size && text.data[at] == c;
}

/* Bytes of "+02:00", "-0700", "Z" at the front, or 0. */
static size_t zone_size(struct ice_str text) {
    if (has_char(text, 0, 'Z'))
        return 1;
    if (!has_char(text, 0, '+') && !has_char(text, 0, '-'))
        return 0;
    if (has_digits(text, 1, 4))
        return 5;
    return has_digits(text, 1, 2) && has_char(text, 3, ':') && has_digits(text, 4, 2) ? 6
                                                                                      : 0;
}

/*
 * 2026-05-02 09:28:27,123   2026-05-02T09:28:27.123Z   26/05/02 09:28:27   [2026-05-02
 * ... *out is that time as ISO writes it, in buffer; *rest is behind it.
 */
static bool take_time(struct ice_str *rest, char *buffer, struct ice_str *out) {
    struct ice_str text = *rest;
    (void)take(&text, "[");
    size_t year = has_digits(text, 0, 4) ? 4 : 2, n = 0;
    char between = has_char(text, year, '/') ? '/' : '-';
    if (!has_digits(text, 0, year) || (year == 2 && between == '-') ||
        !has_char(text, year, between) || !has_digits(text, year + 1, 2) ||
        !has_char(text, year + 3, between) || !has_digits(text, year + 4, 2) ||
        (!has_char(text, year + 6, ' ') && !has_char(text, year + 6, 'T')) ||
        !has_digits(text, year + 7, 2) || !has_char(text, year + 9, ':'))
        return false;
    if (year == 2) {
        buffer[n++] = '2';
        buffer[n++] = '0';
    }
    for (size_t i = 0; i < year + 7; i++)
        buffer[n++] = text.data[i] == '/' ? '-' : text.data[i];
    text = ice_str_from_index(text, year + 7);
    size_t clock = 0;
    while (clock < text.size && clock < 18 &&
           (ice_is_digit(text.data[clock]) || strchr(":.,", text.data[clock]) != NULL) &&
           text.data[clock] != '\0')
        clock++;
    clock += zone_size(ice_str_from_index(text, clock));
    memcpy(buffer + n, text.data, clock);
    *out = (struct ice_str){buffer, n + clock};
    *rest = ice_str_from_index(text, clock);
    (void)take(rest, "]");
    return true;
}

/*
 * Spark's progress bar shares the line of what is printed next:
 * "\r[Stage 0:>     (0 + 1) / 1]26/05/02 09:28:27 INFO ..."
 */
static struct ice_str without_progress(struct ice_str line) {
    size_t at = ice_str_rfind(line, '\r');
    if (at != SIZE_MAX)
        line = ice_str_from_index(line, at + 1);
    while (take(&line, " "))
        ;
    while (ice_str_starts(line, ICE_STR("[Stage "))) {
        size_t end = ice_str_find(line, ']');
        line = end == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(line, end + 1);
    }
    return line;
}

void ice_evidence_time_in_front(struct ice_evidence_log *log, struct ice_str line,
                                struct ice_evidence *out) {
    char buffer[TIME_BYTES];
    struct ice_str text;
    line = without_progress(line);
    if (take_time(&line, buffer, &text))
        ice_evidence_time(log, text, out);
}

bool ice_evidence_is_level(struct ice_str word) {
    static const char *const levels[] = {"TRACE",   "DEBUG", "INFO", "WARN",
                                         "WARNING", "ERROR", "FATAL"};
    for (size_t i = 0; i < ICE_COUNT_OF(levels); i++) {
        if (ice_str_is(word, levels[i]))
            return true;
    }
    return false;
}

/* A word, its brackets and colon taken off; a bracketed thread name may hold blanks. */
static struct ice_str take_word(struct ice_str *rest) {
    while (take(rest, " ") || take(rest, "\t"))
        ;
    bool is_bracketed = take(rest, "[");
    size_t end = 0;
    while (end < rest->size &&
           (is_bracketed ? rest->data[end] != ']'
                         : rest->data[end] != ' ' && rest->data[end] != '\t'))
        end++;
    struct ice_str word = ice_str_first(*rest, end);
    *rest = ice_str_from_index(*rest, is_bracketed ? end + 1 : end);
    if (word.size > 0 && word.data[word.size - 1] == ':')
        word.size--;
    return word;
}

bool ice_evidence_is_log_line(struct ice_str line) {
    char buffer[TIME_BYTES];
    struct ice_str time;
    line = without_progress(line);
    if (!take_time(&line, buffer, &time))
        return false;
    for (int i = 0; i < LEVEL_WORDS && line.size > 0; i++) {
        struct ice_str word = take_word(&line);
        if (ice_evidence_is_level(word))
            return true;
        /* a listing has the size there */
        if (i == 0 && word.size > 0 && has_digits(word, 0, word.size))
            return false;
    }
    return false;
}

/* ---- messages ---- */

static enum ice_status keep(struct ice_buf *out, struct ice_str text,
                            struct ice_error *err) {
    ice_buf_clear(out);
    return ice_buf_append_str(out, text) < 0 ? ice_error_memory(err) : ICE_OK;
}

/* NAME snapshot ID created at TIME with filter ... */
static enum ice_status tell_scan(struct ice_evidence_reader *reader, struct ice_str rest,
                                 struct ice_evidence *record) {
    struct ice_evidence_log *log = reader->log;
    bool has_zone;
    record->kind = ICE_EVIDENCE_SCAN;
    if (!take_named_number(&rest, " snapshot ", " created at ", &record->table,
                           &record->snapshot_id))
        return ICE_OK; /* an incremental scan, or another's text */
    record->has_snapshot_id = true;
    struct ice_str time = ice_str_first(rest, find(rest, ICE_STR(" with filter ")));
    if (!ice_time_of_text(time, &log->options, &record->created_ms, &has_zone))
        record->created_ms = INT64_MIN;
    reader->scanned_id = record->snapshot_id;
    ICE_TRY(keep(&reader->scanned, record->table, reader->err));
    return ice_evidence_tell(reader, record);
}

/* NAME, snapshotId=ID, filter=..., schemaId=N, ... */
static enum ice_status tell_report(struct ice_evidence_reader *reader,
                                   struct ice_str rest, bool is_scan,
                                   struct ice_evidence *record) {
    static const struct ice_str schema = {", schemaId=", 11};
    record->kind = is_scan ? ICE_EVIDENCE_REPORT : ICE_EVIDENCE_COMMIT;
    if (!take_named_number(&rest, ", snapshotId=", "", &record->table,
                           &record->snapshot_id))
        return ICE_OK;
    record->has_snapshot_id = true;
    size_t at = find(rest, schema);
    rest = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, at + schema.size);
    record->has_schema_id = is_scan && take_number(&rest, &record->schema_id);
    record->repeats = is_scan && record->snapshot_id == reader->scanned_id &&
                      ice_str_equal(record->table, ice_buf_str(&reader->scanned));
    return ice_evidence_tell(reader, record);
}

static enum ice_status end_report(struct ice_evidence_reader *reader) {
    struct ice_str rest = ICE_STR_NONE, text = ice_buf_str(&reader->report);
    struct ice_evidence record = reader->report_head;
    if (text.size == 0)
        return ICE_OK;
    enum text which = find_text(text, &rest);
    enum ice_status status =
        tell_report(reader, rest, which == TEXT_SCAN_REPORT, &record);
    ice_buf_clear(&reader->report);
    return status;
}

/* A report is printed in one piece, but a text inside it may have line ends. */
static enum ice_status begin_report(struct ice_evidence_reader *reader,
                                    struct ice_str line, struct ice_str rest,
                                    bool is_scan, struct ice_evidence *record) {
    size_t at = find(rest, ICE_STR(", snapshotId="));
    bool is_whole =
        at != SIZE_MAX && (!is_scan || find(rest, ICE_STR(", schemaId=")) != SIZE_MAX);
    if (is_whole || line.size > REPORT_BYTES)
        return tell_report(reader, rest, is_scan, record);
    reader->report_head = *record;
    reader->report_lines = 1;
    return keep(&reader->report, line, reader->err);
}

/* The next line of a report that goes on; *out_taken false: the report had ended. */
static enum ice_status go_on(struct ice_evidence_reader *reader, struct ice_str line,
                             bool *out_taken) {
    *out_taken = reader->report.size > 0 && !ice_evidence_is_log_line(line) &&
                 !ice_evidence_speaks(line) && reader->report_lines < REPORT_LINES &&
                 reader->report.size + line.size <= REPORT_BYTES;
    if (!*out_taken)
        return end_report(reader);
    reader->report_lines++;
    if (ice_buf_append_char(&reader->report, '\n') < 0 ||
        ice_buf_append_str(&reader->report, line) < 0)
        return ice_error_memory(reader->err);
    return find(line, ICE_STR(", schemaId=")) != SIZE_MAX ? end_report(reader) : ICE_OK;
}

/* A refresh that no table was named for. */
static enum ice_status end_refresh(struct ice_evidence_reader *reader) {
    struct ice_evidence record = reader->uri_head;
    if (reader->uri.size == 0)
        return ICE_OK;
    record.kind = ICE_EVIDENCE_REFRESH;
    record.metadata_location = ice_buf_str(&reader->uri);
    enum ice_status status = ice_evidence_tell(reader, &record);
    ice_buf_clear(&reader->uri);
    return status;
}

/* It waits for the name of its table, which the catalog prints when it has loaded it. */
static enum ice_status begin_refresh(struct ice_evidence_reader *reader,
                                     struct ice_str rest,
                                     const struct ice_evidence *record) {
    ICE_TRY(end_refresh(reader));
    reader->uri_head = *record;
    return keep(&reader->uri, rest, reader->err);
}

/*
 * "db.t.history" loaded from a file of db.t: the metadata table is loaded anew each time,
 * and then shows what a caching catalog holds of db.t. The file is not what is read.
 */
static bool is_metadata_table(struct ice_str table, struct ice_str location) {
    static const char *const names[] = {"history",          "metadata_log_entries",
                                        "snapshots",        "refs",
                                        "entries",          "files",
                                        "data_files",       "delete_files",
                                        "manifests",        "partitions",
                                        "all_files",        "all_data_files",
                                        "all_delete_files", "all_manifests",
                                        "all_entries",      "position_deletes"};
    struct ice_str last = ice_str_from_index(table, ice_str_rfind(table, '.') + 1);
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++) {
        if (!ice_str_equal_nocase(last, ice_str_from(names[i])))
            continue;
        /* a table may have such a name itself, and then mostly its directory, too */
        for (size_t at = 0; (at = find_from(location, at, last)) != SIZE_MAX; at++) {
            if (at > 0 && location.data[at - 1] == '/' &&
                ice_str_starts(ice_str_from_index(location, at + last.size),
                               ICE_STR("/metadata/")))
                return false;
        }
        return true;
    }
    return false;
}

static enum ice_status tell_loaded(struct ice_evidence_reader *reader,
                                   struct ice_str rest, struct ice_evidence *record) {
    if (record->line - reader->uri_head.line > REFRESH_LINES)
        ICE_TRY(end_refresh(reader));
    record->kind = ICE_EVIDENCE_LOADED;
    record->table = rest;
    if (!is_metadata_table(rest, ice_buf_str(&reader->uri)))
        record->metadata_location = ice_buf_str(&reader->uri);
    enum ice_status status = ice_evidence_tell(reader, record);
    ice_buf_clear(&reader->uri);
    return status;
}

static enum ice_status tell_text(struct ice_evidence_reader *reader, enum text which,
                                 struct ice_str line, struct ice_str rest,
                                 struct ice_evidence *record) {
    switch (which) {
    case TEXT_SCAN:
        return tell_scan(reader, rest, record);
    case TEXT_NO_SCAN:
        record->kind = ICE_EVIDENCE_NO_SCAN;
        record->table = rest;
        break;
    case TEXT_SCAN_REPORT:
    case TEXT_COMMIT_REPORT:
        return begin_report(reader, line, rest, which == TEXT_SCAN_REPORT, record);
    case TEXT_REFRESH:
        return begin_refresh(reader, rest, record);
    case TEXT_LOADED:
        return tell_loaded(reader, rest, record);
    case TEXT_COMMITTED: /* ID (Operation) */
        record->kind = ICE_EVIDENCE_COMMIT;
        record->has_snapshot_id = take_number(&rest, &record->snapshot_id);
        if (!record->has_snapshot_id)
            return ICE_OK;
        break;
    case TEXT_SUCCESSFULLY: { /* NAME in 382 ms */
        struct ice_str until = rest;
        int64_t ms;
        record->kind = ICE_EVIDENCE_COMMIT;
        if (!take_named_number(&until, " in ", " ms", &record->table, &ms))
            return ICE_OK;
        break;
    }
    case TEXT_NONE:
        return ICE_OK;
    }
    return ice_evidence_tell(reader, record);
}

enum ice_status ice_evidence_line(struct ice_evidence_reader *reader, struct ice_str line,
                                  const struct ice_evidence *base) {
    struct ice_evidence record = *base;
    struct ice_str rest;
    bool is_taken;
    ICE_TRY(go_on(reader, line, &is_taken));
    if (is_taken)
        return ICE_OK;
    enum text which = find_text(line, &rest);
    if (which == TEXT_NONE)
        return ICE_OK;
    if (record.time_ms == INT64_MIN)
        ice_evidence_time_in_front(reader->log, line, &record);
    return tell_text(reader, which, line, rest, &record);
}

enum ice_status ice_evidence_flush(struct ice_evidence_reader *reader) {
    return end_report(reader);
}

enum ice_status ice_evidence_end(struct ice_evidence_reader *reader) {
    ICE_TRY(end_report(reader));
    return end_refresh(reader);
}
