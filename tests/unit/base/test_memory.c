/*
 * Allocation: the limit, growing arrays, arenas and buffers.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/run.h"
#include "base/size.h"

#include "support/cmocka_all.h"
#include "support/failing.h"

static void the_limit_counts_every_byte(void **state) {
    (void)state;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, NULL, 100);
    void *a = ice_malloc(&alloc, 60);
    assert_non_null(a);
    assert_int_equal(alloc.used, 60);
    assert_null(ice_malloc(&alloc, 41));
    assert_true(alloc.over);
    assert_int_equal(alloc.used, 60);
    void *b = ice_malloc(&alloc, 40);
    assert_non_null(b);
    assert_int_equal(alloc.peak, 100);
    assert_null(ice_realloc(&alloc, a, 60, 61));
    memset(a, 1, 60); /* untouched by the failure */
    b = ice_realloc(&alloc, b, 40, 10);
    assert_non_null(b);
    a = ice_realloc(&alloc, a, 60, 90);
    assert_non_null(a);
    ice_free(&alloc, a, 90);
    ice_free(&alloc, b, 10);
    ice_free(&alloc, NULL, 0);
    assert_int_equal(alloc.used, 0);
    assert_int_equal(alloc.peak, 100);
    assert_null(ice_malloc(&alloc, SIZE_MAX));
    assert_null(ice_calloc(&alloc, SIZE_MAX, 2));
    assert_int_equal(alloc.used, 0);
}

static void a_refusing_allocator_is_no_limit(void **state) {
    (void)state;
    struct failing failing = {.fail_at = 2};
    const struct ice_allocator base = failing_allocator(&failing);
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &base, 1000);
    void *a = ice_malloc(&alloc, 10);
    assert_non_null(a);
    assert_null(ice_realloc(&alloc, a, 10, 20));
    assert_false(alloc.over);
    assert_int_equal(alloc.used, 10);
    unsigned char *b = ice_calloc(&alloc, 3, 5);
    assert_non_null(b);
    for (int i = 0; i < 15; i++)
        assert_int_equal(b[i], 0);
    ice_free(&alloc, b, 15);
    ice_free(&alloc, a, 10);
    assert_int_equal(failing.used, 0);
}

static void sized_memory_knows_its_size(void **state) {
    (void)state;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, NULL, 1000);
    char *a = ice_sized_malloc(&alloc, 100);
    assert_non_null(a);
    assert_int_equal((uintptr_t)a % _Alignof(max_align_t), 0);
    memset(a, 1, 100);
    void *empty = ice_sized_malloc(&alloc, 0);
    assert_non_null(empty);
    assert_null(ice_sized_malloc(&alloc, 1000));
    assert_null(ice_sized_malloc(&alloc, SIZE_MAX));
    ice_sized_free(&alloc, a);
    ice_sized_free(&alloc, empty);
    ice_sized_free(&alloc, NULL);
    assert_int_equal(alloc.used, 0);
}

static void arrays_grow(void **state) {
    (void)state;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, NULL, 8000);
    uint64_t *items = NULL;
    size_t capacity = 0, n = 0;
    while (ice_array_reserve(&alloc, &items, n, &capacity, sizeof(*items))) {
        items[n] = n;
        n++;
    }
    assert_true(n >= 300 && n <= 1000);
    assert_int_equal(n, capacity);
    assert_int_equal(alloc.used, capacity * sizeof(*items));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(items[i], i);
    ice_array_free(&alloc, &items, &capacity, sizeof(*items));
    assert_null(items);
    assert_int_equal(capacity, 0);
    assert_int_equal(alloc.used, 0);
}

static void arenas_zero_and_align(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_arena arena;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_arena_init(&arena, &alloc);
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 3000; size += 7) {
            unsigned char *memory = ice_arena_alloc(&arena, size);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(memory[i], 0);
            memset(memory, 0xff, size);
        }
        char *large = ice_arena_alloc(&arena, 1000000);
        assert_non_null(large);
        memset(large, 0xff, 1000000);
        ice_arena_reset(&arena);
    }
    struct ice_str copy, empty;
    assert_true(ice_arena_dup(&arena, ICE_STR("te\0xt"), &copy));
    assert_true(ice_str_equal(copy, ICE_STR("te\0xt")));
    assert_int_equal(copy.data[copy.size], '\0');
    assert_true(ice_arena_dup(&arena, ICE_STR_NONE, &empty));
    assert_int_equal(empty.size, 0);
    assert_null(ice_arena_alloc(&arena, SIZE_MAX));
    assert_null(ice_arena_alloc(&arena, SIZE_MAX - 20));
    assert_null(ice_arena_array(&arena, SIZE_MAX / 2, 3));
    ice_arena_release(&arena);
    ice_arena_release(&arena);
    assert_int_equal(alloc.used, 0);
    ice_arena_reset(&arena);
}

static void arenas_survive_failure(void **state) {
    (void)state;
    struct failing failing = {.fail_at = 2};
    const struct ice_allocator base = failing_allocator(&failing);
    struct ice_alloc alloc;
    struct ice_arena arena;
    ice_alloc_init(&alloc, &base, UINT64_MAX);
    ice_arena_init(&arena, &alloc);
    assert_non_null(ice_arena_alloc(&arena, 10));
    assert_null(ice_arena_alloc(&arena, 10000));
    assert_non_null(ice_arena_alloc(&arena, 10));
    ice_arena_release(&arena);
    assert_int_equal(failing.used, 0);
}

static void buffers_keep_their_ceiling(void **state) {
    (void)state;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    for (size_t max = 1; max < 300; max += 13) {
        struct ice_buf buf;
        ice_buf_init(&buf, &alloc, max);
        for (size_t i = 0; i < max; i++)
            assert_int_equal(ice_buf_append_char(&buf, (char)i), ICE_OK);
        assert_int_equal(ice_buf_append_char(&buf, 'x'), ICE_ELIMIT);
        assert_int_equal(ice_buf_reserve(&buf, SIZE_MAX), ICE_ELIMIT);
        assert_int_equal(ice_buf_reserve(&buf, 0), ICE_OK);
        assert_int_equal(buf.size, max);
        assert_true(buf.capacity <= buf.max);
        for (size_t i = 0; i < max; i++)
            assert_int_equal(buf.data[i], (char)i);
        ice_buf_clear(&buf);
        assert_int_equal(buf.size, 0);
        ice_buf_release(&buf);
        ice_buf_release(&buf);
    }
    assert_int_equal(alloc.used, 0);
}

static void buffers_print(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_buf buf;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_buf_init(&buf, &alloc, 1000);
    assert_int_equal(ice_buf_printf(&buf, "%d-%s", 7, "x"), ICE_OK);
    assert_true(ice_str_is(ice_buf_str(&buf), "7-x"));
    assert_int_equal(ice_buf_printf(&buf, "%0*d", 600, 1), ICE_OK);
    assert_int_equal(buf.size, 603);
    assert_int_equal(buf.data[602], '1');
    assert_int_equal(ice_buf_printf(&buf, "%0*d", 600, 1), ICE_ELIMIT);
    assert_int_equal(buf.size, 603);
    ice_buf_release(&buf);
}

static void sizes_are_checked(void **state) {
    (void)state;
    size_t size;
    int64_t sum;
    int32_t narrow;
    assert_true(ice_size_add(SIZE_MAX - 1, 1, &size));
    assert_false(ice_size_add(SIZE_MAX, 1, &size));
    assert_true(ice_size_mul(SIZE_MAX / 2, 2, &size));
    assert_false(ice_size_mul(SIZE_MAX / 2 + 1, 2, &size));
    assert_true(ice_i64_add(INT64_MAX, 0, &sum));
    assert_false(ice_i64_add(INT64_MAX, 1, &sum));
    assert_false(ice_i64_add(INT64_MIN, -1, &sum));
    assert_true(ice_narrow_i32(INT32_MIN, &narrow));
    assert_false(ice_narrow_i32((int64_t)INT32_MIN - 1, &narrow));
    assert_true(ice_narrow_i32(INT32_MAX, &narrow));
    assert_false(ice_narrow_i32((int64_t)INT32_MAX + 1, &narrow));
}

/* Every limit has a default, and the caller's value stays. */
static void limits_are_completed(void **state) {
    (void)state;
    struct ice_options options = ICE_OPTIONS_INIT;
    options.limits.json_depth = 7;
    options.hash_seed = 5;
    struct ice_run run;
    ice_run_init(&run, &options);
    assert_int_equal(run.limits.json_depth, 7);
    assert_int_equal(run.hash_seed, 5);
    const uint64_t *members = (const uint64_t *)(const void *)&run.limits;
    for (size_t i = 0; i < sizeof(run.limits) / sizeof(*members); i++)
        assert_true(members[i] > 0);
    ice_run_init(&run, NULL);
    struct ice_run other;
    ice_run_init(&other, NULL);
    assert_true(run.hash_seed != other.hash_seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_counts_every_byte),
        cmocka_unit_test(a_refusing_allocator_is_no_limit),
        cmocka_unit_test(sized_memory_knows_its_size),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(arenas_zero_and_align),
        cmocka_unit_test(arenas_survive_failure),
        cmocka_unit_test(buffers_keep_their_ceiling),
        cmocka_unit_test(buffers_print),
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(limits_are_completed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
