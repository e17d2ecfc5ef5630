/*
 * Facts as pass 3 adds them.
 */
#include "base/error.h"
#include "check/facts.h"

#include "base/size.h"

static const uint64_t MOST_ENTRIES = UINT32_MAX - 1;

enum ice_status ice_facts_open(struct ice_check *ck) {
    struct ice_facts *facts = ice_arena_alloc(&ck->arena, sizeof(*facts));
    if (!facts)
        return ICE_ENOMEM;
    facts->ck = ck;
    ice_table_init(&facts->origins_by_value, &ck->run->alloc);
    ice_buf_init(&facts->folded, &ck->run->alloc, SIZE_MAX);
    ck->facts = facts;
    if (ck->n_manifests == 0)
        return ICE_OK;
    facts->bases = ice_calloc(&ck->run->alloc, ck->n_manifests + 1, sizeof(uint32_t));
    facts->sums = ice_calloc(&ck->run->alloc, ck->n_manifests, sizeof(*facts->sums));
    return facts->bases && facts->sums ? ICE_OK : ICE_ENOMEM;
}

static size_t nearest_count(const struct ice_facts *facts) {
    return (size_t)(facts->n_entries >> facts->shift) + 1;
}

static void drop(struct ice_facts *facts) {
    struct ice_alloc *alloc = &facts->ck->run->alloc;
    ice_array_free(alloc, &facts->items, &facts->capacity, sizeof(*facts->items));
    ice_array_free(alloc, &facts->origins, &facts->cap_origins, sizeof(*facts->origins));
    ice_array_free(alloc, &facts->ranges, &facts->cap_ranges, sizeof(*facts->ranges));
    ice_array_free(alloc, &facts->deletes, &facts->cap_deletes, sizeof(*facts->deletes));
    ice_table_release(&facts->origins_by_value);
    if (facts->nearest)
        ice_free(alloc, facts->nearest, nearest_count(facts) * sizeof(uint32_t));
    facts->nearest = NULL;
    facts->n = facts->n_origins = facts->n_ranges = facts->n_deletes = 0;
}

void ice_facts_free(struct ice_check *ck) {
    struct ice_facts *facts = ck->facts;
    if (!facts)
        return;
    drop(facts);
    ice_free(&ck->run->alloc, facts->bases, (ck->n_manifests + 1) * sizeof(uint32_t));
    ice_free(&ck->run->alloc, facts->sums, ck->n_manifests * sizeof(*facts->sums));
    ice_buf_release(&facts->folded);
    ck->facts = NULL;
}

/* ---- memory ---- */

static void give_up(struct ice_facts *facts, struct ice_str why) {
    static const char *const questions[] = {"live.*",
                                            "delete.*",
                                            "lineage.file.*",
                                            "manifest.entry.sequence-number.changed",
                                            "manifest.file.dv.cardinality-high",
                                            "manifest.file.blob.overlap"};
    drop(facts);
    facts->dropped = true;
    for (size_t i = 0; i < ICE_COUNT_OF(questions); i++)
        ice_emit_not_evaluated(facts->ck->emit, questions[i], why, true, ICE_STR_NONE);
}

/* Make room for one more; *out NULL: the facts were given up. */
static enum ice_status grow(struct ice_facts *facts, void *items, size_t n,
                            size_t *capacity, size_t size, bool *out_given_up) {
    struct ice_alloc *alloc = &facts->ck->run->alloc;
    *out_given_up = false;
    if (n < *capacity)
        return ICE_OK;
    size_t more = *capacity / 2 * size;
    if (alloc->limit != UINT64_MAX && alloc->used + more > alloc->limit / 4 * 3) {
        give_up(facts, ICE_STR("limit.memory"));
        *out_given_up = true;
        return ICE_OK;
    }
    return ice_array_reserve(alloc, items, n, capacity, size) ? ICE_OK : ICE_ENOMEM;
}

/* ---- origins ---- */

static bool same_origin(const struct ice_origin *a, const struct ice_origin *b) {
    return a->sequence_number == b->sequence_number && a->snapshot_id == b->snapshot_id &&
           a->has_columns == b->has_columns;
}

static uint32_t snapshot_number(const struct ice_check *ck, int64_t snapshot_id) {
    size_t index = ice_metadata_find_snapshot(&ck->metadata, snapshot_id);
    return index == SIZE_MAX ? ICE_NO_NUMBER : ck->number_of[index];
}

/* A list of version 2 on that lacks the column gives its entries no number, not 0. */
static bool knows_number(const struct ice_manifest_walk *walk,
                         const struct ice_effective *effective) {
    const struct ice_list_record *record = walk->record;
    bool list_lacks_it = record != NULL && record->version >= 2 &&
                         !ice_record_has(record, ICE_LIST_sequence_number);
    return effective->has_sequence_number &&
           !(list_lacks_it && effective->sequence_number == 0);
}

/* Position of the origin; mostly that of the entry before. */
static enum ice_status find_origin(struct ice_facts *facts,
                                   const struct ice_manifest_walk *walk,
                                   const struct ice_effective *effective, uint32_t *out) {
    const struct ice_check *ck = facts->ck;
    struct ice_origin origin = {
        .sequence_number =
            knows_number(walk, effective) ? effective->sequence_number : INT64_MIN,
        .snapshot_id = effective->snapshot_id,
        .has_columns = walk->record != NULL && walk->facts->has_sequence_columns};
    *out = walk->last_origin;
    if (*out < facts->n_origins && same_origin(&facts->origins[*out], &origin))
        return ICE_OK;
    uint64_t key = ice_hash_mix((uint64_t)origin.sequence_number,
                                ck->run->hash_seed ^ (uint64_t)origin.snapshot_id);
    size_t at = SIZE_MAX;
    while (ice_table_next(&facts->origins_by_value, key, &at, out))
        if (same_origin(&facts->origins[*out], &origin))
            return ICE_OK;
    origin.snapshot = snapshot_number(ck, origin.snapshot_id);
    if (facts->n_origins >= UINT32_MAX ||
        !ice_array_reserve(&facts->ck->run->alloc, &facts->origins, facts->n_origins,
                           &facts->cap_origins, sizeof(*facts->origins)))
        return ICE_ENOMEM;
    *out = (uint32_t)facts->n_origins;
    facts->origins[facts->n_origins++] = origin;
    return ice_table_put(&facts->origins_by_value, key, *out);
}

/* ---- sums ---- */

static bool add_value(struct ice_wide *sum, const struct ice_manifest_walk *walk,
                      const struct ice_manifest_entry *entry, enum ice_entry_bit bit,
                      int64_t value) {
    if (!ice_entry_has(walk->manifest, entry, bit) || value < 0)
        return false;
    ice_wide_add(sum, (uint64_t)value);
    return true;
}

static void add_sums(struct ice_manifest_walk *walk,
                     const struct ice_manifest_entry *entry, bool is_vector) {
    struct ice_manifest_sums *sums = &walk->ck->facts->sums[walk->number];
    const struct ice_data_file *file = &entry->file;
    int32_t status = entry->status;
    struct ice_file_sums *one = &sums->files[status][file->content];
    bool known = true;
    one->files++;
    known &=
        add_value(&one->rows, walk, entry, ICE_FILE_record_count, file->record_count);
    known &= add_value(&one->sizes, walk, entry, ICE_FILE_file_size_in_bytes,
                       file->file_size_in_bytes);
    if (is_vector) {
        sums->vectors[status]++;
        known &= add_value(&sums->vector_sizes[status], walk, entry,
                           ICE_FILE_content_size_in_bytes, file->content_size_in_bytes);
        known &= add_value(&sums->vector_files[status], walk, entry,
                           ICE_FILE_file_size_in_bytes, file->file_size_in_bytes);
    }
    if (status != ICE_STATUS_DELETED && file->content == ICE_CONTENT_DATA &&
        !ice_entry_has(walk->manifest, entry, ICE_FILE_first_row_id))
        known &= add_value(&sums->new_rows, walk, entry, ICE_FILE_record_count,
                           file->record_count);
    sums->unknown |= !known;
}

/* ---- facts ---- */

static enum ice_status put(struct ice_facts *facts, enum ice_fact_kind kind,
                           int32_t status, struct ice_hash key, struct ice_fact fact) {
    bool given_up;
    ICE_TRY(grow(facts, &facts->items, facts->n, &facts->capacity, sizeof(*facts->items),
                 &given_up));
    if (given_up)
        return ICE_OK;
    fact.key = key.high;
    fact.low = (uint32_t)(key.low >> 37) << 5 | (uint32_t)kind << 2 | (uint32_t)status;
    facts->items[facts->n++] = fact;
    return ICE_OK;
}

static enum ice_status put_path(struct ice_facts *facts, enum ice_fact_kind kind,
                                int32_t status, struct ice_str path, uint64_t seed,
                                struct ice_fact fact, struct ice_hash *out_key) {
    struct ice_str folded;
    ICE_TRY(ice_path_fold(path, &facts->folded, &folded));
    *out_key = ice_hash128(folded, seed);
    return facts->dropped ? ICE_OK : put(facts, kind, status, *out_key, fact);
}

static enum ice_status put_range(struct ice_facts *facts,
                                 const struct ice_manifest_walk *walk,
                                 const struct ice_manifest_entry *entry,
                                 const struct ice_effective *effective, uint32_t number) {
    bool given_up;
    int64_t rows = entry->file.record_count, end;
    if (!effective->has_first_row_id || rows <= 0 || effective->first_row_id < 0)
        return ICE_OK;
    if (!ice_i64_add(effective->first_row_id, rows, &end))
        end = INT64_MAX;
    bool is_explicit = ice_entry_has(walk->manifest, entry, ICE_FILE_first_row_id);
    struct ice_row_range *last =
        facts->n_ranges > 0 ? &facts->ranges[facts->n_ranges - 1] : NULL;
    if (last && last->entry >= facts->bases[walk->number] && !is_explicit &&
        !last->is_explicit && last->end == effective->first_row_id) {
        last->end = end;
        return ICE_OK;
    }
    ICE_TRY(grow(facts, &facts->ranges, facts->n_ranges, &facts->cap_ranges,
                 sizeof(*facts->ranges), &given_up));
    if (!given_up)
        facts->ranges[facts->n_ranges++] =
            (struct ice_row_range){.first = effective->first_row_id,
                                   .end = end,
                                   .entry = number,
                                   .is_explicit = is_explicit};
    return ICE_OK;
}

/* Void fields part nothing: Iceberg Java takes such a spec for unpartitioned. */
static bool is_unpartitioned(const struct ice_partition_spec *spec) {
    for (size_t i = 0; i < spec->n_fields; i++)
        if (spec->fields[i].transform.kind != ICE_TRANSFORM_VOID)
            return false;
    return true;
}

static bool holds_id(const struct ice_list_i64 *ids, int32_t id) {
    for (size_t i = 0; i < ids->n; i++)
        if (ids->items[i] == id)
            return true;
    return false;
}

static bool leaves_partitions(const struct ice_partition_spec *spec,
                              const struct ice_list_i64 *ids) {
    for (size_t i = 0; i < spec->n_fields; i++)
        if (spec->fields[i].transform.kind != ICE_TRANSFORM_VOID &&
            spec->fields[i].has & ICE_PART_HAS_SOURCE_ID &&
            !holds_id(ids, spec->fields[i].source_id))
            return true;
    return false;
}

static enum ice_status put_delete(struct ice_facts *facts,
                                  const struct ice_manifest_walk *walk,
                                  const struct ice_manifest_entry *entry,
                                  struct ice_delete_fact one) {
    bool given_up;
    const struct ice_partition_spec *spec = walk->spec;
    if (facts->dropped)
        return ICE_OK;
    if (spec) {
        one.is_unpartitioned = is_unpartitioned(spec);
        one.leaves_partitions = one.kind == ICE_FACT_EQUALITY && !one.is_unpartitioned &&
                                leaves_partitions(spec, &entry->file.equality_ids);
    }
    if (one.kind == ICE_FACT_VECTOR) {
        struct ice_str folded;
        ICE_TRY(ice_path_fold(entry->file.file_path, &facts->folded, &folded));
        one.key = ice_hash64(folded, facts->ck->run->hash_seed);
        one.offset = entry->file.content_offset;
        one.size = entry->file.content_size_in_bytes;
    }
    ICE_TRY(grow(facts, &facts->deletes, facts->n_deletes, &facts->cap_deletes,
                 sizeof(*facts->deletes), &given_up));
    if (!given_up)
        facts->deletes[facts->n_deletes++] = one;
    return ICE_OK;
}

/* A live delete file: whose rows it deletes, and a record of its own. */
static enum ice_status add_delete(struct ice_facts *facts,
                                  const struct ice_manifest_walk *walk,
                                  const struct ice_manifest_entry *entry,
                                  enum ice_fact_kind kind, const struct ice_fact *fact) {
    uint64_t seed = facts->ck->run->hash_seed;
    struct ice_hash key;
    struct ice_delete_fact one = {.kind = (uint8_t)kind,
                                  .entry = fact->entry,
                                  .origin = fact->origin,
                                  .partition = fact->partition};
    struct ice_str named = kind == ICE_FACT_EQUALITY
                               ? ICE_STR_NONE
                               : ice_named_data_file(walk->manifest, entry);
    if (named.size > 0) {
        one.names_file = true;
        ICE_TRY(put_path(
            facts, kind == ICE_FACT_VECTOR ? ICE_FACT_OF_VECTOR : ICE_FACT_OF_POSITION,
            entry->status, named, seed, *fact, &key));
    }
    return put_delete(facts, walk, entry, one);
}

static enum ice_fact_kind kind_of(const struct ice_manifest_walk *walk,
                                  const struct ice_manifest_entry *entry) {
    switch (entry->file.content) {
    case ICE_CONTENT_POSITION_DELETES:
        return ice_entry_has(walk->manifest, entry, ICE_FILE_file_format) &&
                       ice_str_equal_nocase(entry->file.file_format, ICE_STR("puffin"))
                   ? ICE_FACT_VECTOR
                   : ICE_FACT_POSITION;
    case ICE_CONTENT_EQUALITY_DELETES:
        return ICE_FACT_EQUALITY;
    default:
        return ICE_FACT_DATA;
    }
}

/* Does the tuple have the fields of the spec? Else another rule has spoken. */
static bool knows_partitions(const struct ice_manifest_walk *walk) {
    const struct ice_avro_schema *tuple = walk->manifest->plan.tuple;
    const struct ice_partition_spec *spec = walk->spec;
    if (!spec)
        return false;
    if (!tuple)
        return spec->n_fields == 0;
    if (tuple->n_fields != spec->n_fields)
        return false;
    for (size_t i = 0; i < tuple->n_fields; i++) {
        bool found = !tuple->fields[i].id.has;
        for (size_t k = 0; !found && k < spec->n_fields; k++)
            found = spec->fields[k].field_id == tuple->fields[i].id.value;
        if (!found)
            return false;
    }
    return true;
}

void ice_facts_begin(struct ice_manifest_walk *walk) {
    struct ice_facts *facts = walk->ck->facts;
    if (!facts || !walk->facts)
        return;
    facts->bases[walk->number] = (uint32_t)facts->n_entries;
    walk->spec_id = 0;
    walk->knows_partitions = knows_partitions(walk);
    if (walk->record && ice_record_has(walk->record, ICE_LIST_partition_spec_id))
        walk->spec_id = walk->record->row.partition_spec_id;
    else if (walk->manifest->header & ~walk->manifest->header_bad & ICE_MHEAD_SPEC_ID)
        walk->spec_id = walk->manifest->header_spec_id;
}

static enum ice_status add_fact(struct ice_facts *facts, struct ice_manifest_walk *walk,
                                const struct ice_manifest_entry *entry,
                                const struct ice_effective *effective,
                                enum ice_fact_kind kind) {
    const struct ice_data_file *file = &entry->file;
    uint64_t number = facts->bases[walk->number] + walk->manifest->rows.record;
    uint64_t seed = facts->ck->run->hash_seed;
    struct ice_hash key;
    if (number >= MOST_ENTRIES) {
        give_up(facts, ICE_STR("the table has more than 4,294,967,294 entries"));
        return ICE_OK;
    }
    struct ice_fact fact = {.entry = (uint32_t)number, .rows = ICE_NO_NUMBER};
    uint64_t size = (uint64_t)file->file_size_in_bytes;
    if (ice_entry_has(walk->manifest, entry, ICE_FILE_record_count) &&
        file->record_count >= 0) {
        if (file->record_count < ICE_NO_NUMBER)
            fact.rows = (uint32_t)file->record_count;
        else
            size ^= ice_hash_mix((uint64_t)file->record_count, seed);
    }
    fact.size = (uint32_t)ice_hash_mix(size, seed);
    fact.partition = ice_partition_digest(walk, entry, walk->spec_id);
    ICE_TRY(find_origin(facts, walk, effective, &fact.origin));
    walk->last_origin = fact.origin;
    uint64_t own_seed = seed;
    if (kind == ICE_FACT_VECTOR)
        own_seed = ice_hash_mix((uint64_t)file->content_offset, seed);
    ICE_TRY(put_path(facts, kind, entry->status, file->file_path, own_seed, fact, &key));
    if (facts->dropped || entry->status == ICE_STATUS_DELETED)
        return ICE_OK;
    if (kind != ICE_FACT_DATA)
        return add_delete(facts, walk, entry, kind, &fact);
    return put_range(facts, walk, entry, effective, fact.entry);
}

enum ice_status ice_facts_add(struct ice_manifest_walk *walk,
                              const struct ice_manifest_entry *entry,
                              const struct ice_effective *effective) {
    struct ice_facts *facts = walk->ck->facts;
    if (!facts || !walk->facts || entry->file.content < 0 || entry->file.content > 2)
        return ICE_OK;
    enum ice_fact_kind kind = kind_of(walk, entry);
    add_sums(walk, entry, kind == ICE_FACT_VECTOR);
    uint64_t end = facts->bases[walk->number] + walk->manifest->rows.record + 1;
    if (end > facts->n_entries)
        facts->n_entries = end;
    if (facts->dropped || entry->file.file_path.size == 0)
        return ICE_OK;
    return add_fact(facts, walk, entry, effective, kind);
}

/* ---- which manifest ---- */

enum ice_status ice_facts_finish(struct ice_facts *facts) {
    struct ice_check *ck = facts->ck;
    if (facts->dropped || ck->n_manifests == 0)
        return ICE_OK;
    /* a manifest that was not opened begins where the next one does */
    uint32_t next = (uint32_t)facts->n_entries;
    facts->bases[ck->n_manifests] = next;
    for (size_t i = ck->n_manifests; i > 0; i--) {
        if (ck->manifests[i - 1].state == ICE_READ_NOT_YET ||
            ck->manifests[i - 1].state == ICE_READ_NOT)
            facts->bases[i - 1] = next;
        next = facts->bases[i - 1];
    }
    while (facts->n_entries >> facts->shift > 2 * (uint64_t)ck->n_manifests)
        facts->shift++;
    facts->nearest =
        ice_calloc(&ck->run->alloc, nearest_count(facts), sizeof(*facts->nearest));
    if (!facts->nearest)
        return ICE_ENOMEM;
    uint32_t manifest = 0;
    for (size_t i = 0; i < nearest_count(facts); i++) {
        while (manifest + 1 < ck->n_manifests &&
               facts->bases[manifest + 1] <= i << facts->shift)
            manifest++;
        facts->nearest[i] = manifest;
    }
    ice_facts_sort(facts->items, facts->n);
    return ICE_OK;
}

uint32_t ice_fact_manifest(const struct ice_facts *facts, uint32_t entry) {
    uint32_t manifest = facts->nearest[entry >> facts->shift];
    while (facts->bases[manifest + 1] <= entry)
        manifest++;
    return manifest;
}
