/*
 * Bounds-checked bytes of a header or an inflated block: the only place that decodes
 * Avro's numbers, lengths and indices. Functions return false at the first fault and say
 * in cursor->fault and cursor->detail what was wrong; at is then where it was met.
 */
#ifndef ICE_AVRO_CURSOR_H
#define ICE_AVRO_CURSOR_H

#include "base/compiler.h"
#include "base/str.h"
#include "base/utf8.h"

enum ice_fault {
    ICE_FAULT_NONE,
    ICE_FAULT_END,      /* the bytes end inside a datum */
    ICE_FAULT_OVERLONG, /* varint over ten bytes, or over 64 bits */
    ICE_FAULT_RANGE,    /* int beyond 32 bits; count of INT64_MIN */
    ICE_FAULT_LENGTH,   /* string or bytes length; detail: the length */
    ICE_FAULT_UNION,    /* detail: the index */
    ICE_FAULT_ENUM,     /* detail: the index */
    ICE_FAULT_BOOLEAN,  /* detail: the byte */
    ICE_FAULT_UTF8,     /* detail: index of the bad byte in the string */
    ICE_FAULT_COUNT, /* array or map count that its bytes cannot hold; detail: the count
                      */
    ICE_FAULT_ITEMS_SIZE, /* stated byte size of items does not fit; detail: the size */
    ICE_FAULT_ITEMS,      /* more zero-byte items than the limit; detail: the count */
    ICE_FAULT_DEPTH,      /* nested beyond the limit */
    ICE_FAULT_MEMORY,
};

/* Invariant: at <= end. */
struct ice_cursor {
    const unsigned char *at, *end;
    enum ice_fault fault;
    bool not_shortest; /* a varint was longer than needed */
    int64_t detail;
};

static inline struct ice_cursor ice_cursor_of(struct ice_str bytes, size_t start) {
    const unsigned char *data = (const unsigned char *)(bytes.size ? bytes.data : "");
    return (struct ice_cursor){.at = data + start, .end = data + bytes.size};
}

static inline size_t ice_cursor_left(const struct ice_cursor *c) {
    return (size_t)(c->end - c->at);
}

/* Note a fault; always false. */
static inline bool ice_cursor_fail(struct ice_cursor *c, enum ice_fault fault,
                                   int64_t detail) {
    c->fault = fault;
    c->detail = detail;
    return false;
}

static inline int64_t ice_zigzag(uint64_t bits) {
    return (int64_t)(bits >> 1) ^ -(int64_t)(bits & 1);
}

/* Any varint, two bytes and more included. */
bool ice_varint_read(struct ice_cursor *c, int64_t *out);

static inline bool ice_cursor_long(struct ice_cursor *c, int64_t *out) {
    if (ICE_LIKELY(c->at < c->end && *c->at < 0x80)) {
        *out = ice_zigzag(*c->at++);
        return true;
    }
    return ice_varint_read(c, out);
}

enum { ICE_VARINT_MOST = 10 };

/*
 * The varint in the low bytes of a little-endian word: its length, or 0 for one that is
 * longer than five bytes. The top bit of *odd is set if it was longer than needed, which
 * is if its last group is 0. Writers' numbers repeat their lengths: branches are cheap.
 */
static inline unsigned ice_varint_of_word(uint64_t word, int64_t *out, uint64_t *odd) {
    uint64_t bits = word & 0x7f;
    if ((word & 0x80) == 0) {
        *out = ice_zigzag(bits);
        return 1;
    }
    bits |= word >> 1 & 0x3f80;
    if ((word & 0x8000) == 0) {
        *odd |= (bits >> 7) - 1;
        *out = ice_zigzag(bits);
        return 2;
    }
    bits |= word >> 2 & 0x1fc000;
    if ((word & 0x800000) == 0) {
        *odd |= (bits >> 14) - 1;
        *out = ice_zigzag(bits);
        return 3;
    }
    bits |= word >> 3 & 0xfe00000;
    if ((word & 0x80000000) == 0) {
        *odd |= (bits >> 21) - 1;
        *out = ice_zigzag(bits);
        return 4;
    }
    bits |= word >> 4 & 0x7f0000000;
    if (ICE_UNLIKELY((word & 0x8000000000) != 0))
        return 0;
    *odd |= (bits >> 28) - 1;
    *out = ice_zigzag(bits);
    return 5;
}

static inline bool ice_varint_is_odd(uint64_t odd) {
    return odd >> 63 != 0;
}

/* The first eight bytes as such a word. */
static inline uint64_t ice_varint_word(const unsigned char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof(word));
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return word;
#else
    return __builtin_bswap64(word);
#endif
}

/*
 * For loops over many numbers: the varint at `at`, behind which at least ICE_VARINT_MOST
 * bytes can be read. Returns where it ends, or NULL: read that one by _long.
 */
static inline const unsigned char *ice_varint_take(const unsigned char *at, int64_t *out,
                                                   uint64_t *odd) {
    const unsigned bytes = ice_varint_of_word(ice_varint_word(at), out, odd);
    return bytes == 0 ? NULL : at + bytes;
}

static inline bool ice_cursor_int(struct ice_cursor *c, int32_t *out) {
    int64_t value;
    if (ICE_UNLIKELY(!ice_cursor_long(c, &value)))
        return false;
    if (ICE_UNLIKELY(value < INT32_MIN || value > INT32_MAX))
        return ice_cursor_fail(c, ICE_FAULT_RANGE, value);
    *out = (int32_t)value;
    return true;
}

/* size bytes as they are. */
static inline bool ice_cursor_bytes(struct ice_cursor *c, uint64_t size,
                                    struct ice_str *out) {
    if (ICE_UNLIKELY(size > ice_cursor_left(c)))
        return ice_cursor_fail(c, ICE_FAULT_END, 0);
    *out = ice_str_make(c->at, (size_t)size);
    c->at += size;
    return true;
}

/* A length and that many bytes. */
static inline bool ice_cursor_sized(struct ice_cursor *c, struct ice_str *out) {
    int64_t length;
    if (ICE_UNLIKELY(!ice_cursor_long(c, &length)))
        return false;
    if (ICE_UNLIKELY(length < 0 || (uint64_t)length > ice_cursor_left(c)))
        return ice_cursor_fail(c, ICE_FAULT_LENGTH, length);
    *out = ice_str_make(c->at, (size_t)length);
    c->at += length;
    return true;
}

static inline bool ice_cursor_string(struct ice_cursor *c, struct ice_str *out) {
    if (ICE_UNLIKELY(!ice_cursor_sized(c, out)))
        return false;
    size_t good = ice_utf8_check(*out);
    if (ICE_UNLIKELY(good != out->size))
        return ice_cursor_fail(c, ICE_FAULT_UTF8, (int64_t)good);
    return true;
}

static inline bool ice_cursor_boolean(struct ice_cursor *c, bool *out) {
    if (ICE_UNLIKELY(c->at == c->end))
        return ice_cursor_fail(c, ICE_FAULT_END, 0);
    if (ICE_UNLIKELY(*c->at > 1))
        return ice_cursor_fail(c, ICE_FAULT_BOOLEAN, *c->at);
    *out = *c->at++ != 0;
    return true;
}

/* An index below n: of a union's branch, of an enum's symbol. */
static inline bool ice_cursor_index(struct ice_cursor *c, size_t n, enum ice_fault fault,
                                    size_t *out) {
    int64_t index;
    if (ICE_UNLIKELY(!ice_cursor_long(c, &index)))
        return false;
    if (ICE_UNLIKELY(index < 0 || (uint64_t)index >= n))
        return ice_cursor_fail(c, fault, index);
    *out = (size_t)index;
    return true;
}

bool ice_cursor_float(struct ice_cursor *c, double *out);
bool ice_cursor_double(struct ice_cursor *c, double *out);

/*
 * One block head of an array or a map:
 *
 *   count >= 0 | items          or          count < 0 | byte size | -count items
 *
 * *out_count items follow, 0 ends the array. *out_end is where they must end by the
 * stated size, or NULL if none was stated. The count is checked against the bytes that
 * are left when an item takes least_size > 0 bytes.
 */
bool ice_cursor_items(struct ice_cursor *c, uint64_t least_size, uint64_t *out_count,
                      const unsigned char **out_end);

/* Rule and message of a fault; status to return for it. message is our own text. */
const char *ice_fault_rule(enum ice_fault fault);
enum ice_status ice_fault_status(enum ice_fault fault);
void ice_fault_message(const struct ice_cursor *c, char *out, size_t size);

#endif
