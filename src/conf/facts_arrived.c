/*
 * What a run really had: the environment of a Spark event log, or of the History Server.
 */
#include "conf/setup.h"

#include "base/compiler.h"

static bool add_pair(struct ice_conf *conf, struct ice_conf_session *session,
                     const struct ice_conf_input *input, const struct ice_conf_node *key,
                     const struct ice_conf_node *value) {
    struct ice_str name = key == value ? key->key : ice_conf_node_text(key);
    struct ice_conf_at at = {input, key == value ? key->key_offset : key->offset, value};
    return ice_conf_add_pair(conf, session, name, ice_conf_node_text(value), at,
                             ice_conf_at_node(input, value));
}

/* An object, or a list of pairs as the History Server has it. */
static bool add_properties(struct ice_conf *conf, struct ice_conf_session *session,
                           const struct ice_conf_input *input,
                           const struct ice_conf_node *list) {
    for (const struct ice_conf_node *n = list != NULL ? list->first : NULL; n != NULL;
         n = n->next) {
        bool is_pair =
            n->kind == ICE_JSON_ARRAY && n->first != NULL && n->first->next != NULL;
        if (is_pair && !add_pair(conf, session, input, n->first, n->first->next))
            return false;
        if (list->kind == ICE_JSON_OBJECT && !add_pair(conf, session, input, n, n))
            return false;
    }
    return true;
}

static bool add_classpath(struct ice_conf *conf, struct ice_conf_session *session,
                          const struct ice_conf_input *input,
                          const struct ice_conf_node *list) {
    if (list == NULL)
        return true;
    session->knows_libraries = true;
    for (const struct ice_conf_node *n = list->first; n != NULL; n = n->next) {
        const struct ice_conf_node *path = n->kind == ICE_JSON_ARRAY ? n->first : n;
        struct ice_str text =
            n->kind == ICE_JSON_ARRAY ? ice_conf_node_text(path) : n->key;
        size_t before = session->n_libraries;
        if (path == NULL || !ice_str_ends(text, ICE_STR(".jar")))
            continue;
        if (!ice_conf_add_library(conf, session, text, ice_conf_at_node(input, path)))
            return false;
        if (session->n_libraries > before)
            session->libraries[before].is_on_classpath = true;
    }
    return true;
}

static struct ice_str listed_value(const struct ice_conf_session *session,
                                   const char *key) {
    return ice_conf_value(ice_conf_get(session, key));
}

/* Who ran it, as far as its own settings say. */
static void see_platform(struct ice_conf_session *session) {
    struct ice_str databricks =
        listed_value(session, "spark.databricks.clusterUsageTags.sparkVersion");
    if (databricks.size > 0) {
        session->platform = ICE_CONF_DATABRICKS;
        (void)ice_conf_databricks_key(databricks, &session->runtime, &session->scala);
    } else if (ice_conf_get(session, "spark.glue.GLUE_VERSION") != NULL ||
               ice_conf_get(session, "spark.glue.JOB_NAME") != NULL) {
        session->platform = ICE_CONF_GLUE;
        session->runtime = listed_value(session, "spark.glue.GLUE_VERSION");
    } else if (ice_conf_get(session, "spark.emr.default.executor.memory") != NULL ||
               ice_conf_get(session, "spark.emr-serverless.driver.disk") != NULL) {
        session->platform = ICE_CONF_EMR;
    }
}

enum ice_status ice_conf_facts_arrived(struct ice_conf *conf,
                                       struct ice_conf_input *input) {
    static const char *const settings[] = {"Spark Properties", "sparkProperties"};
    static const char *const paths[] = {"Classpath Entries", "classpathEntries"};
    if (input->root == NULL) { /* a log without an environment */
        ice_emit_not_evaluated(conf->emit, "conf.*",
                               ICE_STR("the event log holds no environment "
                                       "(SparkListenerEnvironmentUpdate)"),
                               true, input->name);
        return ICE_OK;
    }
    struct ice_conf_session *session =
        ice_conf_new_session(conf, ICE_CONF_ARRIVED, input);
    if (session == NULL)
        return ICE_ENOMEM;
    session->node = input->root;
    session->name = ice_conf_node_text(ice_conf_member(input->root, "Spark Version"));
    for (size_t i = 0; i < ICE_COUNT_OF(settings); i++) {
        if (!add_properties(conf, session, input,
                            ice_conf_member(input->root, settings[i])) ||
            !add_classpath(conf, session, input, ice_conf_member(input->root, paths[i])))
            return ICE_ENOMEM;
    }
    session->name = listed_value(session, "spark.app.name");
    see_platform(session);
    return ICE_OK;
}
