/*
 * How alike two words are: for "did you mean".
 */
#ifndef ICE_BASE_NEAR_H
#define ICE_BASE_NEAR_H

#include "base/str.h"

/* Longer words are not compared. */
enum { ICE_NEAR_LONGEST = 128 };

/*
 * Edits (insert, remove, replace, swap of neighbours) from a to b, by bytes; SIZE_MAX if
 * one of them is longer than ICE_NEAR_LONGEST.
 */
size_t ice_edit_distance(struct ice_str a, struct ice_str b);

/*
 * Equal but for '-', '_' and '.', whatever their number and place: "io.impl" and
 * "io-impl". fold: ASCII letters are equal in any case.
 */
bool ice_words_alike(struct ice_str a, struct ice_str b, bool fold);

#endif
