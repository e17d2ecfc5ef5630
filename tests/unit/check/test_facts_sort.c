/*
 * Sorting of facts: any order in; key, kind and status, entry out; nothing lost.
 */
#include "check/facts.h"

#include <stdio.h>

#include "support/cmocka_all.h"

enum { MOST = 70000 };

static struct ice_fact facts[MOST];

static bool is_after(const struct ice_fact *a, const struct ice_fact *b) {
    if (a->key != b->key)
        return a->key > b->key;
    return a->low != b->low ? a->low > b->low : a->entry > b->entry;
}

/* n facts of `keys` different keys, every entry once */
static void expect_sorted(size_t n, uint64_t keys) {
    uint64_t seed = n * 2654435761u + keys, sum = 0;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        uint64_t key = (seed >> 33) % keys;
        facts[i] = (struct ice_fact){.key = ice_hash_mix(key, 7),
                                     .low = (uint32_t)(seed >> 20) % 3,
                                     .entry = (uint32_t)(n - i),
                                     .rows = (uint32_t)(n - i)};
        sum += n - i;
    }
    ice_facts_sort(facts, n);
    for (size_t i = 0; i < n; i++) {
        sum -= facts[i].entry;
        assert_int_equal(facts[i].entry, facts[i].rows);
        if (i > 0)
            assert_true(is_after(&facts[i], &facts[i - 1]));
    }
    assert_int_equal(sum, 0);
}

static void any_order_is_sorted(void **state) {
    (void)state;
    static const size_t sizes[] = {0, 1, 2, 3, 24, 25, 255, 257, 6000, MOST};
    static const uint64_t keys[] = {1, 2, 17, 1000, UINT64_C(1) << 30};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); k++)
            expect_sorted(sizes[i], keys[k]);
}

static void folded(const char *path, const char *expected) {
    struct ice_alloc alloc;
    struct ice_buf scratch;
    struct ice_str out;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_buf_init(&scratch, &alloc, SIZE_MAX);
    assert_int_equal(ice_path_fold(ice_str_from(path), &scratch, &out), ICE_OK);
    assert_true(ice_str_is(out, expected));
    ice_buf_release(&scratch);
}

static void one_object_has_one_path(void **state) {
    (void)state;
    folded("s3://b/t/data/f1.parquet", "s3://b/t/data/f1.parquet");
    folded("s3a://b/t/data/f1.parquet", "s3://b/t/data/f1.parquet");
    folded("s3n://b//t///data/f1.parquet", "s3://b/t/data/f1.parquet");
    folded("s3://b/t/data//f1.parquet", "s3://b/t/data/f1.parquet");
    folded("s3://b/t/p=a%20b/f.orc", "s3://b/t/p=a b/f.orc");
    folded("s3://b/t/p=%2", "s3://b/t/p=%2");
    folded("s3://b/t/p=100%", "s3://b/t/p=100%");
    folded("s3://b/a/.hidden/./x", "s3://b/a/.hidden/./x");
    folded("file:///wh/t/f", "/wh/t/f");
    folded("/wh/t/f", "/wh/t/f");
    folded("//wh/t/f", "/wh/t/f");
    folded("hdfs://nn:8020/wh/t", "hdfs:///wh/t");
    folded("", "");
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr";

/* Escapes and double slashes are seen at every place of a path. */
static void every_place_is_looked_at(void **state) {
    (void)state;
    char path[96], expected[96];
    for (int before = 0; before < 40; before++) {
        for (int after = 0; after < 40; after++) {
            (void)snprintf(path, sizeof(path), "s3://b/%.*s%%41%.*s", before, letters,
                           after, letters);
            (void)snprintf(expected, sizeof(expected), "s3://b/%.*sA%.*s", before,
                           letters, after, letters);
            folded(path, expected);
            (void)snprintf(path, sizeof(path), "/b/%.*sx//%.*s", before, letters, after,
                           letters);
            (void)snprintf(expected, sizeof(expected), "/b/%.*sx/%.*s", before, letters,
                           after, letters);
            folded(path, expected);
        }
    }
    folded("%41bc/d", "Abc/d");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_order_is_sorted),
        cmocka_unit_test(one_object_has_one_path),
        cmocka_unit_test(every_place_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
