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
        cmocka_unit_test(newlines_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
