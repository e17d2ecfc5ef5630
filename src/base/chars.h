/*
 * Classes of ASCII characters, whatever the locale.
 */
#ifndef ICE_BASE_CHARS_H
#define ICE_BASE_CHARS_H

#include <stdbool.h>

static inline bool ice_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline bool ice_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool ice_is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Letters in lower case, all else as it is. */
static inline char ice_lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

#endif
