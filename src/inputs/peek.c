/*
 * The few members of a metadata file that say which table it is of, and which of two
 * rivals is newer.
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

/* A member of the outermost object, looked for. */
struct wanted {
    const char *key;
    struct ice_arena *arena;
    struct ice_str *out;
    bool is_done;
};

static enum ice_status find_texts(struct ice_json *json, struct wanted *wanted, size_t n,
                                  struct ice_error *err) {
    struct ice_json_event event;
    size_t n_found = 0;
    ICE_TRY(ice_json_next(json, &event, err));
    if (event.kind != ICE_JSON_OBJECT)
        return ICE_DONE;
    while (n_found < n) {
        ICE_TRY(ice_json_next(json, &event, err));
        if (event.kind != ICE_JSON_KEY)
            return ICE_DONE;
        struct wanted *hit = NULL;
        for (size_t i = 0; i < n; i++) {
            if (!wanted[i].is_done && ice_str_is(event.text, wanted[i].key))
                hit = &wanted[i];
        }
        ICE_TRY(ice_json_next(json, &event, err));
        if (hit != NULL) {
            hit->is_done = true;
            n_found++;
            if (event.kind == ICE_JSON_STRING &&
                !ice_arena_dup(hit->arena, event.text, hit->out))
                return ice_error_memory(err);
        }
        ICE_TRY(ice_json_skip(json, &event, err));
    }
    return ICE_OK;
}

enum ice_status ice_metadata_peek_identity(struct ice_source *source, struct ice_str key,
                                           struct ice_run *run, struct ice_arena *arena,
                                           struct ice_str *out_uuid,
                                           struct ice_str *out_location,
                                           struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_json json = {0};
    struct ice_file_info info = {0};
    enum ice_magic magic;
    struct wanted wanted[] = {{"table-uuid", arena, out_uuid, false},
                              {"location", arena, out_location, false}};
    *out_uuid = *out_location = ICE_STR_NONE;
    ICE_TRY(ice_open_inflated(source, key, run, &stream, &info, &magic, err));
    enum ice_status status = ice_json_init(&json, &stream, run, NULL, NULL, err);
    if (status >= 0)
        status = find_texts(&json, wanted, ICE_COUNT_OF(wanted), err);
    ice_json_release(&json);
    ice_stream_release(&stream);
    return status < 0 ? status : ICE_OK;
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
