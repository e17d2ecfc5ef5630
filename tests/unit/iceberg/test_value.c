/*
 * Single values: lengths, order, text.
 */
#include "assert_str.h"

#include "iceberg/value.h"

#include "base/run.h"

#define BYTES(literal) ICE_STR(literal)

static struct ice_type parse(const char *text) {
    return ice_type_parse(ice_str_from(text));
}

static void lengths(void **state) {
    (void)state;
    static const struct {
        const char *type;
        uint64_t ok; /* bit n: n bytes are legal; 0 .. 33 */
    } cases[] = {
        {"boolean", 1u << 1},
        {"int", 1u << 4},
        {"date", 1u << 4},
        {"float", 1u << 4},
        {"long", 1u << 8 | 1u << 4},
        {"double", 1u << 8 | 1u << 4},
        {"timestamp", 1u << 8 | 1u << 4},
        {"timestamp_ns", 1u << 8 | 1u << 4},
        {"timestamptz", 1u << 8},
        {"time", 1u << 8},
        {"uuid", 1u << 16},
        {"decimal(38,2)", 0x1fffe},
        {"fixed[3]", 0xf},
        {"geometry", UINT64_C(1) << 16 | UINT64_C(1) << 24 | UINT64_C(1) << 32},
        {"unknown", 0},
        {"string", UINT64_MAX},
        {"binary", UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ice_type type = parse(cases[i].type);
        for (size_t n = 0; n <= 33; n++)
            assert_int_equal(ice_value_length_ok(&type, n), (cases[i].ok >> n) & 1);
    }
}

static enum ice_order compare(const char *type_text, struct ice_str a, struct ice_str b) {
    struct ice_type type = parse(type_text);
    enum ice_order there = ice_value_compare(&type, a, b);
    enum ice_order back = ice_value_compare(&type, b, a);
    if (there == ICE_IS_LESS)
        assert_int_equal(back, ICE_IS_GREATER);
    else if (there == ICE_IS_GREATER)
        assert_int_equal(back, ICE_IS_LESS);
    else
        assert_int_equal(back, there);
    return there;
}

static void order_of_numbers(void **state) {
    (void)state;
    struct ice_str minus_one4 = BYTES("\xff\xff\xff\xff");
    struct ice_str minus_one8 = BYTES("\xff\xff\xff\xff\xff\xff\xff\xff");
    struct ice_str one8 = BYTES("\1\0\0\0\0\0\0\0");
    assert_int_equal(compare("long", minus_one4, one8), ICE_IS_LESS);
    assert_int_equal(compare("long", minus_one4, minus_one8), ICE_IS_EQUAL);
    assert_int_equal(compare("int", minus_one8, one8), ICE_IS_UNORDERED);
    /* one day as date against its micros, and one micro more */
    struct ice_str day = BYTES("\1\0\0\0");
    struct ice_str micros = BYTES("\x00\x60\xd7\x1d\x14\0\0\0");
    struct ice_str more = BYTES("\x01\x60\xd7\x1d\x14\0\0\0");
    assert_int_equal(compare("timestamp", day, micros), ICE_IS_EQUAL);
    assert_int_equal(compare("timestamp", day, more), ICE_IS_LESS);
    /* days that no timestamp reaches stay at the end */
    assert_int_equal(compare("timestamp_ns", BYTES("\xff\xff\xff\x7f"), more),
                     ICE_IS_GREATER);
    struct ice_str zero = BYTES("\0\0\0\0"), minus_zero = BYTES("\0\0\0\x80");
    struct ice_str nan = BYTES("\0\0\xc0\x7f");
    struct ice_str minus_zero8 = BYTES("\0\0\0\0\0\0\0\x80");
    struct ice_str half8 = BYTES("\0\0\0\0\0\0\xe0\x3f");
    assert_int_equal(compare("float", zero, minus_zero), ICE_IS_EQUAL);
    assert_int_equal(compare("float", zero, nan), ICE_IS_UNORDERED);
    assert_int_equal(compare("double", zero, minus_zero8), ICE_IS_EQUAL);
    assert_int_equal(compare("double", zero, half8), ICE_IS_LESS);
    struct ice_type type = parse("double");
    assert_true(ice_value_is_nan(&type, nan));
    assert_false(ice_value_is_nan(&type, half8));
}

static void order_of_bytes(void **state) {
    (void)state;
    assert_int_equal(compare("decimal(9,2)", BYTES("\xff"), BYTES("\x00\x01")),
                     ICE_IS_LESS);
    assert_int_equal(compare("decimal(9,2)", BYTES("\xff"), BYTES("\xff\xff")),
                     ICE_IS_EQUAL);
    assert_int_equal(compare("decimal(9,2)", BYTES("\x80"), BYTES("\xff\x7f")),
                     ICE_IS_GREATER);
    assert_int_equal(compare("decimal(9,2)", BYTES("\x7f"), BYTES("\x00\x80")),
                     ICE_IS_LESS);
    assert_int_equal(compare("string", BYTES("a"), BYTES("\xc3\xa9")), ICE_IS_LESS);
    assert_int_equal(compare("string", BYTES(""), BYTES("a")), ICE_IS_LESS);
    assert_int_equal(compare("binary", BYTES("ab"), BYTES("a")), ICE_IS_GREATER);
    struct ice_str low = BYTES("\x7f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    struct ice_str high = BYTES("\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    assert_int_equal(compare("uuid", low, high), ICE_IS_LESS);
    assert_int_equal(ice_value_compare_uuid_signed(low, high), ICE_IS_GREATER);
    assert_int_equal(compare("geometry", low, high), ICE_IS_UNORDERED);
    assert_int_equal(ice_value_compare_uuid_signed(high, low), ICE_IS_LESS);
    assert_int_equal(ice_value_compare_uuid_signed(low, low), ICE_IS_EQUAL);
    assert_int_equal(ice_value_compare_uuid_signed(low, BYTES("x")), ICE_IS_UNORDERED);
    assert_int_equal(ice_value_compare_uuid_signed(BYTES("x"), low), ICE_IS_UNORDERED);
    assert_int_equal(compare("int", BYTES("x"), BYTES("\1\0\0\0")), ICE_IS_UNORDERED);
    assert_int_equal(compare("int", BYTES("\1\0\0\0"), BYTES("x")), ICE_IS_UNORDERED);
    struct ice_type number = parse("double"), none = parse("int");
    double value;
    assert_false(ice_value_double(&number, BYTES("x"), &value));
    assert_false(ice_value_double(&none, BYTES("\1\0\0\0"), &value));
    assert_int_equal(compare("unknown", BYTES(""), BYTES("")), ICE_IS_UNORDERED);
}

static void text(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_buf out;
    ice_buf_init(&out, &run.alloc, 1 << 20);
    const struct {
        const char *type;
        struct ice_str value;
        const char *text;
    } cases[] = {
        {"boolean", BYTES("\1"), "true"},
        {"boolean", BYTES("\0"), "false"},
        {"date", BYTES("\0\0\0\x80"), "-5877641-06-23"},
        {"timestamptz_ns", BYTES("\1\0\0\0\0\0\0\0"),
         "1970-01-01T00:00:00.000000001+00:00"},
        {"float", BYTES("\0\0\x80\x7f"), "Infinity"},
        {"decimal(9, -1)", BYTES("\x0c"), "0x0c"},
        {"decimal(38, 99)", BYTES("\x0c"), "12"},
        {"fixed[2]", BYTES("\x0c\xff"), "0x0cff"},
        {"variant", BYTES("\x0c"), "0x0c"},
        {"int", BYTES("\xfe\xff\xff\xff"), "-2"},
        {"date", BYTES("\xff\xff\xff\xff"), "1969-12-31"},
        {"date", BYTES("\0\0\0\0"), "1970-01-01"},
        {"date", BYTES("\x89\x2a\0\0"), "1999-10-25"},
        {"date", BYTES("\x46\x4d\0\0"), "2024-02-29"},
        {"time", BYTES("\1\0\0\0\0\0\0\0"), "00:00:00.000001"},
        {"time", BYTES("\xff\x5f\xd7\x1d\x14\0\0\0"), "23:59:59.999999"},
        {"time", BYTES("\0\x60\xd7\x1d\x14\0\0\0"), "86400000000 us (no time of day)"},
        {"time", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"), "-1 us (no time of day)"},
        {"timestamp", BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"),
         "1969-12-31T23:59:59.999999"},
        {"timestamptz", BYTES("\0\0\0\0\0\0\0\0"), "1970-01-01T00:00:00+00:00"},
        {"timestamp_ns", BYTES("\1\0\0\0\0\0\0\0"), "1970-01-01T00:00:00.000000001"},
        {"timestamp", BYTES("\1\0\0\0"), "1970-01-02T00:00:00"},
        {"decimal(9, 2)", BYTES("\x04\xd2"), "12.34"},
        {"decimal(9, 2)", BYTES("\xff"), "-0.01"},
        {"decimal(9, 0)", BYTES("\x80"), "-128"},
        {"decimal(9, 3)", BYTES("\0"), "0.000"},
        {"decimal(38, 0)", BYTES("\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
         "-170141183460469231731687303715884105728"},
        {"double", BYTES("\0\0\0\0\0\0\xe0\x3f"), "0.5"},
        {"float", BYTES("\0\0\x80\xff"), "-Infinity"},
        {"float", BYTES("\0\0\xc0\x7f"), "NaN"},
        {"string", BYTES("a\0b"), NULL},
        {"uuid",
         BYTES("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"),
         "00112233-4455-6677-8899-aabbccddeeff"},
        {"binary", BYTES("\x01\xfe"), "0x01fe"},
        {"int", BYTES("\1"), "0x01"},
        {"date", BYTES(""), "0x"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ice_type type = parse(cases[i].type);
        ice_buf_clear(&out);
        assert_int_equal(ice_value_to_text(&type, cases[i].value, &out), ICE_OK);
        if (cases[i].text == NULL)
            assert_true(ice_str_equal(ice_buf_str(&out), cases[i].value));
        else
            assert_str(ice_buf_str(&out), cases[i].text);
    }
    ice_buf_release(&out);
    assert_int_equal(run.alloc.used, 0);
}

static enum ice_status append(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

static void canonical_json(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_buf out;
    ice_buf_init(&out, &run.alloc, 1 << 20);
    const struct {
        const char *type;
        struct ice_str value;
        const char *text;
    } cases[] = {
        {"boolean", BYTES("\0"), "false"},
        {"long", BYTES("\xff\xff\xff\xff"), "-1"},
        {"date", BYTES("\1\0\0\0"), "1"},
        {"timestamp", BYTES("\1\0\0\0\0\0\0\0"), "1"},
        {"string", BYTES("a\"b"), "\"a\\\"b\""},
        {"decimal(9, 2)", BYTES("\x04\xd2"), "\"12.34\""},
        {"double", BYTES("\0\0\0\0\0\0\xe0\x3f"), "\"0x3fe0000000000000\""},
        {"float", BYTES("\0\0\0\x80"), "\"0x80000000\""},
        {"fixed[2]", BYTES("\x01\xfe"), "\"01fe\""},
        {"fixed[1]", BYTES("\x01\xfe"), "\"01fe\""},
        {"int", BYTES("\x01"), "\"01\""},
        {"boolean", BYTES("\1"), "true"},
        {"uuid",
         BYTES("\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff"),
         "\"00112233-4455-6677-8899-aabbccddeeff\""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct ice_type type = parse(cases[i].type);
        struct ice_json_writer writer;
        ice_buf_clear(&out);
        ice_jw_init(&writer, append, &out, 0);
        ice_value_to_json(&type, cases[i].value, &writer);
        assert_int_equal(ice_jw_finish(&writer), ICE_OK);
        assert_str(ice_buf_str(&out), cases[i].text);
    }
    ice_buf_release(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths),        cmocka_unit_test(order_of_numbers),
        cmocka_unit_test(order_of_bytes), cmocka_unit_test(text),
        cmocka_unit_test(canonical_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
