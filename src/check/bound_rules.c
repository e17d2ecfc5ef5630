/*
 * Group 18: lower and upper bounds of one entry. The quick answers of column_compare.c
 * pass nearly all; what they do not pass is judged here over every type that a schema
 * gives the id.
 */
#include "base/utf8.h"
#include "check/metrics.h"

#include <assert.h>

struct bound {
    const struct ice_manifest_walk *walk;
    const struct ice_table_column *column;
    enum ice_metric_map map;
    size_t position;
    struct ice_str value;
};

/* ---- wording ---- */

static struct ice_str text_of(const struct bound *bound, struct ice_buf *text) {
    const struct ice_type bad = {.kind = ICE_TYPE_BINARY};
    const struct ice_type *type = bound->column->shown;
    ice_buf_clear(text);
    if (!type || !ice_value_length_ok(type, bound->value.size))
        type = &bad;
    if (ice_value_to_text(type, bound->value, text) < 0)
        ice_emit_no_memory(bound->walk->ck->emit);
    return ice_buf_str(text);
}

static struct ice_arg name_arg(const struct bound *bound) {
    return arg_str("column", ice_column_name(bound->walk, bound->column->id));
}

static const char *type_name(const struct ice_table_column *column) {
    return column->shown ? ice_type_kind_name(column->shown->kind) : "no type";
}

/* Rules whose message has {map} {column} {value}. */
static void found_value(const struct bound *bound, enum ice_rule_id rule) {
    struct ice_row_place at;
    struct ice_metrics *metrics = bound->walk->metrics;
    ice_metric_place(bound->walk, bound->map, bound->position, &at);
    FOUND(bound->walk->ck->emit, rule, &at.place,
          arg_str("map", ice_metric_name(bound->walk, bound->map)), name_arg(bound),
          arg_str("value", text_of(bound, &metrics->other_text)));
}

static void found_length(const struct bound *bound) {
    struct ice_row_place at;
    ice_metric_place(bound->walk, bound->map, bound->position, &at);
    FOUND(bound->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_BOUND_LENGTH, &at.place,
          arg_str("map", ice_metric_name(bound->walk, bound->map)), name_arg(bound),
          arg_i64("size", (int64_t)bound->value.size),
          arg_text("type", type_name(bound->column)));
}

static void found_type(const struct bound *bound) {
    struct ice_row_place at;
    ice_metric_place(bound->walk, bound->map, bound->position, &at);
    FOUND(bound->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_BOUND_TYPE, &at.place,
          arg_str("map", ice_metric_name(bound->walk, bound->map)), name_arg(bound),
          arg_text("type", type_name(bound->column)));
}

static void found_geo(const struct bound *bound, const char *why) {
    struct ice_row_place at;
    ice_metric_place(bound->walk, bound->map, bound->position, &at);
    FOUND(bound->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_BOUND_GEO, &at.place,
          arg_str("map", ice_metric_name(bound->walk, bound->map)), name_arg(bound),
          arg_text("why", why));
}

/* ---- over all types ---- */

#define KIND(kind) (UINT32_C(1) << ICE_TYPE_##kind)
#define KINDS_WITHOUT_BOUND (KIND(UNKNOWN) | KIND(STRUCT) | KIND(LIST) | KIND(MAP))
#define KINDS_NOT_JUDGED (KIND(VARIANT) | KIND(BAD))
#define KINDS_GEO (KIND(GEOMETRY) | KIND(GEOGRAPHY))

/* Kinds of a column, and those of them whose values can have so many bytes. */
struct kinds {
    uint32_t all, legal;
};

static struct kinds kinds_of(const struct ice_table_column *column, size_t size) {
    struct kinds kinds = {0};
    for (const struct ice_column_type *t = column->types; t; t = t->next) {
        uint32_t bit = UINT32_C(1) << t->type.kind;
        kinds.all |= bit;
        if (ice_value_length_ok(&t->type, size))
            kinds.legal |= bit;
    }
    return kinds;
}

static bool is_only(uint32_t kinds, uint32_t allowed) {
    return kinds != 0 && (kinds & ~allowed) == 0;
}

static bool nan_under_all(const struct bound *bound) {
    for (const struct ice_column_type *t = bound->column->types; t; t = t->next)
        if (ice_value_length_ok(&t->type, bound->value.size) &&
            !ice_value_is_nan(&t->type, bound->value))
            return false;
    return true;
}

/* Fits the precision of one of the types. */
static bool fits_a_precision(const struct bound *bound) {
    for (const struct ice_column_type *t = bound->column->types; t; t = t->next)
        if (ice_decimal_fits(bound->value, t->type.precision))
            return true;
    return false;
}

static const char *geo_fault_under_all(const struct bound *bound) {
    const char *why = NULL;
    for (const struct ice_column_type *t = bound->column->types; t; t = t->next) {
        const char *fault = ice_geo_fault(&t->type, bound->value);
        if (!fault)
            return NULL;
        why = fault;
    }
    return why;
}

/* No type can have that many bytes. */
static void judge_length(const struct bound *bound, uint32_t all) {
    if (is_only(all, KINDS_WITHOUT_BOUND))
        found_type(bound);
    else if (all & KIND(DECIMAL) && bound->value.size > 16)
        found_value(bound, ICE_RULE_MANIFEST_METRICS_BOUND_DECIMAL_RANGE);
    else if (is_only(all, KINDS_GEO | KINDS_WITHOUT_BOUND))
        found_geo(bound, "it has neither 16 nor 24 nor 32 bytes");
    else
        found_length(bound);
}

/* false: something was found */
static bool judge(const struct bound *bound) {
    struct kinds kinds = kinds_of(bound->column, bound->value.size);
    if (kinds.all == 0 || kinds.all & KINDS_NOT_JUDGED ||
        !bound->walk->metrics->columns.knows_all)
        return true;
    if (kinds.legal == 0) {
        judge_length(bound, kinds.all);
        return false;
    }
    if (is_only(kinds.all, KIND(STRING)) && !ice_utf8_is_valid(bound->value)) {
        found_value(bound, ICE_RULE_MANIFEST_METRICS_BOUND_UTF8);
        return false;
    }
    if (is_only(kinds.legal, KIND(FLOAT) | KIND(DOUBLE)) && nan_under_all(bound)) {
        found_value(bound, ICE_RULE_MANIFEST_METRICS_BOUND_NAN);
        return false;
    }
    if (is_only(kinds.all, KIND(DECIMAL)) && !ice_decimal_is_minimal(bound->value))
        found_value(bound, ICE_RULE_MANIFEST_METRICS_BOUND_DECIMAL_MINIMAL);
    if (is_only(kinds.all, KIND(DECIMAL)) && !fits_a_precision(bound))
        found_value(bound, ICE_RULE_MANIFEST_METRICS_BOUND_DECIMAL_RANGE);
    const char *why = is_only(kinds.all, KINDS_GEO) ? geo_fault_under_all(bound) : NULL;
    if (why)
        found_geo(bound, why);
    return why == NULL;
}

/* ---- order ---- */

static enum ice_order geo_order(const struct ice_type *type, struct ice_str lower,
                                struct ice_str upper) {
    double x[2], y[2];
    if (!ice_value_length_ok(type, lower.size) || !ice_value_length_ok(type, upper.size))
        return ICE_IS_UNORDERED;
    ice_geo_point(lower, &x[0], &y[0]);
    ice_geo_point(upper, &x[1], &y[1]);
    /* the antimeridian may lie between: a geography's x wraps around */
    return type->kind == ICE_TYPE_GEOMETRY && x[0] > x[1] ? ICE_IS_GREATER : ICE_IS_LESS;
}

static bool is_geo(const struct ice_type *type) {
    return type->kind == ICE_TYPE_GEOMETRY || type->kind == ICE_TYPE_GEOGRAPHY;
}

/* Above under every type that takes both lengths, and under one at least. */
static bool is_above(const struct ice_table_column *column, struct ice_str lower,
                     struct ice_str upper, bool *out_signed_above) {
    bool any = false;
    *out_signed_above = true;
    for (const struct ice_column_type *t = column->types; t; t = t->next) {
        if (!ice_value_length_ok(&t->type, lower.size) ||
            !ice_value_length_ok(&t->type, upper.size))
            continue;
        enum ice_order order = is_geo(&t->type)
                                   ? geo_order(&t->type, lower, upper)
                                   : ice_value_compare(&t->type, lower, upper);
        if (order != ICE_IS_GREATER)
            return false;
        any = true;
        if (t->type.kind == ICE_TYPE_UUID &&
            ice_value_compare_uuid_signed(lower, upper) != ICE_IS_GREATER)
            *out_signed_above = false;
    }
    return any;
}

static bool is_y_above(const struct ice_table_column *column, struct ice_str lower,
                       struct ice_str upper) {
    double x, low, high;
    for (const struct ice_column_type *t = column->types; t; t = t->next)
        if (!is_geo(&t->type) || !ice_value_length_ok(&t->type, lower.size) ||
            !ice_value_length_ok(&t->type, upper.size))
            return false;
    if (!column->types)
        return false;
    ice_geo_point(lower, &x, &low);
    ice_geo_point(upper, &x, &high);
    return low > high;
}

static void judge_pair(const struct bound *lower, const struct bound *upper) {
    const struct ice_manifest_walk *walk = lower->walk;
    bool signed_above;
    bool lower_ok = judge(lower), upper_ok = judge(upper);
    if (!lower_ok || !upper_ok || !walk->metrics->columns.knows_all)
        return;
    if (is_y_above(lower->column, lower->value, upper->value)) {
        found_geo(lower, "its y is above that of the upper bound");
        return;
    }
    if (!is_above(lower->column, lower->value, upper->value, &signed_above))
        return;
    struct ice_row_place at;
    struct ice_buf upper_text;
    ice_buf_init(&upper_text, &walk->ck->run->alloc, SIZE_MAX);
    ice_metric_place(walk, lower->map, lower->position, &at);
    /* Java orders uuids by signed halves, and wrote bounds by that order */
    FOUND_AS(walk->ck->emit, ICE_RULE_MANIFEST_METRICS_BOUND_ORDER,
             signed_above ? ICE_ERROR : ICE_WARN, &at.place, name_arg(lower),
             arg_str("lower", text_of(lower, &walk->metrics->other_text)),
             arg_str("upper", text_of(upper, &upper_text)));
    ice_buf_release(&upper_text);
}

/* ---- the row ---- */

static struct bound bound_at(const struct ice_manifest_walk *walk,
                             const struct ice_data_file *file, enum ice_metric_map map,
                             size_t position) {
    const struct ice_map_bytes *bounds =
        map == ICE_MAP_LOWER ? &file->lower_bounds : &file->upper_bounds;
    const struct ice_metrics *metrics = walk->metrics;
    return (struct bound){.walk = walk,
                          .column =
                              ice_metrics_column(metrics, &metrics->maps[map], position),
                          .map = map,
                          .position = position,
                          .value = bounds->values[position]};
}

static void pairs(const struct ice_manifest_walk *walk,
                  const struct ice_data_file *file) {
    const struct ice_metric_layout *lower = &walk->metrics->maps[ICE_MAP_LOWER];
    const struct ice_table_column *columns = walk->metrics->columns.items;
    for (size_t i = 0; i < lower->n; i++) {
        if (lower->columns[i] == ICE_NO_COLUMN)
            continue;
        const struct ice_table_column *column = &columns[lower->columns[i]];
        if (column->pair_fits(column, file->lower_bounds.values[i],
                              file->upper_bounds.values[i]))
            continue;
        struct bound low = bound_at(walk, file, ICE_MAP_LOWER, i);
        struct bound high = bound_at(walk, file, ICE_MAP_UPPER, i);
        judge_pair(&low, &high);
    }
}

static void without_pair(const struct bound *bound) {
    struct ice_row_place at;
    enum ice_metric_map other =
        bound->map == ICE_MAP_LOWER ? ICE_MAP_UPPER : ICE_MAP_LOWER;
    if (!bound->column->one_fits(bound->column, bound->value))
        (void)judge(bound);
    if (ice_emit_only_counts(bound->walk->ck->emit,
                             ICE_RULE_MANIFEST_METRICS_BOUND_MISSING_PAIR, ICE_DEFAULT,
                             bound->walk->file))
        return;
    ice_metric_place(bound->walk, bound->map, bound->position, &at);
    FOUND(bound->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_BOUND_MISSING_PAIR, &at.place,
          arg_str("map", ice_metric_name(bound->walk, bound->map)), name_arg(bound),
          arg_str("other", ice_metric_name(bound->walk, other)));
}

/* Keys of both maps differ in order or number. */
static void unlike(const struct ice_manifest_walk *walk, const struct ice_data_file *file,
                   enum ice_metric_map map, enum ice_metric_map other) {
    const struct ice_metrics *metrics = walk->metrics;
    const struct ice_metric_layout *keys = &metrics->maps[map];
    for (size_t i = 0; i < keys->n; i++) {
        if (keys->columns[i] == ICE_NO_COLUMN)
            continue;
        struct bound bound = bound_at(walk, file, map, i);
        size_t there = ice_metrics_position(&metrics->maps[other], keys->columns[i]);
        if (there == SIZE_MAX) {
            without_pair(&bound);
        } else if (map == ICE_MAP_LOWER) {
            struct bound upper = bound_at(walk, file, other, there);
            assert(upper.column != NULL); /* which the key found has */
            if (!bound.column->pair_fits(bound.column, bound.value, upper.value))
                judge_pair(&bound, &upper);
        }
    }
}

void ice_bound_rules(const struct ice_manifest_walk *walk,
                     const struct ice_manifest_entry *entry) {
    if (walk->metrics->upper_like_lower) {
        pairs(walk, &entry->file);
        return;
    }
    unlike(walk, &entry->file, ICE_MAP_LOWER, ICE_MAP_UPPER);
    unlike(walk, &entry->file, ICE_MAP_UPPER, ICE_MAP_LOWER);
}
