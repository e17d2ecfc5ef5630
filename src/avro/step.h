/*
 * Steps of a plan: what plan.c compiles and rows.c runs.
 */
#ifndef ICE_AVRO_STEP_H
#define ICE_AVRO_STEP_H

#include "avro/plan.h"

enum ice_op {
    ICE_OP_BOOL,
    ICE_OP_I32,
    ICE_OP_I64,
    ICE_OP_I64_OF_INT,
    ICE_OP_STR,
    ICE_OP_BYTES,
    ICE_OP_FIXED,
    ICE_OP_LIST_I64,
    ICE_OP_LIST,
    ICE_OP_MAP_I64,
    ICE_OP_MAP_BYTES,
    ICE_OP_TUPLE,
    ICE_OP_ENTER,  /* a record that may be null: the next n_sub steps are its members */
    ICE_OP_ABSENT, /* zero the member */
    ICE_OP_SKIP_BOOL,
    ICE_OP_SKIP_INT,
    ICE_OP_SKIP_LONG,
    ICE_OP_SKIP_STR,
    ICE_OP_SKIP_BYTES,
    ICE_OP_SKIP_FIXED,
    ICE_OP_SKIP, /* anything, by schema */
};

enum { ICE_NOT_NULLABLE = 2 };

struct ice_step {
    enum ice_op op;
    uint8_t null_branch;  /* 0 or 1: index of null in the union; ICE_NOT_NULLABLE */
    uint8_t member_bytes; /* size of the member, 0 if there is none */
    bool is_int;          /* LIST_I64, MAP_I64: values are int, not long */
    uint16_t offset, item_null_offset;
    uint32_t slot;
    uint64_t bit;               /* in the null mask, as a mask; 0 if none */
    const struct ice_step *sub; /* LIST: steps of an item */
    size_t n_sub;
    size_t size; /* FIXED: bytes; LIST: bytes of an item struct */
    const struct ice_avro_schema *schema; /* below the union */
    struct ice_str path;                  /* pointer from the record to the field */
};

#endif
