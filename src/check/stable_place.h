/*
 * What stays of a finding's place when the table moves on.
 */
#ifndef ICE_CHECK_STABLE_PLACE_H
#define ICE_CHECK_STABLE_PLACE_H

#include "check/check.h"

/*
 * For ice_emit_set_stable; user is the check. In the current metadata file elements go by
 * their ids instead of their numbers ("/snapshots/snapshot-id=7/schema-id"), and one name
 * stands for the file, as the next commit writes another. Elements without a usable id,
 * or with one that an earlier element has, keep their number, and so does all that does
 * not change once it is written: other files, and findings about how one metadata file
 * follows another. ICE_DONE: the place stays as it is. ICE_ENOMEM.
 */
enum ice_status ice_stable_place(void *user, const struct ice_place *place,
                                 struct ice_buf *out);

#endif
