/*
 * Where a table was before SET LOCATION or write.metadata.path moved it: its older files
 * stay there, by right, until they are rewritten or expire. The metadata-log tells.
 */
#include "check/path_state.h"

#include "inputs/target.h"

/* The directory of a metadata file, or its parent where it is called metadata. */
static struct ice_str place_of(struct ice_str file) {
    struct ice_str place = ice_key_parent(file);
    if (ice_str_is(ice_key_name(place), "metadata"))
        place = ice_key_parent(place);
    return place;
}

/* A bucket, a root or a name alone is no place of one table, nor is a relative path. */
static bool is_place(struct ice_str place) {
    struct ice_str path = ice_str_from_index(place, ice_uri_scheme(place));
    if (path.size == place.size && (place.size == 0 || place.data[0] != '/'))
        return false;
    while (path.size > 0 && path.data[0] == '/')
        path = ice_str_from_index(path, 1);
    return ice_str_find(path, '/') < path.size;
}

/* The places in the log that were last, the current one not among them. */
static void learn(struct ice_check *ck) {
    struct ice_paths *paths = ck->paths;
    const struct ice_metadata *metadata = &ck->metadata;
    for (size_t i = metadata->n_metadata_log; i > 0; i--) {
        struct ice_str place = place_of(metadata->metadata_log[i - 1].file);
        size_t known = 0;
        while (known < paths->n_former_places &&
               !ice_str_equal(paths->former_places[known], place))
            known++;
        if (known == ICE_PATH_FORMER)
            return;
        if (known == paths->n_former_places && is_place(place))
            paths->former_places[paths->n_former_places++] = place;
    }
}

bool ice_path_is_at_former_place(struct ice_check *ck, struct ice_str path) {
    struct ice_paths *paths = ck->paths;
    if (!paths->knows_former_places)
        learn(ck);
    paths->knows_former_places = true;
    for (size_t i = 0; i < paths->n_former_places; i++)
        if (ice_uri_is_inside(ck->run, path, paths->former_places[i]))
            return true;
    return false;
}
