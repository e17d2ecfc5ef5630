/*
 * The table behind an answer: opening, and the walks over lists and manifests.
 */
#include "answer/table_reader.h"

#include "answer/member_faults.h"
#include "base/error.h"
#include "base/size.h"

/* ---- opening ----------------------------------------------------------------------- */

void ice_table_reader_tell(struct ice_table_reader *reader,
                           const struct ice_error *fault) {
    reader->n_troubles++;
    if (reader->on_trouble != NULL)
        reader->on_trouble(fault, reader->user);
}

bool ice_table_reader_lacks_current(const struct ice_table_reader *reader) {
    const struct ice_check *ck = &reader->check;
    return (ck->pointer_is_missing || ck->hint_is_missing) &&
           ck->picked_by == ICE_PICKED_BY_NAME;
}

static enum ice_status give(const struct ice_error *fault, struct ice_error *err) {
    if (err != NULL && err->status == ICE_OK)
        *err = *fault;
    return fault->status;
}

/* What was read of a broken metadata file is still worth rows, if it names the table. */
static enum ice_status judge_metadata(struct ice_table_reader *reader,
                                      struct ice_error *err) {
    struct ice_error fault = reader->check.metadata_fault;
    if (reader->check.metadata_readable)
        return ICE_OK;
    if (fault.status == ICE_OK)
        (void)ice_error_set(&fault, ICE_ENOENT, NULL, ICE_NO_OFFSET,
                            "no readable metadata file");
    ice_error_set_file(&fault, reader->check.pinned ? reader->check.metadata_file
                                                    : reader->given);
    if (reader->metadata->format_version == 0 && reader->metadata->n_snapshots == 0)
        return give(&fault, err);
    ice_table_reader_tell(reader, &fault);
    return ICE_OK;
}

static enum ice_status judge_target(const struct ice_table_reader *reader,
                                    struct ice_error *err) {
    const struct ice_target *target = &reader->target;
    switch (target->kind) {
    case ICE_TARGET_TABLE:
    case ICE_TARGET_METADATA:
    case ICE_TARGET_LIST:
    case ICE_TARGET_MANIFEST:
        return ICE_OK;
    case ICE_TARGET_EMPTY:
        (void)ice_error_set(
            err, ICE_ENOENT, NULL, ICE_NO_OFFSET,
            "no *.metadata.json in this directory or in metadata/ below it");
        break;
    case ICE_TARGET_AVRO:
    case ICE_TARGET_OTHER:
        (void)ice_error_set(err, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "no Iceberg table: it is of kind '%s'",
                            ice_input_kind_name(target->is));
        break;
    }
    if (err != NULL)
        ice_error_set_file(err, reader->given);
    return target->kind == ICE_TARGET_EMPTY ? ICE_ENOENT : ICE_EFORMAT;
}

/* A hint that cannot be read might have named another metadata file. */
static void tell_hint(struct ice_table_reader *reader) {
    const struct ice_target *target = &reader->target;
    if (!target->has_hint || target->hint_fault.status >= 0 ||
        reader->options->metadata != NULL)
        return;
    struct ice_error fault = target->hint_fault;
    ice_error_set_file(&fault, ICE_STR("version-hint.text"));
    ice_table_reader_tell(reader, &fault);
}

enum ice_status ice_table_reader_find(struct ice_table_reader *reader, const char *path,
                                      const struct ice_options *options,
                                      ice_trouble_fn on_trouble, void *user,
                                      struct ice_error *err) {
    static const struct ice_options defaults = ICE_OPTIONS_INIT;
    *reader = (struct ice_table_reader){
        .given = ice_str_from(path), .on_trouble = on_trouble, .user = user};
    reader->options = options != NULL ? options : &defaults;
    reader->metadata = &reader->check.metadata;
    ice_run_init(&reader->run, options);
    ice_buf_init(&reader->key, &reader->run.alloc, SIZE_MAX);
    ice_buf_init(&reader->path, &reader->run.alloc, SIZE_MAX);
    enum ice_status status = ice_target_open(&reader->target, &reader->run, path, err);
    if (status < 0) {
        if (err != NULL)
            ice_error_set_file(err, reader->given);
        return status;
    }
    tell_hint(reader);
    ICE_TRY(ice_check_init(&reader->check, &reader->run, reader->options, &reader->target,
                           err));
    return ICE_OK;
}

enum ice_status ice_table_reader_open(struct ice_table_reader *reader, const char *path,
                                      const struct ice_options *options,
                                      bool want_summaries, ice_trouble_fn on_trouble,
                                      void *user, struct ice_error *err) {
    ICE_TRY(ice_table_reader_find(reader, path, options, on_trouble, user, err));
    ICE_TRY(judge_target(reader, err));
    reader->check.want_summaries = want_summaries;
    ICE_TRY(ice_check_read_metadata(&reader->check, err));
    ice_tell_pointers(reader);
    if (reader->target.kind == ICE_TARGET_TABLE ||
        reader->target.kind == ICE_TARGET_METADATA)
        return judge_metadata(reader, err);
    return ICE_OK;
}

/* Begin again, with a metadata file named as --metadata does it. */
static enum ice_status reopen(struct ice_table_reader *reader, const char *name,
                              struct ice_error *err) {
    bool want_summaries = reader->check.want_summaries;
    reader->own_options = *reader->check.options;
    reader->own_options.metadata = name;
    reader->options = &reader->own_options;
    ice_check_release(&reader->check);
    ICE_TRY(ice_check_init(&reader->check, &reader->run, reader->options, &reader->target,
                           err));
    reader->check.want_summaries = want_summaries;
    return ice_check_read_metadata(&reader->check, err);
}

static void tell_unreadable(struct ice_table_reader *reader) {
    struct ice_error fault = reader->check.metadata_fault;
    if (fault.status >= 0)
        (void)ice_error_set(&fault, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "it could not be read");
    ice_error_set_file(&fault, reader->check.metadata_file);
    ice_table_reader_tell(reader, &fault);
}

static enum ice_status refuse_view(const struct ice_table_reader *reader,
                                   struct ice_error *err) {
    (void)ice_error_set(err, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                        "it is of a view or a function, not of a table");
    if (err != NULL)
        ice_error_set_file(err, reader->check.metadata_file);
    return ICE_EFORMAT;
}

enum ice_status ice_table_reader_open_readable(
    struct ice_table_reader *reader, const char *path, const struct ice_options *options,
    bool want_summaries, ice_trouble_fn on_trouble, void *user, struct ice_error *err) {
    const struct ice_check *ck = &reader->check;
    ICE_TRY(ice_table_reader_find(reader, path, options, on_trouble, user, err));
    ICE_TRY(judge_target(reader, err));
    if (reader->target.kind != ICE_TARGET_TABLE &&
        reader->target.kind != ICE_TARGET_METADATA) {
        (void)ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                            "no table: give its directory or a metadata file");
        if (err != NULL)
            ice_error_set_file(err, reader->given);
        return ICE_EARG;
    }
    reader->check.want_summaries = want_summaries;
    ICE_TRY(ice_check_read_metadata(&reader->check, err));
    ice_tell_pointers(reader);
    for (size_t i = reader->target.n_names;; i--) {
        bool is_table = reader->target.kind == ICE_TARGET_TABLE;
        if (ck->metadata_readable && !reader->metadata->is_view)
            return ICE_OK;
        if (reader->metadata->is_view)
            return refuse_view(reader, err);
        if (!is_table || i == 0) /* nothing else stands in for it */
            return judge_metadata(reader, err);
        if (reader->replaced.size == 0) {
            tell_unreadable(reader);
            if (!ice_arena_dup(&reader->target.arena, ice_key_name(ck->metadata_key),
                               &reader->replaced))
                return ice_error_memory(err);
        }
        struct ice_str name = reader->target.names[i - 1].name;
        if (!ice_str_equal(name, ice_key_name(ck->metadata_key)))
            ICE_TRY(reopen(reader, name.data, err));
    }
}

void ice_table_reader_release(struct ice_table_reader *reader) {
    ice_buf_release(&reader->path);
    ice_buf_release(&reader->key);
    ice_check_release(&reader->check);
    ice_target_release(&reader->target);
}

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
        return give(fault, err);
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
    for (;;) {
        enum ice_status status = ice_manifest_next(manifest, &item.entry, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status < 0) {
            bool passable = is_passable(status, &fault);
            ICE_TRY(pass_fault(walk, &fault, status, err));
            if (!passable)
                return ICE_OK;
            continue;
        }
        ice_inherit_apply(&inherit, manifest, item.entry, &item.effective);
        ICE_TRY(each(&item, walk->context));
    }
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
        return give(&fault, err);
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
    for (;;) {
        enum ice_status status = ice_manifest_list_next(list, &item.row, &fault);
        if (status == ICE_DONE)
            return ICE_OK;
        if (status < 0) {
            bool passable = is_passable(status, &fault);
            ICE_TRY(pass_fault(walk, &fault, status, err));
            if (!passable)
                return ICE_OK;
            continue;
        }
        item.path = item.row->manifest_path;
        ICE_TRY(each(&item, walk->context));
    }
}

static enum ice_status walk_list(const struct walk *walk, size_t snapshot,
                                 ice_listed_manifest_fn each, struct ice_error *err) {
    struct ice_table_reader *reader = walk->reader;
    struct ice_stream stream = {0};
    struct ice_manifest_list list = {0};
    struct ice_error fault = {0};
    enum ice_status status = open_file(walk, &stream, &fault);
    if (status >= 0)
        status = ice_manifest_list_open(&list, &reader->run, &stream, ignore_avro_fault,
                                        NULL, &fault);
    if (status >= 0)
        status = refuse_encrypted(list.encrypted, &fault);
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
