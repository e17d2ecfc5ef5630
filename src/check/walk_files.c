/*
 * Every file that a check would read, in reading order, for --list-files.
 */
#include "check/check.h"

#include "base/error.h"
#include "check/pointers.h"

struct walk {
    struct ice_check *ck;
    ice_file_fn each;
    void *user;
    struct ice_buf uri;
};

/* What is there but cannot be opened is not "not here": whoever copies what lacks must
 * know. */
static enum ice_status tell_unreadable(struct walk *walk, const struct ice_error *fault,
                                       struct ice_str file, const char *what) {
    const struct ice_place place = ice_place_file(file, ICE_ORDER_METADATA);
    return ice_check_fault(walk->ck, fault, &place, ICE_SCOPE_HEAD, what);
}

/* A file of the target's own source: its URI is its key below the location, where known.
 */
static enum ice_status tell_key(struct walk *walk, struct ice_str key, const char *kind) {
    const struct ice_target *target = walk->ck->target;
    struct ice_file_info info;
    struct ice_str name = ice_target_file_name(target, key);
    struct ice_str location = walk->ck->metadata.location;
    while (location.size > 0 && location.data[location.size - 1] == '/')
        location.size--;
    ice_buf_clear(&walk->uri);
    if (location.size > 0) {
        ICE_TRY(ice_buf_append_str(&walk->uri, location));
        ICE_TRY(ice_buf_append_char(&walk->uri, '/'));
    }
    ICE_TRY(ice_buf_append_str(&walk->uri, name));
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status =
        ice_source_stat(target->source, key, walk->ck->run, &info, &fault);
    if (status == ICE_ENOMEM)
        return status;
    if (status == ICE_EIO)
        ICE_TRY(tell_unreadable(walk, &fault, name, kind));
    return walk->each(ice_buf_str(&walk->uri), kind,
                      status == ICE_OK ? (int64_t)info.size : -1, status == ICE_OK,
                      walk->user);
}

static enum ice_status tell_uri(struct walk *walk, struct ice_str uri, const char *kind) {
    struct ice_buf scratch;
    struct ice_source *source;
    struct ice_str key;
    struct ice_file_info info;
    ice_buf_init(&scratch, &walk->ck->run->alloc, SIZE_MAX);
    enum ice_status status =
        ice_mapping_resolve(&walk->ck->mapping, uri, &scratch, &source, &key, NULL);
    struct ice_error fault;
    int here = -1;
    ice_error_clear(&fault);
    if (status == ICE_OK) {
        status = ice_source_stat(source, key, walk->ck->run, &info, &fault);
        here = status == ICE_OK;
    }
    ice_buf_release(&scratch);
    if (status == ICE_ENOMEM)
        return status;
    if (here == 0 && status == ICE_EIO)
        ICE_TRY(tell_unreadable(walk, &fault, uri, kind));
    return walk->each(uri, kind, here == 1 ? (int64_t)info.size : -1, here, walk->user);
}

static enum ice_status tell_lists(struct walk *walk) {
    struct ice_check *ck = walk->ck;
    struct ice_table told;
    ice_table_init(&told, &ck->run->alloc);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < ck->n_snapshots && status >= 0; i++) {
        struct ice_str uri;
        if (!ck->snapshots[i].in_scope)
            continue;
        status = ice_snapshot_manifest_list(
            &ck->metadata, &ck->metadata.snapshots[ck->snapshots[i].index], &walk->uri,
            &uri);
        if (status < 0 || uri.size == 0)
            continue;
        size_t at = SIZE_MAX;
        uint32_t seen;
        uint64_t hash = ice_hash64(uri, ck->run->hash_seed);
        if (ice_table_next(&told, hash, &at, &seen))
            continue; /* several snapshots share it */
        status = ice_table_put(&told, hash, (uint32_t)i);
        if (status >= 0)
            status = tell_uri(walk, uri, "manifest-list");
    }
    ice_table_release(&told);
    return status;
}

static enum ice_status tell_all(struct walk *walk, struct ice_error *err) {
    struct ice_check *ck = walk->ck;
    const struct ice_target *target = ck->target;
    if (target->kind != ICE_TARGET_TABLE && target->kind != ICE_TARGET_METADATA)
        return tell_key(walk, target->file_key, ice_input_kind_name(target->is));
    if (target->has_hint) {
        struct ice_str key;
        ICE_TRY(ice_key_join(&ck->arena, target->metadata_dir,
                             ICE_STR("version-hint.text"), &key));
        ICE_TRY(tell_key(walk, key, "hint"));
    }
    if (ck->pointer_is_missing) /* what is here instead is another state */
        return tell_uri(walk, ck->pointer->metadata_location, "metadata");
    if (ck->pinned && ck->metadata_source != target->source)
        ICE_TRY(tell_uri(walk, ck->metadata_file, "metadata"));
    else if (ck->pinned)
        ICE_TRY(tell_key(walk, ck->metadata_key, "metadata"));
    if (ck->options->depth == ICE_DEPTH_METADATA || !ck->metadata_readable)
        return ICE_OK;
    ICE_TRY(tell_lists(walk));
    if (ck->options->depth == ICE_DEPTH_LIST)
        return ICE_OK;
    ICE_TRY(ice_pass2_lists(ck, err));
    for (size_t i = 0; i < ck->n_manifests; i++)
        ICE_TRY(tell_uri(walk, ck->manifests[i].path, "manifest"));
    return ICE_OK;
}

/* Nothing is here yet: the file that a catalog names, where it can only be this one. */
static enum ice_status tell_pointed(struct walk *walk, struct ice_error *err) {
    struct ice_check *ck = walk->ck;
    ICE_TRY(ice_pointers_open(ck, err));
    if (ck->pointers->n != 1 || ck->pointers->items[0].metadata_location.size == 0)
        return ICE_OK;
    return tell_uri(walk, ck->pointers->items[0].metadata_location, "metadata");
}

enum ice_status ice_check_walk_files(struct ice_check *ck, ice_file_fn each, void *user,
                                     struct ice_error *err) {
    struct walk walk = {.ck = ck, .each = each, .user = user};
    ICE_TRY(ice_check_read_metadata(ck, err));
    ice_buf_init(&walk.uri, &ck->run->alloc, SIZE_MAX);
    enum ice_status status = ck->target->kind == ICE_TARGET_EMPTY
                                 ? tell_pointed(&walk, err)
                                 : tell_all(&walk, err);
    ice_buf_release(&walk.uri);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}
