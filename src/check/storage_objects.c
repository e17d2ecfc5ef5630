/*
 * One object against the keys: is it named, has it the size that was written down, and
 * if nobody names it, what does its name say that it is?
 */
#include "check/storage.h"

#include "base/error.h"
#include "check/manifest_facts.h"

enum { ORPHANS_KEPT = 100000 };

/* ---- sizes ---- */

static void entry_size(struct ice_check *ck, const struct ice_storage_key *key,
                       const struct ice_stored_object *object) {
    struct ice_row_place at;
    struct ice_str name = ice_storage_name(ck, object->uri);
    ice_storage_place(ck, key, "file_size_in_bytes", &at);
    if (object->size == 0) {
        FOUND(ck->emit, ICE_RULE_STORAGE_FILE_EMPTY, &at.place, arg_str("path", name));
        return;
    }
    FOUND(ck->emit,
          key->kind == ICE_STORED_DATA ? ICE_RULE_STORAGE_DATA_FILE_SIZE
                                       : ICE_RULE_STORAGE_DELETE_FILE_SIZE,
          &at.place, arg_str("path", name),
          arg_i64("declared", (int64_t)ice_storage_size(key)),
          arg_i64("stored", (int64_t)object->size));
}

static void statistics_size(struct ice_check *ck, const struct ice_storage_key *key,
                            const struct ice_stored_object *object) {
    const struct ice_statistics *statistics = &ck->metadata.statistics[key->owner];
    struct ice_row_place at;
    ice_storage_place(ck, key, "file-size-in-bytes", &at);
    FOUND(ck->emit,
          statistics->is_partition ? ICE_RULE_PSTATS_FILE_SIZE : ICE_RULE_STATS_FILE_SIZE,
          &at.place, arg_str("path", ice_storage_name(ck, object->uri)),
          arg_i64("declared", (int64_t)ice_storage_size(key)),
          arg_i64("stored", (int64_t)object->size));
}

/* Of a manifest that was opened, pass 3 has compared the mapped file itself. */
static void manifest_size(struct ice_check *ck, const struct ice_storage_key *key,
                          const struct ice_stored_object *object) {
    const struct ice_manifest_facts *facts = &ck->manifests[key->owner];
    struct ice_row_place at;
    if (object->is_local || facts->state == ICE_READ_WHOLE ||
        facts->state == ICE_READ_PARTLY)
        return;
    struct ice_str name = ice_storage_name(ck, facts->path);
    struct ice_place manifest = ice_place_file(name, ICE_ORDER_MANIFEST + key->owner);
    ice_record_place(ck, facts->records, ICE_LIST_manifest_length, &at);
    FOUND_VS(ck->emit, ICE_RULE_LIST_MANIFEST_LENGTH_MISMATCH, ICE_DEFAULT, &at.place,
             &manifest, arg_i64("declared", (int64_t)ice_storage_size(key)),
             arg_str("path", name), arg_i64("stored", (int64_t)object->size));
}

static void check_size(struct ice_check *ck, const struct ice_storage_key *key,
                       const struct ice_stored_object *object) {
    bool is_empty = object->has_size && object->size == 0;
    if (!object->has_size || object->size > INT64_MAX ||
        !(key->flags & ICE_STORAGE_SIZED) ||
        (ice_storage_size(key) == object->size && !is_empty))
        return;
    switch ((enum ice_storage_kind)key->kind) {
    case ICE_STORED_DATA:
    case ICE_STORED_DELETES:
        entry_size(ck, key, object);
        return;
    case ICE_STORED_MANIFEST:
        if (ice_storage_size(key) > 0 && ice_storage_size(key) != object->size)
            manifest_size(ck, key, object);
        return;
    case ICE_STORED_STATISTICS:
        if (ice_storage_size(key) != object->size)
            statistics_size(ck, key, object);
        return;
    case ICE_STORED_LIST:
    case ICE_STORED_METADATA:
    case ICE_STORED_METADATA_LOG:
    case ICE_STORED_UNFOUND:
        return;
    }
}

/* ---- classes ---- */

static bool has(struct ice_str text, const char *word) {
    size_t size = strlen(word);
    for (size_t i = 0; i + size <= text.size; i++) {
        if (memcmp(text.data + i, word, size) == 0)
            return true;
    }
    return false;
}

static bool ends(struct ice_str text, const char *word) {
    return ice_str_ends(text, ice_str_from(word));
}

static bool starts(struct ice_str text, const char *word) {
    return ice_str_starts(text, ice_str_from(word));
}

static bool is_columnar(struct ice_str name) {
    return ends(name, ".parquet") || ends(name, ".orc") || ends(name, ".avro");
}

enum ice_object_class ice_object_class_of(struct ice_str path, bool in_metadata) {
    struct ice_str name = ice_key_name(path);
    if ((starts(name, ".") && ends(name, ".crc")) ||
        ice_str_is(name, "version-hint.text"))
        return ICE_CLASS_COMPANION;
    if (ends(name, "-version-hint.temp") || ends(name, ".tmp") || ends(name, ".temp") ||
        has(path, "/_temporary/") || (starts(name, ".") && has(name, ".inprogress.")))
        return ICE_CLASS_TEMP;
    if (ice_is_metadata_name(name, NULL))
        return ice_is_uuid_name(name) ? ICE_CLASS_TEMP : ICE_CLASS_METADATA;
    if (ends(name, ".stats") || starts(name, "partition-stats-") ||
        (in_metadata && ends(name, ".puffin")))
        return ICE_CLASS_STATISTICS;
    if (in_metadata && is_columnar(name))
        return starts(name, "snap-") ? ICE_CLASS_LIST : ICE_CLASS_MANIFEST;
    if (ends(name, ".puffin") || (is_columnar(name) && has(name, "-deletes")))
        return ICE_CLASS_DELETE;
    return is_columnar(name) ? ICE_CLASS_DATA : ICE_CLASS_UNKNOWN;
}

const char *ice_object_class_name(enum ice_object_class class) {
    switch (class) {
    case ICE_CLASS_DATA:
        return "data";
    case ICE_CLASS_DELETE:
        return "delete";
    case ICE_CLASS_MANIFEST:
        return "manifest";
    case ICE_CLASS_LIST:
        return "manifest-list";
    case ICE_CLASS_METADATA:
        return "metadata";
    case ICE_CLASS_STATISTICS:
        return "statistics";
    case ICE_CLASS_TEMP:
        return "temp";
    case ICE_CLASS_UNKNOWN:
    case ICE_CLASS_COMPANION:
        return "unknown";
    }
    return "unknown";
}

/* ---- objects that nobody names ---- */

bool ice_storage_is_candidate(struct ice_check *ck,
                              const struct ice_stored_object *object,
                              enum ice_object_class *out_class) {
    struct ice_str rest, path;
    if (ck->root_uri.size == 0 ||
        !ice_uri_is_below(ck->run, object->uri, ck->root_uri, &rest) || rest.size == 0)
        return false;
    bool in_metadata = starts(rest, "metadata/");
    if (ice_metadata_property(&ck->metadata, "write.metadata.path", &path)) {
        struct ice_str inner;
        in_metadata = in_metadata || ice_uri_is_below(ck->run, object->uri, path, &inner);
    }
    *out_class = ice_object_class_of(rest, in_metadata);
    return *out_class != ICE_CLASS_COMPANION;
}

bool ice_storage_is_young(const struct ice_check *ck, int64_t time_ms, int64_t slack_ms) {
    static const int64_t GRACE_MS = 15 * INT64_C(60000);
    int64_t grace = ck->options->has_grace ? ck->options->grace_ms : GRACE_MS;
    /* a time far ahead of now is a wrong clock, and proves no commit under way */
    return time_ms > INT64_MIN / 2 && time_ms < INT64_MAX / 2 &&
           time_ms > ck->now_ms - grace - slack_ms &&
           time_ms < ck->now_ms + grace + slack_ms;
}

static enum ice_status keep_orphan(struct ice_check *ck,
                                   const struct ice_stored_object *object) {
    struct ice_storage *s = ck->storage;
    enum ice_object_class class;
    if (!ice_storage_is_candidate(ck, object, &class))
        return ice_is_metadata_name(ice_key_name(object->uri), NULL)
                   ? ice_storage_see_metadata(ck, object)
                   : ICE_OK;
    if (class == ICE_CLASS_METADATA)
        ICE_TRY(ice_storage_see_metadata(ck, object));
    struct ice_orphan orphan = {
        .size =
            object->has_size && object->size <= INT64_MAX ? (int64_t)object->size : -1,
        .mtime_ms = object->mtime_ms,
        .class = class,
        .is_young = ice_storage_is_young(ck, object->mtime_ms, object->slack_ms)};
    if (s->n_orphans >= ORPHANS_KEPT) {
        s->more_orphans[class]++;
        return ICE_OK;
    }
    if (!ice_array_reserve(&ck->run->alloc, &s->orphans, s->n_orphans, &s->cap_orphans,
                           sizeof(*s->orphans)) ||
        !ice_arena_dup(&s->arena, object->uri, &orphan.uri))
        return ICE_ENOMEM;
    s->orphans[s->n_orphans++] = orphan;
    return ICE_OK;
}

static void see_outside(struct ice_check *ck, const struct ice_storage_key *key,
                        struct ice_str uri) {
    struct ice_storage *s = ck->storage;
    struct ice_str rest;
    bool is_live = key->kind == ICE_STORED_DATA || key->kind == ICE_STORED_DELETES;
    if (is_live && !s->has_outside_live)
        s->has_outside_live =
            ck->root_uri.size > 0 && !ice_uri_is_below(ck->run, uri, ck->root_uri, &rest);
}

enum ice_status ice_storage_object(struct ice_check *ck,
                                   const struct ice_stored_object *object, void *user) {
    struct ice_storage *s = ck->storage;
    size_t n, at = ice_storage_find(s, object->hash, &n);
    (void)user;
    if (object->is_old) {
        ice_storage_see_version(s, at, n, object);
        return ICE_OK;
    }
    if (n == 0)
        return keep_orphan(ck, object);
    for (size_t i = at; i < at + n; i++) {
        uint8_t twice = s->keys[i].flags & ICE_STORAGE_OLD ? ICE_STORAGE_TWICE : 0;
        s->keys[i].flags |= ICE_STORAGE_SEEN | twice;
        check_size(ck, &s->keys[i], object);
    }
    see_outside(ck, &s->keys[at], object->uri);
    return ice_storage_see_time(ck, at, n, object);
}
