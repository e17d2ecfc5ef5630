/*
 * Compare a string view with a literal.
 */
#ifndef ICE_TESTS_ASSERT_STR_H
#define ICE_TESTS_ASSERT_STR_H

#include "support/cmocka_all.h"

#include "base/str.h"

#define assert_str(actual, expected)                                                     \
    do {                                                                                 \
        struct ice_str actual_ = (actual);                                               \
        if (!ice_str_is(actual_, (expected)))                                            \
            fail_msg("\"%.*s\" is not \"%s\"", ICE_STR_FMT(actual_), (expected));        \
    } while (0)

#endif
