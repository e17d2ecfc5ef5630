/*
 * Rules of the group conf.glue that look at the script of a job.
 */
#include "conf/script_cells.h"
#include "conf/glue_job.h"

#include "base/compiler.h"

bool ice_conf_is_glue_script(const struct ice_conf *conf,
                             const struct ice_conf_input *script) {
    for (const struct ice_conf_cell *c = script->cells; c != NULL; c = c->next) {
        if (c->script.is_glue)
            return true;
    }
    return script->kind == ICE_CONF_PYTHON && ice_conf_has(conf, ICE_CONF_GLUE_JOB);
}

/* A job of the setup runs on Glue 5.0 or later, where catalogs are static. */
static bool is_static_glue(const struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_sessions; i++) {
        struct ice_conf_version version;
        if (conf->sessions[i]->kind == ICE_CONF_JOB &&
            ice_conf_version_parse(conf->sessions[i]->runtime, &version) &&
            ice_conf_version_against(&version, "5.0") >= 0)
            return true;
    }
    return false;
}

static void check_setting(struct ice_conf *conf, const struct ice_conf_cell *cell,
                          const struct ice_py_call *call) {
    const struct ice_py_arg *arg = ice_py_arg_at(call, 0);
    if (arg == NULL || !arg->is_text)
        return;
    /* what a hole names is behind the part that matters here */
    const struct ice_str key = arg->text.text;
    const bool is_extensions = ice_str_is(key, "spark.sql.extensions");
    if (!is_extensions && !ice_str_starts(key, ICE_STR("spark.sql.catalog.")))
        return;
    const struct ice_conf_at at =
        ice_conf_cell_at(cell, ice_py_text_offset(&arg->text, 0));
    if (call->role == ICE_PY_CONF_SET)
        CONF_FOUND_AS(conf, ICE_RULE_CONF_GLUE_STATIC_IN_SCRIPT,
                      is_extensions || is_static_glue(conf) ? ICE_ERROR : ICE_WARN, at,
                      arg_str("key", key));
    else if (call->role == ICE_PY_BUILDER || call->role == ICE_PY_PAIR)
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_BUILDER_IN_SCRIPT, at, arg_str("key", key));
}

static bool some_job_sets(const struct ice_conf *conf, struct ice_str name) {
    char argument[160] = "--";
    if (name.size + 3 > sizeof(argument))
        return true;
    memcpy(argument + 2, name.data, name.size);
    argument[name.size + 2] = '\0';
    for (size_t i = 0; i < conf->n_sessions; i++) {
        if (conf->sessions[i]->kind == ICE_CONF_JOB &&
            ice_conf_glue_argument(conf->sessions[i], argument) != NULL)
            return true;
    }
    return false;
}

static void check_options(struct ice_conf *conf, const struct ice_conf_cell *cell,
                          const struct ice_py_call *call) {
    /* Glue passes these itself */
    static const char *const given[] = {"JOB_NAME", "JOB_ID", "JOB_RUN_ID",
                                        "WORKFLOW_NAME", "WORKFLOW_RUN_ID"};
    for (const struct ice_py_arg *arg = call->first; arg != NULL; arg = arg->next) {
        const struct ice_str name = ice_py_literal(arg);
        bool is_given = !arg->is_item || name.size == 0;
        for (size_t i = 0; i < ICE_COUNT_OF(given); i++)
            is_given = is_given || ice_str_is(name, given[i]);
        if (!is_given && !some_job_sets(conf, name))
            CONF_FOUND(conf, ICE_RULE_CONF_GLUE_ARGUMENT_UNSET,
                       ice_conf_cell_at(cell, ice_py_text_offset(&arg->text, 0)),
                       arg_str("name", name));
    }
}

/* Job( without init or commit. */
static void check_lifecycle(struct ice_conf *conf, const struct ice_conf_input *script) {
    const struct ice_conf_cell *job_cell = NULL;
    const struct ice_py_call *job = NULL;
    bool has_init = false, has_commit = false;
    for (const struct ice_conf_cell *c = script->cells; c != NULL; c = c->next) {
        for (const struct ice_py_call *k = c->script.first; k != NULL; k = k->next) {
            has_init = has_init || k->role == ICE_PY_INIT;
            has_commit = has_commit || k->role == ICE_PY_COMMIT;
            if (k->role == ICE_PY_JOB && job == NULL) {
                job = k;
                job_cell = c;
            }
        }
    }
    if (job != NULL && !(has_init && has_commit))
        CONF_FOUND(conf, ICE_RULE_CONF_GLUE_JOB_LIFECYCLE,
                   ice_conf_cell_at(job_cell, job->offset),
                   arg_text("missing", has_init     ? "commit"
                                       : has_commit ? "init"
                                                    : "init and commit"));
}

static void check_script(struct ice_conf *conf, const struct ice_conf_input *script) {
    const bool has_job = ice_conf_has(conf, ICE_CONF_GLUE_JOB);
    for (const struct ice_conf_cell *c = script->cells; c != NULL; c = c->next) {
        for (const struct ice_py_call *k = c->script.first; k != NULL; k = k->next) {
            check_setting(conf, c, k);
            if (k->role == ICE_PY_OPTIONS && has_job)
                check_options(conf, c, k);
        }
    }
    check_lifecycle(conf, script);
}

void ice_conf_rules_glue_script(struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_inputs; i++) {
        if (ice_conf_is_glue_script(conf, conf->inputs[i]))
            check_script(conf, conf->inputs[i]);
    }
}
