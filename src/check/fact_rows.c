/*
 * One question of facts by path: how many rows a live data file has.
 */
#include "check/facts.h"

#include "base/error.h"

struct answer {
    int64_t rows; /* -1: none so far */
    bool disagree;
};

static int compare_keys(const void *a, const void *b) {
    const struct ice_fact *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->low >> 5 < y->low >> 5 ? -1 : x->low >> 5 > y->low >> 5;
}

static void add_answer(const void *record, void *user) {
    const struct ice_fact *fact = record;
    struct answer *answer = user;
    if (ice_fact_kind(fact) != ICE_FACT_DATA ||
        ice_fact_status(fact) == ICE_STATUS_DELETED)
        return;
    answer->disagree |=
        fact->rows == ICE_NO_NUMBER || (answer->rows >= 0 && fact->rows != answer->rows);
    answer->rows = fact->rows;
}

enum ice_status ice_fact_rows(struct ice_facts *facts, struct ice_str path,
                              int64_t *out) {
    struct ice_str folded;
    struct answer answer = {.rows = -1};
    *out = -1;
    if (facts->dropped || facts->ck->n_manifests == 0)
        return ICE_OK;
    ICE_TRY(ice_path_fold(path, &facts->folded, &folded));
    struct ice_hash key = ice_hash128(folded, facts->ck->run->hash_seed);
    const struct ice_fact wanted = {.key = key.high,
                                    .low = (uint32_t)(key.low >> 37) << 5};
    ICE_TRY(ice_facts_sorted(facts, ice_sorter_find(&facts->items, &wanted, compare_keys,
                                                    add_answer, &answer)));
    if (!answer.disagree)
        *out = answer.rows;
    return ICE_OK;
}
