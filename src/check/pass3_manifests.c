/*
 * Pass 3: each distinct manifest once, entries checked where they are decoded.
 *
 * reads          the manifests that pass 2 numbered
 * checks         groups 13, 15 to 18, and of 14 what needs list and manifest together
 * leaves behind  totals and sums per manifest, 32 bytes an entry (facts.h)
 */
#include "base/error.h"
#include "check/file_rules.h"
#include "check/progress.h"
#include "check/storage.h"
#include "check/unit_cache.h"
#include "check/unit.h"

#include <inttypes.h>

/* ---- what the list says ---- */

/* Where the manifest is named: the record of the first list, or inline in metadata.json.
 */
static void place_name(const struct ice_manifest_walk *walk, struct ice_row_place *out) {
    const struct ice_check *ck = walk->ck;
    const struct ice_list_record *record = walk->record;
    if (record) {
        ice_record_place(ck, record, ICE_LIST_manifest_path, out);
        return;
    }
    out->place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
    out->place.at.pointer = ice_str_make(out->pointer, 0);
    ice_row_place_step(out, ICE_STR("snapshots"));
    ice_row_place_index(out, ck->snapshots[walk->facts->first_snapshot].index);
    ice_row_place_step(out, ICE_STR("manifests"));
}

/* Iceberg Java takes embedded manifests of v1 for spec 0. */
static void check_inline_spec(const struct ice_manifest_walk *walk, int64_t spec_id) {
    struct ice_row_place at;
    if (walk->facts == NULL || walk->ck->version != 1 || spec_id == 0)
        return;
    place_name(walk, &at);
    FOUND(walk->ck->emit, ICE_RULE_SNAPSHOT_MANIFESTS_V1_SPEC_ASSUMPTION, &at.place,
          arg_str("path", walk->file), arg_i64("spec", spec_id));
}

/*
 * The spec by which the tuples are judged: of the list record, as in Iceberg Java; where
 * only inline `manifests` name the file, of its header, else 0.
 */
static void find_spec(struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    int64_t id = 0;
    if (walk->record) {
        if (!ice_record_has(walk->record, ICE_LIST_partition_spec_id))
            return;
        id = walk->record->row.partition_spec_id;
    } else if (manifest->header & ~manifest->header_bad & ICE_MHEAD_SPEC_ID) {
        id = manifest->header_spec_id;
        check_inline_spec(walk, id);
    }
    if (walk->facts && id >= INT32_MIN && id <= INT32_MAX)
        walk->spec = ice_metadata_find_spec(&walk->ck->metadata, (int32_t)id);
}

/* Which spec and schema its header names: both are needed as long as it is listed. */
static void name_layouts(const struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    unsigned usable = manifest->header & ~manifest->header_bad;
    if (usable & ICE_MHEAD_SPEC_ID)
        ice_named_add(walk->ck, ICE_NAMED_SPEC, manifest->header_spec_id);
    if (usable & ICE_MHEAD_SCHEMA_ID)
        ice_named_add(walk->ck, ICE_NAMED_SCHEMA, manifest->header_schema_id);
    else if ((usable & ICE_MHEAD_SCHEMA) && manifest->header_schema.has_schema_id)
        ice_named_add(walk->ck, ICE_NAMED_SCHEMA, manifest->header_schema.schema_id);
}

static void begin(struct ice_manifest_walk *walk) {
    struct ice_manifest *manifest = walk->manifest;
    const struct ice_check *ck = walk->ck;
    int table = ck->version < 1 || ck->version > 3 ? 3 : ck->version;
    walk->version = manifest->written_version < table ? manifest->written_version : table;
    walk->has_header = manifest->header & ~(unsigned)ICE_MHEAD_SCHEMA_ID;
    find_spec(walk);
    if (!walk->facts)
        return;
    name_layouts(walk);
    walk->unit->has_sequence_columns =
        ice_manifest_has_column(manifest, ICE_ENTRY_sequence_number);
    walk->has_newest = ice_manifest_newest(ck, walk->facts, &walk->newest_snapshot);
    if (!walk->record)
        return;
    /* without field ids no column is found: avro.field-id.none says so */
    walk->has_sequence_rules = ck->version >= 2 &&
                               ice_record_has(walk->record, ICE_LIST_sequence_number) &&
                               ice_avro_has_ids(manifest->schema);
    walk->inherit = ice_manifest_inherit(walk->facts);
}

/* ---- entries ---- */

/* Do all rules that are on want no more of an entry than the file it names? Then what
 * was decoded is not looked at, and no facts are kept: --only 'storage.*'. */
static bool wants_names_only(const struct ice_check *ck) {
    static const char *const families[] = {"storage.", "stats.", "pstats.", "path.",
                                           "source.",  "limit.", "json."};
    for (int id = 0; id < ICE_RULE_ID_COUNT; id++) {
        bool is_known = !ice_emit_is_on(ck->emit, (enum ice_rule_id)id);
        struct ice_str name = ice_str_from(ice_rule_of((enum ice_rule_id)id)->name);
        for (size_t i = 0; i < ICE_COUNT_OF(families) && !is_known; i++)
            is_known = ice_str_starts(name, ice_str_from(families[i]));
        if (!is_known)
            return false;
    }
    return true;
}

static enum ice_status judge_entry(struct ice_manifest_walk *walk,
                                   const struct ice_manifest_entry *entry) {
    if (walk->ck->names_only) {
        walk->n_entries++;
    } else {
        if (ice_entry_has(walk->manifest, entry, ICE_FILE_sort_order_id))
            ice_named_add(walk->ck, ICE_NAMED_ORDER, entry->file.sort_order_id);
        ICE_TRY(ice_entry_rules(walk, entry));
    }
    ICE_TRY(ice_path_rules_entry(walk, entry));
    return ice_storage_add_entry(walk, entry);
}

/* A fault costs the rest of its block; the reader goes on behind it. */
static enum ice_status read_entries(struct ice_manifest_walk *walk, bool *out_whole,
                                    struct ice_error *err) {
    struct ice_place place = ice_place_file(walk->file, walk->order);
    const struct ice_manifest_entry *entry = NULL;
    struct ice_error fault;
    *out_whole = true;
    ice_error_clear(&fault);
    for (;;) {
        enum ice_status status = ice_manifest_next(walk->manifest, &entry, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status == ICE_OK) {
            if (judge_entry(walk, entry) < 0)
                return ice_error_memory(err);
            continue;
        }
        *out_whole = false;
        if (fault.status >= 0)
            fault.status = status;
        ice_partition_fixed_fault(walk, &fault);
        ICE_TRY(ice_check_fault(walk->ck, &fault, &place, walk->scope, "manifest"));
        if (fault.status != ICE_EFORMAT && fault.status != ICE_ELIMIT)
            return ICE_OK; /* the source failed: no more comes */
        ice_error_clear(&fault);
    }
}

static void report_end(const struct ice_manifest_walk *walk) {
    const struct ice_avro_file *file = &walk->manifest->file;
    if (file->varint_not_shortest) {
        struct ice_place place = ice_place_file(walk->file, walk->order);
        place.at.offset = file->varint_not_shortest_offset;
        FOUND(walk->ck->emit, ICE_RULE_AVRO_VARINT_NOT_SHORTEST, &place, ARG_NONE);
    }
}

/* Is it one of delete files, as its list or its header says? */
static bool is_of_deletes(const struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    if (walk->version < 2)
        return false;
    if (walk->record && ice_record_has(walk->record, ICE_LIST_content))
        return walk->record->row.content == 1;
    return manifest->header & ICE_MHEAD_CONTENT &&
           ice_str_is(manifest->header_content, "deletes");
}

/* The rule that has spoken of a column that is not found. */
static const char *lost_column(const struct ice_manifest_walk *walk,
                               enum ice_entry_bit bit) {
    struct ice_str name = ice_manifest_column_name(walk->manifest, bit);
    if (ice_manifest_has_column(walk->manifest, bit))
        return "avro.field.type";
    if (ice_column_lacks_id(walk, name))
        return "avro.field-id.partial";
    return bit == ICE_FILE_content ? "manifest.file.content.missing"
                                   : "avro.field.missing";
}

/*
 * Without these columns nobody knows which files are live, and without the last two not
 * what a delete file is: that a column is missing or cannot be read was said, and what
 * several files ask of each other is not evaluated.
 */
static bool names_its_files(const struct ice_manifest_walk *walk) {
    static const enum ice_entry_bit needed[] = {ICE_ENTRY_status, ICE_ENTRY_data_file,
                                                ICE_FILE_file_path, ICE_FILE_content,
                                                ICE_FILE_file_format};
    const struct ice_manifest *manifest = walk->manifest;
    size_t n = is_of_deletes(walk) ? ICE_COUNT_OF(needed) : ICE_COUNT_OF(needed) - 2;
    for (size_t i = 0; i < n; i++) {
        bool is_record = needed[i] == ICE_ENTRY_data_file;
        if (is_record ? ice_manifest_has_column(manifest, needed[i])
                      : manifest->plan.present >> needed[i] & 1)
            continue;
        ice_emit_not_evaluated(walk->ck->emit, "manifest",
                               ice_str_from(lost_column(walk, needed[i])), true,
                               walk->file);
        return false;
    }
    return true;
}

/* What the rules on entries need. */
static enum ice_status open_rules(struct ice_manifest_walk *walk) {
    ice_facts_begin(walk);
    ice_manifest_header_rules(walk);
    ice_partition_struct_rules(walk);
    ICE_TRY(ice_partition_ranges_open(walk));
    ICE_TRY(ice_metrics_begin(walk));
    return ice_partition_values_open(walk);
}

static void judge_records(struct ice_manifest_walk *walk, bool whole) {
    for (const struct ice_list_record *record = walk->record; record;
         record = record->next) {
        ice_record_rules(walk, record, whole);
        ice_summary_rules(walk, record, whole);
    }
}

/*
 * A file that was cut between two blocks looks whole: nothing in it says how many there
 * were. Every list that names it does, by length and counts; one of the two alone may be
 * a writer's fault.
 */
static bool is_cut(const struct ice_manifest_walk *walk) {
    const struct ice_list_record *record = walk->record;
    if (walk->totals.has_bad_status)
        return false;
    while (record && ice_record_is_short(walk, record))
        record = record->next;
    return walk->record && !record;
}

static enum ice_status report_cut(const struct ice_manifest_walk *walk) {
    const struct ice_manifest_file *row = &walk->record->row;
    struct ice_place place = ice_place_file(walk->file, walk->order);
    struct ice_error fault;
    ice_error_clear(&fault);
    (void)ice_error_set(&fault, ICE_EFORMAT, "avro.truncated", walk->stored,
                        "the file ends between two blocks: %" PRIu64 " of %" PRId64
                        " bytes are there, and fewer entries than its list counts",
                        walk->stored, row->manifest_length);
    return ice_check_fault(walk->ck, &fault, &place, walk->scope, "manifest");
}

static enum ice_status check_open_manifest(struct ice_manifest_walk *walk,
                                           struct ice_error *err) {
    bool whole = false, names_only = walk->ck->names_only;
    begin(walk);
    enum ice_status status = names_only ? ICE_OK : open_rules(walk);
    if (status == ICE_OK)
        status = read_entries(walk, &whole, err);
    report_end(walk);
    whole = names_its_files(walk) && whole;
    if (status == ICE_OK && whole && is_cut(walk)) {
        whole = false;
        status = report_cut(walk);
    }
    if (status == ICE_OK && whole && walk->n_entries == 0) {
        struct ice_place place =
            ice_place_at(walk->file, walk->order, ICE_STR("/records"));
        FOUND(walk->ck->emit, ICE_RULE_MANIFEST_EMPTY, &place, ARG_NONE);
    }
    if (status == ICE_OK && !names_only)
        judge_records(walk, whole);
    ice_partition_ranges_close(walk);
    walk->ck->n_entries += walk->n_entries;
    if (walk->unit) {
        walk->unit->state = whole ? ICE_READ_WHOLE : ICE_READ_PARTLY;
        walk->unit->totals = walk->totals;
    }
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

/* ---- one manifest ---- */

static enum ice_status read_manifest(struct ice_manifest_walk *walk,
                                     struct ice_stream *stream, struct ice_error *err) {
    struct ice_check *ck = walk->ck;
    struct ice_manifest manifest;
    struct ice_fault_sink sink = {.ck = ck,
                                  .place = ice_place_file(walk->file, walk->order)};
    struct ice_error fault;
    ice_error_clear(&fault);
    walk->manifest = &manifest;
    ck->n_manifests_read++;
    enum ice_status status = ice_manifest_open(&manifest, ck->run, stream,
                                               ice_check_avro_fault, &sink, &fault);
    if (status < 0 && manifest.is_parquet && ck->version >= 4) {
        if (ck->n_parquet_manifests++ == 0)
            ck->parquet_place = sink.place;
        ice_emit_not_evaluated(ck->emit, "manifest",
                               ICE_STR("a Parquet manifest of the v4 draft"), true,
                               walk->file);
        status = ICE_OK;
    } else if (status < 0) {
        if (fault.status >= 0)
            fault.status = status;
        status = ice_check_fault(ck, &fault, &sink.place, walk->scope, "manifest");
        if (status < 0)
            (void)ice_error_pass(err, status, &fault);
    } else if (manifest.encrypted) {
        ice_encrypted_file(ck, &sink.place, "manifest",
                           walk->record == NULL ||
                               ice_record_has(walk->record, ICE_LIST_key_metadata),
                           "its list has no key_metadata for it");
        ice_emit_not_evaluated(ck->emit, "manifest", ICE_STR("it is encrypted"), true,
                               walk->file);
    } else {
        status = check_open_manifest(walk, err);
    }
    walk->manifest = NULL;
    ice_manifest_release(&manifest);
    return status;
}

/*
 * A file that was cut inside a block is shorter than its list says, and a finding has
 * said so: one cause, one finding.
 */
static void check_length(const struct ice_manifest_walk *walk) {
    uint64_t stored = walk->stored;
    for (const struct ice_list_record *record = walk->record; record;
         record = record->next) {
        int64_t declared = record->row.manifest_length;
        struct ice_row_place at;
        if (!ice_record_has(record, ICE_LIST_manifest_length) || declared <= 0 ||
            (uint64_t)declared == stored)
            continue;
        if (walk->unit->state != ICE_READ_WHOLE && stored < (uint64_t)declared)
            continue;
        struct ice_place manifest = ice_place_file(walk->file, walk->order);
        ice_record_place(walk->ck, record, ICE_LIST_manifest_length, &at);
        FOUND_VS(walk->ck->emit, ICE_RULE_LIST_MANIFEST_LENGTH_MISMATCH, ICE_DEFAULT,
                 &at.place, &manifest, arg_i64("declared", declared),
                 arg_str("path", walk->file), arg_i64("stored", (int64_t)stored));
    }
}

static enum ice_status check_manifest(struct ice_unit *unit, struct ice_error *err) {
    struct ice_check *ck = &unit->reader->ck;
    const struct ice_manifest_facts *facts = &ck->manifests[unit->number];
    struct ice_manifest_walk walk = {.ck = ck,
                                     .metrics = &unit->reader->metrics,
                                     .unit = unit,
                                     .facts = facts,
                                     .file = ice_check_file_name(ck, facts->path),
                                     .order = ICE_ORDER_MANIFEST + unit->number,
                                     .scope = ice_manifest_scope(ck, facts),
                                     .record = facts->records};
    struct ice_row_place named_at;
    struct ice_stream stream = {0};
    struct ice_file_info info;
    place_name(&walk, &named_at);
    enum ice_status status = ice_check_open(ck, facts->path, &named_at.place,
                                            ICE_RULE_STORAGE_MANIFEST_MISSING, walk.scope,
                                            "manifest", &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    walk.stored = info.size;
    status = read_manifest(&walk, &stream, err);
    ice_stream_release(&stream);
    if (status >= 0)
        check_length(&walk);
    return status;
}

enum ice_status ice_unit_read(struct ice_unit *unit, struct ice_unit_reader *reader,
                              uint32_t number) {
    struct ice_error *err = &unit->fault;
    ice_error_clear(err);
    enum ice_status status = ice_unit_begin(unit, reader, number);
    bool is_known = false;
    if (status == ICE_OK)
        status = ice_unit_cache_load(unit, &is_known);
    if (status == ICE_OK && !is_known)
        status = check_manifest(unit, err);
    enum ice_status end = ice_unit_end(unit);
    if (status >= 0)
        status = end;
    if (status == ICE_OK && !is_known)
        ice_unit_cache_store(unit, reader);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

static void report_once_a_table(struct ice_check *ck) {
    if (ck->n_header_missing > 0)
        FOUND(ck->emit, ICE_RULE_MANIFEST_HEADER_MISSING, &ck->header_missing_place,
              arg_i64("files", (int64_t)ck->n_header_missing));
    if (ck->n_parquet_manifests > 0)
        FOUND(ck->emit, ICE_RULE_V4_MANIFEST_NOT_AVRO, &ck->parquet_place,
              arg_i64("count", (int64_t)ck->n_parquet_manifests));
}

enum ice_status ice_pass3_manifests(struct ice_check *ck, struct ice_error *err) {
    if (ice_facts_open(ck) < 0)
        return ice_error_memory(err);
    ck->names_only = ck->names_only || wants_names_only(ck);
    ck->facts->dropped = ck->names_only;
    if (ice_cache_begin(ck) < 0)
        return ice_error_memory(err);
    ice_progress_begin(ck);
    ICE_TRY(ice_units_run(ck, err));
    ice_cache_end(ck);
    report_once_a_table(ck);
    return ICE_OK;
}

enum ice_status ice_check_lone_manifest(struct ice_check *ck, struct ice_error *err) {
    struct ice_metrics metrics = {0};
    struct ice_manifest_walk walk = {.ck = ck,
                                     .metrics = &metrics,
                                     .order = ICE_ORDER_MANIFEST,
                                     .scope = ICE_SCOPE_HEAD};
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_status status = ice_check_open_target(ck, &walk.file, &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    status = ice_metrics_open(&metrics, ck, true);
    status = status < 0 ? ice_error_memory(err) : read_manifest(&walk, &stream, err);
    ice_metrics_release(&metrics);
    ice_stream_release(&stream);
    report_once_a_table(ck);
    return status;
}
