/*
 * The whole job: open, passes, lines, delivery, summary.
 */
#include "check/check.h"
#include "check/history.h"
#include "check/moves.h"
#include "check/named.h"
#include "check/open_cache.h"
#include "check/passes.h"
#include "check/path_rules.h"
#include "check/place_lines.h"
#include "check/pointers.h"
#include "check/second_opinion.h"
#include "check/storage.h"
#include "check/unfound.h"
#include "inputs/catalog.h"
#include "rule/summary_box.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

/* What a caller holds as its summary. */
struct box {
    struct ice_summary_box base; /* first: the public handle */
    struct ice_target target;
    struct ice_options asked; /* of the run, complete */
    struct ice_cache_dir cache;
};

/* ---- what was not asked ---- */

static bool is_lone(const struct ice_target *target) {
    return target->kind != ICE_TARGET_TABLE && target->kind != ICE_TARGET_METADATA;
}

static void not_asked(struct ice_check *ck, const char *what, struct ice_str why) {
    ice_emit_not_evaluated(ck->emit, what, why, false, ICE_STR_NONE);
}

/* An id that nothing can raise, asked for by its name: its silence would say nothing. */
static void name_undecided(struct ice_check *ck) {
    for (size_t i = 0; i < ck->options->n_only; i++) {
        const struct ice_rule *rule = ice_rule_find(ck->options->only[i]);
        if (rule == NULL)
            continue; /* a pattern */
        if (rule->status != ICE_RULE_ACTIVE)
            ice_emit_not_evaluated(ck->emit, rule->name,
                                   ICE_STR("this version does not decide it"), true,
                                   ICE_STR_NONE);
        else if (rule == ice_rule_of(ICE_RULE_AVRO_SECOND_OPINION) &&
                 ck->options->on_block == NULL)
            ice_emit_not_evaluated(ck->emit, rule->name,
                                   ICE_STR("no second decoder: --second-opinion"), true,
                                   ICE_STR_NONE);
    }
}

static void name_not_asked(struct ice_check *ck) {
    enum ice_depth depth = ck->options->depth;
    name_undecided(ck);
    if (ck->target->kind == ICE_TARGET_EMPTY || ck->target->kind == ICE_TARGET_OTHER)
        return;
    if (is_lone(ck->target)) {
        not_asked(ck, "table", ICE_STR("a lone file was given"));
        return;
    }
    if (!ice_storage_is_asked(ck))
        not_asked(ck, "storage.*", ICE_STR("no listing"));
    if (ice_pointer_is_guessed(ck))
        not_asked(ck, "catalog.*", ICE_STR("no --pointer: the highest number was taken"));
    if (ck->target->n_names > 1 && ck->metadata_readable && !ice_history_is_asked(ck))
        not_asked(ck, "history.*", ICE_STR("no --pointer and no listing"));
    if (ice_history_has_branches(ck) && ice_other_entry(ck, true) != NULL)
        not_asked(ck, "other branches",
                  ICE_STR("check each by its own --pointer; this is the first"));
    struct ice_str why = ck->target->is_document ? ICE_STR("no --map to its directory")
                                                 : ICE_STR("--depth metadata");
    if (depth == ICE_DEPTH_METADATA)
        not_asked(ck, "list.*", why);
    if (depth == ICE_DEPTH_METADATA || depth == ICE_DEPTH_LIST)
        not_asked(ck, "manifest.*",
                  depth == ICE_DEPTH_LIST ? ICE_STR("--depth list") : why);
    if (ck->options->snapshot != NULL)
        not_asked(ck, "other snapshots", ICE_STR("--snapshot"));
}

/* ---- a table ---- */

static void name_poisoned(struct ice_check *ck, struct ice_str why) {
    if (ice_depth_reaches(ck->options->depth, ICE_DEPTH_LIST))
        ice_emit_not_evaluated(ck->emit, "list.*", why, true, ck->metadata_file);
    if (ice_depth_reaches(ck->options->depth, ICE_DEPTH_MANIFEST))
        ice_emit_not_evaluated(ck->emit, "manifest.*", why, true, ck->metadata_file);
}

static enum ice_status run_table(struct ice_check *ck, struct ice_error *err) {
    ice_unfound_hold(ck);
    ICE_TRY(ice_check_read_metadata(ck, err));
    if (ck->metadata.is_view)
        return ICE_OK;
    if (!ck->metadata_readable) {
        name_poisoned(ck, ICE_STR("the metadata file could not be read"));
        return ICE_OK;
    }
    return ice_check_run_passes(ck, true, err);
}

static enum ice_status run_target(struct ice_check *ck, struct ice_error *err) {
    switch (ck->target->kind) {
    case ICE_TARGET_TABLE:
    case ICE_TARGET_METADATA:
        return run_table(ck, err);
    case ICE_TARGET_LIST:
    case ICE_TARGET_MANIFEST:
    case ICE_TARGET_AVRO:
        ck->picked_by = ICE_PICKED_BY_ARGUMENT;
        ICE_TRY(ice_check_read_metadata(ck, err));
        if (ck->target->kind == ICE_TARGET_LIST)
            ICE_TRY(ice_check_lone_list(ck, err));
        else if (ck->target->kind == ICE_TARGET_MANIFEST)
            ICE_TRY(ice_check_lone_manifest(ck, err));
        else
            ICE_TRY(ice_check_lone_avro(ck, err));
        return ice_second_opinion_lone(ck, err);
    case ICE_TARGET_EMPTY:
        ICE_TRY(ice_check_read_metadata(ck, err));
        return ice_report_empty(ck, err);
    case ICE_TARGET_OTHER:
        ICE_TRY(ice_check_read_metadata(ck, err));
        ice_report_no_table(ck);
        return ICE_OK;
    }
    return ICE_OK;
}

/* ---- summary ---- */

static const char *depth_name(enum ice_depth depth) {
    switch (depth) {
    case ICE_DEPTH_METADATA:
        return "metadata";
    case ICE_DEPTH_LIST:
        return "list";
    case ICE_DEPTH_MANIFEST:
        return "manifest";
    case ICE_DEPTH_PUFFIN:
        return "puffin";
    }
    return "manifest";
}

static bool keep_text(struct box *box, struct ice_str text, struct ice_str *out) {
    return ice_arena_dup(&box->base.arena, text, out);
}

void ice_check_summarise(const struct ice_check *ck, struct ice_summary *out) {
    const struct ice_metadata *metadata = &ck->metadata;
    out->location = metadata->location;
    out->table_uuid = metadata->table_uuid;
    out->metadata_file = ck->metadata_file;
    out->picked_by = ice_picked_by_name(ck->picked_by);
    out->format_version = ck->version;
    out->has_current_snapshot = ice_metadata_has_current(metadata);
    out->current_snapshot_id = metadata->current_snapshot_id;
    out->n_refs = metadata->n_refs;
    out->n_metadata_files = ck->pinned ? 1 : 0;
    out->n_snapshots = metadata->n_snapshots;
    out->n_bytes = ck->n_bytes;
    out->depth = depth_name(ck->options->depth);
}

static enum ice_status fill_summary(struct box *box, const struct ice_check *ck,
                                    struct ice_error *err) {
    struct ice_summary *summary = &box->base.summary;
    struct ice_str scope;
    struct ice_str name = ck->table_name;
    ice_check_summarise(ck, summary);
    if (name.size == 0) /* the run ended before the table had a name */
        name = box->target.directory_name;
    if (!keep_text(box, name, &summary->table) ||
        !keep_text(box, summary->location, &summary->location) ||
        !keep_text(box, summary->table_uuid, &summary->table_uuid) ||
        !keep_text(box, summary->metadata_file, &summary->metadata_file) ||
        !keep_text(box, ice_str_from(ck->options->snapshot), &scope))
        return ice_error_memory(err);
    summary->n_lists = ck->n_lists;
    summary->n_manifests = ck->n_manifests_read;
    summary->n_entries = ck->n_entries;
    summary->has_opinions = ck->options->on_block != NULL;
    summary->n_same_blocks = ck->n_same_blocks;
    summary->n_same_records = ck->n_same_records;
    summary->scope_snapshots = ck->options->snapshot != NULL ? scope.data : "all";
    return ICE_OK;
}

static enum ice_status deliver(struct box *box, struct ice_check *ck,
                               ice_finding_fn on_finding, void *user,
                               struct ice_error *err) {
    name_not_asked(ck);
    if (box->base.summary.interrupted)
        ice_place_no_lines(ck);
    ICE_TRY(fill_summary(box, ck, err));
    return ice_emit_deliver(ck->emit, box->base.summary.table,
                            box->base.summary.table_uuid, on_finding, user,
                            &box->base.summary, err);
}

/* ---- a table that moves ---- */

/* One that does not hold still is judged by metadata.json alone. */
static void say_unsettled(const struct box *box, struct ice_check *ck,
                          const struct ice_moves *moves) {
    struct ice_str why = ICE_STR("scan.unsettled");
    struct ice_place place = ice_place_file(ck->metadata_file, ICE_ORDER_POINTER);
    ck->defaults = box->asked;
    if (ice_may_be_unfinished(ck))
        ice_emit_reset(ck->emit); /* what it lacks may come yet */
    FOUND(ck->emit, ICE_RULE_SCAN_UNSETTLED, &place,
          arg_i64("restarts", moves->n_restarts),
          arg_str("judged", ice_key_name(ck->metadata_file)));
    name_poisoned(ck, why);
    if (ice_storage_is_asked(ck))
        ice_emit_not_evaluated(ck->emit, "storage.*", why, true, ICE_STR_NONE);
}

/* One run over the target as it is; *ck is released by the caller. */
static enum ice_status run_once(struct box *box, const struct ice_options *options,
                                const struct ice_pointer *wanted, bool is_unsettled,
                                struct ice_check *ck, struct ice_error *err) {
    enum ice_status status =
        ice_check_init(ck, &box->base.run, options, &box->target, err);
    if (status < 0)
        return status;
    if (wanted != NULL)
        ck->wanted_pointer = wanted;
    ck->cache = box->cache.fd >= 0 ? &box->cache : NULL;
    if (box->target.is_document && ck->defaults.n_maps == 0)
        ck->defaults.depth = ICE_DEPTH_METADATA; /* there is nothing to look further in */
    box->asked = ck->defaults;
    if (is_unsettled) {
        ck->defaults.depth = ICE_DEPTH_METADATA;
        ck->defaults.storage_local = false;
        ck->defaults.n_listings = 0;
    }
    status = ice_over_memory(ck, ICE_AT_PASSES, run_target(ck, err), err);
    ice_unfound_tell(ck); /* where no pass did */
    if (status >= 0)
        status = ice_over_memory(ck, ICE_AT_LINES, ice_place_lines(ck, err), err);
    return status;
}

/* Runs until what is found holds. */
static enum ice_status run_settled(struct box *box, const struct ice_options *options,
                                   const struct ice_pointer *wanted,
                                   struct ice_moves *moves, struct ice_check *ck,
                                   struct ice_error *err) {
    enum ice_move move = ICE_MOVE_NONE;
    for (;;) {
        struct ice_target fresh = {0};
        bool is_last = move == ICE_MOVE_UNSETTLED;
        enum ice_status status = run_once(box, options, wanted, is_last, ck, err);
        if (status >= 0 && is_last)
            say_unsettled(box, ck, moves);
        else if (status >= 0)
            status = ice_moves_look(moves, ck, &fresh, &move, err);
        if (status == ICE_ENOMEM && ck->emit != NULL)
            status = ice_over_memory(ck, ICE_AT_MOVES, status, err);
        if (status < 0 || is_last || move == ICE_MOVE_NONE) {
            ice_target_release(&fresh);
            return status;
        }
        ice_check_release(ck);
        ice_target_replace(&box->target, &fresh);
        moves->n_restarts++;
    }
}

static enum ice_status run_check(struct box *box, const struct ice_options *options,
                                 const struct ice_pointer *wanted,
                                 ice_finding_fn on_finding, void *user,
                                 struct ice_error *err) {
    struct ice_check ck = {0};
    struct ice_moves moves;
    ICE_TRY(ice_cache_open(&box->cache, &box->base.run, options, &box->target, err));
    ice_moves_init(&moves, &box->base.run);
    enum ice_status status = run_settled(box, options, wanted, &moves, &ck, err);
    bool is_interrupted = status == ICE_ECANCELLED;
    box->base.summary.interrupted = is_interrupted;
    if (status >= 0 || is_interrupted) {
        enum ice_status delivered = deliver(box, &ck, on_finding, user, err);
        status = is_interrupted && delivered >= 0 ? ICE_ECANCELLED : delivered;
    }
    box->base.emit = ck.emit; /* the summary's texts live there */
    ck.emit = NULL;
    ice_check_release(&ck);
    ice_cache_dir_close(&box->cache);
    ice_moves_release(&moves);
    return status;
}

/* ---- public ---- */

static struct box *new_box(const struct ice_options *options, struct ice_error *err) {
    return (struct box *)ice_summary_box_new(sizeof(struct box), options, err);
}

/* Before there was a report to say it in. */
static enum ice_status tell_limit(const struct box *box, enum ice_status status,
                                  struct ice_error *err) {
    if (status != ICE_ENOMEM || !atomic_load(&box->base.run.alloc.over))
        return status;
    ice_error_clear(err);
    return ice_error_set(err, ICE_ELIMIT, "limit.memory", ICE_NO_OFFSET,
                         "more memory than %" PRIu64
                         " bytes is needed: raise --max-memory",
                         box->base.run.limits.memory);
}

/* Interrupted: the partial report was delivered, and its summary is the caller's too. */
static enum ice_status finish(struct box *box, enum ice_status status,
                              struct ice_summary **out, struct ice_error *err) {
    ice_target_release(&box->target);
    if (status < 0 && err != NULL && err->message[0] == '\0') {
        err->status = ICE_OK; /* nobody closer has said it */
        (void)ice_error_set(err, status, NULL, ICE_NO_OFFSET, "%s",
                            ice_status_name(status));
    }
    if (status >= 0 || (status == ICE_ECANCELLED && box->base.summary.interrupted))
        *out = &box->base.summary;
    else
        ice_summary_free(&box->base.summary);
    return status;
}

static bool is_misuse(const struct ice_options *options, struct ice_summary **out,
                      struct ice_error *err) {
    if (out != NULL && (options == NULL || options->size >= sizeof(size_t)))
        return false;
    (void)ice_error_set(
        err, ICE_EARG, NULL, ICE_NO_OFFSET,
        "options must start from ICE_OPTIONS_INIT, and out must be given");
    return true;
}

enum ice_status ice_check_table(struct ice_source *source, const char *root,
                                const struct ice_options *options,
                                ice_finding_fn on_finding, void *user,
                                struct ice_summary **out, struct ice_error *err) {
    if (is_misuse(options, out, err))
        return ICE_EARG;
    *out = NULL;
    struct box *box = new_box(options, err);
    if (box == NULL)
        return ICE_ENOMEM;
    enum ice_status status =
        ice_target_find(&box->target, &box->base.run, source, ice_str_from(root), err);
    if (status >= 0)
        status = run_check(box, options, NULL, on_finding, user, err);
    status = tell_limit(box, status, err);
    return finish(box, status, out, err);
}

/* The caller may have been built with a shorter struct. */
static bool has_catalog(const struct ice_options *options) {
    return options != NULL && options->size > offsetof(struct ice_options, catalog) &&
           options->catalog != NULL;
}

enum ice_status ice_check_path(const char *path, const struct ice_options *options,
                               ice_finding_fn on_finding, void *user,
                               struct ice_summary **out, struct ice_error *err) {
    if (is_misuse(options, out, err))
        return ICE_EARG;
    *out = NULL;
    struct box *box = new_box(options, err);
    if (box == NULL)
        return ICE_ENOMEM;
    enum ice_status status = ice_target_open(&box->target, &box->base.run, path, err);
    if (status >= 0 && has_catalog(options))
        status =
            ice_catalog_look_inside(options->catalog, &box->base.run, &box->target, err);
    if (status >= 0)
        status = run_check(box, options, NULL, on_finding, user, err);
    status = tell_limit(box, status, err);
    ice_error_set_file(err, ice_str_from(path));
    return finish(box, status, out, err);
}

enum ice_status ice_check_document(const struct ice_catalog *catalog, size_t index,
                                   const struct ice_options *options,
                                   ice_finding_fn on_finding, void *user,
                                   struct ice_summary **out, struct ice_error *err) {
    const struct ice_pointer *entry =
        index < catalog->n_rows ? catalog->rows[index].entry : NULL;
    if (is_misuse(options, out, err))
        return ICE_EARG;
    if (entry == NULL || entry->document_end == 0)
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "the entry has no metadata document");
    *out = NULL;
    struct box *box = new_box(options, err);
    if (box == NULL)
        return ICE_ENOMEM;
    enum ice_status status = ice_catalog_open_document(&catalog->pointers, entry,
                                                       &box->base.run, &box->target, err);
    if (status >= 0)
        status = run_check(box, options, entry, on_finding, user, err);
    status = tell_limit(box, status, err);
    ice_error_set_file(err, entry->file);
    return finish(box, status, out, err);
}
