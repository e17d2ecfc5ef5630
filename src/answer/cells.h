/*
 * Values of tables as JSON: partition tuples, bounds, maps and lists of metrics.
 */
#ifndef ICE_ANSWER_CELLS_H
#define ICE_ANSWER_CELLS_H

#include "answer/table_reader.h"
#include "json/row_value.h"

/* A partition field over all specs. */
struct ice_partition_column {
    int32_t field_id;
    struct ice_str name;  /* in the newest spec that has it; unique in the view */
    struct ice_type type; /* of its values; kind BAD if it is not known */
};

/*
 * The fields of all specs as one tuple, by field id, as Iceberg's metadata tables show
 * partitions: a field that a file's spec lacks is null. The view is bound to one manifest
 * at a time, whose tuples it then reads.
 */
struct ice_partition_view {
    struct ice_run *run;
    struct ice_arena arena; /* columns */
    struct ice_arena bound; /* of the bound manifest */
    struct ice_buf text;
    struct ice_partition_column *columns;
    size_t n;
    struct ice_table by_id;              /* ice_hash_mix(field id) -> column */
    const struct ice_avro_schema *tuple; /* NULL: the manifest has no partition column */
    size_t *position; /* of a column in the tuple; SIZE_MAX: not there */
    bool *is_foreign; /* a field of the tuple that no spec has */
};

enum ice_status ice_partition_view_init(struct ice_partition_view *view,
                                        struct ice_run *run,
                                        const struct ice_metadata *metadata,
                                        struct ice_error *err);
void ice_partition_view_release(struct ice_partition_view *view); /* safe twice */
enum ice_status ice_partition_view_bind(struct ice_partition_view *view,
                                        const struct ice_manifest *manifest,
                                        struct ice_error *err);

/* One object by field name; fields that no spec has follow by their name in the file. */
enum ice_status ice_cell_partition(struct ice_partition_view *view,
                                   struct ice_json_writer *w,
                                   const struct ice_tuple *tuple);

/*
 * A value as readers print it: numbers and booleans as JSON, dates and times in ISO 8601,
 * decimals in plain digits, UUIDs with hyphens, binary in hex. text is scratch. Where
 * type does not fit the datum, node (its Avro schema) decides.
 */
enum ice_status ice_cell_datum(struct ice_json_writer *w, const struct ice_type *type,
                               const struct ice_avro_schema *node,
                               const struct ice_datum *datum, struct ice_buf *text);
/* Single-value bytes in the same form; hex where they do not fit the type (or type is
 * NULL). */
enum ice_status ice_cell_single_value(struct ice_json_writer *w,
                                      const struct ice_type *type, struct ice_str bytes,
                                      struct ice_buf *text);

/* Type of a column by its field id: in the current schema, else in any. NULL if unknown.
 */
const struct ice_type *ice_column_type(const struct ice_metadata *metadata,
                                       int32_t field_id);

/* {"1": value, ...}, readable; own: the manifest's schema, for columns that the
 * table no longer has, or NULL. */
enum ice_status ice_cell_bounds(struct ice_json_writer *w,
                                const struct ice_metadata *metadata,
                                const struct ice_schema *own,
                                const struct ice_map_bytes *map, struct ice_buf *text);

#endif
