/*
 * Rows in their four formats: bytes, escaping, picked columns, many rows, no rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/compiler.h"
#include "report/text.h"
#include "sink.h"

#include <jansson.h>

static const struct ice_column columns[] = {
    {"name", ICE_VALUE_STR},  {"n", ICE_VALUE_I64},   {"ratio", ICE_VALUE_F64},
    {"is", ICE_VALUE_BOOL},   {"at", ICE_VALUE_TIME}, {"raw", ICE_VALUE_BYTES},
    {"part", ICE_VALUE_JSON},
};
enum { N_COLUMNS = ICE_COUNT_OF(columns) };

static void fill(struct ice_value values[N_COLUMNS], struct ice_str name) {
    const struct ice_value row[] = {
        {.kind = ICE_VALUE_STR, .str = name},
        {.kind = ICE_VALUE_I64, .i64 = INT64_MAX},
        {.kind = ICE_VALUE_F64, .f64 = 0.1},
        {.kind = ICE_VALUE_BOOL, .i64 = 1},
        {.kind = ICE_VALUE_TIME, .i64 = 1767225600001},
        {.kind = ICE_VALUE_BYTES, .str = ICE_STR("\x00\xff")},
        {.kind = ICE_VALUE_JSON, .str = ICE_STR("{\"a\":1}")},
    };
    memcpy(values, row, sizeof(row));
}

static struct ice_rows *open_rows(enum ice_format format, const char *picked,
                                  struct sink *sink) {
    struct ice_rows *rows;
    memset(sink, 0, sizeof(*sink));
    assert_int_equal(ice_rows_open(&rows, format, picked, NULL, sink_write, sink, NULL),
                     ICE_OK);
    return rows;
}

static void two_rows(enum ice_format format, const char *picked, struct sink *sink) {
    struct ice_rows *rows = open_rows(format, picked, sink);
    struct ice_value values[N_COLUMNS], nulls[N_COLUMNS] = {0};
    fill(values, ICE_STR("a\tb\\\n\033"));
    assert_int_equal(ice_rows_row(columns, values, N_COLUMNS, rows), ICE_OK);
    assert_int_equal(ice_rows_row(columns, nulls, N_COLUMNS, rows), ICE_OK);
    assert_int_equal(ice_rows_finish(rows), ICE_OK);
    assert_int_equal(ice_rows_finish(rows), ICE_EARG);
    ice_rows_free(rows);
}

static void each_format_has_its_bytes(void **state) {
    (void)state;
    static struct sink sink;
    two_rows(ICE_FORMAT_TABLE, NULL, &sink);
    assert_string_equal(sink.text,
                        "name                               n  ratio  is    at "
                        "                       raw   part\n"
                        "a\\x09b\\\\x0a\\x1b  9223372036854775807    0.1  "
                        "true  2026-01-01T00:00:00.001Z  00ff  "
                        "{\"a\":1}\n"
                        "-                                  -      -  -     -  "
                        "                       -     -\n");
    two_rows(ICE_FORMAT_TSV, "", &sink);
    assert_string_equal(
        sink.text,
        "name\tn\tratio\tis\tat\traw\tpart\n"
        "a\\tb\\\\\\n\\x1b\t9223372036854775807\t0.1\ttrue\t2026-01-01T00:00:00.001Z\t"
        "00ff\t{\"a\":1}\n"
        "\\N\t\\N\t\\N\t\\N\t\\N\t\\N\t\\N\n");
    two_rows(ICE_FORMAT_NDJSON, NULL, &sink);
    assert_string_equal(
        sink.text,
        "{\"name\":\"a\\tb\\\\\\n\\u001b\",\"n\":9223372036854775807,\"ratio\":0.1,"
        "\"is\":true,"
        "\"at\":\"2026-01-01T00:00:00.001Z\",\"raw\":\"00ff\",\"part\":{\"a\":1}}\n"
        "{\"name\":null,\"n\":null,\"ratio\":null,\"is\":null,\"at\":null,\"raw\":null,"
        "\"part\":null}\n");
    two_rows(ICE_FORMAT_JSON, "n,name", &sink);
    assert_string_equal(sink.text,
                        "[{\"n\":9223372036854775807,\"name\":\"a\\tb\\\\\\n\\u001b\"},"
                        "{\"n\":null,\"name\":null}]\n");
}

static void columns_can_be_picked(void **state) {
    (void)state;
    static struct sink sink;
    two_rows(ICE_FORMAT_TSV, "raw,is", &sink);
    assert_string_equal(sink.text, "raw\tis\n00ff\ttrue\n\\N\t\\N\n");
    struct ice_rows *rows = open_rows(ICE_FORMAT_TSV, "is,nosuch\033", &sink);
    struct ice_value values[N_COLUMNS];
    fill(values, ICE_STR("x"));
    assert_null(ice_rows_bad_column(rows));
    assert_int_equal(ice_rows_row(columns, values, N_COLUMNS, rows), ICE_EARG);
    assert_string_equal(ice_rows_bad_column(rows), "nosuch\\x1b");
    ice_rows_free(rows);
}

static void no_rows_is_still_a_report(void **state) {
    (void)state;
    static struct sink sink;
    static const struct {
        enum ice_format format;
        const char *bare, *with_columns;
    } cases[] = {
        {ICE_FORMAT_TABLE, "", "is\n"},
        {ICE_FORMAT_TSV, "", "is\n"},
        {ICE_FORMAT_JSON, "[]\n", "[]\n"},
        {ICE_FORMAT_NDJSON, "", ""},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_rows *rows = open_rows(cases[i].format, "is", &sink);
        assert_int_equal(ice_rows_finish(rows), ICE_OK);
        assert_string_equal(sink.text, cases[i].bare);
        ice_rows_free(rows);
        rows = open_rows(cases[i].format, "is", &sink);
        assert_int_equal(ice_rows_row(columns, NULL, N_COLUMNS, rows), ICE_OK);
        assert_int_equal(ice_rows_finish(rows), ICE_OK);
        assert_string_equal(sink.text, cases[i].with_columns);
        ice_rows_free(rows);
    }
}

/* Beyond the rows whose widths count, wider cells push the line out, and nothing is lost.
 */
static void long_tables_stream(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_rows *rows = open_rows(ICE_FORMAT_TABLE, "name,is", &sink);
    struct ice_value values[N_COLUMNS];
    for (int i = 0; i < 1500; i++) {
        fill(values, i == 1400 ? ICE_STR("wider than name") : ICE_STR("x"));
        assert_int_equal(ice_rows_row(columns, values, N_COLUMNS, rows), ICE_OK);
    }
    assert_int_equal(ice_rows_finish(rows), ICE_OK);
    size_t n_lines = 0;
    for (size_t i = 0; i < sink.size; i++)
        n_lines += sink.text[i] == '\n';
    assert_int_equal(n_lines, 1501);
    assert_non_null(strstr(sink.text, "\nwider than name  true\nx     true\n"));
    ice_rows_free(rows);
}

static void failing_writes_are_told(void **state) {
    (void)state;
    static struct sink sink;
    for (int format = ICE_FORMAT_JSON; format <= ICE_FORMAT_TSV; format++) {
        struct ice_rows *rows = open_rows((enum ice_format)format, NULL, &sink);
        struct ice_value values[N_COLUMNS];
        fill(values, ICE_STR("x"));
        sink.fails = true;
        (void)ice_rows_row(columns, values, N_COLUMNS, rows);
        assert_int_equal(ice_rows_finish(rows), ICE_EIO);
        ice_rows_free(rows);
    }
}

static void findings_formats_are_refused(void **state) {
    (void)state;
    static struct sink sink;
    struct ice_rows *rows;
    assert_int_equal(
        ice_rows_open(&rows, ICE_FORMAT_HUMAN, NULL, NULL, sink_write, &sink, NULL),
        ICE_EARG);
    assert_null(rows);
    ice_rows_free(rows);
}

static void times_are_dates_or_say_so(void **state) {
    (void)state;
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {-2203891200000, "1900-03-01T00:00:00.000Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
        {253402300800000, "253402300800000 ms (not a date)"},
        {-62167219200000, "0000-01-01T00:00:00.000Z"},
        {-62167219200001, "-62167219200001 ms (not a date)"},
        {INT64_MIN, "-9223372036854775808 ms (not a date)"},
        {INT64_MAX, "9223372036854775807 ms (not a date)"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        char out[ICE_TIME_SIZE];
        struct ice_str text = ice_time_text(cases[i].ms, out);
        assert_int_equal(text.size, strlen(cases[i].text));
        assert_memory_equal(text.data, cases[i].text, text.size);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_format_has_its_bytes),
        cmocka_unit_test(columns_can_be_picked),
        cmocka_unit_test(no_rows_is_still_a_report),
        cmocka_unit_test(long_tables_stream),
        cmocka_unit_test(failing_writes_are_told),
        cmocka_unit_test(findings_formats_are_refused),
        cmocka_unit_test(times_are_dates_or_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
