/*
 * Names that Iceberg knows, and likeness to them.
 */
#include "conf/classes.h"

#include "support/cmocka_all.h"

static const char *const properties[] = {
#define ICE_CONF_PROPERTY(name) name,
#include "conf/catalog_properties.def"
#undef ICE_CONF_PROPERTY
};
enum { N_PROPERTIES = sizeof(properties) / sizeof(properties[0]) };

static void sorted_and_known(void **state) {
    (void)state;
    const char *meant;
    for (size_t i = 0; i < N_PROPERTIES; i++) {
        assert_true(i == 0 || strcmp(properties[i - 1], properties[i]) < 0);
        assert_int_equal(ice_conf_property(ice_str_from(properties[i]), &meant),
                         ICE_CONF_NAME_KNOWN);
    }
}

static void properties_that_are_near(void **state) {
    (void)state;
    static const char *const near[][2] = {
        {"io.impl", "io-impl"},           {"catalog.impl", "catalog-impl"},
        {"catalog_impl", "catalog-impl"}, {"sigv4-enabled", "rest.sigv4-enabled"},
        {"warehose", "warehouse"},        {"url", "uri"},
        {"S3.Region", "s3.region"},       {"rest.signing-nam", "rest.signing-name"},
    };
    /* open families, other things, and what belongs to the rules of the cache */
    static const char *const foreign[] = {
        "table-default.x", "header.X-A",    "s3.foo",     "", "x",
        "comment",         "cache.enabled", "scopes-of-x"};
    const char *meant;
    for (size_t i = 0; i < sizeof(near) / sizeof(near[0]); i++) {
        assert_int_equal(ice_conf_property(ice_str_from(near[i][0]), &meant),
                         ICE_CONF_NAME_NEAR);
        assert_string_equal(meant, near[i][1]);
    }
    for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
        assert_int_equal(ice_conf_property(ice_str_from(foreign[i]), &meant),
                         ICE_CONF_NAME_FOREIGN);
}

static void classes(void **state) {
    (void)state;
    const char *meant;
    assert_int_equal(
        ice_conf_spark_class(ICE_STR("org.apache.iceberg.spark.SparkCatalog"), &meant),
        ICE_CONF_NAME_KNOWN);
    assert_int_equal(
        ice_conf_spark_class(ICE_STR("org.apache.iceberg.aws.glue.GlueCatalog"), &meant),
        ICE_CONF_NAME_NEAR);
    assert_string_equal(meant, "org.apache.iceberg.spark.SparkCatalog");
    assert_int_equal(
        ice_conf_spark_class(ICE_STR("org.apache.polaris.spark.SparkCatalog"), &meant),
        ICE_CONF_NAME_FOREIGN);
    assert_int_equal(ice_conf_catalog_class(ICE_STR("GlueCatalog"), &meant),
                     ICE_CONF_NAME_NEAR);
    assert_int_equal(ice_conf_catalog_class(ICE_STR("com.x.GlueCatalog"), &meant),
                     ICE_CONF_NAME_FOREIGN);
    assert_int_equal(ice_conf_io_class(ICE_STR("org.apache.iceberg.s3.S3FileIO"), &meant),
                     ICE_CONF_NAME_NEAR);
    assert_string_equal(meant, "org.apache.iceberg.aws.s3.S3FileIO");
    assert_int_equal(ice_conf_type(ICE_STR("Rest"), &meant), ICE_CONF_NAME_KNOWN);
    assert_int_equal(ice_conf_type(ICE_STR("gleu"), &meant), ICE_CONF_NAME_NEAR);
    assert_int_equal(ice_conf_type(ICE_STR("lakehouse"), &meant), ICE_CONF_NAME_FOREIGN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_and_known),
        cmocka_unit_test(properties_that_are_near),
        cmocka_unit_test(classes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
