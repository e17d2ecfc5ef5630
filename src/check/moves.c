/*
 * Whether a table moved while it was being checked, and whether that matters.
 *
 * A file that was not there is lost, unless the pinned state is no longer the current
 * one: writers delete what they have committed to be without. A state that was current
 * when the file was already missed, and names it all the same, has lost it.
 */
#include "check/moves.h"

#include "base/error.h"

#include <time.h>

/* What pass 6 could not read: another metadata file than the one that is judged. */
#define HISTORY "history.*"

/* Where they are the reason, a file that metadata names was not there or changed. */
static const enum ice_rule_id gone_reasons[] = {
    ICE_RULE_STORAGE_MANIFEST_LIST_MISSING,
    ICE_RULE_STORAGE_MANIFEST_MISSING,
    ICE_RULE_STORAGE_FILE_NOT_COPIED,
    ICE_RULE_SOURCE_CHANGED,
};

/* Of files that no one needs to be evaluated. */
static const enum ice_rule_id gone_rules[] = {
    ICE_RULE_STORAGE_DATA_FILE_MISSING,    ICE_RULE_STORAGE_DELETE_FILE_MISSING,
    ICE_RULE_STATS_FILE_MISSING,           ICE_RULE_PSTATS_FILE_MISSING,
    ICE_RULE_CATALOG_POINTER_MISSING_FILE,
};

/* Things that a commit changes one after the other, and old metadata files. */
static const enum ice_rule_id late_rules[] = {
    ICE_RULE_HINT_MISSING,
    ICE_RULE_HINT_STALE,
    ICE_RULE_HINT_DANGLING,
    ICE_RULE_HINT_UNPARSEABLE,
    ICE_RULE_HINT_VERSION_GAP,
    ICE_RULE_HINT_LEFTOVER_TEMP,
    ICE_RULE_HINT_CODEC_AMBIGUOUS,
    ICE_RULE_CATALOG_POINTER_STALE,
    ICE_RULE_CATALOG_POINTER_AMBIGUOUS,
    ICE_RULE_STORAGE_ORPHAN_METADATA_NEWER,
    ICE_RULE_METADATA_LOG_FILE_MISSING,
    ICE_RULE_CATALOG_PREVIOUS_MISSING_FILE,
};

void ice_moves_init(struct ice_moves *moves, struct ice_run *run) {
    *moves = (struct ice_moves){.run = run};
    ice_arena_init(&moves->arena, &run->alloc);
    ice_table_init(&moves->gone, &run->alloc);
}

void ice_moves_release(struct ice_moves *moves) {
    if (moves->run == NULL)
        return;
    ice_table_release(&moves->gone);
    ice_arena_release(&moves->arena);
    *moves = (struct ice_moves){0};
}

/* ---- what did not fit ---- */

static bool is_among(enum ice_rule_id id, const enum ice_rule_id *rules, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (rules[i] == id)
            return true;
    }
    return false;
}

static bool is_gone(struct ice_str reason) {
    for (size_t i = 0; i < ICE_COUNT_OF(gone_reasons); i++) {
        if (ice_str_is(reason, ice_rule_of(gone_reasons[i])->name))
            return true;
    }
    return false;
}

/* *in_out_news: something was gone that no earlier run had missed. */
static enum ice_status note_gone(struct ice_moves *moves, struct ice_str reason,
                                 struct ice_str file, bool *in_out_news) {
    uint64_t seed = moves->run->hash_seed;
    uint64_t key = ice_hash64(reason, seed) ^ ice_hash64(file, seed + 1);
    size_t at = SIZE_MAX;
    uint32_t unused;
    if (ice_table_next(&moves->gone, key, &at, &unused))
        return ICE_OK;
    *in_out_news = true;
    return ice_table_put(&moves->gone, key, 0);
}

static enum ice_status find_gone(struct ice_moves *moves, const struct ice_check *ck,
                                 bool *out_news) {
    size_t n;
    const struct ice_not_evaluated *lines = ice_emit_missed(ck->emit, &n);
    *out_news = false;
    for (size_t i = 0; i < n; i++) {
        if (lines[i].asked && is_gone(lines[i].why) &&
            !ice_str_is(lines[i].what, HISTORY))
            ICE_TRY(note_gone(moves, lines[i].why, lines[i].file, out_news));
    }
    for (size_t i = 0; i < ice_emit_count(ck->emit); i++) {
        enum ice_rule_id id = ice_emit_rule(ck->emit, i);
        if (is_among(id, gone_rules, ICE_COUNT_OF(gone_rules)))
            ICE_TRY(note_gone(moves, ice_str_from(ice_rule_of(id)->name),
                              ice_emit_arg_str(ck->emit, i, "path"), out_news));
    }
    return ICE_OK;
}

static bool has_late(const struct ice_check *ck) {
    size_t n;
    const struct ice_not_evaluated *lines = ice_emit_missed(ck->emit, &n);
    for (size_t i = 0; i < n; i++) {
        if (ice_str_is(lines[i].what, HISTORY) && is_gone(lines[i].why))
            return true;
    }
    for (size_t i = 0; i < ice_emit_count(ck->emit); i++) {
        if (is_among(ice_emit_rule(ck->emit, i), late_rules, ICE_COUNT_OF(late_rules)))
            return true;
    }
    return false;
}

/* What moves is late at every look, and neither stale nor lost. */
static void drop_late(struct ice_check *ck) {
    for (size_t i = 0; i < ice_emit_count(ck->emit); i++) {
        if (is_among(ice_emit_rule(ck->emit, i), late_rules, ICE_COUNT_OF(late_rules)))
            ice_emit_revise(ck->emit, i, ICE_OFF);
    }
}

/* ---- looking again ---- */

/* Standard input cannot be read once more. */
static bool reads_stdin(const struct ice_options *options) {
    bool found = false;
    for (size_t i = 0; i < options->n_listings; i++)
        found = found || strcmp(options->listings[i], "-") == 0;
    for (size_t i = 0; options->catalog == NULL && i < options->n_pointers; i++)
        found = found || strcmp(options->pointers[i], "-") == 0;
    return found;
}

/* Does the state that is judged follow the writer? A file that the user or a catalog
 * named stays what it is. */
static bool can_move(const struct ice_check *ck) {
    const char *asked = ck->options->metadata;
    return ck->target->kind == ICE_TARGET_TABLE && ck->pinned &&
           !reads_stdin(ck->options) &&
           (asked == NULL || strcmp(asked, "latest") == 0 || strcmp(asked, "hint") == 0);
}

static bool is_same_hint(const struct ice_target *a, const struct ice_target *b) {
    return a->has_hint == b->has_hint && ice_str_equal(a->hint_text, b->hint_text);
}

static bool is_same_directory(const struct ice_target *a, const struct ice_target *b) {
    if (a->kind != b->kind || a->n_names != b->n_names || !is_same_hint(a, b) ||
        a->n_hint_temps != b->n_hint_temps)
        return false;
    for (size_t i = 0; i < a->n_names; i++) {
        if (!ice_str_equal(a->names[i].name, b->names[i].name) ||
            !ice_same_file(&a->names[i].info, &b->names[i].info))
            return false;
    }
    return true;
}

/* The file that would be judged now; empty: none. */
static enum ice_status pin_again(struct ice_moves *moves, const struct ice_check *ck,
                                 const struct ice_target *fresh, struct ice_str *out,
                                 struct ice_error *err) {
    struct ice_check again = {0};
    struct ice_options options = *ck->options;
    struct ice_ahead *helpers = ck->run->ahead; /* of the run, which goes on */
    *out = ICE_STR_NONE;
    if (fresh->kind != ICE_TARGET_TABLE)
        return ICE_OK;
    options.jobs = 1;
    options.on_note = NULL;
    ck->run->ahead = NULL;
    enum ice_status status = ice_check_init(&again, ck->run, &options, fresh, err);
    if (status >= 0) {
        again.now_ms = ck->now_ms;
        again.pointers = ck->pointers; /* an export says what it said */
        again.wanted_pointer = ck->wanted_pointer;
        status = ice_check_pin_with(&again, err);
    }
    if (status >= 0 && !ice_arena_dup(&moves->arena, again.metadata_file, out))
        status = ice_error_memory(err);
    ice_check_release(&again);
    ck->run->ahead = helpers;
    return status;
}

static const struct ice_file_info *info_of(const struct ice_target *target,
                                           struct ice_str name) {
    for (size_t i = 0; i < target->n_names; i++) {
        if (ice_str_equal(target->names[i].name, name))
            return &target->names[i].info;
    }
    return NULL;
}

/* Was the pinned file written on, or replaced, since the directory was read? */
static bool was_rewritten(const struct ice_check *ck, const struct ice_target *fresh) {
    struct ice_str name = ice_key_name(ck->metadata_key);
    const struct ice_file_info *before = info_of(ck->target, name);
    const struct ice_file_info *now = info_of(fresh, name);
    return before != NULL && now != NULL && !ice_same_file(before, now);
}

/* ---- a metadata file that is being written ---- */

enum { YOUNG_MS = 10 * 1000, PATIENCE_MS = 2000, STEP_MS = 20 };

/*
 * PyIceberg and others write a metadata file under its own name, and it ends early until
 * they are done. A file that was written on just now may be such a one; a copy that was
 * cut is older, or does not change.
 */
bool ice_may_be_unfinished(const struct ice_check *ck) {
    const struct ice_error *fault = &ck->metadata_fault;
    const struct ice_file_info *info =
        info_of(ck->target, ice_key_name(ck->metadata_key));
    bool ends_early =
        fault->status < 0 && fault->rule != NULL &&
        (strcmp(fault->rule, ice_rule_of(ICE_RULE_JSON_TRUNCATED)->name) == 0 ||
         strcmp(fault->rule, ice_rule_of(ICE_RULE_METADATA_FILE_GZIP_CORRUPT)->name) ==
             0);
    return ends_early && info != NULL && info->mtime_ms != INT64_MIN &&
           info->mtime_ms <= ck->now_ms + YOUNG_MS &&
           info->mtime_ms >= ck->now_ms - YOUNG_MS;
}

/* Until it was written on and rests, or nothing comes for a while. */
static void wait_for_writer(const struct ice_check *ck) {
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    const struct ice_file_info *first =
        info_of(ck->target, ice_key_name(ck->metadata_key));
    struct ice_file_info last = {.mtime_ms = INT64_MIN};
    bool is_written_on = false;
    if (first != NULL)
        last = *first;
    for (int ms = 0; ms < PATIENCE_MS && !ice_check_cancelled(ck); ms += STEP_MS) {
        struct ice_file_info now = {.mtime_ms = INT64_MIN};
        (void)nanosleep(&step, NULL);
        if (ice_source_stat(ck->metadata_source, ck->metadata_key, ck->run, &now, NULL) <
            0)
            return; /* the commit was given up */
        bool is_same = ice_same_file(&last, &now);
        if (is_written_on && is_same)
            return;
        is_written_on = is_written_on || !is_same;
        last = now;
    }
}

/* ---- verdict ---- */

static void report_changed(const struct ice_moves *moves, struct ice_check *ck,
                           struct ice_str now) {
    struct ice_str from = moves->n_restarts > 0 ? moves->from : ck->metadata_file;
    struct ice_place place = ice_place_file(ck->metadata_file, ICE_ORDER_POINTER);
    if (ice_str_equal(from, now))
        return;
    FOUND(ck->emit, ICE_RULE_SCAN_CHANGED, &place, arg_str("from", ice_key_name(from)),
          arg_str("to", ice_key_name(now)),
          arg_str("judged", ice_key_name(ck->metadata_file)));
}

static void note_again(const struct ice_check *ck, struct ice_str now) {
    char from[200], to[200];
    if (ck->options->on_note != NULL)
        ice_check_note(ck, 1, "the table moved from %s to %s: begin again",
                       ice_escape(from, sizeof(from), ck->metadata_file),
                       ice_escape(to, sizeof(to), now));
}

static enum ice_status judge(struct ice_moves *moves, struct ice_check *ck,
                             const struct ice_target *fresh, enum ice_move *out,
                             struct ice_error *err) {
    struct ice_str now;
    bool has_news;
    ICE_TRY(pin_again(moves, ck, fresh, &now, err));
    bool is_other = !ice_str_equal(now, ck->metadata_file);
    if (find_gone(moves, ck, &has_news) < 0)
        return ice_error_memory(err);
    bool is_unread =
        ck->metadata_fault.status < 0 && (is_other || was_rewritten(ck, fresh));
    if (has_news || has_late(ck) || is_unread) {
        bool is_hopeless = (is_other && has_news) || is_unread;
        *out = moves->n_restarts < ICE_MOST_RESTARTS ? ICE_MOVE_AGAIN
               : is_hopeless                         ? ICE_MOVE_UNSETTLED
                                                     : ICE_MOVE_NONE;
        if (*out == ICE_MOVE_AGAIN)
            note_again(ck, now);
    }
    if (*out == ICE_MOVE_NONE && (is_other || !is_same_hint(ck->target, fresh)))
        drop_late(ck);
    if (*out == ICE_MOVE_NONE)
        report_changed(moves, ck, now);
    return ICE_OK;
}

enum ice_status ice_moves_look(struct ice_moves *moves, struct ice_check *ck,
                               struct ice_target *fresh, enum ice_move *out,
                               struct ice_error *err) {
    struct ice_error fault;
    ice_error_clear(&fault);
    *out = ICE_MOVE_NONE;
    *fresh = (struct ice_target){.hint_version = -1};
    if (!can_move(ck))
        return ICE_OK;
    if (moves->n_restarts == 0 &&
        !ice_arena_dup(&moves->arena, ck->metadata_file, &moves->from))
        return ice_error_memory(err);
    if (ice_may_be_unfinished(ck))
        wait_for_writer(ck);
    enum ice_status status = ice_target_again(fresh, ck->target, ck->run, &fault);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    /* what cannot be read now says nothing about then */
    bool is_blind = status < 0 || (fresh->has_hint && fresh->hint_fault.status < 0);
    if (is_blind || is_same_directory(ck->target, fresh)) {
        if (moves->n_restarts > 0)
            report_changed(moves, ck, ck->metadata_file);
        return ICE_OK;
    }
    return judge(moves, ck, fresh, out, err);
}
