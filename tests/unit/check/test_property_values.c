/*
 * props.value.unparseable: which texts Java reads as the number, and which it does not.
 */
#include "unit/check/runner.h"

#define PROPERTY "write.orc.bloom.filter.fpp"

static bool is_refused(const char *value) {
    char text[1024];
    const char *const pairs[] = {"metadata/v1.metadata.json", text, NULL};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct test_result result;
    (void)snprintf(
        text, sizeof(text),
        "{\"format-version\":2,\"table-uuid\":\"9c12d441-03fe-4693-9a96-a0705ddf69c1\","
        "\"location\":\"s3://b/orders\",\"last-sequence-number\":0,\"last-updated-ms\":"
        "1740000000000,\"last-column-id\":1,\"current-schema-id\":0,\"schemas\":[{"
        "\"type\":\"struct\",\"schema-id\":0,\"fields\":[{\"id\":1,\"name\":\"a\","
        "\"required\":false,\"type\":\"int\"}]}],\"default-spec-id\":0,"
        "\"partition-specs\":[{\"spec-id\":0,\"fields\":[]}],\"last-partition-id\":999,"
        "\"default-sort-order-id\":0,\"sort-orders\":[{\"order-id\":0,\"fields\":[]}],"
        "\"properties\":{\"" PROPERTY "\":\"%s\"},\"snapshots\":[]}",
        value);
    test_check(&result, pairs, "", &options);
    assert_int_equal(result.status, ICE_OK);
    assert_non_null(result.summary);
    ice_summary_free(result.summary);
    return strstr(result.findings, "props.value.unparseable") != NULL;
}

static void numbers_as_java_reads_them(void **state) {
    (void)state;
    static const char *const read[] = {
        "0",     "1.",       ".5",  "+.5e-2F", "-5E+1D",      "1e5",       "7f",
        "7d",    "7F",       "7D",  "NaN",     "-NaN",        "+Infinity", "Infinity",
        "0x1p3", "0X1.8P+3", " 1 ", "0x.8p1f", "0xAbcDefp-1", "00012.50",
    };
    static const char *const refused[] = {
        "",    " ",    ".",   "+",        "-",     "e5",    "5e",   "5e+", "5e-x",
        "1fd", "1e5x", "0x",  "0x1",      "0x.p1", "0xp1",  "0x1p", "1,5", "1 5",
        "--1", "Inf",  "nan", "infinity", "1.2.3", "0x1.8", "f",
    };
    for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++)
        if (is_refused(read[i]))
            fail_msg("\"%s\" is refused", read[i]);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (!is_refused(refused[i]))
            fail_msg("\"%s\" is taken", refused[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_as_java_reads_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
