/*
 * Files that the copy lacks, until the listings were asked.
 */
#include "check/unfound.h"

#include "check/storage.h"

/* ---- telling ---- */

/* Of a list or manifest of an older state than the current one, which is elsewhere: it
 * may have been expired since. */
static void tell_gone(struct ice_check *ck, const struct ice_unfound *item) {
    ice_emit_not_evaluated(ck->emit, item->what,
                           ICE_STR("it is gone, and the current state, not copied, may "
                                   "not need it"),
                           true, item->name);
}

static void tell_missing(struct ice_check *ck, const struct ice_unfound *item) {
    if (item->rule == ICE_RULE_HINT_DANGLING) {
        FOUND_AS(ck->emit, item->rule, item->severity, &item->place,
                 arg_i64("version", item->version), arg_str("used", item->used));
    } else if (item->what == NULL) {
        FOUND_AS(ck->emit, item->rule, item->severity, &item->place,
                 arg_str("path", item->name), arg_str("used", item->used));
    } else {
        FOUND_AS(ck->emit, item->rule, item->severity, &item->place,
                 arg_str("path", item->name),
                 arg_text("scope", ice_scope_name(item->scope)),
                 arg_text("affects", ice_scope_affects(item->scope)));
        ice_emit_not_evaluated(ck->emit, item->what,
                               ice_str_from(ice_rule_of(item->rule)->name), true,
                               item->name);
    }
}

static bool is_metadata_file(const struct ice_unfound *item) {
    return item->what == NULL;
}

/* Readers go past a hint that is behind. */
static bool is_current_file(const struct ice_check *ck, const struct ice_unfound *item) {
    return item->rule == ICE_RULE_CATALOG_POINTER_MISSING_FILE ||
           (item->rule == ICE_RULE_HINT_DANGLING && ck->hint_is_missing);
}

/* A catalog and a hint may both name it: said once. */
static bool is_told(const struct ice_check *ck, size_t index) {
    const struct ice_unfound *items = ck->unfound.items;
    if (!is_metadata_file(&items[index]))
        return false;
    for (size_t i = 0; i < index && is_metadata_file(&items[i]); i++)
        if (items[i].listed >= 0)
            return true;
    return false;
}

static void tell_not_copied(struct ice_check *ck, const struct ice_unfound *item) {
    struct ice_str uri =
        item->spellings != NULL ? item->spellings[item->listed] : item->uri;
    struct ice_str name = ice_storage_name(ck, uri);
    const char *what = is_current_file(ck, item) ? "the current state"
                       : item->what != NULL      ? item->what
                                                 : "hint.*";
    FOUND(ck->emit, ICE_RULE_STORAGE_FILE_NOT_COPIED, &item->place,
          arg_str("path", name));
    ice_emit_not_evaluated(ck->emit, what, ICE_STR("storage.file.not-copied"), true,
                           item->what != NULL ? item->name : name);
}

/* ---- listings ---- */

static void see(struct ice_check *ck, struct ice_unfound *item, int listed) {
    item->listed = listed;
    ck->unfound.has_current = ck->unfound.has_current || is_current_file(ck, item);
}

void ice_unfound_look(struct ice_check *ck) {
    const struct ice_storage *s = ck->storage;
    for (size_t i = 0; s != NULL && ck->unfound.n > 0 && i < s->n; i++) {
        const struct ice_storage_key *key = &s->keys[i];
        if (key->kind == ICE_STORED_UNFOUND && (key->flags & ICE_STORAGE_SEEN))
            see(ck, &ck->unfound.items[key->owner], (int)key->record);
    }
}

void ice_unfound_see_metadata(struct ice_check *ck, struct ice_str uri) {
    for (size_t i = 0; i < ck->unfound.n; i++) {
        struct ice_unfound *item = &ck->unfound.items[i];
        bool is_hadoop;
        int64_t version = ice_metadata_name_version(ice_uri_base_name(uri), &is_hadoop);
        bool is_it = item->uri.size > 0 ? ice_uri_is_same(ck->run, item->uri, uri)
                                        : is_hadoop && version == item->version;
        if (!is_metadata_file(item) || !is_it)
            continue;
        item->uri = uri;
        see(ck, item, 0);
    }
}

/* ---- all ---- */

void ice_unfound_tell(struct ice_check *ck) {
    struct ice_unfounds *held = &ck->unfound;
    ice_unfound_look(ck);
    for (size_t i = 0; i < held->n; i++) {
        const struct ice_unfound *item = &held->items[i];
        bool is_needed = !held->has_current || is_metadata_file(item);
        if (item->listed < 0 && is_needed)
            tell_missing(ck, item);
        else if (item->listed < 0)
            tell_gone(ck, item);
        else if (!is_told(ck, i))
            tell_not_copied(ck, item);
    }
    held->n = 0;
    held->are_held = false;
}

/* ---- holding ---- */

static bool dup(struct ice_check *ck, struct ice_str *text) {
    return text->size == 0 || ice_arena_dup(&ck->arena, *text, text);
}

static bool hold(struct ice_check *ck, struct ice_unfound item) {
    struct ice_unfounds *held = &ck->unfound;
    if (!dup(ck, &item.place.at.file) || !dup(ck, &item.place.at.pointer) ||
        !dup(ck, &item.uri) || !dup(ck, &item.name) || !dup(ck, &item.used) ||
        !ice_array_reserve(&ck->run->alloc, &held->items, held->n, &held->capacity,
                           sizeof(*held->items)))
        return false;
    item.spellings = NULL;
    item.listed = -1;
    held->items[held->n++] = item;
    return true;
}

void ice_unfound_found(struct ice_check *ck, const struct ice_unfound *item) {
    if (!ck->unfound.are_held)
        tell_missing(ck, item);
    else if (!hold(ck, *item))
        ice_emit_no_memory(ck->emit);
}

void ice_unfound_hold(struct ice_check *ck) {
    ck->unfound.are_held = ck->options->n_listings > 0;
}

void ice_unfound_join(struct ice_check *ck, const struct ice_unfounds *part) {
    for (size_t i = 0; i < part->n; i++)
        ice_unfound_found(ck, &part->items[i]);
}

void ice_unfound_release(struct ice_check *ck) {
    ice_array_free(&ck->run->alloc, &ck->unfound.items, &ck->unfound.capacity,
                   sizeof(*ck->unfound.items));
    ck->unfound = (struct ice_unfounds){0};
}
