/*
 * snapshot.*, over all snapshots at once: found by sorting, since a hash table of a
 * million snapshots would take more memory than they do. Keeps 16 bytes a snapshot while
 * it runs.
 */
#include "check/rules_snapshots.h"

#include "base/error.h"

#include <stdlib.h>

static int compare_keyed(const void *a, const void *b) {
    const struct ice_keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

void ice_keyed_sort(struct ice_keyed *items, size_t n) {
    size_t sorted = 1;
    while (sorted < n && compare_keyed(&items[sorted - 1], &items[sorted]) < 0)
        sorted++;
    if (sorted < n)
        qsort(items, n, sizeof(*items), compare_keyed);
}

/* The one that its id names; the others are copies, which snapshot.id.duplicate has
 * named. */
static bool is_named(const struct ice_metadata *m, size_t i) {
    return !ice_snapshot_has(&m->snapshots[i], ICE_SNAP_snapshot_id) ||
           ice_metadata_find_snapshot(m, m->snapshots[i].snapshot_id) == i;
}

static void report_equal_numbers(struct ice_snapshot_rules *r, size_t first, size_t i) {
    const struct ice_snapshot *a = &r->p->m->snapshots[first];
    const struct ice_snapshot *b = &r->p->m->snapshots[i];
    bool both_have_parents = ice_snapshot_has_parent(a) && ice_snapshot_has_parent(b);
    FOUND_AS(r->p->emit, ICE_RULE_SNAPSHOT_SEQUENCE_NUMBER_DUPLICATE,
             both_have_parents ? ICE_ERROR : ICE_WARN,
             ice_at_element(r->p, "/snapshots", i, "/sequence-number"),
             arg_id("id", b->snapshot_id), arg_id("first", a->snapshot_id),
             arg_i64("number", b->sequence_number));
}

/* items: by sequence number. */
static void check_equal_numbers(struct ice_snapshot_rules *r,
                                const struct ice_keyed *items, size_t n) {
    size_t first = 0;
    for (size_t i = 1; i < n; i++) {
        if (items[i].key != items[first].key)
            first = i;
        else
            report_equal_numbers(r, items[first].index, items[i].index);
    }
}

/* A higher number, but older than one with a lower number. */
static void check_time_order(struct ice_snapshot_rules *r, const struct ice_keyed *items,
                             size_t n) {
    const struct ice_snapshot *newest = NULL;      /* of all with a lower number */
    const struct ice_snapshot *newest_here = NULL; /* ... or this one */
    for (size_t i = 0; i < n; i++) {
        const struct ice_snapshot *s = &r->p->m->snapshots[items[i].index];
        if (!ice_snapshot_has(s, ICE_SNAP_timestamp_ms))
            continue;
        if (i == 0 || items[i].key != items[i - 1].key)
            newest = newest_here;
        if (newest_here == NULL || s->timestamp_ms > newest_here->timestamp_ms)
            newest_here = s;
        if (newest == NULL)
            continue;
        int64_t late = ice_time_difference(newest->timestamp_ms, s->timestamp_ms);
        if (late > ICE_CLOCK_SKEW_MS)
            FOUND(r->p->emit, ICE_RULE_SNAPSHOT_SEQUENCE_NUMBER_TIME_DISORDER,
                  ice_at_element(r->p, "/snapshots", items[i].index, "/timestamp-ms"),
                  arg_id("id", s->snapshot_id), arg_id("other", newest->snapshot_id),
                  arg_i64("seconds", late / 1000));
    }
}

static void check_numbers(struct ice_snapshot_rules *r, struct ice_keyed *items) {
    const struct ice_metadata *m = r->p->m;
    size_t n = 0;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (ice_snapshot_has(s, ICE_SNAP_sequence_number) && s->sequence_number > 0 &&
            is_named(m, i))
            items[n++] = (struct ice_keyed){(uint64_t)s->sequence_number, (uint32_t)i};
    }
    ice_keyed_sort(items, n);
    check_equal_numbers(r, items, n);
    check_time_order(r, items, n);
}

/* Equal hashes are one list in all likelihood; the texts decide. */
static enum ice_status report_shared(struct ice_snapshot_rules *r,
                                     struct ice_buf scratch[2], size_t first, size_t i) {
    const struct ice_metadata *m = r->p->m;
    const struct ice_snapshot *a = &m->snapshots[first], *b = &m->snapshots[i];
    struct ice_str list_a, list_b;
    ICE_TRY(ice_snapshot_manifest_list(m, a, &scratch[0], &list_a));
    ICE_TRY(ice_snapshot_manifest_list(m, b, &scratch[1], &list_b));
    if (ice_str_equal(list_a, list_b))
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_MANIFEST_LIST_SHARED,
              ice_at_element(r->p, "/snapshots", i, "/manifest-list"),
              arg_id("id", b->snapshot_id), arg_id("first", a->snapshot_id));
    return ICE_OK;
}

static enum ice_status check_lists(struct ice_snapshot_rules *r, struct ice_keyed *items,
                                   struct ice_buf scratch[2]) {
    const struct ice_metadata *m = r->p->m;
    size_t n = 0;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        struct ice_str list;
        ICE_TRY(ice_snapshot_manifest_list(m, &m->snapshots[i], &scratch[0], &list));
        if (list.size > 0 && is_named(m, i))
            items[n++] = (struct ice_keyed){ice_hash64(list, r->p->ck->run->hash_seed),
                                            (uint32_t)i};
    }
    ice_keyed_sort(items, n);
    size_t first = 0;
    for (size_t i = 1; i < n; i++) {
        if (items[i].key != items[first].key)
            first = i;
        else
            ICE_TRY(report_shared(r, scratch, items[first].index, items[i].index));
    }
    return ICE_OK;
}

enum ice_status ice_rules_snapshot_sets(struct ice_snapshot_rules *r,
                                        struct ice_error *err) {
    struct ice_alloc *alloc = &r->p->ck->run->alloc;
    const size_t n = r->p->m->n_snapshots;
    struct ice_keyed *items = ice_calloc(alloc, n, sizeof(*items));
    struct ice_buf scratch[2];
    if (items == NULL)
        return ice_error_memory(err);
    ice_buf_init(&scratch[0], alloc, SIZE_MAX);
    ice_buf_init(&scratch[1], alloc, SIZE_MAX);
    if (r->p->version >= 2)
        check_numbers(r, items);
    enum ice_status status = check_lists(r, items, scratch);
    ice_buf_release(&scratch[0]);
    ice_buf_release(&scratch[1]);
    ice_free(alloc, items, n * sizeof(*items));
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
