/*
 * Policies of IAM, evaluated: may this action be done to that resource? Only what stands
 * in the statements given is known; policies of the organization, permission boundaries
 * and session policies are not, and every answer holds only as far.
 */
#ifndef ICE_CONF_IAM_H
#define ICE_CONF_IAM_H

#include "base/str.h"

/* A string of a statement and where it stands. */
struct ice_iam_text {
    struct ice_str text;
    uint64_t offset; /* first byte of the value in its file */
};

/* One statement. Action and resource lists are views into the file that holds it. */
struct ice_iam_statement {
    bool is_deny;
    bool not_action, not_resource; /* the lists name what is left out */
    bool has_condition;
    bool has_principal; /* belongs to a resource policy */
    bool not_principal; /* ... and names who is left out */
    struct ice_str sid; /* may be empty */
    uint64_t offset;
    struct ice_iam_text *actions, *resources, *principals;
    size_t n_actions, n_resources, n_principals;
};

enum ice_iam_answer {
    ICE_IAM_NOT_GRANTED,
    ICE_IAM_DEPENDS, /* on a condition or a policy variable */
    ICE_IAM_ALLOWED,
    ICE_IAM_DENIED,
};

struct ice_iam_verdict {
    enum ice_iam_answer answer;
    size_t statement; /* that decided; SIZE_MAX: none */
};

/* How much a resource pattern matches. */
enum ice_iam_match { ICE_IAM_NO, ICE_IAM_PERHAPS, ICE_IAM_YES };

/*
 * Does one Resource entry match an ARN? Case matters. A policy variable (${…}) in the
 * pattern stands for anything, and makes it PERHAPS; ${*}, ${?} and ${$} are those bytes.
 */
enum ice_iam_match ice_iam_resource_matches(struct ice_str pattern, struct ice_str arn);

/* Does one Action entry name "service:Action"? Case does not matter. */
bool ice_iam_action_matches(struct ice_str pattern, struct ice_str action);

/*
 * action as "glue:GetTable". resource as an ARN, or ICE_STR_NONE when it is not known:
 * then any resource that the statement names is good enough for an Allow, and only a Deny
 * of everything counts as a Deny. A Deny without condition wins over every Allow.
 */
struct ice_iam_verdict ice_iam_ask(const struct ice_iam_statement *statements, size_t n,
                                   struct ice_str action, struct ice_str resource);

/* The statement allows or denies this action for some resource. */
bool ice_iam_names_action(const struct ice_iam_statement *statement,
                          struct ice_str action);

/* Shapes of S3 resources: actions on buckets never match objects, and the other way. */
enum ice_iam_shape { ICE_IAM_BUCKET, ICE_IAM_OBJECT };
/* A Resource entry can match an S3 resource of that shape at all. */
bool ice_iam_fits_shape(struct ice_str pattern, enum ice_iam_shape shape);

/*
 * The known action that a name like "glue:GetTabel" was most likely meant to be, as
 * *out_service and *out_action; false if it is known, holds a wildcard, belongs to a
 * service that is not in the table, or is like none (then it may be newer than the
 * table).
 */
bool ice_iam_action_near(struct ice_str name, struct ice_str *out_service,
                         struct ice_str *out_action);

/* Sets of needed actions, the values of --iam-profile. */
enum ice_iam_profile {
    ICE_IAM_GLUE_READ,
    ICE_IAM_GLUE_WRITE,
    ICE_IAM_S3TABLES_ETL,
    ICE_IAM_REST_VENDED,
};
enum { ICE_IAM_PROFILES = 4 };

/* What an action of a set is done to. */
enum ice_iam_target {
    ICE_IAM_ON_CATALOG,      /* Glue catalog */
    ICE_IAM_ON_DATABASE,     /* Glue database, with its catalog */
    ICE_IAM_ON_GLUE_TABLE,   /* Glue table, with its database and catalog */
    ICE_IAM_ON_CONNECTION,   /* Glue connection */
    ICE_IAM_ON_S3_BUCKET,    /* bucket of warehouse or table */
    ICE_IAM_ON_S3_OBJECT,    /* objects below the table */
    ICE_IAM_ON_TABLE_BUCKET, /* S3 Tables */
    ICE_IAM_ON_TABLE,        /* table in a table bucket */
    ICE_IAM_ON_ANYTHING,     /* the action has no resource of its own */
};

struct ice_iam_need {
    enum ice_iam_profile profile;
    const char *action;
    enum ice_iam_target target;
};

/* The needs of a profile stand together; *out_n of them. */
const struct ice_iam_need *ice_iam_needs(enum ice_iam_profile profile, size_t *out_n);
const char *ice_iam_profile_name(enum ice_iam_profile profile);
bool ice_iam_profile_find(struct ice_str name, enum ice_iam_profile *out);

#endif
