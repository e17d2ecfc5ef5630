/*
 * An Arrow IPC stream: a schema message, a message a record batch, the end mark.
 * https://arrow.apache.org/docs/format/Columnar.html#serialization-and-interprocess-communication-ipc
 */
#ifndef ICE_ARROW_IPC_H
#define ICE_ARROW_IPC_H

#include "arrow/arrow_batch.h"
#include "arrow/flatbuf.h"

struct ice_ipc {
    struct ice_flatbuf message;
    ice_write_fn write;
    void *user;
};

void ice_ipc_init(struct ice_ipc *ipc, struct ice_alloc *alloc, ice_write_fn write,
                  void *user);
void ice_ipc_release(struct ice_ipc *ipc); /* safe twice and on all-zero */

/* Once, before all batches. */
enum ice_status ice_ipc_schema(struct ice_ipc *ipc, const struct ice_column *columns,
                               size_t n) ICE_MUST_USE;
enum ice_status ice_ipc_batch(struct ice_ipc *ipc,
                              const struct ice_arrow_batch *batch) ICE_MUST_USE;
enum ice_status ice_ipc_end(struct ice_ipc *ipc) ICE_MUST_USE;

#endif
