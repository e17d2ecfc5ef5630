/*
 * Lines of findings in metadata.json.
 */
#ifndef ICE_CHECK_PLACE_LINES_H
#define ICE_CHECK_PLACE_LINES_H

#include "check/check.h"

/*
 * Give kept findings of the pinned metadata file that have a pointer and no line their
 * offset, line and column, reading the file a second time; json.key.duplicate becomes a
 * warning where both values are equal. A file that cannot be read again leaves them as
 * they are.
 */
enum ice_status ice_place_lines(struct ice_check *ck, struct ice_error *err);
/* For a run that was interrupted: nothing is read, and what is not known to be an error
 * is none. */
void ice_place_no_lines(struct ice_check *ck);

#endif
