/*
 * Judged snapshots, from what passes 2 and 3 could read.
 */
#include "check/snapshot_sets.h"

#include "check/ancestry.h"

bool ice_manifest_is_listed(const struct ice_manifest_facts *manifest,
                            uint32_t snapshot) {
    uint32_t from = 0, to = manifest->n_runs;
    while (from < to) { /* the first run that ends at or behind it */
        uint32_t middle = from + (to - from) / 2;
        if (manifest->runs[middle].last < snapshot)
            from = middle + 1;
        else
            to = middle;
    }
    return from < manifest->n_runs && manifest->runs[from].first <= snapshot;
}

static void poison(struct ice_snapshot_sets *sets) {
    const struct ice_check *ck = sets->ck;
    for (size_t i = 0; i < ck->n_manifests; i++) {
        const struct ice_manifest_facts *manifest = &ck->manifests[i];
        if (manifest->state == ICE_READ_WHOLE && !manifest->totals.has_bad_status)
            continue;
        for (uint32_t r = 0; r < manifest->n_runs; r++)
            for (uint32_t s = manifest->runs[r].first; s <= manifest->runs[r].last; s++)
                sets->judged[s] = false;
    }
}

static uint32_t parent_of(const struct ice_check *ck, uint32_t number) {
    const struct ice_snapshot *snapshot = ice_numbered(ck, number);
    uint32_t parent;
    if (!ice_snapshot_has(snapshot, ICE_SNAP_parent_snapshot_id) ||
        !ice_snapshot_number(ck, snapshot->parent_snapshot_id, &parent) ||
        parent >= number)
        return ICE_NO_NUMBER;
    return parent;
}

enum ice_status ice_snapshot_sets_open(struct ice_snapshot_sets *sets,
                                       struct ice_check *ck) {
    uint32_t n = (uint32_t)ck->n_snapshots, last = ICE_NO_NUMBER;
    *sets = (struct ice_snapshot_sets){.ck = ck, .n = n};
    if (n == 0)
        return ICE_OK;
    sets->judged = ice_calloc(&ck->run->alloc, n, sizeof(*sets->judged));
    sets->parent = ice_calloc(&ck->run->alloc, n, sizeof(*sets->parent));
    sets->previous = ice_calloc(&ck->run->alloc, n, sizeof(*sets->previous));
    sets->branched = ice_calloc(&ck->run->alloc, n, sizeof(*sets->branched));
    if (!sets->judged || !sets->parent || !sets->previous || !sets->branched)
        return ICE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        const struct ice_snapshot_facts *facts = &ck->snapshots[i];
        sets->parent[i] = parent_of(ck, i);
        /* one that shares its list is no user of its own in the runs */
        sets->judged[i] = facts->in_scope && facts->list_state == ICE_READ_WHOLE &&
                          !facts->shares_list && !facts->has_unnamed;
    }
    poison(sets);
    for (uint32_t i = 0; i < n; i++) {
        if (sets->judged[i])
            last = i;
        sets->previous[i] = last;
        if (sets->parent[i] != i - 1 && ice_judged_with_parent(sets, i))
            sets->branched[sets->n_branched++] = i;
    }
    return ICE_OK;
}

void ice_snapshot_sets_release(struct ice_snapshot_sets *sets) {
    if (!sets->ck)
        return;
    struct ice_alloc *alloc = &sets->ck->run->alloc;
    ice_free(alloc, sets->judged, sets->n * sizeof(*sets->judged));
    ice_free(alloc, sets->parent, sets->n * sizeof(*sets->parent));
    ice_free(alloc, sets->previous, sets->n * sizeof(*sets->previous));
    ice_free(alloc, sets->branched, sets->n * sizeof(*sets->branched));
    *sets = (struct ice_snapshot_sets){0};
}
