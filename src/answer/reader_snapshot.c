/*
 * The snapshot that an answer is about, and what to tell where there should be one.
 */
#include "answer/table_reader.h"

#include "base/error.h"
#include "check/pick_snapshot.h"

static void tell_at(struct ice_table_reader *reader, struct ice_str file,
                    struct ice_error *fault, const char *pointer) {
    ice_error_set_file(fault, file);
    ice_error_set_pointer(fault, ice_str_from(pointer));
    ice_table_reader_tell(reader, fault);
}

void ice_tell_without_current(struct ice_table_reader *reader,
                              const struct ice_metadata *metadata, struct ice_str file) {
    struct ice_error fault = {0};
    if (metadata->bad & ICE_BIT(ICE_META_current_snapshot_id)) {
        (void)ice_error_set(&fault, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "current-snapshot-id could not be read");
        tell_at(reader, file, &fault, "/current-snapshot-id");
        return;
    }
    for (size_t i = 0; i < metadata->n_refs; i++) {
        const struct ice_ref *ref = &metadata->refs[i];
        if (!ref->has_snapshot_id || !ice_str_is(ref->name, "main"))
            continue;
        (void)ice_error_set(&fault, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "main names snapshot %lld, but there is no current snapshot",
                            (long long)ref->snapshot_id);
        tell_at(reader, file, &fault, "/refs/main/snapshot-id");
    }
}

enum ice_status ice_table_reader_snapshot(struct ice_table_reader *reader,
                                          size_t *out_index, struct ice_error *err) {
    const struct ice_metadata *metadata = reader->metadata;
    *out_index = SIZE_MAX;
    if (reader->options->snapshot != NULL)
        return ice_pick_snapshot(metadata, reader->options->snapshot, out_index, err);
    if (!ice_metadata_names_current(metadata)) {
        ice_tell_without_current(reader, metadata, reader->check.metadata_file);
        return ICE_OK;
    }
    *out_index = ice_metadata_find_snapshot(metadata, metadata->current_snapshot_id);
    if (*out_index == SIZE_MAX) {
        struct ice_error fault = {0};
        (void)ice_error_set(&fault, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "current-snapshot-id %lld is not among the snapshots",
                            (long long)metadata->current_snapshot_id);
        tell_at(reader, reader->check.metadata_file, &fault, "/current-snapshot-id");
    }
    return ICE_OK;
}
