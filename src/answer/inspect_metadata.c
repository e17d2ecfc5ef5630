/*
 * Tables that stand in metadata.json alone: history, metadata_log_entries, snapshots,
 * refs, properties, statistics.
 */
#include "answer/inspect.h"

#include "base/error.h"
#include "check/pick_snapshot.h"

const struct ice_column ice_columns_history[] = {
    {"made_current_at", ICE_VALUE_TIME},
    {"snapshot_id", ICE_VALUE_I64},
    {"parent_id", ICE_VALUE_I64},
    {"is_current_ancestor", ICE_VALUE_BOOL},
    {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_metadata_log[] = {
    {"timestamp", ICE_VALUE_TIME},
    {"file", ICE_VALUE_STR},
    {"latest_snapshot_id", ICE_VALUE_I64},
    {"latest_schema_id", ICE_VALUE_I64},
    {"latest_sequence_number", ICE_VALUE_I64},
    {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_snapshots[] = {
    {"committed_at", ICE_VALUE_TIME}, {"snapshot_id", ICE_VALUE_I64},
    {"parent_id", ICE_VALUE_I64},     {"operation", ICE_VALUE_STR},
    {"manifest_list", ICE_VALUE_STR}, {"summary", ICE_VALUE_JSON},
    {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_refs[] = {
    {"name", ICE_VALUE_STR},
    {"type", ICE_VALUE_STR},
    {"snapshot_id", ICE_VALUE_I64},
    {"max_reference_age_in_ms", ICE_VALUE_I64},
    {"min_snapshots_to_keep", ICE_VALUE_I64},
    {"max_snapshot_age_in_ms", ICE_VALUE_I64},
    {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_properties[] = {
    {"key", ICE_VALUE_STR},
    {"value", ICE_VALUE_STR},
    {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_statistics[] = {
    {"kind", ICE_VALUE_STR},
    {"snapshot_id", ICE_VALUE_I64},
    {"path", ICE_VALUE_STR},
    {"file_size_in_bytes", ICE_VALUE_I64},
    {"file_footer_size_in_bytes", ICE_VALUE_I64},
    {"blob_metadata", ICE_VALUE_JSON},
    {NULL, ICE_VALUE_NULL},
};

/* ---- history ------------------------------------------------------------------------
 */

/* Marks the current snapshot and its ancestors; a loop of parents ends the walk. */
static void mark_ancestors(const struct ice_metadata *m, bool *is_ancestor) {
    if (!ice_metadata_has(m, ICE_META_current_snapshot_id))
        return;
    size_t at = ice_metadata_find_snapshot(m, m->current_snapshot_id);
    while (at != SIZE_MAX && !is_ancestor[at]) {
        is_ancestor[at] = true;
        const struct ice_snapshot *s = &m->snapshots[at];
        at = ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id)
                 ? ice_metadata_find_snapshot(m, s->parent_snapshot_id)
                 : SIZE_MAX;
    }
}

static enum ice_status history_row(struct ice_inspection *in, const bool *is_ancestor,
                                   const struct ice_log_entry *entry,
                                   struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    size_t at =
        entry->has_what ? ice_metadata_find_snapshot(m, entry->snapshot_id) : SIZE_MAX;
    const struct ice_snapshot *s = at == SIZE_MAX ? NULL : &m->snapshots[at];
    bool has_parent = s != NULL && ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id);
    ice_row_begin(&in->row);
    ice_row_time_if(&in->row, entry->has_timestamp, entry->timestamp_ms);
    ice_row_i64_if(&in->row, entry->has_what, entry->snapshot_id);
    ice_row_i64_if(&in->row, has_parent, has_parent ? s->parent_snapshot_id : 0);
    ice_row_bool(&in->row, s != NULL && is_ancestor[at]);
    return ice_row_send(&in->row, err);
}

enum ice_status ice_inspect_history(struct ice_inspection *in, struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    struct ice_arena arena;
    ice_arena_init(&arena, &in->reader->run.alloc);
    enum ice_status status = ICE_OK;
    bool *is_ancestor = ice_arena_array(&arena, m->n_snapshots, sizeof(*is_ancestor));
    if (is_ancestor == NULL)
        status = ice_error_memory(err);
    else
        mark_ancestors(m, is_ancestor);
    for (size_t i = 0; status == ICE_OK && i < m->n_snapshot_log; i++)
        status = history_row(in, is_ancestor, &m->snapshot_log[i], err);
    ice_arena_release(&arena);
    return status;
}

/* ---- metadata_log_entries -----------------------------------------------------------
 */

static enum ice_status log_row(struct ice_inspection *in, bool has_time, int64_t time_ms,
                               bool has_file, struct ice_str file,
                               struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    int64_t id = 0;
    bool has_id = has_time && ice_snapshot_as_of(m, time_ms, &id);
    size_t at = has_id ? ice_metadata_find_snapshot(m, id) : SIZE_MAX;
    const struct ice_snapshot *s = at == SIZE_MAX ? NULL : &m->snapshots[at];
    bool has_schema = s != NULL && ice_snapshot_has(s, ICE_SNAP_schema_id);
    ice_row_begin(&in->row);
    ice_row_time_if(&in->row, has_time, time_ms);
    ice_row_str_if(&in->row, has_file, file);
    ice_row_i64_if(&in->row, has_id, id);
    ice_row_i64_if(&in->row, has_schema, has_schema ? s->schema_id : 0);
    ice_row_i64_if(&in->row, s != NULL, s != NULL ? s->sequence_number : 0);
    return ice_row_send(&in->row, err);
}

/* The log does not name the file that holds it: its URI is made from the location. */
static enum ice_status current_file(struct ice_inspection *in, struct ice_buf *uri,
                                    struct ice_error *err) {
    const struct ice_check *ck = &in->reader->check;
    struct ice_str root = in->reader->metadata->location;
    while (root.size > 0 && root.data[root.size - 1] == '/')
        root.size--;
    bool is_whole = ice_uri_scheme(ck->metadata_file) > 0 ||
                    (ck->metadata_file.size > 0 && ck->metadata_file.data[0] == '/');
    if (!is_whole && root.size > 0 &&
        (ice_buf_append_str(uri, root) < 0 || ice_buf_append_char(uri, '/') < 0))
        return ice_error_memory(err);
    if (ice_buf_append_str(uri, ck->metadata_file) < 0)
        return ice_error_memory(err);
    return ICE_OK;
}

enum ice_status ice_inspect_metadata_log(struct ice_inspection *in,
                                         struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    for (size_t i = 0; i < m->n_metadata_log; i++) {
        const struct ice_metadata_log_entry *entry = &m->metadata_log[i];
        ICE_TRY(log_row(in, entry->has_timestamp, entry->timestamp_ms, entry->has_what,
                        entry->file, err));
    }
    struct ice_buf uri;
    ice_buf_init(&uri, &in->reader->run.alloc, SIZE_MAX);
    enum ice_status status = current_file(in, &uri, err);
    if (status >= 0)
        status = log_row(in, ice_metadata_has(m, ICE_META_last_updated_ms),
                         m->last_updated_ms, true, ice_buf_str(&uri), err);
    ice_buf_release(&uri);
    return status;
}

/* ---- snapshots, refs ----------------------------------------------------------------
 */

/* operation stands in a column of its own. */
static void write_summary(const struct ice_metadata *m, const struct ice_snapshot *s,
                          struct ice_json_writer *w) {
    struct ice_str key, value;
    ice_jw_object(w);
    for (size_t i = 0; ice_snapshot_summary(m, s, i, &key, &value); i++) {
        if (ice_str_is(key, "operation"))
            continue;
        ice_jw_key_str(w, key);
        ice_jw_str(w, value);
    }
    ice_jw_object_end(w);
}

static enum ice_status snapshot_row(struct ice_inspection *in,
                                    const struct ice_snapshot *s, struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    struct ice_row *row = &in->row;
    struct ice_str list;
    struct ice_str operation = ice_snapshot_operation(m, s);
    if (ice_snapshot_manifest_list(m, s, &in->reader->path, &list) < 0)
        return ice_error_memory(err);
    ice_row_begin(row);
    ice_row_time_if(row, ice_snapshot_has(s, ICE_SNAP_timestamp_ms), s->timestamp_ms);
    ice_row_i64_if(row, ice_snapshot_has(s, ICE_SNAP_snapshot_id), s->snapshot_id);
    ice_row_i64_if(row, ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id),
                   s->parent_snapshot_id);
    ice_row_str_if(row, operation.size > 0, operation);
    ice_row_str_if(row, list.size > 0, list);
    if (ice_snapshot_has(s, ICE_SNAP_summary)) {
        write_summary(m, s, ice_row_json(row));
        ice_row_json_end(row);
    } else {
        ice_row_null(row);
    }
    return ice_row_send(row, err);
}

enum ice_status ice_inspect_snapshots(struct ice_inspection *in, struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    for (size_t i = 0; i < m->n_snapshots; i++)
        ICE_TRY(snapshot_row(in, &m->snapshots[i], err));
    return ICE_OK;
}

/* Types are shown in upper case, as Iceberg names them. */
static struct ice_str ref_type(const struct ice_ref *ref) {
    if (ice_str_equal_nocase(ref->type, ICE_STR("branch")))
        return ICE_STR("BRANCH");
    if (ice_str_equal_nocase(ref->type, ICE_STR("tag")))
        return ICE_STR("TAG");
    return ref->type;
}

static enum ice_status ref_row(struct ice_inspection *in, const struct ice_ref *ref,
                               struct ice_error *err) {
    struct ice_row *row = &in->row;
    ice_row_begin(row);
    ice_row_str(row, ref->name);
    ice_row_str_if(row, ref->has_type, ref_type(ref));
    ice_row_i64_if(row, ref->has_snapshot_id, ref->snapshot_id);
    ice_row_i64_if(row, ref->has_max_ref_age, ref->max_ref_age_ms);
    ice_row_i64_if(row, ref->has_min_snapshots, ref->min_snapshots_to_keep);
    ice_row_i64_if(row, ref->has_max_snapshot_age, ref->max_snapshot_age_ms);
    return ice_row_send(row, err);
}

enum ice_status ice_inspect_refs(struct ice_inspection *in, struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    for (size_t i = 0; i < m->n_refs; i++)
        ICE_TRY(ref_row(in, &m->refs[i], err));
    /* Readers take the current snapshot for main where refs leave it out. */
    if (!ice_metadata_names_current(m) ||
        ice_metadata_find_ref(m, ICE_STR("main")) != NULL)
        return ICE_OK;
    const struct ice_ref implied = {.name = ICE_STR("main"),
                                    .type = ICE_STR("branch"),
                                    .has_type = true,
                                    .has_snapshot_id = true,
                                    .snapshot_id = m->current_snapshot_id};
    return ref_row(in, &implied, err);
}

/* ---- properties, statistics ---------------------------------------------------------
 */

enum ice_status ice_inspect_properties(struct ice_inspection *in, struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    for (size_t i = 0; i < m->n_properties; i++) {
        const struct ice_property *property = &m->properties[i];
        ice_row_begin(&in->row);
        ice_row_str(&in->row, property->key);
        ice_row_str_if(&in->row, property->value_is_string, property->value);
        ICE_TRY(ice_row_send(&in->row, err));
    }
    return ICE_OK;
}

static void write_blob(const struct ice_blob_metadata *blob, struct ice_json_writer *w) {
    ice_jw_object(w);
    if (blob->has_type) {
        ice_jw_key(w, "type");
        ice_jw_str(w, blob->type);
    }
    if (blob->has_snapshot_id) {
        ice_jw_key(w, "snapshot_id");
        ice_jw_i64(w, blob->snapshot_id);
    }
    if (blob->has_sequence_number) {
        ice_jw_key(w, "sequence_number");
        ice_jw_i64(w, blob->sequence_number);
    }
    ice_jw_key(w, "fields");
    ice_jw_array(w);
    for (size_t i = 0; i < blob->n_fields; i++)
        ice_jw_i64(w, blob->fields[i]);
    ice_jw_array_end(w);
    ice_jw_key(w, "properties");
    ice_jw_object(w);
    for (size_t i = 0; i < blob->n_properties; i++) {
        ice_jw_key_str(w, blob->properties[i].key);
        ice_jw_str(w, blob->properties[i].value);
    }
    ice_jw_object_end(w);
    ice_jw_object_end(w);
}

static enum ice_status statistics_row(struct ice_inspection *in,
                                      const struct ice_statistics *s,
                                      struct ice_error *err) {
    struct ice_row *row = &in->row;
    ice_row_begin(row);
    ice_row_text(row, s->is_partition ? "partition" : "table");
    ice_row_i64_if(row, s->has_snapshot_id, s->snapshot_id);
    ice_row_str_if(row, s->has_path, s->path);
    ice_row_i64_if(row, s->has_file_size, s->file_size_in_bytes);
    ice_row_i64_if(row, s->has_footer_size, s->file_footer_size_in_bytes);
    if (s->has_blobs) {
        struct ice_json_writer *w = ice_row_json(row);
        ice_jw_array(w);
        for (size_t i = 0; i < s->n_blobs; i++)
            write_blob(&s->blobs[i], w);
        ice_jw_array_end(w);
        ice_row_json_end(row);
    } else {
        ice_row_null(row);
    }
    return ice_row_send(row, err);
}

enum ice_status ice_inspect_statistics(struct ice_inspection *in, struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    for (size_t i = 0; i < m->n_statistics; i++)
        ICE_TRY(statistics_row(in, &m->statistics[i], err));
    return ICE_OK;
}
