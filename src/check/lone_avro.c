/*
 * A lone Avro container that is neither list nor manifest.
 *
 * Reads: header and every block. Checks: that they can be read. Leaves behind: nothing.
 */
#include "check/check.h"

#include "avro/container.h"

#include "base/error.h"

static enum ice_status read_blocks(struct ice_check *ck, struct ice_avro_file *file,
                                   const struct ice_place *place) {
    for (;;) {
        struct ice_avro_block block;
        struct ice_error fault;
        ice_error_clear(&fault);
        if (ice_check_cancelled(ck))
            return ICE_ECANCELLED;
        enum ice_status status = ice_avro_next_block(file, &block, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status == ICE_OK)
            continue;
        ICE_TRY(ice_check_fault(ck, &fault, place, ICE_SCOPE_HEAD, "Avro file"));
        if (file->stream->failed < 0 || status == ICE_EUNSUPPORTED)
            return ICE_OK; /* nothing follows */
    }
}

enum ice_status ice_check_lone_avro(struct ice_check *ck, struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_file_info info;
    struct ice_str name;
    struct ice_avro_file file = {0};
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status = ice_check_open_target(ck, &name, &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    struct ice_place place = ice_place_file(name, ICE_ORDER_MANIFEST);
    status = ice_avro_open(&file, ck->run, &stream, &fault);
    status = status < 0 ? ice_check_fault(ck, &fault, &place, ICE_SCOPE_HEAD, "Avro file")
                        : read_blocks(ck, &file, &place);
    ice_avro_release(&file);
    ice_stream_release(&stream);
    return status < 0 ? ice_error_set(err, status, NULL, ICE_NO_OFFSET, "%s",
                                      ice_status_name(status))
                      : ICE_OK;
}
