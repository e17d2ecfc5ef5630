/*
 * pointers --at: which metadata file was current at a time, by each thing that tells.
 */
#ifndef ICE_ANSWER_POINTER_AT_H
#define ICE_ANSWER_POINTER_AT_H

#include "answer/pointer_listing.h"
#include "answer/pointer_state.h"
#include "answer/row_builder.h"

extern const struct ice_column ice_pointer_at_columns[];

/*
 * One row for each evidence; one without a file where there is none, and *out_any false.
 * place.directory may be empty: listings then tell nothing.
 */
enum ice_status ice_put_pointers_at(struct ice_row *row, struct ice_check *ck,
                                    const struct ice_pointer_verdict *verdict,
                                    const struct ice_catalog *catalog,
                                    const struct ice_listed_place *place, int64_t at_ms,
                                    bool *out_any, struct ice_error *err);

#endif
