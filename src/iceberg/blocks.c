/*
 * The blocks of an Avro container, unpacked and dropped.
 */
#include "iceberg/blocks.h"

#include "avro/container.h"
#include "base/error.h"

static enum ice_status unpack(struct ice_avro_file *file, struct ice_blocks_total *total,
                              struct ice_error *err) {
    for (;;) {
        struct ice_avro_block block = {0};
        struct ice_error fault;
        ice_error_clear(&fault);
        enum ice_status status = ice_avro_next_block(file, &block, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status == ICE_EFORMAT || status == ICE_ELIMIT)
            continue;
        if (status < 0) {
            if (err != NULL)
                *err = fault;
            return status;
        }
        total->blocks++;
        total->records += block.count;
        total->bytes += block.data.size;
    }
}

enum ice_status ice_blocks_unpack(struct ice_run *run, struct ice_stream *stream,
                                  struct ice_blocks_total *total, struct ice_error *err) {
    struct ice_avro_file file = {0};
    enum ice_status status = ice_avro_open(&file, run, stream, err);
    if (status >= 0)
        status = unpack(&file, total, err);
    ice_avro_release(&file);
    return status;
}
