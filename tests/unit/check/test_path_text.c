/*
 * The quick answer on a path's text against the careful one, with something odd at every
 * place of a path.
 */
#include "support/cmocka_all.h"

#include "check/path_text.h"

#include <stdio.h>

enum { MOST = 80 };
static const char begin[] = "s3://bucket/wh/t/";

static bool is_clean(const char *text, size_t size) {
    return ice_path_is_clean((struct ice_str){text, size}, sizeof(begin) - 1);
}

static void what_is_odd(void **state) {
    (void)state;
    static const char *const odd[] = {"/a//b",  "/a/./b",   "/a/../b", "/a/..",
                                      "/a\x01", "/a\x7f/b", "/a ",     "s3://b/a//b"};
    static const char *const fine[] = {"/a/b", "s3://b/a/.hidden", "a b/c", "/a/...", ""};
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        assert_true(ice_path_is_odd(ice_str_from(odd[i])));
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
        assert_false(ice_path_is_odd(ice_str_from(fine[i])));
}

/* No odd path is clean, whatever its length and wherever it is odd. */
static void the_quick_answer_is_right(void **state) {
    (void)state;
    static const char *const parts[] = {"//", "/./", "/../", "\x01", "\x1f", "\x7f"};
    char text[sizeof(begin) + MOST + 8];
    for (size_t size = 1; size < MOST; size++) {
        int length = snprintf(text, sizeof(text), "%s%0*d", begin, (int)size, 0);
        const size_t whole = (size_t)length;
        assert_true(is_clean(text, whole));
        text[whole - 1] = ' ';
        assert_false(is_clean(text, whole));
        for (size_t at = 0; at < size; at++) {
            for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
                const size_t n = strlen(parts[i]);
                if (at + n > size)
                    continue;
                (void)snprintf(text, sizeof(text), "%s%0*d", begin, (int)size, 0);
                memcpy(text + sizeof(begin) - 1 + at, parts[i], n);
                assert_true(ice_path_is_odd((struct ice_str){text, whole}));
                if (is_clean(text, whole))
                    fail_msg("%s is no clean path", text);
            }
        }
    }
    /* right behind the '/' that everything begins with */
    assert_false(is_clean("s3://bucket/wh/t//x", 19));
    assert_false(is_clean("s3://bucket/wh/t/../x", 21));
    assert_true(is_clean(begin, sizeof(begin) - 1));
}

/* Bytes of other letters are no control characters. */
static void other_letters(void **state) {
    (void)state;
    const char *text =
        "s3://bucket/wh/t/stra\xc3\x9f\x65/\xe2\x82\xac\xff/0123456789abcdef.parquet";
    assert_true(is_clean(text, strlen(text)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_odd),
        cmocka_unit_test(the_quick_answer_is_right),
        cmocka_unit_test(other_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
