/*
 * Group 17: fields of data_file that stand for themselves. Values that a v1 writer could
 * not write are judged by the version that wrote the manifest.
 */
#include "check/file_rules.h"

#include "check/metrics.h"

struct file {
    struct ice_manifest_walk *walk;
    const struct ice_manifest_entry *entry;
    const struct ice_data_file *file;
    struct ice_emit *emit;
    enum ice_file_format format;
};

static bool has(const struct file *f, enum ice_entry_bit bit) {
    return ice_walk_has(f->walk, f->entry, bit);
}

static void found(const struct file *f, enum ice_rule_id rule, enum ice_severity severity,
                  enum ice_entry_bit bit, struct ice_arg arg) {
    struct ice_row_place at;
    ice_entry_place(f->walk, bit, &at);
    FOUND_AS(f->emit, rule, severity, &at.place, arg);
}

/* A column is there or not for all entries: said once a file. */
static bool is_first(const struct file *f, enum ice_entry_bit bit) {
    if (f->walk->said & ICE_BIT(bit))
        return false;
    f->walk->said |= ICE_BIT(bit);
    return true;
}

/* ---- content ---- */

static const char *content_name(int32_t content) {
    return content == ICE_CONTENT_DATA               ? "a data file"
           : content == ICE_CONTENT_POSITION_DELETES ? "a position delete file"
                                                     : "an equality delete file";
}

/* What the manifest is for by its header; where that is silent, the list was compared
 * with the entries (list.content.mismatch). */
static void content_against_manifest(const struct file *f) {
    const struct ice_manifest *manifest = f->walk->manifest;
    bool deletes = ice_str_is(manifest->header_content, "deletes");
    struct ice_row_place at;
    if (!(manifest->header & ICE_MHEAD_CONTENT) ||
        (!deletes && !ice_str_is(manifest->header_content, "data")) ||
        deletes == (f->file->content != ICE_CONTENT_DATA))
        return;
    ice_entry_place(f->walk, ICE_FILE_content, &at);
    FOUND(f->emit, ICE_RULE_MANIFEST_FILE_CONTENT_WRONG_MANIFEST, &at.place,
          arg_text("found", content_name(f->file->content)),
          arg_text("manifest", deletes ? "deletes" : "data"));
}

static void content(const struct file *f) {
    int32_t value = f->file->content;
    if (!has(f, ICE_FILE_content)) {
        bool is_column = f->walk->manifest->plan.present >> ICE_FILE_content & 1;
        if (f->walk->version >= 2 && !ice_column_is_odd(f->walk, ICE_FILE_content) &&
            (is_column || (is_first(f, ICE_FILE_content) &&
                           !ice_column_lacks_id(f->walk, ICE_STR("content")))))
            found(f, ICE_RULE_MANIFEST_FILE_CONTENT_MISSING, ICE_DEFAULT,
                  ICE_FILE_content, ARG_NONE);
        if (f->walk->version >= 2)
            return;
    }
    if (value < 0 || value > 2)
        found(f, ICE_RULE_MANIFEST_FILE_CONTENT_INVALID, ICE_DEFAULT, ICE_FILE_content,
              arg_i64("found", value));
    else if (f->walk->version >= 2)
        content_against_manifest(f);
    else if (value != ICE_CONTENT_DATA)
        found(f, ICE_RULE_MANIFEST_FILE_CONTENT_DELETE_IN_V1, ICE_DEFAULT,
              ICE_FILE_content, arg_text("found", content_name(value)));
}

/* ---- path and format ---- */

static const char *const format_names[] = {
    [ICE_FORMAT_AVRO] = "avro",
    [ICE_FORMAT_ORC] = "orc",
    [ICE_FORMAT_PARQUET] = "parquet",
    [ICE_FORMAT_PUFFIN] = "puffin",
};

static enum ice_file_format format_of(struct ice_str name) {
    /* as nearly all write it */
    if (ice_str_equal(name, ICE_STR("PARQUET")))
        return ICE_FORMAT_PARQUET;
    for (size_t i = 0; i < ICE_COUNT_OF(format_names); i++)
        if (ice_str_equal_nocase(name, ice_str_from(format_names[i])))
            return (enum ice_file_format)i;
    return ICE_FORMAT_OTHER;
}

/* What stands behind the last dot of the file's name. */
static struct ice_str extension_of(struct ice_str path) {
    size_t from = path.size < 16 ? 0 : path.size - 16;
    struct ice_str end = ice_str_from_index(path, from);
    size_t dot = ice_str_rfind(end, '.');
    return dot == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(end, dot + 1);
}

static void format_name(const struct file *f) {
    struct ice_str name = f->file->file_format;
    struct ice_row_place at;
    if (f->format == ICE_FORMAT_PARQUET &&
        ice_str_ends(f->file->file_path, ICE_STR(".parquet")))
        return;
    if (f->format == ICE_FORMAT_OTHER) {
        if (has(f, ICE_FILE_file_format))
            found(f, ICE_RULE_MANIFEST_FILE_FORMAT_UNKNOWN, ICE_DEFAULT,
                  ICE_FILE_file_format, arg_str("found", name));
        return;
    }
    struct ice_str extension = extension_of(f->file->file_path);
    enum ice_file_format by_name = format_of(extension);
    if (by_name == ICE_FORMAT_OTHER || by_name == f->format)
        return;
    ice_entry_place(f->walk, ICE_FILE_file_format, &at);
    FOUND(f->emit, ICE_RULE_MANIFEST_FILE_FORMAT_EXTENSION, &at.place,
          arg_str("found", name), arg_str("extension", extension));
}

static void puffin(const struct file *f) {
    if (f->file->content != ICE_CONTENT_POSITION_DELETES) {
        found(f, ICE_RULE_MANIFEST_FILE_FORMAT_PUFFIN_CONTENT, ICE_DEFAULT,
              ICE_FILE_file_format, arg_i64("content", f->file->content));
    } else if (f->walk->version < 3) {
        found(f, ICE_RULE_MANIFEST_FILE_FORMAT_PUFFIN_VERSION, ICE_DEFAULT,
              ICE_FILE_file_format, arg_i64("version", f->walk->version));
    }
}

static void path_and_format(const struct file *f) {
    if (has(f, ICE_FILE_file_path) && f->file->file_path.size == 0)
        found(f, ICE_RULE_MANIFEST_FILE_PATH_EMPTY, ICE_DEFAULT, ICE_FILE_file_path,
              ARG_NONE);
    format_name(f);
    if (f->format == ICE_FORMAT_PUFFIN && ice_knows_content(f->walk, f->entry))
        puffin(f);
}

/* ---- sizes ---- */

static void counts(const struct file *f) {
    int64_t records = f->file->record_count, size = f->file->file_size_in_bytes;
    if (records < 0) /* imported Avro files carried -1 */
        found(f, ICE_RULE_MANIFEST_FILE_RECORD_COUNT_NEGATIVE,
              records == -1 ? ICE_WARN : ICE_ERROR, ICE_FILE_record_count,
              arg_i64("found", records));
    else if (records == 0 && has(f, ICE_FILE_record_count) &&
             f->file->content == ICE_CONTENT_DATA)
        found(f, ICE_RULE_MANIFEST_FILE_RECORD_COUNT_ZERO, ICE_DEFAULT,
              ICE_FILE_record_count, ARG_NONE);
    if (size <= 0 && has(f, ICE_FILE_file_size_in_bytes))
        found(f, ICE_RULE_MANIFEST_FILE_SIZE_NOT_POSITIVE,
              size < 0 ? ICE_ERROR : ICE_WARN, ICE_FILE_file_size_in_bytes,
              arg_i64("found", size));
}

static void split_offsets(const struct file *f) {
    const struct ice_list_i64 *offsets = &f->file->split_offsets;
    int64_t size = f->file->file_size_in_bytes;
    struct ice_row_place at;
    if (offsets->n == 0)
        return;
    for (size_t i = 1; i < offsets->n; i++) {
        if (offsets->items[i] >= offsets->items[i - 1])
            continue;
        ice_entry_place(f->walk, ICE_FILE_split_offsets, &at);
        ice_row_place_index(&at, i);
        FOUND(f->emit, ICE_RULE_MANIFEST_FILE_SPLIT_OFFSETS_UNSORTED, &at.place,
              arg_i64("found", offsets->items[i]),
              arg_i64("before", offsets->items[i - 1]));
        break;
    }
    int64_t last = offsets->items[offsets->n - 1], least = last;
    for (size_t i = 0; i < offsets->n; i++)
        least = offsets->items[i] < least ? offsets->items[i] : least;
    bool is_past = size > 0 && last >= size;
    if (!is_past && least >= 0)
        return;
    ice_entry_place(f->walk, ICE_FILE_split_offsets, &at);
    FOUND(f->emit, ICE_RULE_MANIFEST_FILE_SPLIT_OFFSETS_PAST_END, &at.place,
          arg_i64("found", is_past ? last : least), arg_i64("size", size));
}

/* ---- fields that are no longer, or not yet ---- */

static void block_size(const struct file *f) {
    if (f->walk->has_header && !has(f, ICE_FILE_block_size_in_bytes) &&
        is_first(f, ICE_FILE_block_size_in_bytes) &&
        ice_avro_has_ids(f->walk->manifest->schema))
        found(f, ICE_RULE_MANIFEST_FILE_BLOCK_SIZE_MISSING, ICE_DEFAULT,
              ICE_FILE_block_size_in_bytes, ARG_NONE);
}

static void deprecated(const struct file *f, enum ice_entry_bit bit) {
    if (has(f, bit) && is_first(f, bit))
        found(f, ICE_RULE_MANIFEST_FILE_DEPRECATED_FIELD, ICE_DEFAULT, bit,
              arg_str("field", ice_manifest_column_name(f->walk->manifest, bit)));
}

static void odd_fields(const struct file *f) {
    const uint64_t present = f->walk->manifest->plan.present;
    const uint64_t odd = ICE_BIT(ICE_FILE_block_size_in_bytes) |
                         ICE_BIT(ICE_FILE_file_ordinal) | ICE_BIT(ICE_FILE_sort_columns) |
                         ICE_BIT(ICE_FILE_distinct_counts) |
                         ICE_BIT(ICE_FILE_key_metadata);
    if (f->walk->version == 1)
        block_size(f);
    if (present >> ICE_FILE_spec_id & 1 && is_first(f, ICE_FILE_spec_id))
        found(f, ICE_RULE_MANIFEST_FILE_RESERVED_ID, ICE_DEFAULT, ICE_FILE_spec_id,
              ARG_NONE);
    if (!(present & ~f->entry->null & odd))
        return;
    if (f->walk->version >= 2)
        deprecated(f, ICE_FILE_block_size_in_bytes);
    deprecated(f, ICE_FILE_file_ordinal);
    deprecated(f, ICE_FILE_sort_columns);
    if (f->walk->version >= 3)
        deprecated(f, ICE_FILE_distinct_counts);
    if (has(f, ICE_FILE_key_metadata) && f->file->key_metadata.size > 0)
        found(f, ICE_RULE_MANIFEST_FILE_ENCRYPTED, ICE_DEFAULT, ICE_FILE_key_metadata,
              ARG_NONE);
}

static void sort_order(const struct file *f) {
    const struct ice_metadata *metadata = &f->walk->ck->metadata;
    int32_t id = f->file->sort_order_id;
    if (!has(f, ICE_FILE_sort_order_id))
        return;
    if (f->walk->version >= 2 && f->file->content == ICE_CONTENT_POSITION_DELETES)
        found(f, ICE_RULE_MANIFEST_FILE_SORT_ORDER_POSITION_DELETE, ICE_DEFAULT,
              ICE_FILE_sort_order_id, arg_i64("found", id));
    else if (f->walk->facts && id != 0 && metadata->n_orders > 0 &&
             !ice_metrics_lists_order(f->walk->metrics, id))
        found(f, ICE_RULE_MANIFEST_FILE_SORT_ORDER_DANGLING, ICE_DEFAULT,
              ICE_FILE_sort_order_id, arg_i64("found", id));
}

enum ice_status ice_data_file_rules(struct ice_manifest_walk *walk,
                                    const struct ice_manifest_entry *entry,
                                    const struct ice_effective *effective) {
    const struct file f = {.walk = walk,
                           .entry = entry,
                           .file = &entry->file,
                           .emit = walk->ck->emit,
                           .format = format_of(entry->file.file_format)};
    /* null or absent: manifest.field.null, avro.field.missing */
    if (entry->null >> ICE_ENTRY_data_file & 1 ||
        !(walk->manifest->plan.present >> ICE_FILE_file_path & 1))
        return ICE_OK;
    content(&f);
    path_and_format(&f);
    counts(&f);
    split_offsets(&f);
    odd_fields(&f);
    sort_order(&f);
    ice_file_delete_rules(walk, entry, effective, f.format);
    if (ice_column_rules(walk, entry) < 0)
        return ICE_ENOMEM;
    ice_partition_value_rules(walk, entry);
    return ICE_OK;
}
