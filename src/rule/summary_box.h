/*
 * What a caller holds as its summary: the public struct, and all that its texts live in.
 * Whoever judges something (check, conf) embeds the box as its first member.
 */
#ifndef ICE_RULE_SUMMARY_BOX_H
#define ICE_RULE_SUMMARY_BOX_H

#include "rule/emit.h"

struct ice_summary_box {
    struct ice_summary summary; /* first: the public handle */
    struct ice_run run;
    struct ice_arena arena;
    struct ice_emit *emit;
    size_t size; /* of the struct that embeds this one */
};

/* size zeroed bytes, at least those of a box, with its run and arena open;
 * ice_summary_free ends it. NULL: out of memory, said in *err. */
struct ice_summary_box *ice_summary_box_new(size_t size,
                                            const struct ice_options *options,
                                            struct ice_error *err);

#endif
