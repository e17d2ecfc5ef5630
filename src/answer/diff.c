/*
 * ice_diff: opens both states and asks section by section.
 */
#include "answer/diff.h"

#include "answer/member_faults.h"
#include "base/compiler.h"
#include "base/error.h"
#include "check/unread_members.h"
#include "inputs/stdin.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

static const struct ice_column columns[] = {
    {"section", ICE_VALUE_STR},       {"name", ICE_VALUE_STR},
    {"snapshot_id", ICE_VALUE_I64},   {"time", ICE_VALUE_TIME},
    {"operation", ICE_VALUE_STR},     {"writer", ICE_VALUE_STR},
    {"files_added", ICE_VALUE_I64},   {"files_removed", ICE_VALUE_I64},
    {"records_added", ICE_VALUE_I64}, {"records_removed", ICE_VALUE_I64},
    {"bytes_added", ICE_VALUE_I64},   {"bytes_removed", ICE_VALUE_I64},
    {"deletes_added", ICE_VALUE_I64}, {"deletes_removed", ICE_VALUE_I64},
    {"partition", ICE_VALUE_JSON},    {"file", ICE_VALUE_STR},
    {"detail", ICE_VALUE_STR},        {NULL, ICE_VALUE_NULL},
};

enum { SENTENCE = 1024 };

/* ---- rows ---- */

static void text_cell(struct ice_row *row, struct ice_str text) {
    ice_row_str_if(row, text.size > 0, text);
}

enum ice_status ice_diff_put(struct ice_diff *d, const struct ice_diff_row *in) {
    struct ice_row *row = &d->row;
    ice_row_begin(row);
    ice_row_text(row, in->section);
    text_cell(row, in->name);
    ice_row_i64_if(row, in->has_snapshot_id, in->snapshot_id);
    ice_row_time_if(row, in->has_time, in->time_ms);
    text_cell(row, in->operation);
    text_cell(row, in->writer);
    for (unsigned i = 0; i < ICE_DIFF_NUMBERS; i++)
        ice_row_i64_if(row, in->has_numbers >> i & 1, in->numbers[i]);
    if (in->partition.size > 0) {
        ice_jw_raw(ice_row_json(row), in->partition);
        ice_row_json_end(row);
    } else {
        ice_row_null(row);
    }
    text_cell(row, in->file);
    text_cell(row, in->detail);
    d->n_rows++;
    return ice_row_send(row, d->err);
}

ICE_PRINTF(2, 0)
static enum ice_status sentence(struct ice_diff *d, const char *format, va_list args) {
    char text[SENTENCE];
    (void)vsnprintf(text, sizeof(text), format, args);
    ice_buf_clear(&d->text);
    return ice_buf_append_str(&d->text, ice_str_from(text)) < 0 ? ice_error_memory(d->err)
                                                                : ICE_OK;
}

enum ice_status ice_diff_say(struct ice_diff *d, const char *section, const char *name,
                             const char *format, ...) {
    va_list args;
    va_start(args, format);
    enum ice_status status = sentence(d, format, args);
    va_end(args);
    ICE_TRY(status);
    const struct ice_diff_row row = {
        .section = section, .name = ice_str_from(name), .detail = ice_buf_str(&d->text)};
    return ice_diff_put(d, &row);
}

enum ice_status ice_diff_hold(struct ice_diff *d, const struct ice_diff_row *row) {
    if (!ice_array_reserve(&d->reader->run.alloc, &d->held, d->n_held, &d->cap_held,
                           sizeof(*d->held)))
        return ice_error_memory(d->err);
    struct ice_diff_row *held = &d->held[d->n_held];
    *held = *row;
    if (!ice_arena_dup(&d->arena, row->name, &held->name) ||
        !ice_arena_dup(&d->arena, row->file, &held->file) ||
        !ice_arena_dup(&d->arena, row->detail, &held->detail))
        return ice_error_memory(d->err);
    d->n_held++;
    return ICE_OK;
}

enum ice_status ice_diff_put_held(struct ice_diff *d, const char *section) {
    for (size_t i = 0; i < d->n_held; i++)
        if (strcmp(d->held[i].section, section) == 0)
            ICE_TRY(ice_diff_put(d, &d->held[i]));
    return ICE_OK;
}

enum ice_status ice_diff_unknown(struct ice_diff *d, struct ice_str file,
                                 const char *format, ...) {
    struct ice_error trouble = {.status = ICE_ENOENT, .offset = ICE_NO_OFFSET};
    va_list args;
    va_start(args, format);
    enum ice_status status = sentence(d, format, args);
    va_end(args);
    ICE_TRY(status);
    ice_error_set_file(&trouble, file.size > 0 ? file : d->reader->given);
    (void)snprintf(trouble.message, sizeof(trouble.message), "%.*s",
                   ICE_STR_FMT(ice_buf_str(&d->text)));
    if (d->reader->on_trouble != NULL)
        d->reader->on_trouble(&trouble, d->reader->user);
    const struct ice_diff_row row = {
        .section = "unknown", .file = file, .detail = ice_buf_str(&d->text)};
    return ice_diff_hold(d, &row);
}

/* ---- which table ---- */

/* A metadata file stands for the table of its directory. */
struct argument {
    char directory[PATH_MAX];
    const char *path; /* to open: the directory, or the argument itself */
    const char *file; /* its name where the argument was such a file, or NULL */
};

static enum ice_status split(const char *path, struct argument *out,
                             struct ice_error *err) {
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    *out = (struct argument){.path = path};
    if (ice_path_is_directory(path) || !ice_is_metadata_name(ice_str_from(name), NULL))
        return ICE_OK;
    size_t size = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (size >= sizeof(out->directory))
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET, "path is too long");
    memcpy(out->directory, size > 0 ? path : ".", size > 0 ? size : 1);
    out->path = out->directory;
    out->file = name;
    return ICE_OK;
}

/* A word that names no state may be a file that tells one; standard input, which can be
 * read once, is nothing else. */
static enum ice_status open_from(struct ice_diff *d, const char *word) {
    struct ice_error fault = {0};
    bool is_evidence = false;
    if (word != NULL && strcmp(word, "-") == 0) {
        ICE_TRY(ice_diff_from_evidence(d, word, &is_evidence));
        return is_evidence ? ICE_OK
                           : ice_error_set(d->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                                           "--from -: standard input is no log of a "
                                           "reader");
    }
    enum ice_status status = ice_state_open(&d->from, d->reader, word, &fault);
    if (word != NULL && (status == ICE_EARG || status == ICE_EFORMAT))
        ICE_TRY(ice_diff_from_evidence(d, word, &is_evidence));
    if (status < 0 && !is_evidence && d->err != NULL)
        *d->err = fault;
    return is_evidence ? ICE_OK : status;
}

/*
 * The pinned file is the argument's where it is `to`, or where another path is; else what
 * is current in its directory.
 */
static enum ice_status open_states(struct ice_diff *d, const struct argument *argument) {
    const char *from = d->ask->from != NULL ? d->ask->from : argument->file;
    if (from == NULL && d->ask->to == NULL)
        return ice_error_set(d->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "nothing to compare the table with: name a state");
    ICE_TRY(open_from(d, from));
    ICE_TRY(ice_state_open(&d->to, d->reader, d->ask->to, d->err));
    if (d->ask->to != NULL || !ice_table_reader_lacks_current(d->reader))
        return ICE_OK;
    return ice_diff_unknown(d, d->to.document.file,
                            "the metadata file that should be current is missing: what "
                            "came after this one is not known");
}

/* What a state's file does not tell cannot be compared. */
static enum ice_status say_unread(struct ice_diff *d, const struct ice_state *state) {
    const struct ice_document *document = &state->document;
    const struct ice_unread none = {0};
    const bool is_pinned = document->metadata == &state->reader->check.metadata;
    uint64_t members = ICE_BIT(ICE_META_snapshots) | ICE_BIT(ICE_META_refs) |
                       ICE_BIT(ICE_META_properties) | ICE_BIT(ICE_META_schemas) |
                       ICE_BIT(ICE_META_partition_specs) | ICE_BIT(ICE_META_sort_orders);
    const char *name;
    char why[ICE_UNREAD_WHY];
    while (ice_unread_next(document->metadata,
                           is_pinned ? &state->reader->check.unread : &none, &members,
                           true, &name, why))
        ICE_TRY(ice_diff_unknown(d, document->file, "%s", why));
    return ICE_OK;
}

static enum ice_status say_all_unread(struct ice_diff *d) {
    const bool is_one = d->from.reader == d->to.reader &&
                        ice_str_equal(d->from.document.file, d->to.document.file);
    ICE_TRY(say_unread(d, &d->to));
    return is_one ? ICE_OK : say_unread(d, &d->from);
}

static enum ice_status answer(struct ice_diff *d) {
    ICE_TRY(say_all_unread(d));
    ICE_TRY(ice_diff_look_ahead(d));
    ICE_TRY(ice_diff_states(d));
    ICE_TRY(ice_diff_reads(d));
    ICE_TRY(ice_diff_relation(d));
    ICE_TRY(ice_diff_effect(d));
    ICE_TRY(ice_diff_changes(d));
    ICE_TRY(ice_diff_gone(d));
    ICE_TRY(ice_diff_next(d));
    return ice_diff_put_held(d, "unknown");
}

enum ice_status ice_diff(const char *path, const struct ice_diff_request *request,
                         const struct ice_options *options, ice_row_fn on_row,
                         ice_trouble_fn on_trouble, void *user, bool *out_differs,
                         struct ice_error *err) {
    static const struct ice_options defaults = ICE_OPTIONS_INIT;
    struct ice_options own = options != NULL ? *options : defaults;
    struct ice_table_reader reader;
    struct argument argument;
    struct ice_diff d = {.reader = &reader, .ask = request, .err = err};
    ICE_TRY(split(path, &argument, err));
    if (argument.file != NULL && (request->from != NULL || request->to != NULL))
        own.metadata = argument.file;
    own.snapshot = NULL;
    enum ice_status status =
        ice_table_reader_open(&reader, argument.path, &own, true, on_trouble, user, err);
    ice_row_init(&d.row, &reader.run, columns, on_row, user);
    ice_buf_init(&d.text, &reader.run.alloc, SIZE_MAX);
    ice_arena_init(&d.arena, &reader.run.alloc);
    ice_arena_init(&d.read_texts, &reader.run.alloc);
    ice_live_set_init(&d.removed, &reader.run.alloc);
    if (status >= 0 && request->to == NULL)
        ice_note_guess(&reader);
    if (status >= 0)
        status = open_states(&d, &argument);
    if (status >= 0)
        status = answer(&d);
    if (out_differs != NULL)
        *out_differs = d.differs;
    ice_state_release(&d.to);
    ice_state_release(&d.from);
    ice_array_free(&reader.run.alloc, &d.reads, &d.cap_reads, sizeof(*d.reads));
    ice_array_free(&reader.run.alloc, &d.held, &d.cap_held, sizeof(*d.held));
    ice_live_set_release(&d.removed);
    ice_arena_release(&d.read_texts);
    ice_arena_release(&d.arena);
    ice_buf_release(&d.text);
    ice_row_release(&d.row);
    ice_table_reader_release(&reader);
    return status;
}
