/*
 * sort.*: sort orders. Java parses every order and binds the default one to the current
 * schema.
 */
#include "check/layout_rules.h"

struct order_rules {
    struct ice_layouts *l;
    const struct ice_sort_order *order;
    bool is_needed, is_default;
};

static const struct ice_place *
at(struct order_rules *r, const struct ice_sort_field *field, const char *member) {
    return ice_layout_at(r->l, field->pointer, ICE_STR_NONE, member);
}

static struct ice_arg order_arg(const struct order_rules *r) {
    return arg_i64("order", r->order->order_id);
}

/* ---- the order ---- */

static void check_order(struct order_rules *r) {
    const struct ice_sort_order *o = r->order;
    struct ice_emit *emit = r->l->p.emit;
    const struct ice_str none = ICE_STR_NONE;
    if (!o->has_order_id && !o->bad_order_id)
        FOUND(emit, ICE_RULE_SORT_ATTRIBUTE_MISSING,
              ice_layout_at(r->l, o->pointer, none, ""),
              arg_text("attribute", "order-id"));
    if (!o->has_fields && !o->bad_fields)
        FOUND(emit, ICE_RULE_SORT_ATTRIBUTE_MISSING,
              ice_layout_at(r->l, o->pointer, none, ""), arg_text("attribute", "fields"));
    if (!o->has_order_id || !o->has_fields)
        return;
    if (o->order_id == 0 && o->n_fields > 0)
        FOUND(emit, ICE_RULE_SORT_ZERO_WITH_FIELDS,
              ice_layout_at(r->l, o->pointer, none, "/fields"),
              arg_i64("count", (int64_t)o->n_fields));
    if (o->order_id != 0 && o->n_fields == 0)
        FOUND(emit, ICE_RULE_SORT_NONZERO_EMPTY,
              ice_layout_at(r->l, o->pointer, none, "/fields"), order_arg(r));
}

/* ---- attributes ---- */

static void lacks(struct order_rules *r, const struct ice_sort_field *field, uint8_t bit,
                  const char *attribute) {
    if (((field->has | field->bad) & bit) == 0)
        FOUND(r->l->p.emit, ICE_RULE_SORT_FIELD_ATTRIBUTE_MISSING, at(r, field, ""),
              order_arg(r), arg_text("attribute", attribute));
}

static void report_sources(struct order_rules *r, const struct ice_sort_field *field,
                           enum ice_severity severity, const char *what) {
    FOUND_AS(r->l->p.emit, ICE_RULE_SORT_FIELD_SOURCE_IDS, severity,
             at(r, field, "/source-ids"), order_arg(r), arg_text("what", what));
}

static void check_sources(struct order_rules *r, const struct ice_sort_field *field) {
    switch (ice_layout_sources(r->l->p.version, field->has, field->bad,
                               field->n_source_ids, &field->transform)) {
    case ICE_SOURCES_FINE:
        break;
    case ICE_SOURCES_MISSING:
        lacks(r, field, ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_SOURCE_IDS, "source-id");
        break;
    case ICE_SOURCES_EARLY:
        report_sources(r, field, ICE_ERROR, "before version 3");
        break;
    case ICE_SOURCES_EARLY_IGNORED:
        report_sources(r, field, ICE_WARN, "beside source-id before version 3");
        break;
    case ICE_SOURCES_SINGLE:
        report_sources(r, field,
                       ice_layout_severity(r->is_needed, ICE_RULE_SORT_FIELD_SOURCE_IDS),
                       "for one source, where source-id belongs");
        break;
    case ICE_SOURCES_BOTH:
        report_sources(r, field, r->is_needed ? ICE_WARN : ICE_INFO, "beside source-id");
        break;
    case ICE_SOURCES_ARITY:
        report_sources(r, field,
                       ice_layout_severity(r->is_needed, ICE_RULE_SORT_FIELD_SOURCE_IDS),
                       "for other than one source of a transform that takes one");
        break;
    }
}

/* One of two words: ICE_OFF; in other case, which PyIceberg refuses: a warning. */
static enum ice_severity judge_word(struct ice_str value, const char *first,
                                    const char *second) {
    if (ice_str_is(value, first) || ice_str_is(value, second))
        return ICE_OFF;
    return ice_str_equal_nocase(value, ice_str_from(first)) ||
                   ice_str_equal_nocase(value, ice_str_from(second))
               ? ICE_WARN
               : ICE_ERROR;
}

static void check_words(struct order_rules *r, const struct ice_sort_field *field) {
    struct ice_emit *emit = r->l->p.emit;
    enum ice_severity direction = ICE_OFF, nulls = ICE_OFF;
    if (field->has & ICE_PART_HAS_DIRECTION)
        direction = judge_word(field->direction, "asc", "desc");
    if (field->has & ICE_PART_HAS_NULL_ORDER)
        nulls = judge_word(field->null_order, "nulls-first", "nulls-last");
    if (direction != ICE_OFF)
        FOUND_AS(emit, ICE_RULE_SORT_FIELD_DIRECTION, direction,
                 at(r, field, "/direction"), order_arg(r),
                 arg_str("value", field->direction));
    if (nulls != ICE_OFF)
        FOUND_AS(emit, ICE_RULE_SORT_FIELD_NULL_ORDER, nulls, at(r, field, "/null-order"),
                 order_arg(r), arg_str("value", field->null_order));
}

/* ---- transform and source ---- */

static void report_transform(struct order_rules *r, const struct ice_sort_field *field,
                             enum ice_severity severity, const char *what) {
    FOUND_AS(r->l->p.emit, ICE_RULE_SORT_FIELD_TRANSFORM, severity,
             at(r, field, "/transform"), order_arg(r),
             arg_str("transform", field->transform.text), arg_text("what", what));
}

/* source: of the current schema; NULL: not known */
static void check_transform(struct order_rules *r, const struct ice_sort_field *field,
                            const struct ice_field *source) {
    const struct ice_transform *t = &field->transform;
    if (!(field->has & ICE_PART_HAS_TRANSFORM))
        return;
    if (ice_transform_is_refused(t))
        report_transform(r, field, ICE_ERROR, "has an argument of 0 or beyond int");
    else if (ice_transform_is_odd(t))
        report_transform(r, field, r->is_default ? ICE_WARN : ICE_INFO,
                         "has no argument, or one below 0");
    else if (t->kind == ICE_TRANSFORM_UNKNOWN)
        report_transform(r, field, ICE_INFO, "is not known");
    if (r->is_default && source != NULL && ice_type_is_primitive(&source->type) &&
        !ice_transform_allows(t, &source->type))
        report_transform(r, field, ICE_ERROR,
                         "cannot be applied to the type of its source");
}

static void check_source(struct order_rules *r, const struct ice_sort_field *field) {
    const struct ice_schema *schema = r->l->current;
    if (schema == NULL || !ice_layout_has_one_source(field->has, field->n_source_ids)) {
        check_transform(r, field, NULL);
        return;
    }
    const struct ice_field *any = ice_schema_field(schema, field->source_id);
    const struct ice_field *source = ice_layout_field(schema, field->source_id);
    bool is_nested = source != NULL && source->type.kind != ICE_TYPE_BAD &&
                     !ice_type_is_primitive(&source->type);
    /* an id that two columns have is schema.field.id.duplicate */
    if (any == NULL || is_nested)
        FOUND_AS(
            r->l->p.emit, ICE_RULE_SORT_FIELD_SOURCE,
            r->is_default ? ICE_ERROR : ICE_INFO, at(r, field, ""), order_arg(r),
            arg_i64("source", field->source_id),
            arg_text("what", is_nested ? "is not of a primitive type in" : "is not in"));
    check_transform(r, field, source);
}

/* ---- all ---- */

static bool is_same(const struct ice_sort_field *a, const struct ice_sort_field *b) {
    return a->source_id == b->source_id &&
           ice_transform_equal(&a->transform, &b->transform);
}

static void check_duplicate(struct order_rules *r, size_t index) {
    /* real orders have a handful of fields; what is behind is not compared */
    const size_t most = 100;
    const struct ice_sort_field *fields = r->order->fields, *field = &fields[index];
    if (!ice_layout_has_one_source(field->has, field->n_source_ids))
        return;
    for (size_t i = 0; i < index && i < most; i++) {
        if (!is_same(&fields[i], field))
            continue;
        FOUND(r->l->p.emit, ICE_RULE_SORT_FIELD_DUPLICATE, at(r, field, ""), order_arg(r),
              arg_i64("source", field->source_id),
              arg_str("transform", field->transform.text));
        return;
    }
}

void ice_rules_orders(struct ice_layouts *l) {
    for (size_t i = 0; i < l->n_orders; i++) {
        struct order_rules r = {l, &l->orders[i], l->order_needed[i],
                                i == l->default_order};
        check_order(&r);
        for (size_t k = 0; k < r.order->n_fields; k++) {
            const struct ice_sort_field *field = &r.order->fields[k];
            lacks(&r, field, ICE_PART_HAS_TRANSFORM, "transform");
            lacks(&r, field, ICE_PART_HAS_DIRECTION, "direction");
            lacks(&r, field, ICE_PART_HAS_NULL_ORDER, "null-order");
            check_sources(&r, field);
            check_words(&r, field);
            check_source(&r, field);
            check_duplicate(&r, k);
        }
    }
}
