/*
 * One question of facts by path: how many rows a live data file has.
 */
#include "check/facts.h"

#include "base/error.h"

static size_t first_of(const struct ice_facts *facts, uint64_t key) {
    size_t low = 0, high = facts->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (facts->items[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

enum ice_status ice_fact_rows(struct ice_facts *facts, struct ice_str path,
                              int64_t *out) {
    struct ice_str folded;
    int64_t rows = -1;
    *out = -1;
    if (facts->dropped || facts->n == 0)
        return ICE_OK;
    ICE_TRY(ice_path_fold(path, &facts->folded, &folded));
    struct ice_hash key = ice_hash128(folded, facts->ck->run->hash_seed);
    uint32_t low = (uint32_t)(key.low >> 37);
    for (size_t i = first_of(facts, key.high);
         i < facts->n && facts->items[i].key == key.high; i++) {
        const struct ice_fact *fact = &facts->items[i];
        if (fact->low >> 5 != low || ice_fact_kind(fact) != ICE_FACT_DATA ||
            ice_fact_status(fact) == ICE_STATUS_DELETED)
            continue;
        if (fact->rows == ICE_NO_NUMBER || (rows >= 0 && fact->rows != rows))
            return ICE_OK;
        rows = fact->rows;
    }
    *out = rows;
    return ICE_OK;
}
