/*
 * Adding facts, and looking at them.
 */
#include "conf/setup.h"

#include "base/compiler.h"

/* Beyond, a file is no configuration that a session could have. */
enum { MOST_PAIRS = 5000, MOST_LIBRARIES = 5000, MOST_SECRETS = 200 };

static const char redacted[] = "*********(redacted)";

/* Words that are values of settings about secrets, not secrets. */
static bool is_harmless(struct ice_str value) {
    int64_t number;
    return value.size == 0 || ice_str_is(value, redacted) ||
           ice_str_equal_nocase(value, ICE_STR("true")) ||
           ice_str_equal_nocase(value, ICE_STR("false")) ||
           (value.size < 8 && ice_str_to_i64(value, &number));
}

static bool note_secret(struct ice_conf *conf, struct ice_str key, struct ice_str value) {
    if (!ice_conf_is_secret_key(key) || is_harmless(value))
        return true;
    if (conf->n_secrets == MOST_SECRETS) {
        conf->masks_all = true;
        return true;
    }
    if (!ice_array_reserve(&conf->run->alloc, &conf->secrets, conf->n_secrets,
                           &conf->cap_secrets, sizeof(*conf->secrets)))
        return false;
    conf->secrets[conf->n_secrets++] = value;
    return true;
}

void ice_conf_say_too_many(struct ice_conf *conf, const struct ice_conf_input *input) {
    ice_emit_not_evaluated(
        conf->emit, "conf.*",
        ICE_STR("more jobs, catalogs, settings or libraries than are looked at"), true,
        input->name);
}

bool ice_conf_add_pair(struct ice_conf *conf, struct ice_conf_session *session,
                       struct ice_str key, struct ice_str value, struct ice_conf_at at,
                       struct ice_conf_at value_at) {
    if (session->n_pairs == MOST_PAIRS) {
        ice_conf_say_too_many(conf, at.input);
        return true;
    }
    if (!ice_array_reserve(&conf->run->alloc, &session->pairs, session->n_pairs,
                           &session->cap_pairs, sizeof(*session->pairs)) ||
        !note_secret(conf, key, value))
        return false;
    session->pairs[session->n_pairs++] =
        (struct ice_conf_pair){.key = key,
                               .value = value,
                               .at = at,
                               .value_at = value_at,
                               .is_hidden = ice_str_is(value, redacted) ||
                                            ice_str_find(value, '$') != SIZE_MAX ||
                                            ice_str_starts(value, ICE_STR("{{"))};
    return true;
}

bool ice_conf_add_library(struct ice_conf *conf, struct ice_conf_session *session,
                          struct ice_str text, struct ice_conf_at at) {
    if (session->n_libraries == MOST_LIBRARIES) {
        ice_conf_say_too_many(conf, at.input);
        return true;
    }
    if (!ice_array_reserve(&conf->run->alloc, &session->libraries, session->n_libraries,
                           &session->cap_libraries, sizeof(*session->libraries)))
        return false;
    struct ice_conf_library *library = &session->libraries[session->n_libraries++];
    *library = (struct ice_conf_library){.text = text, .at = at};
    (void)ice_conf_jar_parse(text, &library->jar);
    return true;
}

/* ---- looking ---- */

const struct ice_conf_pair *ice_conf_get(const struct ice_conf_session *session,
                                         const char *key) {
    const struct ice_conf_pair *found = NULL;
    for (size_t i = 0; i < session->n_pairs; i++) {
        if (ice_str_is(session->pairs[i].key, key))
            found = &session->pairs[i];
    }
    return found;
}

struct ice_str ice_conf_property_of(const struct ice_conf_catalog *catalog,
                                    const struct ice_conf_pair *pair) {
    size_t prefix = sizeof("spark.sql.catalog.") - 1 + catalog->name.size;
    return ice_str_from_index(pair->key, prefix + 1);
}

const struct ice_conf_pair *ice_conf_catalog_get(const struct ice_conf_catalog *catalog,
                                                 const char *property) {
    const struct ice_conf_pair *found = NULL;
    for (size_t i = 0; i < catalog->n_pairs; i++) {
        if (ice_str_is(ice_conf_property_of(catalog, catalog->pairs[i]), property))
            found = catalog->pairs[i];
    }
    return found;
}

struct ice_str ice_conf_value(const struct ice_conf_pair *pair) {
    return pair == NULL || pair->is_hidden ? ICE_STR_NONE : pair->value;
}

bool ice_conf_is_true(const struct ice_conf_pair *pair) {
    return ice_str_equal_nocase(ice_conf_value(pair), ICE_STR("true"));
}

bool ice_conf_has(const struct ice_conf *conf, enum ice_conf_kind kind) {
    for (size_t i = 0; i < conf->n_inputs; i++) {
        if (conf->inputs[i]->kind == kind)
            return true;
    }
    return false;
}

bool ice_conf_is_older(const struct ice_conf_session *session, const char *version) {
    struct ice_conf_version own;
    return ice_conf_version_parse(session->iceberg, &own) &&
           ice_conf_version_against(&own, version) < 0;
}

bool ice_conf_is_at_least(const struct ice_conf_session *session, const char *version) {
    struct ice_conf_version own;
    return ice_conf_version_parse(session->iceberg, &own) &&
           ice_conf_version_against(&own, version) >= 0;
}

/* ---- by kind ---- */

enum ice_status ice_conf_facts(struct ice_conf *conf, struct ice_conf_input *input) {
    switch (input->kind) {
    case ICE_CONF_PROPERTIES:
        return ice_conf_facts_properties(conf, input);
    case ICE_CONF_SUBMIT:
        return ice_conf_facts_submit(conf, input);
    case ICE_CONF_GLUE_JOB:
        return ice_conf_facts_glue(conf, input);
    case ICE_CONF_CLUSTER:
        return ice_conf_facts_cluster(conf, input);
    case ICE_CONF_LIBRARIES:
        return ice_conf_facts_libraries(conf, input);
    case ICE_CONF_EVENT_LOG:
    case ICE_CONF_ENVIRONMENT:
        return ice_conf_facts_arrived(conf, input);
    case ICE_CONF_PYTHON:
    case ICE_CONF_NOTEBOOK:
    case ICE_CONF_SQL:
        return ice_conf_facts_text(conf, input);
    case ICE_CONF_POLICY: /* read by its rules */
    case ICE_CONF_POINTERS:
    case ICE_CONF_METADATA:
    case ICE_CONF_LOG:
    case ICE_CONF_UNKNOWN:
    case ICE_CONF_KINDS:
        break;
    }
    return ICE_OK;
}
