/*
 * lineage.file.missing-on-existing (spec: #first-row-id-inheritance): a data file whose
 * rows had ids must keep its first_row_id when it is carried over. Without one it gets
 * new ids from its new manifest. Right after an upgrade from version 2 that is legal, so
 * only a manifest that had ids in the list of an earlier snapshot of the line counts.
 */
#include "base/error.h"
#include "check/ancestry.h"
#include "check/groups.h"

/* Entries of one file that are looked at. */
enum { MOST_LOOKS = 1024 };

static bool had_ids(const struct ice_manifest_facts *manifest, uint32_t snapshot) {
    const struct ice_list_record *last = NULL;
    for (const struct ice_list_record *record = manifest->records; record;
         record = record->next)
        if (record->snapshot <= snapshot && (!last || record->snapshot > last->snapshot))
            last = record;
    return last && ice_record_has(last, ICE_LIST_first_row_id);
}

/* An earlier snapshot of the line whose list gives the manifest row ids; ICE_NO_NUMBER.
 */
static uint32_t assigned_before(const struct ice_check *ck,
                                const struct ice_manifest_facts *manifest,
                                uint32_t snapshot) {
    size_t looks = 0;
    for (uint32_t r = 0; r < manifest->n_runs; r++)
        for (uint32_t s = manifest->runs[r].first;
             s <= manifest->runs[r].last && s < snapshot && looks < MOST_LOOKS; s++) {
            looks++;
            if (ice_is_ancestor(ck, s, snapshot) && had_ids(manifest, s))
                return s;
        }
    return ICE_NO_NUMBER;
}

/*
 * A live entry of the file, whose rows had ids before snapshot. Its data sequence number
 * is that of its addition, which entries keep, also deleted ones.
 */
static size_t find_assigned(const struct ice_group *group, size_t item, uint32_t snapshot,
                            uint32_t *out_since) {
    int64_t number = ice_group_origin(group, item)->sequence_number;
    for (size_t i = 0; number >= 0 && i < group->n && i < MOST_LOOKS; i++) {
        if (ice_fact_kind(&group->items[i]) != ICE_FACT_DATA ||
            ice_fact_status(&group->items[i]) == ICE_STATUS_DELETED ||
            group->manifests[i] == group->manifests[item] ||
            group->ck->manifests[group->manifests[i]].state != ICE_READ_WHOLE ||
            ice_group_origin(group, i)->sequence_number != number)
            continue;
        *out_since = assigned_before(
            group->ck, &group->ck->manifests[group->manifests[i]], snapshot);
        if (*out_since != ICE_NO_NUMBER)
            return i;
    }
    return SIZE_MAX;
}

static enum ice_status check_item(struct ice_group *group, size_t item) {
    const struct ice_manifest_facts *manifest =
        &group->ck->manifests[group->manifests[item]];
    bool is_deleted = ice_fact_status(&group->items[item]) == ICE_STATUS_DELETED;
    uint32_t snapshot, since;
    if (!manifest->records || manifest->state != ICE_READ_WHOLE ||
        !ice_snapshot_number(group->ck, manifest->records->row.added_snapshot_id,
                             &snapshot))
        return ICE_OK;
    size_t found = find_assigned(group, item, snapshot, &since);
    if (found == SIZE_MAX)
        return ICE_OK;
    return ice_suspect_add(
        group->suspects,
        (struct ice_suspect){.rule = ICE_RULE_LINEAGE_FILE_MISSING_ON_EXISTING,
                             .severity = is_deleted ? ICE_INFO : ICE_WARN,
                             .entry = group->items[item].entry,
                             .other = group->items[found].entry,
                             .snapshot = since,
                             .before = ICE_NO_NUMBER,
                             .row = -1});
}

enum ice_status ice_group_lineage_rules(struct ice_group *group) {
    if (group->ck->version < 3 || group->n < 2)
        return ICE_OK;
    for (size_t i = 0; i < group->n && i < MOST_LOOKS; i++)
        if (ice_fact_kind(&group->items[i]) == ICE_FACT_DATA &&
            ice_fact_status(&group->items[i]) != ICE_STATUS_ADDED &&
            !ice_group_origin(group, i)->has_row_id)
            ICE_TRY(check_item(group, i));
    return ICE_OK;
}
