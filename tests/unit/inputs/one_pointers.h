/*
 * Pointers of one run, for the tests of a program.
 */
#include "inputs/pointer.h"

#include "base/str.h"

#include "support/failing_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static struct ice_run run;
static struct ice_pointers pointers;

static int set_up(void **state) {
    (void)state;
    ice_run_init(&run, NULL);
    ice_pointers_init(&pointers, &run);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    ice_pointers_release(&pointers);
    return run.alloc.used == 0 ? 0 : -1; /* every test gives back what it took */
}

/* Each request for memory fails in turn: then that is said, and nothing is kept. */
static inline void read_without_memory(struct ice_str name, struct ice_str text,
                                       enum ice_pointer_format wish) {
    enum ice_status status = ICE_ENOMEM;
    for (uint64_t k = 1; status != ICE_OK; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_run short_of;
        struct ice_pointers few;
        enum ice_pointer_format is;
        failing_run_init(&short_of, &failing);
        ice_pointers_init(&few, &short_of);
        status = ice_pointers_read_text(&few, name, text, wish, &is, NULL);
        if (status != ICE_OK)
            assert_int_equal(status, ICE_ENOMEM);
        ice_pointers_release(&few);
        assert_int_equal(failing.used, 0);
        if (failing.n >= k)
            status = ICE_ENOMEM; /* it could do without: go on */
    }
}
