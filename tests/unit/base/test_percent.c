/*
 * Percent-encoding, put on and taken off.
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

/* Every byte comes back, and none that means something in a URI is left. */
static void puts_escapes_on(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_buf out, back;
    char all[256];
    for (size_t i = 0; i < sizeof(all); i++)
        all[i] = (char)i;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_buf_init(&out, &alloc, 1024);
    ice_buf_init(&back, &alloc, 1024);
    assert_int_equal(ice_percent_encode(&out, (struct ice_str){all, sizeof(all)}),
                     ICE_OK);
    for (size_t i = 0; i < out.size; i++)
        assert_null(memchr(" :?#[]!$&'()*;\"<>\\^`{|}\x7f\n\0", out.data[i], 27));
    assert_int_equal(ice_percent_decode(ice_buf_str(&out), false, &back), ICE_OK);
    assert_int_equal(back.size, sizeof(all));
    assert_memory_equal(back.data, all, sizeof(all));
    ice_buf_release(&out);
    ice_buf_release(&back);
}

static void no_room_for_escapes(void **state) {
    (void)state;
    struct ice_alloc alloc;
    struct ice_buf out;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_buf_init(&out, &alloc, 4);
    assert_int_equal(ice_percent_encode(&out, ICE_STR("a b")), ICE_ELIMIT);
    ice_buf_clear(&out);
    assert_int_equal(ice_percent_encode(&out, ICE_STR("abcde")), ICE_ELIMIT);
    ice_buf_release(&out);
}

static void schemes_are_told(void **state) {
    (void)state;
    static const struct {
        const char *uri;
        size_t size;
    } cases[] = {
        {"s3://b", 3},  {"s3a+x-1.y:/b", 10}, {"file:/b", 5}, {"3s://b", 0},
        {"+s://b", 0},  {"c:/b", 0},          {"ab:b", 0},    {"ab:", 0},
        {"a_b://c", 0}, {"a:b://c", 0},       {"", 0},        {"a9:/", 3},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(cases); i++) {
        if (ice_uri_scheme(ice_str_from(cases[i].uri)) != cases[i].size)
            fail_msg("%s", cases[i].uri);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_escapes_off),
        cmocka_unit_test(leaves_what_is_no_escape),
        cmocka_unit_test(keeps_to_the_ceiling),
        cmocka_unit_test(puts_escapes_on),
        cmocka_unit_test(no_room_for_escapes),
        cmocka_unit_test(schemes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
