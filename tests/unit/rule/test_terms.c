/*
 * The one form of words, in which questions are compared with rules.
 */
#include "rule/terms.h"

#include "support/cmocka_all.h"

#include <string.h>

static void is_same(const char *a, const char *b) {
    struct ice_term one, other;
    size_t at = 0, other_at = 0;
    assert_true(ice_term_next(ice_str_from(a), &at, &one));
    assert_true(ice_term_next(ice_str_from(b), &other_at, &other));
    if (!ice_term_equal(&one, &other))
        fail_msg("%s: %.*s, %s: %.*s", a, one.size, one.text, b, other.size, other.text);
}

static void test_forms(void **state) {
    (void)state;
    is_same("missing", "misses");
    is_same("MISSED", "missing");
    is_same("dropped", "drop");
    is_same("mapping", "map");
    is_same("entries", "entry");
    is_same("ids", "id");
    is_same("indexes", "index");
    is_same("deleted", "delete");
    is_same("listing", "list");
    is_same("a", "A");
}

static void test_words_end(void **state) {
    (void)state;
    const struct ice_str text = {"list.files-count\0\xff 9x", 21};
    static const char *const words[] = {"list", "fil", "count", "9x"};
    struct ice_term term;
    size_t at = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_true(ice_term_next(text, &at, &term));
        assert_int_equal(term.size, strlen(words[i]));
        assert_memory_equal(term.text, words[i], term.size);
    }
    assert_false(ice_term_next(text, &at, &term));
    assert_false(ice_term_next(text, &at, &term));
}

static void test_long_words_are_cut(void **state) {
    (void)state;
    char text[100];
    struct ice_term term;
    for (size_t size = ICE_TERM_BYTES - 1; size <= ICE_TERM_BYTES + 1; size++) {
        size_t at = 0;
        memset(text, 'x', size);
        assert_true(ice_term_next(ice_str_make(text, size), &at, &term));
        assert_int_equal(term.size, size < ICE_TERM_BYTES ? size : ICE_TERM_BYTES);
        assert_int_equal(at, size);
    }
}

static void test_likeness(void **state) {
    (void)state;
    struct ice_term word, longer, found[2];
    size_t at = 0;
    const struct ice_str text = ice_str_from("trunc truncated tru THE");
    assert_true(ice_term_next(text, &at, &word));
    assert_true(ice_term_next(text, &at, &longer));
    assert_true(ice_term_begins(&word, &longer));
    assert_false(ice_term_begins(&longer, &word));
    assert_false(ice_term_is_filler(&word));
    assert_true(ice_term_next(text, &at, &word));
    assert_false(ice_term_begins(&word, &longer));
    assert_true(ice_term_next(text, &at, &word));
    assert_true(ice_term_is_filler(&word));
    at = 0;
    assert_true(ice_term_next(ice_str_from("broken"), &at, &word));
    assert_int_equal(ice_term_synonyms(&word, found, 2), 2);
    assert_int_equal(ice_term_synonyms(&word, found, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_words_end),
        cmocka_unit_test(test_long_words_are_cut),
        cmocka_unit_test(test_likeness),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
