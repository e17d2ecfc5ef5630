/*
 * Sorting with a temporary file: whatever stays in memory, the same records come out in
 * the same order; a file that cannot be written is said.
 */
#include "base/spill.h"

#include "support/cmocka_all.h"
#include "base/temp_file.h"
#include "support/failing.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

struct record {
    uint32_t key, value;
};

static int compare(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

static int compare_keys(const void *a, const void *b) {
    const struct record *x = a, *y = b;
    return x->key < y->key ? -1 : x->key > y->key;
}

static bool same_key(const void *a, const void *b) {
    return compare_keys(a, b) == 0;
}

static const struct ice_sorter_kind kind = {sizeof(struct record), compare, NULL};

/* What is read: values in order, groups whole, windows counted. */
struct seen {
    uint64_t n, n_windows;
    struct record last;
    bool groups; /* windows must not cut them */
};

static enum ice_status see(const void *records, size_t n, void *user) {
    struct seen *seen = user;
    const struct record *items = records;
    assert_true(n > 0);
    if (seen->groups && seen->n > 0)
        assert_true(seen->last.key < items[0].key);
    for (size_t i = 0; i < n; i++) {
        if (seen->n++ > 0)
            assert_true(compare(&seen->last, &items[i]) < 0);
        seen->last = items[i];
    }
    seen->n_windows++;
    return ICE_OK;
}

static void add_all(struct ice_sorter *sorter, uint32_t n, uint32_t keys) {
    for (uint32_t i = 0; i < n; i++) {
        const struct record one = {(uint32_t)((i * UINT64_C(2654435761)) >> 7) % keys, i};
        assert_int_equal(ice_sorter_add(sorter, &one), ICE_OK);
    }
    assert_int_equal(sorter->total, n);
}

static void expect_all(uint64_t most_records, uint32_t n, uint32_t keys) {
    struct ice_alloc alloc;
    struct ice_spill spill;
    struct ice_sorter sorter;
    struct seen seen = {0}, grouped = {.groups = true};
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_spill_init(&spill, &alloc, NULL, most_records);
    ice_sorter_init(&sorter, &spill, &kind);
    add_all(&sorter, n, keys);
    assert_int_equal(ice_sorter_close(&sorter), ICE_OK);
    assert_int_equal(spill.bytes > 0, most_records > 0 && n > most_records);
    assert_int_equal(ice_sorter_read(&sorter, NULL, see, &seen), ICE_OK);
    assert_int_equal(ice_sorter_read(&sorter, same_key, see, &grouped), ICE_OK);
    assert_int_equal(seen.n, n);
    assert_int_equal(grouped.n, n);
    ice_sorter_release(&sorter);
    ice_sorter_release(&sorter);
    ice_spill_release(&spill);
    ice_spill_release(&spill);
    assert_int_equal(alloc.used, 0);
}

static void any_number_of_runs_is_merged(void **state) {
    (void)state;
    static const uint64_t most[] = {0, 1, 2, 63, 64, 1000};
    static const uint32_t sizes[] = {0, 1, 2, 64, 65, 129, 5000};
    for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++)
        for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
            expect_all(most[i], sizes[k], 1 << 30);
            expect_all(most[i], sizes[k], 97);
            expect_all(most[i], sizes[k], 1);
        }
}

static void memory_stays_below_the_limit(void **state) {
    (void)state;
    enum { LIMIT = 2 << 20, N = 700000 }; /* 5.6 MB and 0.8 MB of records */
    struct ice_alloc alloc;
    struct ice_spill spill;
    struct ice_sorter a, b;
    struct seen seen_a = {0}, seen_b = {0};
    ice_alloc_init(&alloc, NULL, LIMIT);
    ice_spill_init(&spill, &alloc, NULL, 0);
    ice_sorter_init(&a, &spill, &kind);
    ice_sorter_init(&b, &spill, &kind);
    for (uint32_t i = 0; i < N; i++) {
        const struct record one = {i * 2654435761u, i};
        assert_int_equal(ice_sorter_add(&a, &one), ICE_OK);
        if (i % 7 == 0)
            assert_int_equal(ice_sorter_add(&b, &one), ICE_OK);
    }
    assert_int_equal(ice_sorter_close(&a), ICE_OK);
    assert_int_equal(ice_sorter_close(&b), ICE_OK);
    assert_true(a.n_runs > 1);
    assert_int_equal(ice_sorter_read(&a, NULL, see, &seen_a), ICE_OK);
    assert_int_equal(ice_sorter_read(&b, NULL, see, &seen_b), ICE_OK);
    assert_int_equal(seen_a.n, N);
    assert_int_equal(seen_b.n, (N + 6) / 7);
    assert_true(alloc.peak <= LIMIT);
    assert_false(alloc.over);
    ice_sorter_release(&a);
    ice_sorter_release(&b);
    ice_spill_release(&spill);
    assert_int_equal(alloc.used, 0);
}

static void a_flush_gives_memory_back(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_spill spill;
    struct ice_sorter sorter;
    struct seen seen = {0};
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_spill_init(&spill, &alloc, NULL, 0);
    ice_sorter_init(&sorter, &spill, &kind);
    assert_int_equal(ice_sorter_flush(&sorter), ICE_OK);
    assert_int_equal(spill.bytes, 0);
    add_all(&sorter, 1000, 1 << 30);
    uint64_t before = alloc.used;
    assert_int_equal(ice_sorter_flush(&sorter), ICE_OK);
    assert_int_equal(spill.bytes, 8000);
    assert_true(alloc.used + 8000 <= before + 1000);
    for (uint32_t i = 1000; i < 1500; i++)
        assert_int_equal(ice_sorter_add(&sorter, &(struct record){i * 7 % 1500, i}),
                         ICE_OK);
    assert_int_equal(ice_sorter_close(&sorter), ICE_OK);
    assert_int_equal(ice_sorter_read(&sorter, NULL, see, &seen), ICE_OK);
    assert_int_equal(seen.n, 1500);
    ice_sorter_release(&sorter);
    ice_spill_release(&spill);
    assert_int_equal(alloc.used, 0);
}

static void count_values(const void *record, void *user) {
    const struct record *one = record;
    *(uint64_t *)user += one->value + 1;
}

static void records_are_found_by_key(void **state) {
    (void)state;
    for (uint64_t most = 0; most <= 10; most += 5) {
        struct ice_alloc alloc;
        struct ice_spill spill;
        struct ice_sorter sorter;
        ice_alloc_init(&alloc, NULL, UINT64_MAX);
        ice_spill_init(&spill, &alloc, NULL, most);
        ice_sorter_init(&sorter, &spill, &kind);
        for (uint32_t i = 0; i < 100; i++) {
            const struct record one = {i % 10 * 2, i};
            assert_int_equal(ice_sorter_add(&sorter, &one), ICE_OK);
        }
        assert_int_equal(ice_sorter_close(&sorter), ICE_OK);
        for (uint32_t key = 0; key < 22; key++) {
            uint64_t sum = 0;
            const struct record wanted = {.key = key};
            assert_int_equal(
                ice_sorter_find(&sorter, &wanted, compare_keys, count_values, &sum),
                ICE_OK);
            assert_int_equal(sum, key % 2 == 1 || key >= 20 ? 0 : 460 + key / 2 * 10);
        }
        ice_sorter_release(&sorter);
        ice_spill_release(&spill);
    }
}

static void a_file_that_cannot_be_made_is_said(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_spill spill;
    struct ice_sorter sorter;
    const struct record one = {1, 2};
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_spill_init(&spill, &alloc, "/nonexistent/directory", 1);
    ice_sorter_init(&sorter, &spill, &kind);
    for (int i = 0; i < 8; i++) /* the first growth */
        if (ice_sorter_add(&sorter, &one) < 0)
            break;
    assert_int_equal(ice_sorter_add(&sorter, &one), ICE_EIO);
    assert_int_equal(spill.fault, ENOENT);
    ice_sorter_release(&sorter);
    ice_spill_release(&spill);
    assert_int_equal(alloc.used, 0);
}

static void a_file_that_cannot_grow_is_said(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_spill spill;
    struct ice_sorter sorter;
    struct rlimit before, small;
    enum ice_status status = ICE_OK;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 4096;
    (void)signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_spill_init(&spill, &alloc, NULL, 100);
    ice_sorter_init(&sorter, &spill, &kind);
    for (uint32_t i = 0; status == ICE_OK && i < 2000; i++)
        status = ice_sorter_add(&sorter, &(struct record){i, i});
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, ICE_EIO);
    assert_int_equal(spill.fault, EFBIG);
    ice_sorter_release(&sorter);
    ice_spill_release(&spill);
    assert_int_equal(alloc.used, 0);
}

/* The file may be cut behind our back: wherever, it is said, and no record is made up. */
static void a_file_that_is_cut_is_said(void **state) {
    (void)state;
    enum { N = 60 };
    for (off_t cut = 0; cut < N * (off_t)sizeof(struct record); cut += 12) {
        struct ice_alloc alloc;
        struct ice_spill spill;
        struct ice_sorter sorter;
        struct seen seen = {0};
        uint64_t sum = 0;
        const struct record wanted = {.key = N - 1};
        ice_alloc_init(&alloc, NULL, UINT64_MAX);
        ice_spill_init(&spill, &alloc, NULL, 20);
        ice_sorter_init(&sorter, &spill, &kind);
        for (uint32_t i = 0; i < N; i++)
            assert_int_equal(ice_sorter_add(&sorter, &(struct record){i, i}), ICE_OK);
        assert_int_equal(ice_sorter_close(&sorter), ICE_OK);
        assert_int_equal(ftruncate(spill.fd, cut), 0);
        assert_int_equal(ice_sorter_read(&sorter, NULL, see, &seen), ICE_EIO);
        assert_int_equal(spill.fault, EIO);
        assert_true(seen.n < N);
        assert_int_equal(
            ice_sorter_find(&sorter, &wanted, compare_keys, count_values, &sum), ICE_EIO);
        assert_int_equal(sum, 0);
        ice_sorter_release(&sorter);
        ice_spill_release(&spill);
        assert_int_equal(alloc.used, 0);
    }
}

/* So many runs that they are merged first. */
static void a_file_that_is_cut_before_the_merge_is_said(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_spill spill;
    struct ice_sorter sorter;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_spill_init(&spill, &alloc, NULL, 2);
    ice_sorter_init(&sorter, &spill, &kind);
    add_all(&sorter, 400, 1 << 30);
    assert_int_equal(ice_sorter_flush(&sorter), ICE_OK);
    assert_int_equal(ftruncate(spill.fd, 100), 0);
    assert_int_equal(ice_sorter_close(&sorter), ICE_EIO);
    ice_sorter_release(&sorter);
    ice_spill_release(&spill);
    assert_int_equal(alloc.used, 0);
}

/* Where memory gets tight and there is no file to yield it to. */
static void no_file_to_yield_memory_to_is_said(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_spill spill;
    struct ice_sorter sorter;
    enum ice_status status = ICE_OK;
    ice_alloc_init(&alloc, NULL, 2 << 20);
    ice_spill_init(&spill, &alloc, "/nonexistent/directory", 0);
    ice_sorter_init(&sorter, &spill, &kind);
    for (uint32_t i = 0; status == ICE_OK && i < 700000; i++)
        status = ice_sorter_add(&sorter, &(struct record){i, i});
    assert_int_equal(status, ICE_EIO);
    assert_int_equal(spill.fault, ENOENT);
    ice_sorter_release(&sorter);
    ice_spill_release(&spill);
    assert_int_equal(alloc.used, 0);
}

static void temporary_files_have_a_place(void **state) {
    (void)state;
    static char long_path[5000];
    assert_int_equal(setenv("TMPDIR", "", 1), 0);
    int fd = ice_temp_file_open(NULL);
    assert_true(fd >= 0);
    assert_true(ice_temp_file_write(fd, "abc", 3));
    assert_int_equal(lseek(fd, 0, SEEK_END), 3);
    assert_int_equal(close(fd), 0);
    assert_false(ice_temp_file_write(-1, "abc", 3));
    assert_int_equal(setenv("TMPDIR", "/nonexistent", 1), 0);
    assert_int_equal(ice_temp_file_open(NULL), -1);
    assert_int_equal(unsetenv("TMPDIR"), 0);
    memset(long_path, 'x', sizeof(long_path) - 1);
    errno = 0;
    assert_int_equal(ice_temp_file_open(long_path), -1);
    assert_int_equal(errno, ENAMETOOLONG);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    for (uint64_t k = 1;; k++) {
        struct failing failing = {.fail_at = k};
        const struct ice_allocator base = failing_allocator(&failing);
        struct ice_alloc alloc;
        struct ice_spill spill;
        struct ice_sorter sorter;
        struct seen seen = {0};
        enum ice_status status = ICE_OK;
        ice_alloc_init(&alloc, &base, UINT64_MAX);
        ice_spill_init(&spill, &alloc, NULL, 2);
        ice_sorter_init(&sorter, &spill, &kind);
        for (uint32_t i = 0; status == ICE_OK && i < 300; i++)
            status = ice_sorter_add(&sorter, &(struct record){i * 7919 % 300, i});
        if (status == ICE_OK)
            status = ice_sorter_close(&sorter);
        if (status == ICE_OK)
            status = ice_sorter_read(&sorter, NULL, see, &seen);
        ice_sorter_release(&sorter);
        ice_spill_release(&spill);
        assert_int_equal(failing.used, 0);
        if (failing.n < k) {
            assert_int_equal(status, ICE_OK);
            assert_int_equal(seen.n, 300);
            return;
        }
        assert_int_equal(status, ICE_ENOMEM);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_runs_is_merged),
        cmocka_unit_test(memory_stays_below_the_limit),
        cmocka_unit_test(a_flush_gives_memory_back),
        cmocka_unit_test(records_are_found_by_key),
        cmocka_unit_test(a_file_that_cannot_be_made_is_said),
        cmocka_unit_test(a_file_that_cannot_grow_is_said),
        cmocka_unit_test(a_file_that_is_cut_is_said),
        cmocka_unit_test(a_file_that_is_cut_before_the_merge_is_said),
        cmocka_unit_test(no_file_to_yield_memory_to_is_said),
        cmocka_unit_test(temporary_files_have_a_place),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
