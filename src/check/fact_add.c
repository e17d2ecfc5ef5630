/*
 * Facts as pass 3 adds them.
 */
#include "check/facts.h"

#include "base/error.h"
#include "base/size.h"

static const uint64_t MOST_ENTRIES = UINT32_MAX - 1;

/* ---- origins ---- */

static bool same_origin(const struct ice_origin *a, const struct ice_origin *b) {
    return a->sequence_number == b->sequence_number && a->snapshot_id == b->snapshot_id &&
           a->has_columns == b->has_columns && a->has_row_id == b->has_row_id;
}

static uint32_t snapshot_number(const struct ice_check *ck, int64_t snapshot_id) {
    size_t index = ice_metadata_find_snapshot(&ck->metadata, snapshot_id);
    return index == SIZE_MAX ? ICE_NO_NUMBER : ck->number_of[index];
}

bool ice_commit_counts_partitions(const struct ice_check *ck, uint32_t snapshot,
                                  int64_t *out) {
    return snapshot != ICE_NO_NUMBER &&
           ice_snapshot_metric(&ck->metadata,
                               &ck->metadata.snapshots[ck->snapshots[snapshot].index],
                               ICE_METRIC_CHANGED_PARTITION_COUNT, out);
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
                                   const struct ice_manifest_entry *entry,
                                   const struct ice_effective *effective, uint32_t *out) {
    const struct ice_check *ck = facts->ck;
    struct ice_origin origin = {
        .sequence_number =
            knows_number(walk, effective) ? effective->sequence_number : INT64_MIN,
        .snapshot_id = effective->snapshot_id,
        .has_columns = walk->record != NULL && walk->facts->has_sequence_columns,
        .has_row_id = ice_entry_has(walk->manifest, entry, ICE_FILE_first_row_id)};
    *out = walk->last_origin;
    if (*out < facts->n_origins && same_origin(&facts->origins[*out], &origin))
        return ICE_OK;
    uint64_t key = ice_hash_mix((uint64_t)origin.sequence_number,
                                ck->run->hash_seed ^ (uint64_t)origin.snapshot_id);
    size_t at = SIZE_MAX;
    while (ice_table_next(&facts->origins_by_value, key, &at, out))
        if (same_origin(&facts->origins[*out], &origin))
            return ICE_OK;
    int64_t ignored;
    origin.snapshot = snapshot_number(ck, origin.snapshot_id);
    origin.counts_partitions =
        ice_emit_is_on(ck->emit, ICE_RULE_SUMMARY_PARTITION_COUNT) &&
        ice_commit_counts_partitions(ck, origin.snapshot, &ignored);
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

static enum ice_status put_path(struct ice_facts *facts, enum ice_fact_kind kind,
                                int32_t status, struct ice_str path, uint64_t seed,
                                struct ice_fact fact) {
    struct ice_str folded;
    ICE_TRY(ice_path_fold(path, &facts->folded, &folded));
    struct ice_hash key = ice_hash128(folded, seed);
    fact.key = key.high;
    fact.low = (uint32_t)(key.low >> 37) << 5 | (uint32_t)kind << 2 | (uint32_t)status;
    return ice_sorter_add(&facts->items, &fact);
}

/* Most entries of a commit are in few partitions: a pair that was seen a moment ago is
 * left out at once. */
static enum ice_status put_commit_partition(struct ice_facts *facts, int32_t status,
                                            const struct ice_fact *fact) {
    const struct ice_origin *origin = &facts->origins[fact->origin];
    struct ice_alloc *alloc = &facts->ck->run->alloc;
    if (!origin->counts_partitions || status == ICE_STATUS_EXISTING)
        return ICE_OK;
    if (!facts->recent)
        facts->recent = ice_calloc(alloc, ICE_RECENT, sizeof(*facts->recent));
    if (!facts->recent)
        return ICE_ENOMEM;
    const struct ice_commit_partition pair = {origin->snapshot, fact->partition};
    uint64_t value = ((uint64_t)pair.snapshot << 32 | pair.partition) + 1; /* 0: none */
    uint64_t slot = ice_hash_mix(value, facts->ck->run->hash_seed) % ICE_RECENT;
    if (facts->recent[slot] == value)
        return ICE_OK;
    facts->recent[slot] = value;
    return ice_sorter_add(&facts->commit_partitions, &pair);
}

static enum ice_status put_range(struct ice_facts *facts,
                                 const struct ice_manifest_walk *walk,
                                 const struct ice_manifest_entry *entry,
                                 const struct ice_effective *effective, uint32_t number) {
    int64_t rows = entry->file.record_count, end;
    struct ice_row_range *last = &facts->range;
    if (!effective->has_first_row_id || rows <= 0 || effective->first_row_id < 0)
        return ICE_OK;
    if (!ice_i64_add(effective->first_row_id, rows, &end))
        end = INT64_MAX;
    bool is_explicit = ice_entry_has(walk->manifest, entry, ICE_FILE_first_row_id);
    if (last->end == effective->first_row_id && !is_explicit && !last->is_explicit &&
        last->end > 0 && last->entry >= facts->bases[walk->number]) {
        last->end = end;
        return ICE_OK;
    }
    if (last->end > 0)
        ICE_TRY(ice_sorter_add(&facts->ranges, last));
    *last = (struct ice_row_range){.first = effective->first_row_id,
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

static enum ice_status put_blob(struct ice_facts *facts, const struct ice_data_file *file,
                                uint32_t entry) {
    struct ice_str folded;
    ICE_TRY(ice_path_fold(file->file_path, &facts->folded, &folded));
    const struct ice_blob_fact blob = {.key =
                                           ice_hash64(folded, facts->ck->run->hash_seed),
                                       .offset = file->content_offset,
                                       .size = file->content_size_in_bytes,
                                       .entry = entry};
    return ice_sorter_add(&facts->blobs, &blob);
}

static size_t asked_bit(uint32_t partition) {
    return partition >> 1 & (ICE_ASKED_BITS - 1); /* its last bit is always set */
}

bool ice_facts_ask_for(const struct ice_facts *facts, uint32_t partition) {
    size_t bit = asked_bit(partition);
    return facts->asked && (facts->asked[bit / 64] >> bit % 64 & 1);
}

static enum ice_status ask_for(struct ice_facts *facts, uint32_t partition) {
    size_t bit = asked_bit(partition);
    if (!facts->asked)
        facts->asked = ice_calloc(&facts->ck->run->alloc, ICE_ASKED_BITS / 64,
                                  sizeof(*facts->asked));
    if (!facts->asked)
        return ICE_ENOMEM;
    facts->asked[bit / 64] |= UINT64_C(1) << bit % 64;
    return ICE_OK;
}

/* A delete file that names no data file: of its partition, or of the whole table. */
static enum ice_status put_partition(struct ice_facts *facts,
                                     const struct ice_manifest_walk *walk,
                                     const struct ice_manifest_entry *entry,
                                     enum ice_partition_side side,
                                     const struct ice_fact *fact) {
    const struct ice_partition_spec *spec = walk->spec;
    bool parts_nothing = spec && is_unpartitioned(spec);
    struct ice_partition_fact one = {.sequence_number =
                                         facts->origins[fact->origin].sequence_number,
                                     .partition = fact->partition,
                                     .entry = fact->entry,
                                     .side = (uint8_t)side};
    if (side == ICE_SIDE_EQUALITY && parts_nothing) {
        one.whole_table = true;
        facts->asks_whole_table = true;
    } else {
        ICE_TRY(ask_for(facts, fact->partition));
    }
    if (side == ICE_SIDE_EQUALITY && spec && !parts_nothing)
        one.leaves_partitions = leaves_partitions(spec, &entry->file.equality_ids);
    return ice_sorter_add(&facts->partitions, &one);
}

/* A live delete file: whose rows it deletes. */
static enum ice_status add_delete(struct ice_facts *facts,
                                  const struct ice_manifest_walk *walk,
                                  const struct ice_manifest_entry *entry,
                                  enum ice_fact_kind kind, const struct ice_fact *fact) {
    if (kind == ICE_FACT_EQUALITY)
        return put_partition(facts, walk, entry, ICE_SIDE_EQUALITY, fact);
    if (kind == ICE_FACT_VECTOR)
        ICE_TRY(put_blob(facts, &entry->file, fact->entry));
    struct ice_str named = ice_named_data_file(walk->manifest, entry);
    if (named.size > 0)
        return put_path(
            facts, kind == ICE_FACT_VECTOR ? ICE_FACT_OF_VECTOR : ICE_FACT_OF_POSITION,
            entry->status, named, facts->ck->run->hash_seed, *fact);
    return kind == ICE_FACT_VECTOR
               ? ICE_OK
               : put_partition(facts, walk, entry, ICE_SIDE_POSITION, fact);
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
    if (number >= MOST_ENTRIES) {
        ice_facts_give_up(facts,
                          ICE_STR("the table has more than 4,294,967,294 entries"));
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
    ICE_TRY(find_origin(facts, walk, entry, effective, &fact.origin));
    walk->last_origin = fact.origin;
    ICE_TRY(put_commit_partition(facts, entry->status, &fact));
    uint64_t own_seed = seed;
    if (kind == ICE_FACT_VECTOR)
        own_seed = ice_hash_mix((uint64_t)file->content_offset, seed);
    ICE_TRY(put_path(facts, kind, entry->status, file->file_path, own_seed, fact));
    if (entry->status == ICE_STATUS_DELETED)
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
    return ice_facts_sorted(facts, add_fact(facts, walk, entry, effective, kind));
}
