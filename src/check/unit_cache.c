/*
 * Entries of manifests: when they hold, and how they are made.
 *
 *   │ head │ rest of the unit │ its parts │
 */
#include "check/unit_cache.h"

#include "base/cache_dir.h"
#include "base/error.h"
#include "check/seen.h"
#include "check/unit_pack.h"

#include <time.h>

enum {
    CHUNK_BYTES = 256 << 10, /* of a file, hashed at a time */
    SETTLED_NS = 2000000000  /* a file that was written to just now may be again, within
                                the same tick of its times */
};

/* Bytes at the start of an entry. */
struct head {
    struct ice_hash content; /* of the file */
    uint64_t size, identity, changed_ns;
    int64_t mtime_ms;
    uint64_t is_settled;     /* size, times and inode tell whether it is the same file */
    struct ice_hash answers; /* of what rules ask of snapshots */
    uint64_t has_newest;
    int64_t newest; /* sequence number */
    uint64_t rest_bytes;
};

static const char hit[] = "hit";
static const char hit_content[] = "hit by its content, its times are others";
static const char miss_none[] = "miss, nothing is kept for it as things are asked";
static const char miss_changed[] = "miss, the file has changed";
static const char miss_snapshots[] = "miss, the snapshots that it is judged by differ";
static const char miss_damaged[] = "miss, the entry is damaged";
static const char miss_failed[] = "miss, the entry cannot be read";

/* ---- the run ---- */

enum ice_status ice_cache_begin(struct ice_check *ck) {
    if (ck->cache == NULL)
        return ICE_OK;
    if (ck->names_only || ck->facts->dropped || ck->storage != NULL) {
        ck->cache = NULL;
        ice_check_note(ck, 1, "cache: not used, %s",
                       ck->names_only ? "manifests are read for names only"
                                      : "storage is compared with what manifests name");
        return ICE_OK;
    }
    return ice_seen_of_table(ck, &ck->cache_seen);
}

void ice_cache_end(const struct ice_check *ck) {
    if (ck->cache == NULL)
        return;
    const size_t n = ice_cache_dir_sweep(ck->cache);
    if (n > 0)
        ice_check_note(ck, 1, "cache: %zu entries removed that were not used for 30 days",
                       n);
}

void ice_unit_store_init(struct ice_unit_store *store, struct ice_alloc *alloc) {
    *store = (struct ice_unit_store){0};
    ice_pack_init(&store->parts, alloc, SIZE_MAX);
    ice_pack_init(&store->body, alloc, SIZE_MAX);
    ice_buf_init(&store->key, alloc, SIZE_MAX);
}

void ice_unit_store_release(struct ice_unit_store *store) {
    ice_pack_release(&store->parts);
    ice_pack_release(&store->body);
    ice_buf_release(&store->key);
}

/* ---- what was asked ---- */

static bool name_of(const struct ice_check *ck, const struct ice_manifest_facts *facts,
                    struct ice_pack *scratch, struct ice_hash *out) {
    ice_pack_clear(scratch);
    ice_pack_bytes(scratch, &ck->cache_seen, sizeof(ck->cache_seen));
    ice_pack_str(scratch, facts->path);
    for (const struct ice_list_record *record = facts->records; record != NULL;
         record = record->next)
        ice_record_pack(scratch, record);
    *out = ice_hash128(ice_buf_str(&scratch->buf), ck->run->hash_seed);
    return scratch->status >= 0;
}

static void pack_snapshot(struct ice_pack *pack, const struct ice_check *ck,
                          int64_t snapshot_id) {
    const size_t index = ice_metadata_find_snapshot(&ck->metadata, snapshot_id);
    int64_t ignored;
    ice_pack_flag(pack, index != SIZE_MAX);
    if (index == SIZE_MAX)
        return;
    ice_pack_flag(
        pack, ice_snapshot_has(&ck->metadata.snapshots[index], ICE_SNAP_first_row_id));
    ice_pack_flag(pack, ice_commit_counts_partitions(ck, ck->number_of[index], &ignored));
}

static void pack_snapshots(struct ice_pack *pack, const struct ice_check *ck) {
    for (size_t i = 0; i < ck->metadata.n_snapshots; i++) {
        ice_pack_i64(pack, ck->metadata.snapshots[i].snapshot_id);
        pack_snapshot(pack, ck, ck->metadata.snapshots[i].snapshot_id);
    }
}

/* Where findings outside of the manifest stand. */
static void pack_places(struct ice_pack *pack, const struct ice_check *ck,
                        const struct ice_manifest_facts *facts) {
    ice_pack_str(pack, ck->metadata_file);
    ice_pack_u64(pack, ck->snapshots[facts->first_snapshot].index);
    for (const struct ice_list_record *record = facts->records; record != NULL;
         record = record->next) {
        ice_pack_str(pack, ck->snapshots[record->snapshot].list_file);
        ice_pack_u64(pack, record->snapshot);
        ice_pack_u64(pack, record->record);
        ice_pack_u64(pack, record->block);
        ice_pack_u64(pack, record->offset);
        for (size_t i = 0; i < ICE_LIST_COUNT; i++)
            ice_pack_str(pack, record->names->row[i]);
        for (size_t i = 0; i < ICE_SUMMARY_COUNT; i++)
            ice_pack_str(pack, record->names->summary[i]);
    }
}

/* The unit has its origins and its findings. file: how they name the manifest. false: out
 * of memory. */
static bool answers_of(const struct ice_unit *unit, const struct ice_check *ck,
                       struct ice_str file, struct ice_hash *out) {
    const struct ice_manifest_facts *facts = &ck->manifests[unit->number];
    struct ice_pack pack;
    uint32_t newest;
    ice_pack_init(&pack, &ck->run->alloc, SIZE_MAX);
    for (size_t i = 0; i < unit->n_origins; i++)
        pack_snapshot(&pack, ck, unit->origins[i].snapshot_id);
    if (unit->asks_snapshots)
        pack_snapshots(&pack, ck);
    if (unit->asks_current)
        ice_pack_flag(&pack, ice_manifest_is_current(ck, facts));
    if (!ice_emit_is_empty(unit->emit)) {
        if (ice_emit_has(unit->emit,
                         ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_ABOVE_SNAPSHOT) &&
            ice_manifest_newest(ck, facts, &newest)) {
            const struct ice_snapshot *snapshot =
                &ck->metadata.snapshots[ck->snapshots[newest].index];
            ice_pack_i64(&pack, snapshot->snapshot_id);
            ice_pack_i64(&pack, snapshot->sequence_number);
        }
        if (!ice_emit_is_within(unit->emit, file))
            pack_places(&pack, ck, facts);
    }
    *out = ice_hash128(ice_buf_str(&pack.buf), ck->run->hash_seed);
    const bool is_done = pack.status >= 0;
    ice_pack_release(&pack);
    return is_done;
}

/* No entry was above the newest number then: none is above a later one. */
static bool newest_holds(const struct head *head, const struct ice_check *ck,
                         const struct ice_manifest_facts *facts) {
    uint32_t number;
    const bool has_newest = ice_manifest_newest(ck, facts, &number);
    return has_newest == (head->has_newest != 0) &&
           (!has_newest ||
            ck->metadata.snapshots[ck->snapshots[number].index].sequence_number >=
                head->newest);
}

/* ---- the file ---- */

struct stored_file {
    struct ice_source *source;
    struct ice_str key; /* in store->key */
    struct ice_file_info info;
};

static bool find_file(const struct ice_check *ck, struct ice_str uri,
                      struct ice_buf *scratch, struct stored_file *out) {
    *out = (struct stored_file){0};
    return ice_mapping_resolve(&ck->mapping, uri, scratch, &out->source, &out->key,
                               NULL) == ICE_OK &&
           ice_source_stat(out->source, out->key, ck->run, &out->info, NULL) == ICE_OK;
}

static bool is_unchanged(const struct ice_file_info *a, const struct ice_file_info *b) {
    return ice_same_file(a, b) && a->changed_ns == b->changed_ns;
}

/* Chunk by chunk, each with the hash of those before. false: it cannot be read, or is not
 * the file of info any more. */
static bool hash_file(const struct ice_check *ck, const struct stored_file *file,
                      struct ice_hash *out) {
    struct ice_stream stream = {0};
    struct ice_file_info info;
    *out = (struct ice_hash){0};
    if (ice_source_open_stream(file->source, file->key, ck->run, &stream, &info, NULL) <
        0)
        return false;
    enum ice_status status = ICE_OK;
    for (;;) {
        struct ice_str seen;
        status = ice_stream_peek(&stream, CHUNK_BYTES, &seen, NULL);
        if (status < 0 || seen.size == 0)
            break;
        seen = ice_str_first(seen, CHUNK_BYTES);
        *out = ice_hash128(seen, out->low ^ out->high ^ ck->run->hash_seed);
        ice_stream_consume(&stream, seen.size);
    }
    ice_stream_release(&stream);
    return status >= 0 && is_unchanged(&info, &file->info);
}

/* The times of the file are some while ago. */
static bool is_settled(const struct ice_file_info *info) {
    struct timespec now;
    if (info->changed_ns == 0 || info->mtime_ms < 0 ||
        clock_gettime(CLOCK_REALTIME, &now) != 0)
        return false;
    const uint64_t now_ns =
        (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return info->changed_ns < now_ns && now_ns - info->changed_ns > SETTLED_NS &&
           (uint64_t)info->mtime_ms < now_ns / 1000000;
}

static void set_file(struct head *head, const struct ice_file_info *info) {
    head->size = info->size;
    head->identity = info->identity;
    head->changed_ns = info->changed_ns;
    head->mtime_ms = info->mtime_ms;
    head->is_settled = is_settled(info) ? 1 : 0;
}

static bool is_file_of(const struct head *head, const struct ice_file_info *info) {
    return head->is_settled == 1 && head->size == info->size && info->changed_ns != 0 &&
           head->identity == info->identity && head->changed_ns == info->changed_ns &&
           head->mtime_ms == info->mtime_ms;
}

/* ---- hits ---- */

/* What the entry says of the file; *head may be brought up to date. */
static const char *judge_file(const struct ice_check *ck, struct ice_unit_store *store,
                              const struct stored_file *file, struct head *head) {
    struct ice_hash content;
    if (is_file_of(head, &file->info))
        return hit;
    if (head->size != file->info.size || !hash_file(ck, file, &content) ||
        content.low != head->content.low || content.high != head->content.high)
        return miss_changed;
    set_file(head, &file->info);
    if (head->is_settled == 1) {
        memcpy(store->body.buf.data, head, sizeof(*head));
        (void)ice_cache_dir_put(ck->cache, store->name, ice_buf_str(&store->body.buf));
    }
    return hit_content;
}

static enum ice_status unpack(struct ice_unit *unit, const struct head *head,
                              const char **in_out_note) {
    struct ice_unit_store *store = &unit->reader->store;
    struct ice_str bytes =
        ice_str_from_index(ice_buf_str(&store->body.buf), sizeof(*head));
    struct ice_unpack rest =
        ice_unpack_of(ice_str_first(bytes, (size_t)head->rest_bytes));
    struct ice_unpack parts =
        ice_unpack_of(ice_str_from_index(bytes, (size_t)head->rest_bytes));
    struct ice_hash answers;
    enum ice_status status = ice_unit_unpack(&rest, unit);
    if (status == ICE_EFORMAT)
        *in_out_note = miss_damaged;
    if (status < 0)
        return status;
    struct ice_check *ck = &unit->reader->ck;
    if (!answers_of(unit, ck, ice_check_file_name(ck, ck->manifests[unit->number].path),
                    &answers))
        return ICE_ENOMEM;
    if (answers.low != head->answers.low || answers.high != head->answers.high) {
        *in_out_note = miss_snapshots;
        return ICE_EFORMAT;
    }
    status = ice_unit_unpack_parts(&parts, unit);
    if (status == ICE_EFORMAT)
        *in_out_note = miss_damaged;
    return status;
}

/* Of the entry in store->body; a miss leaves the unit as it was begun. */
static enum ice_status take_entry(struct ice_unit *unit, const struct stored_file *file,
                                  const char **out_note) {
    struct ice_unit_reader *reader = unit->reader;
    struct ice_unit_store *store = &reader->store;
    struct head head;
    *out_note = miss_damaged;
    if (store->body.buf.size < sizeof(head))
        return ICE_OK;
    memcpy(&head, store->body.buf.data, sizeof(head));
    if (head.rest_bytes > store->body.buf.size - sizeof(head))
        return ICE_OK;
    *out_note = judge_file(&reader->ck, store, file, &head);
    if (*out_note == miss_changed)
        return ICE_OK;
    if (!newest_holds(&head, &reader->ck, &reader->ck.manifests[unit->number])) {
        *out_note = miss_snapshots;
        return ICE_OK;
    }
    const enum ice_status status = unpack(unit, &head, out_note);
    return status == ICE_EFORMAT ? ice_unit_begin_again(unit) : status;
}

static const char *note_of(enum ice_cache_answer answer) {
    switch (answer) {
    case ICE_CACHE_HIT:
        return hit;
    case ICE_CACHE_NONE:
        return miss_none;
    case ICE_CACHE_DAMAGED:
        return miss_damaged;
    case ICE_CACHE_FAILED:
        return miss_failed;
    }
    return miss_failed;
}

enum ice_status ice_unit_cache_load(struct ice_unit *unit, bool *out_is_known) {
    struct ice_unit_reader *reader = unit->reader;
    const struct ice_check *ck = &reader->ck;
    struct ice_unit_store *store = &reader->store;
    const struct ice_manifest_facts *facts = &ck->manifests[unit->number];
    struct stored_file file;
    const char *note;
    *out_is_known = false;
    store->is_wanted = false;
    if (ck->cache == NULL || !reader->wants_facts ||
        !find_file(ck, facts->path, &store->key, &file) ||
        !name_of(ck, facts, &store->body, &store->name))
        return ICE_OK;
    const enum ice_cache_answer answer =
        ice_cache_dir_get(ck->cache, store->name, &store->body.buf);
    note = note_of(answer);
    if (answer == ICE_CACHE_HIT)
        ICE_TRY(take_entry(unit, &file, &note));
    *out_is_known = note == hit || note == hit_content;
    store->is_wanted = !*out_is_known;
    ice_pack_clear(&store->parts);
    unit->cache_note = note;
    return ICE_OK;
}

/* ---- entries ---- */

/* What is gathered must not take the memory that reading needs. */
static bool has_room(struct ice_unit_store *store, uint64_t more) {
    const uint64_t bytes = store->parts.buf.capacity + store->body.buf.capacity;
    if (store->is_wanted && !ice_spill_is_tight(store->parts.buf.alloc, 2 * bytes + more))
        return true;
    store->is_wanted = false;
    return false;
}

void ice_unit_store_part(struct ice_unit *unit) {
    struct ice_unit_store *store = &unit->reader->store;
    if (has_room(store, ICE_UNIT_PART_ROWS * sizeof(struct ice_fact)))
        ice_unit_pack_part(&store->parts, unit, unit->part);
}

/* The arena of a unit that has ended is its own again. */
static struct ice_str file_name(struct ice_unit *unit, struct ice_check *ck) {
    ck->arena = unit->arena;
    const struct ice_str name = ice_check_file_name(ck, ck->manifests[unit->number].path);
    unit->arena = ck->arena;
    ck->arena = (struct ice_arena){0};
    return name;
}

static bool pack_entry(struct ice_unit *unit, struct ice_check *ck,
                       struct ice_unit_store *store, const struct stored_file *file) {
    struct head head = {0};
    uint32_t newest = 0;
    const struct ice_manifest_facts *facts = &ck->manifests[unit->number];
    if (!hash_file(ck, file, &head.content) ||
        !answers_of(unit, ck, file_name(unit, ck), &head.answers))
        return false;
    set_file(&head, &file->info);
    head.has_newest = ice_manifest_newest(ck, facts, &newest) ? 1 : 0;
    if (head.has_newest)
        head.newest = ck->metadata.snapshots[ck->snapshots[newest].index].sequence_number;
    ice_pack_clear(&store->body);
    ice_pack_bytes(&store->body, &head, sizeof(head));
    if (!ice_unit_pack(&store->body, unit) || store->body.status < 0)
        return false;
    head.rest_bytes = store->body.buf.size - sizeof(head);
    memcpy(store->body.buf.data, &head, sizeof(head));
    ice_pack_bytes(&store->body, store->parts.buf.data, store->parts.buf.size);
    return store->body.status >= 0;
}

void ice_unit_cache_store(struct ice_unit *unit, struct ice_unit_reader *reader) {
    struct ice_check *ck = &reader->ck;
    struct ice_unit_store *store = &reader->store;
    struct stored_file file;
    if (!store->is_wanted || unit->state != ICE_READ_WHOLE ||
        !has_room(store, ICE_UNIT_PART_ROWS * sizeof(struct ice_fact)))
        return;
    ice_unit_pack_part(&store->parts, unit, unit->part);
    ice_pack_flag(&store->parts, false);
    if (store->parts.status >= 0 &&
        find_file(ck, ck->manifests[unit->number].path, &store->key, &file) &&
        is_unchanged(&file.info, &ck->opened_info) && pack_entry(unit, ck, store, &file))
        (void)ice_cache_dir_put(ck->cache, store->name, ice_buf_str(&store->body.buf));
    store->is_wanted = false;
}
