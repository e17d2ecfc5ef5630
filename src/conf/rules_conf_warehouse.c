/*
 * Where tables lie, and who reads and writes files there.
 */
#include "conf/arn.h"
#include "conf/classes.h"
#include "conf/conf.h"

#include "base/compiler.h"
#include "source/mapping.h"

static struct ice_str property(const struct ice_conf_catalog *c, const char *name) {
    return ice_conf_value(ice_conf_catalog_get(c, name));
}

static bool is_known(const struct ice_conf_pair *pair) {
    return pair != NULL && !pair->is_hidden;
}

static bool is_bucket_arn(struct ice_str text) {
    struct ice_arn arn;
    return ice_arn_parse(text, &arn) && ice_str_is(arn.service, "s3tables") &&
           ice_arn_table_bucket(&arn).size > 0;
}

/* "s3", "s3a" or "s3n" in front of a colon; empty: another scheme or none. */
static struct ice_str s3_scheme(struct ice_str uri) {
    size_t colon = ice_str_find(uri, ':');
    struct ice_str scheme = ice_str_first(uri, colon == SIZE_MAX ? 0 : colon);
    bool is_s3 = ice_str_is(scheme, "s3") || ice_str_is(scheme, "s3a") ||
                 ice_str_is(scheme, "s3n");
    return is_s3 ? scheme : ICE_STR_NONE;
}

/* ---- warehouse ---- */

static bool creates_tables(const struct ice_conf *conf) {
    static const char *const words[] = {"CREATE TABLE", "create table", "Create Table"};
    for (size_t i = 0; i < conf->n_inputs; i++) {
        const struct ice_conf_input *input = conf->inputs[i];
        bool is_text = input->kind == ICE_CONF_PYTHON || input->kind == ICE_CONF_SQL ||
                       input->kind == ICE_CONF_NOTEBOOK;
        for (size_t k = 0; is_text && input->bytes.size > 0 && k < ICE_COUNT_OF(words);
             k++) {
            if (memmem(input->bytes.data, input->bytes.size, words[k],
                       strlen(words[k])) != NULL)
                return true;
        }
    }
    return false;
}

static void check_missing(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    bool is_hadoop = c->kind == ICE_CONF_CATALOG_HADOOP; /* does not start without */
    if ((!is_hadoop && c->kind != ICE_CONF_CATALOG_GLUE) ||
        ice_conf_catalog_get(c, "warehouse") != NULL)
        return;
    bool is_fatal = is_hadoop || c->is_s3tables || creates_tables(conf);
    CONF_FOUND_AS(conf, ICE_RULE_CONF_WAREHOUSE_MISSING,
                  is_fatal ? ICE_ERROR : ICE_DEFAULT, ice_conf_at_catalog(c),
                  arg_str("name", c->name),
                  arg_text("kind", is_hadoop ? "Hadoop" : "Glue"));
}

static void check_table_bucket(struct ice_conf *conf, const struct ice_conf_catalog *c,
                               const struct ice_conf_pair *warehouse) {
    struct ice_str value = warehouse->value;
    /* the Glue endpoint names a catalog; GlueCatalog finds tables by glue.id */
    if (is_bucket_arn(value) || c->endpoint == ICE_CONF_ENDPOINT_GLUE)
        return;
    bool is_glue = c->kind == ICE_CONF_CATALOG_GLUE && s3_scheme(value).size > 0;
    CONF_FOUND_AS(conf, ICE_RULE_CONF_WAREHOUSE_S3TABLES_NOT_ARN,
                  is_glue ? ICE_INFO : ICE_ERROR, ice_conf_at_value(warehouse),
                  arg_str("name", c->name), arg_str("warehouse", value));
}

/* Not as much as a bucket. Paths without a scheme are right for Hadoop catalogs. */
static bool is_no_uri(const struct ice_conf_catalog *c, struct ice_str value) {
    struct ice_str scheme = s3_scheme(value);
    if (scheme.size == 0)
        return value.size == 0 ||
               (c->kind == ICE_CONF_CATALOG_GLUE && ice_uri_scheme(value) == 0 &&
                !ice_str_starts(value, ICE_STR("arn:")));
    struct ice_str rest = ice_str_from_index(value, scheme.size + 1);
    return !ice_str_starts(rest, ICE_STR("//")) || rest.size == 2 ||
           rest.data[2] == '/' || rest.data[2] == ' ';
}

static void check_path(struct ice_conf *conf, const struct ice_conf_catalog *c,
                       const struct ice_conf_pair *warehouse) {
    struct ice_str value = warehouse->value;
    if (is_no_uri(c, value))
        CONF_FOUND(conf, ICE_RULE_CONF_WAREHOUSE_NOT_URI, ice_conf_at_value(warehouse),
                   arg_str("name", c->name), arg_str("warehouse", value));
    else if (s3_scheme(value).size > 0 && value.data[value.size - 1] != '/')
        CONF_FOUND(conf, ICE_RULE_CONF_WAREHOUSE_NO_TRAILING_SLASH,
                   ice_conf_at_value(warehouse), arg_str("name", c->name),
                   arg_str("warehouse", value));
}

/* One table of another scheme is enough to say so. */
static void check_scheme(struct ice_conf *conf, const struct ice_conf_catalog *c,
                         const struct ice_conf_pair *warehouse) {
    struct ice_str scheme = s3_scheme(warehouse->value);
    for (size_t i = 0; scheme.size > 0 && i < conf->pointers.n; i++) {
        const struct ice_pointer *pointer = &conf->pointers.items[i];
        const struct ice_str places[] = {pointer->location, pointer->metadata_location};
        for (size_t k = 0; k < ICE_COUNT_OF(places); k++) {
            struct ice_str other = s3_scheme(places[k]);
            if (other.size == 0 || ice_str_equal(other, scheme))
                continue;
            CONF_FOUND(conf, ICE_RULE_CONF_WAREHOUSE_SCHEME_MIXED,
                       ice_conf_at_value(warehouse), arg_str("name", c->name),
                       arg_str("scheme", scheme), arg_str("table", pointer->table),
                       arg_str("location", places[k]));
            return;
        }
    }
}

static void check_region(struct ice_conf *conf, const struct ice_conf_catalog *c,
                         const struct ice_conf_pair *warehouse) {
    static const char *const names[] = {"client.region", "s3.region"};
    struct ice_arn arn;
    if (c->kind == ICE_CONF_CATALOG_REST || !ice_arn_parse(warehouse->value, &arn) ||
        !ice_str_is(arn.service, "s3tables") || arn.region.size == 0)
        return;
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++) {
        const struct ice_conf_pair *pair = ice_conf_catalog_get(c, names[i]);
        if (is_known(pair) && !ice_str_equal(pair->value, arn.region))
            CONF_FOUND(conf, ICE_RULE_CONF_WAREHOUSE_REGION_MIXED,
                       ice_conf_at_value(pair), arg_str("name", c->name),
                       arg_str("region", arn.region), arg_text("property", names[i]),
                       arg_str("other", pair->value));
    }
}

static void check_warehouse(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *warehouse = ice_conf_catalog_get(c, "warehouse");
    check_missing(conf, c);
    if (!is_known(warehouse))
        return;
    if (c->is_s3tables)
        check_table_bucket(conf, c, warehouse);
    else if (c->kind != ICE_CONF_CATALOG_REST && c->kind != ICE_CONF_CATALOG_OTHER)
        check_path(conf, c, warehouse);
    check_scheme(conf, c, warehouse);
    check_region(conf, c, warehouse);
}

/* ---- FileIO ---- */

/* Nobody serves the scheme s3 to Hadoop there. */
static bool lacks_s3(const struct ice_conf_catalog *c) {
    return ice_str_is(s3_scheme(property(c, "warehouse")), "s3") &&
           c->session->platform == ICE_CONF_ANY_SPARK;
}

static void check_io(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *io = ice_conf_catalog_get(c, "io-impl");
    const char *meant, *used = NULL;
    bool is_rest = c->kind == ICE_CONF_CATALOG_REST;
    bool is_glue = c->kind == ICE_CONF_CATALOG_GLUE;
    if (is_known(io) && ice_conf_io_class(io->value, &meant) == ICE_CONF_NAME_NEAR)
        CONF_FOUND(conf, ICE_RULE_CONF_IO_IMPL_UNKNOWN, ice_conf_at_value(io),
                   arg_str("name", c->name), arg_str("impl", io->value),
                   arg_text("nearest", meant));
    if (io != NULL || c->kind == ICE_CONF_CATALOG_OTHER)
        return;
    if (is_rest || is_glue)
        used = is_rest ? "ResolvingFileIO" : "S3FileIO";
    else if (s3_scheme(property(c, "warehouse")).size > 0)
        used = "HadoopFileIO";
    if (used != NULL)
        CONF_FOUND_AS(conf, ICE_RULE_CONF_IO_IMPL_MISSING,
                      !is_rest && !is_glue && lacks_s3(c) ? ICE_WARN : ICE_INFO,
                      ice_conf_at_catalog(c), arg_str("name", c->name),
                      arg_text("default", used));
}

static bool needs_sdk(const struct ice_conf_catalog *c) {
    return c->kind == ICE_CONF_CATALOG_GLUE || c->kind == ICE_CONF_CATALOG_DYNAMODB ||
           ice_str_is(property(c, "io-impl"), "org.apache.iceberg.aws.s3.S3FileIO") ||
           ice_conf_is_true(ice_conf_catalog_get(c, "rest.sigv4-enabled")) ||
           ice_str_is(property(c, "rest.auth.type"), "sigv4");
}

/* Glue and EMR bring the SDK along. */
static void check_bundle(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_library *runtime = NULL;
    const struct ice_conf_session *session = c->session;
    if (session->platform == ICE_CONF_GLUE || session->platform == ICE_CONF_EMR ||
        !needs_sdk(c))
        return;
    for (size_t i = 0; i < session->n_libraries; i++) {
        enum ice_conf_artifact kind = session->libraries[i].jar.kind;
        if (kind == ICE_CONF_JAR_AWS_BUNDLE || kind == ICE_CONF_JAR_AWS_SDK)
            return;
        if (kind == ICE_CONF_JAR_RUNTIME)
            runtime = &session->libraries[i];
    }
    if (runtime != NULL && ice_conf_may_hide_jars(session))
        ice_conf_not_checked(conf, "conf.jar.aws-bundle-missing",
                             "init scripts, an image, whole directories or jars of "
                             "one's own may bring the AWS SDK");
    else if (runtime != NULL)
        CONF_FOUND(conf, ICE_RULE_CONF_JAR_AWS_BUNDLE_MISSING, runtime->at,
                   arg_str("name", c->name), arg_str("jar", runtime->jar.artifact));
}

void ice_conf_rules_warehouse(struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *c = &conf->catalogs[i];
        if (c->definition == NULL || !c->is_iceberg)
            continue;
        check_warehouse(conf, c);
        check_io(conf, c);
        check_bundle(conf, c);
    }
    if (conf->pointers.n == 0)
        ice_conf_not_checked(conf, "conf.warehouse.scheme-mixed",
                             "no export of a catalog given (aws glue get-table)");
}
