/*
 * Life of units and of their readers.
 */
#include "check/unit.h"

#include "base/error.h"
#include "check/storage.h"
#include "check/unfound.h"
#include "check/unit_cache.h"

static const size_t row_sizes[ICE_UNIT_KINDS] = {
    [ICE_UNIT_ORIGINS] = sizeof(struct ice_origin),
    [ICE_UNIT_FACTS] = sizeof(struct ice_fact),
    [ICE_UNIT_RANGES] = sizeof(struct ice_row_range),
    [ICE_UNIT_BLOBS] = sizeof(struct ice_blob_fact),
    [ICE_UNIT_PARTITIONS] = sizeof(struct ice_partition_fact),
    [ICE_UNIT_COMMITS] = sizeof(struct ice_unit_commit),
    [ICE_UNIT_KEYS] = sizeof(struct ice_storage_key),
};

static struct ice_alloc *alloc_of(const struct ice_unit *unit) {
    return unit->arena.alloc;
}

/* ---- parts ---- */

void ice_unit_part_clear(struct ice_unit_part *part) {
    for (int kind = 0; kind < ICE_UNIT_KINDS; kind++)
        part->rows[kind].n = part->rows[kind].n_joined = 0;
    part->is_renumbered = false;
    part->n_records = 0;
    part->next = NULL;
}

void ice_unit_part_release(struct ice_unit_part *part, struct ice_alloc *alloc) {
    if (part == NULL)
        return;
    for (int kind = 0; kind < ICE_UNIT_KINDS; kind++)
        ice_array_free(alloc, &part->rows[kind].items, &part->rows[kind].capacity,
                       row_sizes[kind]);
    ice_free(alloc, part, sizeof(*part));
}

size_t ice_unit_part_bytes(const struct ice_unit_part *part) {
    size_t bytes = sizeof(*part);
    for (int kind = 0; kind < ICE_UNIT_KINDS; kind++)
        bytes += part->rows[kind].capacity * row_sizes[kind];
    return bytes;
}

static enum ice_status reserve(struct ice_unit *unit, enum ice_unit_kind kind) {
    struct ice_unit_rows *rows = &unit->part->rows[kind];
    return ice_array_reserve(alloc_of(unit), &rows->items, rows->n, &rows->capacity,
                             row_sizes[kind])
               ? ICE_OK
               : ICE_ENOMEM;
}

enum ice_status ice_unit_give(struct ice_unit *unit) {
    ICE_TRY(ice_unit_close_part(unit));
    ice_unit_store_part(unit);
    return unit->give(unit, unit->user);
}

enum ice_status ice_unit_grow(struct ice_unit *unit, enum ice_unit_kind kind) {
    if (unit->part->rows[kind].n >= ICE_UNIT_PART_ROWS)
        ICE_TRY(ice_unit_give(unit));
    return reserve(unit, kind);
}

enum ice_status ice_unit_put_rows(struct ice_unit *unit, enum ice_unit_kind kind,
                                  const void *from, size_t n) {
    struct ice_unit_rows *rows = &unit->part->rows[kind];
    const size_t n_before = rows->n;
    while (rows->capacity - n_before < n) {
        rows->n = rows->capacity; /* room for one more than that */
        const enum ice_status status = reserve(unit, kind);
        rows->n = n_before;
        if (status < 0)
            return status;
    }
    if (n > 0)
        memcpy(rows->items + n_before * row_sizes[kind], from, n * row_sizes[kind]);
    rows->n += n;
    return ICE_OK;
}

enum ice_status ice_unit_close_part(struct ice_unit *unit) {
    unit->part->n_records = unit->n_records;
    for (; unit->n_given < unit->n_origins; unit->n_given++) {
        ICE_TRY(reserve(unit, ICE_UNIT_ORIGINS));
        struct ice_unit_rows *rows = &unit->part->rows[ICE_UNIT_ORIGINS];
        memcpy(rows->items + rows->n * sizeof(struct ice_origin),
               &unit->origins[unit->n_given], sizeof(struct ice_origin));
        rows->n++;
    }
    return ICE_OK;
}

/* ---- units ---- */

enum ice_status ice_unit_init(struct ice_unit *unit, const struct ice_check *of) {
    struct ice_alloc *alloc = &of->run->alloc;
    *unit = (struct ice_unit){0};
    ice_arena_init(&unit->arena, alloc);
    ice_table_init(&unit->origins_by_value, alloc);
    ice_table_init(&unit->disputed_by_id, alloc);
    unit->unfound.are_held = of->unfound.are_held;
    return ice_emit_open_beside(&unit->emit, of->emit);
}

void ice_unit_release(struct ice_unit *unit) {
    struct ice_alloc *alloc = alloc_of(unit);
    if (alloc == NULL)
        return;
    ice_unit_part_release(unit->part, alloc);
    ice_table_release(&unit->origins_by_value);
    ice_table_release(&unit->disputed_by_id);
    ice_array_free(alloc, &unit->numbers, &unit->cap_numbers, sizeof(*unit->numbers));
    ice_array_free(alloc, &unit->origins, &unit->cap_origins, sizeof(*unit->origins));
    ice_array_free(alloc, &unit->disputed, &unit->cap_disputed, sizeof(*unit->disputed));
    ice_array_free(alloc, &unit->unfound.items, &unit->unfound.capacity,
                   sizeof(*unit->unfound.items));
    ice_emit_free(unit->emit);
    ice_arena_release(&unit->arena);
    *unit = (struct ice_unit){0};
}

void ice_unit_reset(struct ice_unit *unit) {
    struct ice_unit next = {.part = unit->part,
                            .give = unit->give,
                            .user = unit->user,
                            .origins_by_value = unit->origins_by_value,
                            .disputed_by_id = unit->disputed_by_id,
                            .numbers = unit->numbers,
                            .cap_numbers = unit->cap_numbers,
                            .emit = unit->emit,
                            .arena = unit->arena,
                            .origins = unit->origins,
                            .cap_origins = unit->cap_origins,
                            .disputed = unit->disputed,
                            .cap_disputed = unit->cap_disputed,
                            .unfound = unit->unfound};
    if (next.part != NULL)
        ice_unit_part_clear(next.part);
    ice_table_clear(&next.origins_by_value);
    ice_table_clear(&next.disputed_by_id);
    next.unfound.n = 0;
    ice_emit_reset(next.emit);
    ice_arena_reset(&next.arena);
    *unit = next;
}

/* ---- readers ---- */

/* Callbacks are for the calling thread alone: what they are told comes with the join. */
static void make_own(struct ice_unit_reader *reader, const struct ice_check *of) {
    struct ice_check *ck = &reader->ck;
    *ck = *of;
    ck->defaults.on_note = NULL;
    ck->defaults.on_progress = NULL;
    ck->options = &ck->defaults;
    ck->emit = NULL;
    ck->arena = (struct ice_arena){0};
    ck->opened_source = NULL;
    ice_buf_init(&ck->opened_key, &of->run->alloc, SIZE_MAX);
    ck->named = reader->named;
    ck->paths = NULL;
    ck->unfound = (struct ice_unfounds){0};
}

enum ice_status ice_unit_reader_open(struct ice_unit_reader *reader,
                                     const struct ice_check *of) {
    struct ice_alloc *alloc = &of->run->alloc;
    *reader = (struct ice_unit_reader){.paths = of->paths};
    make_own(reader, of);
    ice_buf_init(&reader->folded, alloc, SIZE_MAX);
    ice_unit_store_init(&reader->store, alloc);
    ICE_TRY(ice_named_open_beside(reader->named, of));
    return ice_metrics_open(&reader->metrics, &reader->ck, false);
}

void ice_unit_reader_release(struct ice_unit_reader *reader) {
    struct ice_check *ck = &reader->ck;
    if (ck->run == NULL)
        return;
    ice_metrics_release(&reader->metrics);
    ice_named_release_beside(reader->named, ck);
    ice_facts_free_recent(reader);
    ice_buf_release(&reader->folded);
    ice_unit_store_release(&reader->store);
    ice_buf_release(&ck->opened_key);
    *reader = (struct ice_unit_reader){0};
}

/* ---- reading ---- */

enum ice_status ice_unit_begin(struct ice_unit *unit, struct ice_unit_reader *reader,
                               uint32_t number) {
    struct ice_check *ck = &reader->ck;
    unit->reader = reader;
    unit->number = number;
    unit->state = ICE_READ_NOT;
    ck->emit = unit->emit;
    ck->arena = unit->arena;
    ck->unfound = unit->unfound;
    ck->n_manifests_read = ck->n_entries = ck->n_bytes = 0;
    ck->n_header_missing = ck->n_parquet_manifests = 0;
    ck->opened_source = NULL;
    ice_buf_clear(&ck->opened_key);
    return ice_path_rules_begin(ck, reader->paths);
}

static enum ice_status take_named(struct ice_unit *unit) {
    for (int kind = 0; kind < ICE_NAMED_KINDS; kind++) {
        struct ice_named *named = &unit->reader->named[kind];
        if (named->n_added > 0)
            unit->named[kind] =
                ice_arena_array(&unit->arena, named->n_added, sizeof(int64_t));
        if (named->n_added > 0 && unit->named[kind] == NULL)
            return ICE_ENOMEM;
        unit->n_named[kind] = ice_named_take(&unit->reader->ck, (enum ice_named_kind)kind,
                                             unit->named[kind]);
    }
    return ICE_OK;
}

enum ice_status ice_unit_end(struct ice_unit *unit) {
    struct ice_check *ck = &unit->reader->ck;
    unit->arena = ck->arena;
    unit->unfound = ck->unfound;
    ck->unfound = (struct ice_unfounds){0};
    unit->was_read = ck->n_manifests_read > 0;
    unit->n_entries = ck->n_entries;
    unit->n_bytes = ck->n_bytes;
    unit->n_header_missing = ck->n_header_missing;
    unit->header_missing_place = ck->header_missing_place;
    unit->n_parquet_manifests = ck->n_parquet_manifests;
    unit->parquet_place = ck->parquet_place;
    unit->paths = ck->paths;
    ck->emit = NULL;
    ck->paths = NULL;
    enum ice_status status = take_named(unit);
    if (status == ICE_OK && ck->opened_source != NULL &&
        !ice_arena_dup(&unit->arena, ice_buf_str(&ck->opened_key), &unit->key))
        status = ICE_ENOMEM;
    if (status == ICE_OK && unit->range.end > 0)
        status = ice_unit_put(unit, ICE_UNIT_RANGES, &unit->range, sizeof(unit->range));
    if (status == ICE_OK)
        status = ice_unit_close_part(unit);
    ck->arena = (struct ice_arena){0};
    unit->reader = NULL;
    return status;
}

enum ice_status ice_unit_begin_again(struct ice_unit *unit) {
    struct ice_unit_reader *reader = unit->reader;
    const uint32_t number = unit->number;
    const size_t n_numbers = unit->n_numbers;
    ICE_TRY(ice_unit_end(unit));
    ice_unit_reset(unit);
    unit->n_numbers = n_numbers;
    return ice_unit_begin(unit, reader, number);
}
