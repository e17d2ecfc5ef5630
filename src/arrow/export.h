/*
 * Batches and their schema through Arrow's C data interface.
 */
#ifndef ICE_ARROW_EXPORT_H
#define ICE_ARROW_EXPORT_H

#include "arrow/arrow_batch.h"

/*
 * The schema of batches of these columns: a struct with one child a column. *out is
 * released by its own release. ICE_ENOMEM.
 */
enum ice_status ice_arrow_export_schema(const struct ice_allocator *allocator,
                                        const struct ice_column *columns, size_t n,
                                        struct ArrowSchema *out) ICE_MUST_USE;

/*
 * The rows of a batch, not copied: *out owns the batch from now on, on failure
 * (ICE_ENOMEM) it is freed. Children may be moved out and outlive their parent, as the
 * interface demands; release may be called on any thread.
 */
enum ice_status ice_arrow_export_batch(struct ice_arrow_batch *batch,
                                       struct ArrowArray *out) ICE_MUST_USE;

#endif
