/*
 * Old versions of objects, as a versioned bucket lists them. While objects stream by, a
 * key keeps one bit: an old version is there, or more than one. Where that matters, for a
 * missing file or one written over, the listings are read once more and what they tell
 * of these files is kept, up to a cap.
 */
#include "check/fetch_command.h"
#include "check/storage.h"

#include "base/error.h"
#include "base/time_text.h"
#include "inputs/listing.h"

#include <inttypes.h>

enum { FILES_KEPT = 20000, ID_BYTES = 1024, BY_BYTES = 256 };

/* A text that may be replaced by a later one. */
struct slot {
    char *data;
    size_t size, capacity;
};

struct version {
    struct slot id;
    int64_t time_ms;
    uint64_t size;
    bool has_size, is_gone;
};

/* All that was told of one file. */
struct file {
    struct ice_str uri; /* folded */
    size_t key;
    struct version last;  /* the newest that has bytes */
    struct version first; /* the oldest; without its id */
    uint64_t first_id, first_etag;
    uint32_t n_puts;
    bool has_puts, differs;
    int64_t deleted_ms; /* by the newest marker or record; INT64_MIN: not told */
    struct slot by;
};

struct ice_versions {
    struct file *files;
    size_t n, capacity;
    struct ice_table by_hash; /* of the folded URI, its low half */
    struct ice_buf command;
};

void ice_storage_see_version(struct ice_storage *storage, size_t at, size_t n,
                             const struct ice_stored_object *object) {
    /* a journal tells of versions that may be gone for good */
    if (object->listed == NULL || object->listed->is_record || object->listed->is_deleted)
        return;
    for (size_t i = at; i < at + n; i++) {
        uint8_t *flags = &storage->keys[i].flags;
        *flags |= *flags & (ICE_STORAGE_OLD | ICE_STORAGE_SEEN) ? ICE_STORAGE_TWICE : 0;
        *flags |= ICE_STORAGE_OLD;
    }
}

/* ---- reading once more ---- */

static bool is_wanted(const struct ice_storage_key *key) {
    return (key->flags & ICE_STORAGE_TWICE) ||
           ((key->flags & ICE_STORAGE_OLD) && !(key->flags & ICE_STORAGE_SEEN));
}

static enum ice_status put_slot(struct ice_storage *s, struct slot *slot,
                                struct ice_str text, size_t most) {
    text = ice_str_first(text, most);
    if (text.size > slot->capacity) {
        size_t capacity = text.size < 64 ? 64 : most;
        slot->data = ice_arena_alloc(&s->arena, capacity);
        slot->capacity = slot->data != NULL ? capacity : 0;
        slot->size = 0;
        if (slot->data == NULL)
            return ICE_ENOMEM;
    }
    if (text.size > 0)
        memcpy(slot->data, text.data, text.size);
    slot->size = text.size;
    return ICE_OK;
}

static struct ice_str slot_text(const struct slot *slot) {
    return ice_str_make(slot->data, slot->size);
}

static struct file *find_file(const struct ice_storage *s, struct ice_hash hash,
                              struct ice_str folded) {
    size_t at = SIZE_MAX;
    uint32_t index;
    if (s->versions == NULL)
        return NULL;
    while (ice_table_next(&s->versions->by_hash, hash.low, &at, &index)) {
        if (ice_str_equal(s->versions->files[index].uri, folded))
            return &s->versions->files[index];
    }
    return NULL;
}

static enum ice_status add_file(struct ice_check *ck, size_t key,
                                const struct ice_stored_object *object,
                                struct file **out) {
    struct ice_storage *s = ck->storage;
    struct ice_versions *v = s->versions;
    struct file file = {.key = key, .deleted_ms = INT64_MIN};
    *out = NULL;
    if (v->n >= FILES_KEPT)
        return ICE_OK;
    if (!ice_array_reserve(&ck->run->alloc, &v->files, v->n, &v->capacity,
                           sizeof(*v->files)) ||
        !ice_arena_dup(&s->arena, object->uri, &file.uri))
        return ICE_ENOMEM;
    ICE_TRY(ice_table_put(&v->by_hash, object->hash.low, (uint32_t)v->n));
    v->files[v->n] = file;
    *out = &v->files[v->n++];
    return ICE_OK;
}

static enum ice_status see_deletion(struct ice_storage *s, struct file *file,
                                    const struct ice_stored_object *object) {
    if (file->deleted_ms != INT64_MIN && object->mtime_ms < file->deleted_ms)
        return ICE_OK;
    file->deleted_ms = object->mtime_ms;
    return object->listed->by.size > 0
               ? put_slot(s, &file->by, object->listed->by, BY_BYTES)
               : ICE_OK;
}

/* Bytes differ where sizes do, and where ETags do: a file copied onto itself keeps its
 * own, and one that has none proves nothing. */
static void compare_puts(struct file *file, const struct ice_stored_object *object,
                         uint64_t id, uint64_t etag) {
    const struct ice_listed *listed = object->listed;
    if (!file->has_puts) {
        file->has_puts = true;
        file->n_puts = 1;
        file->first_id = id;
        file->first_etag = etag;
        return;
    }
    if (id == file->first_id)
        return; /* the same one, by another listing */
    file->n_puts += file->n_puts < UINT32_MAX;
    file->differs =
        file->differs ||
        (object->has_size && file->first.has_size && object->size != file->first.size) ||
        (listed->etag.size > 0 && file->first_etag != 0 && etag != file->first_etag);
}

static enum ice_status see_put(struct ice_check *ck, struct file *file,
                               const struct ice_stored_object *object) {
    const struct ice_listed *listed = object->listed;
    const struct version version = {.time_ms = object->mtime_ms,
                                    .size = object->size,
                                    .has_size = object->has_size,
                                    .is_gone = listed->is_gone};
    uint64_t seed = ck->run->hash_seed;
    compare_puts(file, object, ice_hash64(listed->version_id, seed),
                 listed->etag.size > 0 ? ice_hash64(listed->etag, seed) | 1 : 0);
    bool is_first = file->n_puts == 1;
    if (is_first || version.time_ms < file->first.time_ms)
        file->first = version;
    if (is_first || version.time_ms > file->last.time_ms) {
        struct slot id = file->last.id;
        file->last = version;
        file->last.id = id;
        return put_slot(ck->storage, &file->last.id, listed->version_id, ID_BYTES);
    }
    return ICE_OK;
}

static enum ice_status see_again(struct ice_check *ck,
                                 const struct ice_stored_object *object, void *user) {
    struct ice_storage *s = ck->storage;
    struct file *file;
    size_t n, at = ice_storage_find(s, object->hash, &n);
    (void)user;
    if (n == 0 || object->listed == NULL || !is_wanted(&s->keys[at]))
        return ICE_OK;
    file = find_file(s, object->hash, object->uri);
    if (file == NULL)
        ICE_TRY(add_file(ck, at, object, &file));
    if (file == NULL)
        return ICE_OK;
    if (object->listed->is_deleted)
        return see_deletion(s, file, object);
    return object->listed->is_record ? ICE_OK : see_put(ck, file, object);
}

enum ice_status ice_storage_find_versions(struct ice_check *ck, struct ice_error *err) {
    struct ice_storage *s = ck->storage;
    bool is_any = false;
    for (size_t i = 0; i < s->n && !is_any; i++)
        is_any = is_wanted(&s->keys[i]);
    if (!is_any)
        return ICE_OK;
    s->versions = ice_arena_alloc(&s->arena, sizeof(*s->versions));
    if (s->versions == NULL)
        return ice_error_memory(err);
    ice_table_init(&s->versions->by_hash, &ck->run->alloc);
    ice_buf_init(&s->versions->command, &ck->run->alloc, SIZE_MAX);
    return ice_storage_stream(ck, see_again, NULL, err);
}

void ice_storage_free_versions(struct ice_check *ck) {
    struct ice_versions *v = ck->storage->versions;
    if (v == NULL)
        return;
    ice_array_free(&ck->run->alloc, &v->files, &v->capacity, sizeof(*v->files));
    ice_table_release(&v->by_hash);
    ice_buf_release(&v->command);
    ck->storage->versions = NULL;
}

/* ---- findings ---- */

/* "4100 bytes, written 2026-...": one version in words. */
static enum ice_status put_version(struct ice_buf *out, const struct version *version) {
    char time[ICE_TIME_SIZE];
    if (version->has_size)
        ICE_TRY(ice_buf_printf(out, "%" PRIu64 " bytes", version->size));
    else
        ICE_TRY(ice_buf_append_str(out, ICE_STR("some bytes")));
    if (version->time_ms == INT64_MIN)
        return ICE_OK;
    ICE_TRY(ice_buf_append_str(out, ICE_STR(" written ")));
    return ice_buf_append_str(out, ice_time_text(version->time_ms, time));
}

static enum ice_status put_deletion(struct ice_buf *out, const struct file *file) {
    char time[ICE_TIME_SIZE];
    if (file->deleted_ms == INT64_MIN)
        return ICE_OK;
    ICE_TRY(ice_buf_append_str(out, ICE_STR(", deleted ")));
    ICE_TRY(ice_buf_append_str(out, ice_time_text(file->deleted_ms, time)));
    if (file->by.size == 0)
        return ICE_OK;
    ICE_TRY(ice_buf_append_str(out, ICE_STR(" by ")));
    return ice_buf_append_str(out, slot_text(&file->by));
}

enum ice_status ice_storage_report_recoverable(struct ice_check *ck,
                                               struct ice_str folded, struct ice_str name,
                                               const struct ice_place *at) {
    struct ice_storage *s = ck->storage;
    const struct file *file = find_file(s, ice_storage_hash(ck, folded), folded);
    struct ice_buf version;
    if (file == NULL || !file->has_puts ||
        (file->last.id.size == 0 && !file->last.is_gone))
        return ICE_OK;
    const struct ice_old_version old = {
        .uri = file->uri, .id = slot_text(&file->last.id), .is_gone = file->last.is_gone};
    ice_buf_init(&version, &ck->run->alloc, SIZE_MAX);
    enum ice_status status = put_version(&version, &file->last);
    if (status == ICE_OK)
        status = put_deletion(&version, file);
    if (status == ICE_OK)
        status = ice_fetch_command(ck->run, &old, &s->versions->command);
    if (status == ICE_OK)
        FOUND(ck->emit, ICE_RULE_STORAGE_FILE_RECOVERABLE, at, arg_str("path", name),
              arg_str("version", ice_buf_str(&version)),
              arg_str("command", ice_buf_str(&s->versions->command)));
    ice_buf_release(&version);
    return status;
}

static enum ice_status report_file(struct ice_check *ck, const struct file *file) {
    struct ice_row_place place;
    struct ice_buf first, last;
    ice_storage_place(ck, &ck->storage->keys[file->key], NULL, &place);
    ice_buf_init(&first, &ck->run->alloc, SIZE_MAX);
    ice_buf_init(&last, &ck->run->alloc, SIZE_MAX);
    enum ice_status status = put_version(&first, &file->first);
    if (status == ICE_OK)
        status = put_version(&last, &file->last);
    if (status == ICE_OK)
        FOUND(ck->emit, ICE_RULE_STORAGE_FILE_OVERWRITTEN, &place.place,
              arg_str("path", ice_storage_name(ck, file->uri)),
              arg_i64("count", (int64_t)file->n_puts),
              arg_str("first", ice_buf_str(&first)), arg_str("last", ice_buf_str(&last)));
    ice_buf_release(&first);
    ice_buf_release(&last);
    return status;
}

enum ice_status ice_storage_report_overwritten(struct ice_check *ck) {
    const struct ice_versions *v = ck->storage->versions;
    for (size_t i = 0; v != NULL && i < v->n; i++) {
        if (v->files[i].n_puts > 1 && v->files[i].differs)
            ICE_TRY(report_file(ck, &v->files[i]));
    }
    return ICE_OK;
}
