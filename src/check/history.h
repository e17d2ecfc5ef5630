/*
 * Pass 6: the other metadata files of the directory.
 *
 *   pass6_history.c     walks back from the current file through the logs, then looks at
 *                       the files beside that chain; two documents at a time
 *   history_pair.c      what a commit did: one file against the one before it
 *   history_content.c   what must never change: snapshots, schemas, specs, orders
 *   history_rivals.c    files beside the chain: forks, descendants, other tables
 */
#ifndef ICE_CHECK_HISTORY_H
#define ICE_CHECK_HISTORY_H

#include "check/check.h"

/* What is kept of each file of the chain. */
struct ice_chain_file {
    size_t name;           /* index of the target's names */
    struct ice_str logged; /* base name of the last entry of its log; may be empty */
};

/* One metadata file that was read. */
struct ice_history_file {
    const struct ice_metadata *metadata;
    size_t name;         /* index of the target's names */
    struct ice_str file; /* for findings */
};

struct ice_history {
    struct ice_check *ck;
    bool *is_seen; /* by index of names: of the chain, or not to be judged */
    struct ice_chain_file *chain; /* newest first, in the check's arena */
    size_t n_chain;
    struct ice_buf scratch[2];
    /* the furthest file that continues the current one */
    size_t newer, n_newer_commits;
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

/* earlier came before later; is_adjacent: directly so. Both are of one table. */
void ice_history_pair(struct ice_history *h, const struct ice_history_file *earlier,
                      const struct ice_history_file *later, bool is_adjacent);
void ice_history_content(struct ice_history *h, const struct ice_history_file *earlier,
                         const struct ice_history_file *later);
/* A file that is not of the chain. */
void ice_history_side(struct ice_history *h, const struct ice_history_file *side);
/* Behind the last of them. */
void ice_history_end(struct ice_history *h);

#endif
