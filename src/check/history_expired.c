/*
 * Snapshots that were removed although a ref's own retention policy keeps them (spec:
 * #snapshot-retention-policy). The table's properties are no promise: an expiry may be
 * given other values.
 */
#include "check/history.h"
#include "check/pass1.h"

#include <inttypes.h>
#include <stdio.h>

enum { MOST_REFS = 1000 };

struct policy {
    int64_t least;     /* snapshots to keep */
    int64_t oldest_ms; /* kept are those that are not older; INT64_MAX: by number alone */
};

static const struct ice_snapshot *find(const struct ice_metadata *m, int64_t id) {
    size_t index = ice_metadata_find_snapshot(m, id);
    return index == SIZE_MAX ? NULL : &m->snapshots[index];
}

/* What both files promise. false: nothing. */
static bool policy_of(const struct ice_ref *before, const struct ice_ref *after,
                      int64_t expired_ms, struct policy *out) {
    bool has_least = before->has_min_snapshots && after->has_min_snapshots;
    bool has_age = before->has_max_snapshot_age && after->has_max_snapshot_age;
    int64_t age = before->max_snapshot_age_ms < after->max_snapshot_age_ms
                      ? before->max_snapshot_age_ms
                      : after->max_snapshot_age_ms;
    *out = (struct policy){.least = 1, .oldest_ms = INT64_MAX};
    if (has_least)
        out->least = before->min_snapshots_to_keep < after->min_snapshots_to_keep
                         ? before->min_snapshots_to_keep
                         : after->min_snapshots_to_keep;
    if (has_age && age > 0 && age < expired_ms)
        out->oldest_ms = expired_ms - age + ICE_CLOCK_SKEW_MS;
    return has_least || has_age;
}

/*
 * From the head back, as an expiry walks: it stops at the first snapshot that the policy
 * lets go. Counts those that are gone all the same; *out_first is the newest of them.
 */
static int64_t count_gone(const struct ice_metadata *earlier,
                          const struct ice_metadata *later, int64_t head,
                          const struct policy *policy, int64_t *out_first,
                          bool *out_by_number) {
    int64_t n_gone = 0, n = 0, id = head;
    size_t most = earlier->n_snapshots + later->n_snapshots;
    for (size_t steps = 0; steps <= most; steps++) {
        const struct ice_snapshot *kept = find(later, id);
        const struct ice_snapshot *s = kept != NULL ? kept : find(earlier, id);
        bool by_number = n++ < policy->least;
        if (s == NULL || (!by_number && s->timestamp_ms < policy->oldest_ms))
            break;
        if (kept == NULL && n_gone++ == 0) {
            *out_first = id;
            *out_by_number = by_number;
        }
        if (!ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id))
            break;
        id = s->parent_snapshot_id;
    }
    return n_gone;
}

void ice_history_retention(struct ice_history *h, const struct ice_history_file *earlier,
                           const struct ice_history_file *later) {
    const struct ice_metadata *e = earlier->metadata, *l = later->metadata;
    if (e->n_refs > MOST_REFS || l->n_refs > MOST_REFS ||
        !ice_metadata_has(l, ICE_META_last_updated_ms))
        return;
    for (size_t i = 0; i < l->n_refs; i++) {
        const struct ice_ref *ref = &l->refs[i],
                             *before = ice_metadata_find_ref(e, ref->name);
        struct policy policy;
        int64_t first = 0;
        bool by_number = false;
        char what[80];
        if (before == NULL || !ref->has_snapshot_id || ref->bad || before->bad ||
            !policy_of(before, ref, l->last_updated_ms, &policy))
            continue;
        int64_t n = count_gone(e, l, ref->snapshot_id, &policy, &first, &by_number);
        struct ice_place place = ice_history_place(later, ICE_STR("/snapshots"));
        if (by_number)
            (void)snprintf(what, sizeof(what), "its last %" PRId64 " snapshots",
                           policy.least);
        else
            (void)snprintf(what, sizeof(what), "snapshots younger than %" PRId64 " h",
                           ref->max_snapshot_age_ms / 3600000);
        if (n > 0)
            FOUND(h->ck->emit, ICE_RULE_HISTORY_EXPIRED_STILL_NEEDED, &place,
                  arg_i64("count", n), arg_id("first", first), arg_str("ref", ref->name),
                  arg_text("what", what),
                  arg_str("name", ice_history_name(h, earlier->name)));
    }
}
