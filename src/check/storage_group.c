/*
 * Tables that are joined with the same listings: whom an object is told.
 */
#include "check/storage.h"

#include "base/error.h"

enum { ROOTS_AROUND = 64 };

/* ---- life ---- */

enum ice_status ice_storage_group_init(struct ice_storage_group *group,
                                       struct ice_alloc *alloc, size_t n_listings) {
    *group = (struct ice_storage_group){.alloc = alloc};
    ice_table_init(&group->by_root, alloc);
    ice_table_init(&group->outside, alloc);
    ice_arena_init(&group->in.arena, alloc);
    group->in.newest_ms = group->in.taken_ms = INT64_MIN;
    group->in.bases =
        ice_arena_array(&group->in.arena, n_listings + 1, sizeof(*group->in.bases));
    return group->in.bases != NULL ? ICE_OK : ICE_ENOMEM;
}

void ice_storage_group_release(struct ice_storage_group *group) {
    if (group->alloc == NULL)
        return;
    ice_array_free(group->alloc, &group->checks, &group->capacity,
                   sizeof(struct ice_check *));
    ice_array_free(group->alloc, &group->in.covers, &group->in.cap_covers,
                   sizeof(*group->in.covers));
    ice_table_release(&group->by_root);
    ice_table_release(&group->outside);
    ice_arena_release(&group->in.arena);
    *group = (struct ice_storage_group){0};
}

static struct ice_str root_of(const struct ice_check *ck) {
    struct ice_str root = ck->root_uri;
    while (root.size > 0 && root.data[root.size - 1] == '/')
        root.size--;
    return root;
}

enum ice_status ice_storage_group_add(struct ice_storage_group *group,
                                      struct ice_check *ck) {
    if (!ice_array_reserve(group->alloc, &group->checks, group->n, &group->capacity,
                           sizeof(struct ice_check *)))
        return ICE_ENOMEM;
    ck->storage->index = (uint32_t)group->n;
    group->checks[group->n++] = ck;
    return ice_table_put(&group->by_root, ice_hash64(root_of(ck), ck->run->hash_seed),
                         ck->storage->index);
}

bool ice_storage_group_is_outside(const struct ice_check *ck, struct ice_str folded) {
    const struct ice_storage *s = ck->storage;
    struct ice_str rest;
    return s->group != &s->own_group &&
           !ice_uri_is_below(ck->run, folded, ck->root_uri, &rest);
}

/* ---- whom is it told? ---- */

/* Tables around an object, the innermost first, and those that name it from outside. */
struct around {
    struct ice_check *checks[ROOTS_AROUND];
    size_t n, n_inside; /* the first n_inside hold it */
    bool is_named[ROOTS_AROUND];
    bool is_any; /* one of them */
};

static void add_around(struct around *around, struct ice_check *ck,
                       struct ice_hash hash) {
    size_t n;
    for (size_t i = 0; i < around->n; i++) {
        if (around->checks[i] == ck)
            return;
    }
    if (around->n == ROOTS_AROUND)
        return;
    (void)ice_storage_find(ck->storage, hash, &n);
    around->is_named[around->n] = n > 0;
    around->is_any = around->is_any || n > 0;
    around->checks[around->n++] = ck;
}

static void look_around(const struct ice_storage_group *group, struct ice_str folded,
                        struct ice_hash hash, struct around *out) {
    uint64_t seed = group->checks[0]->run->hash_seed;
    uint32_t index;
    out->n = 0;
    out->is_any = false;
    for (struct ice_str at = ice_key_parent(folded); at.size > 0;
         at = ice_key_parent(at)) {
        size_t slot = SIZE_MAX;
        while (ice_table_next(&group->by_root, ice_hash64(at, seed), &slot, &index)) {
            if (ice_str_equal(root_of(group->checks[index]), at))
                add_around(out, group->checks[index], hash);
        }
    }
    out->n_inside = out->n;
    size_t slot = SIZE_MAX;
    while (ice_table_next(&group->outside, hash.low, &slot, &index))
        add_around(out, group->checks[index], hash);
}

bool ice_storage_group_names(const struct ice_storage_group *group, struct ice_str folded,
                             struct ice_hash hash) {
    struct around around;
    size_t n;
    if (group->n == 1) {
        (void)ice_storage_find(group->checks[0]->storage, hash, &n);
        return n > 0;
    }
    look_around(group, folded, hash, &around);
    return around.is_any;
}

/* A table that was not read whole names files in others: what else there may be its? */
static void see_lender(const struct around *around) {
    for (size_t i = around->n_inside; i < around->n; i++) {
        const struct ice_check *lender = around->checks[i];
        if (!around->is_named[i] || ice_storage_blocked(lender) == NULL)
            continue;
        for (size_t k = 0; k < around->n_inside; k++)
            around->checks[k]->storage->lender = lender->metadata.location;
    }
}

static enum ice_status tell(const struct ice_storage_group *group,
                            const struct ice_check *walked, struct ice_check *ck,
                            const struct ice_stored_object *object, ice_stored_fn each,
                            void *user) {
    if ((walked != NULL && walked != ck) || (group->only != NULL && group->only != ck))
        return ICE_OK;
    return each(ck, object, user);
}

enum ice_status ice_storage_group_tell(struct ice_storage_group *group,
                                       struct ice_check *walked,
                                       const struct ice_stored_object *object,
                                       ice_stored_fn each, void *user) {
    struct around around;
    if (group->n == 1)
        return each(group->checks[0], object, user);
    look_around(group, object->uri, object->hash, &around);
    see_lender(&around);
    for (size_t i = 0; i < around.n; i++) {
        if (around.is_named[i])
            ICE_TRY(tell(group, walked, around.checks[i], object, each, user));
    }
    if (around.is_any || around.n == 0)
        return ICE_OK;
    return tell(group, walked, around.checks[0], object, each, user);
}
