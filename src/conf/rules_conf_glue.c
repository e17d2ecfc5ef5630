/*
 * Rules of the group conf.glue: the job, its arguments, the one --conf string. What its
 * script says belongs to rules_conf_glue_script.c.
 */
#include "conf/glue_job.h"
#include "base/chars.h"

#include "base/compiler.h"
#include "conf/arn.h"

const struct ice_conf_node *ice_conf_glue_argument(const struct ice_conf_session *job,
                                                   const char *name) {
    /* the ones that a run cannot override win */
    const struct ice_conf_node *node =
        ice_conf_member(ice_conf_member(job->node, "NonOverridableArguments"), name);
    if (node != NULL)
        return node;
    return ice_conf_member(ice_conf_member(job->node, "DefaultArguments"), name);
}

static const struct ice_conf_catalog *
iceberg_catalog(const struct ice_conf *conf, const struct ice_conf_session *job) {
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        if (conf->catalogs[i].session == job && conf->catalogs[i].is_iceberg)
            return &conf->catalogs[i];
    }
    return NULL;
}

/* A byte of a string of the job. */
static struct ice_conf_at at_index(const struct ice_conf_session *job,
                                   const struct ice_conf_node *node, size_t index) {
    return (struct ice_conf_at){
        job->input, ice_conf_text_offset(job->input->bytes, node, index), node};
}

/* Filled in later, by CloudFormation or a shell. */
static bool is_open(struct ice_str text) {
    return ice_str_find(text, '$') != SIZE_MAX || ice_str_starts(text, ICE_STR("{{"));
}

/* ---- formats and jars ---- */

static bool lists_iceberg(struct ice_str list) {
    struct ice_str entry;
    for (size_t at = 0; ice_conf_jar_next(list, ',', &at, &entry);) {
        if (ice_str_equal_nocase(entry, ICE_STR("iceberg")))
            return true;
    }
    return false;
}

static const struct ice_conf_library *iceberg_jar(const struct ice_conf_session *job) {
    for (size_t i = 0; i < job->n_libraries; i++) {
        const enum ice_conf_artifact kind = job->libraries[i].jar.kind;
        const struct ice_str text = job->libraries[i].text;
        if (kind == ICE_CONF_JAR_RUNTIME || kind == ICE_CONF_JAR_OTHER_ICEBERG)
            return &job->libraries[i];
        /* an own build, under whatever name */
        const struct ice_str name =
            ice_str_from_index(text, ice_str_rfind(text, '/') + 1);
        if (kind == ICE_CONF_JAR_OTHER && ice_str_has(name, ICE_STR("iceberg")))
            return &job->libraries[i];
    }
    return NULL;
}

static void check_formats(struct ice_conf *conf, const struct ice_conf_session *job,
                          const struct ice_conf_catalog *catalog) {
    const struct ice_conf_node *formats =
        ice_conf_glue_argument(job, "--datalake-formats");
    const struct ice_str text = ice_conf_node_text(formats);
    const struct ice_conf_library *jar = iceberg_jar(job);
    if (is_open(text))
        return;
    if (lists_iceberg(text)) {
        if (jar != NULL)
            CONF_FOUND(conf, ICE_RULE_CONF_GLUE_TWO_ICEBERGS, jar->at,
                       arg_str("jar", jar->text));
    } else if (jar == NULL && catalog != NULL) {
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_DATALAKE_FORMATS,
                   formats != NULL ? ice_conf_at_node(job->input, formats)
                                   : ice_conf_at_catalog(catalog),
                   arg_str("catalog", catalog->name));
    }
}

/* ---- the --conf string ---- */

static void check_leading_flag(struct ice_conf *conf, const struct ice_conf_session *job,
                               const struct ice_conf_node *node) {
    size_t at = 0;
    while (at < node->text.size && ice_is_blank(node->text.data[at]))
        at++;
    const struct ice_str rest = ice_str_from_index(node->text, at);
    if (ice_str_starts(rest, ICE_STR("--conf")) && rest.size > 6 &&
        (ice_is_blank(rest.data[6]) || rest.data[6] == '='))
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_CONF_LEADING_FLAG, at_index(job, node, at),
                   ARG_NONE);
}

/* Where a setting begins inside of a value: "spark.x=" behind a separator. SIZE_MAX: no
 * such place. */
static size_t swallowed(struct ice_str value) {
    const struct ice_str key = ICE_STR("spark.");
    for (size_t i = 1; i + key.size < value.size; i++) {
        const char before = value.data[i - 1];
        if ((!ice_is_blank(before) && before != ',' && before != ';') ||
            !ice_str_starts(ice_str_from_index(value, i), key))
            continue;
        for (size_t k = i; k < value.size && !ice_is_blank(value.data[k]); k++) {
            if (value.data[k] == '=')
                return i;
        }
    }
    return SIZE_MAX;
}

static void check_separators(struct ice_conf *conf, const struct ice_conf_session *job,
                             const struct ice_conf_node *node) {
    for (size_t i = 0; i < job->n_pairs; i++) {
        const struct ice_conf_pair *pair = &job->pairs[i];
        const size_t at = pair->at.node == node ? swallowed(pair->value) : SIZE_MAX;
        if (at == SIZE_MAX)
            continue;
        const struct ice_str rest = ice_str_from_index(pair->value, at);
        const size_t index = (size_t)(rest.data - node->text.data);
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_CONF_SEPARATOR, at_index(job, node, index),
                   arg_str("key", ice_str_first(rest, ice_str_find(rest, '='))),
                   arg_str("before", pair->key));
    }
}

/* What a shell would have taken away: quotes around a setting or its value, a backslash
 * in front of a quote or a blank, a variable. */
static bool is_residue(struct ice_str text, size_t i) {
    const char c = text.data[i];
    const char before = i > 0 ? text.data[i - 1] : ' ';
    const char behind = i + 1 < text.size ? text.data[i + 1] : ' ';
    if (c == '"' || c == '\'')
        return ice_is_blank(before) || before == '=' || ice_is_blank(behind);
    if (c == '\\')
        return behind == '"' || behind == '\'' || ice_is_blank(behind) || behind == '$';
    return c == '$' &&
           (ice_is_letter(behind) || behind == '{' || behind == '_' || behind == '(');
}

static void check_residue(struct ice_conf *conf, const struct ice_conf_session *job,
                          const struct ice_conf_node *node) {
    /* options of the JVM have quotes of their own */
    if (ice_str_has(node->text, ICE_STR("JavaOptions")))
        return;
    for (size_t i = 0; i < node->text.size; i++) {
        if (!is_residue(node->text, i))
            continue;
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_CONF_SHELL_RESIDUE, at_index(job, node, i),
                   arg_str("text", ice_str_first(ice_str_from_index(node->text, i), 2)));
        return;
    }
}

/* ---- names ---- */

static void check_catalog_name(struct ice_conf *conf,
                               const struct ice_conf_session *job) {
    static const char *const names[] = {"--catalog_name", "--catalog-name",
                                        "--CATALOG_NAME"};
    const struct ice_conf_catalog *catalog = iceberg_catalog(conf, job);
    if (catalog == NULL)
        return;
    for (size_t i = 0; i < ICE_COUNT_OF(names); i++) {
        const struct ice_conf_node *node = ice_conf_glue_argument(job, names[i]);
        const struct ice_str name = ice_conf_node_text(node);
        if (name.size == 0 || is_open(name) || ice_conf_knows_catalog(conf, job, name))
            continue;
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_CATALOG_NAME,
                   ice_conf_at_node(job->input, node), arg_text("argument", names[i]),
                   arg_str("name", name), arg_str("catalog", catalog->name));
    }
}

/* account, or account:catalog/name of a federated catalog. */
static void check_glue_id(struct ice_conf *conf, const struct ice_conf_catalog *catalog) {
    const struct ice_conf_pair *pair = ice_conf_catalog_get(catalog, "glue.id");
    const struct ice_str id = ice_conf_value(pair);
    if (pair == NULL || pair->is_hidden || ice_str_find(id, '<') != SIZE_MAX)
        return;
    const struct ice_str s3tables = ICE_STR("s3tablescatalog");
    const size_t colon = ice_str_find(id, ':');
    const struct ice_str path =
        colon == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(id, colon + 1);
    const bool is_bare = ice_str_starts(path, s3tables) &&
                         (path.size <= s3tables.size + 1 || path.data[15] != '/');
    if (!ice_arn_is_account(ice_str_first(id, colon)) || is_bare ||
        (colon != SIZE_MAX && path.size == 0)) {
        CONF_FOUND(
            conf, ICE_RULE_CONF_GLUE_GLUE_ID_SHAPE, ice_conf_at_value(pair),
            arg_str("id", id),
            arg_text("problem", "is no account or account:s3tablescatalog/BUCKET"));
        return;
    }
    struct ice_arn arn;
    const struct ice_str warehouse =
        ice_conf_value(ice_conf_catalog_get(catalog, "warehouse"));
    if (!ice_str_starts(path, s3tables) || !ice_arn_parse(warehouse, &arn) ||
        ice_arn_table_bucket(&arn).size == 0)
        return;
    const struct ice_str bucket = ice_str_from_index(path, s3tables.size + 1);
    const struct ice_str own = ice_arn_table_bucket(&arn);
    if (!ice_str_equal(ice_str_first(id, colon), arn.account) ||
        !ice_str_equal(bucket, own))
        CONF_FOUND(
            conf, ICE_RULE_CONF_GLUE_GLUE_ID_SHAPE, ice_conf_at_value(pair),
            arg_str("id", id),
            arg_text("problem", "names another account or bucket than the warehouse"));
}

/* ---- the job ---- */

static bool has_s3tables(const struct ice_conf *conf,
                         const struct ice_conf_session *job) {
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        if (conf->catalogs[i].session == job && conf->catalogs[i].is_s3tables)
            return true;
    }
    return false;
}

static void check_version(struct ice_conf *conf, const struct ice_conf_session *job) {
    struct ice_conf_version version;
    const char *problem = NULL;
    if (is_open(job->runtime))
        return;
    if (job->runtime.size == 0)
        problem = "which Spark the job gets is left to the service";
    else if (!ice_conf_version_parse(job->runtime, &version))
        problem = "it is no number";
    else if (ice_conf_version_against(&version, "3.0") < 0)
        problem = "it has no data lake formats";
    else if (ice_conf_version_against(&version, "5.0") < 0 && has_s3tables(conf, job))
        problem = "it is too old for S3 Tables";
    if (problem != NULL)
        CONF_FOUND(
            conf, ICE_RULE_CONF_GLUE_VERSION, job->runtime_at,
            arg_str("version", job->runtime.size > 0 ? job->runtime : ICE_STR("not set")),
            arg_text("problem", problem));
}

static void check_command(struct ice_conf *conf, const struct ice_conf_session *job) {
    const struct ice_conf_node *command = ice_conf_member(job->node, "Command");
    const struct ice_conf_node *name = ice_conf_member(command, "Name");
    const struct ice_conf_node *python = ice_conf_member(command, "PythonVersion");
    const struct ice_conf_node *script = ice_conf_member(command, "ScriptLocation");
    const struct ice_str text = ice_conf_node_text(name);
    if (name != NULL && !ice_str_is(text, "glueetl") &&
        !ice_str_is(text, "gluestreaming"))
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_COMMAND, ice_conf_at_node(job->input, name),
                   arg_text("member", "Name"), arg_str("value", text));
    if (ice_str_starts(ice_conf_node_text(python), ICE_STR("2")))
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_COMMAND, ice_conf_at_node(job->input, python),
                   arg_text("member", "PythonVersion"),
                   arg_str("value", ice_conf_node_text(python)));
    if (script != NULL && ice_conf_node_text(script).size == 0)
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_COMMAND, ice_conf_at_node(job->input, script),
                   arg_text("member", "ScriptLocation"), arg_text("value", ""));
}

/* ---- templates ---- */

/* The first <NAME> in a text; its size, 0: none. (?<name> belongs to a pattern. */
static size_t placeholder(struct ice_str text, size_t *out_at) {
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '<' || (i > 0 && text.data[i - 1] == '?'))
            continue;
        size_t end = i + 1;
        while (end < text.size &&
               (ice_is_letter(text.data[end]) ||
                (end > i + 1 && strchr("0123456789_- ", text.data[end]) != NULL &&
                 text.data[end] != '\0')))
            end++;
        if (end > i + 1 && end < text.size && text.data[end] == '>') {
            *out_at = i;
            return end + 1 - i;
        }
    }
    return 0;
}

static void check_placeholders(struct ice_conf *conf,
                               const struct ice_conf_session *job) {
    static const char *const members[] = {"Role", "Command", "DefaultArguments",
                                          "NonOverridableArguments", "Connections"};
    for (size_t m = 0; m < ICE_COUNT_OF(members); m++) {
        const struct ice_conf_node *root = ice_conf_member(job->node, members[m]);
        for (const struct ice_conf_node *n = root; n != NULL;
             n = ice_conf_walk(root, n)) {
            size_t at;
            const size_t size =
                n->kind == ICE_JSON_STRING ? placeholder(n->text, &at) : 0;
            if (size > 0)
                CONF_FOUND(conf, ICE_RULE_CONF_GLUE_PLACEHOLDER, at_index(job, n, at),
                           arg_str("text", ice_str_make(n->text.data + at, size)));
        }
    }
}

static void check_job(struct ice_conf *conf, const struct ice_conf_session *job) {
    const struct ice_conf_catalog *catalog = iceberg_catalog(conf, job);
    const struct ice_conf_node *settings = ice_conf_glue_argument(job, "--conf");
    if (ice_conf_is(settings, ICE_JSON_STRING)) {
        check_leading_flag(conf, job, settings);
        check_separators(conf, job, settings);
        check_residue(conf, job, settings);
    }
    check_formats(conf, job, catalog);
    check_placeholders(conf, job);
    check_catalog_name(conf, job);
    if (catalog == NULL)
        return; /* a job that has nothing to do with Iceberg */
    check_version(conf, job);
    check_command(conf, job);
}

void ice_conf_rules_glue(struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_sessions; i++) {
        if (conf->sessions[i]->kind == ICE_CONF_JOB)
            check_job(conf, conf->sessions[i]);
    }
    for (size_t i = 0; i < conf->n_catalogs; i++)
        check_glue_id(conf, &conf->catalogs[i]);
    ice_conf_rules_glue_script(conf);
}
