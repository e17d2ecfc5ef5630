/*
 * Do two files hold the same text once gzip or zstd is taken off?
 */
#ifndef ICE_CHECK_SAME_CONTENT_H
#define ICE_CHECK_SAME_CONTENT_H

#include "inputs/identify.h"

/* A file that cannot be read is not the same. Fails only for want of memory or when
 * cancelled. */
enum ice_status ice_same_content(struct ice_source *source, struct ice_run *run,
                                 struct ice_str a, struct ice_str b, bool *out_is_same,
                                 struct ice_error *err);

#endif
