/*
 * Partitions that a commit changes, counted by distinct pairs of snapshot and partition.
 * Most entries of a commit are in few partitions: a pair that was seen a moment ago is
 * left out at once, all others are sorted.
 */
#include "base/error.h"
#include "check/set_rules.h"

enum { RECENT = 1 << 12 };

struct pair {
    uint32_t snapshot, partition;
};

static int compare_pairs(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    if (x->snapshot != y->snapshot)
        return x->snapshot < y->snapshot ? -1 : 1;
    return x->partition < y->partition ? -1 : x->partition > y->partition;
}

static const struct ice_sorter_kind sorted_pairs = {sizeof(struct pair), compare_pairs,
                                                    NULL};

static bool declared(const struct ice_check *ck, uint32_t snapshot, int64_t *out) {
    return ice_snapshot_metric(&ck->metadata, ice_numbered(ck, snapshot),
                               ICE_METRIC_CHANGED_PARTITION_COUNT, out);
}

enum ice_status ice_partition_counts_open(struct ice_partition_counts *counts,
                                          const struct ice_facts *facts,
                                          const struct ice_snapshot_sets *sets) {
    struct ice_check *ck = facts->ck;
    int64_t ignored;
    *counts = (struct ice_partition_counts){.facts = facts, .sets = sets};
    if (sets->n == 0 || !ice_emit_is_on(ck->emit, ICE_RULE_SUMMARY_PARTITION_COUNT))
        return ICE_OK;
    ice_sorter_init(&counts->pairs, &ck->spill, &sorted_pairs);
    counts->by_snapshot =
        ice_calloc(&ck->run->alloc, sets->n, sizeof(*counts->by_snapshot));
    counts->recent = ice_calloc(&ck->run->alloc, RECENT, sizeof(*counts->recent));
    if (!counts->by_snapshot || !counts->recent)
        return ICE_ENOMEM;
    for (uint32_t s = 0; s < sets->n; s++)
        if (sets->judged[s] && declared(ck, s, &ignored))
            counts->by_snapshot[s].is_asked = true;
    return ICE_OK;
}

void ice_partition_counts_release(struct ice_partition_counts *counts) {
    if (!counts->facts)
        return;
    struct ice_alloc *alloc = &counts->facts->ck->run->alloc;
    ice_free(alloc, counts->by_snapshot, counts->sets->n * sizeof(*counts->by_snapshot));
    ice_free(alloc, counts->recent, RECENT * sizeof(*counts->recent));
    ice_sorter_release(&counts->pairs);
    *counts = (struct ice_partition_counts){0};
}

enum ice_status ice_partition_counts_add(struct ice_partition_counts *counts,
                                         const struct ice_fact *fact) {
    const struct ice_facts *facts = counts->facts;
    uint32_t snapshot = facts->origins[fact->origin].snapshot;
    if (!counts->by_snapshot || ice_fact_status(fact) == ICE_STATUS_EXISTING ||
        snapshot == ICE_NO_NUMBER || ice_fact_kind(fact) > ICE_FACT_VECTOR ||
        !counts->by_snapshot[snapshot].is_asked)
        return ICE_OK;
    uint64_t value = ((uint64_t)snapshot << 32 | fact->partition) + 1; /* 0: none yet */
    uint64_t *recent =
        &counts->recent[ice_hash_mix(value, facts->ck->run->hash_seed) % RECENT];
    if (*recent == value)
        return ICE_OK;
    *recent = value;
    const struct pair pair = {snapshot, fact->partition};
    return ice_sorter_add(&counts->pairs, &pair);
}

static bool same_pair(const void *a, const void *b) {
    return compare_pairs(a, b) == 0;
}

static enum ice_status count(const void *records, size_t n, void *user) {
    struct ice_partition_counts *counts = user;
    const struct pair *pairs = records;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || !same_pair(&pairs[i - 1], &pairs[i]))
            counts->by_snapshot[pairs[i].snapshot].n++;
    return ICE_OK;
}

static void compare(const struct ice_partition_counts *counts, uint32_t snapshot) {
    const struct ice_check *ck = counts->facts->ck;
    const struct ice_snapshot *s = ice_numbered(ck, snapshot);
    int64_t found, counted = counts->by_snapshot[snapshot].n;
    struct ice_row_place at;
    /* an unpartitioned table has one partition, or none: writers differ */
    if (!counts->sets->judged[snapshot] || !declared(ck, snapshot, &found) ||
        found == counted || counted == 0 || (counted == 1 && found == 0))
        return;
    at.place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
    at.place.at.pointer = ice_str_make(at.pointer, 0);
    ice_row_place_step(&at, ICE_STR("snapshots"));
    ice_row_place_index(&at, ck->snapshots[snapshot].index);
    ice_row_place_step(&at, ICE_STR("summary"));
    ice_row_place_step(&at, ICE_STR("changed-partition-count"));
    FOUND(ck->emit, ICE_RULE_SUMMARY_PARTITION_COUNT, &at.place,
          arg_id("id", s->snapshot_id), arg_i64("found", found),
          arg_i64("counted", counted));
}

enum ice_status ice_partition_counts_check(struct ice_partition_counts *counts) {
    if (!counts->by_snapshot)
        return ICE_OK;
    ICE_TRY(ice_sorter_close(&counts->pairs));
    ICE_TRY(ice_sorter_read(&counts->pairs, same_pair, count, counts));
    for (uint32_t s = 0; s < counts->sets->n; s++)
        compare(counts, s);
    return ICE_OK;
}
