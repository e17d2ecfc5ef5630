/*
 * Group 17: what delete files must have and data files must not: equality ids, the data
 * file that a deletion vector is for, its place in the Puffin file; of group 18 the
 * bounds that Java reads where the data file is not named; of group 11 who may have row
 * ids.
 */
#include "check/file_rules.h"
#include "check/metrics.h"
#include "check/unit.h"
#include "source/mapping.h"

enum {
    PUFFIN_MAGIC_BYTES = 4,
    LEAST_VECTOR_BYTES = 20, /* length, magic, an empty bitmap of 8 bytes, CRC */
    ID_FILE_PATH = INT32_MAX - 101,
};

struct delete {
    const struct ice_manifest_walk *walk;
    const struct ice_manifest_entry *entry;
    const struct ice_data_file *file;
    struct ice_emit *emit;
    bool is_vector;
};

static bool has(const struct delete *d, enum ice_entry_bit bit) {
    return ice_walk_has(d->walk, d->entry, bit);
}

static void found(const struct delete *d, enum ice_rule_id rule, enum ice_entry_bit bit,
                  struct ice_arg arg) {
    struct ice_row_place at;
    ice_entry_place(d->walk, bit, &at);
    FOUND(d->emit, rule, &at.place, arg);
}

/* ---- equality ids ---- */

/* The deletes stay in force, but Iceberg Java reads by the current schema. Older
 * snapshots and tags are read by their own. */
static void dropped_column(const struct delete *d, const struct ice_table_column *column,
                           size_t index) {
    const struct ice_check *ck = d->walk->ck;
    struct ice_row_place at;
    if (column->flags & (ICE_COLUMN_CURRENT | ICE_COLUMN_RESERVED) || !d->walk->unit ||
        !ice_metadata_current_schema(&ck->metadata))
        return;
    d->walk->unit->asks_current = true;
    if (!ice_manifest_is_current(ck, d->walk->facts))
        return;
    ice_entry_place(d->walk, ICE_FILE_equality_ids, &at);
    ice_row_place_index(&at, index);
    FOUND(d->emit, ICE_RULE_MANIFEST_FILE_EQUALITY_IDS_DROPPED, &at.place,
          arg_str("column", ice_column_name(d->walk, column->id)),
          arg_i64("field_id", column->id));
}

/* What the header's schema alone has, a table whose schemas were expired: Iceberg Java
 * looks ids up in those that are listed, and cannot plan a scan. */
static void equality_id(const struct delete *d, size_t index) {
    const struct ice_columns *columns = &d->walk->metrics->columns;
    int64_t id = d->file->equality_ids.items[index];
    uint32_t at_column = ICE_NO_COLUMN;
    struct ice_row_place at;
    if (id >= INT32_MIN && id <= INT32_MAX)
        at_column = ice_columns_find(columns, (int32_t)id);
    if (at_column != ICE_NO_COLUMN &&
        !(columns->items[at_column].flags & (ICE_COLUMN_LISTED | ICE_COLUMN_RESERVED)))
        at_column = ICE_NO_COLUMN;
    if (at_column != ICE_NO_COLUMN) {
        dropped_column(d, &columns->items[at_column], index);
        if (columns->items[at_column].flags & ICE_COLUMN_CAN_EQUAL)
            return;
    }
    ice_entry_place(d->walk, ICE_FILE_equality_ids, &at);
    ice_row_place_index(&at, index);
    if (at_column == ICE_NO_COLUMN) {
        FOUND(d->emit, ICE_RULE_MANIFEST_FILE_EQUALITY_IDS_DANGLING, &at.place,
              arg_i64("field_id", id));
        return;
    }
    const struct ice_table_column *column = &columns->items[at_column];
    FOUND(d->emit, ICE_RULE_MANIFEST_FILE_EQUALITY_IDS_TYPE, &at.place,
          arg_str("column", ice_column_name(d->walk, column->id)),
          arg_text("type",
                   column->shown ? ice_type_kind_name(column->shown->kind) : "no type"));
}

static void equality_ids(const struct delete *d) {
    const struct ice_list_i64 *ids = &d->file->equality_ids;
    if (d->file->content != ICE_CONTENT_EQUALITY_DELETES) {
        if (ids->n > 0)
            found(d, ICE_RULE_MANIFEST_FILE_EQUALITY_IDS_UNEXPECTED,
                  ICE_FILE_equality_ids, arg_i64("content", d->file->content));
        return;
    }
    if (ids->n == 0) {
        found(d, ICE_RULE_MANIFEST_FILE_EQUALITY_IDS_MISSING, ICE_FILE_equality_ids,
              ARG_NONE);
        return;
    }
    for (size_t i = 0; d->walk->metrics->columns.knows_all && i < ids->n; i++)
        equality_id(d, i);
}

/* ---- deletion vectors ---- */

static void referenced(const struct delete *d) {
    /* DuckDB 1.5 writes empty text where there is nothing to refer to */
    bool is_set =
        has(d, ICE_FILE_referenced_data_file) && d->file->referenced_data_file.size > 0;
    if (d->walk->version >= 3 && d->is_vector && !is_set &&
        !ice_column_is_odd(d->walk, ICE_FILE_referenced_data_file))
        found(d, ICE_RULE_MANIFEST_FILE_REFERENCED_MISSING, ICE_FILE_referenced_data_file,
              ARG_NONE);
    if (d->walk->version >= 2 && is_set &&
        d->file->content != ICE_CONTENT_POSITION_DELETES)
        found(d, ICE_RULE_MANIFEST_FILE_REFERENCED_UNEXPECTED,
              ICE_FILE_referenced_data_file, arg_i64("content", d->file->content));
}

static void found_range(const struct delete *d, enum ice_entry_bit bit, int64_t value,
                        const char *what, int64_t limit) {
    struct ice_row_place at;
    ice_entry_place(d->walk, bit, &at);
    FOUND(d->emit, ICE_RULE_MANIFEST_FILE_BLOB_RANGE, &at.place,
          arg_str("field", ice_manifest_column_name(d->walk->manifest, bit)),
          arg_i64("found", value), arg_text("what", what), arg_i64("limit", limit));
}

static void blob_range(const struct delete *d) {
    int64_t offset = d->file->content_offset, size = d->file->content_size_in_bytes;
    int64_t file_size = d->file->file_size_in_bytes;
    if (offset < PUFFIN_MAGIC_BYTES)
        found_range(d, ICE_FILE_content_offset, offset, "the blobs begin at",
                    PUFFIN_MAGIC_BYTES);
    else if (size < LEAST_VECTOR_BYTES)
        found_range(d, ICE_FILE_content_size_in_bytes, size, "the least is",
                    LEAST_VECTOR_BYTES);
    else if (file_size > 0 && (offset > file_size || size > file_size - offset))
        found_range(d, ICE_FILE_content_size_in_bytes, size, "the file ends at",
                    file_size);
}

/* Offset or size of a blob where no blob can be. */
static void found_unexpected(const struct delete *d, enum ice_entry_bit bit) {
    struct ice_row_place at;
    ice_entry_place(d->walk, bit, &at);
    FOUND(d->emit, ICE_RULE_MANIFEST_FILE_BLOB_UNEXPECTED, &at.place,
          arg_str("field", ice_manifest_column_name(d->walk->manifest, bit)),
          arg_str("format", d->file->file_format));
}

static void blob(const struct delete *d, enum ice_file_format format) {
    bool has_offset = has(d, ICE_FILE_content_offset);
    bool has_size = has(d, ICE_FILE_content_size_in_bytes);
    if (d->walk->version < 3 || ice_column_is_odd(d->walk, ICE_FILE_content_offset) ||
        ice_column_is_odd(d->walk, ICE_FILE_content_size_in_bytes))
        return;
    if (format != ICE_FORMAT_PUFFIN) {
        enum ice_entry_bit bit =
            has_offset ? ICE_FILE_content_offset : ICE_FILE_content_size_in_bytes;
        if ((has_offset || has_size) && has(d, ICE_FILE_file_format))
            found_unexpected(d, bit);
    } else if (has_offset != has_size || (d->is_vector && !has_offset)) {
        enum ice_entry_bit bit =
            has_offset ? ICE_FILE_content_size_in_bytes : ICE_FILE_content_offset;
        found(d, ICE_RULE_MANIFEST_FILE_BLOB_INCOMPLETE, bit,
              arg_str("field", ice_manifest_column_name(d->walk->manifest, bit)));
    } else if (has_offset) {
        blob_range(d);
    }
}

/* ---- position deletes ---- */

/* A v3 snapshot adds deletion vectors only; position deletes from before stay valid. */
static void new_position_delete(const struct delete *d,
                                const struct ice_effective *effective) {
    const struct ice_metadata *metadata = &d->walk->ck->metadata;
    struct ice_row_place at;
    if (!d->walk->facts || d->walk->ck->version < 3 || !effective->has_snapshot_id)
        return;
    if (d->walk->unit != NULL)
        d->walk->unit->asks_snapshots = true;
    size_t index = ice_metadata_find_snapshot(metadata, effective->snapshot_id);
    if (index == SIZE_MAX ||
        !ice_snapshot_has(&metadata->snapshots[index], ICE_SNAP_first_row_id))
        return;
    ice_entry_place(d->walk, ICE_FILE_file_format, &at);
    FOUND(d->emit, ICE_RULE_MANIFEST_FILE_POSITION_DELETE_NEW_IN_V3, &at.place,
          arg_str("format", d->file->file_format),
          arg_id("snapshot_id", effective->snapshot_id));
}

static bool value_of(const struct ice_map_bytes *map, int32_t key, struct ice_str *out) {
    for (size_t i = 0; i < map->n; i++)
        if (map->keys[i] == key) {
            *out = map->values[i];
            return true;
        }
    return false;
}

/* The same object, or cut: bounds of paths may be truncated. */
static bool may_name(const struct delete *d, struct ice_str bound, struct ice_str path) {
    struct ice_buf *a = &d->walk->metrics->text, *b = &d->walk->metrics->other_text;
    if (ice_str_starts(path, bound))
        return true;
    ice_buf_clear(a);
    ice_buf_clear(b);
    if (ice_uri_fold(bound, a) < 0 || ice_uri_fold(path, b) < 0) {
        ice_emit_no_memory(d->emit);
        return true;
    }
    return ice_str_starts(ice_buf_str(b), ice_buf_str(a));
}

static void path_bounds(const struct delete *d) {
    struct ice_str lower, upper, path = d->file->referenced_data_file;
    struct ice_row_place at;
    if (!has(d, ICE_FILE_referenced_data_file) ||
        !value_of(&d->file->lower_bounds, ID_FILE_PATH, &lower) ||
        !value_of(&d->file->upper_bounds, ID_FILE_PATH, &upper) ||
        !ice_str_equal(lower, upper) || may_name(d, lower, path))
        return;
    ice_entry_place(d->walk, ICE_FILE_referenced_data_file, &at);
    FOUND(d->emit, ICE_RULE_MANIFEST_METRICS_DELETE_PATH_BOUND, &at.place,
          arg_str("bound", lower), arg_str("referenced", path));
}

/* Group 11. A deleted entry keeps what it had. */
static void first_row_id(const struct delete *d) {
    if (d->walk->version < 3 || d->entry->status == ICE_STATUS_DELETED ||
        !has(d, ICE_FILE_first_row_id))
        return;
    struct ice_arg id = arg_i64("found", d->file->first_row_id);
    if (d->file->content == ICE_CONTENT_DATA && d->entry->status == ICE_STATUS_EXISTING &&
        d->file->first_row_id < 0)
        found(d, ICE_RULE_LINEAGE_FIRST_ROW_ID_NEGATIVE, ICE_FILE_first_row_id, id);
    if (d->file->content == ICE_CONTENT_DATA && d->entry->status == ICE_STATUS_ADDED)
        found(d, ICE_RULE_LINEAGE_FILE_ON_ADDED, ICE_FILE_first_row_id, id);
    if (d->file->content == ICE_CONTENT_POSITION_DELETES ||
        d->file->content == ICE_CONTENT_EQUALITY_DELETES)
        found(d, ICE_RULE_LINEAGE_FILE_ON_DELETE_FILE, ICE_FILE_first_row_id, id);
}

void ice_file_delete_rules(const struct ice_manifest_walk *walk,
                           const struct ice_manifest_entry *entry,
                           const struct ice_effective *effective,
                           enum ice_file_format format) {
    const struct delete d = {.walk = walk,
                             .entry = entry,
                             .file = &entry->file,
                             .emit = walk->ck->emit,
                             .is_vector =
                                 format == ICE_FORMAT_PUFFIN &&
                                 entry->file.content == ICE_CONTENT_POSITION_DELETES};
    int32_t content = entry->file.content;
    if (!ice_knows_content(walk, entry))
        return;
    if (walk->version >= 2 && content >= ICE_CONTENT_DATA &&
        content <= ICE_CONTENT_EQUALITY_DELETES)
        equality_ids(&d);
    referenced(&d);
    blob(&d, format);
    first_row_id(&d);
    if (content != ICE_CONTENT_POSITION_DELETES)
        return;
    if (d.is_vector && walk->version >= 3 &&
        ice_walk_has(walk, entry, ICE_FILE_record_count) && entry->file.record_count == 0)
        found(&d, ICE_RULE_MANIFEST_FILE_DV_CARDINALITY_ZERO, ICE_FILE_record_count,
              ARG_NONE);
    if (!d.is_vector && format != ICE_FORMAT_OTHER)
        new_position_delete(&d, effective);
    if (walk->version >= 2)
        path_bounds(&d);
}
