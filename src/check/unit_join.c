/*
 * What one manifest left, put into the check. Here, and nowhere else, numbers of a unit
 * become those of the table.
 */
#include "check/unit.h"

#include "base/error.h"
#include "check/ancestry.h"
#include "check/progress.h"
#include "check/storage.h"
#include "check/unfound.h"

static const uint64_t MOST_ENTRIES = UINT32_MAX - 1;

/* ---- rows of a part ----
 *
 * Where memory ran out, a part may be joined once more, and goes on where it stopped.
 */

static enum ice_status join_origins(struct ice_facts *facts, struct ice_unit *unit,
                                    struct ice_unit_rows *rows) {
    const struct ice_origin *origins = (const void *)rows->items;
    for (; rows->n_joined < rows->n; rows->n_joined++) {
        if (!ice_array_reserve(&facts->ck->run->alloc, &unit->numbers, unit->n_numbers,
                               &unit->cap_numbers, sizeof(*unit->numbers)))
            return ICE_ENOMEM;
        ICE_TRY(ice_facts_add_origin(facts, &origins[rows->n_joined],
                                     &unit->numbers[unit->n_numbers]));
        unit->n_numbers++;
    }
    return ICE_OK;
}

/* Entries and origins of the unit become those of the table. */
static void renumber(struct ice_unit_part *part, const struct ice_unit *unit,
                     uint32_t base) {
    struct ice_unit_rows *rows = part->rows;
    struct ice_fact *facts = (void *)rows[ICE_UNIT_FACTS].items;
    struct ice_row_range *ranges = (void *)rows[ICE_UNIT_RANGES].items;
    struct ice_blob_fact *blobs = (void *)rows[ICE_UNIT_BLOBS].items;
    struct ice_partition_fact *partitions = (void *)rows[ICE_UNIT_PARTITIONS].items;
    struct ice_unit_commit *commits = (void *)rows[ICE_UNIT_COMMITS].items;
    if (part->is_renumbered)
        return;
    part->is_renumbered = true;
    for (size_t i = 0; i < rows[ICE_UNIT_FACTS].n; i++) {
        facts[i].entry += base;
        facts[i].origin = unit->numbers[facts[i].origin];
    }
    for (size_t i = 0; i < rows[ICE_UNIT_RANGES].n; i++)
        ranges[i].entry += base;
    for (size_t i = 0; i < rows[ICE_UNIT_BLOBS].n; i++)
        blobs[i].entry += base;
    for (size_t i = 0; i < rows[ICE_UNIT_PARTITIONS].n; i++)
        partitions[i].entry += base;
    for (size_t i = 0; i < rows[ICE_UNIT_COMMITS].n; i++)
        commits[i].origin = unit->numbers[commits[i].origin];
}

static enum ice_status append(struct ice_sorter *sorter, struct ice_unit_rows *rows) {
    return ice_sorter_append(sorter, rows->items, rows->n, &rows->n_joined);
}

static enum ice_status ask_for_partitions(struct ice_facts *facts,
                                          const struct ice_unit_rows *rows) {
    const struct ice_partition_fact *items = (const void *)rows->items;
    for (size_t i = 0; i < rows->n; i++) {
        if (items[i].whole_table)
            facts->asks_whole_table = true;
        else
            ICE_TRY(ice_facts_ask(facts, items[i].partition));
    }
    return ICE_OK;
}

static enum ice_status join_commits(struct ice_facts *facts, struct ice_unit_rows *rows) {
    const struct ice_unit_commit *items = (const void *)rows->items;
    for (; rows->n_joined < rows->n; rows->n_joined++) {
        const struct ice_unit_commit *commit = &items[rows->n_joined];
        const struct ice_origin *origin = &facts->origins[commit->origin];
        const struct ice_commit_partition pair = {origin->snapshot, commit->partition};
        if (origin->counts_partitions)
            ICE_TRY(ice_sorter_add(&facts->commit_partitions, &pair));
    }
    return ICE_OK;
}

static enum ice_status join_rows(struct ice_facts *facts, struct ice_unit *unit,
                                 struct ice_unit_part *part) {
    struct ice_unit_rows *rows = part->rows;
    ICE_TRY(join_origins(facts, unit, &rows[ICE_UNIT_ORIGINS]));
    renumber(part, unit, (uint32_t)facts->n_entries); /* of the manifests before */
    ICE_TRY(append(&facts->items, &rows[ICE_UNIT_FACTS]));
    ICE_TRY(append(&facts->ranges, &rows[ICE_UNIT_RANGES]));
    ICE_TRY(append(&facts->blobs, &rows[ICE_UNIT_BLOBS]));
    ICE_TRY(ask_for_partitions(facts, &rows[ICE_UNIT_PARTITIONS]));
    ICE_TRY(append(&facts->partitions, &rows[ICE_UNIT_PARTITIONS]));
    return join_commits(facts, &rows[ICE_UNIT_COMMITS]);
}

enum ice_status ice_unit_join_part(struct ice_check *ck, struct ice_unit *unit,
                                   struct ice_unit_part *part) {
    struct ice_facts *facts = ck->facts;
    ICE_TRY(ice_storage_join_keys(ck, unit->number, &part->rows[ICE_UNIT_KEYS]));
    if (facts->n_entries + part->n_records > MOST_ENTRIES)
        ice_facts_give_up(facts,
                          ICE_STR("the table has more than 4,294,967,294 entries"));
    if (!facts->dropped)
        ICE_TRY(ice_facts_sorted(facts, join_rows(facts, unit, part)));
    ice_progress_part(ck, unit->number, part->n_records);
    ice_unit_part_clear(part);
    return ICE_OK;
}

/* ---- the rest ---- */

/* Once a table, with the place of the first. */
static bool join_once(struct ice_check *ck, uint64_t n, const struct ice_place *place,
                      uint64_t *in_out_n, struct ice_place *in_out_place) {
    if (n > 0 && *in_out_n == 0) {
        *in_out_place = *place;
        if (!ice_arena_dup(&ck->arena, place->at.file, &in_out_place->at.file) ||
            !ice_arena_dup(&ck->arena, place->at.pointer, &in_out_place->at.pointer))
            return false;
    }
    *in_out_n += n;
    return true;
}

static void note_reading(const struct ice_check *ck, const struct ice_unit *unit) {
    char shown[400];
    if (ck->options->on_note != NULL && unit->cache_note != NULL)
        ice_check_note(ck, 1, "cache: %s: %s",
                       ice_escape(shown, sizeof(shown), ck->manifests[unit->number].path),
                       unit->cache_note);
    if (ck->options->on_note != NULL && unit->key.data != NULL)
        ice_check_note(ck, 2, "reading %s", ice_escape(shown, sizeof(shown), unit->key));
}

void ice_unit_join_stopped(struct ice_check *ck, const struct ice_unit *unit) {
    note_reading(ck, unit);
    ice_emit_join(ck->emit, unit->emit);
    ice_unfound_join(ck, &unit->unfound);
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
    manifest->lost_fields = unit->lost_fields;
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
    ice_progress_joined(ck, unit->number);
    return unit->paths != NULL ? ice_path_rules_join(ck, unit->paths) : ICE_OK;
}
