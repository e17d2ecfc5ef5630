/*
 * manifest.entry.sequence-number.changed (spec: #manifest-entry-fields): a file that the
 * same snapshot added must have one data sequence number in all snapshots of one line.
 */
#include "base/error.h"
#include "check/groups.h"

/* Entries of one file that are looked at for an earlier one with another number. */
enum { MAX_LOOK_BACK = 1024 };

/* ---- are two manifests in one line of snapshots? ---- */

static void count_below(struct ice_group *group, const struct ice_manifest_facts *facts) {
    const struct ice_check *ck = group->ck;
    memset(group->below, 0, (ck->n_snapshots + 1) * sizeof(*group->below));
    for (uint32_t run = 0; run < facts->n_runs; run++)
        for (uint32_t i = facts->runs[run].first; i <= facts->runs[run].last; i++)
            group->below[ck->snapshots[i].enter + 1] = 1;
    for (size_t i = 0; i < ck->n_snapshots; i++)
        group->below[i + 1] += group->below[i];
}

/* Does a snapshot that lists b equal or descend from one that lists a? */
static bool leads_to(struct ice_group *group, uint32_t a, uint32_t b) {
    const struct ice_check *ck = group->ck;
    const struct ice_manifest_facts *from = &ck->manifests[a];
    count_below(group, &ck->manifests[b]);
    for (uint32_t run = 0; run < from->n_runs; run++)
        for (uint32_t i = from->runs[run].first; i <= from->runs[run].last; i++)
            if (group->below[ck->snapshots[i].leave] >
                group->below[ck->snapshots[i].enter])
                return true;
    return false;
}

static enum ice_status find_related(struct ice_group *group, uint32_t a, uint32_t b,
                                    bool *out) {
    uint64_t key = ice_hash_mix((uint64_t)a << 32 | b, group->ck->run->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t known;
    if (ice_table_next(&group->related, key, &at, &known)) {
        *out = known;
        return ICE_OK;
    }
    *out = leads_to(group, a, b) || leads_to(group, b, a);
    return ice_group_remember(&group->related, key, *out);
}

/* ---- numbers ---- */

/* A live entry with a number of its own or of its list, of a manifest that was read
 * whole. */
static bool has_number(const struct ice_group *group, size_t item) {
    const struct ice_origin *origin = ice_group_origin(group, item);
    return ice_fact_status(&group->items[item]) != ICE_STATUS_DELETED &&
           group->ck->manifests[group->manifests[item]].state == ICE_READ_WHOLE &&
           ice_part_of(&group->items[item]) <= ICE_PART_VECTOR && origin->has_columns &&
           origin->sequence_number >= 0;
}

static bool disagree(const struct ice_group *group, size_t a, size_t b) {
    const struct ice_origin *x = ice_group_origin(group, a);
    const struct ice_origin *y = ice_group_origin(group, b);
    return ice_part_of(&group->items[a]) == ice_part_of(&group->items[b]) &&
           x->snapshot_id == y->snapshot_id && x->sequence_number != y->sequence_number &&
           group->manifests[a] != group->manifests[b];
}

/* The nearest earlier entry in one line with it that has another number. */
static enum ice_status check_item(struct ice_group *group, size_t item) {
    const struct ice_fact *fact = &group->items[item];
    size_t found = SIZE_MAX, budget = MAX_LOOK_BACK;
    for (size_t i = 0; i < group->n && budget > 0; i++) {
        const struct ice_fact *other = &group->items[i];
        bool related = false;
        if (other->entry >= fact->entry || !has_number(group, i) ||
            !disagree(group, i, item) ||
            (found != SIZE_MAX && other->entry < group->items[found].entry))
            continue;
        budget--;
        ICE_TRY(
            find_related(group, group->manifests[i], group->manifests[item], &related));
        if (related)
            found = i;
    }
    if (found == SIZE_MAX)
        return ICE_OK;
    return ice_suspect_add(
        group->suspects,
        (struct ice_suspect){.rule = ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_CHANGED,
                             .severity = ICE_DEFAULT,
                             .entry = fact->entry,
                             .other = group->items[found].entry,
                             .snapshot = ICE_NO_NUMBER,
                             .before = ICE_NO_NUMBER,
                             .row = -1,
                             .number = ice_group_origin(group, item)->sequence_number,
                             .other_number =
                                 ice_group_origin(group, found)->sequence_number});
}

enum ice_status ice_group_sequence_rules(struct ice_group *group) {
    bool one_origin = true;
    if (group->ck->version < 2)
        return ICE_OK;
    for (size_t i = 1; one_origin && i < group->n; i++)
        one_origin = group->items[i].origin == group->items[0].origin;
    size_t budget = MAX_LOOK_BACK; /* entries of a path without end */
    for (size_t i = 0; !one_origin && i < group->n && budget > 0; i++)
        if (has_number(group, i)) {
            ICE_TRY(check_item(group, i));
            budget--;
        }
    return ICE_OK;
}
