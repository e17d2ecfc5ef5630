/*
 * Pass 6: the other metadata files of the directory.
 *
 *   history_walk.c      walks back from the current file through the logs, then looks at
 *                       the files beside that chain; two documents at a time
 *   pass6_history.c     the pass: what the walk meets, judged
 *   history_pair.c      what a commit did: one file against the one before it
 *   history_expired.c   snapshots that went although a ref's policy keeps them
 *   history_content.c   what must never change: snapshots, schemas, specs, orders
 *   history_gaps.c      numbers that no file has
 *   history_beside.c    what a file beside the chain is to it, by logs and by snapshots
 *   history_rivals.c    ... what is said of it: forks, descendants, other tables
 *   history_branches.c  ... where the catalog keeps branches of a table
 */
#ifndef ICE_CHECK_HISTORY_H
#define ICE_CHECK_HISTORY_H

#include "check/check.h"
#include "check/kinship.h"

/* What is kept of each file of the chain. */
struct ice_chain_file {
    size_t name;           /* index of the target's names */
    struct ice_str file;   /* for findings */
    struct ice_str logged; /* base name of the last entry of its log; may be empty */
    int64_t tip;           /* its current snapshot */
    struct ice_str list;   /* base name of that one's manifest list; empty: none */
};

/* One metadata file that was read. */
struct ice_history_file {
    const struct ice_metadata *metadata;
    size_t name;         /* index of the target's names */
    struct ice_str file; /* for findings */
};

/* What a file beside the chain is to the current one. */
enum ice_history_kin {
    ICE_KIN_CHAIN,  /* it is of the chain, or was not judged */
    ICE_KIN_NEWER,  /* it continues the current file */
    ICE_KIN_OLDER,  /* it came before it, and no log here says so */
    ICE_KIN_FORK,   /* of another line */
    ICE_KIN_UNTOLD, /* by its number it came later; whether it continues the current file
                       is not known */
    ICE_KIN_OTHER_TABLE,
    ICE_KIN_BRANCH, /* another branch of the catalog may hold it */
};

/* A snapshot that only a side file has, with a number that the current state gave to
 * another one. */
struct ice_lost_side {
    int64_t id, sequence, other;
    size_t index;        /* in the side file's snapshots */
    struct ice_str list; /* in the check's arena */
};

/* What is kept of each file beside the chain. */
struct ice_beside {
    enum ice_history_kin kin;
    bool is_walked;   /* its logs were followed */
    size_t parent;    /* newest file of its log that is here; SIZE_MAX: none */
    size_t distance;  /* ... so many commits before it */
    size_t n_commits; /* NEWER: since the current one */
    int64_t time_ms, tip;
    bool has_time, has_tip;
    struct ice_str file;   /* for findings */
    struct ice_str logged; /* base name of the last entry of its log; may be empty */
    bool collides;         /* it gave a sequence number of the current state's tip to
                              another snapshot */
    const struct ice_lost_side *lost; /* kept by ice_history_side; or NULL */
    /* likewise: its commit met a rival, and the file of the chain with this index holds
     * what came of the next try; SIZE_MAX: none is known */
    size_t landed;
    int64_t tried; /* that commit's snapshot */
};

/* How a file of the chain follows from the one before it. */
struct ice_history_link {
    bool is_logged;     /* the later one's log names the earlier */
    bool is_adjacent;   /* no commit lies between them */
    size_t entry;       /* logged: its place in that log */
    size_t first_after; /* entries of that log from here on came after the earlier */
};

struct ice_history;

/*
 * Who looks at what the walk meets. Documents are borrowed until the function returns;
 * anything below ICE_OK ends the walk with that status.
 */
struct ice_history_visitor {
    /* earlier came before later */
    enum ice_status (*pair)(struct ice_history *h, const struct ice_history_file *earlier,
                            const struct ice_history_file *later,
                            const struct ice_history_link *link, struct ice_error *err);
    /* likewise, but it is of another table: the walk ends there */
    enum ice_status (*other_table)(struct ice_history *h,
                                   const struct ice_history_file *earlier,
                                   const struct ice_history_file *later,
                                   struct ice_error *err);
    /* a file that is not of the chain; what it is to it stands in h->beside once all
     * were met */
    enum ice_status (*side)(struct ice_history *h, const struct ice_history_file *side,
                            struct ice_error *err);
    /* it could not be read; of a fault without rule, it is no metadata file of a table */
    enum ice_status (*unread)(struct ice_history *h, const struct ice_history_file *file,
                              struct ice_error *fault, struct ice_error *err);
};

struct ice_history {
    struct ice_check *ck;
    const struct ice_history_visitor *visitor;
    void *user;                /* of the visitor */
    bool *is_seen;             /* by index of names: of the chain, or not to be judged */
    bool *is_unread;           /* ... of those, could not be read */
    bool *is_asked;            /* it was asked whether it is the one before, and is not */
    struct ice_beside *beside; /* by index of names, in the check's arena */
    struct ice_chain_file *chain; /* newest first, in the check's arena */
    size_t n_chain;
    size_t current; /* index of the file that is judged */
    struct ice_buf scratch[2];
    /* the furthest file that continues the current one, and the last that may; SIZE_MAX
     */
    size_t newer, untold;
    bool has_branches; /* of the catalog: no file beside the chain is a rival */
    bool *is_held; /* by index of names: an entry leads to it; NULL without branches */
    size_t branched, n_branched; /* the last of the others, and how many they are */
};

struct ice_place ice_history_place(const struct ice_history_file *file,
                                   struct ice_str pointer);
/* "/snapshots/3" and the like, in the check's arena; empty when out of memory. */
struct ice_str ice_history_pointer(struct ice_history *h, const char *array, size_t index,
                                   const char *member);
static inline struct ice_str ice_history_name(const struct ice_history *h, size_t index) {
    return h->ck->target->names[index].name;
}
/* Last entry of the metadata log, its base name. Empty where there is none. */
struct ice_str ice_history_logged(const struct ice_metadata *m);

/* The current snapshot and the base name of its manifest list, empty where there is none;
 * it lies in the scratch. ICE_ENOMEM. */
enum ice_status ice_history_tip_list(struct ice_history *h, const struct ice_metadata *m,
                                     int64_t *out_tip,
                                     struct ice_str *out_list) ICE_MUST_USE;
/* Index of a metadata file of the directory; SIZE_MAX: there is none of that name. */
size_t ice_history_find(const struct ice_history *h, struct ice_str name);
/* Is a file named by the log of the current one? */
bool ice_history_is_logged(const struct ice_history *h, size_t index, size_t *out_entry);
/* Two documents that both have a uuid, and not the same. */
bool ice_history_is_other_table(const struct ice_metadata *a,
                                const struct ice_metadata *b);

/*
 * Begin a history of the check's pinned file, which is one of the directory and was read.
 * ICE_DONE: it is none of the directory. The release is safe on all-zero.
 */
enum ice_status ice_history_init(struct ice_history *h, struct ice_check *ck,
                                 const struct ice_history_visitor *visitor, void *user,
                                 struct ice_error *err) ICE_MUST_USE;
void ice_history_release(struct ice_history *h);
/* One file of the directory. *out_done false: it could not be read, and the visitor
 * knows. out is the caller's to release. */
enum ice_status ice_history_read(struct ice_history *h, size_t index,
                                 struct ice_metadata *out, struct ice_history_file *file,
                                 bool *out_done, struct ice_error *err);
/* The chain, newest first, then what lies beside it in the order of names. */
enum ice_status ice_history_walk(struct ice_history *h, struct ice_error *err);
/* Only what may have come after the current file; the visitor's side and unread are
 * called. No file of the catalog's branches is looked at. */
enum ice_status ice_history_ahead(struct ice_history *h, struct ice_error *err);

/* How main moved between two documents. */
enum ice_history_move {
    ICE_MOVE_ON,      /* to a descendant, or not at all; or that cannot be told */
    ICE_MOVE_BACK,    /* to an ancestor */
    ICE_MOVE_CLEARED, /* to no snapshot */
    ICE_MOVE_ANEW,    /* to a snapshot without parent */
    ICE_MOVE_LOST,    /* elsewhere, and what was current is gone */
    ICE_MOVE_JUMP,    /* elsewhere */
};
enum ice_history_move ice_history_move(const struct ice_metadata *earlier,
                                       const struct ice_metadata *later);

/* history_beside.c: what a file beside the chain is, as far as those that were met before
 * it tell; then, behind the last, by the logs of all of them. ICE_ENOMEM. */
enum ice_status ice_history_meet(struct ice_history *h,
                                 const struct ice_history_file *side) ICE_MUST_USE;
void ice_history_settle(struct ice_history *h);

/* earlier came before later; is_adjacent: directly so. Both are of one table. */
void ice_history_pair(struct ice_history *h, const struct ice_history_file *earlier,
                      const struct ice_history_file *later, bool is_adjacent);
/* history.expired.still-needed; the two are neighbours. */
void ice_history_retention(struct ice_history *h, const struct ice_history_file *earlier,
                           const struct ice_history_file *later);
void ice_history_content(struct ice_history *h, const struct ice_history_file *earlier,
                         const struct ice_history_file *later);
/* A file that is not of the chain: what of it must be kept. ICE_ENOMEM. */
enum ice_status ice_history_side(struct ice_history *h,
                                 const struct ice_history_file *side) ICE_MUST_USE;
/* Behind the last of them. */
void ice_history_end(struct ice_history *h);

/* Does the catalog of the check's pointer keep branches and tags of a table? */
bool ice_history_has_branches(const struct ice_check *ck);
/* Behind the chain: marks what entries of other branches lead to. */
enum ice_status ice_history_mark_branches(struct ice_history *h, struct ice_error *err);
/* A file that another branch may hold; all of them are reported as one. */
void ice_history_branch(struct ice_history *h, size_t name);
void ice_history_report_branches(struct ice_history *h);

/*
 * Versions between two metadata files that follow each other in a log and that no file
 * of the directory has: [*out_from, *out_to]. false: there are none, or their names are
 * of two kinds.
 */
bool ice_version_gap(const struct ice_target *target, struct ice_str earlier,
                     struct ice_str later, int64_t *out_from, int64_t *out_to);
/* history.version-gap, once the chain is known. */
void ice_history_gaps(struct ice_history *h);

#endif
