/*
 * Sorting in place: every order in, ascending out, nothing lost; never more than n log n.
 */
#include "base/sort.h"

#include "support/cmocka_all.h"

enum { MOST = 5000 };

struct record {
    uint32_t key, number;
    uint64_t rest[2];
};

static struct record records[MOST];
static uint64_t n_compared;

static int compare(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    n_compared++;
    return x->key < y->key ? -1 : x->key > y->key;
}

static uint32_t key_of(int order, uint32_t i, uint32_t n) {
    switch (order) {
    case 0:
        return i;
    case 1:
        return n - i;
    case 2:
        return 7;
    case 3:
        return i < n / 2 ? i : n - i; /* an organ pipe */
    case 4:
        return i % 3;
    default:
        return (uint32_t)((i * UINT64_C(2654435761)) >> 9);
    }
}

static void any_order_is_sorted(void **state) {
    (void)state;
    static const uint32_t sizes[] = {0, 1, 2, 3, 15, 16, 17, 18, 100, 1000, MOST};
    for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
        for (int order = 0; order < 6; order++) {
            uint32_t n = sizes[k];
            uint64_t sum = 0, steps = 1;
            for (uint32_t i = 0; i < n; i++)
                records[i] = (struct record){key_of(order, i, n), i, {i, ~(uint64_t)i}};
            n_compared = 0;
            ice_sort(records, n, sizeof(*records), compare);
            for (uint32_t i = 0; i < n; i++) {
                uint32_t number = records[i].number;
                assert_int_equal(records[i].key, key_of(order, number, n));
                assert_int_equal(records[i].rest[0], number);
                assert_int_equal(records[i].rest[1], ~(uint64_t)number);
                assert_true(i == 0 || records[i - 1].key <= records[i].key);
                sum += number;
            }
            assert_int_equal(sum, n > 0 ? (uint64_t)n * (n - 1) / 2 : 0);
            for (uint32_t i = n; i > 1; i /= 2)
                steps++;
            assert_true(n_compared <= 16 + 6 * steps * n);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_is_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
