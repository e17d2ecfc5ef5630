/*
 * Patterns with stars.
 */
#include "base/glob.h"

#include "base/near.h"
#include "support/cmocka_all.h"

static bool matches(const char *glob, const char *text) {
    return ice_glob_matches(ice_str_from(glob), ice_str_from(text), false);
}

static void stars(void **state) {
    (void)state;
    assert_true(matches("", ""));
    assert_true(matches("*", ""));
    assert_true(matches("**", "abc"));
    assert_true(matches("a*c", "ac"));
    assert_true(matches("a*c", "abcbc"));
    assert_true(matches("*ab*ab", "abxabab"));
    assert_true(matches("a?c", "abc"));
    assert_false(matches("", "a"));
    assert_false(matches("?", ""));
    assert_false(matches("a*c", "ab"));
    assert_false(matches("a?c", "ac"));
    assert_false(matches("abc", "ab"));
    assert_false(matches("ab", "abc"));
    assert_false(matches("A", "a"));
    assert_true(ice_glob_matches(ICE_STR("gLue:get*"), ICE_STR("Glue:GetTable"), true));
}

static void zero_bytes_are_bytes(void **state) {
    (void)state;
    assert_true(ice_glob_matches(ICE_STR("a\0*"), ICE_STR("a\0b"), false));
    assert_false(ice_glob_matches(ICE_STR("a"), ICE_STR("a\0"), false));
}

/* A pattern that costs exponential time where every star is tried again. */
static void hostile(void **state) {
    (void)state;
    static char glob[4000], text[4000];
    for (size_t i = 0; i < sizeof(glob); i++) {
        glob[i] = i % 2 == 0 ? 'a' : '*';
        text[i] = 'a';
    }
    glob[sizeof(glob) - 1] = 'b';
    assert_false(ice_glob_matches(ice_str_make(glob, sizeof(glob)),
                                  ice_str_make(text, sizeof(text)), false));
}

static void likeness(void **state) {
    (void)state;
    assert_int_equal(ice_edit_distance(ICE_STR(""), ICE_STR("ab")), 2);
    assert_int_equal(ice_edit_distance(ICE_STR("abcd"), ICE_STR("abcd")), 0);
    assert_int_equal(ice_edit_distance(ICE_STR("abcd"), ICE_STR("abdc")), 1);
    assert_int_equal(ice_edit_distance(ICE_STR("kitten"), ICE_STR("sitting")), 3);
    static char longest[ICE_NEAR_LONGEST + 1];
    assert_int_equal(
        ice_edit_distance(ice_str_make(longest, sizeof(longest)), ICE_STR("")), SIZE_MAX);
    assert_int_equal(
        ice_edit_distance(ICE_STR(""), ice_str_make(longest, sizeof(longest))), SIZE_MAX);
    assert_int_equal(
        ice_edit_distance(ice_str_make(longest, ICE_NEAR_LONGEST), ICE_STR("")),
        ICE_NEAR_LONGEST);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars),
        cmocka_unit_test(zero_bytes_are_bytes),
        cmocka_unit_test(hostile),
        cmocka_unit_test(likeness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
