/*
 * Every object of the tree and of the listings, one after another; and what they cover.
 */
#include "check/storage_listing.h"

#include "base/error.h"

/* ---- the tree ---- */

struct walk {
    struct ice_check *ck;
    ice_stored_fn each;
    void *user;
    struct ice_source *source;
    struct ice_buf stack; /* directories still to be listed, each ended by NUL */
    struct ice_buf key, uri;
    struct ice_arena arena; /* one directory */
};

/* Is key at or below prefix? *out_rest: what follows. */
static bool is_key_below(struct ice_str key, struct ice_str prefix,
                         struct ice_str *out_rest) {
    if (!ice_str_starts(key, prefix))
        return false;
    *out_rest = ice_str_from_index(key, prefix.size);
    if (prefix.size == 0 || out_rest->size == 0)
        return true;
    if (out_rest->data[0] != '/')
        return false;
    *out_rest = ice_str_from_index(*out_rest, 1);
    return true;
}

static enum ice_status make_uri(struct walk *walk, const struct ice_mapping_entry *entry,
                                struct ice_str rest) {
    ice_buf_clear(&walk->uri);
    ICE_TRY(ice_buf_append_str(&walk->uri, entry->from));
    if (entry->from.size > 0 && entry->from.data[entry->from.size - 1] != '/')
        ICE_TRY(ice_buf_append_char(&walk->uri, '/'));
    return ice_buf_append_str(&walk->uri, rest);
}

static enum ice_status tell(struct walk *walk, const struct ice_stored_object *object) {
    struct ice_check *ck = walk->ck;
    return ice_storage_group_tell(ck->storage->group, ck, object, walk->each, walk->user);
}

/* In a flat copy one file has two names; the one that metadata uses counts. */
static enum ice_status tell_file(struct walk *walk, const struct ice_file_info *info) {
    struct ice_check *ck = walk->ck;
    const struct ice_mapping *mapping = &ck->mapping;
    const struct ice_mapping_entry *best = NULL;
    struct ice_stored_object object = {
        .size = info->size,
        .has_size = info->size != UINT64_MAX,
        .mtime_ms = ck->options->trust_mtime ? info->mtime_ms : INT64_MIN,
        .is_local = true};
    struct ice_str rest, best_rest = ICE_STR_NONE;
    bool is_named = false;
    for (size_t i = 0; i < mapping->n; i++) {
        const struct ice_mapping_entry *entry = &mapping->entries[i];
        size_t n;
        if (entry->source != walk->source ||
            !is_key_below(ice_buf_str(&walk->key), entry->prefix, &rest))
            continue;
        ICE_TRY(make_uri(walk, entry, rest));
        struct ice_hash hash = ice_storage_hash(ck, ice_buf_str(&walk->uri));
        (void)ice_storage_find(ck->storage, hash, &n);
        if (n > 0) {
            object.uri = ice_buf_str(&walk->uri);
            object.hash = hash;
            is_named = true;
            ICE_TRY(tell(walk, &object));
            if (!object.has_size && ck->storage->unsized.size == 0 &&
                !ice_arena_dup(&ck->storage->arena, ice_buf_str(&walk->key),
                               &ck->storage->unsized))
                return ICE_ENOMEM;
        } else if (best == NULL || entry->from.size > best->from.size) {
            best = entry;
            best_rest = rest;
        }
    }
    if (is_named || best == NULL)
        return ICE_OK;
    ICE_TRY(make_uri(walk, best, best_rest));
    object.uri = ice_buf_str(&walk->uri);
    object.hash = ice_storage_hash(ck, object.uri);
    return tell(walk, &object);
}

static enum ice_status join_key(struct walk *walk, struct ice_str directory,
                                struct ice_str name) {
    ice_buf_clear(&walk->key);
    ICE_TRY(ice_buf_append_str(&walk->key, directory));
    if (directory.size > 0)
        ICE_TRY(ice_buf_append_char(&walk->key, '/'));
    return ice_buf_append_str(&walk->key, name);
}

static enum ice_status push(struct walk *walk, struct ice_str directory) {
    ICE_TRY(ice_buf_append_str(&walk->stack, directory));
    return ice_buf_append_char(&walk->stack, '\0');
}

/* Files of one directory; its directories go on the stack, the first on top. */
static enum ice_status list_directory(struct walk *walk, struct ice_str directory,
                                      struct ice_error *err) {
    struct ice_source_entry *entries;
    size_t n;
    ICE_TRY(ice_source_list(walk->source, directory, walk->ck->run, &walk->arena,
                            &entries, &n, err));
    for (size_t i = 0; i < n; i++) {
        if (entries[i].is_directory)
            continue;
        ICE_TRY(join_key(walk, directory, entries[i].name));
        ICE_TRY(tell_file(walk, &entries[i].info));
    }
    for (size_t i = n; i > 0; i--) {
        if (!entries[i - 1].is_directory)
            continue;
        ICE_TRY(join_key(walk, directory, entries[i - 1].name));
        ICE_TRY(push(walk, ice_buf_str(&walk->key)));
    }
    return ICE_OK;
}

/* What cannot be listed is a gap: nothing below it is called missing. */
static enum ice_status tell_gap(struct walk *walk, struct ice_str directory,
                                const struct ice_error *fault) {
    struct ice_check *ck = walk->ck;
    struct ice_place place = ice_place_file(directory, ICE_ORDER_LISTING);
    if (fault->status == ICE_ENOENT && fault->rule == NULL)
        return ICE_OK; /* gone meanwhile, or never there */
    ck->storage->group->in.has_gap = true;
    return ice_check_fault(ck, fault, &place, ICE_SCOPE_HEAD, "storage.*");
}

static enum ice_status walk_below(struct walk *walk, struct ice_str root,
                                  struct ice_error *err) {
    ice_buf_clear(&walk->stack);
    ICE_TRY(push(walk, root));
    while (walk->stack.size > 0) {
        struct ice_str all =
            ice_str_first(ice_buf_str(&walk->stack), walk->stack.size - 1);
        size_t end = ice_str_rfind(all, '\0');
        size_t start = end == SIZE_MAX ? 0 : end + 1;
        struct ice_str directory;
        struct ice_error fault;
        ice_error_clear(&fault);
        if (ice_check_cancelled(walk->ck))
            return ice_error_set(err, ICE_ECANCELLED, NULL, ICE_NO_OFFSET, "interrupted");
        ice_arena_reset(&walk->arena);
        if (!ice_arena_dup(&walk->arena, ice_str_from_index(all, start), &directory))
            return ice_error_memory(err);
        walk->stack.size = start;
        enum ice_status status = list_directory(walk, directory, &fault);
        if (status == ICE_ENOMEM)
            return ice_error_memory(err);
        ICE_TRY(ice_error_pass_final(err, status, &fault));
        if (status < 0)
            ICE_TRY(tell_gap(walk, directory, &fault));
    }
    return ICE_OK;
}

/* Is the root of a mapping inside the one of another, or the same as an earlier one? */
static bool is_inner(const struct ice_mapping *mapping, size_t index) {
    const struct ice_mapping_entry *entry = &mapping->entries[index];
    for (size_t i = 0; i < mapping->n; i++) {
        const struct ice_mapping_entry *outer = &mapping->entries[i];
        struct ice_str rest;
        if (i == index || outer->source != entry->source ||
            !is_key_below(entry->prefix, outer->prefix, &rest))
            continue;
        if (!ice_str_equal(entry->prefix, outer->prefix) || i < index)
            return true;
    }
    return false;
}

enum ice_status ice_storage_walk_tree(struct ice_check *ck, ice_stored_fn each,
                                      void *user, struct ice_error *err) {
    struct walk walk = {.ck = ck, .each = each, .user = user};
    struct ice_alloc *alloc = &ck->run->alloc;
    enum ice_status status = ICE_OK;
    ice_buf_init(&walk.stack, alloc, SIZE_MAX);
    ice_buf_init(&walk.key, alloc, SIZE_MAX);
    ice_buf_init(&walk.uri, alloc, SIZE_MAX);
    ice_arena_init(&walk.arena, alloc);
    for (size_t i = 0; i < ck->mapping.n && status == ICE_OK; i++) {
        if (is_inner(&ck->mapping, i))
            continue;
        walk.source = ck->mapping.entries[i].source;
        status = walk_below(&walk, ck->mapping.entries[i].prefix, err);
    }
    ice_buf_release(&walk.stack);
    ice_buf_release(&walk.key);
    ice_buf_release(&walk.uri);
    ice_arena_release(&walk.arena);
    return status;
}

/* ---- what is covered ---- */

enum ice_status ice_storage_add_cover(struct ice_check *ck, struct ice_str folded) {
    struct ice_storage *s = ck->storage;
    if (!ice_array_reserve(&ck->run->alloc, &s->group->in.covers, s->group->in.n_covers,
                           &s->group->in.cap_covers, sizeof(*s->group->in.covers)) ||
        !ice_arena_dup(&s->arena, folded, &s->group->in.covers[s->group->in.n_covers]))
        return ICE_ENOMEM;
    s->group->in.n_covers++;
    return ICE_OK;
}

bool ice_storage_covers(const struct ice_check *ck, struct ice_str folded) {
    const struct ice_storage *s = ck->storage;
    struct ice_str rest;
    for (size_t i = 0; i < s->group->in.n_covers; i++) {
        if (ice_str_starts(folded, s->group->in.covers[i]))
            return true;
    }
    for (size_t i = 0; ck->options->storage_local && i < ck->mapping.n; i++) {
        if (ice_uri_is_below(ck->run, folded, ck->mapping.entries[i].from, &rest))
            return true;
    }
    return false;
}

enum ice_status ice_storage_stream(struct ice_check *ck, ice_stored_fn each, void *user,
                                   struct ice_error *err) {
    const struct ice_storage_group *group = ck->storage->group;
    for (size_t i = 0; i < group->n && ck->options->storage_local; i++) {
        if (group->only == NULL || group->only == group->checks[i])
            ICE_TRY(ice_storage_walk_tree(group->checks[i], each, user, err));
    }
    return ice_storage_read_listings(ck, each, user, err);
}
