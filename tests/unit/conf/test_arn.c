/*
 * Parts of resource names.
 */
#include "conf/arn.h"

#include "support/cmocka_all.h"

static void parts(void **state) {
    (void)state;
    struct ice_arn arn;
    assert_true(ice_arn_parse(
        ICE_STR("arn:aws-cn:s3tables:cn-north-1:123456789012:bucket/b/table/t"), &arn));
    assert_true(ice_str_is(arn.partition, "aws-cn"));
    assert_true(ice_str_is(arn.service, "s3tables"));
    assert_true(ice_str_is(arn.region, "cn-north-1"));
    assert_true(ice_str_is(arn.account, "123456789012"));
    assert_true(ice_str_is(arn.resource, "bucket/b/table/t"));
    assert_true(ice_str_is(ice_arn_table_bucket(&arn), "b"));
}

static void empty_parts(void **state) {
    (void)state;
    struct ice_arn arn;
    assert_true(ice_arn_parse(ICE_STR("arn:aws:s3:::bucket/a:b"), &arn));
    assert_int_equal(arn.region.size, 0);
    assert_int_equal(arn.account.size, 0);
    assert_true(ice_str_is(arn.resource, "bucket/a:b"));
    assert_int_equal(ice_arn_table_bucket(&arn).size, 0);
}

static void refused(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",
        "arn",
        "arn:aws",
        "arn:aws:s3:::",
        "arn::s3:::b",
        "arn:aws::::b",
        "ARN:aws:s3:::b",
        "s3://bucket/path",
        "arn:aws:s3::b",
    };
    struct ice_arn arn;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_false(ice_arn_parse(ice_str_from(texts[i]), &arn));
        assert_int_equal(arn.resource.size, 0);
    }
}

static void accounts(void **state) {
    (void)state;
    assert_true(ice_arn_is_account(ICE_STR("123456789012")));
    assert_false(ice_arn_is_account(ICE_STR("12345678901")));
    assert_false(ice_arn_is_account(ICE_STR("1234567890123")));
    assert_false(ice_arn_is_account(ICE_STR("12345678901x")));
    assert_false(ice_arn_is_account(ICE_STR_NONE));
}

static void buckets(void **state) {
    (void)state;
    struct ice_arn arn;
    assert_true(ice_arn_parse(ICE_STR("arn:aws:s3tables:r:1:bucket/only"), &arn));
    assert_true(ice_str_is(ice_arn_table_bucket(&arn), "only"));
    assert_true(ice_arn_parse(ICE_STR("arn:aws:s3tables:r:1:bucket/"), &arn));
    assert_int_equal(ice_arn_table_bucket(&arn).size, 0);
    assert_true(ice_arn_parse(ICE_STR("arn:aws:s3tables:r:1:buckets/x"), &arn));
    assert_int_equal(ice_arn_table_bucket(&arn).size, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts),   cmocka_unit_test(empty_parts),
        cmocka_unit_test(refused), cmocka_unit_test(accounts),
        cmocka_unit_test(buckets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
