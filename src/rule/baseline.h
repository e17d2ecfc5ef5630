/*
 * Findings that are known. The public functions are in icefsck.h; this is what handing
 * out findings needs: which of them are known, and which known ones are no more.
 */
#ifndef ICE_RULE_BASELINE_H
#define ICE_RULE_BASELINE_H

#include "base/alloc.h"
#include "rule/catalogue.h"

/* Entries of one table, and how many findings each may still stand for. */
struct ice_baseline_view {
    const struct ice_baseline *baseline;
    size_t first, n;
    uint64_t *left; /* of each */
    struct ice_alloc *alloc;
};

/* Entries of the table: by its uuid, or by its name if it has none. baseline NULL: none.
 * ICE_ENOMEM. */
enum ice_status ice_baseline_view_open(struct ice_baseline_view *out,
                                       const struct ice_baseline *baseline,
                                       struct ice_str table, struct ice_str uuid,
                                       struct ice_alloc *alloc);
void ice_baseline_view_release(struct ice_baseline_view *view);

/* Is a finding known, and no worse than it was? It is taken off what is left. */
bool ice_baseline_takes(struct ice_baseline_view *view, uint64_t fingerprint,
                        enum ice_severity severity);

/* What is left of the index-th entry, and its rule's name; false behind the last. */
bool ice_baseline_left(const struct ice_baseline_view *view, size_t index,
                       struct ice_str *out_rule, uint64_t *out_left);

#endif
