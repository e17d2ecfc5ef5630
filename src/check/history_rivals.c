/*
 * Files beside the chain. Of each one thing is said: it is of another table, it continues
 * the current file, or it is a sibling of a file of the chain.
 */
#include "check/history.h"

#include "base/error.h"
#include "check/pass1.h"

/* ---- while a document is at hand ---- */

/* Two writers built on one state. */
static enum ice_status keep_lost(struct ice_history *h,
                                 const struct ice_history_file *side, size_t index,
                                 int64_t other) {
    const struct ice_snapshot *s = &side->metadata->snapshots[index];
    struct ice_lost_side *lost = ice_arena_array(&h->ck->arena, 1, sizeof(*lost));
    struct ice_str list;
    if (lost == NULL)
        return ICE_ENOMEM;
    *lost = (struct ice_lost_side){.id = s->snapshot_id,
                                   .sequence = s->sequence_number,
                                   .other = other,
                                   .index = index};
    ICE_TRY(ice_snapshot_manifest_list(side->metadata, s, &h->scratch[0], &list));
    if (!ice_arena_dup(&h->ck->arena, list, &lost->list))
        return ICE_ENOMEM;
    h->beside[side->name].lost = lost;
    return ICE_OK;
}

static enum ice_status find_lost(struct ice_history *h,
                                 const struct ice_history_file *side) {
    const struct ice_metadata *m = side->metadata, *own = &h->ck->metadata;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (s->sequence_number <= 0 ||
            ice_metadata_find_snapshot(own, s->snapshot_id) != SIZE_MAX)
            continue;
        for (size_t k = 0; k < own->n_snapshots; k++) {
            if (own->snapshots[k].sequence_number == s->sequence_number)
                return keep_lost(h, side, i, own->snapshots[k].snapshot_id);
        }
    }
    return ICE_OK;
}

static bool leaves_chain(const struct ice_history *h, const struct ice_beside *of) {
    for (size_t i = 0; of->logged.size > 0 && i < h->n_chain; i++) {
        if (ice_str_equal(of->logged, h->chain[i].logged) ||
            ice_str_equal(of->logged, ice_history_name(h, h->chain[i].name)))
            return true;
    }
    return false;
}

/*
 * A commit that is tried again keeps its snapshot's id, and writes another manifest list.
 * The file of the try before stays where the catalog's client does not remove it.
 */
static enum ice_status find_landed(struct ice_history *h,
                                   const struct ice_history_file *side) {
    struct ice_beside *of = &h->beside[side->name];
    struct ice_str list;
    ICE_TRY(ice_history_tip_list(h, side->metadata, &of->tried, &list));
    for (size_t i = 0; list.size > 0 && leaves_chain(h, of) && i < h->n_chain; i++) {
        const struct ice_chain_file *file = &h->chain[i];
        if (file->list.size > 0 && file->tip == of->tried &&
            !ice_str_equal(file->list, list))
            of->landed = i; /* the oldest is the commit itself */
    }
    return ICE_OK;
}

enum ice_status ice_history_side(struct ice_history *h,
                                 const struct ice_history_file *side) {
    struct ice_beside *of = &h->beside[side->name];
    struct ice_place place = ice_history_place(side, ICE_STR("/table-uuid"));
    if (of->kin == ICE_KIN_FORK) {
        ICE_TRY(find_landed(h, side));
        return of->landed == SIZE_MAX ? find_lost(h, side) : ICE_OK;
    }
    if (of->kin != ICE_KIN_OTHER_TABLE)
        return ICE_OK;
    h->ck->has_other_table = true;
    FOUND(h->ck->emit, ICE_RULE_HISTORY_FOREIGN_TABLE, &place,
          arg_str("name", ice_history_name(h, side->name)),
          arg_str("other", side->metadata->table_uuid),
          arg_str("uuid", h->ck->metadata.table_uuid));
    return ICE_OK;
}

/* ---- siblings ---- */

static void report_lost(struct ice_history *h, const struct ice_history_file *side) {
    const struct ice_lost_side *lost = h->beside[side->name].lost;
    struct ice_place place =
        ice_history_place(side, ice_history_pointer(h, "snapshots", lost->index, ""));
    h->ck->has_fork = true;
    FOUND(h->ck->emit, ICE_RULE_HISTORY_COMMIT_LOST_SIDE, &place, arg_id("id", lost->id),
          arg_i64("sequence", lost->sequence), arg_id("other", lost->other),
          arg_str("list", lost->list));
}

static void report_fork(struct ice_history *h, const struct ice_history_file *side,
                        enum ice_rule_id rule, size_t of_chain) {
    struct ice_place place = ice_history_place(side, ICE_STR_NONE);
    h->ck->has_fork = true;
    FOUND(h->ck->emit, rule, &place, arg_str("name", ice_history_name(h, side->name)),
          arg_str("other", ice_history_name(h, of_chain)));
    if (h->beside[side->name].lost != NULL)
        report_lost(h, side);
}

/*
 * Both logs end with one file. Where its number and that of the later of the two leave
 * room for the other between them, both logs were copied from that file and kept by
 * nobody since, unless the two gave one sequence number twice. Whoever writes v<N> keeps
 * the log.
 */
static bool has_same_parent(const struct ice_history *h, size_t side,
                            const struct ice_chain_file *other) {
    const struct ice_beside *of = &h->beside[side];
    struct ice_str name = ice_history_name(h, side);
    if (of->logged.size == 0 || !ice_str_equal(of->logged, other->logged))
        return false;
    bool is_between =
        ice_number_order(of->logged, name) == ICE_NUMBERS_LOWER &&
        ice_number_order(name, ice_history_name(h, other->name)) == ICE_NUMBERS_LOWER;
    return !is_between || of->lost != NULL || h->ck->target->names[side].is_hadoop;
}

static bool is_same_version(const struct ice_history *h, size_t a, size_t b) {
    const struct ice_metadata_name *names = h->ck->target->names;
    return names[a].version >= 0 && names[a].version == names[b].version &&
           names[a].is_hadoop == names[b].is_hadoop;
}

/* A file of the side file's version that came before the current one, beside the chain
 * as it is of no log; SIZE_MAX: none. */
static size_t older_twin(const struct ice_history *h, size_t side) {
    const struct ice_target *target = h->ck->target;
    const int64_t version = target->names[side].version;
    size_t first = side;
    while (first > 0 && target->names[first - 1].version == version)
        first--;
    for (size_t i = first;
         version >= 0 && i < target->n_names && target->names[i].version == version;
         i++) {
        if (h->beside[i].kin == ICE_KIN_OLDER && is_same_version(h, i, side))
            return i;
    }
    return SIZE_MAX;
}

static void report_landed(struct ice_history *h, const struct ice_history_file *side) {
    const struct ice_beside *of = &h->beside[side->name];
    struct ice_place place = ice_history_place(side, ICE_STR_NONE);
    FOUND(h->ck->emit, ICE_RULE_HISTORY_COMMIT_RETRIED, &place,
          arg_str("name", ice_history_name(h, side->name)), arg_id("id", of->tried),
          arg_str("other", ice_history_name(h, h->chain[of->landed].name)));
}

/* A lower number, a later time, and commits that the current file does not know: an old
 * state was put over them, or clocks disagree. */
static void look_for_restored(struct ice_history *h,
                              const struct ice_history_file *side) {
    const struct ice_beside *of = &h->beside[side->name];
    const struct ice_metadata *own = &h->ck->metadata;
    const struct ice_history_file current = {
        .metadata = own, .name = h->current, .file = h->ck->metadata_file};
    if (!of->has_time || !of->has_tip ||
        !ice_metadata_has(own, ICE_META_last_updated_ms) ||
        ice_metadata_find_snapshot(own, of->tip) != SIZE_MAX ||
        ice_number_order(ice_history_name(h, side->name),
                         ice_history_name(h, h->current)) != ICE_NUMBERS_LOWER)
        return;
    int64_t back = ice_time_difference(of->time_ms, own->last_updated_ms);
    if (back <= ICE_CLOCK_SKEW_MS)
        return;
    h->ck->has_restored = true;
    struct ice_place place = ice_history_place(&current, ICE_STR("/last-updated-ms"));
    struct ice_place there = ice_history_place(side, ICE_STR("/last-updated-ms"));
    FOUND_VS(h->ck->emit, ICE_RULE_HISTORY_LAST_UPDATED_REGRESSED, ICE_DEFAULT, &place,
             &there, arg_i64("seconds", back / 1000),
             arg_str("name", ice_history_name(h, side->name)));
}

static void look_for_fork(struct ice_history *h, const struct ice_history_file *side) {
    size_t twin = older_twin(h, side->name);
    if (h->beside[side->name].landed != SIZE_MAX) {
        report_landed(h, side);
        return;
    }
    for (size_t i = 0; i < h->n_chain; i++) {
        if (!is_same_version(h, side->name, h->chain[i].name))
            continue;
        /* which of the two is current was a guess, and that was said */
        bool is_said = i == 0 && h->ck->picked_by == ICE_PICKED_BY_NAME;
        if (!is_said)
            report_fork(h, side, ICE_RULE_HISTORY_FORK_SAME_VERSION, h->chain[i].name);
        return;
    }
    if (twin != SIZE_MAX) {
        report_fork(h, side, ICE_RULE_HISTORY_FORK_SAME_VERSION, twin);
        return;
    }
    for (size_t i = 0; i < h->n_chain; i++) {
        if (has_same_parent(h, side->name, &h->chain[i])) {
            report_fork(h, side, ICE_RULE_HISTORY_FORK_SAME_PARENT, h->chain[i].name);
            return;
        }
    }
    /* one with a log branches off where that says, and is told of there */
    if (h->beside[side->name].logged.size == 0 && h->beside[side->name].lost != NULL)
        report_lost(h, side);
    else
        look_for_restored(h, side);
}

/* ---- descendants ---- */

static void report_newer(struct ice_history *h) {
    struct ice_check *ck = h->ck;
    struct ice_place place = ice_place_file(ck->metadata_file, ICE_ORDER_POINTER);
    size_t commits = h->beside[h->newer].n_commits;
    ck->newer = ice_history_name(h, h->newer);
    ck->n_newer = commits;
    if (ck->picked_by != ICE_PICKED_BY_POINTER)
        return; /* a newer file than one picked otherwise is others' to tell */
    FOUND_AS(ck->emit, ICE_RULE_CATALOG_POINTER_STALE, commits > 1 ? ICE_ERROR : ICE_WARN,
             &place, arg_str("current", ice_key_name(ck->metadata_key)),
             arg_str("newer", ck->newer), arg_i64("commits", (int64_t)commits));
}

void ice_history_end(struct ice_history *h) {
    struct ice_check *ck = h->ck;
    ice_history_gaps(h);
    for (size_t i = 0; i < ck->target->n_names; i++) {
        const struct ice_history_file side = {.name = i, .file = h->beside[i].file};
        if (h->beside[i].kin == ICE_KIN_BRANCH)
            ice_history_branch(h, i);
        if (h->beside[i].kin == ICE_KIN_FORK)
            look_for_fork(h, &side);
    }
    ice_history_report_branches(h);
    if (h->newer != SIZE_MAX)
        report_newer(h);
    if (h->newer != SIZE_MAX || h->untold == SIZE_MAX)
        return;
    ck->untold = ice_history_name(h, h->untold);
    if (ck->picked_by == ICE_PICKED_BY_POINTER)
        ice_emit_not_evaluated(
            ck->emit, "catalog.pointer.stale",
            ICE_STR("a metadata file has a higher number than the one that the catalog "
                    "points to, and neither its log nor its snapshots tell whether it "
                    "continues that one"),
            true, h->beside[h->untold].file);
}
