/*
 * Group 38, the rules that compare policies with tables: places outside of the grant,
 * catalogs of other accounts, Lake Formation.
 * Reads policies, exports of catalogs and metadata files of a setup; manifests are read
 * by iam_files.c.
 */
#include "conf/iam_setup.h"

#include "conf/arn.h"
#include "rule/emit.h"

#include <stdio.h>

/* ---- places of the table ---- */

/* The best answer in any partition of AWS, for the files do not tell which it is. */
static struct ice_iam_verdict ask_s3(const struct ice_iam_setup *setup,
                                     struct ice_str action, struct ice_str bucket,
                                     struct ice_str path, struct ice_str name) {
    struct ice_iam_verdict best = {ICE_IAM_NOT_GRANTED, SIZE_MAX};
    for (size_t i = 0; i < ICE_IAM_S3_PREFIXES; i++) {
        const struct ice_str parts[] = {ice_str_from(ice_iam_s3_prefixes[i]),
                                        bucket,
                                        name.size > 0 ? ICE_STR("/") : name,
                                        path,
                                        path.size > 0 && name.size > 0 ? ICE_STR("/")
                                                                       : ICE_STR_NONE,
                                        name};
        struct ice_str arn = ice_iam_join(setup->conf, parts, 6);
        struct ice_iam_verdict verdict =
            ice_iam_ask(setup->own.statements, setup->own.n, action, arn);
        if (verdict.answer != ICE_IAM_NOT_GRANTED)
            return verdict;
    }
    return best;
}

/* For objects of a place: itself, or the folders that writers make in it by themselves.
 * What is granted in one of them is no place outside of the grant; the single files are
 * looked at beside this. */
static struct ice_iam_verdict ask_place(const struct ice_iam_setup *setup,
                                        struct ice_str action, struct ice_str bucket,
                                        struct ice_str path) {
    static const char *const names[] = {"part-00000-0.parquet",
                                        "data/part-00000-0.parquet",
                                        "metadata/00000-0.metadata.json"};
    struct ice_iam_verdict verdict = {ICE_IAM_NOT_GRANTED, SIZE_MAX};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        verdict = ask_s3(setup, action, bucket, path, ice_str_from(names[i]));
        if (verdict.answer != ICE_IAM_NOT_GRANTED)
            break;
    }
    return verdict;
}

static bool is_granted_elsewhere(const struct ice_iam_setup *setup, struct ice_str action,
                                 enum ice_iam_shape shape) {
    for (size_t i = 0; i < setup->own.n; i++) {
        const struct ice_iam_statement *s = &setup->own.statements[i];
        if (s->is_deny || !ice_iam_names_action(s, action))
            continue;
        for (size_t k = 0; k < s->n_resources; k++) {
            if (ice_iam_fits_shape(s->resources[k].text, shape))
                return true;
        }
    }
    return false;
}

static void check_location(const struct ice_iam_setup *setup,
                           struct ice_iam_location *location) {
    static const struct {
        const char *action;
        enum ice_iam_shape shape;
    } reads[] = {{"s3:GetObject", ICE_IAM_OBJECT}, {"s3:ListBucket", ICE_IAM_BUCKET}};
    struct ice_str bucket, path;
    (void)ice_iam_s3_parts(location->uri, &bucket, &path); /* it was taken for that */
    for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++) {
        struct ice_str action = ice_str_from(reads[i].action);
        struct ice_iam_verdict verdict =
            reads[i].shape == ICE_IAM_BUCKET
                ? ask_s3(setup, action, bucket, ICE_STR_NONE, ICE_STR_NONE)
                : ask_place(setup, action, bucket, path);
        if (ice_iam_is_managed(setup, action) ||
            ice_iam_by_others(setup, false, action, ICE_STR_NONE) != SIZE_MAX)
            continue;
        if (verdict.answer == ICE_IAM_NOT_GRANTED &&
            is_granted_elsewhere(setup, action, reads[i].shape)) {
            CONF_FOUND_AS(setup->conf, ICE_RULE_CONF_IAM_DATA_LOCATION,
                          ice_iam_s3_severity(setup, action), location->at,
                          arg_str("location", location->uri), arg_str("action", action),
                          arg_text("setting", location->setting));
            location->is_reported = true;
            return; /* one sentence a place */
        }
        if (verdict.answer == ICE_IAM_DENIED) {
            const struct ice_iam_statement *s = &setup->own.statements[verdict.statement];
            CONF_FOUND_AS(
                setup->conf, ICE_RULE_CONF_IAM_DENY, ice_iam_s3_severity(setup, action),
                ice_conf_at_offset(setup->own.inputs[verdict.statement], s->offset),
                arg_str("action", action), arg_str("resource", location->uri),
                arg_str("statement", ice_iam_statement_text(setup->conf, s)),
                arg_text("profile", ice_iam_profile_name(ICE_IAM_GLUE_READ)));
            location->is_reported = true;
            return;
        }
    }
}

static void check_locations(const struct ice_iam_setup *setup) {
    if (!setup->profiles[ICE_IAM_GLUE_READ] && !setup->profiles[ICE_IAM_GLUE_WRITE])
        return;
    if (setup->own.n == 0 || setup->n_unknown > 0 || !setup->needs_s3)
        return;
    for (size_t i = 0; i < setup->n_locations; i++) {
        if (!ice_iam_is_reported(setup, i, setup->locations[i].uri))
            check_location(setup, &setup->locations[i]);
    }
    if (setup->n_locations == 0)
        ice_conf_not_checked(setup->conf, "conf.iam.data-location",
                             "no table was given: neither a get-table output nor a "
                             "metadata.json");
    else if (is_granted_elsewhere(setup, ICE_STR("s3:GetObject"), ICE_IAM_OBJECT) &&
             !ice_iam_is_managed(setup, ICE_STR("s3:GetObject")) &&
             ice_iam_by_others(setup, false, ICE_STR("s3:GetObject"), ICE_STR_NONE) ==
                 SIZE_MAX)
        ice_iam_file_rules(setup);
}

static void check_partitions(const struct ice_iam_setup *setup) {
    const struct ice_str action = ICE_STR("glue:GetPartitions");
    if (setup->partitioned == NULL || setup->own.n == 0 || setup->n_unknown > 0 ||
        !setup->profiles[ICE_IAM_GLUE_READ] || ice_iam_is_managed(setup, action))
        return;
    if (ice_iam_ask(setup->own.statements, setup->own.n, action, ICE_STR_NONE).answer ==
        ICE_IAM_NOT_GRANTED)
        CONF_FOUND(setup->conf, ICE_RULE_CONF_IAM_GET_PARTITIONS,
                   ice_conf_at_node(setup->metadata, setup->partitioned), ARG_NONE);
}

/* ---- other accounts ---- */

/* A pattern may name resources of that account. */
static bool reaches_account(struct ice_str pattern, struct ice_str account) {
    struct ice_arn arn;
    if (!ice_arn_parse(pattern, &arn))
        return ice_str_is(pattern, "*");
    return ice_iam_resource_matches(arn.account, account) != ICE_IAM_NO;
}

static bool own_side_reaches(const struct ice_iam_setup *setup, struct ice_str action,
                             struct ice_str account) {
    for (size_t i = 0; i < setup->own.n; i++) {
        const struct ice_iam_statement *s = &setup->own.statements[i];
        if (s->is_deny || !ice_iam_names_action(s, action))
            continue;
        for (size_t k = 0; k < s->n_resources; k++) {
            if (s->not_resource || reaches_account(s->resources[k].text, account))
                return true;
        }
    }
    return false;
}

static void check_account(const struct ice_iam_setup *setup, struct ice_str account,
                          struct ice_conf_at at) {
    struct ice_arn role;
    const struct ice_str action = ICE_STR("glue:GetTable");
    if (!ice_arn_is_account(account) || !ice_arn_parse(setup->role, &role) ||
        !ice_arn_is_account(role.account) || ice_str_equal(account, role.account))
        return;
    enum ice_severity severity = ICE_DEFAULT;
    const char *lacking = NULL;
    if (setup->own.n > 0 && setup->n_unknown == 0 &&
        !own_side_reaches(setup, action, account) && !ice_iam_is_managed(setup, action)) {
        lacking = "no policy of the role allows glue:GetTable there";
    } else if (setup->others.n == 0) {
        severity = ICE_WARN; /* it may well be there */
        lacking = "the resource policy of that catalog was not given, and must allow it";
    } else if (ice_iam_by_others(setup, false, action, ICE_STR_NONE) == SIZE_MAX) {
        lacking = "the resource policy given does not allow glue:GetTable to the role";
    }
    if (lacking != NULL)
        CONF_FOUND_AS(setup->conf, ICE_RULE_CONF_IAM_CROSS_ACCOUNT, severity, at,
                      arg_str("account", account), arg_str("own", role.account),
                      arg_text("missing", lacking));
}

static void check_accounts(const struct ice_iam_setup *setup) {
    const struct ice_conf *conf = setup->conf;
    if (!ice_conf_has(conf, ICE_CONF_POLICY))
        return;
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_pair *id =
            ice_conf_catalog_get(&conf->catalogs[i], "glue.id");
        struct ice_str value = ice_conf_value(id);
        if (id == NULL)
            continue;
        struct ice_str account = ice_str_first(value, ice_str_find(value, ':'));
        check_account(setup, account, ice_conf_at_value(id));
        if (ice_str_equal(account, setup->account))
            return; /* the table's account was judged with it */
    }
    if (setup->account.size > 0)
        check_account(setup, setup->account, setup->table_at);
}

/* ---- Lake Formation ---- */

static bool is_default_permission(const struct ice_conf_node *list) {
    for (const struct ice_conf_node *node = ice_conf_walk(list, list); node != NULL;
         node = ice_conf_walk(list, node)) {
        if (ice_str_is(ice_conf_node_text(node), "IAM_ALLOWED_PRINCIPALS"))
            return true;
    }
    return false;
}

/* A list of tables was given and holds none. */
static bool has_empty_export(const struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_inputs; i++) {
        const struct ice_conf_node *list =
            ice_conf_member(conf->inputs[i]->root, "TableList");
        if (ice_conf_is(list, ICE_JSON_ARRAY) && list->first == NULL)
            return true;
    }
    return false;
}

static void check_database(struct ice_conf *conf, const struct ice_conf_input *input,
                           const struct ice_conf_node *database) {
    const struct ice_conf_node *defaults =
        ice_conf_member(database, "CreateTableDefaultPermissions");
    if (defaults == NULL || is_default_permission(defaults))
        return;
    const struct ice_str parts[] = {
        ICE_STR("database "), ice_conf_node_text(ice_conf_member(database, "Name"))};
    CONF_FOUND_AS(conf, ICE_RULE_CONF_IAM_LAKE_FORMATION,
                  has_empty_export(conf) ? ICE_WARN : ICE_DEFAULT,
                  ice_conf_at_node(input, defaults),
                  arg_str("object", ice_iam_join(conf, parts, 2)));
}

static void check_table(struct ice_conf *conf, const struct ice_conf_input *input,
                        const struct ice_conf_node *table) {
    const struct ice_conf_node *flag =
        ice_conf_member(table, "IsRegisteredWithLakeFormation");
    if (!ice_conf_is(flag, ICE_JSON_TRUE))
        return;
    const struct ice_str parts[] = {ICE_STR("table "),
                                    ice_conf_node_text(ice_conf_member(table, "Name"))};
    CONF_FOUND(conf, ICE_RULE_CONF_IAM_LAKE_FORMATION, ice_conf_at_node(input, flag),
               arg_str("object", ice_iam_join(conf, parts, 2)));
}

static void check_lake_formation(struct ice_conf *conf) {
    for (size_t i = 0; i < conf->n_inputs; i++) {
        const struct ice_conf_input *input = conf->inputs[i];
        const struct ice_conf_node *node;
        if (input->root == NULL)
            continue;
        if ((node = ice_conf_member(input->root, "Table")) != NULL)
            check_table(conf, input, node);
        if ((node = ice_conf_member(input->root, "Database")) != NULL)
            check_database(conf, input, node);
        node = ice_conf_member(input->root, "TableList");
        for (node = node != NULL ? node->first : NULL; node != NULL; node = node->next)
            check_table(conf, input, node);
        node = ice_conf_member(input->root, "DatabaseList");
        for (node = node != NULL ? node->first : NULL; node != NULL; node = node->next)
            check_database(conf, input, node);
    }
}

void ice_iam_table_rules(const struct ice_iam_setup *setup) {
    check_locations(setup);
    check_partitions(setup);
    check_accounts(setup);
    check_lake_formation(setup->conf);
}
