/*
 * The columns of Iceberg's files tables and their cells.
 */
#ifndef ICE_ANSWER_FILE_CELLS_H
#define ICE_ANSWER_FILE_CELLS_H

#include "answer/cells.h"
#include "answer/row_builder.h"

#define ICE_FILE_COLUMNS                                                                 \
    {"content", ICE_VALUE_I64}, {"file_path", ICE_VALUE_STR},                            \
        {"file_format", ICE_VALUE_STR}, {"spec_id", ICE_VALUE_I64},                      \
        {"partition", ICE_VALUE_JSON}, {"record_count", ICE_VALUE_I64},                  \
        {"file_size_in_bytes", ICE_VALUE_I64}, {"column_sizes", ICE_VALUE_MAP_I64},      \
        {"value_counts", ICE_VALUE_MAP_I64}, {"null_value_counts", ICE_VALUE_MAP_I64},   \
        {"nan_value_counts", ICE_VALUE_MAP_I64}, {"lower_bounds", ICE_VALUE_MAP_BYTES},  \
        {"upper_bounds", ICE_VALUE_MAP_BYTES}, {"key_metadata", ICE_VALUE_BYTES},        \
        {"split_offsets", ICE_VALUE_LIST_I64}, {"equality_ids", ICE_VALUE_LIST_I64},     \
        {"sort_order_id", ICE_VALUE_I64}, {"first_row_id", ICE_VALUE_I64},               \
        {"referenced_data_file", ICE_VALUE_STR}, {"content_offset", ICE_VALUE_I64}, {    \
        "content_size_in_bytes", ICE_VALUE_I64                                           \
    }

struct ice_file_cells {
    const struct ice_metadata *metadata;
    struct ice_partition_view view; /* bound to the manifest of the entry */
    const struct ice_schema *own;   /* ... and its schema, NULL if it has none */
    struct ice_buf text;
    bool readable_bounds;
};

enum ice_status ice_file_cells_init(struct ice_file_cells *cells,
                                    struct ice_table_reader *reader, bool readable_bounds,
                                    struct ice_error *err);
void ice_file_cells_release(struct ice_file_cells *cells); /* safe twice */

/* Call when the entries of another manifest begin. */
enum ice_status ice_file_cells_bind(struct ice_file_cells *cells,
                                    const struct ice_manifest *manifest,
                                    struct ice_error *err);
/* Append the cells of ICE_FILE_COLUMNS to a row that was begun. */
enum ice_status ice_file_cells_write(struct ice_file_cells *cells, struct ice_row *row,
                                     const struct ice_listed_entry *item);

#endif
