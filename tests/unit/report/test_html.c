/*
 * The page of HTML: what is left out of a page that would be too big, and is counted;
 * rows that a stranger made up; every allocation that fails.
 */
#include "page.h"

#include "support/failing.h"

/* ---- findings ---- */

static void findings_beyond_the_ceiling_are_counted(void **state) {
    (void)state;
    struct page page;
    open_page(&page);
    for (int i = 0; i < ICE_HTML_RULE_FINDINGS + 20; i++)
        assert_int_equal(put_finding(page.report, &error_rule, "x"), ICE_OK);
    assert_int_equal(put_finding(page.report, &warn_rule, "y"), ICE_OK);
    assert_int_equal(put_summary(page.report, "orders", 120, 1), ICE_OK);
    finish(&page);
    assert_int_equal(count(&page, "<li id=\"t1-r1-f"), ICE_HTML_RULE_FINDINGS);
    assert_int_equal(count(&page, "<li id=\"t1-r2-f"), 1);
    has(&page, "20\xc2\xa0more are not on this page");
    has(&page, "120\xc2\xa0"
               "findings");
    has(&page, "write &lt;hint&gt; &amp; &quot;go&quot;");
    free(page.html.bytes);
}

/* Of every rule one is shown, also behind the ceiling of the table. */
static void every_rule_is_shown(void **state) {
    (void)state;
    struct page page;
    enum { RULES = 30 };
    static struct ice_rule rules[RULES];
    open_page(&page);
    for (size_t r = 0; r < RULES; r++) {
        rules[r] = warn_rule;
        for (int i = 0; i < ICE_HTML_RULE_FINDINGS; i++)
            assert_int_equal(put_finding(page.report, &rules[r], "x"), ICE_OK);
    }
    assert_int_equal(put_summary(page.report, "orders", 0, 3000), ICE_OK);
    finish(&page);
    assert_int_equal(count(&page, "<details class=\"fold"), RULES);
    assert_int_equal(count(&page, "-f1\""), RULES);
    assert_in_range(count(&page, "<dl class=\"place\">"), ICE_HTML_TABLE_FINDINGS,
                    ICE_HTML_TABLE_FINDINGS + RULES);
    free(page.html.bytes);
}

static void long_texts_are_cut(void **state) {
    (void)state;
    struct page page;
    static char text[3 * ICE_HTML_TEXT_BYTES];
    memset(text, '<', sizeof(text) - 1);
    open_page(&page);
    assert_int_equal(put_finding(page.report, &error_rule, text), ICE_OK);
    assert_int_equal(put_summary(page.report, "orders", 1, 0), ICE_OK);
    finish(&page);
    has(&page, "more bytes)");
    assert_int_equal(count(&page, "<<"), 0);
    free(page.html.bytes);
}

/* ---- tables ---- */

static void the_worst_tables_have_sections(void **state) {
    (void)state;
    struct page page;
    enum { TABLES = ICE_HTML_ROWS + 50 };
    open_page(&page);
    for (unsigned i = 0; i < TABLES; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "table_%u", i);
        /* the last one is the worst */
        assert_int_equal(put_summary(page.report, name, i == TABLES - 1 ? 7 : 0, i % 2),
                         ICE_OK);
    }
    finish(&page);
    has(&page, "<h1 class=\"broken\">1 of 2\xe2\x80\xaf"
               "050\xc2\xa0tables is broken</h1>");
    assert_int_equal(count(&page, "<section "), ICE_HTML_SECTIONS);
    assert_int_equal(count(&page, "<th role=\"rowheader\""), ICE_HTML_ROWS);
    has(&page, "50\xc2\xa0tables are not on this page");
    has(&page, "The worst 200\xc2\xa0tables have a section");
    char *first = strstr(page.html.bytes, "<section ");
    assert_non_null(first);
    assert_memory_equal(first, "<section class=\"table\" id=\"t2050\"", 33);
    free(page.html.bytes);
}

static void no_table_is_said(void **state) {
    (void)state;
    struct page page;
    open_page(&page);
    finish(&page);
    has(&page, "No table was checked");
    free(page.html.bytes);
}

/* ---- rows ---- */

static const struct ice_column history_columns[] = {
    {"time", ICE_VALUE_TIME},         {"snapshot_id", ICE_VALUE_I64},
    {"parent_id", ICE_VALUE_I64},     {"total_records", ICE_VALUE_I64},
    {"added_records", ICE_VALUE_I64}, {"flags", ICE_VALUE_STR},
};

static enum ice_status put_commit(struct ice_report *report, int64_t time, int64_t id,
                                  int64_t parent, int64_t rows, const char *flags) {
    struct ice_value values[ICE_COUNT_OF(history_columns)] = {
        {.kind = ICE_VALUE_TIME, .i64 = time},
        {.kind = ICE_VALUE_I64, .i64 = id},
        {.kind = ICE_VALUE_I64, .i64 = parent},
        {.kind = ICE_VALUE_I64, .i64 = rows},
        {.kind = ICE_VALUE_I64, .i64 = rows},
        {.kind = ICE_VALUE_STR, .str = ice_str_from(flags)},
    };
    return ice_report_row(history_columns, values, ICE_COUNT_OF(history_columns), report);
}

static void older_commits_are_counted(void **state) {
    (void)state;
    struct page page;
    enum { COMMITS = ICE_HTML_COMMITS + 77 };
    open_page(&page);
    assert_int_equal(ice_report_answer(page.report, "history"), ICE_OK);
    /* ids fall, so that the current one, 1, is the newest */
    for (int64_t i = COMMITS; i > 0; i--)
        assert_int_equal(put_commit(page.report, -i * 1000, i, i + 1, i, ""), ICE_OK);
    assert_int_equal(put_summary(page.report, "orders", 0, 0), ICE_OK);
    finish(&page);
    assert_int_equal(count(&page, "<circle "), ICE_HTML_COMMITS);
    has(&page, "77\xc2\xa0"
               "commits before that are not on this page");
    has(&page, "Rows over time");
    has(&page, "From 377 to 1; at least 1, at most 377.");
    free(page.html.bytes);
}

/* Loops, clocks that go astray, the widest numbers, more lines than lanes. */
static void odd_commits_are_drawn(void **state) {
    (void)state;
    static const int64_t odd[] = {0, 1, -1, INT64_MAX, INT64_MIN};
    struct page page;
    size_t n = 0;
    open_page(&page);
    assert_int_equal(ice_report_answer(page.report, "history"), ICE_OK);
    for (size_t i = 0; i < ICE_COUNT_OF(odd); i++) {
        for (size_t k = 0; k < ICE_COUNT_OF(odd); k++, n++)
            assert_int_equal(put_commit(page.report, odd[i], odd[k], odd[i],
                                        odd[(i + k) % ICE_COUNT_OF(odd)],
                                        "lost, newer,,"),
                             ICE_OK);
    }
    for (int64_t i = 100; i < 130; i++, n++)
        assert_int_equal(put_commit(page.report, i, i, i - 100, 1, "fork"), ICE_OK);
    assert_int_equal(put_summary(page.report, "orders", 0, 0), ICE_OK);
    finish(&page);
    assert_int_equal(count(&page, "<circle "), n);
    has(&page, "readers of the old state miss");
    assert_int_equal(count(&page, "=\"-"), 0); /* nothing is drawn left of its place */
    free(page.html.bytes);
}

static void the_biggest_manifests_are_shown(void **state) {
    (void)state;
    static const struct ice_column columns[] = {
        {"path", ICE_VALUE_STR}, {"length", ICE_VALUE_I64}, {"content", ICE_VALUE_I64}};
    struct page page;
    open_page(&page);
    assert_int_equal(ice_report_answer(page.report, "manifests"), ICE_OK);
    for (int64_t i = 0; i < 100; i++) {
        char path[32];
        (void)snprintf(path, sizeof(path), "m%02" PRId64 ".avro", i * 37 % 100);
        const struct ice_value values[] = {
            {.kind = ICE_VALUE_STR, .str = ice_str_from(path)},
            {.kind = ICE_VALUE_I64, .i64 = i * 37 % 100 - 3},
            {.kind = ICE_VALUE_I64, .i64 = i % 4 == 0}};
        assert_int_equal(
            ice_report_row(columns, values, ICE_COUNT_OF(columns), page.report), ICE_OK);
    }
    assert_int_equal(put_summary(page.report, "orders", 0, 0), ICE_OK);
    finish(&page);
    has(&page, "100\xc2\xa0manifests, 25 of them of deletes");
    assert_int_equal(count(&page, ".avro"), ICE_HTML_MANIFESTS);
    assert_true(strstr(page.html.bytes, "m99.avro") <
                strstr(page.html.bytes, "m98.avro"));
    has(&page, "m90.avro");
    free(page.html.bytes);
}

/* Rows of one table are not those of the next. */
static void rows_end_with_their_table(void **state) {
    (void)state;
    struct page page;
    open_page(&page);
    assert_int_equal(ice_report_answer(page.report, "history"), ICE_OK);
    assert_int_equal(put_commit(page.report, 1, 1, 0, 1, "newer"), ICE_OK);
    assert_int_equal(put_summary(page.report, "a", 0, 0), ICE_OK);
    assert_int_equal(put_summary(page.report, "b", 0, 0), ICE_OK);
    finish(&page);
    assert_int_equal(count(&page, "<circle "), 1);
    assert_int_equal(count(&page, "old state miss"), 1);
    free(page.html.bytes);
}

static void answers_are_known_by_name(void **state) {
    (void)state;
    struct page page;
    struct ice_report *json;
    open_page(&page);
    assert_string_equal(ice_report_wants(page.report, 0), "history");
    assert_string_equal(ice_report_wants(page.report, 1), "manifests");
    assert_null(ice_report_wants(page.report, 2));
    assert_null(ice_report_wants(page.report, SIZE_MAX));
    assert_int_equal(ice_report_answer(page.report, "files"), ICE_EARG);
    assert_int_equal(put_commit(page.report, 1, 1, 0, 1, ""), ICE_EARG);
    finish(&page);
    free(page.html.bytes);
    page = (struct page){0};
    assert_int_equal(
        ice_report_open(&json, ICE_FORMAT_JSON, NULL, NULL, take_text, &page.html, NULL),
        ICE_OK);
    assert_null(ice_report_wants(json, 0));
    assert_int_equal(ice_report_answer(json, "history"), ICE_OK);
    assert_int_equal(put_commit(json, 1, 1, 0, 1, ""), ICE_OK);
    ice_report_free(json);
}

/* A line has no more points than a screen shows, and says so. */
static void long_lines_are_thinned_out(void **state) {
    (void)state;
    struct page page;
    enum { COMMITS = 900 };
    open_page(&page);
    assert_int_equal(ice_report_answer(page.report, "history"), ICE_OK);
    for (int64_t i = COMMITS; i > 0; i--)
        assert_int_equal(put_commit(page.report, -i * 1000, i, i + 1, i, ""), ICE_OK);
    assert_int_equal(put_summary(page.report, "orders", 0, 0), ICE_OK);
    finish(&page);
    has(&page, "From 897 to 1; at least 1, at most 897.");
    has(&page, " are drawn");
    free(page.html.bytes);
}

/* ---- memory ---- */

static enum ice_status write_page(const struct ice_allocator *allocator,
                                  struct page *page) {
    const struct ice_report_options options = {.min_severity = ICE_WARN};
    enum ice_status status = ice_report_open(&page->report, ICE_FORMAT_HTML, &options,
                                             allocator, take_text, &page->html, NULL);
    if (status < 0)
        return status;
    struct ice_report *report = page->report;
    for (int i = 0; i < 9 && status >= 0; i++)
        status = put_finding(report, i % 2 ? &error_rule : &warn_rule, "x");
    if (status >= 0)
        status = ice_report_answer(report, "history");
    for (int64_t i = 20; i > 0 && status >= 0; i--)
        status = put_commit(report, -i, i, i + 1, i, "current");
    if (status >= 0)
        status = put_summary(report, "orders", 4, 5);
    if (status >= 0)
        status = put_summary(report, "other", 0, 0);
    return status < 0 ? status : ice_report_finish(report);
}

static void every_allocation_fails(void **state) {
    (void)state;
    enum ice_status status = ICE_ENOMEM;
    for (uint64_t k = 1; status != ICE_OK; k++) {
        struct failing failing = {.fail_at = k, .sticky = true};
        struct ice_allocator allocator = failing_allocator(&failing);
        struct page page = {0};
        status = write_page(&allocator, &page);
        ice_report_free(page.report);
        assert_int_equal(failing.used, 0);
        if (status != ICE_OK) {
            assert_int_equal(status, ICE_ENOMEM);
            assert_true(page.html.size == 0 ||
                        strstr(page.html.bytes, "</html>") == NULL);
        }
        free(page.html.bytes);
        assert_true(k < 10000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_beyond_the_ceiling_are_counted),
        cmocka_unit_test(every_rule_is_shown),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(the_worst_tables_have_sections),
        cmocka_unit_test(no_table_is_said),
        cmocka_unit_test(older_commits_are_counted),
        cmocka_unit_test(odd_commits_are_drawn),
        cmocka_unit_test(the_biggest_manifests_are_shown),
        cmocka_unit_test(rows_end_with_their_table),
        cmocka_unit_test(answers_are_known_by_name),
        cmocka_unit_test(long_lines_are_thinned_out),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
