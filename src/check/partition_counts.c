/*
 * Partitions that a commit changes, counted by distinct pairs of snapshot and partition.
 */
#include "check/set_rules.h"

static const uint32_t NOT_KNOWN = UINT32_MAX;

struct counts {
    const struct ice_facts *facts;
    const struct ice_snapshot_sets *sets;
    uint32_t *by_snapshot; /* NOT_KNOWN: a partition of it is not */
};

static bool same_pair(const void *a, const void *b) {
    const struct ice_commit_partition *x = a, *y = b;
    return x->snapshot == y->snapshot && x->partition == y->partition;
}

static enum ice_status count(const void *records, size_t n, void *user) {
    const struct counts *counts = user;
    const struct ice_commit_partition *pairs = records;
    for (size_t i = 0; i < n; i++) {
        uint32_t *counted = &counts->by_snapshot[pairs[i].snapshot];
        if (pairs[i].partition == 0)
            *counted = NOT_KNOWN;
        else if (*counted != NOT_KNOWN &&
                 (i == 0 || !same_pair(&pairs[i - 1], &pairs[i])))
            ++*counted;
    }
    return ICE_OK;
}

static void compare(const struct counts *counts, uint32_t snapshot) {
    const struct ice_check *ck = counts->facts->ck;
    const struct ice_snapshot *s = ice_numbered(ck, snapshot);
    int64_t found, counted = counts->by_snapshot[snapshot];
    struct ice_row_place at;
    /* an unpartitioned table has one partition, or none: writers differ */
    if (!counts->sets->judged[snapshot] || ck->snapshots[snapshot].is_disputed ||
        counted == NOT_KNOWN || !ice_commit_counts_partitions(ck, snapshot, &found) ||
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

enum ice_status ice_partition_counts_check(const struct ice_facts *facts,
                                           const struct ice_snapshot_sets *sets) {
    struct ice_alloc *alloc = &facts->ck->run->alloc;
    struct counts counts = {.facts = facts, .sets = sets};
    if (facts->commit_partitions.total == 0)
        return ICE_OK;
    counts.by_snapshot = ice_calloc(alloc, sets->n, sizeof(*counts.by_snapshot));
    if (!counts.by_snapshot)
        return ICE_ENOMEM;
    enum ice_status status =
        ice_sorter_read(&facts->commit_partitions, same_pair, count, &counts);
    for (uint32_t s = 0; status == ICE_OK && s < sets->n; s++)
        compare(&counts, s);
    ice_free(alloc, counts.by_snapshot, sets->n * sizeof(*counts.by_snapshot));
    return status;
}
