/*
 * Details of a whole account (aws iam get-account-authorization-details): which of their
 * policies are those of one role. Inside of conf/.
 */
#ifndef ICE_CONF_IAM_ACCOUNT_H
#define ICE_CONF_IAM_ACCOUNT_H

#include "conf/conf.h"
#include "conf/iam_policy.h"

/* Does the document list the roles of an account? */
bool ice_iam_is_account(const struct ice_conf_node *root);

/* What was taken out of the details of an account. */
struct ice_iam_account {
    const struct ice_conf_node *role; /* its element; NULL: it is not known which it is */
    size_t n_documents; /* policies attached to it whose documents are there */
};

/*
 * Of what was read from the details, keep the policies of one role: its own, and the
 * versions in force of those attached to it. Of read->attached all before n_attached
 * belong to other files and stay. wanted: the role's ARN or name, or the ARN of its
 * instance profile; empty: the only role that is listed, if there is one. Where the role
 * is not among them, nothing is kept. is_known: of a policy that counts without its
 * document. ICE_ENOMEM.
 */
enum ice_status ice_iam_account_keep(struct ice_conf *conf,
                                     const struct ice_conf_input *input,
                                     struct ice_str wanted,
                                     bool (*is_known)(struct ice_str), size_t n_attached,
                                     struct ice_iam_policies *read,
                                     struct ice_iam_account *out);

#endif
