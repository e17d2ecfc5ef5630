/*
 * Reader of manifest lists: which version wrote it, is it encrypted, and its rows through
 * a decode plan made from fields/manifest_file.def. What rows should hold is the business
 * of src/check.
 */
#include "iceberg/manifest_list.h"

#include "base/error.h"
#include "iceberg/avro_fields.h"

static const struct ice_want summary_wants[] = {
#define ICE_FIELD(member, field_kind, v1, v2, v3, field_id, names)                       \
    {.id = (field_id),                                                                   \
     .name = (names),                                                                    \
     .kind = ICE_WANT_##field_kind,                                                      \
     .bit = ICE_SUMMARY_##member,                                                        \
     .offset = offsetof(struct ice_field_summary, member)},
#include "iceberg/fields/field_summary.def"
#undef ICE_FIELD
};

static const struct ice_avro_need summary_needs[] = {
#define ICE_FIELD(member, kind, v1, v2, v3, id, name)                                    \
    {.version = {ICE_NEED_##v1, ICE_NEED_##v2, ICE_NEED_##v3}},
#include "iceberg/fields/field_summary.def"
#undef ICE_FIELD
};

/* only the kind LIST has more to say */
#define MORE_STR
#define MORE_I32
#define MORE_I64
#define MORE_BYTES
#define MORE_LIST                                                                        \
    , .children = summary_wants, .n_children = ICE_COUNT_OF(summary_wants),              \
      .item_size = sizeof(struct ice_field_summary),                                     \
      .item_null_offset = offsetof(struct ice_field_summary, null)
#define NEED_STR
#define NEED_I32
#define NEED_I64
#define NEED_BYTES
#define NEED_LIST , .children = summary_needs

static const struct ice_want row_wants[] = {
#define ICE_FIELD(member, field_kind, v1, v2, v3, field_id, names)                       \
    {.id = (field_id),                                                                   \
     .name = (names),                                                                    \
     .kind = ICE_WANT_##field_kind,                                                      \
     .bit = ICE_LIST_##member,                                                           \
     .offset = offsetof(struct ice_manifest_file, member) MORE_##field_kind},
#include "iceberg/fields/manifest_file.def"
#undef ICE_FIELD
};

static const struct ice_avro_need row_needs[] = {
#define ICE_FIELD(member, kind, v1, v2, v3, id, name)                                    \
    {.version = {ICE_NEED_##v1, ICE_NEED_##v2, ICE_NEED_##v3} NEED_##kind},
#include "iceberg/fields/manifest_file.def"
#undef ICE_FIELD
};

/* The record inside `partitions`, or NULL. */
static const struct ice_avro_schema *summary_record(const struct ice_avro_schema *record,
                                                    bool by_name) {
    bool nullable = false;
    const struct ice_avro_field *field =
        by_name ? ice_avro_field_by_name(record, ICE_STR("partitions"))
                : ice_avro_field_by_id(record, row_wants[ICE_LIST_partitions].id);
    const struct ice_avro_schema *array =
        field ? ice_avro_not_null(field->type, &nullable) : NULL;
    if (!array || array->type != ICE_AVRO_ARRAY)
        return NULL;
    const struct ice_avro_schema *item = ice_avro_not_null(array->items, &nullable);
    return item->type == ICE_AVRO_RECORD ? item : NULL;
}

/* The plan tells which columns rows have; for summaries inside them we look here. */
static uint64_t summary_columns(const struct ice_avro_schema *item, bool by_name) {
    uint64_t present = 0;
    for (size_t i = 0; item && i < ICE_COUNT_OF(summary_wants); i++)
        if (by_name ? ice_avro_field_by_name(item, ice_str_from(summary_wants[i].name))
                    : ice_avro_field_by_id(item, summary_wants[i].id))
            present |= UINT64_C(1) << summary_wants[i].bit;
    return present;
}

static void find_version(struct ice_manifest_list *list) {
    bool bad = false;
    list->has_version_header = ice_avro_header_integer(&list->file, "format-version",
                                                       &list->header_version, &bad);
    if (list->has_version_header && list->header_version >= 1) {
        list->written_version = list->header_version > 3 ? 3 : (int)list->header_version;
        return;
    }
    bool has_sequence =
        ice_avro_field_by_id(list->schema, row_wants[ICE_LIST_sequence_number].id) ||
        ice_avro_field_by_id(list->schema, row_wants[ICE_LIST_min_sequence_number].id);
    list->written_version = has_sequence ? 2 : 1;
}

enum ice_status ice_manifest_list_open(struct ice_manifest_list *list,
                                       struct ice_run *run, struct ice_stream *stream,
                                       ice_avro_fault_fn on_fault, void *user,
                                       struct ice_error *err) {
    const struct ice_avro_listener listener = {on_fault, user};
    *list = (struct ice_manifest_list){0};
    struct ice_str first = ICE_STR_NONE;
    ICE_TRY(ice_stream_peek(stream, 4, &first, err));
    if (ice_magic_of(first) == ICE_MAGIC_AGS1) {
        list->encrypted = true;
        return ICE_OK;
    }
    ICE_TRY(ice_avro_open_schema(&list->file, run, stream, &listener, false,
                                 &list->schema, err));
    ICE_TRY(ice_avro_expect_kind(list->schema, &ice_avro_list_mark,
                                 &ice_avro_manifest_mark, err));
    find_version(list);
    bool by_name = !ice_avro_has_ids(list->schema);
    list->summary_schema = summary_record(list->schema, by_name);
    list->summary_present = summary_columns(list->summary_schema, by_name);
    enum ice_status status =
        ice_avro_check_fields(list->schema, row_wants, row_needs, ICE_COUNT_OF(row_wants),
                              list->written_version, &list->file.arena, &listener);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    ICE_TRY(status);
    ICE_TRY(ice_plan_compile(list->schema, row_wants, ICE_COUNT_OF(row_wants),
                             offsetof(struct ice_manifest_file, null), by_name,
                             &list->file.arena, &list->plan, err));
    ice_avro_rows_init(&list->rows, &list->file, &list->plan);
    list->is_open = true;
    return ICE_OK;
}

void ice_manifest_list_release(struct ice_manifest_list *list) {
    if (list->is_open)
        ice_avro_rows_release(&list->rows);
    list->is_open = false;
    ice_avro_release(&list->file);
}

enum ice_status ice_manifest_list_next(struct ice_manifest_list *list,
                                       const struct ice_manifest_file **out,
                                       struct ice_error *err) {
    if (!list->is_open)
        return ICE_DONE;
    enum ice_status status = ice_avro_rows_next(&list->rows, &list->row, err);
    *out = status == ICE_OK ? &list->row : NULL;
    return status;
}

void ice_manifest_list_names(const struct ice_manifest_list *list,
                             struct ice_list_names *out) {
    for (size_t i = 0; i < ICE_COUNT_OF(row_wants); i++)
        out->row[row_wants[i].bit] = ice_avro_column_name(list->schema, &row_wants[i]);
    for (size_t i = 0; i < ICE_COUNT_OF(summary_wants); i++)
        out->summary[summary_wants[i].bit] =
            ice_avro_column_name(list->summary_schema, &summary_wants[i]);
}
