/*
 * The walk over sorted facts. Files that share their history share a signature; one that
 * was clean is not judged again.
 */
#include "base/error.h"
#include "check/groups.h"

/* Do all items agree in what is not part of the signature? */
static bool is_uniform(const struct ice_fact *items, size_t n) {
    uint32_t most = 0, least = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        enum ice_fact_kind kind = ice_fact_kind(&items[i]);
        if (items[i].partition != items[0].partition)
            return false;
        if (kind == ICE_FACT_OF_POSITION)
            continue;
        if (kind == ICE_FACT_OF_VECTOR) {
            most = items[i].rows != ICE_NO_NUMBER && items[i].rows > most ? items[i].rows
                                                                          : most;
            continue;
        }
        least = items[i].rows < least ? items[i].rows : least;
        if (items[i].size != items[0].size || items[i].rows != items[0].rows)
            return false;
    }
    return most <= least;
}

static uint64_t signature(const struct ice_groups *walk, const struct ice_fact *items,
                          size_t n) {
    uint64_t hash = walk->group.ck->run->hash_seed;
    for (size_t i = 0; i < n; i++) {
        uint32_t manifest = ice_fact_manifest(walk->group.facts, items[i].entry);
        hash = ice_hash_mix((uint64_t)manifest << 32 | items[i].origin,
                            hash * 0x9e3779b97f4a7c15U + (items[i].low & 31));
    }
    return hash;
}

static enum ice_status judge(struct ice_groups *walk, const struct ice_fact *items,
                             size_t n, bool *out_clean) {
    struct ice_group *group = &walk->group;
    uint64_t before = group->suspects->found.total;
    group->items = items;
    group->n = n;
    ICE_TRY(ice_group_runs_make(group));
    ICE_TRY(ice_group_live_rules(group));
    ICE_TRY(ice_group_sequence_rules(group));
    ICE_TRY(ice_group_delete_rules(group));
    ICE_TRY(ice_group_lineage_rules(group));
    *out_clean = group->suspects->found.total == before;
    return ICE_OK;
}

static enum ice_status check_lone(struct ice_groups *walk, const struct ice_fact *fact) {
    struct ice_lone_fact *known =
        &walk->lone[ice_fact_manifest(walk->group.facts, fact->entry)];
    uint32_t low = (fact->low & 31) | 32;
    bool is_clean;
    if (ice_fact_status(fact) == ICE_STATUS_DELETED ||
        (known->low == low && known->origin == fact->origin))
        return ICE_OK;
    ICE_TRY(judge(walk, fact, 1, &is_clean));
    if (is_clean)
        *known = (struct ice_lone_fact){fact->origin, low};
    return ICE_OK;
}

static enum ice_status check_several(struct ice_groups *walk,
                                     const struct ice_fact *items, size_t n) {
    bool is_uniform_group = is_uniform(items, n), is_clean;
    uint64_t key = is_uniform_group ? signature(walk, items, n) : 0;
    size_t at = SIZE_MAX;
    uint32_t found;
    if (is_uniform_group && ice_table_next(&walk->clean, key, &at, &found))
        return ICE_OK;
    ICE_TRY(judge(walk, items, n, &is_clean));
    return is_uniform_group && is_clean ? ice_group_remember(&walk->clean, key, 1)
                                        : ICE_OK;
}

enum ice_status ice_groups_add(struct ice_groups *groups, const struct ice_fact *facts,
                               size_t n) {
    size_t first = 0;
    for (size_t i = 1; i <= n; i++) {
        if (i < n && ice_fact_same_key(&facts[i], &facts[first]))
            continue;
        const struct ice_fact *items = &facts[first];
        ICE_TRY(i - first == 1 ? check_lone(groups, items)
                               : check_several(groups, items, i - first));
        first = i;
    }
    return ICE_OK;
}

enum ice_status ice_groups_open(struct ice_groups *groups, const struct ice_facts *facts,
                                const struct ice_snapshot_sets *sets,
                                struct ice_suspects *suspects) {
    struct ice_check *ck = facts->ck;
    struct ice_alloc *alloc = &ck->run->alloc;
    *groups = (struct ice_groups){
        .group = {.ck = ck, .facts = facts, .sets = sets, .suspects = suspects}};
    ice_table_init(&groups->clean, alloc);
    ice_table_init(&groups->group.related, alloc);
    if (ck->n_manifests == 0)
        return ICE_OK;
    groups->lone = ice_calloc(alloc, ck->n_manifests, sizeof(*groups->lone));
    groups->group.below =
        ice_calloc(alloc, ck->n_snapshots + 1, sizeof(*groups->group.below));
    return groups->lone && groups->group.below ? ICE_OK : ICE_ENOMEM;
}

void ice_groups_release(struct ice_groups *groups) {
    struct ice_check *ck = groups->group.ck;
    if (!ck)
        return;
    ice_free(&ck->run->alloc, groups->lone, ck->n_manifests * sizeof(*groups->lone));
    ice_table_release(&groups->clean);
    ice_group_release(&groups->group);
    *groups = (struct ice_groups){0};
}
