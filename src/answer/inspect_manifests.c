/*
 * Tables manifests and all_manifests: rows of manifest lists.
 */
#include "answer/inspect.h"

#include "answer/cells.h"
#include "base/error.h"
#include "iceberg/value.h"

#include <inttypes.h>

#define MANIFEST_COLUMNS                                                                 \
    {"content", ICE_VALUE_I64}, {"path", ICE_VALUE_STR}, {"length", ICE_VALUE_I64},      \
        {"partition_spec_id", ICE_VALUE_I64}, {"added_snapshot_id", ICE_VALUE_I64},      \
        {"added_data_files_count", ICE_VALUE_I64},                                       \
        {"existing_data_files_count", ICE_VALUE_I64},                                    \
        {"deleted_data_files_count", ICE_VALUE_I64},                                     \
        {"added_delete_files_count", ICE_VALUE_I64},                                     \
        {"existing_delete_files_count", ICE_VALUE_I64},                                  \
        {"deleted_delete_files_count", ICE_VALUE_I64}, {                                 \
        "partition_summaries", ICE_VALUE_JSON                                            \
    }

const struct ice_column ice_columns_manifests[] = {
    MANIFEST_COLUMNS,
    {"key_metadata", ICE_VALUE_BYTES},
    {NULL, ICE_VALUE_NULL},
};

const struct ice_column ice_columns_all_manifests[] = {
    MANIFEST_COLUMNS,
    {"reference_snapshot_id", ICE_VALUE_I64},
    {"key_metadata", ICE_VALUE_BYTES},
    {NULL, ICE_VALUE_NULL},
};

struct manifests_query {
    struct ice_inspection *in;
    struct ice_buf text;
    bool with_reference;
    struct ice_error *err;
};

static const struct ice_partition_field *field_at(const struct ice_partition_spec *spec,
                                                  size_t position) {
    return spec != NULL && position < spec->n_fields ? &spec->fields[position] : NULL;
}

/* Type of a field's values: what the bounds are read with. */
static struct ice_type value_type(const struct ice_metadata *m,
                                  const struct ice_partition_field *field) {
    const struct ice_type *source = NULL;
    if (field != NULL &&
        (field->has & (ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_SOURCE_IDS)))
        source = ice_column_type(m, field->source_id);
    if (source == NULL)
        return (struct ice_type){.kind = ICE_TYPE_BAD};
    return ice_transform_result(&field->transform, source);
}

static int64_t divide_down(int64_t value, int64_t by, int64_t *out_rest) {
    int64_t quotient = value / by;
    *out_rest = value % by;
    if (*out_rest < 0) {
        *out_rest += by;
        quotient--;
    }
    return quotient;
}

/* Days since 1970 as a date. */
static enum ice_status append_date(struct ice_buf *text, int64_t days) {
    static const struct ice_type date = {.kind = ICE_TYPE_DATE};
    char bytes[4];
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (char)((uint64_t)days >> (8 * i) & 0xff);
    return ice_value_to_text(&date, ice_str_make(bytes, sizeof(bytes)), text);
}

/* Years, months and hours since 1970 as Iceberg prints them: 2026, 2026-03,
 * 2026-03-01-09. */
static enum ice_status append_period(struct ice_buf *text, enum ice_transform_kind kind,
                                     int64_t number) {
    int64_t rest;
    if (kind == ICE_TRANSFORM_YEAR)
        return ice_buf_printf(text, "%04" PRId64, 1970 + number);
    if (kind == ICE_TRANSFORM_MONTH) {
        int64_t years = divide_down(number, 12, &rest);
        return ice_buf_printf(text, "%04" PRId64 "-%02" PRId64, 1970 + years, rest + 1);
    }
    int64_t days = divide_down(number, 24, &rest);
    ICE_TRY(append_date(text, days));
    return ice_buf_printf(text, "-%02lld", (long long)rest);
}

static bool is_period(enum ice_transform_kind kind) {
    return kind == ICE_TRANSFORM_YEAR || kind == ICE_TRANSFORM_MONTH ||
           kind == ICE_TRANSFORM_HOUR;
}

/* Text as Iceberg shows bounds of summaries, null if there is none; without a type hex.
 */
static enum ice_status write_bound(struct manifests_query *q, struct ice_json_writer *w,
                                   const struct ice_partition_field *field, bool has,
                                   struct ice_str bytes) {
    struct ice_type type = value_type(q->in->reader->metadata, field);
    int64_t number;
    if (!has) {
        ice_jw_null(w);
        return ICE_OK;
    }
    if (type.kind == ICE_TYPE_BAD) {
        ice_jw_hex(w, bytes);
        return ICE_OK;
    }
    ice_buf_clear(&q->text);
    if (is_period(field->transform.kind) && ice_value_integer(&type, bytes, &number))
        ICE_TRY(append_period(&q->text, field->transform.kind, number));
    else
        ICE_TRY(ice_value_to_text(&type, bytes, &q->text));
    ice_jw_str(w, ice_buf_str(&q->text));
    return ICE_OK;
}

static enum ice_status write_summaries(struct manifests_query *q,
                                       struct ice_json_writer *w,
                                       const struct ice_listed_manifest *listed) {
    const struct ice_metadata *m = q->in->reader->metadata;
    const struct ice_partition_spec *spec = NULL;
    const struct ice_field_summary *items = listed->row->partitions.items;
    if (ice_listed_has(listed, ICE_LIST_partition_spec_id))
        spec = ice_metadata_find_spec(m, listed->row->partition_spec_id);
    ice_jw_array(w);
    for (size_t i = 0; i < listed->row->partitions.n; i++) {
        const struct ice_field_summary *item = &items[i];
        const struct ice_partition_field *field = field_at(spec, i);
        ice_jw_object(w);
        ice_jw_key(w, "contains_null");
        ice_jw_bool(w, item->contains_null);
        ice_jw_key(w, "contains_nan");
        if (ice_summary_has(listed->list->summary_present, item,
                            ICE_SUMMARY_contains_nan))
            ice_jw_bool(w, item->contains_nan);
        else
            ice_jw_null(w);
        ice_jw_key(w, "lower_bound");
        ICE_TRY(write_bound(
            q, w, field,
            ice_summary_has(listed->list->summary_present, item, ICE_SUMMARY_lower_bound),
            item->lower_bound));
        ice_jw_key(w, "upper_bound");
        ICE_TRY(write_bound(
            q, w, field,
            ice_summary_has(listed->list->summary_present, item, ICE_SUMMARY_upper_bound),
            item->upper_bound));
        ice_jw_object_end(w);
    }
    ice_jw_array_end(w);
    return ICE_OK;
}

/* Iceberg counts data and delete files in columns of their own; the other three are 0. */
static void count_cells(struct ice_row *row, const struct ice_listed_manifest *listed,
                        bool is_mine) {
    static const enum ice_list_bit bits[] = {ICE_LIST_added_files_count,
                                             ICE_LIST_existing_files_count,
                                             ICE_LIST_deleted_files_count};
    int32_t counts[3] = {0};
    if (listed->row != NULL) {
        counts[0] = listed->row->added_files_count;
        counts[1] = listed->row->existing_files_count;
        counts[2] = listed->row->deleted_files_count;
    }
    for (size_t i = 0; i < 3; i++)
        ice_row_i64_if(row, !is_mine || ice_listed_has(listed, bits[i]),
                       is_mine ? counts[i] : 0);
}

static enum ice_status manifest_row(const struct ice_listed_manifest *listed,
                                    void *context) {
    struct manifests_query *q = context;
    struct ice_row *row = &q->in->row;
    const struct ice_manifest_file *m = listed->row;
    int32_t content = ice_listed_content(listed);
    ice_row_begin(row);
    ice_row_i64(row, content);
    ice_row_str(row, listed->path);
    ice_row_i64_if(row, ice_listed_has(listed, ICE_LIST_manifest_length),
                   m != NULL ? m->manifest_length : 0);
    ice_row_i64_if(row, ice_listed_has(listed, ICE_LIST_partition_spec_id),
                   m != NULL ? m->partition_spec_id : 0);
    ice_row_i64_if(row, ice_listed_has(listed, ICE_LIST_added_snapshot_id),
                   m != NULL ? m->added_snapshot_id : 0);
    count_cells(row, listed, content == 0);
    count_cells(row, listed, content != 0);
    if (ice_listed_has(listed, ICE_LIST_partitions)) {
        if (write_summaries(q, ice_row_json(row), listed) < 0)
            return ice_error_memory(q->err);
        ice_row_json_end(row);
    } else {
        ice_row_null(row);
    }
    if (q->with_reference)
        ice_row_i64_if(
            row, listed->snapshot != SIZE_MAX,
            listed->snapshot != SIZE_MAX
                ? q->in->reader->metadata->snapshots[listed->snapshot].snapshot_id
                : 0);
    ice_row_bytes_if(row, ice_listed_has(listed, ICE_LIST_key_metadata),
                     m != NULL ? m->key_metadata : ICE_STR_NONE);
    return ice_row_send(row, q->err);
}

enum ice_status ice_inspect_manifests(struct ice_inspection *in, struct ice_error *err) {
    struct ice_table_reader *reader = in->reader;
    struct manifests_query q = {.in = in, .err = err};
    bool is_lone = reader->target.kind == ICE_TARGET_LIST;
    size_t snapshot = SIZE_MAX;
    if (!is_lone)
        ICE_TRY(ice_table_reader_snapshot(reader, &snapshot, err));
    if (!is_lone && snapshot == SIZE_MAX)
        return ICE_OK;
    ice_buf_init(&q.text, &reader->run.alloc, SIZE_MAX);
    enum ice_status status =
        ice_walk_snapshot(reader, snapshot, manifest_row, NULL, &q, err);
    ice_buf_release(&q.text);
    return status;
}

enum ice_status ice_inspect_all_manifests(struct ice_inspection *in,
                                          struct ice_error *err) {
    struct ice_table_reader *reader = in->reader;
    struct manifests_query q = {.in = in, .with_reference = true, .err = err};
    size_t only = SIZE_MAX;
    if (reader->options->snapshot != NULL)
        ICE_TRY(ice_table_reader_snapshot(reader, &only, err));
    enum ice_status status = ICE_OK;
    ice_buf_init(&q.text, &reader->run.alloc, SIZE_MAX);
    for (size_t i = 0; status == ICE_OK && i < reader->metadata->n_snapshots; i++)
        if (only == SIZE_MAX || only == i)
            status = ice_walk_snapshot(reader, i, manifest_row, NULL, &q, err);
    ice_buf_release(&q.text);
    return status;
}
