/*
 * What the inflating filters share: the stream they own, their limits, and a fault that
 * waits until the bytes in front of it were handed out. So the verdict on an input never
 * depends on the size of the reads.
 */
#ifndef ICE_STREAM_FILTER_H
#define ICE_STREAM_FILTER_H

#include "stream/stream.h"

#include "base/error.h"

struct ice_filter {
    struct ice_stream inner;
    struct ice_run *run;
    uint64_t start;         /* inner.position at the start */
    uint64_t n_out;         /* bytes handed out */
    uint64_t slack;         /* bytes that may come beyond the ratio */
    struct ice_error fault; /* status < 0: the next read fails with it */
};

/* Takes inner. slack as in the struct. */
void ice_filter_init(struct ice_filter *filter, struct ice_stream *inner, uint64_t slack);
/*
 * Call after each call of the decoder, with the bytes that this read has produced so far:
 * over the inflate ratio, limit.bomb waits in the fault, in place of what waited there.
 */
void ice_filter_judge(struct ice_filter *filter, size_t produced);
/*
 * Call once per read after producing bytes: counts them against limits.file_bytes (but
 * for endless streams); those up to the limit are handed out. A waiting fault is returned
 * if there is nothing to hand out before it.
 */
enum ice_status ice_filter_finish(struct ice_filter *filter, size_t produced,
                                  size_t *out_size, struct ice_error *err);

#endif
