/*
 * Sixteen bytes of text at a time: which of them are of a kind. By the compilers' vector
 * types, so that any machine has its own best way and no intrinsic stands here. A byte of
 * a result is all ones where the answer is yes, else zero.
 */
#ifndef ICE_BASE_BYTES16_H
#define ICE_BASE_BYTES16_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char ice_bytes16 __attribute__((vector_size(16)));

static inline ice_bytes16 ice_bytes16_at(const char *bytes) {
    ice_bytes16 out;
    memcpy(&out, bytes, sizeof(out));
    return out;
}

static inline ice_bytes16 ice_bytes16_all(char c) {
    const unsigned char b = (unsigned char)c;
    return (ice_bytes16){b, b, b, b, b, b, b, b, b, b, b, b, b, b, b, b};
}

static inline ice_bytes16 ice_bytes16_like(ice_bytes16 bytes, char c) {
    return (ice_bytes16)(bytes == ice_bytes16_all(c));
}

/* Unsigned: bytes below limit. */
static inline ice_bytes16 ice_bytes16_below(ice_bytes16 bytes, char limit) {
    return (ice_bytes16)(bytes < ice_bytes16_all(limit));
}

/* Is a bit set in any of them? */
static inline bool ice_bytes16_any(ice_bytes16 bytes) {
    uint64_t halves[2];
    memcpy(halves, &bytes, sizeof(halves));
    return (halves[0] | halves[1]) != 0;
}

#endif
