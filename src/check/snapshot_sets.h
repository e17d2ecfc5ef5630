/*
 * Which snapshots are judged by what their files hold together, and sets of them. A
 * snapshot is judged when its list and every manifest of it was read whole.
 */
#ifndef ICE_CHECK_SNAPSHOT_SETS_H
#define ICE_CHECK_SNAPSHOT_SETS_H

#include "check/facts.h"

struct ice_snapshot_sets {
    struct ice_check *ck;
    uint32_t n;
    bool *judged;       /* by snapshot number */
    uint32_t *parent;   /* ICE_NO_NUMBER: none, expired, or a cycle was cut */
    uint32_t *previous; /* the largest judged number at or below; ICE_NO_NUMBER */
    uint32_t *branched; /* judged, with a judged parent that is not the number before */
    uint32_t n_branched;
};

/* 13 bytes a snapshot and 4 a branching one. */
enum ice_status ice_snapshot_sets_open(struct ice_snapshot_sets *sets,
                                       struct ice_check *ck) ICE_MUST_USE;
void ice_snapshot_sets_release(struct ice_snapshot_sets *sets); /* safe on all-zero */

/* A judged snapshot of [first, last], the last one; ICE_NO_NUMBER: none. */
static inline uint32_t ice_last_judged(const struct ice_snapshot_sets *sets,
                                       uint32_t first, uint32_t last) {
    uint32_t found = sets->previous[last];
    return found != ICE_NO_NUMBER && found >= first ? found : ICE_NO_NUMBER;
}

/* Is it judged, and its parent too? */
static inline bool ice_judged_with_parent(const struct ice_snapshot_sets *sets,
                                          uint32_t snapshot) {
    return sets->judged[snapshot] && sets->parent[snapshot] != ICE_NO_NUMBER &&
           sets->judged[sets->parent[snapshot]];
}

bool ice_manifest_is_listed(const struct ice_manifest_facts *manifest, uint32_t snapshot);

static inline const struct ice_snapshot *ice_numbered(const struct ice_check *ck,
                                                      uint32_t number) {
    return &ck->metadata.snapshots[ck->snapshots[number].index];
}

#endif
