/*
 * What keeps its id keeps its content: snapshots, schemas, partition specs, sort orders
 * of two metadata files of one table.
 */
#include "check/history.h"

#include "iceberg/default_value.h"

/* ---- snapshots ---- */

/* A parent that was taken off because it was removed, as PyIceberg's expiry does, is no
 * change of the snapshot. */
static bool is_same_parent(const struct ice_snapshot *e, const struct ice_snapshot *l,
                           const struct ice_metadata *later) {
    if (ice_snapshot_has_parent(e) != ice_snapshot_has_parent(l))
        return ice_snapshot_has_parent(e) &&
               ice_metadata_find_snapshot(later, e->parent_snapshot_id) == SIZE_MAX;
    return !ice_snapshot_has_parent(e) || e->parent_snapshot_id == l->parent_snapshot_id;
}

static bool is_same_list(struct ice_history *h, const struct ice_metadata *earlier,
                         const struct ice_snapshot *e, const struct ice_metadata *later,
                         const struct ice_snapshot *l) {
    struct ice_str before, after;
    if (ice_snapshot_manifest_list(earlier, e, &h->scratch[0], &before) < 0 ||
        ice_snapshot_manifest_list(later, l, &h->scratch[1], &after) < 0)
        return true;
    return ice_str_equal(before, after);
}

/* What differs, in words; NULL: nothing. Sequence number 0 is none, as after an upgrade;
 * Java before 1.8 dropped the operation with the summary. */
static const char *difference(struct ice_history *h, const struct ice_metadata *earlier,
                              const struct ice_snapshot *e,
                              const struct ice_metadata *later,
                              const struct ice_snapshot *l) {
    if (e->bad != 0 || l->bad != 0)
        return NULL;
    if (!is_same_parent(e, l, later))
        return "parent-snapshot-id";
    if (e->timestamp_ms != l->timestamp_ms)
        return "timestamp-ms";
    if (e->sequence_number != l->sequence_number)
        return "sequence-number";
    if (e->operation != ICE_OPERATION_ABSENT && l->operation != ICE_OPERATION_ABSENT &&
        e->operation != l->operation)
        return "operation";
    return is_same_list(h, earlier, e, later, l) ? NULL : "manifest-list";
}

static void check_snapshots(struct ice_history *h, const struct ice_history_file *earlier,
                            const struct ice_history_file *later) {
    const struct ice_metadata *e = earlier->metadata, *l = later->metadata;
    for (size_t i = 0; i < l->n_snapshots; i++) {
        size_t k = ice_metadata_find_snapshot(e, l->snapshots[i].snapshot_id);
        const char *what = k == SIZE_MAX
                               ? NULL
                               : difference(h, e, &e->snapshots[k], l, &l->snapshots[i]);
        if (what == NULL)
            continue;
        struct ice_place place =
            ice_history_place(later, ice_history_pointer(h, "snapshots", i, ""));
        struct ice_place there =
            ice_history_place(earlier, ice_history_pointer(h, "snapshots", k, ""));
        FOUND_VS(h->ck->emit, ICE_RULE_HISTORY_SNAPSHOT_MUTATED, ICE_DEFAULT, &place,
                 &there, arg_id("id", l->snapshots[i].snapshot_id),
                 arg_text("field", what),
                 arg_str("name", ice_history_name(h, earlier->name)));
    }
}

enum { MOST_GONE = 100 }; /* looked up one by one */

/* A snapshot that went, and another one that has its number. */
static void check_numbers(struct ice_history *h, const struct ice_history_file *earlier,
                          const struct ice_history_file *later) {
    const struct ice_metadata *e = earlier->metadata, *l = later->metadata;
    size_t n_gone = 0;
    for (size_t i = 0; i < e->n_snapshots && n_gone < MOST_GONE; i++) {
        const struct ice_snapshot *gone = &e->snapshots[i];
        if (gone->sequence_number <= 0 ||
            ice_metadata_find_snapshot(l, gone->snapshot_id) != SIZE_MAX)
            continue;
        n_gone++;
        for (size_t k = 0; k < l->n_snapshots; k++) {
            if (l->snapshots[k].sequence_number != gone->sequence_number)
                continue;
            struct ice_place place = ice_history_place(
                later, ice_history_pointer(h, "snapshots", k, "/sequence-number"));
            FOUND(h->ck->emit, ICE_RULE_HISTORY_SEQUENCE_NUMBER_REUSED, &place,
                  arg_i64("sequence", gone->sequence_number),
                  arg_id("id", l->snapshots[k].snapshot_id),
                  arg_id("other", gone->snapshot_id),
                  arg_str("name", ice_history_name(h, earlier->name)));
            break;
        }
    }
}

/* ---- schemas ---- */

/* All but docs, defaults and identifiers. */
static bool has_same_fields(const struct ice_schema *a, const struct ice_schema *b) {
    if (a->n_fields != b->n_fields)
        return false;
    for (size_t i = 0; i < a->n_fields; i++) {
        const struct ice_field *x = &a->fields[i], *y = &b->fields[i];
        if (x->id != y->id || x->parent != y->parent || x->required != y->required ||
            !ice_type_equal(&x->type, &y->type) || !ice_str_equal(x->name, y->name))
            return false;
    }
    return true;
}

/* Another writer spells a default in its own way: escapes, zeros, exponents. */
static bool says_the_same(const struct ice_schema *a, const struct ice_schema *b) {
    if (ice_schema_equal(a, b, true))
        return true;
    if (!ice_schema_equal(a, b, false))
        return false;
    for (size_t i = 0; i < a->n_fields; i++) {
        const struct ice_field *x = &a->fields[i], *y = &b->fields[i];
        if (!ice_str_equal(x->doc, y->doc) ||
            !ice_default_same(&x->type, x->initial_default, &y->type,
                              y->initial_default) ||
            !ice_default_same(&x->type, x->write_default, &y->type, y->write_default))
            return false;
    }
    return true;
}

static void report(struct ice_history *h, enum ice_rule_id rule,
                   enum ice_severity severity, const struct ice_history_file *earlier,
                   const struct ice_history_file *later, struct ice_str before,
                   struct ice_str after, int32_t id) {
    struct ice_place place = ice_history_place(later, after);
    struct ice_place there = ice_history_place(earlier, before);
    FOUND_VS(h->ck->emit, rule, severity, &place, &there, arg_i64("id", id),
             arg_str("name", ice_history_name(h, earlier->name)));
}

static void check_schemas(struct ice_history *h, const struct ice_history_file *earlier,
                          const struct ice_history_file *later) {
    const struct ice_metadata *l = later->metadata;
    for (size_t i = 0; i < l->n_schemas; i++) {
        const struct ice_schema *b = &l->schemas[i];
        const struct ice_schema *a =
            b->has_schema_id ? ice_metadata_find_schema(earlier->metadata, b->schema_id)
                             : NULL;
        if (a == NULL || !a->has_schema_id || says_the_same(a, b))
            continue;
        report(h, ICE_RULE_HISTORY_SCHEMA_MUTATED,
               has_same_fields(a, b) ? ICE_WARN : ICE_ERROR, earlier, later, a->pointer,
               b->pointer, b->schema_id);
    }
}

/* ---- specs and orders ---- */

static bool is_same_source(int32_t a, const int32_t *as, size_t n_as, int32_t b,
                           const int32_t *bs, size_t n_bs) {
    return a == b && n_as == n_bs &&
           (n_as == 0 || memcmp(as, bs, n_as * sizeof(*as)) == 0);
}

/* *out_names: only names differ. */
static bool is_same_spec(const struct ice_partition_spec *a,
                         const struct ice_partition_spec *b, bool *out_names) {
    *out_names = false;
    if (a->n_fields != b->n_fields)
        return false;
    for (size_t i = 0; i < a->n_fields; i++) {
        const struct ice_partition_field *x = &a->fields[i], *y = &b->fields[i];
        if (!is_same_source(x->source_id, x->source_ids, x->n_source_ids, y->source_id,
                            y->source_ids, y->n_source_ids) ||
            !ice_transform_equal(&x->transform, &y->transform))
            return false;
        if (!ice_str_equal(x->name, y->name))
            *out_names = true;
    }
    return !*out_names;
}

static void check_specs(struct ice_history *h, const struct ice_history_file *earlier,
                        const struct ice_history_file *later) {
    const struct ice_metadata *e = earlier->metadata, *l = later->metadata;
    for (size_t i = 0; i < l->n_specs && e->n_specs > 0; i++) {
        const struct ice_partition_spec *b = &l->specs[i];
        const struct ice_partition_spec *a =
            b->has_spec_id ? ice_metadata_find_spec(e, b->spec_id) : NULL;
        bool is_name;
        if (a == NULL || !a->has_spec_id || is_same_spec(a, b, &is_name))
            continue;
        report(h, ICE_RULE_HISTORY_SPEC_MUTATED, is_name ? ICE_WARN : ICE_ERROR, earlier,
               later, a->pointer, b->pointer, b->spec_id);
    }
}

static bool is_same_order(const struct ice_sort_order *a,
                          const struct ice_sort_order *b) {
    if (a->n_fields != b->n_fields)
        return false;
    for (size_t i = 0; i < a->n_fields; i++) {
        const struct ice_sort_field *x = &a->fields[i], *y = &b->fields[i];
        if (!is_same_source(x->source_id, x->source_ids, x->n_source_ids, y->source_id,
                            y->source_ids, y->n_source_ids) ||
            !ice_transform_equal(&x->transform, &y->transform) ||
            !ice_str_equal_nocase(x->direction, y->direction) ||
            !ice_str_equal_nocase(x->null_order, y->null_order))
            return false;
    }
    return true;
}

static void check_orders(struct ice_history *h, const struct ice_history_file *earlier,
                         const struct ice_history_file *later) {
    const struct ice_metadata *l = later->metadata;
    for (size_t i = 0; i < l->n_orders; i++) {
        const struct ice_sort_order *b = &l->orders[i];
        const struct ice_sort_order *a =
            b->has_order_id ? ice_metadata_find_order(earlier->metadata, b->order_id)
                            : NULL;
        if (a != NULL && a->has_order_id && !is_same_order(a, b))
            report(h, ICE_RULE_HISTORY_SORT_ORDER_MUTATED, ICE_DEFAULT, earlier, later,
                   a->pointer, b->pointer, b->order_id);
    }
}

void ice_history_content(struct ice_history *h, const struct ice_history_file *earlier,
                         const struct ice_history_file *later) {
    check_snapshots(h, earlier, later);
    check_numbers(h, earlier, later);
    check_schemas(h, earlier, later);
    check_specs(h, earlier, later);
    check_orders(h, earlier, later);
}
