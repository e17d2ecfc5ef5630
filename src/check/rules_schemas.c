/*
 * schema.*: the root and the attributes and ids of fields. Names: rules_schema_names.c;
 * types: rules_schema_types.c; identifiers, defaults and evolution have files of their
 * own.
 */
#include "check/layout_rules.h"

#include "base/error.h"

/* Above are the metadata columns of readers (spec: #reserved-field-ids). */
static const int32_t last_free_id = 2147483447;

static const struct ice_place *at(struct ice_layouts *l, const struct ice_schema *s,
                                  const struct ice_field *field, const char *member) {
    return ice_layout_at(l, s->pointer, field->pointer, member);
}

static void check_root(struct ice_layouts *l, const struct ice_schema *s, bool is_listed,
                       bool is_needed) {
    if (!s->is_struct && !s->bad_root)
        FOUND(l->p.emit, ICE_RULE_SCHEMA_ROOT_NOT_STRUCT,
              ice_layout_at(l, s->pointer, ICE_STR_NONE, ""),
              arg_i64("schema", s->schema_id));
    if (is_listed && l->p.version >= 2 && !s->has_schema_id && !s->bad_schema_id)
        FOUND_AS(l->p.emit, ICE_RULE_SCHEMA_SCHEMA_ID_MISSING,
                 ice_layout_severity(is_needed, ICE_RULE_SCHEMA_SCHEMA_ID_MISSING),
                 ice_layout_at(l, s->pointer, ICE_STR_NONE, ""), ARG_NONE);
}

/* ---- attributes ---- */

static void lacks(struct ice_layouts *l, const struct ice_schema *s,
                  const struct ice_field *field, uint8_t bit, const char *attribute) {
    if ((field->has | field->bad) & bit)
        return;
    if (field->role == ICE_ROLE_FIELD)
        FOUND(l->p.emit, ICE_RULE_SCHEMA_FIELD_ATTRIBUTE_MISSING, at(l, s, field, ""),
              arg_str("name", field->name), arg_text("attribute", attribute));
    else
        FOUND(l->p.emit, ICE_RULE_SCHEMA_NESTED_ATTRIBUTE_MISSING, at(l, s, field, ""),
              arg_str("name", field->name), arg_text("attribute", attribute));
}

static void check_attributes(struct ice_layouts *l, const struct ice_schema *s,
                             const struct ice_field *field) {
    lacks(l, s, field, ICE_FIELD_HAS_ID, "id");
    if (field->role == ICE_ROLE_FIELD)
        lacks(l, s, field, ICE_FIELD_HAS_NAME, "name");
    if (field->role != ICE_ROLE_KEY)
        lacks(l, s, field, ICE_FIELD_HAS_REQUIRED, "required");
    lacks(l, s, field, ICE_FIELD_HAS_TYPE,
          field->type.kind == ICE_TYPE_STRUCT ? "fields in its type" : "type");
}

/* ---- ids ---- */

static void check_id(struct ice_layouts *l, const struct ice_schema *s,
                     const struct ice_field *field, bool is_needed) {
    struct ice_emit *emit = l->p.emit;
    if (!(field->has & ICE_FIELD_HAS_ID))
        return;
    struct ice_arg id = arg_i64("id", field->id);
    struct ice_arg name = arg_str("name", field->name);
    const struct ice_field *first = ice_schema_field(s, field->id);
    if (first != NULL && first != field)
        FOUND(emit, ICE_RULE_SCHEMA_FIELD_ID_DUPLICATE, at(l, s, field, ""),
              arg_i64("id", field->id), arg_str("name", field->name),
              arg_str("first", first->name), arg_str("place", first->pointer));
    if (field->id > last_free_id)
        FOUND_AS(emit, ICE_RULE_SCHEMA_FIELD_ID_RESERVED,
                 ice_layout_severity(is_needed, ICE_RULE_SCHEMA_FIELD_ID_RESERVED),
                 at(l, s, field, ""), id, name);
    if (field->id <= 0)
        FOUND_AS(emit, ICE_RULE_SCHEMA_FIELD_ID_NOT_POSITIVE,
                 field->id < 0 ? ICE_WARN : ICE_INFO, at(l, s, field, ""), id, name);
}

/* A column's id that a partition field has too: metadata tables take one for the other.
 */
static void check_partition_range(struct ice_layouts *l, const struct ice_schema *s,
                                  const struct ice_table *partition_ids) {
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct ice_field *field = &s->fields[i];
        size_t at_slot = SIZE_MAX;
        uint32_t spec;
        uint64_t key = ice_hash_mix((uint64_t)field->id, s->hash_seed);
        if ((field->has & ICE_FIELD_HAS_ID) &&
            ice_table_next(partition_ids, key, &at_slot, &spec))
            FOUND(l->p.emit, ICE_RULE_SCHEMA_FIELD_ID_PARTITION_RANGE,
                  at(l, s, field, ""), arg_i64("id", field->id),
                  arg_str("name", field->name), arg_i64("spec", l->specs[spec].spec_id));
    }
}

static enum ice_status take_partition_ids(const struct ice_layouts *l,
                                          struct ice_table *out) {
    for (size_t i = 0; i < l->n_specs; i++) {
        for (size_t k = 0; k < l->specs[i].n_fields; k++) {
            const struct ice_partition_field *field = &l->specs[i].fields[k];
            size_t at_slot = SIZE_MAX;
            uint32_t spec;
            uint64_t key =
                ice_hash_mix((uint64_t)field->field_id, l->p.ck->run->hash_seed);
            if ((field->has & ICE_PART_HAS_FIELD_ID) &&
                !ice_table_next(out, key, &at_slot, &spec))
                ICE_TRY(ice_table_put(out, key, (uint32_t)i));
        }
    }
    return ICE_OK;
}

/* ---- all ---- */

static enum ice_status check_schema(struct ice_layouts *l, size_t index,
                                    struct ice_error *err) {
    const struct ice_schema *s = &l->schemas[index];
    const bool is_needed = l->schema_needed[index];
    check_root(l, s, l->schemas == l->p.m->schemas, is_needed);
    for (size_t i = 0; i < s->n_fields; i++) {
        check_attributes(l, s, &s->fields[i]);
        check_id(l, s, &s->fields[i], is_needed);
    }
    ICE_TRY(ice_rules_schema_names(l, s, is_needed, err));
    enum ice_status status = ice_rules_schema_types(l, s, is_needed);
    if (status < 0)
        return status == ICE_ENOMEM ? ice_error_memory(err) : status;
    if (s->is_struct) /* else there are no fields to find them in */
        ice_rules_identifiers(l, s);
    return ice_rules_schema_defaults(l, s, is_needed, err);
}

enum ice_status ice_rules_schemas(struct ice_layouts *l, struct ice_error *err) {
    struct ice_table partition_ids;
    ice_table_init(&partition_ids, &l->p.ck->run->alloc);
    enum ice_status status = take_partition_ids(l, &partition_ids);
    if (status < 0)
        status = ice_error_memory(err);
    for (size_t i = 0; i < l->n_schemas && status >= 0; i++) {
        if (ice_check_cancelled(l->p.ck))
            status = ICE_ECANCELLED;
        if (status >= 0)
            status = check_schema(l, i, err);
        if (status >= 0)
            check_partition_range(l, &l->schemas[i], &partition_ids);
    }
    ice_table_release(&partition_ids);
    return status;
}
