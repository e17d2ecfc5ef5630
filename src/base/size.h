/*
 * Checked arithmetic on sizes and counts that come from input.
 */
#ifndef ICE_BASE_SIZE_H
#define ICE_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* false on overflow, *out is then not to be used */
static inline bool ice_size_add(size_t a, size_t b, size_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

static inline bool ice_size_mul(size_t a, size_t b, size_t *out) {
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool ice_i64_add(int64_t a, int64_t b, int64_t *out) {
    return !__builtin_add_overflow(a, b, out);
}

/* false if value does not fit */
static inline bool ice_narrow_i32(int64_t value, int32_t *out) {
    if (value < INT32_MIN || value > INT32_MAX)
        return false;
    *out = (int32_t)value;
    return true;
}

static inline bool ice_narrow_size(uint64_t value, size_t *out) {
    if (value > SIZE_MAX)
        return false;
    *out = (size_t)value;
    return true;
}

static inline size_t ice_size_min(size_t a, size_t b) {
    return a < b ? a : b;
}

#endif
