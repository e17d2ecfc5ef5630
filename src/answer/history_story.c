/*
 * Gathering the story: the chain newest first, each file beside the one that came after
 * it, then what lies beside the chain.
 */
#include "answer/history_story.h"

#include "answer/commit_text.h"
#include "answer/member_faults.h"

#include "base/error.h"

#include <assert.h>

/* ---- commits ---- */

struct ice_story_commit *ice_story_find(const struct ice_story *story, int64_t id) {
    size_t at = SIZE_MAX;
    uint32_t index;
    uint64_t key = ice_hash_mix((uint64_t)id, story->reader->run.hash_seed);
    while (ice_table_next(&story->commits_by_id, key, &at, &index)) {
        if (story->commits[index].id == id)
            return &story->commits[index];
    }
    return NULL;
}

static void keep_numbers(const struct ice_metadata *m, const struct ice_snapshot *s,
                         struct ice_story_commit *out) {
    static const enum ice_metric metrics[ICE_STORY_NUMBERS] = {
        [ICE_STORY_ADDED_DATA_FILES] = ICE_METRIC_ADDED_DATA_FILES,
        [ICE_STORY_DELETED_DATA_FILES] = ICE_METRIC_DELETED_DATA_FILES,
        [ICE_STORY_ADDED_DELETE_FILES] = ICE_METRIC_ADDED_DELETE_FILES,
        [ICE_STORY_REMOVED_DELETE_FILES] = ICE_METRIC_REMOVED_DELETE_FILES,
        [ICE_STORY_ADDED_RECORDS] = ICE_METRIC_ADDED_RECORDS,
        [ICE_STORY_DELETED_RECORDS] = ICE_METRIC_DELETED_RECORDS,
        [ICE_STORY_TOTAL_RECORDS] = ICE_METRIC_TOTAL_RECORDS,
        [ICE_STORY_TOTAL_DATA_FILES] = ICE_METRIC_TOTAL_DATA_FILES,
        [ICE_STORY_TOTAL_FILES_SIZE] = ICE_METRIC_TOTAL_FILES_SIZE,
    };
    struct ice_snapshot_metrics all;
    ice_snapshot_metrics(m, s, &all);
    for (size_t i = 0; i < ICE_STORY_NUMBERS; i++) {
        if (((all.present >> metrics[i]) & 1) == 0)
            continue;
        out->has_numbers |= 1U << i;
        out->numbers[i] = all.values[metrics[i]];
    }
}

static enum ice_status keep_writer(struct ice_story *story, const struct ice_metadata *m,
                                   const struct ice_snapshot *s, struct ice_str *out) {
    ice_buf_clear(&story->text);
    ICE_TRY(ice_writer_text(m, s, &story->text));
    return ice_arena_dup(&story->arena, ice_buf_str(&story->text), out) ? ICE_OK
                                                                        : ICE_ENOMEM;
}

static enum ice_status add_commit(struct ice_story *story, const struct ice_metadata *m,
                                  const struct ice_snapshot *s, bool is_kept,
                                  bool is_beside) {
    bool has_parent = ice_snapshot_has_parent(s);
    struct ice_story_commit *known = ice_story_find(story, s->snapshot_id);
    if (known != NULL) {
        /* PyIceberg's expiry takes the parent of the oldest kept snapshot away */
        if (has_parent && !known->has_parent) {
            known->has_parent = true;
            known->parent = s->parent_snapshot_id;
        }
        return ICE_OK;
    }
    if (story->n_commits >= UINT32_MAX ||
        !ice_array_reserve(&story->reader->run.alloc, &story->commits, story->n_commits,
                           &story->cap_commits, sizeof(*story->commits)))
        return ICE_ENOMEM;
    struct ice_story_commit *commit = &story->commits[story->n_commits];
    *commit =
        (struct ice_story_commit){.id = s->snapshot_id,
                                  .parent = s->parent_snapshot_id,
                                  .time_ms = s->timestamp_ms,
                                  .sequence = s->sequence_number,
                                  .has_parent = has_parent,
                                  .has_time = ice_snapshot_has(s, ICE_SNAP_timestamp_ms),
                                  .is_kept = is_kept,
                                  .is_beside = is_beside,
                                  .file = SIZE_MAX};
    keep_numbers(m, s, commit);
    if (!ice_arena_dup(&story->arena, ice_snapshot_operation(m, s), &commit->operation))
        return ICE_ENOMEM;
    ICE_TRY(keep_writer(story, m, s, &commit->writer));
    return ice_table_put(
        &story->commits_by_id,
        ice_hash_mix((uint64_t)s->snapshot_id, story->reader->run.hash_seed),
        (uint32_t)story->n_commits++);
}

/* Of m, and what it lacks is told. file: m's, for messages. */
static enum ice_status add_commits(struct ice_story *story, const struct ice_metadata *m,
                                   struct ice_str file, bool is_kept, bool is_beside) {
    const uint64_t members = ICE_BIT(ICE_META_snapshots) |
                             ICE_BIT(ICE_META_metadata_log) | ICE_BIT(ICE_META_refs) |
                             ICE_BIT(ICE_META_properties) | ICE_BIT(ICE_META_schemas) |
                             ICE_BIT(ICE_META_partition_specs) |
                             ICE_BIT(ICE_META_sort_orders);
    ice_tell_members(story->reader, m, file, members, false);
    for (size_t i = 0; i < m->n_snapshots; i++)
        ICE_TRY(add_commit(story, m, &m->snapshots[i], is_kept, is_beside));
    return ICE_OK;
}

/* Those of m that are no one's yet and that earlier (may be NULL) has not. */
static void claim(struct ice_story *story, size_t file, const struct ice_metadata *m,
                  const struct ice_metadata *earlier) {
    for (size_t i = 0; i < m->n_snapshots; i++) {
        int64_t id = m->snapshots[i].snapshot_id;
        struct ice_story_commit *commit = ice_story_find(story, id);
        if (commit == NULL || commit->file != SIZE_MAX ||
            (earlier != NULL && ice_metadata_find_snapshot(earlier, id) != SIZE_MAX))
            continue;
        commit->file = file;
        story->files[file].n_commits++;
    }
}

/* It is not the first of the table, though its log is empty. */
static void unclaim(struct ice_story *story, size_t file, const struct ice_metadata *m) {
    for (size_t i = 0; i < m->n_snapshots; i++) {
        struct ice_story_commit *commit =
            ice_story_find(story, m->snapshots[i].snapshot_id);
        if (commit != NULL && commit->file == file)
            commit->file = SIZE_MAX;
    }
    story->files[file].n_commits = 0;
}

/* ---- files ---- */

static enum ice_status add_file(struct ice_story *story, struct ice_str name,
                                struct ice_story_file **out) {
    bool is_hadoop;
    if (!ice_array_reserve(&story->reader->run.alloc, &story->files, story->n_files,
                           &story->cap_files, sizeof(*story->files)))
        return ICE_ENOMEM;
    struct ice_story_file *file = &story->files[story->n_files];
    *file = (struct ice_story_file){.gap_to = -1};
    if (!ice_arena_dup(&story->arena, name, &file->name))
        return ICE_ENOMEM;
    file->version = ice_metadata_name_version(file->name, &is_hadoop);
    story->n_files++;
    *out = file;
    return ICE_OK;
}

/* One that was read. */
static enum ice_status add_document(struct ice_story *story, struct ice_str name,
                                    const struct ice_metadata *m,
                                    struct ice_story_file **out) {
    ICE_TRY(add_file(story, name, out));
    (*out)->has_time = ice_metadata_has(m, ICE_META_last_updated_ms);
    (*out)->time_ms = m->last_updated_ms;
    return ICE_OK;
}

bool ice_story_logs(const struct ice_story *story, struct ice_str name) {
    uint32_t unused;
    size_t at = SIZE_MAX;
    uint64_t hash = ice_hash64(name, story->reader->run.hash_seed);
    return ice_table_next(&story->current_log, hash, &at, &unused);
}

/* Writers keep write.metadata.previous-versions-max entries of the log, and remove files
 * whose entries went where write.metadata.delete-after-commit.enabled says so. */
static void count_absent(struct ice_story *story, struct ice_str name) {
    bool is_kept = ice_story_logs(story, name);
    if (is_kept && story->n_absent++ == 0)
        story->first_absent = name;
    if (!is_kept && story->n_trimmed++ == 0)
        story->first_trimmed = name;
}

static enum ice_status index_log(struct ice_story *story) {
    const struct ice_metadata *m = story->reader->metadata;
    for (size_t i = 0; i < m->n_metadata_log; i++) {
        struct ice_str name = ice_uri_base_name(m->metadata_log[i].file);
        if (m->metadata_log[i].has_what)
            ICE_TRY(ice_table_put(&story->current_log,
                                  ice_hash64(name, story->reader->run.hash_seed), 0));
    }
    return ICE_OK;
}

/* Entries of a log from `from` to `end`, newest first, whose files were not read. */
static enum ice_status add_logged(struct ice_story *story, const struct ice_history *h,
                                  const struct ice_metadata_log_entry *log, size_t from,
                                  size_t end) {
    for (size_t i = end; i > from; i--) {
        const struct ice_metadata_log_entry *entry = &log[i - 1];
        struct ice_str name = ice_uri_base_name(entry->file);
        struct ice_story_file *file;
        size_t index = entry->has_what ? ice_history_find(h, name) : SIZE_MAX;
        assert(index == SIZE_MAX || h->is_unread != NULL);
        if (!entry->has_what || (index != SIZE_MAX && !h->is_unread[index]))
            continue; /* it names nothing, or one that was met: a loop */
        ICE_TRY(add_file(story, name, &file));
        file->has_time = entry->has_timestamp;
        file->time_ms = entry->timestamp_ms;
        file->state = index != SIZE_MAX ? ICE_STORY_UNREAD : ICE_STORY_ABSENT;
        if (index == SIZE_MAX)
            count_absent(story, file->name);
    }
    return ICE_OK;
}

static enum ice_status keep_log(struct ice_story *story, const struct ice_metadata *m) {
    ice_arena_reset(&story->pending);
    story->n_log = m->n_metadata_log;
    story->log = ice_arena_array(&story->pending, story->n_log, sizeof(*story->log));
    if (story->log == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < story->n_log; i++) {
        story->log[i] = m->metadata_log[i];
        if (!ice_arena_dup(&story->pending, m->metadata_log[i].file, &story->log[i].file))
            return ICE_ENOMEM;
    }
    return ICE_OK;
}

/* What was read, as the next file of the chain. */
static enum ice_status add_link(struct ice_story *story, struct ice_str name,
                                const struct ice_metadata *m) {
    struct ice_story_file *file;
    ICE_TRY(add_document(story, name, m, &file));
    ICE_TRY(keep_log(story, m));
    if (m->n_metadata_log == 0) /* the first of the table: none before it brought them */
        claim(story, story->n_files - 1, m, NULL);
    return ICE_OK;
}

/* A commit whose file is not here stands with the file of its very time. */
static void claim_by_time(struct ice_story *story) {
    for (size_t i = 0; i < story->n_commits; i++) {
        struct ice_story_commit *commit = &story->commits[i];
        for (size_t k = 0;
             k < story->n_chain && commit->file == SIZE_MAX && commit->has_time; k++) {
            struct ice_story_file *file = &story->files[k];
            if (!file->has_time || file->time_ms != commit->time_ms ||
                file->n_commits > 0)
                continue;
            commit->file = k;
            file->n_commits++;
        }
    }
}

/* Numbers between a file and the one before it that no file here has. */
static void find_gaps(struct ice_story *story) {
    const struct ice_target *target = &story->reader->target;
    for (size_t i = 0; i + 1 < story->n_chain; i++)
        (void)ice_version_gap(target, story->files[i + 1].name, story->files[i].name,
                              &story->files[i].gap_from, &story->files[i].gap_to);
}

/* Behind the last link: what its log names, and what is known only now. */
static enum ice_status end_chain(struct ice_story *story, const struct ice_history *h) {
    if (story->is_chain_whole)
        return ICE_OK;
    ICE_TRY(add_logged(story, h, story->log, 0, story->n_log));
    story->n_chain = story->n_files;
    story->is_chain_whole = true;
    claim_by_time(story);
    find_gaps(story);
    return ICE_OK;
}

/* ---- what the walk meets ---- */

static enum ice_status meet_pair(struct ice_history *h,
                                 const struct ice_history_file *earlier,
                                 const struct ice_history_file *later,
                                 const struct ice_history_link *link,
                                 struct ice_error *err) {
    struct ice_story *story = h->user;
    const struct ice_metadata *e = earlier->metadata, *l = later->metadata;
    size_t at = story->n_files - 1; /* of later */
    struct ice_str name = ice_history_name(h, earlier->name);
    ice_buf_clear(&story->text);
    if (ice_story_changes(e, l, &story->text) < 0 ||
        !ice_arena_dup(&story->arena, ice_buf_str(&story->text),
                       &story->files[at].changes))
        return ice_error_memory(err);
    if (!link->is_adjacent &&
        !ice_arena_dup(&story->arena, name, &story->files[at].since))
        return ice_error_memory(err);
    story->files[at].move = ice_history_move(e, l);
    if (add_commits(story, e, earlier->file, false, false) < 0)
        return ice_error_memory(err);
    if (l->n_metadata_log == 0)
        unclaim(story, at, l);
    if (link->is_adjacent)
        claim(story, at, l, e);
    if (add_logged(story, h, l->metadata_log, link->first_after, l->n_metadata_log) < 0 ||
        add_link(story, name, e) < 0)
        return ice_error_memory(err);
    return ICE_OK;
}

static enum ice_status meet_other_table(struct ice_history *h,
                                        const struct ice_history_file *earlier,
                                        const struct ice_history_file *later,
                                        struct ice_error *err) {
    struct ice_story *story = h->user;
    struct ice_story_file *file;
    (void)later;
    story->n_log = 0;
    if (end_chain(story, h) < 0 || add_document(story, ice_history_name(h, earlier->name),
                                                earlier->metadata, &file) < 0)
        return ice_error_memory(err);
    file->side = ICE_SIDE_OTHER_TABLE;
    return ICE_OK;
}

static enum ice_status meet_side(struct ice_history *h,
                                 const struct ice_history_file *side,
                                 struct ice_error *err) {
    struct ice_story *story = h->user;
    const struct ice_metadata *m = side->metadata;
    struct ice_story_file *file;
    if (end_chain(story, h) < 0 ||
        add_document(story, ice_history_name(h, side->name), m, &file) < 0)
        return ice_error_memory(err);
    file->index = side->name;
    file->side = ICE_SIDE_FORK; /* for now: what it is, all of them tell */
    if (ice_is_other_table(m, &h->ck->metadata))
        return ICE_OK;
    if (add_commits(story, m, side->file, false, true) < 0)
        return ice_error_memory(err);
    claim(story, story->n_files - 1, m, NULL);
    return ICE_OK;
}

static enum ice_status meet_unread(struct ice_history *h,
                                   const struct ice_history_file *file,
                                   struct ice_error *fault, struct ice_error *err) {
    struct ice_story *story = h->user;
    (void)err;
    ice_error_set_file(fault, file->file);
    if (!ice_str_equal(ice_key_name(file->file), story->reader->replaced))
        ice_table_reader_tell(story->reader, fault); /* else that was told */
    return ICE_OK;
}

static void set_sides(struct ice_story *story, const struct ice_history *h) {
    static const enum ice_story_side sides[] = {
        [ICE_KIN_CHAIN] = ICE_SIDE_NONE,    [ICE_KIN_NEWER] = ICE_SIDE_NEWER,
        [ICE_KIN_OLDER] = ICE_SIDE_OLDER,   [ICE_KIN_FORK] = ICE_SIDE_FORK,
        [ICE_KIN_UNTOLD] = ICE_SIDE_UNTOLD, [ICE_KIN_OTHER_TABLE] = ICE_SIDE_OTHER_TABLE,
        [ICE_KIN_BRANCH] = ICE_SIDE_BRANCH};
    for (size_t i = story->n_chain; i < story->n_files; i++) {
        struct ice_story_file *file = &story->files[i];
        if (file->side != ICE_SIDE_FORK)
            continue; /* of another table, and in the log */
        file->side = sides[h->beside[file->index].kin];
        file->n_ahead = h->beside[file->index].n_commits;
    }
}

/* Those of them that the chain does not name. */
static enum ice_status add_unread(struct ice_story *story, const struct ice_history *h) {
    const struct ice_target *target = &story->reader->target;
    for (size_t i = 0; i < target->n_names; i++) {
        struct ice_story_file *file;
        bool is_known = false;
        for (size_t k = 0; h->is_unread[i] && k < story->n_files; k++)
            is_known =
                is_known || ice_str_equal(story->files[k].name, target->names[i].name);
        if (!h->is_unread[i] || is_known)
            continue;
        ICE_TRY(add_file(story, target->names[i].name, &file));
        file->state = ICE_STORY_UNREAD;
        file->side = ICE_SIDE_FORK;
    }
    return ICE_OK;
}

/* ---- who leads where ---- */

static void mark_line(struct ice_story *story, int64_t id, bool is_main) {
    for (size_t steps = 0; steps <= story->n_commits; steps++) {
        struct ice_story_commit *commit = ice_story_find(story, id);
        if (commit == NULL || (is_main ? commit->is_main : commit->is_referenced))
            return;
        commit->is_referenced = true;
        commit->is_main = commit->is_main || is_main;
        if (!commit->has_parent)
            return;
        id = commit->parent;
    }
}

static void mark_lines(struct ice_story *story) {
    const struct ice_metadata *m = story->reader->metadata;
    if (ice_metadata_has(m, ICE_META_current_snapshot_id))
        mark_line(story, m->current_snapshot_id, true);
    for (size_t i = 0; i < m->n_refs; i++) {
        if (m->refs[i].has_snapshot_id)
            mark_line(story, m->refs[i].snapshot_id, false);
    }
}

/* ---- all ---- */

/* A lone file: what its logs say. */
static enum ice_status gather_alone(struct ice_story *story, struct ice_error *err) {
    const struct ice_metadata *m = story->reader->metadata;
    const struct ice_history none = {.ck = &story->reader->check, .current = SIZE_MAX};
    if (end_chain(story, &none) < 0)
        return ice_error_memory(err);
    claim(story, 0, m, NULL);
    story->n_absent = story->n_trimmed = 0;
    return ICE_OK;
}

enum ice_status ice_story_gather(struct ice_story *story, struct ice_table_reader *reader,
                                 struct ice_error *err) {
    static const struct ice_history_visitor visitor = {.pair = meet_pair,
                                                       .other_table = meet_other_table,
                                                       .side = meet_side,
                                                       .unread = meet_unread};
    struct ice_check *ck = &reader->check;
    struct ice_history h;
    *story = (struct ice_story){.reader = reader};
    ice_arena_init(&story->arena, &reader->run.alloc);
    ice_arena_init(&story->pending, &reader->run.alloc);
    ice_buf_init(&story->text, &reader->run.alloc, SIZE_MAX);
    ice_table_init(&story->commits_by_id, &reader->run.alloc);
    ice_table_init(&story->current_log, &reader->run.alloc);
    if (index_log(story) < 0 ||
        add_commits(story, &ck->metadata, ck->metadata_file, true, false) < 0 ||
        add_link(story, ice_uri_base_name(ck->metadata_file), &ck->metadata) < 0)
        return ice_error_memory(err);
    story->files[0].is_current = true;
    enum ice_status status = ice_history_init(&h, ck, &visitor, story, err);
    if (status == ICE_DONE) {
        status = gather_alone(story, err);
    } else if (status == ICE_OK) {
        status = ice_history_walk(&h, err);
        if (status >= 0)
            set_sides(story, &h);
        if (status >= 0 && (end_chain(story, &h) < 0 || add_unread(story, &h) < 0))
            status = ice_error_memory(err);
    }
    ice_history_release(&h);
    mark_lines(story);
    return status < 0 ? status : ICE_OK;
}

void ice_story_release(struct ice_story *story) {
    if (story->reader == NULL)
        return;
    struct ice_alloc *alloc = &story->reader->run.alloc;
    ice_array_free(alloc, &story->files, &story->cap_files, sizeof(*story->files));
    ice_array_free(alloc, &story->commits, &story->cap_commits, sizeof(*story->commits));
    ice_table_release(&story->commits_by_id);
    ice_table_release(&story->current_log);
    ice_buf_release(&story->text);
    ice_arena_release(&story->pending);
    ice_arena_release(&story->arena);
    *story = (struct ice_story){0};
}
