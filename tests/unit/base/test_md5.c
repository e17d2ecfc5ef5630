/*
 * MD5: the values of RFC 1321, in pieces of any size.
 */
#include "base/md5.h"

#include "support/cmocka_all.h"

static void check(const char *text, size_t piece, const char *hex) {
    struct ice_md5 md5;
    unsigned char digest[ICE_MD5_BYTES];
    struct ice_str rest = ice_str_from(text);
    ice_md5_init(&md5);
    while (rest.size > 0) {
        ice_md5_add(&md5, ice_str_first(rest, piece));
        rest = ice_str_from_index(rest, piece);
    }
    ice_md5_finish(&md5, digest);
    if (!ice_md5_is(digest, ice_str_from(hex)))
        fail_msg("'%s' in pieces of %zu", text, piece);
}

static void gives_the_values_of_the_standard(void **state) {
    static const char *const pairs[][2] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"a", "0CC175B9C0F1B6A831C399E269772661"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"1234567890123456789012345678901234567890123456789012345678901234567890123456789"
         "0",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        for (size_t piece = 1; piece <= 80; piece++)
            check(pairs[i][0], piece, pairs[i][1]);
}

static void tells_digests_apart(void **state) {
    unsigned char zero[ICE_MD5_BYTES] = {0};
    (void)state;
    assert_true(ice_md5_is(zero, ICE_STR("00000000000000000000000000000000")));
    assert_false(ice_md5_is(zero, ICE_STR("00000000000000000000000000000001")));
    assert_false(ice_md5_is(zero, ICE_STR("0000000000000000000000000000000")));
    assert_false(ice_md5_is(zero, ICE_STR("0000000000000000000000000000000g")));
    assert_false(ice_md5_is(zero, ICE_STR("g0000000000000000000000000000000")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_the_values_of_the_standard),
        cmocka_unit_test(tells_digests_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
