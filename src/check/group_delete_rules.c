/*
 * Groups 19 and 17: deletion vectors and position deletes that name their data file,
 * beside the entries of that file.
 */
#include "base/error.h"
#include "check/groups.h"

enum {
    SAID_DANGLING = 16, /* bits behind those of group_live_rules.c */
    SAID_SEQUENCE,
    SAID_PARTITION,
    SAID_MANY,
    SAID_BESIDE,
    SAID_SPELLING
};

static enum ice_status suspect_of(struct ice_group *group, enum ice_rule_id rule,
                                  size_t item, size_t other, uint32_t snapshot) {
    struct ice_suspect suspect = {
        .rule = rule,
        .severity = ICE_DEFAULT,
        .entry = group->items[item].entry,
        .other = other == SIZE_MAX ? ICE_NO_NUMBER : group->items[other].entry,
        .snapshot = snapshot,
        .before = ICE_NO_NUMBER,
        .row = -1,
        .number = ice_group_origin(group, item)->sequence_number,
        .other_number =
            other == SIZE_MAX ? 0 : ice_group_origin(group, other)->sequence_number};
    return ice_suspect_add(group->suspects, suspect);
}

/* The last judged snapshot of a run that lies in no span of the data file. */
static uint32_t outside(const struct ice_group *group, const struct ice_group_run *run) {
    const struct ice_group_runs *data = &group->parts[ICE_PART_DATA];
    uint32_t last = run->last, found;
    for (size_t i = data->n_spans; i > 0; i--) {
        const struct ice_snapshot_run *span = &data->spans[i - 1];
        if (span->first > last)
            continue;
        if (span->last < run->first)
            break;
        if (span->last < last) {
            found = ice_last_judged(group->sets, span->last + 1, last);
            if (found != ICE_NO_NUMBER)
                return found;
        }
        if (span->first <= run->first)
            return ICE_NO_NUMBER;
        last = span->first - 1;
    }
    return ice_last_judged(group->sets, run->first, last);
}

static enum ice_status check_dangling(struct ice_group *group, enum ice_group_part part,
                                      enum ice_rule_id rule) {
    const struct ice_group_runs *runs = &group->parts[part];
    for (size_t i = runs->n; i > 0; i--) {
        size_t item = runs->items[i - 1].item;
        uint32_t snapshot = outside(group, &runs->items[i - 1]);
        if (snapshot != ICE_NO_NUMBER && ice_group_first_time(group, item, SAID_DANGLING))
            ICE_TRY(suspect_of(group, rule, item, SIZE_MAX, snapshot));
    }
    return ICE_OK;
}

static bool have_numbers(const struct ice_origin *a, const struct ice_origin *b) {
    return a->sequence_number != INT64_MIN && b->sequence_number != INT64_MIN;
}

/* Folded, both are one path; readers compare what is written. */
static enum ice_status named_and_data(struct ice_group *group, size_t del, size_t data,
                                      uint32_t snapshot) {
    const struct ice_origin *named = ice_group_origin(group, del);
    if (named->spelling == ice_group_origin(group, data)->spelling ||
        !ice_group_first_time(group, del, SAID_SPELLING))
        return ICE_OK;
    return suspect_of(group, ICE_RULE_DELETE_PATH_SPELLING, del, data, snapshot);
}

static enum ice_status vector_and_data(struct ice_group *group, size_t vector,
                                       size_t data, uint32_t snapshot) {
    const struct ice_fact *v = &group->items[vector], *d = &group->items[data];
    const struct ice_origin *from = ice_group_origin(group, vector);
    const struct ice_origin *to = ice_group_origin(group, data);
    ICE_TRY(named_and_data(group, vector, data, snapshot));
    if (have_numbers(from, to) && from->sequence_number < to->sequence_number &&
        ice_group_first_time(group, vector, SAID_SEQUENCE))
        ICE_TRY(suspect_of(group, ICE_RULE_DELETE_DV_SEQUENCE_BELOW_DATA, vector, data,
                           snapshot));
    if (!ice_fact_same_partition(v, d) &&
        ice_group_first_time(group, vector, SAID_PARTITION))
        ICE_TRY(suspect_of(group, ICE_RULE_DELETE_DV_PARTITION_MISMATCH, vector, data,
                           snapshot));
    if (v->rows != ICE_NO_NUMBER && d->rows != ICE_NO_NUMBER && v->rows > d->rows &&
        ice_group_first_time(group, vector, SAID_MANY))
        ICE_TRY(suspect_of(group, ICE_RULE_MANIFEST_FILE_DV_CARDINALITY_HIGH, vector,
                           data, snapshot));
    return ICE_OK;
}

static enum ice_status position_and_data(struct ice_group *group, size_t del, size_t data,
                                         uint32_t snapshot) {
    const struct ice_origin *from = ice_group_origin(group, del);
    const struct ice_origin *to = ice_group_origin(group, data);
    ICE_TRY(named_and_data(group, del, data, snapshot));
    if (!have_numbers(from, to))
        return ICE_OK;
    if (from->sequence_number < to->sequence_number)
        return ice_group_first_time(group, del, SAID_SEQUENCE)
                   ? suspect_of(group, ICE_RULE_DELETE_POSITION_SEQUENCE_BELOW_DATA, del,
                                data, snapshot)
                   : ICE_OK;
    if (ice_fact_same_partition(&group->items[del], &group->items[data]) ||
        !ice_group_first_time(group, del, SAID_PARTITION))
        return ICE_OK;
    return suspect_of(group, ICE_RULE_DELETE_POSITION_REFERENCED_PARTITION, del, data,
                      snapshot);
}

static enum ice_status position_and_vector(struct ice_group *group, size_t del,
                                           size_t vector, uint32_t snapshot) {
    if (!ice_group_first_time(group, vector, SAID_BESIDE))
        return ICE_OK;
    return suspect_of(group, ICE_RULE_DELETE_DV_WITH_POSITION_DELETE, vector, del,
                      snapshot);
}

enum ice_status ice_group_delete_rules(struct ice_group *group) {
    const struct ice_group_runs *vectors = &group->parts[ICE_PART_OF_VECTOR];
    const struct ice_group_runs *positions = &group->parts[ICE_PART_OF_POSITION];
    if (positions->n > 0 && group->ck->version >= 2) {
        ICE_TRY(check_dangling(group, ICE_PART_OF_POSITION,
                               ICE_RULE_DELETE_POSITION_REFERENCED_DANGLING));
        ICE_TRY(ice_group_pairs(group, ICE_PART_OF_POSITION, ICE_PART_DATA,
                                position_and_data));
    }
    if (vectors->n == 0 || group->ck->version < 3)
        return ICE_OK;
    ICE_TRY(check_dangling(group, ICE_PART_OF_VECTOR, ICE_RULE_DELETE_DV_DANGLING));
    ICE_TRY(ice_group_pairs(group, ICE_PART_OF_VECTOR, ICE_PART_DATA, vector_and_data));
    return ice_group_pairs(group, ICE_PART_OF_POSITION, ICE_PART_OF_VECTOR,
                           position_and_vector);
}
