/*
 * What is cut, what is folded, and what a baseline says of findings that are no more.
 */
#include "rule/emit.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"
#include "support/one_run.h"

#include <stdio.h>

static struct ice_emit *open_emit(const struct ice_options *options) {
    struct ice_emit *emit;
    assert_int_equal(ice_emit_open(&emit, &run, options, NULL), ICE_OK);
    return emit;
}

/* ---- texts ---- */

enum { MOST = 1024, ROOM = MOST + 16 }; /* bytes of an argument that are kept */

static void texts_are_cut_between_characters(void **state) {
    (void)state;
    static const struct {
        const char *about, *character;
        size_t before, kept; /* bytes: in front of the character, and in all */
    } rows[] = {
        {"all of it fits", "a", MOST - 1, MOST},
        {"one byte more", "a", MOST, MOST},
        {"two bytes, of which one fits", "\xc3\xa9", MOST - 1, MOST - 1},
        {"three, of which two fit", "\xe2\x82\xac", MOST - 2, MOST - 2},
        {"four, of which one fits", "\xf0\x9f\x98\x80", MOST - 1, MOST - 1},
        {"no character at all", "\x80\x80\x80\x80\x80\x80\x80\x80", MOST - 6, MOST - 4},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(rows); i++) {
        char text[ROOM];
        struct ice_emit *emit = open_emit(NULL);
        struct ice_place place = ice_place_file(ICE_STR("f"), 0);
        memset(text, 'x', rows[i].before);
        const size_t size = rows[i].before + strlen(rows[i].character);
        memcpy(text + rows[i].before, rows[i].character, strlen(rows[i].character));
        FOUND(emit, ICE_RULE_GAMMA_TWO, &place, arg_i64("n", 1),
              arg_str("x", ice_str_make(text, size)));
        const struct ice_str kept = ice_emit_arg_str(emit, 0, "x");
        const bool is_cut = size > MOST;
        if (kept.size != rows[i].kept + (is_cut ? 3 : 0) ||
            (is_cut && !ice_str_ends(kept, ICE_STR("\xe2\x80\xa6"))))
            fail_msg("%s: %zu bytes", rows[i].about, kept.size);
        assert_int_equal(ice_emit_arg_str(emit, 0, "y").size, 0);
        ice_emit_free(emit);
    }
}

static void lines_have_an_end(void **state) {
    (void)state;
    enum { LINES = 1000 };
    struct ice_emit *emit = open_emit(NULL);
    size_t n;
    for (int i = 0; i < LINES + 7; i++) {
        char why[16];
        (void)snprintf(why, sizeof(why), "reason %d", i);
        ice_emit_not_evaluated(emit, "x", ice_str_from(why), false, ICE_STR_NONE);
    }
    /* of a reason that is there */
    ice_emit_not_evaluated(emit, "x", ICE_STR("reason 3"), false, ICE_STR("file"));
    const struct ice_not_evaluated *lines = ice_emit_missed(emit, &n);
    assert_int_equal(n, LINES);
    assert_int_equal(lines[LINES - 1].more, 7);
    assert_int_equal(lines[3].more, 1);
    ice_emit_free(emit);
}

/* ---- baselines ---- */

#define LONG                                                                             \
    "a-rule-with-a-name-that-is-longer-than-those-of-any-release-that-there-was-or-"     \
    "that-"                                                                              \
    "there-will-be"

static const struct {
    const char *about, *rule; /* the rule of the baseline's one line */
    const char *missed;       /* what was not evaluated; NULL: nothing */
    uint64_t fixed;
} rows[] = {
    {"looked at, and no more", "alpha.one", NULL, 1},
    {"nothing of the table was read", "alpha.one", "table", 0},
    {"only some snapshots", "alpha.one", "other snapshots", 0},
    {"of metadata, and lists were not read", "alpha.one", "list.*", 1},
    {"of lists and manifests", "alpha.two", "list.*", 0},
    {"of lists", "beta.one", "list.*", 0},
    {"of lists, and manifests were not read", "beta.one", "manifest.*", 1},
    {"of manifests", "alpha.two", "manifest.*", 0},
    {"storage is no matter of it", "alpha.one", "storage.*", 1},
    {"its group", "alpha.one", "alpha.*", 0},
    {"another one", "alpha.one", "alpha.t?o", 1},
    {"a longer name than any", "alpha.one", LONG, 1},
    {"a rule of another release", "gone.rule", "table", 1},
    {"... with a long name", LONG, "table", 1},
    {"switched off", "gamma.one", NULL, 0},
};

static void what_is_no_more(void **state) {
    (void)state;
    const struct ice_override off[] = {{"gamma.one", ICE_OFF}};
    for (size_t i = 0; i < ICE_COUNT_OF(rows); i++) {
        struct ice_options options = ICE_OPTIONS_INIT;
        struct ice_baseline *baseline;
        struct ice_summary summary = {0};
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "# icefsck baseline 1\n00000000000000a1\t1\terror\t%s\tt\tu\n",
                       rows[i].rule);
        assert_int_equal(ice_baseline_open(&baseline, NULL, NULL), ICE_OK);
        assert_int_equal(ice_baseline_read(baseline, ice_str_from(text), NULL), ICE_OK);
        options.baseline = baseline;
        options.overrides = off;
        options.n_overrides = 1;
        struct ice_emit *emit = open_emit(&options);
        if (rows[i].missed != NULL)
            ice_emit_not_evaluated(emit, rows[i].missed, ICE_STR("why"), false,
                                   ICE_STR_NONE);
        assert_int_equal(ice_emit_deliver(emit, ICE_STR("t"), ICE_STR("u"), NULL, NULL,
                                          &summary, NULL),
                         ICE_OK);
        if (summary.n_fixed != rows[i].fixed || !summary.has_baseline)
            fail_msg("%s: %llu", rows[i].about, (unsigned long long)summary.n_fixed);
        ice_emit_free(emit);
        ice_baseline_free(baseline);
    }
}

/* What was asked for and not possible leaves it open what is no more. */
static void not_whole(void **state) {
    (void)state;
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_baseline *baseline;
    assert_int_equal(ice_baseline_open(&baseline, NULL, NULL), ICE_OK);
    assert_int_equal(
        ice_baseline_read(baseline,
                          ICE_STR("# icefsck baseline 1\n"
                                  "00000000000000a1\t1\terror\talpha.one\tt\tu\n"),
                          NULL),
        ICE_OK);
    options.baseline = baseline;
    for (int interrupted = 0; interrupted < 2; interrupted++) {
        struct ice_summary summary = {.interrupted = interrupted == 1};
        struct ice_emit *emit = open_emit(&options);
        if (interrupted == 0)
            ice_emit_not_evaluated(emit, "x", ICE_STR("why"), true, ICE_STR_NONE);
        assert_int_equal(ice_emit_deliver(emit, ICE_STR("t"), ICE_STR("u"), NULL, NULL,
                                          &summary, NULL),
                         ICE_OK);
        assert_int_equal(summary.n_fixed, 0);
        ice_emit_free(emit);
    }
    ice_baseline_free(baseline);
}

static enum ice_status take_known(const struct ice_finding *finding, void *user) {
    return ice_baseline_add(user, finding);
}

/* Known findings are counted apart, and more of them than the baseline has are not. */
static void what_is_known(void **state) {
    (void)state;
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_baseline *baseline;
    struct ice_place place = ice_place_at(ICE_STR("f"), 0, ICE_STR("/p"));
    struct ice_summary summary = {0};
    assert_int_equal(ice_baseline_open(&baseline, NULL, NULL), ICE_OK);
    struct ice_emit *emit = open_emit(NULL);
    FOUND(emit, ICE_RULE_ALPHA_TWO, &place, ARG_NONE);
    assert_int_equal(ice_emit_deliver(emit, ICE_STR("t"), ICE_STR("u"), take_known,
                                      baseline, &summary, NULL),
                     ICE_OK);
    assert_int_equal(summary.counts[ICE_WARN], 1);
    assert_false(summary.has_baseline);
    ice_emit_free(emit);
    options.baseline = baseline;
    options.fail_on = ICE_WARN;
    for (int more = 0; more < 2; more++) {
        emit = open_emit(&options);
        summary = (struct ice_summary){0};
        for (int i = 0; i <= more; i++)
            FOUND(emit, ICE_RULE_ALPHA_TWO, &place, ARG_NONE);
        assert_int_equal(ice_emit_deliver(emit, ICE_STR("other"), ICE_STR("u"), NULL,
                                          NULL, &summary, NULL),
                         ICE_OK);
        assert_int_equal(summary.n_known, 1);
        assert_int_equal(summary.n_fixed, 0);
        assert_int_equal(summary.counts[ICE_WARN], more);
        assert_int_equal(summary.exit_code, more);
        ice_emit_free(emit);
    }
    ice_baseline_free(baseline);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_are_cut_between_characters, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(lines_have_an_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_more, set_up, tear_down),
        cmocka_unit_test_setup_teardown(not_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_known, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
