/*
 * How old the data is: catalog.pointer.freshness, where --max-age asks.
 *
 * Reads: snapshots of the current file, from main back. Only commits that changed rows
 * count: compaction, expiry and changes of properties must not hide stale data.
 */
#include "check/pointers.h"

#include "check/pass1.h"

#include "base/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* By its summary. One that says nothing of files may have changed rows. */
static bool changed_rows(const struct ice_metadata *m, const struct ice_snapshot *s) {
    static const enum ice_metric changes[] = {
        ICE_METRIC_ADDED_DATA_FILES,       ICE_METRIC_DELETED_DATA_FILES,
        ICE_METRIC_ADDED_DELETE_FILES,     ICE_METRIC_ADDED_DVS,
        ICE_METRIC_ADDED_RECORDS,          ICE_METRIC_DELETED_RECORDS,
        ICE_METRIC_ADDED_POSITION_DELETES, ICE_METRIC_ADDED_EQUALITY_DELETES,
    };
    int64_t value;
    if (s->operation == ICE_OPERATION_REPLACE)
        return false;
    for (size_t i = 0; i < ICE_COUNT_OF(changes); i++) {
        if (ice_snapshot_metric(m, s, changes[i], &value) && value > 0)
            return true;
    }
    return !ice_snapshot_metric(m, s, ICE_METRIC_TOTAL_DATA_FILES, &value) &&
           !ice_snapshot_metric(m, s, ICE_METRIC_CHANGED_PARTITION_COUNT, &value);
}

static const struct ice_snapshot *find(const struct ice_metadata *m, int64_t id) {
    size_t index = ice_metadata_find_snapshot(m, id);
    return index == SIZE_MAX ? NULL : &m->snapshots[index];
}

static int compare_times(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

/* times: of commits that changed rows, newest first, n of them. */
static void find_usual(const int64_t *times, size_t n, struct ice_freshness *out) {
    int64_t gaps[ICE_USUAL_COMMITS];
    if (n < 2)
        return;
    for (size_t i = 0; i + 1 < n; i++)
        gaps[i] = ice_time_difference(times[i], times[i + 1]);
    qsort(gaps, n - 1, sizeof(*gaps), compare_times);
    out->usual_ms = gaps[(n - 1) / 2];
    out->has_usual = out->usual_ms >= 0;
}

void ice_freshness_of(const struct ice_metadata *m, struct ice_freshness *out) {
    int64_t times[ICE_USUAL_COMMITS];
    size_t n = 0;
    *out = (struct ice_freshness){0};
    if (!ice_metadata_has_current(m))
        return;
    const struct ice_snapshot *s = find(m, m->current_snapshot_id);
    for (size_t steps = 0; s != NULL && steps <= m->n_snapshots; steps++) {
        if (changed_rows(m, s)) {
            if (out->change == NULL)
                out->change = s;
            times[n++] = s->timestamp_ms;
            if (n == ICE_USUAL_COMMITS)
                break;
        }
        out->oldest = s;
        s = ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id)
                ? find(m, s->parent_snapshot_id)
                : NULL;
    }
    find_usual(times, n, out);
}

static void not_evaluated(const struct ice_check *ck, const char *why) {
    ice_emit_not_evaluated(ck->emit, "catalog.pointer.freshness", ice_str_from(why), true,
                           ck->metadata_file);
}

enum ice_status ice_check_freshness(struct ice_check *ck, struct ice_error *err) {
    const struct ice_metadata *m = &ck->metadata;
    struct ice_freshness is;
    (void)err;
    if (!ck->options->has_max_age)
        return ICE_OK;
    ice_freshness_of(m, &is);
    const struct ice_snapshot *s = is.change;
    const struct ice_snapshot *known = s != NULL ? s : is.oldest;
    if (known == NULL) {
        not_evaluated(ck, "the table has no current snapshot");
        return ICE_OK;
    }
    int64_t age = ice_time_difference(ck->now_ms, known->timestamp_ms);
    if (age <= ck->options->max_age_ms) {
        if (s == NULL)
            not_evaluated(ck, "no commit that is kept changed rows");
        return ICE_OK;
    }
    char texts[2][48];
    struct ice_place place = ice_place_at(ck->metadata_file, ICE_ORDER_METADATA,
                                          ICE_STR("/current-snapshot-id"));
    FOUND(ck->emit, ICE_RULE_CATALOG_POINTER_FRESHNESS, &place,
          arg_text("age", ice_duration_text(age, texts[0])),
          arg_text("limit", ice_duration_text(ck->options->max_age_ms, texts[1])),
          arg_id("id", known->snapshot_id),
          arg_text("least", s == NULL ? "at least " : ""));
    return ICE_OK;
}
