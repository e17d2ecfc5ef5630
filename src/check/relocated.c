/*
 * path.table-relocated: a plain copy of a table, whose metadata still names the files of
 * the place that it was copied from.
 *
 * Reads: where --map or a pointer says that the metadata file stands, location, the list
 * of the current snapshot. A tree of which nobody says where it stands is taken for a
 * synced copy of the location.
 */
#include "check/pointers.h"

#include "base/error.h"

#include <limits.h>
#include <stdlib.h>

/* A path below a directory, both absolute. */
static bool is_path_below(struct ice_str path, struct ice_str directory,
                          struct ice_str *out_rest) {
    while (directory.size > 0 && directory.data[directory.size - 1] == '/')
        directory.size--;
    if (!ice_str_starts(path, directory) || path.size <= directory.size ||
        path.data[directory.size] != '/')
        return false;
    *out_rest = ice_str_from_index(path, directory.size + 1);
    return true;
}

/* What --map says of the file: *out empty where it says nothing. One of several names
 * that is inside the location wins. */
static enum ice_status name_by_map(struct ice_check *ck, struct ice_str *out,
                                   struct ice_error *err) {
    struct ice_str root = ck->target->root_path, path, rest;
    *out = ICE_STR_NONE;
    if (root.size == 0 || ck->metadata_source != ck->target->source)
        return ICE_OK;
    if (ice_key_join(&ck->arena, root, ck->metadata_key, &path) < 0)
        return ice_error_memory(err);
    for (size_t i = 0; i < ck->options->n_maps; i++) {
        const struct ice_map_entry *map = &ck->options->maps[i];
        char resolved[PATH_MAX];
        struct ice_str from = ice_str_from(map->from), uri;
        if (realpath(map->to, resolved) == NULL ||
            !is_path_below(path, ice_str_from(resolved), &rest))
            continue;
        while (from.size > 0 && from.data[from.size - 1] == '/')
            from.size--;
        if (ice_key_join(&ck->arena, from, rest, &uri) < 0)
            return ice_error_memory(err);
        *out = uri;
        if (ice_uri_is_inside(ck->run, uri, ck->metadata.location))
            return ICE_OK;
    }
    return ICE_OK;
}

/* The list of the current snapshot, else of the last one; empty: none. */
static enum ice_status find_list(struct ice_check *ck, struct ice_buf *scratch,
                                 struct ice_str *out, struct ice_error *err) {
    const struct ice_metadata *m = &ck->metadata;
    size_t index = SIZE_MAX;
    *out = ICE_STR_NONE;
    if (ice_metadata_has(m, ICE_META_current_snapshot_id))
        index = ice_metadata_find_snapshot(m, m->current_snapshot_id);
    if (index == SIZE_MAX && m->n_snapshots > 0)
        index = m->n_snapshots - 1;
    if (index == SIZE_MAX)
        return ICE_OK;
    if (ice_snapshot_manifest_list(m, &m->snapshots[index], scratch, out) < 0)
        return ice_error_memory(err);
    return ICE_OK;
}

/* write.metadata.path puts the file elsewhere on purpose. */
static bool is_meant(const struct ice_check *ck, struct ice_str uri) {
    struct ice_str path;
    return ice_metadata_property(&ck->metadata, "write.metadata.path", &path) &&
           ice_uri_is_inside(ck->run, uri, path);
}

enum ice_status ice_check_relocated(struct ice_check *ck, struct ice_error *err) {
    const struct ice_metadata *m = &ck->metadata;
    struct ice_str uri, list;
    struct ice_buf scratch;
    if (m->location.size == 0 || ck->target->kind != ICE_TARGET_TABLE)
        return ICE_OK;
    ICE_TRY(name_by_map(ck, &uri, err));
    bool is_pointed = ck->picked_by == ICE_PICKED_BY_POINTER && ck->pointer != NULL &&
                      ck->pointer->format != ICE_POINTER_HINT;
    if (uri.size == 0 && is_pointed)
        uri = ck->pointer->metadata_location;
    if (uri.size == 0 || ice_uri_is_inside(ck->run, uri, m->location) ||
        is_meant(ck, uri))
        return ICE_OK;
    ice_buf_init(&scratch, &ck->run->alloc, SIZE_MAX);
    enum ice_status status = find_list(ck, &scratch, &list, err);
    if (status >= 0 && ice_uri_is_inside(ck->run, list, m->location)) {
        struct ice_place place =
            ice_place_at(ck->metadata_file, ICE_ORDER_METADATA, ICE_STR("/location"));
        FOUND(ck->emit, ICE_RULE_PATH_TABLE_RELOCATED, &place, arg_str("path", uri),
              arg_str("location", m->location), arg_str("list", list));
        ck->is_relocated = true;
    }
    ice_buf_release(&scratch);
    return status;
}
