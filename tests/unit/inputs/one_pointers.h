/*
 * Pointers of one run, for the tests of a program.
 */
#include "inputs/pointer.h"

#include "base/str.h"

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
