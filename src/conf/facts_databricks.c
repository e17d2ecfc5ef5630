/*
 * Databricks: clusters, the new clusters of jobs and pipelines, and library statuses.
 */
#include "conf/setup.h"

static bool add_conf(struct ice_conf *conf, struct ice_conf_session *session,
                     const struct ice_conf_input *input,
                     const struct ice_conf_node *map) {
    if (!ice_conf_is(map, ICE_JSON_OBJECT))
        return true;
    for (const struct ice_conf_node *n = map->first; n != NULL; n = n->next) {
        struct ice_conf_at key = {input, n->key_offset, n};
        if (!ice_conf_add_pair(conf, session, n->key, ice_conf_node_text(n), key,
                               ice_conf_at_node(input, n)))
            return false;
    }
    return true;
}

/* {"maven":{"coordinates":…}}, {"jar":…}: one library of a list. */
static const struct ice_conf_node *library_name(const struct ice_conf_node *library) {
    const struct ice_conf_node *name = ice_conf_path(library, "maven.coordinates");
    return name != NULL ? name : ice_conf_member(library, "jar");
}

static bool add_libraries(struct ice_conf *conf, struct ice_conf_session *session,
                          const struct ice_conf_input *input,
                          const struct ice_conf_node *list) {
    if (!ice_conf_is(list, ICE_JSON_ARRAY))
        return true;
    session->knows_libraries = true;
    for (const struct ice_conf_node *n = list->first; n != NULL; n = n->next) {
        const struct ice_conf_node *name = library_name(n);
        if (ice_conf_is(name, ICE_JSON_STRING) &&
            !ice_conf_add_library(conf, session, name->text,
                                  ice_conf_at_node(input, name)))
            return false;
    }
    return true;
}

static bool is_compute(const struct ice_conf_node *node) {
    return node->kind == ICE_JSON_OBJECT &&
           (ice_conf_is(ice_conf_member(node, "spark_version"), ICE_JSON_STRING) ||
            ice_conf_is(ice_conf_member(node, "spark_conf"), ICE_JSON_OBJECT));
}

/* Libraries beside the cluster: those of the task that it is for, or of all tasks. */
static bool add_task_libraries(struct ice_conf *conf, struct ice_conf_session *session,
                               const struct ice_conf_input *input,
                               const struct ice_conf_node *cluster) {
    const struct ice_conf_node *key = ice_conf_member(cluster->parent, "job_cluster_key");
    if (!ice_str_is(cluster->key, "new_cluster"))
        return true;
    if (key == NULL) /* of the task itself */
        return add_libraries(conf, session, input,
                             ice_conf_member(cluster->parent, "libraries"));
    for (const struct ice_conf_node *n = input->root; n != NULL;
         n = ice_conf_walk(input->root, n)) {
        const struct ice_conf_node *own = ice_conf_member(n, "job_cluster_key");
        if (own != NULL && n != cluster->parent &&
            ice_str_equal(ice_conf_node_text(own), ice_conf_node_text(key)) &&
            !add_libraries(conf, session, input, ice_conf_member(n, "libraries")))
            return false;
    }
    return true;
}

static bool add_cluster(struct ice_conf *conf, const struct ice_conf_input *input,
                        const struct ice_conf_node *cluster) {
    if (ice_conf_is_full(conf, input))
        return true;
    struct ice_conf_session *session =
        ice_conf_new_session(conf, ICE_CONF_COMPUTE, input);
    const struct ice_conf_node *version = ice_conf_member(cluster, "spark_version");
    if (session == NULL)
        return false;
    session->node = cluster;
    session->platform = ICE_CONF_DATABRICKS;
    session->name = ice_conf_node_text(ice_conf_member(cluster, "cluster_name"));
    if (version != NULL) {
        session->runtime_at = ice_conf_at_node(input, version);
        (void)ice_conf_databricks_key(ice_conf_node_text(version), &session->runtime,
                                      &session->scala);
    }
    return add_conf(conf, session, input, ice_conf_member(cluster, "spark_conf")) &&
           add_libraries(conf, session, input, ice_conf_member(cluster, "libraries")) &&
           add_task_libraries(conf, session, input, cluster);
}

enum ice_status ice_conf_facts_cluster(struct ice_conf *conf,
                                       struct ice_conf_input *input) {
    for (const struct ice_conf_node *n = input->root; n != NULL;
         n = ice_conf_walk(input->root, n)) {
        if (is_compute(n) && !add_cluster(conf, input, n))
            return ICE_ENOMEM;
    }
    return ICE_OK;
}

/* ---- library status ---- */

/* The cluster that the statuses are of: the only one, or none. */
static struct ice_conf_session *cluster_of(struct ice_conf *conf,
                                           const struct ice_conf_input *input) {
    struct ice_conf_session *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        if (conf->sessions[i]->kind == ICE_CONF_COMPUTE) {
            found = conf->sessions[i];
            n++;
        }
    }
    if (n == 1)
        return found;
    found = ice_conf_declared(conf, input);
    if (found != NULL && found->platform == ICE_CONF_ANY_SPARK)
        found->platform = ICE_CONF_DATABRICKS;
    return found;
}

static bool add_statuses(struct ice_conf *conf, const struct ice_conf_input *input,
                         struct ice_conf_session *session,
                         const struct ice_conf_node *list) {
    session->knows_libraries = true;
    for (const struct ice_conf_node *n = list->first; n != NULL; n = n->next) {
        const struct ice_conf_node *name = library_name(ice_conf_member(n, "library"));
        if (!ice_conf_is(name, ICE_JSON_STRING))
            continue;
        size_t before = session->n_libraries;
        if (!ice_conf_add_library(conf, session, name->text,
                                  ice_conf_at_node(input, name)))
            return false;
        if (session->n_libraries > before)
            session->libraries[before].status =
                ice_conf_node_text(ice_conf_member(n, "status"));
    }
    return true;
}

enum ice_status ice_conf_facts_libraries(struct ice_conf *conf,
                                         struct ice_conf_input *input) {
    struct ice_conf_session *session = cluster_of(conf, input);
    if (session == NULL)
        return ICE_ENOMEM;
    for (const struct ice_conf_node *n = input->root; n != NULL;
         n = ice_conf_walk(input->root, n)) {
        if (n->kind == ICE_JSON_ARRAY && ice_str_is(n->key, "library_statuses") &&
            !add_statuses(conf, input, session, n))
            return ICE_ENOMEM;
    }
    return ICE_OK;
}
