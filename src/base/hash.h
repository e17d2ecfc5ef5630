/*
 * XXH3 seeded per run, and a hash table over its values.
 */
#ifndef ICE_BASE_HASH_H
#define ICE_BASE_HASH_H

#include "base/alloc.h"
#include "base/str.h"

struct ice_hash {
    uint64_t low, high;
};

uint64_t ice_hash64(struct ice_str text, uint64_t seed);
struct ice_hash ice_hash128(struct ice_str text, uint64_t seed);

/*
 * Table from a 64-bit key (a hash, or an id put through ice_hash_mix) to a 32-bit value;
 * equal keys may be put more than once and are walked in the order of putting. The caller
 * confirms a match by its own text or id. All-zero with alloc set is empty and ready.
 */
struct ice_table_slot {
    uint64_t key;
    uint32_t value; /* the first of its key */
    uint32_t used;  /* 0: free; 1: it is the only one; else 2 + the last of more */
};
/* A value that is not the first of its key. So equal keys, however many, take one slot.
 */
struct ice_table_more {
    uint32_t value;
    uint32_t next; /* of its key, in a ring: behind the last is the first of them */
};
struct ice_table {
    struct ice_alloc *alloc;
    struct ice_table_slot *slots;
    size_t n, capacity; /* slots in use; capacity: power of two or 0 */
    struct ice_table_more *more;
    size_t n_more, more_capacity;
};

uint64_t ice_hash_mix(uint64_t id, uint64_t seed);

void ice_table_init(struct ice_table *table, struct ice_alloc *alloc);
void ice_table_release(struct ice_table *table);
/* Empty it, keep the memory. */
void ice_table_clear(struct ice_table *table);
enum ice_status ice_table_put(struct ice_table *table, uint64_t key,
                              uint32_t value) ICE_MUST_USE;
/*
 * Walk the values of a key: start with *at = SIZE_MAX, ends with false. Nothing may be
 * put meanwhile. size_t at = SIZE_MAX; uint32_t value; while (ice_table_next(&table, key,
 * &at, &value)) ...
 */
bool ice_table_next(const struct ice_table *table, uint64_t key, size_t *at,
                    uint32_t *out);

#endif
