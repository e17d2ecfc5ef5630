/*
 * Enter and leave times of every snapshot in a depth-first walk: the descendants of a
 * snapshot are an interval. Snapshots on or below a cycle of parents are roots with no
 * whole chain.
 */
#include "check/ancestry.h"

static const uint32_t NONE = UINT32_MAX;

struct forest {
    uint32_t *first_child, *next_sibling, *parent; /* by snapshot number */
};

bool ice_snapshot_number(const struct ice_check *ck, int64_t snapshot_id, uint32_t *out) {
    size_t index = ice_metadata_find_snapshot(&ck->metadata, snapshot_id);
    if (index == SIZE_MAX)
        return false;
    *out = ck->number_of[index];
    return true;
}

/*
 * Parents have smaller numbers (scope.c), except where a cycle was cut: there the
 * snapshot counts as a root whose chain is broken.
 */
static void link_parents(struct ice_check *ck, const struct forest *forest) {
    for (size_t i = 0; i < ck->n_snapshots; i++)
        forest->first_child[i] = forest->parent[i] = NONE;
    for (size_t i = ck->n_snapshots; i > 0; i--) {
        uint32_t number = (uint32_t)(i - 1), parent = NONE;
        struct ice_snapshot_facts *facts = &ck->snapshots[number];
        const struct ice_snapshot *snapshot = &ck->metadata.snapshots[facts->index];
        forest->next_sibling[number] = NONE;
        if (!ice_snapshot_has(snapshot, ICE_SNAP_parent_snapshot_id)) {
            facts->chain_whole = number == 0; /* of others their lists tell */
            continue;
        }
        if (!ice_snapshot_number(ck, snapshot->parent_snapshot_id, &parent) ||
            parent >= number)
            continue;
        forest->parent[number] = parent;
        forest->next_sibling[number] = forest->first_child[parent];
        forest->first_child[parent] = number;
    }
}

static uint32_t walk_tree(struct ice_check *ck, const struct forest *forest,
                          uint32_t root, uint32_t time) {
    uint32_t at = root;
    for (;;) {
        ck->snapshots[at].enter = time++;
        if (forest->parent[at] != NONE)
            ck->snapshots[at].chain_whole = ck->snapshots[forest->parent[at]].chain_whole;
        if (forest->first_child[at] != NONE) {
            at = forest->first_child[at];
            continue;
        }
        for (;;) { /* up to the next sibling */
            ck->snapshots[at].leave = time;
            if (at == root)
                return time;
            if (forest->next_sibling[at] != NONE)
                break;
            at = forest->parent[at];
        }
        at = forest->next_sibling[at];
    }
}

enum ice_status ice_ancestry_find(struct ice_check *ck) {
    size_t n = ck->n_snapshots;
    if (n == 0)
        return ICE_OK;
    uint32_t *scratch = ice_calloc(&ck->run->alloc, n, 3 * sizeof(*scratch));
    if (!scratch)
        return ICE_ENOMEM;
    struct forest forest = {scratch, scratch + n, scratch + 2 * n};
    link_parents(ck, &forest);
    uint32_t time = 0;
    for (size_t i = 0; i < n; i++)
        if (forest.parent[i] == NONE)
            time = walk_tree(ck, &forest, (uint32_t)i, time);
    ice_free(&ck->run->alloc, scratch, n * 3 * sizeof(*scratch));
    return ICE_OK;
}
