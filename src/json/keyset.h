/*
 * Set of 64-bit hashes: the keys of an object that has many.
 */
#ifndef ICE_JSON_KEYSET_H
#define ICE_JSON_KEYSET_H

#include "base/alloc.h"

/* Open addressing, at most half full; 0 marks a free slot. All-zero is an empty set. */
struct ice_json_keyset {
    uint64_t *slots;
    size_t n, capacity;
};

/* *out_was_there: the hash was put before. ICE_ENOMEM leaves the set as it was. */
enum ice_status ice_json_keyset_put(struct ice_json_keyset *set, struct ice_alloc *alloc,
                                    uint64_t hash, bool *out_was_there) ICE_MUST_USE;
/* Safe twice and on all-zero. */
void ice_json_keyset_release(struct ice_json_keyset *set, struct ice_alloc *alloc);

#endif
