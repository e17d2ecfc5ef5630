/*
 * Whose list is it?
 */
#include "check/list_origin.h"

#include "base/error.h"
#include "base/size.h"

bool ice_list_header_integer(const struct ice_manifest_list *list, const char *key,
                             struct ice_str *out_text, int64_t *out) {
    *out_text = ICE_STR_NONE;
    return ice_avro_header(&list->file, key, out_text) && ice_str_to_i64(*out_text, out);
}

/*
 * A tool that keeps numbers as doubles wrote the metadata.json again: its id and the
 * list's are one number there. Readers scan such a table (Impala's own test tables are
 * so), hence no error.
 */
bool ice_list_id_is_rounded(int64_t id, int64_t other) {
    return id != other && (double)id == (double)other;
}

/* Java and PyIceberg write the word null where there is no parent. */
bool ice_list_names_parent(const struct ice_manifest_list *list,
                           const struct ice_snapshot *snapshot,
                           struct ice_str *out_text) {
    bool has = ice_snapshot_has(snapshot, ICE_SNAP_parent_snapshot_id);
    int64_t found;
    if (ice_list_header_integer(list, "parent-snapshot-id", out_text, &found))
        return has && found == snapshot->parent_snapshot_id;
    return !has && ice_str_is(*out_text, "null");
}

/* ---- the header ---- */

/* Do both name one file? Then nothing was copied: snapshot.manifest-list.shared. */
static enum ice_status names_same_list(const struct ice_metadata *metadata,
                                       const struct ice_snapshot *a,
                                       const struct ice_snapshot *b, bool *out_is_same) {
    struct ice_buf text[2];
    struct ice_str list[2] = {ICE_STR_NONE, ICE_STR_NONE};
    ice_buf_init(&text[0], &metadata->run->alloc, SIZE_MAX);
    ice_buf_init(&text[1], &metadata->run->alloc, SIZE_MAX);
    bool is_known = ice_snapshot_manifest_list(metadata, a, &text[0], &list[0]) >= 0 &&
                    ice_snapshot_manifest_list(metadata, b, &text[1], &list[1]) >= 0;
    *out_is_same = is_known && ice_str_equal(list[0], list[1]);
    ice_buf_release(&text[0]);
    ice_buf_release(&text[1]);
    return is_known ? ICE_OK : ICE_ENOMEM;
}

enum ice_status ice_list_origin_begin(struct ice_list_origin *origin,
                                      const struct ice_metadata *metadata,
                                      const struct ice_snapshot *snapshot,
                                      const struct ice_manifest_list *list) {
    *origin = (struct ice_list_origin){.metadata = metadata, .snapshot = snapshot};
    struct ice_str text;
    int64_t id, sequence;
    if (!ice_snapshot_has(snapshot, ICE_SNAP_snapshot_id) ||
        !metadata->snapshot_ids_known ||
        !ice_list_header_integer(list, "snapshot-id", &text, &id) ||
        id == snapshot->snapshot_id || ice_list_id_is_rounded(snapshot->snapshot_id, id))
        return ICE_OK;
    size_t other = ice_metadata_find_snapshot(metadata, id);
    origin->is_gone = other == SIZE_MAX;
    /* the number of the commit that wrote it: then the id alone is wrong. Each table has
     * that number, so for the list of another one the parent must agree, too */
    if (metadata->format_version >= 2 &&
        ice_snapshot_has(snapshot, ICE_SNAP_sequence_number) &&
        ice_list_header_integer(list, "sequence-number", &text, &sequence) &&
        sequence == snapshot->sequence_number &&
        (!origin->is_gone || ice_list_names_parent(list, snapshot, &text)))
        return ICE_OK;
    bool is_same = false;
    if (!origin->is_gone)
        ICE_TRY(
            names_same_list(metadata, snapshot, &metadata->snapshots[other], &is_same));
    if (is_same)
        return ICE_OK;
    origin->passed = ice_calloc(&metadata->run->alloc, metadata->n_snapshots, 1);
    if (origin->passed == NULL)
        return ICE_ENOMEM;
    origin->names_other = true;
    origin->header_id = id;
    return ICE_OK;
}

void ice_list_origin_release(struct ice_list_origin *origin) {
    if (origin->passed != NULL)
        ice_free(&origin->metadata->run->alloc, origin->passed,
                 origin->metadata->n_snapshots);
    *origin = (struct ice_list_origin){0};
}

/* ---- the rows ---- */

/* Is the snapshot at index a descendant? Up the parents, each of them once a list. */
static bool is_later(struct ice_list_origin *origin, size_t index) {
    const struct ice_metadata *m = origin->metadata;
    while (index != SIZE_MAX && !origin->passed[index]) {
        const struct ice_snapshot *at = &m->snapshots[index];
        if (at->snapshot_id == origin->snapshot->snapshot_id)
            return true;
        origin->passed[index] = true;
        index = ice_snapshot_has(at, ICE_SNAP_parent_snapshot_id)
                    ? ice_metadata_find_snapshot(m, at->parent_snapshot_id)
                    : SIZE_MAX;
    }
    return false;
}

/* What the row says is live; in version 1 it need not. */
static void count_live(struct ice_list_origin *origin,
                       const struct ice_manifest_list *list,
                       const struct ice_manifest_file *row) {
    static const enum ice_list_bit counts[] = {
        ICE_LIST_added_files_count, ICE_LIST_existing_files_count,
        ICE_LIST_added_rows_count, ICE_LIST_existing_rows_count};
    if (ice_list_has(list, row, ICE_LIST_content) && row->content != 0)
        return;
    for (size_t i = 0; i < ICE_COUNT_OF(counts); i++)
        origin->no_totals = origin->no_totals || !ice_list_has(list, row, counts[i]);
    int64_t *files = &origin->live_files, *rows = &origin->live_rows;
    origin->no_totals = origin->no_totals ||
                        !ice_i64_add(*files, row->added_files_count, files) ||
                        !ice_i64_add(*files, row->existing_files_count, files) ||
                        !ice_i64_add(*rows, row->added_rows_count, rows) ||
                        !ice_i64_add(*rows, row->existing_rows_count, rows);
}

void ice_list_origin_row(struct ice_list_origin *origin,
                         const struct ice_manifest_list *list,
                         const struct ice_manifest_file *row) {
    if (!origin->names_other)
        return;
    count_live(origin, list, row);
    if (!ice_list_has(list, row, ICE_LIST_added_snapshot_id) ||
        row->added_snapshot_id == origin->snapshot->snapshot_id)
        origin->has_own = true;
    else if (!origin->has_later)
        origin->has_later = is_later(
            origin, ice_metadata_find_snapshot(origin->metadata, row->added_snapshot_id));
}

/* ---- the verdict ---- */

/* Says the summary that the commit changed files? Then it wrote a manifest. */
static bool has_changed(const struct ice_list_origin *origin) {
    static const enum ice_metric changes[] = {
        ICE_METRIC_ADDED_DATA_FILES,   ICE_METRIC_DELETED_DATA_FILES,
        ICE_METRIC_ADDED_DELETE_FILES, ICE_METRIC_REMOVED_DELETE_FILES,
        ICE_METRIC_ADDED_RECORDS,      ICE_METRIC_DELETED_RECORDS,
        ICE_METRIC_MANIFESTS_CREATED};
    for (size_t i = 0; i < ICE_COUNT_OF(changes); i++) {
        int64_t n;
        if (ice_snapshot_metric(origin->metadata, origin->snapshot, changes[i], &n) &&
            n > 0)
            return true;
    }
    return false;
}

/* Counts the summary other files or rows than the list? */
static bool totals_differ(const struct ice_list_origin *origin) {
    const struct ice_metadata *m = origin->metadata;
    const struct ice_snapshot *snapshot = origin->snapshot;
    int64_t n;
    if (origin->no_totals)
        return false;
    return (ice_snapshot_metric(m, snapshot, ICE_METRIC_TOTAL_DATA_FILES, &n) &&
            n != origin->live_files) ||
           (ice_snapshot_metric(m, snapshot, ICE_METRIC_TOTAL_RECORDS, &n) &&
            n != origin->live_rows);
}

/*
 * A writer may have copied a header and written its own rows: such a table reads well.
 * So what the rows hold must speak against the snapshot, too. A tool that clones a table
 * may name a list by an id of its own: where the snapshot of the header is not at hand,
 * the totals must differ as well.
 */
const char *ice_list_origin_why(const struct ice_list_origin *origin, bool is_whole) {
    if (!origin->names_other)
        return NULL;
    if (origin->is_gone)
        return is_whole && !origin->has_own && has_changed(origin) &&
                       totals_differ(origin)
                   ? "the former's list, of an expired snapshot or of another table, was "
                     "copied over the latter's: neither its own manifests nor its totals "
                     "are in it"
                   : NULL;
    if (origin->has_later)
        return "the former's list was copied over the latter's, and names manifests of "
               "later commits";
    if (is_whole && !origin->has_own && has_changed(origin))
        return "the former's list was copied over the latter's, whose own manifests are "
               "not in it";
    return NULL;
}
