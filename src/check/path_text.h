/*
 * What is odd about the text of a path.
 */
#ifndef ICE_CHECK_PATH_TEXT_H
#define ICE_CHECK_PATH_TEXT_H

#include "base/str.h"

/* A control character, an empty or dot segment behind the first, a blank at the end. */
bool ice_path_is_odd(struct ice_str path);
/*
 * Quick, for many paths that begin alike: is nothing odd behind `from`, where a '/'
 * stands before it? May say no to a path that is in order: a name may begin with a dot.
 */
bool ice_path_is_clean(struct ice_str path, size_t from);

#endif
