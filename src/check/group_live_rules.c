/*
 * Group 20: is a file live twice, did it come and go as the commits say, did it stay what
 * it was?
 */
#include "base/error.h"
#include "check/ancestry.h"
#include "check/groups.h"

enum { SAID_TWICE, SAID_BOTH, SAID_DELETED, SAID_AGAIN, SAID_APPEARED, SAID_CHANGED };

static struct ice_suspect suspect_of(const struct ice_group *group, enum ice_rule_id rule,
                                     size_t item, uint32_t snapshot) {
    return (struct ice_suspect){.rule = rule,
                                .severity = ICE_DEFAULT,
                                .entry = group->items[item].entry,
                                .other = ICE_NO_NUMBER,
                                .snapshot = snapshot,
                                .before = ICE_NO_NUMBER,
                                .row = -1};
}

/* The later entry disagrees with the earlier one. */
static enum ice_status suspect_pair(struct ice_group *group, enum ice_rule_id rule,
                                    size_t a, size_t b, uint32_t snapshot) {
    bool swap = group->items[a].entry < group->items[b].entry;
    struct ice_suspect suspect = suspect_of(group, rule, swap ? b : a, snapshot);
    suspect.other = group->items[swap ? a : b].entry;
    return ice_suspect_add(group->suspects, suspect);
}

/* ---- twice in one snapshot ---- */

static enum ice_rule_id twice_rule(enum ice_group_part part) {
    return part == ICE_PART_OF_VECTOR ? ICE_RULE_DELETE_DV_DUPLICATE
                                      : ICE_RULE_LIVE_PATH_DUPLICATE;
}

static uint32_t last_listed(const struct ice_group *group, uint32_t manifest) {
    const struct ice_manifest_facts *facts = &group->ck->manifests[manifest];
    for (uint32_t r = facts->n_runs; r > 0; r--) {
        uint32_t found = ice_last_judged(group->sets, facts->runs[r - 1].first,
                                         facts->runs[r - 1].last);
        if (found != ICE_NO_NUMBER)
            return found;
    }
    return ICE_NO_NUMBER;
}

/* In one manifest, under one status. */
static enum ice_status check_repeats(struct ice_group *group) {
    for (size_t i = 1; i < group->n; i++) {
        const struct ice_fact *fact = &group->items[i];
        if (ice_fact_status(fact) == ICE_STATUS_DELETED ||
            ice_part_of(fact) == ICE_PART_OF_POSITION ||
            group->items[i - 1].low != fact->low ||
            group->manifests[i - 1] != group->manifests[i])
            continue;
        uint32_t snapshot = last_listed(group, group->manifests[i]);
        if (snapshot != ICE_NO_NUMBER && ice_group_first_time(group, i, SAID_TWICE))
            ICE_TRY(
                suspect_pair(group, twice_rule(ice_part_of(fact)), i, i - 1, snapshot));
    }
    return ICE_OK;
}

static enum ice_status check_twice(struct ice_group *group, enum ice_group_part part) {
    const struct ice_group_runs *runs = &group->parts[part];
    size_t longest = 0; /* the run that ends last, of those before */
    for (size_t i = 1; i < runs->n; i++) {
        const struct ice_group_run *run = &runs->items[i], *held = &runs->items[longest];
        uint32_t last = run->last < held->last ? run->last : held->last;
        uint32_t snapshot = held->last < run->first
                                ? ICE_NO_NUMBER
                                : ice_last_judged(group->sets, run->first, last);
        size_t later = group->items[run->item].entry > group->items[held->item].entry
                           ? run->item
                           : held->item;
        if (snapshot != ICE_NO_NUMBER && run->item != held->item &&
            ice_group_first_time(group, later, SAID_TWICE))
            ICE_TRY(
                suspect_pair(group, twice_rule(part), run->item, held->item, snapshot));
        if (run->last > held->last)
            longest = i;
    }
    return ICE_OK;
}

static enum ice_status both_kinds(struct ice_group *group, size_t data, size_t del,
                                  uint32_t snapshot) {
    if (!ice_group_first_time(group, del, SAID_BOTH))
        return ICE_OK;
    struct ice_suspect suspect =
        suspect_of(group, ICE_RULE_LIVE_PATH_DATA_AND_DELETE, del, snapshot);
    suspect.other = group->items[data].entry;
    return ice_suspect_add(group->suspects, suspect);
}

/* ---- from parent to child ---- */

/* Its list lacks added_snapshot_id, as another rule has said: who added or deleted its
 * entries is not known where they do not say it themselves. */
static bool lacks_adder(const struct ice_manifest_facts *manifest) {
    return manifest->records &&
           !ice_record_has(manifest->records, ICE_LIST_added_snapshot_id);
}

/* Does the commit of the snapshot delete it? Some writers leave the id of another one. */
static bool is_deleted_by(const struct ice_group *group, enum ice_group_part part,
                          uint32_t snapshot) {
    for (size_t i = 0; i < group->n; i++) {
        const struct ice_manifest_facts *manifest =
            &group->ck->manifests[group->manifests[i]];
        uint32_t adder;
        if (ice_fact_status(&group->items[i]) != ICE_STATUS_DELETED ||
            ice_part_of(&group->items[i]) != part ||
            !ice_manifest_is_listed(manifest, snapshot))
            continue;
        if (ice_group_origin(group, i)->snapshot == snapshot || lacks_adder(manifest) ||
            (manifest->records &&
             ice_snapshot_number(group->ck, manifest->records->row.added_snapshot_id,
                                 &adder) &&
             adder == snapshot))
            return true;
    }
    return false;
}

/* The newest ancestor-or-self of a snapshot that deleted it; ICE_NO_NUMBER. */
static uint32_t find_deleter(const struct ice_group *group, enum ice_group_part part,
                             uint32_t snapshot) {
    uint32_t found = ICE_NO_NUMBER;
    for (size_t i = 0; i < group->n; i++) {
        uint32_t deleter = ice_group_origin(group, i)->snapshot;
        if (ice_fact_status(&group->items[i]) == ICE_STATUS_DELETED &&
            ice_part_of(&group->items[i]) == part && deleter != ICE_NO_NUMBER &&
            (found == ICE_NO_NUMBER || deleter > found) && group->sets->judged[deleter] &&
            ice_manifest_is_listed(&group->ck->manifests[group->manifests[i]], deleter) &&
            ice_is_ancestor(group->ck, deleter, snapshot))
            found = deleter;
    }
    return found;
}

static enum ice_status entered(struct ice_group *group, enum ice_group_part part,
                               uint32_t snapshot, uint32_t parent) {
    size_t item = ice_group_find_live(group, part, snapshot);
    if (item == SIZE_MAX)
        return ICE_OK;
    uint32_t deleter = find_deleter(group, part, parent);
    bool is_added = ice_fact_status(&group->items[item]) == ICE_STATUS_ADDED &&
                    (ice_group_origin(group, item)->snapshot == snapshot ||
                     lacks_adder(&group->ck->manifests[group->manifests[item]]));
    struct ice_suspect suspect =
        suspect_of(group, ICE_RULE_LIVE_APPEARED, item, snapshot);
    suspect.before = parent;
    if (deleter != ICE_NO_NUMBER) {
        suspect.rule = ICE_RULE_LIVE_RESURRECTED;
        suspect.before = deleter;
    } else if (is_added) {
        return ICE_OK;
    }
    if (!ice_group_first_time(group, item,
                              deleter != ICE_NO_NUMBER ? SAID_AGAIN : SAID_APPEARED))
        return ICE_OK;
    return ice_suspect_add(group->suspects, suspect);
}

static enum ice_status left(struct ice_group *group, enum ice_group_part part,
                            uint32_t snapshot, uint32_t parent) {
    if (is_deleted_by(group, part, snapshot))
        return ICE_OK;
    size_t item = ice_group_find_live(group, part, parent);
    if (item == SIZE_MAX)
        return ICE_OK;
    struct ice_suspect suspect =
        suspect_of(group, ICE_RULE_LIVE_VANISHED, item, snapshot);
    suspect.before = parent;
    return ice_suspect_add(group->suspects, suspect);
}

static enum ice_status step(struct ice_group *group, enum ice_group_part part,
                            uint32_t snapshot) {
    const struct ice_group_runs *runs = &group->parts[part];
    const struct ice_check *ck = group->ck;
    const struct ice_snapshot *s = &ck->metadata.snapshots[ck->snapshots[snapshot].index];
    /* what is its own cannot be told of a snapshot whose id is missing */
    if (!ice_judged_with_parent(group->sets, snapshot) ||
        !ice_snapshot_has(s, ICE_SNAP_snapshot_id))
        return ICE_OK;
    uint32_t parent = group->sets->parent[snapshot];
    bool is_live = ice_group_is_live(runs, snapshot);
    bool was_live = ice_group_is_live(runs, parent);
    if (is_live == was_live)
        return ICE_OK;
    return is_live ? entered(group, part, snapshot, parent)
                   : left(group, part, snapshot, parent);
}

static bool follows(const struct ice_snapshot_sets *sets, uint32_t snapshot) {
    return snapshot > 0 && snapshot < sets->n && sets->parent[snapshot] == snapshot - 1;
}

static enum ice_status check_steps(struct ice_group *group, enum ice_group_part part) {
    const struct ice_group_runs *runs = &group->parts[part];
    const struct ice_snapshot_sets *sets = group->sets;
    for (size_t i = 0; i < runs->n_spans; i++) {
        if (follows(sets, runs->spans[i].first))
            ICE_TRY(step(group, part, runs->spans[i].first));
        if (follows(sets, runs->spans[i].last + 1))
            ICE_TRY(step(group, part, runs->spans[i].last + 1));
    }
    for (uint32_t i = 0; runs->n_spans > 0 && i < sets->n_branched; i++)
        ICE_TRY(step(group, part, sets->branched[i]));
    return ICE_OK;
}

static enum ice_status check_deleted(struct ice_group *group) {
    for (size_t i = 0; i < group->n; i++) {
        const struct ice_fact *fact = &group->items[i];
        uint32_t snapshot = ice_group_origin(group, i)->snapshot;
        enum ice_group_part part = ice_part_of(fact);
        if (ice_fact_status(fact) != ICE_STATUS_DELETED || snapshot == ICE_NO_NUMBER ||
            !group->sets->judged[snapshot] ||
            !ice_group_is_live(&group->parts[part], snapshot) ||
            !ice_manifest_is_listed(&group->ck->manifests[group->manifests[i]], snapshot))
            continue;
        size_t live = ice_group_find_live(group, part, snapshot);
        if (live == SIZE_MAX || !ice_group_first_time(group, i, SAID_DELETED))
            continue;
        struct ice_suspect suspect =
            suspect_of(group, ICE_RULE_LIVE_DELETED_AND_LIVE, i, snapshot);
        suspect.other = group->items[live].entry;
        ICE_TRY(ice_suspect_add(group->suspects, suspect));
    }
    return ICE_OK;
}

/* ---- one file stays what it is ---- */

/* Of values that went with a dropped column manifest.partition.values-lost speaks. */
static uint32_t lost_fields(const struct ice_group *group, size_t item) {
    return group->ck->manifests[group->manifests[item]].lost_fields;
}

static bool same_attributes(const struct ice_group *group, size_t one, size_t other) {
    const struct ice_fact *a = &group->items[one], *b = &group->items[other];
    bool same_rows =
        a->rows == b->rows || a->rows == ICE_NO_NUMBER || b->rows == ICE_NO_NUMBER;
    bool same_size = a->size == b->size || a->size == 0 || b->size == 0;
    return same_rows && same_size &&
           (ice_fact_same_partition(a, b) ||
            lost_fields(group, one) != lost_fields(group, other));
}

/*
 * Added by one commit, or by two of one line with no deletion between that could be seen:
 * error. Deleted and added anew, on other branches, or with expired snapshots between:
 * discouraged only.
 */
static enum ice_severity changed_severity(const struct ice_group *group, size_t earlier,
                                          size_t later) {
    const struct ice_check *ck = group->ck;
    const struct ice_origin *a = ice_group_origin(group, earlier);
    const struct ice_origin *b = ice_group_origin(group, later);
    if (a->snapshot_id == b->snapshot_id)
        return ICE_ERROR;
    if (a->snapshot == ICE_NO_NUMBER || b->snapshot == ICE_NO_NUMBER)
        return ICE_WARN;
    uint32_t first = a->snapshot < b->snapshot ? a->snapshot : b->snapshot;
    uint32_t second = a->snapshot < b->snapshot ? b->snapshot : a->snapshot;
    if (!ice_is_ancestor(ck, first, second))
        return ICE_WARN;
    uint32_t deleter = find_deleter(group, ice_part_of(&group->items[later]), second);
    return deleter != ICE_NO_NUMBER && ice_is_ancestor(ck, first, deleter) ? ICE_WARN
                                                                           : ICE_ERROR;
}

/* Is it a live entry of the file itself, in a snapshot that is judged? */
static bool is_own_live(const struct ice_group *group, size_t item) {
    enum ice_group_part part = ice_part_of(&group->items[item]);
    return ice_fact_status(&group->items[item]) != ICE_STATUS_DELETED &&
           part <= ICE_PART_VECTOR &&
           last_listed(group, group->manifests[item]) != ICE_NO_NUMBER;
}

static enum ice_status suspect_change(struct ice_group *group, size_t a, size_t b) {
    bool swap = group->items[a].entry > group->items[b].entry;
    size_t later = swap ? a : b, earlier = swap ? b : a;
    struct ice_suspect suspect =
        suspect_of(group, ICE_RULE_LIVE_ATTRIBUTES_CHANGED, later, ICE_NO_NUMBER);
    suspect.other = group->items[earlier].entry;
    suspect.severity = changed_severity(group, earlier, later);
    return ice_suspect_add(group->suspects, suspect);
}

static enum ice_status check_attributes(struct ice_group *group) {
    size_t before = SIZE_MAX;
    bool all_same = true;
    for (size_t i = 1; all_same && i < group->n; i++)
        all_same = same_attributes(group, i - 1, i);
    for (size_t i = 0; !all_same && i < group->n; i++) {
        if (!is_own_live(group, i))
            continue;
        size_t other = before;
        before = i;
        if (other != SIZE_MAX &&
            ice_part_of(&group->items[other]) == ice_part_of(&group->items[i]) &&
            !same_attributes(group, other, i))
            ICE_TRY(suspect_change(group, other, i));
    }
    return ICE_OK;
}

enum ice_status ice_group_live_rules(struct ice_group *group) {
    ICE_TRY(check_repeats(group));
    for (int part = 0; part <= ICE_PART_OF_VECTOR; part++)
        ICE_TRY(check_twice(group, (enum ice_group_part)part));
    ICE_TRY(ice_group_pairs(group, ICE_PART_DATA, ICE_PART_DELETE, both_kinds));
    for (int part = 0; part <= ICE_PART_VECTOR; part++)
        ICE_TRY(check_steps(group, (enum ice_group_part)part));
    ICE_TRY(check_deleted(group));
    return check_attributes(group);
}
