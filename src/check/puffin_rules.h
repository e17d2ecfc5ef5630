/*
 * Group 28: one Puffin file against itself and against all that name it.
 */
#ifndef ICE_CHECK_PUFFIN_RULES_H
#define ICE_CHECK_PUFFIN_RULES_H

#include "check/row_place.h"
#include "check/check.h"
#include "iceberg/puffin.h"

/* Who names a Puffin file: a live deletion vector, or a statistics entry. */
struct ice_puffin_ask {
    struct ice_str path;
    const struct ice_statistics *statistics; /* NULL: a vector, as follows */
    uint32_t manifest;
    uint64_t record, block, block_offset;
    const struct ice_str *names; /* of columns, by enum ice_entry_bit */
    struct ice_str data_file;    /* "": the entry names none */
    int64_t offset, size, cardinality;
    bool has_cardinality;
    int64_t data_rows; /* of the data file; -1 */
};

/* asks are all about the file that was read; order: rank of findings about it. */
enum ice_status ice_puffin_rules(struct ice_check *ck, const struct ice_puffin *puffin,
                                 const struct ice_puffin_ask *asks, size_t n,
                                 uint64_t order) ICE_MUST_USE;

#endif
