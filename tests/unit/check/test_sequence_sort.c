/*
 * Sorting of sequence facts: any order in, key, manifest, entry out; nothing lost.
 */
#include "check/sequence_groups.h"

#include "support/cmocka_all.h"

enum { MOST = 5000 };

static struct ice_sequence_fact facts[MOST];

static bool is_after(const struct ice_sequence_fact *a,
                     const struct ice_sequence_fact *b) {
    if (a->key.high != b->key.high)
        return a->key.high > b->key.high;
    if (a->key.low != b->key.low)
        return a->key.low > b->key.low;
    return a->manifest != b->manifest ? a->manifest > b->manifest : a->entry >= b->entry;
}

/* n facts of `keys` different keys, every (manifest, entry) once */
static void expect_sorted(size_t n, uint64_t keys) {
    uint64_t seed = n * 2654435761u + keys;
    int64_t sum = 0, found = 0;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t key = (seed >> 33) % keys;
        facts[i] =
            (struct ice_sequence_fact){.key = {.high = ice_hash_mix(key, 7), .low = key},
                                       .manifest = (uint32_t)(seed >> 40) % 5,
                                       .entry = (uint32_t)i,
                                       .sequence_number = (int64_t)i};
        sum += (int64_t)i;
    }
    ice_sequence_facts_sort(facts, n);
    for (size_t i = 0; i < n; i++) {
        found += facts[i].sequence_number;
        assert_int_equal(facts[i].entry, facts[i].sequence_number);
        if (i > 0)
            assert_true(is_after(&facts[i], &facts[i - 1]));
    }
    assert_int_equal(found, sum);
}

static void any_order_is_sorted(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 255, 256, 257, 1000, MOST};
    static const uint64_t keys[] = {1, 2, 17, 1000, UINT64_C(1) << 30};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
            expect_sorted(sizes[i], keys[k]);
}

static void sorted_stays_sorted(void **state) {
    (void)state;
    expect_sorted(1000, 100);
    ice_sequence_facts_sort(facts, 1000);
    for (size_t i = 1; i < 1000; i++)
        assert_true(is_after(&facts[i], &facts[i - 1]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_is_sorted),
        cmocka_unit_test(sorted_stays_sorted),
    };
    return cmocka_run_group_tests_name("sequence_sort", tests, NULL, NULL);
}
