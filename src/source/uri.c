/*
 * URIs of storage: scheme, authority, path, and when two of them name one object.
 */
#include "source/mapping.h"

#include "base/compiler.h"
#include "base/error.h"

/* Schemes that reach the same storage; the first name is the folded one. */
static const char *const families[][5] = {
    {"s3", "s3a", "s3n", NULL},
    {"abfs", "abfss", "wasb", "wasbs", NULL},
};

struct uri {
    struct ice_str scheme; /* as written, without ':'; size 0: a bare or file path */
    struct ice_str authority;
    struct ice_str path; /* from its '/' on, or all of a bare path */
};

static struct ice_str fold_scheme(struct ice_str scheme) {
    for (size_t i = 0; i < ICE_COUNT_OF(families); i++) {
        for (size_t k = 0; families[i][k] != NULL; k++) {
            if (ice_str_equal_nocase(scheme, ice_str_from(families[i][k])))
                return ice_str_from(families[i][0]);
        }
    }
    return scheme;
}

static bool is_scheme(struct ice_str scheme, const char *name) {
    return ice_str_equal_nocase(scheme, ice_str_from(name));
}

/* Of several '/' in front only the last. */
static struct ice_str one_slash(struct ice_str path) {
    size_t n = 0;
    while (n + 1 < path.size && path.data[n] == '/' && path.data[n + 1] == '/')
        n++;
    return ice_str_from_index(path, n);
}

/*
 * "./wh/t" and "wh/t" are one: a relative warehouse leaves both in one table. Not so
 * "./ab:/t" and "ab:/t".
 */
static struct ice_str no_dot(struct ice_str path) {
    while (ice_str_starts(path, ICE_STR("./"))) {
        size_t skip = 2;
        while (skip < path.size && path.data[skip] == '/')
            skip++;
        const struct ice_str rest = {path.data + skip, path.size - skip};
        if (ice_uri_scheme(rest) > 0)
            break;
        path = rest;
    }
    return ice_str_equal(path, ICE_STR(".")) ? (struct ice_str){path.data, 0} : path;
}

static struct uri split(struct ice_str text) {
    struct uri uri = {.path = text};
    size_t scheme = ice_uri_scheme(text);
    if (scheme == 0) {
        uri.path = no_dot(one_slash(text));
        return uri;
    }
    uri.scheme = fold_scheme(ice_str_first(text, scheme - 1));
    uri.path = ice_str_from_index(text, scheme);
    if (ice_str_starts(uri.path, ICE_STR("//"))) {
        struct ice_str rest = ice_str_from_index(uri.path, 2);
        size_t slash = ice_str_find(rest, '/');
        uri.authority = ice_str_first(rest, slash);
        uri.path = ice_str_from_index(rest, uri.authority.size);
    }
    if (is_scheme(uri.scheme, "file") &&
        (uri.authority.size == 0 || is_scheme(uri.authority, "localhost"))) {
        uri.scheme = uri.authority = ICE_STR_NONE;
        uri.path = one_slash(uri.path);
    } else if (is_scheme(uri.scheme, "hdfs")) {
        uri.authority = ICE_STR_NONE; /* tables of one cluster are written both ways */
    }
    return uri;
}

enum ice_status ice_uri_fold(struct ice_str text, struct ice_buf *out) {
    struct uri uri = split(text);
    for (size_t i = 0; i < uri.scheme.size; i++) {
        char c = uri.scheme.data[i];
        ICE_TRY(
            ice_buf_append_char(out, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c));
    }
    if (uri.scheme.size > 0)
        ICE_TRY(ice_buf_append_str(out, ICE_STR("://")));
    ICE_TRY(ice_buf_append_str(out, uri.authority));
    return ice_buf_append_str(out, uri.path);
}

bool ice_uri_is_below(struct ice_run *run, struct ice_str a, struct ice_str b,
                      struct ice_str *out_rest) {
    (void)run;
    struct uri inner = split(a), outer = split(b);
    if (!ice_str_equal_nocase(inner.scheme, outer.scheme) ||
        !ice_str_equal(inner.authority, outer.authority))
        return false;
    const bool is_rooted = outer.scheme.size > 0 || outer.path.size > 0;
    struct ice_str prefix = ice_uri_strip(outer.path);
    if (!ice_str_starts(inner.path, prefix))
        return false;
    struct ice_str rest = ice_str_from_index(inner.path, prefix.size);
    /* "" covers relative paths only, everything else ends at a segment */
    const bool at_segment = rest.size == 0 || rest.data[0] == '/';
    if (is_rooted ? !at_segment : (rest.size > 0 && rest.data[0] == '/'))
        return false;
    size_t skip = 0;
    while (skip < rest.size && rest.data[skip] == '/')
        skip++;
    *out_rest = ice_str_from_index(rest, skip);
    return true;
}

bool ice_uri_is_same(struct ice_run *run, struct ice_str a, struct ice_str b) {
    struct ice_str rest;
    return ice_uri_is_below(run, a, b, &rest) && rest.size == 0;
}

struct ice_str ice_uri_base_name(struct ice_str uri) {
    uri = ice_uri_strip(uri);
    size_t slash = ice_str_rfind(uri, '/');
    return slash == SIZE_MAX ? uri : ice_str_from_index(uri, slash + 1);
}
