/*
 * The exact difference of what two states would scan: files that are live in one and not
 * in the other.
 *
 * A file is its stored path; a deletion vector is its path and where it lies in it.
 * Manifests that both states list hold the same files for both and are not read. Of the
 * others the older state's live entries are kept, 16 bytes each; the newer state's stream
 * past them.
 */
#ifndef ICE_ANSWER_LIVE_CHANGE_H
#define ICE_ANSWER_LIVE_CHANGE_H

#include "answer/cells.h"
#include "answer/state.h"

enum ice_live_kind {
    ICE_LIVE_DATA,
    ICE_LIVE_POSITION_DELETES,
    ICE_LIVE_EQUALITY_DELETES,
    ICE_LIVE_DV,
    ICE_LIVE_KINDS
};
/* "data", "position-deletes", "equality-deletes", "dv" */
const char *ice_live_kind_name(enum ice_live_kind kind);

/* A file that only one side has. Borrowed until the callback returns. */
struct ice_live_file {
    bool is_added; /* live in `to` only; else in `from` only */
    enum ice_live_kind kind;
    struct ice_str path;
    struct ice_str partition; /* one JSON object; "{}" without partitioning */
    int64_t record_count, file_size_in_bytes; /* bytes of a DV: of its blob */
    const struct ice_listed_entry *entry;
};
/* In file order of its side's manifests, `to` before `from`. Anything but ICE_OK ends the
 * run. */
typedef enum ice_status (*ice_live_fn)(const struct ice_live_file *file, void *context);

struct ice_live_sum {
    uint64_t files;
    int64_t records, bytes; /* at the end of the range instead of over it */
};

struct ice_live_totals {
    struct ice_live_sum added[ICE_LIVE_KINDS], removed[ICE_LIVE_KINDS];
    uint64_t n_same_manifests; /* that both list, not read */
    uint64_t n_read;           /* manifests read, each once */
    uint64_t n_unread[2];      /* lists and manifests of from, to that were not, or not to
                                  their end: what they hold is on neither side, so files
                                  may be called added (removed) that are not */
    bool is_known[2];          /* false: of that side no list was read, and there were no
                                  callbacks */
};

/*
 * Call each (may be NULL) for every file that one of two states has and the other lacks.
 * A file that is live twice counts twice, as a scan reads it twice. Faults are told to
 * on_trouble of the states' readers and counted in *out. view: of both states' specs.
 */
enum ice_status ice_live_change(const struct ice_state *from, const struct ice_state *to,
                                struct ice_partition_view *view, ice_live_fn each,
                                void *context, struct ice_live_totals *out,
                                struct ice_error *err) ICE_MUST_USE;

#endif
