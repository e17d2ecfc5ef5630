/*
 * spec.*: each partition spec and its fields by themselves. Their sources:
 * rules_spec_sources.c; one spec against others: rules_spec_sets.c.
 */
#include "check/layout_rules.h"

#include "base/error.h"
#include "iceberg/schema_names.h"

enum { FIRST_FIELD_ID = 1000 };

struct spec_rules {
    struct ice_layouts *l;
    struct ice_schema_names names; /* of the current schema */
    struct ice_table seen;         /* of one spec: ids, names, sources with transforms */
    const struct ice_partition_spec *spec;
    bool is_needed, is_default;
};

static const struct ice_place *
at(struct spec_rules *r, const struct ice_partition_field *field, const char *member) {
    return ice_layout_at(r->l, field->pointer, ICE_STR_NONE, member);
}

static enum ice_severity by_need(const struct spec_rules *r, enum ice_rule_id rule) {
    return ice_layout_severity(r->is_needed, rule);
}

static struct ice_arg spec_arg(const struct spec_rules *r) {
    return arg_i64("spec", r->spec->spec_id);
}

static bool lacks(const struct ice_partition_field *field, uint8_t bit) {
    return ((field->has | field->bad) & bit) == 0;
}

/* ---- attributes ---- */

static void check_spec(struct spec_rules *r, bool is_listed) {
    const struct ice_partition_spec *s = r->spec;
    struct ice_emit *emit = r->l->p.emit;
    /* the v1 form is a bare array of fields */
    if (is_listed && !s->has_spec_id && !s->bad_spec_id)
        FOUND(emit, ICE_RULE_SPEC_ATTRIBUTE_MISSING,
              ice_layout_at(r->l, s->pointer, ICE_STR_NONE, ""),
              arg_text("attribute", "spec-id"));
    if (is_listed && !s->has_fields && !s->bad_fields)
        FOUND(emit, ICE_RULE_SPEC_ATTRIBUTE_MISSING,
              ice_layout_at(r->l, s->pointer, ICE_STR_NONE, ""),
              arg_text("attribute", "fields"));
}

static void report_missing(struct spec_rules *r, const struct ice_partition_field *field,
                           const char *attribute) {
    FOUND(r->l->p.emit, ICE_RULE_SPEC_FIELD_ATTRIBUTE_MISSING, at(r, field, ""),
          spec_arg(r), arg_text("attribute", attribute));
}

static void report_sources(struct spec_rules *r, const struct ice_partition_field *field,
                           enum ice_rule_id rule, enum ice_severity severity) {
    FOUND_AS(r->l->p.emit, rule, severity, at(r, field, "/source-ids"), spec_arg(r),
             arg_str("name", field->name),
             arg_i64("count", (int64_t)field->n_source_ids));
}

static void check_sources(struct spec_rules *r, const struct ice_partition_field *field) {
    switch (ice_layout_sources(r->l->p.version, field->has, field->bad,
                               field->n_source_ids, &field->transform)) {
    case ICE_SOURCES_FINE:
        break;
    case ICE_SOURCES_MISSING:
        report_missing(r, field, "source-id");
        break;
    case ICE_SOURCES_EARLY:
        report_sources(r, field, ICE_RULE_SPEC_FIELD_SOURCE_IDS_VERSION, ICE_ERROR);
        break;
    case ICE_SOURCES_EARLY_IGNORED:
        report_sources(r, field, ICE_RULE_SPEC_FIELD_SOURCE_IDS_VERSION, ICE_WARN);
        break;
    case ICE_SOURCES_SINGLE:
        report_sources(r, field, ICE_RULE_SPEC_FIELD_SOURCE_IDS_SINGLE,
                       by_need(r, ICE_RULE_SPEC_FIELD_SOURCE_IDS_SINGLE));
        break;
    case ICE_SOURCES_BOTH:
        report_sources(r, field, ICE_RULE_SPEC_FIELD_SOURCE_IDS_BOTH,
                       by_need(r, ICE_RULE_SPEC_FIELD_SOURCE_IDS_BOTH));
        break;
    case ICE_SOURCES_ARITY:
        report_sources(r, field, ICE_RULE_SPEC_FIELD_SOURCE_IDS_ARITY,
                       by_need(r, ICE_RULE_SPEC_FIELD_SOURCE_IDS_ARITY));
        break;
    }
}

/* ---- transforms ---- */

static void check_transform(struct spec_rules *r,
                            const struct ice_partition_field *field) {
    const struct ice_transform *t = &field->transform;
    struct ice_arg text = arg_str("transform", t->text);
    if (!(field->has & ICE_PART_HAS_TRANSFORM))
        return;
    if (ice_transform_is_refused(t) || ice_transform_is_odd(t))
        FOUND_AS(r->l->p.emit, ICE_RULE_SPEC_FIELD_TRANSFORM_MALFORMED,
                 ice_transform_is_refused(t) ? ICE_ERROR : ICE_WARN,
                 at(r, field, "/transform"), spec_arg(r), text);
    if (t->kind == ICE_TRANSFORM_UNKNOWN)
        FOUND_AS(r->l->p.emit, ICE_RULE_SPEC_FIELD_TRANSFORM_UNKNOWN,
                 r->is_default ? ICE_WARN : ICE_INFO, at(r, field, "/transform"),
                 spec_arg(r), text);
}

static bool is_time(enum ice_transform_kind kind) {
    return kind == ICE_TRANSFORM_YEAR || kind == ICE_TRANSFORM_MONTH ||
           kind == ICE_TRANSFORM_DAY || kind == ICE_TRANSFORM_HOUR;
}

/* ---- within one spec ---- */

enum question { SAME_ID, SAME_NAME, SAME_TRANSFORM, BOTH_TIME };

static uint64_t key_of(const struct spec_rules *r, enum question question,
                       const struct ice_partition_field *field) {
    const uint64_t seed = r->l->p.ck->run->hash_seed;
    uint64_t what = (uint64_t)field->field_id;
    if (question == SAME_NAME)
        what = ice_hash64(field->name, seed);
    else if (question == SAME_TRANSFORM)
        what = ((uint64_t)field->source_id << 8) | (unsigned)field->transform.kind;
    else if (question == BOTH_TIME)
        what = (uint64_t)field->source_id;
    return ice_hash_mix(what ^ ((uint64_t)question << 56), seed);
}

static bool are_same(enum question question, const struct ice_partition_field *a,
                     const struct ice_partition_field *b) {
    switch (question) {
    case SAME_ID:
        return a->field_id == b->field_id;
    case SAME_NAME:
        return ice_str_equal(a->name, b->name);
    case SAME_TRANSFORM:
        return a->source_id == b->source_id &&
               ice_transform_equal(&a->transform, &b->transform);
    case BOTH_TIME:
        return a->source_id == b->source_id;
    }
    return false;
}

/* The first field before of which the question holds, or NULL; else it is remembered. */
static enum ice_status find_same(struct spec_rules *r, enum question question,
                                 uint32_t index, const struct ice_partition_field **out) {
    /* so many that differ but for their hash are none of a table's */
    const int most = 100;
    const struct ice_partition_field *fields = r->spec->fields;
    uint64_t key = key_of(r, question, &fields[index]);
    size_t slot = SIZE_MAX;
    uint32_t other;
    *out = NULL;
    for (int i = 0; i < most && ice_table_next(&r->seen, key, &slot, &other); i++) {
        if (!are_same(question, &fields[other], &fields[index]))
            continue;
        *out = &fields[other];
        return ICE_OK;
    }
    return ice_table_put(&r->seen, key, index);
}

static void report_redundant(struct spec_rules *r,
                             const struct ice_partition_field *field,
                             const struct ice_partition_field *first,
                             enum ice_severity severity) {
    FOUND_AS(r->l->p.emit, ICE_RULE_SPEC_FIELD_REDUNDANT, severity, at(r, field, ""),
             spec_arg(r), arg_str("name", field->name),
             arg_str("transform", field->transform.text), arg_str("first", first->name),
             arg_str("first_transform", first->transform.text));
}

/* Java refuses the same transform twice. Two of time come of evolving a spec by adding
 * a field, which it takes. void repeats nothing. */
static enum ice_status check_redundant(struct spec_rules *r, uint32_t index) {
    const struct ice_partition_field *field = &r->spec->fields[index], *same,
                                     *time = NULL;
    if (!(field->has & ICE_PART_HAS_TRANSFORM) ||
        field->transform.kind == ICE_TRANSFORM_VOID ||
        !ice_layout_has_one_source(field->has, field->n_source_ids))
        return ICE_OK;
    ICE_TRY(find_same(r, SAME_TRANSFORM, index, &same));
    if (is_time(field->transform.kind))
        ICE_TRY(find_same(r, BOTH_TIME, index, &time));
    if (same != NULL)
        report_redundant(r, field, same, by_need(r, ICE_RULE_SPEC_FIELD_REDUNDANT));
    else if (time != NULL)
        report_redundant(r, field, time, ICE_INFO);
    return ICE_OK;
}

static enum ice_status check_repeats(struct spec_rules *r, uint32_t index) {
    const struct ice_partition_field *field = &r->spec->fields[index], *first;
    struct ice_emit *emit = r->l->p.emit;
    if (field->has & ICE_PART_HAS_FIELD_ID) {
        ICE_TRY(find_same(r, SAME_ID, index, &first));
        if (first != NULL)
            FOUND_AS(emit, ICE_RULE_SPEC_FIELD_ID_DUPLICATE,
                     by_need(r, ICE_RULE_SPEC_FIELD_ID_DUPLICATE),
                     at(r, field, "/field-id"), spec_arg(r),
                     arg_i64("id", field->field_id), arg_str("name", field->name),
                     arg_str("first", first->name));
    }
    if (field->has & ICE_PART_HAS_NAME) {
        ICE_TRY(find_same(r, SAME_NAME, index, &first));
        if (first != NULL)
            FOUND(emit, ICE_RULE_SPEC_FIELD_NAME_DUPLICATE, at(r, field, "/name"),
                  spec_arg(r), arg_str("name", field->name));
    }
    return check_redundant(r, index);
}

/* ---- ids and names ---- */

static void check_ids(struct spec_rules *r) {
    const struct ice_partition_spec *s = r->spec;
    struct ice_emit *emit = r->l->p.emit;
    size_t n_with = 0, first_odd = SIZE_MAX;
    for (size_t i = 0; i < s->n_fields; i++) {
        const struct ice_partition_field *field = &s->fields[i];
        bool has = field->has & ICE_PART_HAS_FIELD_ID;
        n_with += has;
        if (has && field->field_id < FIRST_FIELD_ID)
            FOUND_AS(emit, ICE_RULE_SPEC_FIELD_ID_LOW,
                     by_need(r, ICE_RULE_SPEC_FIELD_ID_LOW), at(r, field, "/field-id"),
                     spec_arg(r), arg_i64("id", field->field_id),
                     arg_str("name", field->name));
        if (has && first_odd == SIZE_MAX &&
            field->field_id != (int64_t)i + FIRST_FIELD_ID)
            first_odd = i;
    }
    for (size_t i = 0; i < s->n_fields && (r->l->p.version >= 2 || n_with > 0); i++) {
        if (lacks(&s->fields[i], ICE_PART_HAS_FIELD_ID))
            FOUND(emit, ICE_RULE_SPEC_FIELD_ID_MISSING, at(r, &s->fields[i], ""),
                  spec_arg(r), arg_str("name", s->fields[i].name));
    }
    if (r->l->p.version == 1 && first_odd != SIZE_MAX)
        FOUND_AS(emit, ICE_RULE_SPEC_FIELD_ID_NOT_SEQUENTIAL,
                 by_need(r, ICE_RULE_SPEC_FIELD_ID_NOT_SEQUENTIAL),
                 at(r, &s->fields[first_odd], "/field-id"), spec_arg(r),
                 arg_i64("id", s->fields[first_odd].field_id),
                 arg_i64("expected", (int64_t)first_odd + FIRST_FIELD_ID));
}

static void check_name(struct spec_rules *r, const struct ice_partition_field *field) {
    struct ice_emit *emit = r->l->p.emit;
    if (!(field->has & ICE_PART_HAS_NAME))
        return;
    if (field->name.size == 0)
        FOUND(emit, ICE_RULE_SPEC_FIELD_NAME_EMPTY, at(r, field, "/name"), spec_arg(r));
    const struct ice_field *column = ice_schema_names_find(&r->names, field->name);
    if (column == NULL || !(column->has & ICE_FIELD_HAS_ID) ||
        !ice_layout_has_one_source(field->has, field->n_source_ids))
        return;
    enum ice_transform_kind kind = field->transform.kind;
    bool is_own = column->id == field->source_id;
    bool is_plain = kind == ICE_TRANSFORM_IDENTITY || kind == ICE_TRANSFORM_VOID;
    bool is_gone = ice_schema_field(r->l->current, field->source_id) == NULL;
    if ((is_own && (is_plain || !r->is_default)) || (is_gone && r->is_default))
        return;
    /* of another column: Java loads no table that lists such a spec, in use or not; where
     * the source is gone, newer releases do, and write it */
    FOUND_AS(emit, ICE_RULE_SPEC_FIELD_NAME_COLUMN_CONFLICT,
             is_gone ? ICE_INFO : ICE_WARN, at(r, field, "/name"), spec_arg(r),
             arg_str("name", field->name), arg_i64("column", column->id),
             arg_str("transform", field->transform.text),
             arg_i64("source", field->source_id));
}

/* ---- all ---- */

static enum ice_status check_fields(struct spec_rules *r) {
    ice_table_clear(&r->seen);
    for (size_t i = 0; i < r->spec->n_fields; i++) {
        const struct ice_partition_field *field = &r->spec->fields[i];
        if (lacks(field, ICE_PART_HAS_NAME))
            report_missing(r, field, "name");
        if (lacks(field, ICE_PART_HAS_TRANSFORM))
            report_missing(r, field, "transform");
        check_sources(r, field);
        check_transform(r, field);
        check_name(r, field);
        ICE_TRY(check_repeats(r, (uint32_t)i));
    }
    check_ids(r);
    return ICE_OK;
}

enum ice_status ice_rules_specs(struct ice_layouts *l, struct ice_error *err) {
    struct spec_rules r = {.l = l};
    enum ice_status status = ICE_OK;
    ice_table_init(&r.seen, &l->p.ck->run->alloc);
    if (l->current != NULL)
        status = ice_schema_names_init(&r.names, l->current, &l->p.ck->run->alloc);
    for (size_t i = 0; i < l->n_specs && status >= 0; i++) {
        r.spec = &l->specs[i];
        r.is_needed = l->spec_needed[i];
        r.is_default = i == l->default_spec;
        check_spec(&r, l->specs == l->p.m->specs);
        status = check_fields(&r);
    }
    if (l->current != NULL)
        ice_schema_names_release(&r.names);
    ice_table_release(&r.seen);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
