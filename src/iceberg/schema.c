/*
 * Schemas: look-ups, names and comparison. Reading: schema_read.c.
 */
#include "iceberg/schema.h"

#include "base/error.h"

void ice_schema_release(struct ice_schema *schema) {
    ice_table_release(&schema->by_id);
}

enum ice_status ice_schema_parse(struct ice_str text, struct ice_run *run,
                                 struct ice_arena *arena, struct ice_schema *out,
                                 struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_json json = {0};
    struct ice_json_event event;
    *out = (struct ice_schema){0};
    ice_stream_init_memory(&stream, run, text);
    enum ice_status status = ice_json_init(&json, &stream, run, NULL, NULL, err);
    if (status < 0)
        goto done;
    status = ice_json_next(&json, &event, err);
    if (status < 0)
        goto done;
    if (event.kind != ICE_JSON_OBJECT) {
        status =
            ice_error_set(err, ICE_EFORMAT, NULL, event.offset, "a schema is no object");
        goto done;
    }
    status = ice_schema_read(&json, run, arena, NULL, NULL, out, err);
    if (status < 0)
        goto done;
    /* what stands behind the value must be nothing */
    status = ice_json_next(&json, &event, err);
done:
    if (status < 0)
        ice_schema_release(out);
    ice_json_release(&json);
    ice_stream_release(&stream);
    return status < 0 ? status : ICE_OK;
}

const struct ice_field *ice_schema_field(const struct ice_schema *schema, int32_t id) {
    size_t at = SIZE_MAX;
    uint32_t index;
    uint64_t key = ice_hash_mix((uint64_t)id, schema->hash_seed);
    while (ice_table_next(&schema->by_id, key, &at, &index)) {
        if (schema->fields[index].id == id)
            return &schema->fields[index];
    }
    return NULL;
}

enum ice_status ice_schema_full_name(const struct ice_schema *schema,
                                     const struct ice_field *field, struct ice_buf *out) {
    /* measured first, then filled from the end: the chain runs from child to parent */
    size_t size = 0;
    for (const struct ice_field *f = field;; f = &schema->fields[f->parent]) {
        size += f->name.size + 1;
        if (f->parent == ICE_NO_PARENT)
            break;
    }
    ICE_TRY(ice_buf_reserve(out, size));
    size_t end = out->size + size - 1;
    out->size = end;
    for (const struct ice_field *f = field;; f = &schema->fields[f->parent]) {
        end -= f->name.size;
        if (f->name.size > 0)
            memcpy(out->data + end, f->name.data, f->name.size);
        if (f->parent == ICE_NO_PARENT)
            break;
        out->data[--end] = '.';
    }
    return ICE_OK;
}

static bool field_equal(const struct ice_field *a, const struct ice_field *b, bool deep) {
    if (a->id != b->id || a->parent != b->parent || a->role != b->role ||
        a->has != b->has || a->required != b->required ||
        !ice_type_equal(&a->type, &b->type) || !ice_str_equal(a->name, b->name))
        return false;
    return !deep || (ice_str_equal(a->doc, b->doc) &&
                     ice_str_equal(a->initial_default, b->initial_default) &&
                     ice_str_equal(a->write_default, b->write_default));
}

/* Identifier ids are a set. */
static bool holds_all(const struct ice_schema *a, const struct ice_schema *b) {
    for (size_t i = 0; i < a->n_identifier_ids; i++) {
        size_t j = 0;
        while (j < b->n_identifier_ids && b->identifier_ids[j] != a->identifier_ids[i])
            j++;
        if (j == b->n_identifier_ids)
            return false;
    }
    return true;
}

static bool identifiers_equal(const struct ice_schema *a, const struct ice_schema *b) {
    size_t n = a->n_identifier_ids;
    /* the usual case is the same order; the set comparison is for short lists only */
    if (n == b->n_identifier_ids &&
        (n == 0 || memcmp(a->identifier_ids, b->identifier_ids,
                          n * sizeof(*a->identifier_ids)) == 0))
        return true;
    if (n > 1000 || b->n_identifier_ids > 1000)
        return false;
    return holds_all(a, b) && holds_all(b, a);
}

bool ice_schema_equal(const struct ice_schema *a, const struct ice_schema *b, bool deep) {
    if (a->n_fields != b->n_fields || a->is_struct != b->is_struct)
        return false;
    for (size_t i = 0; i < a->n_fields; i++) {
        if (!field_equal(&a->fields[i], &b->fields[i], deep))
            return false;
    }
    return identifiers_equal(a, b);
}
