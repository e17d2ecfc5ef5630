/*
 * Values of tables as JSON.
 */
#include "answer/cells.h"

#include "base/error.h"
#include "iceberg/value.h"

#include <stdlib.h>

/* ---- the partition type over all specs ----------------------------------------------
 */

/* One field of one spec. */
struct spec_field {
    const struct ice_partition_field *field;
    int32_t spec_id;
    size_t order; /* in the document: sorting is to be stable */
};

/* By field id; the newest spec first, as Iceberg takes the names from there. */
static int compare_fields(const void *left, const void *right) {
    const struct spec_field *a = left, *b = right;
    if (a->field->field_id != b->field->field_id)
        return a->field->field_id < b->field->field_id ? -1 : 1;
    if (a->spec_id != b->spec_id)
        return a->spec_id > b->spec_id ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static const struct ice_partition_spec *spec_at(const struct ice_metadata *metadata,
                                                size_t index) {
    if (index < metadata->n_specs)
        return &metadata->specs[index];
    bool has_old =
        metadata->n_specs == 0 && ice_metadata_has(metadata, ICE_META_partition_spec);
    return has_old && index == 0 ? &metadata->spec : NULL;
}

static enum ice_status collect_fields(const struct ice_metadata *metadata,
                                      struct ice_arena *arena, struct spec_field **out,
                                      size_t *out_n, struct ice_error *err) {
    const struct ice_partition_spec *spec;
    size_t n = 0;
    for (size_t i = 0; (spec = spec_at(metadata, i)) != NULL; i++)
        n += spec->n_fields;
    struct spec_field *fields = ice_arena_array(arena, n, sizeof(*fields));
    if (fields == NULL)
        return ice_error_memory(err);
    *out = fields;
    *out_n = n;
    n = 0;
    for (size_t i = 0; (spec = spec_at(metadata, i)) != NULL; i++) {
        for (size_t f = 0; f < spec->n_fields; f++, n++)
            fields[n] = (struct spec_field){&spec->fields[f], spec->spec_id, n};
    }
    if (n > 0)
        qsort(fields, n, sizeof(*fields), compare_fields);
    return ICE_OK;
}

const struct ice_type *ice_column_type(const struct ice_metadata *metadata,
                                       int32_t field_id) {
    const struct ice_schema *current = ice_metadata_current_schema(metadata);
    const struct ice_field *field =
        current != NULL ? ice_schema_field(current, field_id) : NULL;
    for (size_t i = metadata->n_schemas; field == NULL && i-- > 0;)
        field = ice_schema_field(&metadata->schemas[i], field_id);
    return field != NULL && (field->has & ICE_FIELD_HAS_TYPE) ? &field->type : NULL;
}

static struct ice_type result_type(const struct ice_metadata *metadata,
                                   const struct ice_partition_field *field) {
    const struct ice_type *source = NULL;
    if (field->has & (ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_SOURCE_IDS))
        source = ice_column_type(metadata, field->source_id);
    if (source == NULL || field->n_source_ids > 1)
        return (struct ice_type){.kind = ICE_TYPE_BAD};
    return ice_transform_result(&field->transform, source);
}

/* A name that an earlier column has gets the field id behind it: keys must be unique. */
static enum ice_status unique_name(struct ice_partition_view *view,
                                   struct ice_seen *names,
                                   struct ice_partition_column *column,
                                   struct ice_error *err) {
    bool is_new;
    ICE_TRY(ice_seen_add(names, column->name, &is_new, err));
    if (is_new)
        return ICE_OK;
    ice_buf_clear(&view->text);
    if (ice_buf_append_str(&view->text, column->name) < 0 ||
        ice_buf_printf(&view->text, "_%d", column->field_id) < 0 ||
        !ice_arena_dup(&view->arena, ice_buf_str(&view->text), &column->name))
        return ice_error_memory(err);
    return ICE_OK;
}

/* What Iceberg makes of the fields of one id: the newest name, the type of the newest
 * that is not void (v1 tables drop a field by making it void). */
static struct ice_partition_column merge(const struct ice_metadata *metadata,
                                         const struct spec_field *same, size_t n) {
    const struct ice_partition_field *typed = same[0].field;
    for (size_t i = 0; i < n; i++) {
        if (same[i].field->transform.kind != ICE_TRANSFORM_VOID) {
            typed = same[i].field;
            break;
        }
    }
    return (struct ice_partition_column){.field_id = same[0].field->field_id,
                                         .name = same[0].field->name,
                                         .type = result_type(metadata, typed)};
}

static enum ice_status make_columns(struct ice_partition_view *view,
                                    const struct ice_metadata *metadata,
                                    struct ice_seen *names, struct ice_error *err) {
    struct spec_field *fields = NULL;
    size_t n_fields = 0;
    ICE_TRY(collect_fields(metadata, &view->arena, &fields, &n_fields, err));
    view->columns = ice_arena_array(&view->arena, n_fields, sizeof(*view->columns));
    if (view->columns == NULL)
        return ice_error_memory(err);
    for (size_t i = 0, n; i < n_fields; i += n) {
        n = 1;
        while (i + n < n_fields &&
               fields[i + n].field->field_id == fields[i].field->field_id)
            n++;
        struct ice_partition_column *column = &view->columns[view->n];
        *column = merge(metadata, &fields[i], n);
        ICE_TRY(unique_name(view, names, column, err));
        uint64_t key =
            ice_hash_mix((uint64_t)(uint32_t)column->field_id, view->run->hash_seed);
        if (ice_table_put(&view->by_id, key, (uint32_t)view->n) < 0)
            return ice_error_memory(err);
        view->n++;
    }
    return ICE_OK;
}

enum ice_status ice_partition_view_init(struct ice_partition_view *view,
                                        struct ice_run *run,
                                        const struct ice_metadata *metadata,
                                        struct ice_error *err) {
    struct ice_seen names;
    *view = (struct ice_partition_view){.run = run};
    ice_arena_init(&view->arena, &run->alloc);
    ice_arena_init(&view->bound, &run->alloc);
    ice_buf_init(&view->text, &run->alloc, SIZE_MAX);
    ice_table_init(&view->by_id, &run->alloc);
    ice_seen_init(&names, run);
    enum ice_status status = make_columns(view, metadata, &names, err);
    ice_seen_release(&names);
    return status;
}

void ice_partition_view_release(struct ice_partition_view *view) {
    ice_table_release(&view->by_id);
    ice_buf_release(&view->text);
    ice_arena_release(&view->bound);
    ice_arena_release(&view->arena);
}

static size_t column_of(const struct ice_partition_view *view,
                        const struct ice_avro_field *field) {
    size_t at = SIZE_MAX;
    uint32_t index;
    if (!field->id.has)
        return SIZE_MAX;
    uint64_t key =
        ice_hash_mix((uint64_t)(uint32_t)field->id.value, view->run->hash_seed);
    while (ice_table_next(&view->by_id, key, &at, &index))
        if (view->columns[index].field_id == field->id.value)
            return index;
    return SIZE_MAX;
}

enum ice_status ice_partition_view_bind(struct ice_partition_view *view,
                                        const struct ice_manifest *manifest,
                                        struct ice_error *err) {
    const struct ice_avro_schema *tuple = manifest->plan.tuple;
    size_t n_fields = tuple != NULL ? tuple->n_fields : 0;
    ice_arena_reset(&view->bound);
    view->tuple = tuple;
    view->position = ice_arena_array(&view->bound, view->n, sizeof(*view->position));
    view->is_foreign = ice_arena_array(&view->bound, n_fields, sizeof(*view->is_foreign));
    if (view->position == NULL || view->is_foreign == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < view->n; i++)
        view->position[i] = SIZE_MAX;
    for (size_t i = 0; i < n_fields; i++) {
        size_t column = column_of(view, &tuple->fields[i]);
        view->is_foreign[i] = column == SIZE_MAX || view->position[column] != SIZE_MAX;
        if (!view->is_foreign[i])
            view->position[column] = i;
    }
    return ICE_OK;
}

enum ice_status ice_cell_partition(struct ice_partition_view *view,
                                   struct ice_json_writer *w,
                                   const struct ice_tuple *tuple) {
    static const struct ice_type unknown = {.kind = ICE_TYPE_BAD};
    size_t n_fields = view->tuple != NULL ? view->tuple->n_fields : 0;
    ice_jw_object(w);
    for (size_t i = 0; i < view->n; i++) {
        ice_jw_key_str(w, view->columns[i].name);
        size_t at = view->position[i];
        if (at < tuple->n && at < n_fields)
            ICE_TRY(ice_cell_datum(w, &view->columns[i].type,
                                   view->tuple->fields[at].type, &tuple->values[at],
                                   &view->text));
        else
            ice_jw_null(w);
    }
    for (size_t i = 0; i < n_fields && i < tuple->n; i++) {
        if (!view->is_foreign[i])
            continue;
        ice_jw_key_str(w, view->tuple->fields[i].name);
        ICE_TRY(ice_cell_datum(w, &unknown, view->tuple->fields[i].type,
                               &tuple->values[i], &view->text));
    }
    ice_jw_object_end(w);
    return ICE_OK;
}

/* ---- single values ------------------------------------------------------------------
 */

static struct ice_str little_endian(int64_t value, size_t size, char *bytes) {
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)((uint64_t)value >> (8 * i) & 0xff);
    return ice_str_make(bytes, size);
}

static enum ice_status write_text(struct ice_json_writer *w, const struct ice_type *type,
                                  struct ice_str bytes, struct ice_buf *text) {
    ice_buf_clear(text);
    ICE_TRY(ice_value_to_text(type, bytes, text));
    ice_jw_str(w, ice_buf_str(text));
    return ICE_OK;
}

/* What the writer's schema says of a value: kind BAD where it says nothing more. */
static struct ice_type type_of_node(const struct ice_avro_schema *node) {
    static const struct {
        const char *logical;
        enum ice_type_kind kind, utc_kind;
    } known[] = {
        {"date", ICE_TYPE_DATE, ICE_TYPE_DATE},
        {"time-micros", ICE_TYPE_TIME, ICE_TYPE_TIME},
        {"timestamp-micros", ICE_TYPE_TIMESTAMP, ICE_TYPE_TIMESTAMPTZ},
        {"timestamp-nanos", ICE_TYPE_TIMESTAMP_NS, ICE_TYPE_TIMESTAMPTZ_NS},
        {"decimal", ICE_TYPE_DECIMAL, ICE_TYPE_DECIMAL},
        {"uuid", ICE_TYPE_UUID, ICE_TYPE_UUID},
    };
    bool is_nullable;
    struct ice_type type = {.kind = ICE_TYPE_BAD};
    node = ice_avro_not_null(node, &is_nullable);
    for (size_t i = 0; i < ICE_COUNT_OF(known); i++) {
        if (!ice_str_is(node->logical_type, known[i].logical))
            continue;
        type.kind = node->adjust_to_utc ? known[i].utc_kind : known[i].kind;
        type.precision = node->precision;
        type.scale = node->scale;
    }
    return type;
}

static enum ice_status write_bytes(struct ice_json_writer *w, const struct ice_type *type,
                                   struct ice_str bytes, struct ice_buf *text) {
    if (type->kind == ICE_TYPE_DECIMAL ||
        (type->kind == ICE_TYPE_UUID && bytes.size == 16))
        return write_text(w, type, bytes, text);
    ice_jw_hex(w, bytes);
    return ICE_OK;
}

static bool is_instant(enum ice_type_kind kind) {
    return kind == ICE_TYPE_TIME || kind == ICE_TYPE_TIMESTAMP ||
           kind == ICE_TYPE_TIMESTAMPTZ || kind == ICE_TYPE_TIMESTAMP_NS ||
           kind == ICE_TYPE_TIMESTAMPTZ_NS;
}

enum ice_status ice_cell_datum(struct ice_json_writer *w, const struct ice_type *type,
                               const struct ice_avro_schema *node,
                               const struct ice_datum *datum, struct ice_buf *text) {
    char bytes[8];
    struct ice_type own;
    if (type->kind == ICE_TYPE_BAD) {
        own = type_of_node(node);
        type = &own;
    }
    switch (datum->type) {
    case ICE_AVRO_BOOLEAN:
        ice_jw_bool(w, datum->i64 != 0);
        return ICE_OK;
    case ICE_AVRO_INT:
        if (type->kind == ICE_TYPE_DATE)
            return write_text(w, type, little_endian(datum->i64, 4, bytes), text);
        ice_jw_i64(w, datum->i64);
        return ICE_OK;
    case ICE_AVRO_LONG:
        if (is_instant(type->kind))
            return write_text(w, type, little_endian(datum->i64, 8, bytes), text);
        ice_jw_i64(w, datum->i64);
        return ICE_OK;
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
        ice_jw_f64(w, datum->f64);
        return ICE_OK;
    case ICE_AVRO_STRING:
        ice_jw_str(w, datum->str);
        return ICE_OK;
    case ICE_AVRO_BYTES:
    case ICE_AVRO_FIXED:
        return write_bytes(w, type, datum->str, text);
    case ICE_AVRO_ENUM:
        ice_jw_i64(w, datum->i64);
        return ICE_OK;
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        ice_jw_null(w);
        return ICE_OK;
    }
    return ICE_OK;
}

enum ice_status ice_cell_single_value(struct ice_json_writer *w,
                                      const struct ice_type *type, struct ice_str bytes,
                                      struct ice_buf *text) {
    int64_t number;
    double real;
    if (type == NULL || !ice_type_is_primitive(type) ||
        !ice_value_length_ok(type, bytes.size)) {
        ice_jw_hex(w, bytes);
        return ICE_OK;
    }
    if (type->kind == ICE_TYPE_BOOLEAN && ice_value_integer(type, bytes, &number))
        ice_jw_bool(w, number != 0);
    else if ((type->kind == ICE_TYPE_INT || type->kind == ICE_TYPE_LONG) &&
             ice_value_integer(type, bytes, &number))
        ice_jw_i64(w, number);
    else if (ice_value_double(type, bytes, &real))
        ice_jw_f64(w, real);
    else if (type->kind == ICE_TYPE_FIXED || type->kind == ICE_TYPE_BINARY)
        ice_jw_hex(w, bytes);
    else
        return write_text(w, type, bytes, text);
    return ICE_OK;
}

/* ---- maps of bounds -----------------------------------------------------------------
 */

enum ice_status ice_cell_bounds(struct ice_json_writer *w,
                                const struct ice_metadata *metadata,
                                const struct ice_schema *own,
                                const struct ice_map_bytes *map, struct ice_buf *text) {
    ice_jw_object(w);
    for (size_t i = 0; i < map->n; i++) {
        ice_jw_key_i32(w, map->keys[i]);
        const struct ice_type *type = ice_column_type(metadata, map->keys[i]);
        const struct ice_field *field =
            type == NULL && own != NULL ? ice_schema_field(own, map->keys[i]) : NULL;
        if (field != NULL && (field->has & ICE_FIELD_HAS_TYPE))
            type = &field->type;
        ICE_TRY(ice_cell_single_value(w, type, map->values[i], text));
    }
    ice_jw_object_end(w);
    return ICE_OK;
}
