/*
 * The keys of the objects at one depth.
 */
#include "json/shape.h"

uint32_t ice_json_shape_find(const struct ice_json_shaped *at, struct ice_str key) {
    for (uint32_t i = at->next; i < at->shape->n; i++) {
        if (ice_str_equal(ice_json_shape_key(at->shape, i), key))
            return i;
    }
    return UINT32_MAX;
}

static uint32_t low_bits(uint32_t n) {
    return n < 32 ? (UINT32_C(1) << n) - 1 : UINT32_MAX;
}

/* Keep the keys that the object has. */
static void keep_seen(struct ice_json_shaped *at) {
    struct ice_json_shape *shape = at->shape;
    uint32_t n = 0, end = 0;
    if (at->seen == low_bits(at->next)) {
        shape->n = at->next;
        return;
    }
    for (uint32_t i = 0; i < at->next; i++) {
        if ((at->seen >> i & 1) == 0)
            continue;
        const struct ice_str token = ice_json_shape_token(shape, i);
        const uint64_t hash = shape->hashes[i];
        memmove(shape->text + end, token.data, token.size);
        end += (uint32_t)token.size; /* at most ICE_JSON_SHAPE_BYTES */
        shape->hashes[n] = hash;
        shape->ends[n++] = (uint16_t)end;
    }
    shape->n = at->next = n;
    at->seen = low_bits(n);
}

void ice_json_shape_add(struct ice_json_shaped *at, struct ice_str key, uint64_t hash) {
    struct ice_json_shape *shape = at->shape;
    keep_seen(at);
    const uint32_t from = shape->n > 0 ? shape->ends[shape->n - 1] : 0;
    const size_t room = ICE_JSON_SHAPE_BYTES - from;
    if (shape->n == ICE_JSON_SHAPE_KEYS || room < 3 || key.size > room - 3) {
        at->shape = NULL;
        return;
    }
    char *to = shape->text + from;
    to[0] = '"';
    if (key.size > 0)
        memcpy(to + 1, key.data, key.size);
    to[1 + key.size] = '"';
    to[2 + key.size] = ':';
    shape->ends[shape->n] = (uint16_t)(from + key.size + 3);
    shape->hashes[shape->n++] = hash;
    ice_json_shape_mark(at, shape->n - 1);
}
