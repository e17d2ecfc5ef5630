/*
 * Rows gathered column by column in Arrow's memory layout: handed out through the C data
 * interface without a copy, or written as one record batch of an IPC stream.
 */
#ifndef ICE_ARROW_ARROW_BATCH_H
#define ICE_ARROW_ARROW_BATCH_H

#include "arrow/abi.h"
#include "arrow/type.h"
#include "base/buf.h"

/* One node of a column. Buffers as Arrow lays them out; validity stays empty until the
 * first null. */
struct ice_arrow_part {
    const struct ice_arrow_node *node;
    uint64_t length, n_nulls;
    struct ice_buf validity; /* a bit a value, lowest first, 1: not null */
    struct ice_buf offsets;  /* int32, length + 1 of them: utf8, binary, list, map */
    struct ice_buf data;     /* values; of bool bits */
};

struct ice_arrow_column {
    const struct ice_arrow_type *type;
    struct ice_arrow_part parts[ICE_ARROW_NODES];
};

struct ice_arrow_batch {
    struct ice_alloc alloc;
    uint64_t n_rows, n_bytes; /* bytes: about */
    size_t n_columns;
    struct ice_arrow_column *columns;
};

/* kinds: of n columns. NULL when out of memory. allocator NULL: the C library's. */
struct ice_arrow_batch *ice_arrow_batch_new(const struct ice_allocator *allocator,
                                            const enum ice_value_kind *kinds, size_t n);
void ice_arrow_batch_free(struct ice_arrow_batch *batch); /* accepts NULL */
void ice_arrow_batch_clear(struct ice_arrow_batch *batch);

/*
 * Append a value to a column; every column gets one a row, then _row_end is called. A
 * byte of a string that is not UTF-8 is kept as \xNN. After a failure (ICE_ENOMEM,
 * ICE_ELIMIT: a column beyond 2 GiB) the batch can only be freed.
 */
enum ice_status ice_arrow_batch_add(struct ice_arrow_batch *batch, size_t column,
                                    const struct ice_value *value) ICE_MUST_USE;
void ice_arrow_batch_row_end(struct ice_arrow_batch *batch);

/* Enough for one record batch: the rows or the bytes. */
bool ice_arrow_batch_is_full(const struct ice_arrow_batch *batch);

/* Buffers of a part in Arrow's order. */
enum { ICE_ARROW_BUFFERS = 3 };
size_t ice_arrow_part_buffers(const struct ice_arrow_part *part,
                              struct ice_str out[ICE_ARROW_BUFFERS]);

#endif
