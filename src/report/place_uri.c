/*
 * Where a finding stands, as a URI reference.
 */
#include "report/place_uri.h"

#include "base/error.h"
#include "base/percent.h"

bool ice_place_is_relative(struct ice_str file) {
    return file.size > 0 && file.data[0] != '/' && ice_uri_scheme(file) == 0;
}

static bool is_absolute(struct ice_str path) {
    return path.size > 0 && path.data[0] == '/';
}

enum ice_status ice_place_uri(struct ice_buf *out, struct ice_str prefix,
                              struct ice_str file) {
    size_t scheme = ice_uri_scheme(file);
    ICE_TRY(ice_buf_append_str(out, ice_str_first(file, scheme)));
    file = ice_str_from_index(file, scheme);
    bool is_inside = scheme == 0 && !is_absolute(file);
    if (is_inside && prefix.size == 0 && file.size == 0)
        return ice_buf_append_char(out, '.');
    if (scheme == 0 && is_absolute(is_inside && prefix.size > 0 ? prefix : file))
        ICE_TRY(ice_buf_append_str(out, ICE_STR("file://")));
    if (is_inside)
        ICE_TRY(ice_percent_encode(out, prefix));
    return ice_percent_encode(out, file);
}
