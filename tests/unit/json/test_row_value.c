/*
 * Values of rows as JSON: each kind, and numbers at their ends.
 */
#include "json/row_value.h"

#include "base/compiler.h"
#include "base/run.h"
#include "support/cmocka_all.h"

static enum ice_status collect(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

static void expect(const struct ice_value *value, const char *expected) {
    struct ice_run run;
    struct ice_buf out;
    struct ice_json_writer writer;
    ice_run_init(&run, NULL);
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    ice_jw_init(&writer, collect, &out, 0);
    ice_jw_value(&writer, value);
    assert_int_equal(ice_jw_finish(&writer), ICE_OK);
    if (!ice_str_is(ice_buf_str(&out), expected))
        print_error("%.*s\n", ICE_STR_FMT(ice_buf_str(&out)));
    assert_true(ice_str_is(ice_buf_str(&out), expected));
    ice_buf_release(&out);
    assert_int_equal(run.alloc.used, 0);
}

static void each_kind_has_its_form(void **state) {
    (void)state;
    static const int32_t keys[] = {INT32_MIN, -1, 0, 10, INT32_MAX};
    static const int64_t numbers[] = {INT64_MIN, 0, 1, 2, INT64_MAX};
    static const struct ice_str strs[] = {
        {"", 0}, {"\0\xff", 2}, {"a", 1}, {NULL, 0}, {"z", 1}};
    const struct {
        struct ice_value value;
        const char *expected;
    } cases[] = {
        {{.kind = ICE_VALUE_NULL}, "null"},
        {{.kind = ICE_VALUE_BOOL, .i64 = 1}, "true"},
        {{.kind = ICE_VALUE_BOOL, .i64 = 0}, "false"},
        {{.kind = ICE_VALUE_I64, .i64 = INT64_MIN}, "-9223372036854775808"},
        {{.kind = ICE_VALUE_F64, .f64 = 1.5}, "1.5"},
        {{.kind = ICE_VALUE_STR, .str = ICE_STR("a\"b")}, "\"a\\\"b\""},
        {{.kind = ICE_VALUE_BYTES, .str = ICE_STR("\x01\xab")}, "\"01ab\""},
        {{.kind = ICE_VALUE_TIME, .i64 = 0}, "\"1970-01-01T00:00:00.000Z\""},
        {{.kind = ICE_VALUE_JSON, .str = ICE_STR("{\"a\":[]}")}, "{\"a\":[]}"},
        {{.kind = ICE_VALUE_MAP_I64, .keys = keys, .numbers = numbers, .n = 5},
         "{\"-2147483648\":-9223372036854775808,\"-1\":0,\"0\":1,\"10\":2,"
         "\"2147483647\":9223372036854775807}"},
        {{.kind = ICE_VALUE_MAP_BYTES, .keys = keys, .strs = strs, .n = 5},
         "{\"-2147483648\":\"\",\"-1\":\"00ff\",\"0\":\"61\",\"10\":\"\","
         "\"2147483647\":\"7a\"}"},
        {{.kind = ICE_VALUE_LIST_I64, .numbers = numbers, .n = 2},
         "[-9223372036854775808,0]"},
        {{.kind = ICE_VALUE_MAP_I64}, "{}"},
        {{.kind = ICE_VALUE_LIST_I64}, "[]"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++)
        expect(&cases[i].value, cases[i].expected);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
