/*
 * Which schemas, specs and sort orders are named by a manifest that was read.
 */
#ifndef ICE_CHECK_NAMED_H
#define ICE_CHECK_NAMED_H

#include "check/check.h"

enum ice_named_kind {
    ICE_NAMED_SCHEMA,
    ICE_NAMED_SPEC,
    ICE_NAMED_ORDER,
    ICE_NAMED_KINDS
};

struct ice_named {
    /* of id -> position in its list of metadata; first wins */
    struct ice_table positions;
    bool *is_named; /* by position; NULL: the list is empty */
    int64_t last;   /* id named last: mostly the next one too */
    bool has_last;
    /* beside another: positions named since the last _take, room for all of them */
    uint32_t *added;
    size_t n_added;
};

/* Behind pass 1, before a manifest names anything; ICE_ENOMEM. */
enum ice_status ice_named_open(struct ice_check *ck) ICE_MUST_USE;
void ice_named_release(struct ice_check *ck);
/* For a reader of units: knows what of knows, and notes on its own what is named. all:
 * ICE_NAMED_KINDS of them. ICE_ENOMEM; then and later to be released with a ck of that
 * run. */
enum ice_status ice_named_open_beside(struct ice_named *all,
                                      const struct ice_check *of) ICE_MUST_USE;
void ice_named_release_beside(struct ice_named *all, const struct ice_check *ck);
/* The ids named since the last call, n_added of them, into out; returns how many. */
size_t ice_named_take(const struct ice_check *ck, enum ice_named_kind kind, int64_t *out);
/* An id that is not listed is ignored. */
void ice_named_add(struct ice_check *ck, enum ice_named_kind kind, int64_t id);

#endif
