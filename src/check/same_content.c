/*
 * Two streams compared piece by piece.
 */
#include "check/same_content.h"

#include "base/error.h"

static enum ice_status compare(struct ice_stream *a, struct ice_stream *b,
                               bool *out_is_same, struct ice_error *err) {
    for (;;) {
        struct ice_str left, right;
        ICE_TRY(ice_stream_peek(a, 1, &left, err));
        ICE_TRY(ice_stream_peek(b, 1, &right, err));
        size_t size = left.size < right.size ? left.size : right.size;
        if (size == 0) {
            *out_is_same = left.size == right.size;
            return ICE_OK;
        }
        if (memcmp(left.data, right.data, size) != 0)
            return ICE_OK;
        ice_stream_consume(a, size);
        ice_stream_consume(b, size);
    }
}

enum ice_status ice_same_content(struct ice_source *source, struct ice_run *run,
                                 struct ice_str a, struct ice_str b, bool *out_is_same,
                                 struct ice_error *err) {
    struct ice_stream left = {0}, right = {0};
    struct ice_file_info info;
    struct ice_error fault;
    enum ice_magic magic;
    ice_error_clear(&fault);
    *out_is_same = false;
    enum ice_status status =
        ice_open_inflated(source, a, run, &left, &info, &magic, &fault);
    if (status >= 0)
        status = ice_open_inflated(source, b, run, &right, &info, &magic, &fault);
    if (status >= 0)
        status = compare(&left, &right, out_is_same, &fault);
    ice_stream_release(&left);
    ice_stream_release(&right);
    return ice_error_pass_final(err, status, &fault);
}
