/*
 * A bag of hashes: put all in, sort, then take them out one by one. 16 bytes each.
 */
#ifndef ICE_ANSWER_LIVE_SET_H
#define ICE_ANSWER_LIVE_SET_H

#include "base/hash.h"

enum { ICE_LIVE_BUCKETS = 256 };

/* 127 bits of a seeded hash; the lowest bit of high: it was taken. */
struct ice_live_key {
    uint64_t low, high;
};

struct ice_live_set {
    struct ice_alloc *alloc;
    struct {
        struct ice_live_key *keys;
        size_t n, capacity;
    } buckets[ICE_LIVE_BUCKETS]; /* by the first byte of low: grown and sorted apart */
    uint64_t n, n_taken;
};

void ice_live_set_init(struct ice_live_set *set, struct ice_alloc *alloc);
void ice_live_set_release(struct ice_live_set *set); /* safe twice and on all-zero */
enum ice_status ice_live_set_add(struct ice_live_set *set,
                                 struct ice_hash hash) ICE_MUST_USE;
/* Behind the last _add. */
void ice_live_set_sort(struct ice_live_set *set);
/* Take one key that equals the hash; false: there is none, or all were taken. */
bool ice_live_set_take(struct ice_live_set *set, struct ice_hash hash);

#endif
