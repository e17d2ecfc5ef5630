/*
 * The writer: layout, escapes, numbers that read back, errors that stick.
 */
#include "json/writer.h"

#include "base/compiler.h"
#include "base/run.h"
#include "json/reader.h"
#include "support/cmocka_all.h"
#include "support/pieces.h"

#include <float.h>
#include <jansson.h>
#include <math.h>

static enum ice_status collect(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

static void expect_text(const struct ice_buf *out, const char *expected) {
    if (out->size != strlen(expected) || memcmp(out->data, expected, out->size) != 0)
        print_error("got:\n%.*s\nexpected:\n%s\n", ICE_STR_FMT(ice_buf_str(out)),
                    expected);
    assert_int_equal(out->size, strlen(expected));
    assert_memory_equal(out->data, expected, out->size);
}

static void write_sample(struct ice_json_writer *w) {
    ice_jw_object(w);
    ice_jw_key(w, "empty");
    ice_jw_object(w);
    ice_jw_object_end(w);
    ice_jw_key_str(w, ICE_STR("list"));
    ice_jw_array(w);
    ice_jw_i64(w, INT64_MIN);
    ice_jw_u64(w, UINT64_MAX);
    ice_jw_i64_string(w, -7);
    ice_jw_bool(w, true);
    ice_jw_bool(w, false);
    ice_jw_null(w);
    ice_jw_array(w);
    ice_jw_array_end(w);
    ice_jw_raw(w, ICE_STR("[1]"));
    ice_jw_hex(w, ICE_STR("\x00\xab\x7f"));
    ice_jw_array_end(w);
    ice_jw_key(w, "s");
    ice_jw_text(w, "t");
    ice_jw_object_end(w);
}

static void both_layouts(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_buf out;
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    struct ice_json_writer w;
    ice_jw_init(&w, collect, &out, 0);
    write_sample(&w);
    ice_jw_newline(&w);
    ice_jw_i64(&w, 1);
    ice_jw_newline(&w);
    assert_int_equal(ice_jw_finish(&w), ICE_OK);
    expect_text(
        &out, "{\"empty\":{},\"list\":[-9223372036854775808,18446744073709551615,\"-7\","
              "true,false,null,[],[1],\"00ab7f\"],\"s\":\"t\"}\n1\n");
    ice_buf_clear(&out);
    ice_jw_init(&w, collect, &out, 2);
    write_sample(&w);
    assert_int_equal(ice_jw_finish(&w), ICE_OK);
    expect_text(
        &out, "{\n  \"empty\": {},\n  \"list\": [\n    -9223372036854775808,\n"
              "    18446744073709551615,\n    \"-7\",\n    true,\n    false,\n    null,\n"
              "    [],\n    [1],\n    \"00ab7f\"\n  ],\n  \"s\": \"t\"\n}");
    ice_buf_release(&out);
}

static void odd_bytes_are_escaped(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_buf out;
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    struct ice_json_writer w;
    ice_jw_init(&w, collect, &out, 0);
    ice_jw_str(&w,
               ICE_STR("\"\\/\b\f\n\r\t\x01\x1f\x7f\0\xc3\xa9\xff\xe2\x82\xed\xa0\x80z"));
    assert_int_equal(ice_jw_finish(&w), ICE_OK);
    expect_text(
        &out, "\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\\u0000\xc3\xa9\\\\xff\\\\xe2"
              "\\\\x82\\\\xed\\\\xa0\\\\x80z\"");
    ice_buf_release(&out);
}

/* Any bytes at all: the output is JSON to another parser, and valid text comes back as it
 * was. */
static void any_bytes_give_valid_json(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_buf out;
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    uint64_t seed = 42;
    for (int round = 0; round < 2000; round++) {
        char bytes[64];
        const size_t size = random_next(&seed) % sizeof(bytes);
        const bool is_ascii = round % 2 == 0;
        for (size_t i = 0; i < size; i++)
            bytes[i] = (char)(random_next(&seed) & (is_ascii ? 0x7f : 0xff));
        ice_buf_clear(&out);
        struct ice_json_writer w;
        ice_jw_init(&w, collect, &out, 0);
        ice_jw_str(&w, ice_str_make(bytes, size));
        assert_int_equal(ice_jw_finish(&w), ICE_OK);
        json_error_t error;
        json_t *value =
            json_loadb(out.data, out.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
        assert_non_null(value);
        if (is_ascii) {
            assert_int_equal(json_string_length(value), size);
            assert_memory_equal(json_string_value(value), bytes, size);
        }
        json_decref(value);
    }
    ice_buf_release(&out);
}

static void doubles_read_back(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } known[] = {
        {0.0, "0"},
        {-0.0, "-0.0"},
        {1.0, "1"},
        {0.1, "0.1"},
        {-2.5, "-2.5"},
        {1e21, "1e+21"},
        {100000.0, "100000"},
        {1.0 / 3, "0.3333333333333333"},
        {5e-324, "4.94065645841247e-324"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {NAN, "\"NaN\""},
        {INFINITY, "\"Infinity\""},
        {-INFINITY, "\"-Infinity\""},
    };
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_buf out;
    ice_buf_init(&out, &run.alloc, SIZE_MAX);
    struct ice_json_writer w;
    for (size_t i = 0; i < ICE_COUNT_OF(known); i++) {
        ice_buf_clear(&out);
        ice_jw_init(&w, collect, &out, 0);
        ice_jw_f64(&w, known[i].value);
        assert_int_equal(ice_jw_finish(&w), ICE_OK);
        expect_text(&out, known[i].text);
    }
    uint64_t seed = 7;
    for (int round = 0; round < 20000; round++) {
        const uint64_t bits = random_next(&seed);
        double value, again;
        memcpy(&value, &bits, sizeof(value));
        if (!isfinite(value))
            continue;
        ice_buf_clear(&out);
        ice_jw_init(&w, collect, &out, 0);
        ice_jw_f64(&w, value);
        assert_int_equal(ice_jw_finish(&w), ICE_OK);
        assert_true(ice_number_f64(ice_buf_str(&out), &again));
        assert_memory_equal(&again, &value, sizeof(value));
    }
    ice_buf_release(&out);
}

struct failing_sink {
    size_t accepts;
    unsigned calls_after_failure;
    bool failed;
};

static enum ice_status sometimes(const char *data, size_t size, void *user) {
    (void)data;
    struct failing_sink *sink = user;
    if (sink->failed)
        sink->calls_after_failure++;
    if (size > sink->accepts) {
        sink->failed = true;
        return ICE_EIO;
    }
    sink->accepts -= size;
    return ICE_OK;
}

static void errors_stick(void **state) {
    (void)state;
    static char big[10000];
    memset(big, 'b', sizeof(big));
    for (size_t accepts = 0; accepts < 30000; accepts += 500) {
        struct failing_sink sink = {.accepts = accepts};
        struct ice_json_writer w;
        ice_jw_init(&w, sometimes, &sink, 0);
        ice_jw_array(&w);
        for (int i = 0; i < 1000; i++)
            ice_jw_i64(&w, i);
        ice_jw_str(&w, ice_str_make(big, sizeof(big)));
        ice_jw_array_end(&w);
        const enum ice_status status = ice_jw_finish(&w);
        assert_int_equal(status, accepts < 13895 ? ICE_EIO : ICE_OK);
        assert_int_equal(sink.calls_after_failure, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_layouts),
        cmocka_unit_test(odd_bytes_are_escaped),
        cmocka_unit_test(any_bytes_give_valid_json),
        cmocka_unit_test(doubles_read_back),
        cmocka_unit_test(errors_stick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
