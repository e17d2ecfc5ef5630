/*
 * Pass 2: every kept snapshot's manifest list, once a file.
 *
 * reads          the lists of snapshots in scope; inline `manifests` of v1
 * checks         groups 13 and 14, as far as a list and metadata.json decide them
 * leaves behind  distinct manifests by first listing, the runs of snapshots that list
 * them, and the list records about them, equal ones once (some 300 bytes a manifest and
 *                its paths and bounds); nothing that grows with snapshots times manifests
 */
#include "base/error.h"
#include "check/ancestry.h"
#include "check/list_rules.h"
#include "check/manifest_facts.h"
#include "check/manifest_walk.h"
#include "check/pass1.h"

/* Lists by path, to find one that two snapshots name. */
struct lists {
    struct ice_check *ck;
    struct ice_table by_path; /* hash of the path -> snapshot number */
    struct ice_buf path, other;
};

static const struct ice_snapshot *snapshot_of(const struct ice_check *ck,
                                              uint32_t number) {
    return &ck->metadata.snapshots[ck->snapshots[number].index];
}

/* "/snapshots/N/<member>" of metadata.json */
static void place_in_metadata(const struct ice_check *ck, uint32_t number,
                              const char *member, struct ice_row_place *out) {
    out->place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
    out->place.at.pointer = ice_str_make(out->pointer, 0);
    ice_row_place_step(out, ICE_STR("snapshots"));
    ice_row_place_index(out, ck->snapshots[number].index);
    ice_row_place_step(out, ice_str_from(member));
}

/* ---- rows ---- */

static void check_duplicate(const struct ice_list_walk *walk,
                            const struct ice_manifest_facts *facts) {
    struct ice_row_place at;
    if (facts->last_snapshot != walk->number)
        return;
    ice_list_place(walk, ICE_LIST_manifest_path, &at);
    FOUND(walk->ck->emit, ICE_RULE_LIST_MANIFEST_DUPLICATE, &at.place,
          arg_str("path", facts->path), arg_i64("first", (int64_t)facts->last_record));
}

static enum ice_status keep_row(struct ice_list_walk *walk,
                                const struct ice_manifest_file *row) {
    struct ice_check *ck = walk->ck;
    const struct ice_manifest_list *list = walk->list;
    if (row->manifest_path.size == 0) {
        ck->snapshots[walk->number].has_unnamed = true;
        ice_emit_not_evaluated(ck->emit, "manifest", ICE_STR("list.field.null"), true,
                               walk->file);
        return ICE_OK;
    }
    uint32_t manifest = ice_manifest_number(ck, row->manifest_path);
    if (manifest == UINT32_MAX)
        return ICE_ENOMEM;
    check_duplicate(walk, &ck->manifests[manifest]);
    ICE_TRY(ice_manifest_listed(ck, manifest, walk->number));
    ck->manifests[manifest].last_record = list->rows.record;
    struct ice_list_record record = {.row = *row,
                                     .present = list->plan.present & ~row->null,
                                     .summary_present = list->summary_present,
                                     .names = walk->names,
                                     .manifest = manifest,
                                     .version = walk->version,
                                     .snapshot = walk->number,
                                     .record = list->rows.record,
                                     .block = list->rows.block.index,
                                     .offset = list->rows.block.offset};
    struct ice_list_record *kept;
    return ice_manifest_add_record(ck, &record, &kept);
}

/* A fault costs the rest of its block; the reader goes on behind it. */
static enum ice_status read_rows(struct ice_list_walk *walk, enum ice_scope scope,
                                 bool *out_whole, struct ice_error *err) {
    const struct ice_manifest_file *row = NULL;
    struct ice_place place = ice_place_file(walk->file, walk->order);
    struct ice_error fault;
    *out_whole = true;
    for (;;) {
        ice_error_clear(&fault);
        enum ice_status status = ice_manifest_list_next(walk->list, &row, &fault);
        if (status == ICE_DONE)
            break;
        if (status == ICE_OK) {
            ice_list_row_rules(walk, row);
            if (walk->snapshot && keep_row(walk, row) < 0)
                return ice_error_memory(err);
            continue;
        }
        *out_whole = false;
        if (fault.status >= 0)
            fault.status = status;
        status = ice_check_fault(walk->ck, &fault, &place, scope, "manifest list");
        if (status < 0)
            return ice_error_set(err, status, NULL, ICE_NO_OFFSET, "%s", fault.message);
        if (fault.status != ICE_EFORMAT && fault.status != ICE_ELIMIT)
            break; /* the source failed: no more comes */
    }
    if (*out_whole)
        ice_list_end_rules(walk);
    return ICE_OK;
}

static void report_varint(struct ice_check *ck, const struct ice_avro_file *file,
                          struct ice_str name, uint64_t order) {
    struct ice_place place = ice_place_file(name, order);
    if (!file->varint_not_shortest)
        return;
    place.at.offset = file->varint_not_shortest_offset;
    FOUND(ck->emit, ICE_RULE_AVRO_VARINT_NOT_SHORTEST, &place, ARG_NONE);
}

/* ---- one list ---- */

static enum ice_status read_list(struct ice_check *ck, struct ice_list_walk *walk,
                                 struct ice_stream *stream, enum ice_scope scope,
                                 enum ice_read_state *out_state, struct ice_error *err) {
    struct ice_manifest_list list;
    struct ice_fault_sink sink = {.ck = ck,
                                  .place = ice_place_file(walk->file, walk->order)};
    struct ice_error fault;
    bool whole = false;
    ice_error_clear(&fault);
    *out_state = ICE_READ_NOT;
    walk->list = &list;
    ck->n_lists++;
    enum ice_status status = ice_manifest_list_open(&list, ck->run, stream,
                                                    ice_check_avro_fault, &sink, &fault);
    if (status < 0) {
        if (fault.status >= 0)
            fault.status = status;
        status = ice_check_fault(ck, &fault, &sink.place, scope, "manifest list");
        goto done;
    }
    if (list.encrypted) {
        ice_encrypted_file(ck, &sink.place, "manifest list",
                           walk->snapshot == NULL ||
                               ice_snapshot_has(walk->snapshot, ICE_SNAP_key_id),
                           "its snapshot has no key-id");
        ice_emit_not_evaluated(ck->emit, "manifest list", ICE_STR("it is encrypted"),
                               true, walk->file);
        goto done;
    }
    status = ice_list_walk_begin(walk);
    if (status < 0)
        goto done;
    status = ice_list_header_begin(walk);
    if (status < 0)
        goto done;
    status = read_rows(walk, scope, &whole, err);
    if (ice_list_header_rules(walk, whole)) {
        whole = false; /* of what the snapshot holds nothing is known */
        ice_emit_not_evaluated(ck->emit, "manifest list",
                               ICE_STR("it is another snapshot's"), true, walk->file);
    }
    report_varint(ck, &list.file, walk->file, walk->order);
    *out_state = whole ? ICE_READ_WHOLE : ICE_READ_PARTLY;
done:
    ice_list_origin_release(&walk->origin);
    walk->list = NULL;
    ice_manifest_list_release(&list);
    if (status == ICE_ENOMEM)
        return ice_error_memory(err);
    return status < 0 ? ice_error_set(err, status, NULL, ICE_NO_OFFSET, "stopped")
                      : ICE_OK;
}

static enum ice_status check_list(struct ice_check *ck, uint32_t number,
                                  struct ice_str path, struct ice_error *err) {
    struct ice_snapshot_facts *facts = &ck->snapshots[number];
    struct ice_row_place named_at;
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_scope scope = ice_snapshot_scope(facts);
    place_in_metadata(ck, number, "manifest-list", &named_at);
    facts->list_file = ice_check_file_name(ck, path);
    facts->list_state = ICE_READ_NOT;
    struct ice_list_walk walk = {.ck = ck,
                                 .snapshot = snapshot_of(ck, number),
                                 .number = number,
                                 .file = facts->list_file,
                                 .order = ICE_ORDER_LIST + number};
    enum ice_status status =
        ice_check_open(ck, path, &named_at.place, ICE_RULE_STORAGE_MANIFEST_LIST_MISSING,
                       scope, "manifest list", &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    status = read_list(ck, &walk, &stream, scope, &facts->list_state, err);
    ice_stream_release(&stream);
    return status;
}

/* ---- snapshots ---- */

/* Has a snapshot of scope named this very list before? Its findings are said there. */
static enum ice_status find_shared(struct lists *lists, uint32_t number,
                                   struct ice_str path, bool *out_shared) {
    struct ice_check *ck = lists->ck;
    uint64_t key = ice_hash64(path, ck->run->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t found;
    *out_shared = false;
    while (ice_table_next(&lists->by_path, key, &at, &found)) {
        struct ice_str earlier;
        ICE_TRY(ice_snapshot_manifest_list(&ck->metadata, snapshot_of(ck, found),
                                           &lists->other, &earlier));
        if (!ice_str_equal(earlier, path))
            continue;
        ck->snapshots[number].shares_list = true;
        ck->snapshots[number].list_state = ck->snapshots[found].list_state;
        ck->snapshots[number].list_file = ck->snapshots[found].list_file;
        *out_shared = true;
        return ICE_OK;
    }
    return ice_table_put(&lists->by_path, key, number);
}

static void place_inline(const struct ice_check *ck, uint32_t number, size_t index,
                         struct ice_row_place *out) {
    place_in_metadata(ck, number, "manifests", out);
    ice_row_place_index(out, index);
}

/* What the snapshot holds is not known then, as with a row that names none. */
static void report_inline_unnamed(struct ice_check *ck, uint32_t number, size_t index) {
    struct ice_row_place at;
    place_inline(ck, number, index, &at);
    FOUND(ck->emit, ICE_RULE_LIST_FIELD_NULL, &at.place,
          arg_text("field", "manifest_path"));
    ck->snapshots[number].has_unnamed = true;
    ice_emit_not_evaluated(ck->emit, "manifest", ICE_STR("list.field.null"), true,
                           ck->metadata_file);
}

static void check_inline_twice(const struct ice_check *ck, uint32_t number, size_t index,
                               const struct ice_manifest_facts *facts) {
    struct ice_row_place at;
    if (facts->last_snapshot != number)
        return;
    place_inline(ck, number, index, &at);
    FOUND(ck->emit, ICE_RULE_LIST_MANIFEST_DUPLICATE, &at.place,
          arg_str("path", facts->path), arg_i64("first", (int64_t)facts->last_record));
}

/* spec: #snapshots, `manifests` of v1: paths alone, no record about them */
static enum ice_status keep_inline(struct ice_check *ck, uint32_t number) {
    const struct ice_snapshot *snapshot = snapshot_of(ck, number);
    struct ice_str path;
    for (size_t i = 0; ice_snapshot_manifest(&ck->metadata, snapshot, i, &path); i++) {
        if (path.size == 0) {
            report_inline_unnamed(ck, number, i);
            continue;
        }
        uint32_t manifest = ice_manifest_number(ck, path);
        if (manifest == UINT32_MAX)
            return ICE_ENOMEM;
        check_inline_twice(ck, number, i, &ck->manifests[manifest]);
        ICE_TRY(ice_manifest_listed(ck, manifest, number));
        ck->manifests[manifest].last_record = i;
    }
    ck->snapshots[number].list_state = ICE_READ_WHOLE;
    ck->snapshots[number].list_file = ck->metadata_file;
    return ICE_OK;
}

static enum ice_status check_snapshot(struct lists *lists, uint32_t number,
                                      struct ice_error *err) {
    struct ice_check *ck = lists->ck;
    const struct ice_snapshot *snapshot = snapshot_of(ck, number);
    struct ice_str path = ICE_STR_NONE;
    bool shared = false;
    if (ice_snapshot_manifest_list(&ck->metadata, snapshot, &lists->path, &path) < 0)
        return ice_error_memory(err);
    if (path.size == 0 && ice_snapshot_has(snapshot, ICE_SNAP_manifests)) {
        if (keep_inline(ck, number) < 0)
            return ice_error_memory(err);
        return ICE_OK;
    }
    if (path.size == 0) {
        /* pass 1 has said so; what the snapshot holds is unknown, not nothing */
        ck->snapshots[number].list_state = ICE_READ_NOT;
        ice_emit_not_evaluated(ck->emit, "manifest list",
                               ICE_STR("a snapshot names none"), true, ck->metadata_file);
        return ICE_OK;
    }
    if (find_shared(lists, number, path, &shared) < 0)
        return ice_error_memory(err);
    return shared ? ICE_OK : check_list(ck, number, path, err);
}

enum ice_status ice_pass2_lists(struct ice_check *ck, struct ice_error *err) {
    struct lists lists = {.ck = ck};
    enum ice_status status = ICE_OK;
    if (!ck->metadata_readable)
        return ICE_OK;
    if (ice_ancestry_find(ck) < 0)
        return ice_error_memory(err);
    ice_table_init(&lists.by_path, &ck->run->alloc);
    ice_buf_init(&lists.path, &ck->run->alloc, SIZE_MAX);
    ice_buf_init(&lists.other, &ck->run->alloc, SIZE_MAX);
    for (size_t i = 0; status == ICE_OK && i < ck->n_snapshots; i++) {
        ice_check_progress(ck, "lists", i, ck->n_snapshots);
        if (ck->snapshots[i].in_scope)
            status = check_snapshot(&lists, (uint32_t)i, err);
    }
    ice_buf_release(&lists.path);
    ice_buf_release(&lists.other);
    ice_table_release(&lists.by_path);
    if (status == ICE_OK && ck->options->depth == ICE_DEPTH_LIST)
        ice_unread_record_rules(ck);
    return status == ICE_OK ? ice_rules_listed_sequence(ck, err) : status;
}

enum ice_status ice_check_lone_list(struct ice_check *ck, struct ice_error *err) {
    struct ice_list_walk walk = {.ck = ck, .order = ICE_ORDER_LIST};
    struct ice_stream stream = {0};
    struct ice_file_info info;
    enum ice_read_state state;
    enum ice_status status = ice_check_open_target(ck, &walk.file, &stream, &info, err);
    if (status < 0)
        return ice_status_is_final(status) ? status : ICE_OK;
    status = read_list(ck, &walk, &stream, ICE_SCOPE_HEAD, &state, err);
    ice_stream_release(&stream);
    return status;
}
