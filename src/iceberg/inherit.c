/*
 * Inheritance: what an entry's null or absent values stand for (spec:
 * #sequence-number-inheritance, #first-row-id-inheritance).
 */
#include "base/size.h"
#include "iceberg/manifest.h"

/*
 * Null stands for the list's number in added entries only; a carried-over entry must have
 * its own, except where the manifest itself is from v1 (number 0). A manifest without the
 * column was written by v1 rules: carried-over entries have 0 (spec: App. E, version 2),
 * while added ones get the list's number as in Iceberg Java, which put such manifests
 * into v2 lists.
 */
static bool inherited_sequence(const struct ice_inherit *inherit, bool has_column,
                               int32_t status, int64_t *out) {
    *out = 0;
    if (status == ICE_STATUS_ADDED || inherit->sequence_number == 0)
        *out = inherit->sequence_number;
    else if (has_column)
        return false;
    return true;
}

static bool has_column(const struct ice_manifest *manifest, enum ice_entry_bit bit) {
    return manifest->plan.present >> bit & 1;
}

static void apply_row_id(struct ice_inherit *inherit, const struct ice_manifest *manifest,
                         const struct ice_manifest_entry *entry,
                         struct ice_effective *out) {
    /* deleted entries take part in nothing; delete files have no rows with an id */
    if (!inherit->has_first_row_id || entry->status == ICE_STATUS_DELETED ||
        entry->file.content != ICE_CONTENT_DATA)
        return;
    out->has_first_row_id = true;
    if (ice_entry_has(manifest, entry, ICE_FILE_first_row_id)) {
        out->first_row_id = entry->file.first_row_id;
        return;
    }
    out->first_row_id = inherit->next_row_id;
    if (!ice_i64_add(inherit->next_row_id, entry->file.record_count,
                     &inherit->next_row_id))
        inherit->has_first_row_id = false;
}

void ice_inherit_apply(struct ice_inherit *inherit, const struct ice_manifest *manifest,
                       const struct ice_manifest_entry *entry,
                       struct ice_effective *out) {
    *out = (struct ice_effective){.has_snapshot_id = true};
    out->snapshot_id = ice_entry_has(manifest, entry, ICE_ENTRY_snapshot_id)
                           ? entry->snapshot_id
                           : inherit->added_snapshot_id;
    if (ice_entry_has(manifest, entry, ICE_ENTRY_sequence_number)) {
        out->has_sequence_number = true;
        out->sequence_number = entry->sequence_number;
    } else {
        out->has_sequence_number =
            inherited_sequence(inherit, has_column(manifest, ICE_ENTRY_sequence_number),
                               entry->status, &out->sequence_number);
    }
    if (ice_entry_has(manifest, entry, ICE_ENTRY_file_sequence_number)) {
        out->has_file_sequence_number = true;
        out->file_sequence_number = entry->file_sequence_number;
    } else {
        /* the column came with Java 1.1: where only it is absent, the number is not known
         */
        bool v1 = !has_column(manifest, ICE_ENTRY_file_sequence_number) &&
                  !has_column(manifest, ICE_ENTRY_sequence_number);
        out->has_file_sequence_number =
            inherited_sequence(inherit, !v1, entry->status, &out->file_sequence_number);
    }
    apply_row_id(inherit, manifest, entry, out);
}
