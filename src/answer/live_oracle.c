/*
 * ice_inspect_live_oracle: every snapshot's live files after inheritance, as one document
 * of the format iceberg-live-files/1, in which any reader's view of a table can be
 * compared with any other's. Nothing is kept but the faults of the snapshot at hand; a
 * list is read twice, once for its manifests and once for their entries.
 */
#include "answer/oracle_values.h"
#include "base/error.h"

#define ERRORS_MAX                                                                       \
    1000 /* of one snapshot; what is behind them adds nothing to its verdict */

struct oracle {
    struct ice_table_reader reader;
    struct ice_json_writer w;
    struct ice_buf text;
    struct ice_json_writer errors; /* array elements of the snapshot's faults, kept in */
    struct ice_buf errors_text;
    size_t n_errors;
    bool is_rejected;
    struct ice_error *err;
};

/* ---- faults -------------------------------------------------------------------------
 */

static void write_problem(struct ice_json_writer *w, const char *stage,
                          const struct ice_error *fault, struct ice_str path) {
    ice_jw_object(w);
    ice_jw_key(w, "stage");
    ice_jw_text(w, stage);
    ice_jw_key(w, "class");
    ice_jw_text(w, fault->rule != NULL ? fault->rule : ice_status_name(fault->status));
    ice_jw_key(w, "message");
    ice_jw_text(w, fault->message);
    ice_jw_key(w, "path");
    if (path.size > 0)
        ice_jw_str(w, path);
    else
        ice_jw_null(w);
    ice_jw_object_end(w);
}

static enum ice_status append_errors(const char *data, size_t size, void *user) {
    struct ice_buf *text = user;
    return ice_buf_append(text, data, size);
}

static void begin_errors(struct oracle *o) {
    ice_buf_clear(&o->errors_text);
    ice_jw_init(&o->errors, append_errors, &o->errors_text, 0);
    ice_jw_array(&o->errors);
    o->n_errors = 0;
}

static enum ice_status end_errors(struct oracle *o) {
    ice_jw_array_end(&o->errors);
    if (ice_jw_finish(&o->errors) < 0)
        return ice_error_memory(o->err);
    ice_jw_key(&o->w, "errors");
    ice_jw_raw(&o->w, ice_buf_str(&o->errors_text));
    return o->w.status;
}

static enum ice_status on_fault(const char *stage, const struct ice_error *fault,
                                struct ice_str path, void *context) {
    struct oracle *o = context;
    o->is_rejected = true;
    if (o->n_errors++ < ERRORS_MAX)
        write_problem(&o->errors, stage, fault, path);
    return ICE_OK;
}

/* ---- files --------------------------------------------------------------------------
 */

static enum ice_status write_partition(struct oracle *o,
                                       const struct ice_listed_entry *item) {
    struct ice_json_writer *w = &o->w;
    const struct ice_avro_schema *schema = item->manifest->plan.tuple;
    const struct ice_tuple *tuple = &item->entry->file.partition;
    ice_jw_key(w, "partition");
    ice_jw_object(w);
    for (size_t i = 0; schema != NULL && i < tuple->n && i < schema->n_fields; i++) {
        const struct ice_avro_field *field = &schema->fields[i];
        ice_buf_clear(&o->text);
        if (!field->id.has)
            ice_jw_key_str(w, field->name);
        else if (ice_buf_printf(&o->text, "%d", field->id.value) < 0)
            return ice_error_memory(o->err);
        else
            ice_jw_key_str(w, ice_buf_str(&o->text));
        ice_oracle_datum(w, field->type, &tuple->values[i]);
    }
    ice_jw_object_end(w);
    return ICE_OK;
}

#define HAS(member) ice_entry_has(item->manifest, item->entry, ICE_FILE_##member)

static enum ice_status write_format(struct oracle *o,
                                    const struct ice_listed_entry *item) {
    struct ice_str format = item->entry->file.file_format;
    ice_buf_clear(&o->text);
    for (size_t i = 0; i < format.size; i++) {
        char c = format.data[i];
        c = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        if (ice_buf_append_char(&o->text, c) < 0)
            return ice_error_memory(o->err);
    }
    ice_key_str(&o->w, "format", HAS(file_format), ice_buf_str(&o->text));
    return ICE_OK;
}

static void write_metrics(struct ice_json_writer *w,
                          const struct ice_listed_entry *item) {
    const struct ice_data_file *file = &item->entry->file;
    ice_key_map(w, "column_sizes", HAS(column_sizes), &file->column_sizes);
    ice_key_map(w, "value_counts", HAS(value_counts), &file->value_counts);
    ice_key_map(w, "null_value_counts", HAS(null_value_counts), &file->null_value_counts);
    ice_key_map(w, "nan_value_counts", HAS(nan_value_counts), &file->nan_value_counts);
    ice_key_hex_map(w, "lower_bounds", HAS(lower_bounds), &file->lower_bounds);
    ice_key_hex_map(w, "upper_bounds", HAS(upper_bounds), &file->upper_bounds);
    ice_key_hex(w, "key_metadata", HAS(key_metadata), file->key_metadata);
    ice_key_list(w, "split_offsets", HAS(split_offsets), &file->split_offsets);
    ice_key_list(w, "equality_ids", HAS(equality_ids), &file->equality_ids);
}

static enum ice_status on_entry(const struct ice_listed_entry *item, void *context) {
    struct oracle *o = context;
    struct ice_json_writer *w = &o->w;
    const struct ice_data_file *file = &item->entry->file;
    const struct ice_effective *e = &item->effective;
    if (item->entry->status == ICE_STATUS_DELETED)
        return ICE_OK;
    /* only where the manifest was given row ids, and only for data */
    bool has_rows = ice_listed_has(item->listed, ICE_LIST_first_row_id) &&
                    file->content == ICE_CONTENT_DATA && e->has_first_row_id;
    ice_jw_object(w);
    ice_key_str(w, "path", HAS(file_path), file->file_path);
    ice_key_i64(w, "content", true, file->content);
    ICE_TRY(write_format(o, item));
    ice_key_i64(w, "spec_id", true, item->spec_id);
    ICE_TRY(write_partition(o, item));
    ice_key_i64(w, "snapshot_id", e->has_snapshot_id, e->snapshot_id);
    ice_key_i64(w, "sequence_number", e->has_sequence_number, e->sequence_number);
    ice_key_i64(w, "file_sequence_number", e->has_file_sequence_number,
                e->file_sequence_number);
    ice_key_i64(w, "record_count", HAS(record_count), file->record_count);
    ice_key_i64(w, "file_size", HAS(file_size_in_bytes), file->file_size_in_bytes);
    ice_key_i64(w, "first_row_id", has_rows, e->first_row_id);
    write_metrics(w, item);
    ice_key_i64(w, "sort_order_id", HAS(sort_order_id), file->sort_order_id);
    ice_key_str(w, "referenced_data_file", HAS(referenced_data_file),
                file->referenced_data_file);
    ice_key_i64(w, "content_offset", HAS(content_offset), file->content_offset);
    ice_key_i64(w, "content_size", HAS(content_size_in_bytes),
                file->content_size_in_bytes);
    ice_jw_object_end(w);
    return w->status;
}

/* ---- manifests ----------------------------------------------------------------------
 */

#define LISTED(member) ice_listed_has(listed, ICE_LIST_##member)

static enum ice_status on_listed(const struct ice_listed_manifest *listed,
                                 void *context) {
    struct oracle *o = context;
    struct ice_json_writer *w = &o->w;
    const struct ice_manifest_file *m = listed->row;
    ice_jw_object(w);
    ice_key_str(w, "path", true, listed->path);
    ice_key_i64(w, "content", true, ice_listed_content(listed));
    if (m == NULL) {
        int32_t spec_id = 0;
        enum ice_status status = ice_inline_spec_id(&o->reader, listed, &spec_id, o->err);
        if (status < 0)
            return status;
        ice_key_i64(w, "spec_id", status == ICE_OK, spec_id);
        ice_key_i64(w, "sequence_number", true, 0);
        ice_key_i64(w, "added_snapshot_id", true,
                    o->reader.metadata->snapshots[listed->snapshot].snapshot_id);
        ice_jw_object_end(w);
        return w->status;
    }
    ice_key_i64(w, "length", LISTED(manifest_length), m->manifest_length);
    ice_key_i64(w, "spec_id", true, m->partition_spec_id);
    ice_key_i64(w, "sequence_number", true, m->sequence_number);
    ice_key_i64(w, "min_sequence_number", true, m->min_sequence_number);
    ice_key_i64(w, "added_snapshot_id", LISTED(added_snapshot_id), m->added_snapshot_id);
    ice_key_i64(w, "added_files_count", LISTED(added_files_count), m->added_files_count);
    ice_key_i64(w, "existing_files_count", LISTED(existing_files_count),
                m->existing_files_count);
    ice_key_i64(w, "deleted_files_count", LISTED(deleted_files_count),
                m->deleted_files_count);
    ice_key_i64(w, "added_rows_count", LISTED(added_rows_count), m->added_rows_count);
    ice_key_i64(w, "existing_rows_count", LISTED(existing_rows_count),
                m->existing_rows_count);
    ice_key_i64(w, "deleted_rows_count", LISTED(deleted_rows_count),
                m->deleted_rows_count);
    ice_key_i64(w, "first_row_id", LISTED(first_row_id), m->first_row_id);
    ice_jw_object_end(w);
    return w->status;
}

static enum ice_status on_manifest(const struct ice_listed_manifest *listed,
                                   void *context) {
    struct oracle *o = context;
    return ice_walk_manifest(&o->reader, listed, on_entry, on_fault, o, o->err);
}

/* ---- snapshots and the table --------------------------------------------------------
 */

static enum ice_status write_snapshot_head(struct oracle *o,
                                           const struct ice_snapshot *s) {
    struct ice_json_writer *w = &o->w;
    const struct ice_metadata *m = o->reader.metadata;
    struct ice_str operation = ice_snapshot_operation(m, s);
    struct ice_str list;
    if (ice_snapshot_manifest_list(m, s, &o->text, &list) < 0)
        return ice_error_memory(o->err);
    ice_key_i64(w, "snapshot_id", ice_snapshot_has(s, ICE_SNAP_snapshot_id),
                s->snapshot_id);
    ice_key_i64(w, "parent_id", ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id),
                s->parent_snapshot_id);
    ice_key_i64(w, "sequence_number", true,
                ice_snapshot_has(s, ICE_SNAP_sequence_number) ? s->sequence_number : 0);
    ice_key_i64(w, "timestamp_ms", ice_snapshot_has(s, ICE_SNAP_timestamp_ms),
                s->timestamp_ms);
    ice_key_str(w, "operation", operation.size > 0, operation);
    ice_key_i64(w, "schema_id", ice_snapshot_has(s, ICE_SNAP_schema_id), s->schema_id);
    ice_key_str(w, "manifest_list", list.size > 0, list);
    return w->status;
}

static enum ice_status write_snapshot(struct oracle *o, size_t index) {
    struct ice_json_writer *w = &o->w;
    ice_jw_object(w);
    ICE_TRY(write_snapshot_head(o, &o->reader.metadata->snapshots[index]));
    begin_errors(o);
    ice_jw_key(w, "manifests");
    ice_jw_array(w);
    /* faults of the list are told on the second reading */
    ice_trouble_fn on_trouble = o->reader.on_trouble;
    o->reader.on_trouble = NULL;
    enum ice_status status =
        ice_walk_snapshot(&o->reader, index, on_listed, NULL, o, o->err);
    o->reader.on_trouble = on_trouble;
    if (status < 0)
        return status;
    ice_jw_array_end(w);
    ice_jw_key(w, "live_files");
    ice_jw_array(w);
    ICE_TRY(ice_walk_snapshot(&o->reader, index, on_manifest, on_fault, o, o->err));
    ice_jw_array_end(w);
    ICE_TRY(end_errors(o));
    ice_jw_object_end(w);
    return w->status;
}

static void write_table(struct ice_json_writer *w, const struct ice_metadata *m) {
    ice_jw_object(w);
    ice_key_i64(w, "format_version", true, m->format_version);
    ice_key_str(w, "table_uuid", ice_metadata_has(m, ICE_META_table_uuid), m->table_uuid);
    ice_key_str(w, "location", true, m->location);
    ice_key_i64(w, "current_snapshot_id", ice_metadata_names_current(m),
                m->current_snapshot_id);
    ice_key_i64(
        w, "last_sequence_number", true,
        ice_metadata_has(m, ICE_META_last_sequence_number) ? m->last_sequence_number : 0);
    ice_key_i64(w, "next_row_id", ice_metadata_has(m, ICE_META_next_row_id),
                m->next_row_id);
    ice_jw_key(w, "refs");
    ice_jw_object(w);
    for (size_t i = 0; i < m->n_refs; i++) {
        if (!m->refs[i].has_snapshot_id)
            continue;
        ice_jw_key_str(w, m->refs[i].name);
        ice_jw_i64(w, m->refs[i].snapshot_id);
    }
    ice_jw_object_end(w);
    ice_jw_object_end(w);
}

static void write_head(struct oracle *o) {
    struct ice_json_writer *w = &o->w;
    const struct ice_check *ck = &o->reader.check;
    struct ice_str file =
        ck->metadata_file.size > 0 ? ck->metadata_file : o->reader.given;
    ice_jw_object(w);
    ice_jw_key(w, "dump");
    ice_jw_text(w, "iceberg-live-files/1");
    ice_jw_key(w, "engine");
    ice_jw_text(w, "icefsck");
    ice_jw_key(w, "engine_version");
    ice_jw_text(w, "icefsck " ICE_VERSION);
    ice_jw_key(w, "metadata_file");
    ice_jw_str(w, ice_uri_base_name(file));
}

static void write_tail(struct oracle *o) {
    ice_jw_key(&o->w, "verdict");
    ice_jw_text(&o->w, o->is_rejected ? "reject" : "accept");
    ice_jw_object_end(&o->w);
    ice_jw_newline(&o->w);
}

/* The metadata file as far as it could be read, with the fault if it was not whole. */
static enum ice_status write_document(struct oracle *o) {
    struct ice_json_writer *w = &o->w;
    const struct ice_metadata *m = o->reader.metadata;
    const struct ice_check *ck = &o->reader.check;
    size_t only = SIZE_MAX;
    if (o->reader.options->snapshot != NULL)
        ICE_TRY(ice_table_reader_snapshot(&o->reader, &only, o->err));
    write_head(o);
    ice_jw_key(w, "errors");
    ice_jw_array(w);
    if (!ck->metadata_readable) {
        o->is_rejected = true;
        write_problem(w, "metadata", &ck->metadata_fault, ck->metadata_file);
    }
    ice_jw_array_end(w);
    ice_jw_key(w, "table");
    write_table(w, m);
    ice_jw_key(w, "snapshots");
    ice_jw_array(w);
    for (size_t i = 0; i < m->n_snapshots; i++)
        if (only == SIZE_MAX || only == i)
            ICE_TRY(write_snapshot(o, i));
    ice_jw_array_end(w);
    write_tail(o);
    return ICE_OK;
}

/* A table whose metadata file says nothing is an answer too: it is rejected. */
static enum ice_status write_rejection(struct oracle *o, const struct ice_error *fault,
                                       ice_trouble_fn on_trouble, void *user) {
    struct ice_json_writer *w = &o->w;
    o->is_rejected = true;
    write_head(o);
    ice_jw_key(w, "errors");
    ice_jw_array(w);
    write_problem(w, "metadata", fault, ice_str_from(fault->file));
    ice_jw_array_end(w);
    ice_jw_key(w, "table");
    ice_jw_null(w);
    ice_jw_key(w, "snapshots");
    ice_jw_array(w);
    ice_jw_array_end(w);
    write_tail(o);
    if (on_trouble != NULL)
        on_trouble(fault, user);
    return ICE_OK;
}

enum ice_status ice_inspect_live_oracle(const char *path,
                                        const struct ice_options *options,
                                        ice_write_fn write, ice_trouble_fn on_trouble,
                                        void *user, struct ice_error *err) {
    struct oracle o = {.err = err};
    struct ice_error fault = {0};
    enum ice_status status =
        ice_table_reader_open(&o.reader, path, options, false, on_trouble, user, &fault);
    bool is_table = o.reader.target.kind == ICE_TARGET_TABLE ||
                    o.reader.target.kind == ICE_TARGET_METADATA;
    ice_buf_init(&o.text, &o.reader.run.alloc, SIZE_MAX);
    ice_buf_init(&o.errors_text, &o.reader.run.alloc, SIZE_MAX);
    ice_jw_init(&o.w, write, user, 0);
    bool is_answer =
        status >= 0 || (o.reader.check.pinned && !ice_status_is_final(status));
    if (status >= 0 && !is_table)
        status = ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                               "live needs a table: give its directory or metadata file");
    else if (status >= 0)
        status = write_document(&o);
    else if (is_answer)
        status = write_rejection(&o, &fault, on_trouble, user);
    else if (err != NULL)
        *err = fault;
    enum ice_status written = ice_jw_finish(&o.w);
    ice_buf_release(&o.errors_text);
    ice_buf_release(&o.text);
    ice_table_reader_release(&o.reader);
    return status < 0 ? status : written;
}
