/*
 * String views: the functions that are too long for the header.
 */
#include "base/str.h"

#include "base/chars.h"

int ice_str_compare(struct ice_str a, struct ice_str b) {
    size_t common = a.size < b.size ? a.size : b.size;
    int order = common ? memcmp(a.data, b.data, common) : 0;
    if (order != 0)
        return order;
    return (a.size > b.size) - (a.size < b.size);
}

size_t ice_str_rfind(struct ice_str a, char c) {
    for (size_t i = a.size; i > 0; i--) {
        if (a.data[i - 1] == c)
            return i - 1;
    }
    return SIZE_MAX;
}

size_t ice_str_find(struct ice_str a, char c) {
    const char *at = a.size ? memchr(a.data, c, a.size) : NULL;
    return at ? (size_t)(at - a.data) : SIZE_MAX;
}

bool ice_str_has(struct ice_str a, struct ice_str word) {
    return a.size > 0 && memmem(a.data, a.size, word.data, word.size) != NULL;
}

bool ice_str_equal_nocase(struct ice_str a, struct ice_str b) {
    if (a.size != b.size)
        return false;
    for (size_t i = 0; i < a.size; i++) {
        if (ice_lower(a.data[i]) != ice_lower(b.data[i]))
            return false;
    }
    return true;
}

bool ice_str_to_i64(struct ice_str text, int64_t *out) {
    bool negative = text.size > 0 && text.data[0] == '-';
    size_t i = negative ? 1 : 0;
    if (i == text.size)
        return false;
    uint64_t value = 0;
    for (; i < text.size; i++) {
        if (text.data[i] < '0' || text.data[i] > '9')
            return false;
        if (__builtin_mul_overflow(value, (uint64_t)10, &value) ||
            __builtin_add_overflow(value, (uint64_t)(text.data[i] - '0'), &value))
            return false;
    }
    if (value > (uint64_t)INT64_MAX + (negative ? 1u : 0u))
        return false;
    *out = negative ? (int64_t)(0 - value) : (int64_t)value;
    return true;
}

size_t ice_u64_to_text(uint64_t number, char out[ICE_U64_BYTES]) {
    char digits[ICE_U64_BYTES];
    size_t n = 0;
    do {
        digits[sizeof(digits) - ++n] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    memcpy(out, digits + sizeof(digits) - n, n);
    return n;
}

size_t ice_i64_to_text(int64_t number, char out[ICE_I64_BYTES]) {
    if (number >= 0)
        return ice_u64_to_text((uint64_t)number, out);
    out[0] = '-'; /* 19 digits at most behind it */
    char digits[ICE_U64_BYTES];
    size_t n = ice_u64_to_text(0 - (uint64_t)number, digits);
    memcpy(out + 1, digits, n);
    return n + 1;
}

int ice_hex_digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool ice_str_is_uuid(struct ice_str text) {
    if (text.size != 36)
        return false;
    for (size_t i = 0; i < text.size; i++) {
        bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (is_dash ? text.data[i] != '-' : ice_hex_digit(text.data[i]) < 0)
            return false;
    }
    return true;
}
