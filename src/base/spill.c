/*
 * The temporary file, and sorters as they gather. Memory is shared: where one sorter
 * cannot grow, the one that holds most writes its run, so that runs stay long.
 */
#include "base/spill.h"

#include "base/error.h"
#include "base/size.h"
#include "base/sort.h"
#include "base/temp_file.h"

#include <errno.h>
#include <unistd.h>

/* A sorter that holds less writes no run: what else takes the memory keeps it. */
enum { LEAST_RUN_BYTES = 256 << 10 };

void ice_spill_init(struct ice_spill *spill, struct ice_alloc *alloc, const char *dir,
                    uint64_t most_records) {
    *spill = (struct ice_spill){
        .alloc = alloc, .dir = dir, .most_records = most_records, .fd = -1};
}

void ice_spill_release(struct ice_spill *spill) {
    if (spill->is_open)
        (void)close(spill->fd);
    spill->is_open = false;
}

/* Three quarters: what comes after the gathering needs memory too. */
bool ice_spill_is_tight(const struct ice_alloc *alloc, uint64_t more) {
    return alloc->limit != UINT64_MAX &&
           atomic_load_explicit(&alloc->used, memory_order_relaxed) + more >
               alloc->limit / 4 * 3;
}

/* ---- the file ---- */

static enum ice_status fail(struct ice_spill *spill, int fault) {
    spill->fault = fault;
    return ICE_EIO;
}

enum ice_status ice_spill_write(struct ice_spill *spill, const void *data, size_t size) {
    if (!spill->is_open) {
        spill->fd = ice_temp_file_open(spill->dir);
        if (spill->fd < 0)
            return fail(spill, errno);
        spill->is_open = true;
    }
    if (!ice_temp_file_write(spill->fd, data, size))
        return fail(spill, errno);
    spill->bytes += size;
    return ICE_OK;
}

enum ice_status ice_spill_read(struct ice_spill *spill, uint64_t offset, void *out,
                               size_t size) {
    char *to = out;
    while (size > 0) {
        ssize_t n = pread(spill->fd, to, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return fail(spill, n < 0 ? errno : EIO);
        to += n;
        size -= (size_t)n;
        offset += (uint64_t)n;
    }
    return ICE_OK;
}

/* ---- sorters ---- */

void ice_sorter_init(struct ice_sorter *sorter, struct ice_spill *spill,
                     const struct ice_sorter_kind *kind) {
    *sorter = (struct ice_sorter){.spill = spill, .kind = kind, .next = spill->gathering};
    spill->gathering = sorter;
}

static void leave(struct ice_sorter *sorter) {
    struct ice_sorter **at = &sorter->spill->gathering;
    while (*at != NULL && *at != sorter)
        at = &(*at)->next;
    if (*at != NULL)
        *at = sorter->next;
    sorter->next = NULL;
}

static void free_items(struct ice_sorter *sorter) {
    ice_array_free(sorter->spill->alloc, &sorter->items, &sorter->capacity,
                   sorter->kind->record_size);
    sorter->n = 0;
}

void ice_sorter_release(struct ice_sorter *sorter) {
    if (sorter->spill == NULL)
        return;
    leave(sorter);
    free_items(sorter);
    ice_array_free(sorter->spill->alloc, &sorter->runs, &sorter->cap_runs,
                   sizeof(*sorter->runs));
    *sorter = (struct ice_sorter){0};
}

enum ice_status ice_sorter_note_run(struct ice_sorter *sorter, uint64_t offset,
                                    uint64_t n) {
    if (!ice_array_reserve(sorter->spill->alloc, &sorter->runs, sorter->n_runs,
                           &sorter->cap_runs, sizeof(*sorter->runs)))
        return ICE_ENOMEM;
    sorter->runs[sorter->n_runs++] = (struct ice_sorter_run){offset, n};
    return ICE_OK;
}

static void sort(struct ice_sorter *sorter) {
    const struct ice_sorter_kind *kind = sorter->kind;
    if (kind->sort != NULL)
        kind->sort(sorter->items, sorter->n);
    else
        ice_sort(sorter->items, sorter->n, kind->record_size, kind->compare);
}

static enum ice_status write_run(struct ice_sorter *sorter) {
    uint64_t offset = sorter->spill->bytes;
    sort(sorter);
    ICE_TRY(ice_spill_write(sorter->spill, sorter->items,
                            sorter->n * sorter->kind->record_size));
    ICE_TRY(ice_sorter_note_run(sorter, offset, sorter->n));
    sorter->n = 0;
    return ICE_OK;
}

static uint64_t held_bytes(const struct ice_sorter *sorter) {
    return (uint64_t)sorter->n * sorter->kind->record_size;
}

static struct ice_sorter *largest(const struct ice_spill *spill) {
    struct ice_sorter *found = spill->gathering;
    for (struct ice_sorter *s = found; s != NULL; s = s->next)
        if (held_bytes(s) > held_bytes(found))
            found = s;
    return found;
}

/* Until a sorter may grow, or nothing worth writing is left. */
static enum ice_status yield_memory(struct ice_sorter *sorter) {
    const struct ice_spill *spill = sorter->spill;
    for (;;) {
        uint64_t more = held_bytes(sorter) / 2;
        struct ice_sorter *victim = largest(spill);
        if (!ice_spill_is_tight(spill->alloc, more) ||
            held_bytes(victim) < LEAST_RUN_BYTES)
            return ICE_OK;
        ICE_TRY(write_run(victim));
        free_items(victim);
    }
}

/* Tests: a fixed number of records, then a run. */
static enum ice_status grow_to(struct ice_sorter *sorter, uint64_t most) {
    size_t n, bytes, size = sorter->kind->record_size;
    if (sorter->n > 0)
        return write_run(sorter);
    if (!ice_narrow_size(most, &n) || !ice_size_mul(n, size, &bytes))
        return ICE_ENOMEM;
    sorter->items = ice_malloc(sorter->spill->alloc, bytes);
    sorter->capacity = sorter->items != NULL ? n : 0;
    return sorter->items != NULL ? ICE_OK : ICE_ENOMEM;
}

enum ice_status ice_sorter_grow(struct ice_sorter *sorter) {
    const struct ice_spill *spill = sorter->spill;
    if (spill->most_records > 0)
        return grow_to(sorter, spill->most_records);
    ICE_TRY(yield_memory(sorter));
    return ice_array_reserve(spill->alloc, &sorter->items, sorter->n, &sorter->capacity,
                             sorter->kind->record_size)
               ? ICE_OK
               : ICE_ENOMEM;
}

enum ice_status ice_sorter_append(struct ice_sorter *sorter, const void *records,
                                  size_t n, size_t *in_out_done) {
    const size_t size = sorter->kind->record_size;
    while (*in_out_done < n) {
        if (sorter->n == sorter->capacity)
            ICE_TRY(ice_sorter_grow(sorter));
        size_t room = sorter->capacity - sorter->n, left = n - *in_out_done;
        size_t some = left < room ? left : room;
        memcpy(sorter->items + sorter->n * size,
               (const char *)records + *in_out_done * size, some * size);
        sorter->n += some;
        sorter->total += some;
        *in_out_done += some;
    }
    return ICE_OK;
}

enum ice_status ice_sorter_flush(struct ice_sorter *sorter) {
    if (sorter->n > 0)
        ICE_TRY(write_run(sorter));
    free_items(sorter);
    return ICE_OK;
}

enum ice_status ice_sorter_close(struct ice_sorter *sorter) {
    leave(sorter);
    if (sorter->n_runs == 0) {
        sort(sorter);
        return ICE_OK;
    }
    ICE_TRY(ice_sorter_flush(sorter));
    return ice_sorter_merge_runs(sorter);
}
