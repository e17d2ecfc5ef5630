/*
 * Units as bytes and back.
 *
 *   rest   │ counts │ totals │ sums │ origins │ disputed │ named │ findings │ paths │
 *   parts  │ 1 │ records, origins up to here │ rows by kind │ 1 │ … │ 0 │
 */
#include "check/unit_pack.h"

#include "base/error.h"
#include "check/storage.h"

enum { NUMBER_BYTES = 8, FLAG_BYTES = 1 };

/* Rows without gaps between their members are copied as they are. */
static const size_t plain_bytes[ICE_UNIT_KINDS] = {
    [ICE_UNIT_FACTS] = sizeof(struct ice_fact),
    [ICE_UNIT_RANGES] = sizeof(struct ice_row_range),
    [ICE_UNIT_COMMITS] = sizeof(struct ice_unit_commit),
    [ICE_UNIT_KEYS] = sizeof(struct ice_storage_key),
}; /* 0: one by one */
_Static_assert(sizeof(struct ice_fact) == 32, "no gaps");
_Static_assert(sizeof(struct ice_row_range) == 24, "no gaps");
_Static_assert(sizeof(struct ice_unit_commit) == 8, "no gaps");
_Static_assert(sizeof(struct ice_storage_key) == 32, "no gaps");

enum {
    BLOB_BYTES = 4 * NUMBER_BYTES,
    PARTITION_BYTES = 4 * NUMBER_BYTES + 2 * FLAG_BYTES,
    ORIGIN_BYTES = 3 * NUMBER_BYTES + 2 * FLAG_BYTES
};

/* ---- parts ---- */

static void pack_blobs(struct ice_pack *pack, const struct ice_unit_rows *rows) {
    const struct ice_blob_fact *items = (const void *)rows->items;
    for (size_t i = 0; i < rows->n; i++) {
        ice_pack_u64(pack, items[i].key);
        ice_pack_i64(pack, items[i].offset);
        ice_pack_i64(pack, items[i].size);
        ice_pack_u64(pack, items[i].entry);
    }
}

static void pack_partitions(struct ice_pack *pack, const struct ice_unit_rows *rows) {
    const struct ice_partition_fact *items = (const void *)rows->items;
    for (size_t i = 0; i < rows->n; i++) {
        ice_pack_i64(pack, items[i].sequence_number);
        ice_pack_u64(pack, items[i].partition);
        ice_pack_u64(pack, items[i].entry);
        ice_pack_u64(pack, items[i].side);
        ice_pack_flag(pack, items[i].whole_table);
        ice_pack_flag(pack, items[i].leaves_partitions);
    }
}

void ice_unit_pack_part(struct ice_pack *pack, const struct ice_unit *unit,
                        const struct ice_unit_part *part) {
    ice_pack_flag(pack, true);
    ice_pack_u64(pack, part->n_records);
    ice_pack_u64(pack, unit->n_given);
    for (int kind = 0; kind < ICE_UNIT_KINDS; kind++) {
        const struct ice_unit_rows *rows = &part->rows[kind];
        if (kind == ICE_UNIT_ORIGINS)
            continue; /* all of them are in the rest */
        ice_pack_u64(pack, rows->n);
        if (kind == ICE_UNIT_BLOBS)
            pack_blobs(pack, rows);
        else if (kind == ICE_UNIT_PARTITIONS)
            pack_partitions(pack, rows);
        else
            ice_pack_bytes(pack, rows->items, rows->n * plain_bytes[kind]);
    }
}

/* What a row of a part may name. */
struct bounds {
    uint64_t n_records, n_origins;
};

static bool fact_is_sound(const struct ice_fact *fact, const struct bounds *bounds) {
    return fact->entry < bounds->n_records && fact->origin < bounds->n_origins &&
           ice_fact_kind(fact) < ICE_FACT_KINDS &&
           ice_fact_status(fact) <= ICE_STATUS_DELETED;
}

static bool row_is_sound(int kind, const char *bytes, const struct bounds *bounds) {
    struct ice_fact fact;
    struct ice_row_range range;
    struct ice_unit_commit commit;
    struct ice_storage_key key;
    switch ((enum ice_unit_kind)kind) {
    case ICE_UNIT_FACTS:
        memcpy(&fact, bytes, sizeof(fact));
        return fact_is_sound(&fact, bounds);
    case ICE_UNIT_RANGES:
        memcpy(&range, bytes, sizeof(range));
        return range.entry < bounds->n_records && range.first >= 0 &&
               range.end > range.first && range.is_explicit <= 1;
    case ICE_UNIT_COMMITS:
        memcpy(&commit, bytes, sizeof(commit));
        return commit.origin < bounds->n_origins;
    case ICE_UNIT_KEYS:
        memcpy(&key, bytes, sizeof(key));
        return key.kind == ICE_STORED_DATA || key.kind == ICE_STORED_DELETES;
    case ICE_UNIT_ORIGINS:
    case ICE_UNIT_BLOBS:
    case ICE_UNIT_PARTITIONS:
    case ICE_UNIT_KINDS:
        return false;
    }
    return false;
}

static void unpack_blob(struct ice_unpack *unpack, const struct bounds *bounds,
                        struct ice_blob_fact *out) {
    *out = (struct ice_blob_fact){.key = ice_unpack_u64(unpack)};
    out->offset = ice_unpack_i64(unpack);
    out->size = ice_unpack_i64(unpack);
    out->entry = (uint32_t)ice_unpack_below(unpack, UINT32_MAX);
    if (out->entry >= bounds->n_records)
        unpack->bad = true;
}

static void unpack_partition(struct ice_unpack *unpack, const struct bounds *bounds,
                             struct ice_partition_fact *out) {
    *out = (struct ice_partition_fact){.sequence_number = ice_unpack_i64(unpack)};
    out->partition = (uint32_t)ice_unpack_below(unpack, UINT32_MAX);
    out->entry = (uint32_t)ice_unpack_below(unpack, UINT32_MAX);
    out->side = (uint8_t)ice_unpack_below(unpack, ICE_SIDE_POSITION);
    out->whole_table = ice_unpack_flag(unpack);
    out->leaves_partitions = ice_unpack_flag(unpack);
    if (out->entry >= bounds->n_records)
        unpack->bad = true;
}

static size_t least_bytes(int kind) {
    if (kind == ICE_UNIT_BLOBS)
        return BLOB_BYTES;
    return kind == ICE_UNIT_PARTITIONS ? PARTITION_BYTES : plain_bytes[kind];
}

static bool rows_are_sound(int kind, const char *rows, size_t n,
                           const struct bounds *bounds) {
    for (size_t i = 0; i < n; i++)
        if (!row_is_sound(kind, rows + i * plain_bytes[kind], bounds))
            return false;
    return true;
}

/* Rows of one kind: into the unit, once they were looked at with none (NULL). */
static enum ice_status unpack_rows(struct ice_unpack *unpack, int kind,
                                   const struct bounds *bounds, struct ice_unit *unit) {
    const size_t n = ice_unpack_count(unpack, least_bytes(kind));
    if (n > ICE_UNIT_PART_ROWS)
        unpack->bad = true;
    if (plain_bytes[kind] > 0) {
        const char *rows = ice_unpack_bytes(unpack, n * plain_bytes[kind]);
        if (rows == NULL || (unit == NULL && !rows_are_sound(kind, rows, n, bounds)))
            return ICE_EFORMAT;
        return unit != NULL ? ice_unit_put_rows(unit, (enum ice_unit_kind)kind, rows, n)
                            : ICE_OK;
    }
    for (size_t i = 0; i < n && !unpack->bad; i++) {
        struct ice_blob_fact blob;
        struct ice_partition_fact partition;
        if (kind == ICE_UNIT_BLOBS)
            unpack_blob(unpack, bounds, &blob);
        else
            unpack_partition(unpack, bounds, &partition);
        if (unit != NULL && !unpack->bad)
            ICE_TRY(ice_unit_put_rows(
                unit, (enum ice_unit_kind)kind,
                kind == ICE_UNIT_BLOBS ? (const void *)&blob : &partition, 1));
    }
    return unpack->bad ? ICE_EFORMAT : ICE_OK;
}

/* One part, without the flag before it. */
static enum ice_status unpack_part(struct ice_unpack *unpack, struct bounds *bounds,
                                   const struct bounds *most, struct ice_unit *unit) {
    const struct bounds last = *bounds;
    bounds->n_records = ice_unpack_below(unpack, most->n_records);
    bounds->n_origins = ice_unpack_below(unpack, most->n_origins);
    if (unpack->bad || bounds->n_records < last.n_records ||
        bounds->n_origins < last.n_origins)
        return ICE_EFORMAT;
    if (unit != NULL) {
        unit->n_records = bounds->n_records;
        unit->n_origins = (size_t)bounds->n_origins;
    }
    for (int kind = 0; kind < ICE_UNIT_KINDS; kind++)
        if (kind != ICE_UNIT_ORIGINS)
            ICE_TRY(unpack_rows(unpack, kind, bounds, unit));
    return ICE_OK;
}

static bool parts_are_sound(struct ice_unpack parts, const struct bounds *most) {
    struct bounds bounds = {0};
    size_t n = 0;
    for (; ice_unpack_flag(&parts); n++)
        if (unpack_part(&parts, &bounds, most, NULL) < 0)
            return false;
    return !parts.bad && n > 0 && ice_unpack_left(&parts) == 0 &&
           bounds.n_origins == most->n_origins && bounds.n_records == most->n_records;
}

/* The last part stays in the unit, for _end. */
enum ice_status ice_unit_unpack_parts(struct ice_unpack *parts, struct ice_unit *unit) {
    const struct bounds most = {.n_records = unit->n_records,
                                .n_origins = unit->n_origins};
    struct bounds bounds = {0};
    if (!parts_are_sound(*parts, &most))
        return ICE_EFORMAT;
    for (bool is_first = true; ice_unpack_flag(parts); is_first = false) {
        if (!is_first)
            ICE_TRY(ice_unit_give(unit));
        ICE_TRY(unpack_part(parts, &bounds, &most, unit));
    }
    unit->state = ICE_READ_WHOLE;
    return ICE_OK;
}

/* ---- the rest ---- */

static void pack_totals(struct ice_pack *pack, const struct ice_manifest_totals *totals) {
    for (int i = 0; i < 3; i++) {
        ice_pack_u64(pack, totals->entries[i]);
        ice_pack_i64(pack, totals->rows[i]);
        ice_pack_flag(pack, totals->rows_negative[i]);
        ice_pack_flag(pack, totals->rows_unknown[i]);
        ice_pack_flag(pack, totals->has_contents[i]);
        ice_pack_u64(pack, totals->first_of_content[i]);
    }
    ice_pack_flag(pack, totals->has_live_sequence);
    ice_pack_i64(pack, totals->min_live_sequence);
    ice_pack_flag(pack, totals->has_inherited_live);
    ice_pack_flag(pack, totals->has_unknown_live);
    ice_pack_flag(pack, totals->has_bad_status);
}

static void unpack_totals(struct ice_unpack *unpack, struct ice_manifest_totals *totals) {
    for (int i = 0; i < 3; i++) {
        totals->entries[i] = ice_unpack_u64(unpack);
        totals->rows[i] = ice_unpack_i64(unpack);
        totals->rows_negative[i] = ice_unpack_flag(unpack);
        totals->rows_unknown[i] = ice_unpack_flag(unpack);
        totals->has_contents[i] = ice_unpack_flag(unpack);
        totals->first_of_content[i] = ice_unpack_u64(unpack);
    }
    totals->has_live_sequence = ice_unpack_flag(unpack);
    totals->min_live_sequence = ice_unpack_i64(unpack);
    totals->has_inherited_live = ice_unpack_flag(unpack);
    totals->has_unknown_live = ice_unpack_flag(unpack);
    totals->has_bad_status = ice_unpack_flag(unpack);
}

/* All members of the sums but the last are 64 bits wide. */
enum { SUMS_BYTES = offsetof(struct ice_manifest_sums, unknown) };

static void pack_origins(struct ice_pack *pack, const struct ice_unit *unit) {
    ice_pack_u64(pack, unit->n_origins);
    for (size_t i = 0; i < unit->n_origins; i++) {
        ice_pack_i64(pack, unit->origins[i].sequence_number);
        ice_pack_i64(pack, unit->origins[i].snapshot_id);
        ice_pack_flag(pack, unit->origins[i].has_columns);
        ice_pack_flag(pack, unit->origins[i].has_row_id);
        ice_pack_u64(pack, unit->origins[i].spelling);
    }
}

static enum ice_status unpack_origins(struct ice_unpack *unpack, struct ice_unit *unit) {
    const size_t n = ice_unpack_count(unpack, ORIGIN_BYTES);
    for (size_t i = 0; i < n; i++) {
        if (!ice_array_reserve(unit->arena.alloc, &unit->origins, i, &unit->cap_origins,
                               sizeof(*unit->origins)))
            return ICE_ENOMEM;
        unit->origins[i] = (struct ice_origin){.sequence_number = ice_unpack_i64(unpack),
                                               .snapshot = ICE_NO_NUMBER};
        unit->origins[i].snapshot_id = ice_unpack_i64(unpack);
        unit->origins[i].has_columns = ice_unpack_flag(unpack);
        unit->origins[i].has_row_id = ice_unpack_flag(unpack);
        unit->origins[i].spelling = (uint8_t)ice_unpack_below(unpack, UINT8_MAX);
    }
    unit->n_origins = n;
    return ICE_OK;
}

static enum ice_status unpack_disputed(struct ice_unpack *unpack, struct ice_unit *unit) {
    const size_t n = ice_unpack_count(unpack, NUMBER_BYTES);
    for (size_t i = 0; i < n; i++) {
        if (!ice_array_reserve(unit->arena.alloc, &unit->disputed, i, &unit->cap_disputed,
                               sizeof(*unit->disputed)))
            return ICE_ENOMEM;
        unit->disputed[i] = ice_unpack_i64(unpack);
    }
    unit->n_disputed = n;
    return ICE_OK;
}

bool ice_unit_pack(struct ice_pack *pack, const struct ice_unit *unit) {
    if (unit->state != ICE_READ_WHOLE || !unit->was_read || unit->n_parquet_manifests > 0)
        return false;
    ice_pack_u64(pack, unit->n_bytes);
    ice_pack_u64(pack, unit->n_entries);
    ice_pack_u64(pack, unit->n_records);
    ice_pack_flag(pack, unit->has_sequence_columns);
    ice_pack_u64(pack, unit->lost_fields);
    ice_pack_flag(pack, unit->asks_snapshots);
    ice_pack_flag(pack, unit->asks_current);
    ice_pack_flag(pack, unit->n_header_missing > 0);
    pack_totals(pack, &unit->totals);
    ice_pack_bytes(pack, &unit->sums, SUMS_BYTES);
    ice_pack_flag(pack, unit->sums.unknown);
    pack_origins(pack, unit);
    ice_pack_u64(pack, unit->n_disputed);
    ice_pack_bytes(pack, unit->disputed, unit->n_disputed * sizeof(*unit->disputed));
    for (int kind = 0; kind < ICE_NAMED_KINDS; kind++) {
        ice_pack_u64(pack, unit->n_named[kind]);
        ice_pack_bytes(pack, unit->named[kind], unit->n_named[kind] * sizeof(int64_t));
    }
    if (unit->n_header_missing > 0)
        ice_place_pack(pack, &unit->header_missing_place);
    ice_pack_flag(pack, unit->paths != NULL);
    if (unit->paths != NULL)
        ice_path_rules_pack(pack, unit->paths);
    return ice_emit_pack(pack, unit->emit);
}

static enum ice_status unpack_numbers(struct ice_unpack *rest, struct ice_unit *unit) {
    struct ice_check *ck = &unit->reader->ck;
    ck->n_manifests_read = 1;
    ck->n_bytes = ice_unpack_u64(rest);
    ck->n_entries = ice_unpack_u64(rest);
    unit->n_records = ice_unpack_below(rest, UINT32_MAX);
    unit->has_sequence_columns = ice_unpack_flag(rest);
    unit->lost_fields = (uint32_t)ice_unpack_below(rest, UINT32_MAX);
    unit->asks_snapshots = ice_unpack_flag(rest);
    unit->asks_current = ice_unpack_flag(rest);
    ck->n_header_missing = ice_unpack_flag(rest) ? 1 : 0;
    unpack_totals(rest, &unit->totals);
    const char *sums = ice_unpack_bytes(rest, SUMS_BYTES);
    if (sums != NULL)
        memcpy(&unit->sums, sums, SUMS_BYTES);
    unit->sums.unknown = ice_unpack_flag(rest);
    ICE_TRY(unpack_origins(rest, unit));
    return unpack_disputed(rest, unit);
}

enum ice_status ice_unit_unpack(struct ice_unpack *rest, struct ice_unit *unit) {
    struct ice_check *ck = &unit->reader->ck;
    const uint64_t order = ICE_ORDER_MANIFEST + unit->number;
    ICE_TRY(unpack_numbers(rest, unit));
    for (int kind = 0; kind < ICE_NAMED_KINDS; kind++) {
        const size_t n = ice_unpack_count(rest, NUMBER_BYTES);
        for (size_t i = 0; i < n; i++)
            ice_named_add(ck, (enum ice_named_kind)kind, ice_unpack_i64(rest));
    }
    if (ck->n_header_missing > 0 &&
        !ice_place_unpack(rest, &ck->arena, order, &ck->header_missing_place))
        return ICE_ENOMEM;
    if (ice_unpack_flag(rest) != (ck->paths != NULL) || rest->bad)
        return ICE_EFORMAT;
    if (ck->paths != NULL)
        ICE_TRY(ice_path_rules_unpack(rest, ck, order));
    ICE_TRY(ice_emit_unpack(rest, unit->emit, order));
    return ice_unpack_left(rest) == 0 ? ICE_OK : ICE_EFORMAT;
}
