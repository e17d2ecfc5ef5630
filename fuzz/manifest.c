/*
 * Manifests: any bytes, whole and in random pieces, give the same header, faults and
 * entries; inherited values follow from the entries alone.
 */
#include "fuzz/target.h"
#include "iceberg/manifest.h"

static enum ice_status on_fault(const struct ice_avro_fault *fault, void *user) {
    require(fault->rule != NULL);
    digest_str(user, ice_str_from(fault->rule));
    digest_str(user, fault->pointer);
    digest_str(user, fault->field);
    digest_str(user, fault->detail);
    return ICE_OK;
}

static void add_header(uint64_t *digest, const struct ice_manifest *manifest) {
    require(manifest->written_version >= 1 && manifest->written_version <= 3);
    digest_number(digest, (uint64_t)manifest->header << 8 | manifest->header_bad);
    digest_number(digest, (uint64_t)manifest->header_spec_id);
    digest_number(digest, (uint64_t)manifest->header_schema_id);
    digest_str(digest, manifest->header_content);
    digest_number(digest, manifest->header_schema.n_fields);
    digest_number(digest, manifest->header_spec.n_fields);
    for (unsigned bit = 0; bit < ICE_ENTRY_COUNT; bit++) {
        const enum ice_entry_bit column = (enum ice_entry_bit)bit;
        digest_str(digest, ice_manifest_column_name(manifest, column));
        digest_number(digest, ice_manifest_has_column(manifest, column));
    }
}

static void add_counts(uint64_t *digest, const struct ice_map_i64 *map) {
    digest_str(digest, ice_str_make(map->keys, map->n * sizeof(*map->keys)));
    digest_str(digest, ice_str_make(map->values, map->n * sizeof(*map->values)));
}

static void add_bounds(uint64_t *digest, const struct ice_map_bytes *map) {
    for (size_t i = 0; i < map->n; i++) {
        digest_number(digest, (uint64_t)(uint32_t)map->keys[i]);
        digest_str(digest, map->values[i]);
    }
}

static void add_file(uint64_t *digest, const struct ice_data_file *file) {
    digest_str(digest, file->file_path);
    digest_str(digest, file->file_format);
    digest_str(digest, file->referenced_data_file);
    digest_str(digest, file->key_metadata);
    digest_number(digest, (uint64_t)file->record_count);
    digest_number(digest, (uint64_t)file->file_size_in_bytes);
    digest_number(digest, (uint64_t)file->content_offset);
    for (size_t i = 0; i < file->partition.n; i++) {
        const struct ice_datum *datum = &file->partition.values[i];
        digest_number(digest, datum->type);
        digest_number(digest, (uint64_t)datum->i64);
        digest_str(digest, ice_str_make(&datum->f64, sizeof(datum->f64)));
        digest_str(digest, datum->str);
    }
    add_counts(digest, &file->column_sizes);
    add_counts(digest, &file->value_counts);
    add_counts(digest, &file->null_value_counts);
    add_counts(digest, &file->nan_value_counts);
    add_bounds(digest, &file->lower_bounds);
    add_bounds(digest, &file->upper_bounds);
    for (size_t i = 0; i < file->split_offsets.n; i++)
        digest_number(digest, (uint64_t)file->split_offsets.items[i]);
    for (size_t i = 0; i < file->equality_ids.n; i++)
        digest_number(digest, (uint64_t)file->equality_ids.items[i]);
}

static void add_entry(uint64_t *digest, const struct ice_manifest *manifest,
                      const struct ice_manifest_entry *entry,
                      struct ice_inherit *inherit) {
    struct ice_effective effective;
    require((entry->null & ~manifest->plan.present) == 0);
    digest_number(digest, entry->null);
    digest_number(digest, (uint64_t)(uint32_t)entry->status);
    digest_number(digest, (uint64_t)entry->snapshot_id);
    add_file(digest, &entry->file);
    ice_inherit_apply(inherit, manifest, entry, &effective);
    digest_number(digest,
                  effective.has_first_row_id ? (uint64_t)effective.first_row_id : 1);
    digest_number(
        digest, effective.has_sequence_number ? (uint64_t)effective.sequence_number : 1);
}

static uint64_t read_all(struct ice_run *run, struct ice_str bytes, bool in_pieces) {
    uint64_t digest = 1;
    struct ice_inherit inherit = {.sequence_number = 7, .has_first_row_id = true};
    struct ice_manifest manifest;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_stream stream;
    struct pieces pieces;
    target_stream(&stream, &pieces, run, bytes, in_pieces);
    enum ice_status status =
        ice_manifest_open(&manifest, run, &stream, on_fault, &digest, &err);
    if (status < 0)
        digest_fault(&digest, status, &err, bytes.size);
    if (manifest.is_open)
        add_header(&digest, &manifest);
    while (manifest.is_open && status != ICE_DONE) {
        const struct ice_manifest_entry *entry;
        ice_error_clear(&err);
        status = ice_manifest_next(&manifest, &entry, &err);
        if (status == ICE_OK)
            add_entry(&digest, &manifest, entry, &inherit);
        else if (status < 0)
            digest_fault(&digest, status, &err, bytes.size);
    }
    ice_manifest_release(&manifest);
    ice_stream_release(&stream);
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    return target_whole_and_pieces(data, size, read_all);
}
