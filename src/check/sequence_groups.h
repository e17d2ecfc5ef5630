/*
 * Sorted sequence facts, group by group: which files changed their number within one line
 * of snapshots.
 */
#ifndef ICE_CHECK_SEQUENCE_GROUPS_H
#define ICE_CHECK_SEQUENCE_GROUPS_H

#include "check/sequence_facts.h"

/* One live entry of a manifest with sequence columns. 32 bytes. */
struct ice_sequence_fact {
    struct ice_hash key; /* of the path and the id of the snapshot that added the file */
    uint32_t manifest, entry;
    int64_t sequence_number; /* data sequence number, inherited ones resolved */
};

/* By key, manifest, entry; in place, without memory or recursion. */
void ice_sequence_facts_sort(struct ice_sequence_fact *facts, size_t n);

/* facts: sorted by key, then manifest, then entry. */
enum ice_status ice_sequence_groups_check(struct ice_check *ck,
                                          const struct ice_sequence_fact *facts, size_t n,
                                          struct ice_error *err) ICE_MUST_USE;

#endif
