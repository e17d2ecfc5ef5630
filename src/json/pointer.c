/*
 * RFC 6901 pointers.
 */
#include "json/reader.h"

#include "base/error.h"

#include <assert.h>

struct ice_str ice_pointer_step(struct ice_str pointer) {
    if (pointer.size == 0 || pointer.data[0] != '/')
        return ICE_STR_NONE;
    size_t size = ice_str_find(ice_str_from_index(pointer, 1), '/');
    return size == SIZE_MAX ? pointer : ice_str_first(pointer, size + 1);
}

enum ice_status ice_pointer_append(struct ice_buf *out, struct ice_str step) {
    ICE_TRY(ice_buf_append_char(out, '/'));
    size_t from = 0;
    for (size_t i = 0; i < step.size; i++) {
        assert(step.data != NULL); /* as size > 0 */
        if (step.data[i] != '~' && step.data[i] != '/')
            continue;
        ICE_TRY(ice_buf_append(out, step.data + from, i - from));
        ICE_TRY(ice_buf_append(out, step.data[i] == '~' ? "~0" : "~1", 2));
        from = i + 1;
    }
    return ice_buf_append_str(out, ice_str_from_index(step, from));
}

enum ice_status ice_pointer_append_index(struct ice_buf *out, uint64_t index) {
    char text[1 + ICE_U64_BYTES] = "/";
    return ice_buf_append(out, text, 1 + ice_u64_to_text(index, text + 1));
}

enum ice_status ice_json_pointer(const struct ice_json *json, struct ice_buf *out) {
    ice_buf_clear(out);
    for (size_t i = 0; i < json->depth; i++) {
        const struct ice_json_frame *frame = &json->frames[i];
        if (!frame->has_step)
            continue;
        if (!frame->is_object) {
            ICE_TRY(ice_pointer_append_index(out, frame->n_begun - 1));
            continue;
        }
        size_t end =
            i + 1 < json->depth ? json->frames[i + 1].path_start : json->path.size;
        struct ice_str key = {json->path.data ? json->path.data + frame->path_start
                                              : NULL,
                              end - frame->path_start};
        if (frame->key_is_shaped)
            key = ice_json_shape_key(frame->shaped.shape, frame->shaped.next - 1);
        ICE_TRY(ice_pointer_append(out, key));
    }
    return ICE_OK;
}
