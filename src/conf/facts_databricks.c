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

/* The only cluster that was given; NULL: none, or several. */
static struct ice_conf_session *only_cluster(const struct ice_conf *conf) {
    struct ice_conf_session *found = NULL;
    size_t n = 0;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        if (conf->sessions[i]->kind == ICE_CONF_COMPUTE) {
            found = conf->sessions[i];
            n++;
        }
    }
    return n == 1 ? found : NULL;
}

/* A cluster of that id among the files. */
static struct ice_conf_session *cluster_named(const struct ice_conf *conf,
                                              struct ice_str id) {
    for (size_t i = 0; i < conf->n_sessions; i++) {
        struct ice_conf_session *session = conf->sessions[i];
        const struct ice_conf_node *own = ice_conf_member(session->node, "cluster_id");
        if (session->kind == ICE_CONF_COMPUTE &&
            ice_str_equal(ice_conf_node_text(own), id))
            return session;
    }
    return NULL;
}

/*
 * The session that statuses belong to: the cluster that they name; where they or the
 * cluster say no id, the only one given; else one of their own, for the libraries of two
 * clusters are on no common classpath. NULL: out of memory, or *out_is_full.
 */
static struct ice_conf_session *cluster_of(struct ice_conf *conf,
                                           const struct ice_conf_input *input,
                                           struct ice_str id, bool *out_is_full) {
    struct ice_conf_session *only = only_cluster(conf);
    struct ice_conf_session *found = id.size > 0 ? cluster_named(conf, id) : NULL;
    *out_is_full = false;
    if (found == NULL && only != NULL &&
        (id.size == 0 || ice_conf_member(only->node, "cluster_id") == NULL))
        found = only;
    if (found != NULL)
        return found;
    if (id.size == 0) {
        found = ice_conf_declared(conf, input);
    } else if (ice_conf_is_full(conf, input)) {
        *out_is_full = true;
        return NULL;
    } else {
        found = ice_conf_new_session(conf, ICE_CONF_DECLARED, input);
        if (found != NULL)
            found->name = id;
    }
    if (found != NULL && found->platform == ICE_CONF_ANY_SPARK)
        found->platform = ICE_CONF_DATABRICKS;
    return found;
}

/* A list of statuses; cluster: the object that it stands in, or NULL. */
static bool add_statuses(struct ice_conf *conf, const struct ice_conf_input *input,
                         const struct ice_conf_node *cluster,
                         const struct ice_conf_node *list) {
    bool is_full;
    struct ice_str id = ice_conf_node_text(ice_conf_member(cluster, "cluster_id"));
    struct ice_conf_session *session = cluster_of(conf, input, id, &is_full);
    if (session == NULL)
        return is_full;
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

/* The REST API has them in an object; the command line of Databricks prints the list. */
enum ice_status ice_conf_facts_libraries(struct ice_conf *conf,
                                         struct ice_conf_input *input) {
    if (ice_conf_is_library_list(input->root))
        return add_statuses(conf, input, NULL, input->root) ? ICE_OK : ICE_ENOMEM;
    for (const struct ice_conf_node *n = input->root; n != NULL;
         n = ice_conf_walk(input->root, n)) {
        if (n->kind == ICE_JSON_ARRAY && ice_str_is(n->key, "library_statuses") &&
            !add_statuses(conf, input, n->parent, n))
            return ICE_ENOMEM;
    }
    return ICE_OK;
}
