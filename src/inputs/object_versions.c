/*
 * Versions of metadata files and version hints, kept and put in order.
 */
#include "inputs/object_versions.h"

#include "base/error.h"
#include "inputs/target.h"

#include <stdlib.h>

enum { VERSIONS_KEPT = 100000 };

void ice_object_versions_init(struct ice_object_versions *versions, struct ice_run *run) {
    *versions = (struct ice_object_versions){.run = run};
    ice_arena_init(&versions->arena, &run->alloc);
}

void ice_object_versions_release(struct ice_object_versions *versions) {
    if (versions->run == NULL)
        return;
    ice_array_free(&versions->run->alloc, &versions->items, &versions->capacity,
                   sizeof(*versions->items));
    ice_arena_release(&versions->arena);
    *versions = (struct ice_object_versions){0};
}

bool ice_is_pointer_name(struct ice_str key) {
    struct ice_str name = ice_key_name(key);
    return ice_str_is(name, "version-hint.text") || ice_is_metadata_name(name, NULL);
}

/* ---- keeping ---- */

/* Versions of one key follow each other: its text is kept once. */
static bool keep_key(struct ice_object_versions *versions, struct ice_str key,
                     struct ice_str *out) {
    if (versions->n > 0 && ice_str_equal(versions->items[versions->n - 1].key, key)) {
        *out = versions->items[versions->n - 1].key;
        return true;
    }
    return ice_arena_dup(&versions->arena, key, out);
}

enum ice_status ice_object_versions_add(struct ice_object_versions *versions,
                                        const struct ice_listed *object) {
    struct ice_object_version version = {.time_ms = object->mtime_ms,
                                         .size = object->size,
                                         .has_size = object->has_size,
                                         .is_latest = object->is_latest,
                                         .is_deleted = object->is_deleted,
                                         .scope = versions->scope};
    if (!ice_is_pointer_name(object->key))
        return ICE_OK;
    if (versions->n >= VERSIONS_KEPT) {
        versions->n_more++;
        return ICE_OK;
    }
    if (!ice_array_reserve(&versions->run->alloc, &versions->items, versions->n,
                           &versions->capacity, sizeof(*versions->items)) ||
        !keep_key(versions, object->key, &version.key) ||
        !ice_arena_dup(&versions->arena, object->version_id, &version.version_id))
        return ICE_ENOMEM;
    versions->has_markers_or_old =
        versions->has_markers_or_old || object->is_old || object->is_deleted;
    versions->items[versions->n++] = version;
    return ICE_OK;
}

static enum ice_status on_object(const struct ice_listed *object, void *user) {
    return ice_object_versions_add(user, object);
}

enum ice_status ice_object_versions_read(struct ice_object_versions *versions,
                                         const char *path, const char *format,
                                         const struct ice_listing_options *options,
                                         struct ice_error *err) {
    struct ice_listing listing = {0};
    enum ice_status status =
        ice_listing_open(&listing, versions->run, path, format, options, err);
    if (status == ICE_OK) {
        versions->scope = ice_listing_scope(listing.format);
        status = ice_listing_read(&listing, on_object, versions, err);
        if (status == ICE_ENOMEM)
            status = ice_error_memory(err);
        versions->has_local_times = versions->has_local_times || listing.has_local_times;
        if (listing.partial != NULL)
            versions->partial = listing.partial;
    }
    ice_listing_release(&listing);
    ice_object_versions_sort(versions);
    return status;
}

/* ---- order ---- */

/* A marker and a version of one moment: the marker came later, or is the latest. */
static int compare(const void *left, const void *right) {
    const struct ice_object_version *a = left, *b = right;
    int keys = ice_str_compare(a->key, b->key);
    if (keys != 0)
        return keys;
    if (a->time_ms != b->time_ms)
        return a->time_ms < b->time_ms ? -1 : 1;
    if (a->is_latest != b->is_latest)
        return a->is_latest ? 1 : -1;
    if (a->is_deleted != b->is_deleted)
        return a->is_deleted ? 1 : -1;
    return ice_str_compare(a->version_id, b->version_id);
}

void ice_object_versions_sort(struct ice_object_versions *versions) {
    size_t kept = 0;
    if (versions->n < 2)
        return;
    qsort(versions->items, versions->n, sizeof(*versions->items), compare);
    for (size_t i = 1; i < versions->n; i++) {
        if (compare(&versions->items[kept], &versions->items[i]) != 0)
            versions->items[++kept] = versions->items[i];
    }
    versions->n = kept + 1;
}

size_t ice_object_versions_find(const struct ice_object_versions *versions,
                                struct ice_str key, size_t *out_n) {
    size_t low = 0, high = versions->n, n = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ice_str_compare(versions->items[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low + n < versions->n && ice_str_equal(versions->items[low + n].key, key))
        n++;
    *out_n = n;
    return low;
}

const struct ice_object_version *
ice_object_versions_at(const struct ice_object_versions *versions, struct ice_str key,
                       int64_t time_ms) {
    const struct ice_object_version *found = NULL;
    size_t n, first = ice_object_versions_find(versions, key, &n);
    for (size_t i = first; i < first + n && versions->items[i].time_ms <= time_ms; i++)
        found = &versions->items[i];
    return found;
}
