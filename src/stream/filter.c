/*
 * Limits and faults of the inflating filters.
 */
#include "stream/filter.h"

#include <inttypes.h>

void ice_filter_init(struct ice_filter *filter, struct ice_stream *inner,
                     uint64_t slack) {
    *filter = (struct ice_filter){.inner = *inner, .run = inner->run, .slack = slack};
    *inner = (struct ice_stream){0};
    filter->start = filter->inner.position;
    ice_error_clear(&filter->fault);
}

void ice_filter_judge(struct ice_filter *filter, size_t produced) {
    const struct ice_limits *limits = &filter->run->limits;
    uint64_t n_in = filter->inner.position - filter->start, most;
    if (__builtin_mul_overflow(n_in, limits->inflate_ratio, &most) ||
        __builtin_add_overflow(most, filter->slack, &most))
        most = UINT64_MAX;
    if (filter->n_out + produced <= most)
        return;
    ice_error_clear(&filter->fault); /* what stands behind the text */
    (void)ice_error_set(&filter->fault, ICE_ELIMIT, "limit.bomb", filter->inner.position,
                        "%" PRIu64 " bytes inflate to more than %" PRIu64, n_in, most);
}

enum ice_status ice_filter_finish(struct ice_filter *filter, size_t produced,
                                  size_t *out_size, struct ice_error *err) {
    const uint64_t limit = filter->run->limits.file_bytes;
    filter->n_out += produced;
    if (!filter->inner.is_endless && filter->n_out > limit) {
        ice_error_clear(&filter->fault);
        (void)ice_error_set(&filter->fault, ICE_ELIMIT, "limit.file",
                            filter->inner.position,
                            "inflates to more than %" PRIu64 " bytes", limit);
        produced -= (size_t)(filter->n_out - limit); /* reads before kept to the limit */
        filter->n_out = limit;
    }
    *out_size = produced;
    if (produced > 0 || filter->fault.status >= 0)
        return ICE_OK;
    return ice_error_pass(err, filter->fault.status, &filter->fault);
}
