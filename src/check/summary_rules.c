/*
 * Partition summaries of a list record (spec: #manifest-lists, field 507): bounds by
 * themselves, and against what the manifest's live entries hold.
 */
#include "base/utf8.h"
#include "check/manifest_walk.h"
#include "check/partition_types.h"
#include "iceberg/value.h"

#include <math.h>

/* One summary beside everything that is known about its partition field. */
struct summary {
    const struct ice_manifest_walk *walk;
    const struct ice_list_record *record;
    const struct ice_field_summary *values;
    const struct ice_partition_field *field;
    const struct ice_schema *header;         /* of the manifest, or NULL */
    const struct ice_partition_range *range; /* NULL: not known, do not compare */
    size_t index;
    bool is_lost;         /* ice_partition_is_lost */
    struct ice_type type; /* to compare bounds; kind BAD: not known */
};

static bool has(const struct summary *s, enum ice_summary_bit bit) {
    return ice_summary_has(s->record->summary_present, s->values, bit);
}

static void place_of(const struct summary *s, enum ice_summary_bit bit,
                     struct ice_row_place *out) {
    ice_record_place(s->walk->ck, s->record, ICE_LIST_partitions, out);
    ice_row_place_index(out, s->index);
    ice_row_place_step(out, s->record->names->summary[bit]);
}

static struct ice_place manifest_place(const struct summary *s) {
    return ice_place_file(s->walk->file, s->walk->order);
}

static struct ice_str bound(const struct summary *s, enum ice_summary_bit bit) {
    return bit == ICE_SUMMARY_lower_bound ? s->values->lower_bound
                                          : s->values->upper_bound;
}

static const char *bound_name(enum ice_summary_bit bit) {
    return bit == ICE_SUMMARY_lower_bound ? "lower bound" : "upper bound";
}

/* ---- wording ---- */

/* Two values of the partition field as a person reads them. */
struct two_texts {
    struct ice_buf first, second;
};

/* false: no memory, which has been said. _release in any case. */
static bool two_texts_of(const struct summary *s, struct ice_str first,
                         struct ice_str second, struct two_texts *out) {
    struct ice_alloc *alloc = &s->walk->ck->run->alloc;
    const struct ice_type type =
        s->walk->manifest ? ice_partition_type(s->walk->ck, s->header, s->field)
                          : s->type;
    ice_buf_init(&out->first, alloc, SIZE_MAX);
    ice_buf_init(&out->second, alloc, SIZE_MAX);
    if (ice_value_to_text(&type, first, &out->first) == ICE_OK &&
        ice_value_to_text(&type, second, &out->second) == ICE_OK)
        return true;
    ice_emit_no_memory(s->walk->ck->emit);
    return false;
}

static void two_texts_release(struct two_texts *texts) {
    ice_buf_release(&texts->first);
    ice_buf_release(&texts->second);
}

/* ---- a bound by itself ---- */

static bool length_fits(const struct ice_type *type, const void *user) {
    const struct ice_str *value = user;
    return ice_value_length_ok(type, value->size);
}

/* false: no legal length, the value cannot be compared */
static bool check_length(const struct summary *s, enum ice_summary_bit bit) {
    struct ice_str value = bound(s, bit);
    struct ice_type expected = {0};
    struct ice_row_place at;
    /* v1 tables kept the last schema only: without the header's no length is wrong */
    if (!has(s, bit) || (!s->walk->manifest && s->walk->ck->version < 2))
        return true;
    if (ice_partition_types(s->walk->ck, s->header, s->field, length_fits, &value,
                            &expected) != ICE_TYPES_WRONG)
        return true;
    place_of(s, bit, &at);
    FOUND(s->walk->ck->emit, ICE_RULE_LIST_PARTITIONS_BOUND_LENGTH, &at.place,
          arg_str("field", s->record->names->summary[bit]),
          arg_str("name", s->field->name), arg_i64("found", (int64_t)value.size),
          arg_text("type", ice_type_kind_name(expected.kind)));
    return false;
}

static bool text_fits(const struct ice_type *type, const void *user) {
    const struct ice_str *value = user;
    return type->kind != ICE_TYPE_STRING || ice_utf8_is_valid(*value);
}

static void check_text(const struct summary *s, enum ice_summary_bit bit) {
    struct ice_str value = bound(s, bit);
    struct ice_type expected = {0};
    struct ice_row_place at;
    if (!has(s, bit) || ice_partition_types(s->walk->ck, s->header, s->field, text_fits,
                                            &value, &expected) != ICE_TYPES_WRONG)
        return;
    place_of(s, bit, &at);
    FOUND(s->walk->ck->emit, ICE_RULE_LIST_PARTITIONS_BOUND_UTF8, &at.place,
          arg_str("field", s->record->names->summary[bit]),
          arg_str("name", s->field->name), arg_str("value", value));
}

static bool check_nan(const struct summary *s, enum ice_summary_bit bit) {
    struct ice_row_place at;
    if (!has(s, bit) || !ice_value_is_nan(&s->type, bound(s, bit)))
        return true;
    place_of(s, bit, &at);
    FOUND(s->walk->ck->emit, ICE_RULE_LIST_PARTITIONS_NAN_BOUND, &at.place,
          arg_text("field", bound_name(bit)), arg_str("name", s->field->name));
    return false;
}

/* How a lower bound stands to its upper. */
enum order {
    IN_ORDER,
    IN_SIGNED_ORDER, /* uuid: as Java orders them, and only so */
    OUT_OF_ORDER,
};

static enum order check_order(const struct summary *s) {
    struct ice_str lower = s->values->lower_bound, upper = s->values->upper_bound;
    struct ice_row_place at;
    if (!has(s, ICE_SUMMARY_lower_bound) || !has(s, ICE_SUMMARY_upper_bound) ||
        ice_value_compare(&s->type, lower, upper) != ICE_IS_GREATER)
        return IN_ORDER;
    /* Java orders uuids by two signed halves, the others by bytes; the spec names no
     * order */
    enum ice_severity severity =
        s->type.kind == ICE_TYPE_UUID &&
                ice_value_compare_uuid_signed(lower, upper) != ICE_IS_GREATER
            ? ICE_WARN
            : ICE_ERROR;
    place_of(s, ICE_SUMMARY_lower_bound, &at);
    struct two_texts texts;
    if (two_texts_of(s, lower, upper, &texts))
        FOUND_AS(s->walk->ck->emit, ICE_RULE_LIST_PARTITIONS_BOUND_ORDER, severity,
                 &at.place, arg_str("name", s->field->name),
                 arg_str("lower", ice_buf_str(&texts.first)),
                 arg_str("upper", ice_buf_str(&texts.second)));
    two_texts_release(&texts);
    return severity == ICE_WARN ? IN_SIGNED_ORDER : OUT_OF_ORDER;
}

/* ---- against the entries ---- */

static void found_cover(const struct summary *s, enum ice_summary_bit bit,
                        enum ice_severity severity, struct ice_str value) {
    struct ice_row_place at;
    struct ice_place other = manifest_place(s);
    place_of(s, bit, &at);
    const char *side = bit == ICE_SUMMARY_lower_bound ? "below the lower bound"
                                                      : "above the upper bound";
    struct two_texts texts;
    if (two_texts_of(s, bound(s, bit), value, &texts))
        FOUND_VS(s->walk->ck->emit, ICE_RULE_LIST_PARTITIONS_BOUND_COVER, severity,
                 &at.place, &other, arg_str("name", s->field->name),
                 arg_text("side", side), arg_str("bound", ice_buf_str(&texts.first)),
                 arg_str("value", ice_buf_str(&texts.second)));
    two_texts_release(&texts);
}

/* The value lies outside; in Java's order of uuids, too? (signed_value: its end of the
 * range) */
static void judge_cover(const struct summary *s, enum order order,
                        enum ice_summary_bit bit, struct ice_str value,
                        struct ice_str signed_value) {
    enum ice_order outside =
        bit == ICE_SUMMARY_lower_bound ? ICE_IS_LESS : ICE_IS_GREATER;
    bool java_agrees =
        s->range->type.kind == ICE_TYPE_UUID &&
        ice_value_compare_uuid_signed(signed_value, bound(s, bit)) != outside;
    /* that the bounds are in Java's order has been said */
    if (java_agrees && order == IN_SIGNED_ORDER)
        return;
    found_cover(s, bit, java_agrees ? ICE_WARN : ICE_ERROR, value);
}

static void check_cover(const struct summary *s, enum order order) {
    const struct ice_partition_range *range = s->range;
    struct ice_str least = ice_buf_str(&range->least), most = ice_buf_str(&range->most);
    if (!range->has_value || !range->is_known)
        return;
    if (has(s, ICE_SUMMARY_lower_bound) &&
        ice_value_compare(&range->type, least, s->values->lower_bound) == ICE_IS_LESS)
        judge_cover(s, order, ICE_SUMMARY_lower_bound, least,
                    ice_buf_str(&range->signed_least));
    if (has(s, ICE_SUMMARY_upper_bound) &&
        ice_value_compare(&range->type, most, s->values->upper_bound) == ICE_IS_GREATER)
        judge_cover(s, order, ICE_SUMMARY_upper_bound, most,
                    ice_buf_str(&range->signed_most));
}

static void check_null_bound(const struct summary *s, enum ice_summary_bit bit) {
    struct ice_row_place at;
    struct ice_place other = manifest_place(s);
    if (has(s, bit) || !s->range->has_value)
        return;
    place_of(s, bit, &at);
    FOUND_VS(s->walk->ck->emit, ICE_RULE_LIST_PARTITIONS_NULL_BOUNDS, ICE_DEFAULT,
             &at.place, &other, arg_str("field", s->record->names->summary[bit]),
             arg_str("name", s->field->name));
}

static void check_flags(const struct summary *s) {
    const struct ice_partition_range *range = s->range;
    struct ice_emit *emit = s->walk->ck->emit;
    struct ice_place other = manifest_place(s);
    struct ice_row_place at;
    bool claims = s->values->contains_null;
    /* writers fold deleted entries in: they may explain a true; and it may tell of values
     * that were lost with their column */
    if (has(s, ICE_SUMMARY_contains_null) && !s->is_lost && claims != range->has_null &&
        !(claims && range->has_deleted_null)) {
        place_of(s, ICE_SUMMARY_contains_null, &at);
        FOUND_VS(emit, ICE_RULE_LIST_PARTITIONS_CONTAINS_NULL,
                 claims ? ICE_INFO : ICE_ERROR, &at.place, &other,
                 arg_str("name", s->field->name), arg_bool("declared", claims),
                 arg_bool("counted", range->has_null));
    }
    if (has(s, ICE_SUMMARY_contains_nan) && !s->values->contains_nan && range->has_nan) {
        place_of(s, ICE_SUMMARY_contains_nan, &at);
        FOUND_VS(emit, ICE_RULE_LIST_PARTITIONS_CONTAINS_NAN, ICE_DEFAULT, &at.place,
                 &other, arg_str("name", s->field->name));
    }
}

static void found_zero(const struct summary *s, enum ice_summary_bit bit,
                       const char *zero) {
    struct ice_row_place at;
    struct ice_place other = manifest_place(s);
    place_of(s, bit, &at);
    FOUND_VS(s->walk->ck->emit, ICE_RULE_LIST_PARTITIONS_SIGNED_ZERO, ICE_DEFAULT,
             &at.place, &other, arg_text("field", bound_name(bit)),
             arg_str("name", s->field->name), arg_text("found", zero));
}

static void check_zeros(const struct summary *s) {
    double value;
    if (has(s, ICE_SUMMARY_lower_bound) && s->range->has_minus_zero &&
        ice_value_double(&s->range->type, s->values->lower_bound, &value) &&
        fpclassify(value) == FP_ZERO && !signbit(value))
        found_zero(s, ICE_SUMMARY_lower_bound, "+0.0");
    if (has(s, ICE_SUMMARY_upper_bound) && s->range->has_plus_zero &&
        ice_value_double(&s->range->type, s->values->upper_bound, &value) &&
        fpclassify(value) == FP_ZERO && signbit(value))
        found_zero(s, ICE_SUMMARY_upper_bound, "-0.0");
}

static void check_summary(const struct summary *s) {
    bool lengths = check_length(s, ICE_SUMMARY_lower_bound);
    lengths = check_length(s, ICE_SUMMARY_upper_bound) && lengths;
    check_text(s, ICE_SUMMARY_lower_bound);
    check_text(s, ICE_SUMMARY_upper_bound);
    bool numbers = check_nan(s, ICE_SUMMARY_lower_bound);
    numbers = check_nan(s, ICE_SUMMARY_upper_bound) && numbers;
    enum order order = lengths ? check_order(s) : OUT_OF_ORDER;
    if (!s->range)
        return;
    check_null_bound(s, ICE_SUMMARY_lower_bound);
    check_null_bound(s, ICE_SUMMARY_upper_bound);
    check_flags(s);
    if (order != OUT_OF_ORDER)
        check_cover(s, order);
    if (lengths && numbers)
        check_zeros(s);
}

/* By the file's own Avro type where there is one, else by the schemas. */
static struct ice_type compare_type(const struct summary *s,
                                    const struct ice_partition_range *range) {
    if (range && range->is_known)
        return range->type;
    if (!s->walk->manifest)
        return ice_partition_type_agreed(s->walk->ck, s->field);
    return ice_partition_type(s->walk->ck, s->header, s->field);
}

void ice_summary_rules(const struct ice_manifest_walk *walk,
                       const struct ice_list_record *record, bool is_whole) {
    const struct ice_manifest *manifest = walk->manifest; /* NULL: not read */
    unsigned usable = manifest ? manifest->header & ~manifest->header_bad : 0;
    const struct ice_partition_spec *spec =
        ice_record_has(record, ICE_LIST_partition_spec_id)
            ? ice_metadata_find_spec(&walk->ck->metadata, record->row.partition_spec_id)
            : NULL;
    bool other_spec = usable & ICE_MHEAD_SPEC_ID &&
                      manifest->header_spec_id != record->row.partition_spec_id;
    /* list.partitions.count and list.partition-spec-id.* have spoken then */
    if (!spec || !ice_record_has(record, ICE_LIST_partitions) || other_spec ||
        record->row.partitions.n != spec->n_fields)
        return;
    struct summary s = {.walk = walk, .record = record};
    if (usable & ICE_MHEAD_SCHEMA)
        s.header = &manifest->header_schema;
    for (s.index = 0; s.index < spec->n_fields; s.index++) {
        bool is_wrong = spec == walk->spec && walk->wrong_fields & ice_lost_bit(s.index);
        size_t at = manifest ? ice_partition_tuple_index(walk, spec, s.index) : SIZE_MAX;
        const struct ice_partition_range *range =
            at < walk->n_ranges && !is_wrong ? &walk->ranges[at] : NULL;
        s.values = ice_record_summary(record, s.index);
        s.field = &spec->fields[s.index];
        s.range = is_whole ? range : NULL;
        s.is_lost = manifest && ice_partition_is_lost(walk, s.field, at);
        s.type = compare_type(&s, range);
        check_summary(&s);
    }
}
