/*
 * Files beside the chain. Of each one thing is said: it is of another table, it continues
 * the current file, or it is a sibling of a file of the chain.
 */
#include "check/history.h"

/* Position of the current file in a log, SIZE_MAX if it is not there. */
static size_t find_current(const struct ice_history *h, const struct ice_metadata *m) {
    struct ice_str current = ice_key_name(h->ck->metadata_key);
    for (size_t i = m->n_metadata_log; i > 0; i--) {
        if (m->metadata_log[i - 1].has_what &&
            ice_str_equal(ice_uri_base_name(m->metadata_log[i - 1].file), current))
            return i - 1;
    }
    return SIZE_MAX;
}

/* ---- siblings ---- */

/*
 * A snapshot that only the side file has, with a number that the current state gave to
 * another one: two writers built on one state.
 */
static void check_lost_side(struct ice_history *h, const struct ice_history_file *side) {
    const struct ice_metadata *m = side->metadata, *own = &h->ck->metadata;
    struct ice_str list;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (s->sequence_number <= 0 ||
            ice_metadata_find_snapshot(own, s->snapshot_id) != SIZE_MAX)
            continue;
        for (size_t k = 0; k < own->n_snapshots; k++) {
            if (own->snapshots[k].sequence_number != s->sequence_number)
                continue;
            struct ice_place place =
                ice_history_place(side, ice_history_pointer(h, "snapshots", i, ""));
            if (ice_snapshot_manifest_list(m, s, &h->scratch[0], &list) < 0)
                list = ICE_STR_NONE;
            FOUND(h->ck->emit, ICE_RULE_HISTORY_COMMIT_LOST_SIDE, &place,
                  arg_id("id", s->snapshot_id), arg_i64("sequence", s->sequence_number),
                  arg_id("other", own->snapshots[k].snapshot_id), arg_str("list", list));
            return;
        }
    }
}

static bool is_same_version(const struct ice_history *h, size_t a, size_t b) {
    const struct ice_metadata_name *names = h->ck->target->names;
    return names[a].version >= 0 && names[a].version == names[b].version &&
           names[a].is_hadoop == names[b].is_hadoop;
}

static void report_fork(struct ice_history *h, const struct ice_history_file *side,
                        enum ice_rule_id rule, size_t of_chain) {
    struct ice_place place = ice_history_place(side, ICE_STR_NONE);
    h->ck->has_fork = true;
    FOUND(h->ck->emit, rule, &place, arg_str("name", ice_history_name(h, side->name)),
          arg_str("other", ice_history_name(h, of_chain)));
    check_lost_side(h, side);
}

static void look_for_fork(struct ice_history *h, const struct ice_history_file *side) {
    struct ice_str logged = ice_history_logged(side->metadata);
    for (size_t i = 0; i < h->n_chain; i++) {
        if (!is_same_version(h, side->name, h->chain[i].name))
            continue;
        /* which of the two is current was a guess, and that was said */
        bool is_said = i == 0 && strcmp(h->ck->picked_by, "name") == 0;
        if (!is_said)
            report_fork(h, side, ICE_RULE_HISTORY_FORK_SAME_VERSION, h->chain[i].name);
        return;
    }
    for (size_t i = 0; logged.size > 0 && i < h->n_chain; i++) {
        if (ice_str_equal(logged, h->chain[i].logged)) {
            report_fork(h, side, ICE_RULE_HISTORY_FORK_SAME_PARENT, h->chain[i].name);
            return;
        }
    }
}

/* ---- */

void ice_history_side(struct ice_history *h, const struct ice_history_file *side) {
    const struct ice_metadata *m = side->metadata;
    size_t at = find_current(h, m);
    if (ice_history_is_other_table(m, &h->ck->metadata)) {
        struct ice_place place = ice_history_place(side, ICE_STR("/table-uuid"));
        h->ck->has_other_table = true;
        FOUND(h->ck->emit, ICE_RULE_HISTORY_FOREIGN_TABLE, &place,
              arg_str("name", ice_history_name(h, side->name)),
              arg_str("other", m->table_uuid),
              arg_str("uuid", h->ck->metadata.table_uuid));
    } else if (h->has_branches) {
        ice_history_branch(h, side->name);
    } else if (at != SIZE_MAX) {
        size_t commits = m->n_metadata_log - at;
        if (commits >= h->n_newer_commits) {
            h->newer = side->name;
            h->n_newer_commits = commits;
        }
    } else {
        look_for_fork(h, side);
    }
}

void ice_history_end(struct ice_history *h) {
    struct ice_check *ck = h->ck;
    ice_history_gaps(h);
    ice_history_report_branches(h);
    struct ice_place place = ice_place_file(ck->metadata_file, ICE_ORDER_POINTER);
    if (h->newer != SIZE_MAX) {
        ck->newer = ice_history_name(h, h->newer);
        ck->n_newer = h->n_newer_commits;
    }
    if (h->newer == SIZE_MAX || strcmp(ck->picked_by, "pointer") != 0)
        return; /* a newer file than one picked otherwise is others' to tell */
    FOUND_AS(ck->emit, ICE_RULE_CATALOG_POINTER_STALE,
             h->n_newer_commits > 1 ? ICE_ERROR : ICE_WARN, &place,
             arg_str("current", ice_key_name(ck->metadata_key)),
             arg_str("newer", ice_history_name(h, h->newer)),
             arg_i64("commits", (int64_t)h->n_newer_commits));
}
