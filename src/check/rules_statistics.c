/*
 * stats.*, pstats.*: entries of statistics and partition-statistics, as far as
 * metadata.json decides them. Their files: the rules on storage.
 */
#include "check/pass1.h"

#include "base/error.h"

struct statistics_rules {
    struct ice_pass1 *p;
    struct ice_table by_snapshot[2]; /* of id -> index; partition statistics are [1] */
    struct ice_table field_ids;      /* of all schemas; filled at the first blob */
    bool has_field_ids;
};

static const struct ice_place *
at(struct statistics_rules *r, const struct ice_statistics *entry, const char *member) {
    return ice_at_joined(r->p, entry->pointer, ICE_STR_NONE, member);
}

/* ---- an entry ---- */

static void lacks(struct statistics_rules *r, const struct ice_statistics *entry,
                  bool has, const char *attribute) {
    if (has || entry->bad)
        return;
    if (entry->is_partition)
        FOUND(r->p->emit, ICE_RULE_PSTATS_ATTRIBUTE_MISSING, at(r, entry, ""),
              arg_text("attribute", attribute));
    else
        FOUND(r->p->emit, ICE_RULE_STATS_ATTRIBUTE_MISSING, at(r, entry, ""),
              arg_text("what", "an entry"), arg_text("attribute", attribute));
}

static void check_attributes(struct statistics_rules *r,
                             const struct ice_statistics *entry) {
    lacks(r, entry, entry->has_snapshot_id, "snapshot-id");
    lacks(r, entry, entry->has_path, "statistics-path");
    lacks(r, entry, entry->has_file_size, "file-size-in-bytes");
    if (entry->is_partition)
        return;
    lacks(r, entry, entry->has_footer_size, "file-footer-size-in-bytes");
    lacks(r, entry, entry->has_blobs, "blob-metadata");
}

static enum ice_status check_snapshot(struct statistics_rules *r,
                                      const struct ice_statistics *entry,
                                      uint32_t index) {
    struct ice_table *seen = &r->by_snapshot[entry->is_partition];
    uint64_t key = ice_hash_mix((uint64_t)entry->snapshot_id, r->p->ck->run->hash_seed);
    size_t slot = SIZE_MAX;
    uint32_t first;
    if (!entry->has_snapshot_id)
        return ICE_OK;
    struct ice_arg id = arg_id("id", entry->snapshot_id);
    if (r->p->m->snapshot_ids_known &&
        ice_metadata_find_snapshot(r->p->m, entry->snapshot_id) == SIZE_MAX)
        FOUND(r->p->emit,
              entry->is_partition ? ICE_RULE_PSTATS_SNAPSHOT_DANGLING
                                  : ICE_RULE_STATS_SNAPSHOT_DANGLING,
              at(r, entry, "/snapshot-id"), id);
    if (!ice_table_next(seen, key, &slot, &first))
        return ice_table_put(seen, key, index);
    FOUND(r->p->emit,
          entry->is_partition ? ICE_RULE_PSTATS_DUPLICATE_SNAPSHOT
                              : ICE_RULE_STATS_DUPLICATE_SNAPSHOT,
          at(r, entry, "/snapshot-id"), id,
          arg_str("first", r->p->m->statistics[first].pointer));
    return ICE_OK;
}

/* Magic, flags and length around a payload of JSON (spec: Puffin, footer structure). */
static void check_footer_size(struct statistics_rules *r,
                              const struct ice_statistics *entry) {
    const int64_t smallest = 28, magic_bytes = 4;
    int64_t footer = entry->file_footer_size_in_bytes;
    if (entry->is_partition || !entry->has_footer_size)
        return;
    if (footer < smallest)
        FOUND(r->p->emit, ICE_RULE_STATS_FOOTER_SIZE,
              at(r, entry, "/file-footer-size-in-bytes"), arg_i64("footer", footer),
              arg_text("what", "a footer has 28 at least"));
    else if (entry->has_file_size && footer > entry->file_size_in_bytes - magic_bytes)
        FOUND(r->p->emit, ICE_RULE_STATS_FOOTER_SIZE,
              at(r, entry, "/file-footer-size-in-bytes"), arg_i64("footer", footer),
              arg_text("what", "more than the file has behind its magic"));
}

/* ---- blobs ---- */

static enum ice_status find_field_ids(struct statistics_rules *r) {
    const struct ice_metadata *m = r->p->m;
    if (r->has_field_ids)
        return ICE_OK;
    r->has_field_ids = true;
    const struct ice_schema *schemas = m->n_schemas > 0 ? m->schemas : &m->schema;
    size_t n = m->n_schemas > 0 ? m->n_schemas : 1;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < schemas[i].n_fields; k++) {
            uint64_t key =
                ice_hash_mix((uint64_t)schemas[i].fields[k].id, r->p->ck->run->hash_seed);
            size_t slot = SIZE_MAX;
            uint32_t found;
            if (!ice_table_next(&r->field_ids, key, &slot, &found))
                ICE_TRY(ice_table_put(&r->field_ids, key, 0));
        }
    }
    return ICE_OK;
}

static enum ice_status check_fields(struct statistics_rules *r,
                                    const struct ice_blob_metadata *blob,
                                    struct ice_str pointer) {
    ICE_TRY(find_field_ids(r));
    if (r->field_ids.n == 0)
        return ICE_OK; /* there are no schemas: metadata.schemas.* */
    for (size_t i = 0; i < blob->n_fields; i++) {
        uint64_t key = ice_hash_mix((uint64_t)blob->fields[i], r->p->ck->run->hash_seed);
        size_t slot = SIZE_MAX;
        uint32_t found;
        if (!ice_table_next(&r->field_ids, key, &slot, &found))
            FOUND_AS(r->p->emit, ICE_RULE_STATS_BLOB_FIELD_DANGLING,
                     ice_metadata_gave_id(r->p->m, blob->fields[i]) ? ICE_INFO : ICE_WARN,
                     ice_at_joined(r->p, pointer, ICE_STR_NONE, "/fields"),
                     arg_i64("id", blob->fields[i]));
    }
    return ICE_OK;
}

static void check_blob_snapshot(struct statistics_rules *r,
                                const struct ice_blob_metadata *blob,
                                struct ice_str pointer) {
    const struct ice_metadata *m = r->p->m;
    if (!blob->has_snapshot_id)
        return;
    size_t index = ice_metadata_find_snapshot(m, blob->snapshot_id);
    if (index == SIZE_MAX) {
        if (m->snapshot_ids_known)
            FOUND(r->p->emit, ICE_RULE_STATS_BLOB_SNAPSHOT_DANGLING,
                  ice_at_joined(r->p, pointer, ICE_STR_NONE, "/snapshot-id"),
                  arg_id("id", blob->snapshot_id));
        return;
    }
    const struct ice_snapshot *s = &m->snapshots[index];
    bool is_bad = (s->bad >> ICE_SNAP_sequence_number) & 1;
    int64_t number =
        ice_snapshot_has(s, ICE_SNAP_sequence_number) ? s->sequence_number : 0;
    /* 0: a snapshot of version 1, for which writers gave blobs any number */
    if (r->p->version >= 2 && !is_bad && number != 0 && blob->has_sequence_number &&
        blob->sequence_number != number)
        FOUND(r->p->emit, ICE_RULE_STATS_BLOB_SEQUENCE_MISMATCH,
              ice_at_joined(r->p, pointer, ICE_STR_NONE, "/sequence-number"),
              arg_i64("number", blob->sequence_number), arg_id("id", blob->snapshot_id),
              arg_i64("expected", number));
}

/* The estimate of distinct values beside a theta sketch; writers may leave it out. One
 * that is no text was told when it was read. */
static void check_ndv(struct statistics_rules *r, const struct ice_blob_metadata *blob,
                      struct ice_str pointer) {
    int64_t number;
    if (!ice_str_is(blob->type, "apache-datasketches-theta-v1"))
        return;
    for (size_t i = 0; i < blob->n_properties; i++) {
        const struct ice_property *property = &blob->properties[i];
        if (!ice_str_is(property->key, "ndv") || !property->value_is_string ||
            (ice_str_to_i64(property->value, &number) && number >= 0))
            continue;
        FOUND(r->p->emit, ICE_RULE_STATS_BLOB_NDV,
              ice_at_joined(r->p, pointer, ICE_STR_NONE, "/properties/ndv"),
              arg_str("value", property->value));
    }
}

static void check_blob_type(struct statistics_rules *r,
                            const struct ice_blob_metadata *blob,
                            struct ice_str pointer) {
    if (blob->has_type && !ice_str_is(blob->type, "apache-datasketches-theta-v1") &&
        !ice_str_is(blob->type, "deletion-vector-v1"))
        FOUND(r->p->emit, ICE_RULE_STATS_BLOB_TYPE_UNKNOWN,
              ice_at_joined(r->p, pointer, ICE_STR_NONE, "/type"),
              arg_str("type", blob->type));
}

static void check_blob_attributes(struct statistics_rules *r,
                                  const struct ice_blob_metadata *blob,
                                  struct ice_str pointer) {
    const struct {
        bool has;
        const char *name;
    } attributes[] = {{blob->has_type, "type"},
                      {blob->has_snapshot_id, "snapshot-id"},
                      {blob->has_sequence_number, "sequence-number"},
                      {blob->has_fields, "fields"}};
    for (size_t i = 0; i < ICE_COUNT_OF(attributes) && !blob->bad; i++) {
        if (!attributes[i].has)
            FOUND(r->p->emit, ICE_RULE_STATS_ATTRIBUTE_MISSING,
                  ice_at_joined(r->p, pointer, ICE_STR_NONE, ""),
                  arg_text("what", "a blob"), arg_text("attribute", attributes[i].name));
    }
}

static enum ice_status check_blobs(struct statistics_rules *r,
                                   const struct ice_statistics *entry) {
    struct ice_buf pointer;
    enum ice_status status = ICE_OK;
    ice_buf_init(&pointer, &r->p->ck->run->alloc, SIZE_MAX);
    for (size_t i = 0; i < entry->n_blobs && status >= 0; i++) {
        ice_buf_clear(&pointer);
        status = ice_buf_append_str(&pointer, entry->pointer);
        if (status >= 0)
            status = ice_buf_append_str(&pointer, ICE_STR("/blob-metadata"));
        if (status >= 0)
            status = ice_pointer_append_index(&pointer, i);
        if (status < 0)
            break;
        const struct ice_blob_metadata *blob = &entry->blobs[i];
        check_blob_attributes(r, blob, ice_buf_str(&pointer));
        check_blob_type(r, blob, ice_buf_str(&pointer));
        check_blob_snapshot(r, blob, ice_buf_str(&pointer));
        check_ndv(r, blob, ice_buf_str(&pointer));
        status = check_fields(r, blob, ice_buf_str(&pointer));
    }
    ice_buf_release(&pointer);
    return status;
}

enum ice_status ice_rules_statistics(struct ice_pass1 *p, struct ice_error *err) {
    struct statistics_rules r = {.p = p};
    enum ice_status status = ICE_OK;
    ice_table_init(&r.by_snapshot[0], &p->ck->run->alloc);
    ice_table_init(&r.by_snapshot[1], &p->ck->run->alloc);
    ice_table_init(&r.field_ids, &p->ck->run->alloc);
    for (size_t i = 0; i < p->m->n_statistics && status >= 0; i++) {
        const struct ice_statistics *entry = &p->m->statistics[i];
        check_attributes(&r, entry);
        check_footer_size(&r, entry);
        status = check_snapshot(&r, entry, (uint32_t)i);
        if (status >= 0)
            status = check_blobs(&r, entry);
    }
    ice_table_release(&r.by_snapshot[0]);
    ice_table_release(&r.by_snapshot[1]);
    ice_table_release(&r.field_ids);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
