/*
 * What the rules of Glue jobs and of scripts share.
 */
#ifndef ICE_CONF_GLUE_JOB_H
#define ICE_CONF_GLUE_JOB_H

#include "conf/conf.h"

/* An argument of a job ("--conf"), or NULL. */
const struct ice_conf_node *ice_conf_glue_argument(const struct ice_conf_session *job,
                                                   const char *name);
/* A catalog of that name is configured (in this session; NULL: in any), always there, or
 * was said to be known. */
bool ice_conf_knows_catalog(const struct ice_conf *conf,
                            const struct ice_conf_session *session, struct ice_str name);
/* The script runs in a Glue job. */
bool ice_conf_is_glue_script(const struct ice_conf *conf,
                             const struct ice_conf_input *script);
/* Rules of conf.glue that look at the script. */
void ice_conf_rules_glue_script(struct ice_conf *conf);

#endif
