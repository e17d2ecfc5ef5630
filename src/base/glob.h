/*
 * Patterns with '*' (any bytes, none too) and '?' (one byte).
 */
#ifndef ICE_BASE_GLOB_H
#define ICE_BASE_GLOB_H

#include "base/str.h"

/*
 * All of text matches glob; fold: ASCII letters are equal in any case. Only the last star
 * is ever tried again, so it costs glob.size * text.size steps at most.
 */
bool ice_glob_matches(struct ice_str glob, struct ice_str text, bool fold);

#endif
