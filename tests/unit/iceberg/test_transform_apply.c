/*
 * Transforms on values: the hashes of the spec's appendix B, calendars, truncation.
 */
#include "support/cmocka_all.h"

#include "iceberg/transform_apply.h"

#include "base/run.h"
#include "iceberg/value.h"

#define BYTES(literal) ICE_STR(literal)

static struct ice_type parse(const char *text) {
    return ice_type_parse(ice_str_from(text));
}

static struct ice_str little_endian(int64_t number, size_t size, char *storage) {
    for (size_t i = 0; i < size; i++)
        storage[i] = (char)(unsigned char)((uint64_t)number >> 8 * i & 0xff);
    return ice_str_make(storage, size);
}

static int32_t hash_of(const char *type_text, struct ice_str value) {
    struct ice_type type = parse(type_text);
    int32_t hash = 0;
    assert_true(ice_bucket_hash(&type, value, &hash));
    return hash;
}

static int32_t hash_number(const char *type, int64_t number, size_t size) {
    char storage[8];
    return hash_of(type, little_endian(number, size, storage));
}

static void hashes(void **state) {
    (void)state;
    const int64_t micros = INT64_C(1510871468000000); /* 2017-11-16T22:31:08 */
    assert_int_equal(hash_number("int", 34, 4), 2017239379);
    assert_int_equal(hash_number("long", 34, 8), 2017239379);
    assert_int_equal(hash_number("long", 34, 4), 2017239379);
    assert_int_equal(hash_number("date", 17486, 4), -653330422);
    assert_int_equal(hash_number("time", INT64_C(81068000000), 8), -662762989);
    assert_int_equal(hash_number("timestamp", micros, 8), -2047944441);
    assert_int_equal(hash_number("timestamptz", micros, 8), -2047944441);
    assert_int_equal(hash_number("timestamp", micros + 1, 8), -1207196810);
    assert_int_equal(hash_number("timestamp_ns", micros * 1000, 8), -2047944441);
    assert_int_equal(hash_number("timestamptz_ns", micros * 1000 + 1001, 8), -1207196810);
    assert_int_equal(hash_number("timestamp_ns", -1, 8), hash_number("timestamp", -1, 8));
    assert_int_equal(hash_of("decimal(9,2)", BYTES("\x05\x8c")), -500754589);
    assert_int_equal(hash_of("decimal(9,2)", BYTES("\x00\x00\x05\x8c")), -500754589);
    assert_int_equal(hash_of("string", BYTES("iceberg")), 1210000089);
    assert_int_equal(hash_of("uuid", BYTES("\xf7\x9c\x3e\x09\x67\x7c\x4b\xbd"
                                           "\xa4\x79\x3f\x34\x9c\xb7\x85\xe7")),
                     1488055340);
    assert_int_equal(hash_of("fixed[4]", BYTES("\x00\x01\x02\x03")), -188683207);
    assert_int_equal(hash_of("binary", BYTES("\x00\x01\x02\x03")), -188683207);
}

static void no_hash(void **state) {
    (void)state;
    static const char *const types[] = {"boolean", "float",   "double",
                                        "unknown", "variant", "geometry"};
    int32_t hash;
    for (size_t i = 0; i < ICE_COUNT_OF(types); i++) {
        struct ice_type type = parse(types[i]);
        assert_false(ice_bucket_hash(&type, BYTES("\0\0\0\0\0\0\0\0"), &hash));
    }
    static const char *const numbers[] = {
        "int",         "date",         "time",           "timestamp",
        "timestamptz", "timestamp_ns", "timestamptz_ns", "uuid"};
    for (size_t i = 0; i < ICE_COUNT_OF(numbers); i++) {
        struct ice_type type = parse(numbers[i]);
        assert_false(ice_bucket_hash(&type, BYTES("\1\2\3"), &hash));
    }
    struct ice_type decimal = parse("decimal(9,2)");
    assert_false(ice_bucket_hash(&decimal, BYTES(""), &hash));
}

static bool apply(const char *transform_text, const char *type_text, struct ice_str value,
                  struct ice_transformed *out) {
    struct ice_transform transform = ice_transform_parse(ice_str_from(transform_text));
    struct ice_type type = parse(type_text);
    return ice_transform_apply(&transform, &type, value, out);
}

static int64_t number_of(const char *transform, const char *type, int64_t value,
                         size_t size) {
    struct ice_transformed out;
    char storage[8];
    assert_true(apply(transform, type, little_endian(value, size, storage), &out));
    assert_true(out.is_number);
    return out.number;
}

static void buckets(void **state) {
    (void)state;
    assert_int_equal(number_of("bucket[16]", "int", 34, 4), 2017239379 % 16);
    /* a negative hash counts without its sign bit */
    assert_int_equal(number_of("bucket[100]", "date", 17486, 4),
                     (-653330422 & INT32_MAX) % 100);
    struct ice_transformed out;
    assert_false(apply("bucket", "int", BYTES("\1\0\0\0"), &out));
    assert_false(apply("bucket[16]", "double", BYTES("\1\0\0\0\0\0\0\0"), &out));
}

static void calendars(void **state) {
    (void)state;
    const int64_t day = INT64_C(86400000000);
    static const struct {
        int64_t days, year, month;
    } dates[] = {
        {0, 0, 0},
        {-1, -1, -1},
        {364, 0, 11},
        {365, 1, 12},
        {17486, 47, 574}, /* 2017-11-16 */
        {789, 2, 25},     /* 1972-02-29 */
        {790, 2, 26},
        {-365, -1, -12},
        {-366, -2, -13},
        {11016, 30, 361},         /* 2000-02-29 */
        {47541, 130, 1562},       /* 2100-03-01 */
        {-719528, -1970, -23640}, /* 0000-01-01 */
        {-719529, -1971, -23641},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(dates); i++) {
        int64_t days = dates[i].days;
        assert_int_equal(number_of("year", "date", days, 4), dates[i].year);
        assert_int_equal(number_of("month", "date", days, 4), dates[i].month);
        assert_int_equal(number_of("day", "date", days, 4), days);
        assert_int_equal(number_of("month", "timestamp", days * day, 8), dates[i].month);
        assert_int_equal(number_of("month", "timestamp", days * day + day - 1, 8),
                         dates[i].month);
        assert_int_equal(number_of("day", "timestamptz", days * day + day - 1, 8), days);
        assert_int_equal(number_of("hour", "timestamp", days * day, 8), days * 24);
    }
    /* what promotion left behind: a date where the column is timestamp now */
    assert_int_equal(number_of("day", "timestamp", -3, 4), -3);
    assert_int_equal(number_of("hour", "timestamp_ns", 2, 4), 48);
    assert_int_equal(number_of("hour", "timestamptz", -1, 8), -1);
    assert_int_equal(number_of("day", "timestamp_ns", -1, 8), -1);
}

static void no_calendar(void **state) {
    (void)state;
    struct ice_transformed out;
    assert_false(apply("hour", "date", BYTES("\0\0\0\0"), &out));
    assert_false(apply("day", "long", BYTES("\0\0\0\0\0\0\0\0"), &out));
    assert_false(apply("day", "date", BYTES("\0\0\0"), &out));
    assert_false(apply("void", "date", BYTES("\0\0\0\0"), &out));
    assert_false(apply("zorder", "date", BYTES("\0\0\0\0"), &out));
}

static void truncated_numbers(void **state) {
    (void)state;
    struct ice_transformed out;
    char storage[8];
    assert_int_equal(number_of("truncate[10]", "int", 1, 4), 0);
    assert_int_equal(number_of("truncate[10]", "int", -1, 4), -10);
    assert_int_equal(number_of("truncate[10]", "long", 20, 8), 20);
    assert_int_equal(number_of("truncate[1]", "long", INT64_MIN, 8), INT64_MIN);
    assert_false(
        apply("truncate[10]", "long", little_endian(INT64_MIN, 8, storage), &out));
    assert_false(apply("truncate[0]", "int", BYTES("\1\0\0\0"), &out));
    assert_false(apply("truncate", "int", BYTES("\1\0\0\0"), &out));
    assert_false(apply("truncate[99999999999]", "int", BYTES("\1\0\0\0"), &out));
}

static void assert_bytes(const char *transform, const char *type, struct ice_str value,
                         struct ice_str expected) {
    struct ice_transformed out;
    assert_true(apply(transform, type, value, &out));
    assert_false(out.is_number);
    assert_int_equal(out.bytes.size, expected.size);
    assert_memory_equal(out.bytes.data, expected.data, expected.size);
}

static void truncated_bytes(void **state) {
    (void)state;
    assert_bytes("truncate[3]", "string", BYTES("iceberg"), BYTES("ice"));
    assert_bytes("truncate[9]", "string", BYTES("ice"), BYTES("ice"));
    assert_bytes("truncate[2]", "string", BYTES("\xc3\xa9\xf0\x9f\x98\x80z"),
                 BYTES("\xc3\xa9\xf0\x9f\x98\x80"));
    assert_bytes("truncate[2]", "binary", BYTES("\0\1\2"), BYTES("\0\1"));
    /* 10.65, W = 50: 10.50; -0.01: -0.50 */
    assert_bytes("truncate[50]", "decimal(9,2)", BYTES("\x04\x29"), BYTES("\x04\x1a"));
    assert_bytes("truncate[50]", "decimal(9,2)", BYTES("\xff"), BYTES("\xce"));
    assert_bytes("truncate[50]", "decimal(9,2)", BYTES("\x00"), BYTES("\x00"));
    /* -2^127 - ((-2^127) mod 3 = 1): one byte longer */
    assert_bytes("truncate[3]", "decimal(38,0)",
                 BYTES("\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"),
                 BYTES("\xff\x7f\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
                       "\xff"));
}

static void identity(void **state) {
    (void)state;
    assert_int_equal(number_of("identity", "boolean", 1, 1), 1);
    assert_int_equal(number_of("identity", "long", -5, 4), -5);
    assert_bytes("identity", "string", BYTES("x"), BYTES("x"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes),          cmocka_unit_test(no_hash),
        cmocka_unit_test(buckets),         cmocka_unit_test(calendars),
        cmocka_unit_test(no_calendar),     cmocka_unit_test(truncated_numbers),
        cmocka_unit_test(truncated_bytes), cmocka_unit_test(identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
