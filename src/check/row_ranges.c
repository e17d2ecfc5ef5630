/*
 * Row ids of live data files (spec: #row-lineage): ranges by their start, against the
 * furthest end so far in each snapshot that lists them. Ends are kept in a tree over the
 * judged snapshots, so cost is the logarithm of snapshots a run.
 */
#include "base/error.h"
#include "check/set_rules.h"

#include <stdlib.h>

struct tree {
    struct ice_facts *facts;
    const struct ice_snapshot_sets *sets;
    struct ice_suspects *suspects;
    uint32_t *rank; /* by snapshot: judged ones before it; one more at the end */
    size_t leaves;  /* a power of two */
    /* by node: the range that ends last among all set at or below it, and at it as a
     * whole; position + 1, 0: none */
    uint32_t *below, *whole;
    int64_t largest_end; /* of ids that were assigned and are not below next-row-id */
    uint32_t largest_entry;
};

static int compare_ranges(const void *a, const void *b) {
    const struct ice_row_range *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static uint32_t further(const struct tree *t, uint32_t a, uint32_t b) {
    if (a == 0 || b == 0)
        return a == 0 ? b : a;
    return t->facts->ranges[a - 1].end >= t->facts->ranges[b - 1].end ? a : b;
}

/* The range that ends last in ranks [from, to). */
static uint32_t furthest(const struct tree *t, size_t from, size_t to) {
    uint32_t found = 0;
    size_t left = from + t->leaves, right = to + t->leaves;
    for (; left < right; left /= 2, right /= 2) {
        if (left & 1)
            found = further(t, found, t->below[left++]);
        if (right & 1)
            found = further(t, found, t->below[--right]);
    }
    left = from + t->leaves;
    right = to - 1 + t->leaves;
    for (; left > 0; left /= 2, right /= 2) {
        found = further(t, found, t->whole[left]);
        found = further(t, found, t->whole[right]);
    }
    return found;
}

static void set(struct tree *t, size_t from, size_t to, uint32_t range) {
    size_t left = from + t->leaves, right = to + t->leaves;
    for (; left < right; left /= 2, right /= 2) {
        if (left & 1) {
            t->whole[left] = further(t, t->whole[left], range);
            t->below[left] = further(t, t->below[left], range);
            left++;
        }
        if (right & 1) {
            right--;
            t->whole[right] = further(t, t->whole[right], range);
            t->below[right] = further(t, t->below[right], range);
        }
    }
    left = from + t->leaves;
    right = to - 1 + t->leaves;
    for (; left > 0; left /= 2, right /= 2) {
        t->below[left] = further(t, t->below[left], range);
        t->below[right] = further(t, t->below[right], range);
    }
}

static struct ice_suspect suspect_of(enum ice_rule_id rule, uint32_t entry) {
    return (struct ice_suspect){.rule = rule,
                                .severity = ICE_DEFAULT,
                                .entry = entry,
                                .other = ICE_NO_NUMBER,
                                .snapshot = ICE_NO_NUMBER,
                                .before = ICE_NO_NUMBER,
                                .row = -1};
}

static enum ice_status check_range(struct tree *t, size_t index) {
    const struct ice_row_range *range = &t->facts->ranges[index];
    const struct ice_metadata *m = &t->facts->ck->metadata;
    const struct ice_manifest_facts *manifest =
        &t->facts->ck->manifests[ice_fact_manifest(t->facts, range->entry)];
    bool is_judged = false;
    uint32_t held = 0;
    for (uint32_t r = 0; r < manifest->n_runs; r++) {
        size_t from = t->rank[manifest->runs[r].first];
        size_t to = t->rank[manifest->runs[r].last + 1];
        if (from >= to)
            continue;
        is_judged = true;
        held = further(t, held, furthest(t, from, to));
        set(t, from, to, (uint32_t)index + 1);
    }
    if (held > 0 && held != index + 1 && t->facts->ranges[held - 1].end > range->first) {
        uint32_t other = t->facts->ranges[held - 1].entry;
        bool swap = other > range->entry;
        struct ice_suspect suspect =
            suspect_of(ICE_RULE_LINEAGE_FILE_RANGE_OVERLAP, swap ? other : range->entry);
        suspect.other = swap ? range->entry : other;
        suspect.row = range->first;
        ICE_TRY(ice_suspect_add(t->suspects, suspect));
    }
    if (!is_judged || !ice_metadata_has(m, ICE_META_next_row_id) || m->next_row_id < 0 ||
        range->end <= m->next_row_id)
        return ICE_OK;
    if (range->is_explicit)
        return ice_suspect_add(
            t->suspects,
            suspect_of(ICE_RULE_LINEAGE_FILE_RANGE_ABOVE_NEXT, range->entry));
    if (range->end > t->largest_end) {
        t->largest_end = range->end;
        t->largest_entry = range->entry;
    }
    return ICE_OK;
}

bool ice_raise_kept(struct ice_emit *emit, enum ice_rule_id rule,
                    struct ice_str pointer) {
    bool found = false;
    for (size_t i = 0; i < ice_emit_count(emit); i++)
        if (ice_emit_rule(emit, i) == rule &&
            ice_str_equal(ice_emit_place(emit, i)->at.pointer, pointer)) {
            ice_emit_revise(emit, i, ICE_ERROR);
            found = true;
        }
    return found;
}

/* Ids that manifests were given, at or above next-row-id: the next commit gives them
 * again. */
static void report_next(const struct tree *t) {
    struct ice_check *ck = t->facts->ck;
    struct ice_place place =
        ice_place_at(ck->metadata_file, ICE_ORDER_METADATA, ICE_STR("/next-row-id"));
    if (t->largest_end == 0 ||
        ice_raise_kept(ck->emit, ICE_RULE_LINEAGE_NEXT_ROW_ID_TOO_SMALL,
                       place.at.pointer))
        return;
    uint32_t manifest = ice_fact_manifest(t->facts, t->largest_entry);
    FOUND_AS(
        ck->emit, ICE_RULE_LINEAGE_NEXT_ROW_ID_TOO_SMALL, ICE_ERROR, &place,
        arg_i64("value", ck->metadata.next_row_id),
        arg_id("snapshot",
               ice_numbered(ck, ck->manifests[manifest].first_snapshot)->snapshot_id),
        arg_text("what", "has files up to"), arg_i64("row", t->largest_end - 1));
}

static enum ice_status plant(struct tree *t) {
    struct ice_alloc *alloc = &t->facts->ck->run->alloc;
    uint32_t n = t->sets->n;
    t->rank = ice_calloc(alloc, (size_t)n + 1, sizeof(*t->rank));
    if (!t->rank)
        return ICE_ENOMEM;
    for (uint32_t s = 0; s < n; s++)
        t->rank[s + 1] = t->rank[s] + t->sets->judged[s];
    t->leaves = 1;
    while (t->leaves < t->rank[n])
        t->leaves *= 2;
    t->below = ice_calloc(alloc, t->leaves, 2 * sizeof(*t->below));
    t->whole = ice_calloc(alloc, t->leaves, 2 * sizeof(*t->whole));
    return t->below && t->whole ? ICE_OK : ICE_ENOMEM;
}

enum ice_status ice_row_ranges_check(struct ice_facts *facts,
                                     const struct ice_snapshot_sets *sets,
                                     struct ice_suspects *suspects) {
    struct tree t = {.facts = facts, .sets = sets, .suspects = suspects};
    struct ice_alloc *alloc = &facts->ck->run->alloc;
    if (facts->n_ranges == 0 || facts->ck->version < 3 || facts->n_ranges >= UINT32_MAX)
        return ICE_OK;
    qsort(facts->ranges, facts->n_ranges, sizeof(*facts->ranges), compare_ranges);
    enum ice_status status = plant(&t);
    for (size_t i = 0; status == ICE_OK && i < facts->n_ranges; i++)
        status = check_range(&t, i);
    if (status == ICE_OK)
        report_next(&t);
    ice_free(alloc, t.rank, ((size_t)sets->n + 1) * sizeof(*t.rank));
    ice_free(alloc, t.below, t.leaves * 2 * sizeof(*t.below));
    ice_free(alloc, t.whole, t.leaves * 2 * sizeof(*t.whole));
    return status;
}
