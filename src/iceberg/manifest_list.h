/*
 * Manifest lists (spec: #manifest-lists), row by row.
 */
#ifndef ICE_ICEBERG_MANIFEST_LIST_H
#define ICE_ICEBERG_MANIFEST_LIST_H

#include "avro/plan.h"
#include "iceberg/avro_fault.h"

struct ice_field_summary {
    uint64_t null; /* ICE_BIT of enum ice_summary_bit */
    bool contains_null, contains_nan;
    struct ice_str lower_bound, upper_bound;
};

enum ice_list_bit { /* bits of ice_manifest_file.null and of the reader's present */
#define ICE_FIELD(member, kind, v1, v2, v3, id, name) ICE_LIST_##member,
#include "iceberg/fields/manifest_file.def"
#undef ICE_FIELD
                    ICE_LIST_COUNT
};
enum ice_summary_bit {
#define ICE_FIELD(member, kind, v1, v2, v3, id, name) ICE_SUMMARY_##member,
#include "iceberg/fields/field_summary.def"
#undef ICE_FIELD
    ICE_SUMMARY_COUNT
};

/* A row as stored. A member that is null or absent is zero: ask ice_list_has. */
struct ice_manifest_file {
    uint64_t null;
    struct ice_str manifest_path;
    int64_t manifest_length;
    int32_t partition_spec_id, content;
    int64_t sequence_number, min_sequence_number, added_snapshot_id;
    int32_t added_files_count, existing_files_count, deleted_files_count;
    int64_t added_rows_count, existing_rows_count, deleted_rows_count;
    struct ice_list partitions; /* struct ice_field_summary */
    struct ice_str key_metadata;
    int64_t first_row_id;
};

struct ice_manifest_list {
    struct ice_avro_file file;
    const struct ice_avro_schema *schema; /* of a row */
    struct ice_plan plan;
    struct ice_avro_rows rows;
    int written_version; /* 1, 2 or 3: header format-version; absent: 1, or 2 with columns
                            515, 516 */
    bool has_version_header;
    int64_t header_version;
    bool encrypted; /* begins with AGS1: nothing was read */
    bool is_open;   /* rows can be read */
    /* ICE_BIT(ICE_SUMMARY_...): columns that field summaries have */
    uint64_t summary_present;
    const struct ice_avro_schema *summary_schema; /* record inside partitions, or NULL */
    struct ice_manifest_file row;                 /* of the last _next */
};

/*
 * Open a list over a stream of its bytes. Schema problems (rules avro.field-id.*,
 * avro.field.*, avro.map.*, avro.name.*, avro.schema.*, avro.codec.rare,
 * avro.header.key-duplicate) go to on_fault; they do not stop. Fails like ice_avro_open
 * and ice_avro_schema_parse, and by avro.file.wrong-kind where the file is a manifest.
 */
enum ice_status ice_manifest_list_open(struct ice_manifest_list *list,
                                       struct ice_run *run, struct ice_stream *stream,
                                       ice_avro_fault_fn on_fault, void *user,
                                       struct ice_error *err);
void ice_manifest_list_release(struct ice_manifest_list *list);
/* Statuses as of ice_avro_rows_next. *out is borrowed until the next call. */
enum ice_status ice_manifest_list_next(struct ice_manifest_list *list,
                                       const struct ice_manifest_file **out,
                                       struct ice_error *err) ICE_MUST_USE;

/* What the file calls its columns, for pointers; the spec's name where it has none. */
struct ice_list_names {
    struct ice_str row[ICE_LIST_COUNT], summary[ICE_SUMMARY_COUNT];
};
/* Borrowed from the list. */
void ice_manifest_list_names(const struct ice_manifest_list *list,
                             struct ice_list_names *out);

/* Does a field summary of this list have the column, and a value in it? */
static inline bool ice_summary_has(uint64_t summary_present,
                                   const struct ice_field_summary *summary,
                                   enum ice_summary_bit bit) {
    return (summary_present & ~summary->null) >> bit & 1;
}

/* Is the column there and the value of this row not null? */
static inline bool ice_list_has(const struct ice_manifest_list *list,
                                const struct ice_manifest_file *row,
                                enum ice_list_bit bit) {
    return (list->plan.present & ~row->null) >> bit & 1;
}

#endif
