/*
 * States in order of rank: the one that loses least first, and of those the one that
 * changes least. What would be advised is checked alone before it is.
 */
#include "answer/rescue.h"

#include "base/error.h"
#include "base/size.h"

#include <stdlib.h>

/* ---- losses ---- */

struct line {
    struct ice_rescue *r;
    struct ice_table by_id; /* snapshot id -> index of the arrays */
    int64_t *ids;
    size_t *places; /* on the line, where its own line meets it: 0 the newest */
    size_t n;       /* of the line; behind them snapshots beside it that were met */
    size_t n_known, most;
    struct ice_rescue_loss *losses; /* of the first 0 ... n */
};

const struct ice_story_file *
ice_rescue_newest(const struct ice_rescue *r, enum ice_story_side side, uint64_t *out_n) {
    const struct ice_story *story = &r->story;
    const struct ice_story_file *newest = NULL;
    *out_n = 0;
    for (size_t i = story->n_chain; i < story->n_files; i++) {
        const struct ice_story_file *file = &story->files[i];
        if (file->side != side)
            continue;
        (*out_n)++;
        if (newest == NULL || file->n_ahead >= newest->n_ahead)
            newest = file;
    }
    return newest;
}

/*
 * A file that is two commits or more ahead of the one which the catalog or the hint
 * names: the first of them was surely committed, so the pointer is stale or was set back,
 * and main is where the furthest has it. Not where the hint's file is named otherwise:
 * the table has moved to a catalog then, which is not asked. *out_ahead: of that file.
 */
static const struct ice_rescue_file *find_newer(const struct ice_rescue *r,
                                                size_t *out_ahead) {
    enum ice_picked_by picked_by = r->reader->check.picked_by;
    const struct ice_story *story = &r->story;
    const struct ice_rescue_file *newest = NULL;
    bool is_hint = picked_by == ICE_PICKED_BY_HINT;
    *out_ahead = 0;
    if (picked_by != ICE_PICKED_BY_POINTER && !is_hint)
        return NULL;
    for (size_t i = story->n_chain; i < story->n_files; i++) {
        const struct ice_story_file *file = &story->files[i];
        if (file->side != ICE_SIDE_NEWER || file->n_ahead < 2 ||
            file->n_ahead < *out_ahead ||
            (is_hint &&
             ice_number_order(file->name, r->files[0].name) == ICE_NUMBERS_UNKNOWN))
            continue;
        for (size_t k = 0; k < r->n_files; k++) {
            if (!r->files[k].has_snapshot || !ice_str_equal(r->files[k].name, file->name))
                continue;
            newest = &r->files[k];
            *out_ahead = file->n_ahead;
        }
    }
    return newest;
}

/* Changes without a snapshot are commits, too: of states with equal losses the one that
 * has most of them comes first. */
static void find_behind(struct ice_rescue *r, size_t most) {
    const struct ice_story *story = &r->story;
    for (size_t i = 0; most > 0 && i < r->n_states; i++)
        r->states[i].behind = most;
    for (size_t k = story->n_chain; k < story->n_files && most > 0; k++) {
        const struct ice_story_file *file = &story->files[k];
        for (size_t i = 0; i < r->n_states && file->side == ICE_SIDE_NEWER; i++) {
            if (!r->states[i].is_kept && file->n_ahead <= most &&
                ice_str_equal(r->files[r->states[i].file].name, file->name))
                r->states[i].behind = most - file->n_ahead;
        }
    }
}

/* The snapshot that main is at, as far as any file says so. */
static bool find_tip(struct ice_rescue *r, int64_t *out) {
    const struct ice_metadata *m = r->reader->metadata;
    size_t n_ahead;
    const struct ice_rescue_file *newer = find_newer(r, &n_ahead);
    find_behind(r, n_ahead);
    if (newer != NULL) {
        *out = newer->snapshot_id;
        r->is_tip_elsewhere = true;
        return true;
    }
    for (size_t i = 0; i < m->n_refs && !r->files[0].has_snapshot; i++) {
        if (ice_str_is(m->refs[i].name, "main") && m->refs[i].has_snapshot_id) {
            *out = m->refs[i].snapshot_id;
            r->is_tip_elsewhere = true;
            return true;
        }
    }
    for (size_t i = 0; i < r->n_files; i++) {
        bool is_sound = r->files[i].verdict.health == ICE_RESCUE_WHOLE;
        if (r->files[i].is_read && (r->files[i].has_snapshot || is_sound)) {
            *out = r->files[i].snapshot_id;
            r->is_tip_guessed = r->is_tip_elsewhere = i > 0;
            return r->files[i].has_snapshot;
        }
    }
    return false;
}

static enum ice_status remember(struct line *line, int64_t id, size_t place) {
    uint64_t seed = line->r->reader->run.hash_seed;
    if (line->n_known == line->most)
        return ICE_OK;
    line->ids[line->n_known] = id;
    line->places[line->n_known] = place;
    if (ice_table_put(&line->by_id, ice_hash_mix((uint64_t)id, seed),
                      (uint32_t)line->n_known++) < 0)
        return ice_error_memory(line->r->err);
    return ICE_OK;
}

/* Of a snapshot that no file describes, the one before is that of the file before. */
static bool before_unknown(const struct line *line, int64_t *out) {
    const struct ice_rescue *r = line->r;
    for (size_t i = 1; i < r->n_files && line->n == 1; i++) {
        if (r->files[i].is_read && r->files[i].has_snapshot) {
            *out = r->files[i].snapshot_id;
            return true;
        }
    }
    return false;
}

/* The newest snapshot and its ancestors, as far as any file knows them. */
static enum ice_status find_line(struct line *line) {
    struct ice_rescue *r = line->r;
    int64_t id;
    line->most = r->story.n_commits + 1;
    line->ids = ice_arena_array(&r->arena, line->most, sizeof(*line->ids));
    line->places = ice_arena_array(&r->arena, line->most, sizeof(*line->places));
    if (line->ids == NULL || line->places == NULL || line->most >= UINT32_MAX)
        return ice_error_memory(r->err);
    for (bool goes_on = find_tip(r, &id); goes_on && line->n < line->most;) {
        const struct ice_story_commit *commit = ice_story_find(&r->story, id);
        ICE_TRY(remember(line, id, line->n++));
        if (commit == NULL) {
            goes_on = before_unknown(line, &id);
        } else {
            goes_on = commit->has_parent;
            id = commit->parent;
        }
    }
    return ICE_OK;
}

static size_t find(const struct line *line, int64_t id) {
    size_t at = SIZE_MAX;
    uint32_t index;
    uint64_t key = ice_hash_mix((uint64_t)id, line->r->reader->run.hash_seed);
    while (ice_table_next(&line->by_id, key, &at, &index)) {
        if (line->ids[index] == id)
            return index;
    }
    return SIZE_MAX;
}

/* Where the line is met from a snapshot back; its length: nowhere. What lies between is
 * remembered, so that each snapshot is passed once. */
static enum ice_status meet(struct line *line, const struct ice_rescue_state *state,
                            size_t *out_place, bool *out_aside) {
    const struct ice_story *story = &line->r->story;
    const struct ice_story_commit *commit;
    int64_t id = state->snapshot_id;
    size_t n_between = 0, known = SIZE_MAX;
    *out_place = line->n;
    *out_aside = false;
    if (!state->has_snapshot)
        return ICE_OK;
    for (; n_between <= story->n_commits; n_between++) {
        known = find(line, id);
        commit = known == SIZE_MAX ? ice_story_find(story, id) : NULL;
        if (commit == NULL || !commit->has_parent)
            break;
        id = commit->parent;
    }
    if (known != SIZE_MAX)
        *out_place = line->places[known];
    *out_aside = n_between > 0 || known == SIZE_MAX || known >= line->n;
    id = state->snapshot_id;
    for (size_t i = 0; i < n_between; i++) {
        commit = ice_story_find(story, id);
        ICE_TRY(remember(line, id, *out_place));
        id = commit != NULL ? commit->parent : id;
    }
    return ICE_OK;
}

static int64_t add(int64_t sum, const struct ice_story_commit *commit,
                   enum ice_story_number number) {
    int64_t out;
    if (sum < 0 || commit == NULL || commit->has_numbers == 0)
        return -1;
    if (((commit->has_numbers >> number) & 1) == 0)
        return sum;
    return commit->numbers[number] >= 0 && ice_i64_add(sum, commit->numbers[number], &out)
               ? out
               : -1;
}

/* What the first n commits of the line brought, for each n. Compaction brings nothing. */
static enum ice_status sum_losses(struct line *line) {
    struct ice_rescue *r = line->r;
    line->losses = ice_arena_array(&r->arena, line->n + 1, sizeof(*line->losses));
    if (line->losses == NULL)
        return ice_error_memory(r->err);
    for (size_t i = 0; i < line->n; i++) {
        const struct ice_story_commit *commit = ice_story_find(&r->story, line->ids[i]);
        struct ice_rescue_loss *loss = &line->losses[i + 1];
        *loss = line->losses[i];
        loss->commits++;
        if (commit != NULL && ice_str_is(commit->operation, "replace"))
            continue;
        loss->files = add(loss->files, commit, ICE_STORY_ADDED_DATA_FILES);
        loss->records = add(loss->records, commit, ICE_STORY_ADDED_RECORDS);
        loss->deletes = add(loss->deletes, commit, ICE_STORY_ADDED_DELETE_FILES);
        loss->gone_files = add(loss->gone_files, commit, ICE_STORY_DELETED_DATA_FILES);
        loss->gone_records = add(loss->gone_records, commit, ICE_STORY_DELETED_RECORDS);
    }
    return ICE_OK;
}

static enum ice_status find_loss(struct line *line, struct ice_rescue_state *state) {
    bool is_aside;
    size_t place;
    ICE_TRY(meet(line, state, &place, &is_aside));
    state->loss = line->losses[place];
    state->loss.is_aside = is_aside;
    return ICE_OK;
}

/* ---- states ---- */

static enum ice_status add_state(struct ice_rescue *r, const struct ice_rescue_state *s) {
    if (!ice_array_reserve(&r->reader->run.alloc, &r->states, r->n_states, &r->cap_states,
                           sizeof(*r->states)))
        return ice_error_memory(r->err);
    r->states[r->n_states++] = *s;
    return ICE_OK;
}

static void join(struct ice_rescue_verdict *verdict,
                 const struct ice_rescue_snapshot *s) {
    if (s == NULL)
        return;
    if (s->verdict.health > verdict->health)
        verdict->health = s->verdict.health;
    verdict->n_faults += s->verdict.n_faults;
    if (verdict->first == NULL) /* those of the document come first, and are enough */
        verdict->first = s->verdict.first;
}

static enum ice_status add_file_state(struct ice_rescue *r, size_t index) {
    const struct ice_rescue_file *file = &r->files[index];
    struct ice_rescue_state state = {
        .file = index,
        .has_snapshot = file->has_snapshot,
        .snapshot_id = file->snapshot_id,
        .list = file->list,
        .has_time = file->has_time,
        .time_ms = file->time_ms,
        .verdict = file->verdict,
        .way = index == 0 && r->unknown.size == 0 ? ICE_WAY_STAY : ICE_WAY_REGISTER};
    const struct ice_story_commit *commit =
        state.has_snapshot ? ice_story_find(&r->story, state.snapshot_id) : NULL;
    if (commit != NULL && commit->has_time) {
        state.has_time = true;
        state.time_ms = commit->time_ms;
    }
    if (state.has_snapshot)
        join(&state.verdict, ice_rescue_find(r, file->snapshot_id, file->list));
    return add_state(r, &state);
}

/* The kept snapshots of the file that is judged. */
static enum ice_status add_snapshot_states(struct ice_rescue *r) {
    const struct ice_metadata *m = r->reader->metadata;
    struct ice_buf text;
    enum ice_status status = ICE_OK;
    ice_buf_init(&text, &r->reader->run.alloc, SIZE_MAX);
    for (size_t i = 0; i < m->n_snapshots && status >= 0; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        struct ice_str list;
        struct ice_rescue_state state = {.file = 0,
                                         .has_snapshot = true,
                                         .snapshot_id = s->snapshot_id,
                                         .has_time =
                                             ice_snapshot_has(s, ICE_SNAP_timestamp_ms),
                                         .time_ms = s->timestamp_ms,
                                         .verdict = r->files[0].verdict,
                                         .is_kept = true};
        if ((r->files[0].has_snapshot && r->files[0].snapshot_id == s->snapshot_id) ||
            ice_metadata_find_snapshot(m, s->snapshot_id) != i)
            continue;
        if (ice_snapshot_manifest_list(m, s, &text, &list) < 0) {
            status = ice_error_memory(r->err);
            break;
        }
        state.list = ice_hash64(list, r->reader->run.hash_seed);
        join(&state.verdict, ice_rescue_find(r, s->snapshot_id, state.list));
        status = add_state(r, &state);
    }
    ice_buf_release(&text);
    return status;
}

/* Only a file that can be loaded can be rolled back. */
static enum ice_status find_ways(struct ice_rescue *r, struct line *line) {
    for (size_t i = 0; i < r->n_states; i++) {
        struct ice_rescue_state *state = &r->states[i];
        ICE_TRY(find_loss(line, state));
        state->is_empty =
            !state->has_snapshot && r->story.n_commits > 0 && state->way != ICE_WAY_STAY;
        if (!state->is_kept)
            continue;
        if (r->unknown.size > 0)
            state->way = ICE_WAY_REGISTER_AND_ROLL_BACK;
        else
            state->way = state->loss.is_aside || !r->files[0].has_snapshot
                             ? ICE_WAY_SET_CURRENT
                             : ICE_WAY_ROLL_BACK;
    }
    return ICE_OK;
}

/* ---- order ---- */

/* By what is lost, then by what is changed. */
static int compare_worth(const struct ice_rescue_state *a,
                         const struct ice_rescue_state *b) {
    if (a->is_empty != b->is_empty)
        return a->is_empty ? 1 : -1;
    if (a->loss.commits != b->loss.commits)
        return a->loss.commits < b->loss.commits ? -1 : 1;
    if (a->loss.is_aside != b->loss.is_aside)
        return a->loss.is_aside ? 1 : -1;
    if (a->behind != b->behind)
        return a->behind < b->behind ? -1 : 1;
    if (a->file != b->file)
        return a->file < b->file ? -1 : 1;
    if (a->time_ms != b->time_ms)
        return a->time_ms > b->time_ms ? -1 : 1;
    return a->snapshot_id < b->snapshot_id ? -1 : a->snapshot_id > b->snapshot_id;
}

static int compare_states(const void *left, const void *right) {
    const struct ice_rescue_state *a = left, *b = right;
    if (a->is_empty != b->is_empty)
        return a->is_empty ? 1 : -1;
    if (a->verdict.health != b->verdict.health)
        return a->verdict.health < b->verdict.health ? -1 : 1;
    return compare_worth(a, b);
}

static void sort(struct ice_rescue *r) {
    if (r->n_states > 0)
        qsort(r->states, r->n_states, sizeof(*r->states), compare_states);
}

/*
 * The first of the whole states that is whole when it is checked alone. One that was
 * blamed too harshly may rank higher still: unless a file of it is missing or damaged, it
 * gets its own check too.
 */
static bool may_be_whole(const struct ice_rescue_state *state) {
    return !ice_rescue_lacks_files(&state->verdict);
}

static int compare_pointers(const void *left, const void *right) {
    const struct ice_rescue_state *const *a = left, *const *b = right;
    return compare_worth(*a, *b);
}

/* What was blamed on the snapshot of a state that is whole is blamed on no other file. */
static void clear_others(struct ice_rescue *r, const struct ice_rescue_state *whole) {
    for (size_t i = 0; i < r->n_states; i++) {
        struct ice_rescue_state *state = &r->states[i];
        if (state->has_snapshot && whole->has_snapshot && !state->is_exact &&
            state->snapshot_id == whole->snapshot_id && state->list == whole->list)
            state->verdict = r->files[state->file].verdict;
    }
}

static enum ice_status try_in_turn(struct ice_rescue *r,
                                   struct ice_rescue_state **order) {
    size_t n_tries = 0;
    for (size_t i = 0; i < r->n_states; i++)
        order[i] = &r->states[i];
    if (r->n_states > 0)
        qsort(order, r->n_states, sizeof(struct ice_rescue_state *), compare_pointers);
    for (size_t i = 0; i < r->n_states && n_tries < ICE_RESCUE_TRIES; i++) {
        struct ice_rescue_state *state = order[i];
        if (!may_be_whole(state) || !r->files[state->file].is_read)
            continue;
        ICE_TRY(ice_rescue_judge_alone(r, state));
        n_tries++;
        if (state->verdict.health == ICE_RESCUE_WHOLE) {
            clear_others(r, state);
            return ICE_OK;
        }
    }
    return ICE_OK;
}

/* A state without a snapshot saves nothing, unless the table has none anyway. */
static void pick_best(struct ice_rescue *r) {
    const struct ice_rescue_state *first = &r->states[0];
    r->best = r->n_states > 0 && first->verdict.health == ICE_RESCUE_WHOLE &&
                      first->is_exact && !first->is_empty
                  ? 0
                  : SIZE_MAX;
}

/* What was not checked alone is not called whole before what was. */
static void demote_unchecked(struct ice_rescue *r) {
    const struct ice_rescue_state *found = NULL;
    for (size_t i = 0; i < r->n_states; i++) {
        if (r->states[i].is_exact && r->states[i].verdict.health == ICE_RESCUE_WHOLE)
            found = &r->states[i];
    }
    for (size_t i = 0; i < r->n_states; i++) {
        struct ice_rescue_state *state = &r->states[i];
        if (!state->is_exact && state->verdict.health == ICE_RESCUE_WHOLE &&
            (found == NULL || compare_worth(state, found) < 0))
            state->verdict.health = ICE_RESCUE_UNSURE;
    }
}

enum ice_status ice_rescue_rank(struct ice_rescue *r) {
    struct line line = {.r = r};
    for (size_t i = 0; i < r->n_files; i++)
        ICE_TRY(add_file_state(r, i));
    if (r->files[0].is_read)
        ICE_TRY(add_snapshot_states(r));
    ice_table_init(&line.by_id, &r->reader->run.alloc);
    enum ice_status status = find_line(&line);
    if (status >= 0)
        status = sum_losses(&line);
    if (status >= 0)
        status = find_ways(r, &line);
    ice_table_release(&line.by_id);
    ICE_TRY(status);
    struct ice_rescue_state **order =
        ice_arena_array(&r->arena, r->n_states, sizeof(struct ice_rescue_state *));
    if (order == NULL)
        return ice_error_memory(r->err);
    ICE_TRY(try_in_turn(r, order));
    demote_unchecked(r);
    sort(r);
    pick_best(r);
    return ICE_OK;
}
