/*
 * Manifests by path, list records by value. One record a manifest is the rule: lists
 * repeat each other. A hash finds candidates, equality is then told field by field.
 */
#include "check/manifest_facts.h"

#include "check/ancestry.h"
#include "check/snapshot_sets.h"

static uint32_t number_of(struct ice_check *ck, struct ice_str path) {
    uint64_t key = ice_hash64(path, ck->run->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t found;
    while (ice_table_next(&ck->manifests_by_path, key, &at, &found))
        if (ice_str_equal(ck->manifests[found].path, path))
            return found;
    if (ck->n_manifests >= UINT32_MAX - 1 ||
        !ice_array_reserve(&ck->run->alloc, &ck->manifests, ck->n_manifests,
                           &ck->cap_manifests, sizeof(*ck->manifests)))
        return UINT32_MAX;
    struct ice_manifest_facts facts = {.first_snapshot = UINT32_MAX,
                                       .last_snapshot = UINT32_MAX,
                                       .follower = UINT32_MAX};
    if (!ice_arena_dup(&ck->arena, path, &facts.path) ||
        ice_table_put(&ck->manifests_by_path, key, (uint32_t)ck->n_manifests) < 0)
        return UINT32_MAX;
    ck->manifests[ck->n_manifests] = facts;
    return (uint32_t)ck->n_manifests++;
}

/* Lists name in one order what they share. */
uint32_t ice_manifest_number(struct ice_check *ck, struct ice_str path) {
    const bool has_last = ck->last_manifest < ck->n_manifests;
    const uint32_t guess =
        has_last ? ck->manifests[ck->last_manifest].follower : UINT32_MAX;
    if (guess < ck->n_manifests && ice_str_equal(ck->manifests[guess].path, path)) {
        ck->last_manifest = guess;
        return guess;
    }
    const uint32_t found = number_of(ck, path);
    if (found != UINT32_MAX && has_last)
        ck->manifests[ck->last_manifest].follower = found;
    if (found != UINT32_MAX)
        ck->last_manifest = found;
    return found;
}

enum ice_status ice_manifest_listed(struct ice_check *ck, uint32_t manifest,
                                    uint32_t snapshot) {
    struct ice_manifest_facts *facts = &ck->manifests[manifest];
    if (facts->first_snapshot == UINT32_MAX)
        facts->first_snapshot = snapshot;
    facts->last_snapshot = snapshot;
    struct ice_snapshot_run *last =
        facts->n_runs ? &facts->runs[facts->n_runs - 1] : NULL;
    if (last && last->last == snapshot)
        return ICE_OK;
    if (last && last->last + 1 == snapshot) {
        last->last = snapshot;
        return ICE_OK;
    }
    size_t capacity = facts->cap_runs;
    if (!ice_array_reserve(&ck->run->alloc, &facts->runs, facts->n_runs, &capacity,
                           sizeof(*facts->runs)))
        return ICE_ENOMEM;
    facts->cap_runs = (uint32_t)capacity; /* at most the number of snapshots and a half */
    facts->runs[facts->n_runs++] = (struct ice_snapshot_run){snapshot, snapshot};
    return ICE_OK;
}

/* Members of the record that are numbers, in one block: hashed and compared at once. */
struct numbers {
    uint64_t present, summary_present;
    int64_t values[13];
};

static void numbers_of(const struct ice_list_record *record, struct numbers *out) {
    const struct ice_manifest_file *row = &record->row;
    *out = (struct numbers){
        record->present,
        record->summary_present,
        {row->manifest_length, row->partition_spec_id, row->content, row->sequence_number,
         row->min_sequence_number, row->added_snapshot_id, row->added_files_count,
         row->existing_files_count, row->deleted_files_count, row->added_rows_count,
         row->existing_rows_count, row->deleted_rows_count, row->first_row_id}};
}

void ice_record_pack(struct ice_pack *pack, const struct ice_list_record *record) {
    struct numbers numbers;
    numbers_of(record, &numbers);
    ice_pack_bytes(pack, &numbers, sizeof(numbers));
    ice_pack_i64(pack, record->version);
    ice_pack_str(pack, record->row.key_metadata);
    ice_pack_u64(pack, record->row.partitions.n);
    for (size_t i = 0; i < record->row.partitions.n; i++) {
        const struct ice_field_summary *summary = ice_record_summary(record, i);
        ice_pack_u64(pack, summary->null);
        ice_pack_flag(pack, summary->contains_null);
        ice_pack_flag(pack, summary->contains_nan);
        ice_pack_str(pack, summary->lower_bound);
        ice_pack_str(pack, summary->upper_bound);
    }
}

static bool summaries_equal(const struct ice_list_record *a,
                            const struct ice_list_record *b) {
    if (a->row.partitions.n != b->row.partitions.n)
        return false;
    for (size_t i = 0; i < a->row.partitions.n; i++) {
        const struct ice_field_summary *x = ice_record_summary(a, i);
        const struct ice_field_summary *y = ice_record_summary(b, i);
        if (x->null != y->null || x->contains_null != y->contains_null ||
            x->contains_nan != y->contains_nan ||
            !ice_str_equal(x->lower_bound, y->lower_bound) ||
            !ice_str_equal(x->upper_bound, y->upper_bound))
            return false;
    }
    return true;
}

static bool records_equal(const struct ice_list_record *a,
                          const struct ice_list_record *b) {
    struct numbers x, y;
    numbers_of(a, &x);
    numbers_of(b, &y);
    return memcmp(&x, &y, sizeof(x)) == 0 && a->version == b->version &&
           ice_str_equal(a->row.key_metadata, b->row.key_metadata) &&
           summaries_equal(a, b);
}

static uint64_t digest(const struct ice_list_record *record, uint64_t seed) {
    struct numbers numbers;
    numbers_of(record, &numbers);
    uint64_t hash =
        ice_hash64(ice_str_make(&numbers, sizeof(numbers)), seed ^ record->manifest);
    for (size_t i = 0; i < record->row.partitions.n; i++) {
        const struct ice_field_summary *summary = ice_record_summary(record, i);
        hash = ice_hash64(summary->lower_bound, hash);
        hash = ice_hash64(summary->upper_bound, hash + summary->null);
    }
    return hash;
}

static bool copy_views(struct ice_check *ck, struct ice_list_record *record) {
    struct ice_manifest_file *row = &record->row;
    size_t n = row->partitions.n;
    struct ice_field_summary *summaries =
        ice_arena_array(&ck->arena, n, sizeof(*summaries));
    if (!summaries || !ice_arena_dup(&ck->arena, row->key_metadata, &row->key_metadata))
        return false;
    for (size_t i = 0; i < n; i++) {
        summaries[i] = *ice_record_summary(record, i);
        if (!ice_arena_dup(&ck->arena, summaries[i].lower_bound,
                           &summaries[i].lower_bound) ||
            !ice_arena_dup(&ck->arena, summaries[i].upper_bound,
                           &summaries[i].upper_bound))
            return false;
    }
    row->partitions.items = summaries;
    return true;
}

static struct ice_list_record *find_record(const struct ice_check *ck,
                                           const struct ice_list_record *record,
                                           uint64_t key) {
    size_t at = SIZE_MAX;
    uint32_t found;
    while (ice_table_next(&ck->records_by_value, key, &at, &found)) {
        struct ice_list_record *kept = ck->records[found];
        if (kept->manifest == record->manifest && records_equal(kept, record))
            return kept;
    }
    return NULL;
}

enum ice_status ice_manifest_add_record(struct ice_check *ck,
                                        const struct ice_list_record *record,
                                        struct ice_list_record **out) {
    *out = ck->manifests[record->manifest].records;
    if (*out && records_equal(*out, record))
        return ICE_OK;
    uint64_t key = digest(record, ck->run->hash_seed);
    *out = find_record(ck, record, key);
    if (*out)
        return ICE_OK;
    struct ice_list_record *kept = ice_arena_alloc(&ck->arena, sizeof(*kept));
    if (!kept || ck->n_records >= UINT32_MAX ||
        !ice_array_reserve(&ck->run->alloc, &ck->records, ck->n_records, &ck->cap_records,
                           sizeof(struct ice_list_record *)))
        return ICE_ENOMEM;
    struct ice_manifest_facts *facts = &ck->manifests[record->manifest];
    *kept = *record;
    kept->row.manifest_path = facts->path;
    if (!copy_views(ck, kept) ||
        ice_table_put(&ck->records_by_value, key, (uint32_t)ck->n_records) < 0)
        return ICE_ENOMEM;
    ck->records[ck->n_records++] = kept;
    /* the first stays first, others stand behind it, newest before older */
    kept->next = facts->records ? facts->records->next : NULL;
    if (facts->records)
        facts->records->next = kept;
    else
        facts->records = kept;
    *out = kept;
    return ICE_OK;
}

bool ice_manifest_newest(const struct ice_check *ck,
                         const struct ice_manifest_facts *facts, uint32_t *out) {
    int64_t most = 0;
    bool found = false;
    for (uint32_t run = 0; run < facts->n_runs; run++)
        for (uint32_t i = facts->runs[run].first; i <= facts->runs[run].last; i++) {
            const struct ice_snapshot *snapshot =
                &ck->metadata.snapshots[ck->snapshots[i].index];
            if (!ice_snapshot_has(snapshot, ICE_SNAP_sequence_number) ||
                (found && snapshot->sequence_number <= most))
                continue;
            most = snapshot->sequence_number;
            *out = i;
            found = true;
        }
    return found;
}

const struct ice_list_record *
ice_manifest_row_ids(const struct ice_manifest_facts *facts) {
    const struct ice_list_record *found = NULL;
    for (const struct ice_list_record *record = facts->records; record;
         record = record->next)
        if (ice_record_has(record, ICE_LIST_first_row_id) &&
            (!found || record->snapshot < found->snapshot))
            found = record;
    return found;
}

struct ice_inherit ice_manifest_inherit(const struct ice_manifest_facts *facts) {
    const struct ice_list_record *first = facts->records;
    const struct ice_list_record *ids = ice_manifest_row_ids(facts);
    struct ice_inherit inherit = {0};
    if (first) {
        inherit.added_snapshot_id = first->row.added_snapshot_id;
        inherit.sequence_number = first->row.sequence_number;
    }
    if (ids) {
        inherit.has_first_row_id = true;
        inherit.next_row_id = ids->row.first_row_id;
    }
    return inherit;
}

bool ice_manifest_is_current(const struct ice_check *ck,
                             const struct ice_manifest_facts *facts) {
    uint32_t number;
    return ice_metadata_has(&ck->metadata, ICE_META_current_snapshot_id) &&
           ice_snapshot_number(ck, ck->metadata.current_snapshot_id, &number) &&
           ice_manifest_is_listed(facts, number);
}

void ice_record_place(const struct ice_check *ck, const struct ice_list_record *record,
                      enum ice_list_bit bit, struct ice_row_place *out) {
    ice_row_place_begin(out, ck->snapshots[record->snapshot].list_file,
                        ICE_ORDER_LIST + record->snapshot, record->record);
    out->place.at.block = record->block;
    out->place.at.offset = record->offset;
    ice_row_place_step(out, record->names->row[bit]);
}
