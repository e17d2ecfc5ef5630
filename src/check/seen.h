/*
 * What rules of pass 3 see beside the bytes of a manifest, as one hash: what they left of
 * a manifest is good for another run only where that is the same. More than they look at
 * does no harm but to speed.
 */
#ifndef ICE_CHECK_SEEN_H
#define ICE_CHECK_SEEN_H

#include "check/check.h"

/* Of the program, its options and metadata.json, snapshots and refs left out. ICE_ENOMEM.
 */
enum ice_status ice_seen_of_table(const struct ice_check *ck,
                                  struct ice_hash *out) ICE_MUST_USE;

#endif
