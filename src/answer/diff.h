/*
 * Two states of a table, compared: what a stale reader missed. One row type for all of
 * it, in sections, in the order in which a person on call asks.
 *
 *   diff.c           opens the states, asks section by section
 *   diff_ahead.c     what lies beyond the newer state, where its pointer is behind
 *   diff_evidence.c  the older state by a reader's log; its reads
 *   diff_relation.c  states, relation, missed and undone commits
 *   diff_effect.c    effect, partitions
 *   diff_changes.c   changes of specs, orders, properties, refs
 *   diff_schema.c    changes of the schema, and what they do to a reader with the old one
 *   diff_gone.c      gone files, next steps
 */
#ifndef ICE_ANSWER_DIFF_H
#define ICE_ANSWER_DIFF_H

#include "answer/live_change.h"
#include "answer/live_set.h"
#include "answer/row_builder.h"
#include "inputs/evidence.h"

enum ice_diff_number {
    ICE_DIFF_FILES_ADDED,
    ICE_DIFF_FILES_REMOVED,
    ICE_DIFF_RECORDS_ADDED,
    ICE_DIFF_RECORDS_REMOVED,
    ICE_DIFF_BYTES_ADDED,
    ICE_DIFF_BYTES_REMOVED,
    ICE_DIFF_DELETES_ADDED, /* delete files and deletion vectors */
    ICE_DIFF_DELETES_REMOVED,
    ICE_DIFF_NUMBERS
};

/* One row; what it does not set is null. */
struct ice_diff_row {
    const char *section; /* "states" "relation" "missed" ... */
    struct ice_str name;
    bool has_snapshot_id, has_time;
    int64_t snapshot_id, time_ms;
    struct ice_str operation, writer;
    unsigned has_numbers; /* 1 << enum ice_diff_number */
    int64_t numbers[ICE_DIFF_NUMBERS];
    struct ice_str partition; /* JSON */
    struct ice_str file, detail;
};

enum ice_diff_kind {
    ICE_DIFF_SAME,        /* one snapshot */
    ICE_DIFF_BEHIND,      /* from is an ancestor of to */
    ICE_DIFF_AHEAD,       /* to is an ancestor of from: a rollback, or asked backwards */
    ICE_DIFF_FORK,        /* both go back to another snapshot */
    ICE_DIFF_ANEW,        /* no snapshot is an ancestor of both */
    ICE_DIFF_UNKNOWN,     /* a parent between them is not described here */
    ICE_DIFF_OTHER_TABLE, /* by table-uuid */
};

/* What a reader's log says that it read. */
struct ice_diff_read {
    struct ice_str table, location; /* location: of the metadata file, or empty */
    enum ice_evidence_kind kind;
    bool has_snapshot_id, has_zone;
    int64_t snapshot_id;
    int64_t time_ms; /* of the last one; INT64_MIN: unknown */
    uint64_t line, n;
};

/* Metadata files that continue `to`, where that is what the catalog or the hint names. */
struct ice_diff_ahead {
    struct ice_str newest; /* the furthest; or empty */
    struct ice_str untold; /* without one: a file of which it is not known; or empty */
    size_t n_files,
        n_commits; /* how many there are, and by how many commits the furthest */
    bool from_is;  /* from is of one of them */
    size_t n_from; /* ... so many commits after to */
};

struct ice_diff {
    struct ice_table_reader *reader;
    const struct ice_diff_request *ask;
    struct ice_state from, to;
    enum ice_diff_kind kind;
    bool differs;
    struct ice_diff_ahead ahead;
    uint64_t n_rows;             /* given so far */
    uint64_t n_missed, n_undone; /* commits; as far as they are described */
    /* sums of the summaries of missed commits, where all have them */
    bool has_sums;
    int64_t sums[ICE_DIFF_NUMBERS];
    /* where storage is asked: names of files that are live in from only */
    struct ice_live_set removed;
    bool has_removed;      /* all of them */
    bool to_is_unread;     /* a list or manifest of it: it may not be whole */
    uint64_t n_gone;       /* lists and manifests too */
    uint64_t n_gone_in_to; /* of those that are shown, live in both */
    struct ice_row row;
    struct ice_buf text; /* detail of the row that is being made */
    struct ice_arena arena;
    struct ice_diff_row *held; /* of sections that come later */
    size_t n_held, cap_held;
    /* of a reader's log, in its order; runs of one state are one */
    struct ice_diff_read *reads;
    size_t n_reads, cap_reads, taken;
    struct ice_arena read_texts;
    bool has_local_times;
    struct ice_error *err;
};

enum ice_status ice_diff_put(struct ice_diff *d,
                             const struct ice_diff_row *row) ICE_MUST_USE;
/* A row with a name (may be NULL) and a sentence of ours; untrusted pieces escaped. */
enum ice_status ice_diff_say(struct ice_diff *d, const char *section, const char *name,
                             const char *format, ...) ICE_PRINTF(4, 5) ICE_MUST_USE;
/* A row of a section that comes later; its texts are copied. */
enum ice_status ice_diff_hold(struct ice_diff *d,
                              const struct ice_diff_row *row) ICE_MUST_USE;
/* ... which is now. */
enum ice_status ice_diff_put_held(struct ice_diff *d, const char *section) ICE_MUST_USE;
/* Something asked for that has no answer: trouble now, a row of section unknown behind
 * all others. */
enum ice_status ice_diff_unknown(struct ice_diff *d, struct ice_str file,
                                 const char *format, ...) ICE_PRINTF(3, 4) ICE_MUST_USE;

/*
 * Set d->from from a reader's own log or rows. *out_is_evidence false: the path is
 * nothing of that kind, and nothing was set. ICE_EARG: it tells of no read of this table.
 */
enum ice_status ice_diff_from_evidence(struct ice_diff *d, const char *path,
                                       bool *out_is_evidence) ICE_MUST_USE;

/* Fills d->ahead, once both states are open. */
enum ice_status ice_diff_look_ahead(struct ice_diff *d) ICE_MUST_USE;
/* "the catalog" or "version-hint.text": what names `to`. */
const char *ice_diff_pointer(const struct ice_diff *d);
/* A row of the relation, and one of the next steps. */
enum ice_status ice_diff_say_ahead(struct ice_diff *d) ICE_MUST_USE;
enum ice_status ice_diff_next_ahead(struct ice_diff *d) ICE_MUST_USE;

/* The sections, in their order. Statuses below 0 end the answer. */
enum ice_status ice_diff_states(struct ice_diff *d) ICE_MUST_USE;
enum ice_status ice_diff_reads(struct ice_diff *d) ICE_MUST_USE;
enum ice_status ice_diff_relation(struct ice_diff *d) ICE_MUST_USE;
enum ice_status ice_diff_effect(struct ice_diff *d) ICE_MUST_USE;
enum ice_status ice_diff_changes(struct ice_diff *d) ICE_MUST_USE;
/* ... of it, the schema; and risks of a reader with the old one. */
enum ice_status ice_diff_schema(struct ice_diff *d) ICE_MUST_USE;
enum ice_status ice_diff_gone(struct ice_diff *d) ICE_MUST_USE;
enum ice_status ice_diff_next(struct ice_diff *d) ICE_MUST_USE;

#endif
