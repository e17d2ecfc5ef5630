/*
 * The one number of a metadata file that says which of two rivals is newer.
 */
#include "inputs/target.h"

#include "base/error.h"

#include "json/reader.h"

static enum ice_status find_updated(struct ice_json *json, int64_t *out_ms,
                                    struct ice_error *err) {
    struct ice_json_event event;
    ICE_TRY(ice_json_next(json, &event, err));
    if (event.kind != ICE_JSON_OBJECT)
        return ICE_DONE;
    for (;;) {
        ICE_TRY(ice_json_next(json, &event, err));
        if (event.kind != ICE_JSON_KEY)
            return ICE_DONE;
        bool is_it = ice_str_is(event.text, "last-updated-ms");
        ICE_TRY(ice_json_next(json, &event, err));
        if (is_it && event.kind == ICE_JSON_NUMBER &&
            ice_number_i64(event.text, out_ms) == ICE_NUMBER_OK)
            return ICE_OK;
        ICE_TRY(ice_json_skip(json, &event, err));
    }
}

enum ice_status ice_metadata_peek_updated(struct ice_source *source, struct ice_str key,
                                          struct ice_run *run, int64_t *out_ms,
                                          struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_json json = {0};
    struct ice_file_info info = {0};
    enum ice_magic magic;
    enum ice_status status =
        ice_open_inflated(source, key, run, &stream, &info, &magic, err);
    if (status < 0)
        return status;
    status = ice_json_init(&json, &stream, run, NULL, NULL, err);
    if (status >= 0)
        status = find_updated(&json, out_ms, err);
    ice_json_release(&json);
    ice_stream_release(&stream);
    return status;
}
