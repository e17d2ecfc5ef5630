/*
 * Manifest lists: any bytes, whole and in random pieces, give the same columns, faults
 * and rows; names of columns can be asked for, and no row says more than the plan.
 */
#include "fuzz/target.h"
#include "iceberg/manifest_list.h"

static enum ice_status on_fault(const struct ice_avro_fault *fault, void *user) {
    require(fault->rule != NULL);
    digest_str(user, ice_str_from(fault->rule));
    digest_str(user, fault->pointer);
    digest_str(user, fault->field);
    digest_str(user, fault->detail);
    return ICE_OK;
}

static void add_row(uint64_t *digest, const struct ice_manifest_list *list,
                    const struct ice_manifest_file *row) {
    require((row->null & ~list->plan.present) == 0);
    digest_number(digest, row->null);
    digest_str(digest, row->manifest_path);
    digest_number(digest, (uint64_t)row->manifest_length);
    digest_number(digest, (uint64_t)row->sequence_number);
    digest_number(digest, (uint64_t)row->added_snapshot_id);
    digest_number(digest, (uint64_t)row->added_rows_count);
    digest_number(digest, (uint64_t)row->first_row_id);
    digest_str(digest, row->key_metadata);
    const struct ice_field_summary *summaries = row->partitions.items;
    for (size_t i = 0; i < row->partitions.n; i++) {
        require((summaries[i].null & ~list->summary_present) == 0);
        digest_number(digest, (uint64_t)summaries[i].contains_null << 1 |
                                  summaries[i].contains_nan);
        digest_str(digest, summaries[i].lower_bound);
        digest_str(digest, summaries[i].upper_bound);
    }
}

static void add_names(uint64_t *digest, const struct ice_manifest_list *list) {
    struct ice_list_names names;
    ice_manifest_list_names(list, &names);
    for (size_t i = 0; i < ICE_LIST_COUNT; i++)
        digest_str(digest, names.row[i]);
    for (size_t i = 0; i < ICE_SUMMARY_COUNT; i++)
        digest_str(digest, names.summary[i]);
}

static uint64_t read_all(struct ice_run *run, struct ice_str bytes, bool in_pieces) {
    uint64_t digest = 1;
    struct ice_manifest_list list;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_stream stream;
    struct pieces pieces;
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    enum ice_status status =
        ice_manifest_list_open(&list, run, &stream, on_fault, &digest, &err);
    if (status < 0)
        digest_fault(&digest, status, &err, bytes.size);
    if (list.is_open) {
        require(list.written_version >= 1 && list.written_version <= 3);
        add_names(&digest, &list);
    }
    while (list.is_open && status != ICE_DONE) {
        const struct ice_manifest_file *row;
        ice_error_clear(&err);
        status = ice_manifest_list_next(&list, &row, &err);
        if (status == ICE_OK)
            add_row(&digest, &list, row);
        else if (status < 0)
            digest_fault(&digest, status, &err, bytes.size);
    }
    ice_manifest_list_release(&list);
    ice_stream_release(&stream);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return target_whole_and_pieces(data, size, read_all);
}
