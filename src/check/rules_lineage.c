/*
 * lineage.*, as far as metadata.json decides it: next-row-id and the row ids that
 * snapshots take (spec: #row-lineage, #snapshot-row-ids). What files really take is left
 * to the rules on manifests. Keeps 33 bytes a snapshot while it runs.
 */
#include "check/pass1.h"

#include "base/error.h"

struct lineage_rules {
    struct ice_pass1 *p;
    struct ice_keyed *items; /* snapshots with a first-row-id */
    size_t n;
    bool *overlaps; /* by snapshot: a finding has named it */
    bool next_is_too_small;
    bool has_open_range; /* of one nobody knows where it ends */
};

static const struct ice_place *at(struct lineage_rules *r, size_t index,
                                  const char *member) {
    return ice_at_element(r->p, "/snapshots", index, member);
}

static bool has_first(const struct ice_snapshot *s) {
    return ice_snapshot_has(s, ICE_SNAP_first_row_id);
}

static bool has_range(const struct ice_snapshot *s) {
    return has_first(s) && ice_snapshot_has(s, ICE_SNAP_added_rows) &&
           s->first_row_id >= 0 && s->added_rows >= 0;
}

/* Behind the range, at the end of 64 bits where it does not fit. */
static int64_t end_of(const struct ice_snapshot *s) {
    int64_t out;
    return __builtin_add_overflow(s->first_row_id, s->added_rows, &out) ? INT64_MAX : out;
}

/* ---- next-row-id ---- */

static void check_next(struct lineage_rules *r) {
    const struct ice_metadata *m = r->p->m;
    const struct ice_snapshot *first = NULL, *end = NULL;
    const char *pointer = "/next-row-id";
    if (!ice_metadata_has(m, ICE_META_next_row_id))
        return;
    if (m->next_row_id < 0)
        FOUND(r->p->emit, ICE_RULE_LINEAGE_NEXT_ROW_ID_NEGATIVE, ice_at(r->p, pointer),
              arg_i64("value", m->next_row_id));
    r->next_is_too_small = m->next_row_id < 0;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (has_first(s) && (first == NULL || s->first_row_id > first->first_row_id))
            first = s;
        if (has_range(s) && (end == NULL || end_of(s) > end_of(end)))
            end = s;
    }
    if (r->next_is_too_small)
        return;
    if (first != NULL && m->next_row_id < first->first_row_id) {
        r->next_is_too_small = true;
        FOUND_AS(r->p->emit, ICE_RULE_LINEAGE_NEXT_ROW_ID_TOO_SMALL, ICE_ERROR,
                 ice_at(r->p, pointer), arg_i64("value", m->next_row_id),
                 arg_id("snapshot", first->snapshot_id), arg_text("what", "starts at"),
                 arg_i64("row", first->first_row_id));
    } else if (end != NULL && m->next_row_id < end_of(end)) {
        r->next_is_too_small = true;
        FOUND_AS(r->p->emit, ICE_RULE_LINEAGE_NEXT_ROW_ID_TOO_SMALL, ICE_WARN,
                 ice_at(r->p, pointer), arg_i64("value", m->next_row_id),
                 arg_id("snapshot", end->snapshot_id), arg_text("what", "may reach to"),
                 arg_i64("row", end_of(end)));
    }
}

/* ---- each snapshot ---- */

/* Snapshots of before the upgrade have none; they have the smaller numbers. */
static bool find_oldest_number(const struct ice_metadata *m, int64_t *out) {
    bool found = false;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (!has_first(s) || !ice_snapshot_has(s, ICE_SNAP_sequence_number))
            continue;
        if (!found || s->sequence_number < *out)
            *out = s->sequence_number;
        found = true;
    }
    return found;
}

static void check_negative(struct lineage_rules *r, size_t i, enum ice_snapshot_bit bit,
                           int64_t value, const char *member) {
    const struct ice_snapshot *s = &r->p->m->snapshots[i];
    if (ice_snapshot_has(s, bit) && value < 0)
        FOUND(r->p->emit, ICE_RULE_LINEAGE_SNAPSHOT_NEGATIVE, at(r, i, member),
              arg_id("id", s->snapshot_id), arg_text("field", member + 1),
              arg_i64("value", value));
}

static void check_each(struct lineage_rules *r) {
    const struct ice_metadata *m = r->p->m;
    int64_t oldest = 0;
    bool any = find_oldest_number(m, &oldest);
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (any && ice_snapshot_lacks(s, ICE_SNAP_first_row_id) &&
            ice_snapshot_has(s, ICE_SNAP_sequence_number) && s->sequence_number > oldest)
            FOUND(r->p->emit, ICE_RULE_LINEAGE_SNAPSHOT_FIRST_ROW_ID_MISSING,
                  at(r, i, ""), arg_id("id", s->snapshot_id));
        if (has_first(s) && ice_snapshot_lacks(s, ICE_SNAP_added_rows))
            FOUND(r->p->emit, ICE_RULE_LINEAGE_SNAPSHOT_ADDED_ROWS_MISSING, at(r, i, ""),
                  arg_id("id", s->snapshot_id));
        r->has_open_range = r->has_open_range || (has_first(s) && !has_range(s));
        check_negative(r, i, ICE_SNAP_first_row_id, s->first_row_id, "/first-row-id");
        check_negative(r, i, ICE_SNAP_added_rows, s->added_rows, "/added-rows");
    }
}

/* ---- ranges ---- */

static void take_ranges(struct lineage_rules *r) {
    const struct ice_metadata *m = r->p->m;
    r->n = 0;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        bool is_copy = ice_snapshot_has(s, ICE_SNAP_snapshot_id) &&
                       ice_metadata_find_snapshot(m, s->snapshot_id) != i;
        if (has_range(s) && !is_copy)
            r->items[r->n++] = (struct ice_keyed){(uint64_t)s->first_row_id, (uint32_t)i};
    }
    ice_keyed_sort(r->items, r->n);
}

/* By first row id: each against the one that reaches furthest so far. */
static void check_ranges(struct lineage_rules *r) {
    const struct ice_snapshot *snapshots = r->p->m->snapshots;
    size_t furthest = SIZE_MAX;
    for (size_t k = 0; k < r->n; k++) {
        size_t i = r->items[k].index;
        const struct ice_snapshot *s = &snapshots[i];
        const struct ice_snapshot *other =
            furthest == SIZE_MAX ? NULL : &snapshots[furthest];
        struct ice_arg id = arg_id("id", s->snapshot_id);
        struct ice_arg first = arg_i64("first", s->first_row_id);
        if (other != NULL && s->first_row_id < end_of(other) && s->added_rows > 0) {
            r->overlaps[i] = r->overlaps[furthest] = true;
            FOUND_AS(r->p->emit, ICE_RULE_LINEAGE_SNAPSHOT_RANGE_OVERLAP, ICE_WARN,
                     at(r, i, "/first-row-id"), id, first,
                     arg_id("other", other->snapshot_id), arg_i64("end", end_of(other)));
        }
        if (other != NULL && s->first_row_id > end_of(other) && !r->has_open_range)
            FOUND(r->p->emit, ICE_RULE_LINEAGE_SNAPSHOT_RANGE_GAP,
                  at(r, i, "/first-row-id"), id, first, arg_i64("end", end_of(other)));
        if (other == NULL || end_of(s) > end_of(other))
            furthest = i;
    }
}

/* By sequence number: next-row-id only grows. */
static void check_backwards(struct lineage_rules *r) {
    const struct ice_metadata *m = r->p->m;
    size_t n = 0, largest = SIZE_MAX, largest_here = SIZE_MAX;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (has_first(s) && s->first_row_id >= 0 &&
            ice_snapshot_has(s, ICE_SNAP_sequence_number) && s->sequence_number > 0)
            r->items[n++] = (struct ice_keyed){(uint64_t)s->sequence_number, (uint32_t)i};
    }
    ice_keyed_sort(r->items, n);
    for (size_t k = 0; k < n; k++) {
        size_t i = r->items[k].index;
        const struct ice_snapshot *s = &m->snapshots[i];
        if (k == 0 || r->items[k].key != r->items[k - 1].key)
            largest = largest_here;
        if (largest_here == SIZE_MAX ||
            s->first_row_id > m->snapshots[largest_here].first_row_id)
            largest_here = i;
        if (largest == SIZE_MAX || r->overlaps[i] || r->overlaps[largest] ||
            s->first_row_id >= m->snapshots[largest].first_row_id)
            continue;
        FOUND(r->p->emit, ICE_RULE_LINEAGE_SNAPSHOT_FIRST_ROW_ID_BACKWARDS,
              at(r, i, "/first-row-id"), arg_id("id", s->snapshot_id),
              arg_i64("first", s->first_row_id),
              arg_id("other", m->snapshots[largest].snapshot_id),
              arg_i64("other_first", m->snapshots[largest].first_row_id));
    }
}

enum ice_status ice_rules_lineage(struct ice_pass1 *p, struct ice_error *err) {
    const size_t n = p->m->n_snapshots;
    struct ice_alloc *alloc = &p->ck->run->alloc;
    struct lineage_rules r = {.p = p};
    if (p->version < 3) {
        if (ice_metadata_has(p->m, ICE_META_next_row_id))
            FOUND(p->emit, ICE_RULE_LINEAGE_NEXT_ROW_ID_BEFORE_V3,
                  ice_at(p, "/next-row-id"), arg_i64("version", p->version));
        return ICE_OK;
    }
    check_next(&r);
    if (n == 0)
        return ICE_OK;
    check_each(&r);
    r.items = ice_calloc(alloc, n, sizeof(*r.items));
    r.overlaps = ice_calloc(alloc, n, sizeof(*r.overlaps));
    bool done = r.items != NULL && r.overlaps != NULL;
    if (done) {
        take_ranges(&r);
        check_ranges(&r);
        if (!r.next_is_too_small)
            check_backwards(&r);
    }
    ice_free(alloc, r.items, n * sizeof(*r.items));
    ice_free(alloc, r.overlaps, n * sizeof(*r.overlaps));
    return done ? ICE_OK : ice_error_memory(err);
}
