/*
 * Set of 64-bit hashes.
 */
#include "json/keyset.h"

enum { FIRST_CAPACITY = 128 };

/* Index of the hash, or of the free slot where it belongs. */
static size_t find(const struct ice_json_keyset *set, uint64_t hash) {
    size_t mask = set->capacity - 1, at = (size_t)hash & mask;
    while (set->slots[at] != 0 && set->slots[at] != hash)
        at = (at + 1) & mask;
    return at;
}

static bool grow(struct ice_json_keyset *set, struct ice_alloc *alloc) {
    struct ice_json_keyset bigger = {.n = set->n, .capacity = FIRST_CAPACITY};
    if (set->capacity > 0)
        bigger.capacity = set->capacity * 2; /* a slot has eight bytes, so it fits */
    bigger.slots = ice_calloc(alloc, bigger.capacity, sizeof(*bigger.slots));
    if (bigger.slots == NULL)
        return false;
    for (size_t i = 0; i < set->capacity; i++) {
        if (set->slots[i] != 0)
            bigger.slots[find(&bigger, set->slots[i])] = set->slots[i];
    }
    ice_json_keyset_release(set, alloc);
    *set = bigger;
    return true;
}

enum ice_status ice_json_keyset_put(struct ice_json_keyset *set, struct ice_alloc *alloc,
                                    uint64_t hash, bool *out_was_there) {
    if (hash == 0)
        hash = 1; /* 0 is the free slot; one hash in 2^64 is shared */
    if (set->n >= set->capacity / 2 && !grow(set, alloc))
        return ICE_ENOMEM;
    size_t at = find(set, hash);
    *out_was_there = set->slots[at] == hash;
    if (!*out_was_there) {
        set->slots[at] = hash;
        set->n++;
    }
    return ICE_OK;
}

void ice_json_keyset_release(struct ice_json_keyset *set, struct ice_alloc *alloc) {
    if (set->slots != NULL)
        ice_free(alloc, set->slots, set->capacity * sizeof(*set->slots));
    *set = (struct ice_json_keyset){0};
}
