/*
 * The last good state of a table: every metadata file of its directory, and every kept
 * snapshot of the file that is judged, as a state to go back to.
 *
 *   rescue.c        the answer: states in order of rank, as rows
 *   rescue_judge.c  is a state whole? Each metadata file is read once, each snapshot
 *                   checked in one run with all others of its file; those that would be
 *                   advised once more alone, exactly as `check` does it
 *   rescue_blame.c  ... told apart by where a finding stands
 *   rescue_rank.c   what going back loses, and which state comes first
 *   rescue_lost.c   ... exactly, for the best one
 *   rescue_advice.c what a person on call must know, in sentences
 *   rescue_way.c    how engines and catalogs go there
 *
 * Nothing is written.
 */
#ifndef ICE_ANSWER_RESCUE_H
#define ICE_ANSWER_RESCUE_H

#include "answer/history_story.h"
#include "answer/live_change.h"
#include "answer/row_builder.h"

enum {
    ICE_RESCUE_FILES = 1000,   /* metadata files that are judged, newest first */
    ICE_RESCUE_TRIES = 32,     /* states that are checked alone */
    ICE_RESCUE_READS = 200000, /* manifests read in all; then older files are left out */
    ICE_RESCUE_KEPT = 20,      /* faults kept of one state */
    ICE_RESCUE_FETCHED = 100   /* files named that can be fetched back */
};

enum ice_rescue_health {
    ICE_RESCUE_WHOLE,
    ICE_RESCUE_UNSURE, /* something of it could not be checked */
    ICE_RESCUE_BROKEN,
};

/* Why a state is not whole. */
struct ice_rescue_fault {
    const char *rule;
    struct ice_str file, message;
    bool is_lost; /* the file is missing or damaged, not only at odds with others */
    struct ice_rescue_fault *next;
};

struct ice_rescue_verdict {
    enum ice_rescue_health health;
    uint64_t n_faults;
    struct ice_rescue_fault *first, *last; /* ICE_RESCUE_KEPT of them, in the arena */
};

/* On a snapshot, by a metadata file that has it. */
struct ice_rescue_snapshot {
    int64_t id;
    uint64_t list; /* hash of the path of its list */
    struct ice_rescue_verdict verdict;
};

/* A metadata file that was looked at. */
struct ice_rescue_file {
    struct ice_str name;
    size_t order; /* 0: the one that is judged; then the newest first */
    bool is_read; /* else verdict says why not */
    bool has_snapshot;
    int64_t snapshot_id;
    uint64_t list; /* of that snapshot */
    int64_t time_ms;
    bool has_time;
    struct ice_rescue_verdict verdict; /* on the file by itself */
};

enum ice_rescue_way {
    ICE_WAY_STAY,
    ICE_WAY_ROLL_BACK,   /* to an ancestor of the current snapshot */
    ICE_WAY_SET_CURRENT, /* to another snapshot of the current file */
    ICE_WAY_REGISTER,    /* the metadata file */
    ICE_WAY_REGISTER_AND_ROLL_BACK,
};

/* What going there costs, by the summaries of the commits; -1: they do not tell. */
struct ice_rescue_loss {
    int64_t commits, files, records, deletes; /* deletes: delete files */
    int64_t gone_files, gone_records;         /* what they removed, and what comes back */
    bool is_aside; /* the state is not of main's line: it has commits of its own */
};

struct ice_rescue_state {
    size_t file; /* in files */
    bool has_snapshot;
    int64_t snapshot_id, time_ms;
    uint64_t list; /* of that snapshot */
    bool has_time;
    struct ice_rescue_verdict verdict;
    size_t behind; /* metadata files by which a file surely committed is ahead of it */
    bool is_exact; /* it was checked alone */
    struct ice_rescue_loss loss;
    enum ice_rescue_way way;
    bool is_kept;  /* a snapshot of the file, which its main is not at */
    bool is_empty; /* no snapshot, in a table that has some */
};

/* What exactly is lost by going to the best state, of files that are live now. */
struct ice_rescue_lost {
    bool is_known; /* both states could be read */
    struct ice_live_totals totals;
};

struct ice_rescue {
    struct ice_table_reader *reader;
    struct ice_story story;
    struct ice_arena arena;
    struct ice_options options; /* of the runs */
    const char *current; /* name of the file that is judged; NULL: not of the directory */
    struct ice_str table_name;
    struct ice_str unknown; /* a file newer than the one judged, of which nothing is
                               known: missing or unreadable; or empty */
    bool is_unknown_listed; /* ... it is in storage: the copy lacks it */
    bool is_tip_guessed;    /* the file judged does not say where main is */
    bool is_tip_elsewhere;  /* ... or not by its current snapshot */

    struct ice_rescue_file *files;
    size_t n_files, cap_files;
    struct ice_rescue_snapshot *snapshots;
    size_t n_snapshots, cap_snapshots;
    struct ice_table snapshots_by_id;
    struct ice_rescue_state *states; /* after ranking in order of rank */
    size_t n_states, cap_states;
    size_t best;                                 /* SIZE_MAX: none is whole */
    uint64_t n_unjudged;                         /* files beyond the limits */
    uint64_t n_reads;                            /* manifests read so far */
    struct ice_rescue_fault *fetch, *last_fetch; /* message: the command */
    size_t n_fetch;
    struct ice_rescue_lost lost; /* of the best */
    struct ice_error *err;
};

/* rescue_judge.c: fills files and snapshots. */
enum ice_status ice_rescue_judge(struct ice_rescue *r) ICE_MUST_USE;
/* A state alone: its verdict is then exact. */
enum ice_status ice_rescue_judge_alone(struct ice_rescue *r,
                                       struct ice_rescue_state *state) ICE_MUST_USE;
/* The verdict on a snapshot, or NULL. */
const struct ice_rescue_snapshot *ice_rescue_find(const struct ice_rescue *r, int64_t id,
                                                  uint64_t list);

/* rescue_blame.c: a file must come back as it was, before anything can be mended. */
bool ice_rescue_lacks_files(const struct ice_rescue_verdict *verdict);

/* rescue_rank.c: fills states and best, once files and snapshots are judged. */
enum ice_status ice_rescue_rank(struct ice_rescue *r) ICE_MUST_USE;

/* Of the files beside the chain that are of a side, the furthest; *out_n: how many there
 * are. NULL: none. */
const struct ice_story_file *ice_rescue_newest(const struct ice_rescue *r,
                                               enum ice_story_side side, uint64_t *out_n);

/* rescue_way.c */
const char *ice_rescue_way_name(enum ice_rescue_way way);
/* The statements that lead to a state, each with the engine or catalog it is for; none
 * where a name holds what cannot be pasted. Borrowed until the function returns. */
typedef enum ice_status (*ice_statement_fn)(const char *engine, struct ice_str statement,
                                            void *user);
enum ice_status ice_rescue_statements(struct ice_rescue *r,
                                      const struct ice_rescue_state *state,
                                      ice_statement_fn each, void *user) ICE_MUST_USE;
/* rescue_advice.c: all that a person on call must know, as lines of text. */
enum ice_status ice_rescue_advice(struct ice_rescue *r, ice_write_fn write,
                                  void *user) ICE_MUST_USE;
/* "3 d 4 h", from a time until now. */
const char *ice_rescue_age(const struct ice_rescue *r, int64_t time_ms, char out[48]);

/*
 * rescue_lost.c: the exact difference, as one JSON object with what is lost and what
 * comes back by partition; *out may be NULL.
 */
enum ice_status ice_rescue_write_lost(struct ice_rescue *r,
                                      const struct ice_rescue_state *state,
                                      struct ice_json_writer *w,
                                      struct ice_rescue_lost *out) ICE_MUST_USE;

#endif
