/*
 * Pass 5: what storage holds against what metadata names.
 *
 * reads          the mapped tree (--storage local) and the listings, as a stream;
 *                manifests that hold suspects once more, for names
 * checks         group 22, and of groups 7, 10 and 14 what needs storage
 * leaves behind  nothing
 */
#include "check/storage.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "check/history.h"
#include "check/named.h"
#include "check/pointers.h"
#include "check/unfound.h"
#include "check/unread_members.h"

/* ---- may anything be called an orphan? ---- */

const char *ice_storage_blocked(const struct ice_check *ck) {
    if (ck->unfound.has_current)
        return "the current metadata file is not in the copy: what it names is unknown";
    if (ck->pointer_is_missing)
        return "the catalog's metadata file is missing: what it names is unknown";
    if (ck->hint_is_missing)
        return "the metadata file of version-hint.text is missing: what it names is "
               "unknown";
    if (ck->options->depth == ICE_DEPTH_METADATA || ck->options->depth == ICE_DEPTH_LIST)
        return "--depth does not reach the manifests";
    if (ck->options->snapshot != NULL)
        return "--snapshot leaves out what other snapshots name";
    if (ice_unread_names_files(ck))
        return "the metadata file has a part that could not be read: what it names is "
               "unknown";
    for (size_t i = 0; i < ck->n_snapshots; i++) {
        if (ck->snapshots[i].list_state != ICE_READ_WHOLE)
            return "a manifest list could not be read whole";
    }
    for (size_t i = 0; i < ck->n_manifests; i++) {
        if (ck->manifests[i].state != ICE_READ_WHOLE)
            return "a manifest could not be read whole";
    }
    return NULL;
}

const char *ice_storage_shared(const struct ice_check *ck) {
    struct ice_str value;
    if (ice_metadata_property(&ck->metadata, "gc.enabled", &value) &&
        !ice_str_equal_nocase(value, ICE_STR("true")))
        return "gc.enabled is false: branches of the catalog, or other tables, may need "
               "files that this state does not name";
    if (ice_history_has_branches(ck))
        return "other branches of the catalog may need files that this one does not name";
    return NULL;
}

static enum ice_rule_id orphan_rule(enum ice_object_class class) {
    switch (class) {
    case ICE_CLASS_DATA:
    case ICE_CLASS_DELETE:
        return ICE_RULE_STORAGE_ORPHAN_DATA;
    case ICE_CLASS_MANIFEST:
    case ICE_CLASS_LIST:
        return ICE_RULE_STORAGE_ORPHAN_MANIFEST;
    case ICE_CLASS_METADATA:
        return ICE_RULE_STORAGE_ORPHAN_METADATA;
    case ICE_CLASS_STATISTICS:
        return ICE_RULE_STORAGE_ORPHAN_STATISTICS;
    case ICE_CLASS_TEMP:
    case ICE_CLASS_UNKNOWN:
    case ICE_CLASS_COMPANION:
        return ICE_RULE_ID_COUNT; /* no rule speaks of it; `orphans` lists it */
    }
    return ICE_RULE_ID_COUNT;
}

/* Rivals of the current file are others' to judge: hint.*, catalog.pointer.*, forks. */
static bool is_rival(const struct ice_check *ck, const struct ice_orphan *orphan) {
    bool is_hadoop;
    int64_t own = ice_metadata_name_version(ice_key_name(ck->metadata_key), &is_hadoop);
    int64_t version = ice_metadata_name_version(ice_key_name(orphan->uri), &is_hadoop);
    return orphan->class == ICE_CLASS_METADATA && own >= 0 && version >= own;
}

static void report_orphan(struct ice_check *ck, const struct ice_orphan *orphan) {
    enum ice_rule_id rule = orphan_rule(orphan->class);
    struct ice_str name = ice_storage_name(ck, orphan->uri);
    struct ice_place place = ice_place_file(name, ICE_ORDER_LISTING);
    if (rule == ICE_RULE_ID_COUNT || orphan->is_named || is_rival(ck, orphan) ||
        ice_storage_foreign_of(ck, orphan->uri) != SIZE_MAX)
        return;
    const char *class = ice_object_class_name(orphan->class);
    if (orphan->is_young)
        FOUND(ck->emit, ICE_RULE_STORAGE_FILE_IN_FLIGHT, &place, arg_str("path", name),
              arg_text("what", "is named by no snapshot yet"));
    else if (orphan->size < 0) /* not every listing tells it */
        FOUND(ck->emit, rule, &place, arg_str("path", name), arg_text("class", class),
              arg_text("holds", "unknown size"));
    else {
        char holds[32];
        (void)snprintf(holds, sizeof(holds), "%" PRId64 " byte%s", orphan->size,
                       orphan->size == 1 ? "" : "s");
        FOUND(ck->emit, rule, &place, arg_str("path", name), arg_text("class", class),
              arg_text("holds", holds), arg_i64("size", orphan->size));
    }
}

/* A file of the directory is others' to judge where a catalog or a hint names the current
 * one: hint.*, catalog.pointer.*, forks. Of a young one the copy may be behind. */
static void report_newer(struct ice_check *ck) {
    struct ice_str name = ice_storage_name(ck, ck->storage->newer);
    struct ice_place place = ice_place_file(name, ICE_ORDER_LISTING);
    bool is_others = ck->picked_by != ICE_PICKED_BY_ARGUMENT &&
                     ck->picked_by != ICE_PICKED_BY_NAME &&
                     ice_pointer_find_name(ck->target, ice_key_name(name)) != SIZE_MAX;
    if (!is_others && !ck->storage->newer_is_young)
        FOUND(ck->emit, ICE_RULE_STORAGE_ORPHAN_METADATA_NEWER, &place,
              arg_str("path", name), arg_str("current", ck->metadata_file));
}

/* Why no file is an orphan: the newer file, with its name. */
static struct ice_str why_newer(struct ice_check *ck) {
    struct ice_buf text;
    struct ice_str out = ICE_STR("a newer metadata file is there");
    ice_buf_init(&text, &ck->run->alloc, SIZE_MAX);
    if (ice_buf_append_str(&text, out) < 0 ||
        ice_buf_append_str(&text, ICE_STR(": ")) < 0 ||
        ice_buf_append_str(&text, ice_storage_name(ck, ck->storage->newer)) < 0 ||
        !ice_arena_dup(&ck->arena, ice_buf_str(&text), &out))
        ice_emit_no_memory(ck->emit);
    ice_buf_release(&text);
    return out;
}

void ice_storage_report_orphans(struct ice_check *ck) {
    struct ice_storage *s = ck->storage;
    const char *reason = ice_storage_blocked(ck), *shared = ice_storage_shared(ck);
    struct ice_str blocked = reason != NULL ? ice_str_from(reason) : ICE_STR_NONE;
    if (s->newer.size > 0 && !ice_history_has_branches(ck)) {
        report_newer(ck);
        blocked = why_newer(ck);
    }
    if (shared != NULL)
        blocked = ice_str_from(shared);
    if (blocked.size > 0) {
        bool is_asked = shared == NULL && ck->options->snapshot == NULL &&
                        ck->options->depth != ICE_DEPTH_METADATA &&
                        ck->options->depth != ICE_DEPTH_LIST;
        if (s->n_orphans > 0)
            ice_emit_not_evaluated(ck->emit, "storage.orphan.*", blocked, is_asked,
                                   ICE_STR_NONE);
        return;
    }
    for (size_t i = 0; i < s->n_orphans; i++)
        report_orphan(ck, &s->orphans[i]);
    for (int class = 0; class < ICE_CLASS_COMPANION; class ++) {
        struct ice_orphan last = {.uri = ICE_STR("more files"),
                                  .size = -1,
                                  .class = (enum ice_object_class) class};
        for (uint64_t n = s->more_orphans[class]; n > 0; n--)
            report_orphan(ck, &last);
    }
}

/* ---- what the inputs are not ---- */

static struct ice_place place_of_inputs(const struct ice_check *ck) {
    struct ice_str file = ck->storage->group->in.partial_file;
    return ice_place_file(file.size > 0 ? file : ck->metadata.location,
                          ICE_ORDER_LISTING);
}

static void report_partial(struct ice_check *ck) {
    struct ice_storage *s = ck->storage;
    struct ice_place place = place_of_inputs(ck);
    if (!s->group->in.is_partial && s->n_outside == 0)
        return;
    FOUND(ck->emit, ICE_RULE_STORAGE_LISTING_PARTIAL, &place,
          arg_text("why", s->group->in.is_partial ? s->group->in.why_partial
                          : s->group->in.has_gap  ? "a directory could not be listed"
                                                 : "files lie outside of what it covers, "
                                                   "or behind its end"),
          arg_i64("count", (int64_t)s->n_outside),
          arg_str("path",
                  s->n_outside > 0 ? ice_storage_name(ck, s->outside) : ICE_STR("none")));
    ice_emit_not_evaluated(ck->emit, "storage.*", ICE_STR("storage.listing.partial"),
                           true, ICE_STR_NONE);
}

static void report_older(struct ice_check *ck) {
    struct ice_place place = place_of_inputs(ck);
    if (ck->storage->n_unknown == 0)
        return;
    FOUND(ck->emit, ICE_RULE_STORAGE_LISTING_OLDER, &place,
          arg_i64("count", (int64_t)ck->storage->n_unknown));
    ice_emit_not_evaluated(ck->emit, "storage.*", ICE_STR("storage.listing.older"), true,
                           ICE_STR_NONE);
}

/* A link that leads nowhere or out of the root, or a fault of the disk. */
static void report_unsized(struct ice_check *ck) {
    if (ck->storage->unsized.size > 0)
        ice_emit_not_evaluated(
            ck->emit, "storage.*",
            ICE_STR("a file is there that cannot be opened: its size is unknown"), true,
            ck->storage->unsized);
}

void ice_storage_report_inputs(struct ice_check *ck) {
    report_partial(ck);
    report_unsized(ck);
    report_older(ck);
}

enum ice_status ice_storage_collect(struct ice_check *ck, struct ice_storage_group *group,
                                    struct ice_error *err) {
    if (ice_named_open(ck) < 0 || ice_storage_open(ck, group) < 0)
        return ice_error_memory(err);
    ck->names_only = true;
    ice_unfound_hold(ck);
    ICE_TRY(ice_pass2_lists(ck, err));
    ICE_TRY(ice_pass3_manifests(ck, err));
    return ice_storage_sort(ck, err);
}

static enum ice_status judge(struct ice_check *ck, struct ice_error *err) {
    struct ice_storage *s = ck->storage;
    ICE_TRY(ice_storage_sort(ck, err));
    ICE_TRY(ice_storage_stream(ck, ice_storage_object, NULL, err));
    if (!ck->options->storage_local && !s->group->in.has_listing &&
        !s->group->in.is_partial)
        return ICE_OK; /* storage.listing.empty has said so */
    ICE_TRY(ice_storage_find_versions(ck, err));
    ICE_TRY(ice_storage_missing(ck, err));
    if (ice_storage_report_overwritten(ck) < 0)
        return ice_error_memory(err);
    ICE_TRY(ice_storage_report_newer(ck, err));
    ICE_TRY(ice_storage_report_foreign(ck, err));
    ice_storage_report_inputs(ck);
    ice_storage_report_orphans(ck);
    return ICE_OK;
}

enum ice_status ice_pass5_storage(struct ice_check *ck, struct ice_error *err) {
    if (ck->storage == NULL)
        return ICE_OK;
    enum ice_status status = judge(ck, err);
    ice_unfound_tell(ck);
    if (status >= 0)
        ice_storage_free(ck);
    return status;
}
