/*
 * Rows of an answer as an Arrow IPC stream.
 */
#ifndef ICE_REPORT_ARROW_ROWS_H
#define ICE_REPORT_ARROW_ROWS_H

#include "arrow/ipc.h"
#include "report/picked.h"

struct ice_arrow_rows {
    struct ice_alloc *alloc;
    const struct ice_picked *picked;
    struct ice_ipc ipc;
    struct ice_arrow_batch *batch; /* NULL: no row nor columns came yet */
};

void ice_arrow_rows_init(struct ice_arrow_rows *arrow, struct ice_alloc *alloc,
                         const struct ice_picked *picked, ice_write_fn write, void *user);
void ice_arrow_rows_release(struct ice_arrow_rows *arrow); /* safe twice */

/* Once, when picked is known. columns: of a whole row. */
enum ice_status ice_arrow_rows_head(struct ice_arrow_rows *arrow,
                                    const struct ice_column *columns) ICE_MUST_USE;
enum ice_status ice_arrow_rows_row(struct ice_arrow_rows *arrow,
                                   const struct ice_value *values) ICE_MUST_USE;
enum ice_status ice_arrow_rows_finish(struct ice_arrow_rows *arrow) ICE_MUST_USE;

/* A batch for the picked columns; NULL when out of memory. */
struct ice_arrow_batch *ice_picked_batch(const struct ice_allocator *allocator,
                                         const struct ice_picked *picked,
                                         const struct ice_column *columns);
/* The picked values of a row. */
enum ice_status ice_picked_row(const struct ice_picked *picked,
                               const struct ice_value *values,
                               struct ice_arrow_batch *batch) ICE_MUST_USE;

#endif
