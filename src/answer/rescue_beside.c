/*
 * What rescue says of metadata files beside those that led to the state that is judged.
 */
#include "answer/rescue_say.h"

#include "check/pass1.h"

/* ---- what speaks against the current state ---- */

/* A file with commits that a state has not, or may have them. NULL: none is known. */
const struct ice_story_file *ice_rescue_later_than(const struct ice_rescue *r,
                                                   const struct ice_rescue_state *state) {
    uint64_t n_newer, n_untold;
    const struct ice_str name = r->files[state->file].name;
    const struct ice_story_file *newest = ice_rescue_newest(r, ICE_SIDE_NEWER, &n_newer);
    const struct ice_story_file *untold =
        ice_rescue_newest(r, ICE_SIDE_UNTOLD, &n_untold);
    if (n_newer > 0 && (state->is_kept || !ice_str_equal(newest->name, name)))
        return newest;
    return n_newer == 0 && n_untold > 0 && !ice_str_equal(untold->name, name) ? untold
                                                                              : NULL;
}

/* A lower number than the current file's, a later time, and another line: an older state
 * was put over it. As history.last-updated.regressed of a check. NULL: none. */
static const struct ice_story_file *put_under(const struct ice_rescue *r) {
    const struct ice_story *story = &r->story;
    const struct ice_story_file *found = NULL;
    for (size_t i = story->n_chain; i < story->n_files; i++) {
        const struct ice_story_file *file = &story->files[i];
        if (file->side == ICE_SIDE_FORK && file->state == ICE_STORY_READ &&
            file->has_time && r->files[0].has_time &&
            ice_time_difference(file->time_ms, r->files[0].time_ms) > ICE_CLOCK_SKEW_MS &&
            ice_number_order(file->name, r->files[0].name) == ICE_NUMBERS_LOWER &&
            (found == NULL || file->time_ms >= found->time_ms))
            found = file;
    }
    return found;
}

static void say_put_under(struct advice *a) {
    const struct ice_story_file *file = put_under(a->r);
    if (file == NULL)
        return;
    ice_rescue_say_escaped(a, file->name);
    say_text(a, " has a lower number than ");
    ice_rescue_say_escaped(a, a->r->files[0].name);
    say_text(a, ", was written later, and has commits that it has not: an older state "
                "was put over them, or clocks of writers disagree. icefsck diff with "
                "--from ");
    ice_rescue_say_escaped(a, file->name);
    say_text(a, " tells what was undone.\n");
}

/* The file before, by the log, has another table-uuid. NULL: it has not. */
static const struct ice_story_file *other_before(const struct ice_rescue *r) {
    const struct ice_story *story = &r->story;
    for (size_t i = story->n_chain; i < story->n_files; i++)
        if (story->files[i].side == ICE_SIDE_OTHER_TABLE &&
            ice_story_logs(story, story->files[i].name))
            return &story->files[i];
    return NULL;
}

static void say_other_before(struct advice *a) {
    const struct ice_story_file *file = other_before(a->r);
    if (file == NULL)
        return;
    say_text(a, "The log of ");
    ice_rescue_say_escaped(a, a->r->files[0].name);
    say_text(a, " names ");
    ice_rescue_say_escaped(a, file->name);
    say_text(a, ", which has another table-uuid: whoever holds the table by that uuid "
                "refuses this state. See icefsck explain metadata-log.foreign-uuid.\n");
}

/* A file of another line, and no older one put under this: of a lost race. NULL: none. */
static const struct ice_story_file *lost_race(const struct ice_rescue *r,
                                              uint64_t *out_n) {
    const struct ice_story *story = &r->story;
    const struct ice_story_file *last = NULL;
    *out_n = 0;
    for (size_t i = story->n_chain; i < story->n_files; i++) {
        const struct ice_story_file *file = &story->files[i];
        if (file->side != ICE_SIDE_FORK || file->state != ICE_STORY_READ)
            continue;
        (*out_n)++;
        if (last == NULL || file->time_ms >= last->time_ms)
            last = file;
    }
    return put_under(r) == NULL ? last : NULL;
}

static void say_lost_race(struct advice *a) {
    uint64_t n;
    const struct ice_story_file *last = lost_race(a->r, &n);
    if (last == NULL)
        return;
    say_count(a, n, "metadata file beside them is of a commit that is not in this line, ",
              "metadata files beside them are of commits that are not in this line, the "
              "newest is ");
    ice_rescue_say_escaped(a, last->name);
    say_text(a, ". Where its writer was told that it had succeeded, its rows are lost: "
                "see icefsck history --graph.\n");
}

bool ice_rescue_is_rivalled(const struct ice_rescue *r) {
    uint64_t unused;
    return put_under(r) != NULL || other_before(r) != NULL ||
           lost_race(r, &unused) != NULL;
}

/* ---- what else lies there ---- */

static const char *why_newer(const struct ice_rescue *r,
                             const struct ice_story_file *newest) {
    if (r->reader->check.picked_by == ICE_PICKED_BY_HINT)
        return ice_number_order(newest->name, r->files[0].name) == ICE_NUMBERS_UNKNOWN
                   ? ": the table has moved to a catalog, it seems. Give what the "
                     "catalog "
                     "says with --pointer."
                   : ": version-hint.text is stale.";
    return newest->n_ahead < 2
               ? ": an attempt that was not committed, or the catalog was set back. Ask "
                 "its writer; if it had succeeded, icefsck rescue with --metadata and "
                 "that file writes how to make it current."
               : ": the catalog was set back, or is stale.";
}

/* What is judged is older than what lies beside it. */
static void say_newer(struct advice *a) {
    uint64_t n;
    const struct ice_story_file *newest = ice_rescue_newest(a->r, ICE_SIDE_NEWER, &n);
    if (n == 0)
        return;
    say_count(a, n, "metadata file continues ", "metadata files continue ");
    ice_rescue_say_escaped(a, a->r->files[0].name);
    say_text(a, ", the newest is ");
    ice_rescue_say_escaped(a, newest->name);
    say_text(a, why_newer(a->r, newest));
    say_text(a, "\n");
}

/* ... or may be. */
static void say_untold(struct advice *a) {
    uint64_t n;
    const struct ice_story_file *untold = ice_rescue_newest(a->r, ICE_SIDE_UNTOLD, &n);
    if (n == 0)
        return;
    ice_rescue_say_escaped(a, untold->name);
    say_text(a,
             " has a higher number, and neither its log nor its snapshots tell whether "
             "it continues ");
    ice_rescue_say_escaped(a, a->r->files[0].name);
    say_text(a, ": compare the two with icefsck diff, and ask who wrote it.\n");
}

/* Files that are no states of this branch. */
static void say_branches(struct advice *a) {
    const struct ice_story *story = &a->r->story;
    uint64_t n = 0;
    for (size_t i = story->n_chain; i < story->n_files; i++)
        n += story->files[i].side == ICE_SIDE_BRANCH;
    if (n == 0)
        return;
    say_count(a, n, "metadata file", "metadata files");
    say_text(a, " beside it may be of other branches or tags of the catalog: left out. "
                "To judge one, name it with --metadata.\n");
}

void ice_rescue_say_beside(struct advice *a) {
    if (a->r->n_files > 0) {
        say_newer(a);
        say_put_under(a);
        say_other_before(a);
        say_lost_race(a);
    }
    say_untold(a);
    say_branches(a);
}
