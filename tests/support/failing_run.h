/*
 * A run one of whose allocations fails.
 */
#ifndef ICE_TESTS_SUPPORT_FAILING_RUN_H
#define ICE_TESTS_SUPPORT_FAILING_RUN_H

#include "base/run.h"

#include "failing.h"

/* failing outlives the run. */
static inline void failing_run_init(struct ice_run *run, struct failing *failing) {
    const struct ice_allocator allocator = failing_allocator(failing);
    struct ice_options options = ICE_OPTIONS_INIT;
    options.allocator = &allocator;
    ice_run_init(run, &options);
}

#endif
