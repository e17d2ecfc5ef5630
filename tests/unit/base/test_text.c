/*
 * Strings, UTF-8, escapes, errors, hashes.
 */
#include "base/compiler.h"
#include "base/error.h"
#include "base/escape.h"
#include "base/hash.h"
#include "base/near.h"
#include "base/utf8.h"

#include "support/cmocka_all.h"
#include "support/failing.h"

#include <inttypes.h>
#include <stdio.h>

static void words_are_alike_but_for_their_joints(void **state) {
    (void)state;
    assert_true(ice_words_alike(ICE_STR("io-impl"), ICE_STR("io.impl"), false));
    assert_true(ice_words_alike(ICE_STR("_a--b."), ICE_STR("ab"), false));
    assert_true(ice_words_alike(ICE_STR("-"), ICE_STR_NONE, false));
    assert_false(ice_words_alike(ICE_STR("a"), ICE_STR("a-b"), false));
    assert_false(ice_words_alike(ICE_STR("a-b"), ICE_STR("a"), false));
    assert_true(ice_words_alike(ICE_STR("a"), ICE_STR("a-."), false));
    assert_true(ice_words_alike(ICE_STR("IO_Impl"), ICE_STR("io-impl"), true));
    assert_false(ice_words_alike(ICE_STR("IO_Impl"), ICE_STR("io-impl"), false));
    assert_false(ice_words_alike(ICE_STR("a["), ICE_STR("a{"), true));
    assert_false(ice_words_alike(ICE_STR("a\0b"), ICE_STR("ab"), true));
    assert_false(ice_words_alike(ICE_STR("ab"), ICE_STR("abc"), true));
}

static void strings_compare(void **state) {
    (void)state;
    assert_true(ice_str_equal(ICE_STR_NONE, ICE_STR("")));
    assert_false(ice_str_equal(ICE_STR("a"), ICE_STR("a\0")));
    assert_true(ice_str_compare(ICE_STR("a"), ICE_STR("b")) < 0);
    assert_true(ice_str_compare(ICE_STR("a"), ICE_STR("aa")) < 0);
    assert_true(ice_str_compare(ICE_STR("\xff"), ICE_STR("a")) > 0);
    assert_int_equal(ice_str_compare(ICE_STR_NONE, ICE_STR("")), 0);
    assert_true(ice_str_equal_nocase(ICE_STR("IceBerg"), ICE_STR("iCEbERG")));
    assert_false(ice_str_equal_nocase(ICE_STR("a["), ICE_STR("a{")));
    assert_false(ice_str_equal_nocase(ICE_STR("a"), ICE_STR("ab")));
    assert_true(ice_str_starts(ICE_STR("abc"), ICE_STR("ab")));
    assert_true(ice_str_starts(ICE_STR("abc"), ICE_STR_NONE));
    assert_false(ice_str_starts(ICE_STR("ab"), ICE_STR("abc")));
    assert_true(ice_str_ends(ICE_STR("abc"), ICE_STR("bc")));
    assert_false(ice_str_ends(ICE_STR("bc"), ICE_STR("abc")));
    assert_int_equal(ice_str_find(ICE_STR("abab"), 'b'), 1);
    assert_int_equal(ice_str_rfind(ICE_STR("abab"), 'b'), 3);
    assert_true(ice_str_find(ICE_STR("abab"), 'x') == SIZE_MAX);
    assert_true(ice_str_rfind(ICE_STR_NONE, 'x') == SIZE_MAX);
    assert_true(ice_str_is(ice_str_from_index(ICE_STR("abc"), 1), "bc"));
    assert_int_equal(ice_str_from_index(ICE_STR("abc"), 3).size, 0);
    assert_int_equal(ice_str_from_index(ICE_STR("abc"), SIZE_MAX).size, 0);
    assert_true(ice_str_is(ice_str_first(ICE_STR("abc"), 2), "ab"));
    assert_true(ice_str_is(ice_str_first(ICE_STR("abc"), SIZE_MAX), "abc"));
}

static void decimal_integers(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        int64_t value;
    } cases[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"007", true, 7},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"18446744073709551616", false, 0},
        {"99999999999999999999", false, 0},
        {"", false, 0},
        {"-", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1 ", false, 0},
        {"--1", false, 0},
        {"1.0", false, 0},
        {"0x1", false, 0},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        int64_t value = 0;
        assert_int_equal(ice_str_to_i64(ice_str_from(cases[i].text), &value),
                         cases[i].ok);
        assert_true(value == cases[i].value);
    }
}

static void numbers_as_text(void **state) {
    (void)state;
    static const int64_t numbers[] = {0,   1,      9,          10,       99,
                                      100, 12345,  1000000000, -1,       -9,
                                      -10, -12345, INT64_MAX,  INT64_MIN};
    char text[ICE_I64_BYTES], expected[32];
    for (size_t i = 0; i < ICE_COUNT_OF(numbers); i++) {
        size_t n = ice_i64_to_text(numbers[i], text);
        (void)snprintf(expected, sizeof(expected), "%" PRId64, numbers[i]);
        assert_true(ice_str_is((struct ice_str){text, n}, expected));
        n = ice_u64_to_text((uint64_t)numbers[i], text);
        (void)snprintf(expected, sizeof(expected), "%" PRIu64, (uint64_t)numbers[i]);
        assert_true(ice_str_is((struct ice_str){text, n}, expected));
    }
}

/* Every code point goes through; everything around the surrogates and limits does not. */
static void every_code_point(void **state) {
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        if (code >= 0xd800 && code <= 0xdfff)
            continue;
        char bytes[4];
        size_t at = 0;
        const size_t size = ice_utf8_encode(code, bytes);
        const struct ice_str text = {bytes, size};
        if (ice_utf8_next(text, &at) != code || at != size || !ice_utf8_is_valid(text))
            fail_msg("U+%04X", code);
        for (size_t cut = 1; cut < size; cut++)
            assert_int_equal(ice_utf8_check(ice_str_first(text, cut)), 0);
    }
}

static void what_is_not_utf8(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t bad;
    } cases[] = {
        {"\x80", 0},
        {"a\xc0\x80", 1},
        {"\xc1\xbf", 0},
        {"\xe0\x9f\xbf", 0},
        {"\xed\xa0\x80", 0},
        {"\xed\xbf\xbf", 0},
        {"\xf0\x8f\xbf\xbf", 0},
        {"\xf4\x90\x80\x80", 0},
        {"\xf5\x80\x80\x80", 0},
        {"\xff", 0},
        {"\xc3\xc3\xa9", 0},
        {"12345678\xff", 8},
        {"1234567\xff"
         "123456789",
         7},
        {"\xc3\xa9\xe2\x82", 2},
        {"12345678abcdefgh\xe2\x82\xac\xc3", 19},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        struct ice_str text = ice_str_from(cases[i].text);
        assert_int_equal(ice_utf8_check(text), cases[i].bad);
        size_t at = cases[i].bad;
        assert_int_equal(ice_utf8_next(text, &at), UINT32_MAX);
        assert_int_equal(at, cases[i].bad + 1);
    }
    assert_true(ice_utf8_is_valid(ICE_STR_NONE));
    assert_true(ice_utf8_is_valid(ICE_STR("a\0b")));
}

/* A bad byte is found at every place among sixteen and more good ones. */
static void bad_bytes_at_every_place(void **state) {
    (void)state;
    char text[50];
    for (size_t size = 1; size < sizeof(text); size++) {
        for (size_t at = 0; at < size; at++) {
            memset(text, 'a', size);
            assert_int_equal(ice_utf8_check((struct ice_str){text, size}), size);
            text[at] = (char)0xff;
            assert_int_equal(ice_utf8_check((struct ice_str){text, size}), at);
            if (at + 1 == size)
                continue;
            memcpy(text + at, "\xc3\xa9", 2);
            assert_int_equal(ice_utf8_check((struct ice_str){text, size}), size);
        }
    }
}

static void escapes(void **state) {
    (void)state;
    static const struct {
        struct ice_str text;
        const char *expected;
    } cases[] = {
#define CASE(text, expected) {{text, sizeof(text) - 1}, expected}
        CASE("plain caf\xc3\xa9 \xf0\x9f\x98\x80", "plain caf\xc3\xa9 \xf0\x9f\x98\x80"),
        CASE("\x1b[2J\x07", "\\x1b[2J\\x07"),
        CASE("a\0b\n\r\t\x7f", "a\\x00b\\x0a\\x0d\\x09\\x7f"),
        CASE("\xe2\x80\xae", "\\u{202e}"),
        CASE("\xc2\x85", "\\u{0085}"),
        CASE("\xe2\x80\xa8", "\\u{2028}"),
        CASE("\xef\xbb\xbf", "\\u{feff}"),
        CASE("\xf3\xa0\x80\x81", "\\u{e0001}"),
        CASE("\xff\xc3", "\\xff\\xc3"),
        /* the first and the last of each range, and what stands beside them */
        CASE("\x1f ~", "\\x1f ~"),
        CASE("\xc2\x9f\xc2\xa0", "\\u{009f}\xc2\xa0"),
        CASE("\xd8\x9b\xd8\x9c\xd8\x9d", "\xd8\x9b\\u{061c}\xd8\x9d"),
        CASE("\xe2\x80\x8a\xe2\x80\x8b", "\xe2\x80\x8a\\u{200b}"),
        CASE("\xe2\x80\x8f\xe2\x80\x90", "\\u{200f}\xe2\x80\x90"),
        CASE("\xe2\x80\xae\xe2\x80\xaf", "\\u{202e}\xe2\x80\xaf"),
        CASE("\xe2\x81\x9f\xe2\x81\xa0", "\xe2\x81\x9f\\u{2060}"),
        CASE("\xe2\x81\xaf\xe2\x81\xb0", "\\u{206f}\xe2\x81\xb0"),
        CASE("\xef\xbf\xb8\xef\xbf\xb9", "\xef\xbf\xb8\\u{fff9}"),
        CASE("\xef\xbf\xbb\xef\xbf\xbc", "\\u{fffb}\xef\xbf\xbc"),
        CASE("\xf3\x9f\xbf\xbd\xf3\xa0\x80\x80", "\xf3\x9f\xbf\xbd\\u{e0000}"),
        CASE("\xf3\xa0\x81\xbf\xf3\xa0\x82\x80", "\\u{e007f}\xf3\xa0\x82\x80"),
        CASE("\\", "\\"),
        /* what the runner of a CI takes for a command in a log */
        CASE("::error::x", "\\x3a:error::x"),
        CASE("  ::stop", "  \\x3a:stop"),
        CASE("a::b :: c:", "a::b :: c:"),
        CASE("x##vso[y]#", "x\\x23#vso[y]#"),
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        char out[64];
        assert_string_equal(ice_escape(out, sizeof(out), cases[i].text),
                            cases[i].expected);
        /* a small buffer cuts between escapes, ends with NUL, and is never overrun */
        for (size_t size = 1; size < 20; size++) {
            char small[24];
            memset(small, '#', sizeof(small));
            (void)ice_escape(small, size, cases[i].text);
            assert_true(strlen(small) < size);
            assert_memory_equal(small, cases[i].expected, strlen(small));
            assert_int_equal(small[size], '#');
        }
    }
    char untouched = '#';
    (void)ice_escape(&untouched, 0, ICE_STR("abc"));
    assert_int_equal(untouched, '#');
}

static void the_first_error_stays(void **state) {
    (void)state;
    struct ice_error err;
    ice_error_clear(&err);
    assert_int_equal(ice_error_set(&err, ICE_EIO, "source.unreadable", 7, "at %d", 7),
                     ICE_EIO);
    assert_int_equal(ice_error_memory(&err), ICE_ENOMEM);
    assert_int_equal(err.status, ICE_EIO);
    assert_string_equal(err.message, "at 7");
    assert_int_equal(err.offset, 7);
    assert_int_equal(ice_error_set(NULL, ICE_EIO, NULL, 0, "x"), ICE_EIO);
    struct ice_error kept = err, other;
    kept.offset = 8;
    assert_int_equal(ice_error_pass(&err, ICE_EIO, &kept), ICE_EIO);
    assert_int_equal(err.offset, 7);
    assert_int_equal(ice_error_pass(NULL, ICE_EIO, &kept), ICE_EIO);
    ice_error_clear(&other);
    assert_int_equal(ice_error_pass(&other, ICE_EIO, &kept), ICE_EIO);
    assert_string_equal(other.message, "at 7");
    assert_int_equal(other.offset, 8);
    ice_error_set_file(NULL, ICE_STR("x"));
    ice_error_set_pointer(NULL, ICE_STR("x"));
    ice_error_clear(NULL);
    char longer[400];
    memset(longer, 'a', sizeof(longer));
    memcpy(longer + sizeof(longer) - 3, "end", 3);
    ice_error_set_file(&err, ice_str_make(longer, sizeof(longer)));
    assert_int_equal(strlen(err.file), sizeof(err.file) - 1);
    assert_string_equal(err.file + strlen(err.file) - 3, "end");
    ice_error_set_file(&err, ICE_STR("other"));
    assert_int_equal(err.file[0], 'a');
    /* half a pointer would lead elsewhere */
    ice_error_set_pointer(&err, ice_str_make(longer, sizeof(err.pointer)));
    assert_string_equal(err.pointer, "");
    ice_error_set_pointer(&err, ice_str_make(longer, sizeof(err.pointer) - 1));
    assert_int_equal(strlen(err.pointer), sizeof(err.pointer) - 1);
    for (int status = ICE_ECANCELLED; status <= ICE_DONE; status++)
        assert_string_not_equal(ice_status_name((enum ice_status)status),
                                "unknown status");
}

static void hashes_depend_on_the_seed(void **state) {
    (void)state;
    assert_true(ice_hash64(ICE_STR("a"), 1) == ice_hash64(ICE_STR("a"), 1));
    assert_true(ice_hash64(ICE_STR("a"), 1) != ice_hash64(ICE_STR("a"), 2));
    assert_true(ice_hash64(ICE_STR("a"), 1) != ice_hash64(ICE_STR("b"), 1));
    assert_true(ice_hash64(ICE_STR_NONE, 1) == ice_hash64(ICE_STR(""), 1));
    const struct ice_hash a = ice_hash128(ICE_STR("a"), 1),
                          b = ice_hash128(ICE_STR("a"), 2);
    assert_true(a.low != b.low && a.high != b.high);
    assert_true(ice_hash_mix(1, 1) != ice_hash_mix(1, 2));
}

/* Few distinct keys in a growing table: each keeps all its values, in order. */
static void tables_keep_equal_keys_in_order(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_table table;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_table_init(&table, &alloc);
    enum { KEYS = 7, EACH = 300 };
    /* low bits all ones: probing wraps around the end of the table */
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < KEYS * EACH; i++)
            assert_int_equal(ice_table_put(&table, UINT64_MAX - i % KEYS, i), ICE_OK);
        for (uint32_t key = 0; key < KEYS; key++) {
            size_t at = SIZE_MAX;
            uint32_t value, n = 0;
            while (ice_table_next(&table, UINT64_MAX - key, &at, &value)) {
                assert_int_equal(value, n * KEYS + key);
                n++;
            }
            assert_int_equal(n, EACH);
        }
        size_t at = SIZE_MAX;
        uint32_t value;
        assert_false(ice_table_next(&table, 12345, &at, &value));
        ice_table_clear(&table);
        assert_false(ice_table_next(&table, UINT64_MAX, &at, &value));
    }
    ice_table_release(&table);
    ice_table_release(&table);
    size_t at = SIZE_MAX;
    uint32_t value;
    assert_false(ice_table_next(&table, 1, &at, &value));
    assert_int_equal(alloc.used, 0);
}

static void a_table_that_cannot_grow_stays_whole(void **state) {
    (void)state;
    struct failing failing = {.fail_at = 3};
    const struct ice_allocator base = failing_allocator(&failing);
    struct ice_alloc alloc;
    struct ice_table table;
    ice_alloc_init(&alloc, &base, UINT64_MAX);
    ice_table_init(&table, &alloc);
    uint32_t n = 0;
    while (ice_table_put(&table, n, n) == ICE_OK)
        n++;
    assert_int_equal(n, 16);
    for (uint32_t i = 0; i < n; i++) {
        size_t at = SIZE_MAX;
        uint32_t value;
        assert_true(ice_table_next(&table, i, &at, &value));
        assert_int_equal(value, i);
    }
    ice_table_release(&table);
    assert_int_equal(failing.used, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_alike_but_for_their_joints),
        cmocka_unit_test(strings_compare),
        cmocka_unit_test(decimal_integers),
        cmocka_unit_test(numbers_as_text),
        cmocka_unit_test(every_code_point),
        cmocka_unit_test(what_is_not_utf8),
        cmocka_unit_test(bad_bytes_at_every_place),
        cmocka_unit_test(escapes),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(hashes_depend_on_the_seed),
        cmocka_unit_test(tables_keep_equal_keys_in_order),
        cmocka_unit_test(a_table_that_cannot_grow_stays_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
