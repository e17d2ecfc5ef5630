/*
 * The top level of metadata.json, and look-ups. Its larger parts: metadata_snapshots.c,
 * metadata_parts.c, schema_read.c, spec_read.c.
 */
#include "iceberg/read.h"

#include "base/error.h"

/* Keys behind those of the spec: what marks a view or a function. */
enum { MARK_VIEW_UUID = ICE_META_COUNT, MARK_VERSIONS, MARK_FUNCTION_UUID, N_MEMBERS };

#define ROW_INT(member, name) ICE_MEMBER(ice_metadata, member, name, INT)
#define ROW_LONG(member, name) ICE_MEMBER(ice_metadata, member, name, LONG)
#define ROW_STRING(member, name) ICE_MEMBER(ice_metadata, member, name, STRING)
#define ROW_OBJECT(member, name) ICE_MEMBER_HANDED(name, OBJECT)
#define ROW_ARRAY(member, name) ICE_MEMBER_HANDED(name, ARRAY)
#define ROW_MAP(member, name) ICE_MEMBER_HANDED(name, MAP)
#define ICE_FIELD(member, name, type, v1, v2, v3, where) ROW_##type(member, name),
static const struct ice_member top_members[] = {
#include "iceberg/fields/metadata.def"
    ICE_MEMBER_HANDED("view-uuid", IGNORE),
    ICE_MEMBER_HANDED("versions", IGNORE),
    ICE_MEMBER_HANDED("function-uuid", IGNORE),
};
#undef ICE_FIELD
static const struct ice_object_table top_table = {top_members, N_MEMBERS,
                                                  ICE_NULLS_KNOWN};

/* ---- arrays of schemas, specs, orders ---- */

static void drop_schemas(struct ice_metadata *out) {
    for (size_t i = 0; i < out->n_schemas; i++)
        ice_schema_release(&out->schemas[i]);
    out->n_schemas = 0;
}

static enum ice_status read_schemas(struct ice_object_reader *r,
                                    struct ice_metadata *out) {
    drop_schemas(out);
    for (;;) {
        struct ice_json_event event;
        enum ice_status status = ice_array_next(r, ICE_JSON_OBJECT, "schemas", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        if (!ice_array_reserve(&r->run->alloc, &out->schemas, out->n_schemas,
                               &out->cap_schemas, sizeof(*out->schemas)))
            return ice_error_memory(r->err);
        struct ice_schema *schema = &out->schemas[out->n_schemas];
        status = ice_read_schema(r, schema);
        if (status < 0) {
            ice_schema_release(schema);
            return status;
        }
        out->n_schemas++;
    }
}

static enum ice_status read_specs(struct ice_object_reader *r, struct ice_metadata *out) {
    out->n_specs = 0;
    for (;;) {
        struct ice_json_event event;
        enum ice_status status =
            ice_array_next(r, ICE_JSON_OBJECT, "partition-specs", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        if (!ice_array_reserve(&r->run->alloc, &out->specs, out->n_specs, &out->cap_specs,
                               sizeof(*out->specs)))
            return ice_error_memory(r->err);
        ICE_TRY(ice_read_partition_spec(r, &event, &out->specs[out->n_specs]));
        out->n_specs++;
    }
}

static enum ice_status read_orders(struct ice_object_reader *r,
                                   struct ice_metadata *out) {
    out->n_orders = 0;
    for (;;) {
        struct ice_json_event event;
        enum ice_status status =
            ice_array_next(r, ICE_JSON_OBJECT, "sort-orders", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        if (!ice_array_reserve(&r->run->alloc, &out->orders, out->n_orders,
                               &out->cap_orders, sizeof(*out->orders)))
            return ice_error_memory(r->err);
        ICE_TRY(ice_read_sort_order(r, &out->orders[out->n_orders]));
        out->n_orders++;
    }
}

/* ---- the document ---- */

static enum ice_status take_member(struct ice_object_reader *r, size_t member,
                                   const struct ice_json_event *event,
                                   const struct ice_metadata_want *want,
                                   struct ice_metadata *out) {
    switch ((enum ice_metadata_bit)member) {
    case ICE_META_schema:
        ice_schema_release(&out->schema);
        return ice_read_schema(r, &out->schema);
    case ICE_META_schemas:
        return read_schemas(r, out);
    case ICE_META_partition_spec:
        return ice_read_partition_spec(r, event, &out->spec);
    case ICE_META_partition_specs:
        return read_specs(r, out);
    case ICE_META_sort_orders:
        return read_orders(r, out);
    case ICE_META_properties:
        return ice_read_properties(r, out);
    case ICE_META_snapshots:
        return ice_read_snapshots(r, want, out);
    case ICE_META_snapshot_log:
        return ice_read_snapshot_log(r, out);
    case ICE_META_metadata_log:
        return ice_read_metadata_log(r, out);
    case ICE_META_refs:
        return ice_read_refs(r, out);
    case ICE_META_statistics:
        return ice_read_statistics(r, false, out);
    case ICE_META_partition_statistics:
        return ice_read_statistics(r, true, out);
    case ICE_META_encryption_keys:
        return ice_read_encryption_keys(r, out);
    case ICE_META_format_version:
    case ICE_META_table_uuid:
    case ICE_META_location:
    case ICE_META_last_sequence_number:
    case ICE_META_last_updated_ms:
    case ICE_META_last_column_id:
    case ICE_META_current_schema_id:
    case ICE_META_default_spec_id:
    case ICE_META_last_partition_id:
    case ICE_META_current_snapshot_id:
    case ICE_META_default_sort_order_id:
    case ICE_META_next_row_id:
    case ICE_META_COUNT:
        break;
    }
    return ICE_OK;
}

/* A container whose last appearance was null or of the wrong kind counts as absent. */
static void drop_absent(struct ice_metadata *out) {
    if (!ice_metadata_has(out, ICE_META_schemas))
        drop_schemas(out);
    if (!ice_metadata_has(out, ICE_META_partition_specs))
        out->n_specs = 0;
    if (!ice_metadata_has(out, ICE_META_sort_orders))
        out->n_orders = 0;
    if (!ice_metadata_has(out, ICE_META_properties))
        out->n_properties = 0;
    if (!ice_metadata_has(out, ICE_META_snapshots))
        out->n_snapshots = 0;
    if (!ice_metadata_has(out, ICE_META_snapshot_log))
        out->n_snapshot_log = 0;
    if (!ice_metadata_has(out, ICE_META_metadata_log))
        out->n_metadata_log = 0;
    if (!ice_metadata_has(out, ICE_META_refs))
        out->n_refs = 0;
    if (!ice_metadata_has(out, ICE_META_encryption_keys))
        out->n_keys = 0;
    if (!ice_metadata_has(out, ICE_META_table_uuid))
        out->table_uuid = ICE_STR_NONE;
    if (!ice_metadata_has(out, ICE_META_location))
        out->location = ICE_STR_NONE;
    if (!ice_metadata_has(out, ICE_META_format_version))
        out->format_version = 0;
    size_t kept = 0;
    for (size_t i = 0; i < out->n_statistics; i++) {
        if (ice_metadata_has(out, out->statistics[i].is_partition
                                      ? ICE_META_partition_statistics
                                      : ICE_META_statistics))
            out->statistics[kept++] = out->statistics[i];
    }
    out->n_statistics = kept;
}

static enum ice_status read_top(struct ice_object_reader *r,
                                const struct ice_metadata_want *want,
                                struct ice_metadata *out) {
    struct ice_bits bits = {0};
    enum ice_status status = ICE_OK;
    while (status == ICE_OK) {
        size_t member;
        struct ice_json_event event;
        status = ice_object_next(r, &top_table, out, &bits, &member, &event);
        if (status == ICE_OK)
            status = take_member(r, member, &event, want, out);
    }
    const uint64_t marks = ~UINT64_C(0) << MARK_VIEW_UUID;
    /* a table of a vendor may have versions of its own; no table lacks last-column-id */
    const uint64_t met = bits.present | bits.bad;
    const uint64_t sure = UINT64_C(1) << MARK_VIEW_UUID | UINT64_C(1)
                                                              << MARK_FUNCTION_UUID;
    out->is_view = (met & sure) != 0 ||
                   ((met & marks) != 0 && !(met & ICE_BIT(ICE_META_last_column_id)));
    out->present = bits.present & ~marks;
    out->null = bits.null & ~marks;
    out->bad = bits.bad & ~marks;
    drop_absent(out);
    return status < 0 ? status : ICE_OK;
}

static enum ice_status read_document(struct ice_object_reader *r,
                                     const struct ice_metadata_want *want,
                                     struct ice_metadata *out) {
    struct ice_json_event event;
    ICE_TRY(ice_json_next(r->json, &event, r->err));
    if (event.kind != ICE_JSON_OBJECT)
        return ice_error_set(r->err, ICE_EFORMAT, "json.root.not-object", event.offset,
                             "the document is no JSON object");
    ICE_TRY(read_top(r, want, out));
    enum ice_status status = ice_json_next(r->json, &event, r->err);
    return status < 0 ? status : ICE_OK;
}

/* ---- by id ---- */

static enum ice_status put_id(struct ice_metadata *m, struct ice_table *table, int32_t id,
                              size_t index) {
    if (index > UINT32_MAX)
        return ICE_ENOMEM;
    return ice_table_put(table, ice_hash_mix((uint64_t)id, m->run->hash_seed),
                         (uint32_t)index);
}

enum ice_status ice_metadata_index_layouts(struct ice_metadata *m) {
    for (size_t i = 0; i < m->n_schemas; i++) {
        ICE_TRY(put_id(m, &m->schemas_by_id, m->schemas[i].schema_id, i));
        m->has_bad_schema_id = m->has_bad_schema_id || m->schemas[i].bad_schema_id;
    }
    for (size_t i = 0; i < m->n_specs; i++)
        ICE_TRY(put_id(m, &m->specs_by_id, m->specs[i].spec_id, i));
    for (size_t i = 0; i < m->n_orders; i++)
        ICE_TRY(put_id(m, &m->orders_by_id, m->orders[i].order_id, i));
    return ICE_OK;
}

/* Index of the first of an id, or SIZE_MAX. */
static size_t find_id(const struct ice_metadata *m, const struct ice_table *table,
                      int32_t id) {
    size_t at = SIZE_MAX;
    uint32_t index;
    if (m->run == NULL)
        return SIZE_MAX;
    const uint64_t key = ice_hash_mix((uint64_t)id, m->run->hash_seed);
    return ice_table_next(table, key, &at, &index) ? index : SIZE_MAX;
}

enum ice_status ice_metadata_read(struct ice_stream *stream, struct ice_run *run,
                                  const struct ice_metadata_want *want,
                                  ice_defect_fn on_defect, void *user,
                                  struct ice_metadata *out, struct ice_error *err) {
    static const struct ice_metadata_want nothing = {0};
    struct ice_json json = {0};
    struct ice_object_reader r = {0};
    *out = (struct ice_metadata){.run = run};
    ice_arena_init(&out->arena, &run->alloc);
    ice_table_init(&out->schemas_by_id, &run->alloc);
    ice_table_init(&out->specs_by_id, &run->alloc);
    ice_table_init(&out->orders_by_id, &run->alloc);
    ice_buf_init(&out->text, &run->alloc, SIZE_MAX / 2);
    ice_object_reader_init(&r, &json, run, &out->arena, on_defect, user, err);
    enum ice_status status =
        ice_json_init(&json, stream, run, ice_object_notice, &r, err);
    if (status >= 0)
        status = read_document(&r, want != NULL ? want : &nothing, out);
    out->n_bytes = stream->position;
    out->has_duplicate_keys = r.met_duplicate;
    if (status != ICE_ENOMEM &&
        (ice_metadata_index_snapshots(out) < 0 || ice_metadata_index_layouts(out) < 0))
        status = ICE_ENOMEM;
    ice_json_release(&json);
    ice_object_reader_release(&r);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

void ice_metadata_release(struct ice_metadata *m) {
    if (m->run == NULL)
        return;
    struct ice_alloc *alloc = &m->run->alloc;
    ice_table_release(&m->schemas_by_id);
    ice_table_release(&m->specs_by_id);
    ice_table_release(&m->orders_by_id);
    ice_schema_release(&m->schema);
    drop_schemas(m);
    ice_array_free(alloc, &m->schemas, &m->cap_schemas, sizeof(*m->schemas));
    ice_array_free(alloc, &m->specs, &m->cap_specs, sizeof(*m->specs));
    ice_array_free(alloc, &m->orders, &m->cap_orders, sizeof(*m->orders));
    ice_array_free(alloc, &m->properties, &m->cap_properties, sizeof(*m->properties));
    ice_array_free(alloc, &m->refs, &m->cap_refs, sizeof(*m->refs));
    ice_array_free(alloc, &m->statistics, &m->cap_statistics, sizeof(*m->statistics));
    ice_array_free(alloc, &m->keys, &m->cap_keys, sizeof(*m->keys));
    ice_array_free(alloc, &m->snapshots, &m->cap_snapshots, sizeof(*m->snapshots));
    ice_array_free(alloc, &m->snapshot_log, &m->cap_snapshot_log,
                   sizeof(*m->snapshot_log));
    ice_array_free(alloc, &m->metadata_log, &m->cap_metadata_log,
                   sizeof(*m->metadata_log));
    if (m->snapshot_slots != NULL)
        ice_free(alloc, m->snapshot_slots,
                 m->n_snapshot_slots * sizeof(*m->snapshot_slots));
    ice_buf_release(&m->text);
    ice_arena_release(&m->arena);
    *m = (struct ice_metadata){0};
}

/* ---- look-ups ---- */

const struct ice_schema *ice_metadata_find_schema(const struct ice_metadata *m,
                                                  int32_t schema_id) {
    const size_t found = find_id(m, &m->schemas_by_id, schema_id);
    if (found != SIZE_MAX)
        return &m->schemas[found];
    if (m->n_schemas == 0 && ice_metadata_has(m, ICE_META_schema) &&
        m->schema.schema_id == schema_id)
        return &m->schema;
    return NULL;
}

bool ice_metadata_lacks_schema(const struct ice_metadata *m, int32_t schema_id) {
    if (ice_metadata_find_schema(m, schema_id) != NULL)
        return false;
    return !m->has_bad_schema_id;
}

const struct ice_schema *ice_metadata_current_schema(const struct ice_metadata *m) {
    const struct ice_schema *found = NULL;
    if (ice_metadata_has(m, ICE_META_current_schema_id))
        found = ice_metadata_find_schema(m, m->current_schema_id);
    if (found == NULL && ice_metadata_has(m, ICE_META_schema))
        found = &m->schema;
    return found;
}

const struct ice_partition_spec *ice_metadata_find_spec(const struct ice_metadata *m,
                                                        int32_t spec_id) {
    const size_t found = find_id(m, &m->specs_by_id, spec_id);
    if (found != SIZE_MAX)
        return &m->specs[found];
    if (m->n_specs == 0 && spec_id == 0 && ice_metadata_has(m, ICE_META_partition_spec))
        return &m->spec;
    return NULL;
}

const struct ice_sort_order *ice_metadata_find_order(const struct ice_metadata *m,
                                                     int32_t order_id) {
    const size_t found = find_id(m, &m->orders_by_id, order_id);
    return found != SIZE_MAX ? &m->orders[found] : NULL;
}

const struct ice_ref *ice_metadata_find_ref(const struct ice_metadata *m,
                                            struct ice_str name) {
    for (size_t i = 0; i < m->n_refs; i++) {
        if (ice_str_equal(m->refs[i].name, name))
            return &m->refs[i];
    }
    return NULL;
}

bool ice_metadata_property(const struct ice_metadata *m, const char *key,
                           struct ice_str *out) {
    for (size_t i = 0; i < m->n_properties; i++) {
        if (m->properties[i].value_is_string && ice_str_is(m->properties[i].key, key)) {
            *out = m->properties[i].value;
            return true;
        }
    }
    return false;
}
