/*
 * The table behind an answer: opening. Its walks are in reader_walks.c.
 */
#include "answer/table_reader.h"

#include "answer/member_faults.h"
#include "base/error.h"

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
