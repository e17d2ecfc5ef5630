/*
 * Group 17: values of the partition tuple against their transform, the source column and
 * its bounds. What a field asks for is found out once a manifest.
 */
#include "check/file_rules.h"
#include "check/metrics.h"
#include "check/unit.h"
#include "iceberg/transform_apply.h"

#include <inttypes.h>
#include <math.h>

struct ice_partition_value_check {
    const struct ice_partition_field *field;
    size_t index;                  /* in the tuple */
    int64_t argument;              /* of bucket and truncate; 0: none that is of use */
    enum ice_type_kind order;      /* of the stored values */
    uint32_t column;               /* the source */
    bool is_required;              /* it cannot be null */
    const struct ice_type *source; /* where bounds can be compared, else NULL */
    int64_t unit; /* day and hour of timestamps: length in theirs; else 0 */
    bool is_text; /* identity of text */
};

struct value {
    const struct ice_manifest_walk *walk;
    const struct ice_data_file *file;
    const struct ice_partition_value_check *check;
    const struct ice_datum *datum;
};

/* ---- once a manifest ---- */

static bool has_order(enum ice_transform_kind kind) {
    return kind != ICE_TRANSFORM_BUCKET && kind != ICE_TRANSFORM_VOID &&
           kind != ICE_TRANSFORM_UNKNOWN;
}

static int64_t unit_of(enum ice_transform_kind transform, enum ice_type_kind source) {
    int64_t second =
        source == ICE_TYPE_TIMESTAMP || source == ICE_TYPE_TIMESTAMPTZ ? INT64_C(1000000)
        : source == ICE_TYPE_TIMESTAMP_NS || source == ICE_TYPE_TIMESTAMPTZ_NS
            ? INT64_C(1000000000)
            : 0;
    return transform == ICE_TRANSFORM_DAY    ? 86400 * second
           : transform == ICE_TRANSFORM_HOUR ? 3600 * second
                                             : 0;
}

static struct ice_partition_value_check check_of(const struct ice_manifest_walk *walk,
                                                 const struct ice_partition_field *field,
                                                 size_t index) {
    const struct ice_transform *transform = &field->transform;
    const struct ice_columns *columns = &walk->metrics->columns;
    struct ice_partition_value_check check = {
        .field = field, .index = index, .column = ICE_NO_COLUMN, .order = ICE_TYPE_BAD};
    if (transform->has_argument && !transform->argument_big && transform->argument > 0)
        check.argument = transform->argument;
    if (index < walk->n_ranges)
        check.order = walk->ranges[index].type.kind;
    if (field->has & (ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_SOURCE_IDS) &&
        field->n_source_ids <= 1)
        check.column = ice_columns_find(columns, field->source_id);
    if (check.column == ICE_NO_COLUMN || ice_partition_is_lost(walk, field, index))
        return check;
    const struct ice_table_column *column = &columns->items[check.column];
    unsigned required = column->flags & ICE_COLUMN_HEADER ? ICE_COLUMN_HEADER_REQUIRED
                                                          : ICE_COLUMN_REQUIRED;
    check.is_required = column->flags & required &&
                        transform->kind != ICE_TRANSFORM_VOID &&
                        transform->kind != ICE_TRANSFORM_UNKNOWN;
    /* promoted or reused ids have more types than one */
    if (column->n_types == 1 && has_order(transform->kind) &&
        ice_transform_allows(transform, &column->types->type)) {
        check.source = &column->types->type;
        check.unit = unit_of(transform->kind, check.source->kind);
        check.is_text = transform->kind == ICE_TRANSFORM_IDENTITY &&
                        check.source->kind == ICE_TYPE_STRING;
    }
    return check;
}

enum ice_status ice_partition_values_open(struct ice_manifest_walk *walk) {
    const struct ice_partition_spec *spec = walk->spec;
    walk->n_value_checks = 0;
    if (!spec || !walk->manifest->plan.tuple || spec->n_fields == 0)
        return ICE_OK;
    walk->value_checks = ice_arena_array(&walk->manifest->file.arena, spec->n_fields,
                                         sizeof(*walk->value_checks));
    if (!walk->value_checks)
        return ICE_ENOMEM;
    for (size_t i = 0; i < spec->n_fields; i++) {
        size_t index = ice_partition_tuple_index(walk, spec, i);
        if (index == SIZE_MAX || walk->wrong_fields & ice_lost_bit(i))
            continue;
        walk->value_checks[walk->n_value_checks++] =
            check_of(walk, &spec->fields[i], index);
        if (walk->unit && ice_partition_is_lost(walk, &spec->fields[i], index))
            walk->unit->lost_fields |= ice_lost_bit(i);
    }
    return ICE_OK;
}

/* ---- wording ---- */

static void place_of(const struct value *v, struct ice_row_place *out) {
    const struct ice_avro_schema *tuple = v->walk->manifest->plan.tuple;
    ice_entry_place(v->walk, ICE_FILE_partition, out);
    ice_row_place_step(out, tuple->fields[v->check->index].name);
}

static struct ice_str text_of_datum(const struct value *v) {
    const struct ice_datum *datum = v->datum;
    struct ice_buf *text = &v->walk->metrics->text;
    const struct ice_type bytes = {.kind = ICE_TYPE_BINARY};
    enum ice_status status = ICE_OK;
    ice_buf_clear(text);
    switch (datum->type) {
    case ICE_AVRO_NULL:
        return ICE_STR("null");
    case ICE_AVRO_BOOLEAN:
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
    case ICE_AVRO_ENUM:
        status = ice_buf_printf(text, "%" PRId64, datum->i64);
        break;
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
        status = ice_buf_printf(text, "%g", datum->f64);
        break;
    case ICE_AVRO_STRING:
        return datum->str;
    case ICE_AVRO_BYTES:
    case ICE_AVRO_FIXED:
        status = ice_value_to_text(&bytes, datum->str, text);
        break;
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        break;
    }
    if (status < 0)
        ice_emit_no_memory(v->walk->ck->emit);
    return ice_buf_str(text);
}

/* Rules whose message has {field} {found} {transform}. */
static void found(const struct value *v, enum ice_rule_id rule) {
    struct ice_row_place at;
    place_of(v, &at);
    FOUND(v->walk->ck->emit, rule, &at.place, arg_str("field", v->check->field->name),
          arg_str("found", text_of_datum(v)),
          arg_str("transform", v->check->field->transform.text));
}

static bool is_whole_number(const struct ice_datum *datum) {
    return datum->type == ICE_AVRO_INT || datum->type == ICE_AVRO_LONG;
}

static bool has_bytes(const struct ice_datum *datum) {
    return datum->type == ICE_AVRO_STRING || datum->type == ICE_AVRO_BYTES ||
           datum->type == ICE_AVRO_FIXED;
}

/* ---- transforms ---- */

/* What truncate leaves as it is. */
static bool is_truncated(const struct ice_partition_value_check *check,
                         const struct ice_datum *datum) {
    const struct ice_type type = {.kind = check->order};
    struct ice_transformed out;
    if (is_whole_number(datum))
        return datum->i64 % check->argument == 0;
    if (!has_bytes(datum) ||
        !ice_transform_apply(&check->field->transform, &type, datum->str, &out))
        return true;
    if (type.kind == ICE_TYPE_DECIMAL)
        return ice_value_compare(&type, datum->str, out.bytes) != ICE_IS_GREATER;
    return out.bytes.size == datum->str.size;
}

static void against_transform(const struct value *v) {
    const struct ice_partition_value_check *check = v->check;
    const struct ice_datum *datum = v->datum;
    enum ice_transform_kind kind = check->field->transform.kind;
    if (kind == ICE_TRANSFORM_VOID) {
        found(v, ICE_RULE_MANIFEST_FILE_PARTITION_VOID_VALUE);
    } else if (kind == ICE_TRANSFORM_BUCKET && check->argument > 0) {
        if (is_whole_number(datum) && (datum->i64 < 0 || datum->i64 >= check->argument))
            found(v, ICE_RULE_MANIFEST_FILE_PARTITION_BUCKET_RANGE);
    } else if (kind == ICE_TRANSFORM_TRUNCATE && check->argument > 0) {
        if (!is_truncated(check, datum))
            found(v, ICE_RULE_MANIFEST_FILE_PARTITION_TRUNCATE_UNIT);
    }
}

/* ---- bounds ---- */

static enum ice_order order_of_numbers(int64_t a, int64_t b) {
    return a < b ? ICE_IS_LESS : a > b ? ICE_IS_GREATER : ICE_IS_EQUAL;
}

static enum ice_order order_of_bytes(const struct value *v, struct ice_str bound) {
    static const struct ice_type decimal = {.kind = ICE_TYPE_DECIMAL};
    enum ice_type_kind kind = v->check->source->kind;
    struct ice_str value = v->datum->str;
    if (kind == ICE_TYPE_DECIMAL)
        return ice_value_compare(&decimal, value, bound);
    int order = ice_str_compare(value, bound);
    if (kind == ICE_TYPE_UUID) { /* in Java's order too */
        enum ice_order other = ice_value_compare_uuid_signed(value, bound);
        enum ice_order first = order < 0 ? ICE_IS_LESS : ICE_IS_GREATER;
        return other == first ? first : ICE_IS_EQUAL;
    }
    /* cut by a writer that did not round up */
    if (order > 0 && ice_str_starts(value, bound))
        return ICE_IS_EQUAL;
    return order < 0 ? ICE_IS_LESS : order > 0 ? ICE_IS_GREATER : ICE_IS_EQUAL;
}

/* The partition value against what the transform makes of a bound. */
static enum ice_order order_to(const struct value *v, struct ice_str bound) {
    const struct ice_datum *datum = v->datum;
    const struct ice_type *source = v->check->source;
    struct ice_transformed out;
    double number;
    if (!ice_transform_apply(&v->check->field->transform, source, bound, &out))
        return ICE_IS_UNORDERED;
    if (out.is_number) {
        bool is_number = is_whole_number(datum) || datum->type == ICE_AVRO_BOOLEAN;
        return is_number ? order_of_numbers(datum->i64, out.number) : ICE_IS_UNORDERED;
    }
    if (datum->type == ICE_AVRO_FLOAT || datum->type == ICE_AVRO_DOUBLE) {
        if (!ice_value_double(source, out.bytes, &number) || isnan(number) ||
            isnan(datum->f64))
            return ICE_IS_UNORDERED;
        return datum->f64 < number   ? ICE_IS_LESS
               : datum->f64 > number ? ICE_IS_GREATER
                                     : ICE_IS_EQUAL;
    }
    return has_bytes(datum) ? order_of_bytes(v, out.bytes) : ICE_IS_UNORDERED;
}

/* Old Java releases rounded times before 1970 towards zero: one unit too high. */
static bool is_old_rounding(const struct value *v, struct ice_str upper) {
    enum ice_transform_kind kind = v->check->field->transform.kind;
    struct ice_transformed out;
    return kind != ICE_TRANSFORM_IDENTITY && kind != ICE_TRANSFORM_TRUNCATE &&
           ice_transform_apply(&v->check->field->transform, v->check->source, upper,
                               &out) &&
           out.number < 0 && v->datum->i64 == out.number + 1;
}

static const struct ice_str *bound_of(const struct value *v, enum ice_metric_map map) {
    size_t at = ice_metrics_position(&v->walk->metrics->maps[map], v->check->column);
    if (at == SIZE_MAX)
        return NULL;
    return map == ICE_MAP_LOWER ? &v->file->lower_bounds.values[at]
                                : &v->file->upper_bounds.values[at];
}

static void found_bound(const struct value *v, enum ice_metric_map map,
                        struct ice_str bound) {
    struct ice_buf name, shown;
    struct ice_row_place at;
    struct ice_alloc *alloc = &v->walk->ck->run->alloc;
    ice_buf_init(&name, alloc, SIZE_MAX);
    ice_buf_init(&shown, alloc, SIZE_MAX);
    struct ice_str column = ice_column_name(v->walk, v->check->field->source_id);
    if (ice_buf_append_str(&name, column) == ICE_OK &&
        ice_value_to_text(v->check->source, bound, &shown) == ICE_OK) {
        place_of(v, &at);
        FOUND(v->walk->ck->emit, ICE_RULE_MANIFEST_FILE_PARTITION_BOUNDS_DISAGREE,
              &at.place, arg_str("field", v->check->field->name),
              arg_str("found", text_of_datum(v)),
              arg_str("transform", v->check->field->transform.text),
              arg_str("map", ice_metric_name(v->walk, map)),
              arg_str("column", ice_buf_str(&name)),
              arg_str("bound", ice_buf_str(&shown)));
    } else {
        ice_emit_no_memory(v->walk->ck->emit);
    }
    ice_buf_release(&name);
    ice_buf_release(&shown);
}

static int64_t number_at(struct ice_str value) {
    uint64_t bits = 0;
    for (size_t i = 8; i > 0; i--)
        bits = bits << 8 | (unsigned char)value.data[i - 1];
    return (int64_t)bits;
}

/* The usual cases, without division: a day or an hour of a timestamp, text as it is. */
static bool is_plainly_within(const struct value *v, struct ice_str lower,
                              struct ice_str upper) {
    int64_t unit = v->check->unit, from, to;
    if (unit > 0)
        return is_whole_number(v->datum) && lower.size == 8 && upper.size == 8 &&
               !__builtin_mul_overflow(v->datum->i64, unit, &from) &&
               !__builtin_add_overflow(from, unit, &to) && number_at(lower) < to &&
               number_at(upper) >= from;
    return v->check->is_text && v->datum->type == ICE_AVRO_STRING &&
           ice_str_equal(v->datum->str, lower) && ice_str_equal(lower, upper);
}

static void against_bounds(const struct value *v) {
    const struct ice_str *lower = bound_of(v, ICE_MAP_LOWER);
    const struct ice_str *upper = bound_of(v, ICE_MAP_UPPER);
    if (v->datum->type == ICE_AVRO_NULL) {
        if (lower || upper)
            found_bound(v, lower ? ICE_MAP_LOWER : ICE_MAP_UPPER,
                        lower ? *lower : *upper);
        return;
    }
    if (lower && upper && is_plainly_within(v, *lower, *upper))
        return;
    if (lower && order_to(v, *lower) == ICE_IS_LESS)
        found_bound(v, ICE_MAP_LOWER, *lower);
    else if (upper && order_to(v, *upper) == ICE_IS_GREATER &&
             !is_old_rounding(v, *upper))
        found_bound(v, ICE_MAP_UPPER, *upper);
}

void ice_partition_value_rules(const struct ice_manifest_walk *walk,
                               const struct ice_manifest_entry *entry) {
    const struct ice_tuple *tuple = &entry->file.partition;
    for (size_t i = 0; i < walk->n_value_checks; i++) {
        const struct ice_partition_value_check *check = &walk->value_checks[i];
        if (check->index >= tuple->n)
            continue;
        const struct value v = {.walk = walk,
                                .file = &entry->file,
                                .check = check,
                                .datum = &tuple->values[check->index]};
        if (v.datum->type != ICE_AVRO_NULL) {
            against_transform(&v);
        } else if (check->is_required) {
            found(&v, ICE_RULE_MANIFEST_FILE_PARTITION_NULL_REQUIRED);
            continue;
        }
        if (check->source)
            against_bounds(&v);
    }
}
