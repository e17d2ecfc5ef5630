/*
 * The keys of the objects at one depth. Objects of one array mostly have the same keys in
 * the same order: then one comparison reads a key, tells that it is UTF-8, and, since the
 * keys of a shape differ, that it does not stand twice. Private to json/.
 */
#ifndef ICE_JSON_SHAPE_H
#define ICE_JSON_SHAPE_H

#include "base/alloc.h"
#include "base/str.h"

enum { ICE_JSON_SHAPE_KEYS = 32, ICE_JSON_SHAPE_BYTES = 1024 };

/* Invariants: n keys, all different, none with an escape; key i stands as `"key":` in
 * text[ends[i - 1] .. ends[i]). All-zero is empty. */
struct ice_json_shape {
    uint32_t n;
    uint16_t ends[ICE_JSON_SHAPE_KEYS];
    uint64_t hashes[ICE_JSON_SHAPE_KEYS];
    char text[ICE_JSON_SHAPE_BYTES];
};

/* Where an object is in the shape of its depth: it has the keys of the bits in seen, all
 * below next. */
struct ice_json_shaped {
    struct ice_json_shape *shape; /* NULL: it goes its own way */
    uint32_t seen;
    uint32_t next;
};

/* Key i with its quotes and colon. */
static inline struct ice_str ice_json_shape_token(const struct ice_json_shape *shape,
                                                  uint32_t i) {
    const uint32_t from = i > 0 ? shape->ends[i - 1] : 0;
    return ice_str_make(shape->text + from, shape->ends[i] - from);
}

static inline struct ice_str ice_json_shape_key(const struct ice_json_shape *shape,
                                                uint32_t i) {
    const struct ice_str token = ice_json_shape_token(shape, i);
    return ice_str_make(token.data + 1, token.size - 3);
}

static inline void ice_json_shape_mark(struct ice_json_shaped *at, uint32_t i) {
    at->seen |= UINT32_C(1) << i;
    at->next = i + 1;
}

/* Index of this key from at->next on, or UINT32_MAX. */
uint32_t ice_json_shape_find(const struct ice_json_shaped *at, struct ice_str key);

/*
 * The object has a key that none of the shape's is: from now on the shape is what the
 * object had, and this key. It must differ from all before it. When there is no room
 * left, the object goes its own way.
 */
void ice_json_shape_add(struct ice_json_shaped *at, struct ice_str key, uint64_t hash);

#endif
