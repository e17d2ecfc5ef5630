/*
 * Rows of the metadata tables metadata_log_entries and history, as the session of the
 * reader printed them: CSV, TSV, or drawn with pipes as show() does.
 */
#include "inputs/evidence.h"

#include "inputs/text_cells.h"

enum { HEADER_LINES = 8 };

enum column { COLUMN_TIME, COLUMN_FILE, COLUMN_SNAPSHOT, COLUMN_COUNT };

static const struct {
    const char *name;
    enum column column;
} names[] = {
    {"timestamp", COLUMN_TIME},
    {"file", COLUMN_FILE},
    {"latest_snapshot_id", COLUMN_SNAPSHOT},
    {"made_current_at", COLUMN_TIME},
    {"snapshot_id", COLUMN_SNAPSHOT},
};

struct layout {
    size_t at[COLUMN_COUNT]; /* SIZE_MAX: not there */
};

static bool read_header(const struct ice_text_cells *cells, struct layout *out) {
    bool has_latest = false, has_current = false;
    for (size_t i = 0; i < COLUMN_COUNT; i++)
        out->at[i] = SIZE_MAX;
    for (size_t i = 0; i < cells->n; i++) {
        has_latest = has_latest || ice_str_is(cells->items[i], "latest_snapshot_id");
        has_current = has_current || ice_str_is(cells->items[i], "made_current_at");
        for (size_t k = 0; k < ICE_COUNT_OF(names); k++) {
            if (ice_str_is(cells->items[i], names[k].name))
                out->at[names[k].column] = i;
        }
    }
    return out->at[COLUMN_TIME] != SIZE_MAX && out->at[COLUMN_SNAPSHOT] != SIZE_MAX &&
           (has_current || (has_latest && out->at[COLUMN_FILE] != SIZE_MAX));
}

/* "+-----+----+" */
static bool is_rule(struct ice_str line) {
    return ice_str_starts(line, ICE_STR("+-"));
}

bool ice_evidence_is_table(struct ice_run *run, struct ice_str first) {
    struct ice_text_cells cells;
    struct layout layout;
    struct ice_buf unquoted;
    bool is_one = false;
    ice_buf_init(&unquoted, &run->alloc, SIZE_MAX);
    for (int i = 0; i < HEADER_LINES && first.size > 0; i++) {
        size_t at = ice_str_find(first, '\n');
        struct ice_str line = ice_evidence_trim(ice_str_first(first, at), i == 0);
        first = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(first, at + 1);
        if (line.size == 0 || is_rule(line))
            continue;
        is_one = ice_text_cells_split(&cells, line, &unquoted, NULL) == ICE_OK &&
                 read_header(&cells, &layout);
        break;
    }
    ice_buf_release(&unquoted);
    return is_one;
}

static struct ice_str cell_at(const struct ice_text_cells *cells, size_t at) {
    struct ice_str cell = at < cells->n ? cells->items[at] : ICE_STR_NONE;
    bool is_null = ice_str_equal_nocase(cell, ICE_STR("null")) || ice_str_is(cell, "\\N");
    return is_null ? ICE_STR_NONE : cell;
}

static enum ice_status tell_row(struct ice_evidence_reader *reader,
                                const struct layout *layout,
                                const struct ice_text_cells *cells) {
    struct ice_evidence_log *log = reader->log;
    struct ice_evidence record = {.kind = ICE_EVIDENCE_SESSION,
                                  .line = log->n_lines,
                                  .time_ms = INT64_MIN,
                                  .created_ms = INT64_MIN};
    struct ice_str time = cell_at(cells, layout->at[COLUMN_TIME]);
    record.metadata_location = cell_at(cells, layout->at[COLUMN_FILE]);
    record.has_snapshot_id =
        ice_str_to_i64(cell_at(cells, layout->at[COLUMN_SNAPSHOT]), &record.snapshot_id);
    if (ice_str_ends(record.metadata_location, ICE_STR("..."))) /* show() cut it */
        record.metadata_location = ICE_STR_NONE;
    if (!record.has_snapshot_id && record.metadata_location.size == 0)
        return ICE_OK;
    ice_evidence_time(log, time, &record);
    return ice_evidence_tell(reader, &record);
}

enum ice_status ice_evidence_read_rows(struct ice_evidence_reader *reader,
                                       struct ice_stream *stream) {
    struct ice_text_cells cells;
    struct layout layout;
    struct ice_buf unquoted;
    bool has_header = false;
    enum ice_status status = ICE_OK;
    ice_buf_init(&unquoted, &reader->log->run->alloc, SIZE_MAX);
    while (status == ICE_OK) {
        struct ice_str line;
        status = ice_evidence_next_line(reader, stream, &line);
        if (status != ICE_OK || line.size == 0 || is_rule(line))
            continue;
        status = ice_text_cells_split(&cells, line, &unquoted, reader->err);
        if (status == ICE_OK && has_header)
            status = tell_row(reader, &layout, &cells);
        else if (status == ICE_OK)
            has_header = read_header(&cells, &layout);
    }
    ice_buf_release(&unquoted);
    return status;
}
