/*
 * IAM policies out of the JSON that the AWS command line prints: a bare document,
 * get-role-policy, get-policy-version, get-account-authorization-details, Glue's
 * get-resource-policy, and documents inside strings (as JSON or URL-encoded).
 */
#ifndef ICE_CONF_IAM_POLICY_H
#define ICE_CONF_IAM_POLICY_H

#include "base/arena.h"
#include "base/run.h"
#include "conf/iam.h"

/* A list that grows in an arena. */
struct ice_iam_texts {
    struct ice_iam_text *items;
    size_t n, capacity;
};

/*
 * What policies say, of one file or of several read into the same struct; all of it lives
 * in the arena. All-zero with the arena set is ready.
 */
struct ice_iam_policies {
    struct ice_arena *arena;
    struct ice_iam_statement *statements;
    size_t n, capacity;
    struct ice_iam_texts attached; /* ARNs of managed policies that are named only */
    bool lists_attached;      /* a list of attached policies was there, maybe empty */
    struct ice_iam_text role; /* ARN of the role; empty: not said */
    size_t n_unread;          /* documents in strings that are no JSON */
};

/*
 * Read all policies in bytes. Trust policies (who may assume a role) are no grants and
 * are left out. A statement without a valid Effect says nothing and is left out too.
 * Offsets inside a document that stands in a string are those of the string. Errors of
 * the JSON reader about bytes itself; what was read before stays in out.
 */
enum ice_status ice_iam_read(struct ice_iam_policies *out, struct ice_str bytes,
                             struct ice_run *run, struct ice_error *err);

#endif
