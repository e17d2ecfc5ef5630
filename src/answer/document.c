/*
 * Metadata files of a table's directory beside the one that the reader has pinned.
 */
#include "answer/state.h"

#include "base/error.h"

size_t ice_document_find(const struct ice_table_reader *reader, struct ice_str name) {
    for (size_t i = 0; i < reader->target.n_names; i++)
        if (ice_str_equal(reader->target.names[i].name, name))
            return i;
    return SIZE_MAX;
}

void ice_document_current(struct ice_document *out, struct ice_table_reader *reader) {
    struct ice_check *ck = &reader->check;
    *out = (struct ice_document){
        .name = SIZE_MAX, .file = ck->metadata_file, .metadata = &ck->metadata};
    if (ck->metadata_source == reader->target.source)
        out->name = ice_document_find(reader, ice_key_name(ck->metadata_key));
}

static enum ice_status read(struct ice_document *out, struct ice_table_reader *reader,
                            struct ice_str key, struct ice_error *err) {
    const struct ice_metadata_want want = {.summaries = reader->check.want_summaries};
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_magic magic;
    enum ice_status status = ice_open_inflated(reader->target.source, key, &reader->run,
                                               &stream, &info, &magic, err);
    if (status >= 0)
        status =
            ice_metadata_read(&stream, &reader->run, &want, NULL, NULL, &out->own, err);
    ice_stream_release(&stream);
    if (status >= 0 && out->own.is_view)
        status = ice_error_set(err, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                               "it describes a view or a function, not a table");
    return status;
}

enum ice_status ice_document_open(struct ice_document *out,
                                  struct ice_table_reader *reader, size_t name,
                                  struct ice_error *err) {
    struct ice_check *ck = &reader->check;
    struct ice_str key;
    ice_document_current(out, reader);
    if (out->name == name)
        return ICE_OK;
    *out = (struct ice_document){.name = name};
    out->metadata = &out->own;
    if (ice_key_join(&ck->arena, reader->target.metadata_dir,
                     reader->target.names[name].name, &key) < 0)
        return ice_error_memory(err);
    out->file = ice_target_file_name(&reader->target, key);
    enum ice_status status = read(out, reader, key, err);
    if (status >= 0 && !ice_str_equal(out->own.location, ck->metadata.location))
        status = ice_check_map_location(ck, out->own.location, err);
    if (status < 0) {
        ice_error_set_file(err, out->file);
        ice_document_release(out);
        return status;
    }
    return ICE_OK;
}

void ice_document_release(struct ice_document *document) {
    ice_metadata_release(&document->own);
    *document = (struct ice_document){0};
}
