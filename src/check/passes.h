/*
 * The passes behind the metadata file, and what is said where memory ends in one.
 */
#ifndef ICE_CHECK_PASSES_H
#define ICE_CHECK_PASSES_H

#include "check/check.h"

/* Does a check of this depth come to what needs at least the other? */
bool ice_depth_reaches(enum ice_depth depth, enum ice_depth least);

/* What a run does, for ice_over_memory. */
enum ice_check_step {
    ICE_AT_PASSES, /* reading the target, and the passes */
    ICE_AT_LINES,  /* looking for the lines of findings */
    ICE_AT_MOVES   /* looking whether the table has moved */
};

/*
 * The status of a step: where it, or the keeping of a finding, ended at options.limits
 * .memory, that becomes limit.memory and lines of what was not checked by it, and ICE_OK.
 * Every other status is passed on, and ICE_ENOMEM where memory lacks even so.
 */
enum ice_status ice_over_memory(struct ice_check *ck, enum ice_check_step step,
                                enum ice_status status, struct ice_error *err);

#endif
