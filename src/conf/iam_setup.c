/*
 * Policies, roles, tables and needed sets of actions out of the inputs of a setup.
 */
#include "conf/iam_setup.h"

#include "base/error.h"
#include "base/glob.h"
#include "conf/arn.h"
#include "conf/iam_account.h"
#include "rule/emit.h"

/* What well-known managed policies grant on every resource, as far as tables need it. */
static const struct {
    const char *policy, *action;
} managed[] = {
    {":policy/AdministratorAccess", "*"},
    {"/AWSGlueServiceRole", "glue:*"},
    {"/AWSGlueServiceRole", "s3:ListBucket"},
    {"/AWSGlueServiceRole", "s3:GetBucketLocation"},
    {"/AmazonS3FullAccess", "s3:*"},
    {"/AmazonS3ReadOnlyAccess", "s3:Get*"},
    {"/AmazonS3ReadOnlyAccess", "s3:List*"},
    {"/AmazonS3TablesFullAccess", "s3tables:*"},
    {"/AmazonS3TablesReadOnlyAccess", "s3tables:Get*"},
    {"/AmazonS3TablesReadOnlyAccess", "s3tables:List*"},
};
enum { N_MANAGED = sizeof(managed) / sizeof(managed[0]) };

const char *const ice_iam_s3_prefixes[ICE_IAM_S3_PREFIXES] = {
    "arn:aws:s3:::", "arn:aws-cn:s3:::", "arn:aws-us-gov:s3:::"};

bool ice_iam_is_managed(const struct ice_iam_setup *setup, struct ice_str action) {
    for (size_t i = 0; i < setup->attached.n; i++) {
        for (size_t m = 0; m < N_MANAGED; m++) {
            if (ice_str_ends(setup->attached.items[i].text,
                             ice_str_from(managed[m].policy)) &&
                ice_glob_matches(ice_str_from(managed[m].action), action, true))
                return true;
        }
    }
    return false;
}

static bool is_known_policy(struct ice_str arn) {
    for (size_t m = 0; m < N_MANAGED; m++) {
        if (ice_str_ends(arn, ice_str_from(managed[m].policy)))
            return true;
    }
    return false;
}

struct ice_str ice_iam_join(struct ice_conf *conf, const struct ice_str *parts,
                            size_t n) {
    struct ice_buf text;
    struct ice_str out = ICE_STR_NONE;
    bool whole = true;
    ice_buf_init(&text, &conf->run->alloc, SIZE_MAX);
    for (size_t i = 0; i < n && whole; i++)
        whole = ice_buf_append_str(&text, parts[i]) == ICE_OK;
    if (!whole || !ice_arena_dup(conf->arena, ice_buf_str(&text), &out)) {
        out = ICE_STR_NONE;
        ice_emit_no_memory(conf->emit);
    }
    ice_buf_release(&text);
    return out;
}

struct ice_str ice_iam_statement_text(struct ice_conf *conf,
                                      const struct ice_iam_statement *statement) {
    const struct ice_str parts[] = {ICE_STR("statement "), statement->sid};
    if (statement->sid.size == 0)
        return ICE_STR("a statement without Sid");
    return ice_iam_join(conf, parts, 2);
}

bool ice_iam_s3_parts(struct ice_str uri, struct ice_str *out_bucket,
                      struct ice_str *out_path) {
    static const char *const schemes[] = {"s3://", "s3a://", "s3n://"};
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        struct ice_str scheme = ice_str_from(schemes[i]);
        if (!ice_str_starts(uri, scheme))
            continue;
        struct ice_str rest = ice_str_from_index(uri, scheme.size);
        size_t slash = ice_str_find(rest, '/');
        *out_bucket = ice_str_first(rest, slash);
        *out_path =
            slash == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, slash + 1);
        while (out_path->size > 0 && out_path->data[out_path->size - 1] == '/')
            out_path->size--;
        return out_bucket->size > 0;
    }
    return false;
}

bool ice_iam_is_reported(const struct ice_iam_setup *setup, size_t n,
                         struct ice_str uri) {
    for (size_t i = 0; i < n; i++) {
        struct ice_str place = setup->locations[i].uri;
        if (!setup->locations[i].is_reported || !ice_str_starts(uri, place))
            continue;
        if (uri.size == place.size || uri.data[place.size] == '/' ||
            place.data[place.size - 1] == '/')
            return true;
    }
    return false;
}

enum ice_severity ice_iam_s3_severity(const struct ice_iam_setup *setup,
                                      struct ice_str action) {
    return ice_str_is(action, "s3:ListBucket") && !setup->lists_s3 ? ICE_WARN
                                                                   : ICE_DEFAULT;
}

/* ---- the other side ---- */

/* Does a principal name the role of the setup: "*", its account, its root, or itself?
 * Where the role is not known any of them may be it: unknown says so. */
static bool is_principal(const struct ice_iam_setup *setup, struct ice_str principal,
                         bool unknown) {
    struct ice_arn role, arn;
    if (ice_str_is(principal, "*") || ice_str_equal(principal, setup->role))
        return true;
    if (!ice_arn_parse(setup->role, &role))
        return unknown;
    if (ice_str_equal(principal, role.account))
        return true;
    if (!ice_arn_parse(principal, &arn) || !ice_str_equal(arn.account, role.account))
        return false;
    if (ice_str_is(arn.resource, "root"))
        return true;
    /* an instance profile says the account, not the role */
    return !ice_str_starts(role.resource, ICE_STR("role/")) && unknown;
}

/* What is not known counts for the role: an Allow is of it, a Deny is not. */
static bool names_role(const struct ice_iam_setup *setup,
                       const struct ice_iam_statement *statement) {
    if (statement->not_principal) /* all but these, and the role is seldom one of them */
        return !statement->is_deny;
    bool named = false;
    for (size_t i = 0; i < statement->n_principals && !named; i++)
        named = is_principal(setup, statement->principals[i].text, !statement->is_deny);
    return named;
}

size_t ice_iam_by_others(const struct ice_iam_setup *setup, bool is_deny,
                         struct ice_str action, struct ice_str resource) {
    for (size_t i = 0; i < setup->others.n; i++) {
        const struct ice_iam_statement *s = &setup->others.statements[i];
        if (s->is_deny != is_deny || !names_role(setup, s))
            continue;
        enum ice_iam_answer answer = ice_iam_ask(s, 1, action, resource).answer;
        if (is_deny ? answer == ICE_IAM_DENIED : answer != ICE_IAM_NOT_GRANTED)
            return i;
    }
    return SIZE_MAX;
}

/* ---- policies ---- */

/* ARN or name of the first role that a job or cluster has. *out_is_one: no other has
 * another one. */
static struct ice_str role_of_sessions(const struct ice_conf *conf, bool *out_is_one) {
    struct ice_str found = ICE_STR_NONE;
    *out_is_one = true;
    for (size_t i = 0; i < conf->n_sessions; i++) {
        const struct ice_conf_node *job = conf->sessions[i]->node;
        const struct ice_conf_node *node = ice_conf_member(job, "Role");
        if (node == NULL)
            node = ice_conf_path(job, "aws_attributes.instance_profile_arn");
        struct ice_str role = ice_conf_node_text(node);
        if (found.size == 0)
            found = role;
        else if (role.size > 0 && !ice_str_equal(role, found))
            *out_is_one = false;
    }
    return found;
}

/* Statements of one file go to one of the two sides. */
static void share(struct ice_iam_setup *setup, const struct ice_conf_input *input,
                  const struct ice_iam_policies *read) {
    for (size_t i = 0; i < read->n; i++) {
        struct ice_iam_side *side =
            read->statements[i].has_principal ? &setup->others : &setup->own;
        side->inputs[side->n] = input;
        side->statements[side->n++] = read->statements[i];
    }
    if (read->role.text.size > 0 && setup->role.size == 0)
        setup->role = read->role.text;
    if (read->lists_attached && setup->attached_in == NULL)
        setup->attached_in = input;
}

static bool make_room(struct ice_conf *conf, struct ice_iam_side *side, size_t n) {
    side->statements = ice_arena_array(conf->arena, n, sizeof(*side->statements));
    side->inputs = ice_arena_array(conf->arena, n, sizeof(struct ice_conf_input *));
    return side->statements != NULL && side->inputs != NULL;
}

/* A policy of a bucket or catalog: none that is attached to a role. */
static bool is_of_others(const struct ice_iam_policies *read) {
    bool has_own = read->n == 0;
    for (size_t i = 0; i < read->n; i++)
        has_own = has_own || !read->statements[i].has_principal;
    return !has_own;
}

/* How many documents of managed policies the file holds. */
static size_t documents_in(const struct ice_conf_input *input,
                           const struct ice_iam_policies *read) {
    if (is_of_others(read))
        return 0;
    bool is_one = ice_conf_member(input->root, "PolicyVersion") != NULL ||
                  ice_conf_member(input->root, "Statement") != NULL;
    size_t n = is_one ? 1 : 0;
    const struct ice_conf_node *list = ice_conf_member(input->root, "Policies");
    const struct ice_conf_node *node = list != NULL ? list->first : NULL;
    for (; node != NULL; node = node->next)
        n++;
    return n;
}

/* Of a whole account, the one role that the setup is about. */
static enum ice_status read_account(struct ice_iam_setup *setup,
                                    const struct ice_conf_input *input,
                                    struct ice_iam_policies *read, size_t n_attached,
                                    size_t *n_documents) {
    struct ice_conf *conf = setup->conf;
    struct ice_iam_account account;
    bool is_one;
    struct ice_str wanted = role_of_sessions(conf, &is_one);
    ICE_TRY(ice_iam_account_keep(conf, input, wanted, is_known_policy, n_attached, read,
                                 &account));
    *n_documents += account.n_documents;
    if (account.role == NULL)
        ice_conf_not_checked(
            conf, "needed actions",
            wanted.size > 0
                ? "the details of the account do not list the role of the job"
                : "the details of the account list several roles: give the job or "
                  "cluster that has one of them, or aws iam get-role-policy of it");
    else if (read->n == 0)
        ice_conf_not_checked(conf, "needed actions",
                             "the details of the account hold no statement of the role");
    else if (!is_one)
        ice_conf_not_checked(conf, "needed actions of all jobs but the first",
                             "they have other roles: give them one by one");
    return ICE_OK;
}

static enum ice_status read_policies_of(struct ice_iam_setup *setup,
                                        const struct ice_conf_input *input,
                                        struct ice_iam_policies *read,
                                        size_t *n_documents) {
    struct ice_conf *conf = setup->conf;
    size_t n_attached = setup->attached.n;
    read->arena = conf->arena;
    read->attached = setup->attached; /* one list for all files */
    enum ice_status status = ice_iam_read(read, input->bytes, conf->run, NULL);
    if (status < 0 && status != ICE_EFORMAT && status != ICE_ELIMIT)
        return status;
    if (status < 0 || read->n_unread > 0)
        ice_conf_not_checked(conf, "statements of a policy",
                             "a document in it is no valid JSON");
    if (ice_iam_is_account(input->root))
        ICE_TRY(read_account(setup, input, read, n_attached, n_documents));
    else
        *n_documents += documents_in(input, read);
    setup->attached = read->attached;
    return ICE_OK;
}

static enum ice_status read_policies(struct ice_iam_setup *setup) {
    struct ice_conf *conf = setup->conf;
    size_t n = 0, n_documents = 0;
    struct ice_iam_policies *read =
        ice_arena_array(conf->arena, conf->n_inputs, sizeof(*read));
    if (read == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < conf->n_inputs; i++) {
        if (conf->inputs[i]->kind != ICE_CONF_POLICY)
            continue;
        ICE_TRY(read_policies_of(setup, conf->inputs[i], &read[i], &n_documents));
        n += read[i].n;
    }
    if (!make_room(conf, &setup->own, n) || !make_room(conf, &setup->others, n))
        return ICE_ENOMEM;
    for (size_t i = 0; i < conf->n_inputs; i++) {
        if (conf->inputs[i]->kind == ICE_CONF_POLICY)
            share(setup, conf->inputs[i], &read[i]);
    }
    for (size_t i = 0; i < setup->attached.n; i++)
        setup->n_unknown += is_known_policy(setup->attached.items[i].text) ? 0 : 1;
    setup->n_unknown -= n_documents < setup->n_unknown ? n_documents : setup->n_unknown;
    return ICE_OK;
}

/* ---- tables ---- */

static void add_location(struct ice_iam_setup *setup, const struct ice_conf_input *input,
                         const struct ice_conf_node *node, struct ice_str uri,
                         const char *setting, size_t most) {
    struct ice_str bucket, path;
    if (setup->n_locations == most || !ice_iam_s3_parts(uri, &bucket, &path))
        return;
    for (size_t i = 0; i < setup->n_locations; i++) {
        if (ice_str_equal(setup->locations[i].uri, uri))
            return;
    }
    setup->locations[setup->n_locations++] =
        (struct ice_iam_location){uri, setting, ice_conf_at_node(input, node), false};
}

/* The directory of a file's URI. */
static struct ice_str directory_of(struct ice_str uri) {
    return ice_str_first(uri, ice_str_rfind(uri, '/'));
}

static const struct ice_conf_node *default_spec(const struct ice_conf_node *root) {
    const struct ice_conf_node *specs = ice_conf_member(root, "partition-specs");
    struct ice_str wanted = ice_conf_node_text(ice_conf_member(root, "default-spec-id"));
    if (!ice_conf_is(specs, ICE_JSON_ARRAY))
        return NULL;
    for (const struct ice_conf_node *spec = specs->first; spec; spec = spec->next) {
        const struct ice_conf_node *fields = ice_conf_member(spec, "fields");
        if (ice_conf_is(fields, ICE_JSON_ARRAY) && fields->first != NULL &&
            ice_str_equal(ice_conf_node_text(ice_conf_member(spec, "spec-id")), wanted))
            return spec;
    }
    return NULL;
}

enum { MOST_LOCATIONS = 64 };

static void see_metadata(struct ice_iam_setup *setup,
                         const struct ice_conf_input *input) {
    static const struct {
        const char *key, *setting;
    } paths[] = {
        {"write.data.path", "the table's write.data.path"},
        {"write.metadata.path", "the table's write.metadata.path"},
        {"write.object-storage.path", "the table's write.object-storage.path"},
        {"write.folder-storage.path", "the table's write.folder-storage.path"},
    };
    const struct ice_conf_node *node = ice_conf_member(input->root, "location");
    add_location(setup, input, node, ice_conf_node_text(node), "the table's location",
                 MOST_LOCATIONS);
    const struct ice_conf_node *properties = ice_conf_member(input->root, "properties");
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        node = ice_conf_member(properties, paths[i].key);
        add_location(setup, input, node, ice_conf_node_text(node), paths[i].setting,
                     MOST_LOCATIONS);
    }
    const struct ice_conf_node *snapshots = ice_conf_member(input->root, "snapshots");
    node = ice_conf_is(snapshots, ICE_JSON_ARRAY) ? snapshots->first : NULL;
    for (; node != NULL; node = node->next) {
        const struct ice_conf_node *list = ice_conf_member(node, "manifest-list");
        add_location(setup, input, list, directory_of(ice_conf_node_text(list)),
                     "the directory of a manifest list", MOST_LOCATIONS);
    }
    if (setup->metadata == NULL) {
        setup->metadata = input;
        setup->partitioned = default_spec(input->root);
    }
}

static void see_table(struct ice_iam_setup *setup, const struct ice_conf_input *input) {
    const struct ice_conf_node *table = ice_conf_member(input->root, "Table");
    if (table == NULL)
        return;
    const struct ice_conf_node *node = ice_conf_path(table, "StorageDescriptor.Location");
    add_location(setup, input, node, ice_conf_node_text(node), "the table's location",
                 MOST_LOCATIONS);
    node = ice_conf_path(table, "Parameters.metadata_location");
    add_location(setup, input, node, directory_of(ice_conf_node_text(node)),
                 "the directory of metadata_location", MOST_LOCATIONS);
    if (setup->table.size > 0)
        return;
    setup->table = ice_conf_node_text(ice_conf_member(table, "Name"));
    setup->database = ice_conf_node_text(ice_conf_member(table, "DatabaseName"));
    struct ice_str account = ice_conf_node_text(ice_conf_member(table, "CatalogId"));
    if (ice_arn_is_account(account))
        setup->account = account;
    setup->table_at = ice_conf_at_node(input, table);
}

static enum ice_status read_tables(struct ice_iam_setup *setup) {
    struct ice_conf *conf = setup->conf;
    setup->locations =
        ice_arena_array(conf->arena, MOST_LOCATIONS, sizeof(*setup->locations));
    if (setup->locations == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < conf->n_inputs; i++) {
        if (conf->inputs[i]->kind == ICE_CONF_METADATA)
            see_metadata(setup, conf->inputs[i]);
        else if (conf->inputs[i]->kind == ICE_CONF_POINTERS)
            see_table(setup, conf->inputs[i]);
    }
    return ICE_OK;
}

/* ---- roles and needed actions ---- */

static void see_role(struct ice_iam_setup *setup) {
    struct ice_arn arn;
    bool is_one;
    struct ice_str role = role_of_sessions(setup->conf, &is_one);
    if (setup->role.size == 0 && ice_arn_parse(role, &arn))
        setup->role = role;
}

/* Files of this catalog are read through Hadoop. */
static bool is_read_by_hadoop(const struct ice_conf_catalog *catalog) {
    const struct ice_conf_pair *io = ice_conf_catalog_get(catalog, "io-impl");
    if (!catalog->is_iceberg || (io != NULL && io->is_hidden))
        return false;
    if (io != NULL)
        return !ice_str_is(io->value, "org.apache.iceberg.aws.s3.S3FileIO") &&
               !ice_str_is(io->value, "org.apache.iceberg.io.ResolvingFileIO");
    return catalog->kind != ICE_CONF_CATALOG_GLUE &&
           catalog->kind != ICE_CONF_CATALOG_REST &&
           catalog->kind != ICE_CONF_CATALOG_DYNAMODB &&
           catalog->kind != ICE_CONF_CATALOG_OTHER;
}

static void see_profiles(struct ice_iam_setup *setup) {
    const struct ice_conf *conf = setup->conf;
    enum ice_iam_profile asked;
    setup->needs_glue = setup->needs_s3 = true;
    for (size_t i = 0; i < conf->n_catalogs; i++) {
        const struct ice_conf_catalog *catalog = &conf->catalogs[i];
        if (catalog->is_s3tables)
            setup->needs_glue = catalog->endpoint != ICE_CONF_ENDPOINT_S3TABLES;
        if (ice_conf_is_true(ice_conf_catalog_get(catalog, "glue.lakeformation-enabled")))
            setup->needs_s3 = false;
        setup->lists_s3 = setup->lists_s3 || is_read_by_hadoop(catalog);
    }
    if (conf->request->iam_profile != NULL) {
        if (ice_iam_profile_find(ice_str_from(conf->request->iam_profile), &asked))
            setup->profiles[asked] = true;
    } else {
        for (size_t i = 0; i < conf->n_catalogs; i++) {
            const struct ice_conf_catalog *catalog = &conf->catalogs[i];
            if (catalog->is_s3tables)
                setup->profiles[ICE_IAM_S3TABLES_ETL] = true;
            else if (catalog->kind == ICE_CONF_CATALOG_GLUE)
                setup->profiles[ICE_IAM_GLUE_READ] = true;
            else if (catalog->endpoint == ICE_CONF_ENDPOINT_GLUE)
                setup->profiles[ICE_IAM_REST_VENDED] = true;
        }
        if (conf->n_catalogs == 0 && setup->table.size > 0)
            setup->profiles[ICE_IAM_GLUE_READ] = true;
    }
    for (size_t i = 0; i < ICE_IAM_PROFILES; i++)
        setup->has_profile = setup->has_profile || setup->profiles[i];
}

enum ice_status ice_iam_setup_read(struct ice_conf *conf, struct ice_iam_setup *out) {
    *out = (struct ice_iam_setup){.conf = conf};
    ICE_TRY(read_policies(out));
    ICE_TRY(read_tables(out));
    see_role(out);
    see_profiles(out);
    return ICE_OK;
}
