/*
 * Metadata files that nobody of this table names: a newer one of its own, or those of
 * another table, which then begins two directories above.
 */
#include "check/storage.h"

#include "base/error.h"
#include "check/kinship.h"
#include "check/peeked.h"
#include "check/pointers.h"

enum { FOREIGN_KEPT = 10000 };
/* Metadata files of a higher number that are opened; one more counts as newer. */
enum { MOST_PEEKED = 200 };

/* ---- roots of other tables ---- */

static struct ice_str without_slash(struct ice_str text) {
    while (text.size > 0 && text.data[text.size - 1] == '/')
        text.size--;
    return text;
}

static size_t find_root(const struct ice_check *ck, struct ice_str root) {
    const struct ice_storage *s = ck->storage;
    uint64_t hash = ice_hash64(root, ck->run->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&s->foreign_by_root, hash, &at, &index)) {
        if (ice_str_equal(s->foreign[index], root))
            return index;
    }
    return SIZE_MAX;
}

/* Does the log, or a snapshot, name a file of that directory? Then it is ours, though
 * the location has changed since. */
static bool is_own_directory(const struct ice_check *ck, struct ice_str directory) {
    const struct ice_storage *s = ck->storage;
    for (size_t i = 0; i < s->n_own; i++) {
        if (ice_str_equal(s->own[i], directory))
            return true;
    }
    return false;
}

static enum ice_status see_foreign(struct ice_check *ck, struct ice_str uri) {
    struct ice_storage *s = ck->storage;
    struct ice_str directory = ice_key_parent(uri), root = ice_key_parent(directory);
    if (s->n_foreign >= FOREIGN_KEPT || root.size == 0 ||
        !ice_str_is(ice_key_name(directory), "metadata") ||
        find_root(ck, root) != SIZE_MAX || is_own_directory(ck, directory))
        return ICE_OK;
    if (!ice_array_reserve(&ck->run->alloc, &s->foreign, s->n_foreign, &s->cap_foreign,
                           sizeof(*s->foreign)) ||
        !ice_arena_dup(&s->arena, root, &s->foreign[s->n_foreign]))
        return ICE_ENOMEM;
    ICE_TRY(ice_table_put(&s->foreign_by_root, ice_hash64(root, ck->run->hash_seed),
                          (uint32_t)s->n_foreign));
    s->n_foreign++;
    return ICE_OK;
}

size_t ice_storage_foreign_of(const struct ice_check *ck, struct ice_str folded) {
    if (ck->storage->n_foreign == 0)
        return SIZE_MAX;
    for (struct ice_str at = ice_key_parent(folded); at.size > 0;
         at = ice_key_parent(at)) {
        size_t found = find_root(ck, at);
        if (found != SIZE_MAX)
            return found;
    }
    return SIZE_MAX;
}

/* ---- a metadata file ---- */

/* Is it in the directory of the table's own metadata files? */
static bool is_own_metadata(const struct ice_check *ck, struct ice_str uri) {
    struct ice_str directory = ice_key_parent(uri), rest, path;
    if (ice_metadata_property(&ck->metadata, "write.metadata.path", &path) &&
        ice_uri_is_below(ck->run, directory, path, &rest) && rest.size == 0)
        return true;
    if (!ice_uri_is_below(ck->run, directory, ck->root_uri, &rest))
        return false;
    return rest.size == 0 || ice_str_is(rest, "metadata") ||
           ice_str_equal(rest, ice_key_parent(ck->metadata_file));
}

/*
 * A file of a higher number (is_numbered) is older all the same where numbers began anew:
 * the table was registered in another catalog, or dropped and made anew. Of the same
 * table clocks may be apart; what is not here is older if it was put there before this
 * state was written. Where numbers do not tell, the time alone does: a hint may name a
 * file that the table left behind when it moved to a catalog.
 */
static enum ice_status is_older(struct ice_check *ck,
                                const struct ice_stored_object *object, bool is_numbered,
                                bool *out) {
    struct ice_storage *s = ck->storage;
    struct ice_str name = ice_key_name(object->uri);
    struct ice_peeked file;
    int64_t own = ck->metadata.last_updated_ms;
    *out = false;
    if (!ice_metadata_has(&ck->metadata, ICE_META_last_updated_ms) || own < 0)
        return ICE_OK;
    if (ice_pointer_find_name(ck->target, name) == SIZE_MAX) {
        *out = object->mtime_ms != INT64_MIN &&
               object->mtime_ms < own - ICE_CLOCKS_APART_MS - object->slack_ms;
        return ICE_OK;
    }
    if (s->n_peeked++ >= MOST_PEEKED)
        return ICE_OK;
    ICE_TRY(ice_peek_metadata(ck, name, ICE_PEEK_UUID | ICE_PEEK_UPDATED, &file, NULL));
    bool is_other = ice_is_other_uuid(file.uuid, ck->metadata.table_uuid);
    *out = file.updated_ms != INT64_MIN &&
           (is_numbered ? file.updated_ms < own - (is_other ? 0 : ICE_CLOCKS_APART_MS)
                        : file.updated_ms <= own);
    if (is_other && *out && !ice_arena_dup(&s->arena, object->uri, &s->other_table))
        return ICE_ENOMEM;
    return ICE_OK;
}

enum ice_status ice_storage_see_metadata(struct ice_check *ck,
                                         const struct ice_stored_object *object) {
    struct ice_storage *s = ck->storage;
    struct ice_str uri = object->uri;
    bool is_hadoop, is_past;
    if (ck->root_uri.size == 0)
        return ICE_OK;
    if (!is_own_metadata(ck, uri))
        return see_foreign(ck, uri);
    struct ice_str name = ice_key_name(uri), current = ice_key_name(ck->metadata_key);
    int64_t version = ice_metadata_name_version(name, &is_hadoop);
    bool is_numbered = false;
    switch (ice_number_order(name, current)) {
    case ICE_NUMBERS_SAME:
    case ICE_NUMBERS_LOWER:
        return ICE_OK;
    case ICE_NUMBERS_HIGHER:
        is_numbered = true;
        break;
    case ICE_NUMBERS_UNKNOWN: /* a crashed commit leaves a UUID */
        if (ice_is_uuid_name(name) || ice_is_uuid_name(current))
            return ICE_OK;
        break;
    }
    if (s->newer.size > 0 && version <= s->newer_version)
        return ICE_OK;
    ICE_TRY(is_older(ck, object, is_numbered, &is_past));
    if (is_past)
        return ICE_OK;
    s->newer_version = version;
    s->newer_is_young = ice_storage_is_young(ck, object->mtime_ms, object->slack_ms);
    return ice_arena_dup(&s->arena, uri, &s->newer) ? ICE_OK : ICE_ENOMEM;
}

/* ---- findings ---- */

static void report_nesting(struct ice_check *ck, struct ice_str root) {
    struct ice_str rest;
    struct ice_place place =
        ice_place_at(ck->metadata_file, ICE_ORDER_METADATA, ICE_STR("/location"));
    bool is_inside = ice_uri_is_below(ck->run, root, ck->root_uri, &rest);
    bool is_around = !is_inside && ice_uri_is_below(ck->run, ck->root_uri, root, &rest);
    if (is_inside || is_around)
        FOUND(ck->emit, ICE_RULE_PATH_SIBLING_PREFIX, &place,
              arg_text("how", is_inside ? "another table lies inside this one's location"
                                        : "this table lies inside the location of "
                                          "another"),
              arg_str("other", root));
}

/* Live files below the roots of other tables. */
struct lent {
    uint64_t *counts;
    struct ice_str *first;
    size_t *keys;
};

static enum ice_status see_lent(struct ice_check *ck,
                                const struct ice_stored_object *object, void *user) {
    struct lent *lent = user;
    struct ice_storage *s = ck->storage;
    size_t n, at = ice_storage_find(s, object->hash, &n), root;
    if (n == 0 || object->is_old ||
        (s->keys[at].kind != ICE_STORED_DATA && s->keys[at].kind != ICE_STORED_DELETES))
        return ICE_OK;
    root = ice_storage_foreign_of(ck, object->uri);
    if (root == SIZE_MAX)
        return ICE_OK;
    if (lent->counts[root]++ > 0)
        return ICE_OK;
    lent->keys[root] = at;
    return ice_arena_dup(&s->arena, object->uri, &lent->first[root]) ? ICE_OK
                                                                     : ICE_ENOMEM;
}

static void report_lent(struct ice_check *ck, const struct lent *lent) {
    const struct ice_storage *s = ck->storage;
    for (size_t i = 0; i < s->n_foreign; i++) {
        struct ice_row_place at;
        struct ice_str rest;
        /* our own root inside of that one: its files are ours */
        if (lent->counts[i] == 0 ||
            ice_uri_is_below(ck->run, ck->root_uri, s->foreign[i], &rest))
            continue;
        ice_storage_place(ck, &s->keys[lent->keys[i]], NULL, &at);
        FOUND(ck->emit, ICE_RULE_STORAGE_FILE_FOREIGN_TABLE, &at.place,
              arg_i64("count", (int64_t)lent->counts[i]),
              arg_str("path", ice_storage_name(ck, lent->first[i])),
              arg_str("other", s->foreign[i]));
    }
}

enum ice_status ice_storage_report_foreign(struct ice_check *ck, struct ice_error *err) {
    struct ice_storage *s = ck->storage;
    struct lent lent;
    struct ice_str rest;
    bool is_asked = s->has_outside_live;
    for (size_t i = 0; i < s->n_foreign; i++) {
        report_nesting(ck, s->foreign[i]);
        is_asked = is_asked || ice_uri_is_below(ck->run, s->foreign[i],
                                                without_slash(ck->root_uri), &rest);
    }
    if (!is_asked || s->n_foreign == 0)
        return ICE_OK;
    lent.counts = ice_arena_array(&s->arena, s->n_foreign, sizeof(*lent.counts));
    lent.first = ice_arena_array(&s->arena, s->n_foreign, sizeof(*lent.first));
    lent.keys = ice_arena_array(&s->arena, s->n_foreign, sizeof(*lent.keys));
    if (lent.counts == NULL || lent.first == NULL || lent.keys == NULL)
        return ice_error_memory(err);
    ICE_TRY(ice_storage_stream(ck, see_lent, &lent, err));
    report_lent(ck, &lent);
    return ICE_OK;
}
