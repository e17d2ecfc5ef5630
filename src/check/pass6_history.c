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

/* ---- when ---- */

bool ice_history_is_asked(const struct ice_check *ck) {
    if (ck->target->kind != ICE_TARGET_TABLE || ck->target->n_names < 2 ||
        ck->metadata_source != ck->target->source)
        return false;
    if (ck->want_history || ice_pointers_are_asked(ck) || ice_storage_is_asked(ck))
        return true;
    for (unsigned id = 0; ck->options->n_only > 0 && id < ICE_RULE_ID_COUNT; id++) {
        const enum ice_rule_id rule = (enum ice_rule_id)id;
        if (ice_rule_of(rule)->needs & ICE_NEEDS_HISTORY &&
            ice_emit_is_on(ck->emit, rule))
            return true;
    }
    return false;
}

/* ---- the chain ---- */

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

static enum ice_status look_at_other_table(struct ice_history *h,
                                           const struct ice_history_file *earlier,
                                           const struct ice_history_file *later,
                                           struct ice_error *err) {
    size_t entry;
    h->ck->has_other_table = true;
    struct ice_place there = ice_history_place(earlier, ICE_STR("/table-uuid"));
    struct ice_arg name = arg_str("name", ice_history_name(h, earlier->name));
    struct ice_arg other = arg_str("other", earlier->metadata->table_uuid);
    (void)err;
    if (ice_history_is_logged(h, earlier->name, &entry)) {
        struct ice_place place =
            ice_place_at(h->ck->metadata_file, ICE_ORDER_HISTORY + h->current,
                         ice_history_pointer(h, "metadata-log", entry, "/metadata-file"));
        FOUND_VS(h->ck->emit, ICE_RULE_METADATA_LOG_FOREIGN_UUID, ICE_DEFAULT, &place,
                 &there, name, other, arg_str("uuid", h->ck->metadata.table_uuid));
        return ICE_OK;
    }
    struct ice_place place = ice_history_place(later, ICE_STR("/table-uuid"));
    FOUND_VS(h->ck->emit, ICE_RULE_HISTORY_UUID_CHANGED, ICE_DEFAULT, &place, &there,
             arg_str("from", earlier->metadata->table_uuid),
             arg_str("to", later->metadata->table_uuid), name);
    return ICE_OK;
}

static enum ice_status look_at_pair(struct ice_history *h,
                                    const struct ice_history_file *earlier,
                                    const struct ice_history_file *later,
                                    const struct ice_history_link *link,
                                    struct ice_error *err) {
    const struct ice_history_file current = {
        .metadata = &h->ck->metadata, .name = h->current, .file = h->ck->metadata_file};
    size_t entry;
    (void)err;
    /* what the next file copied wrong stands in the current one too: once is enough */
    if (link->is_logged && compare_entry(h, later, link->entry, earlier) &&
        later->metadata != current.metadata &&
        ice_history_is_logged(h, earlier->name, &entry))
        (void)compare_entry(h, &current, entry, earlier);
    ice_history_pair(h, earlier, later, link->is_adjacent);
    ice_history_content(h, earlier, later);
    if (link->is_adjacent)
        ice_history_retention(h, earlier, later);
    return ICE_OK;
}

static enum ice_status look_at_side(struct ice_history *h,
                                    const struct ice_history_file *side,
                                    struct ice_error *err) {
    return ice_history_side(h, side) < 0 ? ice_error_memory(err) : ICE_OK;
}

/* The current state does not need it: one level lower. */
static enum ice_status tell_unread(struct ice_history *h,
                                   const struct ice_history_file *file,
                                   struct ice_error *fault, struct ice_error *err) {
    struct ice_place place = ice_history_place(file, ICE_STR_NONE);
    (void)err;
    if (!file->metadata->is_view)
        return ice_check_fault(h->ck, fault, &place, ICE_SCOPE_UNREACHABLE, "history.*");
    ice_emit_not_evaluated(h->ck->emit, "history.*",
                           ICE_STR("a metadata file could not be read"), true,
                           file->file);
    return ICE_OK;
}

/* ---- the pass ---- */

enum ice_status ice_pass6_history(struct ice_check *ck, struct ice_error *err) {
    static const struct ice_history_visitor visitor = {.pair = look_at_pair,
                                                       .other_table = look_at_other_table,
                                                       .side = look_at_side,
                                                       .unread = tell_unread};
    struct ice_history h;
    if (!ice_history_is_asked(ck))
        return ICE_OK;
    enum ice_status status = ice_history_init(&h, ck, &visitor, NULL, err);
    if (status == ICE_OK)
        status = ice_history_walk(&h, err);
    if (status == ICE_OK)
        ice_history_end(&h);
    ice_history_release(&h);
    return status < 0 ? status : ICE_OK;
}
