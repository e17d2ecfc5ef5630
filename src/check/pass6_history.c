/*
 * Pass 6: the other metadata files of the directory.
 *
 * Reads: every metadata file of the directory but the current one, one at a time beside
 * the one that came after it. Checks: group 26 (history.*), metadata-log.foreign-uuid,
 * metadata-log.timestamp-mismatch, catalog.pointer.stale, hint.stale where names alone do
 * not tell. Leaves nothing behind.
 *
 * Only where somebody asked for more than the current state: a pointer, a listing,
 * --storage local, or --only with rules of it. A file that cannot be read is named, and
 * judged no further.
 */
#include "check/history.h"

#include "base/error.h"
#include "check/pointers.h"
#include "check/storage.h"

#include <inttypes.h>

/* ---- when ---- */

static bool is_asked(const struct ice_check *ck) {
    static const enum ice_rule_id rules[] = {
        ICE_RULE_HISTORY_FORK_SAME_VERSION, ICE_RULE_HISTORY_ROLLBACK,
        ICE_RULE_HISTORY_SNAPSHOT_MUTATED, ICE_RULE_METADATA_LOG_TIMESTAMP_MISMATCH};
    if (ck->target->kind != ICE_TARGET_TABLE || ck->target->n_names < 2 ||
        ck->metadata_source != ck->target->source)
        return false;
    if (ck->want_history || ice_pointers_are_asked(ck) || ice_storage_is_asked(ck))
        return true;
    for (size_t i = 0; i < ICE_COUNT_OF(rules); i++) {
        if (ck->options->n_only > 0 && ice_emit_is_on(ck->emit, rules[i]))
            return true;
    }
    return false;
}

/* ---- places ---- */

struct ice_place ice_history_place(const struct ice_history_file *file,
                                   struct ice_str pointer) {
    return ice_place_at(file->file, ICE_ORDER_HISTORY + file->name, pointer);
}

struct ice_str ice_history_pointer(struct ice_history *h, const char *array, size_t index,
                                   const char *member) {
    struct ice_buf text;
    struct ice_str out = ICE_STR_NONE;
    ice_buf_init(&text, &h->ck->run->alloc, SIZE_MAX);
    if (ice_buf_printf(&text, "/%s/%zu%s", array, index, member) < 0 ||
        !ice_arena_dup(&h->ck->arena, ice_buf_str(&text), &out))
        out = ICE_STR_NONE;
    ice_buf_release(&text);
    return out;
}

struct ice_str ice_history_logged(const struct ice_metadata *m) {
    if (m->n_metadata_log == 0 || !m->metadata_log[m->n_metadata_log - 1].has_what)
        return ICE_STR_NONE;
    return ice_uri_base_name(m->metadata_log[m->n_metadata_log - 1].file);
}

static size_t find_name(const struct ice_target *target, struct ice_str name) {
    for (size_t i = 0; i < target->n_names; i++) {
        if (ice_str_equal(target->names[i].name, name))
            return i;
    }
    return SIZE_MAX;
}

/* ---- reading ---- */

/* *out_done false: it could not be read, and that was said. */
static enum ice_status read_file(struct ice_history *h, size_t index,
                                 struct ice_metadata *out, struct ice_history_file *file,
                                 bool *out_done, struct ice_error *err) {
    struct ice_check *ck = h->ck;
    const struct ice_metadata_want want = {0};
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_magic magic;
    struct ice_error fault;
    struct ice_str key;
    *out_done = false;
    ice_error_clear(&fault);
    if (ice_check_cancelled(ck))
        return ICE_ECANCELLED;
    if (ice_key_join(&ck->arena, ck->target->metadata_dir, ice_history_name(h, index),
                     &key) < 0)
        return ice_error_memory(err);
    *file = (struct ice_history_file){
        .metadata = out, .name = index, .file = ice_target_file_name(ck->target, key)};
    enum ice_status status = ice_open_inflated(ck->target->source, key, ck->run, &stream,
                                               &info, &magic, &fault);
    if (status >= 0)
        status = ice_metadata_read(&stream, ck->run, &want, NULL, NULL, out, &fault);
    ice_stream_release(&stream);
    ck->n_bytes += out->n_bytes;
    if (status < 0 && ice_status_is_final(status))
        return ice_error_set(err, status, NULL, ICE_NO_OFFSET, "%s", fault.message);
    *out_done = status >= 0 && !out->is_view;
    if (status < 0) {
        /* the current state does not need it: one level lower */
        struct ice_place place = ice_history_place(file, ICE_STR_NONE);
        return ice_check_fault(ck, &fault, &place, ICE_SCOPE_UNREACHABLE, "history.*");
    }
    if (!*out_done)
        ice_emit_not_evaluated(ck->emit, "history.*",
                               ICE_STR("a metadata file could not be read"), true,
                               file->file);
    return ICE_OK;
}

/* ---- the chain ---- */

static enum ice_status keep_chain(struct ice_history *h,
                                  const struct ice_history_file *file,
                                  struct ice_error *err) {
    struct ice_chain_file *entry = &h->chain[h->n_chain];
    *entry = (struct ice_chain_file){.name = file->name};
    if (!ice_arena_dup(&h->ck->arena, ice_history_logged(file->metadata), &entry->logged))
        return ice_error_memory(err);
    h->n_chain++;
    h->is_seen[file->name] = true;
    return ICE_OK;
}

/* The newest file of a log that is there and was not met. *out_entry: its place in it. */
static size_t before_of(const struct ice_history *h, const struct ice_metadata *m,
                        size_t *out_entry) {
    for (size_t i = m->n_metadata_log; i > 0; i--) {
        const struct ice_metadata_log_entry *entry = &m->metadata_log[i - 1];
        if (!entry->has_what)
            continue;
        size_t index = find_name(h->ck->target, ice_uri_base_name(entry->file));
        if (index == SIZE_MAX)
            continue;
        *out_entry = i - 1;
        return h->is_seen[index] ? SIZE_MAX : index;
    }
    return SIZE_MAX;
}

static bool is_other_table(const struct ice_metadata *a, const struct ice_metadata *b) {
    return a->table_uuid.size > 0 && b->table_uuid.size > 0 &&
           !ice_str_equal_nocase(a->table_uuid, b->table_uuid);
}

/* The log's own words about a file against that file. false: they differ. */
static bool compare_entry(struct ice_history *h, const struct ice_history_file *later,
                          size_t entry, const struct ice_history_file *earlier) {
    const struct ice_metadata_log_entry *logged = &later->metadata->metadata_log[entry];
    struct ice_place there = ice_history_place(earlier, ICE_STR_NONE);
    if (!logged->has_timestamp ||
        !ice_metadata_has(earlier->metadata, ICE_META_last_updated_ms) ||
        logged->timestamp_ms == earlier->metadata->last_updated_ms)
        return true;
    struct ice_place place = ice_history_place(
        later, ice_history_pointer(h, "metadata-log", entry, "/timestamp-ms"));
    FOUND_VS(h->ck->emit, ICE_RULE_METADATA_LOG_TIMESTAMP_MISMATCH, ICE_DEFAULT, &place,
             &there, arg_id("logged", logged->timestamp_ms),
             arg_id("updated", earlier->metadata->last_updated_ms),
             arg_str("name", ice_history_name(h, earlier->name)));
    return false;
}

/* Is the file named by the log of the current one? */
static bool is_logged_now(const struct ice_history *h, size_t index, size_t *out_entry) {
    const struct ice_metadata *m = &h->ck->metadata;
    for (size_t i = 0; i < m->n_metadata_log; i++) {
        if (m->metadata_log[i].has_what &&
            ice_str_equal(ice_uri_base_name(m->metadata_log[i].file),
                          ice_history_name(h, index))) {
            *out_entry = i;
            return true;
        }
    }
    return false;
}

static void report_other_table(struct ice_history *h,
                               const struct ice_history_file *current,
                               const struct ice_history_file *later,
                               const struct ice_history_file *earlier) {
    size_t entry;
    h->ck->has_other_table = true;
    struct ice_place there = ice_history_place(earlier, ICE_STR("/table-uuid"));
    struct ice_arg name = arg_str("name", ice_history_name(h, earlier->name));
    struct ice_arg other = arg_str("other", earlier->metadata->table_uuid);
    if (is_logged_now(h, earlier->name, &entry)) {
        struct ice_place place = ice_history_place(
            current, ice_history_pointer(h, "metadata-log", entry, "/metadata-file"));
        FOUND_VS(h->ck->emit, ICE_RULE_METADATA_LOG_FOREIGN_UUID, ICE_DEFAULT, &place,
                 &there, name, other, arg_str("uuid", h->ck->metadata.table_uuid));
        return;
    }
    struct ice_place place = ice_history_place(later, ICE_STR("/table-uuid"));
    FOUND_VS(h->ck->emit, ICE_RULE_HISTORY_UUID_CHANGED, ICE_DEFAULT, &place, &there,
             arg_str("from", earlier->metadata->table_uuid),
             arg_str("to", later->metadata->table_uuid), name);
}

/* From the current file back, each beside the one that came after it. */
static enum ice_status walk_chain(struct ice_history *h,
                                  const struct ice_history_file *current,
                                  struct ice_error *err) {
    struct ice_metadata documents[2] = {{0}};
    struct ice_history_file later = *current, earlier;
    enum ice_status status = keep_chain(h, current, err);
    size_t entry = 0, turn = 0;
    bool is_read = true;
    while (status >= 0 && is_read) {
        size_t index = before_of(h, later.metadata, &entry);
        if (index == SIZE_MAX)
            break;
        bool is_adjacent = entry + 1 == later.metadata->n_metadata_log;
        ice_metadata_release(&documents[turn]);
        status = read_file(h, index, &documents[turn], &earlier, &is_read, err);
        h->is_seen[index] = true;
        if (status < 0 || !is_read)
            break;
        if (is_other_table(later.metadata, earlier.metadata)) {
            report_other_table(h, current, &later, &earlier);
            break;
        }
        /* what the next file copied wrong stands in the current one too: once is enough
         */
        if (compare_entry(h, &later, entry, &earlier) &&
            later.metadata != current->metadata && is_logged_now(h, earlier.name, &entry))
            (void)compare_entry(h, current, entry, &earlier);
        ice_history_pair(h, &earlier, &later, is_adjacent);
        ice_history_content(h, &earlier, &later);
        status = keep_chain(h, &earlier, err);
        later = earlier;
        turn = 1 - turn;
    }
    ice_metadata_release(&documents[0]);
    ice_metadata_release(&documents[1]);
    return status;
}

/* ---- what is beside it ---- */

/* Files that a log of the chain names are no rivals, read or not; nor is what a crashed
 * commit left, or the other codec of a version. */
static void mark_logged(struct ice_history *h) {
    const struct ice_target *target = h->ck->target;
    const struct ice_metadata *m = &h->ck->metadata;
    for (size_t i = 0; i < m->n_metadata_log; i++) {
        size_t index = m->metadata_log[i].has_what
                           ? find_name(target, ice_uri_base_name(m->metadata_log[i].file))
                           : SIZE_MAX;
        if (index != SIZE_MAX)
            h->is_seen[index] = true;
    }
    for (size_t i = 0; i < target->n_names; i++) {
        const struct ice_metadata_name *name = &target->names[i];
        bool is_twin = false;
        for (size_t k = 0; k < target->n_names && name->is_hadoop; k++)
            is_twin =
                is_twin || (k != i && target->names[k].is_hadoop &&
                            target->names[k].version == name->version && h->is_seen[k]);
        h->is_seen[i] = h->is_seen[i] || name->is_temp || is_twin;
    }
}

static enum ice_status look_beside(struct ice_history *h, struct ice_error *err) {
    struct ice_metadata document = {0};
    struct ice_history_file side;
    bool is_read;
    for (size_t i = 0; i < h->ck->target->n_names; i++) {
        if (h->is_seen[i])
            continue;
        ice_check_progress(h->ck, "history", i, h->ck->target->n_names);
        enum ice_status status = read_file(h, i, &document, &side, &is_read, err);
        if (status >= 0 && is_read)
            ice_history_side(h, &side);
        ice_metadata_release(&document);
        if (status < 0)
            return status;
    }
    ice_history_end(h);
    return ICE_OK;
}

enum ice_status ice_pass6_history(struct ice_check *ck, struct ice_error *err) {
    struct ice_history h = {.ck = ck, .newer = SIZE_MAX};
    if (!is_asked(ck))
        return ICE_OK;
    struct ice_history_file current = {
        .metadata = &ck->metadata,
        .name = find_name(ck->target, ice_key_name(ck->metadata_key)),
        .file = ck->metadata_file};
    if (current.name == SIZE_MAX)
        return ICE_OK;
    h.is_seen = ice_arena_array(&ck->arena, ck->target->n_names, sizeof(*h.is_seen));
    h.chain = ice_arena_array(&ck->arena, ck->target->n_names, sizeof(*h.chain));
    if (h.is_seen == NULL || h.chain == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < ICE_COUNT_OF(h.scratch); i++)
        ice_buf_init(&h.scratch[i], &ck->run->alloc, SIZE_MAX);
    enum ice_status status = walk_chain(&h, &current, err);
    if (status >= 0) {
        mark_logged(&h);
        status = look_beside(&h, err);
    }
    for (size_t i = 0; i < ICE_COUNT_OF(h.scratch); i++)
        ice_buf_release(&h.scratch[i]);
    return status;
}
