/*
 * Percent-encoding, taken off.
 */
#include "base/percent.h"

#include "support/cmocka_all.h"

static void check(const char *text, bool plus_is_blank, const char *expected) {
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    struct ice_buf out;
    ice_buf_init(&out, &alloc, 64);
    assert_int_equal(ice_buf_append_str(&out, ICE_STR("left over")), ICE_OK);
    assert_int_equal(ice_percent_decode(ice_str_from(text), plus_is_blank, &out), ICE_OK);
    if (!ice_str_is(ice_buf_str(&out), expected))
        fail_msg("%s became %.*s", text, ICE_STR_FMT(ice_buf_str(&out)));
    ice_buf_release(&out);
}

static void takes_escapes_off(void **state) {
    (void)state;
    check("", false, "");
    check("a%20b", false, "a b");
    check("%2F%c3%A9", false, "/\xc3\xa9");
    check("%2520", false, "%20");
    check("a+b", false, "a+b");
    check("a+b%2B", true, "a b+");
}

static void leaves_what_is_no_escape(void **state) {
    (void)state;
    check("%", false, "%");
    check("50%", false, "50%");
    check("%2", false, "%2");
    check("%g0%0g", false, "%g0%0g");
    check("%%41", false, "%A");
}

static void keeps_to_the_ceiling(void **state) {
    (void)state;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    struct ice_buf out;
    ice_buf_init(&out, &alloc, 2);
    assert_int_equal(ice_percent_decode(ICE_STR("%41%42"), false, &out), ICE_OK);
    assert_int_equal(ice_percent_decode(ICE_STR("%41%42c"), false, &out), ICE_ELIMIT);
    ice_buf_release(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_escapes_off),
        cmocka_unit_test(leaves_what_is_no_escape),
        cmocka_unit_test(keeps_to_the_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
