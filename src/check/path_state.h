/*
 * What the rules on paths gather: inside of path_rules.c and path_pack.c.
 */
#ifndef ICE_CHECK_PATH_STATE_H
#define ICE_CHECK_PATH_STATE_H

#include "check/path_rules.h"

enum { ICE_PATH_PREFIXES = 16, ICE_PATH_BEGINS = 4, ICE_PATH_FORMER = 4 };

/* How often something was seen, and where first. */
struct ice_path_tally {
    uint64_t n;
    struct ice_str path, file, pointer;
    uint64_t order;
};

enum ice_path_tally_kind {
    ICE_PATHS_MIXED,
    ICE_PATHS_BUCKETS,
    ICE_PATHS_OUTSIDE,
    ICE_PATHS_METADATA_OUTSIDE,
    ICE_PATHS_ROOTED,
    ICE_PATHS_RELATIVE,
    ICE_PATHS_SEGMENTS,
    ICE_PATHS_BELOW, /* v4 */
    ICE_PATHS_DOTS,  /* v4 */
    ICE_PATHS_TALLIES,
    ICE_PATHS_NO_TALLY = ICE_PATHS_TALLIES
};

/* scheme://authority as it is written. */
struct ice_path_prefix {
    struct ice_str raw, folded;
    struct ice_path_tally first; /* of a unit: the path that has it first */
};

/* A path that begins with these bytes, of which the last is a '/', and is clean from
 * there on, says nothing but this. */
struct ice_path_begin {
    struct ice_str begin;
    enum ice_path_tally_kind tally;
};

struct ice_paths {
    struct ice_path_prefix prefixes[ICE_PATH_PREFIXES];
    size_t n_prefixes, last; /* last: most paths have that of the path before */
    struct ice_path_tally tallies[ICE_PATHS_TALLIES];
    /* Where the table was before, and lists and manifests there: not of units. */
    struct ice_str former_places[ICE_PATH_FORMER];
    size_t n_former_places;
    bool knows_former_places;
    struct ice_path_tally former;
    struct ice_str mixed_with;
    struct ice_path_begin usual[ICE_PATH_BEGINS];
    size_t n_usual;
    /* what the location alone taught: units begin with it */
    size_t n_own_prefixes, n_own_usual;
};

/* Is it at a place that the table had before, by its metadata-log? */
bool ice_path_is_at_former_place(struct ice_check *ck, struct ice_str path);

#endif
