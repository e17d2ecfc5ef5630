/*
 * What a file beside the chain is to the current one. Its log tells, or that of a file
 * which its log names and which is here; where logs are trimmed, frozen or empty, the
 * snapshots that the two know of.
 */
#include "check/history.h"

enum { MOST_TIPS = 8 }; /* newer files that a later one is compared with */

/* Position of the current file in a log, SIZE_MAX if it is not there. */
static size_t find_current(const struct ice_history *h, const struct ice_metadata *m) {
    struct ice_str current = ice_history_name(h, h->current);
    for (size_t i = m->n_metadata_log; i > 0; i--) {
        if (m->metadata_log[i - 1].has_what &&
            ice_str_equal(ice_uri_base_name(m->metadata_log[i - 1].file), current))
            return i - 1;
    }
    return SIZE_MAX;
}

static enum ice_number_order order_of(const struct ice_history *h, size_t a, size_t b) {
    return ice_number_order(ice_history_name(h, a), ice_history_name(h, b));
}

/* Commits between two files: each metadata file is one, and numbered so. A log that is
 * copied and not kept has less. */
static size_t commits_between(const struct ice_history *h, size_t earlier, size_t later,
                              size_t by_log) {
    const struct ice_metadata_name *names = h->ck->target->names;
    if (order_of(h, later, earlier) != ICE_NUMBERS_HIGHER)
        return by_log;
    const int64_t by_number = names[later].version - names[earlier].version;
    return (uint64_t)by_number > by_log ? (size_t)by_number : by_log;
}

static void find_parent(const struct ice_history *h, const struct ice_history_file *side,
                        struct ice_beside *out) {
    const struct ice_metadata *m = side->metadata;
    out->parent = SIZE_MAX;
    for (size_t i = m->n_metadata_log; i > 0 && out->parent == SIZE_MAX; i--) {
        if (!m->metadata_log[i - 1].has_what)
            continue;
        size_t index =
            ice_history_find(h, ice_uri_base_name(m->metadata_log[i - 1].file));
        if (index == SIZE_MAX || index == side->name || h->is_unread[index])
            continue;
        out->parent = index;
        out->distance =
            commits_between(h, index, side->name, m->n_metadata_log - (i - 1));
    }
}

/*
 * The log has another file where the current one would stand: by its number, or, where
 * names have none, between two times. A log that was not kept for a while has no entry of
 * that number, but times on both sides.
 */
static bool is_denied(const struct ice_history *h, const struct ice_history_file *side) {
    const struct ice_metadata *m = side->metadata, *own = &h->ck->metadata;
    bool is_before = false, is_behind = false;
    bool has_number = order_of(h, side->name, h->current) != ICE_NUMBERS_UNKNOWN;
    for (size_t i = 0; i < m->n_metadata_log; i++) {
        const struct ice_metadata_log_entry *entry = &m->metadata_log[i];
        if (!entry->has_what)
            continue;
        if (ice_number_order(ice_uri_base_name(entry->file),
                             ice_history_name(h, h->current)) == ICE_NUMBERS_SAME)
            return true;
        is_before = is_before ||
                    (entry->has_timestamp && entry->timestamp_ms < own->last_updated_ms);
        is_behind = is_behind ||
                    (entry->has_timestamp && entry->timestamp_ms > own->last_updated_ms);
    }
    return !has_number && is_before && is_behind &&
           ice_metadata_has(own, ICE_META_last_updated_ms);
}

/* Does the side file know the tip of one that continues the current file? */
static bool knows_newer(const struct ice_history *h,
                        const struct ice_history_file *side) {
    size_t n = 0;
    if (ice_metadata_goes_back(side->metadata, &h->ck->metadata))
        return false;
    for (size_t i = side->name; i > 0 && n < MOST_TIPS; i--) {
        const struct ice_beside *other = &h->beside[i - 1];
        if (other->kin != ICE_KIN_NEWER ||
            order_of(h, side->name, i - 1) != ICE_NUMBERS_HIGHER)
            continue;
        n++;
        if (other->has_tip && ice_metadata_knows(side->metadata, other->tip))
            return true;
    }
    return false;
}

static bool is_not_before(const struct ice_metadata *later,
                          const struct ice_metadata *earlier) {
    return !ice_metadata_has(later, ICE_META_last_updated_ms) ||
           !ice_metadata_has(earlier, ICE_META_last_updated_ms) ||
           later->last_updated_ms >= earlier->last_updated_ms;
}

/* By its number or its time it came after the current file. */
static enum ice_history_kin kin_of_later(struct ice_history *h,
                                         const struct ice_history_file *side,
                                         bool is_numbered) {
    const struct ice_metadata *m = side->metadata, *own = &h->ck->metadata;
    struct ice_beside *of = &h->beside[side->name];
    if (is_denied(h, side))
        return ICE_KIN_FORK;
    if (ice_metadata_comes_of(m, own, !is_numbered) ||
        (is_numbered && is_not_before(m, own) && knows_newer(h, side))) {
        of->n_commits = commits_between(h, h->current, side->name, 1);
        return ICE_KIN_NEWER;
    }
    return is_numbered && ice_is_same_table(m, own) && is_not_before(m, own) &&
                   !of->collides
               ? ICE_KIN_UNTOLD
               : ICE_KIN_FORK;
}

static enum ice_history_kin judge(struct ice_history *h,
                                  const struct ice_history_file *side) {
    const struct ice_metadata *m = side->metadata, *own = &h->ck->metadata;
    struct ice_beside *of = &h->beside[side->name];
    size_t at = find_current(h, m);
    bool is_later = ice_metadata_has(m, ICE_META_last_updated_ms) &&
                    ice_metadata_has(own, ICE_META_last_updated_ms) &&
                    m->last_updated_ms > own->last_updated_ms;
    if (ice_is_other_table(m, own))
        return ICE_KIN_OTHER_TABLE;
    if (h->has_branches)
        return ICE_KIN_BRANCH;
    if (at != SIZE_MAX) {
        of->n_commits =
            commits_between(h, h->current, side->name, m->n_metadata_log - at);
        return ICE_KIN_NEWER;
    }
    switch (order_of(h, side->name, h->current)) {
    case ICE_NUMBERS_SAME:
        return ICE_KIN_FORK;
    case ICE_NUMBERS_LOWER:
        return ice_metadata_comes_of(own, m, false) ? ICE_KIN_OLDER : ICE_KIN_FORK;
    case ICE_NUMBERS_HIGHER:
        return kin_of_later(h, side, true);
    case ICE_NUMBERS_UNKNOWN:
        if (is_later)
            return kin_of_later(h, side, false);
        return ice_metadata_comes_of(own, m, true) ? ICE_KIN_OLDER : ICE_KIN_FORK;
    }
    return ICE_KIN_FORK;
}

enum ice_status ice_history_meet(struct ice_history *h,
                                 const struct ice_history_file *side) {
    const struct ice_metadata *m = side->metadata;
    struct ice_beside *of = &h->beside[side->name];
    *of = (struct ice_beside){.file = side->file,
                              .landed = SIZE_MAX,
                              .has_time = ice_metadata_has(m, ICE_META_last_updated_ms),
                              .time_ms = m->last_updated_ms,
                              .collides = ice_metadata_collides(m, &h->ck->metadata)};
    of->has_tip = ice_metadata_tip(m, &of->tip);
    if (!ice_arena_dup(&h->ck->arena, ice_history_logged(m), &of->logged))
        return ICE_ENOMEM;
    find_parent(h, side, of);
    of->kin = judge(h, side);
    return ICE_OK;
}

/* ---- all of them ---- */

static bool may_be_newer(const struct ice_beside *of) {
    return !of->is_walked && of->parent != SIZE_MAX &&
           (of->kin == ICE_KIN_FORK || of->kin == ICE_KIN_UNTOLD);
}

/*
 * From a file to the one that its log names, to the one that that one's log names: where
 * the last of them continues the current file, all do. Each file is passed once.
 */
static void follow_logs(struct ice_history *h, size_t from) {
    struct ice_beside *all = h->beside;
    size_t distance = 0, at = from;
    for (; may_be_newer(&all[at]); at = all[at].parent) {
        all[at].is_walked = true;
        distance += all[at].distance;
    }
    if (all[at].kin != ICE_KIN_NEWER)
        return;
    for (size_t end = at, left = distance + all[end].n_commits; from != end;
         from = all[from].parent) {
        all[from].kin = ICE_KIN_NEWER;
        all[from].n_commits = left;
        left -= all[from].distance;
    }
}

static bool is_further(const struct ice_beside *a, const struct ice_beside *b) {
    if (a->n_commits != b->n_commits)
        return a->n_commits > b->n_commits;
    return !a->has_time || !b->has_time || a->time_ms >= b->time_ms;
}

void ice_history_settle(struct ice_history *h) {
    for (size_t i = 0; i < h->ck->target->n_names; i++) {
        struct ice_beside *of = &h->beside[i];
        if (may_be_newer(of))
            follow_logs(h, i);
        if (of->kin == ICE_KIN_NEWER &&
            (h->newer == SIZE_MAX || is_further(of, &h->beside[h->newer])))
            h->newer = i;
    }
    for (size_t i = 0; i < h->ck->target->n_names; i++) {
        if (h->beside[i].kin == ICE_KIN_UNTOLD)
            h->untold = i;
    }
}
