/*
 * Group 18: counts and keys of the metrics maps of one entry, as plain loops over arrays.
 * A negative count is one finding and counts as unknown everywhere else. Bounds:
 * bound_rules.c.
 */
#include "check/metrics.h"

struct row {
    const struct ice_manifest_walk *walk;
    const struct ice_metrics *metrics;
    const struct ice_data_file *file;
    const struct ice_map_i64 *counts[ICE_MAP_DISTINCT + 1];
};

static const struct ice_metric_layout *layout(const struct row *row,
                                              enum ice_metric_map map) {
    return &row->metrics->maps[map];
}

/* Position in another map of what is at a position of this one; SIZE_MAX: not there. */
static size_t other_position(const struct row *row, enum ice_metric_map map,
                             size_t position, enum ice_metric_map other) {
    const struct ice_metric_layout *from = layout(row, map), *to = layout(row, other);
    uint32_t column = from->columns[position];
    if (column != ICE_NO_COLUMN)
        return ice_metrics_position(to, column);
    /* an id that no schema has: found where both maps have it at one place */
    return position < to->n && to->keys[position] == from->keys[position] ? position
                                                                          : SIZE_MAX;
}

/* A count of the same column in another map; false: not there or negative. */
static bool other_count(const struct row *row, enum ice_metric_map map, size_t position,
                        enum ice_metric_map other, int64_t *out) {
    size_t at = other_position(row, map, position, other);
    if (at == SIZE_MAX || row->counts[other]->values[at] < 0)
        return false;
    *out = row->counts[other]->values[at];
    return true;
}

/* What one row has, the next mostly has too: beyond the first few it is only counted. */
static bool only_counts(const struct row *row, enum ice_rule_id rule) {
    return ice_emit_only_counts(row->walk->ck->emit, rule, ICE_DEFAULT, row->walk->file);
}

/* ---- keys ---- */

/* Of one map of a row: what one map has, the others mostly have too. An id of a column
 * that was dropped is fine, though its schema was taken off the list. */
static bool unknown_keys(const struct row *row, enum ice_metric_map map) {
    const struct ice_metric_layout *keys = layout(row, map);
    bool any = false;
    for (size_t i = 0; i < keys->n; i++) {
        struct ice_row_place at;
        if (keys->columns[i] != ICE_NO_COLUMN || keys->keys[i] > INT32_MAX - 200 ||
            ice_metadata_gave_id(&row->walk->ck->metadata, keys->keys[i]))
            continue;
        any = true;
        if (only_counts(row, ICE_RULE_MANIFEST_METRICS_FIELD_UNKNOWN))
            continue;
        ice_metric_place(row->walk, map, i, &at);
        FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_FIELD_UNKNOWN, &at.place,
              arg_str("map", ice_metric_name(row->walk, map)),
              arg_i64("field_id", keys->keys[i]));
    }
    return any;
}

static void duplicate_key(const struct row *row, enum ice_metric_map map) {
    const struct ice_metric_layout *keys = layout(row, map);
    struct ice_row_place at;
    size_t position = keys->n;
    while (position > 0 && keys->keys[position - 1] != keys->duplicate)
        position--;
    ice_metric_place(row->walk, map, position - 1, &at);
    FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_KEY_DUPLICATE, &at.place,
          arg_str("map", ice_metric_name(row->walk, map)),
          arg_i64("field_id", keys->duplicate));
}

static void keys(const struct row *row) {
    bool said_unknown = !row->metrics->columns.knows_all;
    for (size_t i = 0; i < ICE_MAP_COUNT; i++) {
        const struct ice_metric_layout *map = layout(row, (enum ice_metric_map)i);
        if (map->has_unknown && !said_unknown)
            said_unknown = unknown_keys(row, (enum ice_metric_map)i);
        if (map->has_duplicate)
            duplicate_key(row, (enum ice_metric_map)i);
    }
}

/* ---- one map ---- */

static void found_negative(const struct row *row, enum ice_metric_map map) {
    const struct ice_map_i64 *counts = row->counts[map];
    /* Java before 1.9 added -1 a row group of an imported file */
    enum ice_severity severity = map == ICE_MAP_NULLS ? ICE_WARN : ICE_ERROR;
    for (size_t i = 0; i < counts->n; i++) {
        struct ice_row_place at;
        if (counts->values[i] >= 0)
            continue;
        ice_metric_place(row->walk, map, i, &at);
        FOUND_AS(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_NEGATIVE, severity,
                 &at.place, arg_str("map", ice_metric_name(row->walk, map)),
                 arg_str("column", ice_column_name(row->walk, counts->keys[i])),
                 arg_i64("found", counts->values[i]));
    }
}

static void negative(const struct row *row) {
    for (size_t map = 0; map <= ICE_MAP_DISTINCT; map++) {
        const struct ice_map_i64 *counts = row->counts[map];
        int64_t all = 0;
        for (size_t i = 0; i < counts->n; i++)
            all |= counts->values[i];
        if (all < 0)
            found_negative(row, (enum ice_metric_map)map);
    }
}

/* Sum of what is not negative; stops beyond limit, so it cannot run over. */
static uint64_t careful_sum(const struct ice_map_i64 *counts, uint64_t limit) {
    uint64_t sum = 0;
    for (size_t i = 0; i < counts->n && sum <= limit; i++)
        sum += counts->values[i] > 0 ? (uint64_t)counts->values[i] : 0;
    return sum;
}

static void sizes(const struct row *row) {
    const struct ice_map_i64 *counts = row->counts[ICE_MAP_SIZES];
    int64_t size = row->file->file_size_in_bytes;
    uint64_t sum = 0, all = 0;
    struct ice_row_place at;
    if (size <= 0)
        return; /* manifest.file.size.not-positive has spoken */
    for (size_t i = 0; i < counts->n; i++) {
        all |= (uint64_t)counts->values[i];
        sum += (uint64_t)counts->values[i];
    }
    /* 2^20 numbers below 2^43 do not run over */
    if (all >> 43 != 0 || counts->n >> 20 != 0)
        sum = careful_sum(counts, (uint64_t)size);
    if (sum <= (uint64_t)size ||
        only_counts(row, ICE_RULE_MANIFEST_METRICS_SIZE_ABOVE_FILE))
        return;
    ice_metric_place(row->walk, ICE_MAP_SIZES, SIZE_MAX, &at);
    FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_SIZE_ABOVE_FILE, &at.place,
          arg_i64("sum", sum > INT64_MAX ? INT64_MAX : (int64_t)sum),
          arg_i64("size", size));
}

static void found_not_record(const struct row *row, size_t position) {
    const struct ice_map_i64 *counts = row->counts[ICE_MAP_VALUES];
    struct ice_row_place at;
    if (only_counts(row, ICE_RULE_MANIFEST_METRICS_VALUE_NOT_RECORD))
        return;
    ice_metric_place(row->walk, ICE_MAP_VALUES, position, &at);
    FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_VALUE_NOT_RECORD, &at.place,
          arg_str("column", ice_column_name(row->walk, counts->keys[position])),
          arg_i64("found", counts->values[position]),
          arg_i64("record_count", row->file->record_count));
}

/* Position deletes may hold the deleted row, an optional struct of the table's columns.
 */
static bool may_be_in_row(const struct row *row, int32_t id) {
    return row->file->content == ICE_CONTENT_POSITION_DELETES && id < INT32_MAX - 200;
}

static void values_against_records(const struct row *row) {
    const struct ice_map_i64 *counts = row->counts[ICE_MAP_VALUES];
    const int64_t *every_row = layout(row, ICE_MAP_VALUES)->every_row;
    int64_t records = row->file->record_count, differs = 0;
    const struct ice_manifest *manifest = row->walk->manifest;
    if (records < 0 || !row->metrics->columns.knows_all ||
        !ice_entry_has(manifest, &manifest->entry, ICE_FILE_record_count))
        return;
    for (size_t i = 0; i < counts->n; i++)
        differs |= (counts->values[i] ^ records) & every_row[i];
    if (differs == 0)
        return;
    for (size_t i = 0; i < counts->n; i++)
        if (counts->values[i] != records && counts->values[i] >= 0 && every_row[i] &&
            !may_be_in_row(row, counts->keys[i]))
            found_not_record(row, i);
}

/* ---- nulls and NaNs against values ---- */

static bool has_bound(const struct row *row, enum ice_metric_map map, size_t position) {
    return other_position(row, map, position, ICE_MAP_LOWER) != SIZE_MAX ||
           other_position(row, map, position, ICE_MAP_UPPER) != SIZE_MAX;
}

static void bound_of_nothing(const struct row *row, enum ice_metric_map map,
                             size_t position, int64_t values) {
    struct ice_row_place at;
    enum ice_metric_map bound = ICE_MAP_LOWER;
    size_t there = other_position(row, map, position, bound);
    if (there == SIZE_MAX) {
        bound = ICE_MAP_UPPER;
        there = other_position(row, map, position, bound);
    }
    ice_metric_place(row->walk, bound, there, &at);
    FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_BOUND_ALL_NULL, &at.place,
          arg_str("column", ice_column_name(row->walk, layout(row, map)->keys[position])),
          arg_i64("values", values));
}

/* nulls >= values: too many, or there is nothing that could have a bound. */
static void all_null(const struct row *row, size_t position, int64_t values) {
    int64_t nulls = row->counts[ICE_MAP_NULLS]->values[position];
    struct ice_row_place at;
    if (nulls > values) {
        ice_metric_place(row->walk, ICE_MAP_NULLS, position, &at);
        FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_NULL_ABOVE_VALUE, &at.place,
              arg_str(
                  "column",
                  ice_column_name(row->walk, row->counts[ICE_MAP_NULLS]->keys[position])),
              arg_i64("nulls", nulls), arg_i64("values", values));
    } else if (values > 0 && has_bound(row, ICE_MAP_NULLS, position)) {
        bound_of_nothing(row, ICE_MAP_NULLS, position, values);
    }
}

static void nulls_against_values(const struct row *row) {
    const struct ice_map_i64 *nulls = row->counts[ICE_MAP_NULLS];
    const int64_t *values = row->counts[ICE_MAP_VALUES]->values;
    if (!row->metrics->nulls_like_values) {
        for (size_t i = 0; i < nulls->n; i++) {
            int64_t value;
            if (other_count(row, ICE_MAP_NULLS, i, ICE_MAP_VALUES, &value) &&
                nulls->values[i] >= value)
                all_null(row, i, value);
        }
        return;
    }
    /* of numbers that are not negative the difference is, if the first is the smaller */
    uint64_t below = UINT64_MAX, all = 0;
    for (size_t i = 0; i < nulls->n; i++) {
        all |= (uint64_t)nulls->values[i] | (uint64_t)values[i];
        below &= (uint64_t)nulls->values[i] - (uint64_t)values[i];
    }
    if (below >> 63 != 0 && all >> 63 == 0)
        return;
    for (size_t i = 0; i < nulls->n; i++)
        if (nulls->values[i] >= values[i] && values[i] >= 0)
            all_null(row, i, values[i]);
}

static void nulls_in_required(const struct row *row) {
    const struct ice_map_i64 *nulls = row->counts[ICE_MAP_NULLS];
    const struct ice_metric_layout *map = layout(row, ICE_MAP_NULLS);
    int64_t any = 0;
    if (!map->has_required || !row->metrics->columns.knows_all)
        return;
    for (size_t i = 0; i < nulls->n; i++)
        any |= nulls->values[i] & map->required[i];
    for (size_t i = 0; any != 0 && i < nulls->n; i++) {
        struct ice_row_place at;
        if (nulls->values[i] <= 0 || !map->required[i] ||
            may_be_in_row(row, nulls->keys[i]))
            continue;
        ice_metric_place(row->walk, ICE_MAP_NULLS, i, &at);
        FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_NULL_IN_REQUIRED, &at.place,
              arg_str("column", ice_column_name(row->walk, nulls->keys[i])),
              arg_i64("nulls", nulls->values[i]));
    }
}

static void nan_count(const struct row *row, size_t position) {
    const struct ice_map_i64 *nans = row->counts[ICE_MAP_NANS];
    int64_t values, nulls = 0, nan = nans->values[position];
    struct ice_row_place at;
    if (!other_count(row, ICE_MAP_NANS, position, ICE_MAP_VALUES, &values))
        return;
    (void)other_count(row, ICE_MAP_NANS, position, ICE_MAP_NULLS, &nulls);
    if (nulls > values)
        return; /* that was said */
    if (nan > values - nulls) {
        ice_metric_place(row->walk, ICE_MAP_NANS, position, &at);
        FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_NAN_ABOVE_VALUE, &at.place,
              arg_str("column", ice_column_name(row->walk, nans->keys[position])),
              arg_i64("nans", nan), arg_i64("values", values), arg_i64("nulls", nulls));
    } else if (nan == values - nulls && has_bound(row, ICE_MAP_NANS, position)) {
        bound_of_nothing(row, ICE_MAP_NANS, position, values);
    }
}

static void nans(const struct row *row) {
    const struct ice_map_i64 *counts = row->counts[ICE_MAP_NANS];
    const struct ice_metric_layout *map = layout(row, ICE_MAP_NANS);
    for (size_t i = 0; i < counts->n; i++)
        if (counts->values[i] > 0)
            nan_count(row, i);
    if (!map->has_not_float || !row->metrics->columns.knows_all)
        return;
    for (size_t i = 0; i < counts->n; i++) {
        struct ice_row_place at;
        const struct ice_table_column *column = ice_metrics_column(row->metrics, map, i);
        if (column == NULL || !ice_metrics_is_not_float(column) ||
            only_counts(row, ICE_RULE_MANIFEST_METRICS_NAN_NOT_FLOAT))
            continue;
        ice_metric_place(row->walk, ICE_MAP_NANS, i, &at);
        FOUND(row->walk->ck->emit, ICE_RULE_MANIFEST_METRICS_NAN_NOT_FLOAT, &at.place,
              arg_str("column", ice_column_name(row->walk, counts->keys[i])),
              arg_text("type", column->shown ? ice_type_kind_name(column->shown->kind)
                                             : "no type"));
    }
}

/* ---- the row ---- */

enum ice_status ice_column_rules(const struct ice_manifest_walk *walk,
                                 const struct ice_manifest_entry *entry) {
    const struct ice_data_file *file = &entry->file;
    const struct row row = {.walk = walk,
                            .metrics = walk->metrics,
                            .file = file,
                            .counts = {[ICE_MAP_SIZES] = &file->column_sizes,
                                       [ICE_MAP_VALUES] = &file->value_counts,
                                       [ICE_MAP_NULLS] = &file->null_value_counts,
                                       [ICE_MAP_NANS] = &file->nan_value_counts,
                                       [ICE_MAP_DISTINCT] = &file->distinct_counts}};
    if (ice_metrics_follow(walk->metrics, file) < 0)
        return ICE_ENOMEM;
    keys(&row);
    negative(&row);
    sizes(&row);
    values_against_records(&row);
    nulls_against_values(&row);
    nulls_in_required(&row);
    nans(&row);
    ice_bound_rules(walk, entry);
    return ICE_OK;
}
