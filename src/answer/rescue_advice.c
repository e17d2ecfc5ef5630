/*
 * What a person on call must know, in sentences: which state to go to, what that costs,
 * how to go there, and what to fetch back first.
 */
#include "answer/rescue_say.h"

#include "base/time_text.h"
#include "check/pass1.h"
#include "check/pointers.h"

void ice_rescue_say_escaped(struct advice *a, struct ice_str text) {
    char shown[4096];
    say_text(a, ice_escape(shown, sizeof(shown), text));
}

const char *ice_rescue_age(const struct ice_rescue *r, int64_t time_ms, char out[48]) {
    static const int64_t DAY = 24 * INT64_C(60); /* minutes */
    int64_t minutes = ice_time_difference(r->reader->check.now_ms, time_ms) / 60000;
    if (minutes < 0)
        (void)snprintf(out, 48, "in the future");
    else if (minutes >= 2 * DAY)
        (void)snprintf(out, 48, "%" PRId64 " d %" PRId64 " h", minutes / DAY,
                       minutes / 60 % 24);
    else if (minutes >= 60)
        (void)snprintf(out, 48, "%" PRId64 " h %" PRId64 " min", minutes / 60,
                       minutes % 60);
    else
        (void)snprintf(out, 48, "%" PRId64 " min", minutes);
    return out;
}

/* ---- the best state ---- */

static void say_state(struct advice *a, const struct ice_rescue_state *state) {
    char text[96], time[ICE_TIME_SIZE];
    if (state->has_snapshot) {
        (void)snprintf(text, sizeof(text), "snapshot %" PRId64, state->snapshot_id);
        say_text(a, text);
    } else {
        say_text(a, "the table without a snapshot");
    }
    if (state->has_time) {
        say_text(a, " of ");
        say(a, ice_time_text(state->time_ms, time));
    }
    say_text(a, ", in ");
    ice_rescue_say_escaped(a, a->r->files[state->file].name);
}

static void say_exactly(struct advice *a, const struct ice_rescue_lost *lost) {
    const struct ice_live_sum *gone = &lost->totals.added[ICE_LIVE_DATA];
    const struct ice_live_sum *back = &lost->totals.removed[ICE_LIVE_DATA];
    uint64_t n_deletes = 0;
    for (int kind = ICE_LIVE_DATA + 1; kind < ICE_LIVE_KINDS; kind++)
        n_deletes += lost->totals.added[kind].files;
    say_text(a, ", exactly ");
    say_count(a, gone->files, "data file with ", "data files with ");
    say_count(a, (uint64_t)gone->records, "row", "rows");
    if (back->files > 0) {
        say_text(a, "; ");
        say_count(a, back->files, "data file that was removed since comes back, with ",
                  "data files that were removed since come back, with ");
        say_count(a, (uint64_t)back->records, "row", "rows");
    }
    if (n_deletes > 0) {
        say_text(a, "; ");
        say_count(a, n_deletes, "delete file goes: the rows that it deleted come back",
                  "delete files go: the rows that they deleted come back");
    }
}

/* Between the newest file that was read and one that was not there may be others. */
static void say_gap(struct advice *a, struct ice_str unknown) {
    bool is_hadoop, is_read_hadoop;
    int64_t version = ice_metadata_name_version(unknown, &is_hadoop);
    int64_t newest = ice_metadata_name_version(a->r->files[0].name, &is_read_hadoop);
    if (version < 0 || newest < 0 || is_hadoop != is_read_hadoop || version - newest < 2)
        return;
    say_text(a, ", nor what ");
    say_count(a, (uint64_t)(version - newest - 1), "version before it did",
              "versions before it did");
    say_text(a, ": no such file could be read here");
}

static void say_loss(struct advice *a, const struct ice_rescue_state *state) {
    const struct ice_rescue_loss *loss = &state->loss;
    struct ice_str unknown = a->r->is_tip_guessed ? a->r->files[0].name : a->r->unknown;
    if (unknown.size > 0) {
        say_text(a, "What ");
        ice_rescue_say_escaped(a, unknown);
        say_text(a, " changed is not known");
        say_gap(a, unknown);
        say_text(a, ".\n");
    }
    const struct ice_story_file *later = ice_rescue_later_than(a->r, state);
    if (loss->commits == 0 && !loss->is_aside && later != NULL) {
        say_text(a, "No commit up to ");
        ice_rescue_say_escaped(a, a->r->files[0].name);
        say_text(a, " is lost; what ");
        ice_rescue_say_escaped(a, later->name);
        say_text(a, " brought is not in it.\n");
        return;
    }
    if (loss->commits == 0 && !loss->is_aside) {
        say_text(a, unknown.size > 0 ? "No other commit is lost.\n"
                                     : "No commit is lost.\n");
        return;
    }
    if (loss->commits == 0) {
        say_text(a, "No commit of main is lost. The state has commits of its own that "
                    "were never in main: look at them before all readers see them.\n");
        return;
    }
    say_text(a, "That loses ");
    say_count(a, (uint64_t)loss->commits, "commit", "commits");
    if (a->r->lost.is_known) {
        say_exactly(a, &a->r->lost);
    } else if (loss->files >= 0 && loss->records >= 0) {
        say_text(a, ", by the summaries ");
        say_count(a, (uint64_t)loss->files, "data file with ", "data files with ");
        say_count(a, (uint64_t)loss->records, "row", "rows");
        if (loss->deletes > 0) {
            say_text(a, ", and ");
            say_count(a, (uint64_t)loss->deletes, "delete file", "delete files");
        }
        if (loss->gone_files > 0 && loss->gone_records >= 0) {
            say_text(a, "; ");
            say_count(a, (uint64_t)loss->gone_files,
                      "data file that was removed since comes back, with ",
                      "data files that were removed since come back, with ");
            say_count(a, (uint64_t)loss->gone_records, "row", "rows");
        }
    } else {
        say_text(a, ", of which not all say what they brought");
    }
    if (loss->is_aside)
        say_text(a, "; the state has commits of its own that main has not");
    say_text(a, ".\n");
}

static enum ice_status say_statement(const char *engine, struct ice_str statement,
                                     void *user) {
    struct advice *a = user;
    say_text(a, "  ");
    say_text(a, engine);
    say_text(a, ":\n    ");
    ice_rescue_say_escaped(a, statement);
    say_text(a, "\n");
    return a->status;
}

static void say_way(struct advice *a, const struct ice_rescue_state *state) {
    switch (state->way) {
    case ICE_WAY_STAY:
        return;
    case ICE_WAY_ROLL_BACK:
    case ICE_WAY_SET_CURRENT:
        say_text(a, "Stop the writers, then one of these:\n");
        break;
    case ICE_WAY_REGISTER:
        say_text(a, "Stop the writers, then make the catalog name that file, by one of "
                    "these:\n");
        break;
    case ICE_WAY_REGISTER_AND_ROLL_BACK:
        say_text(a, "Stop the writers, then make the catalog name that file, and roll "
                    "back:\n");
        break;
    }
    enum ice_status status = ice_rescue_statements(a->r, state, say_statement, a);
    if (a->status >= 0)
        a->status = status;
}

/* Its snapshot was there once, and went from the metadata file: which files it has is not
 * known. An id that the log of snapshots does not have may be wrong by itself. */
static bool is_undescribed(const struct ice_rescue *r,
                           const struct ice_rescue_state *state) {
    const struct ice_metadata *m = r->reader->metadata;
    bool is_logged = false;
    for (size_t i = 0; i < m->n_snapshot_log && !is_logged; i++)
        is_logged = m->snapshot_log[i].has_what &&
                    m->snapshot_log[i].snapshot_id == state->snapshot_id;
    return state->has_snapshot && is_logged &&
           ice_metadata_find_snapshot(m, state->snapshot_id) == SIZE_MAX;
}

/* Where the current state has all its files, mending it may lose nothing. */
static bool say_repair(struct advice *a) {
    const struct ice_rescue *r = a->r;
    for (size_t i = 0; i < r->n_states; i++) {
        const struct ice_rescue_state *state = &r->states[i];
        if (state->way != ICE_WAY_STAY || state->verdict.health != ICE_RESCUE_BROKEN)
            continue;
        if (ice_rescue_lacks_files(&state->verdict) || state->verdict.first == NULL ||
            is_undescribed(r, state))
            return false;
        say_text(a, "The current state has all its files, and errors in them. To repair "
                    "it where it stands loses nothing: see icefsck explain ");
        say_text(a, state->verdict.first->rule);
        say_text(a, ".\n");
        return true;
    }
    return false;
}

enum { MOST_REFS = 5, MOST_ASKED = 1000 }; /* named; looked for among all states */

/* Is it the head of a branch or a tag other than main, broken in the current file? */
static bool is_broken_ref(const struct ice_rescue *r, const struct ice_ref *ref) {
    for (size_t i = 0; i < r->n_states && ref->has_snapshot_id; i++) {
        const struct ice_rescue_state *state = &r->states[i];
        if (state->is_kept && state->has_snapshot &&
            state->snapshot_id == ref->snapshot_id)
            return state->verdict.health == ICE_RESCUE_BROKEN;
    }
    return false;
}

static uint64_t say_broken_refs(struct advice *a, bool is_quiet) {
    const struct ice_metadata *m = a->r->reader->metadata;
    uint64_t n = 0;
    for (size_t i = 0; i < m->n_refs && i < MOST_ASKED; i++) {
        if (!is_broken_ref(a->r, &m->refs[i]) || n++ >= MOST_REFS || is_quiet)
            continue;
        say_text(a, ice_str_is(m->refs[i].type, "tag") ? "Tag " : "Branch ");
        ice_rescue_say_escaped(a, m->refs[i].name);
        say_text(a, " leads to a broken snapshot, ");
        char id[32];
        (void)snprintf(id, sizeof(id), "%" PRId64, m->refs[i].snapshot_id);
        say_text(a, id);
        say_text(a, ": readers of it fail.\n");
    }
    if (n > MOST_REFS && !is_quiet)
        say_text(a, "  and more branches or tags: see the column lacks\n");
    return n;
}

/* The file that the catalog or the hint names, where --metadata chose another one; or
 * empty. */
static struct ice_str named_instead(const struct ice_rescue *r, char out[64]) {
    const struct ice_check *ck = &r->reader->check;
    const struct ice_str file = r->files[0].name;
    bool is_hadoop;
    if (ck->picked_by != ICE_PICKED_BY_ARGUMENT)
        return ICE_STR_NONE;
    if (ck->pointer != NULL) {
        struct ice_str name = ice_uri_base_name(ck->pointer->metadata_location);
        return ice_str_equal(name, file) ? ICE_STR_NONE : name;
    }
    if (!r->reader->target.has_hint || r->reader->target.hint_version < 0 ||
        ice_metadata_name_version(file, &is_hadoop) == r->reader->target.hint_version ||
        !is_hadoop)
        return ICE_STR_NONE;
    (void)snprintf(out, 64, "version %" PRId64, r->reader->target.hint_version);
    return ice_str_from(out);
}

/* The current state is the best one. */
static void say_stay(struct advice *a, const struct ice_rescue_state *state) {
    char text[64];
    const struct ice_str named = named_instead(a->r, text);
    bool is_asked = a->r->reader->check.picked_by == ICE_PICKED_BY_ARGUMENT;
    bool is_all = ice_rescue_later_than(a->r, state) == NULL &&
                  !ice_rescue_is_rivalled(a->r) && say_broken_refs(a, true) == 0;
    say_text(a, is_asked ? "The state that was asked for is whole: "
                : is_all ? "The current state is whole, nothing to do: "
                         : "The current state is whole: ");
    say_state(a, state);
    say_text(a, ".\n");
    if (named.size == 0)
        return;
    struct ice_rescue_state other = *state;
    other.way = ICE_WAY_REGISTER;
    say_text(a, a->r->reader->check.pointer != NULL ? "The catalog names "
                                                    : "version-hint.text names ");
    ice_rescue_say_escaped(a, named);
    say_text(a, ". If this state is to be current:\n");
    say_way(a, &other);
}

static void say_best(struct advice *a, const struct ice_rescue_state *state) {
    if (state->way == ICE_WAY_STAY && state->loss.commits == 0) {
        say_stay(a, state);
        return;
    }
    if (ice_rescue_waits_for_copy(a->r))
        say_text(a, "Until then the best state that is known to be whole is ");
    else
        say_text(a, say_repair(a) ? "Else the best state without an error is "
                                  : "The best state is ");
    say_state(a, state);
    say_text(a, ".\n");
    say_loss(a, state);
    if (ice_rescue_waits_for_copy(a->r))
        say_text(a, "How to go back there is told once the copy has all that storage "
                    "has: the current state may be whole.\n");
    else
        say_way(a, state);
}

/* ---- when there is none ---- */

static void say_none(struct advice *a) {
    const struct ice_rescue *r = a->r;
    size_t n_present = 0, n_unsure = 0;
    for (size_t i = 0; i < r->n_states; i++) {
        bool lacks = !r->files[r->states[i].file].is_read ||
                     ice_rescue_lacks_files(&r->states[i].verdict);
        if (r->states[i].is_empty)
            continue;
        n_present += !lacks && r->states[i].verdict.health == ICE_RESCUE_BROKEN;
        n_unsure += r->states[i].verdict.health == ICE_RESCUE_UNSURE;
    }
    (void)say_repair(a);
    say_text(a, "No state that holds data is known to be whole.\n");
    if (n_unsure > 0) {
        say_count(a, n_unsure, "state could", "states could");
        say_text(a, " not be checked to the end: see the column lacks.\n");
    }
    if (n_present > 0) {
        say_text(a, "Of ");
        say_count(a, n_present, "state", "states");
        say_text(a, " no file is missing or damaged, but icefsck check finds errors "
                    "there: they may be repaired where they stand.\n");
    }
}

/* ---- what else to know ---- */

/* Old snapshots of a file that stays: they are kept, and cannot be read. */
static void say_broken(struct advice *a) {
    const struct ice_rescue *r = a->r;
    uint64_t n = 0;
    for (size_t i = 0; i < r->n_states; i++)
        n += r->states[i].is_kept && r->states[i].verdict.health == ICE_RESCUE_BROKEN;
    if (n == 0 || r->best == SIZE_MAX || r->states[r->best].way != ICE_WAY_STAY)
        return;
    say_count(a, n, "other snapshot that it keeps is broken",
              "other snapshots that it keeps are broken");
    say_text(a, ": time travel there fails, and an expiry may.\n");
    (void)say_broken_refs(a, false);
}

/* Which file is current, and of which place: what pass 0 has found. */
static enum ice_status on_pointer_finding(const struct ice_finding *finding, void *user) {
    struct advice *a = user;
    const char *name = finding->rule->name;
    if (finding->severity < ICE_WARN ||
        (strncmp(name, "hint.", 5) != 0 && strncmp(name, "catalog.", 8) != 0 &&
         strcmp(name, "path.table-relocated") != 0))
        return ICE_OK;
    if (a->r->is_unknown_listed && (strcmp(name, "catalog.pointer.missing-file") == 0 ||
                                    strcmp(name, "hint.dangling") == 0))
        return ICE_OK; /* it is in storage: only to be copied */
    say_text(a, "See also ");
    say_text(a, name);
    say_text(a, ": ");
    ice_rescue_say_escaped(a, finding->message);
    say_text(a, ".\n");
    return a->status;
}

static void say_pointer(struct advice *a) {
    struct ice_check *ck = &a->r->reader->check;
    struct ice_summary unused = {0};
    enum ice_status status = ice_check_relocated(ck, a->r->err);
    if (status >= 0)
        status = ice_emit_deliver(ck->emit, ck->table_name, ck->metadata.table_uuid,
                                  on_pointer_finding, a, &unused, NULL);
    if (a->status >= 0)
        a->status = status;
}

static void say_limits(struct advice *a) {
    const struct ice_rescue *r = a->r;
    if (r->n_unjudged > 0) {
        say_count(a, r->n_unjudged, "older metadata file was",
                  "older metadata files were");
        say_text(a, " not judged.\n");
    }
    if (!is_storage_known(r))
        say_text(a, "Data files were not looked for: give --listing FILE, or --storage "
                    "local.\n");
    say_text(a, "Nothing was written.\n");
}

enum ice_status ice_rescue_advice(struct ice_rescue *r, ice_write_fn write, void *user) {
    struct advice a = {.r = r, .write = write, .user = user, .status = ICE_OK};
    bool stays = r->best != SIZE_MAX && r->states[r->best].way == ICE_WAY_STAY &&
                 r->states[r->best].loss.commits == 0;
    ice_rescue_say_unknown(&a);
    ice_rescue_say_not_copied(&a);
    if (!stays) {
        ice_rescue_say_lost_files(&a);
        ice_rescue_say_fetch(&a);
    }
    if (r->best == SIZE_MAX)
        say_none(&a);
    else
        say_best(&a, &r->states[r->best]);
    say_broken(&a);
    ice_rescue_say_beside(&a);
    say_pointer(&a);
    say_limits(&a);
    return a.status;
}
