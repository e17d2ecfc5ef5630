/*
 * Numbers at their edges: length of varints, ints, float bytes, item counts.
 */
#include "avro_helper.h"

#include "avro/cursor.h"

static struct ice_cursor over(const void *data, size_t size) {
    return ice_cursor_of(ice_str_make(data, size), 0);
}

static void test_varint_values(void **state) {
    (void)state;
    static const int64_t values[] = {
        0,    -1,        1,         63,        -64,       64,        -65,         8191,
        8192, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 40, -(1LL << 55)};
    static struct enc e;
    for (size_t i = 0; i < ICE_COUNT_OF(values); i++) {
        for (size_t padding = 0; padding < 10;
             padding += 9) { /* near and far from the end */
            e.n = 0;
            put_long(&e, values[i]);
            const size_t size = e.n;
            put(&e, "\1\1\1\1\1\1\1\1\1", padding);
            struct ice_cursor c = over(e.data, e.n);
            int64_t got = 0;
            assert_true(ice_cursor_long(&c, &got));
            assert_int_equal(got, values[i]);
            assert_int_equal(e.n - ice_cursor_left(&c), size);
            assert_false(c.not_shortest);
        }
    }
}

static void check_fault(const char *bytes, size_t size, enum ice_fault fault) {
    static char padded[64];
    for (size_t padding = 0; padding <= 16; padding += 16) {
        if (padding > 0 && fault == ICE_FAULT_END)
            continue;
        memcpy(padded, bytes, size);
        memset(padded + size, 0, padding);
        struct ice_cursor c = over(padded, size + padding);
        int64_t got;
        assert_false(ice_cursor_long(&c, &got));
        assert_int_equal(c.fault, fault);
    }
}

static void test_varint_faults(void **state) {
    (void)state;
    check_fault("", 0, ICE_FAULT_END);
    check_fault("\x80", 1, ICE_FAULT_END);
    check_fault("\xff\xff\xff\xff\xff\xff\xff\xff\xff", 9, ICE_FAULT_END);
    check_fault("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10, ICE_FAULT_OVERLONG);
    check_fault("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, ICE_FAULT_OVERLONG);
}

static void test_varint_not_shortest(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        int64_t value;
        bool odd;
    } cases[] = {
        {"\x80\x00", 2, 0, true},
        {"\x82\x80\x00", 3, 1, true},
        {"\x80\x01", 2, 64, false},
        {"\x82\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10, 1, true},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, INT64_MIN, false},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        char padded[32] = {0};
        memcpy(padded, cases[i].bytes, cases[i].size);
        for (size_t padding = 0; padding <= 16; padding += 16) {
            struct ice_cursor c = over(padded, cases[i].size + padding);
            int64_t got;
            assert_true(ice_cursor_long(&c, &got));
            assert_int_equal(got, cases[i].value);
            assert_int_equal(c.not_shortest, cases[i].odd);
        }
    }
}

/* The way for all of them takes those of one byte, too. */
static void test_varint_read(void **state) {
    (void)state;
    int64_t got = 7;
    struct ice_cursor c = over("\0", 1);
    assert_true(ice_varint_read(&c, &got));
    assert_int_equal(got, 0);
    assert_false(c.not_shortest);
    assert_int_equal(ice_cursor_left(&c), 0);
}

static void test_int_range(void **state) {
    (void)state;
    static const struct {
        int64_t value;
        bool good;
    } cases[] = {{INT32_MAX, true},
                 {INT32_MIN, true},
                 {(int64_t)INT32_MAX + 1, false},
                 {(int64_t)INT32_MIN - 1, false}};
    static struct enc e;
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        e.n = 0;
        put_long(&e, cases[i].value);
        struct ice_cursor c = over(e.data, e.n);
        int32_t got = 0;
        assert_int_equal(ice_cursor_int(&c, &got), cases[i].good);
        if (cases[i].good)
            assert_int_equal(got, cases[i].value);
        else
            assert_int_equal(c.fault, ICE_FAULT_RANGE);
    }
}

static void test_floats(void **state) {
    (void)state;
    double got;
    struct ice_cursor c = over("\x00\x00\xc0\x3f", 4);
    assert_true(ice_cursor_float(&c, &got) && got == 1.5);
    c = over("\x00\x00\x00\x00\x00\x00\x04\xc0", 8);
    assert_true(ice_cursor_double(&c, &got) && got == -2.5);
    c = over("\x00\x00\xc0", 3);
    assert_false(ice_cursor_float(&c, &got));
    c = over("\x00\x00\xc0", 3);
    assert_false(ice_cursor_double(&c, &got));
}

static void check_items(const char *bytes, size_t size, uint64_t least,
                        enum ice_fault fault) {
    struct ice_cursor c = over(bytes, size);
    uint64_t count;
    const unsigned char *end;
    assert_int_equal(ice_cursor_items(&c, least, &count, &end), fault == ICE_FAULT_NONE);
    assert_int_equal(c.fault, fault);
}

static void test_items(void **state) {
    (void)state;
    check_items("\x04\x00\x00", 3, 1, ICE_FAULT_NONE);     /* 2 items, 2 bytes */
    check_items("\x06\x00\x00", 3, 1, ICE_FAULT_COUNT);    /* 3 items, 2 bytes */
    check_items("\x06\x00\x00", 3, 0, ICE_FAULT_NONE);     /* they may take none */
    check_items("\x03\x04\x00\x00", 4, 1, ICE_FAULT_NONE); /* -2 items in 2 bytes */
    check_items("\x03\x06\x00\x00", 4, 1, ICE_FAULT_ITEMS_SIZE);
    check_items("\x03\x01\x00\x00", 4, 1, ICE_FAULT_ITEMS_SIZE);
    check_items("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00", 11, 1, ICE_FAULT_RANGE);
    /* 2^63 - 1 items of four bytes: no product goes around */
    check_items("\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, 4, ICE_FAULT_COUNT);
}

static void test_fault_texts(void **state) {
    (void)state;
    for (int fault = ICE_FAULT_NONE; fault <= ICE_FAULT_MEMORY; fault++) {
        struct ice_cursor c = over("", 0);
        (void)ice_cursor_fail(&c, (enum ice_fault)fault, 7);
        char text[160] = "";
        ice_fault_message(&c, text, sizeof(text));
        assert_true(strlen(text) > 0);
        const bool has_rule = fault != ICE_FAULT_NONE && fault != ICE_FAULT_MEMORY;
        assert_int_equal(ice_fault_rule((enum ice_fault)fault) != NULL, has_rule);
        assert_int_equal(ice_fault_status((enum ice_fault)fault) < 0, fault != 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_varint_values),
        cmocka_unit_test(test_varint_faults),
        cmocka_unit_test(test_varint_not_shortest),
        cmocka_unit_test(test_varint_read),
        cmocka_unit_test(test_int_range),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_items),
        cmocka_unit_test(test_fault_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
