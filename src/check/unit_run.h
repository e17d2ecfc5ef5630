/*
 * Reading all manifests of a check into units and joining them.
 *
 *   unit_run.c       one after another, on the calling thread
 *   unit_threads.c   several at a time, joined in order
 *
 * What is said must not depend on who helped. Where memory ran out while helpers were at
 * work, all that is not joined is forgotten and read again without them: it may do then,
 * and if it does not, it says what a run of one thread says.
 */
#ifndef ICE_CHECK_UNIT_RUN_H
#define ICE_CHECK_UNIT_RUN_H

#include "check/unit.h"

/* Where a run stands between units. */
struct ice_unit_turn {
    size_t next; /* number of the manifest to be joined next */
    /* of that manifest, where it was begun with helpers: unit holds the numbers of its
     * origins, n_parts were joined and come again; _open or _init'ed as it must be */
    struct ice_unit unit;
    size_t n_parts;
    struct ice_unit_part *pending; /* memory ran out in the middle of it; owned */
    bool is_read;                  /* what is left of unit is whole, but for joining */
};

/* Is there enough to do for threads, and may they do it? */
bool ice_units_want_threads(const struct ice_check *ck);

/*
 * With the threads of run->pool, as far as memory goes: ICE_OK with turn->next below the
 * number of manifests means that the rest is to be read without helpers. turn begins
 * empty, with its unit initialised.
 */
enum ice_status ice_units_run_threads(struct ice_check *ck, struct ice_unit_turn *turn,
                                      struct ice_error *err) ICE_MUST_USE;

/* Join what a unit had found when it was stopped, and pass on why. */
enum ice_status ice_units_stopped(struct ice_check *ck, const struct ice_unit *unit,
                                  enum ice_status status, struct ice_error *err);

#endif
