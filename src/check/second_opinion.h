/*
 * Another decoder beside our own: options.on_block.
 *
 * reads          once more, the lists and manifests that passes 2 and 3 could read
 * checks         avro.second-opinion
 * leaves behind  how much both read alike, for the summary
 */
#ifndef ICE_CHECK_SECOND_OPINION_H
#define ICE_CHECK_SECOND_OPINION_H

#include "check/check.h"

/* Nothing where options.on_block is NULL or the rule is off. What the caller's function
 * returns below 0 is handed up. */
enum ice_status ice_second_opinion(struct ice_check *ck, struct ice_error *err);
/* Of the lone file of the target. */
enum ice_status ice_second_opinion_lone(struct ice_check *ck, struct ice_error *err);

#endif
