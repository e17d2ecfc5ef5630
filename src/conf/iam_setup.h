/*
 * What the IAM rules know of a setup: all policies in it, split by whose they are, and
 * the tables and accounts that its other files name. Inside of conf/.
 */
#ifndef ICE_CONF_IAM_SETUP_H
#define ICE_CONF_IAM_SETUP_H

#include "conf/conf.h"
#include "conf/iam_policy.h"

/* Statements of one side with the file of each. */
struct ice_iam_side {
    struct ice_iam_statement *statements;
    const struct ice_conf_input **inputs;
    size_t n;
};

/* A place that a table uses, and what names it ("the table's location"). */
struct ice_iam_location {
    struct ice_str uri;
    const char *setting;
    struct ice_conf_at at;
    bool is_reported; /* places below it need no words of their own */
};

struct ice_iam_setup {
    struct ice_conf *conf;
    struct ice_iam_side own;    /* of the role */
    struct ice_iam_side others; /* resource policies: they have principals */
    struct ice_iam_texts attached;
    const struct ice_conf_input *attached_in; /* of the first list; NULL: none */
    /* policies that are attached but not among the files, nor known to us */
    size_t n_unknown;
    struct ice_str role;             /* ARN of the role, empty if not known */
    bool profiles[ICE_IAM_PROFILES]; /* needed sets of actions */
    bool has_profile;
    bool needs_glue; /* of S3 Tables: a catalog in Glue fronts the table bucket */
    bool needs_s3;   /* nobody hands out credentials for the files */
    bool lists_s3;   /* a file system of Hadoop reads the files, and lists on its way */
    /* one table of a catalog's export; empty where not known */
    struct ice_str database, table, account;
    struct ice_conf_at table_at;
    struct ice_iam_location *locations;
    size_t n_locations;
    const struct ice_conf_node *partitioned; /* default spec with fields, or NULL */
    const struct ice_conf_input *metadata;   /* the metadata.json, or NULL */
};

/* All of it lives in conf->arena. ICE_ENOMEM. */
enum ice_status ice_iam_setup_read(struct ice_conf *conf, struct ice_iam_setup *out);

/* Bucket and path of an s3, s3a or s3n URI, the path without slashes around it. */
bool ice_iam_s3_parts(struct ice_str uri, struct ice_str *out_bucket,
                      struct ice_str *out_path);

/*
 * How bad it is to lack an action on S3. S3FileIO reads and writes without listing:
 * without s3:ListBucket it cannot remove orphans, and a lost file answers 403.
 */
enum ice_severity ice_iam_s3_severity(const struct ice_iam_setup *setup,
                                      struct ice_str action);

/* A managed policy of AWS that is attached grants the action, as far as we know it. */
bool ice_iam_is_managed(const struct ice_iam_setup *setup, struct ice_str action);

/*
 * The index in setup->others of a resource policy's statement that allows (or with
 * is_deny denies, and without a condition) the action on the resource to the role of the
 * setup; SIZE_MAX: none. Within one account it is as good as a policy of the role.
 */
size_t ice_iam_by_others(const struct ice_iam_setup *setup, bool is_deny,
                         struct ice_str action, struct ice_str resource);
/* Is uri one of the first n locations that were reported, or below one? */
bool ice_iam_is_reported(const struct ice_iam_setup *setup, size_t n, struct ice_str uri);

/* Text in the arena from n parts; empty when out of memory, which fails the run. */
struct ice_str ice_iam_join(struct ice_conf *conf, const struct ice_str *parts, size_t n);

/* How messages call a statement: by its Sid. In the arena. */
struct ice_str ice_iam_statement_text(struct ice_conf *conf,
                                      const struct ice_iam_statement *statement);

/* What ARNs of S3 begin with, in each partition of AWS: the files seldom tell which. */
enum { ICE_IAM_S3_PREFIXES = 3 };
extern const char *const ice_iam_s3_prefixes[ICE_IAM_S3_PREFIXES];

/* The files that manifests name (iam_files.c). */
void ice_iam_file_rules(const struct ice_iam_setup *setup);

/* Rules about tables, accounts and Lake Formation (rules_conf_iam_tables.c). */
void ice_iam_table_rules(const struct ice_iam_setup *setup);

#endif
