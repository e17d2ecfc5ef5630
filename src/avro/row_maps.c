/*
 * Maps of a row, from int to numbers or bytes. Writers put the same keys in the same
 * order into every row, so a map is first read as one with the keys of the last row:
 * there a key is one comparison. Where that fails, and close to the end of the bytes, it
 * goes on by loops that expect less.
 */
#include "avro/row_values.h"

/* ---- the keys of the last row ---- */

enum {
    NOT_SHORT = 0x100,   /* a key that takes more than two bytes: equals none below */
    TWO_BYTES = 0x180,   /* keys of two bytes are encoded as this or more */
    PAIR_BYTES = 8,      /* what a look at the next pair loads */
    MOST_SIZED_PAIR = 16 /* ... where a length is read, whose bytes are checked */
};

/* The bytes of a key's varint, first byte lowest. */
static uint16_t encode(int32_t key) {
    const uint32_t bits = (uint32_t)key << 1 ^ (key < 0 ? UINT32_MAX : 0);
    if (bits < 0x80)
        return (uint16_t)bits;
    return bits < 0x4000 ? (uint16_t)(bits >> 7 << 8 | 0x80 | (bits & 0x7f)) : NOT_SHORT;
}

static bool learn_keys(struct ice_scratch *s, struct ice_cursor *c, struct ice_slot *slot,
                       size_t n) {
    const int32_t *keys = slot->first;
    if (n > slot->encoded_capacity) {
        const size_t bytes = sizeof(*slot->encoded);
        uint16_t *grown = ice_realloc(s->alloc, slot->encoded,
                                      slot->encoded_capacity * bytes, /* fits: */
                                      slot->capacity * bytes); /* keys are larger */
        if (grown == NULL)
            return ice_cursor_fail(c, ICE_FAULT_MEMORY, 0);
        slot->encoded = grown;
        slot->encoded_capacity = slot->capacity;
    }
    for (size_t i = 0; i < n; i++)
        slot->encoded[i] = encode(keys[i]);
    slot->n_encoded = n;
    slot->keys_id++;
    return true;
}

/* Is this the key that is expected? key_bytes is a constant where it is called. */
static inline bool is_key(uint64_t word, unsigned encoded, unsigned key_bytes) {
    if (key_bytes == 1)
        return (word & 0xff) == encoded;
    return (word & 0xffff) == encoded && encoded >= TWO_BYTES;
}

enum { PAIR_MOST = 2 * ICE_VARINT_MOST };

/*
 * The number behind a key, where PAIR_MOST bytes can be read. Returns where it
 * ends, or NULL for anything odd. Most keys are one byte, and both come of one look.
 */
static inline const unsigned char *take_pair(const unsigned char *at, int32_t *key,
                                             int64_t *value, uint64_t *odd) {
    const uint64_t word = ice_varint_word(at);
    if (ICE_LIKELY((word & 0x80) == 0)) {
        const unsigned bytes = ice_varint_of_word(word >> 8, value, odd);
        *key = (int32_t)ice_zigzag(word & 0x7f);
        return ICE_LIKELY(bytes != 0) ? at + 1 + bytes : NULL;
    }
    int64_t wide = 0;
    const unsigned char *next = ice_varint_take(at, &wide, odd);
    *key = (int32_t)wide;
    return next == NULL || wide != *key ? NULL : ice_varint_take(next, value, odd);
}

/* ---- numbers ---- */

/* The number read last, and the bytes it was read from. */
struct run {
    uint64_t bytes, mask;
    int64_t value;
    unsigned size; /* of key and number */
};

/*
 * Pairs [i, n) that have the expected keys, of so many bytes. Returns where that ends;
 * PAIR_BYTES can be read for each of them. One number often follows itself, as do the
 * value counts of one file: then key and number are one comparison.
 */
static inline size_t take_known(struct ice_cursor *c, const uint16_t *restrict encoded,
                                size_t i, size_t n, unsigned key_bytes,
                                int64_t *restrict values) {
    const unsigned char *at = c->at;
    struct run run = {.bytes = 1}; /* which no word is under a mask of 0 */
    uint64_t odd = 0;
    for (; i < n; i++) {
        uint64_t word = ice_varint_word(at);
        if (!is_key(word, encoded[i], key_bytes))
            break;
        word >>= 8 * key_bytes;
        if ((word & run.mask) != run.bytes) {
            const unsigned bytes = ice_varint_of_word(word, &run.value, &odd);
            if (ICE_UNLIKELY(bytes == 0))
                break;
            run.mask = (UINT64_C(1) << 8 * bytes) - 1;
            run.bytes = word & run.mask;
            run.size = key_bytes + bytes;
        }
        values[i] = run.value;
        at += run.size;
    }
    c->at = at;
    c->not_shortest |= ice_varint_is_odd(odd);
    return i;
}

/* Pairs [i, n) with the keys of the last row; returns where that ends. */
static size_t take_as_before(struct ice_cursor *c, const struct ice_slot *slot, size_t i,
                             size_t n) {
    if (ice_cursor_left(c) < PAIR_BYTES * (n - i)) /* a pair takes two, so it fits */
        return i;
    i = take_known(c, slot->encoded, i, n, 1, slot->second);
    return i == n ? n : take_known(c, slot->encoded, i, n, 2, slot->second);
}

/*
 * Pairs while there are bytes enough that none of them needs a look at the end. Stops
 * early at anything odd, which the careful loop then judges. Returns the pairs read.
 */
static size_t take_pairs(struct ice_cursor *c, size_t n, int32_t *restrict keys,
                         int64_t *restrict values) {
    const unsigned char *at = c->at;
    uint64_t odd = 0;
    size_t i = 0;
    if (ice_cursor_left(c) / PAIR_MOST < n)
        return 0;
    for (; i < n; i++) {
        const unsigned char *next = take_pair(at, &keys[i], &values[i], &odd);
        if (ICE_UNLIKELY(next == NULL))
            break;
        at = next;
    }
    c->at = at;
    c->not_shortest |= ice_varint_is_odd(odd);
    return i;
}

/* Some of the pairs that are left, whatever their keys. */
static bool read_pairs(struct ice_scratch *s, struct ice_cursor *c, struct ice_slot *slot,
                       struct ice_items *items, size_t *n) {
    if (*n == slot->capacity &&
        !ice_slot_grow(s, c, slot, sizeof(int32_t), sizeof(int64_t)))
        return false;
    int32_t *keys = slot->first;
    int64_t *values = slot->second;
    const size_t stop = *n + ice_items_take(items, *n, slot);
    for (size_t i = *n + take_pairs(c, stop - *n, keys + *n, values + *n); i < stop; i++)
        if (!ice_cursor_int(c, &keys[i]) || !ice_cursor_long(c, &values[i]))
            return false;
    *n = stop;
    return true;
}

/* Of an Avro map of int: [i, n) were just read. */
static bool are_ints(struct ice_cursor *c, const int64_t *values, size_t i, size_t n) {
    for (; i < n; i++)
        if (values[i] != (int32_t)values[i])
            return ice_cursor_fail(c, ICE_FAULT_RANGE, values[i]);
    return true;
}

/* Those left that the last row had at the same places, at most. */
static size_t expected_end(const struct ice_slot *slot, const struct ice_items *items,
                           size_t n) {
    const size_t known = slot->n_encoded - n;
    return n + (items->left < known ? (size_t)items->left : known);
}

bool ice_read_map_i64(struct ice_scratch *s, struct ice_cursor *c,
                      const struct ice_step *step, struct ice_map_i64 *out) {
    struct ice_slot *slot = &s->slots[step->slot];
    struct ice_items items = {0};
    size_t n = 0;
    bool as_before = true;
    while (ice_items_more(c, &items, 2)) {
        const size_t first = n;
        if (as_before) {
            n = take_as_before(c, slot, n, expected_end(slot, &items, n));
            items.left -= n - first;
            as_before = items.left == 0;
        } else {
            slot->n_encoded = 0; /* the keys are overwritten */
            if (!read_pairs(s, c, slot, &items, &n))
                return false;
        }
        if (step->is_int && !are_ints(c, slot->second, first, n))
            return false;
    }
    if (c->fault != ICE_FAULT_NONE ||
        (n != slot->n_encoded && !learn_keys(s, c, slot, n)))
        return false;
    *out = (struct ice_map_i64){slot->first, slot->second, n, slot->keys_id};
    return true;
}

/* ---- bytes ---- */

static inline size_t take_known_sized(struct ice_cursor *c,
                                      const uint16_t *restrict encoded, size_t i,
                                      size_t n, unsigned key_bytes,
                                      struct ice_str *restrict values) {
    const unsigned char *at = c->at, *const end = c->end;
    uint64_t odd = 0;
    for (; i < n && end - at >= MOST_SIZED_PAIR; i++) {
        int64_t length;
        const uint64_t word = ice_varint_word(at);
        if (!is_key(word, encoded[i], key_bytes))
            break;
        const unsigned bytes = ice_varint_of_word(word >> 8 * key_bytes, &length, &odd);
        const unsigned char *next = at + key_bytes + bytes;
        if (ICE_UNLIKELY(bytes == 0 || length < 0 || length > end - next))
            break;
        values[i] = ice_str_make(next, (size_t)length);
        at = next + length;
    }
    c->at = at;
    c->not_shortest |= ice_varint_is_odd(odd);
    return i;
}

static size_t take_sized_as_before(struct ice_cursor *c, const struct ice_slot *slot,
                                   size_t i, size_t n) {
    i = take_known_sized(c, slot->encoded, i, n, 1, slot->second);
    return i == n ? n : take_known_sized(c, slot->encoded, i, n, 2, slot->second);
}

/* The same for values of bytes; what is odd is left to the careful loop from there on. */
static size_t take_byte_pairs(struct ice_cursor *c, size_t n, int32_t *restrict keys,
                              struct ice_str *restrict values) {
    const unsigned char *at = c->at, *const end = c->end;
    uint64_t odd = 0;
    size_t i = 0;
    for (; i < n && end - at >= PAIR_MOST; i++) {
        int64_t length;
        const unsigned char *next = take_pair(at, &keys[i], &length, &odd);
        if (ICE_UNLIKELY(next == NULL || length < 0 || length > end - next))
            break;
        values[i] = ice_str_make(next, (size_t)length);
        at = next + length;
    }
    c->at = at;
    c->not_shortest |= ice_varint_is_odd(odd);
    return i;
}

static bool read_byte_pairs(struct ice_scratch *s, struct ice_cursor *c,
                            struct ice_slot *slot, struct ice_items *items, size_t *n) {
    if (*n == slot->capacity &&
        !ice_slot_grow(s, c, slot, sizeof(int32_t), sizeof(struct ice_str)))
        return false;
    int32_t *keys = slot->first;
    struct ice_str *values = slot->second;
    const size_t stop = *n + ice_items_take(items, *n, slot);
    *n += take_byte_pairs(c, stop - *n, keys + *n, values + *n);
    for (; *n < stop; (*n)++)
        if (!ice_cursor_int(c, &keys[*n]) || !ice_cursor_sized(c, &values[*n]))
            return false;
    return true;
}

bool ice_read_map_bytes(struct ice_scratch *s, struct ice_cursor *c,
                        const struct ice_step *step, struct ice_map_bytes *out) {
    struct ice_slot *slot = &s->slots[step->slot];
    struct ice_items items = {0};
    size_t n = 0;
    bool as_before = true;
    while (ice_items_more(c, &items, 2)) {
        const size_t first = n;
        if (as_before) {
            n = take_sized_as_before(c, slot, n, expected_end(slot, &items, n));
            items.left -= n - first;
            as_before = items.left == 0;
        } else {
            slot->n_encoded = 0; /* the keys are overwritten */
            if (!read_byte_pairs(s, c, slot, &items, &n))
                return false;
        }
    }
    if (c->fault != ICE_FAULT_NONE ||
        (n != slot->n_encoded && !learn_keys(s, c, slot, n)))
        return false;
    *out = (struct ice_map_bytes){slot->first, slot->second, n, slot->keys_id};
    return true;
}
