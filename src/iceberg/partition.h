/*
 * Partition specs, sort orders and transforms (spec: #partitioning, #sorting, App. C).
 */
#ifndef ICE_ICEBERG_PARTITION_H
#define ICE_ICEBERG_PARTITION_H

#include "iceberg/schema.h"

enum ice_transform_kind {
    ICE_TRANSFORM_IDENTITY,
    ICE_TRANSFORM_BUCKET,
    ICE_TRANSFORM_TRUNCATE,
    ICE_TRANSFORM_YEAR,
    ICE_TRANSFORM_MONTH,
    ICE_TRANSFORM_DAY,
    ICE_TRANSFORM_HOUR,
    ICE_TRANSFORM_VOID,
    ICE_TRANSFORM_UNKNOWN,
};

struct ice_transform {
    enum ice_transform_kind kind;
    struct ice_str text;
    bool has_argument; /* bucket, truncate: a decimal integer stood in the brackets */
    bool argument_big; /* ... beyond int */
    int64_t argument;
};

struct ice_transform ice_transform_parse(struct ice_str text);
/* May it be applied to this source type? unknown transforms: true. */
bool ice_transform_allows(const struct ice_transform *transform,
                          const struct ice_type *source);
/* Result type over a source type; kind BAD where it is not known. day: DATE (int is fine
 * too). */
struct ice_type ice_transform_result(const struct ice_transform *transform,
                                     const struct ice_type *source);
bool ice_transform_equal(const struct ice_transform *a, const struct ice_transform *b);

/* Bits of `has` in partition and sort fields. */
enum {
    ICE_PART_HAS_SOURCE_ID = 1,
    ICE_PART_HAS_SOURCE_IDS = 2,
    ICE_PART_HAS_FIELD_ID = 4,
    ICE_PART_HAS_NAME = 8,
    ICE_PART_HAS_TRANSFORM = 16,
    ICE_PART_HAS_DIRECTION = 32,
    ICE_PART_HAS_NULL_ORDER = 64,
};

struct ice_partition_field {
    uint8_t has;
    uint8_t bad;       /* attributes with an unusable value: a defect has said so */
    int32_t source_id; /* the one source, also when written as source-ids of one */
    const int32_t *source_ids;
    size_t n_source_ids;
    int32_t field_id; /* 1000 + position where absent (v1) */
    struct ice_str name;
    struct ice_transform transform;
    struct ice_str pointer;
};

struct ice_partition_spec {
    bool has_spec_id, has_fields;
    bool bad_spec_id, bad_fields; /* there, with an unusable value */
    int32_t spec_id;
    struct ice_partition_field *fields;
    size_t n_fields;
    struct ice_str pointer;
};

struct ice_sort_field {
    uint8_t has;
    uint8_t bad; /* as in partition fields */
    int32_t source_id;
    const int32_t *source_ids;
    size_t n_source_ids;
    struct ice_transform transform;
    struct ice_str direction, null_order;
    struct ice_str pointer;
};

struct ice_sort_order {
    bool has_order_id, has_fields;
    bool bad_order_id, bad_fields; /* there, with an unusable value */
    int32_t order_id;
    struct ice_sort_field *fields;
    size_t n_fields;
    struct ice_str pointer;
};

/*
 * Read a spec: the object form whose OBJECT event was just returned, or the bare array of
 * fields (v1 partition-spec, manifest header) whose ARRAY event was.
 */
enum ice_status ice_partition_spec_read(struct ice_json *json,
                                        const struct ice_json_event *begin,
                                        struct ice_run *run, struct ice_arena *arena,
                                        ice_defect_fn on_defect, void *user,
                                        struct ice_partition_spec *out,
                                        struct ice_error *err);
/* From text (manifest header); ICE_EFORMAT if it is neither. *out_is_object: the full
 * object stood there, not the array. */
enum ice_status ice_partition_spec_parse(struct ice_str text, struct ice_run *run,
                                         struct ice_arena *arena,
                                         struct ice_partition_spec *out,
                                         bool *out_is_object, struct ice_error *err);

#endif
