/*
 * Which table a metadata file is of and since when, read up to the members that tell.
 */
#ifndef ICE_CHECK_PEEKED_H
#define ICE_CHECK_PEEKED_H

#include "check/check.h"

struct ice_peeked {
    struct ice_str uuid; /* empty: not known */
    int64_t updated_ms;  /* last-updated-ms; INT64_MIN: not known */
};

/*
 * A file of the target's metadata directory; texts live in the check's arena. One that
 * cannot be read leaves *out unknown: only statuses that end the run come back.
 */
enum ice_status ice_peek_metadata(struct ice_check *ck, struct ice_str name,
                                  struct ice_peeked *out,
                                  struct ice_error *err) ICE_MUST_USE;
/*
 * catalog.pointer.other-table: where the number alone picked a file (names[picked]) and a
 * lower number is of another table and newer: the table was dropped and made anew. Opens
 * a few files at most: those of versions that names show to be odd. Part of pass 0.
 */
enum ice_status ice_check_made_anew(struct ice_check *ck, size_t picked,
                                    struct ice_error *err);

#endif
