/*
 * What one manifest left, put into the check. Here, and nowhere else, numbers of a unit
 * become those of the table.
 */
#include "check/unit.h"

#include "base/error.h"
#include "check/ancestry.h"
#include "check/storage.h"

static const uint64_t MOST_ENTRIES = UINT32_MAX - 1;

/* ---- rows of a part ---- */

static enum ice_status join_origins(struct ice_facts *facts, struct ice_unit *unit,
                                    const struct ice_unit_rows *rows) {
    const struct ice_origin *origins = (const void *)rows->items;
    for (size_t i = 0; i < rows->n; i++) {
        if (!ice_array_reserve(&facts->ck->run->alloc, &unit->numbers, unit->n_numbers,
                               &unit->cap_numbers, sizeof(*unit->numbers)))
            return ICE_ENOMEM;
        ICE_TRY(
            ice_facts_add_origin(facts, &origins[i], &unit->numbers[unit->n_numbers]));
        unit->n_numbers++;
    }
    return ICE_OK;
}

static enum ice_status join_facts(struct ice_facts *facts, const struct ice_unit *unit,
                                  const struct ice_unit_rows *rows, uint32_t base) {
    struct ice_fact *items = (void *)rows->items;
    for (size_t i = 0; i < rows->n; i++) {
        items[i].entry += base;
        items[i].origin = unit->numbers[items[i].origin];
    }
    return ice_sorter_append(&facts->items, items, rows->n);
}

static enum ice_status join_ranges(struct ice_facts *facts,
                                   const struct ice_unit_rows *rows, uint32_t base) {
    struct ice_row_range *items = (void *)rows->items;
    for (size_t i = 0; i < rows->n; i++)
        items[i].entry += base;
    return ice_sorter_append(&facts->ranges, items, rows->n);
}

static enum ice_status join_blobs(struct ice_facts *facts,
                                  const struct ice_unit_rows *rows, uint32_t base) {
    struct ice_blob_fact *items = (void *)rows->items;
    for (size_t i = 0; i < rows->n; i++)
        items[i].entry += base;
    return ice_sorter_append(&facts->blobs, items, rows->n);
}

static enum ice_status join_partitions(struct ice_facts *facts,
                                       const struct ice_unit_rows *rows, uint32_t base) {
    struct ice_partition_fact *items = (void *)rows->items;
    for (size_t i = 0; i < rows->n; i++) {
        items[i].entry += base;
        if (items[i].whole_table)
            facts->asks_whole_table = true;
        else
            ICE_TRY(ice_facts_ask(facts, items[i].partition));
    }
    return ice_sorter_append(&facts->partitions, items, rows->n);
}

static enum ice_status join_commits(struct ice_facts *facts, const struct ice_unit *unit,
                                    const struct ice_unit_rows *rows) {
    const struct ice_unit_commit *items = (const void *)rows->items;
    for (size_t i = 0; i < rows->n; i++) {
        const struct ice_origin *origin = &facts->origins[unit->numbers[items[i].origin]];
        const struct ice_commit_partition pair = {origin->snapshot, items[i].partition};
        if (origin->counts_partitions)
            ICE_TRY(ice_sorter_add(&facts->commit_partitions, &pair));
    }
    return ICE_OK;
}

static enum ice_status join_rows(struct ice_facts *facts, struct ice_unit *unit,
                                 struct ice_unit_part *part) {
    const struct ice_unit_rows *rows = part->rows;
    const uint32_t base = (uint32_t)facts->n_entries; /* of the manifests before */
    ICE_TRY(join_origins(facts, unit, &rows[ICE_UNIT_ORIGINS]));
    ICE_TRY(join_facts(facts, unit, &rows[ICE_UNIT_FACTS], base));
    ICE_TRY(join_ranges(facts, &rows[ICE_UNIT_RANGES], base));
    ICE_TRY(join_blobs(facts, &rows[ICE_UNIT_BLOBS], base));
    ICE_TRY(join_partitions(facts, &rows[ICE_UNIT_PARTITIONS], base));
    return join_commits(facts, unit, &rows[ICE_UNIT_COMMITS]);
}

enum ice_status ice_unit_join_part(struct ice_check *ck, struct ice_unit *unit,
                                   struct ice_unit_part *part) {
    struct ice_facts *facts = ck->facts;
    ICE_TRY(ice_storage_join_keys(ck, unit->number, &part->rows[ICE_UNIT_KEYS]));
    if (facts->n_entries + part->n_records > MOST_ENTRIES)
        ice_facts_give_up(facts,
                          ICE_STR("the table has more than 4,294,967,294 entries"));
    enum ice_status status = ICE_OK;
    if (!facts->dropped)
        status = ice_facts_sorted(facts, join_rows(facts, unit, part));
    ice_unit_part_clear(part);
    return status;
}

/* ---- the rest ---- */

/* Once a table, with the place of the first. */
static bool join_once(struct ice_check *ck, uint64_t n, const struct ice_place *place,
                      uint64_t *in_out_n, struct ice_place *in_out_place) {
    if (n > 0 && *in_out_n == 0) {
        *in_out_place = *place; /* its pointer is a constant */
        if (!ice_arena_dup(&ck->arena, place->at.file, &in_out_place->at.file))
            return false;
    }
    *in_out_n += n;
    return true;
}

static void note_reading(const struct ice_check *ck, const struct ice_unit *unit) {
    char shown[400];
    if (ck->options->on_note != NULL && unit->key.data != NULL)
        ice_check_note(ck, 2, "reading %s", ice_escape(shown, sizeof(shown), unit->key));
}

void ice_unit_join_stopped(struct ice_check *ck, const struct ice_unit *unit) {
    note_reading(ck, unit);
    ice_emit_join(ck->emit, unit->emit);
    ck->n_manifests_read += unit->was_read ? 1 : 0;
    ck->n_entries += unit->n_entries;
    ck->n_bytes += unit->n_bytes;
}

enum ice_status ice_unit_join(struct ice_check *ck, struct ice_unit *unit) {
    struct ice_manifest_facts *manifest = &ck->manifests[unit->number];
    struct ice_facts *facts = ck->facts;
    ICE_TRY(ice_unit_join_part(ck, unit, unit->part));
    ice_unit_join_stopped(ck, unit);
    manifest->state = unit->state;
    manifest->has_sequence_columns = unit->has_sequence_columns;
    manifest->totals = unit->totals;
    facts->bases[unit->number] = (uint32_t)facts->n_entries;
    facts->sums[unit->number] = unit->sums;
    facts->n_entries += unit->n_records;
    for (int kind = 0; kind < ICE_NAMED_KINDS; kind++)
        for (size_t i = 0; i < unit->n_named[kind]; i++)
            ice_named_add(ck, (enum ice_named_kind)kind, unit->named[kind][i]);
    for (size_t i = 0; i < unit->n_disputed; i++) {
        uint32_t number;
        if (ice_snapshot_number(ck, unit->disputed[i], &number))
            ck->snapshots[number].is_disputed = true;
    }
    if (!join_once(ck, unit->n_header_missing, &unit->header_missing_place,
                   &ck->n_header_missing, &ck->header_missing_place) ||
        !join_once(ck, unit->n_parquet_manifests, &unit->parquet_place,
                   &ck->n_parquet_manifests, &ck->parquet_place))
        return ICE_ENOMEM;
    return unit->paths != NULL ? ice_path_rules_join(ck, unit->paths) : ICE_OK;
}
