/*
 * internal_properties of a Polaris entity: a JSON document in a cell or string.
 */
#include "inputs/pointer_read.h"

#include "base/error.h"
#include "json/reader.h"

enum ice_status ice_pointer_polaris(struct ice_run *run, struct ice_arena *arena,
                                    struct ice_str text, struct ice_str *out,
                                    bool *out_has, struct ice_error *err) {
    struct ice_stream stream;
    struct ice_json json = {0};
    struct ice_json_event event;
    struct ice_error inner;
    struct ice_str own;
    bool is_next = false;
    *out_has = false;
    ice_error_clear(&inner);
    if (!ice_arena_dup(arena, text, &own)) /* text is borrowed from a reader */
        return ice_error_memory(err);
    ice_stream_init_memory(&stream, run, own);
    enum ice_status status = ice_json_init(&json, &stream, run, NULL, NULL, &inner);
    while (status >= 0 && (status = ice_json_next(&json, &event, &inner)) == ICE_OK) {
        bool is_value = event.kind == ICE_JSON_STRING && is_next;
        if (is_value && !ice_arena_dup(arena, event.text, out))
            status = ICE_ENOMEM;
        *out_has = *out_has || is_value;
        is_next =
            event.kind == ICE_JSON_KEY && ice_str_is(event.text, "metadata-location");
    }
    ice_json_release(&json);
    ice_stream_release(&stream);
    return status == ICE_ENOMEM ? ice_error_memory(err) : ICE_OK;
}
