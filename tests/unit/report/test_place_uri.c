/*
 * Places as URI references.
 */
#include "report/place_uri.h"

#include "support/cmocka_all.h"

static void check(const char *prefix, const char *file, const char *wanted) {
    struct ice_alloc alloc;
    struct ice_buf out;
    ice_alloc_init(&alloc, NULL, UINT64_MAX);
    ice_buf_init(&out, &alloc, 256);
    assert_int_equal(ice_place_uri(&out, ice_str_from(prefix), ice_str_from(file)),
                     ICE_OK);
    if (!ice_str_is(ice_buf_str(&out), wanted))
        fail_msg("%s became %.*s", file, ICE_STR_FMT(ice_buf_str(&out)));
    ice_buf_release(&out);
}

static void names_inside_the_table(void **state) {
    (void)state;
    check("", "metadata/v1.metadata.json", "metadata/v1.metadata.json");
    check("wh/t/", "metadata/a b:c.avro", "wh/t/metadata/a%20b%3Ac.avro");
    check("/wh/t/", "m.avro", "file:///wh/t/m.avro");
    check("", "", ".");
    check("wh/t/", "", "wh/t/");
    check("/wh/t/", "", "file:///wh/t/");
}

static void names_elsewhere(void **state) {
    (void)state;
    check("wh/t/", "s3://lake/a%20b/c?d", "s3://lake/a%2520b/c%3Fd");
    check("wh/t/", "/data/x.avro", "file:///data/x.avro");
    check("wh/t/", "c:x", "wh/t/c%3Ax");
    check("", "javascript:alert(1)", "javascript%3Aalert%281%29");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_inside_the_table),
        cmocka_unit_test(names_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
