/*
 * What the rules on snapshots share; inside pass 1 only.
 */
#ifndef ICE_CHECK_RULES_SNAPSHOTS_H
#define ICE_CHECK_RULES_SNAPSHOTS_H

#include "check/pass1.h"

#define ICE_NO_SNAPSHOT UINT32_MAX

/* A bit of state: its parents lead back to it. */
enum { ICE_SNAPSHOT_IN_CYCLE = 4 };

struct ice_snapshot_rules {
    struct ice_pass1 *p;
    /* index of the listed parent; ICE_NO_SNAPSHOT: none, gone, or itself */
    uint32_t *parents;
    uint8_t *state;
    int64_t oldest_ms;     /* smallest timestamp of those without a positive number */
    int64_t lowest_number; /* smallest positive sequence number */
};

/* Equal sequence numbers, shared manifest lists, numbers against times. */
enum ice_status ice_rules_snapshot_sets(struct ice_snapshot_rules *r,
                                        struct ice_error *err);
/* Totals of summaries against those of parents, and what they name. */
enum ice_status ice_rules_summaries(struct ice_snapshot_rules *r, struct ice_error *err);

#endif
