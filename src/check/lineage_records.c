/*
 * first_row_id of data manifests (spec: #first-row-id-assignment), from the records of
 * lists and the rows that manifests need.
 */
#include "base/size.h"
#include "check/ancestry.h"
#include "check/set_rules.h"

#include <stdlib.h>

/* Row ids that a snapshot's list gave to a manifest. */
struct assigned {
    int64_t first, end;
    uint32_t snapshot;
    const struct ice_list_record *record;
};

struct lineage {
    struct ice_check *ck;
    const struct ice_snapshot_sets *sets;
    struct assigned *items;
    size_t n, capacity;
    bool *unknown; /* by snapshot: a manifest whose need is not known */
};

static bool has_first(const struct ice_list_record *record) {
    return ice_record_has(record, ICE_LIST_first_row_id);
}

static bool is_deletes(const struct ice_list_record *record) {
    return ice_record_has(record, ICE_LIST_content) && record->row.content == 1;
}

/* The manifest holds what the record denies: list.content.mismatch has spoken. */
static bool is_mistaken(const struct lineage *l, const struct ice_list_record *record) {
    const bool *has = l->ck->manifests[record->manifest].totals.has_contents;
    return is_deletes(record)
               ? has[ICE_CONTENT_DATA]
               : has[ICE_CONTENT_POSITION_DELETES] || has[ICE_CONTENT_EQUALITY_DELETES];
}

static void place(const struct lineage *l, const struct ice_list_record *record,
                  struct ice_row_place *out) {
    ice_record_place(l->ck, record, ICE_LIST_first_row_id, out);
}

/*
 * Given here, not carried over: the snapshot added the manifest, or its parent lists it
 * without a number, from before the upgrade: one that had to give it a number and did not
 * was told (lineage.manifest.missing). Where the parent is not known, only the first.
 */
static bool is_new(const struct lineage *l, const struct ice_list_record *record) {
    uint32_t parent = l->sets->parent[record->snapshot];
    const struct ice_manifest_facts *manifest = &l->ck->manifests[record->manifest];
    if (ice_record_has(record, ICE_LIST_added_snapshot_id) &&
        record->row.added_snapshot_id ==
            ice_numbered(l->ck, record->snapshot)->snapshot_id)
        return true;
    if (!ice_judged_with_parent(l->sets, record->snapshot) ||
        !ice_manifest_is_listed(manifest, parent))
        return false;
    /* records differ in it: one of those before has none */
    for (const struct ice_list_record *other = manifest->records; other;
         other = other->next)
        if (!has_first(other) && ice_is_ancestor(l->ck, other->snapshot, parent) &&
            !ice_snapshot_has(ice_numbered(l->ck, other->snapshot),
                              ICE_SNAP_first_row_id))
            return true;
    return false;
}

/* ---- one record ---- */

static void check_missing(const struct lineage *l, const struct ice_list_record *record) {
    const struct ice_snapshot *snapshot = ice_numbered(l->ck, record->snapshot);
    struct ice_row_place at;
    if (has_first(record) || is_deletes(record) || is_mistaken(l, record) ||
        !ice_snapshot_has(snapshot, ICE_SNAP_first_row_id))
        return;
    place(l, record, &at);
    FOUND(l->ck->emit, ICE_RULE_LINEAGE_MANIFEST_MISSING, &at.place,
          arg_id("snapshot_id", snapshot->snapshot_id));
}

static void check_deletes(const struct lineage *l, const struct ice_list_record *record) {
    struct ice_row_place at;
    if (!has_first(record) || !is_deletes(record) || is_mistaken(l, record))
        return;
    place(l, record, &at);
    FOUND(l->ck->emit, ICE_RULE_LINEAGE_MANIFEST_ON_DELETES, &at.place,
          arg_i64("found", record->row.first_row_id));
}

static void check_changed(const struct lineage *l, const struct ice_list_record *record) {
    for (const struct ice_list_record *other = l->ck->manifests[record->manifest].records;
         other && other != record; other = other->next) {
        struct ice_row_place at, other_at;
        if (!has_first(other) || other->row.first_row_id == record->row.first_row_id)
            continue;
        bool one_line = ice_is_ancestor(l->ck, other->snapshot, record->snapshot) ||
                        ice_is_ancestor(l->ck, record->snapshot, other->snapshot);
        place(l, record, &at);
        place(l, other, &other_at);
        FOUND_VS(l->ck->emit, ICE_RULE_LINEAGE_MANIFEST_CHANGED,
                 one_line ? ICE_ERROR : ICE_INFO, &at.place, &other_at.place,
                 arg_i64("found", record->row.first_row_id),
                 arg_i64("other", other->row.first_row_id),
                 arg_str("list", other_at.place.at.file));
        return;
    }
}

static void check_below(const struct lineage *l, const struct ice_list_record *record) {
    const struct ice_snapshot *snapshot = ice_numbered(l->ck, record->snapshot);
    struct ice_row_place at;
    /* below 0: lineage.first-row-id.negative has spoken */
    if (!ice_snapshot_has(snapshot, ICE_SNAP_first_row_id) ||
        record->row.first_row_id >= snapshot->first_row_id ||
        record->row.first_row_id < 0)
        return;
    place(l, record, &at);
    FOUND(l->ck->emit, ICE_RULE_LINEAGE_MANIFEST_BELOW_SNAPSHOT, &at.place,
          arg_i64("found", record->row.first_row_id),
          arg_id("snapshot_id", snapshot->snapshot_id),
          arg_i64("first", snapshot->first_row_id));
}

static enum ice_status keep(struct lineage *l, const struct ice_list_record *record) {
    const struct ice_manifest_sums *sums = &l->ck->facts->sums[record->manifest];
    struct assigned one = {.first = record->row.first_row_id,
                           .snapshot = record->snapshot,
                           .record = record};
    int64_t rows;
    if (sums->unknown || !ice_wide_value(&sums->new_rows, &rows) || one.first < 0) {
        l->unknown[record->snapshot] = true;
        return ICE_OK;
    }
    if (rows == 0 || !ice_i64_add(one.first, rows, &one.end))
        return ICE_OK;
    if (!ice_array_reserve(&l->ck->run->alloc, &l->items, l->n, &l->capacity,
                           sizeof(*l->items)))
        return ICE_ENOMEM;
    l->items[l->n++] = one;
    return ICE_OK;
}

static enum ice_status check_record(struct lineage *l,
                                    const struct ice_list_record *record) {
    if (!l->sets->judged[record->snapshot])
        return ICE_OK;
    check_missing(l, record);
    check_deletes(l, record);
    if (!has_first(record) || is_deletes(record))
        return ICE_OK;
    check_changed(l, record);
    if (!is_new(l, record))
        return ICE_OK;
    check_below(l, record);
    return keep(l, record);
}

/* ---- ranges beside each other ---- */

static int by_snapshot(const void *a, const void *b) {
    const struct assigned *x = a, *y = b;
    if (x->snapshot != y->snapshot)
        return x->snapshot < y->snapshot ? -1 : 1;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->record->record < y->record->record ? -1
                                                 : x->record->record > y->record->record;
}

static int by_first(const void *a, const void *b) {
    const struct assigned *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : by_snapshot(a, b);
}

static void found_overlap(const struct lineage *l, const struct assigned *one,
                          const struct assigned *other) {
    struct ice_row_place at, other_at;
    place(l, one->record, &at);
    place(l, other->record, &other_at);
    FOUND_VS(l->ck->emit, ICE_RULE_LINEAGE_MANIFEST_RANGE_OVERLAP, ICE_DEFAULT, &at.place,
             &other_at.place, arg_i64("first", one->first),
             arg_i64("other_first", other->first), arg_i64("other_end", other->end),
             arg_i64("record", (int64_t)other->record->record));
}

static void check_needed(const struct lineage *l, uint32_t number, int64_t needed,
                         bool overflow) {
    const struct ice_snapshot *snapshot = ice_numbered(l->ck, number);
    if (l->unknown[number] || !ice_snapshot_has(snapshot, ICE_SNAP_added_rows) ||
        !ice_snapshot_has(snapshot, ICE_SNAP_first_row_id) || snapshot->added_rows < 0 ||
        (!overflow && snapshot->added_rows >= needed))
        return;
    struct ice_row_place at = {
        .place = ice_place_file(l->ck->metadata_file, ICE_ORDER_METADATA)};
    at.place.at.pointer = ice_str_make(at.pointer, 0);
    ice_row_place_step(&at, ICE_STR("snapshots"));
    ice_row_place_index(&at, l->ck->snapshots[number].index);
    ice_row_place_step(&at, ICE_STR("added-rows"));
    FOUND(l->ck->emit, ICE_RULE_LINEAGE_SNAPSHOT_ADDED_ROWS_TOO_SMALL, &at.place,
          arg_id("snapshot_id", snapshot->snapshot_id),
          arg_i64("found", snapshot->added_rows), arg_i64("needed", needed));
}

static void check_lists(const struct lineage *l) {
    size_t furthest = 0;
    int64_t needed = 0;
    bool overflow = false;
    for (size_t i = 0; i < l->n; i++) {
        const struct assigned *one = &l->items[i];
        if (i == 0 || one->snapshot != l->items[i - 1].snapshot) {
            furthest = i;
            needed = 0;
            overflow = false;
        } else if (one->first < l->items[furthest].end) {
            found_overlap(l, one, &l->items[furthest]);
        }
        if (one->end > l->items[furthest].end)
            furthest = i;
        overflow |= !ice_i64_add(needed, one->end - one->first, &needed);
        if (i + 1 == l->n || l->items[i + 1].snapshot != one->snapshot)
            check_needed(l, one->snapshot, needed, overflow);
    }
}

/* Of two snapshots: the one that committed later says it. */
static void found_snapshots(const struct lineage *l, const struct assigned *a,
                            const struct assigned *b) {
    const struct ice_snapshot *x = ice_numbered(l->ck, a->snapshot);
    const struct ice_snapshot *y = ice_numbered(l->ck, b->snapshot);
    if (x->sequence_number < y->sequence_number) {
        const struct assigned *kept = a;
        a = b;
        b = kept;
    }
    struct ice_row_place at[2];
    const struct assigned *both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        at[i].place = ice_place_file(l->ck->metadata_file, ICE_ORDER_METADATA);
        at[i].place.at.pointer = ice_str_make(at[i].pointer, 0);
        ice_row_place_step(&at[i], ICE_STR("snapshots"));
        ice_row_place_index(&at[i], l->ck->snapshots[both[i]->snapshot].index);
        ice_row_place_step(&at[i], ICE_STR("first-row-id"));
        if (ice_raise_kept(l->ck->emit, ICE_RULE_LINEAGE_SNAPSHOT_RANGE_OVERLAP,
                           at[i].place.at.pointer))
            return;
    }
    FOUND_AS(l->ck->emit, ICE_RULE_LINEAGE_SNAPSHOT_RANGE_OVERLAP, ICE_ERROR,
             &at[0].place, arg_id("id", ice_numbered(l->ck, a->snapshot)->snapshot_id),
             arg_i64("first", a->first),
             arg_id("other", ice_numbered(l->ck, b->snapshot)->snapshot_id),
             arg_i64("end", b->end));
}

static void check_snapshots(const struct lineage *l) {
    size_t furthest = 0;
    for (size_t i = 1; i < l->n; i++) {
        const struct assigned *one = &l->items[i], *held = &l->items[furthest];
        if (one->first < held->end && one->snapshot != held->snapshot &&
            one->record->manifest != held->record->manifest)
            found_snapshots(l, one, held);
        if (one->end > held->end)
            furthest = i;
    }
}

enum ice_status ice_lineage_records_check(const struct ice_snapshot_sets *sets) {
    struct ice_check *ck = sets->ck;
    struct lineage l = {.ck = ck, .sets = sets};
    enum ice_status status = ICE_OK;
    if (ck->version < 3 || sets->n == 0 || ck->n_records == 0)
        return ICE_OK;
    l.unknown = ice_calloc(&ck->run->alloc, sets->n, sizeof(*l.unknown));
    if (!l.unknown)
        return ICE_ENOMEM;
    for (size_t i = 0; status == ICE_OK && i < ck->n_records; i++)
        status = check_record(&l, ck->records[i]);
    if (status == ICE_OK && l.n > 0) {
        qsort(l.items, l.n, sizeof(*l.items), by_snapshot);
        check_lists(&l);
        qsort(l.items, l.n, sizeof(*l.items), by_first);
        check_snapshots(&l);
    }
    ice_free(&ck->run->alloc, l.unknown, sets->n * sizeof(*l.unknown));
    ice_array_free(&ck->run->alloc, &l.items, &l.capacity, sizeof(*l.items));
    return status;
}
