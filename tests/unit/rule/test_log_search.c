/*
 * Symptoms and rule names in logs: what is found, in which order, in pieces of any size.
 */
#include "support/cmocka_all.h"
#include "support/failing.h"

#include "rule/symptoms.h"

#include <stdio.h>

enum { MAX_HITS = 64 };

struct hits {
    struct ice_log_hit items[MAX_HITS];
    size_t n;
};

static struct hits search_pieces(const char *text, size_t piece) {
    struct hits hits = {.n = 0};
    struct ice_log_search *search;
    assert_int_equal(ice_log_search_open(&search, NULL, NULL), ICE_OK);
    size_t size = strlen(text);
    for (size_t at = 0; at < size; at += piece)
        ice_log_search_feed(search, text + at, size - at < piece ? size - at : piece);
    while (ice_log_search_next(search, &hits.items[hits.n])) {
        hits.n++;
        assert_true(hits.n < MAX_HITS);
    }
    assert_false(ice_log_search_next(search, &hits.items[hits.n]));
    ice_log_search_free(search);
    return hits;
}

/* In one piece; byte by byte it is the same. */
static struct hits search(const char *text) {
    struct hits whole = search_pieces(text, SIZE_MAX / 2), bytes = search_pieces(text, 1);
    assert_int_equal(whole.n, bytes.n);
    for (size_t i = 0; i < whole.n; i++) {
        assert_ptr_equal(whole.items[i].rule, bytes.items[i].rule);
        assert_int_equal(whole.items[i].symptom, bytes.items[i].symptom);
        assert_int_equal(whole.items[i].line, bytes.items[i].line);
        assert_int_equal(whole.items[i].n, bytes.items[i].n);
        assert_int_equal(whole.items[i].is_cause, bytes.items[i].is_cause);
    }
    return whole;
}

static void assert_symptom(const struct hits *hits, size_t index, size_t symptom,
                           uint64_t line, bool is_cause) {
    assert_true(index < hits->n);
    assert_null(hits->items[index].rule);
    assert_int_equal(hits->items[index].symptom, symptom);
    assert_int_equal(hits->items[index].line, line);
    assert_int_equal(hits->items[index].is_cause, is_cause);
}

#define FRAME "\tat org.apache.spark.sql.Catalog.load(Catalog.scala:61)\n"

static void nothing_is_found_in_nothing(void **state) {
    (void)state;
    assert_int_equal(search("").n, 0);
    assert_int_equal(search("26/11/30 02:15:44 INFO SparkContext: started\n").n, 0);
    assert_int_equal(search("took 403 ms").n, 0);
}

static void every_text_is_found(void **state) {
    (void)state;
    enum ice_symptom_id symptom;
    struct ice_str text;
    for (size_t i = 0; ice_seen_at(i, &symptom, &text); i++) {
        char line[256];
        (void)snprintf(line, sizeof(line), "x\nERROR (%s)", text.data);
        struct hits hits = search(line);
        bool is_found = false;
        for (size_t k = 0; k < hits.n; k++)
            is_found |= hits.items[k].symptom == symptom && hits.items[k].line == 2;
        assert_true(is_found);
    }
}

static void spelling_does_not_matter(void **state) {
    (void)state;
    struct hits hits = search("[table or\n  view not-found] x");
    assert_int_equal(hits.n, 1);
    assert_symptom(&hits, 0, ICE_SYMPTOM_TABLE_NOT_FOUND, 2, false);
    assert_int_equal(search("java.lang.NoClassDefFoundError: software/amazon/awssdk/x").n,
                     1);
}

static void innermost_cause_comes_first(void **state) {
    (void)state;
    struct hits hits = search(
        "org.apache.spark.sql.AnalysisException: [TABLE_OR_VIEW_NOT_FOUND] x\n" FRAME
        "Caused by: java.lang.IllegalArgumentException: Cannot initialize FileIO "
        "x\n" FRAME "\t... 12 more\n"
        "Caused by: x.AccessDeniedException: y\n" FRAME "\t... 14 more\n");
    assert_int_equal(hits.n, 3);
    assert_symptom(&hits, 0, ICE_SYMPTOM_ACCESS_DENIED, 6, true);
    assert_symptom(&hits, 1, ICE_SYMPTOM_INSTANTIATION, 3, false);
    assert_symptom(&hits, 2, ICE_SYMPTOM_TABLE_NOT_FOUND, 1, false);
}

static void plain_lines_come_before_what_wraps(void **state) {
    (void)state;
    struct hits hits = search("x: Cannot initialize FileIO\n" FRAME
                              "Caused by: java.lang.NoSuchMethodError: z\n" FRAME
                              "26/11/30 02:15:44 WARN x: refresh_delayed\n");
    assert_int_equal(hits.n, 3);
    assert_symptom(&hits, 0, ICE_SYMPTOM_NO_SUCH_METHOD, 3, true);
    assert_symptom(&hits, 1, ICE_SYMPTOM_STALE, 5, false);
    assert_symptom(&hits, 2, ICE_SYMPTOM_INSTANTIATION, 1, false);
}

/* A message of several lines belongs to its exception; times in front of lines, and lines
 * inside a JSON string, hide no cause. */
static void shapes_of_logs(void **state) {
    (void)state;
    struct hits hits = search("x: outer NoSuchMethodError\n" FRAME "Caused by: y: many\n"
                              "lines, at last refresh_delayed\n" FRAME);
    assert_symptom(&hits, 0, ICE_SYMPTOM_STALE, 4, true);
    assert_symptom(&hits, 1, ICE_SYMPTOM_NO_SUCH_METHOD, 1, false);

    hits = search("2026-11-30T02:15:44Z x: Cannot initialize FileIO\n"
                  "2026-11-30T02:15:44Z \tat org.apache.x(y.java:1)\n"
                  "2026-11-30T02:15:44Z \t... 3 more\n"
                  "2026-11-30T02:15:44Z Caused by: NoSuchMethodError\n"
                  "2026-11-30T02:15:44Z \tat org.apache.x(y.java:1)\n");
    assert_symptom(&hits, 0, ICE_SYMPTOM_NO_SUCH_METHOD, 4, true);
    assert_symptom(&hits, 1, ICE_SYMPTOM_INSTANTIATION, 1, false);

    hits =
        search("{\"m\":\"x: Cannot initialize FileIO\\n\\tat $Proxy1.x(y.java:1)\\n"
               "Caused by: NoSuchMethodError\\n\\tat a.b(c.java:2)\"}\n{\"m\":\"ok\"}\n");
    assert_symptom(&hits, 0, ICE_SYMPTOM_NO_SUCH_METHOD, 1, true);
    assert_symptom(&hits, 1, ICE_SYMPTOM_INSTANTIATION, 1, false);
}

static void frames_are_no_messages(void **state) {
    (void)state;
    assert_int_equal(search("x\n\tat x.rest.ForbiddenException.<init>(x.java:1)\n").n, 0);
    assert_int_equal(search("at x.NoSuchMethodError.y(x.java:1)").n, 0);
    assert_int_equal(search("looked at it: NoSuchMethodError").n, 1);
}

static void chains_are_told_apart(void **state) {
    (void)state;
    struct hits hits = search("a: refresh_delayed\n" FRAME "Caused by: b: c\n" FRAME
                              "a: NoSuchMethodError\n" FRAME "a: refresh_delayed\n");
    assert_int_equal(hits.n, 2);
    assert_symptom(&hits, 0, ICE_SYMPTOM_NO_SUCH_METHOD, 5, false);
    assert_symptom(&hits, 1, ICE_SYMPTOM_STALE, 7, false);
    assert_int_equal(hits.items[1].n, 2);
}

static void names_of_rules(void **state) {
    (void)state;
    struct hits hits = search("x.avro: error: [avro.truncated] at hint.stale.\n"
                              "xhint.stale hint.stale-x hint.stalex avro.truncated");
    assert_int_equal(hits.n, 2);
    assert_ptr_equal(hits.items[0].rule, ice_rule_find("avro.truncated"));
    assert_int_equal(hits.items[0].line, 1);
    assert_int_equal(hits.items[0].n, 2);
    assert_ptr_equal(hits.items[1].rule, ice_rule_find("hint.stale"));
    assert_int_equal(hits.items[1].n, 1);
}

static void memory_may_fail(void **state) {
    (void)state;
    struct failing failing = {0};
    struct ice_allocator allocator = failing_allocator(&failing);
    struct ice_log_search *search = NULL;
    enum ice_status status = ICE_ENOMEM;
    for (uint64_t at = 1; status != ICE_OK; at++) {
        failing = (struct failing){.fail_at = at};
        status = ice_log_search_open(&search, &allocator, NULL);
        assert_int_equal(status, failing.n < at ? ICE_OK : ICE_ENOMEM);
        assert_true(status == ICE_OK || (search == NULL && failing.used == 0));
    }
    assert_true(failing.n >= 6);
    ice_log_search_free(search);
    assert_int_equal(failing.used, 0);
    ice_log_search_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_found_in_nothing),
        cmocka_unit_test(every_text_is_found),
        cmocka_unit_test(spelling_does_not_matter),
        cmocka_unit_test(innermost_cause_comes_first),
        cmocka_unit_test(plain_lines_come_before_what_wraps),
        cmocka_unit_test(shapes_of_logs),
        cmocka_unit_test(frames_are_no_messages),
        cmocka_unit_test(chains_are_told_apart),
        cmocka_unit_test(names_of_rules),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
