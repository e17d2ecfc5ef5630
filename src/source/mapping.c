/*
 * Mapping URIs to keys: the entry with the longest prefix wins, of equal ones the last,
 * which is that of the command line.
 */
#include "source/mapping.h"

#include "base/error.h"

#include <inttypes.h>

void ice_mapping_init(struct ice_mapping *mapping, struct ice_run *run) {
    *mapping = (struct ice_mapping){.run = run};
    ice_arena_init(&mapping->arena, &run->alloc);
}

void ice_mapping_release(struct ice_mapping *mapping) {
    if (mapping->run == NULL)
        return;
    ice_array_free(&mapping->run->alloc, &mapping->entries, &mapping->capacity,
                   sizeof(*mapping->entries));
    ice_arena_release(&mapping->arena);
    *mapping = (struct ice_mapping){0};
}

struct ice_str ice_uri_strip(struct ice_str uri) {
    while (uri.size > 0 && uri.data[uri.size - 1] == '/')
        uri.size--;
    return uri;
}

struct ice_str ice_uri_root(struct ice_str uri) {
    size_t scheme = ice_uri_scheme(uri);
    struct ice_str rest = ice_str_from_index(uri, scheme);
    if (scheme == 0 || !ice_str_starts(rest, ICE_STR("//")))
        return ICE_STR_NONE;
    rest = ice_str_from_index(rest, 2);
    return ice_str_first(uri,
                         scheme + 2 + ice_str_first(rest, ice_str_find(rest, '/')).size);
}

/* As ice_uri_is_below needs it: "/" stays, or it would cover relative paths. */
static struct ice_str strip_from(struct ice_str from) {
    struct ice_str stripped = ice_uri_strip(from);
    const bool is_only_scheme =
        stripped.size > 0 && stripped.data[stripped.size - 1] == ':';
    return stripped.size == 0 || is_only_scheme ? from : stripped;
}

enum ice_status ice_mapping_add(struct ice_mapping *mapping, struct ice_str from,
                                struct ice_source *source, struct ice_str prefix,
                                struct ice_error *err) {
    struct ice_alloc *alloc = &mapping->run->alloc;
    struct ice_mapping_entry entry = {.source = source};
    struct ice_buf folded;
    ice_buf_init(&folded, alloc, SIZE_MAX);
    bool done =
        ice_uri_fold(from, &folded) == ICE_OK &&
        ice_arena_dup(&mapping->arena, strip_from(ice_buf_str(&folded)), &entry.from) &&
        ice_arena_dup(&mapping->arena, ice_uri_strip(prefix), &entry.prefix) &&
        ice_array_reserve(alloc, &mapping->entries, mapping->n, &mapping->capacity,
                          sizeof(*mapping->entries));
    ice_buf_release(&folded);
    if (!done)
        return ice_error_memory(err);
    mapping->entries[mapping->n++] = entry;
    return ICE_OK;
}

static enum ice_status bad_path(struct ice_str uri, const char *what,
                                struct ice_error *err) {
    char shown[96];
    (void)ice_escape(shown, sizeof(shown), uri);
    (void)ice_error_set(err, ICE_EFORMAT, "source.path", ICE_NO_OFFSET, "'%s' %s", shown,
                        what);
    ice_error_set_file(err, uri);
    return ICE_EFORMAT;
}

/* Append the segments of rest to key; empty ones are folded, dots refused. */
static enum ice_status append_segments(struct ice_buf *key, struct ice_str uri,
                                       struct ice_str rest, struct ice_error *err) {
    while (rest.size > 0) {
        size_t slash = ice_str_find(rest, '/');
        struct ice_str segment = ice_str_first(rest, slash);
        rest = slash == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, slash + 1);
        if (segment.size == 0)
            continue;
        if (ice_str_is(segment, ".") || ice_str_is(segment, ".."))
            return bad_path(uri, "has a segment \".\" or \"..\"", err);
        enum ice_status status = ICE_OK;
        if (key->size > 0)
            status = ice_buf_append_char(key, '/');
        if (status == ICE_OK)
            status = ice_buf_append_str(key, segment);
        if (status == ICE_ENOMEM)
            return ice_error_memory(err);
        if (status < 0)
            return bad_path(uri, "is too long", err);
    }
    return ICE_OK;
}

enum ice_status ice_mapping_resolve(const struct ice_mapping *mapping, struct ice_str uri,
                                    struct ice_buf *key, struct ice_source **out_source,
                                    struct ice_str *out_key, struct ice_error *err) {
    const struct ice_mapping_entry *best = NULL;
    struct ice_str best_rest = ICE_STR_NONE;
    if (ice_str_find(uri, '\0') != SIZE_MAX)
        return bad_path(uri, "holds a NUL byte", err);
    if (uri.size > mapping->run->limits.path_bytes)
        return bad_path(uri, "is too long", err);
    for (size_t i = 0; i < mapping->n; i++) {
        const struct ice_mapping_entry *entry = &mapping->entries[i];
        struct ice_str rest;
        if (ice_uri_is_below(mapping->run, uri, entry->from, &rest) &&
            (best == NULL || entry->from.size >= best->from.size)) {
            best = entry;
            best_rest = rest;
        }
    }
    if (best == NULL) {
        char shown[160];
        (void)ice_escape(shown, sizeof(shown), uri);
        (void)ice_error_set(err, ICE_ENOENT, "source.unmapped", ICE_NO_OFFSET,
                            "no root and no --map covers '%s'", shown);
        ice_error_set_file(err, uri);
        return ICE_ENOENT;
    }
    ice_buf_clear(key);
    if (ice_buf_append_str(key, best->prefix) < 0)
        return ice_error_memory(err);
    ICE_TRY(append_segments(key, uri, best_rest, err));
    if (key->size > mapping->run->limits.path_bytes)
        return bad_path(uri, "is too long", err);
    *out_source = best->source;
    *out_key = ice_buf_str(key);
    return ICE_OK;
}
