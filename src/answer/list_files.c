/*
 * ice_list_files: what the argument was taken for, and every file that a check of it
 * would read. The files of metadata come from the check itself; with depth puffin,
 * statistics files and the deletion vectors' files follow, which a check then opens too.
 */
#include "answer/row_builder.h"
#include "answer/table_reader.h"
#include "base/error.h"

static const struct ice_column columns[] = {
    {"uri", ICE_VALUE_STR},   {"kind", ICE_VALUE_STR}, {"size", ICE_VALUE_I64},
    {"here", ICE_VALUE_BOOL}, {NULL, ICE_VALUE_NULL},
};

struct listing {
    struct ice_table_reader *reader;
    struct ice_row row;
    struct ice_seen seen; /* rows given, so that shared Puffin files come once */
    struct ice_error *err;
};

static enum ice_status file_row(struct ice_str uri, const char *kind, int64_t size,
                                int here, void *user) {
    struct listing *l = user;
    ice_row_begin(&l->row);
    ice_row_str(&l->row, uri);
    ice_row_text(&l->row, kind);
    ice_row_i64_if(&l->row, size >= 0, size);
    if (here < 0) /* not mapped: nobody looked */
        ice_row_null(&l->row);
    else
        ice_row_bool(&l->row, here > 0);
    return ice_row_send(&l->row, l->err);
}

static const char *target_kind(const struct ice_target *target) {
    switch (target->kind) {
    case ICE_TARGET_TABLE:
        return "table directory";
    case ICE_TARGET_EMPTY:
        return "directory without metadata files";
    case ICE_TARGET_METADATA:
    case ICE_TARGET_LIST:
    case ICE_TARGET_MANIFEST:
    case ICE_TARGET_AVRO:
    case ICE_TARGET_OTHER:
        return ice_input_kind_name(target->is);
    }
    return "";
}

/* ---- Puffin -------------------------------------------------------------------------
 */

/* A file named by metadata: is it here, and how big? */
static enum ice_status named_row(struct listing *l, struct ice_str uri, const char *kind,
                                 int64_t declared) {
    struct ice_table_reader *reader = l->reader;
    struct ice_source *source;
    struct ice_str key;
    struct ice_file_info info;
    bool is_new;
    ICE_TRY(ice_seen_add(&l->seen, uri, &is_new, l->err));
    if (!is_new)
        return ICE_OK;
    struct ice_error fault = {0};
    enum ice_status status = ice_mapping_resolve(&reader->check.mapping, uri,
                                                 &reader->key, &source, &key, &fault);
    if (status == ICE_ENOMEM)
        return ice_error_memory(l->err);
    if (status < 0)
        return file_row(uri, kind, declared, -1, l);
    status = ice_source_stat(source, key, &reader->run, &info, &fault);
    if (status == ICE_ENOMEM)
        return ice_error_memory(l->err);
    if (status < 0 && status != ICE_ENOENT)
        ice_table_reader_tell(reader, &fault);
    if (status < 0 || info.size > INT64_MAX)
        return file_row(uri, kind, declared, 0, l);
    return file_row(uri, kind, (int64_t)info.size, 1, l);
}

static enum ice_status statistics_rows(struct listing *l) {
    const struct ice_metadata *m = l->reader->metadata;
    for (size_t i = 0; i < m->n_statistics; i++) {
        const struct ice_statistics *s = &m->statistics[i];
        if (s->is_partition || !s->has_path) /* partition statistics are data files */
            continue;
        ICE_TRY(named_row(l, s->path, "statistics",
                          s->has_file_size ? s->file_size_in_bytes : -1));
    }
    return ICE_OK;
}

static enum ice_status on_entry(const struct ice_listed_entry *item, void *context) {
    struct listing *l = context;
    const struct ice_data_file *file = &item->entry->file;
    if (item->entry->status == ICE_STATUS_DELETED ||
        !ice_str_equal_nocase(file->file_format, ICE_STR("puffin")))
        return ICE_OK;
    bool has_size =
        ice_entry_has(item->manifest, item->entry, ICE_FILE_file_size_in_bytes);
    return named_row(l, file->file_path, "deletion vectors",
                     has_size ? file->file_size_in_bytes : -1);
}

static enum ice_status on_manifest(const struct ice_listed_manifest *listed,
                                   void *context) {
    struct listing *l = context;
    bool is_new = true;
    if (ice_listed_content(listed) == 0)
        return ICE_OK;
    ICE_TRY(ice_seen_add(&l->seen, listed->path, &is_new, l->err));
    if (!is_new)
        return ICE_OK;
    return ice_walk_manifest(l->reader, listed, on_entry, NULL, l, l->err);
}

static enum ice_status puffin_rows(struct listing *l) {
    struct ice_check *ck = &l->reader->check;
    ICE_TRY(statistics_rows(l));
    for (size_t i = 0; i < ck->n_snapshots; i++)
        if (ck->snapshots[i].in_scope)
            ICE_TRY(ice_walk_snapshot(l->reader, ck->snapshots[i].index, on_manifest,
                                      NULL, l, l->err));
    return ICE_OK;
}

/* ---- the walk of the check ----------------------------------------------------------
 */

/* A null in place of what names files, of those that are listed. */
static bool is_null_list(const struct listing *l, const struct ice_finding *finding) {
    static const char *const lists[] = {"/snapshots", "/statistics",
                                        "/partition-statistics"};
    const size_t n =
        l->reader->options->depth == ICE_DEPTH_PUFFIN ? ICE_COUNT_OF(lists) : 1;
    for (size_t i = 0; i < n; i++)
        if (ice_str_is(finding->at.pointer, lists[i]))
            return strcmp(finding->rule->name, "json.field.explicit-null") == 0;
    return false;
}

/* What the walk could not read cuts the listing short: that is trouble, not a verdict. */
static enum ice_status tell_unread(const struct ice_finding *finding, void *user) {
    const struct listing *l = user;
    static const char *const families[] = {"avro.", "json.", "limit.", "source."};
    bool is_unread = false;
    for (size_t i = 0; i < ICE_COUNT_OF(families); i++)
        if (strncmp(finding->rule->name, families[i], strlen(families[i])) == 0)
            is_unread = finding->severity == ICE_ERROR;
    if (strcmp(finding->rule->name, "source.unreadable") == 0 || is_null_list(l, finding))
        is_unread = true;
    /* a list that another was copied over: what it named is not known */
    if (strcmp(finding->rule->name, "list.header.snapshot-id") == 0)
        is_unread = is_unread || finding->severity == ICE_ERROR;
    if (!is_unread || l->reader->on_trouble == NULL)
        return ICE_OK;
    struct ice_error trouble = {.status = ICE_EFORMAT,
                                .rule = finding->rule->name,
                                .offset = finding->at.offset,
                                .line = finding->at.line,
                                .column = finding->at.column};
    ice_error_set_file(&trouble, finding->at.file);
    ice_error_set_pointer(&trouble, finding->at.pointer);
    (void)ice_escape(trouble.message, sizeof(trouble.message), finding->message);
    l->reader->on_trouble(&trouble, l->reader->user);
    return ICE_OK;
}

static enum ice_status list_all(struct listing *l) {
    struct ice_table_reader *reader = l->reader;
    struct ice_check *ck = &reader->check;
    struct ice_summary summary = {0};
    enum ice_target_kind kind = reader->target.kind;
    bool is_directory = kind == ICE_TARGET_TABLE || kind == ICE_TARGET_EMPTY;
    if (is_directory || kind == ICE_TARGET_METADATA) /* the walk tells other lone files */
        ICE_TRY(file_row(reader->given, target_kind(&reader->target), -1, 1, l));
    ICE_TRY(ice_check_walk_files(ck, file_row, l, l->err));
    ICE_TRY(ice_emit_deliver(ck->emit, ck->table_name, ck->metadata.table_uuid,
                             tell_unread, l, &summary, l->err));
    if (reader->options->depth == ICE_DEPTH_PUFFIN && kind != ICE_TARGET_EMPTY)
        return puffin_rows(l);
    return ICE_OK;
}

enum ice_status ice_list_files(const char *path, const struct ice_options *options,
                               ice_row_fn on_row, ice_trouble_fn on_trouble, void *user,
                               struct ice_error *err) {
    struct ice_table_reader reader;
    struct listing l = {.reader = &reader, .err = err};
    enum ice_status status =
        ice_table_reader_find(&reader, path, options, on_trouble, user, err);
    ice_row_init(&l.row, &reader.run, columns, on_row, user);
    ice_seen_init(&l.seen, &reader.run);
    if (status >= 0)
        status = list_all(&l);
    ice_seen_release(&l.seen);
    ice_row_release(&l.row);
    ice_table_reader_release(&reader);
    return status;
}
