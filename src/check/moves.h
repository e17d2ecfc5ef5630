/*
 * A table that its writer moves while it is being checked. After a run over it the
 * directory is looked at again: was what did not fit only a commit, an expiry or a hint
 * that came late, the run begins again on the state that the writer left meanwhile.
 */
#ifndef ICE_CHECK_MOVES_H
#define ICE_CHECK_MOVES_H

#include "check/check.h"

enum { ICE_MOST_RESTARTS = 3 };

enum ice_move {
    ICE_MOVE_NONE,      /* the findings hold */
    ICE_MOVE_AGAIN,     /* begin again on the fresh target */
    ICE_MOVE_UNSETTLED, /* it has moved on once more: no verdict on its files */
};

/* What the runs over one table have seen. */
struct ice_moves {
    struct ice_run *run;
    struct ice_arena arena;
    unsigned n_restarts;
    struct ice_str from;   /* the metadata file of the first run */
    struct ice_table gone; /* hashes of what earlier runs did not find */
};

void ice_moves_init(struct ice_moves *moves, struct ice_run *run);
/* Safe twice. */
void ice_moves_release(struct ice_moves *moves);

/*
 * Look again behind a run. *fresh: the target as it is now, to be released by the caller;
 * its source is that of ck->target, which keeps it. With ICE_MOVE_NONE scan.changed is
 * FOUND if the table moved at all. Statuses below 0: out of memory.
 */
enum ice_status ice_moves_look(struct ice_moves *moves, struct ice_check *ck,
                               struct ice_target *fresh, enum ice_move *out,
                               struct ice_error *err);

/* Could the pinned metadata file end early because its writer is still at it? */
bool ice_may_be_unfinished(const struct ice_check *ck);

#endif
