/*
 * The page of HTML: sums of what is missed, manifests without a length, commands that may
 * be pasted, and ways out.
 */
#include "page.h"

/* ---- numbers that are not there, or go one way ---- */

static const struct ice_column sum_columns[] = {
    {"time", ICE_VALUE_TIME},         {"snapshot_id", ICE_VALUE_I64},
    {"added_records", ICE_VALUE_I64}, {"deleted_records", ICE_VALUE_I64},
    {"total_records", ICE_VALUE_I64}, {"flags", ICE_VALUE_STR}};

#define NULL_NUMBER INT64_MAX

/* numbers: time, id, added, deleted, total. */
static void put_sums(struct page *page, const int64_t numbers[5]) {
    struct ice_value values[ICE_COUNT_OF(sum_columns)];
    for (size_t i = 0; i < 5; i++)
        values[i] = (struct ice_value){
            .kind = numbers[i] == NULL_NUMBER ? ICE_VALUE_NULL : sum_columns[i].kind,
            .i64 = numbers[i]};
    values[5] = (struct ice_value){.kind = ICE_VALUE_STR, .str = ICE_STR("newer")};
    assert_int_equal(
        ice_report_row(sum_columns, values, ICE_COUNT_OF(sum_columns), page->report),
        ICE_OK);
}

static void what_is_missed_is_summed(void **state) {
    (void)state;
    static const struct {
        int64_t rows[2][5];
        const char *has, *lacks;
    } cases[] = {
        {{{1000, 1, 5, 0, 5}, {2000, 2, 2, NULL_NUMBER, 7}},
         "<dd>7 added</dd>",
         "removed</dd>"},
        {{{1000, 1, 0, 5, 5}, {2000, 2, 0, 2, 7}}, "<dd>7 removed</dd>", "added"},
        {{{1000, 1, 1, 5, 5}, {2000, 2, 0, 2, 7}},
         "<dd>1 added, 7 removed</dd>",
         "none of these"},
        {{{NULL_NUMBER, 1, 1, 0, 5}, {NULL_NUMBER, 2, 0, 0, 7}},
         "<dd>1 added</dd>",
         "<dt>Between</dt>"},
        {{{1000, NULL_NUMBER, 1, 0, 5}, {2000, NULL_NUMBER, 0, 0, 7}},
         "<dt>Between</dt>",
         "none of these"},
        {{{1, 1, INT64_MIN, 3, 5}, {2, 2, -1, 0, 7}}, "<dd>3 removed</dd>", "added"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct page page;
        open_page(&page);
        assert_int_equal(ice_report_answer(page.report, "history"), ICE_OK);
        for (size_t k = 0; k < 2; k++)
            put_sums(&page, cases[i].rows[k]);
        assert_int_equal(put_summary(page.report, "orders", 0, 0), ICE_OK);
        finish(&page);
        char *missed = strstr(page.html.bytes, "readers of the old state miss");
        assert_non_null(missed);
        char *list_end = strstr(missed, "</dl>");
        assert_non_null(list_end);
        *list_end = '\0';
        if (strstr(missed, cases[i].has) == NULL ||
            strstr(missed, cases[i].lacks) != NULL)
            fail_msg("case %zu: %s", i, missed);
        free(page.html.bytes);
    }
}

static void manifests_of_no_length(void **state) {
    (void)state;
    static const struct ice_column columns[] = {
        {"path", ICE_VALUE_STR}, {"length", ICE_VALUE_I64}, {"content", ICE_VALUE_I64}};
    struct page page;
    open_page(&page);
    assert_int_equal(ice_report_answer(page.report, "manifests"), ICE_OK);
    for (int i = 0; i < 2; i++) {
        const struct ice_value values[] = {
            {.kind = ICE_VALUE_STR, .str = ICE_STR("m.avro")},
            {.kind = ICE_VALUE_I64, .i64 = -i},
            {.kind = ICE_VALUE_NULL}};
        assert_int_equal(
            ice_report_row(columns, values, ICE_COUNT_OF(columns), page.report), ICE_OK);
    }
    assert_int_equal(put_summary(page.report, "orders", 0, 0), ICE_OK);
    finish(&page);
    assert_int_equal(count(&page, "<rect x=\"99\" y=\"0\" width=\"1\" "), 2);
    free(page.html.bytes);
}

/* ---- commands that may be pasted ---- */

static void directories_in_commands(void **state) {
    (void)state;
    static const struct {
        const char *directory, *shown;
    } cases[] = {
        {"./a_B-9.=+,@%:/", "./a_B-9.=+,@%:"},
        {"a b", "PATH"},
        {"-r", "PATH"},
        {"a`b", "PATH"},
        {"a{", "PATH"},
        {"[a", "PATH"},
        {"/", "/"},
        {"", "PATH"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct page page;
        char command[64];
        open_page(&page);
        assert_int_equal(ice_report_directory(page.report, cases[i].directory), ICE_OK);
        assert_int_equal(put_finding(page.report, &error_rule, "x"), ICE_OK);
        assert_int_equal(put_summary(page.report, "", 1, 0), ICE_OK);
        assert_int_equal(put_summary(page.report, "", 0, 0), ICE_OK);
        finish(&page);
        (void)snprintf(command, sizeof(command), "<code>icefsck rescue %s</code>",
                       cases[i].shown);
        has(&page, command);
        has(&page, "Table without a name");
        free(page.html.bytes);
    }
}

/* Each way out once, of the worst alone. */
static void ways_out_are_told_once(void **state) {
    (void)state;
    struct page page;
    struct ice_rule twin = error_rule, silent = error_rule;
    twin.name = "list.other";
    silent.name = "list.silent";
    silent.fix = "";
    open_page(&page);
    assert_int_equal(put_finding(page.report, &silent, "x"), ICE_OK);
    assert_int_equal(put_finding(page.report, &error_rule, "x"), ICE_OK);
    assert_int_equal(put_finding(page.report, &twin, "x"), ICE_OK);
    assert_int_equal(put_finding(page.report, &warn_rule, "x"), ICE_OK);
    assert_int_equal(put_summary(page.report, "orders", 3, 1), ICE_OK);
    finish(&page);
    char *next = strstr(page.html.bytes, "<ol class=\"next\">");
    assert_non_null(next);
    *strstr(next, "</ol>") = '\0';
    char *way = strstr(next, "rewrite the list");
    assert_non_null(way);
    assert_null(strstr(way + 1, "rewrite the list"));
    assert_null(strstr(next, "hint.stale"));
    assert_null(strstr(next, "list.silent"));
    free(page.html.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missed_is_summed),
        cmocka_unit_test(manifests_of_no_length),
        cmocka_unit_test(directories_in_commands),
        cmocka_unit_test(ways_out_are_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
