/*
 * schema.field.name.*: equal, nearly equal and empty names among siblings, and full names
 * that collide. Takes some 80 bytes a field while it runs.
 */
#include "check/layout_rules.h"

#include "base/error.h"
#include "iceberg/schema_names.h"

struct sibling_names {
    struct ice_layouts *l;
    const struct ice_schema *s;
    bool is_needed;
    struct ice_table exact, folded; /* of parent and name -> index */
    bool *is_duplicate; /* by index: it or a parent has the name of a sibling */
};

static const struct ice_place *at(const struct sibling_names *n,
                                  const struct ice_field *field) {
    return ice_layout_at(n->l, n->s->pointer, field->pointer, "/name");
}

static bool has_own_name(const struct ice_field *field) {
    return field->role == ICE_ROLE_FIELD && (field->has & ICE_FIELD_HAS_NAME);
}

/* Fold ASCII; names of other alphabets are compared as they stand. */
static uint64_t print_of(const struct sibling_names *n, const struct ice_field *field,
                         bool fold) {
    char piece[64];
    const struct ice_str name = field->name;
    uint64_t seed = n->s->hash_seed, print = ice_hash_mix(field->parent, seed);
    for (size_t i = 0; i < name.size; i += sizeof(piece)) {
        struct ice_str part = ice_str_first(ice_str_from_index(name, i), sizeof(piece));
        for (size_t k = 0; k < part.size; k++) {
            char c = part.data[k];
            piece[k] = fold && c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        }
        print =
            ice_hash_mix(print ^ ice_hash64(ice_str_make(piece, part.size), seed), seed);
    }
    return print;
}

/* The first sibling of that name before, or NULL; else it is remembered. */
static enum ice_status find_sibling(const struct sibling_names *n,
                                    struct ice_table *table, uint32_t index, bool fold,
                                    const struct ice_field **out) {
    const struct ice_field *fields = n->s->fields, *field = &fields[index];
    uint64_t key = print_of(n, field, fold);
    size_t slot = SIZE_MAX;
    uint32_t other;
    *out = NULL;
    while (ice_table_next(table, key, &slot, &other)) {
        if (fields[other].parent != field->parent ||
            !(fold ? ice_str_equal_nocase(fields[other].name, field->name)
                   : ice_str_equal(fields[other].name, field->name)))
            continue;
        *out = &fields[other];
        return ICE_OK;
    }
    return ice_table_put(table, key, index);
}

static enum ice_status check_name(struct sibling_names *n, uint32_t index) {
    const struct ice_field *field = &n->s->fields[index], *first;
    struct ice_emit *emit = n->l->p.emit;
    if (field->parent != ICE_NO_PARENT)
        n->is_duplicate[index] = n->is_duplicate[field->parent];
    if (!has_own_name(field))
        return ICE_OK;
    struct ice_arg name = arg_str("name", field->name);
    if (field->name.size == 0)
        FOUND_AS(emit, ICE_RULE_SCHEMA_FIELD_NAME_EMPTY,
                 ice_layout_severity(n->is_needed, ICE_RULE_SCHEMA_FIELD_NAME_EMPTY),
                 at(n, field), arg_i64("id", field->id));
    ICE_TRY(find_sibling(n, &n->exact, index, false, &first));
    if (first != NULL) {
        n->is_duplicate[index] = true;
        FOUND(emit, ICE_RULE_SCHEMA_FIELD_NAME_DUPLICATE, at(n, field), name,
              arg_str("first", first->pointer));
        return ICE_OK;
    }
    ICE_TRY(find_sibling(n, &n->folded, index, true, &first));
    if (first != NULL)
        FOUND_AS(
            emit, ICE_RULE_SCHEMA_FIELD_NAME_CASE_COLLISION,
            ice_layout_severity(n->is_needed, ICE_RULE_SCHEMA_FIELD_NAME_CASE_COLLISION),
            at(n, field), name, arg_str("other", first->name));
    return ICE_OK;
}

/* Without a dot in any name, equal full names have equal siblings on their way. */
static bool any_dot(const struct ice_schema *s) {
    for (size_t i = 0; i < s->n_fields; i++) {
        if (ice_str_find(s->fields[i].name, '.') != SIZE_MAX)
            return true;
    }
    return false;
}

static enum ice_status check_paths(struct sibling_names *n) {
    struct ice_schema_names names = {0};
    if (!any_dot(n->s))
        return ICE_OK;
    enum ice_status status = ice_schema_names_init(&names, n->s, &n->l->p.ck->run->alloc);
    for (size_t i = 0; i < n->s->n_fields && status >= 0; i++) {
        const struct ice_field *field = &n->s->fields[i];
        size_t first = ice_schema_names_first(&names, i);
        if (first == i || n->is_duplicate[i] || n->is_duplicate[first])
            continue;
        FOUND(n->l->p.emit, ICE_RULE_SCHEMA_FIELD_NAME_PATH_COLLISION,
              ice_layout_at(n->l, n->s->pointer, field->pointer,
                            has_own_name(field) ? "/name" : ""),
              arg_str("name", field->name), arg_str("other", n->s->fields[first].name),
              arg_str("first", n->s->fields[first].pointer));
    }
    ice_schema_names_release(&names);
    return status;
}

enum ice_status ice_rules_schema_names(struct ice_layouts *l, const struct ice_schema *s,
                                       bool is_needed, struct ice_error *err) {
    struct ice_alloc *alloc = &l->p.ck->run->alloc;
    struct sibling_names n = {.l = l, .s = s, .is_needed = is_needed};
    if (s->n_fields == 0)
        return ICE_OK;
    ice_table_init(&n.exact, alloc);
    ice_table_init(&n.folded, alloc);
    n.is_duplicate = ice_calloc(alloc, s->n_fields, sizeof(bool));
    enum ice_status status = n.is_duplicate != NULL ? ICE_OK : ICE_ENOMEM;
    for (size_t i = 0; i < s->n_fields && status >= 0; i++)
        status = check_name(&n, (uint32_t)i);
    if (status >= 0)
        status = check_paths(&n);
    ice_table_release(&n.exact);
    ice_table_release(&n.folded);
    ice_free(alloc, n.is_duplicate, s->n_fields * sizeof(bool));
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
