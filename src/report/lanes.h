/*
 * Commits of a table in lanes, newest first, for whoever draws them: a line of commits
 * keeps its lane, the first of which is that of main. Rows of ice_history, oldest first,
 * go in; a row may be a metadata file without a commit.
 */
#ifndef ICE_REPORT_LANES_H
#define ICE_REPORT_LANES_H

#include "base/hash.h"

enum { ICE_LANES = 24 }; /* further lines begin where they are met, without a lane */

struct ice_lane_commit {
    int64_t id, parent;
    bool has_id, has_parent;
    bool is_head;  /* of main */
    bool is_drawn; /* set by _step */
};

struct ice_lane {
    bool is_used;    /* waits for a commit */
    bool is_started; /* a child of it was drawn */
    int64_t id;      /* of that commit */
};

struct ice_lanes {
    struct ice_alloc *alloc;
    size_t most;                     /* lanes, 1 to ICE_LANES */
    struct ice_lane_commit *commits; /* oldest first */
    size_t n, capacity;
    struct ice_table by_id;
    struct ice_lane lanes[ICE_LANES];
};

/* One row: lanes are bits, the leftmost 1. */
struct ice_lane_step {
    size_t at;       /* of the row itself */
    uint32_t before; /* with a line that comes from above */
    uint32_t joins;  /* ... and ends here, in `at` */
    uint32_t after;  /* with a line that goes on below */
};

void ice_lanes_init(struct ice_lanes *lanes, struct ice_alloc *alloc, size_t most);
void ice_lanes_release(struct ice_lanes *lanes); /* safe twice and on all-zero */
enum ice_status ice_lanes_add(struct ice_lanes *lanes,
                              const struct ice_lane_commit *commit) ICE_MUST_USE;
/* Behind the last commit, in front of the first step. */
void ice_lanes_begin(struct ice_lanes *lanes);
/* To be called for every index, from the last down to 0. */
void ice_lanes_step(struct ice_lanes *lanes, size_t index, struct ice_lane_step *out);
/* How many lanes a set of bits spans, at least 1. */
size_t ice_lanes_width(uint32_t bits);

#endif
