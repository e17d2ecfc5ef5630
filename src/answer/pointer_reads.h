/*
 * Rows of `icefsck pointers` for what readers' logs say was read.
 */
#ifndef ICE_ANSWER_POINTER_READS_H
#define ICE_ANSWER_POINTER_READS_H

#include "answer/pointer_state.h"
#include "answer/reads.h"

/* Those about the table of an opened check, which verdict was given of; they are told
 * then. */
enum ice_status ice_put_reads(struct ice_row *row, struct ice_check *ck,
                              const struct ice_pointer_verdict *verdict,
                              struct ice_reads *reads, struct ice_error *err);
/* Those that no table was about. ck: of nothing. */
enum ice_status ice_put_other_reads(struct ice_row *row, struct ice_check *ck,
                                    struct ice_reads *reads, struct ice_error *err);

#endif
