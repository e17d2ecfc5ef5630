/*
 * Reader of manifests: header keys (manifest_header.c) and entries through a decode plan
 * made from fields/manifest_entry.def and fields/data_file.def. Values are as stored;
 * inherit.c says what they stand for.
 */
#include "iceberg/manifest.h"

#include "base/error.h"
#include "iceberg/avro_fields.h"
#include "iceberg/manifest_header.h"

static const struct ice_want file_wants[] = {
#define ICE_FIELD(member, field_kind, v1, v2, v3, field_id, names)                       \
    {.id = (field_id),                                                                   \
     .name = (names),                                                                    \
     .kind = ICE_WANT_##field_kind,                                                      \
     .bit = ICE_FILE_##member,                                                           \
     .offset = offsetof(struct ice_manifest_entry, file.member)},
#include "iceberg/fields/data_file.def"
#undef ICE_FIELD
};

static const struct ice_avro_need file_needs[] = {
#define ICE_FIELD(member, kind, v1, v2, v3, id, name)                                    \
    {.version = {ICE_NEED_##v1, ICE_NEED_##v2, ICE_NEED_##v3}},
#include "iceberg/fields/data_file.def"
#undef ICE_FIELD
};

/* the one RECORD is data_file: its members are wants of their own in the same row */
#define MORE_I32(member) .offset = offsetof(struct ice_manifest_entry, member)
#define MORE_I64(member) .offset = offsetof(struct ice_manifest_entry, member)
#define MORE_RECORD(member) .children = file_wants, .n_children = ICE_COUNT_OF(file_wants)
#define NEED_I32
#define NEED_I64
#define NEED_RECORD , .children = file_needs

static const struct ice_want entry_wants[] = {
#define ICE_FIELD(member, field_kind, v1, v2, v3, field_id, names)                       \
    {.id = (field_id),                                                                   \
     .name = (names),                                                                    \
     .kind = ICE_WANT_##field_kind,                                                      \
     .bit = ICE_ENTRY_##member,                                                          \
     MORE_##field_kind(member)},
#include "iceberg/fields/manifest_entry.def"
#undef ICE_FIELD
};

static const struct ice_avro_need entry_needs[] = {
#define ICE_FIELD(member, kind, v1, v2, v3, id, name)                                    \
    {.version = {ICE_NEED_##v1, ICE_NEED_##v2, ICE_NEED_##v3} NEED_##kind},
#include "iceberg/fields/manifest_entry.def"
#undef ICE_FIELD
};

static void find_version(struct ice_manifest *manifest) {
    if (manifest->header & ~manifest->header_bad & ICE_MHEAD_VERSION &&
        manifest->header_version >= 1) {
        manifest->written_version =
            manifest->header_version > 3 ? 3 : (int)manifest->header_version;
        return;
    }
    bool has_sequence =
        ice_avro_field_by_id(manifest->schema,
                             entry_wants[ICE_ENTRY_sequence_number].id) ||
        ice_avro_field_by_id(manifest->schema,
                             entry_wants[ICE_ENTRY_file_sequence_number].id);
    manifest->written_version = has_sequence ? 2 : 1;
}

static enum ice_status look_at_magic(struct ice_manifest *manifest,
                                     struct ice_stream *stream, struct ice_error *err) {
    struct ice_str first = ICE_STR_NONE;
    ICE_TRY(ice_stream_peek(stream, 4, &first, err));
    enum ice_magic magic = ice_magic_of(first);
    manifest->encrypted = magic == ICE_MAGIC_AGS1;
    manifest->is_parquet = magic == ICE_MAGIC_PARQUET;
    if (manifest->is_parquet)
        return ice_error_set(
            err, ICE_EFORMAT, "avro.magic", 0,
            "this is a Parquet file: manifests of the v4 draft may be, and "
            "are not read");
    return ICE_OK;
}

enum ice_status ice_manifest_open(struct ice_manifest *manifest, struct ice_run *run,
                                  struct ice_stream *stream, ice_avro_fault_fn on_fault,
                                  void *user, struct ice_error *err) {
    const struct ice_avro_listener listener = {on_fault, user};
    *manifest = (struct ice_manifest){0};
    ICE_TRY(look_at_magic(manifest, stream, err));
    if (manifest->encrypted)
        return ICE_OK;
    ICE_TRY(ice_avro_open_schema(&manifest->file, run, stream, &listener, false,
                                 &manifest->schema, err));
    ICE_TRY(ice_avro_expect_kind(manifest->schema, &ice_avro_manifest_mark,
                                 &ice_avro_list_mark, err));
    ICE_TRY(ice_manifest_header_read(manifest, run, err));
    find_version(manifest);
    enum ice_status status = ice_avro_check_fields(
        manifest->schema, entry_wants, entry_needs, ICE_COUNT_OF(entry_wants),
        manifest->written_version, &manifest->file.arena, &listener);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    ICE_TRY(status);
    ICE_TRY(ice_plan_compile(manifest->schema, entry_wants, ICE_COUNT_OF(entry_wants),
                             offsetof(struct ice_manifest_entry, null),
                             !ice_avro_has_ids(manifest->schema), &manifest->file.arena,
                             &manifest->plan, err));
    ice_avro_rows_init(&manifest->rows, &manifest->file, &manifest->plan);
    manifest->is_open = true;
    return ICE_OK;
}

void ice_manifest_release(struct ice_manifest *manifest) {
    if (manifest->is_open)
        ice_avro_rows_release(&manifest->rows);
    manifest->is_open = false;
    ice_schema_release(&manifest->header_schema);
    ice_avro_release(&manifest->file);
}

enum ice_status ice_manifest_next(struct ice_manifest *manifest,
                                  const struct ice_manifest_entry **out,
                                  struct ice_error *err) {
    if (!manifest->is_open)
        return ICE_DONE;
    enum ice_status status = ice_avro_rows_next(&manifest->rows, &manifest->entry, err);
    *out = status == ICE_OK ? &manifest->entry : NULL;
    return status;
}

static const struct ice_want *want_of(enum ice_entry_bit bit, bool *out_in_file) {
    *out_in_file = bit >= ICE_COUNT_OF(entry_wants);
    return *out_in_file ? &file_wants[bit - ICE_COUNT_OF(entry_wants)]
                        : &entry_wants[bit];
}

/* The record that holds the column; NULL if data_file is not there. */
static const struct ice_avro_schema *record_of(const struct ice_manifest *manifest,
                                               bool in_file) {
    bool nullable = false;
    if (!in_file)
        return manifest->schema;
    const struct ice_want *want = &entry_wants[ICE_ENTRY_data_file];
    const struct ice_avro_field *field = ice_avro_field_by_id(manifest->schema, want->id);
    if (!field)
        field = ice_avro_field_by_name(manifest->schema, ice_str_from(want->name));
    const struct ice_avro_schema *record =
        field ? ice_avro_not_null(field->type, &nullable) : NULL;
    return record && record->type == ICE_AVRO_RECORD ? record : NULL;
}

struct ice_str ice_manifest_column_name(const struct ice_manifest *manifest,
                                        enum ice_entry_bit bit) {
    bool in_file = false;
    const struct ice_want *want = want_of(bit, &in_file);
    return ice_avro_column_name(record_of(manifest, in_file), want);
}

bool ice_manifest_has_column(const struct ice_manifest *manifest,
                             enum ice_entry_bit bit) {
    bool in_file = false;
    const struct ice_want *want = want_of(bit, &in_file);
    const struct ice_avro_schema *record = record_of(manifest, in_file);
    return record && ice_avro_field_by_id(record, want->id);
}
