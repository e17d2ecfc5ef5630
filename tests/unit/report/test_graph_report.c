/*
 * Commits drawn as a graph: lines that part and join, metadata files without a commit,
 * more lines than there is room for, and rows that a stranger made up.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "base/str.h"
#include "sink.h"
#include "support/failing.h"

#include <stdio.h>

static const struct ice_column columns[] = {{"snapshot_id", ICE_VALUE_I64},
                                            {"parent_id", ICE_VALUE_I64},
                                            {"refs", ICE_VALUE_STR}};
enum { N_COLUMNS = ICE_COUNT_OF(columns), NONE = -1 };

struct commit {
    int64_t id, parent; /* NONE: null */
    const char *refs;
};

static void draw(const struct commit *commits, size_t n, struct sink *sink) {
    struct ice_rows *rows;
    memset(sink, 0, sizeof(*sink));
    assert_int_equal(
        ice_rows_open(&rows, ICE_FORMAT_GRAPH, NULL, NULL, sink_write, sink, NULL),
        ICE_OK);
    for (size_t i = 0; i < n; i++) {
        const struct ice_value values[N_COLUMNS] = {
            {.kind = commits[i].id == NONE ? ICE_VALUE_NULL : ICE_VALUE_I64,
             .i64 = commits[i].id},
            {.kind = commits[i].parent == NONE ? ICE_VALUE_NULL : ICE_VALUE_I64,
             .i64 = commits[i].parent},
            {.kind = commits[i].refs == NULL ? ICE_VALUE_NULL : ICE_VALUE_STR,
             .str = ice_str_from(commits[i].refs)}};
        assert_int_equal(ice_rows_row(columns, values, N_COLUMNS, rows), ICE_OK);
    }
    assert_int_equal(ice_rows_finish(rows), ICE_OK);
    ice_rows_free(rows);
}

static void lines_part_and_join(void **state) {
    (void)state;
    static struct sink sink;
    const struct commit commits[] = {
        {1, NONE, "tag: a, b"}, {2, 1, NULL}, {NONE, NONE, NULL}, {3, 1, NULL},
        {4, 1, NULL},           {5, 4, NULL}, {6, 3, "x, main"},
    };
    draw(commits, ICE_COUNT_OF(commits), &sink);
    assert_string_equal(sink.text, "* 6  time unknown  (x, main)\n"
                                   "| * 5  time unknown\n"
                                   "| * 4  time unknown\n"
                                   "* | 3  time unknown\n"
                                   "o | time unknown\n"
                                   "| | * 2  time unknown\n"
                                   "|_|/\n"
                                   "|/\n"
                                   "* 1  time unknown  (tag: a, b)\n");
}

/* Clocks went astray, a commit is its own parent, one stands twice: all are drawn. */
static void odd_rows_are_drawn(void **state) {
    (void)state;
    static struct sink sink;
    const struct commit commits[] = {
        {3, 2, "main"}, {2, 1, NULL}, {7, 7, NULL}, {1, 9, NULL}, {1, 9, NULL}};
    draw(commits, ICE_COUNT_OF(commits), &sink);
    size_t stars = 0;
    for (const char *at = sink.text; *at != '\0'; at++)
        stars += *at == '*';
    assert_int_equal(stars, ICE_COUNT_OF(commits));
    draw(commits, 0, &sink);
    assert_string_equal(sink.text, "");
}

static void more_lines_than_room(void **state) {
    (void)state;
    static struct sink sink;
    enum { LINES = 60 };
    struct commit commits[2 * LINES];
    for (int64_t i = 0; i < LINES; i++) {
        commits[i] = (struct commit){i + 1, NONE, NULL};
        commits[LINES + i] = (struct commit){LINES + i + 1, i + 1, NULL};
    }
    draw(commits, ICE_COUNT_OF(commits), &sink);
    size_t lines = 0, longest = 0, length = 0;
    for (const char *at = sink.text; *at != '\0'; at++) {
        length++;
        if (*at != '\n')
            continue;
        lines++;
        longest = length > longest ? length : longest;
        length = 0;
    }
    assert_true(lines >= 2 * LINES);
    assert_true(longest < 80);
}

static void other_rows_are_refused(void **state) {
    (void)state;
    static struct sink sink;
    const struct ice_column other[] = {{"name", ICE_VALUE_STR}};
    const struct ice_value value = {.kind = ICE_VALUE_STR, .str = ICE_STR("x")};
    struct ice_rows *rows;
    memset(&sink, 0, sizeof(sink));
    assert_int_equal(
        ice_rows_open(&rows, ICE_FORMAT_GRAPH, NULL, NULL, sink_write, &sink, NULL),
        ICE_OK);
    assert_int_equal(ice_rows_row(other, &value, 1, rows), ICE_EARG);
    ice_rows_free(rows);
}

/* ---- what stands beside a commit ---- */

static const struct ice_column whole[] = {{"snapshot_id", ICE_VALUE_I64},
                                          {"parent_id", ICE_VALUE_I64},
                                          {"time", ICE_VALUE_TIME},
                                          {"refs", ICE_VALUE_STR},
                                          {"operation", ICE_VALUE_STR},
                                          {"added_data_files", ICE_VALUE_I64},
                                          {"deleted_data_files", ICE_VALUE_I64},
                                          {"added_delete_files", ICE_VALUE_I64},
                                          {"removed_delete_files", ICE_VALUE_I64},
                                          {"added_records", ICE_VALUE_I64},
                                          {"deleted_records", ICE_VALUE_I64},
                                          {"metadata_file", ICE_VALUE_STR},
                                          {"flags", ICE_VALUE_STR},
                                          {"changes", ICE_VALUE_STR}};
enum { WHOLE = ICE_COUNT_OF(whole) };

/* numbers: of the six counts; NONE: null. */
static enum ice_status put_whole(struct ice_rows *rows, int64_t id, int64_t parent,
                                 const char *words, const int64_t numbers[6]) {
    struct ice_value values[WHOLE];
    for (size_t i = 0; i < WHOLE; i++)
        values[i] =
            (struct ice_value){.kind = words == NULL ? ICE_VALUE_NULL : whole[i].kind,
                               .str = words == NULL ? ICE_STR_NONE : ice_str_from(words)};
    for (size_t i = 0; i < 6; i++)
        values[5 + i] = (struct ice_value){.kind = numbers[i] == NONE ? ICE_VALUE_NULL
                                                                      : ICE_VALUE_I64,
                                           .i64 = numbers[i]};
    values[0] = (struct ice_value){.kind = ICE_VALUE_I64, .i64 = id};
    values[1] = (struct ice_value){
        .kind = parent == NONE ? ICE_VALUE_NULL : ICE_VALUE_I64, .i64 = parent};
    return ice_rows_row(whole, values, WHOLE, rows);
}

static enum ice_status draw_whole(const struct ice_allocator *allocator,
                                  enum ice_format format, struct sink *sink) {
    static const int64_t numbers[][6] = {
        {3, NONE, NONE, 2, 0, 0}, {0, 4, 5, 6, 7, 8}, {NONE, NONE, 0, NONE, -1, NONE}};
    struct ice_rows *rows;
    memset(sink, 0, sizeof(*sink));
    enum ice_status status =
        ice_rows_open(&rows, format, NULL, allocator, sink_write, sink, NULL);
    if (status < 0)
        return status;
    for (int64_t i = 0; i < 6 && status == ICE_OK; i++)
        status = put_whole(rows, i + 1, i > 2 ? i - 2 : NONE, i == 1 ? NULL : "w",
                           numbers[i % 3]);
    if (status == ICE_OK)
        status = ice_rows_finish(rows);
    ice_rows_free(rows);
    return status;
}

static void commits_have_their_numbers(void **state) {
    (void)state;
    static struct sink sink;
    assert_int_equal(draw_whole(NULL, ICE_FORMAT_GRAPH, &sink), ICE_OK);
    static const char *const parts[] = {"(w)", "  w  ",  " +3",    " -2",
                                        " -4", " +5 -6", " +7 -8", "[w]"};
    for (size_t i = 0; i < ICE_COUNT_OF(parts); i++) {
        if (strstr(sink.text, parts[i]) == NULL)
            fail_msg("'%s' is not in\n%s", parts[i], sink.text);
    }
    assert_null(strstr(sink.text, " +0"));
    assert_null(strstr(sink.text, " -0"));
}

static void every_allocation_fails(void **state) {
    (void)state;
    static struct sink sink;
    static const enum ice_format formats[] = {ICE_FORMAT_GRAPH, ICE_FORMAT_ARROW,
                                              ICE_FORMAT_TABLE, ICE_FORMAT_TSV,
                                              ICE_FORMAT_JSON,  ICE_FORMAT_NDJSON};
    for (size_t f = 0; f < ICE_COUNT_OF(formats); f++) {
        enum ice_status status = ICE_ENOMEM;
        for (uint64_t k = 1; status != ICE_OK; k++) {
            struct failing failing = {.fail_at = k};
            struct ice_allocator allocator = failing_allocator(&failing);
            status = draw_whole(&allocator, formats[f], &sink);
            assert_int_equal(failing.used, 0);
            if (status != ICE_OK)
                assert_int_equal(status, ICE_ENOMEM);
            assert_true(k < 10000);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_part_and_join),
        cmocka_unit_test(odd_rows_are_drawn),
        cmocka_unit_test(more_lines_than_room),
        cmocka_unit_test(other_rows_are_refused),
        cmocka_unit_test(commits_have_their_numbers),
        cmocka_unit_test(every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
