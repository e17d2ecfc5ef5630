/*
 * Sorted runs read back as one: a heap of runs by their next record, each with a buffer.
 */
#include "base/spill.h"

#include "base/error.h"
#include "base/size.h"

#include <assert.h>

enum {
    MOST_RUNS = 64, /* read at once */
    MOST_RECORD_BYTES = 256,
    LEAST_BUFFER_BYTES = 4 << 10,
    MOST_BUFFER_BYTES = 1 << 20,
    WINDOW_BYTES = 64 << 10
};

/* One run: [at, end) of its buffer is read, [offset, offset + n records) is not yet. */
struct ice_run_cursor {
    char *buffer, *at, *end;
    uint64_t offset, n;
};

static bool is_before(const struct ice_sorted *r, size_t a, size_t b) {
    return r->sorter->kind->compare(r->heap[a].at, r->heap[b].at) < 0;
}

static void sift_down(struct ice_sorted *r, size_t at) {
    for (size_t child; (child = 2 * at + 1) < r->n_heap; at = child) {
        if (child + 1 < r->n_heap && is_before(r, child + 1, child))
            child++;
        if (!is_before(r, child, at))
            return;
        struct ice_run_cursor kept = r->heap[at];
        r->heap[at] = r->heap[child];
        r->heap[child] = kept;
    }
}

/* More of a run into its buffer, all of which was taken; *out_any false: it is done. */
static enum ice_status refill(const struct ice_sorted *r, struct ice_run_cursor *cursor,
                              bool *out_any) {
    size_t size = r->sorter->kind->record_size;
    uint64_t n = r->buffer_bytes / size;
    if (n > cursor->n)
        n = cursor->n;
    size_t bytes = (size_t)n * size;
    *out_any = n > 0;
    ICE_TRY(ice_spill_read(r->sorter->spill, cursor->offset, cursor->buffer, bytes));
    cursor->offset += bytes;
    cursor->n -= n;
    cursor->at = cursor->buffer;
    cursor->end = cursor->buffer + bytes;
    return ICE_OK;
}

/* The least record was taken. */
static enum ice_status advance(struct ice_sorted *r) {
    struct ice_run_cursor *cursor = &r->heap[0];
    bool any = true;
    cursor->at += r->sorter->kind->record_size;
    if (cursor->at == cursor->end)
        ICE_TRY(refill(r, cursor, &any));
    if (!any)
        *cursor = r->heap[--r->n_heap];
    sift_down(r, 0);
    return ICE_OK;
}

/* Half of what is left before it gets tight goes to the buffers. */
static size_t buffer_size(const struct ice_sorter *sorter, size_t first, size_t n_runs) {
    size_t size = sorter->kind->record_size;
    uint64_t longest = 1, bytes = MOST_BUFFER_BYTES;
    for (size_t i = first; i < first + n_runs; i++)
        if (sorter->runs[i].n > longest)
            longest = sorter->runs[i].n;
    while (bytes > LEAST_BUFFER_BYTES &&
           ice_spill_is_tight(sorter->spill->alloc, bytes * n_runs * 2))
        bytes /= 2;
    return (size_t)(bytes / size < longest ? bytes / size : longest) * size;
}

static enum ice_status open_runs(struct ice_sorted *r, const struct ice_sorter *sorter,
                                 size_t first, size_t n) {
    struct ice_alloc *alloc = sorter->spill->alloc;
    assert(sorter->kind->record_size <= MOST_RECORD_BYTES);
    r->buffer_bytes = buffer_size(sorter, first, n);
    r->heap = ice_calloc(alloc, n, sizeof(*r->heap));
    if (r->heap == NULL)
        return ICE_ENOMEM;
    r->cap_heap = n;
    size_t bytes;
    r->buffers =
        ice_size_mul(n, r->buffer_bytes, &bytes) ? ice_malloc(alloc, bytes) : NULL;
    if (r->buffers == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        bool any;
        struct ice_run_cursor cursor = {.buffer = r->buffers + i * r->buffer_bytes,
                                        .offset = sorter->runs[first + i].offset,
                                        .n = sorter->runs[first + i].n};
        ICE_TRY(refill(r, &cursor, &any));
        if (any)
            r->heap[r->n_heap++] = cursor;
    }
    for (size_t i = r->n_heap / 2; i > 0; i--)
        sift_down(r, i - 1);
    return ICE_OK;
}

enum ice_status ice_sorted_open(struct ice_sorted *reader,
                                const struct ice_sorter *sorter, ice_same_fn same) {
    *reader = (struct ice_sorted){.sorter = sorter, .same = same};
    if (sorter->n_runs == 0)
        return ICE_OK;
    enum ice_status status = open_runs(reader, sorter, 0, sorter->n_runs);
    if (status < 0)
        ice_sorted_release(reader);
    return status;
}

void ice_sorted_release(struct ice_sorted *reader) {
    if (reader->sorter == NULL)
        return;
    struct ice_alloc *alloc = reader->sorter->spill->alloc;
    ice_free(alloc, reader->buffers, reader->cap_heap * reader->buffer_bytes);
    ice_free(alloc, reader->heap, reader->cap_heap * sizeof(*reader->heap));
    ice_array_free(alloc, &reader->window, &reader->cap_window,
                   reader->sorter->kind->record_size);
    *reader = (struct ice_sorted){0};
}

/* Is the record that comes next one of the group that the window ends with? */
static bool goes_on(const struct ice_sorted *r) {
    size_t size = r->sorter->kind->record_size;
    return r->same != NULL && r->n_heap > 0 && r->n_window > 0 &&
           r->same(r->window + (r->n_window - 1) * size, r->heap[0].at);
}

/* Enough for one window, and for the last group to be whole. */
static bool is_full(const struct ice_sorted *r) {
    return r->n_window * r->sorter->kind->record_size >= WINDOW_BYTES && !goes_on(r);
}

/* Windows of what is in memory need no copy. */
static enum ice_status next_in_memory(struct ice_sorted *r, const void **out,
                                      size_t *out_n) {
    const struct ice_sorter *sorter = r->sorter;
    size_t size = sorter->kind->record_size, first = r->at;
    if (first >= sorter->n) /* also: nothing was ever added, and items is NULL */
        return ICE_DONE;
    size_t end = first + ice_size_min(WINDOW_BYTES / size, sorter->n - first);
    while (end > first && end < sorter->n && r->same != NULL &&
           r->same(sorter->items + (end - 1) * size, sorter->items + end * size))
        end++;
    *out = sorter->items + first * size;
    *out_n = end - first;
    r->at = end;
    return ICE_OK;
}

enum ice_status ice_sorted_next(struct ice_sorted *reader, const void **out,
                                size_t *out_n) {
    const struct ice_sorter *sorter = reader->sorter;
    size_t size = sorter->kind->record_size;
    if (sorter->n_runs == 0)
        return next_in_memory(reader, out, out_n);
    reader->n_window = 0;
    while (reader->n_heap > 0 && !is_full(reader)) {
        if (!ice_array_reserve(sorter->spill->alloc, &reader->window, reader->n_window,
                               &reader->cap_window, size))
            return ICE_ENOMEM;
        memcpy(reader->window + reader->n_window++ * size, reader->heap[0].at, size);
        ICE_TRY(advance(reader));
    }
    *out = reader->window;
    *out_n = reader->n_window;
    return reader->n_window > 0 ? ICE_OK : ICE_DONE;
}

enum ice_status ice_sorter_read(const struct ice_sorter *sorter, ice_same_fn same,
                                ice_window_fn each, void *user) {
    struct ice_sorted reader;
    const void *records;
    size_t n;
    enum ice_status status = ice_sorted_open(&reader, sorter, same);
    while (status == ICE_OK) {
        status = ice_sorted_next(&reader, &records, &n);
        if (status == ICE_OK)
            status = each(records, n, user);
    }
    ice_sorted_release(&reader);
    return status < 0 ? status : ICE_OK;
}

/* ---- more runs than can be read at once ---- */

static enum ice_status merge(struct ice_sorter *sorter, size_t first, size_t n) {
    struct ice_sorted reader = {.sorter = sorter};
    struct ice_spill *spill = sorter->spill;
    struct ice_sorter_run merged = {.offset = spill->bytes};
    enum ice_status status = open_runs(&reader, sorter, first, n);
    while (status == ICE_OK) {
        const void *window;
        size_t n_window;
        status = ice_sorted_next(&reader, &window, &n_window);
        if (status != ICE_OK)
            break;
        merged.n += n_window;
        status = ice_spill_write(spill, window, n_window * sorter->kind->record_size);
    }
    ice_sorted_release(&reader);
    if (status < 0)
        return status;
    sorter->runs[first / MOST_RUNS] = merged; /* of runs that were read already */
    return ICE_OK;
}

enum ice_status ice_sorter_merge_runs(struct ice_sorter *sorter) {
    while (sorter->n_runs > MOST_RUNS) {
        size_t n_merged = 0;
        for (size_t first = 0; first < sorter->n_runs; first += MOST_RUNS) {
            ICE_TRY(
                merge(sorter, first, ice_size_min(sorter->n_runs - first, MOST_RUNS)));
            n_merged++;
        }
        sorter->n_runs = n_merged;
    }
    return ICE_OK;
}

/* ---- a few records by their key ---- */

static enum ice_status record_at(const struct ice_sorter *sorter,
                                 const struct ice_sorter_run *run, uint64_t index,
                                 void *out) {
    size_t size = sorter->kind->record_size;
    if (run == NULL) {
        memcpy(out, sorter->items + index * size, size);
        return ICE_OK;
    }
    return ice_spill_read(sorter->spill, run->offset + index * size, out, size);
}

/* run NULL: those in memory. */
static enum ice_status find_in(const struct ice_sorter *sorter,
                               const struct ice_sorter_run *run, const void *wanted,
                               int (*compare)(const void *, const void *),
                               void (*each)(const void *record, void *user), void *user) {
    _Alignas(max_align_t) char record[MOST_RECORD_BYTES];
    uint64_t low = 0, high = run != NULL ? run->n : sorter->n, n = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        ICE_TRY(record_at(sorter, run, middle, record));
        if (compare(record, wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < n; low++) {
        ICE_TRY(record_at(sorter, run, low, record));
        if (compare(record, wanted) != 0)
            break;
        each(record, user);
    }
    return ICE_OK;
}

enum ice_status ice_sorter_find(const struct ice_sorter *sorter, const void *wanted,
                                int (*compare)(const void *, const void *),
                                void (*each)(const void *record, void *user),
                                void *user) {
    if (sorter->n_runs == 0)
        return find_in(sorter, NULL, wanted, compare, each, user);
    for (size_t i = 0; i < sorter->n_runs; i++)
        ICE_TRY(find_in(sorter, &sorter->runs[i], wanted, compare, each, user));
    return ICE_OK;
}
