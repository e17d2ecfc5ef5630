/*
 * Metadata files of one table, as listings have them.
 */
#include "answer/pointer_listing.h"

#include "base/error.h"
#include "check/pointers.h"
#include "source/mapping.h"

/* Does the directory end in the key's own, by whole steps? */
static bool fits_end(struct ice_str directory, struct ice_str key) {
    struct ice_str own = ice_key_parent(key);
    while (ice_str_starts(own, ICE_STR("./")))
        own = ice_str_from_index(own, 2);
    return own.size > 0 && ice_str_ends(directory, own) &&
           (directory.size == own.size ||
            directory.data[directory.size - own.size - 1] == '/');
}

static enum ice_status join(const struct ice_listed_place *place, struct ice_str base,
                            struct ice_str key) {
    ice_buf_clear(place->uri);
    ICE_TRY(ice_buf_append_str(place->uri, ice_uri_strip(base)));
    if (base.size > 0)
        ICE_TRY(ice_buf_append_char(place->uri, '/'));
    return ice_buf_append_str(place->uri, key);
}

enum ice_status ice_listed_name(const struct ice_listed_place *place,
                                const struct ice_object_version *version,
                                struct ice_str *out_name) {
    struct ice_str key = version->key, rest;
    *out_name = ice_key_name(key);
    if (ice_uri_scheme(key) == 0 && place->base.size == 0 &&
        version->scope == ICE_KEY_RELATIVE && key.data[0] != '/')
        return place->is_only && fits_end(ice_uri_strip(place->directory), key)
                   ? ICE_OK
                   : ICE_DONE;
    struct ice_str base = place->base;
    if (base.size == 0)
        base = ice_uri_root(place->directory);
    if (ice_uri_scheme(key) > 0 || key.data[0] == '/')
        base = ICE_STR_NONE;
    if (join(place, base, ice_key_parent(key)) < 0)
        return ICE_ENOMEM;
    struct ice_str uri = ice_buf_str(place->uri);
    bool is_same =
        ice_uri_is_below(place->run, uri, place->directory, &rest) && rest.size == 0;
    return is_same ? ICE_OK : ICE_DONE;
}

static void see(struct ice_listed_metadata *out, struct ice_str wanted,
                struct ice_str name, const struct ice_object_version *version) {
    bool is_hadoop;
    int64_t number = ice_metadata_name_version(name, &is_hadoop);
    if (ice_str_equal(name, wanted)) {
        out->has_wanted = true;
        out->wanted_ms = version->time_ms;
    }
    bool is_newer = out->newest.size == 0 || number > out->newest_version ||
                    (number == out->newest_version && version->time_ms > out->newest_ms);
    if (!is_newer || ice_is_uuid_name(name))
        return;
    out->newest = name;
    out->newest_version = number;
    out->newest_ms = version->time_ms;
}

enum ice_status ice_listed_metadata_at(const struct ice_listed_place *place,
                                       struct ice_str wanted, int64_t time_ms,
                                       struct ice_listed_metadata *out) {
    const struct ice_object_versions *all = place->versions;
    *out = (struct ice_listed_metadata){.newest_version = -1,
                                        .newest_ms = INT64_MIN,
                                        .wanted_ms = INT64_MIN,
                                        .last_ms = INT64_MIN};
    for (size_t i = 0; i < all->n;) {
        struct ice_str name, key = all->items[i].key;
        const struct ice_object_version *last = NULL;
        enum ice_status status = ice_listed_name(place, &all->items[i], &name);
        if (status < 0)
            return status;
        for (; i < all->n && ice_str_equal(all->items[i].key, key); i++) {
            if (all->items[i].time_ms <= time_ms)
                last = &all->items[i];
            if (status == ICE_OK && all->items[i].time_ms > out->last_ms)
                out->last_ms = all->items[i].time_ms;
        }
        if (status == ICE_DONE || !ice_is_metadata_name(name, NULL))
            continue;
        out->is_seen = true;
        if (last != NULL && !last->is_deleted)
            see(out, wanted, name, last);
    }
    return ICE_OK;
}

enum ice_status ice_listed_newer(const struct ice_listed_place *place,
                                 const struct ice_target *target, struct ice_str current,
                                 int64_t min_ms, struct ice_str *out) {
    const struct ice_object_versions *all = place->versions;
    bool is_hadoop, is_own_hadoop;
    int64_t highest = ice_metadata_name_version(current, &is_own_hadoop);
    *out = ICE_STR_NONE;
    for (size_t i = 0; i < all->n; i++) {
        const struct ice_object_version *version = &all->items[i];
        struct ice_str name = ice_key_name(version->key);
        int64_t number = ice_metadata_name_version(name, &is_hadoop);
        bool is_last =
            i + 1 == all->n || !ice_str_equal(all->items[i + 1].key, version->key);
        if (!is_last || version->is_deleted || number <= highest ||
            is_hadoop != is_own_hadoop || !ice_is_metadata_name(name, NULL) ||
            ice_is_uuid_name(name) ||
            (version->time_ms != INT64_MIN && version->time_ms < min_ms) ||
            ice_pointer_find_name(target, name) != SIZE_MAX)
            continue;
        enum ice_status status = ice_listed_name(place, version, &name);
        if (status < 0)
            return status;
        if (status == ICE_DONE)
            continue;
        *out = name;
        highest = number;
    }
    return ICE_OK;
}
