/*
 * Runs of snapshot numbers of the items of a group, and their unions.
 */
#include "base/error.h"
#include "check/groups.h"

#include <stdlib.h>

void ice_group_release(struct ice_group *group) {
    struct ice_alloc *alloc = &group->ck->run->alloc;
    for (int part = 0; part < ICE_PARTS; part++) {
        struct ice_group_runs *runs = &group->parts[part];
        ice_array_free(alloc, &runs->items, &runs->capacity, sizeof(*runs->items));
        ice_array_free(alloc, &runs->spans, &runs->cap_spans, sizeof(*runs->spans));
    }
    ice_free(alloc, group->manifests, group->cap_items * sizeof(*group->manifests));
    ice_free(alloc, group->said, group->cap_items * sizeof(*group->said));
    ice_free(alloc, group->below, (group->ck->n_snapshots + 1) * sizeof(*group->below));
    ice_table_release(&group->related);
    group->manifests = group->said = group->below = NULL;
    group->cap_items = 0;
}

static enum ice_status make_room(struct ice_group *group) {
    struct ice_alloc *alloc = &group->ck->run->alloc;
    if (group->n <= group->cap_items)
        return ICE_OK;
    size_t wanted = group->n + group->n / 2 + 16;
    ice_free(alloc, group->manifests, group->cap_items * sizeof(*group->manifests));
    ice_free(alloc, group->said, group->cap_items * sizeof(*group->said));
    group->cap_items = wanted;
    group->manifests = ice_calloc(alloc, wanted, sizeof(*group->manifests));
    group->said = ice_calloc(alloc, wanted, sizeof(*group->said));
    if (group->manifests && group->said)
        return ICE_OK;
    ice_free(alloc, group->manifests, wanted * sizeof(*group->manifests));
    ice_free(alloc, group->said, wanted * sizeof(*group->said));
    group->manifests = group->said = NULL;
    group->cap_items = 0;
    return ICE_ENOMEM;
}

static int compare_runs(const void *a, const void *b) {
    const struct ice_group_run *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

static enum ice_status add_runs(struct ice_group *group, size_t item) {
    struct ice_alloc *alloc = &group->ck->run->alloc;
    const struct ice_manifest_facts *manifest =
        &group->ck->manifests[group->manifests[item]];
    struct ice_group_runs *runs = &group->parts[ice_part_of(&group->items[item])];
    for (uint32_t r = 0; r < manifest->n_runs; r++) {
        if (!ice_array_reserve(alloc, &runs->items, runs->n, &runs->capacity,
                               sizeof(*runs->items)))
            return ICE_ENOMEM;
        runs->items[runs->n++] = (struct ice_group_run){
            manifest->runs[r].first, manifest->runs[r].last, (uint32_t)item};
    }
    return ICE_OK;
}

static enum ice_status unite(struct ice_alloc *alloc, struct ice_group_runs *runs) {
    if (runs->n > 1)
        qsort(runs->items, runs->n, sizeof(*runs->items), compare_runs);
    for (size_t i = 0; i < runs->n; i++) {
        const struct ice_group_run *run = &runs->items[i];
        struct ice_snapshot_run *last =
            runs->n_spans > 0 ? &runs->spans[runs->n_spans - 1] : NULL;
        if (last && run->first <= last->last + 1) {
            if (run->last > last->last)
                last->last = run->last;
            continue;
        }
        if (!ice_array_reserve(alloc, &runs->spans, runs->n_spans, &runs->cap_spans,
                               sizeof(*runs->spans)))
            return ICE_ENOMEM;
        runs->spans[runs->n_spans++] = (struct ice_snapshot_run){run->first, run->last};
    }
    return ICE_OK;
}

enum ice_status ice_group_runs_make(struct ice_group *group) {
    ICE_TRY(make_room(group));
    for (int part = 0; part < ICE_PARTS; part++)
        group->parts[part].n = group->parts[part].n_spans = 0;
    for (size_t i = 0; i < group->n; i++) {
        const struct ice_fact *fact = &group->items[i];
        group->manifests[i] = ice_fact_manifest(group->facts, fact->entry);
        group->said[i] = 0;
        if (ice_fact_status(fact) == ICE_STATUS_DELETED)
            continue;
        /* the same part in the same manifest again: no run that is not there already */
        if (i > 0 && group->manifests[i - 1] == group->manifests[i] &&
            group->items[i - 1].low == fact->low)
            continue;
        ICE_TRY(add_runs(group, i));
    }
    for (int part = 0; part < ICE_PARTS; part++)
        ICE_TRY(unite(&group->ck->run->alloc, &group->parts[part]));
    return ICE_OK;
}

bool ice_group_is_live(const struct ice_group_runs *runs, uint32_t snapshot) {
    size_t from = 0, to = runs->n_spans;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (runs->spans[middle].last < snapshot)
            from = middle + 1;
        else
            to = middle;
    }
    return from < runs->n_spans && runs->spans[from].first <= snapshot;
}

size_t ice_group_find_live(const struct ice_group *group, enum ice_group_part part,
                           uint32_t snapshot) {
    size_t found = SIZE_MAX;
    for (size_t i = 0; i < group->n; i++) {
        const struct ice_fact *fact = &group->items[i];
        if (ice_part_of(fact) != part || ice_fact_status(fact) == ICE_STATUS_DELETED ||
            !ice_manifest_is_listed(&group->ck->manifests[group->manifests[i]], snapshot))
            continue;
        if (ice_fact_status(fact) == ICE_STATUS_ADDED &&
            ice_group_origin(group, i)->snapshot == snapshot)
            return i;
        if (found == SIZE_MAX)
            found = i;
    }
    return found;
}

enum ice_status ice_group_pairs(struct ice_group *group, enum ice_group_part a,
                                enum ice_group_part b, ice_pair_fn pair) {
    const struct ice_group_runs *left = &group->parts[a], *right = &group->parts[b];
    size_t from = 0; /* runs of b before it end before any further run of a begins */
    size_t budget = 4096 + 64 * (left->n + right->n);
    for (size_t i = 0; i < left->n; i++) {
        const struct ice_group_run *x = &left->items[i];
        while (from < right->n && right->items[from].last < x->first)
            from++;
        for (size_t k = from; k < right->n && right->items[k].first <= x->last; k++) {
            const struct ice_group_run *y = &right->items[k];
            if (budget-- == 0)
                return ICE_OK;
            if (y->last < x->first)
                continue;
            uint32_t snapshot =
                ice_last_judged(group->sets, x->first > y->first ? x->first : y->first,
                                x->last < y->last ? x->last : y->last);
            if (snapshot != ICE_NO_NUMBER)
                ICE_TRY(pair(group, x->item, y->item, snapshot));
        }
    }
    return ICE_OK;
}
