/*
 * What lies beyond `to`, where that is what the catalog or the hint names: a pointer that
 * is itself behind would make a stale reader look fresh.
 */
#include "answer/diff.h"

#include "base/error.h"
#include "check/history.h"

/* ---- looking ---- */

static enum ice_status on_side(struct ice_history *h, const struct ice_history_file *side,
                               struct ice_error *err) {
    (void)h;
    (void)side;
    (void)err;
    return ICE_OK;
}

static enum ice_status on_unread(struct ice_history *h,
                                 const struct ice_history_file *file,
                                 struct ice_error *fault, struct ice_error *err) {
    (void)fault;
    (void)err;
    return ice_diff_unknown(h->user, file->file,
                            "whether this file continues to is not known: it could not "
                            "be read");
}

static void keep(struct ice_diff *d, const struct ice_history *h) {
    struct ice_diff_ahead *ahead = &d->ahead;
    for (size_t i = 0; i < h->ck->target->n_names; i++)
        ahead->n_files += h->beside[i].kin == ICE_KIN_NEWER;
    if (h->newer != SIZE_MAX) {
        ahead->newest = ice_history_name(h, h->newer);
        ahead->n_commits = h->beside[h->newer].n_commits;
    } else if (h->untold != SIZE_MAX) {
        ahead->untold = ice_history_name(h, h->untold);
    }
    size_t from = d->from.document.name;
    if (d->from.reader == d->reader && from != SIZE_MAX &&
        h->beside[from].kin == ICE_KIN_NEWER) {
        ahead->from_is = true;
        ahead->n_from = h->beside[from].n_commits;
    }
}

enum ice_status ice_diff_look_ahead(struct ice_diff *d) {
    static const struct ice_history_visitor visitor = {.side = on_side,
                                                       .unread = on_unread};
    struct ice_check *ck = &d->reader->check;
    struct ice_history h;
    if (d->ask->to != NULL || ck->picked_by == ICE_PICKED_BY_ARGUMENT ||
        ck->metadata_source != ck->target->source || ck->target->kind != ICE_TARGET_TABLE)
        return ICE_OK;
    enum ice_status status = ice_history_init(&h, ck, &visitor, d, d->err);
    if (status == ICE_OK)
        status = ice_history_ahead(&h, d->err);
    if (status == ICE_OK)
        keep(d, &h);
    ice_history_release(&h);
    return status < 0 ? status : ICE_OK;
}

/* ---- saying ---- */

/* What names `to`, and what is wrong with it where a file goes further. */
static const struct {
    const char *name, *fault;
} pointers[] = {
    [ICE_PICKED_BY_NAME] = {"the highest number",
                            "the highest number is not the newest file"},
    [ICE_PICKED_BY_HINT] = {"version-hint.text", "version-hint.text is stale, or the "
                                                 "table has moved to a catalog"},
    [ICE_PICKED_BY_POINTER] = {"the catalog", "the catalog is stale or was set back"},
    /* then to was asked for, and nothing was looked for beyond it */
    [ICE_PICKED_BY_ARGUMENT] = {"the argument", "the argument is not the newest file"},
};

const char *ice_diff_pointer(const struct ice_diff *d) {
    return pointers[d->reader->check.picked_by].name;
}

static const char *blame(const struct ice_diff *d) {
    return pointers[d->reader->check.picked_by].fault;
}

enum ice_status ice_diff_say_ahead(struct ice_diff *d) {
    const struct ice_diff_ahead *ahead = &d->ahead;
    char name[160];
    if (ahead->untold.size > 0)
        return ice_diff_unknown(d, ahead->untold,
                                "by its number this file came after to; whether it "
                                "continues to is told neither by its log nor by its "
                                "snapshots");
    if (ahead->n_files == 0)
        return ICE_OK;
    (void)ice_escape(name, sizeof(name), ahead->newest);
    d->differs = d->differs || ahead->n_commits > 1;
    if (ahead->from_is && ahead->n_from == ahead->n_commits)
        return ice_diff_say(d, "relation", "newer",
                            "no other metadata file goes further than that of from");
    if (ahead->n_commits == 1)
        return ice_diff_say(d, "relation", "newer",
                            "%s continues to, by 1 commit: an attempt that was not "
                            "committed, or %s; --to %s compares with it",
                            name, blame(d), name);
    return ice_diff_say(d, "relation", "newer",
                        "%zu metadata file%s to, the newest is %s, by %zu commits: %s; "
                        "--to %s tells what from misses",
                        ahead->n_files, ahead->n_files == 1 ? " continues" : "s continue",
                        name, ahead->n_commits, blame(d), name);
}

enum ice_status ice_diff_next_ahead(struct ice_diff *d) {
    if (d->ahead.n_files == 0)
        return ICE_OK;
    if (d->ahead.n_commits == 1) {
        char name[160];
        return ice_diff_say(d, "next", "pointer",
                            "ask the writer of %s whether its commit had succeeded; if "
                            "so, icefsck rescue with --metadata and that file writes how "
                            "to make it current",
                            ice_escape(name, sizeof(name), d->ahead.newest));
    }
    return ice_diff_say(d, "next", "pointer",
                        "%s names an older metadata file than there is: see icefsck "
                        "pointers and icefsck rescue, which writes how to register the "
                        "newer one",
                        ice_diff_pointer(d));
}
