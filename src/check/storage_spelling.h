/*
 * Is a missing file there by another spelling: percent-decoded, or in other letter case?
 */
#ifndef ICE_CHECK_STORAGE_SPELLING_H
#define ICE_CHECK_STORAGE_SPELLING_H

#include "check/storage.h"

struct ice_spellings {
    struct ice_table decoded, lower; /* of objects that nobody names, by hash */
    struct ice_buf text, other;
    bool is_made;
};

void ice_spellings_init(struct ice_spellings *spellings, struct ice_check *ck);
void ice_spellings_release(struct ice_spellings *spellings);
/*
 * *out: the object (and it is marked as named), or empty. *out_rule: what to say. folded
 * is borrowed and may be the check's own scratch.
 */
enum ice_status ice_spellings_find(struct ice_spellings *spellings, struct ice_check *ck,
                                   struct ice_str folded, enum ice_rule_id *out_rule,
                                   struct ice_str *out) ICE_MUST_USE;

#endif
