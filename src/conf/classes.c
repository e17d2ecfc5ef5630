/*
 * Known names, and likeness to them.
 */
#include "conf/classes.h"

#include "base/near.h"

enum { NEAR_CLASS = 3, NEAR_PROPERTY = 2, SHORT_PROPERTY = 4, LEAST_TAIL = 8 };

static const char *const spark_classes[] = {
    "org.apache.iceberg.spark.SparkCatalog",
    "org.apache.iceberg.spark.SparkSessionCatalog", NULL};

static const char *const catalog_classes[] = {
    "org.apache.iceberg.aws.glue.GlueCatalog",
    "org.apache.iceberg.rest.RESTCatalog",
    "org.apache.iceberg.hive.HiveCatalog",
    "org.apache.iceberg.hadoop.HadoopCatalog",
    "org.apache.iceberg.jdbc.JdbcCatalog",
    "org.apache.iceberg.nessie.NessieCatalog",
    "org.apache.iceberg.aws.dynamodb.DynamoDbCatalog",
    "org.apache.iceberg.gcp.bigquery.BigQueryMetastoreCatalog",
    "org.apache.iceberg.snowflake.SnowflakeCatalog",
    "org.apache.iceberg.dell.ecs.EcsCatalog",
    "org.apache.iceberg.inmemory.InMemoryCatalog",
    NULL};

static const char *const io_classes[] = {"org.apache.iceberg.aws.s3.S3FileIO",
                                         "org.apache.iceberg.io.ResolvingFileIO",
                                         "org.apache.iceberg.hadoop.HadoopFileIO",
                                         "org.apache.iceberg.gcp.gcs.GCSFileIO",
                                         "org.apache.iceberg.azure.adlsv2.ADLSFileIO",
                                         "org.apache.iceberg.aliyun.oss.OSSFileIO",
                                         "org.apache.iceberg.dell.ecs.EcsFileIO",
                                         "org.apache.iceberg.inmemory.InMemoryFileIO",
                                         "org.apache.iceberg.io.InMemoryFileIO",
                                         NULL};

static const char *const types[] = {"hive",   "hadoop", "rest",     "glue",
                                    "nessie", "jdbc",   "bigquery", NULL};

static const char *const properties[] = {
#define ICE_CONF_PROPERTY(name) name,
#include "conf/catalog_properties.def"
#undef ICE_CONF_PROPERTY
    NULL};

/* Whatever stands behind these is the user's, or has too many members to list. */
static const char *const open_families[] = {
    "table-default.", "table-override.", "view-default.", "view-override.",
    "header.",        "hadoop.",         "s3.",           "adls.",
    "gcs.",           "jdbc.",           "nessie.",       "client.",
    "http-client.",   "rest.auth.",      "io.",           "snowflake.",
    "oss.",           "encryption.",     "lock.",         "gcp."};

static bool is_in(struct ice_str name, const char *const *list) {
    for (; *list != NULL; list++) {
        if (ice_str_is(name, *list))
            return true;
    }
    return false;
}

static struct ice_str last_part(struct ice_str name) {
    size_t dot = ice_str_rfind(name, '.');
    return dot == SIZE_MAX ? name : ice_str_from_index(name, dot + 1);
}

/* Of all: the one with the fewest edits, at most `most`; NULL: none. */
static const char *nearest(struct ice_str name, const char *const *list, size_t most) {
    const char *found = NULL;
    size_t best = most + 1;
    for (; *list != NULL; list++) {
        size_t distance = ice_edit_distance(name, ice_str_from(*list));
        if (distance < best) {
            best = distance;
            found = *list;
        }
    }
    return found;
}

/* A class of ours by another package, in another case, or with few letters wrong. */
static enum ice_conf_name class_of(struct ice_str name, const char *const *list,
                                   const char **out_meant) {
    *out_meant = NULL;
    if (is_in(name, list))
        return ICE_CONF_NAME_KNOWN;
    bool is_ours = ice_str_starts(name, ICE_STR("org.apache.iceberg.")) ||
                   ice_str_find(name, '.') == SIZE_MAX;
    for (const char *const *item = list; is_ours && *item != NULL; item++) {
        if (ice_str_equal_nocase(last_part(name), last_part(ice_str_from(*item))))
            *out_meant = *item;
    }
    if (*out_meant == NULL)
        *out_meant = nearest(name, list, NEAR_CLASS);
    return *out_meant != NULL ? ICE_CONF_NAME_NEAR : ICE_CONF_NAME_FOREIGN;
}

enum ice_conf_name ice_conf_spark_class(struct ice_str name, const char **out_meant) {
    enum ice_conf_name known = class_of(name, spark_classes, out_meant);
    /* a catalog of Iceberg, but none that Spark can load as one */
    if (known == ICE_CONF_NAME_FOREIGN &&
        class_of(name, catalog_classes, out_meant) != ICE_CONF_NAME_FOREIGN) {
        *out_meant = spark_classes[0];
        known = ICE_CONF_NAME_NEAR;
    }
    return known;
}

enum ice_conf_name ice_conf_catalog_class(struct ice_str name, const char **out_meant) {
    return class_of(name, catalog_classes, out_meant);
}

enum ice_conf_name ice_conf_io_class(struct ice_str name, const char **out_meant) {
    return class_of(name, io_classes, out_meant);
}

enum ice_conf_name ice_conf_type(struct ice_str name, const char **out_meant) {
    for (const char *const *item = types; *item != NULL; item++) {
        if (ice_str_equal_nocase(name, ice_str_from(*item))) {
            *out_meant = *item;
            return ICE_CONF_NAME_KNOWN;
        }
    }
    *out_meant = nearest(name, types, NEAR_PROPERTY);
    return *out_meant != NULL ? ICE_CONF_NAME_NEAR : ICE_CONF_NAME_FOREIGN;
}

/* "sigv4-enabled" of "rest.sigv4-enabled". */
static bool is_tail(struct ice_str name, struct ice_str known) {
    return name.size >= LEAST_TAIL && known.size > name.size &&
           ice_str_ends(known, name) && known.data[known.size - name.size - 1] == '.';
}

enum ice_conf_name ice_conf_property(struct ice_str name, const char **out_meant) {
    *out_meant = NULL;
    if (is_in(name, properties))
        return ICE_CONF_NAME_KNOWN;
    for (const char *const *item = properties; *item != NULL; item++) {
        struct ice_str known = ice_str_from(*item);
        if (ice_words_alike(name, known, true) || is_tail(name, known))
            *out_meant = *item;
    }
    bool is_open = false;
    for (size_t i = 0; i < sizeof(open_families) / sizeof(open_families[0]); i++)
        is_open = is_open || ice_str_starts(name, ice_str_from(open_families[i]));
    if (*out_meant == NULL && !is_open)
        *out_meant =
            nearest(name, properties, name.size <= SHORT_PROPERTY ? 1 : NEAR_PROPERTY);
    bool is_cache = *out_meant != NULL && strncmp(*out_meant, "cache", 5) == 0;
    return *out_meant == NULL || is_cache ? ICE_CONF_NAME_FOREIGN : ICE_CONF_NAME_NEAR;
}
