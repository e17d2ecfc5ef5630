/*
 * Tables schemas, specs and sort_orders: one row a field, so that they can be searched by
 * line. A spec or order without fields has one row with null fields.
 */
#include "answer/inspect.h"

#include "base/error.h"

const struct ice_column ice_columns_schemas[] = {
    {"schema_id", ICE_VALUE_I64},
    {"is_current", ICE_VALUE_BOOL},
    {"field_id", ICE_VALUE_I64},
    {"name", ICE_VALUE_STR},
    {"type", ICE_VALUE_STR},
    {"required", ICE_VALUE_BOOL},
    {"is_identifier", ICE_VALUE_BOOL},
    {"initial_default", ICE_VALUE_JSON},
    {"write_default", ICE_VALUE_JSON},
    {"doc", ICE_VALUE_STR},
    {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_specs[] = {
    {"spec_id", ICE_VALUE_I64},     {"is_default", ICE_VALUE_BOOL},
    {"field_id", ICE_VALUE_I64},    {"name", ICE_VALUE_STR},
    {"transform", ICE_VALUE_STR},   {"source_ids", ICE_VALUE_JSON},
    {"source_name", ICE_VALUE_STR}, {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_sort_orders[] = {
    {"order_id", ICE_VALUE_I64},    {"is_default", ICE_VALUE_BOOL},
    {"position", ICE_VALUE_I64},    {"transform", ICE_VALUE_STR},
    {"source_ids", ICE_VALUE_JSON}, {"source_name", ICE_VALUE_STR},
    {"direction", ICE_VALUE_STR},   {"null_order", ICE_VALUE_STR},
    {NULL, ICE_VALUE_NULL},
};

/* ---- schemas ------------------------------------------------------------------------
 */

static bool is_identifier(const struct ice_schema *schema,
                          const struct ice_field *field) {
    for (size_t i = 0; i < schema->n_identifier_ids; i++)
        if (schema->identifier_ids[i] == field->id)
            return true;
    return false;
}

/* A default value as it stands in the document, on one line. */
static enum ice_status compact(struct ice_str json, struct ice_buf *out) {
    bool in_string = false, is_escaped = false;
    ice_buf_clear(out);
    for (size_t i = 0; i < json.size; i++) {
        char c = json.data[i];
        bool is_blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (is_blank && !in_string)
            continue;
        ICE_TRY(ice_buf_append_char(out, c));
        if (c == '"' && !is_escaped)
            in_string = !in_string;
        is_escaped = in_string && c == '\\' && !is_escaped;
    }
    return ICE_OK;
}

static enum ice_status json_cell(struct ice_row *row, struct ice_str json,
                                 struct ice_buf *scratch) {
    if (json.size == 0) {
        ice_row_null(row);
        return ICE_OK;
    }
    ICE_TRY(compact(json, scratch));
    ice_jw_raw(ice_row_json(row), ice_buf_str(scratch));
    ice_row_json_end(row);
    return ICE_OK;
}

static enum ice_status field_row(struct ice_inspection *in,
                                 const struct ice_schema *schema,
                                 const struct ice_field *field, struct ice_buf *name,
                                 struct ice_buf *scratch, struct ice_error *err) {
    struct ice_row *row = &in->row;
    ice_buf_clear(name);
    if (ice_schema_full_name(schema, field, name) < 0)
        return ice_error_memory(err);
    ice_row_begin(row);
    ice_row_i64(row, schema->schema_id);
    ice_row_bool(row, schema == ice_metadata_current_schema(in->reader->metadata));
    ice_row_i64_if(row, field->has & ICE_FIELD_HAS_ID, field->id);
    ice_row_str(row, ice_buf_str(name));
    ice_row_str_if(row, field->has & ICE_FIELD_HAS_TYPE, field->type.text);
    if (field->has & ICE_FIELD_HAS_REQUIRED)
        ice_row_bool(row, field->required);
    else
        ice_row_null(row);
    ice_row_bool(row, is_identifier(schema, field));
    if (json_cell(row, field->initial_default, scratch) < 0 ||
        json_cell(row, field->write_default, scratch) < 0)
        return ice_error_memory(err);
    ice_row_str_if(row, field->doc.size > 0, field->doc);
    return ice_row_send(row, err);
}

static enum ice_status schema_rows(struct ice_inspection *in,
                                   const struct ice_schema *schema, struct ice_buf *name,
                                   struct ice_buf *scratch, struct ice_error *err) {
    for (size_t i = 0; i < schema->n_fields; i++)
        ICE_TRY(field_row(in, schema, &schema->fields[i], name, scratch, err));
    return ICE_OK;
}

enum ice_status ice_inspect_schemas(struct ice_inspection *in, struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    struct ice_buf name, scratch;
    enum ice_status status = ICE_OK;
    ice_buf_init(&name, &in->reader->run.alloc, SIZE_MAX);
    ice_buf_init(&scratch, &in->reader->run.alloc, SIZE_MAX);
    if (m->n_schemas == 0 && ice_metadata_has(m, ICE_META_schema))
        status = schema_rows(in, &m->schema, &name, &scratch, err);
    for (size_t i = 0; status == ICE_OK && i < m->n_schemas; i++)
        status = schema_rows(in, &m->schemas[i], &name, &scratch, err);
    ice_buf_release(&scratch);
    ice_buf_release(&name);
    return status;
}

/* ---- specs and orders ---------------------------------------------------------------
 */

/* source_ids as one array, whichever key they were written in. */
static void write_sources(struct ice_row *row, uint8_t has, int32_t id,
                          const int32_t *ids, size_t n_ids) {
    if (!(has & (ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_SOURCE_IDS))) {
        ice_row_null(row);
        return;
    }
    struct ice_json_writer *w = ice_row_json(row);
    ice_jw_array(w);
    if (n_ids == 0)
        ice_jw_i64(w, id);
    for (size_t i = 0; i < n_ids; i++)
        ice_jw_i64(w, ids[i]);
    ice_jw_array_end(w);
    ice_row_json_end(row);
}

/* Full name of a source column: in the current schema, else in any; comma-separated. */
static enum ice_status find_names(const struct ice_metadata *m, const int32_t *ids,
                                  size_t n_ids, struct ice_buf *out) {
    ice_buf_clear(out);
    for (size_t i = 0; i < n_ids; i++) {
        const struct ice_schema *schema = ice_metadata_current_schema(m);
        const struct ice_field *field =
            schema != NULL ? ice_schema_field(schema, ids[i]) : NULL;
        for (size_t s = m->n_schemas; field == NULL && s-- > 0;) {
            schema = &m->schemas[s];
            field = ice_schema_field(schema, ids[i]);
        }
        if (i > 0)
            ICE_TRY(ice_buf_append_char(out, ','));
        if (field != NULL)
            ICE_TRY(ice_schema_full_name(schema, field, out));
    }
    return ICE_OK;
}

static enum ice_status spec_row(struct ice_inspection *in,
                                const struct ice_partition_spec *spec,
                                const struct ice_partition_field *field,
                                struct ice_buf *names, struct ice_error *err) {
    static const struct ice_partition_field none = {0};
    const struct ice_metadata *m = in->reader->metadata;
    struct ice_row *row = &in->row;
    const struct ice_partition_field *f = field != NULL ? field : &none;
    bool one = (f->has & ICE_PART_HAS_SOURCE_ID) && f->n_source_ids == 0;
    if (find_names(m, one ? &f->source_id : f->source_ids, one ? 1 : f->n_source_ids,
                   names) < 0)
        return ice_error_memory(err);
    ice_row_begin(row);
    ice_row_i64(row, spec->spec_id);
    ice_row_bool(row, spec == ice_metadata_find_spec(m, m->default_spec_id));
    ice_row_i64_if(row, field != NULL, f->field_id);
    ice_row_str_if(row, f->has & ICE_PART_HAS_NAME, f->name);
    ice_row_str_if(row, f->has & ICE_PART_HAS_TRANSFORM, f->transform.text);
    write_sources(row, f->has, f->source_id, f->source_ids, f->n_source_ids);
    ice_row_str_if(row, names->size > 0, ice_buf_str(names));
    return ice_row_send(row, err);
}

static enum ice_status spec_rows(struct ice_inspection *in,
                                 const struct ice_partition_spec *spec,
                                 struct ice_buf *names, struct ice_error *err) {
    if (spec->n_fields == 0)
        return spec_row(in, spec, NULL, names, err);
    for (size_t i = 0; i < spec->n_fields; i++)
        ICE_TRY(spec_row(in, spec, &spec->fields[i], names, err));
    return ICE_OK;
}

enum ice_status ice_inspect_specs(struct ice_inspection *in, struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    struct ice_buf names;
    enum ice_status status = ICE_OK;
    ice_buf_init(&names, &in->reader->run.alloc, SIZE_MAX);
    if (m->n_specs == 0 && ice_metadata_has(m, ICE_META_partition_spec))
        status = spec_rows(in, &m->spec, &names, err);
    for (size_t i = 0; status == ICE_OK && i < m->n_specs; i++)
        status = spec_rows(in, &m->specs[i], &names, err);
    ice_buf_release(&names);
    return status;
}

static enum ice_status order_row(struct ice_inspection *in,
                                 const struct ice_sort_order *order, size_t position,
                                 struct ice_buf *names, struct ice_error *err) {
    static const struct ice_sort_field none = {0};
    const struct ice_metadata *m = in->reader->metadata;
    struct ice_row *row = &in->row;
    bool there = position < order->n_fields;
    const struct ice_sort_field *f = there ? &order->fields[position] : &none;
    bool one = (f->has & ICE_PART_HAS_SOURCE_ID) && f->n_source_ids == 0;
    if (find_names(m, one ? &f->source_id : f->source_ids, one ? 1 : f->n_source_ids,
                   names) < 0)
        return ice_error_memory(err);
    ice_row_begin(row);
    ice_row_i64(row, order->order_id);
    ice_row_bool(row, order == ice_metadata_find_order(m, m->default_sort_order_id));
    ice_row_i64_if(row, there, (int64_t)position);
    ice_row_str_if(row, f->has & ICE_PART_HAS_TRANSFORM, f->transform.text);
    write_sources(row, f->has, f->source_id, f->source_ids, f->n_source_ids);
    ice_row_str_if(row, names->size > 0, ice_buf_str(names));
    ice_row_str_if(row, f->has & ICE_PART_HAS_DIRECTION, f->direction);
    ice_row_str_if(row, f->has & ICE_PART_HAS_NULL_ORDER, f->null_order);
    return ice_row_send(row, err);
}

enum ice_status ice_inspect_sort_orders(struct ice_inspection *in,
                                        struct ice_error *err) {
    const struct ice_metadata *m = in->reader->metadata;
    struct ice_buf names;
    enum ice_status status = ICE_OK;
    ice_buf_init(&names, &in->reader->run.alloc, SIZE_MAX);
    for (size_t i = 0; status == ICE_OK && i < m->n_orders; i++) {
        const struct ice_sort_order *order = &m->orders[i];
        size_t n = order->n_fields > 0 ? order->n_fields : 1;
        for (size_t f = 0; status == ICE_OK && f < n; f++)
            status = order_row(in, order, f, &names, err);
    }
    ice_buf_release(&names);
    return status;
}
