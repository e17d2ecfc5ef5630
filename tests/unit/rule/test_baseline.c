/*
 * Baselines: what is written is read again, lines that are none are refused, and equal
 * ones become one.
 */
#include "rule/baseline.h"

#include "base/compiler.h"
#include "base/buf.h"
#include "base/run.h"
#include "support/cmocka_all.h"
#include "support/failing.h"

#include <stdio.h>

#define HEAD "# icefsck baseline 1\n"
#define F1 "00000000000000a1"
#define F2 "00000000000000b2"

static struct failing failing;
static struct ice_allocator allocator;
static struct ice_baseline *baseline;

static int set_up(void **state) {
    (void)state;
    failing = (struct failing){0};
    allocator = failing_allocator(&failing);
    return ice_baseline_open(&baseline, &allocator, NULL) == ICE_OK ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    ice_baseline_free(baseline);
    return failing.used == 0 ? 0 : -1;
}

struct sink {
    char text[4096];
    size_t size, most; /* most: of calls that are answered, 0: all */
    size_t n_calls;
};

static enum ice_status put(const char *data, size_t size, void *user) {
    struct sink *sink = user;
    if (sink->most > 0 && ++sink->n_calls > sink->most)
        return ICE_EIO;
    assert_true(size < sizeof(sink->text) - sink->size);
    memcpy(sink->text + sink->size, data, size);
    sink->size += size;
    sink->text[sink->size] = '\0';
    return ICE_OK;
}

/* The lines that are no comment. */
static const char *written(struct sink *sink) {
    *sink = (struct sink){0};
    assert_int_equal(ice_baseline_write(baseline, put, sink), ICE_OK);
    const char *at = sink->text;
    while (*at == '#')
        at = strchr(at, '\n') + 1;
    return at;
}

static enum ice_status take(const char *text) {
    return ice_baseline_read(baseline, ice_str_from(text), NULL);
}

static void equal_ones_are_one(void **state) {
    (void)state;
    struct sink sink;
    assert_int_equal(take(HEAD F2 "\t1\tinfo\tr\tt\tu\tf\t/p\r\n"
                                  "# a comment\n\n" F1 "\t2\twarn\tr\tt\tu\tg\t/q\n" F1
                                  "\t999999999999999999\terror\tr\tt\tu\tf\t/q\n" F1
                                  "\t1\tinfo\tr\tt\tu\tg\t/q\n" F1
                                  "\t1\tinfo\tr\tt2\t\tf\t"),
                     ICE_OK);
    /* the first by name stays, as bad as the worst, as many as all */
    assert_string_equal(written(&sink),
                        F2 "\t1\tinfo\tr\tt\tu\tf\t/p\n" F1
                           "\t1000000000000000002\terror\tr\tt\tu\tf\t/q\n" F1
                           "\t1\tinfo\tr\tt2\t\tf\t\n");
}

static void counts_have_an_end(void **state) {
    (void)state;
    struct sink sink;
    for (int i = 0; i < 20; i++)
        assert_int_equal(take(HEAD F1 "\t999999999999999999\tinfo\tr\tt\tu\tf\t"),
                         ICE_OK);
    assert_string_equal(written(&sink),
                        F1 "\t18446744073709551615\tinfo\tr\tt\tu\tf\t\n");
}

static void lines_that_are_none(void **state) {
    (void)state;
    static const char *const bad[] = {
        "x",
        F1 "\t1\tinfo\tr\tt",
        "00000000000000g1\t1\tinfo\tr\tt\tu",
        "0a1\t1\tinfo\tr\tt\tu",
        F1 "\t\tinfo\tr\tt\tu",
        F1 "\t0\tinfo\tr\tt\tu",
        F1 "\t1x\tinfo\tr\tt\tu",
        F1 "\t-1\tinfo\tr\tt\tu",
        F1 "\t1000000000000000000\tinfo\tr\tt\tu",
        F1 "\t1\toff\tr\tt\tu",
        F1 "\t1\t\tr\tt\tu",
        F1 "\t1\tinfo\t\tt\tu",
    };
    char text[256];
    for (size_t i = 0; i < ICE_COUNT_OF(bad); i++) {
        struct ice_error err = {0};
        (void)snprintf(text, sizeof(text), HEAD "%s\n", bad[i]);
        if (ice_baseline_read(baseline, ice_str_from(text), &err) != ICE_EFORMAT)
            fail_msg("taken: %s", bad[i]);
        assert_non_null(strstr(err.message, "line 2"));
    }
    assert_int_equal(take(""), ICE_EFORMAT);
    assert_int_equal(take("# another file\n"), ICE_EFORMAT);
    assert_int_equal(take(HEAD F1 "\t1\tinfo\tr\tt\tu"), ICE_OK);
    assert_int_equal(take(HEAD F1 "\t1\tinfo\tr\tt\tu\tf\t/p\tmore"), ICE_OK);
}

static struct ice_finding finding(const char *pointer) {
    struct ice_finding found = {.rule = ice_rule_at(0),
                                .severity = ICE_WARN,
                                .table = ICE_STR("a\tb"),
                                .at.file = ICE_STR("f"),
                                .fingerprint = 0xa1};
    found.at.pointer = ice_str_from(pointer);
    return found;
}

static void findings_are_escaped(void **state) {
    (void)state;
    struct sink sink;
    struct ice_finding found = finding("/p\n");
    assert_int_equal(ice_baseline_add(baseline, &found), ICE_OK);
    found.more = 1; /* stands for others */
    assert_int_equal(ice_baseline_add(baseline, &found), ICE_OK);
    const char *text = written(&sink);
    assert_null(strstr(text, "a\tb"));
    assert_int_equal(strchr(text, '\n') - text, (long)strlen(text) - 1);
    struct ice_str bytes = ice_str_make(sink.text, sink.size);
    assert_int_equal(ice_baseline_read(baseline, bytes, NULL), ICE_OK);
}

static void what_is_known(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_baseline_view view;
    struct ice_str rule;
    uint64_t left;
    ice_alloc_init(&alloc, &allocator, UINT64_MAX);
    assert_int_equal(take(HEAD F1 "\t2\twarn\tr\tt\tu\tf\t\n" F2 "\t1\tinfo\tr\tt\tu\n" F1
                                  "\t1\tinfo\tr\tt\t\tf\t\n"),
                     ICE_OK);
    assert_int_equal(
        ice_baseline_view_open(&view, baseline, ICE_STR("other"), ICE_STR("u"), &alloc),
        ICE_OK);
    assert_false(ice_baseline_takes(&view, 0xa1, ICE_ERROR)); /* worse than it was */
    assert_true(ice_baseline_takes(&view, 0xa1, ICE_WARN));
    assert_true(ice_baseline_takes(&view, 0xa1, ICE_INFO));
    assert_false(ice_baseline_takes(&view, 0xa1, ICE_INFO)); /* one too many */
    assert_false(ice_baseline_takes(&view, 0xa2, ICE_INFO));
    assert_false(ice_baseline_takes(&view, 0xff, ICE_INFO));
    assert_true(ice_baseline_left(&view, 1, &rule, &left));
    assert_int_equal(left, 1);
    assert_false(ice_baseline_left(&view, 2, &rule, &left));
    ice_baseline_view_release(&view);
    assert_int_equal(
        ice_baseline_view_open(&view, baseline, ICE_STR("t"), ICE_STR_NONE, &alloc),
        ICE_OK);
    assert_int_equal(view.n, 1);
    ice_baseline_view_release(&view);
    failing.fail_at = failing.n + 1;
    assert_int_equal(
        ice_baseline_view_open(&view, baseline, ICE_STR("t"), ICE_STR_NONE, &alloc),
        ICE_ENOMEM);
    assert_int_equal(
        ice_baseline_view_open(&view, NULL, ICE_STR("t"), ICE_STR_NONE, &alloc), ICE_OK);
    ice_baseline_view_release(&view);
}

/* Each request fails once: said, and nothing is lost. */
static void no_memory(void **state) {
    (void)state;
    static const char text[] = HEAD F1 "\t2\twarn\tr\tt\tu\tf\t/p\n";
    struct ice_baseline *own;
    struct ice_finding found = finding("/p");
    for (uint64_t k = 1;; k++) {
        failing.fail_at = failing.n + k;
        enum ice_status status = ice_baseline_open(&own, &allocator, NULL);
        struct sink sink = {0};
        if (status == ICE_OK)
            status = ice_baseline_read(own, ICE_STR(text), NULL);
        if (status == ICE_OK)
            status = ice_baseline_add(own, &found);
        if (status == ICE_OK)
            status = ice_baseline_write(own, put, &sink);
        const bool is_over = failing.n < failing.fail_at;
        failing.fail_at = 0;
        ice_baseline_free(own);
        if (is_over) {
            assert_int_equal(status, ICE_OK);
            break;
        }
        assert_int_equal(status, ICE_ENOMEM);
    }
}

static void nobody_takes_it(void **state) {
    (void)state;
    assert_int_equal(take(HEAD F1 "\t2\twarn\tr\tt\tu\tf\t/p\n"), ICE_OK);
    for (size_t most = 1; most < 3; most++) {
        struct sink sink = {.most = most};
        assert_int_equal(ice_baseline_write(baseline, put, &sink), ICE_EIO);
    }
    struct sink none = {.most = 1, .n_calls = 1};
    assert_int_equal(ice_baseline_write(baseline, put, &none), ICE_EIO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_ones_are_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_have_an_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lines_that_are_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(findings_are_escaped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_takes_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
