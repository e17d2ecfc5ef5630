/*
 * Where a finding about a file stands: at what names it.
 */
#include "check/storage.h"

#include "check/manifest_facts.h"

/* ---- of metadata.json ---- */

static void metadata_place(const struct ice_check *ck, const char *array, uint64_t index,
                           const char *member, struct ice_row_place *out) {
    out->place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
    out->place.at.pointer = ice_str_make(out->pointer, 0);
    ice_row_place_step(out, ice_str_from(array));
    ice_row_place_index(out, index);
    ice_row_place_step(out, ice_str_from(member));
}

/* statistics and partition-statistics are numbered together. */
static void statistics_place(const struct ice_check *ck, size_t index, const char *member,
                             struct ice_row_place *out) {
    const struct ice_statistics *all = ck->metadata.statistics;
    uint64_t number = 0;
    for (size_t i = 0; i < index; i++)
        number += all[i].is_partition == all[index].is_partition;
    metadata_place(ck, all[index].is_partition ? "partition-statistics" : "statistics",
                   number, member != NULL ? member : "statistics-path", out);
}

static void manifest_place(const struct ice_check *ck, uint32_t number,
                           struct ice_row_place *out) {
    const struct ice_manifest_facts *facts = &ck->manifests[number];
    if (facts->records != NULL) {
        ice_record_place(ck, facts->records, ICE_LIST_manifest_path, out);
        return;
    }
    out->place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
    out->place.at.pointer = ice_str_make(out->pointer, 0);
    ice_row_place_step(out, ICE_STR("snapshots"));
    ice_row_place_index(out, ck->snapshots[facts->first_snapshot].index);
    ice_row_place_step(out, ICE_STR("manifests"));
}

/* ---- all ---- */

static void entry_place(const struct ice_check *ck, const struct ice_storage_key *key,
                        const char *member, struct ice_row_place *out) {
    struct ice_str file = ice_storage_name(ck, ck->manifests[key->owner].path);
    ice_row_place_begin(out, file, ICE_ORDER_MANIFEST + key->owner, key->record);
    ice_row_place_step(out, ICE_STR("data_file"));
    ice_row_place_step(out, member != NULL ? ice_str_from(member) : ICE_STR("file_path"));
}

void ice_storage_place(const struct ice_check *ck, const struct ice_storage_key *key,
                       const char *member, struct ice_row_place *out) {
    switch ((enum ice_storage_kind)key->kind) {
    case ICE_STORED_DATA:
    case ICE_STORED_DELETES:
        entry_place(ck, key, member, out);
        return;
    case ICE_STORED_MANIFEST:
        manifest_place(ck, key->owner, out);
        return;
    case ICE_STORED_LIST:
        metadata_place(ck, "snapshots", ck->snapshots[key->owner].index, "manifest-list",
                       out);
        return;
    case ICE_STORED_STATISTICS:
        statistics_place(ck, key->owner, member, out);
        return;
    case ICE_STORED_METADATA_LOG:
        metadata_place(ck, "metadata-log", key->owner, "metadata-file", out);
        return;
    case ICE_STORED_METADATA:
    case ICE_STORED_UNFOUND:
        break;
    }
    out->place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
}

/* ---- times ---- */

/* Times that no clock shows would only overflow what is reckoned with them. */
static int64_t sane(int64_t time_ms) {
    return time_ms > INT64_MIN / 4 && time_ms < INT64_MAX / 4 ? time_ms : INT64_MIN;
}

static int64_t snapshot_time(const struct ice_check *ck, uint32_t number) {
    const struct ice_snapshot *snapshot =
        &ck->metadata.snapshots[ck->snapshots[number].index];
    return ice_snapshot_has(snapshot, ICE_SNAP_timestamp_ms)
               ? sane(snapshot->timestamp_ms)
               : INT64_MIN;
}

static int64_t statistics_time(const struct ice_check *ck, uint32_t index) {
    const struct ice_statistics *statistics = &ck->metadata.statistics[index];
    size_t snapshot =
        statistics->has_snapshot_id
            ? ice_metadata_find_snapshot(&ck->metadata, statistics->snapshot_id)
            : SIZE_MAX;
    return snapshot != SIZE_MAX ? sane(ck->metadata.snapshots[snapshot].timestamp_ms)
                                : INT64_MIN;
}

int64_t ice_storage_committed(const struct ice_check *ck,
                              const struct ice_storage_key *key) {
    const struct ice_metadata_log_entry *log = ck->metadata.metadata_log;
    switch ((enum ice_storage_kind)key->kind) {
    case ICE_STORED_DATA:
    case ICE_STORED_DELETES:
    case ICE_STORED_MANIFEST:
        return snapshot_time(ck, ck->manifests[key->owner].first_snapshot);
    case ICE_STORED_LIST:
        return snapshot_time(ck, key->owner);
    case ICE_STORED_STATISTICS:
        return statistics_time(ck, key->owner);
    case ICE_STORED_METADATA_LOG:
        return log[key->owner].has_timestamp ? sane(log[key->owner].timestamp_ms)
                                             : INT64_MIN;
    case ICE_STORED_METADATA:
    case ICE_STORED_UNFOUND:
        break;
    }
    return INT64_MIN;
}
