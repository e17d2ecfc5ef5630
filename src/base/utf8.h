/*
 * UTF-8 by RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
 */
#ifndef ICE_BASE_UTF8_H
#define ICE_BASE_UTF8_H

#include "base/str.h"

/* Index of the first byte that does not belong to valid UTF-8, or text.size if all does.
 */
size_t ice_utf8_check(struct ice_str text);
static inline bool ice_utf8_is_valid(struct ice_str text) {
    return ice_utf8_check(text) == text.size;
}

/*
 * Decode the code point at *at and step over it. An invalid byte gives 0xFFFFFFFF and a
 * step of one. *at must be below text.size.
 */
uint32_t ice_utf8_next(struct ice_str text, size_t *at);
/* Write a code point (valid, no surrogate), return its 1 to 4 bytes. */
size_t ice_utf8_encode(uint32_t code_point, char out[4]);

#endif
