/*
 * Is one snapshot an ancestor of another? In constant time, from a walk over the forest
 * of parents.
 */
#ifndef ICE_CHECK_ANCESTRY_H
#define ICE_CHECK_ANCESTRY_H

#include "check/check.h"

/* Fill enter, leave and chain_whole (before lists are read) of all snapshot facts. 12
 * bytes a snapshot of scratch. */
enum ice_status ice_ancestry_find(struct ice_check *ck) ICE_MUST_USE;

/* Is a equal to b or an ancestor of it? Snapshot numbers. */
static inline bool ice_is_ancestor(const struct ice_check *ck, uint32_t a, uint32_t b) {
    return ck->snapshots[a].enter <= ck->snapshots[b].enter &&
           ck->snapshots[b].enter < ck->snapshots[a].leave;
}

/* Number of the snapshot with an id; false if it is not kept. */
bool ice_snapshot_number(const struct ice_check *ck, int64_t snapshot_id, uint32_t *out);

#endif
