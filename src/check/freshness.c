/*
 * How old the data is: catalog.pointer.freshness, where --max-age asks.
 *
 * Reads: snapshots of the current file, from main back. Only commits that changed rows
 * count: compaction, expiry and changes of properties must not hide stale data.
 */
#include "check/pointers.h"

#include "check/pass1.h"

#include <inttypes.h>
#include <stdio.h>

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

/* The newest commit of main that changed rows, or NULL; *out_oldest: the last one of main
 * that is kept. */
static const struct ice_snapshot *newest_change(const struct ice_metadata *m,
                                                const struct ice_snapshot **out_oldest) {
    const struct ice_snapshot *s = find(m, m->current_snapshot_id);
    *out_oldest = s;
    for (size_t steps = 0; s != NULL && steps <= m->n_snapshots; steps++) {
        if (changed_rows(m, s))
            return s;
        *out_oldest = s;
        s = ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id)
                ? find(m, s->parent_snapshot_id)
                : NULL;
    }
    return NULL;
}

/* "26 h 5 min" */
static const char *duration(int64_t ms, char out[48]) {
    int64_t minutes = ms / 60000;
    if (minutes >= 2 * 24 * 60)
        (void)snprintf(out, 48, "%" PRId64 " d %" PRId64 " h", minutes / (24 * 60),
                       minutes / 60 % 24);
    else if (minutes >= 60 && minutes % 60 == 0)
        (void)snprintf(out, 48, "%" PRId64 " h", minutes / 60);
    else if (minutes >= 60)
        (void)snprintf(out, 48, "%" PRId64 " h %" PRId64 " min", minutes / 60,
                       minutes % 60);
    else
        (void)snprintf(out, 48, "%" PRId64 " min", minutes);
    return out;
}

static void not_evaluated(const struct ice_check *ck, const char *why) {
    ice_emit_not_evaluated(ck->emit, "catalog.pointer.freshness", ice_str_from(why), true,
                           ck->metadata_file);
}

enum ice_status ice_check_freshness(struct ice_check *ck, struct ice_error *err) {
    const struct ice_metadata *m = &ck->metadata;
    const struct ice_snapshot *oldest = NULL;
    (void)err;
    if (!ck->options->has_max_age)
        return ICE_OK;
    bool has_current =
        ice_metadata_has(m, ICE_META_current_snapshot_id) && m->current_snapshot_id >= 0;
    const struct ice_snapshot *s = has_current ? newest_change(m, &oldest) : NULL;
    const struct ice_snapshot *known = s != NULL ? s : oldest;
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
          arg_text("age", duration(age, texts[0])),
          arg_text("limit", duration(ck->options->max_age_ms, texts[1])),
          arg_id("id", known->snapshot_id),
          arg_text("least", s == NULL ? "at least " : ""));
    return ICE_OK;
}
