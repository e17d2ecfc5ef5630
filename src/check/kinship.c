/*
 * Snapshot ids are random: a document that names one of another's has seen that commit.
 * What it does not name it may have expired.
 */
#include "check/kinship.h"

#include "base/chars.h"

enum ice_number_order ice_number_order(struct ice_str a, struct ice_str b) {
    bool is_hadoop[2];
    int64_t left = ice_metadata_name_version(a, &is_hadoop[0]);
    int64_t right = ice_metadata_name_version(b, &is_hadoop[1]);
    if (left < 0 || right < 0 || is_hadoop[0] != is_hadoop[1])
        return ICE_NUMBERS_UNKNOWN;
    return left == right  ? ICE_NUMBERS_SAME
           : left < right ? ICE_NUMBERS_LOWER
                          : ICE_NUMBERS_HIGHER;
}

static size_t uuid_begin(struct ice_str uuid) {
    const struct ice_str urn = ICE_STR("urn:uuid:");
    return ice_str_equal_nocase(ice_str_first(uuid, urn.size), urn) ? urn.size : 0;
}

/* The next letter of a UUID that counts; -1: its end. Braces, hyphens and case are
 * spelling. */
static int next_digit(struct ice_str uuid, size_t *at) {
    while (*at < uuid.size) {
        char c = uuid.data[(*at)++];
        if (c != '-' && c != '{' && c != '}')
            return (unsigned char)ice_lower(c);
    }
    return -1;
}

bool ice_is_same_uuid(struct ice_str a, struct ice_str b) {
    size_t at[2] = {uuid_begin(a), uuid_begin(b)};
    for (;;) {
        int x = next_digit(a, &at[0]), y = next_digit(b, &at[1]);
        if (x != y)
            return false;
        if (x < 0)
            return a.size > 0 && b.size > 0;
    }
}

bool ice_is_other_uuid(struct ice_str a, struct ice_str b) {
    return a.size > 0 && b.size > 0 && !ice_is_same_uuid(a, b);
}

bool ice_is_other_table(const struct ice_metadata *a, const struct ice_metadata *b) {
    return ice_is_other_uuid(a->table_uuid, b->table_uuid);
}

bool ice_is_same_table(const struct ice_metadata *a, const struct ice_metadata *b) {
    return ice_is_same_uuid(a->table_uuid, b->table_uuid);
}

/* ---- snapshots ---- */

bool ice_metadata_tip(const struct ice_metadata *m, int64_t *out) {
    if (ice_metadata_has_current(m))
        *out = m->current_snapshot_id;
    else if (m->n_snapshots > 0)
        *out = m->snapshots[m->n_snapshots - 1].snapshot_id;
    else
        return false;
    return true;
}

bool ice_metadata_knows(const struct ice_metadata *m, int64_t snapshot_id) {
    if (ice_metadata_find_snapshot(m, snapshot_id) != SIZE_MAX)
        return true;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        if (ice_snapshot_has(&m->snapshots[i], ICE_SNAP_parent_snapshot_id) &&
            m->snapshots[i].parent_snapshot_id == snapshot_id)
            return true;
    }
    for (size_t i = m->n_snapshot_log; i > 0; i--) {
        if (m->snapshot_log[i - 1].has_what &&
            m->snapshot_log[i - 1].snapshot_id == snapshot_id)
            return true;
    }
    return false;
}

bool ice_metadata_collides(const struct ice_metadata *a, const struct ice_metadata *b) {
    int64_t tip;
    size_t index =
        ice_metadata_tip(b, &tip) ? ice_metadata_find_snapshot(b, tip) : SIZE_MAX;
    if (index == SIZE_MAX || b->snapshots[index].sequence_number <= 0)
        return false;
    for (size_t i = 0; i < a->n_snapshots; i++) {
        if (a->snapshots[i].sequence_number == b->snapshots[index].sequence_number &&
            a->snapshots[i].snapshot_id != tip)
            return true;
    }
    return false;
}

/* ---- what only grows ---- */

static bool is_lower(const struct ice_metadata *later, const struct ice_metadata *earlier,
                     enum ice_metadata_bit bit, int64_t after, int64_t before) {
    return ice_metadata_has(later, bit) && ice_metadata_has(earlier, bit) &&
           after < before;
}

/* A table of version 1 may give column ids anew when it is replaced. */
bool ice_metadata_goes_back(const struct ice_metadata *l, const struct ice_metadata *e) {
    bool counts_columns = l->format_version > 1;
    return l->format_version < e->format_version ||
           is_lower(l, e, ICE_META_last_sequence_number, l->last_sequence_number,
                    e->last_sequence_number) ||
           (counts_columns && is_lower(l, e, ICE_META_last_column_id, l->last_column_id,
                                       e->last_column_id)) ||
           (counts_columns && is_lower(l, e, ICE_META_last_partition_id,
                                       l->last_partition_id, e->last_partition_id));
}

static bool is_after(const struct ice_metadata *later, const struct ice_metadata *earlier,
                     bool is_strict) {
    if (!ice_metadata_has(later, ICE_META_last_updated_ms) ||
        !ice_metadata_has(earlier, ICE_META_last_updated_ms))
        return !is_strict;
    return is_strict ? later->last_updated_ms > earlier->last_updated_ms
                     : later->last_updated_ms >= earlier->last_updated_ms;
}

bool ice_metadata_comes_of(const struct ice_metadata *later,
                           const struct ice_metadata *earlier, bool is_strict) {
    int64_t tip;
    if (ice_is_other_table(later, earlier) || ice_metadata_goes_back(later, earlier) ||
        !is_after(later, earlier, is_strict))
        return false;
    if (!ice_metadata_tip(earlier, &tip)) /* the table before its first commit */
        return ice_is_same_table(later, earlier);
    return ice_metadata_knows(later, tip) &&
           (earlier->n_snapshots == 0 ||
            ice_metadata_knows(later,
                               earlier->snapshots[earlier->n_snapshots - 1].snapshot_id));
}
