/*
 * Values as bytes: all come back; cut anywhere, or with a wrong length, count or flag,
 * nothing comes back from beyond the end.
 */
#include "base/pack.h"

#include "support/cmocka_all.h"

static struct ice_alloc alloc;

static int begin(void **state) {
    (void)state;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    return 0;
}

static void write_all(struct ice_pack *pack) {
    ice_pack_init(pack, &alloc, 4096);
    ice_pack_u64(pack, UINT64_MAX);
    ice_pack_i64(pack, INT64_MIN);
    ice_pack_flag(pack, true);
    ice_pack_flag(pack, false);
    ice_pack_str(pack, ICE_STR("text"));
    ice_pack_str(pack, ICE_STR(""));
    ice_pack_str(pack, ICE_STR_NONE);
    ice_pack_u64(pack, 2);
    ice_pack_bytes(pack, "abcd", 4);
    assert_int_equal(pack->status, ICE_OK);
}

static bool read_all(struct ice_str bytes) {
    struct ice_unpack from = ice_unpack_of(bytes);
    struct ice_arena arena;
    struct ice_str copy;
    ice_arena_init(&arena, &alloc);
    bool same = ice_unpack_u64(&from) == UINT64_MAX && ice_unpack_i64(&from) == INT64_MIN;
    same = ice_unpack_flag(&from) && same;
    same = !ice_unpack_flag(&from) && same;
    assert_true(ice_unpack_dup(&from, &arena, &copy));
    same = ice_str_is(copy, "text") && same;
    copy = ice_unpack_str(&from);
    same = copy.data != NULL && copy.size == 0 && same;
    same = ice_unpack_str(&from).data == NULL && same;
    const size_t n = ice_unpack_count(&from, 2);
    const char *rest = ice_unpack_bytes(&from, 2 * n);
    same = n == 2 && rest != NULL && memcmp(rest, "abcd", 4) == 0 && same;
    ice_arena_release(&arena);
    assert_true(from.at <= from.end);
    return same && !from.bad && ice_unpack_left(&from) == 0;
}

static void gives_back_what_was_put(void **state) {
    struct ice_pack pack;
    (void)state;
    write_all(&pack);
    assert_true(read_all(ice_buf_str(&pack.buf)));
    for (size_t size = 0; size < pack.buf.size; size++) {
        /* of its own, so that a sanitizer sees what is read beyond */
        char *cut = ice_malloc(&alloc, size + 1);
        memcpy(cut, pack.buf.data, size);
        assert_false(read_all(ice_str_make(cut, size)));
        ice_free(&alloc, cut, size + 1);
    }
    for (size_t bit = 0; bit < 8 * pack.buf.size; bit++) {
        pack.buf.data[bit / 8] ^= (char)(1 << bit % 8);
        assert_false(read_all(ice_buf_str(&pack.buf)));
        pack.buf.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    ice_pack_release(&pack);
    ice_pack_release(&pack);
}

static void holds_counts_against_what_is_left(void **state) {
    static const struct {
        uint64_t count;
        size_t least, wanted;
        bool is_bad;
    } cases[] = {
        {0, 8, 0, false},
        {1, 8, 1, false},
        {2, 8, 0, true},
        {8, 1, 8, false},
        {9, 1, 0, true},
        {UINT64_MAX, 1, 0, true},
        {UINT64_MAX / 8 + 2, 8, 0, true},
    };
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_pack pack;
        ice_pack_init(&pack, &alloc, 64);
        ice_pack_u64(&pack, cases[i].count);
        ice_pack_u64(&pack, 0);
        struct ice_unpack from = ice_unpack_of(ice_buf_str(&pack.buf));
        assert_int_equal(ice_unpack_count(&from, cases[i].least), cases[i].wanted);
        assert_int_equal(from.bad, cases[i].is_bad);
        ice_pack_release(&pack);
    }
}

static void stops_at_its_ceiling(void **state) {
    struct ice_pack pack;
    (void)state;
    ice_pack_init(&pack, &alloc, 20);
    for (int i = 0; i < 3; i++)
        ice_pack_u64(&pack, 1);
    assert_int_equal(pack.status, ICE_ELIMIT);
    assert_int_equal(pack.buf.size, 16);
    ice_pack_flag(&pack, true);
    assert_int_equal(pack.buf.size, 16);
    ice_pack_clear(&pack);
    assert_int_equal(pack.status, ICE_OK);
    ice_pack_release(&pack);
}

static void bounds_numbers(void **state) {
    const uint64_t value = 7;
    struct ice_unpack from;
    (void)state;
    from = ice_unpack_of(ice_str_make(&value, sizeof(value)));
    assert_int_equal(ice_unpack_below(&from, 7), 7);
    assert_false(from.bad);
    from = ice_unpack_of(ice_str_make(&value, sizeof(value)));
    assert_int_equal(ice_unpack_below(&from, 6), 0);
    assert_true(from.bad);
    assert_int_equal(ice_unpack_left(&from), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_what_was_put),
        cmocka_unit_test(holds_counts_against_what_is_left),
        cmocka_unit_test(stops_at_its_ceiling),
        cmocka_unit_test(bounds_numbers),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
