/*
 * The version tables are sorted and whole; look-ups never claim what they do not know.
 */
#include "conf/jar.h"
#include "conf/versions.h"

#include "support/cmocka_all.h"

static void numbers(void **state) {
    (void)state;
    struct ice_conf_version v;
    assert_true(ice_conf_version_parse(ICE_STR("1.10.2"), &v));
    assert_int_equal(v.n_parts, 3);
    assert_true(ice_conf_version_against(&v, "1.9.2") > 0);
    assert_true(ice_conf_version_against(&v, "1.10.2") == 0);
    assert_true(ice_conf_version_against(&v, "1.10.10") < 0);
    assert_true(ice_conf_version_same_minor(&v, "1.10.0"));
    assert_true(ice_conf_version_parse(ICE_STR("1.4.3-amzn-0"), &v));
    assert_true(ice_str_is(v.suffix, "-amzn-0"));
    assert_true(ice_conf_version_parse(ICE_STR("1."), &v));
    assert_int_equal(v.n_parts, 1);
    assert_true(ice_str_is(v.suffix, "."));
    assert_true(ice_conf_version_parse(ICE_STR("4294967295.1"), &v));
    assert_false(ice_conf_version_parse(ICE_STR("4294967296"), &v));
    assert_false(ice_conf_version_parse(ICE_STR("99999999999999999999999"), &v));
    assert_false(ice_conf_version_parse(ICE_STR(""), &v));
    assert_false(ice_conf_version_parse(ICE_STR("v1.0"), &v));
}

/* Every row is a version of the right form and newer than the one before. */
static void assert_sorted(const char *const *versions, size_t n, unsigned n_parts) {
    for (size_t i = 0; i < n; i++) {
        struct ice_conf_version v;
        assert_true(ice_conf_version_parse(ice_str_from(versions[i]), &v));
        assert_int_equal(v.suffix.size, 0);
        assert_int_equal(v.n_parts, n_parts);
        if (i > 0 && ice_conf_version_against(&v, versions[i - 1]) <= 0)
            fail_msg("%s does not come behind %s", versions[i], versions[i - 1]);
    }
}

static void tables_are_sorted(void **state) {
    (void)state;
    static const char *const releases[] = {
#define ICE_ICEBERG_RELEASE(version) version,
#include "conf/iceberg_releases.def"
#undef ICE_ICEBERG_RELEASE
    };
    static const char *const glue[] = {
#define ICE_GLUE(version, spark, scala, iceberg) version,
#include "conf/glue_versions.def"
#undef ICE_GLUE
    };
    static const char *const databricks[] = {
#define ICE_DATABRICKS(version, spark, scala, scala_too) version,
#include "conf/databricks_versions.def"
#undef ICE_DATABRICKS
    };
    assert_sorted(releases, sizeof(releases) / sizeof(releases[0]), 3);
    assert_sorted(glue, sizeof(glue) / sizeof(glue[0]), 2);
    assert_sorted(databricks, sizeof(databricks) / sizeof(databricks[0]), 2);
    for (size_t i = 0; i < sizeof(releases) / sizeof(releases[0]); i++)
        assert_int_equal(ice_conf_iceberg_version(ice_str_from(releases[i])),
                         ICE_CONF_RELEASED);
}

/* Spark and Iceberg never go back from one runtime to the next, every release named is
 * one, and every Spark named has a module for its Scala. */
static void tables_agree(void **state) {
    (void)state;
    static const struct {
        const char *version, *spark, *scala, *iceberg;
    } rows[] = {
#define ICE_GLUE(version, spark, scala, iceberg) {version, spark, scala, iceberg},
#include "conf/glue_versions.def"
#undef ICE_GLUE
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ice_conf_version spark, iceberg;
        assert_true(ice_conf_version_parse(ice_str_from(rows[i].spark), &spark));
        assert_true(ice_conf_version_parse(ice_str_from(rows[i].iceberg), &iceberg));
        assert_true(i == 0 || ice_conf_version_against(&spark, rows[i - 1].spark) >= 0);
        assert_true(i == 0 ||
                    ice_conf_version_against(&iceberg, rows[i - 1].iceberg) >= 0);
        assert_int_equal(ice_conf_iceberg_released(
                             ice_str_first(ice_str_from(rows[i].spark), 3),
                             ice_str_from(rows[i].scala), ice_str_from(rows[i].iceberg)),
                         ICE_CONF_RELEASED);
    }
    static const struct {
        const char *spark, *scala, *first, *last;
    } modules[] = {
#define ICE_SPARK_MODULE(spark, scala, first, last) {spark, scala, first, last},
#include "conf/spark_modules.def"
#undef ICE_SPARK_MODULE
    };
    for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++) {
        struct ice_conf_version spark, scala, first;
        assert_true(ice_conf_version_parse(ice_str_from(modules[i].spark), &spark));
        assert_true(ice_conf_version_parse(ice_str_from(modules[i].scala), &scala));
        assert_true(ice_conf_version_parse(ice_str_from(modules[i].first), &first));
        if (i > 0) {
            int order = ice_conf_version_against(&spark, modules[i - 1].spark);
            assert_true(order > 0 ||
                        (order == 0 &&
                         ice_conf_version_against(&scala, modules[i - 1].scala) > 0));
        }
        assert_int_equal(ice_conf_iceberg_version(ice_str_from(modules[i].first)),
                         ICE_CONF_RELEASED);
        if (modules[i].last != NULL) {
            assert_true(ice_conf_version_against(&first, modules[i].last) < 0);
            assert_int_equal(ice_conf_iceberg_version(ice_str_from(modules[i].last)),
                             ICE_CONF_RELEASED);
        }
    }
}

static void releases_by_text(void **state) {
    (void)state;
    static const struct {
        const char *spark, *scala, *version;
        enum ice_conf_released expected;
    } rows[] = {
        {"3.5", "2.12", "1.7.1", ICE_CONF_RELEASED},
        {"3.5", "2.13", "1.7.1", ICE_CONF_RELEASED},
        {"3.5", "2.12", "1.3.1", ICE_CONF_NOT_RELEASED}, /* before its first */
        {"3.2", "2.12", "1.5.0", ICE_CONF_NOT_RELEASED}, /* behind its last */
        {"3.2", "2.12", "1.4.9", ICE_CONF_NOT_KNOWN},    /* a patch may follow */
        {"3.5", "2.11", "1.7.1", ICE_CONF_NOT_RELEASED},
        {"4.0", "2.12", "1.10.0", ICE_CONF_NOT_RELEASED},
        {"3.5", "2.12", "1.7", ICE_CONF_NOT_RELEASED},
        {"3.5", "2.12", "1.7.3", ICE_CONF_NOT_KNOWN},
        {"3.5", "2.12", "99.0.0", ICE_CONF_NOT_KNOWN},
        {"9.9", "2.12", "1.7.1", ICE_CONF_NOT_KNOWN},
        {"4.0", "3.3", "1.10.0", ICE_CONF_NOT_KNOWN},
        {"3.5", "2.12", "1.7.1-amzn-2", ICE_CONF_NOT_KNOWN},
        {"3.5", "2.12", "latest", ICE_CONF_NOT_KNOWN},
        {"", "", "", ICE_CONF_NOT_KNOWN},
        {"x", "2.12", "1.7.1", ICE_CONF_NOT_KNOWN},
        {"3.1", "2.12", "0.8.0", ICE_CONF_NOT_RELEASED},  /* before the module */
        {"3.1", "2.12", "0.15.0", ICE_CONF_NOT_RELEASED}, /* between two lines */
        {"3.45", "2.12", "1.7.1", ICE_CONF_NOT_KNOWN},
        {"3.6", "2.12", "1.7.1", ICE_CONF_NOT_KNOWN},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        enum ice_conf_released got = ice_conf_iceberg_released(
            ice_str_from(rows[i].spark), ice_str_from(rows[i].scala),
            ice_str_from(rows[i].version));
        if (got != rows[i].expected)
            fail_msg("%s_%s %s: %d", rows[i].spark, rows[i].scala, rows[i].version, got);
    }
}

static void runtimes(void **state) {
    (void)state;
    assert_string_equal(ice_conf_glue(ICE_STR("5.0"))->spark, "3.5.4");
    assert_null(ice_conf_glue(ICE_STR("7.0")));
    assert_null(ice_conf_glue(ICE_STR("5")));
    assert_null(ice_conf_glue(ICE_STR("auto")));
    struct ice_str version, scala;
    assert_true(ice_conf_databricks_key(ICE_STR("16.4.x-scala2.13"), &version, &scala));
    assert_true(ice_str_is(version, "16.4"));
    assert_true(ice_str_is(scala, "2.13"));
    assert_string_equal(ice_conf_databricks(version)->scala_too, "2.13");
    assert_true(
        ice_conf_databricks_key(ICE_STR("14.3.x-cpu-ml-scala2.12"), &version, &scala));
    assert_true(ice_str_is(version, "14.3"));
    assert_null(ice_conf_databricks(ICE_STR("21.1")));
    static const char *const others[] = {
        "custom:my-image", "auto:latest-lts", "16.4", "16.4.x",
        "16.4.x-scala",    "16.x-scala2.12",  ""};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        assert_false(ice_conf_databricks_key(ice_str_from(others[i]), &version, &scala));
}

static void jars(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool ok;
        enum ice_conf_artifact kind;
        const char *artifact, *version, *spark, *scala;
    } rows[] = {
        {"org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.7.1", true,
         ICE_CONF_JAR_RUNTIME, "iceberg-spark-runtime-3.5_2.12", "1.7.1", "3.5", "2.12"},
        {"s3://b/jars/iceberg-spark-runtime-3.5_2.12-1.7.1.jar", true,
         ICE_CONF_JAR_RUNTIME, "iceberg-spark-runtime-3.5_2.12", "1.7.1", "3.5", "2.12"},
        {"iceberg-spark-runtime-3.5_2.12-1.4.3-amzn-0.jar", true, ICE_CONF_JAR_RUNTIME,
         "iceberg-spark-runtime-3.5_2.12", "1.4.3-amzn-0", "3.5", "2.12"},
        {"iceberg-spark-runtime-3.5_2.12.jar", true, ICE_CONF_JAR_RUNTIME,
         "iceberg-spark-runtime-3.5_2.12", "", "3.5", "2.12"},
        {"org.apache.iceberg:iceberg-spark-runtime:1.2.0", true, ICE_CONF_JAR_RUNTIME,
         "iceberg-spark-runtime", "1.2.0", "", ""},
        {"org.apache.iceberg:iceberg-aws-bundle:1.7.1", true, ICE_CONF_JAR_AWS_BUNDLE,
         "iceberg-aws-bundle", "1.7.1", "", ""},
        {"/opt/iceberg-aws-bundle-1.7.1.jar", true, ICE_CONF_JAR_AWS_BUNDLE,
         "iceberg-aws-bundle", "1.7.1", "", ""},
        {"software.amazon.awssdk:bundle:2.29.52", true, ICE_CONF_JAR_AWS_SDK, "bundle",
         "2.29.52", "", ""},
        {"org.example:iceberg-spark-runtime-3.5_2.12:1.7.1", true, ICE_CONF_JAR_OTHER,
         "iceberg-spark-runtime-3.5_2.12", "1.7.1", "", ""},
        {"dbfs:/FileStore/x.whl", false, ICE_CONF_JAR_OTHER, "", "", "", ""},
        {"a:b", false, ICE_CONF_JAR_OTHER, "", "", "", ""},
        {".jar", false, ICE_CONF_JAR_OTHER, "", "", "", ""},
        {":a:b", false, ICE_CONF_JAR_OTHER, "", "", "", ""},
        {"a::b", false, ICE_CONF_JAR_OTHER, "", "", "", ""},
        {"a:b:", true, ICE_CONF_JAR_OTHER, "b", "", "", ""},
        {"a-.b-.jar", true, ICE_CONF_JAR_OTHER, "a-.b-", "", "", ""},
        {"software.amazon.awssdk:s3:2.29.52", true, ICE_CONF_JAR_AWS_SDK, "s3", "2.29.52",
         "", ""},
        {"software.amazon.awssdk:apache-client:2.29.52", true, ICE_CONF_JAR_OTHER,
         "apache-client", "2.29.52", "", ""},
        {"s3-2.29.52.jar", true, ICE_CONF_JAR_AWS_SDK, "s3", "2.29.52", "", ""},
        {"s3-1.12.3.jar", true, ICE_CONF_JAR_OTHER, "s3", "1.12.3", "", ""},
        {"apache-client-2.29.52.jar", true, ICE_CONF_JAR_OTHER, "apache-client",
         "2.29.52", "", ""},
        /* as Ivy stores them */
        {"/root/.ivy2/jars/org.apache.iceberg_iceberg-spark-runtime-3.5_2.12-1.7.1.jar",
         true, ICE_CONF_JAR_RUNTIME, "iceberg-spark-runtime-3.5_2.12", "1.7.1", "3.5",
         "2.12"},
        {"software.amazon.awssdk_sts-2.29.52.jar", true, ICE_CONF_JAR_AWS_SDK, "sts",
         "2.29.52", "", ""},
        {"software.amazon.awssdk_.jar", true, ICE_CONF_JAR_OTHER,
         "software.amazon.awssdk_", "", "", ""},
        {"org.apache.icebergs_iceberg-aws-bundle-1.7.1.jar", true, ICE_CONF_JAR_OTHER,
         "org.apache.icebergs_iceberg-aws-bundle", "1.7.1", "", ""},
        {"bundle.jar", true, ICE_CONF_JAR_OTHER, "bundle", "", "", ""},
        {"iceberg-core-1.7.1.jar", true, ICE_CONF_JAR_OTHER_ICEBERG, "iceberg-core",
         "1.7.1", "", ""},
        {"", false, ICE_CONF_JAR_OTHER, "", "", "", ""},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct ice_conf_jar jar;
        bool ok = ice_conf_jar_parse(ice_str_from(rows[i].text), &jar);
        if (ok != rows[i].ok || jar.kind != rows[i].kind ||
            !ice_str_is(jar.artifact, rows[i].artifact) ||
            !ice_str_is(jar.version, rows[i].version) ||
            !ice_str_is(jar.spark, rows[i].spark) ||
            !ice_str_is(jar.scala, rows[i].scala))
            fail_msg("%s", rows[i].text);
    }
}

static void lists(void **state) {
    (void)state;
    size_t at = 0;
    struct ice_str item;
    const struct ice_str list = ICE_STR(" a:b:1 ,, c.jar\n,");
    assert_true(ice_conf_jar_next(list, ',', &at, &item));
    assert_true(ice_str_is(item, "a:b:1"));
    assert_true(ice_conf_jar_next(list, ',', &at, &item));
    assert_true(ice_str_is(item, "c.jar"));
    assert_false(ice_conf_jar_next(list, ',', &at, &item));
    const struct ice_str path = ICE_STR("/etc/conf::/opt/a,b.jar");
    at = 0;
    assert_true(ice_conf_jar_next(path, ':', &at, &item));
    assert_true(ice_str_is(item, "/etc/conf"));
    assert_true(ice_conf_jar_next(path, ':', &at, &item));
    assert_true(ice_str_is(item, "/opt/a,b.jar"));
    assert_false(ice_conf_jar_next(path, ':', &at, &item));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),      cmocka_unit_test(tables_are_sorted),
        cmocka_unit_test(tables_agree), cmocka_unit_test(releases_by_text),
        cmocka_unit_test(runtimes),     cmocka_unit_test(jars),
        cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
