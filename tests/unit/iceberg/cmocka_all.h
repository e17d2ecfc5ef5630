/*
 * cmocka with the headers that it wants in front of it, and what the tests of this folder
 * share.
 */
#ifndef ICE_TESTS_CMOCKA_ALL_H
#define ICE_TESTS_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"

#define assert_str(actual, expected)                                                     \
    do {                                                                                 \
        struct ice_str actual_ = (actual);                                               \
        if (!ice_str_is(actual_, (expected)))                                            \
            fail_msg("\"%.*s\" is not \"%s\"", ICE_STR_FMT(actual_), (expected));        \
    } while (0)

#endif
