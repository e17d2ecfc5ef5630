/*
 * Catalogue look-ups and globs, on the small catalogue of small/.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "base/str.h"
#include "rule/catalogue.h"

static void rows_are_as_written(void **state) {
    (void)state;
    assert_int_equal(ice_rule_count(), 7);
    const struct ice_rule *two = ice_rule_at(1);
    assert_string_equal(two->name, "alpha.two");
    assert_int_equal(two->severity, ICE_WARN);
    assert_int_equal(two->versions, ICE_V2 | ICE_V3);
    assert_int_equal(two->needs, ICE_NEEDS_LIST | ICE_NEEDS_MANIFEST);
    assert_false(two->demoted);
    assert_false(two->refused);
    assert_true(ice_rule_at(0)->refused);
    assert_true(ice_rule_at(2)->demoted);
    assert_null(ice_rule_at(7));
    assert_null(ice_rule_at(SIZE_MAX));
    assert_ptr_equal(ice_rule_of(ICE_RULE_BETA_ONE), ice_rule_at(2));
}

static void groups_have_titles(void **state) {
    (void)state;
    assert_int_equal(ice_rule_at(1)->group, 1);
    assert_int_equal(ice_rule_at(2)->group, 9);
    assert_int_equal(ice_rule_at(4)->group, 9);
    assert_string_equal(ice_rule_group_title(9), "ninth group");
    assert_null(ice_rule_group_title(2));
}

static void names_are_found(void **state) {
    (void)state;
    enum ice_rule_id id;
    assert_true(ice_rule_id_of("beta.one", &id));
    assert_int_equal(id, ICE_RULE_BETA_ONE);
    assert_false(ice_rule_id_of("beta.on", &id));
    assert_false(ice_rule_id_of("", &id));
    assert_string_equal(ice_rule_find("alpha.first")->name, "alpha.one");
    assert_null(ice_rule_find(NULL));
}

static void misspelt_names_have_a_neighbour(void **state) {
    (void)state;
    assert_string_equal(ice_rule_nearest("alpha.oen")->name, "alpha.one");
    assert_string_equal(ice_rule_nearest("beta.two.longname")->name,
                        "beta.two.long-name");
    assert_string_equal(ice_rule_nearest("beta.one")->name, "beta.one");
    assert_null(ice_rule_nearest("zzzzzzzz"));
    assert_null(ice_rule_nearest(""));
    char long_name[97 + 1];
    memset(long_name, 'a', 97);
    long_name[97] = '\0';
    assert_null(ice_rule_nearest(long_name));
    long_name[96] = '\0';
    assert_null(ice_rule_nearest(long_name));
}

static void globs_match(void **state) {
    (void)state;
    static const struct {
        const char *glob, *name;
        bool matches;
    } cases[] = {
        {"*", "", true},
        {"", "", true},
        {"", "a", false},
        {"a", "", false},
        {"alpha.*", "alpha.one", true},
        {"alpha.*", "alpha", false},
        {"*.one", "alpha.one", true},
        {"*.one", "alpha.one.x", false},
        {"a*e", "alpha.one", true},
        {"a**e", "alpha.one", true},
        {"?lpha.one", "alpha.one", true},
        {"?", "", false},
        {"*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaac", false},
        {"alpha.one", "alpha.one", true},
        {"alpha.on", "alpha.one", false},
        {"*n?", "alpha.one", true},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        if (ice_rule_matches(cases[i].glob, cases[i].name) != cases[i].matches)
            fail_msg("'%s' against '%s'", cases[i].glob, cases[i].name);
    }
}

static void severities_have_names(void **state) {
    (void)state;
    assert_string_equal(ice_severity_name(ICE_OFF), "off");
    assert_string_equal(ice_severity_name(ICE_INFO), "info");
    assert_string_equal(ice_severity_name(ICE_WARN), "warn");
    assert_string_equal(ice_severity_name(ICE_ERROR), "error");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_as_written),
        cmocka_unit_test(groups_have_titles),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(misspelt_names_have_a_neighbour),
        cmocka_unit_test(globs_match),
        cmocka_unit_test(severities_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
