/*
 * The table: values of equal keys in the order of putting, at any number, in linear time.
 */
#include "base/hash.h"

#include "base/run.h"
#include "support/cmocka_all.h"
#include "support/failing_run.h"

enum { KEYS = 97, VALUES = 20000 };

/* Keys that share slots, many of them equal. */
static uint64_t key_of(uint32_t value) {
    return (uint64_t)(value * 2654435761u >> 7) % KEYS * 1024 + value % 3 % 2;
}

static void expect_values(const struct ice_table *table, uint32_t n) {
    for (uint32_t i = 0; i < KEYS; i++) {
        for (uint64_t low = 0; low < 2; low++) {
            const uint64_t key = i * UINT64_C(1024) + low;
            size_t at = SIZE_MAX;
            uint32_t value;
            for (uint32_t expected = 0; expected < n; expected++) {
                if (key_of(expected) != key)
                    continue;
                assert_true(ice_table_next(table, key, &at, &value));
                assert_int_equal(value, expected);
            }
            assert_false(ice_table_next(table, key, &at, &value));
        }
    }
}

static void equal_keys_keep_the_order_of_putting(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_table table;
    ice_table_init(&table, &run.alloc);
    expect_values(&table, 0);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < VALUES; i++) {
            if (i == 1 || i == 2 || i == 50 || i == 3000)
                expect_values(&table, i);
            assert_int_equal(ice_table_put(&table, key_of(i), i), ICE_OK);
        }
        expect_values(&table, VALUES);
        ice_table_clear(&table);
        expect_values(&table, 0);
    }
    ice_table_release(&table);
    ice_table_release(&table);
    assert_int_equal(run.alloc.used, 0);
}

/* With one slot a value, this would take hours. */
static void a_million_equal_keys_are_put_at_once(void **state) {
    (void)state;
    struct ice_run run;
    ice_run_init(&run, NULL);
    struct ice_table table;
    ice_table_init(&table, &run.alloc);
    const uint32_t n = 1000000;
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(ice_table_put(&table, i % 2 ? 7 : 7 + i, i), ICE_OK);
    size_t at = SIZE_MAX;
    uint32_t value, count = 0;
    while (ice_table_next(&table, 7, &at, &value))
        count++;
    assert_int_equal(count, n / 2 + 1);
    ice_table_release(&table);
    assert_int_equal(run.alloc.used, 0);
}

static void each_allocation_can_fail(void **state) {
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        struct failing failing = {.fail_at = fail_at};
        struct ice_run run;
        failing_run_init(&run, &failing);
        struct ice_table table;
        ice_table_init(&table, &run.alloc);
        enum ice_status status = ICE_OK;
        uint32_t n = 0;
        while (n < 100 && (status = ice_table_put(&table, key_of(n), n)) == ICE_OK)
            n++;
        expect_values(&table, n);
        ice_table_release(&table);
        assert_int_equal(failing.used, 0);
        if (status == ICE_OK)
            break;
        assert_int_equal(status, ICE_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_keys_keep_the_order_of_putting),
        cmocka_unit_test(a_million_equal_keys_are_put_at_once),
        cmocka_unit_test(each_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
