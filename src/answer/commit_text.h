/*
 * Who made a snapshot, by its summary.
 */
#ifndef ICE_ANSWER_COMMIT_TEXT_H
#define ICE_ANSWER_COMMIT_TEXT_H

#include "iceberg/metadata.h"

/*
 * What writers of released engines tell about themselves, in the order of a sentence,
 * appended to out: "spark 3.5.8, local-1795986335729". Nothing where the summary says
 * nothing. The metadata was read with want.summaries.
 */
enum ice_status ice_writer_text(const struct ice_metadata *m,
                                const struct ice_snapshot *s,
                                struct ice_buf *out) ICE_MUST_USE;

#endif
