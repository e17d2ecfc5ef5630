/*
 * A bag of hashes in buckets by their first byte, so that growing one copies little and
 * sorting needs no room of its own.
 */
#include "answer/live_set.h"

#include <stdlib.h>

static const uint64_t TAKEN = 1;

void ice_live_set_init(struct ice_live_set *set, struct ice_alloc *alloc) {
    *set = (struct ice_live_set){.alloc = alloc};
}

void ice_live_set_release(struct ice_live_set *set) {
    for (size_t i = 0; i < ICE_LIVE_BUCKETS; i++) {
        ice_array_free(set->alloc, &set->buckets[i].keys, &set->buckets[i].capacity,
                       sizeof(struct ice_live_key));
        set->buckets[i].n = 0;
    }
    set->n = set->n_taken = 0;
}

static struct ice_live_key key_of(struct ice_hash hash) {
    return (struct ice_live_key){hash.low, hash.high & ~TAKEN};
}

static int compare(const struct ice_live_key *a, const struct ice_live_key *b) {
    uint64_t left = a->high & ~TAKEN, right = b->high & ~TAKEN;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    return left == right ? 0 : left < right ? -1 : 1;
}

static int compare_items(const void *a, const void *b) {
    return compare(a, b);
}

enum ice_status ice_live_set_add(struct ice_live_set *set, struct ice_hash hash) {
    size_t at = (size_t)(hash.low >> 56);
    if (!ice_array_reserve(set->alloc, &set->buckets[at].keys, set->buckets[at].n,
                           &set->buckets[at].capacity, sizeof(struct ice_live_key)))
        return ICE_ENOMEM;
    set->buckets[at].keys[set->buckets[at].n++] = key_of(hash);
    set->n++;
    return ICE_OK;
}

void ice_live_set_sort(struct ice_live_set *set) {
    for (size_t i = 0; i < ICE_LIVE_BUCKETS; i++) {
        if (set->buckets[i].n > 1)
            qsort(set->buckets[i].keys, set->buckets[i].n, sizeof(struct ice_live_key),
                  compare_items);
    }
}

bool ice_live_set_take(struct ice_live_set *set, struct ice_hash hash) {
    const struct ice_live_key wanted = key_of(hash);
    struct ice_live_key *keys = set->buckets[hash.low >> 56].keys;
    size_t n = set->buckets[hash.low >> 56].n, low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare(&keys[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n && compare(&keys[low], &wanted) == 0; low++) {
        if (keys[low].high & TAKEN)
            continue;
        keys[low].high |= TAKEN;
        set->n_taken++;
        return true;
    }
    return false;
}
