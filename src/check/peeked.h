/*
 * Which table a metadata file is of and since when, read up to the members that tell.
 */
#ifndef ICE_CHECK_PEEKED_H
#define ICE_CHECK_PEEKED_H

#include "check/check.h"

enum { ICE_PEEK_UUID = 1, ICE_PEEK_UPDATED = 2 };

struct ice_peeked {
    struct ice_str uuid; /* table-uuid, in the check's arena; empty: not known */
    int64_t updated_ms;  /* last-updated-ms; INT64_MIN: not known */
};

/*
 * What is wanted (bits ICE_PEEK_...) of a file of the target's metadata directory. One
 * that cannot be read leaves *out unknown, as does what is not wanted: only statuses that
 * end the run come back. Each bit opens the file once.
 */
enum ice_status ice_peek_metadata(struct ice_check *ck, struct ice_str name,
                                  unsigned wanted, struct ice_peeked *out,
                                  struct ice_error *err) ICE_MUST_USE;

#endif
