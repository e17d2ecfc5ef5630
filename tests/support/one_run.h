/*
 * One run for the tests of a program: set_up and tear_down for
 * cmocka_unit_test_setup_teardown. Every test gives back what it took.
 */
#ifndef ICE_TESTS_SUPPORT_ONE_RUN_H
#define ICE_TESTS_SUPPORT_ONE_RUN_H

#include "base/run.h"

static struct ice_run run;

static inline int set_up(void **state) {
    (void)state;
    ice_run_init(&run, NULL);
    return 0;
}

static inline int tear_down(void **state) {
    (void)state;
    return run.alloc.used == 0 ? 0 : -1;
}

#endif
