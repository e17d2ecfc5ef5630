/*
 * Peeking into metadata files.
 */
#include "check/peeked.h"

enum ice_status ice_peek_metadata(struct ice_check *ck, struct ice_str name,
                                  unsigned wanted, struct ice_peeked *out,
                                  struct ice_error *err) {
    struct ice_source *source = ck->target->source;
    struct ice_str key, unused;
    struct ice_error fault;
    enum ice_status status = ICE_OK;
    *out = (struct ice_peeked){.updated_ms = INT64_MIN};
    ice_error_clear(&fault);
    if (ice_key_join(&ck->arena, ck->target->metadata_dir, name, &key) < 0)
        return ice_error_memory(err);
    if (wanted & ICE_PEEK_UUID)
        status = ice_metadata_peek_identity(source, key, ck->run, &ck->arena, &out->uuid,
                                            &unused, &fault);
    if ((wanted & ICE_PEEK_UPDATED) && !ice_status_is_final(status))
        status =
            ice_metadata_peek_updated(source, key, ck->run, &out->updated_ms, &fault);
    return ice_error_pass_final(err, status, &fault);
}
