/*
 * Group 23: how paths are written, over all that a table names.
 */
#ifndef ICE_CHECK_PATH_RULES_H
#define ICE_CHECK_PATH_RULES_H

#include "check/manifest_walk.h"
#include "rule/emit_pack.h"

/* Before pass 3. Without it, or with no rule of the group on, nothing is gathered. */
enum ice_status ice_path_rules_open(struct ice_check *ck) ICE_MUST_USE;
/* For a unit: ck is its reader's, of are the paths of the check, which are not changed
 * meanwhile but by _join; NULL: not asked. */
enum ice_status ice_path_rules_begin(struct ice_check *ck,
                                     const struct ice_paths *of) ICE_MUST_USE;
/* What the live entries of a unit had, put behind those of units before. */
enum ice_status ice_path_rules_join(struct ice_check *ck,
                                    const struct ice_paths *unit) ICE_MUST_USE;
/* What a unit had, as bytes, and back into the paths of a reader's ck, behind _begin.
 * ICE_EFORMAT: bad bytes; ICE_ENOMEM. */
void ice_path_rules_pack(struct ice_pack *pack, const struct ice_paths *unit);
enum ice_status ice_path_rules_unpack(struct ice_unpack *unpack, struct ice_check *ck,
                                      uint64_t order) ICE_MUST_USE;
/* A live entry, where it is decoded. */
enum ice_status ice_path_rules_entry(struct ice_manifest_walk *walk,
                                     const struct ice_manifest_entry *entry) ICE_MUST_USE;
/* Adds what metadata.json and lists name, and says what was found: one finding a rule. */
enum ice_status ice_path_rules(struct ice_check *ck, struct ice_error *err);

#endif
