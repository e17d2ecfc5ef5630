/*
 * Facts of 32 bytes, sorted by key in place, then equal keys are walked. The key is a
 * hash of the path and of the snapshot that added the file: a file that was deleted and
 * added anew has another key. What equal keys mean: sequence_groups.c.
 */
#include "check/sequence_facts.h"

#include "check/sequence_groups.h"

struct ice_sequence_facts {
    struct ice_sequence_fact *facts;
    size_t n, capacity;
    bool dropped; /* memory ran short: nothing is judged */
};

enum ice_status ice_sequence_facts_open(struct ice_check *ck) {
    if (ck->version < 2 ||
        !ice_emit_is_on(ck->emit, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_CHANGED))
        return ICE_OK;
    ck->sequence_facts = ice_arena_alloc(&ck->arena, sizeof(*ck->sequence_facts));
    return ck->sequence_facts ? ICE_OK : ICE_ENOMEM;
}

static void drop_facts(struct ice_check *ck) {
    struct ice_sequence_facts *all = ck->sequence_facts;
    ice_array_free(&ck->run->alloc, &all->facts, &all->capacity, sizeof(*all->facts));
    all->n = 0;
}

void ice_sequence_facts_free(struct ice_check *ck) {
    if (ck->sequence_facts)
        drop_facts(ck);
    ck->sequence_facts = NULL;
}

enum ice_status ice_sequence_facts_add(struct ice_check *ck, struct ice_str path,
                                       int64_t added, uint32_t manifest, uint64_t entry,
                                       int64_t sequence_number) {
    struct ice_sequence_facts *all = ck->sequence_facts;
    if (!all || all->dropped || entry > UINT32_MAX)
        return ICE_OK;
    const struct ice_alloc *alloc = &ck->run->alloc;
    size_t more = all->n == all->capacity
                      ? all->capacity / 2 * sizeof(struct ice_sequence_fact)
                      : 0;
    if (alloc->limit != UINT64_MAX && alloc->used + more > alloc->limit / 4 * 3) {
        drop_facts(ck);
        all->dropped = true;
        ice_emit_not_evaluated(ck->emit, "manifest.entry.sequence-number.changed",
                               ICE_STR("limit.memory"), true, ICE_STR_NONE);
        return ICE_OK;
    }
    if (!ice_array_reserve(&ck->run->alloc, &all->facts, all->n, &all->capacity,
                           sizeof(*all->facts)))
        return ICE_ENOMEM;
    uint64_t seed = ice_hash_mix((uint64_t)added, ck->run->hash_seed);
    all->facts[all->n++] = (struct ice_sequence_fact){.key = ice_hash128(path, seed),
                                                      .manifest = manifest,
                                                      .entry = (uint32_t)entry,
                                                      .sequence_number = sequence_number};
    return ICE_OK;
}

/* ---- sorting: by the first byte in place, then a heap each. No memory, no recursion.
 * ---- */

static bool is_before(const struct ice_sequence_fact *a,
                      const struct ice_sequence_fact *b) {
    if (a->key.high != b->key.high)
        return a->key.high < b->key.high;
    if (a->key.low != b->key.low)
        return a->key.low < b->key.low;
    if (a->manifest != b->manifest)
        return a->manifest < b->manifest;
    return a->entry < b->entry;
}

static void swap(struct ice_sequence_fact *a, struct ice_sequence_fact *b) {
    struct ice_sequence_fact kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_down(struct ice_sequence_fact *heap, size_t at, size_t n) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n)
            return;
        if (child + 1 < n && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (!is_before(&heap[at], &heap[child]))
            return;
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

static void heap_sort(struct ice_sequence_fact *heap, size_t n) {
    for (size_t i = n / 2; i > 0; i--)
        sift_down(heap, i - 1, n);
    for (size_t end = n; end > 1; end--) {
        swap(&heap[0], &heap[end - 1]);
        sift_down(heap, 0, end - 1);
    }
}

enum { BUCKETS = 256 };

static unsigned bucket_of(const struct ice_sequence_fact *fact) {
    return (unsigned)(fact->key.high >> 56);
}

void ice_sequence_facts_sort(struct ice_sequence_fact *facts, size_t n) {
    size_t first[BUCKETS + 1] = {0}, next[BUCKETS];
    for (size_t i = 0; i < n; i++)
        first[bucket_of(&facts[i]) + 1]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        first[b + 1] += first[b];
        next[b] = first[b];
    }
    for (size_t b = 0; b < BUCKETS; b++)
        while (next[b] < first[b + 1]) {
            unsigned to = bucket_of(&facts[next[b]]);
            if (to == b)
                next[b]++;
            else
                swap(&facts[next[b]], &facts[next[to]++]);
        }
    for (size_t b = 0; b < BUCKETS; b++)
        heap_sort(facts + first[b], first[b + 1] - first[b]);
}

enum ice_status ice_sequence_facts_check(struct ice_check *ck, struct ice_error *err) {
    struct ice_sequence_facts *all = ck->sequence_facts;
    if (!all || all->n < 2)
        return ICE_OK;
    ice_sequence_facts_sort(all->facts, all->n);
    return ice_sequence_groups_check(ck, all->facts, all->n, err);
}
