/*
 * XXH3 and an open-addressing table with linear probing, at most half full. Values whose
 * key is there already are chained beside it: a million equal keys must not make a
 * million slots that every key near them has to pass.
 */
#include "base/hash.h"

#include "base/size.h"

#include <assert.h>

#define XXH_INLINE_ALL
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wundef"
#include <xxhash.h>
#pragma GCC diagnostic pop

uint64_t ice_hash64(struct ice_str text, uint64_t seed) {
    return XXH3_64bits_withSeed(text.size ? text.data : "", text.size, seed);
}

struct ice_hash ice_hash128(struct ice_str text, uint64_t seed) {
    XXH128_hash_t hash =
        XXH3_128bits_withSeed(text.size ? text.data : "", text.size, seed);
    return (struct ice_hash){hash.low64, hash.high64};
}

uint64_t ice_hash_mix(uint64_t id, uint64_t seed) {
    return XXH3_64bits_withSeed(&id, sizeof(id), seed);
}

void ice_table_init(struct ice_table *table, struct ice_alloc *alloc) {
    *table = (struct ice_table){.alloc = alloc};
}

void ice_table_release(struct ice_table *table) {
    if (table->slots != NULL)
        ice_free(table->alloc, table->slots, table->capacity * sizeof(*table->slots));
    if (table->more != NULL)
        ice_array_free(table->alloc, &table->more, &table->more_capacity,
                       sizeof(*table->more));
    table->slots = NULL;
    table->n = table->capacity = table->n_more = 0;
}

void ice_table_clear(struct ice_table *table) {
    if (table->capacity > 0)
        memset(table->slots, 0, table->capacity * sizeof(*table->slots));
    table->n = table->n_more = 0;
}

/* The slot of the key, or the free one where it belongs. */
static struct ice_table_slot *find(const struct ice_table *table, uint64_t key) {
    size_t mask = table->capacity - 1, at = (size_t)key & mask;
    while (table->slots[at].used && table->slots[at].key != key)
        at = (at + 1) & mask;
    return &table->slots[at];
}

static enum ice_status grow(struct ice_table *table) {
    struct ice_table bigger = *table;
    bigger.slots = NULL;
    if (!ice_size_mul(table->capacity, 2, &bigger.capacity))
        return ICE_ENOMEM;
    if (bigger.capacity == 0)
        bigger.capacity = 16;
    bigger.slots = ice_calloc(table->alloc, bigger.capacity, sizeof(*bigger.slots));
    if (bigger.slots == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->slots[i].used)
            *find(&bigger, table->slots[i].key) = table->slots[i];
    }
    if (table->slots != NULL)
        ice_free(table->alloc, table->slots, table->capacity * sizeof(*table->slots));
    *table = bigger;
    return ICE_OK;
}

/* Behind the last value of a key that is there. */
static enum ice_status put_more(struct ice_table *table, struct ice_table_slot *slot,
                                uint32_t value) {
    if (table->n_more >= UINT32_MAX - 2 ||
        !ice_array_reserve(table->alloc, &table->more, table->n_more,
                           &table->more_capacity, sizeof(*table->more)))
        return ICE_ENOMEM;
    assert(table->more != NULL); /* as there is room */
    const uint32_t at = (uint32_t)table->n_more++;
    struct ice_table_more *last = slot->used > 1 ? &table->more[slot->used - 2] : NULL;
    table->more[at] = (struct ice_table_more){value, last != NULL ? last->next : at};
    if (last != NULL)
        last->next = at;
    slot->used = at + 2;
    return ICE_OK;
}

enum ice_status ice_table_put(struct ice_table *table, uint64_t key, uint32_t value) {
    if (table->n >= table->capacity / 2) {
        enum ice_status status = grow(table);
        if (status < 0)
            return status;
    }
    struct ice_table_slot *slot = find(table, key);
    if (slot->used)
        return put_more(table, slot, value);
    *slot = (struct ice_table_slot){key, value, 1};
    table->n++;
    return ICE_OK;
}

/* *at: 0 at the first value, 1 + its place in more at any other. */
bool ice_table_next(const struct ice_table *table, uint64_t key, size_t *at,
                    uint32_t *out) {
    if (table->capacity == 0)
        return false;
    const struct ice_table_slot *slot = find(table, key);
    if (*at == SIZE_MAX) {
        if (!slot->used)
            return false;
        *at = 0;
        *out = slot->value;
        return true;
    }
    if (slot->used < 2 || *at == slot->used - 1)
        return false; /* that was the only one, or the last */
    const size_t from = *at == 0 ? slot->used - 2 : *at - 1;
    const uint32_t next = table->more[from].next;
    *at = (size_t)next + 1;
    *out = table->more[next].value;
    return true;
}
