/*
 * What a partition transform makes of a value (spec: #partition-transforms, App. B 32-bit
 * hash requirements).
 */
#ifndef ICE_ICEBERG_TRANSFORM_APPLY_H
#define ICE_ICEBERG_TRANSFORM_APPLY_H

#include "iceberg/partition.h"

struct ice_transformed {
    bool is_number;
    int64_t number; /* boolean, int, long, dates, times; every bucket, year ... hour */
    struct ice_str bytes; /* else: a single value; a view into the source or storage */
    char storage[24];
};

/*
 * Apply to a single value of the source type (value.h: lengths that promotion leaves
 * behind are fine). false: the transform does not take that type or has no usable
 * argument, the length is illegal, or the result is beyond 64 bits. out must not be
 * copied: bytes may point into it.
 */
bool ice_transform_apply(const struct ice_transform *transform,
                         const struct ice_type *source, struct ice_str value,
                         struct ice_transformed *out);

/* The hash behind bucket[N]: murmur3, 32 bits, seed 0. false as above. */
bool ice_bucket_hash(const struct ice_type *source, struct ice_str value, int32_t *out);

#endif
