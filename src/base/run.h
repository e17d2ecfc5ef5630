/*
 * What every function of one run shares. Borrowed by all that a run opens.
 */
#ifndef ICE_BASE_RUN_H
#define ICE_BASE_RUN_H

#include "icefsck.h"
#include "base/alloc.h"

struct ice_ahead;
struct ice_pool;

struct ice_run {
    struct ice_alloc alloc;
    struct ice_limits limits; /* complete: no member is 0 */
    uint64_t hash_seed;
    struct ice_pool *pool;   /* base/pool.h, of the check; NULL: one thread */
    struct ice_ahead *ahead; /* avro/ahead.h, likewise, with the threads of pool */
    /* polled whenever a stream needs more bytes; NULL until a check begins. Where several
     * threads read, it is check/unit_run.c that calls the caller's. */
    bool (*cancelled)(void *user);
    void *cancelled_user;
};

/* From the caller's options (NULL: all defaults). Draws a seed if none is given. */
void ice_run_init(struct ice_run *run, const struct ice_options *options);

#endif
