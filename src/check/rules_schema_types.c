/*
 * schema.type.*, decimal, fixed, unknown and geo types: each field's type by itself.
 */
#include "check/layout_rules.h"

#include "base/error.h"

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

static uint64_t key_hash(const struct ice_layouts *l, struct ice_str key) {
    return ice_hash64(key, l->p.ck->run->hash_seed);
}

static enum ice_status take_property_keys(struct ice_layouts *l) {
    const struct ice_metadata *m = l->p.m;
    if (l->has_property_keys)
        return ICE_OK;
    for (size_t i = 0; i < m->n_properties; i++) {
        const struct ice_str key = m->properties[i].key;
        ICE_TRY(ice_table_put(&l->property_keys, key_hash(l, key), (uint32_t)i));
    }
    l->has_property_keys = true;
    return ICE_OK;
}

/* crs `projjson:<p>` is kept in table property p. */
static enum ice_status find_lost_property(const struct typed_field *t, struct ice_str crs,
                                          bool *out_lost) {
    const struct ice_str prefix = ICE_STR("projjson:");
    struct ice_layouts *l = t->l;
    size_t slot = SIZE_MAX;
    uint32_t index;
    *out_lost = false;
    if (!ice_str_starts(crs, prefix))
        return ICE_OK;
    ICE_TRY(take_property_keys(l));
    const struct ice_str key = ice_str_from_index(crs, prefix.size);
    while (ice_table_next(&l->property_keys, key_hash(l, key), &slot, &index)) {
        if (ice_str_equal(l->p.m->properties[index].key, key))
            return ICE_OK;
    }
    *out_lost = true;
    return ICE_OK;
}

/* A known one: ICE_OFF; in other case, which PyIceberg refuses: a warning. */
static enum ice_severity judge_algorithm(struct ice_str algorithm) {
    static const char *const known[] = {"spherical", "vincenty", "thomas", "andoyer",
                                        "karney"};
    for (size_t i = 0; i < ICE_COUNT_OF(known); i++) {
        if (ice_str_equal_nocase(algorithm, ice_str_from(known[i])))
            return ice_str_is(algorithm, known[i]) ? ICE_OFF : ICE_WARN;
    }
    return ICE_ERROR;
}

static enum ice_status check_geo(const struct typed_field *t) {
    const struct ice_type *type = &t->field->type;
    bool is_lost = false;
    /* `geometry` alone has a crs, OGC:CRS84; `geometry()` has none */
    bool is_given = type->crs.data != NULL;
    if (is_given && (type->crs.size == 0 || type->crs.data[0] == '{'))
        report_by_need(t, ICE_RULE_SCHEMA_GEO_CRS_INVALID);
    else if (is_given)
        ICE_TRY(find_lost_property(t, type->crs, &is_lost));
    if (is_lost)
        report_by_need(t, ICE_RULE_SCHEMA_GEO_CRS_PROPERTY_MISSING);
    if (type->algorithm.data != NULL && judge_algorithm(type->algorithm) != ICE_OFF)
        report(t, ICE_RULE_SCHEMA_GEO_ALGORITHM, judge_algorithm(type->algorithm));
    return ICE_OK;
}

static enum ice_status check_version_3(const struct typed_field *t) {
    const struct ice_type *type = &t->field->type;
    /* map keys are required */
    if (type->kind == ICE_TYPE_UNKNOWN && t->field->required)
        report(t, ICE_RULE_SCHEMA_UNKNOWN_REQUIRED, ICE_DEFAULT);
    if (type->kind == ICE_TYPE_GEOMETRY || type->kind == ICE_TYPE_GEOGRAPHY)
        return check_geo(t);
    return ICE_OK;
}

/* ---- one field ---- */

static enum ice_status check_type(const struct typed_field *t) {
    const struct ice_type *type = &t->field->type;
    if (!(t->field->has & ICE_FIELD_HAS_TYPE))
        return ICE_OK;
    if (type->kind == ICE_TYPE_BAD) {
        report(t, ICE_RULE_SCHEMA_TYPE_UNKNOWN, ICE_DEFAULT);
        return ICE_OK;
    }
    if (!type->canonical)
        report(t, ICE_RULE_SCHEMA_TYPE_NOT_CANONICAL, ICE_DEFAULT);
    check_numbers(t);
    if (t->l->p.version >= 3)
        return check_version_3(t);
    if (is_of_version_3(type->kind))
        FOUND_AS(t->l->p.emit, ICE_RULE_SCHEMA_TYPE_MIN_VERSION,
                 ice_layout_severity(t->is_needed, ICE_RULE_SCHEMA_TYPE_MIN_VERSION),
                 at(t), arg_str("name", t->field->name), arg_str("type", type->text),
                 arg_i64("version", t->l->p.version));
    return ICE_OK;
}

enum ice_status ice_rules_schema_types(struct ice_layouts *l, const struct ice_schema *s,
                                       bool is_needed) {
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct typed_field t = {l, s, &s->fields[i], is_needed};
        if (i % 1024 == 0 && ice_check_cancelled(l->p.ck))
            return ICE_ECANCELLED;
        ICE_TRY(check_type(&t));
    }
    return ICE_OK;
}
