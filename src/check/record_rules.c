/*
 * Records of manifest lists against the manifest that they describe (group 14, rules that
 * need both).
 */
#include "check/manifest_walk.h"

struct count {
    enum ice_list_bit files, rows;
    int64_t declared_files, declared_rows;
};

static const char *content_name(int32_t content) {
    return content == 1 ? "deletes" : "data";
}

static struct ice_place manifest_place(const struct ice_manifest_walk *walk) {
    return ice_place_file(walk->file, walk->order);
}

static void found(const struct ice_manifest_walk *walk,
                  const struct ice_list_record *record, enum ice_rule_id rule,
                  enum ice_severity severity, enum ice_list_bit bit, int64_t declared,
                  const char *other_name, int64_t other) {
    struct ice_row_place at;
    struct ice_place manifest = manifest_place(walk);
    ice_record_place(walk->ck, record, bit, &at);
    FOUND_VS(walk->ck->emit, rule, severity, &at.place, &manifest,
             arg_str("field", record->names->row[bit]), arg_i64("declared", declared),
             arg_i64(other_name, other));
}

static void spec_id(const struct ice_manifest_walk *walk,
                    const struct ice_list_record *record) {
    const struct ice_manifest *manifest = walk->manifest;
    /* list.partition-spec-id.dangling speaks where the table has no such spec */
    if (ice_record_has(record, ICE_LIST_partition_spec_id) &&
        ice_metadata_find_spec(&walk->ck->metadata, record->row.partition_spec_id) &&
        manifest->header & ~manifest->header_bad & ICE_MHEAD_SPEC_ID &&
        manifest->header_spec_id != record->row.partition_spec_id)
        found(walk, record, ICE_RULE_LIST_PARTITION_SPEC_ID_MISMATCH, ICE_DEFAULT,
              ICE_LIST_partition_spec_id, record->row.partition_spec_id, "found",
              manifest->header_spec_id);
}

/* ---- content ---- */

/* entry: the first record of the manifest that disagrees, or ICE_NO_OFFSET: its header */
static void found_content(const struct ice_manifest_walk *walk,
                          const struct ice_list_record *record, const char *text,
                          uint64_t entry) {
    struct ice_row_place at, other;
    ice_record_place(walk->ck, record, ICE_LIST_content, &at);
    if (entry == ICE_NO_OFFSET)
        other.place = ice_header_place(walk, "/header/content");
    else
        ice_row_place_begin(&other, walk->file, walk->order, entry);
    FOUND_VS(walk->ck->emit, ICE_RULE_LIST_CONTENT_MISMATCH, ICE_DEFAULT, &at.place,
             &other.place, arg_text("declared", content_name(record->row.content)),
             arg_text("found", text));
}

static void content(const struct ice_manifest_walk *walk,
                    const struct ice_list_record *record, bool is_whole) {
    const struct ice_manifest *manifest = walk->manifest;
    const struct ice_manifest_totals *totals = &walk->totals;
    int32_t declared = record->row.content;
    if (walk->ck->version < 2 || !ice_record_has(record, ICE_LIST_content) ||
        (declared != 0 && declared != 1))
        return;
    if (manifest->header & ICE_MHEAD_CONTENT) {
        bool deletes = ice_str_is(manifest->header_content, "deletes");
        bool is_known = deletes || ice_str_is(manifest->header_content, "data");
        if (is_known && deletes != (declared == 1))
            found_content(walk, record,
                          deletes ? "the manifest's header says deletes"
                                  : "the manifest's header says data",
                          ICE_NO_OFFSET);
        if (is_known) /* entries against it: manifest.file.content.wrong-manifest */
            return;
    }
    if (!is_whole)
        return;
    for (int found = 0; found < 3; found++) {
        if (!totals->has_contents[found] || (found == 0) == (declared == 0))
            continue;
        found_content(walk, record,
                      found == 0 ? "the manifest holds data files"
                                 : "the manifest holds delete files",
                      totals->first_of_content[found]);
        return;
    }
}

/* ---- numbers ---- */

static void min_sequence(const struct ice_manifest_walk *walk,
                         const struct ice_list_record *record) {
    const struct ice_manifest_totals *totals = &walk->totals;
    const struct ice_manifest_file *row = &record->row;
    /* without sequence columns the spec reads 0 and Java the list's number: not judged */
    if (walk->ck->version < 2 ||
        !ice_manifest_has_column(walk->manifest, ICE_ENTRY_sequence_number) ||
        !ice_record_has(record, ICE_LIST_min_sequence_number) ||
        !ice_record_has(record, ICE_LIST_sequence_number) || totals->has_unknown_live ||
        row->min_sequence_number > row->sequence_number || row->min_sequence_number < 0)
        return;
    if (!totals->has_live_sequence && !totals->has_inherited_live)
        return;
    int64_t smallest = totals->has_live_sequence ? totals->min_live_sequence : INT64_MAX;
    if (totals->has_inherited_live && row->sequence_number < smallest)
        smallest = row->sequence_number;
    if (row->min_sequence_number > smallest)
        found(walk, record, ICE_RULE_LIST_MIN_SEQUENCE_NUMBER_TOO_HIGH, ICE_DEFAULT,
              ICE_LIST_min_sequence_number, row->min_sequence_number, "smallest",
              smallest);
    else if (row->min_sequence_number < smallest)
        found(walk, record, ICE_RULE_LIST_MIN_SEQUENCE_NUMBER_TOO_LOW, ICE_DEFAULT,
              ICE_LIST_min_sequence_number, row->min_sequence_number, "smallest",
              smallest);
}

/* Record counts of -1 (imported Avro files) add up to a negative sum: that one is fine.
 */
static void rows_count(const struct ice_manifest_walk *walk,
                       const struct ice_list_record *record, const struct count *count,
                       int status, enum ice_severity severity, bool is_whole) {
    const struct ice_manifest_totals *totals = &walk->totals;
    int64_t declared = count->declared_rows, sum = totals->rows[status];
    if (!ice_record_has(record, count->rows))
        return;
    bool is_sum = is_whole && totals->rows_negative[status] && declared == sum;
    /* not read: -1 a file is the least that can be true */
    bool may_be_sum = !is_whole && ice_record_has(record, count->files) &&
                      declared >= -count->declared_files;
    if (declared < 0 && !is_sum && !may_be_sum) {
        struct ice_row_place at;
        ice_record_place(walk->ck, record, count->rows, &at);
        FOUND(walk->ck->emit, ICE_RULE_LIST_COUNTS_NEGATIVE, &at.place,
              arg_str("field", record->names->row[count->rows]),
              arg_i64("found", declared));
        return;
    }
    if (is_whole && declared >= 0 && declared != sum && !totals->has_bad_status &&
        !totals->rows_negative[status] && !totals->rows_unknown[status])
        found(walk, record, ICE_RULE_LIST_ROWS_COUNT_MISMATCH, severity, count->rows,
              declared, "counted", sum);
}

static void counts_of(const struct ice_manifest_file *row, struct count out[3]) {
    out[ICE_STATUS_EXISTING] =
        (struct count){ICE_LIST_existing_files_count, ICE_LIST_existing_rows_count,
                       row->existing_files_count, row->existing_rows_count};
    out[ICE_STATUS_ADDED] =
        (struct count){ICE_LIST_added_files_count, ICE_LIST_added_rows_count,
                       row->added_files_count, row->added_rows_count};
    out[ICE_STATUS_DELETED] =
        (struct count){ICE_LIST_deleted_files_count, ICE_LIST_deleted_rows_count,
                       row->deleted_files_count, row->deleted_rows_count};
}

bool ice_record_is_short(const struct ice_manifest_walk *walk,
                         const struct ice_list_record *record) {
    struct count of_status[3];
    uint64_t left = walk->n_entries;
    bool lacks = false;
    if (!ice_record_has(record, ICE_LIST_manifest_length) ||
        record->row.manifest_length <= 0 ||
        (uint64_t)record->row.manifest_length <= walk->stored)
        return false;
    counts_of(&record->row, of_status);
    for (int status = 0; status < 3; status++) {
        const struct count *count = &of_status[status];
        if (!ice_record_has(record, count->files) || count->declared_files < 0)
            continue;
        uint64_t declared = (uint64_t)count->declared_files;
        lacks = lacks || declared > left;
        left = declared > left ? 0 : left - declared;
        /* a cut takes away: what is above the count was counted otherwise */
        if (walk->totals.entries[status] > declared)
            return false;
    }
    return lacks;
}

static void counts(const struct ice_manifest_walk *walk,
                   const struct ice_list_record *record, bool is_whole) {
    struct count of_status[3];
    counts_of(&record->row, of_status);
    /* optional in v1, so readers of v1 lists do not rest on them */
    enum ice_severity severity =
        record->version == 1 || walk->ck->version == 1 ? ICE_WARN : ICE_ERROR;
    for (int status = 0; status < 3; status++) {
        const struct count *count = &of_status[status];
        uint64_t counted = walk->totals.entries[status];
        if (is_whole && !walk->totals.has_bad_status &&
            ice_record_has(record, count->files) && count->declared_files >= 0 &&
            (uint64_t)count->declared_files != counted)
            found(walk, record, ICE_RULE_LIST_FILES_COUNT_MISMATCH, severity,
                  count->files, count->declared_files, "counted", (int64_t)counted);
        rows_count(walk, record, count, status, severity, is_whole);
    }
}

void ice_record_rules(const struct ice_manifest_walk *walk,
                      const struct ice_list_record *record, bool is_whole) {
    spec_id(walk, record);
    content(walk, record, is_whole);
    counts(walk, record, is_whole);
    if (is_whole)
        min_sequence(walk, record);
}

void ice_unread_record_rules(struct ice_check *ck) {
    for (size_t i = 0; i < ck->n_records; i++) {
        const struct ice_manifest_walk walk = {.ck = ck};
        counts(&walk, ck->records[i], false);
        ice_summary_rules(&walk, ck->records[i], false);
    }
}
