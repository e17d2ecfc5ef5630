/*
 * Untrusted text made safe for a terminal or a log; ice_escape itself is in icefsck.h.
 */
#ifndef ICE_BASE_ESCAPE_H
#define ICE_BASE_ESCAPE_H

#include "base/utf8.h"

/* Escape the code point at *at (below text.size) into out, step over it, return the
 * bytes. */
size_t ice_escape_next(struct ice_str text, size_t *at, char out[16]);

#endif
