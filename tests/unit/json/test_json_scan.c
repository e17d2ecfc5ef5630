/*
 * The fast scans agree with their portable twins at every length and alignment.
 */
#include "json/scan.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"

#include <string.h>

static void every_stop_at_every_place(void **state) {
    (void)state;
    static const unsigned char specials[] = {'"',  '\\', 0x00, 0x1f, 0x20,
                                             0x7f, 0x80, 0xff, 'a'};
    unsigned char data[80];
    for (size_t size = 0; size <= 50; size++) {
        for (size_t at = 0; at < size; at++) {
            for (size_t i = 0; i < ICE_COUNT_OF(specials); i++) {
                memset(data, 'x', sizeof(data));
                data[at] = specials[i];
                data[size] = '"'; /* behind the end: must not be seen */
                for (size_t from = 0; from <= size; from += 7) {
                    unsigned high = 0, expected_high = 0;
                    const size_t expected =
                        ice_scan_string_portable(data, from, size, &expected_high);
                    assert_int_equal(ice_scan_string(data, from, size, &high), expected);
                    assert_int_equal(high != 0, expected_high != 0);
                    const int is_stop = i < 4 && at >= from;
                    assert_int_equal(expected, is_stop ? at : size);
                }
            }
        }
    }
}

static void high_bytes_behind_the_stop_do_not_count(void **state) {
    (void)state;
    const unsigned char data[] =
        "abc\"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff";
    unsigned high = 0;
    assert_int_equal(ice_scan_string(data, 0, sizeof(data) - 1, &high), 3);
    assert_int_equal(high, 0);
}

/* Texts as they come, with few stops. */
static void random_bytes_have_one_answer(void **state) {
    (void)state;
    static const unsigned char often[] = "abcxyz 019/-:.,_\xc3\xa9";
    unsigned char data[300];
    uint64_t random = 7;
    for (unsigned round = 0; round < 20000; round++) {
        for (size_t i = 0; i < sizeof(data); i++) {
            random = random * UINT64_C(6364136223846793005) + 1;
            const unsigned byte = (unsigned)(random >> 33);
            data[i] = byte % 64 == 0 ? (unsigned char)(byte >> 8)
                                     : often[(byte >> 8) % (sizeof(often) - 1)];
        }
        const size_t at = round % 40, size = at + round % (sizeof(data) - 40);
        unsigned high = 0, expected_high = 0;
        assert_int_equal(ice_scan_string(data, at, size, &high),
                         ice_scan_string_portable(data, at, size, &expected_high));
        assert_int_equal(high != 0, expected_high != 0);
        assert_int_equal(ice_scan_newlines(data + at, size - at),
                         ice_scan_newlines_portable(data + at, size - at));
    }
}

/* More blocks than one byte counts. */
static void many_newlines_are_counted(void **state) {
    (void)state;
    static unsigned char data[16 * 600 + 9];
    memset(data, '\n', sizeof(data));
    assert_int_equal(ice_scan_newlines(data, sizeof(data)), sizeof(data));
    data[5000] = ' ';
    assert_int_equal(ice_scan_newlines(data, sizeof(data)), sizeof(data) - 1);
}

static void newlines_are_counted(void **state) {
    (void)state;
    unsigned char data[100];
    for (size_t size = 0; size < sizeof(data); size++) {
        for (size_t i = 0; i < sizeof(data); i++)
            data[i] = i % 3 == 0 || i >= size ? '\n' : (unsigned char)i;
        data[1] = 0x0b;
        assert_int_equal(ice_scan_newlines(data, size),
                         ice_scan_newlines_portable(data, size));
    }
    memset(data, '\n', sizeof(data));
    assert_int_equal(ice_scan_newlines(data, 77), 77);
    assert_int_equal(ice_scan_newlines(data, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stop_at_every_place),
        cmocka_unit_test(high_bytes_behind_the_stop_do_not_count),
        cmocka_unit_test(random_bytes_have_one_answer),
        cmocka_unit_test(newlines_are_counted),
        cmocka_unit_test(many_newlines_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
