/*
 * ice_current_file: which metadata file a check would judge.
 */
#include "answer/table_reader.h"

#include "base/error.h"

static enum ice_status pin(struct ice_table_reader *reader, char *out, size_t size,
                           struct ice_error *err) {
    enum ice_target_kind kind = reader->target.kind;
    if (kind == ICE_TARGET_TABLE || kind == ICE_TARGET_METADATA)
        ICE_TRY(ice_check_pin(&reader->check, err));
    struct ice_str file = reader->check.metadata_file;
    if (file.size >= size)
        return ice_error_set(err, ICE_ELIMIT, NULL, ICE_NO_OFFSET,
                             "the name of the metadata file is too long");
    if (file.size > 0)
        memcpy(out, file.data, file.size);
    out[file.size] = '\0';
    return ICE_OK;
}

enum ice_status ice_current_file(const char *path, const struct ice_options *options,
                                 char *out, size_t size, struct ice_error *err) {
    struct ice_table_reader reader;
    enum ice_status status =
        ice_table_reader_find(&reader, path, options, NULL, NULL, err);
    if (status >= 0)
        status = pin(&reader, out, size, err);
    ice_table_reader_release(&reader);
    return status;
}
