/*
 * What state.c and state_time.c share.
 */
#ifndef ICE_ANSWER_STATE_PARTS_H
#define ICE_ANSWER_STATE_PARTS_H

#include "answer/state.h"

/* Untrusted text inside of a sentence: escaped, its end cut where it is very long. */
enum { ICE_SHOWN_SIZE = 200 };

/* Replace the evidence by a sentence of our own words and escaped text. */
enum ice_status ice_state_says(struct ice_state *state, struct ice_error *err,
                               const char *format, ...) ICE_PRINTF(3, 4) ICE_MUST_USE;
/* The snapshot of the state's document that is current in it. */
void ice_state_take_current(struct ice_state *state);
/* A snapshot of the state's document by its id; false: it has none such. */
bool ice_state_take_id(struct ice_state *state, int64_t snapshot_id);
/*
 * Open the newest metadata file beside the state's that describes a snapshot, in its
 * place. *out_found false: there is none, and the state is as before. Files that cannot
 * be read are passed.
 */
enum ice_status ice_state_search(struct ice_state *state, int64_t snapshot_id,
                                 bool *out_found, struct ice_error *err) ICE_MUST_USE;
/*
 * What was current at a time, into a state that is at the pinned file: by its metadata
 * log, by last-updated-ms of files that are here, and, where that file is gone, by the
 * snapshot log.
 */
enum ice_status ice_state_take_time(struct ice_state *state, int64_t time_ms,
                                    struct ice_error *err) ICE_MUST_USE;

#endif
