/*
 * Paths as text: control characters, empty and dot segments, a blank at the end.
 */
#include "check/path_text.h"

#include "base/bytes16.h"
#include "source/mapping.h"

bool ice_path_is_odd(struct ice_str path) {
    size_t scheme = ice_uri_scheme(path);
    struct ice_str rest = ice_str_from_index(path, scheme);
    while (scheme > 0 && ice_str_starts(rest, ICE_STR("/")))
        rest = ice_str_from_index(rest, 1);
    bool is_first = true;
    for (size_t i = 0; i < rest.size; i++) {
        if ((unsigned char)rest.data[i] < 0x20 || rest.data[i] == 0x7f)
            return true;
    }
    if (rest.size > 0 && rest.data[rest.size - 1] == ' ')
        return true;
    while (rest.size > 0) {
        size_t slash = ice_str_find(rest, '/');
        struct ice_str segment = ice_str_first(rest, slash);
        bool is_empty = segment.size == 0 && !is_first;
        if (is_empty || ice_str_is(segment, ".") || ice_str_is(segment, ".."))
            return true;
        is_first = false;
        rest = slash == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, slash + 1);
    }
    return false;
}

/* No control character among 16 bytes, and no empty or dot segment that begins in them;
 * a byte is before them. */
static bool are_clean(const char *bytes) {
    ice_bytes16 here = ice_bytes16_at(bytes);
    ice_bytes16 slash = ice_bytes16_like(ice_bytes16_at(bytes - 1), '/');
    ice_bytes16 after = ice_bytes16_like(here, '/') | ice_bytes16_like(here, '.');
    return !ice_bytes16_any(ice_bytes16_below(here, 0x20) | ice_bytes16_like(here, 0x7f) |
                            (slash & after));
}

bool ice_path_is_clean(struct ice_str path, size_t from) {
    size_t i = from;
    if (path.size > from && path.data[path.size - 1] == ' ')
        return false;
    for (; i + 16 <= path.size; i += 16)
        if (!are_clean(path.data + i))
            return false;
    if (path.size >= from + 16) /* the last ones, some of them again */
        return are_clean(path.data + path.size - 16);
    for (; i < path.size; i++) {
        char c = path.data[i];
        if ((unsigned char)c < 0x20 || c == 0x7f ||
            (path.data[i - 1] == '/' && (c == '/' || c == '.')))
            return false;
    }
    return true;
}
