/*
 * What options.on_progress is told while manifests are joined.
 */
#include "check/progress.h"

#include "check/manifest_facts.h"

/* Lengths and counts of lists are anybody's: sums stop where they would overflow. */
static uint64_t add(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

uint64_t ice_manifest_length(const struct ice_check *ck, size_t manifest) {
    const struct ice_list_record *record = ck->manifests[manifest].records;
    if (record == NULL || !ice_record_has(record, ICE_LIST_manifest_length) ||
        record->row.manifest_length <= 0)
        return 0;
    return (uint64_t)record->row.manifest_length;
}

/* Entries of a manifest as its list tells them; 0: it does not. */
static uint64_t declared_entries(const struct ice_list_record *record) {
    const struct ice_manifest_file *row = &record->row;
    const int64_t counts[] = {row->added_files_count, row->existing_files_count,
                              row->deleted_files_count};
    const enum ice_list_bit bits[] = {ICE_LIST_added_files_count,
                                      ICE_LIST_existing_files_count,
                                      ICE_LIST_deleted_files_count};
    uint64_t sum = 0;
    for (int i = 0; i < 3; i++)
        if (ice_record_has(record, bits[i]) && counts[i] > 0)
            sum = add(sum, (uint64_t)counts[i]);
    return sum;
}

void ice_progress_begin(struct ice_check *ck) {
    ck->bytes_to_join = ck->bytes_joined = ck->part_joined = 0;
    for (size_t i = 0; i < ck->n_manifests; i++)
        ck->bytes_to_join = add(ck->bytes_to_join, ice_manifest_length(ck, i));
}

void ice_progress_part(struct ice_check *ck, uint32_t manifest, uint64_t n_records) {
    uint64_t length = ice_manifest_length(ck, manifest);
    uint64_t entries = length > 0 ? declared_entries(ck->manifests[manifest].records) : 0;
    if (entries == 0 || n_records == 0)
        return;
    double part = n_records < entries ? (double)n_records / (double)entries : 1;
    uint64_t half = length / 2,
             bytes = (uint64_t)((double)half * part) * 2; /* <= length */
    if (bytes <= ck->part_joined)                         /* it was begun anew */
        return;
    ck->part_joined = bytes;
    ice_check_progress(ck, "manifests", manifest, ck->n_manifests);
}

void ice_progress_joined(struct ice_check *ck, uint32_t manifest) {
    ck->bytes_joined = add(ck->bytes_joined, ice_manifest_length(ck, manifest));
    ck->part_joined = 0;
}
