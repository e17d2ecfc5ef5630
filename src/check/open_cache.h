/*
 * The cache directory of a run.
 */
#ifndef ICE_CHECK_OPEN_CACHE_H
#define ICE_CHECK_OPEN_CACHE_H

#include "base/cache_dir.h"
#include "check/check.h"

/*
 * Open options.cache_dir, if any, for a check of target; hashes of the run are then drawn
 * by it, unless the caller has drawn them. ICE_EARG in words where it cannot be used, or
 * is inside a tree that is checked. Without the option *dir has none: fd is -1.
 */
enum ice_status ice_cache_open(struct ice_cache_dir *dir, struct ice_run *run,
                               const struct ice_options *options,
                               const struct ice_target *target,
                               struct ice_error *err) ICE_MUST_USE;

#endif
