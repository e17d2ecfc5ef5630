/*
 * Facts as entries are read: rows of a unit (unit.h).
 */
#include "check/unit.h"

#include "base/error.h"
#include "base/size.h"

static const uint64_t MOST_ENTRIES = UINT32_MAX - 1;

/* ---- origins ---- */

static bool same_origin(const struct ice_origin *a, const struct ice_origin *b) {
    return a->sequence_number == b->sequence_number && a->snapshot_id == b->snapshot_id &&
           a->has_columns == b->has_columns && a->has_row_id == b->has_row_id &&
           a->spelling == b->spelling;
}

static uint32_t snapshot_number(const struct ice_check *ck, int64_t snapshot_id) {
    size_t index = ice_metadata_find_snapshot(&ck->metadata, snapshot_id);
    return index == SIZE_MAX ? ICE_NO_NUMBER : ck->number_of[index];
}

static uint64_t origin_key(const struct ice_check *ck, const struct ice_origin *origin) {
    return ice_hash_mix((uint64_t)origin->sequence_number,
                        ck->run->hash_seed ^ (uint64_t)origin->snapshot_id);
}

static bool known_origin(const struct ice_table *by_value,
                         const struct ice_origin *origins, uint64_t key,
                         const struct ice_origin *origin, uint32_t *out) {
    size_t at = SIZE_MAX;
    while (ice_table_next(by_value, key, &at, out))
        if (same_origin(&origins[*out], origin))
            return true;
    return false;
}

static void find_snapshot(const struct ice_check *ck, struct ice_origin *origin) {
    int64_t ignored;
    origin->snapshot = snapshot_number(ck, origin->snapshot_id);
    origin->counts_partitions =
        ice_emit_is_on(ck->emit, ICE_RULE_SUMMARY_PARTITION_COUNT) &&
        ice_commit_counts_partitions(ck, origin->snapshot, &ignored);
}

enum ice_status ice_facts_add_origin(struct ice_facts *facts,
                                     const struct ice_origin *origin, uint32_t *out) {
    uint64_t key = origin_key(facts->ck, origin);
    if (known_origin(&facts->origins_by_value, facts->origins, key, origin, out))
        return ICE_OK;
    if (facts->n_origins >= UINT32_MAX ||
        !ice_array_reserve(&facts->ck->run->alloc, &facts->origins, facts->n_origins,
                           &facts->cap_origins, sizeof(*facts->origins)))
        return ICE_ENOMEM;
    *out = (uint32_t)facts->n_origins;
    facts->origins[*out] = *origin;
    find_snapshot(facts->ck, &facts->origins[*out]);
    facts->n_origins++;
    return ice_table_put(&facts->origins_by_value, key, *out);
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

static struct ice_origin origin_of(const struct ice_manifest_walk *walk,
                                   const struct ice_manifest_entry *entry,
                                   const struct ice_effective *effective) {
    return (struct ice_origin){
        .sequence_number =
            knows_number(walk, effective) ? effective->sequence_number : INT64_MIN,
        .snapshot_id = effective->snapshot_id,
        .has_columns = walk->record != NULL && walk->unit->has_sequence_columns,
        .has_row_id = ice_entry_has(walk->manifest, entry, ICE_FILE_first_row_id)};
}

/* Position of the origin; mostly that of the entry before. */
static enum ice_status find_origin(const struct ice_manifest_walk *walk,
                                   struct ice_origin origin, uint32_t *out) {
    struct ice_unit *unit = walk->unit;
    *out = walk->last_origin;
    if (*out < unit->n_origins && same_origin(&unit->origins[*out], &origin))
        return ICE_OK;
    uint64_t key = origin_key(walk->ck, &origin);
    if (known_origin(&unit->origins_by_value, unit->origins, key, &origin, out))
        return ICE_OK;
    find_snapshot(walk->ck, &origin);
    if (unit->n_origins >= UINT32_MAX ||
        !ice_array_reserve(&walk->ck->run->alloc, &unit->origins, unit->n_origins,
                           &unit->cap_origins, sizeof(*unit->origins)))
        return ICE_ENOMEM;
    *out = (uint32_t)unit->n_origins;
    unit->origins[unit->n_origins++] = origin;
    return ice_table_put(&unit->origins_by_value, key, *out);
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
    struct ice_manifest_sums *sums = &walk->unit->sums;
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

static enum ice_status put_path(const struct ice_manifest_walk *walk,
                                enum ice_fact_kind kind, int32_t status,
                                struct ice_str path, uint64_t seed,
                                struct ice_fact fact) {
    struct ice_str folded;
    ICE_TRY(ice_path_fold(path, &walk->unit->reader->folded, &folded));
    struct ice_hash key = ice_hash128(folded, seed);
    fact.key = key.high;
    fact.low = (uint32_t)(key.low >> 37) << 5 | (uint32_t)kind << 2 | (uint32_t)status;
    struct ice_origin origin = walk->unit->origins[fact.origin];
    origin.spelling = ice_path_spelling(path, folded);
    if (origin.spelling != 0)
        ICE_TRY(find_origin(walk, origin, &fact.origin));
    return ice_unit_put(walk->unit, ICE_UNIT_FACTS, &fact, sizeof(fact));
}

/* Pairs by some bits of their hash, each with the unit that had it. */
struct ice_recent {
    uint64_t unit; /* grows with every unit; 0: none yet */
    struct {
        uint64_t unit, pair;
    } slots[ICE_RECENT];
};

void ice_facts_free_recent(struct ice_unit_reader *reader) {
    if (reader->recent)
        ice_free(&reader->ck.run->alloc, reader->recent, sizeof(*reader->recent));
    reader->recent = NULL;
}

/* Most entries of a commit are in few partitions: a pair that was seen a moment ago is
 * left out at once. */
static enum ice_status put_commit_partition(const struct ice_manifest_walk *walk,
                                            int32_t status, const struct ice_fact *fact) {
    struct ice_unit *unit = walk->unit;
    struct ice_unit_reader *reader = unit->reader;
    if (!unit->origins[fact->origin].counts_partitions || status == ICE_STATUS_EXISTING)
        return ICE_OK;
    if (!reader->recent)
        reader->recent = ice_calloc(&walk->ck->run->alloc, 1, sizeof(*reader->recent));
    if (!reader->recent)
        return ICE_ENOMEM;
    struct ice_recent *recent = reader->recent;
    if (!unit->has_commits)
        recent->unit++;
    unit->has_commits = true;
    const struct ice_unit_commit commit = {
        fact->origin, unit->lost_fields ? 0 : fact->partition}; /* by the values before */
    uint64_t pair = (uint64_t)commit.origin << 32 | commit.partition;
    uint64_t slot = ice_hash_mix(pair, walk->ck->run->hash_seed) % ICE_RECENT;
    if (recent->slots[slot].pair == pair && recent->slots[slot].unit == recent->unit)
        return ICE_OK;
    recent->slots[slot].pair = pair;
    recent->slots[slot].unit = recent->unit;
    return ice_unit_put(unit, ICE_UNIT_COMMITS, &commit, sizeof(commit));
}

static enum ice_status put_range(const struct ice_manifest_walk *walk,
                                 const struct ice_manifest_entry *entry,
                                 const struct ice_effective *effective, uint32_t number) {
    int64_t rows = entry->file.record_count, end;
    struct ice_row_range *last = &walk->unit->range;
    if (!effective->has_first_row_id || rows <= 0 || effective->first_row_id < 0)
        return ICE_OK;
    if (!ice_i64_add(effective->first_row_id, rows, &end))
        end = INT64_MAX;
    bool is_explicit = ice_entry_has(walk->manifest, entry, ICE_FILE_first_row_id);
    if (last->end == effective->first_row_id && !is_explicit && !last->is_explicit &&
        last->end > 0) {
        last->end = end;
        return ICE_OK;
    }
    if (last->end > 0)
        ICE_TRY(ice_unit_put(walk->unit, ICE_UNIT_RANGES, last, sizeof(*last)));
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

static enum ice_status put_blob(const struct ice_manifest_walk *walk,
                                const struct ice_data_file *file, uint32_t entry) {
    struct ice_str folded;
    ICE_TRY(ice_path_fold(file->file_path, &walk->unit->reader->folded, &folded));
    const struct ice_blob_fact blob = {.key =
                                           ice_hash64(folded, walk->ck->run->hash_seed),
                                       .offset = file->content_offset,
                                       .size = file->content_size_in_bytes,
                                       .entry = entry};
    return ice_unit_put(walk->unit, ICE_UNIT_BLOBS, &blob, sizeof(blob));
}

static size_t asked_bit(uint32_t partition) {
    return partition >> 1 & (ICE_ASKED_BITS - 1); /* its last bit is always set */
}

bool ice_facts_ask_for(const struct ice_facts *facts, uint32_t partition) {
    size_t bit = asked_bit(partition);
    return facts->asked && (facts->asked[bit / 64] >> bit % 64 & 1);
}

enum ice_status ice_facts_ask(struct ice_facts *facts, uint32_t partition) {
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
static enum ice_status put_partition(const struct ice_manifest_walk *walk,
                                     const struct ice_manifest_entry *entry,
                                     enum ice_partition_side side,
                                     const struct ice_fact *fact) {
    const struct ice_partition_spec *spec = walk->spec;
    bool parts_nothing = spec && is_unpartitioned(spec);
    struct ice_partition_fact one = {
        .sequence_number = walk->unit->origins[fact->origin].sequence_number,
        .partition = fact->partition,
        .entry = fact->entry,
        .side = (uint8_t)side};
    one.whole_table = side == ICE_SIDE_EQUALITY && parts_nothing;
    if (side == ICE_SIDE_EQUALITY && spec && !parts_nothing)
        one.leaves_partitions = leaves_partitions(spec, &entry->file.equality_ids);
    return ice_unit_put(walk->unit, ICE_UNIT_PARTITIONS, &one, sizeof(one));
}

/* A live delete file: whose rows it deletes. */
static enum ice_status add_delete(const struct ice_manifest_walk *walk,
                                  const struct ice_manifest_entry *entry,
                                  enum ice_fact_kind kind, const struct ice_fact *fact) {
    if (kind == ICE_FACT_EQUALITY)
        return put_partition(walk, entry, ICE_SIDE_EQUALITY, fact);
    if (kind == ICE_FACT_VECTOR)
        ICE_TRY(put_blob(walk, &entry->file, fact->entry));
    struct ice_str named = ice_named_data_file(walk->manifest, entry);
    if (named.size > 0)
        return put_path(
            walk, kind == ICE_FACT_VECTOR ? ICE_FACT_OF_VECTOR : ICE_FACT_OF_POSITION,
            entry->status, named, walk->ck->run->hash_seed, *fact);
    return kind == ICE_FACT_VECTOR ? ICE_OK
                                   : put_partition(walk, entry, ICE_SIDE_POSITION, fact);
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
        bool found = false;
        for (size_t k = 0; tuple->fields[i].id.has && !found && k < spec->n_fields; k++)
            found = spec->fields[k].field_id == tuple->fields[i].id.value;
        if (!found)
            return false;
    }
    return true;
}

void ice_facts_begin(struct ice_manifest_walk *walk) {
    if (!walk->unit)
        return;
    walk->spec_id = 0;
    walk->knows_partitions = knows_partitions(walk);
    if (walk->record && ice_record_has(walk->record, ICE_LIST_partition_spec_id))
        walk->spec_id = walk->record->row.partition_spec_id;
    else if (walk->manifest->header & ~walk->manifest->header_bad & ICE_MHEAD_SPEC_ID)
        walk->spec_id = walk->manifest->header_spec_id;
}

static enum ice_status add_fact(struct ice_manifest_walk *walk,
                                const struct ice_manifest_entry *entry,
                                const struct ice_effective *effective,
                                enum ice_fact_kind kind) {
    const struct ice_data_file *file = &entry->file;
    uint64_t number = walk->manifest->rows.record;
    uint64_t seed = walk->ck->run->hash_seed;
    if (number >= MOST_ENTRIES)
        return ICE_OK; /* the unit's n_records tells */
    struct ice_fact fact = {.entry = (uint32_t)number, .rows = ICE_NO_NUMBER};
    uint64_t size = (uint64_t)file->file_size_in_bytes;
    if (ice_entry_has(walk->manifest, entry, ICE_FILE_record_count) &&
        file->record_count >= 0) {
        if (file->record_count < ICE_NO_NUMBER)
            fact.rows = (uint32_t)file->record_count;
        else
            size ^= ice_hash_mix((uint64_t)file->record_count, seed);
    }
    if (ice_entry_has(walk->manifest, entry, ICE_FILE_file_size_in_bytes))
        fact.size = (uint32_t)ice_hash_mix(size, seed) | 1;
    fact.partition = ice_partition_digest(walk, entry, walk->spec_id);
    ICE_TRY(find_origin(walk, origin_of(walk, entry, effective), &fact.origin));
    walk->last_origin = fact.origin;
    ICE_TRY(put_commit_partition(walk, entry->status, &fact));
    uint64_t own_seed = seed;
    if (kind == ICE_FACT_VECTOR)
        own_seed = ice_hash_mix((uint64_t)file->content_offset, seed);
    ICE_TRY(put_path(walk, kind, entry->status, file->file_path, own_seed, fact));
    if (entry->status == ICE_STATUS_DELETED)
        return ICE_OK;
    if (kind != ICE_FACT_DATA)
        return add_delete(walk, entry, kind, &fact);
    return put_range(walk, entry, effective, fact.entry);
}

enum ice_status ice_facts_add(struct ice_manifest_walk *walk,
                              const struct ice_manifest_entry *entry,
                              const struct ice_effective *effective) {
    struct ice_unit *unit = walk->unit;
    if (!unit || entry->file.content < 0 || entry->file.content > 2)
        return ICE_OK;
    enum ice_fact_kind kind = kind_of(walk, entry);
    add_sums(walk, entry, kind == ICE_FACT_VECTOR);
    unit->n_records = walk->manifest->rows.record + 1;
    if (!unit->reader->wants_facts || entry->file.file_path.size == 0)
        return ICE_OK;
    return add_fact(walk, entry, effective, kind);
}
