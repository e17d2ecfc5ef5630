/*
 * ice_orphans: files below tables' locations that nothing names. It tells, and deletes
 * nothing. Where it cannot be sure of a table, because a list or manifest was not read or
 * another metadata file may be the current one, it gives no row of it and says why.
 *
 * All tables are read first, up to their keys; then listings and trees stream past all of
 * them once; then each gives its rows.
 */
#include "answer/row_builder.h"
#include "answer/table_reader.h"
#include "base/error.h"
#include "check/pointers.h"
#include "check/storage.h"
#include "check/unfound.h"

#include <inttypes.h>
#include <stdio.h>

static const struct ice_column columns[] = {
    {"file", ICE_VALUE_STR},  {"size", ICE_VALUE_I64},   {"mtime", ICE_VALUE_TIME},
    {"class", ICE_VALUE_STR}, {"reason", ICE_VALUE_STR}, {"uri", ICE_VALUE_STR},
    {NULL, ICE_VALUE_NULL},
};

/* What is the same for all tables of a call. */
struct call {
    struct ice_alloc alloc; /* of the tables below */
    struct orphans *tables;
    size_t n_tables;
    const struct ice_options *options;
    struct ice_storage_group group;
    int64_t older_than_ms;
    ice_row_fn on_row;
    ice_trouble_fn on_trouble;
    void *user;
};

/* One table. */
struct orphans {
    struct call *call;
    struct ice_options options;
    struct ice_table_reader reader;
    bool is_joined; /* with the listings */
    struct ice_row row;
    struct ice_buf uri; /* scratch */
    struct ice_orphan_totals *totals;
    uint64_t n_seen, n_foreign;
    bool is_ambiguous; /* two files may be the current one */
    struct ice_error *err;
};

/* ---- trouble ---- */

/* Of several tables a file is named with its own. */
static struct ice_str file_of(const struct orphans *o, struct ice_str file, char *out,
                              size_t size) {
    struct ice_str given = o->reader.given;
    const char *between = ice_uri_scheme(file) > 0 ? ": " : "/";
    if (o->call->n_tables == 1 || file.size == 0 || ice_str_starts(file, given))
        return file.size > 0 ? file : given;
    int n =
        snprintf(out, size, "%.*s%s%.*s", ICE_STR_FMT(given), between, ICE_STR_FMT(file));
    return n > 0 && (size_t)n < size ? ice_str_make(out, (size_t)n) : file;
}

static void trouble(const struct orphans *o, struct ice_str file, const char *format,
                    uint64_t count, struct ice_str name) {
    struct ice_error trouble = {.status = ICE_EFORMAT, .offset = ICE_NO_OFFSET};
    char shown[160], where[300];
    if (o->reader.on_trouble == NULL)
        return;
    ice_error_set_file(&trouble, file_of(o, file, where, sizeof(where)));
    (void)ice_escape(shown, sizeof(shown), name);
    if (count > 0)
        (void)snprintf(trouble.message, sizeof(trouble.message), "%" PRIu64 " %s%s",
                       count, format, shown);
    else
        (void)snprintf(trouble.message, sizeof(trouble.message), "%s%s", format, shown);
    o->reader.on_trouble(&trouble, o->reader.user);
}

static bool is_any(const char *name, const char *const *families) {
    for (size_t i = 0; families[i] != NULL; i++)
        if (strncmp(name, families[i], strlen(families[i])) == 0)
            return true;
    return false;
}

/* What could not be read, and what is not whole, is trouble; other findings are not ours.
 */
static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    static const char *const unread[] = {"avro.", "json.", "limit.", "source.", NULL};
    static const char *const unsure[] = {"storage.manifest.missing",
                                         "storage.manifest-list.missing",
                                         "storage.listing.", NULL};
    struct orphans *o = user;
    const char *name = finding->rule->name;
    o->is_ambiguous = o->is_ambiguous || strcmp(name, "catalog.pointer.ambiguous") == 0 ||
                      strcmp(name, "catalog.pointer.other-table") == 0;
    if (!is_any(name, unsure) &&
        !(is_any(name, unread) && finding->severity == ICE_ERROR))
        return ICE_OK;
    trouble(o, finding->at.file, "", 0, finding->message);
    return ICE_OK;
}

/* ---- rows ---- */

static const char *reason_of(const struct ice_check *ck,
                             const struct ice_orphan *orphan) {
    bool is_hadoop;
    if (orphan->is_named)
        return "a missing file has this name, but for encoding or letter case: keep it";
    if (orphan->class == ICE_CLASS_TEMP)
        return "a write that did not end left it";
    if (orphan->class != ICE_CLASS_METADATA)
        return "no snapshot names it";
    int64_t own = ice_metadata_name_version(ice_key_name(ck->metadata_key), &is_hadoop);
    int64_t version = ice_metadata_name_version(ice_key_name(orphan->uri), &is_hadoop);
    if (version > own && ck->storage->newer.size > 0)
        return "newer than the metadata file that was judged: keep it";
    if (version > own)
        return "of a higher number, but older: of a dropped table, or from before a move";
    return version == own ? "another file of the current version, of a commit that lost"
                          : "in no log of the current metadata file";
}

/* Too young to be sure, by --older-than and --grace. */
static bool is_young(const struct orphans *o, const struct ice_orphan *orphan,
                     int64_t slack_ms) {
    const struct ice_check *ck = &o->reader.check;
    return orphan->is_young ||
           (orphan->mtime_ms != INT64_MIN &&
            orphan->mtime_ms > ck->now_ms - o->call->older_than_ms - slack_ms);
}

/* With the scheme that the table's location has. */
static enum ice_status full_name(struct orphans *o, struct ice_str file) {
    struct ice_str location = o->reader.metadata->location;
    while (location.size > 0 && location.data[location.size - 1] == '/')
        location.size--;
    ice_buf_clear(&o->uri);
    ICE_TRY(ice_buf_append_str(&o->uri, location));
    ICE_TRY(ice_buf_append_char(&o->uri, '/'));
    return ice_buf_append_str(&o->uri, file);
}

static enum ice_status put(struct orphans *o, const struct ice_orphan *orphan,
                           int64_t slack_ms) {
    const struct ice_check *ck = &o->reader.check;
    struct ice_str file = ice_storage_name(ck, orphan->uri);
    const char *reason = reason_of(ck, orphan);
    char text[128];
    if (ice_storage_foreign_of(ck, orphan->uri) != SIZE_MAX) {
        o->n_foreign++;
        return ICE_OK;
    }
    if (is_young(o, orphan, slack_ms)) {
        o->totals->n_young++;
        return ICE_OK;
    }
    bool has_time = orphan->mtime_ms != INT64_MIN;
    (void)snprintf(text, sizeof(text), "%s%s", reason,
                   has_time ? "" : "; its time is not known");
    o->totals->n_files++;
    if (orphan->size >= 0)
        o->totals->bytes += (uint64_t)orphan->size;
    else
        o->totals->n_unsized++;
    ice_row_begin(&o->row);
    ice_row_str(&o->row, file);
    ice_row_i64_if(&o->row, orphan->size >= 0, orphan->size);
    ice_row_time_if(&o->row, has_time, orphan->mtime_ms);
    ice_row_text(&o->row, ice_object_class_name(orphan->class));
    ice_row_text(&o->row, text);
    ICE_TRY(full_name(o, file));
    ice_row_str(&o->row, ice_buf_str(&o->uri));
    return ice_row_send(&o->row, o->err);
}

/* Candidates beyond those that were kept, once more past the keys. */
static enum ice_status put_later(struct ice_check *ck,
                                 const struct ice_stored_object *object, void *user) {
    struct orphans *o = user;
    enum ice_object_class class;
    size_t n;
    (void)ice_storage_find(ck->storage, object->hash, &n);
    if (n > 0 || object->is_old || !ice_storage_is_candidate(ck, object, &class) ||
        o->n_seen++ < ck->storage->n_orphans)
        return ICE_OK;
    struct ice_orphan orphan = {
        .uri = object->uri,
        .size =
            object->has_size && object->size <= INT64_MAX ? (int64_t)object->size : -1,
        .mtime_ms = object->mtime_ms,
        .class = class,
        .is_young = ice_storage_is_young(ck, object->mtime_ms, object->slack_ms)};
    return put(o, &orphan, object->slack_ms);
}

static enum ice_status put_all(struct orphans *o) {
    struct ice_check *ck = &o->reader.check;
    struct ice_storage *s = ck->storage;
    bool has_more = false;
    for (size_t i = 0; i < s->n_orphans; i++)
        ICE_TRY(put(o, &s->orphans[i], s->group->in.slack_ms));
    for (size_t i = 0; i < ICE_COUNT_OF(s->more_orphans); i++)
        has_more = has_more || s->more_orphans[i] > 0;
    if (!has_more)
        return ICE_OK;
    s->group->only = ck;
    enum ice_status status = ice_storage_stream(ck, put_later, o, o->err);
    s->group->only = NULL;
    return status;
}

/* ---- is it sure? ---- */

/* false: no row may be given, and it was said why. */
static bool is_sure(const struct orphans *o) {
    const struct ice_check *ck = &o->reader.check;
    const struct ice_storage *s = ck->storage;
    const char *blocked = ice_storage_shared(ck);
    bool is_chosen = ck->picked_by == ICE_PICKED_BY_ARGUMENT;
    if (blocked == NULL)
        blocked = ice_storage_blocked(ck);
    if (blocked != NULL) {
        trouble(o, ck->metadata_file, "no file can be called an orphan: ", 0,
                ice_str_from(blocked));
        return false;
    }
    if (o->is_ambiguous) {
        trouble(o, ck->metadata_file,
                "no file can be called an orphan: another file may be the current one; "
                "name it with --metadata",
                0, ICE_STR_NONE);
        return false;
    }
    const struct ice_pointer *other = ice_other_entry(ck, false);
    if (other != NULL) {
        trouble(
            o, ck->metadata_file,
            "no file can be called an orphan: another entry, with a state of its own, "
            "points in here, to ",
            0, ice_uri_base_name(other->metadata_location));
        return false;
    }
    if (s->lender.size > 0) {
        trouble(o, ck->metadata_file,
                "no file can be called an orphan: a table that could not be read whole "
                "names files in here: ",
                0, s->lender);
        return false;
    }
    if (s->newer.size > 0)
        trouble(o, ck->metadata_file,
                is_chosen ? "files of its commit are listed too, since there is a newer "
                            "metadata file: "
                          : "no file can be called an orphan: there is a newer metadata "
                            "file, ",
                0, ice_storage_name(ck, s->newer));
    if (s->other_table.size > 0)
        trouble(o, ck->metadata_file,
                "files of another table may be listed too: was it dropped, or is it in "
                "use? Its metadata file is ",
                0, ice_storage_name(ck, s->other_table));
    return s->newer.size == 0 || is_chosen;
}

/* ---- one table ---- */

static enum ice_status answer(struct orphans *o) {
    struct ice_check *ck = &o->reader.check;
    struct ice_summary summary = {0};
    if (ck->storage->n_orphans > 0)
        ICE_TRY(ice_storage_missing(ck, o->err));
    ice_unfound_tell(ck);
    ice_storage_report_inputs(ck);
    ICE_TRY(ice_emit_deliver(ck->emit, ck->table_name, ck->metadata.table_uuid,
                             on_finding, o, &summary, o->err));
    if (!is_sure(o))
        return ICE_OK;
    ICE_TRY(put_all(o));
    if (o->n_foreign > 0)
        trouble(o, ck->metadata_file,
                "files lie below other tables inside this one's location, and were left "
                "out: check those tables",
                o->n_foreign, ICE_STR_NONE);
    return ICE_OK;
}

/* Read, up to its keys. */
static enum ice_status collect(struct orphans *o, const struct ice_orphan_table *table) {
    struct call *call = o->call;
    struct ice_check *ck = &o->reader.check;
    o->options = *call->options;
    if (table->name != NULL)
        o->options.table_name = table->name;
    if (call->group.n > 0) /* one listing, one hash of each object */
        o->options.hash_seed = call->group.checks[0]->run->hash_seed;
    ICE_TRY(ice_table_reader_open(&o->reader, table->path, &o->options, false,
                                  call->on_trouble, call->user, o->err));
    ice_buf_init(&o->uri, &o->reader.run.alloc, SIZE_MAX);
    ice_row_init(&o->row, &o->reader.run, columns, call->on_row, call->user);
    if (!ck->metadata_readable)
        return ice_error_set(o->err, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                             "no table: its metadata file could not be read");
    o->is_joined = true;
    return ice_storage_collect(ck, &call->group, o->err);
}

/* ---- all tables ---- */

/* Out of memory, interrupted, or the one who takes rows wants no more. */
static bool is_end(enum ice_status status) {
    return status < 0 && ice_status_is_final(status);
}

static void name_fault(struct orphans *o, enum ice_status status) {
    struct ice_error *err = o->err;
    char where[sizeof(err->file)];
    if (err->status >= 0)
        err->status = status;
    struct ice_str file = file_of(o, ice_str_from(err->file), where, sizeof(where));
    if (file.data == where)
        memcpy(err->file, where, file.size + 1);
}

static enum ice_status collect_all(struct call *call, struct ice_orphan_table *tables) {
    enum ice_status last = ICE_OK;
    for (size_t i = 0; i < call->n_tables && !is_end(last); i++) {
        struct orphans *o = &call->tables[i];
        tables[i].totals = (struct ice_orphan_totals){0};
        ice_error_clear(&tables[i].error);
        o->call = call;
        o->totals = &tables[i].totals;
        o->err = &tables[i].error;
        last = collect(o, &tables[i]);
        if (last < 0)
            name_fault(o, last);
    }
    return is_end(last) ? last : ICE_OK;
}

static enum ice_status answer_all(struct call *call, struct ice_orphan_table *tables,
                                  struct ice_error *err) {
    struct ice_storage_group *group = &call->group;
    enum ice_status last = collect_all(call, tables);
    ICE_TRY(call->on_row(columns, NULL, ICE_COUNT_OF(columns) - 1, call->user));
    if (last == ICE_OK && group->n > 0)
        ICE_TRY(ice_storage_stream(group->checks[0], ice_storage_object, NULL, err));
    for (size_t i = 0; i < call->n_tables && !is_end(last); i++) {
        if (tables[i].error.status < 0)
            continue;
        last = answer(&call->tables[i]);
        if (last < 0 && tables[i].error.status >= 0)
            tables[i].error.status = last;
    }
    return ICE_OK;
}

static void release(struct call *call) {
    for (size_t i = 0; call->tables != NULL && i < call->n_tables; i++) {
        struct orphans *o = &call->tables[i];
        ice_buf_release(&o->uri);
        ice_row_release(&o->row);
        ice_table_reader_release(&o->reader);
    }
    ice_storage_group_release(&call->group);
    ice_free(&call->alloc, call->tables, call->n_tables * sizeof(*call->tables));
}

enum ice_status ice_orphans(struct ice_orphan_table *tables, size_t n_tables,
                            const struct ice_options *options, int64_t older_than_ms,
                            ice_row_fn on_row, ice_trouble_fn on_trouble, void *user,
                            struct ice_error *err) {
    static const struct ice_options defaults = ICE_OPTIONS_INIT;
    struct call call = {.options = options != NULL ? options : &defaults,
                        .n_tables = n_tables,
                        .older_than_ms = older_than_ms,
                        .on_row = on_row,
                        .on_trouble = on_trouble,
                        .user = user};
    if (call.options->n_listings == 0 && !call.options->storage_local)
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "nothing says which files there are: give --listing FILE, "
                             "or --storage local");
    ice_alloc_init(&call.alloc, call.options->allocator, UINT64_MAX);
    call.tables = ice_calloc(&call.alloc, n_tables, sizeof(*call.tables));
    if (call.tables == NULL && n_tables > 0)
        return ice_error_memory(err);
    enum ice_status status =
        ice_storage_group_init(&call.group, &call.alloc, call.options->n_listings);
    status = status < 0 ? ice_error_memory(err) : answer_all(&call, tables, err);
    release(&call);
    return status;
}
