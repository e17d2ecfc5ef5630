/*
 * Is the catalog registered, and as what?
 */
#include "conf/classes.h"
#include "conf/conf.h"
#include "conf/glue_job.h"

#include "base/compiler.h"
#include "base/near.h"

#include <stdio.h>

enum { NEAR_NAME = 2 };

static const char extensions_key[] = "spark.sql.extensions";
static const char extensions_class[] = "IcebergSparkSessionExtensions";

static bool is_newer_than_known(const struct ice_conf_catalog *c) {
    return ice_conf_is_at_least(c->session, "1.11.0");
}

/* ---- names that do not meet ---- */

static bool is_name_near(struct ice_str a, struct ice_str b) {
    return ice_words_alike(a, b, false) || ice_str_starts(b, a) ||
           (a.size > NEAR_NAME && ice_edit_distance(a, b) <= NEAR_NAME);
}

/* All that this one has is what the other lacks. */
static bool fills(const struct ice_conf_catalog *c,
                  const struct ice_conf_catalog *other) {
    for (size_t i = 0; i < other->n_pairs; i++) {
        struct ice_str property = ice_conf_property_of(other, other->pairs[i]);
        for (size_t k = 0; property.size > 0 && k < c->n_pairs; k++) {
            if (ice_str_equal(ice_conf_property_of(c, c->pairs[k]), property))
                return false;
        }
    }
    return true;
}

static const struct ice_conf_catalog *meant_by(const struct ice_conf *conf,
                                               const struct ice_conf_catalog *c) {
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *other = &conf->catalogs[i];
        if (other->session == c->session && other->definition != NULL &&
            is_name_near(c->name, other->name) && fills(c, other))
            return other;
    }
    return NULL;
}

static void check_definition(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    if (c->definition != NULL || ice_str_is(c->name, "spark_catalog"))
        return;
    const struct ice_conf_catalog *meant = meant_by(conf, c);
    if (meant == NULL) {
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_NOT_DEFINED, ice_conf_at_pair(c->first),
                   arg_str("name", c->name), arg_i64("count", (int64_t)c->n_pairs));
        return;
    }
    for (size_t i = 0; i < c->n_pairs; i++)
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_PREFIX_TYPO, ice_conf_at_pair(c->pairs[i]),
                   arg_str("name", c->name), arg_str("meant", meant->name),
                   arg_str("property", ice_conf_property_of(c, c->pairs[i])));
}

/* ---- the class ---- */

static void check_class(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const char *meant;
    struct ice_str class = ice_conf_value(c->definition);
    if (c->is_iceberg || class.size == 0)
        return;
    enum ice_conf_name known = ice_conf_spark_class(class, &meant);
    CONF_FOUND_AS(conf, ICE_RULE_CONF_CATALOG_CLASS_UNKNOWN,
                  known == ICE_CONF_NAME_NEAR ? ICE_ERROR : ICE_INFO,
                  ice_conf_at_value(c->definition), arg_str("name", c->name),
                  arg_str("class", class));
}

static void check_session_catalog(struct ice_conf *conf,
                                  const struct ice_conf_catalog *c) {
    if (ice_str_is(c->name, "spark_catalog") && c->is_iceberg && !c->is_session_catalog)
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_SESSION_REPLACED,
                   ice_conf_at_value(c->definition), ARG_NONE);
}

static void check_name(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    if (c->definition != NULL && ice_str_find(c->name, '-') != SIZE_MAX)
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_NAME_HYPHEN,
                   ice_conf_at_pair(c->definition), arg_str("name", c->name));
}

/* ---- type and catalog-impl ---- */

/* Where settings name the metastore: as HiveConf has it, behind the prefixes that Spark
 * takes off, and for this catalog alone. */
static bool names_metastore(const struct ice_conf_catalog *c) {
    static const char *const keys[] = {"hive.metastore.uris", "spark.hive.metastore.uris",
                                       "spark.hadoop.hive.metastore.uris",
                                       "spark.hadoop.javax.jdo.option.ConnectionURL"};
    for (size_t i = 0; i < ICE_COUNT_OF(keys); i++) {
        const struct ice_conf_pair *pair = ice_conf_get(c->session, keys[i]);
        if (pair != NULL && pair->value.size > 0)
            return true;
    }
    return ice_conf_catalog_get(c, "hadoop.hive.metastore.uris") != NULL;
}

/* A Hive catalog is what was meant: it, or the session, has the address of a metastore.
 */
static bool wants_hive(const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *uri = ice_conf_catalog_get(c, "uri");
    if (uri == NULL)
        return names_metastore(c);
    return uri->is_hidden || ice_str_starts(uri->value, ICE_STR("thrift://"));
}

/* Nothing that it has belongs to another kind: hive-site.xml may name the metastore. */
static bool may_be_hive(const struct ice_conf_catalog *c) {
    static const char *const neutral[] = {"warehouse", "default-namespace", "clients",
                                          "cache-enabled", "cache."};
    for (size_t i = 0; i < c->n_pairs; i++) {
        const struct ice_conf_pair *pair = c->pairs[i];
        struct ice_str property = ice_conf_property_of(c, pair);
        bool fits = property.size == 0;
        for (size_t k = 0; k < ICE_COUNT_OF(neutral); k++)
            fits = fits || ice_str_starts(property, ice_str_from(neutral[k]));
        if (ice_str_is(property, "warehouse"))
            fits = pair->is_hidden || ice_str_starts(pair->value, ICE_STR("hdfs:"));
        if (!fits)
            return false;
    }
    return true;
}

/* Its kind stands under a misspelt name: that has been said. */
static bool is_kind_astray(const struct ice_conf *conf,
                           const struct ice_conf_catalog *c) {
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *other = &conf->catalogs[i];
        if (other->session == c->session && other->definition == NULL &&
            is_name_near(other->name, c->name) && fills(other, c) &&
            (ice_conf_catalog_get(other, "type") != NULL ||
             ice_conf_catalog_get(other, "catalog-impl") != NULL))
            return true;
    }
    return false;
}

static void check_kind(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *type = ice_conf_catalog_get(c, "type");
    const struct ice_conf_pair *impl = ice_conf_catalog_get(c, "catalog-impl");
    if (type == NULL && impl == NULL && !c->is_session_catalog && !wants_hive(c) &&
        !is_kind_astray(conf, c))
        CONF_FOUND_AS(conf, ICE_RULE_CONF_CATALOG_IMPL_MISSING,
                      may_be_hive(c) ? ICE_WARN : ICE_ERROR, ice_conf_at_catalog(c),
                      arg_str("name", c->name));
    if (type != NULL && impl != NULL)
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_TYPE_AND_IMPL, ice_conf_at_pair(impl),
                   arg_str("name", c->name), arg_str("type", type->value),
                   arg_str("impl", impl->value));
}

static void check_type(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *type = ice_conf_catalog_get(c, "type");
    const char *meant;
    struct ice_str value = ice_conf_value(type);
    if (type == NULL || type->is_hidden)
        return;
    enum ice_conf_name known = ice_conf_type(value, &meant);
    if (known != ICE_CONF_NAME_KNOWN)
        CONF_FOUND_AS(conf, ICE_RULE_CONF_CATALOG_TYPE_UNKNOWN,
                      is_newer_than_known(c) ? ICE_INFO : ICE_ERROR,
                      ice_conf_at_value(type), arg_str("name", c->name),
                      arg_str("type", value));
    const char *impl =
        c->kind == ICE_CONF_CATALOG_GLUE     ? "org.apache.iceberg.aws.glue.GlueCatalog"
        : c->kind == ICE_CONF_CATALOG_JDBC   ? "org.apache.iceberg.jdbc.JdbcCatalog"
        : c->kind == ICE_CONF_CATALOG_NESSIE ? "org.apache.iceberg.nessie.NessieCatalog"
                                             : NULL;
    if (known == ICE_CONF_NAME_KNOWN && impl != NULL &&
        ice_conf_catalog_get(c, "catalog-impl") == NULL &&
        ice_conf_is_older(c->session, "1.5.0"))
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_TYPE_NEEDS_VERSION,
                   ice_conf_at_value(type), arg_str("name", c->name),
                   arg_str("type", value), arg_str("version", c->session->iceberg),
                   arg_text("impl", impl));
}

static void check_impl(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *impl = ice_conf_catalog_get(c, "catalog-impl");
    const char *meant;
    struct ice_str value = ice_conf_value(impl);
    if (impl == NULL || impl->is_hidden)
        return;
    enum ice_conf_name known = ice_conf_catalog_class(value, &meant);
    if (known == ICE_CONF_NAME_KNOWN)
        return;
    char hint[128] = "";
    if (meant != NULL)
        (void)snprintf(hint, sizeof(hint), "; did you mean %s?", meant);
    CONF_FOUND_AS(conf, ICE_RULE_CONF_CATALOG_IMPL_UNKNOWN,
                  known == ICE_CONF_NAME_NEAR ? ICE_ERROR : ICE_INFO,
                  ice_conf_at_value(impl), arg_str("name", c->name),
                  arg_str("impl", value), arg_text("hint", hint));
}

/* ---- properties ---- */

static const struct {
    enum ice_conf_catalog_kind kind;
    const char *words, *property;
} foreign_keys[] = {
    {ICE_CONF_CATALOG_REST, "REST", "glue."},
    {ICE_CONF_CATALOG_REST, "REST", "dynamodb."},
    {ICE_CONF_CATALOG_REST, "REST", "lock-impl"},
    {ICE_CONF_CATALOG_GLUE, "Glue", "uri"},
    {ICE_CONF_CATALOG_GLUE, "Glue", "rest."},
};

static void check_property(struct ice_conf *conf, const struct ice_conf_catalog *c,
                           const struct ice_conf_pair *pair) {
    struct ice_str property = ice_conf_property_of(c, pair);
    const char *meant;
    for (size_t i = 0; i < ICE_COUNT_OF(foreign_keys); i++) {
        struct ice_str key = ice_str_from(foreign_keys[i].property);
        bool fits = key.data[key.size - 1] == '.' ? ice_str_starts(property, key)
                                                  : ice_str_equal(property, key);
        if (foreign_keys[i].kind == c->kind && fits)
            CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_FOREIGN_KEY, ice_conf_at_pair(pair),
                       arg_str("name", c->name), arg_str("property", property),
                       arg_text("kind", foreign_keys[i].words));
    }
    if (ice_conf_property(property, &meant) == ICE_CONF_NAME_NEAR)
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_KEY_NEAR_MISS, ice_conf_at_pair(pair),
                   arg_str("name", c->name), arg_str("property", property),
                   arg_text("meant", meant));
}

static void check_properties(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    for (size_t i = 0; i < c->n_pairs; i++) {
        if (ice_conf_property_of(c, c->pairs[i]).size > 0)
            check_property(conf, c, c->pairs[i]);
    }
}

/* Both stand in one text: a command line that overrides a file is meant to. */
static bool is_same_text(const struct ice_conf_pair *a, const struct ice_conf_pair *b) {
    const struct ice_conf_node *x = a->at.node, *y = b->at.node;
    return a->at.input == b->at.input &&
           (x == y ||
            (x != NULL && y != NULL && x->parent == y->parent &&
             x->parent->kind == ICE_JSON_OBJECT && ice_str_equal(x->key, y->key)));
}

static void check_twice(struct ice_conf *conf, const struct ice_conf_pair *pair,
                        const struct ice_conf_pair *last) {
    if (pair == last || !is_same_text(pair, last) ||
        ice_str_equal(pair->value, last->value))
        return;
    if (ice_str_is(pair->key, extensions_key))
        CONF_FOUND(conf, ICE_RULE_CONF_EXTENSIONS_OVERWRITTEN, ice_conf_at_pair(pair),
                   arg_i64("line", ice_conf_line(last->at)),
                   arg_str("value", pair->value));
    else
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_KEY_DUPLICATE, ice_conf_at_pair(pair),
                   arg_str("key", pair->key), arg_i64("line", ice_conf_line(last->at)));
}

static void check_duplicates(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    for (size_t i = 0; i < c->n_pairs; i++) {
        const struct ice_conf_pair *last = c->pairs[i];
        for (size_t k = i + 1; k < c->n_pairs; k++) {
            if (ice_str_equal(c->pairs[k]->key, c->pairs[i]->key))
                last = c->pairs[k];
        }
        check_twice(conf, c->pairs[i], last);
    }
}

/* ---- the session ---- */

static bool has_extensions(const struct ice_conf_pair *pair) {
    return pair != NULL && (pair->is_hidden ||
                            (pair->value.size > 0 &&
                             memmem(pair->value.data, pair->value.size, extensions_class,
                                    sizeof(extensions_class) - 1) != NULL));
}

static void check_extensions(struct ice_conf *conf,
                             const struct ice_conf_session *session) {
    const struct ice_conf_pair *last = ice_conf_get(session, extensions_key);
    for (size_t i = 0; i < session->n_pairs; i++) {
        if (ice_str_is(session->pairs[i].key, extensions_key))
            check_twice(conf, &session->pairs[i], last);
    }
    for (size_t i = 0; !has_extensions(last) && i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *c = &conf->catalogs[i];
        if (c->session != session || !c->is_iceberg)
            continue;
        CONF_FOUND_AS(conf, ICE_RULE_CONF_EXTENSIONS_MISSING,
                      session->platform == ICE_CONF_GLUE ? ICE_INFO : ICE_DEFAULT,
                      last != NULL ? ice_conf_at_value(last) : ice_conf_at_catalog(c),
                      arg_str("name", c->name));
        return;
    }
}

/* A name that has properties, and no class, has been told. */
static void check_default_catalog(struct ice_conf *conf,
                                  const struct ice_conf_session *session) {
    const struct ice_conf_pair *pair = ice_conf_get(session, "spark.sql.defaultCatalog");
    const struct ice_conf_catalog *known = NULL;
    if (pair == NULL || pair->is_hidden || pair->value.size == 0 ||
        ice_str_find(pair->value, '$') != SIZE_MAX ||
        session->platform == ICE_CONF_DATABRICKS || /* Unity brings catalogs */
        ice_conf_knows_catalog(conf, NULL, pair->value))
        return;
    for (size_t i = 0; known == NULL && i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *c = &conf->catalogs[i];
        known = c->session == session && c->definition != NULL ? c : NULL;
    }
    if (known != NULL)
        CONF_FOUND(conf, ICE_RULE_CONF_CATALOG_DEFAULT_UNDEFINED, ice_conf_at_value(pair),
                   arg_str("name", pair->value), arg_str("known", known->name));
}

/* ---- declared, and what arrived ---- */

static bool is_watched(struct ice_str key) {
    return ice_str_starts(key, ICE_STR("spark.sql.catalog.")) ||
           ice_str_is(key, extensions_key);
}

/* The same key in a session that ran: the one with this value, else any. */
static const struct ice_conf_pair *arrived(const struct ice_conf *conf,
                                           const struct ice_conf_pair *pair) {
    const struct ice_conf_pair *found = NULL;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        const struct ice_conf_session *session = conf->sessions[i];
        if (session->kind != ICE_CONF_ARRIVED)
            continue;
        char key[256];
        if (pair->key.size >= sizeof(key))
            return pair;
        memcpy(key, pair->key.data, pair->key.size);
        key[pair->key.size] = '\0';
        const struct ice_conf_pair *own = ice_conf_get(session, key);
        if (own != NULL && (own->is_hidden || ice_str_equal(own->value, pair->value)))
            return own;
        found = own != NULL ? own : found;
    }
    return found;
}

static void check_effective(struct ice_conf *conf,
                            const struct ice_conf_session *declared) {
    for (size_t i = 0; i < declared->n_pairs; i++) {
        const struct ice_conf_pair *pair = &declared->pairs[i];
        if (!is_watched(pair->key) || pair->is_hidden)
            continue;
        bool is_overwritten = false;
        for (size_t k = i + 1; k < declared->n_pairs; k++)
            is_overwritten =
                is_overwritten || ice_str_equal(declared->pairs[k].key, pair->key);
        const struct ice_conf_pair *there = arrived(conf, pair);
        if (is_overwritten ||
            (there != NULL &&
             (there->is_hidden || ice_str_equal(there->value, pair->value))))
            continue;
        CONF_FOUND(
            conf, ICE_RULE_CONF_CATALOG_NOT_EFFECTIVE, pair->at,
            arg_str("key", pair->key),
            arg_str("effective", there != NULL ? there->value : ICE_STR("not set")));
    }
}

/* With several jobs it is not known which of them ran. */
static void check_arrival(struct ice_conf *conf) {
    const struct ice_conf_session *declared = NULL;
    size_t n_declared = 0, n_arrived = 0;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        bool has_arrived = conf->sessions[i]->kind == ICE_CONF_ARRIVED;
        n_arrived += has_arrived;
        n_declared += !has_arrived;
        declared = has_arrived ? declared : conf->sessions[i];
    }
    if (n_arrived == 0)
        ice_conf_not_checked(conf, "conf.catalog.not-effective",
                             "no event log or History Server environment given");
    else if (n_declared > 1)
        ice_conf_not_checked(conf, "conf.catalog.not-effective",
                             "several jobs, clusters or commands given, and which of "
                             "them ran is not known");
    else if (declared != NULL)
        check_effective(conf, declared);
}

void ice_conf_rules_catalog(struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *c = &conf->catalogs[i];
        check_definition(conf, c);
        check_class(conf, c);
        check_name(conf, c);
        check_session_catalog(conf, c);
        check_duplicates(conf, c);
        if (c->definition == NULL || !c->is_iceberg)
            continue;
        check_kind(conf, c);
        check_type(conf, c);
        check_impl(conf, c);
        check_properties(conf, c);
    }
    for (size_t i = 0; i < conf->n_sessions; i++) {
        if (conf->sessions[i]->is_judged)
            check_extensions(conf, conf->sessions[i]);
        if (conf->sessions[i]->is_judged)
            check_default_catalog(conf, conf->sessions[i]);
    }
    check_arrival(conf);
}
