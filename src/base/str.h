/*
 * String views (struct ice_str of icefsck.h): borrowed bytes with a length.
 */
#ifndef ICE_BASE_STR_H
#define ICE_BASE_STR_H

#include "icefsck.h"

#include <string.h>

/* A literal as a view. */
#define ICE_STR(literal) ((struct ice_str){(literal), sizeof(literal) - 1})
#define ICE_STR_NONE ((struct ice_str){NULL, 0})
/* For printf: "%.*s", ICE_STR_FMT(s). Only for text that was escaped or is our own. */
#define ICE_STR_FMT(s) (int)(s).size, (s).data ? (s).data : ""

static inline struct ice_str ice_str_from(const char *text) {
    return (struct ice_str){text, text ? strlen(text) : 0};
}

static inline struct ice_str ice_str_make(const void *data, size_t size) {
    return (struct ice_str){(const char *)data, size};
}

static inline bool ice_str_equal(struct ice_str a, struct ice_str b) {
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool ice_str_is(struct ice_str a, const char *text) {
    return ice_str_equal(a, ice_str_from(text));
}

static inline bool ice_str_starts(struct ice_str a, struct ice_str prefix) {
    return a.size >= prefix.size &&
           (prefix.size == 0 || memcmp(a.data, prefix.data, prefix.size) == 0);
}

static inline bool ice_str_ends(struct ice_str a, struct ice_str suffix) {
    return a.size >= suffix.size &&
           (suffix.size == 0 ||
            memcmp(a.data + (a.size - suffix.size), suffix.data, suffix.size) == 0);
}

/* The bytes from start on; empty beyond the end. */
static inline struct ice_str ice_str_from_index(struct ice_str a, size_t start) {
    if (start >= a.size)
        return ICE_STR_NONE;
    return (struct ice_str){a.data + start, a.size - start};
}

static inline struct ice_str ice_str_first(struct ice_str a, size_t size) {
    return (struct ice_str){a.data, size < a.size ? size : a.size};
}

/* Order by bytes, shorter first on a tie; <0, 0, >0. */
int ice_str_compare(struct ice_str a, struct ice_str b);
/* Index of the last / first byte c, or SIZE_MAX. */
size_t ice_str_rfind(struct ice_str a, char c);
size_t ice_str_find(struct ice_str a, char c);
/* Is the word in it? Not empty. */
bool ice_str_has(struct ice_str a, struct ice_str word);
/* Equal when ASCII letters of both are folded to lower case. */
bool ice_str_equal_nocase(struct ice_str a, struct ice_str b);
/* All of text as a decimal int64 ("-12"); false if it is anything else or out of range.
 */
bool ice_str_to_i64(struct ice_str text, int64_t *out);
/* Numbers in decimal, no NUL behind; how many bytes. Many are spelt for every file and
 * row, and printf is slow at it. */
enum { ICE_U64_BYTES = 20, ICE_I64_BYTES = 20 };
size_t ice_u64_to_text(uint64_t number, char out[ICE_U64_BYTES]);
size_t ice_i64_to_text(int64_t number, char out[ICE_I64_BYTES]);
/* A UUID spelt 8-4-4-4-12 in hex digits of any case. */
bool ice_str_is_uuid(struct ice_str text);
/* 0 to 15, or -1 if c is no hex digit. */
int ice_hex_digit(char c);

#endif
