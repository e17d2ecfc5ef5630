/*
 * What rescue says of files to bring back or to copy, before anything is gone back to.
 */
#include "answer/rescue_say.h"

enum { MOST_FETCHED = 10, MOST_NAMED = 5 };

static bool can_be_fetched(const struct ice_rescue *r, struct ice_str file) {
    const struct ice_rescue_fault *f = r->fetch;
    while (f != NULL && !ice_str_equal(f->file, file))
        f = f->next;
    return f != NULL;
}

/* Before anything is undone: the file of which nothing is known may be whole elsewhere.
 */
void ice_rescue_say_unknown(struct advice *a) {
    const struct ice_rescue *r = a->r;
    if (r->unknown.size == 0 || can_be_fetched(r, r->unknown))
        return; /* ... or say_fetch tells how it comes back */
    ice_rescue_say_escaped(a, r->unknown);
    if (r->reader->replaced.size > 0)
        say_text(a,
                 " cannot be read: before going back, look at its rights, compare its "
                 "size with the object "
                 "in storage and copy it again, or restore an old version of it. Going "
                 "back undoes what it brought.\n");
    else if (r->is_unknown_listed)
        say_text(a,
                 " is in storage, and the copy lacks it: copy it, and run this again.\n");
    else if (r->options.n_listings == 0)
        say_text(a,
                 " is not in this directory: before going back, look for it in storage "
                 "(sync again, or give a --listing). Going back while it is there "
                 "undoes what it brought.\n");
    else
        say_text(a,
                 " is in no listing given: unless it lies elsewhere, or an old version "
                 "of it can be restored, what it brought is lost.\n");
}

/* A fault that only a copy mends. */
static bool is_not_copied(const struct ice_rescue_fault *f) {
    return strcmp(f->rule, "storage.file.not-copied") == 0;
}

static bool is_current(const struct ice_rescue_state *state) {
    return state->file == 0 && !state->is_kept;
}

bool ice_rescue_waits_for_copy(const struct ice_rescue *r) {
    if (r->unknown.size > 0 && r->is_unknown_listed)
        return true;
    for (size_t i = 0; i < r->n_states; i++) {
        const struct ice_rescue_state *state = &r->states[i];
        bool is_unsure = state->verdict.health == ICE_RESCUE_UNSURE;
        for (const struct ice_rescue_fault *f = state->verdict.first;
             f != NULL && is_current(state) && is_unsure; f = f->next)
            if (is_not_copied(f))
                return true;
    }
    return false;
}

void ice_rescue_say_not_copied(struct advice *a) {
    const struct ice_rescue *r = a->r;
    uint64_t n = 0;
    for (size_t i = 0; i < r->n_states; i++) {
        for (const struct ice_rescue_fault *f = r->states[i].verdict.first;
             f != NULL && is_current(&r->states[i]); f = f->next) {
            if (!is_not_copied(f) || n++ >= MOST_NAMED)
                continue;
            if (n == 1)
                say_text(a, "Storage has what the current state needs, and the copy "
                            "lacks it: copy the metadata again, these with it, and "
                            "run this again:\n");
            say_text(a, "  ");
            ice_rescue_say_escaped(a, f->file);
            say_text(a, "\n");
        }
    }
    if (n > MOST_NAMED)
        say_text(a, "  and more: see faults in -f json\n");
}

/* Files whose return would mend the current state. */
void ice_rescue_say_lost_files(struct advice *a) {
    const struct ice_rescue *r = a->r;
    uint64_t n = 0;
    for (size_t i = 0; i < r->n_states; i++) {
        const struct ice_rescue_state *state = &r->states[i];
        if (!is_current(state))
            continue;
        for (const struct ice_rescue_fault *f = state->verdict.first; f != NULL;
             f = f->next) {
            if (!f->is_lost || n++ >= MOST_NAMED)
                continue;
            if (n == 1)
                say_text(a, "The current state needs these back as they were:\n");
            say_text(a, "  ");
            ice_rescue_say_escaped(a, f->file);
            say_text(a, "\n");
        }
        if (n > 0 && state->verdict.n_faults > MOST_NAMED)
            say_text(a, "  and more: see faults in -f json\n");
        if (n > 0 && !is_storage_known(r))
            say_text(a, "Where this is a copy, copy them again first: they may be whole "
                        "in storage.\n");
    }
}

void ice_rescue_say_fetch(struct advice *a) {
    const struct ice_rescue *r = a->r;
    size_t n = 0;
    if (r->n_fetch == 0)
        return;
    say_count(a, r->n_fetch,
              "lost file has an old version: fetch it back first, then "
              "run this again:\n",
              "lost files have old versions: fetch them back first, then run this "
              "again:\n");
    for (const struct ice_rescue_fault *f = r->fetch; f != NULL && n < MOST_FETCHED;
         f = f->next, n++) {
        say_text(a, "  ");
        ice_rescue_say_escaped(a, f->message);
        say_text(a, "\n");
    }
    if (r->n_fetch > MOST_FETCHED)
        say_text(a, "  and more: take the column fetch of -f json\n");
}
