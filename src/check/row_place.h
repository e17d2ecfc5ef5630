/*
 * Where a finding about a row of an Avro file stands: record, block, and a pointer that
 * is built step by step in storage of its own.
 */
#ifndef ICE_CHECK_ROW_PLACE_H
#define ICE_CHECK_ROW_PLACE_H

#include "iceberg/manifest_list.h"
#include "rule/emit.h"

/* Steps that no longer fit are left out: the pointer then names an outer value. */
struct ice_row_place {
    struct ice_place place; /* pass &x.place to FOUND; valid until the next step */
    char pointer[480];
};

/* "/records/N" of a file. */
void ice_row_place_begin(struct ice_row_place *out, struct ice_str file, uint64_t order,
                         uint64_t record);
/* The last row of a reader, with its block. */
void ice_row_place_of(struct ice_row_place *out, struct ice_str file, uint64_t order,
                      const struct ice_avro_rows *rows);
/* "/name", escaped as RFC 6901 wants it. */
void ice_row_place_step(struct ice_row_place *place, struct ice_str name);
void ice_row_place_index(struct ice_row_place *place, uint64_t index);

#endif
