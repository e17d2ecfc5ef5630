/*
 * What each snapshot holds, adds and removes, from the sums of its manifests: added at
 * the start of each run of snapshots that list one, taken off behind its end.
 */
#ifndef ICE_CHECK_SNAPSHOT_TOTALS_H
#define ICE_CHECK_SNAPSHOT_TOTALS_H

#include "check/snapshot_sets.h"

/* By content: data files, position deletes with vectors, equality deletes. */
struct ice_totals {
    struct ice_file_sums files[3];
    uint64_t vectors;
    struct ice_wide vector_sizes, vector_files;
    uint64_t n_unknown; /* manifests whose rows or sizes are not known */
};

struct ice_snapshot_totals {
    const struct ice_snapshot_sets *sets;
    uint32_t number;
    struct ice_totals live, added, removed;
    uint64_t n_listed;     /* manifests */
    uint64_t n_created;    /* by this snapshot */
    uint64_t n_begun;      /* not listed by the number before */
    uint64_t n_ended;      /* listed by the number before, not here */
    uint64_t n_unassigned; /* of which no list says who added them: n_created, added and
                              removed are not known */
};

typedef void (*ice_totals_fn)(const struct ice_snapshot_totals *totals, void *user);

/* Calls each for every snapshot, by number. 16 bytes a snapshot, 4 a run and manifest. */
enum ice_status ice_snapshot_totals_walk(const struct ice_snapshot_sets *sets,
                                         ice_totals_fn each, void *user) ICE_MUST_USE;

/*
 * rules_summaries.c: do all totals that are there count from 0, though the parent's do
 * not (NULL: it is not known)? So Iceberg Java begins a branch that did not exist.
 */
bool ice_totals_restart(const struct ice_snapshot_metrics *own,
                        const struct ice_snapshot_metrics *parent);

/* Groups 20, 21 and 19 as far as totals decide them; partitions: partition_counts.c. */
enum ice_status ice_total_rules(const struct ice_snapshot_sets *sets) ICE_MUST_USE;

#endif
