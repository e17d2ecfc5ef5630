/*
 * Table metadata: any bytes, read whole and in random pieces, with and without whole
 * summaries, leave one table and one row of defects; what was read can be asked for.
 */
#include "fuzz/target.h"
#include "iceberg/metadata.h"

struct reading {
    uint64_t defects, table, n_defects;
    size_t size;
};

static enum ice_status on_defect(const struct ice_defect *defect, void *user) {
    struct reading *reading = user;
    require(defect->offset == ICE_NO_OFFSET || defect->offset <= reading->size);
    digest_number(&reading->defects, defect->kind);
    digest_str(&reading->defects, defect->pointer);
    digest_str(&reading->defects, defect->field);
    digest_str(&reading->defects, defect->text);
    digest_number(&reading->defects, defect->offset);
    reading->n_defects++;
    return ICE_OK;
}

static void add_schema(uint64_t *digest, const struct ice_schema *schema,
                       struct ice_run *run) {
    struct ice_buf name;
    ice_buf_init(&name, &run->alloc, SIZE_MAX);
    digest_number(digest, (uint64_t)(uint32_t)schema->schema_id);
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_field *field = &schema->fields[i];
        require(field->parent == ICE_NO_PARENT || field->parent < i);
        digest_number(digest, (uint64_t)(uint32_t)field->id << 8 | field->has);
        digest_str(digest, field->name);
        digest_str(digest, field->initial_default);
        if (field->has & ICE_FIELD_HAS_ID)
            require(ice_schema_field(schema, field->id) != NULL);
        if (i < 64) {
            ice_buf_clear(&name);
            require(ice_schema_full_name(schema, field, &name) == ICE_OK);
            digest_str(digest, ice_buf_str(&name));
        }
    }
    require(ice_schema_equal(schema, schema, true));
    ice_buf_release(&name);
}

static void add_snapshot(uint64_t *digest, const struct ice_metadata *m, size_t index,
                         struct ice_buf *scratch) {
    const struct ice_snapshot *s = &m->snapshots[index];
    struct ice_snapshot_metrics metrics;
    struct ice_str text, value;
    digest_number(digest, (uint64_t)s->present << 16 | s->null);
    digest_number(digest, (uint64_t)s->snapshot_id);
    digest_number(digest, (uint64_t)s->parent_snapshot_id);
    digest_number(digest, (uint64_t)s->timestamp_ms);
    digest_str(digest, ice_snapshot_operation(m, s));
    digest_str(digest, ice_snapshot_key_id(m, s));
    require(ice_snapshot_manifest_list(m, s, scratch, &text) == ICE_OK);
    digest_str(digest, text);
    for (size_t i = 0; ice_snapshot_manifest(m, s, i, &text); i++)
        digest_str(digest, text);
    ice_snapshot_metrics(m, s, &metrics);
    for (unsigned i = 0; i < ICE_METRIC_COUNT; i++) {
        int64_t number = 0;
        const bool has = ice_snapshot_metric(m, s, (enum ice_metric)i, &number);
        require(has == ((metrics.present >> i & 1) != 0));
        require(!has || number == metrics.values[i]);
        digest_number(digest, has ? (uint64_t)number : 1);
    }
    for (size_t i = 0; ice_snapshot_summary(m, s, i, &text, &value); i++)
        require(text.size <= m->n_bytes && value.size <= m->n_bytes);
    if (ice_snapshot_has(s, ICE_SNAP_snapshot_id)) {
        const size_t found = ice_metadata_find_snapshot(m, s->snapshot_id);
        require(found <= index && m->snapshots[found].snapshot_id == s->snapshot_id);
    }
}

static void add_table(uint64_t *digest, const struct ice_metadata *m,
                      struct ice_run *run) {
    struct ice_buf scratch;
    ice_buf_init(&scratch, &run->alloc, SIZE_MAX);
    digest_number(digest, m->present);
    digest_number(digest, m->null);
    digest_number(digest, m->bad);
    digest_str(digest, m->table_uuid);
    digest_str(digest, m->location);
    add_schema(digest, &m->schema, run);
    for (size_t i = 0; i < m->n_schemas; i++)
        add_schema(digest, &m->schemas[i], run);
    for (size_t i = 0; i < m->n_specs; i++)
        digest_number(digest, m->specs[i].n_fields);
    for (size_t i = 0; i < m->n_orders; i++)
        digest_number(digest, m->orders[i].n_fields);
    for (size_t i = 0; i < m->n_properties; i++) {
        digest_str(digest, m->properties[i].key);
        digest_str(digest, m->properties[i].value);
    }
    for (size_t i = 0; i < m->n_refs; i++)
        digest_str(digest, m->refs[i].name);
    for (size_t i = 0; i < m->n_statistics; i++)
        digest_str(digest, m->statistics[i].path);
    for (size_t i = 0; i < m->n_metadata_log; i++)
        digest_str(digest, m->metadata_log[i].file);
    for (size_t i = 0; i < m->n_snapshot_log; i++)
        digest_number(digest, (uint64_t)m->snapshot_log[i].snapshot_id);
    for (size_t i = 0; i < m->n_snapshots; i++)
        add_snapshot(digest, m, i, &scratch);
    (void)ice_metadata_current_schema(m);
    (void)ice_metadata_find_spec(m, m->default_spec_id);
    (void)ice_metadata_find_order(m, m->default_sort_order_id);
    ice_buf_release(&scratch);
}

static struct reading read_all(struct ice_run *run, struct ice_str bytes, bool in_pieces,
                               bool summaries) {
    const struct ice_metadata_want want = {.summaries = summaries};
    struct reading reading = {.defects = 1, .table = 1, .size = bytes.size};
    struct ice_metadata metadata = {0};
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_stream stream;
    struct pieces pieces;
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    const enum ice_status status =
        ice_metadata_read(&stream, run, &want, on_defect, &reading, &metadata, &err);
    if (status < 0)
        digest_fault(&reading.defects, status, &err, bytes.size);
    else
        add_table(&reading.table, &metadata, run);
    ice_metadata_release(&metadata);
    ice_stream_release(&stream);
    return reading;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_run run;
    target_begin(&run);
    const struct ice_str bytes = ice_str_make(data, size);
    const struct reading whole = read_all(&run, bytes, false, false);
    const struct reading pieces = read_all(&run, bytes, true, false);
    const struct reading summaries = read_all(&run, bytes, true, true);
    require(whole.defects == pieces.defects && whole.table == pieces.table);
    require(whole.defects == summaries.defects && whole.table == summaries.table);
    target_end(&run);
    return 0;
}
