/*
 * Group 37: clusters of Databricks.
 * Reads the cluster's JSON, its catalogs, and the catalogs that the caller names.
 */
#include "conf/conf.h"

#include "rule/emit.h"

/* The caller said --known-catalog NAME=federated. */
static bool is_federated(const struct ice_conf *conf, size_t index,
                         struct ice_str *out_name) {
    struct ice_str text = ice_str_from(conf->request->known_catalogs[index]);
    size_t equals = ice_str_find(text, '=');
    *out_name = ice_str_first(text, equals);
    return equals != SIZE_MAX &&
           ice_str_is(ice_str_from_index(text, equals + 1), "federated");
}

static bool is_below(struct ice_str runtime, const char *limit) {
    struct ice_conf_version version;
    return ice_conf_version_parse(runtime, &version) &&
           ice_conf_version_against(&version, limit) < 0;
}

static void check_version(struct ice_conf *conf, const struct ice_conf_session *session) {
    const struct ice_conf_node *node = ice_conf_member(session->node, "spark_version");
    struct ice_str number, scala;
    if (!ice_conf_is(node, ICE_JSON_STRING) ||
        ice_conf_databricks_key(node->text, &number, &scala))
        return;
    CONF_FOUND(conf, ICE_RULE_CONF_DBR_VERSION_UNREADABLE,
               ice_conf_at_node(session->input, node), arg_str("value", node->text));
}

/* Any setting or variable that gives the cluster an identity at AWS. */
static bool has_keys(const struct ice_conf_session *session) {
    static const char *const words[] = {
        "access.key",       "access-key",           "credentials-provider",
        "assume-role",      "credentials.provider", "assumed.role",
        "instanceProfile",  "AWS_ACCESS_KEY_ID",    "AWS_PROFILE",
        "AWS_WEB_IDENTITY",
    };
    for (size_t i = 0; i < session->n_pairs; i++) {
        for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
            struct ice_str word = ice_str_from(words[w]);
            struct ice_str key = session->pairs[i].key;
            for (size_t at = 0; at + word.size <= key.size; at++) {
                if (ice_str_starts(ice_str_from_index(key, at), word))
                    return true;
            }
        }
    }
    const struct ice_conf_node *variables =
        ice_conf_member(session->node, "spark_env_vars");
    return ice_conf_member(variables, "AWS_ACCESS_KEY_ID") != NULL ||
           ice_conf_member(variables, "AWS_PROFILE") != NULL ||
           ice_conf_member(variables, "AWS_ROLE_ARN") != NULL;
}

static bool needs_aws(const struct ice_conf_catalog *catalog) {
    if (!catalog->is_iceberg)
        return false;
    struct ice_str warehouse = ice_conf_value(ice_conf_catalog_get(catalog, "warehouse"));
    return catalog->kind == ICE_CONF_CATALOG_GLUE || catalog->is_s3tables ||
           catalog->endpoint != ICE_CONF_ENDPOINT_OTHER ||
           ice_str_starts(warehouse, ICE_STR("s3://")) ||
           ice_str_starts(warehouse, ICE_STR("s3a://"));
}

static void check_identity(struct ice_conf *conf, const struct ice_conf_session *session,
                           const struct ice_conf_catalog *catalog) {
    const struct ice_conf_node *aws = ice_conf_member(session->node, "aws_attributes");
    if (ice_conf_node_text(ice_conf_member(aws, "instance_profile_arn")).size > 0 ||
        has_keys(session))
        return;
    if (ice_conf_member(session->node, "policy_id") != NULL ||
        ice_conf_member(session->node, "instance_pool_id") != NULL) {
        ice_conf_not_checked(conf, "conf.dbr.no-instance-profile",
                             "a cluster policy or pool may set the instance profile");
        return;
    }
    CONF_FOUND(conf, ICE_RULE_CONF_DBR_NO_INSTANCE_PROFILE,
               ice_conf_at_node(session->input, aws != NULL ? aws : session->node),
               arg_str("catalog", catalog->name));
}

static void check_rest(struct ice_conf *conf, const struct ice_conf_session *session,
                       const struct ice_conf_catalog *catalog) {
    const struct ice_conf_pair *impl = ice_conf_catalog_get(catalog, "catalog-impl");
    if (catalog->kind != ICE_CONF_CATALOG_GLUE || catalog->is_s3tables || impl == NULL ||
        session->runtime.size == 0 || is_below(session->runtime, "14.3") ||
        !ice_conf_is_at_least(session, "1.6.0"))
        return;
    CONF_FOUND(conf, ICE_RULE_CONF_DBR_SUGGEST_REST, ice_conf_at_pair(impl),
               arg_str("catalog", catalog->name));
}

static void check_catalogs(struct ice_conf *conf,
                           const struct ice_conf_session *session) {
    bool was_asked = false;
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *catalog = &conf->catalogs[i];
        if (catalog->session != session)
            continue;
        if (needs_aws(catalog) && !was_asked) {
            was_asked = true; /* one identity serves all catalogs */
            check_identity(conf, session, catalog);
        }
        check_rest(conf, session, catalog);
    }
}

static void check_federated(struct ice_conf *conf,
                            const struct ice_conf_session *session) {
    for (size_t k = 0; k < conf->request->n_known_catalogs; k++) {
        struct ice_str name;
        if (!is_federated(conf, k, &name))
            continue;
        if (session->runtime.size > 0 && is_below(session->runtime, "16.4"))
            CONF_FOUND(conf, ICE_RULE_CONF_DBR_FEDERATION_TOO_OLD, session->runtime_at,
                       arg_str("catalog", name), arg_str("version", session->runtime));
        for (size_t i = 0; i < conf->n_catalogs; i++) {
            const struct ice_conf_catalog *catalog = &conf->catalogs[i];
            if (catalog->session == session && ice_str_equal(catalog->name, name))
                CONF_FOUND(conf, ICE_RULE_CONF_DBR_FEDERATED_AND_LOCAL,
                           ice_conf_at_catalog(catalog), arg_str("catalog", name));
        }
    }
}

static void check_cluster(struct ice_conf *conf, const struct ice_conf_session *session) {
    check_version(conf, session);
    check_catalogs(conf, session);
    check_federated(conf, session);
    if (ice_conf_member(session->node, "cluster_log_conf") == NULL &&
        ice_conf_member(session->node, "policy_id") == NULL)
        CONF_FOUND(conf, ICE_RULE_CONF_DBR_NO_LOG_DELIVERY,
                   ice_conf_at_node(session->input, session->node), ARG_NONE);
}

void ice_conf_rules_databricks(struct ice_conf *conf) {
    for (size_t s = 0; s < conf->n_sessions; s++) {
        const struct ice_conf_session *session = conf->sessions[s];
        if (session->kind == ICE_CONF_COMPUTE)
            check_cluster(conf, session);
    }
}
