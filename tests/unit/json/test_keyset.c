/*
 * The set of hashes that tells whether a key stood in its object before.
 */
#include "json/keyset.h"

#include "support/cmocka_all.h"
#include "support/failing_run.h"

static bool was_there(struct ice_json_keyset *set, struct ice_alloc *alloc,
                      uint64_t hash) {
    bool out = false;
    assert_int_equal(ice_json_keyset_put(set, alloc, hash, &out), ICE_OK);
    return out;
}

/* Hashes that fall on each other, and so many that the set grows. */
static void each_hash_is_new_once(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_json_keyset set = {0};
    ice_run_init(&run, NULL);
    for (uint64_t turn = 0; turn < 2; turn++)
        for (uint64_t i = 1; i <= 1000; i++)
            assert_int_equal(was_there(&set, &run.alloc, i << (i % 3 * 20)), turn);
    assert_int_equal(set.n, 1000);
    ice_json_keyset_release(&set, &run.alloc);
    ice_json_keyset_release(&set, &run.alloc);
    assert_int_equal(run.alloc.used, 0);
}

/* 0 marks a free slot, so it is kept as 1: found again, and never lost. */
static void nought_is_a_hash_too(void **state) {
    (void)state;
    struct ice_run run;
    struct ice_json_keyset set = {0};
    ice_run_init(&run, NULL);
    assert_false(was_there(&set, &run.alloc, 0));
    assert_true(was_there(&set, &run.alloc, 0));
    assert_true(was_there(&set, &run.alloc, 1));
    assert_false(was_there(&set, &run.alloc, 2));
    assert_int_equal(set.n, 2);
    ice_json_keyset_release(&set, &run.alloc);
}

static void a_failed_growth_leaves_the_set(void **state) {
    (void)state;
    struct failing failing = {.fail_at = 2};
    struct ice_run run;
    struct ice_json_keyset set = {0};
    failing_run_init(&run, &failing);
    uint64_t n = 0;
    bool again = true;
    while (ice_json_keyset_put(&set, &run.alloc, n + 1, &again) == ICE_OK) {
        assert_false(again);
        n++;
    }
    assert_true(n > 32);
    assert_int_equal(set.n, n);
    for (uint64_t i = 1; i <= 2 * n; i++) /* memory is there again */
        assert_int_equal(was_there(&set, &run.alloc, i), i <= n);
    ice_json_keyset_release(&set, &run.alloc);
    assert_int_equal(failing.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_hash_is_new_once),
        cmocka_unit_test(nought_is_a_hash_too),
        cmocka_unit_test(a_failed_growth_leaves_the_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
