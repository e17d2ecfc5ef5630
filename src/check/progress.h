/*
 * How far the reading of manifests is, in bytes: their lists tell how long each is before
 * the first is opened.
 */
#ifndef ICE_CHECK_PROGRESS_H
#define ICE_CHECK_PROGRESS_H

#include "check/check.h"

/* Bytes of a manifest as its list tells them; 0: it does not, or no size can be such. */
uint64_t ice_manifest_length(const struct ice_check *ck, size_t manifest);

/* All lists were read: how much there is to do is known now. */
void ice_progress_begin(struct ice_check *ck);

/* Of a manifest, n_records were joined so far; said to options.on_progress. */
void ice_progress_part(struct ice_check *ck, uint32_t manifest, uint64_t n_records);

/* A manifest was joined whole. */
void ice_progress_joined(struct ice_check *ck, uint32_t manifest);

#endif
