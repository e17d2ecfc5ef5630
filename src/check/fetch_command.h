/*
 * The command that fetches an old version of an object back.
 */
#ifndef ICE_CHECK_FETCH_COMMAND_H
#define ICE_CHECK_FETCH_COMMAND_H

#include "base/buf.h"
#include "base/run.h"

struct ice_old_version {
    struct ice_str uri; /* folded: s3://, gs://, abfs:// */
    struct ice_str id;  /* version or generation */
    bool is_gone;       /* the object is deleted; else it was written over */
};

/*
 * "aws s3api get-object ..." and its kin, in place of what out holds; for storage of
 * another kind the version alone.
 */
enum ice_status ice_fetch_command(struct ice_run *run, const struct ice_old_version *old,
                                  struct ice_buf *out) ICE_MUST_USE;

#endif
