/*
 * Start of a run: allocator, limits, hash seed.
 */
#include "base/run.h"

#include "base/limits.h"

#include <sys/random.h>

void ice_run_init(struct ice_run *run, const struct ice_options *options) {
    *run = (struct ice_run){0};
    if (options != NULL)
        run->limits = options->limits;
    ice_limits_complete(&run->limits);
    ice_alloc_init(&run->alloc, options ? options->allocator : NULL, run->limits.memory);
    run->hash_seed = options ? options->hash_seed : 0;
    if (run->hash_seed == 0 &&
        getrandom(&run->hash_seed, sizeof(run->hash_seed), GRND_NONBLOCK) !=
            (ssize_t)sizeof(run->hash_seed))
        run->hash_seed =
            (uint64_t)(uintptr_t)run; /* no entropy yet: an address must do */
}
