/*
 * Row ids of live data files (spec: #row-lineage): ranges by their start, against the
 * furthest end so far in each snapshot that lists them. Ends are kept in a tree over the
 * judged snapshots, so cost is the logarithm of snapshots a run.
 */
#include "base/error.h"
#include "check/set_rules.h"

/* How far a range reaches; end 0: none. */
struct reach {
    int64_t end;
    uint32_t entry;
};

struct tree {
    struct ice_facts *facts;
    const struct ice_snapshot_sets *sets;
    struct ice_suspects *suspects;
    uint32_t *rank; /* by snapshot: judged ones before it; one more at the end */
    size_t leaves;  /* a power of two */
    /* by node: the range that ends last among all set at or below it, and at it as a
     * whole */
    struct reach *below, *whole;
    int64_t largest_end; /* of ids that were assigned and are not below next-row-id */
    uint32_t largest_entry;
};

static struct reach further(struct reach a, struct reach b) {
    return a.end >= b.end ? a : b;
}

/* The range that ends last in ranks [from, to). */
static struct reach furthest(const struct tree *t, size_t from, size_t to) {
    struct reach found = {0};
    size_t left = from + t->leaves, right = to + t->leaves;
    for (; left < right; left /= 2, right /= 2) {
        if (left & 1)
            found = further(found, t->below[left++]);
        if (right & 1)
            found = further(found, t->below[--right]);
    }
    left = from + t->leaves;
    right = to - 1 + t->leaves;
    for (; left > 0; left /= 2, right /= 2) {
        found = further(found, t->whole[left]);
        found = further(found, t->whole[right]);
    }
    return found;
}

static void set(struct tree *t, size_t from, size_t to, struct reach range) {
    size_t left = from + t->leaves, right = to + t->leaves;
    for (; left < right; left /= 2, right /= 2) {
        if (left & 1) {
            t->whole[left] = further(t->whole[left], range);
            t->below[left] = further(t->below[left], range);
            left++;
        }
        if (right & 1) {
            right--;
            t->whole[right] = further(t->whole[right], range);
            t->below[right] = further(t->below[right], range);
        }
    }
    left = from + t->leaves;
    right = to - 1 + t->leaves;
    for (; left > 0; left /= 2, right /= 2) {
        t->below[left] = further(t->below[left], range);
        t->below[right] = further(t->below[right], range);
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

static enum ice_status check_range(struct tree *t, const struct ice_row_range *range) {
    const struct ice_metadata *m = &t->facts->ck->metadata;
    const struct ice_manifest_facts *manifest =
        &t->facts->ck->manifests[ice_fact_manifest(t->facts, range->entry)];
    bool is_judged = false;
    const struct reach own = {range->end, range->entry};
    struct reach held = {0};
    for (uint32_t r = 0; r < manifest->n_runs; r++) {
        size_t from = t->rank[manifest->runs[r].first];
        size_t to = t->rank[manifest->runs[r].last + 1];
        if (from >= to)
            continue;
        is_judged = true;
        held = further(held, furthest(t, from, to));
        set(t, from, to, own);
    }
    if (held.end > range->first && held.entry != range->entry) {
        uint32_t other = held.entry;
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
    const struct ice_list_record *record = ice_manifest_row_ids(&ck->manifests[manifest]);
    uint32_t number = record ? record->snapshot : ck->manifests[manifest].first_snapshot;
    FOUND_AS(ck->emit, ICE_RULE_LINEAGE_NEXT_ROW_ID_TOO_SMALL, ICE_ERROR, &place,
             arg_i64("value", ck->metadata.next_row_id),
             arg_id("snapshot", ice_numbered(ck, number)->snapshot_id),
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

static enum ice_status check_ranges(const void *records, size_t n, void *user) {
    const struct ice_row_range *ranges = records;
    for (size_t i = 0; i < n; i++)
        ICE_TRY(check_range(user, &ranges[i]));
    return ICE_OK;
}

enum ice_status ice_row_ranges_check(struct ice_facts *facts,
                                     const struct ice_snapshot_sets *sets,
                                     struct ice_suspects *suspects) {
    struct tree t = {.facts = facts, .sets = sets, .suspects = suspects};
    struct ice_alloc *alloc = &facts->ck->run->alloc;
    if (facts->ranges.total == 0 || facts->ck->version < 3)
        return ICE_OK;
    enum ice_status status = plant(&t);
    if (status == ICE_OK)
        status = ice_sorter_read(&facts->ranges, NULL, check_ranges, &t);
    if (status == ICE_OK)
        report_next(&t);
    ice_free(alloc, t.rank, ((size_t)sets->n + 1) * sizeof(*t.rank));
    ice_free(alloc, t.below, t.leaves * 2 * sizeof(*t.below));
    ice_free(alloc, t.whole, t.leaves * 2 * sizeof(*t.whole));
    return status;
}
