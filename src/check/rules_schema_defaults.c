/*
 * schema.default.*: the defaults of each field by themselves. Against other schemas:
 * rules_evolution.c.
 */
#include "check/layout_rules.h"

#include "base/error.h"
#include "iceberg/default_value.h"

/* One of the two defaults of a field. */
struct some_default {
    struct ice_layouts *l;
    const struct ice_schema *s;
    const struct ice_field *field;
    bool is_needed;
    struct ice_str json;
    const char *member; /* "/initial-default" ... */
};

static const struct ice_place *at(const struct some_default *d) {
    return ice_layout_at(d->l, d->s->pointer, d->field->pointer, d->member);
}

static void report(const struct some_default *d, enum ice_rule_id rule,
                   enum ice_severity severity) {
    FOUND_AS(d->l->p.emit, rule, severity, at(d), arg_str("name", d->field->name),
             arg_text("member", d->member + 1), arg_str("value", d->json),
             arg_str("type", d->field->type.text));
}

static void report_faults(const struct some_default *d, unsigned faults) {
    if (faults & ICE_DEFAULT_FORBIDDEN)
        report(d, ICE_RULE_SCHEMA_DEFAULT_FORBIDDEN, ICE_DEFAULT);
    if (faults & ICE_DEFAULT_WRONG)
        report(d, ICE_RULE_SCHEMA_DEFAULT_FORM, ICE_ERROR);
    else if (faults & ICE_DEFAULT_LOOSE)
        report(d, ICE_RULE_SCHEMA_DEFAULT_FORM, ICE_WARN);
    if (faults & ICE_DEFAULT_STRUCT_VALUES)
        report(
            d, ICE_RULE_SCHEMA_DEFAULT_STRUCT_HAS_VALUES,
            ice_layout_severity(d->is_needed, ICE_RULE_SCHEMA_DEFAULT_STRUCT_HAS_VALUES));
    if (faults & ICE_DEFAULT_FLOAT_INTEGER)
        report(d, ICE_RULE_SCHEMA_DEFAULT_FLOAT_INTEGER,
               ice_layout_severity(d->is_needed, ICE_RULE_SCHEMA_DEFAULT_FLOAT_INTEGER));
    if (faults & ICE_DEFAULT_HEX_CASE)
        report(d, ICE_RULE_SCHEMA_DEFAULT_UUID_HEX_CASE, ICE_DEFAULT);
}

static enum ice_status check_default(const struct some_default *d,
                                     const struct ice_default_checker *checker,
                                     struct ice_error *err) {
    unsigned faults;
    if (ice_default_is_null(d->json) || d->field->type.kind == ICE_TYPE_BAD)
        return ICE_OK;
    if (d->l->p.version < 3) {
        FOUND_AS(d->l->p.emit, ICE_RULE_SCHEMA_DEFAULT_MIN_VERSION,
                 ice_layout_severity(d->is_needed, ICE_RULE_SCHEMA_DEFAULT_MIN_VERSION),
                 at(d), arg_str("name", d->field->name),
                 arg_text("member", d->member + 1), arg_i64("version", d->l->p.version));
        return ICE_OK;
    }
    uint32_t index = (uint32_t)(d->field - d->s->fields);
    ICE_TRY(ice_default_check(checker, index, d->json, &faults, err));
    report_faults(d, faults);
    return ICE_OK;
}

static enum ice_status check_field(struct ice_layouts *l, const struct ice_schema *s,
                                   const struct ice_field *field, bool is_needed,
                                   const struct ice_default_checker *checker,
                                   struct ice_error *err) {
    struct some_default d = {
        l, s, field, is_needed, field->initial_default, "/initial-default"};
    ICE_TRY(check_default(&d, checker, err));
    d.json = field->write_default;
    d.member = "/write-default";
    ICE_TRY(check_default(&d, checker, err));
    if (l->p.version >= 3 && field->required &&
        !ice_default_is_null(field->initial_default) &&
        ice_default_is_null(field->write_default))
        FOUND_AS(l->p.emit, ICE_RULE_SCHEMA_DEFAULT_WRITE_MISSING,
                 ice_layout_severity(is_needed, ICE_RULE_SCHEMA_DEFAULT_WRITE_MISSING),
                 ice_layout_at(l, s->pointer, field->pointer, ""),
                 arg_str("name", field->name));
    return ICE_OK;
}

enum ice_status ice_rules_schema_defaults(struct ice_layouts *l,
                                          const struct ice_schema *s, bool is_needed,
                                          struct ice_error *err) {
    struct ice_default_checker checker = {0};
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < s->n_fields && status >= 0; i++) {
        const struct ice_field *field = &s->fields[i];
        if (field->initial_default.size == 0 && field->write_default.size == 0)
            continue;
        if (checker.run == NULL)
            status = ice_default_checker_init(&checker, s, l->p.ck->run);
        if (status >= 0)
            status = check_field(l, s, field, is_needed, &checker, err);
    }
    ice_default_checker_release(&checker);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}
