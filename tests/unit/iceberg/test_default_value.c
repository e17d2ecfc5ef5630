/*
 * JSON defaults against their types, and against each other.
 */
#include "assert_str.h"

#include "iceberg/default_value.h"

#include "base/run.h"
#include "support/failing_run.h"

#include <stdio.h>

/* Each request for memory fails in turn: then that is said. */
static void check_without_memory(const struct ice_schema *schema, const char *value,
                                 unsigned faults) {
    bool is_done = false;
    for (uint64_t k = 1; !is_done; k++) {
        struct failing failing = {.fail_at = k};
        struct ice_run run;
        struct ice_default_checker checker;
        unsigned found = 0;
        failing_run_init(&run, &failing);
        enum ice_status status = ice_default_checker_init(&checker, schema, &run);
        if (status == ICE_OK)
            status = ice_default_check(&checker, 0, ice_str_from(value), &found, NULL);
        ice_default_checker_release(&checker);
        is_done = failing.n < k;
        assert_int_equal(status, is_done ? ICE_OK : ICE_ENOMEM);
        assert_true(!is_done || found == faults);
        assert_int_equal(failing.used, 0);
    }
}

/* Faults of a default of a column of a type; both are JSON. */
static unsigned faults_of(const char *type, const char *value) {
    char text[512];
    struct ice_run run;
    struct ice_arena arena;
    struct ice_schema schema;
    struct ice_default_checker checker;
    unsigned faults = 0;
    int size = snprintf(text, sizeof(text),
                        "{\"type\":\"struct\",\"fields\":[{\"id\":1,\"name\":\"a\","
                        "\"required\":false,\"type\":%s}]}",
                        type);
    assert_true(size > 0 && (size_t)size < sizeof(text));
    ice_run_init(&run, NULL);
    ice_arena_init(&arena, &run.alloc);
    assert_int_equal(ice_schema_parse(ice_str_from(text), &run, &arena, &schema, NULL),
                     ICE_OK);
    assert_int_equal(ice_default_checker_init(&checker, &schema, &run), ICE_OK);
    assert_int_equal(ice_default_check(&checker, 0, ice_str_from(value), &faults, NULL),
                     ICE_OK);
    ice_default_checker_release(&checker);
    check_without_memory(&schema, value, faults);
    ice_schema_release(&schema);
    ice_arena_release(&arena);
    return faults;
}

struct row {
    const char *type, *value;
    unsigned faults;
};

static void run_rows(const struct row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned faults = faults_of(rows[i].type, rows[i].value);
        if (faults != rows[i].faults)
            print_error("%s as %s: %u\n", rows[i].value, rows[i].type, faults);
        assert_int_equal(faults, rows[i].faults);
    }
}
#define RUN(rows) run_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void numbers(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"\"boolean\"", "true", 0},
        {"\"boolean\"", "1", ICE_DEFAULT_WRONG},
        {"\"boolean\"", "\"true\"", ICE_DEFAULT_WRONG},
        {"\"int\"", "2147483647", 0},
        {"\"int\"", "2147483648", ICE_DEFAULT_WRONG},
        {"\"int\"", "-2147483648", 0},
        {"\"int\"", "1.0", ICE_DEFAULT_WRONG},
        {"\"int\"", "\"1\"", ICE_DEFAULT_WRONG},
        {"\"long\"", "2147483648", 0},
        {"\"long\"", "9223372036854775808", ICE_DEFAULT_WRONG},
        {"\"float\"", "1.5", 0},
        {"\"float\"", "1e39", ICE_DEFAULT_WRONG},
        {"\"float\"", "1", ICE_DEFAULT_FLOAT_INTEGER},
        {"\"double\"", "1e39", 0},
        {"\"double\"", "-0", ICE_DEFAULT_FLOAT_INTEGER},
        {"\"double\"", "1e999", ICE_DEFAULT_WRONG},
        {"\"double\"", "\"NaN\"", ICE_DEFAULT_WRONG},
        {"\"boolean\"", "false", 0},
        {"\"int\"", "-2147483649", ICE_DEFAULT_WRONG},
        {"\"int\"", "true", ICE_DEFAULT_WRONG},
        {"\"float\"", "1e5", 0},
        {"\"float\"", "1E5", 0},
        {"\"float\"", "-1e39", ICE_DEFAULT_WRONG},
        {"\"double\"", "false", ICE_DEFAULT_WRONG},
        /* the greatest and the least, as Java writes them */
        {"\"float\"", "3.4028235E38", 0},
        {"\"float\"", "-3.4028235E38", 0},
        {"\"float\"", "3.4028235677973362e38", 0},
        {"\"float\"", "3.4028235677973366e38", ICE_DEFAULT_WRONG},
        {"\"float\"", "-3.4028236E38", ICE_DEFAULT_WRONG},
        {"\"float\"", "1.4E-45", 0},
        {"\"float\"", "-0.0", 0},
        {"\"double\"", "1.7976931348623157E308", 0},
        {"\"double\"", "-1.7976931348623157E308", 0},
        {"\"double\"", "1.7976931348623159E308", ICE_DEFAULT_WRONG},
        {"\"double\"", "4.9E-324", 0},
        {"\"long\"", "-9223372036854775808", 0},
        {"\"long\"", "9223372036854775807", 0},
    };
    RUN(rows);
}

static void decimals(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"\"decimal(4,2)\"", "\"14.20\"", 0},
        {"\"decimal(4,2)\"", "\"-14.20\"", 0},
        {"\"decimal(4,2)\"", "\"0014.20\"", 0},
        {"\"decimal(4,2)\"", "\"1420E-2\"", 0},
        {"\"decimal(4,2)\"", "\"14.2\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"114.20\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "14.20", ICE_DEFAULT_WRONG},
        {"\"decimal(4,0)\"", "\"14\"", 0},
        {"\"decimal(4,0)\"", "\"14.\"", 0},
        {"\"decimal(4,2)\"", "\".20\"", 0},
        {"\"decimal(4,2)\"", "\".\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"1,20\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"1E9999999999\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"+14.20\"", 0},
        {"\"decimal(4,2)\"", "\"0.1420E+2\"", 0},
        {"\"decimal(4,2)\"", "\"1420e-2\"", 0},
        {"\"decimal(4,2)\"", "\"0.00\"", 0},
        {"\"decimal(4,2)\"", "\"14e2\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"14.20x\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"14E+\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"1E\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"1E-9999999999\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"/4.20\"", ICE_DEFAULT_WRONG},
        {"\"decimal(4,2)\"", "\"-99.99\"", 0},
        {"\"decimal(38,38)\"", "\"-0.99999999999999999999999999999999999999\"", 0},
        {"\"decimal(38,38)\"", "\"0E-38\"", 0},
        {"\"decimal(38,0)\"", "\"99999999999999999999999999999999999999\"", 0},
        {"\"decimal(38,0)\"", "\"100000000000000000000000000000000000000\"",
         ICE_DEFAULT_WRONG},
    };
    RUN(rows);
}

static void times(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"\"date\"", "\"2024-02-29\"", 0},
        {"\"date\"", "\"2023-02-29\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"1900-02-29\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2000-02-29\"", 0},
        {"\"date\"", "\"2023-13-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-04-31\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"-0044-03-15\"", 0},
        {"\"date\"", "\"+12345-01-01\"", 0},
        {"\"date\"", "\"12345-01-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-1-1\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-01-01T00:00:00\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "19000", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"23:59:59.999999\"", 0},
        {"\"time\"", "\"23:59\"", ICE_DEFAULT_LOOSE},
        {"\"time\"", "\"23:59:59.1234567\"", ICE_DEFAULT_LOOSE},
        {"\"time\"", "\"23:59:59.1234567890\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"24:00:00\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"23:60:00\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"23:59:60\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"2025-01-01T00:00:00\"", 0},
        {"\"timestamp\"", "\"2025-01-01T00:00:00.123456\"", 0},
        {"\"timestamp\"", "\"2025-01-01T00:00:00.1234567\"", ICE_DEFAULT_LOOSE},
        {"\"timestamp\"", "\"2025-01-01 00:00:00\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"2025-01-01T00:00:00+00:00\"", ICE_DEFAULT_WRONG},
        {"\"timestamptz\"", "\"2025-01-01T00:00:00+00:00\"", 0},
        {"\"timestamptz\"", "\"2025-01-01T00:00:00\"", ICE_DEFAULT_WRONG},
        {"\"timestamptz\"", "\"2025-01-01T00:00:00+01:00\"", ICE_DEFAULT_WRONG},
        {"\"timestamptz\"", "\"2025-01-01T00:00:00Z\"", ICE_DEFAULT_LOOSE},
        {"\"timestamp_ns\"", "\"2025-01-01T00:00:00.123456789\"", 0},
        {"\"timestamptz_ns\"", "\"2025-01-01T00:00:00.123456789+00:00\"", 0},
        {"\"date\"", "\"-2024-02-29\"", 0},
        {"\"date\"", "\"+2024-01-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"20x4-01-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"1234567890-01-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"-1234567890-01-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023x01-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-x1-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-01x01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-01-x1\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-00-01\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-01-00\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"2023-01-32\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"x3:59\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"23x59\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"23:x9\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"23:59:x9\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"23:59.5\"", ICE_DEFAULT_WRONG},
        {"\"time\"", "\"23:59:59Z\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"2025-13-01T00:00:00\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"2025-01-01T00\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"2025-01-01\"", ICE_DEFAULT_WRONG},
        {"\"timestamptz\"", "\"2025-01-01T00:00:00+00:0\"", ICE_DEFAULT_WRONG},
        {"\"timestamptz\"", "\"2025-01-01T00:00:00Zx\"", ICE_DEFAULT_WRONG},
        /* the greatest and the least, as Java writes them, and what is beyond */
        {"\"date\"", "\"+5881580-07-11\"", 0},
        {"\"date\"", "\"+5881580-07-12\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"-5877641-06-23\"", 0},
        {"\"date\"", "\"-5877641-06-22\"", ICE_DEFAULT_WRONG},
        {"\"date\"", "\"+999999999-01-01\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"+294247-01-10T04:00:54.775807\"", 0},
        {"\"timestamp\"", "\"+294247-01-10T04:00:54.775808\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"-290308-12-21T19:59:05.224192\"", 0},
        {"\"timestamp\"", "\"-290308-12-21T19:59:05.224191\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"-999999999-01-01T00:00:00\"", ICE_DEFAULT_WRONG},
        {"\"timestamptz\"", "\"+294247-01-10T04:00:54.775807+00:00\"", 0},
        {"\"timestamptz\"", "\"+294248-01-01T00:00:00+00:00\"", ICE_DEFAULT_WRONG},
        {"\"timestamp_ns\"", "\"2262-04-11T23:47:16.854775807\"", 0},
        {"\"timestamp_ns\"", "\"2262-04-11T23:47:16.854775808\"", ICE_DEFAULT_WRONG},
        {"\"timestamp_ns\"", "\"1677-09-21T00:12:43.145224192\"", 0},
        {"\"timestamp_ns\"", "\"1677-09-21T00:12:43.145224191\"", ICE_DEFAULT_WRONG},
        {"\"timestamptz_ns\"", "\"2262-04-12T00:00:00+00:00\"", ICE_DEFAULT_WRONG},
        {"\"timestamp\"", "\"1969-12-31T23:59:59.999999\"", 0},
    };
    RUN(rows);
}

static void texts(void **state) {
    (void)state;
    static const struct row rows[] = {
        {"\"string\"", "\"\"", 0},
        {"\"string\"", "0", ICE_DEFAULT_WRONG},
        {"\"uuid\"", "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"", 0},
        {"\"uuid\"", "\"F79C3e09-677c-4bbd-a479-3f349cb785e7\"", ICE_DEFAULT_HEX_CASE},
        {"\"uuid\"", "\"f79c3e09677c4bbda4793f349cb785e7\"", ICE_DEFAULT_WRONG},
        {"\"uuid\"", "\"f79c3e09-677c-4bbd-a479-3f349cb785eg\"", ICE_DEFAULT_WRONG},
        {"\"fixed[2]\"", "\"00ff\"", 0},
        {"\"fixed[2]\"", "\"00FF\"", ICE_DEFAULT_HEX_CASE},
        {"\"fixed[2]\"", "\"00f\"", ICE_DEFAULT_WRONG},
        {"\"fixed[2]\"", "\"00ff00\"", ICE_DEFAULT_WRONG},
        {"\"binary\"", "\"\"", 0},
        {"\"binary\"", "\"0\"", ICE_DEFAULT_WRONG},
        {"\"variant\"", "1", ICE_DEFAULT_FORBIDDEN},
        {"\"unknown\"", "1", ICE_DEFAULT_FORBIDDEN},
        {"\"geometry\"", "\"POINT\"", ICE_DEFAULT_FORBIDDEN},
        {"\"no such type\"", "1", 0},
        {"\"uuid\"", "\"f79c3e09x677c-4bbd-a479-3f349cb785e7\"", ICE_DEFAULT_WRONG},
        {"\"uuid\"", "\"f79c3e09-677c-4bbd-a479x3f349cb785e7\"", ICE_DEFAULT_WRONG},
        {"\"binary\"", "\"0/\"", ICE_DEFAULT_WRONG},
        {"\"binary\"", "\"0:\"", ICE_DEFAULT_WRONG},
        {"\"binary\"", "\"0@\"", ICE_DEFAULT_WRONG},
        {"\"binary\"", "\"0G\"", ICE_DEFAULT_WRONG},
        {"\"binary\"", "\"0`\"", ICE_DEFAULT_WRONG},
        {"\"binary\"", "\"0g\"", ICE_DEFAULT_WRONG},
        {"\"geography\"", "\"POINT\"", ICE_DEFAULT_FORBIDDEN},
    };
    RUN(rows);
}

#define LIST(element)                                                                    \
    "{\"type\":\"list\",\"element-id\":2,\"element-required\":false,"                    \
    "\"element\":" element "}"
#define MAP                                                                              \
    "{\"type\":\"map\",\"key-id\":2,\"key\":\"string\",\"value-id\":3,"                  \
    "\"value-required\":false,\"value\":\"int\"}"
#define STRUCT                                                                           \
    "{\"type\":\"struct\",\"fields\":[{\"id\":2,\"name\":\"b\",\"required\":false,"      \
    "\"type\":\"int\"}]}"

static void nested(void **state) {
    (void)state;
    static const struct row rows[] = {
        {LIST("\"int\""), "[1, null, 2]", 0},
        {LIST("\"int\""), "[]", 0},
        {LIST("\"int\""), "[1.5]", ICE_DEFAULT_WRONG},
        {LIST("\"int\""), "{}", ICE_DEFAULT_WRONG},
        {LIST("\"int\""), "[[1]]", ICE_DEFAULT_WRONG},
        {LIST("\"double\""), "[1]", ICE_DEFAULT_FLOAT_INTEGER},
        {LIST(STRUCT), "[{}, {\"2\": 1}]", ICE_DEFAULT_STRUCT_VALUES},
        {MAP, "{\"keys\": [\"a\"], \"values\": [1]}", 0},
        {MAP, "{\"keys\": [1], \"values\": [1]}", ICE_DEFAULT_WRONG},
        {MAP, "{\"keys\": [\"a\"], \"values\": [\"b\"]}", ICE_DEFAULT_WRONG},
        {MAP, "{\"a\": 1}", ICE_DEFAULT_WRONG},
        {MAP, "[]", ICE_DEFAULT_WRONG},
        {STRUCT, "{}", 0},
        {STRUCT, "{\"2\": [{}]}", ICE_DEFAULT_STRUCT_VALUES},
        {STRUCT, "1", ICE_DEFAULT_WRONG},
        {STRUCT, "[]", ICE_DEFAULT_WRONG},
        {LIST("\"int\""), "1", ICE_DEFAULT_WRONG},
        {LIST("\"unknown\""), "[null]", 0},
        {LIST("\"unknown\""), "[1]", ICE_DEFAULT_FORBIDDEN},
        {LIST("\"variant\""), "[1]", ICE_DEFAULT_FORBIDDEN},
        {LIST("\"geometry\""), "[1]", ICE_DEFAULT_FORBIDDEN},
        {LIST("\"geography\""), "[1]", ICE_DEFAULT_FORBIDDEN},
        {MAP, "1", ICE_DEFAULT_WRONG},
        {MAP, "{\"keys\": 1}", ICE_DEFAULT_WRONG},
        {MAP, "{\"values\": {}}", ICE_DEFAULT_WRONG},
    };
    RUN(rows);
}

static bool same(const char *type_a, const char *a, const char *type_b, const char *b) {
    struct ice_type x = ice_type_parse(ice_str_from(type_a));
    struct ice_type y = ice_type_parse(ice_str_from(type_b));
    return ice_default_same(&x, ice_str_from(a), &y, ice_str_from(b));
}

static void comparing(void **state) {
    (void)state;
    assert_true(same("int", "null", "int", ""));
    assert_false(same("int", "0", "int", ""));
    assert_true(same("int", "7", "long", "7"));
    assert_false(same("int", "7", "long", "8"));
    assert_true(same("float", "1.5", "double", "15e-1"));
    assert_false(same("float", "1.5", "double", "1.25"));
    assert_true(same("decimal(4,2)", "\"1.50\"", "decimal(6,2)", "\"+01.50\""));
    assert_false(same("decimal(4,2)", "\"1.50\"", "decimal(6,2)", "\"-1.50\""));
    assert_true(same("decimal(4,2)", "\"0.00\"", "decimal(4,2)", "\"-0.00\""));
    assert_true(same("date", "\"2025-01-01\"", "timestamp", "\"2025-01-01T00:00:00\""));
    assert_false(same("date", "\"2025-01-01\"", "timestamp", "\"2025-01-01T00:00:01\""));
    assert_true(same("time", "\"10:00:00\"", "time", "\"10:00:00.000\""));
    assert_true(same("uuid", "\"AB\"", "uuid", "\"ab\""));
    assert_false(same("string", "\"AB\"", "string", "\"ab\""));
    assert_false(same("boolean", "true", "boolean", "false"));
}

/* What cannot be compared is not told apart. */
static void comparing_odd_values(void **state) {
    (void)state;
    static const struct {
        const char *type_a, *a, *type_b, *b;
        bool same;
    } cases[] = {
        {"boolean", "false", "boolean", "true", false},
        {"boolean", "true", "int", "1", true},
        {"int", "1", "boolean", "false", true},
        {"list", "[1]", "list", "[2]", true},
        {"int", "1", "string", "\"1\"", true},
        {"string", "\"a\\n\"", "string", "\"b\"", true},
        {"string", "\"b\"", "string", "\"a\\n\"", true},
        {"string", "\"a\"", "boolean", "true", true},
        {"string", "\"a\"", "binary", "\"b\"", true},
        {"int", "-1", "int", "1", false},
        {"int", ":", "int", "1", true},
        {"float", "1", "float", "1.0", true},
        {"double", "1.5", "double", "2.5", false},
        {"double", "2.5", "double", "1.5", false},
        {"double", "1e999", "double", "1.5", true},
        {"double", "1.5", "double", "1e999", true},
        {"time", "\"x\"", "time", "\"10:00:00\"", false},
        {"time", "\"10:00:00\"", "time", "\"x\"", false},
        {"time", "\"10:00:00\"", "date", "\"2025-01-01\"", true},
        {"date", "\"2025-01-01\"", "time", "\"10:00:00\"", true},
        {"date", "\"2025-01-01\"", "date", "\"2025-01-02\"", false},
        {"timestamptz", "\"2025-01-01T00:00:00+00:00\"", "timestamptz_ns",
         "\"2025-01-01T00:00:00.000+00:00\"", true},
        {"timestamp_ns", "\"2025-01-01T00:00:00\"", "timestamp",
         "\"2025-01-01T00:00:00.000000\"", true},
        {"timestamp_ns", "\"2025-01-01T00:00:00\"", "string", "\"a\"", true},
        {"decimal(4,2)", "\"1.5x\"", "decimal(4,2)", "\"1.50\"", true},
        {"decimal(4,2)", "\"1.50\"", "decimal(4,2)", "\"1.5x\"", true},
        {"decimal(4,2)", "\"1E1\"", "decimal(4,2)", "\"1.50\"", true},
        {"decimal(4,2)", "\"0.00\"", "decimal(4,2)", "\"1.00\"", false},
        {"decimal(4,2)", "\"1.50\"", "decimal(4,2)", "\"2.50\"", false},
        {"decimal(4,2)", "\"1.50\"", "decimal(4,2)", "\"1.51\"", false},
        {"decimal(4,2)", "\"1.50\"", "string", "\"1.51\"", true},
        {"fixed[1]", "\"AB\"", "fixed[1]", "\"ab\"", true},
        {"fixed[1]", "\"AB\"", "fixed[1]", "\"ac\"", false},
        {"binary", "\"AB\"", "binary", "\"ab\"", true},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (same(cases[i].type_a, cases[i].a, cases[i].type_b, cases[i].b) !=
            cases[i].same)
            fail_msg("%s %s and %s %s", cases[i].type_a, cases[i].a, cases[i].type_b,
                     cases[i].b);
    }
}

static void no_columns(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_schema schema = {0};
    struct ice_default_checker checker;
    ice_run_init(&run, NULL);
    assert_int_equal(ice_default_checker_init(&checker, &schema, &run), ICE_OK);
    ice_default_checker_release(&checker);
    ice_default_checker_release(&checker);
    assert_int_equal(run.alloc.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(decimals),
        cmocka_unit_test(times),
        cmocka_unit_test(texts),
        cmocka_unit_test(nested),
        cmocka_unit_test(comparing),
        cmocka_unit_test(comparing_odd_values),
        cmocka_unit_test(no_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
