/*
 * Records of several lists about one manifest (spec: #manifest-lists): which snapshot
 * added it, and with which sequence number, is the same in all of them. What a record
 * says by itself, and against the snapshots that are kept, is judged in list_rules.c:
 * here speak those of which nothing else tells which is right, mostly because the adding
 * snapshot has expired.
 */
#include "check/list_rules.h"
#include "check/set_rules.h"

#include <inttypes.h>
#include <stdio.h>

/* It has both values by the rules of version 2, and nothing was found about them. A list
 * of before an upgrade has no numbers, whatever its columns hold. */
static bool is_sound(const struct ice_check *ck, const struct ice_list_record *record) {
    const struct ice_snapshot *own = ice_numbered(ck, record->snapshot);
    const struct ice_manifest_file *row = &record->row;
    return record->version >= 2 && ice_record_has(record, ICE_LIST_added_snapshot_id) &&
           ice_record_has(record, ICE_LIST_sequence_number) &&
           row->added_snapshot_id >= 0 && row->sequence_number >= 0 &&
           !(ice_snapshot_has(own, ICE_SNAP_sequence_number) &&
             row->sequence_number > own->sequence_number) &&
           !ice_list_sequence_fault(ck, own, row);
}

/* Entries with numbers of their own take none from a list: then only who asks the list
 * who added the manifest is led astray. */
static void compare(const struct ice_check *ck, const struct ice_list_record *first,
                    const struct ice_list_record *record) {
    const struct ice_manifest_file *a = &first->row, *b = &record->row;
    const bool other_number = a->sequence_number != b->sequence_number;
    struct ice_row_place at, first_at;
    char why[96];
    if (!other_number &&
        (a->added_snapshot_id == b->added_snapshot_id ||
         ice_list_id_is_rounded(a->added_snapshot_id, b->added_snapshot_id)))
        return;
    const bool inherits = ck->manifests[record->manifest].totals.has_inherited_live;
    (void)snprintf(why, sizeof(why),
                   "another list says %" PRId64 " and %" PRId64 " of the same manifest",
                   a->added_snapshot_id, a->sequence_number);
    ice_record_place(ck, record,
                     other_number ? ICE_LIST_sequence_number : ICE_LIST_added_snapshot_id,
                     &at);
    ice_record_place(ck, first,
                     other_number ? ICE_LIST_sequence_number : ICE_LIST_added_snapshot_id,
                     &first_at);
    FOUND_VS(ck->emit, ICE_RULE_LIST_ADDED_SNAPSHOT_SEQUENCE,
             other_number && inherits ? ICE_ERROR : ICE_WARN, &at.place, &first_at.place,
             arg_id("snapshot_id", b->added_snapshot_id),
             arg_i64("sequence_number", b->sequence_number), arg_text("why", why));
}

enum ice_status ice_record_pairs_check(const struct ice_check *ck) {
    struct ice_alloc *alloc = &ck->run->alloc;
    size_t *first; /* record of each manifest: index + 1; 0: none yet */
    if (ck->version < 2 || ck->n_records == 0)
        return ICE_OK;
    first = ice_calloc(alloc, ck->n_manifests, sizeof(*first));
    if (!first)
        return ICE_ENOMEM;
    for (size_t i = 0; i < ck->n_records; i++) {
        const struct ice_list_record *record = ck->records[i];
        if (!is_sound(ck, record))
            continue;
        if (first[record->manifest] > 0)
            compare(ck, ck->records[first[record->manifest] - 1], record);
        else
            first[record->manifest] = i + 1;
    }
    ice_free(alloc, first, ck->n_manifests * sizeof(*first));
    return ICE_OK;
}
