/*
 * Behind all facts: which sessions are judged, what runs in them, and the catalogs that
 * they configure.
 */
#include "conf/setup.h"

#include "base/compiler.h"

#include <stdio.h>

enum { MOST_CATALOGS = 100 };

static const char prefix[] = "spark.sql.catalog.";

/* ---- sessions ---- */

static const struct {
    const char *name;
    enum ice_conf_platform platform;
} platforms[] = {
    {"glue", ICE_CONF_GLUE},
    {"databricks", ICE_CONF_DATABRICKS},
    {"emr", ICE_CONF_EMR},
    {"spark", ICE_CONF_ANY_SPARK},
};

static void see_versions(struct ice_conf_session *session) {
    const struct ice_conf_runtime *runtime = NULL;
    if (session->platform == ICE_CONF_GLUE)
        runtime = ice_conf_glue(session->runtime);
    else if (session->platform == ICE_CONF_DATABRICKS)
        runtime = ice_conf_databricks(session->runtime);
    for (size_t i = 0; i < session->n_libraries; i++) {
        if (session->libraries[i].jar.kind == ICE_CONF_JAR_RUNTIME &&
            session->iceberg.size == 0)
            session->iceberg = session->libraries[i].jar.version;
    }
    if (runtime == NULL)
        return;
    session->spark = ice_str_from(runtime->spark);
    if (session->scala.size == 0)
        session->scala = ice_str_from(runtime->scala);
    session->is_iceberg_shipped = session->iceberg.size == 0 && runtime->iceberg != NULL;
    if (session->is_iceberg_shipped)
        session->iceberg = ice_str_from(runtime->iceberg);
}

/* A command that is not judged, as some of its options are not known. */
static void say_hidden(struct ice_conf *conf, const struct ice_conf_session *session,
                       bool is_alone) {
    char why[200], name[100];
    (void)snprintf(why, sizeof(why),
                   "the command in line %u takes options from %s, and what that holds is "
                   "not known: write them out, or give the file or the event log",
                   ice_conf_line(session->runtime_at),
                   ice_escape(name, sizeof(name), session->hidden));
    ice_emit_not_evaluated(conf->emit,
                           is_alone ? "conf.*" : "settings of one of several commands",
                           ice_str_from(why), true, session->input->name);
}

static void say_all_hidden(struct ice_conf *conf) {
    bool is_any_judged = false;
    for (size_t i = 0; i < conf->n_sessions; i++)
        is_any_judged = is_any_judged || conf->sessions[i]->is_judged;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        if (conf->sessions[i]->hidden.size > 0)
            say_hidden(conf, conf->sessions[i], !is_any_judged);
    }
}

static bool judge_sessions(struct ice_conf *conf) {
    const char *wanted = conf->request->platform;
    bool has_arrived = false;
    for (size_t i = 0; i < conf->n_sessions; i++)
        has_arrived = has_arrived || conf->sessions[i]->kind == ICE_CONF_ARRIVED;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        struct ice_conf_session *session = conf->sessions[i];
        session->is_judged =
            has_arrived ? session->kind == ICE_CONF_ARRIVED : session->hidden.size == 0;
        if (!ice_conf_see_libraries(conf, session))
            return false;
        for (size_t k = 0; wanted != NULL && k < ICE_COUNT_OF(platforms); k++) {
            if (strcmp(platforms[k].name, wanted) == 0)
                session->platform = platforms[k].platform;
        }
        see_versions(session);
    }
    if (!has_arrived)
        say_all_hidden(conf);
    return true;
}

/* Where the same was declared: a setting of the same key, by preference with that value.
 */
static const struct ice_conf_pair *declaration_of(const struct ice_conf *conf,
                                                  const struct ice_conf_pair *pair) {
    const struct ice_conf_pair *found = NULL;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        const struct ice_conf_session *session = conf->sessions[i];
        for (size_t k = 0; !session->is_judged && k < session->n_pairs; k++) {
            if (ice_str_equal(session->pairs[k].key, pair->key) &&
                (pair->is_hidden || ice_str_equal(session->pairs[k].value, pair->value)))
                found = &session->pairs[k];
        }
    }
    return found;
}

/* ---- catalogs ---- */

static const struct {
    const char *type, *impl;
    enum ice_conf_catalog_kind kind;
} kinds[] = {
    {"hive", "org.apache.iceberg.hive.HiveCatalog", ICE_CONF_CATALOG_HIVE},
    {"hadoop", "org.apache.iceberg.hadoop.HadoopCatalog", ICE_CONF_CATALOG_HADOOP},
    {"rest", "org.apache.iceberg.rest.RESTCatalog", ICE_CONF_CATALOG_REST},
    {"glue", "org.apache.iceberg.aws.glue.GlueCatalog", ICE_CONF_CATALOG_GLUE},
    {"nessie", "org.apache.iceberg.nessie.NessieCatalog", ICE_CONF_CATALOG_NESSIE},
    {"jdbc", "org.apache.iceberg.jdbc.JdbcCatalog", ICE_CONF_CATALOG_JDBC},
    {"bigquery", "org.apache.iceberg.gcp.bigquery.BigQueryMetastoreCatalog",
     ICE_CONF_CATALOG_BIGQUERY},
    {NULL, "org.apache.iceberg.aws.dynamodb.DynamoDbCatalog", ICE_CONF_CATALOG_DYNAMODB},
    {NULL, "org.apache.iceberg.snowflake.SnowflakeCatalog", ICE_CONF_CATALOG_SNOWFLAKE},
};

static enum ice_conf_catalog_kind kind_of(const struct ice_conf_catalog *catalog) {
    const struct ice_conf_pair *impl = ice_conf_catalog_get(catalog, "catalog-impl");
    const struct ice_conf_pair *type = ice_conf_catalog_get(catalog, "type");
    if (impl == NULL && type == NULL) /* as CatalogUtil has it */
        return catalog->is_iceberg ? ICE_CONF_CATALOG_HIVE : ICE_CONF_CATALOG_OTHER;
    for (size_t i = 0; i < ICE_COUNT_OF(kinds); i++) {
        if (impl != NULL && ice_str_is(ice_conf_value(impl), kinds[i].impl))
            return kinds[i].kind;
        if (impl == NULL && kinds[i].type != NULL &&
            ice_str_equal_nocase(ice_conf_value(type), ice_str_from(kinds[i].type)))
            return kinds[i].kind;
    }
    return ICE_CONF_CATALOG_OTHER;
}

/* The host of a URI. */
static struct ice_str host_of(struct ice_str uri) {
    const char *mark = uri.size < 3 ? NULL : memmem(uri.data, uri.size, "://", 3);
    if (mark == NULL)
        return ICE_STR_NONE;
    struct ice_str host = ice_str_from_index(uri, (size_t)(mark - uri.data) + 3);
    for (size_t i = 0; i < host.size; i++) {
        if (host.data[i] == '/' || host.data[i] == ':' || host.data[i] == '?')
            return ice_str_first(host, i);
    }
    return host;
}

static void see_endpoint(struct ice_conf_catalog *catalog) {
    static const struct {
        const char *service;
        enum ice_conf_endpoint endpoint;
    } services[] = {{"glue.", ICE_CONF_ENDPOINT_GLUE},
                    {"s3tables.", ICE_CONF_ENDPOINT_S3TABLES}};
    struct ice_str host = host_of(ice_conf_value(ice_conf_catalog_get(catalog, "uri")));
    if (!ice_str_ends(host, ICE_STR(".amazonaws.com")) &&
        !ice_str_ends(host, ICE_STR(".amazonaws.com.cn")))
        return;
    for (size_t i = 0; i < ICE_COUNT_OF(services); i++) {
        struct ice_str service = ice_str_from(services[i].service);
        if (!ice_str_starts(host, service))
            continue;
        catalog->endpoint = services[i].endpoint;
        struct ice_str rest = ice_str_from_index(host, service.size);
        struct ice_str region = ice_str_first(rest, ice_str_find(rest, '.'));
        /* a placeholder, or a host without one, names none */
        if (ice_str_find(region, '-') != SIZE_MAX &&
            ice_str_find(region, '<') == SIZE_MAX)
            catalog->region = region;
    }
}

static void see_catalog(struct ice_conf_catalog *catalog) {
    struct ice_str class = ice_conf_value(catalog->definition);
    catalog->is_session_catalog =
        ice_str_is(class, "org.apache.iceberg.spark.SparkSessionCatalog");
    catalog->is_iceberg = catalog->is_session_catalog ||
                          ice_str_is(class, "org.apache.iceberg.spark.SparkCatalog");
    catalog->kind = kind_of(catalog);
    if (catalog->kind == ICE_CONF_CATALOG_REST)
        see_endpoint(catalog);
    struct ice_str id = ice_conf_value(ice_conf_catalog_get(catalog, "glue.id"));
    struct ice_str warehouse = ice_conf_value(ice_conf_catalog_get(catalog, "warehouse"));
    const struct ice_str federated = ICE_STR("s3tablescatalog/");
    catalog->is_s3tables = catalog->endpoint == ICE_CONF_ENDPOINT_S3TABLES ||
                           ice_str_has(id, federated) ||
                           (catalog->endpoint == ICE_CONF_ENDPOINT_GLUE &&
                            ice_str_has(warehouse, federated));
}

/* The catalog's name in a key; empty: none. */
static struct ice_str name_in(struct ice_str key) {
    if (!ice_str_starts(key, ice_str_from(prefix)))
        return ICE_STR_NONE;
    struct ice_str rest = ice_str_from_index(key, sizeof(prefix) - 1);
    return ice_str_first(rest, ice_str_find(rest, '.'));
}

/* NULL: out of memory, or *out_is_full: this session has too many. */
static struct ice_conf_catalog *catalog_of(struct ice_conf *conf,
                                           const struct ice_conf_session *session,
                                           struct ice_str name, bool *out_is_full) {
    size_t n = 0;
    for (size_t i = conf->n_catalogs; i > 0; i--) {
        struct ice_conf_catalog *catalog = &conf->catalogs[i - 1];
        if (catalog->session != session) /* those of a session stand together */
            break;
        if (ice_str_equal(catalog->name, name))
            return catalog;
        n++;
    }
    if (n == MOST_CATALOGS) {
        *out_is_full = true;
        return NULL;
    }
    if (!ice_array_reserve(&conf->run->alloc, &conf->catalogs, conf->n_catalogs,
                           &conf->cap_catalogs, sizeof(*conf->catalogs)))
        return NULL;
    struct ice_conf_catalog *catalog = &conf->catalogs[conf->n_catalogs++];
    *catalog = (struct ice_conf_catalog){.session = session, .name = name};
    return catalog;
}

static bool add_to_catalog(struct ice_conf *conf, const struct ice_conf_session *session,
                           const struct ice_conf_pair *pair) {
    struct ice_str name = name_in(pair->key);
    bool is_full = false;
    if (name.size == 0)
        return true;
    struct ice_conf_catalog *catalog = catalog_of(conf, session, name, &is_full);
    if (is_full) {
        ice_conf_say_too_many(conf, pair->at.input);
        return true;
    }
    if (catalog == NULL ||
        !ice_array_reserve(&conf->run->alloc, &catalog->pairs, catalog->n_pairs,
                           &catalog->cap_pairs, sizeof(const struct ice_conf_pair *)))
        return false;
    catalog->pairs[catalog->n_pairs++] = pair;
    if (catalog->first == NULL)
        catalog->first = pair;
    if (pair->key.size == sizeof(prefix) - 1 + name.size)
        catalog->definition = pair;
    return true;
}

enum ice_status ice_conf_see_catalogs(struct ice_conf *conf) {
    if (!judge_sessions(conf))
        return ICE_ENOMEM;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        struct ice_conf_session *session = conf->sessions[i];
        for (size_t k = 0; session->is_judged && k < session->n_pairs; k++) {
            struct ice_conf_pair *pair = &session->pairs[k];
            if (session->kind == ICE_CONF_ARRIVED && name_in(pair->key).size > 0)
                pair->declared = declaration_of(conf, pair);
            if (!add_to_catalog(conf, session, pair))
                return ICE_ENOMEM;
        }
    }
    for (size_t i = 0; i < conf->n_catalogs; i++)
        see_catalog(&conf->catalogs[i]);
    return ICE_OK;
}
