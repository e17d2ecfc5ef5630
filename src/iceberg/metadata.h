/*
 * One metadata.json, read as a stream (spec: #table-metadata-fields, App. C Table
 * Metadata and Snapshots). Schemas, specs, orders and refs in full; snapshots and logs as
 * compact arrays.
 */
#ifndef ICE_ICEBERG_METADATA_H
#define ICE_ICEBERG_METADATA_H

#include "iceberg/partition.h"

/* Bits of ice_metadata.present / .null: one per top-level field, from
 * fields/metadata.def. */
enum ice_metadata_bit {
#define ICE_FIELD(member, json_name, type, v1, v2, v3, where) ICE_META_##member,
#include "iceberg/fields/metadata.def"
#undef ICE_FIELD
    ICE_META_COUNT
};
/* Bits of ice_snapshot.present, from fields/snapshot.def. */
enum ice_snapshot_bit {
#define ICE_FIELD(member, json_name, type, v1, v2, v3, where) ICE_SNAP_##member,
#include "iceberg/fields/snapshot.def"
#undef ICE_FIELD
    ICE_SNAP_COUNT
};
#define ICE_BIT(n) (UINT64_C(1) << (n))

/* snapshot.operation */
enum ice_operation {
    ICE_OPERATION_ABSENT,
    ICE_OPERATION_APPEND,
    ICE_OPERATION_REPLACE,
    ICE_OPERATION_OVERWRITE,
    ICE_OPERATION_DELETE,
    ICE_OPERATION_OTHER,
};

/* Keys of a snapshot summary whose numbers are kept (spec: App. F Optional Snapshot
 * Summary Fields). */
enum ice_metric {
#define ICE_METRIC(token, key) ICE_METRIC_##token,
#include "iceberg/fields/metrics.def"
#undef ICE_METRIC
    ICE_METRIC_COUNT
};

/*
 * 72 bytes a snapshot, and in ice_metadata.text its list's path without the metadata
 * directory and its summary's numbers; use the accessors.
 */
struct ice_snapshot {
    int64_t snapshot_id, parent_snapshot_id, sequence_number, timestamp_ms;
    int64_t first_row_id, added_rows;
    uint64_t text; /* offset of its packed text: list path, summary numbers, names */
    int32_t schema_id;
    uint16_t present, null; /* ICE_BIT(ICE_SNAP_...) */
    uint16_t bad;           /* ... with an unusable value: a defect has said so */
    uint8_t operation;      /* enum ice_operation */
    uint8_t flags;          /* ICE_SNAPSHOT_... */
};
enum {
    ICE_SNAPSHOT_SUMMARY_VALUE_NOT_STRING = 1,
    ICE_SNAPSHOT_WAP_ID = 2,     /* summary has wap.id */
    ICE_SNAPSHOT_METRIC_BAD = 4, /* a metric of the summary is no decimal integer >= 0 */
    ICE_SNAPSHOT_OPERATION_BAD = 8, /* operation is there, but no string */
};

/* Of snapshot-log. */
struct ice_log_entry {
    int64_t timestamp_ms;
    int64_t snapshot_id;
    bool has_timestamp, has_what; /* has_what: the id */
    bool bad; /* one was there with an unusable value: a defect has said so */
};

/* Of metadata-log. */
struct ice_metadata_log_entry {
    int64_t timestamp_ms;
    struct ice_str file;
    bool has_timestamp, has_what; /* has_what: the file */
    bool bad;                     /* as above */
};

struct ice_ref {
    struct ice_str name, type;
    int64_t snapshot_id;
    int64_t min_snapshots_to_keep, max_snapshot_age_ms, max_ref_age_ms;
    bool has_snapshot_id, has_type, has_min_snapshots, has_max_snapshot_age,
        has_max_ref_age;
    bool bad; /* snapshot-id or type was there with an unusable value: a defect has said
                 so */
};

struct ice_property {
    struct ice_str key, value;
    bool value_is_string;
};

struct ice_blob_metadata {
    bool has_type, has_snapshot_id, has_sequence_number, has_fields;
    bool bad; /* a required member was there with an unusable value: a defect has said so
               */
    struct ice_str type;
    int64_t snapshot_id, sequence_number;
    const int32_t *fields;
    size_t n_fields;
    const struct ice_property *properties;
    size_t n_properties;
};

struct ice_statistics { /* statistics and partition-statistics */
    bool is_partition;
    bool has_snapshot_id, has_path, has_file_size, has_footer_size, has_blobs,
        has_key_metadata;
    bool bad; /* as in blobs */
    int64_t snapshot_id, file_size_in_bytes, file_footer_size_in_bytes;
    struct ice_str path;
    const struct ice_blob_metadata *blobs;
    size_t n_blobs;
    struct ice_str pointer;
};

struct ice_encryption_key {
    struct ice_str key_id, encrypted_key_metadata, encrypted_by_id;
    bool has_key_id, has_metadata, has_encrypted_by;
    bool bad; /* as in blobs */
    struct ice_str pointer;
};

struct ice_metadata {
    struct ice_run *run;
    struct ice_arena arena;
    uint64_t present, null; /* ICE_BIT(ICE_META_...) */
    uint64_t bad;           /* ... with an unusable value: a defect has said so */
    int64_t format_version; /* as written; 0 if absent or no integer */
    bool is_view;           /* view-uuid or versions: a view, not a table */
    struct ice_str table_uuid, location;
    int64_t last_sequence_number, last_updated_ms, current_snapshot_id, next_row_id;
    int32_t last_column_id, current_schema_id, default_spec_id, last_partition_id,
        default_sort_order_id;

    struct ice_schema schema; /* v1 `schema` */
    bool has_bad_schema_id;   /* one of schemas */
    struct ice_schema *schemas;
    size_t n_schemas, cap_schemas;
    struct ice_partition_spec spec; /* v1 `partition-spec` */
    struct ice_partition_spec *specs;
    size_t n_specs, cap_specs;
    struct ice_sort_order *orders;
    size_t n_orders, cap_orders;
    struct ice_property *properties;
    size_t n_properties, cap_properties;
    struct ice_ref *refs;
    size_t n_refs, cap_refs;
    struct ice_statistics *statistics; /* both kinds, in document order */
    size_t n_statistics, cap_statistics;
    struct ice_encryption_key *keys;
    size_t n_keys, cap_keys;

    struct ice_snapshot *snapshots;
    size_t n_snapshots, cap_snapshots;
    bool snapshot_ids_known; /* all have a usable id: one not found is not listed */
    struct ice_log_entry *snapshot_log;
    size_t n_snapshot_log, cap_snapshot_log;
    struct ice_metadata_log_entry *metadata_log;
    size_t n_metadata_log, cap_metadata_log;

    struct ice_buf text;        /* packed text of snapshots */
    struct ice_str list_prefix; /* common prefix taken off list paths */
    uint32_t *snapshot_slots;   /* index + 1 by hash of the id, 0: free */
    size_t n_snapshot_slots;    /* a power of two, or 0 */
    /* ice_hash_mix(id) -> index, the first of an id first; set by ice_metadata_read */
    struct ice_table schemas_by_id, specs_by_id, orders_by_id;
    uint64_t n_bytes;        /* of JSON text read */
    bool has_duplicate_keys; /* a key stands twice in some object of what was read */
};

struct ice_metadata_want {
    bool summaries; /* keep whole summaries (inspect); else only the metrics */
};

/*
 * Read a whole metadata file from a stream of JSON text. Defects go to on_defect (may be
 * NULL) as they are met; null of an absent-able field sets .null and not .present. Fails
 * like ice_json_next: what was read up to there stays in *out. ICE_EFORMAT
 * "json.root.not-object".
 */
enum ice_status ice_metadata_read(struct ice_stream *stream, struct ice_run *run,
                                  const struct ice_metadata_want *want,
                                  ice_defect_fn on_defect, void *user,
                                  struct ice_metadata *out, struct ice_error *err);
void ice_metadata_release(struct ice_metadata *metadata); /* safe twice and on all-zero */

static inline bool ice_metadata_has(const struct ice_metadata *m,
                                    enum ice_metadata_bit bit) {
    return (m->present >> bit) & 1;
}
/* Did the table once give the id to a column, which may be dropped since? Ids count up.
 */
static inline bool ice_metadata_gave_id(const struct ice_metadata *m, int64_t id) {
    return ice_metadata_has(m, ICE_META_last_column_id) && id >= 1 &&
           id <= m->last_column_id;
}
/* current-snapshot-id names a snapshot, kept or not: -1 is none. For rules, and for who
 * says that it dangles. */
static inline bool ice_metadata_names_current(const struct ice_metadata *m) {
    return ice_metadata_has(m, ICE_META_current_snapshot_id) &&
           m->current_snapshot_id != -1;
}
/* ... to a reader: Iceberg Java takes every id below 0 for none. */
static inline bool ice_metadata_has_current(const struct ice_metadata *m) {
    return ice_metadata_has(m, ICE_META_current_snapshot_id) &&
           m->current_snapshot_id >= 0;
}
static inline bool ice_snapshot_has(const struct ice_snapshot *s,
                                    enum ice_snapshot_bit bit) {
    return (s->present >> bit) & 1;
}
/* It names a parent, kept or not: ids are above 0. */
static inline bool ice_snapshot_has_parent(const struct ice_snapshot *s) {
    return ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id) && s->parent_snapshot_id > 0;
}

/* Index of the first snapshot with an id, or SIZE_MAX. */
size_t ice_metadata_find_snapshot(const struct ice_metadata *m, int64_t snapshot_id);
const struct ice_schema *ice_metadata_find_schema(const struct ice_metadata *m,
                                                  int32_t schema_id);
/* No schema has the id, nor is there one without a usable id that may be it. */
bool ice_metadata_lacks_schema(const struct ice_metadata *m, int32_t schema_id);
/* The current schema: by id, else the v1 `schema`, else NULL. */
const struct ice_schema *ice_metadata_current_schema(const struct ice_metadata *m);
/* By id; a v1 table without the list has its `partition-spec` as spec 0. */
const struct ice_partition_spec *ice_metadata_find_spec(const struct ice_metadata *m,
                                                        int32_t spec_id);
const struct ice_sort_order *ice_metadata_find_order(const struct ice_metadata *m,
                                                     int32_t order_id);
/* The first ref of that name, or NULL. */
const struct ice_ref *ice_metadata_find_ref(const struct ice_metadata *m,
                                            struct ice_str name);
bool ice_metadata_property(const struct ice_metadata *m, const char *key,
                           struct ice_str *out);

/* manifest-list of a snapshot, appended to scratch after clearing it; size 0 if absent.
 */
enum ice_status ice_snapshot_manifest_list(const struct ice_metadata *m,
                                           const struct ice_snapshot *s,
                                           struct ice_buf *scratch, struct ice_str *out);
/* Inline `manifests` (v1): call with index 0, 1, ... until false. Borrowed from m. */
bool ice_snapshot_manifest(const struct ice_metadata *m, const struct ice_snapshot *s,
                           size_t index, struct ice_str *out);
/* A number of the summary, or what may be one, is bad: none of them is to reckon with. */
static inline bool ice_snapshot_has_bad_metrics(const struct ice_snapshot *s) {
    return s->flags & (ICE_SNAPSHOT_METRIC_BAD | ICE_SNAPSHOT_SUMMARY_VALUE_NOT_STRING);
}
/* A number of the summary; false if absent (or bad: see ICE_SNAPSHOT_METRIC_BAD). */
bool ice_snapshot_metric(const struct ice_metadata *m, const struct ice_snapshot *s,
                         enum ice_metric metric, int64_t *out);
/* All of them at once. */
struct ice_snapshot_metrics {
    uint64_t present; /* ICE_BIT(ICE_METRIC_...) */
    int64_t values[ICE_METRIC_COUNT];
};
void ice_snapshot_metrics(const struct ice_metadata *m, const struct ice_snapshot *s,
                          struct ice_snapshot_metrics *out);
/* operation as written, key-id, ...: borrowed from m. */
struct ice_str ice_snapshot_operation(const struct ice_metadata *m,
                                      const struct ice_snapshot *s);
struct ice_str ice_snapshot_key_id(const struct ice_metadata *m,
                                   const struct ice_snapshot *s);
/* All members of the summary (only with want.summaries): index 0, 1, ... until false. A
 * key that stands twice comes twice; values that are no strings come as their JSON. */
bool ice_snapshot_summary(const struct ice_metadata *m, const struct ice_snapshot *s,
                          size_t index, struct ice_str *out_key,
                          struct ice_str *out_value);

#endif
