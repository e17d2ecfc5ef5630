/*
 * schema.identifier.* (spec: #identifier-field-ids).
 */
#include "check/layout_rules.h"

static void report(struct ice_layouts *l, const struct ice_schema *s,
                   enum ice_rule_id rule, const struct ice_field *field) {
    FOUND(l->p.emit, rule,
          ice_layout_at(l, s->pointer, ICE_STR_NONE, "/identifier-field-ids"),
          arg_i64("id", field->id), arg_str("name", field->name));
}

/* The nearest optional struct around a field, NULL if there is none. */
static const struct ice_field *optional_parent(const struct ice_schema *s,
                                               const struct ice_field *field) {
    while (field->parent != ICE_NO_PARENT) {
        field = &s->fields[field->parent];
        if ((field->has & ICE_FIELD_HAS_REQUIRED) && !field->required)
            return field;
    }
    return NULL;
}

static void check_identifier(struct ice_layouts *l, const struct ice_schema *s,
                             int32_t id) {
    const struct ice_field *field = ice_schema_field(s, id);
    if (field == NULL) {
        FOUND(l->p.emit, ICE_RULE_SCHEMA_IDENTIFIER_DANGLING,
              ice_layout_at(l, s->pointer, ICE_STR_NONE, "/identifier-field-ids"),
              arg_i64("id", id), arg_i64("schema", s->schema_id));
        return;
    }
    if (ice_layout_field(s, id) == NULL)
        return; /* two fields have it: schema.field.id.duplicate */
    enum ice_type_kind kind = field->type.kind;
    if (kind != ICE_TYPE_BAD && !ice_type_is_primitive(&field->type))
        report(l, s, ICE_RULE_SCHEMA_IDENTIFIER_NOT_PRIMITIVE, field);
    if (kind == ICE_TYPE_FLOAT || kind == ICE_TYPE_DOUBLE)
        report(l, s, ICE_RULE_SCHEMA_IDENTIFIER_FLOAT, field);
    if ((field->has & ICE_FIELD_HAS_REQUIRED) && !field->required)
        report(l, s, ICE_RULE_SCHEMA_IDENTIFIER_OPTIONAL, field);
    if (ice_layout_in_collection(s, field)) {
        report(l, s, ICE_RULE_SCHEMA_IDENTIFIER_IN_COLLECTION, field);
        return;
    }
    const struct ice_field *parent = optional_parent(s, field);
    if (parent != NULL)
        FOUND(l->p.emit, ICE_RULE_SCHEMA_IDENTIFIER_OPTIONAL_PARENT,
              ice_layout_at(l, s->pointer, ICE_STR_NONE, "/identifier-field-ids"),
              arg_i64("id", id), arg_str("name", field->name),
              arg_str("parent", parent->name));
}

static bool stood_before(const struct ice_schema *s, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (s->identifier_ids[i] == s->identifier_ids[index])
            return true;
    }
    return false;
}

void ice_rules_identifiers(struct ice_layouts *l, const struct ice_schema *s) {
    /* more identifiers than fields repeat themselves; what is behind adds nothing */
    const size_t most = 1000;
    size_t n = s->n_identifier_ids;
    for (size_t i = 0; i < n; i++) {
        if (i < most && stood_before(s, i))
            FOUND(l->p.emit, ICE_RULE_SCHEMA_IDENTIFIER_DUPLICATE,
                  ice_layout_at(l, s->pointer, ICE_STR_NONE, "/identifier-field-ids"),
                  arg_i64("id", s->identifier_ids[i]));
        else
            check_identifier(l, s, s->identifier_ids[i]);
    }
}
