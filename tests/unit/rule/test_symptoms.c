/*
 * The table of symptoms, and which of them typed words are about.
 */
#include "support/cmocka_all.h"

#include "rule/symptoms.h"

static bool is_about(enum ice_symptom_id symptom, const char *typed) {
    return ice_symptom_is_about(symptom, ice_str_from(typed));
}

static void words_in_any_order_and_case(void **state) {
    (void)state;
    assert_true(is_about(ICE_SYMPTOM_SHOW_TABLES_EMPTY, "show tables"));
    assert_true(is_about(ICE_SYMPTOM_SHOW_TABLES_EMPTY, "Empty SHOW TABLES!"));
    assert_true(is_about(ICE_SYMPTOM_SHOW_TABLES_EMPTY, "why is my SHOW TABLES empty?"));
    assert_false(is_about(ICE_SYMPTOM_SHOW_TABLES_EMPTY, "show tables zebra"));
    assert_false(is_about(ICE_SYMPTOM_SHOW_TABLES_EMPTY, "show tab"));
    assert_true(is_about(ICE_SYMPTOM_TABLE_NOT_FOUND, "table-or-view_not found"));
    assert_true(is_about(ICE_SYMPTOM_ACCESS_DENIED, "403"));
    assert_false(is_about(ICE_SYMPTOM_STALE, "403"));
    assert_true(is_about(ICE_SYMPTOM_STALE, "refresh_delayed"));
}

static void fillers_alone_are_about_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < ice_symptom_count(); i++) {
        assert_false(is_about((enum ice_symptom_id)i, ""));
        assert_false(is_about((enum ice_symptom_id)i, "why is the not"));
        assert_false(is_about((enum ice_symptom_id)i, " \n.,-"));
        assert_false(ice_symptom_is_about(i, ICE_STR_NONE));
    }
    assert_false(ice_symptom_is_about(ICE_SYMPTOM_COUNT, ICE_STR("show tables")));
}

static void each_leads_somewhere(void **state) {
    (void)state;
    for (size_t i = 0; i < ice_symptom_count(); i++) {
        assert_true(strlen(ice_symptom_name(i)) > 0);
        assert_true(strlen(ice_symptom_about(i)) > 0);
        assert_true(ice_symptom_is_about(i, ice_str_from(ice_symptom_name(i))));
        for (size_t k = 0; ice_symptom_rule(i, k) != NULL; k++) {
            for (size_t j = 0; j < k; j++)
                assert_ptr_not_equal(ice_symptom_rule(i, j), ice_symptom_rule(i, k));
        }
        for (size_t k = 0; ice_symptom_command(i, k) != NULL; k++)
            assert_memory_equal(ice_symptom_command(i, k), "icefsck ", 8);
    }
    assert_null(ice_symptom_name(ICE_SYMPTOM_COUNT));
    assert_null(ice_symptom_about(ICE_SYMPTOM_COUNT));
    assert_null(ice_symptom_rule(ICE_SYMPTOM_COUNT, 0));
    assert_null(ice_symptom_command(ICE_SYMPTOM_COUNT, 0));
}

/* Where a group of rules stands among causes: what is ruled out first comes first. */
static unsigned turn_of(unsigned group) {
    static const unsigned char turns[] = {
        [36] = 1, [30] = 2, [38] = 3, [31] = 4, [32] = 4,
        [33] = 5, [34] = 5, [35] = 6, [37] = 7};
    return group < sizeof(turns) && turns[group] > 0 ? turns[group] : 0;
}

/* Of each symptom that is told by a trace the classpath comes before registration, and so
 * on. Where a symptom is about one step, that step's rules lead: ACCESS_DENIED. */
static void causes_come_in_turn(void **state) {
    (void)state;
    static const enum ice_symptom_id whole[] = {ICE_SYMPTOM_SHOW_TABLES_EMPTY,
                                                ICE_SYMPTOM_TABLE_NOT_FOUND,
                                                ICE_SYMPTOM_ACCESS_DENIED};
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++) {
        unsigned last = 0;
        const struct ice_rule *rule;
        for (size_t k = 0; (rule = ice_symptom_rule(whole[i], k)) != NULL; k++) {
            unsigned turn = turn_of(rule->group);
            assert_true(turn == 0 || turn >= last);
            last = turn > 0 ? turn : last;
        }
    }
}

static void no_text_stands_twice(void **state) {
    (void)state;
    enum ice_symptom_id symptom, other;
    struct ice_str text, same;
    for (size_t i = 0; ice_seen_at(i, &symptom, &text); i++) {
        assert_true(symptom < ICE_SYMPTOM_COUNT);
        for (size_t j = 0; j < i && ice_seen_at(j, &other, &same); j++)
            assert_false(ice_str_equal_nocase(text, same));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_in_any_order_and_case),
        cmocka_unit_test(fillers_alone_are_about_nothing),
        cmocka_unit_test(each_leads_somewhere),
        cmocka_unit_test(causes_come_in_turn),
        cmocka_unit_test(no_text_stands_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
