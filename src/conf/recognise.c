/*
 * What an input is: one table for JSON, one for text. The first row that fits counts.
 */
#include "conf/setup.h"
#include "base/chars.h"

#include "base/compiler.h"

const char *ice_conf_kind_name(enum ice_conf_kind kind) {
    static const char *const names[ICE_CONF_KINDS] = {
        [ICE_CONF_UNKNOWN] = "nothing known",
        [ICE_CONF_PROPERTIES] = "Spark properties",
        [ICE_CONF_GLUE_JOB] = "Glue job",
        [ICE_CONF_CLUSTER] = "Databricks cluster or job",
        [ICE_CONF_LIBRARIES] = "Databricks library status",
        [ICE_CONF_EVENT_LOG] = "Spark event log",
        [ICE_CONF_ENVIRONMENT] = "History Server environment",
        [ICE_CONF_SUBMIT] = "spark-submit line",
        [ICE_CONF_PYTHON] = "Python script",
        [ICE_CONF_NOTEBOOK] = "notebook",
        [ICE_CONF_SQL] = "SQL text",
        [ICE_CONF_POLICY] = "policy",
        [ICE_CONF_POINTERS] = "export of a catalog",
        [ICE_CONF_METADATA] = "Iceberg table metadata",
        [ICE_CONF_LOG] = "log of a reader",
    };
    return names[kind];
}

/* ---- JSON ---- */

enum { MOST_PATHS = 3 };

/*
 * Members that a document of the kind has, all of them. "A.B" is a path, "A[]" is a
 * member that is an array.
 */
static const struct {
    enum ice_conf_kind kind;
    const char *paths[MOST_PATHS];
} documents[] = {
    {ICE_CONF_GLUE_JOB, {"Job.Command"}},
    {ICE_CONF_GLUE_JOB, {"Job.DefaultArguments"}},
    {ICE_CONF_GLUE_JOB, {"Jobs[]"}},
    {ICE_CONF_GLUE_JOB, {"Command", "DefaultArguments"}},
    {ICE_CONF_GLUE_JOB, {"Command.ScriptLocation"}},
    {ICE_CONF_CLUSTER, {"spark_version", "spark_conf"}},
    {ICE_CONF_CLUSTER, {"spark_version", "node_type_id"}},
    {ICE_CONF_CLUSTER, {"spark_version", "cluster_id"}},
    {ICE_CONF_CLUSTER, {"settings.job_clusters[]"}},
    {ICE_CONF_CLUSTER, {"settings.tasks[]"}},
    {ICE_CONF_CLUSTER, {"job_clusters[]"}},
    {ICE_CONF_CLUSTER, {"tasks[]"}},
    {ICE_CONF_CLUSTER, {"new_cluster.spark_version"}},
    {ICE_CONF_CLUSTER, {"spec.clusters[]"}},
    {ICE_CONF_CLUSTER, {"pipeline_id", "clusters[]"}},
    {ICE_CONF_LIBRARIES, {"library_statuses[]"}},
    {ICE_CONF_LIBRARIES, {"statuses[]"}},
    {ICE_CONF_ENVIRONMENT, {"sparkProperties[]"}},
    {ICE_CONF_POLICY, {"Statement"}},
    {ICE_CONF_POLICY, {"PolicyVersion.Document"}},
    {ICE_CONF_POLICY, {"PolicyDocument"}},
    {ICE_CONF_POLICY, {"PolicyInJson"}},
    {ICE_CONF_POLICY, {"PolicyList[]"}},
    {ICE_CONF_POLICY, {"AttachedPolicies[]"}},
    {ICE_CONF_POLICY, {"GetResourcePoliciesResponseList[]"}},
    {ICE_CONF_POLICY, {"RoleDetailList[]"}},
    {ICE_CONF_POLICY, {"Policies[]"}},
    {ICE_CONF_NOTEBOOK, {"cells[]", "nbformat"}},
    {ICE_CONF_METADATA, {"format-version", "table-uuid"}},
    {ICE_CONF_METADATA, {"format-version", "location"}},
};

static bool has_path(const struct ice_conf_node *root, const char *path) {
    char plain[64];
    size_t size = strlen(path);
    bool is_array = size > 2 && strcmp(path + size - 2, "[]") == 0;
    size -= is_array ? 2 : 0;
    if (size >= sizeof(plain))
        return false;
    memcpy(plain, path, size);
    plain[size] = '\0';
    const struct ice_conf_node *node = ice_conf_path(root, plain);
    return node != NULL && (!is_array || node->kind == ICE_JSON_ARRAY);
}

bool ice_conf_is_library_list(const struct ice_conf_node *root) {
    return ice_conf_is(root, ICE_JSON_ARRAY) &&
           ice_conf_is(ice_conf_member(root->first, "library"), ICE_JSON_OBJECT) &&
           ice_conf_member(root->first, "status") != NULL;
}

enum ice_conf_kind ice_conf_recognise_json(struct ice_str name,
                                           const struct ice_conf_node *root) {
    if (ice_conf_is_library_list(root))
        return ICE_CONF_LIBRARIES;
    /* lists of jobs or statements: by their first element */
    if (ice_conf_is(root, ICE_JSON_ARRAY))
        root = root->first;
    for (size_t i = 0; i < ICE_COUNT_OF(documents); i++) {
        bool fits = true;
        for (size_t k = 0; fits && k < MOST_PATHS && documents[i].paths[k] != NULL; k++)
            fits = has_path(root, documents[i].paths[k]);
        if (fits)
            return documents[i].kind;
    }
    return ice_str_ends(name, ICE_STR(".ipynb")) ? ICE_CONF_NOTEBOOK : ICE_CONF_UNKNOWN;
}

/* ---- text ---- */

static bool is_blank(char c) {
    return ice_is_blank(c) || c == '\f';
}

static struct ice_str trim_start(struct ice_str text) {
    size_t at = ice_str_starts(text, ICE_STR("\xef\xbb\xbf")) ? 3 : 0;
    while (at < text.size && is_blank(text.data[at]))
        at++;
    return ice_str_from_index(text, at);
}

bool ice_conf_is_json(struct ice_str first) {
    first = trim_start(first);
    return first.size > 0 && (first.data[0] == '{' || first.data[0] == '[');
}

/* The next line without its end; false behind the last. */
static bool next_line(struct ice_str *rest, struct ice_str *out) {
    if (rest->size == 0)
        return false;
    size_t end = 0;
    while (end < rest->size && rest->data[end] != '\n' && rest->data[end] != '\r')
        end++;
    end = end < rest->size ? end : SIZE_MAX;
    *out = end == SIZE_MAX ? *rest : ice_str_first(*rest, end);
    *rest = end == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(*rest, end + 1);
    return true;
}

static bool is_event_log(struct ice_str first) {
    static const char head[] = "{\"Event\":\"SparkListener";
    first = trim_start(first);
    for (size_t i = 0, k = 0; k < sizeof(head) - 1; i++) {
        if (i == first.size)
            return false;
        if (first.data[i] == head[k])
            k++;
        else if (first.data[i] != ' ')
            return false;
    }
    return true;
}

/* A key of Spark with a value behind it: no call of a script's. */
static bool is_setting(struct ice_str line) {
    size_t at = 0;
    if (!ice_str_starts(line, ICE_STR("spark.")))
        return false;
    while (at < line.size && strchr("(){}[],;\"'", line.data[at]) == NULL &&
           !is_blank(line.data[at]) && line.data[at] != '=' && line.data[at] != ':')
        at++;
    return at == line.size || is_blank(line.data[at]) || line.data[at] == '=' ||
           line.data[at] == ':';
}

/* The first line that is no comment begins with a key of Spark. */
static bool is_properties(struct ice_str first) {
    struct ice_str line;
    for (struct ice_str rest = first; next_line(&rest, &line);) {
        line = trim_start(line);
        if (line.size == 0 || line.data[0] == '#' || line.data[0] == '!')
            continue;
        return is_setting(line);
    }
    return false;
}

/* A word that ends in the name of a program that starts Spark, and an option behind. */
static bool is_submit(struct ice_str first) {
    static const char *const programs[] = {"spark-submit", "spark-sql", "spark-shell",
                                           "pyspark"};
    struct ice_str line;
    for (struct ice_str rest = first; next_line(&rest, &line);) {
        line = trim_start(line);
        if (line.size > 0 && line.data[0] == '#')
            continue;
        for (size_t i = 0; i < ICE_COUNT_OF(programs); i++) {
            size_t size = strlen(programs[i]);
            const char *found =
                line.size == 0 ? NULL : memmem(line.data, line.size, programs[i], size);
            if (found == NULL)
                continue;
            size_t end = (size_t)(found - line.data) + size;
            if (end == line.size || is_blank(line.data[end]))
                return true;
        }
    }
    return false;
}

static const struct {
    const char *ending;
    enum ice_conf_kind kind;
} endings[] = {
    {".py", ICE_CONF_PYTHON},
    {".sql", ICE_CONF_SQL},
    {".ddl", ICE_CONF_SQL},
    {".hql", ICE_CONF_SQL},
};

static const struct {
    enum ice_conf_kind kind;
    bool (*fits)(struct ice_str first);
} texts[] = {
    {ICE_CONF_EVENT_LOG, is_event_log},
    {ICE_CONF_PROPERTIES, is_properties},
    {ICE_CONF_SUBMIT, is_submit},
};

enum ice_conf_kind ice_conf_recognise(struct ice_str name, struct ice_str first) {
    for (size_t i = 0; i < ICE_COUNT_OF(endings); i++) {
        if (ice_str_ends(name, ice_str_from(endings[i].ending)))
            return endings[i].kind;
    }
    for (size_t i = 0; i < ICE_COUNT_OF(texts); i++) {
        if (texts[i].fits(first))
            return texts[i].kind;
    }
    /* from standard input, without a name: the first line of a script says so */
    first = trim_start(first);
    if (ice_str_starts(first, ICE_STR("# Databricks notebook source")) ||
        ice_str_starts(first, ICE_STR("import ")) ||
        ice_str_starts(first, ICE_STR("from ")))
        return ICE_CONF_PYTHON;
    return ICE_CONF_UNKNOWN;
}
