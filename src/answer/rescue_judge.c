/*
 * Is a state whole? One run of the passes over each metadata file: all snapshots of it
 * that no newer file had are judged together, so that a manifest which they share is read
 * once.
 */
#include "answer/rescue_run.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- verdicts ---- */

const struct ice_rescue_snapshot *ice_rescue_find(const struct ice_rescue *r, int64_t id,
                                                  uint64_t list) {
    size_t at = SIZE_MAX;
    uint32_t index;
    uint64_t key = ice_hash_mix((uint64_t)id, r->reader->run.hash_seed);
    while (ice_table_next(&r->snapshots_by_id, key, &at, &index)) {
        if (r->snapshots[index].id == id && r->snapshots[index].list == list)
            return &r->snapshots[index];
    }
    return NULL;
}

static uint64_t hash_of_list(struct ice_rescue_run *run, const struct ice_snapshot *s) {
    struct ice_str list;
    if (ice_snapshot_manifest_list(&run->ck.metadata, s, &run->text, &list) < 0)
        run->status = ice_error_memory(run->r->err);
    return ice_hash64(list, run->r->reader->run.hash_seed);
}

/* ---- what was not read ---- */

/* Is it lost, or is nothing known of it? */
static enum ice_status look_for(struct ice_rescue_run *run, struct ice_str uri,
                                bool *out_lost) {
    struct ice_source *source;
    struct ice_str key;
    struct ice_file_info info;
    struct ice_buf scratch;
    ice_buf_init(&scratch, &run->r->reader->run.alloc, SIZE_MAX);
    enum ice_status status =
        ice_mapping_resolve(&run->ck.mapping, uri, &scratch, &source, &key, NULL);
    *out_lost = status == ICE_OK &&
                ice_source_stat(source, key, run->ck.run, &info, NULL) == ICE_ENOENT;
    ice_buf_release(&scratch);
    return status == ICE_ENOMEM ? ice_error_memory(run->r->err) : ICE_OK;
}

/* What is wrong with a list or manifest that was not read whole. */
struct unread {
    enum ice_rescue_health health;
    const char *rule;
    struct ice_str message;
};

static struct unread unread_of(const char *lost_rule, bool is_not_copied, bool is_lost) {
    if (is_not_copied)
        return (struct unread){ICE_RESCUE_UNSURE, "storage.file.not-copied",
                               ICE_STR("storage has it, and the copy lacks it")};
    if (is_lost)
        return (struct unread){ICE_RESCUE_BROKEN, lost_rule, ICE_STR("it is missing")};
    return (struct unread){ICE_RESCUE_UNSURE, "not-evaluated",
                           ICE_STR("it was not read whole")};
}

static enum ice_status judge_unread(struct ice_rescue_run *run) {
    struct ice_check *ck = &run->ck;
    struct ice_str uri = ICE_STR_NONE;
    bool is_lost;
    for (size_t n = 0; n < ck->n_snapshots && run->status >= 0; n++) {
        struct ice_snapshot_facts *facts = &ck->snapshots[n];
        if (!facts->in_scope || facts->list_state == ICE_READ_WHOLE)
            continue;
        if (ice_snapshot_manifest_list(&ck->metadata,
                                       &ck->metadata.snapshots[facts->index], &run->text,
                                       &uri) < 0)
            return ice_error_memory(run->r->err);
        ICE_TRY(look_for(run, uri, &is_lost));
        struct unread why =
            unread_of("storage.manifest-list.missing", facts->is_not_copied, is_lost);
        ice_rescue_blame_snapshot(run, n, why.health, why.rule,
                                  ice_check_file_name(ck, uri), why.message);
    }
    for (size_t m = 0; m < ck->n_manifests && run->status >= 0; m++) {
        const struct ice_manifest_facts *facts = &ck->manifests[m];
        if (facts->state == ICE_READ_WHOLE)
            continue;
        ICE_TRY(look_for(run, facts->path, &is_lost));
        struct unread why =
            unread_of("storage.manifest.missing", facts->is_not_copied, is_lost);
        ice_rescue_blame_manifest(run, m, why.health, why.rule, run->manifests[m],
                                  why.message);
    }
    return run->status;
}

/* A listing that is partial, or older than the table, leaves all states unsure. */
static enum ice_status judge_summary(struct ice_rescue_run *run,
                                     const struct ice_summary *summary) {
    for (size_t i = 0; i < summary->n_not_evaluated && run->status >= 0; i++) {
        const struct ice_not_evaluated *item = &summary->not_evaluated[i];
        bool is_orphans = ice_str_starts(item->what, ICE_STR("storage.orphan.*"));
        bool is_general =
            ice_str_starts(item->what, ICE_STR("storage.")) && item->file.size == 0;
        bool is_told = ice_str_is(item->why, "storage.file.not-copied");
        if (item->asked && !is_orphans && !is_told && (run->is_alone || is_general))
            run->status = ice_rescue_blame(run->r, &run->own, ICE_RESCUE_UNSURE,
                                           "not-evaluated", item->file, item->why);
    }
    return run->status;
}

/* ---- running ---- */

/* Which of its snapshots to judge here: those that no newer file had. */
static enum ice_status set_scope(struct ice_rescue_run *run, bool wants_all,
                                 bool *out_any) {
    struct ice_rescue *r = run->r;
    struct ice_check *ck = &run->ck;
    *out_any = false;
    for (size_t n = 0; n < ck->n_snapshots; n++) {
        const struct ice_snapshot *s = &ck->metadata.snapshots[ck->snapshots[n].index];
        uint64_t list = hash_of_list(run, s);
        run->verdict_of[n] = SIZE_MAX;
        ck->snapshots[n].in_scope =
            wants_all && ice_rescue_find(r, s->snapshot_id, list) == NULL;
        if (run->status < 0 || !ck->snapshots[n].in_scope)
            continue;
        if (r->n_snapshots >= UINT32_MAX ||
            !ice_array_reserve(&r->reader->run.alloc, &r->snapshots, r->n_snapshots,
                               &r->cap_snapshots, sizeof(*r->snapshots)))
            return ice_error_memory(r->err);
        r->snapshots[r->n_snapshots] =
            (struct ice_rescue_snapshot){.id = s->snapshot_id, .list = list};
        if (ice_table_put(
                &r->snapshots_by_id,
                ice_hash_mix((uint64_t)s->snapshot_id, r->reader->run.hash_seed),
                (uint32_t)r->n_snapshots) < 0)
            return ice_error_memory(r->err);
        run->verdict_of[n] = r->n_snapshots++;
        *out_any = true;
    }
    return run->status;
}

static enum ice_status begin(struct ice_rescue_run *run, struct ice_rescue *r,
                             const char *name, const char *snapshot) {
    struct ice_alloc *alloc = &r->reader->run.alloc;
    const struct ice_options *given = r->reader->check.options;
    *run = (struct ice_rescue_run){.r = r, .scope = SIZE_MAX};
    r->options.metadata = name;
    r->options.snapshot = snapshot;
    /* a file that only a catalog leads to */
    bool is_pointed = name == NULL;
    r->options.pointers = is_pointed ? given->pointers : NULL;
    r->options.n_pointers = is_pointed ? given->n_pointers : 0;
    r->options.catalog = is_pointed ? given->catalog : NULL;
    ice_buf_init(&run->text, alloc, SIZE_MAX);
    ice_table_init(&run->manifests_by_name, alloc);
    ice_table_init(&run->lists_by_name, alloc);
    ice_table_init(&run->records_by_place, alloc);
    ICE_TRY(ice_check_init(&run->ck, &r->reader->run, &r->options, &r->reader->target,
                           r->err));
    return ice_check_read_metadata(&run->ck, r->err);
}

static void end(struct ice_rescue_run *run) {
    ice_buf_release(&run->text);
    ice_table_release(&run->manifests_by_name);
    ice_table_release(&run->lists_by_name);
    ice_table_release(&run->records_by_place);
    ice_check_release(&run->ck);
}

/* The passes, and what they found. */
static enum ice_status finish(struct ice_rescue_run *run) {
    struct ice_check *ck = &run->ck;
    struct ice_summary summary = {0};
    ICE_TRY(ice_check_run_passes(ck, false, run->r->err));
    run->r->n_reads += ck->n_manifests_read;
    ICE_TRY(ice_rescue_index_places(run));
    ICE_TRY(ice_emit_deliver(ck->emit, ck->table_name, ck->metadata.table_uuid,
                             ice_rescue_on_finding, run, &summary, run->r->err));
    ICE_TRY(judge_summary(run, &summary));
    return run->is_alone ? ICE_OK : judge_unread(run);
}

/* ---- a metadata file ---- */

static enum ice_status add_file(struct ice_rescue *r, struct ice_str name,
                                struct ice_rescue_file **out) {
    if (!ice_array_reserve(&r->reader->run.alloc, &r->files, r->n_files, &r->cap_files,
                           sizeof(*r->files)))
        return ice_error_memory(r->err);
    struct ice_rescue_file *file = &r->files[r->n_files];
    *file = (struct ice_rescue_file){.order = r->n_files};
    if (!ice_arena_dup(&r->arena, name, &file->name))
        return ice_error_memory(r->err);
    r->n_files++;
    *out = file;
    return ICE_OK;
}

static enum ice_status keep_unread(struct ice_rescue_run *run,
                                   struct ice_rescue_file *file) {
    const struct ice_error *fault = &run->ck.metadata_fault;
    enum ice_rescue_health health =
        fault->status == ICE_EFORMAT ? ICE_RESCUE_BROKEN : ICE_RESCUE_UNSURE;
    return ice_rescue_blame(run->r, &file->verdict, health,
                            fault->rule != NULL ? fault->rule : "not-evaluated",
                            run->ck.metadata_file,
                            fault->message[0] != '\0' ? ice_str_from(fault->message)
                                                      : ICE_STR("it could not be read"));
}

static void keep_current(struct ice_rescue_run *run, struct ice_rescue_file *file) {
    const struct ice_metadata *m = &run->ck.metadata;
    file->is_read = true;
    file->has_time = ice_metadata_has(m, ICE_META_last_updated_ms);
    file->time_ms = m->last_updated_ms;
    file->has_snapshot = ice_metadata_has_current(m);
    file->snapshot_id = m->current_snapshot_id;
    size_t index =
        file->has_snapshot ? ice_metadata_find_snapshot(m, file->snapshot_id) : SIZE_MAX;
    if (index != SIZE_MAX)
        file->list = hash_of_list(run, &m->snapshots[index]);
}

/* Judges the file, and those of its snapshots that no newer file had; but only where its
 * current one is among them, or it is the first. */
static enum ice_status judge_read(struct ice_rescue_run *run,
                                  struct ice_rescue_file *file) {
    struct ice_rescue *r = run->r;
    struct ice_check *ck = &run->ck;
    bool is_any;
    keep_current(run, file);
    run->verdict_of =
        ice_arena_array(&ck->arena, ck->n_snapshots, sizeof(*run->verdict_of));
    if (run->verdict_of == NULL)
        return ice_error_memory(r->err);
    bool is_wanted =
        file->order == 0 ||
        (file->has_snapshot && ice_rescue_find(r, file->snapshot_id, file->list) == NULL);
    ICE_TRY(set_scope(run, is_wanted, &is_any));
    if (!is_any) /* the document alone */
        ck->defaults.depth = ICE_DEPTH_METADATA;
    ICE_TRY(finish(run));
    file->verdict = run->own;
    return ICE_OK;
}

static bool is_other_table(const struct ice_rescue *r, const struct ice_metadata *m) {
    return ice_is_other_table(m, r->reader->metadata);
}

static enum ice_status judge_file(struct ice_rescue *r, struct ice_str name,
                                  const char *metadata) {
    struct ice_rescue_run run;
    struct ice_rescue_file *file = NULL;
    enum ice_status status = begin(&run, r, metadata, NULL);
    bool is_table = run.ck.metadata_readable && !run.ck.metadata.is_view;
    if (status >= 0 && !(is_table && is_other_table(r, &run.ck.metadata))) {
        status = add_file(r, name, &file);
        if (status >= 0)
            status = is_table ? judge_read(&run, file) : keep_unread(&run, file);
    }
    end(&run);
    return status < 0 ? status : ICE_OK;
}

/* No state of this branch: to register it would bring what was not merged. */
static bool is_of_branch(const struct ice_rescue *r, struct ice_str name) {
    for (size_t i = r->story.n_chain; i < r->story.n_files; i++) {
        if (r->story.files[i].side == ICE_SIDE_BRANCH &&
            ice_str_equal(r->story.files[i].name, name))
            return true;
    }
    return false;
}

enum ice_status ice_rescue_judge(struct ice_rescue *r) {
    const struct ice_target *target = &r->reader->target;
    const struct ice_check *ck = &r->reader->check;
    struct ice_str current = ice_key_name(ck->metadata_key);
    for (size_t i = 0; i < target->n_names; i++) {
        if (ck->metadata_source == target->source &&
            ice_str_equal(target->names[i].name, current))
            r->current = target->names[i].name.data;
    }
    ICE_TRY(judge_file(r, current, r->current));
    for (size_t i = target->n_names; i > 0; i--) {
        const struct ice_metadata_name *name = &target->names[i - 1];
        if (name->name.data == r->current || name->is_temp || is_of_branch(r, name->name))
            continue;
        if (r->n_files >= ICE_RESCUE_FILES || r->n_reads > ICE_RESCUE_READS) {
            r->n_unjudged++;
            continue;
        }
        ice_check_progress(ck, "rescue", target->n_names - i, target->n_names);
        ICE_TRY(judge_file(r, name->name, name->name.data));
    }
    return ICE_OK;
}

/* ---- a state alone ---- */

enum ice_status ice_rescue_judge_alone(struct ice_rescue *r,
                                       struct ice_rescue_state *state) {
    const struct ice_rescue_file *file = &r->files[state->file];
    const char *name = file->order == 0 ? r->current : file->name.data;
    struct ice_rescue_run run;
    char snapshot[32];
    (void)snprintf(snapshot, sizeof(snapshot), "%" PRId64, state->snapshot_id);
    enum ice_status status = begin(&run, r, name, state->has_snapshot ? snapshot : NULL);
    run.is_alone = true;
    if (status >= 0 && !run.ck.metadata_readable)
        status = keep_unread(&run, &(struct ice_rescue_file){0});
    else if (status >= 0) {
        if (state->has_snapshot)
            run.scope = ice_metadata_find_snapshot(&run.ck.metadata, state->snapshot_id);
        else
            run.ck.defaults.depth = ICE_DEPTH_METADATA;
        status = finish(&run);
    }
    if (status >= 0) {
        state->verdict = run.own;
        state->is_exact = true;
    }
    end(&run);
    return status < 0 ? status : ICE_OK;
}
