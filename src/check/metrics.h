/*
 * The seven maps of column metrics of a data_file, row by row. Writers put the keys of a
 * map in one order, so the columns behind the keys of the last row are kept with them:
 * keys are compared, and looked up only where they differ. Nothing is allocated a row
 * once the arrays have grown to the longest map.
 */
#ifndef ICE_CHECK_METRICS_H
#define ICE_CHECK_METRICS_H

#include "check/column_types.h"
#include "check/manifest_walk.h"

enum ice_metric_map {
    ICE_MAP_SIZES,
    ICE_MAP_VALUES,
    ICE_MAP_NULLS,
    ICE_MAP_NANS,
    ICE_MAP_DISTINCT,
    ICE_MAP_LOWER,
    ICE_MAP_UPPER,
    ICE_MAP_COUNT
};

struct ice_metric_layout {
    int32_t *keys;
    uint32_t *columns; /* by position: index in columns.items, or ICE_NO_COLUMN */
    /* by position, all bits or none, so that a loop over counts needs no branch: has a
     * value or a null for each record; is required in the header schema */
    int64_t *every_row, *required;
    size_t n, capacity;
    uint64_t keys_id;      /* of the map in the row that was followed last, or 0 */
    uint32_t *position_of; /* by column: position + 1, or 0 */
    size_t n_columns;      /* ... of position_of */
    bool has_unknown, has_duplicate, has_not_float, has_required;
    int32_t duplicate; /* where has_duplicate: one key that is there twice */
};

struct ice_metrics {
    struct ice_check *ck;
    struct ice_columns columns;
    struct ice_metric_layout maps[ICE_MAP_COUNT];
    uint64_t generation; /* of columns that the layouts are for */
    /* keys equal, position by position */
    bool nulls_like_values, upper_like_lower;
    int32_t *sorted; /* to find keys that are there twice */
    size_t sorted_capacity;
    struct ice_table orders;         /* ids of listed sort orders */
    struct ice_buf text, other_text; /* for messages */
};

enum ice_status ice_metrics_open(struct ice_metrics *metrics, struct ice_check *ck,
                                 bool is_lone) ICE_MUST_USE;
void ice_metrics_release(struct ice_metrics *metrics); /* safe twice and on all-zero */
/* The next manifest of walk->metrics. */
enum ice_status ice_metrics_begin(const struct ice_manifest_walk *walk) ICE_MUST_USE;
/* The next row: layouts follow its keys. */
enum ice_status ice_metrics_follow(struct ice_metrics *metrics,
                                   const struct ice_data_file *file) ICE_MUST_USE;

/* Is a sort order of that id listed? */
bool ice_metrics_lists_order(const struct ice_metrics *metrics, int32_t order_id);

/* A nan count is of no use there. */
static inline bool ice_metrics_is_not_float(const struct ice_table_column *column) {
    return !(column->flags & (ICE_COLUMN_FLOAT | ICE_COLUMN_RESERVED));
}

/* Position of a column in a map of the row, or SIZE_MAX. */
static inline size_t ice_metrics_position(const struct ice_metric_layout *layout,
                                          uint32_t column) {
    if (column >= layout->n_columns || layout->position_of[column] == 0)
        return SIZE_MAX;
    return layout->position_of[column] - 1;
}
static inline const struct ice_table_column *
ice_metrics_column(const struct ice_metrics *metrics, const struct ice_metric_layout *map,
                   size_t position) {
    uint32_t column = map->columns[position];
    return column == ICE_NO_COLUMN ? NULL : &metrics->columns.items[column];
}

/* Group 18, live entries. */
enum ice_status ice_column_rules(const struct ice_manifest_walk *walk,
                                 const struct ice_manifest_entry *entry) ICE_MUST_USE;
void ice_bound_rules(const struct ice_manifest_walk *walk,
                     const struct ice_manifest_entry *entry);

/* For findings: place of a pair of a map; name of a column ("address.city"; its id where
 * no schema has it), in metrics->text; the column of a map. */
void ice_metric_place(const struct ice_manifest_walk *walk, enum ice_metric_map map,
                      size_t position, struct ice_row_place *out);
struct ice_str ice_column_name(const struct ice_manifest_walk *walk, int32_t id);
struct ice_str ice_metric_name(const struct ice_manifest_walk *walk,
                               enum ice_metric_map map);

#endif
