/*
 * An Avro container unpacked and not looked at: the work below which no reader of
 * manifests can go, for bench.
 */
#ifndef ICE_ICEBERG_BLOCKS_H
#define ICE_ICEBERG_BLOCKS_H

#include "stream/stream.h"

struct ice_blocks_total {
    uint64_t blocks, records; /* records: as the blocks declare */
    uint64_t bytes;           /* unpacked */
};

/* Adds to *total. Blocks that are lost are passed over. The stream is borrowed. Fails as
 * ice_avro_open does, and with ICE_ENOMEM. */
enum ice_status ice_blocks_unpack(struct ice_run *run, struct ice_stream *stream,
                                  struct ice_blocks_total *total, struct ice_error *err);

#endif
