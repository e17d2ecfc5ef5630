/*
 * Names of schemas, specs and orders in manifests. Takes some 25 bytes per listed entry.
 */
#include "check/named.h"

static size_t count_of(const struct ice_metadata *m, enum ice_named_kind kind) {
    switch (kind) {
    case ICE_NAMED_SCHEMA:
        return m->n_schemas;
    case ICE_NAMED_SPEC:
        return m->n_specs;
    case ICE_NAMED_ORDER:
        return m->n_orders;
    case ICE_NAMED_KINDS:
        break;
    }
    return 0;
}

static int32_t id_of(const struct ice_metadata *m, enum ice_named_kind kind, size_t at) {
    if (kind == ICE_NAMED_SCHEMA)
        return m->schemas[at].schema_id;
    return kind == ICE_NAMED_SPEC ? m->specs[at].spec_id : m->orders[at].order_id;
}

enum ice_status ice_named_open(struct ice_check *ck) {
    struct ice_named *all =
        ice_arena_array(&ck->arena, ICE_NAMED_KINDS, sizeof(struct ice_named));
    if (all == NULL)
        return ICE_ENOMEM;
    for (int k = 0; k < ICE_NAMED_KINDS; k++)
        ice_table_init(&all[k].positions, &ck->run->alloc);
    ck->named = all;
    for (int k = 0; k < ICE_NAMED_KINDS; k++) {
        const enum ice_named_kind kind = (enum ice_named_kind)k;
        const size_t n = count_of(&ck->metadata, kind);
        if (n == 0 || n >= UINT32_MAX)
            continue;
        all[k].is_named = ice_arena_array(&ck->arena, n, sizeof(bool));
        if (all[k].is_named == NULL)
            return ICE_ENOMEM;
        for (size_t i = 0; i < n; i++) {
            uint64_t key =
                ice_hash_mix((uint64_t)id_of(&ck->metadata, kind, i), ck->run->hash_seed);
            if (ice_table_put(&all[k].positions, key, (uint32_t)i) < 0)
                return ICE_ENOMEM;
        }
    }
    return ICE_OK;
}

void ice_named_release(struct ice_check *ck) {
    for (int k = 0; ck->named != NULL && k < ICE_NAMED_KINDS; k++)
        ice_table_release(&ck->named[k].positions);
    ck->named = NULL;
}

static size_t room_of(const struct ice_check *ck, enum ice_named_kind kind) {
    return count_of(&ck->metadata, kind);
}

enum ice_status ice_named_open_beside(struct ice_named *all, const struct ice_check *of) {
    struct ice_alloc *alloc = &of->run->alloc;
    for (int k = 0; of->named != NULL && k < ICE_NAMED_KINDS; k++) {
        size_t n = room_of(of, (enum ice_named_kind)k);
        if (of->named[k].is_named == NULL)
            continue;
        all[k].positions = of->named[k].positions; /* borrowed, and only read */
        all[k].is_named = ice_calloc(alloc, n, sizeof(bool));
        all[k].added = ice_calloc(alloc, n, sizeof(*all[k].added));
        if (all[k].is_named == NULL || all[k].added == NULL)
            return ICE_ENOMEM;
    }
    return ICE_OK;
}

void ice_named_release_beside(struct ice_named *all, const struct ice_check *ck) {
    struct ice_alloc *alloc = &ck->run->alloc;
    for (int k = 0; k < ICE_NAMED_KINDS; k++) {
        size_t n = room_of(ck, (enum ice_named_kind)k);
        ice_free(alloc, all[k].is_named, n * sizeof(bool));
        ice_free(alloc, all[k].added, n * sizeof(*all[k].added));
        all[k] = (struct ice_named){0};
    }
}

size_t ice_named_take(const struct ice_check *ck, enum ice_named_kind kind,
                      int64_t *out) {
    struct ice_named *named = &ck->named[kind];
    size_t n = named->n_added;
    for (size_t i = 0; i < n; i++) {
        out[i] = id_of(&ck->metadata, kind, named->added[i]);
        named->is_named[named->added[i]] = false;
    }
    named->n_added = 0;
    named->has_last = false;
    return n;
}

void ice_named_add(struct ice_check *ck, enum ice_named_kind kind, int64_t id) {
    struct ice_named *named = ck->named != NULL ? &ck->named[kind] : NULL;
    size_t at = SIZE_MAX;
    uint32_t position;
    if (named == NULL || named->is_named == NULL ||
        (named->has_last && named->last == id))
        return;
    named->has_last = true;
    named->last = id;
    uint64_t key = ice_hash_mix((uint64_t)id, ck->run->hash_seed);
    if (!ice_table_next(&named->positions, key, &at, &position))
        return;
    if (named->added != NULL && !named->is_named[position])
        named->added[named->n_added++] = position;
    named->is_named[position] = true;
}
