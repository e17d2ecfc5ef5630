/*
 * spec.*, one spec against others: what a field id means, whether the same field keeps
 * its id, and what version 1 recommends. Some 50 bytes a distinct field.
 */
#include "check/layout_rules.h"

#include "base/error.h"

enum { FIRST_FIELD_ID = 1000, MOST_MEANINGS = 8 };
#define NONE UINT32_MAX

/* A field of a spec. */
struct meaning {
    const struct ice_partition_spec *spec;
    const struct ice_partition_field *field;
    bool is_numbered; /* its spec has the ids 1000, 1001, ... as version 1 gives them */
    uint32_t next;    /* other meaning of the same id, NONE at the end */
};

struct spec_sets {
    struct ice_layouts *l;
    struct ice_table by_id;   /* field id -> first meaning */
    struct ice_table by_what; /* source, transform and name -> first meaning */
    struct ice_table by_pair; /* ... and field id -> meaning */
    struct meaning *meanings;
    size_t n_meanings, cap_meanings;
};

static bool is_numbered(const struct ice_partition_spec *spec) {
    for (size_t i = 0; i < spec->n_fields; i++) {
        if (spec->fields[i].field_id != (int64_t)i + FIRST_FIELD_ID)
            return false;
    }
    return true;
}

static bool means_the_same(const struct ice_partition_field *a,
                           const struct ice_partition_field *b) {
    return a->source_id == b->source_id &&
           ice_transform_equal(&a->transform, &b->transform);
}

/* Dropped in version 1: the field became void and kept its id. */
static bool is_dropped(const struct ice_partition_field *a,
                       const struct ice_partition_field *b) {
    return a->source_id == b->source_id && (a->transform.kind == ICE_TRANSFORM_VOID ||
                                            b->transform.kind == ICE_TRANSFORM_VOID);
}

static const struct ice_place *at(struct spec_sets *s,
                                  const struct ice_partition_field *field) {
    return ice_layout_at(s->l, field->pointer, ICE_STR_NONE, "/field-id");
}

/* ---- one id, two meanings ---- */

static void report_conflict(struct spec_sets *s, const struct meaning *here,
                            const struct meaning *other, bool is_error) {
    FOUND_AS(s->l->p.emit, ICE_RULE_SPEC_FIELD_ID_CONFLICT,
             is_error ? ICE_ERROR : ICE_WARN, at(s, here->field),
             arg_i64("id", here->field->field_id), arg_i64("spec", here->spec->spec_id),
             arg_str("transform", here->field->transform.text),
             arg_i64("source", here->field->source_id),
             arg_i64("other", other->spec->spec_id),
             arg_str("other_transform", other->field->transform.text),
             arg_i64("other_source", other->field->source_id));
}

static uint32_t keep(struct spec_sets *s, const struct meaning *meaning) {
    if (s->n_meanings >= NONE ||
        !ice_array_reserve(&s->l->p.ck->run->alloc, &s->meanings, s->n_meanings,
                           &s->cap_meanings, sizeof(*s->meanings)))
        return NONE;
    s->meanings[s->n_meanings] = *meaning;
    return (uint32_t)s->n_meanings++;
}

/* *out: the meaning as it is kept; NONE if an equal one was. */
static enum ice_status check_id(struct spec_sets *s, const struct meaning *here) {
    uint64_t key =
        ice_hash_mix((uint64_t)here->field->field_id, s->l->p.ck->run->hash_seed);
    size_t slot = SIZE_MAX, n = 0;
    uint32_t first = NONE, last = NONE, worst = NONE;
    bool is_error = false;
    (void)ice_table_next(&s->by_id, key, &slot, &first);
    for (uint32_t i = first; i != NONE; i = s->meanings[i].next, n++) {
        const struct meaning *other = &s->meanings[i];
        bool same = means_the_same(here->field, other->field);
        last = i;
        if (same && here->is_numbered == other->is_numbered)
            return ICE_OK;
        if (same || here->spec == other->spec || is_dropped(here->field, other->field))
            continue;
        bool both_free = !here->is_numbered && !other->is_numbered;
        if (worst == NONE || (both_free && !is_error))
            worst = i;
        is_error = is_error || both_free;
    }
    if (worst != NONE)
        report_conflict(s, here, &s->meanings[worst], is_error);
    if (n >= MOST_MEANINGS)
        return ICE_OK;
    uint32_t index = keep(s, here);
    if (index == NONE)
        return ICE_ENOMEM;
    if (last == NONE)
        return ice_table_put(&s->by_id, key, index);
    s->meanings[last].next = index;
    return ICE_OK;
}

/* ---- one meaning, two ids ---- */

static bool is_same_field(const struct ice_partition_field *a,
                          const struct ice_partition_field *b) {
    return means_the_same(a, b) && ice_str_equal(a->name, b->name);
}

/* The first meaning in a table that is the same field, or NONE. */
static uint32_t find_field(struct spec_sets *s, const struct ice_table *table,
                           uint64_t key, const struct ice_partition_field *field) {
    size_t slot = SIZE_MAX;
    uint32_t other;
    for (int i = 0; i < MOST_MEANINGS && ice_table_next(table, key, &slot, &other); i++) {
        if (is_same_field(field, s->meanings[other].field))
            return other;
    }
    return NONE;
}

static void report_other_id(struct spec_sets *s, const struct meaning *here,
                            const struct meaning *first, bool is_needed) {
    const enum ice_rule_id rule = ICE_RULE_SPEC_FIELD_ID_NOT_REUSED;
    FOUND_AS(s->l->p.emit, rule, ice_layout_severity(is_needed, rule), at(s, here->field),
             arg_i64("spec", here->spec->spec_id), arg_str("name", here->field->name),
             arg_i64("id", here->field->field_id), arg_i64("other", first->spec->spec_id),
             arg_i64("other_id", first->field->field_id));
}

/*
 * Version 1 gives a field that comes back a new id, and the specs of an upgraded table
 * keep it: an id that the field had in any spec before is one of its own.
 */
static enum ice_status check_reuse(struct spec_sets *s, const struct meaning *here,
                                   bool is_needed) {
    const uint64_t seed = s->l->p.ck->run->hash_seed;
    const struct ice_partition_field *field = here->field;
    const uint64_t what =
        ice_hash_mix(ice_hash64(field->name, seed) ^ (uint64_t)field->source_id * 64 ^
                         (uint64_t)field->transform.kind,
                     seed);
    const uint64_t pair = ice_hash_mix(what ^ (uint64_t)field->field_id, seed);
    const uint32_t same = find_field(s, &s->by_pair, pair, field);
    if (same != NONE && s->meanings[same].field->field_id == field->field_id)
        return ICE_OK;
    const uint32_t first = find_field(s, &s->by_what, what, field);
    if (first != NONE && here->spec != s->meanings[first].spec &&
        !(here->is_numbered && s->meanings[first].is_numbered))
        report_other_id(s, here, &s->meanings[first], is_needed);
    uint32_t index = keep(s, here);
    if (index == NONE || ice_table_put(&s->by_pair, pair, index) < 0)
        return ICE_ENOMEM;
    return first == NONE ? ice_table_put(&s->by_what, what, index) : ICE_OK;
}

static enum ice_status take_spec(struct spec_sets *s, size_t index) {
    const struct ice_partition_spec *spec = &s->l->specs[index];
    const unsigned wanted = ICE_PART_HAS_FIELD_ID | ICE_PART_HAS_TRANSFORM;
    const bool all_numbered = is_numbered(spec);
    for (size_t i = 0; i < spec->n_fields; i++) {
        const struct ice_partition_field *field = &spec->fields[i];
        if ((field->has & wanted) != wanted ||
            !ice_layout_has_one_source(field->has, field->n_source_ids))
            continue;
        const struct meaning here = {spec, field, all_numbered, NONE};
        ICE_TRY(check_id(s, &here));
        if (field->has & ICE_PART_HAS_NAME)
            ICE_TRY(check_reuse(s, &here, s->l->spec_needed[index]));
    }
    return ICE_OK;
}

/* ---- version 1 ---- */

/* spec: #partition-evolution: fields become void or are added at the end */
static void check_order_of_v1(struct ice_layouts *l, size_t former, size_t index) {
    const struct ice_partition_spec *before = &l->specs[former];
    const struct ice_partition_spec *spec = &l->specs[index];
    const enum ice_rule_id rule = ICE_RULE_SPEC_EVOLUTION_V1_REORDERED;
    for (size_t i = 0; i < before->n_fields && spec->has_fields; i++) {
        const struct ice_partition_field *old = &before->fields[i];
        if (i < spec->n_fields &&
            (means_the_same(old, &spec->fields[i]) || is_dropped(old, &spec->fields[i])))
            continue;
        FOUND_AS(l->p.emit, rule, ice_layout_severity(l->spec_needed[index], rule),
                 ice_layout_at(l, spec->pointer, ICE_STR_NONE, "/fields"),
                 arg_i64("spec", spec->spec_id), arg_i64("former", before->spec_id),
                 arg_str("name", old->name));
        return;
    }
}

static void check_orders_of_v1(struct ice_layouts *l, const struct ice_keyed *order,
                               size_t n) {
    for (size_t i = 1; i < n; i++) {
        if (order[i].key != order[i - 1].key)
            check_order_of_v1(l, order[i - 1].index, order[i].index);
    }
}

/* ---- all ---- */

/* Specs by id, which is by time: some writers list them in any order. Those without an id
 * are left out. */
static size_t sort_specs(const struct ice_layouts *l, struct ice_keyed *out) {
    size_t n = 0;
    for (size_t i = 0; i < l->n_specs; i++) {
        if (l->specs[i].has_spec_id)
            out[n++] = (struct ice_keyed){
                (uint64_t)((int64_t)l->specs[i].spec_id - INT32_MIN), (uint32_t)i};
    }
    ice_keyed_sort(out, n);
    return n;
}

static enum ice_status check_sets(struct ice_layouts *l, const struct ice_keyed *order,
                                  size_t n) {
    struct ice_alloc *alloc = &l->p.ck->run->alloc;
    struct spec_sets s = {.l = l};
    enum ice_status status = ICE_OK;
    ice_table_init(&s.by_id, alloc);
    ice_table_init(&s.by_what, alloc);
    ice_table_init(&s.by_pair, alloc);
    for (size_t i = 0; i < n && status >= 0; i++)
        status = take_spec(&s, order[i].index);
    ice_table_release(&s.by_id);
    ice_table_release(&s.by_what);
    ice_table_release(&s.by_pair);
    ice_array_free(alloc, &s.meanings, &s.cap_meanings, sizeof(*s.meanings));
    return status;
}

enum ice_status ice_rules_spec_sets(struct ice_layouts *l, struct ice_error *err) {
    struct ice_alloc *alloc = &l->p.ck->run->alloc;
    enum ice_status status = ICE_OK;
    if (l->n_specs < 2)
        return ICE_OK;
    struct ice_keyed *order = ice_calloc(alloc, l->n_specs, sizeof(*order));
    if (order == NULL)
        return ice_error_memory(err);
    const size_t n = sort_specs(l, order);
    if (l->p.version == 1)
        check_orders_of_v1(l, order, n);
    else
        status = check_sets(l, order, n);
    ice_free(alloc, order, l->n_specs * sizeof(*order));
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
