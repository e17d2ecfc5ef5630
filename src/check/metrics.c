/*
 * Following the keys of maps from row to row.
 */
#include "check/metrics.h"

#include "base/error.h"
#include "base/size.h"

static const enum ice_entry_bit bit_of[ICE_MAP_COUNT] = {
    [ICE_MAP_SIZES] = ICE_FILE_column_sizes,
    [ICE_MAP_VALUES] = ICE_FILE_value_counts,
    [ICE_MAP_NULLS] = ICE_FILE_null_value_counts,
    [ICE_MAP_NANS] = ICE_FILE_nan_value_counts,
    [ICE_MAP_DISTINCT] = ICE_FILE_distinct_counts,
    [ICE_MAP_LOWER] = ICE_FILE_lower_bounds,
    [ICE_MAP_UPPER] = ICE_FILE_upper_bounds,
};

/* ---- life ---- */

static uint64_t order_key(const struct ice_metrics *metrics, int32_t order_id) {
    return ice_hash_mix((uint32_t)order_id, metrics->ck->run->hash_seed);
}

bool ice_metrics_lists_order(const struct ice_metrics *metrics, int32_t order_id) {
    size_t at = SIZE_MAX;
    uint32_t value;
    return ice_table_next(&metrics->orders, order_key(metrics, order_id), &at, &value);
}

enum ice_status ice_metrics_open(struct ice_metrics *metrics, struct ice_check *ck,
                                 bool is_lone) {
    struct ice_alloc *alloc = &ck->run->alloc;
    *metrics = (struct ice_metrics){.ck = ck};
    ice_buf_init(&metrics->text, alloc, SIZE_MAX);
    ice_buf_init(&metrics->other_text, alloc, SIZE_MAX);
    ice_table_init(&metrics->orders, alloc);
    for (size_t i = 0; !is_lone && i < ck->metadata.n_orders; i++)
        ICE_TRY(ice_table_put(&metrics->orders,
                              order_key(metrics, ck->metadata.orders[i].order_id), 0));
    return ice_columns_open(&metrics->columns, alloc, ck->run->hash_seed,
                            is_lone ? NULL : &ck->metadata);
}

static void release_keys(struct ice_alloc *alloc, struct ice_metric_layout *layout) {
    ice_free(alloc, layout->keys, layout->capacity * sizeof(*layout->keys));
    ice_free(alloc, layout->columns, layout->capacity * sizeof(*layout->columns));
    ice_free(alloc, layout->every_row, layout->capacity * sizeof(*layout->every_row));
    ice_free(alloc, layout->required, layout->capacity * sizeof(*layout->required));
    layout->keys = NULL;
    layout->columns = NULL;
    layout->every_row = layout->required = NULL;
    layout->n = layout->capacity = 0;
}

static void release_layout(struct ice_alloc *alloc, struct ice_metric_layout *layout) {
    release_keys(alloc, layout);
    ice_free(alloc, layout->position_of,
             layout->n_columns * sizeof(*layout->position_of));
    *layout = (struct ice_metric_layout){0};
}

void ice_metrics_release(struct ice_metrics *metrics) {
    if (!metrics->ck)
        return;
    struct ice_alloc *alloc = &metrics->ck->run->alloc;
    for (size_t i = 0; i < ICE_MAP_COUNT; i++)
        release_layout(alloc, &metrics->maps[i]);
    ice_free(alloc, metrics->sorted, metrics->sorted_capacity * sizeof(int32_t));
    ice_table_release(&metrics->orders);
    ice_buf_release(&metrics->text);
    ice_buf_release(&metrics->other_text);
    ice_columns_release(&metrics->columns);
    *metrics = (struct ice_metrics){0};
}

static void clear_flags(struct ice_metric_layout *layout) {
    layout->has_unknown = layout->has_duplicate = false;
    layout->has_not_float = layout->has_required = false;
}

static enum ice_status resize_positions(struct ice_metrics *metrics) {
    struct ice_alloc *alloc = &metrics->ck->run->alloc;
    size_t n = metrics->columns.n;
    for (size_t i = 0; i < ICE_MAP_COUNT; i++) {
        struct ice_metric_layout *layout = &metrics->maps[i];
        if (n != layout->n_columns) {
            size_t size = sizeof(*layout->position_of);
            void *grown = ice_realloc(alloc, layout->position_of,
                                      layout->n_columns * size, n * size);
            if (!grown)
                return ICE_ENOMEM;
            layout->position_of = grown;
            layout->n_columns = n;
        }
        memset(layout->position_of, 0, n * sizeof(*layout->position_of));
        layout->n = 0;
        clear_flags(layout);
    }
    metrics->nulls_like_values = metrics->upper_like_lower = true;
    return ICE_OK;
}

enum ice_status ice_metrics_begin(const struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    struct ice_metrics *metrics = walk->metrics;
    bool has_schema = manifest->header & ~manifest->header_bad & ICE_MHEAD_SCHEMA;
    struct ice_str text = ICE_STR_NONE;
    if (has_schema)
        (void)ice_avro_header(&manifest->file, "schema", &text);
    ICE_TRY(ice_columns_begin(&metrics->columns, text,
                              has_schema ? &manifest->header_schema : NULL));
    for (size_t i = 0; i < ICE_MAP_COUNT; i++)
        metrics->maps[i].keys_id = 0; /* the next file counts anew */
    if (metrics->generation == metrics->columns.generation)
        return ICE_OK;
    ICE_TRY(resize_positions(metrics)); /* at least the reserved columns are there */
    metrics->generation = metrics->columns.generation;
    return ICE_OK;
}

/* ---- rows ---- */

static enum ice_status reserve(struct ice_alloc *alloc, struct ice_metric_layout *layout,
                               size_t n) {
    size_t wanted = 64;
    if (n <= layout->capacity)
        return ICE_OK;
    while (wanted < n)
        if (!ice_size_mul(wanted, 2, &wanted))
            return ICE_ENOMEM;
    release_keys(alloc, layout);
    /* wanted * 8 fits: that many pairs were decoded */
    layout->keys = ice_malloc(alloc, wanted * sizeof(*layout->keys));
    layout->columns = ice_malloc(alloc, wanted * sizeof(*layout->columns));
    layout->every_row = ice_malloc(alloc, wanted * sizeof(*layout->every_row));
    layout->required = ice_malloc(alloc, wanted * sizeof(*layout->required));
    layout->capacity = wanted;
    return layout->keys && layout->columns && layout->every_row && layout->required
               ? ICE_OK
               : ICE_ENOMEM;
}

static void mark(struct ice_metric_layout *layout, size_t position,
                 const struct ice_table_column *column) {
    const bool is_required = column->flags & ICE_COLUMN_HEADER_REQUIRED;
    layout->every_row[position] = column->flags & ICE_COLUMN_NESTED ? 0 : -1;
    layout->required[position] = is_required ? -1 : 0;
    layout->has_required |= is_required;
    layout->has_not_float |= ice_metrics_is_not_float(column);
}

/* Shell sort: in place, and no input makes it quadratic. */
static void sort(int32_t *keys, size_t n) {
    static const size_t gaps[] = {48592016, 12148004, 3037001, 759250, 189812, 47453,
                                  11863,    2966,     701,     301,    132,    57,
                                  23,       10,       4,       1};
    for (size_t g = 0; g < ICE_COUNT_OF(gaps); g++)
        for (size_t i = gaps[g]; i < n; i++) {
            int32_t key = keys[i];
            size_t at = i;
            for (; at >= gaps[g] && keys[at - gaps[g]] > key; at -= gaps[g])
                keys[at] = keys[at - gaps[g]];
            keys[at] = key;
        }
}

/* Known keys are told apart by their columns; the others are sorted. */
static enum ice_status find_unknown_duplicates(struct ice_metrics *metrics,
                                               struct ice_metric_layout *layout) {
    size_t n = 0;
    if (layout->n > metrics->sorted_capacity) {
        size_t size = sizeof(*metrics->sorted);
        int32_t *grown =
            ice_realloc(&metrics->ck->run->alloc, metrics->sorted,
                        metrics->sorted_capacity * size, layout->capacity * size);
        if (!grown)
            return ICE_ENOMEM;
        metrics->sorted = grown;
        metrics->sorted_capacity = layout->capacity;
    }
    for (size_t i = 0; i < layout->n; i++)
        if (layout->columns[i] == ICE_NO_COLUMN)
            metrics->sorted[n++] = layout->keys[i];
    sort(metrics->sorted, n);
    for (size_t i = 1; i < n; i++)
        if (metrics->sorted[i] == metrics->sorted[i - 1]) {
            layout->has_duplicate = true;
            layout->duplicate = metrics->sorted[i];
        }
    return ICE_OK;
}

static enum ice_status look_up(struct ice_metrics *metrics,
                               struct ice_metric_layout *layout, const int32_t *keys,
                               size_t n) {
    for (size_t i = 0; i < layout->n; i++)
        if (layout->columns[i] != ICE_NO_COLUMN)
            layout->position_of[layout->columns[i]] = 0;
    ICE_TRY(reserve(&metrics->ck->run->alloc, layout, n));
    clear_flags(layout);
    for (size_t i = 0; i < n; i++) {
        uint32_t column = ice_columns_find(&metrics->columns, keys[i]);
        layout->keys[i] = keys[i];
        layout->columns[i] = column;
        layout->every_row[i] = layout->required[i] = 0;
        if (column == ICE_NO_COLUMN) {
            layout->has_unknown = true;
            continue;
        }
        if (layout->position_of[column]) {
            layout->has_duplicate = true;
            layout->duplicate = keys[i];
        } else {
            layout->position_of[column] = (uint32_t)i + 1;
        }
        mark(layout, i, &metrics->columns.items[column]);
    }
    layout->n = n;
    return layout->has_unknown ? find_unknown_duplicates(metrics, layout) : ICE_OK;
}

static bool same_keys(const struct ice_metric_layout *layout, const int32_t *keys,
                      size_t n) {
    return n == layout->n &&
           (n == 0 || memcmp(keys, layout->keys, n * sizeof(*keys)) == 0);
}

/* One map of the row; *changed: its keys are not those of the last one. */
static enum ice_status follow(struct ice_metrics *metrics, enum ice_metric_map map,
                              const int32_t *keys, size_t n, uint64_t keys_id,
                              bool *changed) {
    struct ice_metric_layout *layout = &metrics->maps[map];
    if (ICE_LIKELY(keys_id != 0 && keys_id == layout->keys_id))
        return ICE_OK;
    layout->keys_id = keys_id;
    if (same_keys(layout, keys, n))
        return ICE_OK;
    *changed = true;
    return look_up(metrics, layout, keys, n);
}

static enum ice_status follow_counts(struct ice_metrics *metrics, enum ice_metric_map map,
                                     const struct ice_map_i64 *counts, bool *changed) {
    return follow(metrics, map, counts->keys, counts->n, counts->keys_id, changed);
}

static enum ice_status follow_bounds(struct ice_metrics *metrics, enum ice_metric_map map,
                                     const struct ice_map_bytes *bounds, bool *changed) {
    return follow(metrics, map, bounds->keys, bounds->n, bounds->keys_id, changed);
}

enum ice_status ice_metrics_follow(struct ice_metrics *metrics,
                                   const struct ice_data_file *file) {
    const struct ice_metric_layout *maps = metrics->maps;
    bool changed = false;
    ICE_TRY(follow_counts(metrics, ICE_MAP_SIZES, &file->column_sizes, &changed));
    ICE_TRY(follow_counts(metrics, ICE_MAP_VALUES, &file->value_counts, &changed));
    ICE_TRY(follow_counts(metrics, ICE_MAP_NULLS, &file->null_value_counts, &changed));
    ICE_TRY(follow_counts(metrics, ICE_MAP_NANS, &file->nan_value_counts, &changed));
    ICE_TRY(follow_counts(metrics, ICE_MAP_DISTINCT, &file->distinct_counts, &changed));
    ICE_TRY(follow_bounds(metrics, ICE_MAP_LOWER, &file->lower_bounds, &changed));
    ICE_TRY(follow_bounds(metrics, ICE_MAP_UPPER, &file->upper_bounds, &changed));
    if (!changed)
        return ICE_OK;
    metrics->nulls_like_values = same_keys(
        &maps[ICE_MAP_NULLS], maps[ICE_MAP_VALUES].keys, maps[ICE_MAP_VALUES].n);
    metrics->upper_like_lower =
        same_keys(&maps[ICE_MAP_UPPER], maps[ICE_MAP_LOWER].keys, maps[ICE_MAP_LOWER].n);
    return ICE_OK;
}

/* ---- for findings ---- */

void ice_metric_place(const struct ice_manifest_walk *walk, enum ice_metric_map map,
                      size_t position, struct ice_row_place *out) {
    ice_entry_place(walk, bit_of[map], out);
    if (position != SIZE_MAX)
        ice_row_place_index(out, position);
}

struct ice_str ice_metric_name(const struct ice_manifest_walk *walk,
                               enum ice_metric_map map) {
    return ice_manifest_column_name(walk->manifest, bit_of[map]);
}

static bool name_by(const struct ice_manifest_walk *walk, const struct ice_schema *schema,
                    int32_t id) {
    struct ice_buf *text = &walk->metrics->text;
    const struct ice_field *field = ice_schema_field(schema, id);
    if (field == NULL)
        return false;
    if (ice_schema_full_name(schema, field, text) < 0)
        ice_emit_no_memory(walk->ck->emit);
    return text->size > 0;
}

struct ice_str ice_column_name(const struct ice_manifest_walk *walk, int32_t id) {
    const struct ice_manifest *manifest = walk->manifest;
    const struct ice_metadata *metadata = &walk->ck->metadata;
    struct ice_buf *text = &walk->metrics->text;
    const struct ice_schema *current = ice_metadata_current_schema(metadata);
    ice_buf_clear(text);
    if (id == INT32_MAX - 101)
        return ICE_STR("file_path");
    if (id == INT32_MAX - 102)
        return ICE_STR("pos");
    if (manifest->header & ~manifest->header_bad & ICE_MHEAD_SCHEMA &&
        name_by(walk, &manifest->header_schema, id))
        return ice_buf_str(text);
    if (current && name_by(walk, current, id))
        return ice_buf_str(text);
    for (size_t i = metadata->n_schemas; i > 0; i--)
        if (name_by(walk, &metadata->schemas[i - 1], id))
            return ice_buf_str(text);
    ice_buf_clear(text);
    if (ice_buf_printf(text, "%d", id) < 0)
        ice_emit_no_memory(walk->ck->emit);
    return ice_buf_str(text);
}
