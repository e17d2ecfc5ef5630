/*
 * Group 23: how paths are written, over all that a table names.
 */
#ifndef ICE_CHECK_PATH_RULES_H
#define ICE_CHECK_PATH_RULES_H

#include "check/manifest_walk.h"

/* Before pass 3. Without it, or with no rule of the group on, nothing is gathered. */
enum ice_status ice_path_rules_open(struct ice_check *ck) ICE_MUST_USE;
/* A live entry, where it is decoded. */
enum ice_status ice_path_rules_entry(struct ice_manifest_walk *walk,
                                     const struct ice_manifest_entry *entry) ICE_MUST_USE;
/* Adds what metadata.json and lists name, and says what was found: one finding a rule. */
enum ice_status ice_path_rules(struct ice_check *ck, struct ice_error *err);

#endif
