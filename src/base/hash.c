/*
 * XXH3 and an open-addressing table with linear probing, at most half full.
 */
#include "base/hash.h"

#include "base/size.h"

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
    table->slots = NULL;
    table->n = table->capacity = 0;
}

void ice_table_clear(struct ice_table *table) {
    if (table->capacity > 0)
        memset(table->slots, 0, table->capacity * sizeof(*table->slots));
    table->n = 0;
}

static void place(struct ice_table *table, uint64_t key, uint32_t value) {
    size_t mask = table->capacity - 1, at = (size_t)key & mask;
    while (table->slots[at].used)
        at = (at + 1) & mask;
    table->slots[at] = (struct ice_table_slot){key, value, 1};
}

static enum ice_status grow(struct ice_table *table) {
    struct ice_table bigger = {.alloc = table->alloc};
    if (!ice_size_mul(table->capacity, 2, &bigger.capacity))
        return ICE_ENOMEM;
    if (bigger.capacity == 0)
        bigger.capacity = 16;
    bigger.slots = ice_calloc(table->alloc, bigger.capacity, sizeof(*bigger.slots));
    if (bigger.slots == NULL)
        return ICE_ENOMEM;
    bigger.n = table->n;
    /* start behind an empty slot, so that equal keys keep their order across the wrap */
    size_t start = 0;
    while (start < table->capacity && table->slots[start].used)
        start++;
    for (size_t i = 0; i < table->capacity; i++) {
        const struct ice_table_slot *slot =
            &table->slots[(start + i) & (table->capacity - 1)];
        if (slot->used)
            place(&bigger, slot->key, slot->value);
    }
    ice_table_release(table);
    *table = bigger;
    return ICE_OK;
}

enum ice_status ice_table_put(struct ice_table *table, uint64_t key, uint32_t value) {
    if (table->n >= table->capacity / 2) {
        enum ice_status status = grow(table);
        if (status < 0)
            return status;
    }
    place(table, key, value);
    table->n++;
    return ICE_OK;
}

bool ice_table_next(const struct ice_table *table, uint64_t key, size_t *at,
                    uint32_t *out) {
    if (table->capacity == 0)
        return false;
    size_t mask = table->capacity - 1;
    size_t i = *at == SIZE_MAX ? (size_t)key & mask : (*at + 1) & mask;
    while (table->slots[i].used) {
        if (table->slots[i].key == key) {
            *at = i;
            *out = table->slots[i].value;
            return true;
        }
        i = (i + 1) & mask;
    }
    return false;
}
