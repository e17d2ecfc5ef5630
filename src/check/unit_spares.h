/*
 * Readers and parts that are free, for whichever thread needs one next. Few are made:
 * what was given back last is taken first.
 */
#ifndef ICE_CHECK_UNIT_SPARES_H
#define ICE_CHECK_UNIT_SPARES_H

#include "check/unit.h"

#include <pthread.h>

struct ice_unit_spares {
    const struct ice_check *of; /* what readers are opened on; borrowed, never changed */
    struct ice_alloc *alloc;
    pthread_mutex_t mutex; /* guards all below */
    struct ice_unit_reader **readers;
    size_t n_readers, capacity; /* readers and parts that are kept */
    struct ice_unit_part *parts;
    size_t n_parts;
};

/* ICE_ENOMEM; to be released then too. */
enum ice_status ice_unit_spares_open(struct ice_unit_spares *spares,
                                     const struct ice_check *of,
                                     size_t capacity) ICE_MUST_USE;
/* Nothing is out. */
void ice_unit_spares_release(struct ice_unit_spares *spares);

/* Any thread. NULL: out of memory. */
struct ice_unit_reader *ice_unit_take_reader(struct ice_unit_spares *spares) ICE_MUST_USE;
struct ice_unit_part *ice_unit_take_part(struct ice_unit_spares *spares) ICE_MUST_USE;
/* Any thread; accept NULL. */
void ice_unit_give_reader(struct ice_unit_spares *spares, struct ice_unit_reader *reader);
void ice_unit_give_part(struct ice_unit_spares *spares, struct ice_unit_part *part);

#endif
