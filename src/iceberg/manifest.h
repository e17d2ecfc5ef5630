/*
 * Manifests (spec: #manifests), entry by entry.
 */
#ifndef ICE_ICEBERG_MANIFEST_H
#define ICE_ICEBERG_MANIFEST_H

#include "avro/plan.h"
#include "iceberg/avro_fault.h"
#include "iceberg/partition.h"

enum { ICE_STATUS_EXISTING = 0, ICE_STATUS_ADDED = 1, ICE_STATUS_DELETED = 2 };
enum {
    ICE_CONTENT_DATA = 0,
    ICE_CONTENT_POSITION_DELETES = 1,
    ICE_CONTENT_EQUALITY_DELETES = 2
};

/* Bits of ice_manifest_entry.null and the reader's present: entry fields, then
 * data_file's. */
enum ice_entry_bit {
#define ICE_FIELD(member, kind, v1, v2, v3, id, name) ICE_ENTRY_##member,
#include "iceberg/fields/manifest_entry.def"
#undef ICE_FIELD
#define ICE_FIELD(member, kind, v1, v2, v3, id, name) ICE_FILE_##member,
#include "iceberg/fields/data_file.def"
#undef ICE_FIELD
    ICE_ENTRY_COUNT
};

struct ice_data_file {
    int32_t content;
    struct ice_str file_path, file_format;
    struct ice_tuple partition;
    int64_t record_count, file_size_in_bytes, block_size_in_bytes;
    int32_t file_ordinal;
    struct ice_list_i64 sort_columns;
    struct ice_map_i64 column_sizes, value_counts, null_value_counts, nan_value_counts,
        distinct_counts;
    struct ice_map_bytes lower_bounds, upper_bounds;
    struct ice_str key_metadata;
    struct ice_list_i64 split_offsets, equality_ids;
    int32_t sort_order_id, spec_id;
    int64_t first_row_id;
    struct ice_str referenced_data_file;
    int64_t content_offset, content_size_in_bytes;
};

/* An entry as stored, no inheritance. Null or absent members are zero: ask ice_entry_has.
 */
struct ice_manifest_entry {
    uint64_t null;
    int32_t status;
    int64_t snapshot_id, sequence_number, file_sequence_number;
    struct ice_data_file file;
};

/* Presence bits of the key/value header. */
enum {
    ICE_MHEAD_SCHEMA = 1,
    ICE_MHEAD_SCHEMA_ID = 2,
    ICE_MHEAD_SPEC = 4,
    ICE_MHEAD_SPEC_ID = 8,
    ICE_MHEAD_VERSION = 16,
    ICE_MHEAD_CONTENT = 32,
};

struct ice_manifest {
    struct ice_avro_file file;
    const struct ice_avro_schema *schema;
    struct ice_plan plan;
    struct ice_avro_rows rows;
    int written_version; /* 1, 2 or 3: header; absent: 1, or 2 with columns 3 or 4 */
    unsigned header;     /* ICE_MHEAD_... present */
    int64_t header_version, header_spec_id,
        header_schema_id;          /* as parsed; see header_bad */
    unsigned header_bad;           /* ICE_MHEAD_... present but unreadable */
    struct ice_str header_content; /* as written */
    bool header_spec_is_object;
    struct ice_schema header_schema;       /* where ICE_MHEAD_SCHEMA and not bad */
    struct ice_partition_spec header_spec; /* where ICE_MHEAD_SPEC and not bad */
    bool encrypted; /* begins with AGS1: nothing was read, no entries come */
    /* open failed with avro.magic because of that: v4 manifests may be */
    bool is_parquet;
    bool is_open;                    /* entries can be read */
    struct ice_manifest_entry entry; /* of the last _next */
};

/* As ice_manifest_list_open. Faults of the header keys are bits above, for check to
 * judge. */
enum ice_status ice_manifest_open(struct ice_manifest *manifest, struct ice_run *run,
                                  struct ice_stream *stream, ice_avro_fault_fn on_fault,
                                  void *user, struct ice_error *err);
void ice_manifest_release(struct ice_manifest *manifest);
enum ice_status ice_manifest_next(struct ice_manifest *manifest,
                                  const struct ice_manifest_entry **out,
                                  struct ice_error *err) ICE_MUST_USE;

/* What the file calls a column, for pointers; the spec's name where it has none. */
struct ice_str ice_manifest_column_name(const struct ice_manifest *manifest,
                                        enum ice_entry_bit bit);
/* Is the column in the header schema, by id, in whatever type? */
bool ice_manifest_has_column(const struct ice_manifest *manifest, enum ice_entry_bit bit);

static inline bool ice_entry_has(const struct ice_manifest *manifest,
                                 const struct ice_manifest_entry *entry,
                                 enum ice_entry_bit bit) {
    return (manifest->plan.present & ~entry->null) >> bit & 1;
}

/*
 * Inheritance (spec: #sequence-number-inheritance, #first-row-id-inheritance): effective
 * values of the entries of one manifest, fed in file order.
 */
struct ice_inherit {
    int64_t added_snapshot_id, sequence_number; /* of the list row; 0 in v1 */
    bool has_first_row_id;
    int64_t next_row_id; /* starts at the list row's first_row_id */
};
struct ice_effective {
    bool has_snapshot_id, has_sequence_number, has_file_sequence_number, has_first_row_id;
    int64_t snapshot_id, sequence_number, file_sequence_number, first_row_id;
};
void ice_inherit_apply(struct ice_inherit *inherit, const struct ice_manifest *manifest,
                       const struct ice_manifest_entry *entry, struct ice_effective *out);

#endif
