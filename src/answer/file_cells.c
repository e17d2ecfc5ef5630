/*
 * The cells of Iceberg's files tables.
 */
#include "answer/file_cells.h"

#include "base/error.h"

#define HAS(member) ice_entry_has(item->manifest, item->entry, ICE_FILE_##member)

enum ice_status ice_file_cells_init(struct ice_file_cells *cells,
                                    struct ice_table_reader *reader, bool readable_bounds,
                                    struct ice_error *err) {
    *cells = (struct ice_file_cells){.metadata = reader->metadata,
                                     .readable_bounds = readable_bounds};
    ice_buf_init(&cells->text, &reader->run.alloc, SIZE_MAX);
    return ice_partition_view_init(&cells->view, &reader->run, reader->metadata, err);
}

void ice_file_cells_release(struct ice_file_cells *cells) {
    ice_buf_release(&cells->text);
    ice_partition_view_release(&cells->view);
}

enum ice_status ice_file_cells_bind(struct ice_file_cells *cells,
                                    const struct ice_manifest *manifest,
                                    struct ice_error *err) {
    bool has_schema = (manifest->header & ~manifest->header_bad) & ICE_MHEAD_SCHEMA;
    cells->own = has_schema ? &manifest->header_schema : NULL;
    return ice_partition_view_bind(&cells->view, manifest, err);
}

static void map_cell(struct ice_row *row, bool has, const struct ice_map_i64 *map) {
    if (has)
        ice_row_map_i64(row, map->keys, map->values, map->n);
    else
        ice_row_null(row);
}

static void list_cell(struct ice_row *row, bool has, const struct ice_list_i64 *list) {
    if (has)
        ice_row_list_i64(row, list->items, list->n);
    else
        ice_row_null(row);
}

static enum ice_status bounds_cell(struct ice_file_cells *cells, struct ice_row *row,
                                   bool has, const struct ice_map_bytes *map) {
    if (!has) {
        ice_row_null(row);
    } else if (cells->readable_bounds) {
        ICE_TRY(ice_cell_bounds(ice_row_json(row), cells->metadata, cells->own, map,
                                &cells->text));
        ice_row_json_end(row);
    } else {
        ice_row_map_bytes(row, map->keys, map->values, map->n);
    }
    return ICE_OK;
}

static enum ice_status write_metrics(struct ice_file_cells *cells, struct ice_row *row,
                                     const struct ice_listed_entry *item) {
    const struct ice_data_file *file = &item->entry->file;
    map_cell(row, HAS(column_sizes), &file->column_sizes);
    map_cell(row, HAS(value_counts), &file->value_counts);
    map_cell(row, HAS(null_value_counts), &file->null_value_counts);
    map_cell(row, HAS(nan_value_counts), &file->nan_value_counts);
    ICE_TRY(bounds_cell(cells, row, HAS(lower_bounds), &file->lower_bounds));
    return bounds_cell(cells, row, HAS(upper_bounds), &file->upper_bounds);
}

/* As Java: inherited; a deleted entry keeps what it holds; null where the manifest has
 * none. */
static void first_row_cell(struct ice_row *row, const struct ice_listed_entry *item) {
    bool is_lone = item->listed->row == NULL;
    bool has_own = HAS(first_row_id) &&
                   (is_lone || ice_listed_has(item->listed, ICE_LIST_first_row_id));
    if (item->effective.has_first_row_id)
        ice_row_i64(row, item->effective.first_row_id);
    else
        ice_row_i64_if(row, has_own, item->entry->file.first_row_id);
}

enum ice_status ice_file_cells_write(struct ice_file_cells *cells, struct ice_row *row,
                                     const struct ice_listed_entry *item) {
    const struct ice_data_file *file = &item->entry->file;
    ice_row_i64(row, HAS(content) ? file->content : 0);
    ice_row_str_if(row, HAS(file_path), file->file_path);
    ice_row_str_if(row, HAS(file_format), file->file_format);
    ice_row_i64(row, item->spec_id);
    ICE_TRY(ice_cell_partition(&cells->view, ice_row_json(row), &file->partition));
    ice_row_json_end(row);
    ice_row_i64_if(row, HAS(record_count), file->record_count);
    ice_row_i64_if(row, HAS(file_size_in_bytes), file->file_size_in_bytes);
    ICE_TRY(write_metrics(cells, row, item));
    ice_row_bytes_if(row, HAS(key_metadata), file->key_metadata);
    list_cell(row, HAS(split_offsets), &file->split_offsets);
    list_cell(row, HAS(equality_ids), &file->equality_ids);
    ice_row_i64_if(row, HAS(sort_order_id), file->sort_order_id);
    first_row_cell(row, item);
    ice_row_str_if(row, HAS(referenced_data_file), file->referenced_data_file);
    ice_row_i64_if(row, HAS(content_offset), file->content_offset);
    ice_row_i64_if(row, HAS(content_size_in_bytes), file->content_size_in_bytes);
    return ICE_OK;
}
