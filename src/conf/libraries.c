/*
 * Jars of a session: those that its settings name, and what the list of them leaves open.
 */
#include "conf/setup.h"

#include "base/compiler.h"

/* Settings that name jars. Of each the last value counts, as Spark has it: a list on the
 * command line replaces the one in a file. */
static const struct {
    const char *key;
    char separator;
} lists[] = {
    {"spark.jars", ','},
    {"spark.jars.packages", ','},
    {"spark.yarn.dist.jars", ','},
    {"spark.driver.extraClassPath", ':'},
    {"spark.executor.extraClassPath", ':'},
};

/* EMR keeps its own jars there, Iceberg's with the AWS SDK among them. */
static const char emr_directory[] = "/usr/share/aws/";

/* Of a class path, directories that hold classes and settings name no jar. */
static bool names_jars(struct ice_str entry, char separator) {
    return separator == ',' || ice_str_ends(entry, ICE_STR(".jar")) ||
           ice_str_ends(entry, ICE_STR("*")) || ice_str_find(entry, '$') != SIZE_MAX;
}

static bool add_list(struct ice_conf *conf, struct ice_conf_session *session,
                     const struct ice_conf_pair *pair, char separator) {
    struct ice_str entry;
    struct ice_conf_at at = pair->value_at;
    for (size_t next = 0; ice_conf_jar_next(pair->value, separator, &next, &entry);) {
        struct ice_conf_at here = at;
        here.offset +=
            at.node == NULL ? (uint64_t)(entry.data - pair->value.data) : (uint64_t)0;
        if (names_jars(entry, separator) &&
            !ice_conf_add_library(conf, session, entry, here))
            return false;
    }
    return true;
}

static void see_emr(struct ice_conf_session *session) {
    for (size_t i = 0; i < session->n_libraries; i++) {
        if (session->platform == ICE_CONF_ANY_SPARK &&
            ice_str_has(session->libraries[i].text, ice_str_from(emr_directory)))
            session->platform = ICE_CONF_EMR;
    }
}

bool ice_conf_see_libraries(struct ice_conf *conf, struct ice_conf_session *session) {
    for (size_t i = 0; i < ICE_COUNT_OF(lists); i++) {
        const struct ice_conf_pair *pair = ice_conf_get(session, lists[i].key);
        if (pair != NULL && !add_list(conf, session, pair, lists[i].separator))
            return false;
    }
    see_emr(session);
    return true;
}

/* ---- what the list leaves open ---- */

/* A directory, a pattern, a variable, or a jar of one's own, into which anything may have
 * been packed. */
static bool is_opaque(const struct ice_conf_library *library) {
    struct ice_str text = library->text;
    bool is_file = library->jar.group.size == 0;
    return ice_str_find(text, '*') != SIZE_MAX || ice_str_find(text, '$') != SIZE_MAX ||
           ice_str_find(text, '`') != SIZE_MAX || ice_str_ends(text, ICE_STR("/")) ||
           (is_file && library->jar.kind == ICE_CONF_JAR_OTHER);
}

bool ice_conf_may_hide_jars(const struct ice_conf_session *session) {
    if (session->kind == ICE_CONF_ARRIVED) /* it names every file */
        return false;
    for (size_t i = 0; i < session->n_libraries; i++) {
        if (is_opaque(&session->libraries[i]))
            return true;
    }
    const struct ice_conf_node *scripts = ice_conf_member(session->node, "init_scripts");
    return ice_conf_member(session->node, "docker_image") != NULL ||
           (ice_conf_is(scripts, ICE_JSON_ARRAY) && scripts->first != NULL);
}

bool ice_conf_names_iceberg(const struct ice_conf_session *session) {
    for (size_t i = 0; i < session->n_libraries; i++) {
        enum ice_conf_artifact kind = session->libraries[i].jar.kind;
        if (kind == ICE_CONF_JAR_RUNTIME || kind == ICE_CONF_JAR_AWS_BUNDLE ||
            kind == ICE_CONF_JAR_OTHER_ICEBERG)
            return true;
    }
    return false;
}

bool ice_conf_has_other_runtime(const struct ice_conf_session *session) {
    for (size_t i = 0; i < session->n_libraries; i++) {
        struct ice_str text = session->libraries[i].text;
        if (session->libraries[i].jar.kind != ICE_CONF_JAR_RUNTIME &&
            (ice_str_has(text, ICE_STR("iceberg-spark")) ||
             ice_str_has(text, ICE_STR("iceberg_spark"))))
            return true;
    }
    return false;
}
