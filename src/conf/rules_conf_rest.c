/*
 * REST endpoints, those of S3 Tables and Glue above all.
 */
#include "conf/arn.h"
#include "conf/conf.h"
#include "conf/iam_policy.h"

#include "base/compiler.h"

static bool is_known(const struct ice_conf_pair *pair) {
    return pair != NULL && !pair->is_hidden;
}

static const char *service_of(const struct ice_conf_catalog *c) {
    return c->endpoint == ICE_CONF_ENDPOINT_S3TABLES ? "s3tables" : "glue";
}

/* ---- uri ---- */

/* Why it is no endpoint, NULL: it is one, or of somebody else. */
static const char *uri_fault(const struct ice_conf_catalog *c, struct ice_str uri) {
    if (ice_str_has(uri, ICE_STR("<")) || ice_str_has(uri, ICE_STR(">")))
        return "a placeholder was left in";
    if (ice_conf_value(ice_conf_catalog_get(c, "uri")).size == 0)
        return "it is empty";
    bool is_aws = c->endpoint != ICE_CONF_ENDPOINT_OTHER;
    if (!is_aws &&
        (ice_str_has(uri, ICE_STR("//s3table.")) ||
         ice_str_has(uri, ICE_STR("//s3-tables."))) &&
        ice_str_has(uri, ICE_STR(".amazonaws.com")))
        return "the host of S3 Tables begins with s3tables";
    if (!is_aws)
        return NULL;
    if (!ice_str_starts(uri, ICE_STR("https://")))
        return "it must begin with https://";
    if (ice_str_find(c->region, '-') == SIZE_MAX)
        return "the host names no region";
    if (!ice_str_ends(uri, ICE_STR("/iceberg")) &&
        !ice_str_ends(uri, ICE_STR("/iceberg/")))
        return "it must end in /iceberg";
    return NULL;
}

static void check_uri(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *uri = ice_conf_catalog_get(c, "uri");
    if (uri == NULL)
        CONF_FOUND(conf, ICE_RULE_CONF_REST_URI_MISSING, ice_conf_at_catalog(c),
                   arg_str("name", c->name));
    if (!is_known(uri))
        return;
    const char *why = uri_fault(c, uri->value);
    if (why != NULL)
        CONF_FOUND(conf, ICE_RULE_CONF_REST_URI_SHAPE, ice_conf_at_value(uri),
                   arg_str("name", c->name), arg_str("uri", uri->value),
                   arg_text("why", why));
}

/* ---- signing ---- */

static void check_signature(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *name = ice_conf_catalog_get(c, "rest.signing-name");
    const struct ice_conf_pair *region = ice_conf_catalog_get(c, "rest.signing-region");
    const char *service = service_of(c);
    if (name == NULL || (!name->is_hidden && !ice_str_is(name->value, service)))
        CONF_FOUND(
            conf, ICE_RULE_CONF_REST_SIGNING_NAME,
            name != NULL ? ice_conf_at_value(name) : ice_conf_at_catalog(c),
            arg_str("name", c->name), arg_text("service", service),
            arg_str("signed", name != NULL ? name->value : ICE_STR("execute-api")));
    if (c->region.size == 0 || (region != NULL && region->is_hidden))
        return;
    if (region == NULL)
        CONF_FOUND_AS(conf, ICE_RULE_CONF_REST_SIGNING_REGION, ICE_INFO,
                      ice_conf_at_catalog(c), arg_str("name", c->name),
                      arg_str("region", c->region), arg_text("signed", "not set"));
    else if (!ice_str_equal(region->value, c->region))
        CONF_FOUND(conf, ICE_RULE_CONF_REST_SIGNING_REGION, ice_conf_at_value(region),
                   arg_str("name", c->name), arg_str("region", c->region),
                   arg_str("signed", region->value));
}

static void check_signing(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *old = ice_conf_catalog_get(c, "rest.sigv4-enabled");
    const struct ice_conf_pair *type = ice_conf_catalog_get(c, "rest.auth.type");
    bool is_signed =
        ice_conf_is_true(old) || (old != NULL && old->is_hidden) ||
        (type != NULL &&
         (type->is_hidden || ice_str_equal_nocase(type->value, ICE_STR("sigv4"))));
    if (old != NULL && ice_conf_is_at_least(c->session, "1.9.0"))
        CONF_FOUND(conf, ICE_RULE_CONF_REST_SIGV4_OLD_KEY, ice_conf_at_pair(old),
                   arg_str("name", c->name), arg_str("version", c->session->iceberg));
    if (is_signed) {
        check_signature(conf, c);
        return;
    }
    const struct ice_conf_pair *at = type != NULL ? type : old;
    CONF_FOUND(conf, ICE_RULE_CONF_REST_SIGV4_MISSING,
               at != NULL ? ice_conf_at_value(at) : ice_conf_at_catalog(c),
               arg_str("name", c->name), arg_text("service", service_of(c)));
}

/* ---- regions ---- */

static void say_region(struct ice_conf *conf, const struct ice_conf_catalog *c,
                       const char *what, struct ice_str other) {
    if (other.size > 0 && c->region.size > 0 && !ice_str_equal(other, c->region))
        CONF_FOUND(conf, ICE_RULE_CONF_REST_REGION_VS_TABLE,
                   ice_conf_at_value(ice_conf_catalog_get(c, "uri")),
                   arg_str("name", c->name), arg_str("region", c->region),
                   arg_text("what", what), arg_str("other", other));
}

static void check_region(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    struct ice_arn arn = {0};
    (void)ice_arn_parse(ice_conf_value(ice_conf_catalog_get(c, "warehouse")), &arn);
    say_region(conf, c, "the ARN in warehouse", arn.region);
    say_region(conf, c, "client.region",
               ice_conf_value(ice_conf_catalog_get(c, "client.region")));
    if (conf->request->region != NULL)
        say_region(conf, c, "--region", ice_str_from(conf->request->region));
}

/* ---- warehouse ---- */

static void check_warehouse(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_pair *warehouse = ice_conf_catalog_get(c, "warehouse");
    bool is_glue = c->endpoint == ICE_CONF_ENDPOINT_GLUE;
    if (warehouse == NULL)
        CONF_FOUND_AS(conf, ICE_RULE_CONF_REST_WAREHOUSE_MISSING,
                      is_glue ? ICE_WARN : ICE_ERROR, ice_conf_at_catalog(c),
                      arg_str("name", c->name), arg_text("service", service_of(c)));
    else if (is_glue && !warehouse->is_hidden &&
             ice_str_has(warehouse->value, ICE_STR("://")))
        CONF_FOUND(conf, ICE_RULE_CONF_REST_WAREHOUSE_SHAPE, ice_conf_at_value(warehouse),
                   arg_str("name", c->name), arg_str("warehouse", warehouse->value));
}

/* ---- versions ---- */

static void check_versions(struct ice_conf *conf, const struct ice_conf_catalog *c) {
    const struct ice_conf_session *session = c->session;
    struct ice_conf_version runtime;
    if (c->endpoint != ICE_CONF_ENDPOINT_OTHER && ice_conf_is_older(session, "1.6.0"))
        CONF_FOUND_AS(conf, ICE_RULE_CONF_REST_ICEBERG_TOO_OLD,
                      ice_conf_is_older(session, "1.2.0") ? ICE_ERROR : ICE_WARN,
                      ice_conf_at_catalog(c), arg_str("name", c->name),
                      arg_str("version", session->iceberg));
    if (session->platform == ICE_CONF_DATABRICKS &&
        ice_conf_version_parse(session->runtime, &runtime) &&
        ice_conf_version_against(&runtime, "14.3") < 0)
        CONF_FOUND(conf, ICE_RULE_CONF_REST_DBR_TOO_OLD, session->runtime_at,
                   arg_str("name", c->name), arg_str("version", session->runtime));
}

/* ---- secrets ---- */

/* Key material itself: not names of providers, scopes or intervals about it. */
static bool holds_secret(struct ice_str key) {
    static const char *const endings[] = {".access-key-id", ".secret-access-key",
                                          ".session-token", ".access.key",
                                          ".secret.key",    ".session.token",
                                          ".credential",    ".token",
                                          "jdbc.password",  ".sse.key"};
    for (size_t i = 0; i < ICE_COUNT_OF(endings); i++) {
        if (ice_str_ends(key, ice_str_from(endings[i])))
            return true;
    }
    return false;
}

static void check_secrets(struct ice_conf *conf, const struct ice_conf_session *session) {
    for (size_t i = 0; i < session->n_pairs; i++) {
        const struct ice_conf_pair *pair = &session->pairs[i];
        if (!pair->is_hidden && pair->value.size > 0 && holds_secret(pair->key))
            CONF_FOUND(conf, ICE_RULE_CONF_REST_STATIC_SECRET, ice_conf_at_pair(pair),
                       arg_str("key", pair->key));
    }
}

/* ---- a role that may do too much ---- */

static bool lists(const struct ice_iam_text *texts, size_t n, const char *a,
                  const char *b) {
    for (size_t i = 0; i < n; i++) {
        if (ice_str_equal_nocase(texts[i].text, ice_str_from(a)) ||
            ice_str_equal_nocase(texts[i].text, ice_str_from(b)))
            return true;
    }
    return false;
}

static void check_policy(struct ice_conf *conf, const struct ice_conf_input *input) {
    struct ice_iam_policies policies = {.arena = conf->arena};
    if (ice_iam_read(&policies, input->bytes, conf->run, NULL) < 0)
        return; /* what is wrong with a policy is told by its own rules */
    for (size_t i = 0; i < policies.n; i++) {
        const struct ice_iam_statement *s = &policies.statements[i];
        if (s->is_deny || s->not_action || s->not_resource ||
            !lists(s->actions, s->n_actions, "s3:*", "*") ||
            !lists(s->resources, s->n_resources, "*", "arn:aws:s3:::*"))
            continue;
        CONF_FOUND(conf, ICE_RULE_CONF_REST_DIRECT_S3_UNNEEDED,
                   ice_conf_at_offset(input, s->offset), ARG_NONE);
        return;
    }
}

void ice_conf_rules_rest(struct ice_conf *conf) {
    bool has_vending = false;
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *c = &conf->catalogs[i];
        if (c->definition == NULL || !c->is_iceberg || c->kind != ICE_CONF_CATALOG_REST)
            continue;
        check_uri(conf, c);
        check_versions(conf, c);
        if (c->endpoint == ICE_CONF_ENDPOINT_OTHER)
            continue;
        has_vending = true;
        check_signing(conf, c);
        check_region(conf, c);
        check_warehouse(conf, c);
        if (c->endpoint == ICE_CONF_ENDPOINT_S3TABLES)
            CONF_FOUND(conf, ICE_RULE_CONF_REST_NOT_IN_ATHENA, ice_conf_at_catalog(c),
                       arg_str("name", c->name));
    }
    for (size_t i = 0; i < conf->n_sessions; i++) {
        if (conf->sessions[i]->is_judged)
            check_secrets(conf, conf->sessions[i]);
    }
    for (size_t i = 0; has_vending && i < conf->n_inputs; i++) {
        if (conf->inputs[i]->kind == ICE_CONF_POLICY)
            check_policy(conf, conf->inputs[i]);
    }
}
