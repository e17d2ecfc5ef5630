/*
 * ice_lint_conf: read all inputs, draw the facts, run the rules in the order in which a
 * person excludes causes, deliver.
 */
#include "conf/setup.h"

#include "base/compiler.h"
#include "base/error.h"
#include <stdio.h>

struct lint {
    struct ice_summary_box base; /* first: the public handle */
};

/*
 * The order of the report: what hides the rest comes first. A finding's place begins with
 * its section.
 */
static const struct {
    unsigned section;
    void (*run)(struct ice_conf *conf);
} groups[] = {
    {1, ice_conf_rules_jar},       /* are the classes there? */
    {2, ice_conf_rules_catalog},   /* is the catalog registered? */
    {3, ice_conf_rules_iam},       /* who asks? */
    {4, ice_conf_rules_warehouse}, /* where? */
    {4, ice_conf_rules_rest},       {5, ice_conf_rules_glue},  /* job and script */
    {5, ice_conf_rules_script},     {6, ice_conf_rules_cache}, /* how fresh? */
    {7, ice_conf_rules_databricks},
};

/* ---- what was not given ---- */

/* Families of rules, the kinds of which one is needed, and how to get it. */
static const struct {
    const char *what;
    unsigned kinds; /* bit 1 << enum ice_conf_kind */
    const char *why;
} families[] = {
#define KIND(kind) (1u << ICE_CONF_##kind)
#define SETTINGS                                                                         \
    (KIND(PROPERTIES) | KIND(SUBMIT) | KIND(GLUE_JOB) | KIND(CLUSTER) |                  \
     KIND(EVENT_LOG) | KIND(ENVIRONMENT))
    {"conf.catalog.*", SETTINGS, "no settings of Spark given"},
    {"conf.glue.*", KIND(GLUE_JOB), "no Glue job given (aws glue get-job)"},
    {"conf.sql.*", KIND(PYTHON) | KIND(NOTEBOOK) | KIND(SQL), "no script or SQL given"},
    {"conf.dbr.*", KIND(CLUSTER),
     "no Databricks cluster given (databricks clusters get)"},
    {"conf.iam.*", KIND(POLICY), "no policy given (aws iam get-role-policy)"},
#undef SETTINGS
#undef KIND
};

static void name_not_given(struct ice_conf *conf) {
    unsigned given = 0;
    for (size_t i = 0; i < conf->n_inputs; i++)
        given |= 1u << conf->inputs[i]->kind;
    for (size_t i = 0; i < ICE_COUNT_OF(families); i++) {
        if ((given & families[i].kinds) == 0)
            ice_conf_not_checked(conf, families[i].what, families[i].why);
    }
}

/* ---- the run ---- */

static void note_input(const struct ice_options *options,
                       const struct ice_conf_input *input) {
    char text[512], name[256];
    if (options->on_note == NULL)
        return;
    const char *kind = ice_conf_kind_name(input->kind);
    (void)snprintf(text, sizeof(text), "%s: %s",
                   ice_escape(name, sizeof(name), input->name), kind);
    options->on_note(1, ice_str_from(text), options->user);
}

/* Library statuses belong to a cluster that another file may tell of: they come last. */
static enum ice_status draw_facts(struct ice_conf *conf) {
    for (int is_late = 0; is_late < 2; is_late++) {
        for (size_t i = 0; i < conf->n_inputs; i++) {
            if ((conf->inputs[i]->kind == ICE_CONF_LIBRARIES) == (is_late == 1))
                ICE_TRY(ice_conf_facts(conf, conf->inputs[i]));
        }
    }
    if (!ice_conf_settle_sessions(conf))
        return ICE_ENOMEM;
    return ice_conf_see_catalogs(conf);
}

static enum ice_status run(struct ice_conf *conf, const struct ice_options *options,
                           struct ice_error *err) {
    for (size_t i = 0; i < conf->request->n_paths; i++) {
        size_t before = conf->n_inputs;
        ICE_TRY(ice_conf_read_input(conf, conf->request->paths[i], err));
        if (conf->n_inputs > before)
            note_input(options, conf->inputs[before]);
    }
    if (draw_facts(conf) < 0)
        return ice_error_memory(err);
    for (size_t i = 0; i < ICE_COUNT_OF(groups); i++) {
        conf->section = groups[i].section;
        groups[i].run(conf);
    }
    name_not_given(conf);
    /* a rule that read manifests stopped there: what it says is not whole */
    if (options->cancelled != NULL && options->cancelled(options->user))
        return ice_error_set(err, ICE_ECANCELLED, NULL, ICE_NO_OFFSET, "interrupted");
    return ice_emit_status(conf->emit) < 0 ? ice_error_memory(err) : ICE_OK;
}

void ice_conf_release(struct ice_conf *conf) {
    struct ice_alloc *alloc = &conf->run->alloc;
    for (size_t i = 0; i < conf->n_sessions; i++)
        ice_conf_session_release(conf, conf->sessions[i]);
    if (conf->declared != NULL)
        ice_conf_session_release(conf, conf->declared);
    ice_table_release(&conf->told);
    for (size_t i = 0; i < conf->n_catalogs; i++)
        ice_array_free(alloc, &conf->catalogs[i].pairs, &conf->catalogs[i].cap_pairs,
                       sizeof(const struct ice_conf_pair *));
    ice_array_free(alloc, &conf->catalogs, &conf->cap_catalogs, sizeof(*conf->catalogs));
    ice_array_free(alloc, &conf->sessions, &conf->cap_sessions,
                   sizeof(struct ice_conf_session *));
    ice_array_free(alloc, &conf->inputs, &conf->cap_inputs,
                   sizeof(struct ice_conf_input *));
    ice_array_free(alloc, &conf->secrets, &conf->cap_secrets, sizeof(*conf->secrets));
    ice_array_free(alloc, &conf->reads, &conf->cap_reads, sizeof(*conf->reads));
    ice_pointers_release(&conf->pointers);
}

static uint64_t bytes_read(const struct ice_conf *conf) {
    uint64_t n = 0;
    for (size_t i = 0; i < conf->n_inputs; i++)
        n += conf->inputs[i]->bytes.size;
    return n;
}

static enum ice_status lint(struct lint *box, const struct ice_conf_request *request,
                            const struct ice_options *options, ice_finding_fn on_finding,
                            void *user, struct ice_error *err) {
    struct ice_summary *summary = &box->base.summary;
    struct ice_conf conf = {.run = &box->base.run,
                            .arena = &box->base.arena,
                            .request = request,
                            .options = options};
    conf.run->cancelled = options->cancelled;
    conf.run->cancelled_user = options->user;
    ice_pointers_init(&conf.pointers, conf.run);
    enum ice_status status = ice_emit_open(&conf.emit, conf.run, options, err);
    box->base.emit = conf.emit;
    if (status >= 0)
        status = run(&conf, options, err);
    summary->interrupted = status == ICE_ECANCELLED;
    summary->table = ICE_STR("configuration");
    summary->picked_by = "argument";
    summary->scope_snapshots = "all";
    summary->depth = "metadata";
    summary->n_bytes = bytes_read(&conf);
    if (conf.emit != NULL && (status >= 0 || summary->interrupted)) {
        enum ice_status delivered = ice_emit_deliver(
            conf.emit, summary->table, ICE_STR_NONE, on_finding, user, summary, err);
        status = summary->interrupted && delivered >= 0 ? status : delivered;
    }
    ice_conf_release(&conf);
    return status;
}

/* ---- the request ---- */

static bool is_one_of(const char *word, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (word == NULL || strcmp(word, words[i]) == 0)
            return true;
    }
    return false;
}

static enum ice_status check_request(const struct ice_conf_request *request,
                                     const struct ice_options *options,
                                     struct ice_summary **out, struct ice_error *err) {
    static const char *const platforms[] = {"glue", "databricks", "emr", "spark"};
    static const char *const profiles[] = {"glue-read", "glue-write", "s3tables-etl",
                                           "rest-vended"};
    if (out == NULL || request == NULL || request->n_paths == 0 ||
        (options != NULL && options->size < sizeof(size_t)))
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "lint-conf needs a file of configuration");
    if (!is_one_of(request->platform, platforms, ICE_COUNT_OF(platforms)))
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "no such platform: there are glue, databricks, emr, spark");
    if (!is_one_of(request->iam_profile, profiles, ICE_COUNT_OF(profiles)))
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "no such profile: there are glue-read, glue-write, "
                             "s3tables-etl, rest-vended");
    return ICE_OK;
}

enum ice_status ice_lint_conf(const struct ice_conf_request *request,
                              const struct ice_options *options,
                              ice_finding_fn on_finding, void *user,
                              struct ice_summary **out, struct ice_error *err) {
    /* the caller may have been built with an older, shorter struct */
    struct ice_options all = ICE_OPTIONS_INIT;
    ICE_TRY(check_request(request, options, out, err));
    *out = NULL;
    if (options != NULL)
        memcpy(&all, options, options->size < sizeof(all) ? options->size : sizeof(all));
    all.size = sizeof(all);
    struct lint *box = (struct lint *)ice_summary_box_new(sizeof(*box), &all, err);
    if (box == NULL)
        return ICE_ENOMEM;
    enum ice_status status = lint(box, request, &all, on_finding, user, err);
    if (status >= 0 || (status == ICE_ECANCELLED && box->base.emit != NULL))
        *out = &box->base.summary;
    else
        ice_summary_free(&box->base.summary);
    return status;
}
