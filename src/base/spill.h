/*
 * Records of one fixed size, in order, however many there are. They gather in memory;
 * towards the memory limit they go to a temporary file as sorted runs, which are merged
 * when they are read back. A small run never opens the file.
 *
 *     add … add   in memory: ▒▒▒▒▒▒▒▒   ──► file: │ run, sorted │ run │ run │
 *     close                                                └──────┴─────┴──► merged: next
 */
#ifndef ICE_BASE_SPILL_H
#define ICE_BASE_SPILL_H

#include "base/alloc.h"

#include <string.h>

/* What the sorters of one run share: the file, and the memory that they may take. */
struct ice_spill {
    struct ice_alloc *alloc;
    const char *dir;       /* of the file; borrowed */
    uint64_t most_records; /* that a sorter keeps in memory; 0: as the limit allows */
    bool is_open;
    int fd;
    int fault;      /* errno of what ICE_EIO was about */
    uint64_t bytes; /* written so far */
    struct ice_sorter *gathering;
};

/* dir as for ice_temp_file_open. most_records is there for tests: what is small is
 * spilled too. */
void ice_spill_init(struct ice_spill *spill, struct ice_alloc *alloc, const char *dir,
                    uint64_t most_records);
/* Behind all its sorters. Safe twice and on all-zero. */
void ice_spill_release(struct ice_spill *spill);
/* Would that many bytes more be too near to the memory limit, for what can be done
 * without? */
bool ice_spill_is_tight(const struct ice_alloc *alloc, uint64_t more);

struct ice_sorter_kind {
    size_t record_size;                         /* a multiple of 8, at most 256 */
    int (*compare)(const void *, const void *); /* total: 0 for equal records only */
    void (*sort)(void *records, size_t n);      /* NULL: ice_sort */
};

struct ice_sorter_run {
    uint64_t offset, n; /* bytes; records */
};

/* Invariant: n <= capacity; sorted, and all in runs or all in memory, once closed. */
struct ice_sorter {
    struct ice_spill *spill;
    const struct ice_sorter_kind *kind;
    char *items;
    size_t n, capacity; /* records in memory */
    struct ice_sorter_run *runs;
    size_t n_runs, cap_runs;
    uint64_t total; /* records in all */
    struct ice_sorter *next;
};

void ice_sorter_init(struct ice_sorter *sorter, struct ice_spill *spill,
                     const struct ice_sorter_kind *kind);
/* Safe twice and on all-zero. */
void ice_sorter_release(struct ice_sorter *sorter);

/* Make room for one more. ICE_ENOMEM; ICE_EIO: the file cannot be made or written, and
 * spill->fault says why; the sorter is then good for release only. */
enum ice_status ice_sorter_grow(struct ice_sorter *sorter) ICE_MUST_USE;

/* The record is copied. Statuses as _grow. */
static inline enum ice_status ice_sorter_add(struct ice_sorter *sorter,
                                             const void *record) {
    size_t size = sorter->kind->record_size;
    if (sorter->n == sorter->capacity) {
        enum ice_status status = ice_sorter_grow(sorter);
        if (status < 0)
            return status;
    }
    memcpy(sorter->items + sorter->n * size, record, size);
    sorter->n++;
    sorter->total++;
    return ICE_OK;
}

/* n records, copied, but for the first *in_out_done, which grows: where there was no
 * memory for all, the call may be repeated. Statuses as _grow. */
enum ice_status ice_sorter_append(struct ice_sorter *sorter, const void *records,
                                  size_t n, size_t *in_out_done) ICE_MUST_USE;

/* Write what is in memory to the file: its memory is needed for other things. Statuses as
 * _grow. Before _close. */
enum ice_status ice_sorter_flush(struct ice_sorter *sorter) ICE_MUST_USE;

/* No more is added. ICE_ENOMEM, ICE_EIO. */
enum ice_status ice_sorter_close(struct ice_sorter *sorter) ICE_MUST_USE;

/* ---- reading back (spill_merge.c), once closed and as often as wanted ---- */

typedef bool (*ice_same_fn)(const void *a, const void *b);

struct ice_run_cursor; /* spill_merge.c */

struct ice_sorted {
    const struct ice_sorter *sorter;
    ice_same_fn same;
    size_t at; /* in memory: records handed out */
    /* merging: a heap of runs by their next record, and the records handed out */
    struct ice_run_cursor *heap;
    size_t n_heap, cap_heap;
    char *buffers;
    size_t buffer_bytes; /* of one run */
    char *window;
    size_t n_window, cap_window; /* records */
};

/*
 * Read all records in order, in windows. same: neighbours for which it holds come in one
 * window, however many they are; NULL: no matter. ICE_ENOMEM, ICE_EIO.
 */
enum ice_status ice_sorted_open(struct ice_sorted *reader,
                                const struct ice_sorter *sorter,
                                ice_same_fn same) ICE_MUST_USE;
/*
 * ICE_OK and n > 0 records, borrowed until the next call and not to be changed, or
 * ICE_DONE. ICE_EIO, ICE_ENOMEM: also where so many neighbours are the same that they do
 * not fit in memory.
 */
enum ice_status ice_sorted_next(struct ice_sorted *reader, const void **out,
                                size_t *out_n) ICE_MUST_USE;
/* Safe twice and on all-zero. */
void ice_sorted_release(struct ice_sorted *reader);

/* All windows in turn, until a status below 0, which is passed on. */
typedef enum ice_status (*ice_window_fn)(const void *records, size_t n, void *user);
enum ice_status ice_sorter_read(const struct ice_sorter *sorter, ice_same_fn same,
                                ice_window_fn each, void *user) ICE_MUST_USE;

/* Each record that compares as equal to wanted, by the kind's order or a coarser one. */
enum ice_status ice_sorter_find(const struct ice_sorter *sorter, const void *wanted,
                                int (*compare)(const void *, const void *),
                                void (*each)(const void *record, void *user),
                                void *user) ICE_MUST_USE;

/* spill.c, for spill_merge.c: whole records, at an offset of the file. ICE_EIO. */
enum ice_status ice_spill_read(struct ice_spill *spill, uint64_t offset, void *out,
                               size_t size) ICE_MUST_USE;
enum ice_status ice_spill_write(struct ice_spill *spill, const void *data,
                                size_t size) ICE_MUST_USE;
/* Note a run of n records that ends where the file ends now. */
enum ice_status ice_sorter_note_run(struct ice_sorter *sorter, uint64_t offset,
                                    uint64_t n) ICE_MUST_USE;
/* spill_merge.c: as few runs as can be read at once. */
enum ice_status ice_sorter_merge_runs(struct ice_sorter *sorter) ICE_MUST_USE;

#endif
