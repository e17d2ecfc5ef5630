/*
 * The walks over lists and manifests of the table behind an answer.
 */
#include "answer/table_reader.h"

#include "base/error.h"
#include "base/size.h"
#include "check/list_origin.h"

/* ---- faults ------------------------------------------------------------------------ */

struct walk {
    struct ice_table_reader *reader;
    const char *stage;
    struct ice_str path; /* of the file */
    bool is_lone;        /* it is the argument itself, not named by metadata */
    ice_stage_fn on_fault;
    void *context;
};

/* Tell a fault of the file and clear it; what must end the run is handed up. */
static enum ice_status pass_fault(const struct walk *walk, struct ice_error *fault,
                                  enum ice_status status, struct ice_error *err) {
    if (fault->status == ICE_OK)
        fault->status = status;
    if (ice_status_is_final(status))
        return ice_error_pass_final(err, status, fault);
    ice_error_set_file(fault, walk->path);
    ice_table_reader_tell(walk->reader, fault);
    if (walk->on_fault != NULL)
        ICE_TRY(walk->on_fault(walk->stage, fault, walk->path, walk->context));
    ice_error_clear(fault);
    return ICE_OK;
}

/* May the rows behind this fault be read? */
static bool is_passable(enum ice_status status, const struct ice_error *fault) {
    return (status == ICE_EFORMAT || status == ICE_ELIMIT) &&
           (fault->rule == NULL || strcmp(fault->rule, "avro.truncated") != 0);
}

/* A row did not decode. *out_goes_on: there may be more behind it. */
static enum ice_status pass_row(const struct walk *walk, struct ice_error *fault,
                                enum ice_status status, bool *out_goes_on,
                                struct ice_error *err) {
    *out_goes_on = is_passable(status, fault);
    return pass_fault(walk, fault, status, err);
}

static enum ice_status ignore_avro_fault(const struct ice_avro_fault *fault, void *user) {
    (void)fault;
    (void)user;
    return ICE_OK;
}

static enum ice_status open_file(const struct walk *walk, struct ice_stream *out,
                                 struct ice_error *fault) {
    struct ice_table_reader *reader = walk->reader;
    struct ice_source *source = reader->target.source;
    struct ice_str key = reader->target.file_key;
    struct ice_file_info info;
    if (!walk->is_lone)
        ICE_TRY(ice_mapping_resolve(&reader->check.mapping, walk->path, &reader->key,
                                    &source, &key, fault));
    enum ice_status status =
        ice_source_open_stream(source, key, &reader->run, out, &info, fault);
    if (status == ICE_ENOENT)
        (void)ice_error_set(fault, status, NULL, ICE_NO_OFFSET,
                            "the %s is missing: lost, or the copy is incomplete",
                            walk->stage);
    return status;
}

static enum ice_status refuse_encrypted(bool encrypted, struct ice_error *fault) {
    return encrypted ? ice_error_set(fault, ICE_EUNSUPPORTED, NULL, 0,
                                     "encrypted: nothing was read")
                     : ICE_OK;
}

/* ---- manifests --------------------------------------------------------------------- */

static int32_t spec_of(const struct ice_listed_manifest *listed,
                       const struct ice_manifest *manifest) {
    if (ice_listed_has(listed, ICE_LIST_partition_spec_id))
        return listed->row->partition_spec_id;
    int32_t spec_id = 0;
    if ((manifest->header & ~manifest->header_bad) & ICE_MHEAD_SPEC_ID)
        (void)ice_narrow_i32(manifest->header_spec_id, &spec_id);
    return spec_id;
}

static struct ice_inherit inherit_of(const struct ice_table_reader *reader,
                                     const struct ice_listed_manifest *listed) {
    struct ice_inherit inherit = {0};
    if (listed->row == NULL) {
        if (listed->snapshot != SIZE_MAX)
            inherit.added_snapshot_id =
                reader->metadata->snapshots[listed->snapshot].snapshot_id;
        return inherit;
    }
    inherit.added_snapshot_id = listed->row->added_snapshot_id;
    inherit.sequence_number = listed->row->sequence_number;
    inherit.has_first_row_id = ice_listed_has(listed, ICE_LIST_first_row_id);
    inherit.next_row_id = listed->row->first_row_id;
    return inherit;
}

static enum ice_status walk_entries(const struct walk *walk,
                                    struct ice_manifest *manifest,
                                    const struct ice_listed_manifest *listed,
                                    ice_entry_fn each, struct ice_error *err) {
    struct ice_listed_entry item = {
        .listed = listed, .manifest = manifest, .spec_id = spec_of(listed, manifest)};
    struct ice_inherit inherit = inherit_of(walk->reader, listed);
    struct ice_error fault = {0};
    bool goes_on = true;
    while (goes_on) {
        enum ice_status status = ice_manifest_next(manifest, &item.entry, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status < 0) {
            ICE_TRY(pass_row(walk, &fault, status, &goes_on, err));
            continue;
        }
        ice_inherit_apply(&inherit, manifest, item.entry, &item.effective);
        ICE_TRY(each(&item, walk->context));
    }
    return ICE_OK;
}

enum ice_status ice_walk_manifest(struct ice_table_reader *reader,
                                  const struct ice_listed_manifest *listed,
                                  ice_entry_fn each, ice_stage_fn on_fault, void *context,
                                  struct ice_error *err) {
    const struct walk walk = {.reader = reader,
                              .stage = "manifest",
                              .path = listed->path,
                              .is_lone = listed->snapshot == SIZE_MAX,
                              .on_fault = on_fault,
                              .context = context};
    struct ice_stream stream = {0};
    struct ice_manifest manifest = {0};
    struct ice_error fault = {0};
    if (ice_check_cancelled(&reader->check))
        return ice_error_set(err, ICE_ECANCELLED, NULL, ICE_NO_OFFSET, "cancelled");
    enum ice_status status = open_file(&walk, &stream, &fault);
    if (status >= 0)
        status = ice_manifest_open(&manifest, &reader->run, &stream, ignore_avro_fault,
                                   NULL, &fault);
    if (status >= 0)
        status = refuse_encrypted(manifest.encrypted, &fault);
    if (status < 0)
        status = pass_fault(&walk, &fault, status, err);
    else
        status = walk_entries(&walk, &manifest, listed, each, err);
    ice_manifest_release(&manifest);
    ice_stream_release(&stream);
    return status;
}

enum ice_status ice_inline_spec_id(struct ice_table_reader *reader,
                                   const struct ice_listed_manifest *listed,
                                   int32_t *out_spec_id, struct ice_error *err) {
    const struct walk walk = {
        .reader = reader, .stage = "manifest", .path = listed->path};
    struct ice_stream stream = {0};
    struct ice_manifest manifest = {0};
    struct ice_error fault = {0};
    enum ice_status status = open_file(&walk, &stream, &fault);
    if (status >= 0)
        status = ice_manifest_open(&manifest, &reader->run, &stream, ignore_avro_fault,
                                   NULL, &fault);
    if (status >= 0)
        *out_spec_id = spec_of(listed, &manifest);
    ice_manifest_release(&manifest);
    ice_stream_release(&stream);
    if (ice_status_is_final(status))
        return ice_error_pass_final(err, status, &fault);
    return status < 0 ? ICE_DONE : ICE_OK;
}

struct ice_listed_manifest ice_lone_manifest(const struct ice_table_reader *reader) {
    return (struct ice_listed_manifest){.snapshot = SIZE_MAX, .path = reader->given};
}

/* ---- lists ------------------------------------------------------------------------- */

static enum ice_status walk_rows(const struct walk *walk, struct ice_manifest_list *list,
                                 size_t snapshot, ice_listed_manifest_fn each,
                                 struct ice_error *err) {
    struct ice_listed_manifest item = {.snapshot = snapshot, .list = list};
    struct ice_error fault = {0};
    bool goes_on = true;
    while (goes_on) {
        enum ice_status status = ice_manifest_list_next(list, &item.row, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status < 0) {
            ICE_TRY(pass_row(walk, &fault, status, &goes_on, err));
            continue;
        }
        item.path = item.row->manifest_path;
        ICE_TRY(each(&item, walk->context));
    }
    return ICE_OK;
}

static enum ice_status open_list(const struct walk *walk, struct ice_stream *stream,
                                 struct ice_manifest_list *list,
                                 struct ice_error *fault) {
    ICE_TRY(open_file(walk, stream, fault));
    ICE_TRY(ice_manifest_list_open(list, &walk->reader->run, stream, ignore_avro_fault,
                                   NULL, fault));
    return refuse_encrypted(list->encrypted, fault);
}

/* All rows, for what they say of whose list it is; the walk tells their faults. */
static enum ice_status judge_rows(const struct walk *walk, struct ice_list_origin *origin,
                                  const char **out_why, struct ice_error *fault) {
    struct ice_stream stream = {0};
    struct ice_manifest_list list = {0};
    const struct ice_manifest_file *row;
    bool is_whole = true;
    enum ice_status status = open_list(walk, &stream, &list, fault);
    while (status >= 0) {
        status = ice_manifest_list_next(&list, &row, fault);
        if (status == ICE_DONE)
            break;
        if (status >= 0) {
            ice_list_origin_row(origin, &list, row);
        } else if (is_passable(status, fault)) {
            is_whole = false;
            ice_error_clear(fault);
            status = ICE_OK;
        }
    }
    *out_why = ice_list_origin_why(origin, is_whole && status == ICE_DONE);
    ice_manifest_list_release(&list);
    ice_stream_release(&stream);
    if (ice_status_is_final(status))
        return status;
    ice_error_clear(fault);
    return ICE_OK;
}

/* What another snapshot holds must not be taken for what this one does. */
static enum ice_status refuse_other(const struct walk *walk, size_t snapshot,
                                    const struct ice_manifest_list *list,
                                    struct ice_error *fault) {
    const struct ice_metadata *metadata = walk->reader->metadata;
    struct ice_list_origin origin = {0};
    const char *why = NULL;
    enum ice_status status = ICE_OK;
    if (snapshot == SIZE_MAX)
        return ICE_OK;
    status =
        ice_list_origin_begin(&origin, metadata, &metadata->snapshots[snapshot], list);
    if (status < 0)
        status = ice_error_memory(fault);
    else if (origin.names_other)
        status = judge_rows(walk, &origin, &why, fault);
    if (why != NULL)
        status = ice_error_set(fault, ICE_EFORMAT, "list.header.snapshot-id", 0,
                               "the header names snapshot %lld, metadata names the list "
                               "for snapshot %lld: %s. No row of it was taken; icefsck "
                               "explain list.header.snapshot-id tells what to do",
                               (long long)origin.header_id,
                               (long long)metadata->snapshots[snapshot].snapshot_id, why);
    ice_list_origin_release(&origin);
    return status;
}

static enum ice_status walk_list(const struct walk *walk, size_t snapshot,
                                 ice_listed_manifest_fn each, struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_manifest_list list = {0};
    struct ice_error fault = {0};
    enum ice_status status = open_list(walk, &stream, &list, &fault);
    if (status >= 0)
        status = refuse_other(walk, snapshot, &list, &fault);
    if (status < 0)
        status = pass_fault(walk, &fault, status, err);
    else
        status = walk_rows(walk, &list, snapshot, each, err);
    ice_manifest_list_release(&list);
    ice_stream_release(&stream);
    return status;
}

static enum ice_status walk_inline(const struct walk *walk, size_t snapshot,
                                   ice_listed_manifest_fn each) {
    const struct ice_metadata *metadata = walk->reader->metadata;
    struct ice_listed_manifest item = {.snapshot = snapshot};
    for (size_t i = 0;
         ice_snapshot_manifest(metadata, &metadata->snapshots[snapshot], i, &item.path);
         i++)
        ICE_TRY(each(&item, walk->context));
    return ICE_OK;
}

enum ice_status ice_walk_snapshot(struct ice_table_reader *reader, size_t snapshot,
                                  ice_listed_manifest_fn each, ice_stage_fn on_fault,
                                  void *context, struct ice_error *err) {
    struct walk walk = {.reader = reader,
                        .stage = "manifest-list",
                        .path = reader->given,
                        .is_lone = snapshot == SIZE_MAX,
                        .on_fault = on_fault,
                        .context = context};
    if (ice_check_cancelled(&reader->check))
        return ice_error_set(err, ICE_ECANCELLED, NULL, ICE_NO_OFFSET, "cancelled");
    if (snapshot == SIZE_MAX)
        return walk_list(&walk, snapshot, each, err);
    const struct ice_snapshot *s = &reader->metadata->snapshots[snapshot];
    ICE_TRY(ice_snapshot_manifest_list(reader->metadata, s, &reader->path, &walk.path));
    if (walk.path.size > 0)
        return walk_list(&walk, snapshot, each, err);
    if (ice_snapshot_has(s, ICE_SNAP_manifests))
        return walk_inline(&walk, snapshot, each);
    struct ice_error fault = {0};
    (void)ice_error_set(&fault, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                        "snapshot %lld names neither manifest-list nor manifests",
                        (long long)s->snapshot_id);
    walk.path = reader->check.metadata_file;
    return pass_fault(&walk, &fault, ICE_EFORMAT, err);
}

/* ---- paths met --------------------------------------------------------------------- */

void ice_seen_init(struct ice_seen *seen, struct ice_run *run) {
    ice_table_init(&seen->table, &run->alloc);
    seen->seed = run->hash_seed;
}

void ice_seen_release(struct ice_seen *seen) {
    ice_table_release(&seen->table);
}

/* 96 bits of a seeded hash stand for the path: no two paths of one table share them. */
enum ice_status ice_seen_add(struct ice_seen *seen, struct ice_str path, bool *out_is_new,
                             struct ice_error *err) {
    struct ice_hash hash = ice_hash128(path, seen->seed);
    size_t at = SIZE_MAX;
    uint32_t more;
    *out_is_new = false;
    while (ice_table_next(&seen->table, hash.low, &at, &more))
        if (more == (uint32_t)hash.high)
            return ICE_OK;
    *out_is_new = true;
    if (ice_table_put(&seen->table, hash.low, (uint32_t)hash.high) < 0)
        return ice_error_memory(err);
    return ICE_OK;
}
