/*
 * Group 38: may the role do what its catalogs need?
 * Reads the policies of a setup (iam_setup.c) and the needed actions (iam_needs.def).
 * Only what is in the files counts, and every run says so.
 */
#include "conf/iam_setup.h"

#include "conf/arn.h"
#include "rule/emit.h"

static struct ice_str resource_text(struct ice_str resource) {
    return resource.size > 0 ? resource : ICE_STR("any resource");
}

static struct ice_conf_at at_statement(const struct ice_iam_side *side, size_t index) {
    return ice_conf_at_offset(side->inputs[index], side->statements[index].offset);
}

static struct ice_iam_verdict ask(const struct ice_iam_setup *setup,
                                  struct ice_str action, struct ice_str resource) {
    return ice_iam_ask(setup->own.statements, setup->own.n, action, resource);
}

/* ---- one needed action ---- */

/* An Allow names the action; *out: the first resource of the last one, and whether any
 * resource of them can match that shape. */
static bool is_named(const struct ice_iam_setup *setup, struct ice_str action,
                     enum ice_iam_shape shape, struct ice_iam_text *out, size_t *out_at,
                     bool *out_fits) {
    bool named = false;
    *out_fits = false;
    for (size_t i = 0; i < setup->own.n; i++) {
        const struct ice_iam_statement *s = &setup->own.statements[i];
        if (s->is_deny || !ice_iam_names_action(s, action))
            continue;
        *out_fits = *out_fits || s->not_resource;
        for (size_t k = 0; k < s->n_resources; k++) {
            named = true;
            *out = s->resources[k];
            *out_at = i;
            *out_fits = *out_fits || ice_iam_fits_shape(s->resources[k].text, shape);
        }
    }
    return named;
}

static enum ice_rule_id rule_of(enum ice_iam_profile profile, struct ice_str action) {
    bool is_glue = ice_str_starts(action, ICE_STR("glue:"));
    switch (profile) {
    case ICE_IAM_S3TABLES_ETL:
        return is_glue ? ICE_RULE_CONF_IAM_S3TABLES_GLUE : ICE_RULE_CONF_IAM_S3TABLES;
    case ICE_IAM_GLUE_READ:
    case ICE_IAM_GLUE_WRITE:
    case ICE_IAM_REST_VENDED:
        break;
    }
    return ice_str_starts(action, ICE_STR("s3:")) ? ICE_RULE_CONF_IAM_S3_READ
                                                  : ICE_RULE_CONF_IAM_GLUE_READ;
}

static void missing(const struct ice_iam_setup *setup, const struct ice_iam_need *need,
                    struct ice_str resource) {
    struct ice_conf *conf = setup->conf;
    struct ice_str action = ice_str_from(need->action);
    if (setup->n_unknown > 0 || ice_iam_is_managed(setup, action) ||
        ice_iam_by_others(setup, false, action, resource) != SIZE_MAX)
        return; /* a policy that is not here may grant it; said once for all */
    CONF_FOUND_AS(conf, rule_of(need->profile, action),
                  ice_iam_s3_severity(setup, action),
                  ice_conf_at_start(setup->own.inputs[0]), arg_str("action", action),
                  arg_str("resource", resource_text(resource)),
                  arg_text("profile", ice_iam_profile_name(need->profile)));
}

static void denied(const struct ice_iam_setup *setup, const struct ice_iam_need *need,
                   struct ice_str resource, const struct ice_iam_side *side,
                   size_t index) {
    struct ice_conf *conf = setup->conf;
    CONF_FOUND_AS(
        conf, ICE_RULE_CONF_IAM_DENY,
        ice_iam_s3_severity(setup, ice_str_from(need->action)), at_statement(side, index),
        arg_text("action", need->action), arg_str("resource", resource_text(resource)),
        arg_str("statement", ice_iam_statement_text(conf, &side->statements[index])),
        arg_text("profile", ice_iam_profile_name(need->profile)));
}

static void judge(const struct ice_iam_setup *setup, const struct ice_iam_need *need,
                  struct ice_str resource, bool *depends) {
    struct ice_str action = ice_str_from(need->action);
    size_t by_others = ice_iam_by_others(setup, true, action, resource);
    if (by_others != SIZE_MAX) {
        denied(setup, need, resource, &setup->others, by_others);
        return;
    }
    struct ice_iam_verdict verdict = ask(setup, action, resource);
    switch (verdict.answer) {
    case ICE_IAM_ALLOWED:
        return;
    case ICE_IAM_DEPENDS:
        *depends = true;
        return;
    case ICE_IAM_NOT_GRANTED:
        missing(setup, need, resource);
        return;
    case ICE_IAM_DENIED:
        denied(setup, need, resource, &setup->own, verdict.statement);
        return;
    }
}

/* Actions on buckets and objects: where the table is, is data-location's to say. */
static void judge_s3(const struct ice_iam_setup *setup, const struct ice_iam_need *need,
                     bool *depends) {
    struct ice_str action = ice_str_from(need->action);
    enum ice_iam_shape shape =
        need->target == ICE_IAM_ON_S3_BUCKET ? ICE_IAM_BUCKET : ICE_IAM_OBJECT;
    struct ice_iam_text resource = {0};
    size_t at = 0;
    bool fits;
    if (!setup->needs_s3)
        return;
    if (is_named(setup, action, shape, &resource, &at, &fits) && !fits &&
        !ice_iam_is_managed(setup, action) && setup->n_unknown == 0 &&
        ice_iam_by_others(setup, false, action, ICE_STR_NONE) == SIZE_MAX)
        CONF_FOUND_AS(setup->conf, ICE_RULE_CONF_IAM_S3_RESOURCE_SHAPE,
                      ice_iam_s3_severity(setup, action),
                      ice_conf_at_offset(setup->own.inputs[at], resource.offset),
                      arg_str("action", action), arg_str("resource", resource.text));
    else
        judge(setup, need, ICE_STR_NONE, depends);
}

/* ---- Glue's resources ---- */

/* Text of arn:PARTITION:glue:REGION:ACCOUNT:… with the parts of a pattern of a policy,
 * where it has them without wildcards: the region is seldom in any other file. */
static struct ice_str glue_arn(const struct ice_iam_setup *setup,
                               const struct ice_arn *like, struct ice_str resource) {
    bool has_region = ice_str_find(like->region, '*') == SIZE_MAX;
    struct ice_str account = setup->account.size > 0 ? setup->account : like->account;
    if (!ice_arn_is_account(account))
        account = ICE_STR("123456789012");
    const struct ice_str parts[] = {
        ICE_STR("arn:"),
        like->partition.size > 0 && ice_str_find(like->partition, '*') == SIZE_MAX
            ? like->partition
            : ICE_STR("aws"),
        ICE_STR(":glue:"),
        has_region && like->region.size > 0 ? like->region : ICE_STR("us-east-1"),
        ICE_STR(":"),
        account,
        ICE_STR(":"),
        resource,
    };
    return ice_iam_join(setup->conf, parts, sizeof(parts) / sizeof(parts[0]));
}

/* The resources that an action needs at once: catalog, then database, then table. */
enum { GLUE_RESOURCES = 3 };
static size_t glue_resources(const struct ice_iam_setup *setup,
                             enum ice_iam_target target,
                             struct ice_str out[GLUE_RESOURCES]) {
    struct ice_conf *conf = setup->conf;
    const struct ice_str slash = ICE_STR("/");
    size_t n = 0;
    out[n++] = ICE_STR("catalog");
    if (target == ICE_IAM_ON_CATALOG)
        return n;
    const struct ice_str database[] = {ICE_STR("database"), slash, setup->database};
    out[n++] = ice_iam_join(conf, database, 3);
    if (target == ICE_IAM_ON_DATABASE)
        return n;
    const struct ice_str table[] = {ICE_STR("table"), slash, setup->database, slash,
                                    setup->table};
    out[n++] = ice_iam_join(conf, table, 5);
    return n;
}

/* How many of the resources may be used, in the place that one pattern names; *out: the
 * first that may not. */
static size_t granted_like(const struct ice_iam_setup *setup, struct ice_str action,
                           const struct ice_arn *like, const struct ice_str *resources,
                           size_t n, struct ice_str *out) {
    for (size_t i = 0; i < n; i++) {
        *out = glue_arn(setup, like, resources[i]);
        enum ice_iam_answer answer = ask(setup, action, *out).answer;
        if (answer == ICE_IAM_NOT_GRANTED || answer == ICE_IAM_DENIED)
            return i;
    }
    return n;
}

/* The best that any region and account named in the policies gives; all of the needed
 * resources, or the ARN that lacks. */
static bool is_glue_granted(const struct ice_iam_setup *setup, struct ice_str action,
                            enum ice_iam_target target, struct ice_str *out_lacking) {
    struct ice_str resources[GLUE_RESOURCES];
    size_t n = glue_resources(setup, target, resources);
    struct ice_arn like = {0};
    size_t best = granted_like(setup, action, &like, resources, n, out_lacking);
    for (size_t i = 0; i < setup->own.n && best < n; i++) {
        const struct ice_iam_statement *s = &setup->own.statements[i];
        for (size_t k = 0; k < s->n_resources && best < n; k++) {
            struct ice_str lacking;
            if (!ice_arn_parse(s->resources[k].text, &like) ||
                !ice_str_is(like.service, "glue"))
                continue;
            size_t granted = granted_like(setup, action, &like, resources, n, &lacking);
            if (granted >= best) {
                best = granted;
                *out_lacking = lacking;
            }
        }
    }
    return best == n;
}

static void judge_glue(const struct ice_iam_setup *setup, const struct ice_iam_need *need,
                       bool *depends) {
    struct ice_str action = ice_str_from(need->action), lacking = ICE_STR_NONE;
    /* the catalogs of table buckets have names of their own in Glue */
    bool is_known = setup->table.size > 0 && setup->database.size > 0 &&
                    need->profile != ICE_IAM_S3TABLES_ETL;
    if (!is_known || ask(setup, action, ICE_STR_NONE).answer == ICE_IAM_NOT_GRANTED)
        judge(setup, need, ICE_STR_NONE, depends);
    else if (!is_glue_granted(setup, action, need->target, &lacking))
        judge(setup, need, lacking, depends);
}

static void judge_need(const struct ice_iam_setup *setup, const struct ice_iam_need *need,
                       bool *depends) {
    switch (need->target) {
    case ICE_IAM_ON_S3_BUCKET:
    case ICE_IAM_ON_S3_OBJECT:
        judge_s3(setup, need, depends);
        return;
    case ICE_IAM_ON_CATALOG:
    case ICE_IAM_ON_DATABASE:
    case ICE_IAM_ON_GLUE_TABLE:
        judge_glue(setup, need, depends);
        return;
    case ICE_IAM_ON_CONNECTION:
    case ICE_IAM_ON_TABLE_BUCKET:
    case ICE_IAM_ON_TABLE:
    case ICE_IAM_ON_ANYTHING:
        break;
    }
    judge(setup, need, ICE_STR_NONE, depends);
}

/* ---- what the statements say by themselves ---- */

static void check_action_names(const struct ice_iam_setup *setup,
                               const struct ice_iam_side *side) {
    for (size_t i = 0; i < side->n; i++) {
        const struct ice_iam_statement *s = &side->statements[i];
        for (size_t k = 0; k < s->n_actions; k++) {
            struct ice_str service, action;
            if (!ice_iam_action_near(s->actions[k].text, &service, &action))
                continue;
            const struct ice_str parts[] = {service, ICE_STR(":"), action};
            CONF_FOUND(setup->conf, ICE_RULE_CONF_IAM_ACTION_UNKNOWN,
                       ice_conf_at_offset(side->inputs[i], s->actions[k].offset),
                       arg_str("action", s->actions[k].text),
                       arg_str("known", ice_iam_join(setup->conf, parts, 3)));
        }
    }
}

/* The first needed action that a statement allows on everything. */
static void check_star(const struct ice_iam_setup *setup, size_t index) {
    const struct ice_iam_statement *s = &setup->own.statements[index];
    bool is_star = false;
    for (size_t k = 0; k < s->n_resources && !s->not_resource; k++)
        is_star = is_star || ice_str_is(s->resources[k].text, "*");
    if (!is_star || s->is_deny || s->has_condition)
        return;
    for (unsigned p = 0; p < ICE_IAM_PROFILES; p++) {
        size_t n;
        const struct ice_iam_need *needs = ice_iam_needs((enum ice_iam_profile)p, &n);
        for (size_t i = 0; i < n && setup->profiles[p]; i++) {
            if (needs[i].target == ICE_IAM_ON_ANYTHING ||
                !ice_iam_names_action(s, ice_str_from(needs[i].action)))
                continue;
            CONF_FOUND(setup->conf, ICE_RULE_CONF_IAM_RESOURCE_STAR,
                       at_statement(&setup->own, index),
                       arg_str("statement", ice_iam_statement_text(setup->conf, s)),
                       arg_text("action", needs[i].action));
            return;
        }
    }
}

static bool is_allowed(const struct ice_iam_setup *setup, struct ice_str action) {
    enum ice_iam_answer answer = ask(setup, action, ICE_STR_NONE).answer;
    return answer == ICE_IAM_ALLOWED || answer == ICE_IAM_DEPENDS ||
           ice_iam_is_managed(setup, action);
}

static void check_lists(const struct ice_iam_setup *setup) {
    if (setup->n_unknown > 0 || !is_allowed(setup, ICE_STR("glue:GetDatabases")) ||
        is_allowed(setup, ICE_STR("glue:GetTable")))
        return;
    CONF_FOUND(setup->conf, ICE_RULE_CONF_IAM_LIST_ONLY,
               ice_conf_at_start(setup->own.inputs[0]), ARG_NONE);
}

static void check_managed(const struct ice_iam_setup *setup) {
    if (setup->attached_in == NULL || !ice_conf_has(setup->conf, ICE_CONF_GLUE_JOB))
        return;
    for (size_t i = 0; i < setup->attached.n; i++) {
        if (ice_str_ends(setup->attached.items[i].text, ICE_STR("/AWSGlueServiceRole")))
            return;
    }
    CONF_FOUND(setup->conf, ICE_RULE_CONF_IAM_MANAGED_POLICY,
               ice_conf_at_start(setup->attached_in), ARG_NONE);
}

/* ---- all of it ---- */

static void check_needs(const struct ice_iam_setup *setup) {
    bool depends = false;
    for (unsigned p = 0; p < ICE_IAM_PROFILES; p++) {
        size_t n;
        const struct ice_iam_need *needs = ice_iam_needs((enum ice_iam_profile)p, &n);
        for (size_t i = 0; i < n && setup->profiles[p]; i++) {
            bool is_glue =
                ice_str_starts(ice_str_from(needs[i].action), ICE_STR("glue:"));
            if (p != ICE_IAM_S3TABLES_ETL || !is_glue || setup->needs_glue)
                judge_need(setup, &needs[i], &depends);
        }
    }
    if (depends)
        ice_conf_not_checked(setup->conf, "needed actions under a condition",
                             "whether a Condition or a policy variable holds is not "
                             "known from the files");
}

static void check_role(const struct ice_iam_setup *setup) {
    struct ice_conf *conf = setup->conf;
    if (setup->n_unknown > 0)
        ice_conf_not_checked(conf, "needed actions",
                             "documents of attached policies were not given: aws iam "
                             "get-policy-version prints them");
    if (!setup->has_profile) {
        ice_conf_not_checked(conf, "needed actions",
                             "no catalog on AWS is configured here: give --iam-profile");
        return;
    }
    check_needs(setup);
    if (setup->profiles[ICE_IAM_GLUE_READ] || setup->profiles[ICE_IAM_GLUE_WRITE])
        check_lists(setup);
    for (size_t i = 0; i < setup->own.n; i++)
        check_star(setup, i);
}

void ice_conf_rules_iam(struct ice_conf *conf) {
    struct ice_iam_setup setup;
    if (ice_iam_setup_read(conf, &setup) < 0) {
        ice_emit_no_memory(conf->emit);
        return;
    }
    check_action_names(&setup, &setup.own);
    check_action_names(&setup, &setup.others);
    if (setup.own.n > 0)
        check_role(&setup);
    check_managed(&setup);
    ice_iam_table_rules(&setup);
    if (ice_conf_has(conf, ICE_CONF_POLICY))
        ice_conf_not_checked(conf,
                             "service control policies, permission boundaries and "
                             "session policies",
                             "they are in none of the files; each of them may still "
                             "refuse what is allowed here");
}
