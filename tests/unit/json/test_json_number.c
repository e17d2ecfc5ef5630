/*
 * Numbers keep their 64 bits; doubles are the nearest ones.
 */
#include "json/reader.h"

#include "base/compiler.h"
#include "support/cmocka_all.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct integer {
    const char *token;
    enum ice_number expected;
    int64_t value;
};

static const struct integer integers[] = {
    {"0", ICE_NUMBER_OK, 0},
    {"-0", ICE_NUMBER_OK, 0},
    {"-1", ICE_NUMBER_OK, -1},
    {"9007199254740993", ICE_NUMBER_OK, 9007199254740993},
    {"9223372036854775807", ICE_NUMBER_OK, INT64_MAX},
    {"9223372036854775808", ICE_NUMBER_RANGE, 0},
    {"-9223372036854775808", ICE_NUMBER_OK, INT64_MIN},
    {"-9223372036854775809", ICE_NUMBER_RANGE, 0},
    {"18446744073709551616", ICE_NUMBER_RANGE, 0},
    {"99999999999999999999999999", ICE_NUMBER_RANGE, 0},
    {"1.0", ICE_NUMBER_NOT_INTEGER, 0},
    {"1e3", ICE_NUMBER_NOT_INTEGER, 0},
    {"1E3", ICE_NUMBER_NOT_INTEGER, 0},
    {"4.59e18", ICE_NUMBER_NOT_INTEGER, 0},
    {"-0.0", ICE_NUMBER_NOT_INTEGER, 0},
};

static void integers_are_exact(void **state) {
    (void)state;
    for (size_t i = 0; i < ICE_COUNT_OF(integers); i++) {
        int64_t value = 0;
        assert_int_equal(ice_number_i64(ice_str_from(integers[i].token), &value),
                         integers[i].expected);
        if (integers[i].expected == ICE_NUMBER_OK)
            assert_true(value == integers[i].value);
    }
}

static void expect_double(struct ice_str token, double expected) {
    double value = 0;
    const bool ok = ice_number_f64(token, &value);
    assert_int_equal(ok, isfinite(expected));
    if (ok)
        assert_memory_equal(&value, &expected, sizeof(value));
}

/* strtod of the C locale is the reference. */
static void doubles_are_the_nearest(void **state) {
    (void)state;
    static const char *const tokens[] = {
        "0",
        "-0",
        "0.0",
        "-0e5",
        "1",
        "-1.5",
        "0.1",
        "1e3",
        "123456789012345678",
        "4.59e18",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "1.7976931348623157e308",
        "1.7976931348623158e308",
        "1.7976931348623159e308",
        "1e309",
        "-1e309",
        "1e99999999999",
        "1e-99999999999",
        "9007199254740993",
        "9007199254740992.999999",
        "0.000001e-3",
        "9007199254740993.0000000000000000000000000000000000000000000001",
        "00.5e1",
        "1E+2",
        "3.141592653589793238462643383279502884197169399375105820974944592307816406286",
    };
    for (size_t i = 0; i < ICE_COUNT_OF(tokens); i++)
        expect_double(ice_str_from(tokens[i]), strtod(tokens[i], NULL));
}

/* Halfway between two doubles, decided by a digit far behind. */
static void long_tokens_are_rounded_right(void **state) {
    (void)state;
    char token[3000] = "9007199254740993.";
    size_t size = strlen(token);
    while (size < sizeof(token) - 2)
        token[size++] = '0';
    expect_double(ice_str_make(token, size), 9007199254740992.0);
    token[size++] = '1';
    expect_double(ice_str_make(token, size), 9007199254740994.0);
    memset(token, '7', 2000);
    memcpy(token + 2000, "e-1990", 6);
    token[2006] = '\0';
    expect_double(ice_str_make(token, 2006), strtod(token, NULL));
}

static void locale_does_not_matter(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "tr_TR.UTF-8",
                                        "de_DE"};
    const char *set = NULL;
    for (size_t i = 0; i < ICE_COUNT_OF(names) && set == NULL; i++)
        set = setlocale(LC_ALL, names[i]);
    if (set == NULL) {
        print_message("no locale with a decimal comma here\n");
        skip();
    }
    expect_double(ICE_STR("1.5"), 1.5);
    (void)setlocale(LC_ALL, "C");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(doubles_are_the_nearest),
        cmocka_unit_test(long_tokens_are_rounded_right),
        cmocka_unit_test(locale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
