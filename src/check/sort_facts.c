/*
 * Orders of what pass 3 leaves. Facts go by key, kind, status and entry. Keys are seeded
 * hashes, so a round by one byte or two leaves pieces that fit the nearest cache. Of
 * those, tags of four bytes are sorted, and each fact moves once; where many share a key,
 * a heap takes over. In place, three levels deep at most.
 */
#include "check/facts.h"

enum {
    BUCKETS = 256,
    SHORT = 24,
    LEVELS = 3,
    TAGGED = 8192,
    PLACE_BITS = 13,
    AHEAD = 4,
    TAG_BUCKETS = 2048,
    TAG_SHIFT = 21
};

static inline bool is_before(const struct ice_fact *a, const struct ice_fact *b) {
    if (a->key != b->key)
        return a->key < b->key;
    if (a->low != b->low)
        return a->low < b->low;
    return a->entry < b->entry;
}

static void swap(struct ice_fact *a, struct ice_fact *b) {
    struct ice_fact kept = *a;
    *a = *b;
    *b = kept;
}

static void insertion_sort(struct ice_fact *facts, size_t n) {
    for (size_t i = 1; i < n; i++) {
        struct ice_fact moved = facts[i];
        size_t at = i;
        for (; at > 0 && is_before(&moved, &facts[at - 1]); at--)
            facts[at] = facts[at - 1];
        facts[at] = moved;
    }
}

static void sift_down(struct ice_fact *heap, size_t at, size_t n) {
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (!is_before(&heap[at], &heap[child]))
            return;
        swap(&heap[at], &heap[child]);
    }
}

static void heap_sort(struct ice_fact *heap, size_t n) {
    for (size_t i = n / 2; i > 0; i--)
        sift_down(heap, i - 1, n);
    for (size_t end = n; end > 1; end--) {
        swap(&heap[0], &heap[end - 1]);
        sift_down(heap, 0, end - 1);
    }
}

static size_t bucket_of(const struct ice_fact *fact, unsigned level) {
    return fact->key >> (56 - 8 * level) & (BUCKETS - 1);
}

/* first: BUCKETS + 1 places. */
static void split(struct ice_fact *facts, size_t n, unsigned level, size_t *first) {
    size_t next[BUCKETS];
    memset(first, 0, (BUCKETS + 1) * sizeof(*first));
    for (size_t i = 0; i < n; i++)
        first[bucket_of(&facts[i], level) + 1]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        first[b + 1] += first[b];
        next[b] = first[b];
    }
    for (size_t b = 0; b < BUCKETS; b++)
        while (next[b] < first[b + 1]) {
            size_t to = bucket_of(&facts[next[b]], level);
            if (to == b) {
                next[b]++;
                continue;
            }
            if (next[to] + AHEAD < n)
                ICE_PREFETCH(&facts[next[to] + AHEAD]);
            swap(&facts[next[b]], &facts[next[to]++]);
        }
}

/* ---- pieces of up to TAGGED facts: the next 19 bits of the key, 13 of the place ---- */

static void sort_tags(uint32_t *tags, size_t n) {
    for (size_t i = 1; i < n; i++) {
        const uint32_t moved = tags[i];
        size_t at = i;
        for (; at > 0 && moved < tags[at - 1]; at--)
            tags[at] = tags[at - 1];
        tags[at] = moved;
    }
}

/* By their highest bits; what is left of disorder is within a bucket of one or two. */
static void split_tags(uint32_t *tags, size_t n) {
    uint16_t first[TAG_BUCKETS + 1] = {0}, next[TAG_BUCKETS];
    for (size_t i = 0; i < n; i++)
        first[(tags[i] >> TAG_SHIFT) + 1]++;
    for (size_t b = 0; b < TAG_BUCKETS; b++) {
        first[b + 1] = (uint16_t)(first[b + 1] + first[b]);
        next[b] = first[b];
    }
    for (size_t b = 0; b < TAG_BUCKETS; b++)
        while (next[b] < first[b + 1]) {
            uint32_t moved = tags[next[b]];
            for (size_t to = moved >> TAG_SHIFT; to != b; to = moved >> TAG_SHIFT) {
                const uint32_t found = tags[next[to]];
                tags[next[to]++] = moved;
                moved = found;
            }
            tags[next[b]++] = moved;
        }
}

/* The fact of tags[i] goes to place i, cycle by cycle. */
static void place_facts(struct ice_fact *facts, uint32_t *tags, size_t n) {
    const uint32_t mask = TAGGED - 1;
    for (size_t start = 0; start < n; start++) {
        size_t at = start, from = tags[at] & mask;
        if (from == start)
            continue;
        const struct ice_fact first = facts[start];
        for (; from != start; from = tags[at] & mask) {
            facts[at] = facts[from];
            tags[at] = (tags[at] & ~mask) | (uint32_t)at;
            at = from;
        }
        facts[at] = first;
        tags[at] = (tags[at] & ~mask) | (uint32_t)at;
    }
}

static void sort_tagged(struct ice_fact *facts, size_t n, unsigned level) {
    uint32_t tags[TAGGED];
    for (size_t i = 0; i < n; i++)
        tags[i] =
            ((uint32_t)(facts[i].key << 8 * level >> (32 + PLACE_BITS)) << PLACE_BITS) |
            (uint32_t)i;
    split_tags(tags, n);
    sort_tags(tags, n);
    place_facts(facts, tags, n);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && tags[end] >> PLACE_BITS == tags[i] >> PLACE_BITS;)
            end++;
        if (end - i > SHORT)
            heap_sort(facts + i, end - i);
        else if (end - i > 1)
            insertion_sort(facts + i, end - i);
    }
}

static void sort_level(struct ice_fact *facts, size_t n, unsigned level) {
    size_t first[BUCKETS + 1];
    if (n <= SHORT) {
        insertion_sort(facts, n);
        return;
    }
    if (n <= TAGGED) {
        sort_tagged(facts, n, level);
        return;
    }
    if (level == LEVELS) {
        heap_sort(facts, n);
        return;
    }
    split(facts, n, level, first);
    for (size_t b = 0; b < BUCKETS; b++)
        if (first[b + 1] - first[b] > 1)
            sort_level(facts + first[b], first[b + 1] - first[b], level + 1);
}

void ice_facts_sort(struct ice_fact *facts, size_t n) {
    sort_level(facts, n, 0);
}

/* ---- kinds of sorters ---- */

static int compare_facts(const void *a, const void *b) {
    const struct ice_fact *x = a, *y = b;
    return is_before(x, y) ? -1 : is_before(y, x);
}

static void sort_facts(void *records, size_t n) {
    ice_facts_sort(records, n);
}

static int compare_ranges(const void *a, const void *b) {
    const struct ice_row_range *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static int compare_blobs(const void *a, const void *b) {
    const struct ice_blob_fact *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static int compare_partitions(const void *a, const void *b) {
    const struct ice_partition_fact *x = a, *y = b;
    if (x->whole_table != y->whole_table)
        return x->whole_table ? 1 : -1;
    if (x->partition != y->partition && !x->whole_table)
        return x->partition < y->partition ? -1 : 1;
    if (x->sequence_number != y->sequence_number)
        return x->sequence_number < y->sequence_number ? -1 : 1;
    if (x->side != y->side)
        return x->side < y->side ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

static int compare_commit_partitions(const void *a, const void *b) {
    const struct ice_commit_partition *x = a, *y = b;
    if (x->snapshot != y->snapshot)
        return x->snapshot < y->snapshot ? -1 : 1;
    return x->partition < y->partition ? -1 : x->partition > y->partition;
}

const struct ice_sorter_kind ice_sorted_facts = {sizeof(struct ice_fact), compare_facts,
                                                 sort_facts};
const struct ice_sorter_kind ice_sorted_ranges = {sizeof(struct ice_row_range),
                                                  compare_ranges, NULL};
const struct ice_sorter_kind ice_sorted_blobs = {sizeof(struct ice_blob_fact),
                                                 compare_blobs, NULL};
const struct ice_sorter_kind ice_sorted_partitions = {sizeof(struct ice_partition_fact),
                                                      compare_partitions, NULL};
const struct ice_sorter_kind ice_sorted_commit_partitions = {
    sizeof(struct ice_commit_partition), compare_commit_partitions, NULL};
