/*
 * The state of a pointer: what the rules found, as one word and one sentence.
 */
#include "answer/pointer_state.h"

#include "base/error.h"
#include "check/history.h"
#include "check/storage.h"
#include "check/unfound.h"

#include <inttypes.h>
#include <stdio.h>

const char *ice_pointer_state_name(enum ice_pointer_state state) {
    switch (state) {
    case ICE_STATE_UNKNOWN:
        return "unknown";
    case ICE_STATE_CURRENT:
        return "current";
    case ICE_STATE_STALE:
        return "stale";
    case ICE_STATE_DANGLING:
        return "dangling";
    case ICE_STATE_FORKED:
        return "forked";
    case ICE_STATE_FOREIGN:
        return "foreign";
    case ICE_STATE_ABSENT:
        return "absent";
    case ICE_STATE_UNREGISTERED:
        return "unregistered";
    }
    return "unknown";
}

/* ---- words ---- */

static enum ice_status say(struct ice_check *ck, struct ice_pointer_verdict *out,
                           const char *before, struct ice_str name, const char *behind,
                           struct ice_error *err) {
    struct ice_buf text;
    ice_buf_init(&text, &ck->run->alloc, SIZE_MAX);
    bool done = ice_buf_append_str(&text, ice_str_from(before)) >= 0 &&
                ice_buf_append_str(&text, name) >= 0 &&
                ice_buf_append_str(&text, ice_str_from(behind)) >= 0 &&
                ice_arena_dup(&ck->arena, ice_buf_str(&text), &out->why);
    ice_buf_release(&text);
    return done ? ICE_OK : ice_error_memory(err);
}

static void set(struct ice_pointer_verdict *out, enum ice_pointer_state state,
                const char *why) {
    out->state = state;
    out->why = ice_str_from(why);
}

/* ---- by the directory ---- */

/* The newest file by its number, but for what a crashed commit left. */
static struct ice_str highest_name(const struct ice_target *target) {
    for (size_t i = target->n_names; i > 0; i--) {
        if (!target->names[i - 1].is_temp)
            return target->names[i - 1].name;
    }
    return ICE_STR_NONE;
}

static bool is_foreign(const struct ice_check *ck, const struct ice_pointer *entry) {
    return entry != NULL && ice_is_other_uuid(entry->table_uuid, ck->metadata.table_uuid);
}

static enum ice_status judge_stale(struct ice_check *ck, struct ice_pointer_verdict *out,
                                   struct ice_error *err) {
    char commits[64];
    out->state = ICE_STATE_STALE;
    out->newest = ck->newer;
    out->n_newer = ck->n_newer;
    (void)snprintf(commits, sizeof(commits), " continues it, by %zu commit%s",
                   ck->n_newer, ck->n_newer == 1 ? "" : "s");
    return say(ck, out, "", ck->newer, commits, err);
}

static enum ice_status judge_untold(struct ice_check *ck, struct ice_pointer_verdict *out,
                                    struct ice_error *err) {
    out->state = ICE_STATE_UNKNOWN;
    out->newest = ck->untold;
    return say(ck, out, "", ck->untold,
               " has a higher number, and neither its log nor its snapshots tell whether "
               "it continues the file that the catalog names",
               err);
}

/* A hint that names an older file than the one that readers like Java end up with. */
static bool is_stale_hint(const struct ice_check *ck) {
    const struct ice_target *target = ck->target;
    bool is_hadoop;
    if (!target->has_hint || ck->picked_by != ICE_PICKED_BY_HINT ||
        target->hint_version < 0)
        return false;
    return ice_metadata_name_version(ice_key_name(ck->metadata_key), &is_hadoop) >
           target->hint_version;
}

/* What the directory says against a pointer that leads to a file of it. */
static void judge_rivals(const struct ice_check *ck, struct ice_pointer_verdict *out) {
    if (ck->has_fork)
        set(out, ICE_STATE_FORKED,
            "another file beside it has its version, or its parent: one of two commits "
            "was lost");
    else if (ck->has_restored)
        set(out, ICE_STATE_FORKED,
            "a file of a lower number was written later and has commits that this one "
            "has not: an older state was put over them, or clocks disagree");
}

static enum ice_status judge_by_hint(struct ice_check *ck,
                                     struct ice_pointer_verdict *out,
                                     struct ice_error *err) {
    const struct ice_target *target = ck->target;
    if (is_stale_hint(ck)) {
        for (size_t i = 0; i < target->n_names; i++) {
            if (target->names[i].is_hadoop &&
                target->names[i].version == target->hint_version)
                out->current = target->names[i].name;
        }
        out->state = ICE_STATE_STALE;
        return say(ck, out, "the hint says ", target->hint_text,
                   ", and files go on behind it: readers that do not look further miss "
                   "them",
                   err);
    }
    if (ck->picked_by != ICE_PICKED_BY_HINT && target->hint_version < 0) {
        set(out, ICE_STATE_UNKNOWN, "the hint holds no version number");
        return ICE_OK;
    }
    if (ck->picked_by != ICE_PICKED_BY_HINT) {
        out->state = ICE_STATE_DANGLING;
        return say(ck, out, "the hint says ", target->hint_text,
                   ", and no file of that version is there", err);
    }
    set(out, ICE_STATE_CURRENT, "");
    judge_rivals(ck, out);
    return ICE_OK;
}

static enum ice_status judge_found(struct ice_check *ck, struct ice_pointer_verdict *out,
                                   struct ice_error *err) {
    const struct ice_pointer *entry = ck->pointer;
    bool is_registered = entry != NULL;
    const struct ice_pointers *pointers = ck->pointers;
    out->newest = ice_key_name(ck->metadata_key);
    if (ck->newer.size > 0)
        return judge_stale(ck, out, err);
    if (!is_registered && pointers->n_exports > 0 && !pointers->is_partial &&
        pointers->n_faults == 0)
        set(out, ICE_STATE_UNREGISTERED,
            "no entry names it: dropped, renamed, or never registered");
    else if (!is_registered && ck->target->has_hint)
        return judge_by_hint(ck, out, err);
    else if (!is_registered)
        set(out, ICE_STATE_UNKNOWN, "no catalog and no hint says which file is current");
    else
        set(out, ICE_STATE_CURRENT, "");
    if (out->state != ICE_STATE_UNREGISTERED)
        judge_rivals(ck, out);
    if (ck->untold.size > 0 && out->state == ICE_STATE_CURRENT)
        return judge_untold(ck, out, err);
    return ICE_OK;
}

static enum ice_status judge_directory(struct ice_check *ck,
                                       struct ice_pointer_verdict *out,
                                       struct ice_error *err) {
    const struct ice_pointer *entry = ck->pointer;
    bool is_absent = entry != NULL && entry->format != ICE_POINTER_HINT &&
                     entry->metadata_location.size == 0;
    out->is_recreated = ck->has_other_table;
    if (is_absent) {
        set(out, ICE_STATE_ABSENT, "the entry has no metadata location");
        out->newest = highest_name(ck->target);
    } else if (ck->pointer_is_missing) {
        set(out, ICE_STATE_DANGLING, "the file is not there");
        out->newest = highest_name(ck->target);
    } else if (!ck->metadata_readable) {
        set(out, ICE_STATE_UNKNOWN, "the metadata file could not be read");
    } else if (is_foreign(ck, entry)) {
        set(out, ICE_STATE_FOREIGN,
            "the entry says another table-uuid than the file it points to");
    } else if (ck->target->is_document) {
        set(out, ICE_STATE_UNKNOWN,
            "the catalog's answer alone does not say what storage holds");
    } else {
        return judge_found(ck, out, err);
    }
    return ICE_OK;
}

/* ---- the rules ---- */

static enum ice_status run_rules(struct ice_check *ck, struct ice_error *err) {
    ck->want_history = true;
    ck->unfound.are_held = true; /* judge_listing asks the listings */
    ICE_TRY(ice_check_read_metadata(ck, err));
    if (ck->metadata.is_view || !ck->metadata_readable)
        return ICE_OK;
    ICE_TRY(ice_check_relocated(ck, err));
    ICE_TRY(ice_check_pointers(ck, err));
    ICE_TRY(ice_check_freshness(ck, err));
    return ice_pass6_history(ck, err);
}

/* An entry that leads nowhere: what it says by itself. */
static enum ice_status judge_alone(struct ice_check *ck, struct ice_pointer_verdict *out,
                                   struct ice_error *err) {
    ck->pointer = ck->wanted_pointer;
    ck->table_name = out->name;
    if (ck->pointer == NULL)
        return ICE_OK;
    if (ck->pointer->format != ICE_POINTER_HINT &&
        ck->pointer->metadata_location.size == 0) {
        ice_report_absent_pointer(ck);
        set(out, ICE_STATE_ABSENT, "the entry has no metadata location");
    }
    return ice_check_pointers(ck, err);
}

/* ---- listings ---- */

static int64_t version_of(struct ice_str name) {
    bool is_hadoop;
    return ice_metadata_name_version(name, &is_hadoop);
}

/* Metadata files lie beside the one that the entry names, else where they mostly do. */
static enum ice_status find_directory(struct ice_check *ck,
                                      const struct ice_catalog_row *row,
                                      struct ice_listed_place *place,
                                      struct ice_error *err) {
    struct ice_str uri = row != NULL ? row->entry->metadata_location : ICE_STR_NONE;
    struct ice_str location = ck->metadata.location;
    place->directory = ice_key_parent(uri);
    if (uri.size > 0 || location.size == 0)
        return ICE_OK;
    while (location.size > 0 && location.data[location.size - 1] == '/')
        location.size--;
    if (ice_key_join(&ck->arena, location, ICE_STR("metadata"), &place->directory) < 0)
        return ice_error_memory(err);
    return ICE_OK;
}

static enum ice_status stale_by_listing(struct ice_check *ck, struct ice_str newer,
                                        struct ice_str current,
                                        struct ice_pointer_verdict *out,
                                        struct ice_error *err) {
    struct ice_place at = ice_place_file(ck->metadata_file, ICE_ORDER_LISTING);
    if (ck->pointer != NULL)
        at = ice_pointer_place(ck, ck->pointer);
    FOUND(ck->emit, ICE_RULE_STORAGE_ORPHAN_METADATA_NEWER, &at, arg_str("path", newer),
          arg_str("current", current));
    out->state = ICE_STATE_STALE;
    out->newest = newer;
    return say(ck, out, "the listing shows ", newer, ", which is newer by its number",
               err);
}

/* Nothing but names is known. */
static enum ice_status judge_names(struct ice_check *ck,
                                   const struct ice_listed_place *place,
                                   const struct ice_listed_metadata *listed,
                                   struct ice_str newer, struct ice_str current,
                                   struct ice_pointer_verdict *out,
                                   struct ice_error *err) {
    const struct ice_pointer *entry = out->row->entry;
    bool is_later = listed->newest_version > version_of(current) ||
                    (entry->has_time && listed->last_ms >= entry->time_ms);
    if (listed->has_wanted && newer.size > 0)
        return stale_by_listing(ck, newer, current, out, err);
    if (listed->has_wanted) {
        out->newest = current;
        set(out, ICE_STATE_CURRENT, "");
        return ICE_OK;
    }
    out->newest = listed->newest;
    if (place->versions->partial != NULL || !is_later) {
        set(out, ICE_STATE_UNKNOWN,
            "the file is not listed, but the listing is partial, or may be older than "
            "the "
            "pointer");
        ice_emit_not_evaluated(ck->emit, "catalog.pointer.missing-file", out->why, true,
                               current);
    } else {
        struct ice_place at = ice_pointer_place(ck, entry);
        FOUND(ck->emit, ICE_RULE_CATALOG_POINTER_MISSING_FILE, &at,
              arg_str("path", entry->metadata_location), arg_text("used", "nothing"));
        set(out, ICE_STATE_DANGLING, "the file is not listed");
    }
    return ICE_OK;
}

/* What was put there before the current state was written does not continue it. Times of
 * objects are of one clock; a writer's is another. */
static int64_t earliest_newer(const struct ice_check *ck, bool is_table,
                              const struct ice_listed_metadata *listed) {
    enum { MINUTE_MS = 60000 };
    const struct ice_metadata *m = &ck->metadata;
    if (listed->wanted_ms >= 0)
        return listed->wanted_ms - MINUTE_MS;
    if (is_table && ice_metadata_has(m, ICE_META_last_updated_ms) &&
        m->last_updated_ms >= 0)
        return m->last_updated_ms - ICE_CLOCKS_APART_MS;
    return INT64_MIN;
}

/* The file is not here, and the bucket has it. */
static enum ice_status not_copied(struct ice_check *ck,
                                  const struct ice_listed_place *place,
                                  struct ice_str current, struct ice_pointer_verdict *out,
                                  struct ice_error *err) {
    struct ice_str uri;
    if (ice_key_join(&ck->arena, place->directory, current, &uri) < 0)
        return ice_error_memory(err);
    ice_unfound_see_metadata(ck, uri);
    set(out, ICE_STATE_UNKNOWN,
        "the copy lacks the file, which the listing has: copy it and ask again");
    return ICE_OK;
}

/* The file that should be current: by the entry, or by a hint that leads nowhere. */
static enum ice_status wanted_name(struct ice_check *ck,
                                   const struct ice_pointer_verdict *out,
                                   struct ice_str *out_name, struct ice_error *err) {
    char name[64];
    *out_name = ice_uri_base_name(out->current);
    if (out->row != NULL || out->state != ICE_STATE_DANGLING ||
        ck->target->hint_version < 0)
        return ICE_OK;
    (void)snprintf(name, sizeof(name), "v%" PRId64 ".metadata.json",
                   ck->target->hint_version);
    return ice_arena_dup(&ck->arena, ice_str_from(name), out_name)
               ? ICE_OK
               : ice_error_memory(err);
}

static enum ice_status judge_listing(struct ice_check *ck, bool is_table,
                                     const struct ice_listed_place *place,
                                     struct ice_pointer_verdict *out,
                                     struct ice_error *err) {
    struct ice_listed_metadata listed;
    struct ice_str current, newer;
    ICE_TRY(wanted_name(ck, out, &current, err));
    if (ck->options->has_at || place->versions->n == 0 || place->directory.size == 0 ||
        current.size == 0)
        return ICE_OK;
    if (ice_listed_metadata_at(place, current, INT64_MAX, &listed) < 0)
        return ice_error_memory(err);
    if (!listed.is_seen) {
        ice_emit_not_evaluated(ck->emit, "storage",
                               ICE_STR("no listing shows a metadata file of this table"),
                               true, place->directory);
        return ICE_OK;
    }
    if (listed.has_wanted && out->state == ICE_STATE_DANGLING)
        return not_copied(ck, place, current, out, err);
    /* files of the directory itself are judged by what they hold */
    struct ice_str newest =
        out->state == ICE_STATE_CURRENT ? ice_uri_base_name(out->newest) : current;
    if (ice_listed_newer(place, ck->target, newest, earliest_newer(ck, is_table, &listed),
                         &newer) < 0)
        return ice_error_memory(err);
    if (!is_table && out->row != NULL && out->state == ICE_STATE_UNKNOWN)
        return judge_names(ck, place, &listed, newer, current, out, err);
    if (out->state == ICE_STATE_CURRENT && newer.size > 0 &&
        !ice_history_has_branches(ck))
        return stale_by_listing(ck, newer, current, out, err);
    return ICE_OK;
}

enum ice_status ice_judge_pointer(struct ice_check *ck, const struct ice_catalog_row *row,
                                  struct ice_listed_place *place,
                                  struct ice_pointer_verdict *out,
                                  struct ice_error *err) {
    bool is_table =
        ck->target->kind == ICE_TARGET_TABLE || ck->target->kind == ICE_TARGET_METADATA;
    *out = (struct ice_pointer_verdict){.row = row};
    if (row != NULL) {
        out->name = row->name;
        out->current = row->entry->metadata_location;
    }
    if (!is_table) {
        ICE_TRY(judge_alone(ck, out, err));
    } else {
        ICE_TRY(run_rules(ck, err));
        ICE_TRY(judge_directory(ck, out, err));
        if (ck->metadata_readable && !ck->metadata.is_view) {
            ice_freshness_of(&ck->metadata, &out->freshness);
            out->is_read = true;
        }
    }
    if (out->name.size == 0)
        out->name = ck->table_name;
    if (row == NULL && ck->target->has_hint)
        out->source = "version-hint.text";
    if (out->current.size == 0 && ck->pinned && out->state != ICE_STATE_ABSENT &&
        out->state != ICE_STATE_DANGLING)
        out->current = ck->metadata_file;
    enum ice_status status = find_directory(ck, row, place, err);
    if (status >= 0)
        status = judge_listing(ck, is_table, place, out, err);
    ice_unfound_tell(ck);
    return status;
}
