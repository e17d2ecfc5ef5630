/*
 * Defaults of struct ice_limits, from limits.def.
 */
#ifndef ICE_BASE_LIMITS_H
#define ICE_BASE_LIMITS_H

#include "icefsck.h"

/* Fill every member that is 0 with its default. */
void ice_limits_complete(struct ice_limits *limits);

#endif
