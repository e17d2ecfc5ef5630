/*
 * Group 16: one entry, where it is decoded. Explicit values are judged here; inherited
 * ones follow from the list record and are right by construction.
 */
#include "base/error.h"
#include "base/size.h"
#include "check/ancestry.h"
#include "check/file_rules.h"
#include "check/unit.h"

bool ice_column_lacks_id(const struct ice_manifest_walk *walk, struct ice_str name) {
    enum { ID_DATA_FILE = 2 };
    bool nullable;
    const struct ice_avro_field *file =
        ice_avro_field_by_id(walk->manifest->schema, ID_DATA_FILE);
    const struct ice_avro_schema *record =
        file ? ice_avro_not_null(file->type, &nullable) : NULL;
    const struct ice_avro_field *column = record && record->type == ICE_AVRO_RECORD
                                              ? ice_avro_field_by_name(record, name)
                                              : NULL;
    return column && !column->id.has;
}

void ice_entry_place(const struct ice_manifest_walk *walk, enum ice_entry_bit bit,
                     struct ice_row_place *out) {
    const struct ice_manifest *manifest = walk->manifest;
    ice_row_place_of(out, walk->file, walk->order, &manifest->rows);
    if (bit >= ICE_FILE_content)
        ice_row_place_step(out, ice_manifest_column_name(manifest, ICE_ENTRY_data_file));
    ice_row_place_step(out, ice_manifest_column_name(manifest, bit));
}

static bool has(const struct ice_manifest_walk *walk,
                const struct ice_manifest_entry *entry, enum ice_entry_bit bit) {
    return ice_entry_has(walk->manifest, entry, bit);
}

/* The column is there, its value is null. */
static bool is_null(const struct ice_manifest_walk *walk,
                    const struct ice_manifest_entry *entry, enum ice_entry_bit bit) {
    return (walk->manifest->plan.present & entry->null) >> bit & 1;
}

static const char *status_name(int32_t status) {
    return status == ICE_STATUS_ADDED     ? "added"
           : status == ICE_STATUS_DELETED ? "deleted"
                                          : "existing";
}

/* ---- required values ---- */

static void found_null(const struct ice_manifest_walk *walk, enum ice_entry_bit bit) {
    struct ice_row_place at;
    ice_entry_place(walk, bit, &at);
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_FIELD_NULL, &at.place,
          arg_str("field", ice_manifest_column_name(walk->manifest, bit)));
}

static void required_values(const struct ice_manifest_walk *walk,
                            const struct ice_manifest_entry *entry) {
    static const enum ice_entry_bit bits[] = {ICE_ENTRY_status, ICE_FILE_file_path,
                                              ICE_FILE_file_format, ICE_FILE_record_count,
                                              ICE_FILE_file_size_in_bytes};
    bool is_deleted =
        has(walk, entry, ICE_ENTRY_status) && entry->status == ICE_STATUS_DELETED;
    if (is_deleted || (entry->null & walk->manifest->plan.present) == 0)
        return;
    if (is_null(walk, entry, ICE_ENTRY_data_file)) {
        if (is_null(walk, entry, ICE_ENTRY_status))
            found_null(walk, ICE_ENTRY_status);
        found_null(walk, ICE_ENTRY_data_file);
        return;
    }
    for (size_t i = 0; i < ICE_COUNT_OF(bits); i++)
        if (is_null(walk, entry, bits[i]))
            found_null(walk, bits[i]);
}

static void partition_value(const struct ice_manifest_walk *walk,
                            const struct ice_manifest_entry *entry) {
    struct ice_row_place at;
    if (!walk->spec || walk->spec->n_fields == 0 || walk->ck->version > 3 ||
        entry->status == ICE_STATUS_DELETED ||
        is_null(walk, entry, ICE_ENTRY_data_file) ||
        !is_null(walk, entry, ICE_FILE_partition))
        return;
    ice_entry_place(walk, ICE_FILE_partition, &at);
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_PARTITION_MISSING, &at.place,
          arg_text("what", "partition is null, but the spec has fields"));
}

/* ---- snapshot id ---- */

/* What that snapshot added is not known: its summary is not compared. */
static enum ice_status dispute(const struct ice_manifest_walk *walk,
                               int64_t snapshot_id) {
    struct ice_unit *unit = walk->unit;
    struct ice_alloc *alloc = &walk->ck->run->alloc;
    uint64_t key = ice_hash_mix((uint64_t)snapshot_id, walk->ck->run->hash_seed);
    uint32_t number;
    size_t at = SIZE_MAX;
    if (unit == NULL)
        return ICE_OK;
    if (!ice_snapshot_number(walk->ck, snapshot_id, &number)) {
        unit->asks_snapshots = true;
        return ICE_OK;
    }
    while (ice_table_next(&unit->disputed_by_id, key, &at, &number))
        if (unit->disputed[number] == snapshot_id)
            return ICE_OK;
    if (!ice_array_reserve(alloc, &unit->disputed, unit->n_disputed, &unit->cap_disputed,
                           sizeof(*unit->disputed)))
        return ICE_ENOMEM;
    unit->disputed[unit->n_disputed] = snapshot_id;
    return ice_table_put(&unit->disputed_by_id, key, (uint32_t)unit->n_disputed++);
}

static enum ice_status snapshot_id(const struct ice_manifest_walk *walk,
                                   const struct ice_manifest_entry *entry) {
    struct ice_row_place at;
    if (walk->version == 1 && is_null(walk, entry, ICE_ENTRY_snapshot_id)) {
        ice_entry_place(walk, ICE_ENTRY_snapshot_id, &at);
        FOUND(walk->ck->emit, ICE_RULE_MANIFEST_ENTRY_SNAPSHOT_ID_MISSING, &at.place,
              ARG_NONE);
        return ICE_OK;
    }
    const struct ice_list_record *record = walk->record;
    if (!record || !ice_record_has(record, ICE_LIST_added_snapshot_id) ||
        entry->status == ICE_STATUS_EXISTING ||
        !has(walk, entry, ICE_ENTRY_snapshot_id) ||
        entry->snapshot_id == record->row.added_snapshot_id)
        return ICE_OK;
    ICE_TRY(dispute(walk, entry->snapshot_id));
    ICE_TRY(dispute(walk, record->row.added_snapshot_id));
    ice_entry_place(walk, ICE_ENTRY_snapshot_id, &at);
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_ENTRY_SNAPSHOT_ID_MISMATCH, &at.place,
          arg_text("status", status_name(entry->status)),
          arg_id("found", entry->snapshot_id),
          arg_id("expected", record->row.added_snapshot_id));
    return ICE_OK;
}

/* ---- sequence numbers ---- */

/* Null, or no such column in a file of version 2 on: then one finding a file and status.
 */
static bool lacks_sequence(struct ice_manifest_walk *walk,
                           const struct ice_manifest_entry *entry) {
    if (is_null(walk, entry, ICE_ENTRY_sequence_number))
        return true;
    bool *said = &walk->said_no_sequence[entry->status];
    if (walk->version < 2 || *said ||
        ice_manifest_has_column(walk->manifest, ICE_ENTRY_sequence_number))
        return false;
    *said = true;
    return true;
}

static void missing_sequence(struct ice_manifest_walk *walk,
                             const struct ice_manifest_entry *entry) {
    struct ice_emit *emit = walk->ck->emit;
    struct ice_row_place at;
    int64_t sequence = walk->record->row.sequence_number;
    if (entry->status == ICE_STATUS_ADDED)
        return;
    if (lacks_sequence(walk, entry)) {
        ice_entry_place(walk, ICE_ENTRY_sequence_number, &at);
        if (entry->status == ICE_STATUS_DELETED)
            FOUND(emit, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_MISSING_DELETED,
                  &at.place, ARG_NONE);
        else if (sequence > 0)
            FOUND(emit, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_MISSING_EXISTING,
                  &at.place, arg_i64("sequence_number", sequence));
    }
    if (walk->version < 2 || has(walk, entry, ICE_ENTRY_file_sequence_number))
        return;
    /* an absent column is one finding a file */
    if (!is_null(walk, entry, ICE_ENTRY_file_sequence_number)) {
        if (walk->said & ICE_BIT(ICE_ENTRY_file_sequence_number))
            return;
        walk->said |= ICE_BIT(ICE_ENTRY_file_sequence_number);
    }
    ice_entry_place(walk, ICE_ENTRY_file_sequence_number, &at);
    FOUND(emit, ICE_RULE_MANIFEST_ENTRY_FILE_SEQUENCE_NUMBER_MISSING, &at.place,
          arg_text("status", status_name(entry->status)));
}

static void found_number(const struct ice_manifest_walk *walk, enum ice_rule_id rule,
                         enum ice_entry_bit bit, int64_t value, const char *other_name,
                         int64_t other) {
    struct ice_row_place at;
    ice_entry_place(walk, bit, &at);
    FOUND(walk->ck->emit, rule, &at.place,
          arg_str("field", ice_manifest_column_name(walk->manifest, bit)),
          arg_i64("found", value), arg_i64(other_name, other));
}

/* Above every snapshot that holds the file, or only above the manifest: one finding. */
static void above(const struct ice_manifest_walk *walk,
                  const struct ice_manifest_entry *entry) {
    const struct ice_check *ck = walk->ck;
    struct ice_row_place at;
    if (walk->has_newest) {
        const struct ice_snapshot *newest =
            &ck->metadata.snapshots[ck->snapshots[walk->newest_snapshot].index];
        if (entry->sequence_number > newest->sequence_number) {
            ice_entry_place(walk, ICE_ENTRY_sequence_number, &at);
            FOUND(ck->emit, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_ABOVE_SNAPSHOT,
                  &at.place, arg_i64("found", entry->sequence_number),
                  arg_id("snapshot_id", newest->snapshot_id),
                  arg_i64("snapshot", newest->sequence_number));
            return;
        }
    }
    if (walk->has_sequence_rules &&
        entry->sequence_number > walk->record->row.sequence_number)
        found_number(walk, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_ABOVE_MANIFEST,
                     ICE_ENTRY_sequence_number, entry->sequence_number, "sequence_number",
                     walk->record->row.sequence_number);
}

static void data_number(const struct ice_manifest_walk *walk,
                        const struct ice_manifest_entry *entry) {
    if (entry->sequence_number < 0)
        found_number(walk, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_NEGATIVE,
                     ICE_ENTRY_sequence_number, entry->sequence_number, "least", 0);
    else
        above(walk, entry);
    if (has(walk, entry, ICE_ENTRY_file_sequence_number) &&
        entry->file_sequence_number >= 0 &&
        entry->sequence_number > entry->file_sequence_number)
        found_number(walk, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_ABOVE_FILE,
                     ICE_ENTRY_sequence_number, entry->sequence_number,
                     "file_sequence_number", entry->file_sequence_number);
}

static void file_number(const struct ice_manifest_walk *walk,
                        const struct ice_manifest_entry *entry) {
    int64_t value = entry->file_sequence_number;
    if (value < 0) {
        found_number(walk, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_NEGATIVE,
                     ICE_ENTRY_file_sequence_number, value, "least", 0);
        return;
    }
    if (!walk->has_sequence_rules)
        return;
    int64_t sequence = walk->record->row.sequence_number;
    if (value > sequence)
        found_number(walk, ICE_RULE_MANIFEST_ENTRY_FILE_SEQUENCE_NUMBER_ABOVE_MANIFEST,
                     ICE_ENTRY_file_sequence_number, value, "sequence_number", sequence);
    else if (entry->status == ICE_STATUS_ADDED && value != sequence)
        found_number(walk, ICE_RULE_MANIFEST_ENTRY_FILE_SEQUENCE_NUMBER_ADDED,
                     ICE_ENTRY_file_sequence_number, value, "sequence_number", sequence);
}

static void sequence_in_v1(struct ice_manifest_walk *walk) {
    static const enum ice_entry_bit bits[] = {ICE_ENTRY_sequence_number,
                                              ICE_ENTRY_file_sequence_number};
    for (size_t i = 0; i < ICE_COUNT_OF(bits); i++) {
        struct ice_row_place at;
        if (walk->said & ICE_BIT(bits[i]) ||
            !ice_manifest_has_column(walk->manifest, bits[i]))
            continue;
        walk->said |= ICE_BIT(bits[i]); /* a column, so one finding a file */
        ice_entry_place(walk, bits[i], &at);
        FOUND(walk->ck->emit, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_IN_V1, &at.place,
              arg_str("field", ice_manifest_column_name(walk->manifest, bits[i])));
    }
}

static void sequence_numbers(struct ice_manifest_walk *walk,
                             const struct ice_manifest_entry *entry) {
    const struct ice_manifest *manifest = walk->manifest;
    bool says_v1 = manifest->header & ICE_MHEAD_VERSION ? manifest->header_version == 1
                                                        : walk->ck->version == 1;
    if (says_v1 && walk->has_header) {
        sequence_in_v1(walk);
        return;
    }
    if (walk->ck->version == 1)
        return;
    if (walk->has_sequence_rules)
        missing_sequence(walk, entry);
    if (has(walk, entry, ICE_ENTRY_sequence_number))
        data_number(walk, entry);
    if (has(walk, entry, ICE_ENTRY_file_sequence_number))
        file_number(walk, entry);
}

/* ---- what later checks need ---- */

static void count_rows(struct ice_manifest_walk *walk,
                       const struct ice_manifest_entry *entry) {
    struct ice_manifest_totals *totals = &walk->totals;
    int32_t status = entry->status;
    totals->entries[status]++;
    if (!has(walk, entry, ICE_FILE_record_count) ||
        !ice_i64_add(totals->rows[status], entry->file.record_count,
                     &totals->rows[status]))
        totals->rows_unknown[status] = true;
    /* imported Avro files carried -1; of a deleted entry nothing else says what is wrong
     */
    if (entry->file.record_count == -1 ||
        (entry->file.record_count < 0 && status != ICE_STATUS_DELETED))
        totals->rows_negative[status] = true;
}

/* An absent column means data, except in files that a plain Avro library wrote anew. */
static void note_content(struct ice_manifest_walk *walk,
                         const struct ice_manifest_entry *entry) {
    int32_t content = entry->file.content;
    if ((!has(walk, entry, ICE_FILE_content) && !walk->has_header) || content < 0 ||
        content > 2 || walk->totals.has_contents[content])
        return;
    walk->totals.has_contents[content] = true;
    walk->totals.first_of_content[content] = walk->manifest->rows.record;
}

static void note_sequence(struct ice_manifest_walk *walk,
                          const struct ice_manifest_entry *entry,
                          const struct ice_effective *effective) {
    struct ice_manifest_totals *totals = &walk->totals;
    if (has(walk, entry, ICE_ENTRY_sequence_number)) {
        if (entry->sequence_number >= 0 &&
            (!totals->has_live_sequence ||
             entry->sequence_number < totals->min_live_sequence))
            totals->min_live_sequence = entry->sequence_number;
        totals->has_live_sequence |= entry->sequence_number >= 0;
    } else if (effective->has_sequence_number) {
        totals->has_inherited_live = true;
    } else {
        totals->has_unknown_live = true;
    }
}

enum ice_status ice_entry_rules(struct ice_manifest_walk *walk,
                                const struct ice_manifest_entry *entry) {
    struct ice_effective effective;
    walk->n_entries++;
    required_values(walk, entry);
    if (!has(walk, entry, ICE_ENTRY_status) || entry->status < 0 || entry->status > 2) {
        struct ice_row_place at;
        walk->totals.has_bad_status = true;
        if (!has(walk, entry, ICE_ENTRY_status))
            return ICE_OK;
        ice_entry_place(walk, ICE_ENTRY_status, &at);
        FOUND(walk->ck->emit, ICE_RULE_MANIFEST_ENTRY_STATUS_INVALID, &at.place,
              arg_i64("found", entry->status));
        return ICE_OK;
    }
    bool is_live = entry->status != ICE_STATUS_DELETED;
    partition_value(walk, entry);
    ICE_TRY(snapshot_id(walk, entry));
    sequence_numbers(walk, entry);
    count_rows(walk, entry);
    note_content(walk, entry);
    ice_inherit_apply(&walk->inherit, walk->manifest, entry, &effective);
    if (is_live) {
        note_sequence(walk, entry, &effective);
        ICE_TRY(ice_data_file_rules(walk, entry, &effective));
    }
    ICE_TRY(ice_facts_add(walk, entry, &effective));
    if (!has(walk, entry, ICE_FILE_partition))
        return ICE_OK;
    return ice_partition_ranges_add(walk, &entry->file.partition, is_live);
}
