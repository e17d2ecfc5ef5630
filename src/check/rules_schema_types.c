/*
 * schema.type.*, decimal, fixed, unknown and geo types: each field's type by itself.
 */
#include "check/layout_rules.h"

struct typed_field {
    struct ice_layouts *l;
    const struct ice_schema *s;
    const struct ice_field *field;
    bool is_needed;
};

static const struct ice_place *at(const struct typed_field *t) {
    static const char *const members[] = {
        [ICE_ROLE_FIELD] = "/type",
        [ICE_ROLE_ELEMENT] = "",
        [ICE_ROLE_KEY] = "",
        [ICE_ROLE_VALUE] = "",
    };
    /* the pointer of an element, key or value is that of its type */
    return ice_layout_at(t->l, t->s->pointer, t->field->pointer, members[t->field->role]);
}

static void report(const struct typed_field *t, enum ice_rule_id rule,
                   enum ice_severity severity) {
    FOUND_AS(t->l->p.emit, rule, severity, at(t), arg_str("name", t->field->name),
             arg_str("type", t->field->type.text));
}

static void report_by_need(const struct typed_field *t, enum ice_rule_id rule) {
    report(t, rule, ice_layout_severity(t->is_needed, rule));
}

static bool is_of_version_3(enum ice_type_kind kind) {
    return kind == ICE_TYPE_UNKNOWN || kind == ICE_TYPE_VARIANT ||
           kind == ICE_TYPE_GEOMETRY || kind == ICE_TYPE_GEOGRAPHY ||
           kind == ICE_TYPE_TIMESTAMP_NS || kind == ICE_TYPE_TIMESTAMPTZ_NS;
}

/* Java reads lengths and scales as int: beyond that it loads no table, whatever the
 * schema is for. */
static void check_numbers(const struct typed_field *t) {
    const struct ice_type *type = &t->field->type;
    if (type->kind == ICE_TYPE_DECIMAL) {
        if (type->precision > 38 || type->precision < 1)
            report(t, ICE_RULE_SCHEMA_DECIMAL_PRECISION,
                   type->precision > 38 ? ICE_ERROR : ICE_WARN);
        if (type->scale > INT32_MAX)
            report(t, ICE_RULE_SCHEMA_DECIMAL_SCALE, ICE_ERROR);
        else if (type->scale > type->precision)
            report_by_need(t, ICE_RULE_SCHEMA_DECIMAL_SCALE);
    }
    if (type->kind == ICE_TYPE_FIXED && type->length > INT32_MAX)
        report(t, ICE_RULE_SCHEMA_FIXED_LENGTH, ICE_ERROR);
    else if (type->kind == ICE_TYPE_FIXED && type->length < 1)
        report_by_need(t, ICE_RULE_SCHEMA_FIXED_LENGTH);
}

/* ---- version 3 ---- */

/* crs `projjson:<p>` is kept in table property p. */
static bool names_lost_property(const struct typed_field *t, struct ice_str crs) {
    const struct ice_str prefix = ICE_STR("projjson:");
    const struct ice_metadata *m = t->l->p.m;
    if (!ice_str_starts(crs, prefix))
        return false;
    struct ice_str key = ice_str_from_index(crs, prefix.size);
    for (size_t i = 0; i < m->n_properties; i++) {
        if (ice_str_equal(m->properties[i].key, key))
            return false;
    }
    return true;
}

static bool is_known_algorithm(struct ice_str algorithm) {
    static const char *const known[] = {"spherical", "vincenty", "thomas", "andoyer",
                                        "karney"};
    for (size_t i = 0; i < ICE_COUNT_OF(known); i++) {
        if (ice_str_equal_nocase(algorithm, ice_str_from(known[i])))
            return true;
    }
    return false;
}

static void check_geo(const struct typed_field *t) {
    const struct ice_type *type = &t->field->type;
    /* `geometry` alone has a crs, OGC:CRS84; `geometry()` has none */
    bool is_given = type->crs.data != NULL;
    if (is_given && (type->crs.size == 0 || type->crs.data[0] == '{'))
        report_by_need(t, ICE_RULE_SCHEMA_GEO_CRS_INVALID);
    else if (is_given && names_lost_property(t, type->crs))
        report_by_need(t, ICE_RULE_SCHEMA_GEO_CRS_PROPERTY_MISSING);
    if (type->algorithm.data != NULL && !is_known_algorithm(type->algorithm))
        report(t, ICE_RULE_SCHEMA_GEO_ALGORITHM, ICE_DEFAULT);
}

static void check_version_3(const struct typed_field *t) {
    const struct ice_type *type = &t->field->type;
    /* map keys are required */
    if (type->kind == ICE_TYPE_UNKNOWN && t->field->required)
        report(t, ICE_RULE_SCHEMA_UNKNOWN_REQUIRED, ICE_DEFAULT);
    if (type->kind == ICE_TYPE_GEOMETRY || type->kind == ICE_TYPE_GEOGRAPHY)
        check_geo(t);
}

/* ---- one field ---- */

static void check_type(const struct typed_field *t) {
    const struct ice_type *type = &t->field->type;
    if (!(t->field->has & ICE_FIELD_HAS_TYPE))
        return;
    if (type->kind == ICE_TYPE_BAD) {
        report(t, ICE_RULE_SCHEMA_TYPE_UNKNOWN, ICE_DEFAULT);
        return;
    }
    if (!type->canonical)
        report_by_need(t, ICE_RULE_SCHEMA_TYPE_NOT_CANONICAL);
    check_numbers(t);
    if (t->l->p.version >= 3)
        check_version_3(t);
    else if (is_of_version_3(type->kind))
        FOUND_AS(t->l->p.emit, ICE_RULE_SCHEMA_TYPE_MIN_VERSION,
                 ice_layout_severity(t->is_needed, ICE_RULE_SCHEMA_TYPE_MIN_VERSION),
                 at(t), arg_str("name", t->field->name), arg_str("type", type->text),
                 arg_i64("version", t->l->p.version));
}

void ice_rules_schema_types(struct ice_layouts *l, const struct ice_schema *s,
                            bool is_needed) {
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct typed_field t = {l, s, &s->fields[i], is_needed};
        check_type(&t);
    }
}
