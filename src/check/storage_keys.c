/*
 * Keys: 32 bytes a file that metadata or a live entry names, sorted by hash in place.
 */
#include "check/storage.h"

#include "base/error.h"
#include "check/manifest_facts.h"
#include "check/unfound.h"
#include "check/unit.h"

#include <inttypes.h>
#include <stdio.h>

enum { INDEX_FROM = 1 << 16, INDEX_SIZE = (1 << 16) + 1 };
static const uint64_t SIZE_MOST = (UINT64_C(1) << 48) - 1;

bool ice_storage_is_asked(const struct ice_check *ck) {
    return ck->options->storage_local || ck->options->n_listings > 0;
}

enum ice_status ice_storage_open(struct ice_check *ck, struct ice_storage_group *group) {
    struct ice_alloc *alloc = &ck->run->alloc;
    if (!ice_storage_is_asked(ck) || ck->storage != NULL)
        return ICE_OK;
    struct ice_storage *s = ice_arena_alloc(&ck->arena, sizeof(*s));
    if (s == NULL)
        return ICE_ENOMEM;
    ck->storage = s;
    ice_buf_init(&s->folded, alloc, SIZE_MAX);
    ice_arena_init(&s->arena, alloc);
    ice_table_init(&s->foreign_by_root, alloc);
    s->group = group != NULL ? group : &s->own_group;
    if (group == NULL)
        ICE_TRY(ice_storage_group_init(group = s->group, alloc, ck->options->n_listings));
    return ice_storage_group_add(group, ck);
}

void ice_storage_free(struct ice_check *ck) {
    struct ice_storage *s = ck->storage;
    struct ice_alloc *alloc = &ck->run->alloc;
    if (s == NULL)
        return;
    ice_array_free(alloc, &s->keys, &s->capacity, sizeof(*s->keys));
    ice_array_free(alloc, &s->orphans, &s->cap_orphans, sizeof(*s->orphans));
    ice_array_free(alloc, &s->foreign, &s->cap_foreign, sizeof(*s->foreign));
    ice_table_release(&s->foreign_by_root);
    ice_storage_free_versions(ck);
    ice_storage_group_release(&s->own_group);
    ice_free(alloc, s->maybe, s->maybe != NULL ? (s->maybe_mask + 1) / 8 : 0);
    ice_free(alloc, s->first, s->first != NULL ? INDEX_SIZE * sizeof(*s->first) : 0);
    ice_buf_release(&s->folded);
    ice_arena_release(&s->arena);
    ck->storage = NULL;
}

/* ---- folding ---- */

/* A local tree cannot hold an empty segment: both spellings are one file there. */
static size_t squeeze(char *text, size_t size, size_t from) {
    size_t kept = from;
    for (size_t i = from; i < size; i++) {
        if (text[i] == '/' && kept > 0 && text[kept - 1] == '/')
            continue;
        text[kept++] = text[i];
    }
    return kept;
}

static enum ice_status fold(const struct ice_check *ck, struct ice_str uri,
                            struct ice_buf *folded, struct ice_str *out) {
    ice_buf_clear(folded);
    ICE_TRY(ice_uri_fold(uri, folded));
    if (ck->options->n_listings == 0 && folded->size > 0) {
        size_t scheme = ice_uri_scheme(ice_buf_str(folded));
        folded->size = squeeze(folded->data, folded->size, scheme > 0 ? scheme + 2 : 0);
    }
    *out = ice_buf_str(folded);
    return ICE_OK;
}

enum ice_status ice_storage_fold(struct ice_check *ck, struct ice_str uri,
                                 struct ice_str *out) {
    return fold(ck, uri, &ck->storage->folded, out);
}

struct ice_hash ice_storage_hash(const struct ice_check *ck, struct ice_str folded) {
    return ice_hash128(folded, ck->run->hash_seed);
}

/* ---- adding ---- */

/* Metadata files in such a directory are the table's own, wherever its location is. */
static enum ice_status keep_directory(struct ice_storage *s, uint8_t kind,
                                      struct ice_str folded) {
    struct ice_str directory = ice_key_parent(folded);
    if ((kind != ICE_STORED_MANIFEST && kind != ICE_STORED_LIST &&
         kind != ICE_STORED_METADATA_LOG) ||
        s->n_own == ICE_STORAGE_OWN)
        return ICE_OK;
    for (size_t i = 0; i < s->n_own; i++) {
        if (ice_str_equal(s->own[i], directory))
            return ICE_OK;
    }
    return ice_arena_dup(&s->arena, directory, &s->own[s->n_own++]) ? ICE_OK : ICE_ENOMEM;
}

static void fill_key(const struct ice_check *ck, struct ice_storage_key *key,
                     struct ice_str folded, bool has_size, int64_t size) {
    key->hash = ice_storage_hash(ck, folded);
    if (ice_storage_group_is_outside(ck, folded))
        key->flags |= ICE_STORAGE_OUTSIDE;
    if (has_size && size >= 0 && (uint64_t)size <= SIZE_MOST) {
        key->size_low = (uint32_t)((uint64_t)size & UINT32_MAX);
        key->size_high = (uint16_t)((uint64_t)size >> 32);
        key->flags |= ICE_STORAGE_SIZED;
    }
}

static enum ice_status put_key(struct ice_check *ck, struct ice_storage_key key) {
    struct ice_storage *s = ck->storage;
    if (!ice_array_reserve(&ck->run->alloc, &s->keys, s->n, &s->capacity,
                           sizeof(*s->keys)))
        return ICE_ENOMEM;
    if (key.flags & ICE_STORAGE_OUTSIDE)
        ICE_TRY(ice_table_put(&s->group->outside, key.hash.low, s->index));
    key.flags &= (uint8_t)~ICE_STORAGE_OUTSIDE;
    s->keys[s->n++] = key;
    return ICE_OK;
}

static enum ice_status add(struct ice_check *ck, struct ice_str uri,
                           struct ice_storage_key key, bool has_size, int64_t size) {
    struct ice_str folded;
    if (uri.size == 0)
        return ICE_OK;
    ICE_TRY(ice_storage_fold(ck, uri, &folded));
    ICE_TRY(keep_directory(ck->storage, key.kind, folded));
    fill_key(ck, &key, folded, has_size, size);
    return put_key(ck, key);
}

enum ice_status ice_storage_join_keys(struct ice_check *ck, uint32_t manifest,
                                      struct ice_unit_rows *rows) {
    const struct ice_storage_key *keys = (const void *)rows->items;
    for (; rows->n_joined < rows->n; rows->n_joined++) {
        struct ice_storage_key key = keys[rows->n_joined];
        key.owner = manifest;
        ICE_TRY(put_key(ck, key));
    }
    return ICE_OK;
}

enum ice_status ice_storage_add_entry(struct ice_manifest_walk *walk,
                                      const struct ice_manifest_entry *entry) {
    const struct ice_check *ck = walk->ck;
    struct ice_str folded;
    if (ck->storage == NULL || walk->unit == NULL ||
        entry->status == ICE_STATUS_DELETED ||
        !ice_entry_has(walk->manifest, entry, ICE_FILE_file_path) ||
        entry->file.file_path.size == 0)
        return ICE_OK;
    bool is_data = entry->file.content == ICE_CONTENT_DATA;
    struct ice_storage_key key = {.kind = is_data ? ICE_STORED_DATA : ICE_STORED_DELETES,
                                  .record = walk->manifest->rows.record < UINT32_MAX
                                                ? (uint32_t)walk->manifest->rows.record
                                                : UINT32_MAX};
    ICE_TRY(fold(ck, entry->file.file_path, &walk->unit->reader->folded, &folded));
    fill_key(ck, &key, folded,
             ice_entry_has(walk->manifest, entry, ICE_FILE_file_size_in_bytes),
             entry->file.file_size_in_bytes);
    return ice_unit_put(walk->unit, ICE_UNIT_KEYS, &key, sizeof(key));
}

static enum ice_status add_lists(struct ice_check *ck) {
    const struct ice_metadata *m = &ck->metadata;
    struct ice_buf path;
    enum ice_status status = ICE_OK;
    ice_buf_init(&path, &ck->run->alloc, SIZE_MAX);
    for (size_t i = 0; i < ck->n_snapshots && status == ICE_OK; i++) {
        struct ice_storage_key key = {.kind = ICE_STORED_LIST, .owner = (uint32_t)i};
        struct ice_str uri;
        status = ice_snapshot_manifest_list(m, &m->snapshots[ck->snapshots[i].index],
                                            &path, &uri);
        if (status == ICE_OK)
            status = add(ck, uri, key, false, 0);
    }
    ice_buf_release(&path);
    return status;
}

static enum ice_status add_joined(struct ice_check *ck, struct ice_str directory,
                                  struct ice_str name) {
    struct ice_storage_key key = {.kind = ICE_STORED_METADATA};
    struct ice_str uri;
    while (directory.size > 0 && directory.data[directory.size - 1] == '/')
        directory.size--;
    if (ice_key_join(&ck->arena, directory, name, &uri) < 0)
        return ICE_ENOMEM;
    return add(ck, uri, key, false, 0);
}

/* Where the file being judged may stand in storage: a copy of it may lie anywhere. */
static enum ice_status add_metadata_file(struct ice_check *ck) {
    struct ice_str location = ck->metadata.location, path, inner;
    struct ice_str name = ice_key_name(ck->metadata_file);
    ICE_TRY(add_joined(ck, location, ck->metadata_file));
    while (location.size > 0 && location.data[location.size - 1] == '/')
        location.size--;
    if (ice_key_join(&ck->arena, location, ICE_STR("metadata"), &inner) < 0)
        return ICE_ENOMEM;
    ICE_TRY(add_joined(ck, inner, name));
    if (ice_metadata_property(&ck->metadata, "write.metadata.path", &path))
        return add_joined(ck, path, name);
    return ICE_OK;
}

/* Java's three spellings of a version. */
static enum ice_status name_version(struct ice_check *ck, struct ice_unfound *item) {
    static const char *const ends[ICE_UNFOUND_URIS] = {
        ".metadata.json", ".gz.metadata.json", ".metadata.json.gz"};
    struct ice_str location = ck->metadata.location;
    char name[64];
    item->spellings =
        ice_arena_array(&ck->arena, ICE_UNFOUND_URIS, sizeof(*item->spellings));
    if (item->spellings == NULL)
        return ICE_ENOMEM;
    while (location.size > 0 && location.data[location.size - 1] == '/')
        location.size--;
    for (size_t i = 0; i < ICE_UNFOUND_URIS; i++) {
        (void)snprintf(name, sizeof(name), "metadata/v%" PRId64 "%s", item->version,
                       ends[i]);
        ICE_TRY(
            ice_key_join(&ck->arena, location, ice_str_from(name), &item->spellings[i]));
    }
    return ICE_OK;
}

/* What was not found where the copy should have it. */
static enum ice_status add_unfound(struct ice_check *ck) {
    for (size_t i = 0; i < ck->unfound.n && i <= UINT32_MAX; i++) {
        struct ice_unfound *item = &ck->unfound.items[i];
        struct ice_storage_key key = {.kind = ICE_STORED_UNFOUND, .owner = (uint32_t)i};
        ICE_TRY(add(ck, item->uri, key, false, 0));
        if (item->uri.size > 0 || item->version < 0 || ck->metadata.location.size == 0)
            continue;
        ICE_TRY(name_version(ck, item));
        for (; key.record < ICE_UNFOUND_URIS; key.record++)
            ICE_TRY(add(ck, item->spellings[key.record], key, false, 0));
    }
    return ICE_OK;
}

static enum ice_status add_named(struct ice_check *ck) {
    const struct ice_metadata *m = &ck->metadata;
    ICE_TRY(add_lists(ck));
    for (size_t i = 0; i < ck->n_manifests; i++) {
        const struct ice_list_record *record = ck->manifests[i].records;
        struct ice_storage_key key = {.kind = ICE_STORED_MANIFEST, .owner = (uint32_t)i};
        bool has_length =
            record != NULL && ice_record_has(record, ICE_LIST_manifest_length);
        ICE_TRY(add(ck, ck->manifests[i].path, key, has_length,
                    has_length ? record->row.manifest_length : 0));
    }
    for (size_t i = 0; i < m->n_statistics; i++) {
        const struct ice_statistics *statistics = &m->statistics[i];
        struct ice_storage_key key = {.kind = ICE_STORED_STATISTICS,
                                      .owner = (uint32_t)i};
        if (statistics->has_path)
            ICE_TRY(add(ck, statistics->path, key, statistics->has_file_size,
                        statistics->file_size_in_bytes));
    }
    for (size_t i = 0; i < m->n_metadata_log; i++) {
        struct ice_storage_key key = {.kind = ICE_STORED_METADATA_LOG,
                                      .owner = (uint32_t)i};
        if (m->metadata_log[i].has_what)
            ICE_TRY(add(ck, m->metadata_log[i].file, key, false, 0));
    }
    ICE_TRY(add_unfound(ck));
    return add_metadata_file(ck);
}

/* ---- sorting: by the first byte in place, then a heap each ---- */

static bool is_before(const struct ice_storage_key *a, const struct ice_storage_key *b) {
    if (a->hash.high != b->hash.high)
        return a->hash.high < b->hash.high;
    if (a->hash.low != b->hash.low)
        return a->hash.low < b->hash.low;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    if (a->owner != b->owner)
        return a->owner < b->owner;
    return a->record < b->record;
}

static void swap(struct ice_storage_key *a, struct ice_storage_key *b) {
    struct ice_storage_key kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_down(struct ice_storage_key *heap, size_t at, size_t n) {
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= n)
            return;
        if (child + 1 < n && is_before(&heap[child], &heap[child + 1]))
            child++;
        if (!is_before(&heap[at], &heap[child]))
            return;
        swap(&heap[at], &heap[child]);
        at = child;
    }
}

static void heap_sort(struct ice_storage_key *heap, size_t n) {
    for (size_t i = n / 2; i > 0; i--)
        sift_down(heap, i - 1, n);
    for (size_t end = n; end > 1; end--) {
        swap(&heap[0], &heap[end - 1]);
        sift_down(heap, 0, end - 1);
    }
}

enum { BUCKETS = 256 };

static unsigned bucket_of(const struct ice_storage_key *key) {
    return (unsigned)(key->hash.high >> 56);
}

static void sort_keys(struct ice_storage_key *keys, size_t n) {
    size_t first[BUCKETS + 1] = {0}, next[BUCKETS];
    for (size_t i = 0; i < n; i++)
        first[bucket_of(&keys[i]) + 1]++;
    for (size_t b = 0; b < BUCKETS; b++) {
        first[b + 1] += first[b];
        next[b] = first[b];
    }
    for (size_t b = 0; b < BUCKETS; b++)
        while (next[b] < first[b + 1]) {
            unsigned to = bucket_of(&keys[next[b]]);
            if (to == b)
                next[b]++;
            else
                swap(&keys[next[b]], &keys[next[to]++]);
        }
    for (size_t b = 0; b < BUCKETS; b++)
        heap_sort(keys + first[b], first[b + 1] - first[b]);
}

/* 16 to 32 bits a key: most objects of a bucket are not the table's, and are known so
 * without a look at the keys, which no cache holds. */
static enum ice_status filter_keys(struct ice_check *ck) {
    struct ice_storage *s = ck->storage;
    size_t n_bits = INDEX_FROM;
    while (n_bits / 16 < s->n)
        n_bits *= 2;
    s->maybe = ice_calloc(&ck->run->alloc, n_bits / 64, sizeof(*s->maybe));
    if (s->maybe == NULL)
        return ICE_ENOMEM;
    s->maybe_mask = n_bits - 1;
    for (size_t i = 0; i < s->n; i++) {
        size_t bit = (size_t)s->keys[i].hash.low & s->maybe_mask;
        s->maybe[bit / 64] |= UINT64_C(1) << (bit % 64);
    }
    return ICE_OK;
}

static enum ice_status index_keys(struct ice_check *ck) {
    struct ice_storage *s = ck->storage;
    if (s->n < INDEX_FROM)
        return ICE_OK;
    s->first = ice_calloc(&ck->run->alloc, INDEX_SIZE, sizeof(*s->first));
    if (s->first == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < s->n; i++)
        s->first[(s->keys[i].hash.high >> 48) + 1]++;
    for (size_t i = 1; i < INDEX_SIZE; i++)
        s->first[i] += s->first[i - 1];
    return filter_keys(ck);
}

static bool is_absent(const struct ice_storage *s, struct ice_hash hash) {
    size_t bit = (size_t)hash.low & s->maybe_mask;
    return s->maybe != NULL && !(s->maybe[bit / 64] >> (bit % 64) & 1);
}

enum ice_status ice_storage_sort(struct ice_check *ck, struct ice_error *err) {
    struct ice_storage *s = ck->storage;
    if (s->sorted)
        return ICE_OK;
    if (add_named(ck) < 0)
        return ice_error_memory(err);
    sort_keys(s->keys, s->n);
    s->sorted = true;
    return index_keys(ck) < 0 ? ice_error_memory(err) : ICE_OK;
}

static bool is_less(const struct ice_hash *a, struct ice_hash b) {
    return a->high < b.high || (a->high == b.high && a->low < b.low);
}

size_t ice_storage_find(const struct ice_storage *storage, struct ice_hash hash,
                        size_t *out_n) {
    size_t low = 0, high = storage->n, n = 0;
    *out_n = 0;
    if (is_absent(storage, hash))
        return 0;
    if (storage->first != NULL) {
        low = storage->first[hash.high >> 48];
        high = storage->first[(hash.high >> 48) + 1];
    }
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (is_less(&storage->keys[middle].hash, hash))
            low = middle + 1;
        else
            high = middle;
    }
    while (low + n < storage->n && storage->keys[low + n].hash.high == hash.high &&
           storage->keys[low + n].hash.low == hash.low)
        n++;
    *out_n = n;
    return low;
}
