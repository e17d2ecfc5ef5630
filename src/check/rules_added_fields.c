/*
 * schema.default.required-added: a required field that older schemas lack, though they
 * have the struct that it is in. Rows written before have no value for it.
 *
 * Schemas are gone through by ascending id. Of each field it is counted how many schemas
 * had it so far, and of each struct how many had that: a field with a smaller count is
 * new. One that came with REPLACE TABLE has no rows before it. Some 50 bytes a distinct
 * field.
 */
#include "check/layout_rules.h"

#include "base/error.h"
#include "iceberg/default_value.h"

/* A field id below a parent, over the schemas so far. */
struct seen {
    uint32_t n_schemas;  /* that have it there */
    uint32_t n_structs;  /* ... as a struct */
    bool is_of_new_line; /* its first schema meets no older one */
    uint8_t told;        /* 1: of a schema that nothing needs; 2: of a needed one */
};

struct added {
    struct ice_layouts *l;
    struct ice_table by_field;  /* of parent id and id -> seen */
    struct ice_table by_struct; /* of the id of a struct -> seen */
    struct seen *seen;
    size_t n_seen, cap_seen;
    uint32_t n_before; /* schemas so far */
    uint64_t lines;    /* ... theirs */
};

/* NULL: out of memory. */
static struct seen *seen_of(struct added *a, struct ice_table *table, uint64_t key) {
    size_t slot = SIZE_MAX;
    uint32_t index;
    if (ice_table_next(table, key, &slot, &index))
        return &a->seen[index];
    if (a->n_seen >= UINT32_MAX ||
        !ice_array_reserve(&a->l->p.ck->run->alloc, &a->seen, a->n_seen, &a->cap_seen,
                           sizeof(*a->seen)) ||
        ice_table_put(table, key, (uint32_t)a->n_seen) < 0)
        return NULL;
    a->seen[a->n_seen] = (struct seen){0};
    return &a->seen[a->n_seen++];
}

static uint64_t struct_key(const struct ice_schema *s, const struct ice_field *field) {
    return ice_hash_mix((uint64_t)field->id, s->hash_seed);
}

static uint64_t field_key(const struct ice_schema *s, const struct ice_field *field) {
    uint64_t parent = field->parent == ICE_NO_PARENT
                          ? s->hash_seed
                          : struct_key(s, &s->fields[field->parent]);
    return ice_hash_mix(parent ^ struct_key(s, field), s->hash_seed);
}

/* An id that stands twice is not one field. */
static bool is_usable(const struct ice_schema *s, const struct ice_field *field) {
    return (field->has & ICE_FIELD_HAS_ID) && ice_layout_field(s, field->id) != NULL;
}

static void report(struct added *a, const struct ice_schema *s,
                   const struct ice_field *field, struct seen *seen, bool is_needed) {
    const enum ice_rule_id rule = ICE_RULE_SCHEMA_DEFAULT_REQUIRED_ADDED;
    uint8_t told = is_needed ? 2 : 1;
    if (seen->told >= told)
        return;
    seen->told = told;
    FOUND_AS(a->l->p.emit, rule, ice_layout_severity(is_needed, rule),
             ice_layout_at(a->l, s->pointer, field->pointer, ""),
             arg_i64("id", field->id), arg_str("name", field->name),
             arg_i64("schema", s->schema_id));
}

static enum ice_status judge(struct added *a, size_t index,
                             const struct ice_field *field) {
    const struct ice_schema *s = &a->l->schemas[index];
    const bool is_needed = a->l->schema_needed[index];
    const uint64_t lines = a->l->schema_lines[index];
    if (field->role != ICE_ROLE_FIELD || !is_usable(s, field) || !field->required ||
        !ice_default_is_null(field->initial_default))
        return ICE_OK;
    uint32_t had_parent = a->n_before;
    if (field->parent != ICE_NO_PARENT) {
        const struct ice_field *parent = &s->fields[field->parent];
        if (!is_usable(s, parent))
            return ICE_OK;
        const struct seen *structs = seen_of(a, &a->by_struct, struct_key(s, parent));
        if (structs == NULL)
            return ICE_ENOMEM;
        had_parent = structs->n_structs;
    }
    struct seen *seen = seen_of(a, &a->by_field, field_key(s, field));
    if (seen == NULL)
        return ICE_ENOMEM;
    if (seen->n_schemas == 0 && seen->told == 0)
        seen->is_of_new_line = (a->lines & lines) == 0;
    if (seen->n_schemas < had_parent)
        report(a, s, field, seen, is_needed && !seen->is_of_new_line);
    return ICE_OK;
}

static enum ice_status count(struct added *a, const struct ice_schema *s,
                             const struct ice_field *field) {
    if (!is_usable(s, field))
        return ICE_OK;
    struct seen *seen = seen_of(a, &a->by_field, field_key(s, field));
    if (seen == NULL)
        return ICE_ENOMEM;
    seen->n_schemas++;
    if (field->type.kind != ICE_TYPE_STRUCT)
        return ICE_OK;
    struct seen *structs = seen_of(a, &a->by_struct, struct_key(s, field));
    if (structs == NULL)
        return ICE_ENOMEM;
    structs->n_structs++;
    return ICE_OK;
}

static enum ice_status take_schema(struct added *a, size_t index) {
    const struct ice_schema *s = &a->l->schemas[index];
    for (size_t i = 0; i < s->n_fields; i++)
        ICE_TRY(judge(a, index, &s->fields[i]));
    for (size_t i = 0; i < s->n_fields; i++)
        ICE_TRY(count(a, s, &s->fields[i]));
    a->lines |= a->l->schema_lines[index];
    a->n_before++;
    return ICE_OK;
}

enum ice_status ice_rules_added_fields(struct ice_layouts *l, struct ice_error *err) {
    struct ice_alloc *alloc = &l->p.ck->run->alloc;
    struct added a = {.l = l};
    const size_t n = l->n_schemas;
    if (n < 2 || n >= UINT32_MAX)
        return ICE_OK;
    struct ice_keyed *order = ice_calloc(alloc, n, sizeof(*order));
    if (order == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < n; i++)
        order[i] = (struct ice_keyed){
            (uint64_t)((int64_t)l->schemas[i].schema_id - INT32_MIN), (uint32_t)i};
    ice_keyed_sort(order, n);
    ice_table_init(&a.by_field, alloc);
    ice_table_init(&a.by_struct, alloc);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < n && status >= 0; i++)
        if (l->schemas[order[i].index].is_struct)
            status = take_schema(&a, order[i].index);
    ice_table_release(&a.by_field);
    ice_table_release(&a.by_struct);
    ice_array_free(alloc, &a.seen, &a.cap_seen, sizeof(*a.seen));
    ice_free(alloc, order, n * sizeof(*order));
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
