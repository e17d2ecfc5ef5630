/*
 * Group 14 as far as a list and metadata.json decide it. What needs the manifest is in
 * record_rules.c and summary_rules.c.
 */
#include "check/list_rules.h"

#include "check/ancestry.h"

/* ---- what a version requires ---- */

enum { NO, OPT, REQ, DEP };

static const unsigned char needs[ICE_LIST_COUNT][3] = {
#define ICE_FIELD(member, kind, v1, v2, v3, id, name) [ICE_LIST_##member] = {v1, v2, v3},
#include "iceberg/fields/manifest_file.def"
#undef ICE_FIELD
};

static int table_version(const struct ice_check *ck) {
    return ck->version < 1 || ck->version > 3 ? 3 : ck->version;
}

enum ice_status ice_list_walk_begin(struct ice_list_walk *walk) {
    struct ice_check *ck = walk->ck;
    struct ice_list_names names;
    walk->version = walk->list->written_version;
    if (walk->version > table_version(ck))
        walk->version = table_version(ck);
    ice_manifest_list_names(walk->list, &names);
    const struct ice_str *from = names.row;
    bool same = ck->list_names != NULL;
    for (size_t i = 0; same && i < ICE_LIST_COUNT; i++)
        same = ice_str_equal(names.row[i], ck->list_names->row[i]);
    for (size_t i = 0; same && i < ICE_SUMMARY_COUNT; i++)
        same = ice_str_equal(names.summary[i], ck->list_names->summary[i]);
    if (!same) {
        struct ice_list_names *kept = ice_arena_alloc(&ck->arena, sizeof(*kept));
        if (!kept)
            return ICE_ENOMEM;
        for (size_t i = 0; i < ICE_LIST_COUNT; i++)
            if (!ice_arena_dup(&ck->arena, from[i], &kept->row[i]))
                return ICE_ENOMEM;
        for (size_t i = 0; i < ICE_SUMMARY_COUNT; i++)
            if (!ice_arena_dup(&ck->arena, names.summary[i], &kept->summary[i]))
                return ICE_ENOMEM;
        ck->list_names = kept;
    }
    walk->names = ck->list_names;
    return ICE_OK;
}

/* ---- places ---- */

void ice_list_place(const struct ice_list_walk *walk, enum ice_list_bit bit,
                    struct ice_row_place *out) {
    ice_row_place_of(out, walk->file, walk->order, &walk->list->rows);
    ice_row_place_step(out, walk->names->row[bit]);
}

/* ---- rows ---- */

static bool has(const struct ice_list_walk *walk, const struct ice_manifest_file *row,
                enum ice_list_bit bit) {
    return ice_list_has(walk->list, row, bit);
}

static void found_field(const struct ice_list_walk *walk, enum ice_rule_id rule,
                        enum ice_list_bit bit, int64_t value) {
    struct ice_row_place at;
    ice_list_place(walk, bit, &at);
    FOUND(walk->ck->emit, rule, &at.place, arg_str("field", walk->names->row[bit]),
          arg_i64("found", value));
}

static void required_fields(const struct ice_list_walk *walk,
                            const struct ice_manifest_file *row) {
    uint64_t missing = walk->list->plan.present & row->null;
    if (row->manifest_path.size == 0 && has(walk, row, ICE_LIST_manifest_path))
        missing |= ICE_BIT(ICE_LIST_manifest_path);
    for (unsigned bit = 0; missing && bit < ICE_LIST_COUNT; bit++) {
        if (!(missing >> bit & 1) || needs[bit][walk->version - 1] != REQ)
            continue;
        struct ice_row_place at;
        ice_list_place(walk, (enum ice_list_bit)bit, &at);
        FOUND(walk->ck->emit, ICE_RULE_LIST_FIELD_NULL, &at.place,
              arg_str("field", walk->names->row[bit]));
    }
}

static void required_in_summaries(const struct ice_list_walk *walk,
                                  const struct ice_manifest_file *row) {
    const uint64_t bit = ICE_BIT(ICE_SUMMARY_contains_null);
    const struct ice_field_summary *summaries = row->partitions.items;
    for (size_t i = 0; walk->list->summary_present & bit && i < row->partitions.n; i++) {
        struct ice_row_place at;
        if (!(summaries[i].null & bit))
            continue;
        ice_list_place(walk, ICE_LIST_partitions, &at);
        ice_row_place_index(&at, i);
        ice_row_place_step(&at, walk->names->summary[ICE_SUMMARY_contains_null]);
        FOUND(walk->ck->emit, ICE_RULE_LIST_FIELD_NULL, &at.place,
              arg_str("field", walk->names->summary[ICE_SUMMARY_contains_null]));
    }
}

/* Of deletes another rule speaks: lineage.manifest.on-deletes. */
static void first_row_id(const struct ice_list_walk *walk,
                         const struct ice_manifest_file *row) {
    bool is_deletes = has(walk, row, ICE_LIST_content) && row->content == 1;
    if (walk->ck->version >= 3 && has(walk, row, ICE_LIST_first_row_id) && !is_deletes &&
        row->first_row_id < 0)
        found_field(walk, ICE_RULE_LINEAGE_FIRST_ROW_ID_NEGATIVE, ICE_LIST_first_row_id,
                    row->first_row_id);
}

static void file_counts(const struct ice_list_walk *walk,
                        const struct ice_manifest_file *row) {
    /* negative row counts wait for the manifest: record_rules.c */
    if (row->added_files_count < 0)
        found_field(walk, ICE_RULE_LIST_COUNTS_NEGATIVE, ICE_LIST_added_files_count,
                    row->added_files_count);
    if (row->existing_files_count < 0)
        found_field(walk, ICE_RULE_LIST_COUNTS_NEGATIVE, ICE_LIST_existing_files_count,
                    row->existing_files_count);
    if (row->deleted_files_count < 0)
        found_field(walk, ICE_RULE_LIST_COUNTS_NEGATIVE, ICE_LIST_deleted_files_count,
                    row->deleted_files_count);
}

static void length_and_content(const struct ice_list_walk *walk,
                               const struct ice_manifest_file *row) {
    if (has(walk, row, ICE_LIST_manifest_length) && row->manifest_length <= 0)
        found_field(walk, ICE_RULE_LIST_MANIFEST_LENGTH_NOT_POSITIVE,
                    ICE_LIST_manifest_length, row->manifest_length);
    if (!has(walk, row, ICE_LIST_content))
        return;
    if (walk->ck->version == 1) {
        if (row->content == 1)
            found_field(walk, ICE_RULE_LIST_CONTENT_DELETES_IN_V1, ICE_LIST_content, 1);
    } else if (row->content != 0 && row->content != 1) {
        found_field(walk, ICE_RULE_LIST_CONTENT_INVALID, ICE_LIST_content, row->content);
    }
}

static void spec(const struct ice_list_walk *walk, const struct ice_manifest_file *row) {
    const struct ice_metadata *metadata = &walk->ck->metadata;
    if (!has(walk, row, ICE_LIST_partition_spec_id) || !walk->snapshot ||
        (metadata->n_specs == 0 && !ice_metadata_has(metadata, ICE_META_partition_spec)))
        return;
    const struct ice_partition_spec *found =
        ice_metadata_find_spec(metadata, row->partition_spec_id);
    if (!found) {
        found_field(walk, ICE_RULE_LIST_PARTITION_SPEC_ID_DANGLING,
                    ICE_LIST_partition_spec_id, row->partition_spec_id);
        return;
    }
    size_t n = row->partitions.n;
    /* an unpartitioned table's summaries may be left out or empty */
    if (!has(walk, row, ICE_LIST_partitions) || n == found->n_fields)
        return;
    struct ice_row_place at;
    ice_list_place(walk, ICE_LIST_partitions, &at);
    FOUND(walk->ck->emit, ICE_RULE_LIST_PARTITIONS_COUNT, &at.place,
          arg_i64("found", (int64_t)n), arg_i64("spec_id", row->partition_spec_id),
          arg_i64("expected", (int64_t)found->n_fields));
}

/* ---- sequence numbers and the adding snapshot ---- */

static void sequence_in_v1(struct ice_list_walk *walk,
                           const struct ice_manifest_file *row) {
    static const enum ice_list_bit bits[] = {ICE_LIST_sequence_number,
                                             ICE_LIST_min_sequence_number};
    for (size_t i = 0; i < ICE_COUNT_OF(bits); i++) {
        if (!has(walk, row, bits[i]) || walk->said & ICE_BIT(bits[i]))
            continue;
        walk->said |= ICE_BIT(bits[i]); /* a column, so one finding a list */
        found_field(walk, ICE_RULE_LIST_SEQUENCE_NUMBER_IN_V1, bits[i],
                    i == 0 ? row->sequence_number : row->min_sequence_number);
    }
}

static void sequence_numbers(const struct ice_list_walk *walk,
                             const struct ice_manifest_file *row) {
    const struct ice_snapshot *snapshot = walk->snapshot;
    struct ice_row_place at;
    bool has_sequence = has(walk, row, ICE_LIST_sequence_number);
    bool has_least = has(walk, row, ICE_LIST_min_sequence_number);
    if (has_sequence && row->sequence_number < 0)
        found_field(walk, ICE_RULE_LIST_SEQUENCE_NUMBER_NEGATIVE,
                    ICE_LIST_sequence_number, row->sequence_number);
    if (has_least && row->min_sequence_number < 0)
        found_field(walk, ICE_RULE_LIST_SEQUENCE_NUMBER_NEGATIVE,
                    ICE_LIST_min_sequence_number, row->min_sequence_number);
    /* a snapshot without number has a rule of its own: snapshot.sequence-number.missing
     */
    if (has_sequence && snapshot &&
        ice_snapshot_has(snapshot, ICE_SNAP_sequence_number) &&
        row->sequence_number > snapshot->sequence_number) {
        ice_list_place(walk, ICE_LIST_sequence_number, &at);
        FOUND(walk->ck->emit, ICE_RULE_LIST_SEQUENCE_NUMBER_ABOVE_SNAPSHOT, &at.place,
              arg_i64("found", row->sequence_number),
              arg_i64("snapshot", snapshot->sequence_number));
    }
    if (has_sequence && has_least && row->sequence_number >= 0 &&
        row->min_sequence_number > row->sequence_number) {
        ice_list_place(walk, ICE_LIST_min_sequence_number, &at);
        FOUND(walk->ck->emit, ICE_RULE_LIST_MIN_SEQUENCE_NUMBER_ABOVE_SEQUENCE, &at.place,
              arg_i64("found", row->min_sequence_number),
              arg_i64("sequence_number", row->sequence_number));
    }
}

const char *ice_list_sequence_fault(const struct ice_check *ck,
                                    const struct ice_snapshot *own,
                                    const struct ice_manifest_file *row) {
    bool own_known = ice_snapshot_has(own, ICE_SNAP_sequence_number);
    uint32_t number = 0;
    /* list.sequence-number.negative and .above-snapshot have spoken */
    if (row->sequence_number < 0 ||
        (own_known && row->sequence_number > own->sequence_number))
        return NULL;
    if (ice_snapshot_number(ck, row->added_snapshot_id, &number)) {
        const struct ice_snapshot *added =
            &ck->metadata.snapshots[ck->snapshots[number].index];
        /* without a number it is from v1 times: 0. A missing one has a rule of its own */
        bool known = ice_snapshot_has(added, ICE_SNAP_sequence_number);
        return known && added->sequence_number != row->sequence_number
                   ? "that snapshot has another sequence number"
                   : NULL;
    }
    if (own_known && row->sequence_number > 0 &&
        row->sequence_number == own->sequence_number)
        return "the number is this snapshot's, the id is not";
    return NULL;
}

static void added_snapshot(const struct ice_list_walk *walk,
                           const struct ice_manifest_file *row) {
    const struct ice_check *ck = walk->ck;
    uint32_t added = 0;
    if (!walk->snapshot || !has(walk, row, ICE_LIST_added_snapshot_id) ||
        !ck->metadata.snapshot_ids_known)
        return;
    bool listed = ice_snapshot_number(ck, row->added_snapshot_id, &added);
    const char *why = ck->version >= 2 && has(walk, row, ICE_LIST_sequence_number)
                          ? ice_list_sequence_fault(ck, walk->snapshot, row)
                          : NULL;
    bool foreign = listed && row->added_snapshot_id != walk->snapshot->snapshot_id &&
                   ck->snapshots[walk->number].chain_whole &&
                   !ice_is_ancestor(ck, added, walk->number);
    if (!why && listed && !foreign)
        return;
    struct ice_row_place at;
    ice_list_place(walk, ICE_LIST_added_snapshot_id, &at);
    if (why && !listed &&
        ice_list_id_is_rounded(walk->snapshot->snapshot_id, row->added_snapshot_id))
        FOUND_AS(ck->emit, ICE_RULE_LIST_ADDED_SNAPSHOT_SEQUENCE, ICE_WARN, &at.place,
                 arg_id("snapshot_id", row->added_snapshot_id),
                 arg_i64("sequence_number", row->sequence_number),
                 arg_text("why",
                          "the metadata file holds this id rounded to a double, as "
                          "a JSON tool leaves it"));
    else if (why)
        FOUND(ck->emit, ICE_RULE_LIST_ADDED_SNAPSHOT_SEQUENCE, &at.place,
              arg_id("snapshot_id", row->added_snapshot_id),
              arg_i64("sequence_number", row->sequence_number), arg_text("why", why));
    else if (!listed)
        FOUND(ck->emit, ICE_RULE_LIST_ADDED_SNAPSHOT_DANGLING, &at.place,
              arg_id("found", row->added_snapshot_id));
    else
        FOUND(ck->emit, ICE_RULE_LIST_ADDED_SNAPSHOT_NOT_ANCESTOR, &at.place,
              arg_id("found", row->added_snapshot_id));
}

static void no_live(const struct ice_list_walk *walk,
                    const struct ice_manifest_file *row) {
    if (!walk->snapshot || !has(walk, row, ICE_LIST_added_files_count) ||
        !has(walk, row, ICE_LIST_existing_files_count) ||
        !has(walk, row, ICE_LIST_added_snapshot_id) || row->added_files_count != 0 ||
        row->existing_files_count != 0 ||
        row->added_snapshot_id == walk->snapshot->snapshot_id)
        return;
    struct ice_row_place at;
    ice_list_place(walk, ICE_LIST_added_files_count, &at);
    FOUND(walk->ck->emit, ICE_RULE_LIST_MANIFEST_NO_LIVE, &at.place, ARG_NONE);
}

void ice_list_row_rules(struct ice_list_walk *walk, const struct ice_manifest_file *row) {
    ice_list_origin_row(&walk->origin, walk->list, row);
    required_fields(walk, row);
    required_in_summaries(walk, row);
    length_and_content(walk, row);
    file_counts(walk, row);
    first_row_id(walk, row);
    spec(walk, row);
    if (walk->ck->version == 1)
        sequence_in_v1(walk, row);
    else
        sequence_numbers(walk, row);
    added_snapshot(walk, row);
    no_live(walk, row);
    walk->n_rows++;
}

void ice_list_end_rules(const struct ice_list_walk *walk) {
    struct ice_place place = ice_place_at(walk->file, walk->order, ICE_STR("/records"));
    if (walk->n_rows == 0)
        FOUND(walk->ck->emit, ICE_RULE_LIST_EMPTY, &place, ARG_NONE);
}
