/*
 * Findings of pass 4 about entries, once their names are known. Where two entries should
 * be about one file, paths decide: hashes only led here.
 */
#include "check/suspects.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

struct report {
    struct ice_check *ck;
    const struct ice_suspect *suspect;
    const struct ice_suspect_side *side, *other;
    struct ice_row_place at, other_at;
};

static void place_side(const struct ice_suspect_side *side, enum ice_entry_bit bit,
                       struct ice_row_place *out) {
    ice_row_place_begin(out, side->file, ICE_ORDER_MANIFEST + side->manifest,
                        side->record);
    out->place.at.block = side->block;
    out->place.at.offset = side->offset;
    if (bit >= ICE_FILE_content)
        ice_row_place_step(out, side->names[ICE_ENTRY_data_file]);
    ice_row_place_step(out, side->names[bit]);
}

static void place(struct report *r, enum ice_entry_bit bit) {
    place_side(r->side, bit, &r->at);
    if (r->other)
        place_side(r->other, bit, &r->other_at);
}

/* Of the kinds of suspects that have one. */
static const struct ice_suspect_side *other_of(const struct report *r) {
    assert(r->other != NULL);
    return r->other;
}

static struct ice_arg snapshot_arg(const struct report *r) {
    return arg_id("snapshot_id", ice_numbered(r->ck, r->suspect->snapshot)->snapshot_id);
}

static struct ice_arg before_arg(const struct report *r, const char *name) {
    return arg_id(name, ice_numbered(r->ck, r->suspect->before)->snapshot_id);
}

static struct ice_arg other_manifest(const struct report *r) {
    return arg_str("manifest", r->other_at.place.at.file);
}

/* ---- group 20 ---- */

static void twice(struct report *r) {
    bool is_same = ice_str_equal(r->side->path, other_of(r)->path);
    place(r, ICE_FILE_file_path);
    if (is_same)
        FOUND_VS(r->ck->emit, ICE_RULE_LIVE_PATH_DUPLICATE, ICE_DEFAULT, &r->at.place,
                 &r->other_at.place, arg_str("path", r->side->path), snapshot_arg(r),
                 other_manifest(r), arg_i64("record", (int64_t)other_of(r)->record));
    else
        FOUND_VS(r->ck->emit, ICE_RULE_LIVE_PATH_ALIAS, ICE_DEFAULT, &r->at.place,
                 &r->other_at.place, arg_str("path", r->side->path), snapshot_arg(r),
                 arg_str("other_path", other_of(r)->path));
}

static void both_kinds(struct report *r) {
    place(r, ICE_FILE_file_path);
    FOUND_VS(r->ck->emit, ICE_RULE_LIVE_PATH_DATA_AND_DELETE, ICE_DEFAULT, &r->at.place,
             &r->other_at.place, arg_str("path", r->side->path), snapshot_arg(r),
             other_manifest(r));
}

static void deleted_and_live(struct report *r) {
    place(r, ICE_ENTRY_status);
    FOUND_VS(r->ck->emit, ICE_RULE_LIVE_DELETED_AND_LIVE, ICE_DEFAULT, &r->at.place,
             &r->other_at.place, arg_str("path", r->side->path), snapshot_arg(r),
             other_manifest(r));
}

static void resurrected(struct report *r) {
    place(r, ICE_ENTRY_status);
    FOUND(r->ck->emit, ICE_RULE_LIVE_RESURRECTED, &r->at.place,
          arg_str("path", r->side->path), snapshot_arg(r), before_arg(r, "deleted_by"));
}

static void appeared(struct report *r) {
    place(r, ICE_ENTRY_status);
    FOUND(r->ck->emit, ICE_RULE_LIVE_APPEARED, &r->at.place,
          arg_str("path", r->side->path), snapshot_arg(r), before_arg(r, "parent_id"));
}

static void vanished(struct report *r) {
    uint32_t snapshot = r->suspect->snapshot;
    struct ice_place list =
        ice_place_file(r->ck->snapshots[snapshot].list_file, ICE_ORDER_LIST + snapshot);
    place(r, ICE_FILE_file_path);
    FOUND_VS(r->ck->emit, ICE_RULE_LIVE_VANISHED, ICE_DEFAULT, &list, &r->at.place,
             arg_str("path", r->side->path), snapshot_arg(r), before_arg(r, "parent_id"),
             arg_str("manifest", r->at.place.at.file));
}

static void attributes_changed(struct report *r) {
    const struct ice_suspect_side *a = r->side, *b = other_of(r);
    char what[96] = "spec or partition values";
    enum ice_entry_bit bit = ICE_FILE_partition;
    if (!ice_str_equal(a->path, b->path))
        return; /* another spelling may be another object */
    if (a->rows != b->rows && a->rows >= 0 && b->rows >= 0) {
        bit = ICE_FILE_record_count;
        (void)snprintf(what, sizeof(what), "record_count (%" PRId64 ", not %" PRId64 ")",
                       a->rows, b->rows);
    } else if (a->has_size && b->has_size && a->size != b->size) {
        bit = ICE_FILE_file_size_in_bytes;
        (void)snprintf(what, sizeof(what),
                       "file_size_in_bytes (%" PRId64 ", not %" PRId64 ")", a->size,
                       b->size);
    }
    place(r, bit);
    FOUND_VS(r->ck->emit, ICE_RULE_LIVE_ATTRIBUTES_CHANGED, r->suspect->severity,
             &r->at.place, &r->other_at.place, arg_str("path", a->path),
             arg_text("what", what), other_manifest(r));
}

static void sequence_changed(struct report *r) {
    if (!ice_str_equal(r->side->path, other_of(r)->path))
        return;
    place(r, ICE_ENTRY_sequence_number);
    FOUND_VS(r->ck->emit, ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_CHANGED, ICE_DEFAULT,
             &r->at.place, &r->other_at.place, arg_str("path", r->side->path),
             arg_i64("found", r->suspect->number),
             arg_i64("other", r->suspect->other_number), other_manifest(r));
}

/* ---- group 19 ---- */

static void vector_twice(struct report *r) {
    /* one blob listed twice: live.path.duplicate has said it */
    if (ice_str_equal(r->side->path, other_of(r)->path) &&
        r->side->content_offset == other_of(r)->content_offset)
        return;
    place(r, ICE_FILE_referenced_data_file);
    FOUND_VS(r->ck->emit, ICE_RULE_DELETE_DV_DUPLICATE, ICE_DEFAULT, &r->at.place,
             &r->other_at.place, arg_str("data_file", r->side->data_path),
             snapshot_arg(r), other_manifest(r));
}

static void dangling(struct report *r) {
    place(r, ICE_FILE_referenced_data_file);
    if (r->suspect->rule == ICE_RULE_DELETE_DV_DANGLING)
        FOUND(r->ck->emit, ICE_RULE_DELETE_DV_DANGLING, &r->at.place,
              arg_str("data_file", r->side->data_path), snapshot_arg(r));
    else
        FOUND(r->ck->emit, ICE_RULE_DELETE_POSITION_REFERENCED_DANGLING, &r->at.place,
              arg_str("data_file", r->side->data_path), snapshot_arg(r));
}

static void spelled_otherwise(struct report *r) {
    if (ice_str_equal(r->side->data_path, other_of(r)->path))
        return;
    place(r, ICE_FILE_referenced_data_file);
    FOUND_VS(r->ck->emit, ICE_RULE_DELETE_PATH_SPELLING, ICE_DEFAULT, &r->at.place,
             &r->other_at.place, arg_str("named", r->side->data_path),
             arg_str("data_file", other_of(r)->path), snapshot_arg(r));
}

static void below_data(struct report *r) {
    place(r, ICE_ENTRY_sequence_number);
    if (r->suspect->rule == ICE_RULE_DELETE_POSITION_SEQUENCE_BELOW_DATA)
        FOUND_VS(r->ck->emit, ICE_RULE_DELETE_POSITION_SEQUENCE_BELOW_DATA, ICE_DEFAULT,
                 &r->at.place, &r->other_at.place,
                 arg_str("data_file", other_of(r)->path), snapshot_arg(r),
                 arg_i64("found", r->suspect->number),
                 arg_i64("data", r->suspect->other_number));
    else
        FOUND_VS(r->ck->emit, ICE_RULE_DELETE_DV_SEQUENCE_BELOW_DATA, ICE_DEFAULT,
                 &r->at.place, &r->other_at.place,
                 arg_str("data_file", other_of(r)->path),
                 arg_i64("found", r->suspect->number),
                 arg_i64("data", r->suspect->other_number));
}

/* Which commit wrote a manifest: by its lists, else the first that lists it. */
static int64_t writer_of(const struct report *r, uint32_t manifest, int64_t *out_number) {
    const struct ice_manifest_facts *facts = &r->ck->manifests[manifest];
    const struct ice_list_record *record = facts->records;
    const struct ice_snapshot *first = ice_numbered(r->ck, facts->first_snapshot);
    *out_number = record && ice_record_has(record, ICE_LIST_sequence_number)
                      ? record->row.sequence_number
                      : first->sequence_number;
    return record && ice_record_has(record, ICE_LIST_added_snapshot_id)
               ? record->row.added_snapshot_id
               : first->snapshot_id;
}

/* The deletes were good until the later of the two commits, whichever it changed. */
static void partition_differs(struct report *r) {
    int64_t number, data_number;
    int64_t writer = writer_of(r, r->side->manifest, &number);
    int64_t data_writer = writer_of(r, other_of(r)->manifest, &data_number);
    const char *what = "the manifest of the deletes, after that one";
    place(r, ICE_FILE_partition);
    if (writer == data_writer) {
        what = "both manifests";
    } else if (data_number > number) {
        what = "that manifest, after the one of the deletes";
        writer = data_writer;
    }
    if (r->suspect->rule == ICE_RULE_DELETE_DV_PARTITION_MISMATCH)
        FOUND_VS(r->ck->emit, ICE_RULE_DELETE_DV_PARTITION_MISMATCH, ICE_DEFAULT,
                 &r->at.place, &r->other_at.place,
                 arg_str("data_file", other_of(r)->path), other_manifest(r),
                 arg_id("snapshot_id", writer), arg_text("what", what));
    else
        FOUND_VS(r->ck->emit, ICE_RULE_DELETE_POSITION_REFERENCED_PARTITION, ICE_DEFAULT,
                 &r->at.place, &r->other_at.place,
                 arg_str("data_file", other_of(r)->path), other_manifest(r),
                 arg_id("snapshot_id", writer), arg_text("what", what));
}

static void with_position_delete(struct report *r) {
    place(r, ICE_FILE_referenced_data_file);
    FOUND_VS(r->ck->emit, ICE_RULE_DELETE_DV_WITH_POSITION_DELETE, ICE_DEFAULT,
             &r->at.place, &r->other_at.place, arg_str("data_file", r->side->data_path),
             snapshot_arg(r), arg_str("path", other_of(r)->path));
}

static void of_partition(struct report *r) {
    struct ice_emit *emit = r->ck->emit;
    place(r, ICE_FILE_file_path);
    switch ((int)r->suspect->rule) {
    case ICE_RULE_DELETE_POSITION_DANGLING:
        FOUND(emit, ICE_RULE_DELETE_POSITION_DANGLING, &r->at.place, snapshot_arg(r));
        break;
    case ICE_RULE_DELETE_EQUALITY_DANGLING:
        FOUND(emit, ICE_RULE_DELETE_EQUALITY_DANGLING, &r->at.place, snapshot_arg(r));
        break;
    case ICE_RULE_DELETE_EQUALITY_GLOBAL:
        FOUND(emit, ICE_RULE_DELETE_EQUALITY_GLOBAL, &r->at.place, snapshot_arg(r));
        break;
    default:
        FOUND(emit, ICE_RULE_DELETE_EQUALITY_PARTITION_SCOPE, &r->at.place,
              snapshot_arg(r));
        break;
    }
}

/* ---- groups 17 and 11 ---- */

static void blob_overlap(struct report *r) {
    if (!ice_str_equal(r->side->path, other_of(r)->path))
        return;
    place(r, ICE_FILE_content_offset);
    FOUND_VS(r->ck->emit, ICE_RULE_MANIFEST_FILE_BLOB_OVERLAP, ICE_DEFAULT, &r->at.place,
             &r->other_at.place, arg_i64("offset", r->side->content_offset),
             arg_str("path", r->side->path),
             arg_i64("other_offset", other_of(r)->content_offset), snapshot_arg(r));
}

static void rows_overlap(struct report *r) {
    if (ice_str_equal(r->side->path, other_of(r)->path))
        return; /* live.path.duplicate has said it */
    place(r, ICE_FILE_first_row_id);
    FOUND_VS(r->ck->emit, ICE_RULE_LINEAGE_FILE_RANGE_OVERLAP, ICE_DEFAULT, &r->at.place,
             &r->other_at.place, arg_str("path", r->side->path),
             arg_i64("first", r->side->first_row_id),
             arg_str("other_path", other_of(r)->path),
             arg_i64("other_first", other_of(r)->first_row_id),
             arg_i64("other_rows", other_of(r)->rows));
}

static void rows_above(struct report *r) {
    place(r, ICE_FILE_first_row_id);
    FOUND(r->ck->emit, ICE_RULE_LINEAGE_FILE_RANGE_ABOVE_NEXT, &r->at.place,
          arg_i64("first", r->side->first_row_id), arg_i64("rows", r->side->rows),
          arg_i64("next", r->ck->metadata.next_row_id));
}

static void row_id_lost(struct report *r) {
    if (!ice_str_equal(r->side->path, other_of(r)->path))
        return;
    place(r, ICE_ENTRY_data_file);
    FOUND_VS(r->ck->emit, ICE_RULE_LINEAGE_FILE_MISSING_ON_EXISTING, r->suspect->severity,
             &r->at.place, &r->other_at.place, arg_str("path", r->side->path),
             other_manifest(r), snapshot_arg(r));
}

static void cardinality_high(struct report *r) {
    place(r, ICE_FILE_record_count);
    FOUND_VS(r->ck->emit, ICE_RULE_MANIFEST_FILE_DV_CARDINALITY_HIGH, ICE_DEFAULT,
             &r->at.place, &r->other_at.place, arg_i64("found", r->side->rows),
             arg_str("data_file", other_of(r)->path), arg_i64("rows", other_of(r)->rows));
}

/* ---- which ---- */

/* Do both say the same file, exactly or after folding? Else their hashes collided. */
static bool is_one_file(struct ice_check *ck, struct ice_str a, struct ice_str b) {
    struct ice_buf first, second;
    struct ice_str x, y;
    if (ice_str_equal(a, b))
        return true;
    ice_buf_init(&first, &ck->run->alloc, SIZE_MAX);
    ice_buf_init(&second, &ck->run->alloc, SIZE_MAX);
    bool same = false;
    if (ice_path_fold(a, &first, &x) < 0 || ice_path_fold(b, &second, &y) < 0)
        ice_emit_no_memory(ck->emit);
    else
        same = ice_str_equal(x, y);
    ice_buf_release(&first);
    ice_buf_release(&second);
    return same;
}

static void report_live(struct report *r) {
    struct ice_check *ck = r->ck;
    if (r->other && !is_one_file(ck, r->side->path, r->other->path))
        return;
    switch ((int)r->suspect->rule) {
    case ICE_RULE_LIVE_PATH_DUPLICATE:
        twice(r);
        break;
    case ICE_RULE_LIVE_PATH_DATA_AND_DELETE:
        both_kinds(r);
        break;
    case ICE_RULE_LIVE_DELETED_AND_LIVE:
        deleted_and_live(r);
        break;
    case ICE_RULE_LIVE_RESURRECTED:
        resurrected(r);
        break;
    case ICE_RULE_LIVE_APPEARED:
        appeared(r);
        break;
    case ICE_RULE_LIVE_VANISHED:
        vanished(r);
        break;
    case ICE_RULE_MANIFEST_ENTRY_SEQUENCE_NUMBER_CHANGED:
        sequence_changed(r);
        break;
    case ICE_RULE_LIVE_ATTRIBUTES_CHANGED:
        attributes_changed(r);
        break;
    default:
        break;
    }
}

/* Of a delete file and the data file that it names, or of two that name one. */
static bool names_other(struct report *r, bool is_data) {
    return is_one_file(r->ck, r->side->data_path,
                       is_data ? other_of(r)->path : other_of(r)->data_path);
}

void ice_suspect_report(struct ice_check *ck, const struct ice_suspect *suspect,
                        const struct ice_suspect_side *side,
                        const struct ice_suspect_side *other) {
    struct report r = {.ck = ck, .suspect = suspect, .side = side, .other = other};
    if (!side || !side->found || (other && !other->found))
        return;
    switch ((int)suspect->rule) {
    case ICE_RULE_DELETE_DV_DUPLICATE:
        if (names_other(&r, false))
            vector_twice(&r);
        break;
    case ICE_RULE_DELETE_DV_WITH_POSITION_DELETE:
        if (names_other(&r, false))
            with_position_delete(&r);
        break;
    case ICE_RULE_DELETE_DV_DANGLING:
    case ICE_RULE_DELETE_POSITION_REFERENCED_DANGLING:
        dangling(&r);
        break;
    case ICE_RULE_DELETE_DV_SEQUENCE_BELOW_DATA:
    case ICE_RULE_DELETE_POSITION_SEQUENCE_BELOW_DATA:
        if (names_other(&r, true))
            below_data(&r);
        break;
    case ICE_RULE_DELETE_PATH_SPELLING:
        if (names_other(&r, true))
            spelled_otherwise(&r);
        break;
    case ICE_RULE_DELETE_DV_PARTITION_MISMATCH:
    case ICE_RULE_DELETE_POSITION_REFERENCED_PARTITION:
        if (names_other(&r, true))
            partition_differs(&r);
        break;
    case ICE_RULE_MANIFEST_FILE_DV_CARDINALITY_HIGH:
        if (names_other(&r, true))
            cardinality_high(&r);
        break;
    case ICE_RULE_DELETE_POSITION_DANGLING:
    case ICE_RULE_DELETE_EQUALITY_DANGLING:
    case ICE_RULE_DELETE_EQUALITY_GLOBAL:
    case ICE_RULE_DELETE_EQUALITY_PARTITION_SCOPE:
        of_partition(&r);
        break;
    case ICE_RULE_MANIFEST_FILE_BLOB_OVERLAP:
        blob_overlap(&r);
        break;
    case ICE_RULE_LINEAGE_FILE_RANGE_OVERLAP:
        rows_overlap(&r);
        break;
    case ICE_RULE_LINEAGE_FILE_RANGE_ABOVE_NEXT:
        rows_above(&r);
        break;
    case ICE_RULE_LINEAGE_FILE_MISSING_ON_EXISTING:
        row_id_lost(&r);
        break;
    default:
        report_live(&r);
        break;
    }
}
