/*
 * Tables whose rows are entries of manifests: files, data_files, delete_files, entries,
 * their all_ forms over every kept snapshot, and live.
 *
 * The all_ tables read each manifest once, however many snapshots list it; live repeats a
 * file for each snapshot that it is live in.
 */
#include "answer/inspect.h"

#include "answer/file_cells.h"
#include "base/error.h"
#include "json/row_value.h"

const struct ice_column ice_columns_files[] = {
    ICE_FILE_COLUMNS,
    {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_entries[] = {
    {"status", ICE_VALUE_I64},          {"snapshot_id", ICE_VALUE_I64},
    {"sequence_number", ICE_VALUE_I64}, {"file_sequence_number", ICE_VALUE_I64},
    {"data_file", ICE_VALUE_JSON},      {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_live[] = {
    {"reference_snapshot_id", ICE_VALUE_I64},
    {"snapshot_id", ICE_VALUE_I64},
    {"sequence_number", ICE_VALUE_I64},
    {"file_sequence_number", ICE_VALUE_I64},
    ICE_FILE_COLUMNS,
    {NULL, ICE_VALUE_NULL},
};

enum shape { SHAPE_FILES, SHAPE_ENTRIES, SHAPE_LIVE };
enum content { CONTENT_ALL, CONTENT_DATA, CONTENT_DELETES };

static const struct files_table {
    const char *name;
    enum shape shape;
    enum content content;
    bool is_all; /* every kept snapshot */
} files_tables[] = {
    {"entries", SHAPE_ENTRIES, CONTENT_ALL, false},
    {"files", SHAPE_FILES, CONTENT_ALL, false},
    {"data_files", SHAPE_FILES, CONTENT_DATA, false},
    {"delete_files", SHAPE_FILES, CONTENT_DELETES, false},
    {"all_data_files", SHAPE_FILES, CONTENT_DATA, true},
    {"all_delete_files", SHAPE_FILES, CONTENT_DELETES, true},
    {"all_files", SHAPE_FILES, CONTENT_ALL, true},
    {"all_entries", SHAPE_ENTRIES, CONTENT_ALL, true},
    {"live", SHAPE_LIVE, CONTENT_ALL, true},
};

struct files_query {
    struct ice_inspection *in;
    const struct files_table *table;
    struct ice_file_cells cells;
    struct ice_row file_row; /* the data_file of an entry */
    struct ice_seen seen;    /* manifests read, for the all_ tables */
    bool is_bound;           /* the cells, to the manifest that is being read */
    struct ice_error *err;
};

/* ---- rows ---------------------------------------------------------------------------
 */

/* on_row of file_row: the row as one JSON object, into the cell of the outer row. */
static enum ice_status write_object(const struct ice_column *columns,
                                    const struct ice_value *values, size_t n,
                                    void *user) {
    struct ice_json_writer *w = user;
    ice_jw_object(w);
    for (size_t i = 0; i < n; i++) {
        ice_jw_key(w, columns[i].name);
        ice_jw_value(w, &values[i]);
    }
    ice_jw_object_end(w);
    return w->status;
}

static void inherited_cells(struct ice_row *row, const struct ice_effective *e) {
    ice_row_i64_if(row, e->has_snapshot_id, e->snapshot_id);
    ice_row_i64_if(row, e->has_sequence_number, e->sequence_number);
    ice_row_i64_if(row, e->has_file_sequence_number, e->file_sequence_number);
}

static enum ice_status entry_cells(struct files_query *q,
                                   const struct ice_listed_entry *item) {
    struct ice_row *row = &q->in->row;
    bool has_status = ice_entry_has(item->manifest, item->entry, ICE_ENTRY_status);
    ice_row_i64_if(row, has_status, item->entry->status);
    inherited_cells(row, &item->effective);
    ice_row_begin(&q->file_row);
    ICE_TRY(ice_file_cells_write(&q->cells, &q->file_row, item));
    q->file_row.user = ice_row_json(row);
    ICE_TRY(ice_row_send(&q->file_row, q->err));
    ice_row_json_end(row);
    return ICE_OK;
}

static enum ice_status live_cells(struct files_query *q,
                                  const struct ice_listed_entry *item) {
    const struct ice_metadata *m = q->in->reader->metadata;
    size_t snapshot = item->listed->snapshot;
    ice_row_i64(&q->in->row, m->snapshots[snapshot].snapshot_id);
    inherited_cells(&q->in->row, &item->effective);
    return ice_file_cells_write(&q->cells, &q->in->row, item);
}

static enum ice_status write_cells(struct files_query *q,
                                   const struct ice_listed_entry *item) {
    switch (q->table->shape) {
    case SHAPE_FILES:
        return ice_file_cells_write(&q->cells, &q->in->row, item);
    case SHAPE_ENTRIES:
        return entry_cells(q, item);
    case SHAPE_LIVE:
        return live_cells(q, item);
    }
    return ICE_OK;
}

static enum ice_status on_entry(const struct ice_listed_entry *item, void *context) {
    struct files_query *q = context;
    if (!q->is_bound)
        ICE_TRY(ice_file_cells_bind(&q->cells, item->manifest, q->err));
    q->is_bound = true;
    if (q->table->shape != SHAPE_ENTRIES && item->entry->status == ICE_STATUS_DELETED)
        return ICE_OK;
    ice_row_begin(&q->in->row);
    if (write_cells(q, item) < 0)
        return ice_error_memory(q->err);
    return ice_row_send(&q->in->row, q->err);
}

/* ---- which manifests ----------------------------------------------------------------
 */

static bool is_wanted(const struct files_query *q,
                      const struct ice_listed_manifest *listed) {
    switch (q->table->content) {
    case CONTENT_ALL:
        return true;
    case CONTENT_DATA:
        return ice_listed_content(listed) == 0;
    case CONTENT_DELETES:
        return ice_listed_content(listed) != 0;
    }
    return true;
}

static enum ice_status on_manifest(const struct ice_listed_manifest *listed,
                                   void *context) {
    struct files_query *q = context;
    bool is_new = true;
    if (!is_wanted(q, listed))
        return ICE_OK;
    if (q->table->is_all && q->table->shape != SHAPE_LIVE)
        ICE_TRY(ice_seen_add(&q->seen, listed->path, &is_new, q->err));
    if (!is_new)
        return ICE_OK;
    q->is_bound = false;
    return ice_walk_manifest(q->in->reader, listed, on_entry, NULL, q, q->err);
}

static enum ice_status walk(struct files_query *q) {
    struct ice_table_reader *reader = q->in->reader;
    if (reader->target.kind == ICE_TARGET_MANIFEST) {
        struct ice_listed_manifest lone = ice_lone_manifest(reader);
        return ice_walk_manifest(reader, &lone, on_entry, NULL, q, q->err);
    }
    size_t only = SIZE_MAX;
    if (!q->table->is_all || reader->options->snapshot != NULL) {
        ICE_TRY(ice_table_reader_snapshot(reader, &only, q->err));
        if (only == SIZE_MAX)
            return ICE_OK;
        return ice_walk_snapshot(reader, only, on_manifest, NULL, q, q->err);
    }
    for (size_t i = 0; i < reader->metadata->n_snapshots; i++)
        ICE_TRY(ice_walk_snapshot(reader, i, on_manifest, NULL, q, q->err));
    return ICE_OK;
}

enum ice_status ice_inspect_files(struct ice_inspection *in, struct ice_error *err) {
    struct files_query q = {.in = in, .err = err};
    struct ice_column columns[ICE_ROW_COLUMNS + 1];
    for (size_t i = 0; i < ICE_COUNT_OF(files_tables); i++)
        if (strcmp(files_tables[i].name, in->what) == 0)
            q.table = &files_tables[i];
    ice_seen_init(&q.seen, &in->reader->run);
    ice_inspect_columns(in, ice_columns_files, columns);
    ice_row_init(&q.file_row, &in->reader->run, columns, write_object, NULL);
    enum ice_status status =
        ice_file_cells_init(&q.cells, in->reader, in->readable_bounds, err);
    if (status >= 0)
        status = walk(&q);
    ice_file_cells_release(&q.cells);
    ice_row_release(&q.file_row);
    ice_seen_release(&q.seen);
    return status;
}
