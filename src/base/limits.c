/*
 * Defaults of struct ice_limits. With ICE_FUZZ the limits are lower and nothing else changes.
 */
#include "base/limits.h"

void ice_limits_complete(struct ice_limits *limits) {
#ifdef ICE_FUZZ
#define ICE_LIMIT(member, fallback, fuzz, rule, text)                                      \
    if (limits->member == 0)                                                               \
        limits->member = (fuzz);
#else
#define ICE_LIMIT(member, fallback, fuzz, rule, text)                                      \
    if (limits->member == 0)                                                               \
        limits->member = (fallback);
#endif
#include "base/limits.def"
#undef ICE_LIMIT
}
