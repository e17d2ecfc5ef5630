/*
 * ice_history: the story of a table as rows, oldest first. A row is a commit: a snapshot
 * with the metadata file that brought it, or a metadata file that brought none.
 */
#include "answer/history_story.h"
#include "answer/old_metadata.h"
#include "answer/row_builder.h"
#include "base/error.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

static const struct ice_column columns[] = {
    {"time", ICE_VALUE_TIME},
    {"metadata_file", ICE_VALUE_STR},
    {"snapshot_id", ICE_VALUE_I64},
    {"parent_id", ICE_VALUE_I64},
    {"operation", ICE_VALUE_STR},
    {"added_data_files", ICE_VALUE_I64},
    {"deleted_data_files", ICE_VALUE_I64},
    {"added_delete_files", ICE_VALUE_I64},
    {"removed_delete_files", ICE_VALUE_I64},
    {"added_records", ICE_VALUE_I64},
    {"deleted_records", ICE_VALUE_I64},
    {"total_records", ICE_VALUE_I64},
    {"total_data_files", ICE_VALUE_I64},
    {"total_files_size", ICE_VALUE_I64},
    {"writer", ICE_VALUE_STR},
    {"refs", ICE_VALUE_STR},
    {"changes", ICE_VALUE_STR},
    {"flags", ICE_VALUE_STR},
    {NULL, ICE_VALUE_NULL},
};

/* A row to be: one or both of its indices are set. */
struct event {
    size_t file, commit; /* SIZE_MAX: none */
    size_t after;        /* place in the chain, 0 the oldest + 1; 0: before all of it */
    bool is_loose;       /* of no file of the chain: stands behind that place by time */
    int64_t time_ms, sequence;
    uint64_t tie;
};

struct history {
    struct ice_story story;
    struct ice_row row;
    struct ice_old_metadata old;
    struct ice_buf texts[4]; /* refs, changes, flags; a command */
    struct event *events;
    size_t n, capacity;
    bool is_scoped; /* --snapshot */
    struct ice_error *err;
};

/* ---- order ---- */

/* How many files of the chain came before a time, or at it. */
static size_t place_by_time(const struct ice_story *story, bool has_time,
                            int64_t time_ms) {
    for (size_t i = 0; has_time && i < story->n_chain; i++) {
        if (story->files[i].has_time && story->files[i].time_ms <= time_ms)
            return story->n_chain - i;
    }
    return 0;
}

/* A file that could not be read has no time: its number alone tells where it stands. */
static size_t place_by_number(const struct ice_story *story, struct ice_str name) {
    for (size_t i = 0; i < story->n_chain; i++) {
        if (ice_number_order(story->files[i].name, name) == ICE_NUMBERS_LOWER)
            return story->n_chain - i;
    }
    return 0;
}

static size_t place_of_loose(const struct ice_story *story,
                             const struct ice_story_file *f, bool has_time,
                             int64_t time_ms) {
    return f != NULL && !has_time && f->state == ICE_STORY_UNREAD
               ? place_by_number(story, f->name)
               : place_by_time(story, has_time, time_ms);
}

static enum ice_status add_event(struct history *h, size_t file, size_t commit) {
    const struct ice_story *story = &h->story;
    const struct ice_story_file *f = file == SIZE_MAX ? NULL : &story->files[file];
    const struct ice_story_commit *c =
        commit == SIZE_MAX ? NULL : &story->commits[commit];
    bool has_time = c != NULL ? c->has_time : f != NULL && f->has_time;
    if (!ice_array_reserve(&story->reader->run.alloc, &h->events, h->n, &h->capacity,
                           sizeof(*h->events)))
        return ice_error_memory(h->err);
    assert(c != NULL || f != NULL);
    struct event *event = &h->events[h->n];
    *event = (struct event){.file = file,
                            .commit = commit,
                            .time_ms = c != NULL ? c->time_ms : f->time_ms,
                            .sequence = c != NULL ? c->sequence : INT64_MAX,
                            .tie = h->n++};
    event->is_loose = file == SIZE_MAX || file >= story->n_chain;
    event->after = event->is_loose ? place_of_loose(story, f, has_time, event->time_ms)
                                   : story->n_chain - file;
    return ICE_OK;
}

static int compare_events(const void *left, const void *right) {
    const struct event *a = left, *b = right;
    if (a->after != b->after)
        return a->after < b->after ? -1 : 1;
    if (a->is_loose != b->is_loose)
        return a->is_loose ? 1 : -1;
    if (a->time_ms != b->time_ms)
        return a->time_ms < b->time_ms ? -1 : 1;
    if (a->sequence != b->sequence)
        return a->sequence < b->sequence ? -1 : 1;
    return a->tie < b->tie ? -1 : a->tie > b->tie;
}

/* With --snapshot: only what led to it. */
static enum ice_status add_line(struct history *h, int64_t id) {
    const struct ice_story *story = &h->story;
    for (size_t steps = 0; steps <= story->n_commits; steps++) {
        const struct ice_story_commit *commit = ice_story_find(story, id);
        if (commit == NULL)
            return ICE_OK;
        ICE_TRY(add_event(h, commit->file, (size_t)(commit - story->commits)));
        if (!commit->has_parent)
            return ICE_OK;
        id = commit->parent;
    }
    return ICE_OK;
}

static enum ice_status add_events(struct history *h) {
    struct ice_story *story = &h->story;
    struct ice_table_reader *reader = story->reader;
    if (h->is_scoped) {
        size_t index;
        ICE_TRY(ice_table_reader_snapshot(reader, &index, h->err));
        return add_line(h, reader->metadata->snapshots[index].snapshot_id);
    }
    for (size_t i = 0; i < story->n_commits; i++)
        ICE_TRY(add_event(h, story->commits[i].file, i));
    for (size_t i = 0; i < story->n_files; i++) {
        if (story->files[i].n_commits == 0)
            ICE_TRY(add_event(h, i, SIZE_MAX));
    }
    return ICE_OK;
}

/* ---- cells ---- */

static enum ice_status put_word(struct ice_buf *out, const char *between,
                                struct ice_str word) {
    if (out->size > 0)
        ICE_TRY(ice_buf_append_str(out, ice_str_from(between)));
    return ice_buf_append_str(out, word);
}

static enum ice_status put_flag(struct history *h, bool is_set, const char *flag) {
    return is_set ? put_word(&h->texts[2], ", ", ice_str_from(flag)) : ICE_OK;
}

/* Refs of a snapshot, as the current file has them. */
static enum ice_status put_refs(struct history *h, const struct ice_story_commit *c) {
    const struct ice_metadata *m = h->story.reader->metadata;
    struct ice_buf *out = &h->texts[0];
    bool has_main = false;
    for (size_t i = 0; i < m->n_refs; i++) {
        const struct ice_ref *ref = &m->refs[i];
        bool is_tag = ice_str_equal_nocase(ref->type, ICE_STR("tag"));
        has_main = has_main || ice_str_is(ref->name, "main");
        if (!ref->has_snapshot_id || ref->snapshot_id != c->id)
            continue;
        ICE_TRY(put_word(out, ", ", is_tag ? ICE_STR("tag: ") : ICE_STR_NONE));
        ICE_TRY(ice_buf_append_str(out, ref->name));
    }
    if (!has_main && ice_metadata_has(m, ICE_META_current_snapshot_id) &&
        m->current_snapshot_id == c->id)
        ICE_TRY(put_word(out, ", ", ICE_STR("main")));
    return ICE_OK;
}

/* Catalogs that name a metadata file: one may still name an old one. */
static enum ice_status put_pointers(struct history *h, const struct ice_story_file *f) {
    const struct ice_pointers *pointers = h->story.reader->check.pointers;
    struct ice_buf *out = &h->texts[0];
    for (size_t i = 0; pointers != NULL && i < pointers->n; i++) {
        const struct ice_pointer *pointer = &pointers->items[i];
        if (!ice_str_equal(ice_uri_base_name(pointer->metadata_location), f->name))
            continue;
        ICE_TRY(
            put_word(out, ", ", ice_str_from(ice_pointer_format_name(pointer->format))));
        if (pointer->version >= 0)
            ICE_TRY(ice_buf_printf(out, " version %" PRId64, pointer->version));
    }
    return ICE_OK;
}

static const char *flag_of_move(enum ice_history_move move) {
    switch (move) {
    case ICE_MOVE_ON:
        return NULL;
    case ICE_MOVE_BACK:
        return "rollback";
    case ICE_MOVE_CLEARED:
    case ICE_MOVE_ANEW:
        return "replaced";
    case ICE_MOVE_LOST:
        return "lost-commit";
    case ICE_MOVE_JUMP:
        return "jump";
    }
    return NULL;
}

static const char *flag_of_side(enum ice_story_side side) {
    switch (side) {
    case ICE_SIDE_NONE:
        return NULL;
    case ICE_SIDE_NEWER:
        return "newer";
    case ICE_SIDE_FORK:
        return "fork";
    case ICE_SIDE_OTHER_TABLE:
        return "other-table";
    case ICE_SIDE_OLDER:
        return "not-in-log";
    case ICE_SIDE_UNTOLD:
        return "unexplained";
    case ICE_SIDE_BRANCH:
        return "other-branch";
    }
    return NULL;
}

/* A file that the directory lacks may be in storage, or come back from an old version. */
static enum ice_status put_absent(struct history *h, const struct ice_story_file *f) {
    enum ice_old_kind kind;
    ICE_TRY(put_flag(h, true, "absent"));
    ICE_TRY(ice_old_metadata_find(&h->old, f->name, &kind, &h->texts[3]));
    ICE_TRY(put_flag(h, kind == ICE_OLD_LISTED, "in-storage"));
    if (kind != ICE_OLD_GONE)
        return ICE_OK;
    ICE_TRY(put_flag(h, true, "recoverable"));
    ICE_TRY(put_word(&h->texts[1], "; ", ICE_STR("fetch it back: ")));
    return ice_buf_append_str(&h->texts[1], ice_buf_str(&h->texts[3]));
}

static enum ice_status put_file(struct history *h, const struct ice_story_file *f) {
    struct ice_buf *changes = &h->texts[1];
    const char *move = flag_of_move(f->move), *side = flag_of_side(f->side);
    ICE_TRY(put_pointers(h, f));
    if (f->since.size > 0 && f->changes.size > 0) {
        ICE_TRY(put_word(changes, "; ", ICE_STR("since ")));
        ICE_TRY(ice_buf_append_str(changes, f->since));
        ICE_TRY(ice_buf_append_str(changes, ICE_STR(": ")));
        ICE_TRY(ice_buf_append_str(changes, f->changes));
    } else if (f->changes.size > 0) {
        ICE_TRY(put_word(changes, "; ", f->changes));
    }
    if (f->gap_to >= f->gap_from && f->gap_from > 0) {
        ICE_TRY(put_word(changes, "; ", ICE_STR_NONE));
        ICE_TRY(ice_buf_printf(changes, "no file has version %" PRId64 " to %" PRId64,
                               f->gap_from, f->gap_to));
        ICE_TRY(put_flag(h, true, "gap"));
    }
    ICE_TRY(put_flag(h, f->is_current, "current"));
    ICE_TRY(put_flag(h, move != NULL, move));
    /* whether one that cannot be read is of another line, nobody knows */
    ICE_TRY(put_flag(h, side != NULL && f->state != ICE_STORY_UNREAD, side));
    if (f->state == ICE_STORY_ABSENT)
        ICE_TRY(put_absent(h, f));
    return put_flag(h, f->state == ICE_STORY_UNREAD, "unreadable");
}

static enum ice_status put_commit_flags(struct history *h,
                                        const struct ice_story_commit *c) {
    const struct ice_story_file *f =
        c->file == SIZE_MAX ? NULL : &h->story.files[c->file];
    const enum ice_story_side side = f != NULL ? f->side : ICE_SIDE_FORK;
    bool is_older = c->is_beside && side == ICE_SIDE_OLDER;
    ICE_TRY(put_flag(h, c->is_beside && side == ICE_SIDE_FORK, "lost"));
    ICE_TRY(put_flag(h, is_older || (!c->is_kept && !c->is_beside), "expired"));
    return put_flag(h, !c->is_referenced && !c->is_beside, "off-main");
}

static enum ice_status put_texts(struct history *h, const struct ice_story_file *f,
                                 const struct ice_story_commit *c) {
    for (size_t i = 0; i < ICE_COUNT_OF(h->texts); i++)
        ice_buf_clear(&h->texts[i]);
    if (c != NULL)
        ICE_TRY(put_refs(h, c));
    if (f != NULL)
        ICE_TRY(put_file(h, f));
    if (c != NULL)
        ICE_TRY(put_commit_flags(h, c));
    return ICE_OK;
}

static enum ice_status send(struct history *h, const struct event *event) {
    struct ice_row *row = &h->row;
    const struct ice_story_file *f =
        event->file == SIZE_MAX ? NULL : &h->story.files[event->file];
    const struct ice_story_commit *c =
        event->commit == SIZE_MAX ? NULL : &h->story.commits[event->commit];
    bool has_time = c != NULL ? c->has_time : f != NULL && f->has_time;
    if (put_texts(h, f, c) < 0)
        return ice_error_memory(h->err);
    ice_row_begin(row);
    ice_row_time_if(row, has_time, event->time_ms);
    ice_row_str_if(row, f != NULL, f != NULL ? f->name : ICE_STR_NONE);
    ice_row_i64_if(row, c != NULL, c != NULL ? c->id : 0);
    ice_row_i64_if(row, c != NULL && c->has_parent, c != NULL ? c->parent : 0);
    ice_row_str_if(row, c != NULL && c->operation.size > 0,
                   c != NULL ? c->operation : ICE_STR_NONE);
    for (size_t i = 0; i < ICE_STORY_NUMBERS; i++)
        ice_row_i64_if(row, c != NULL && ((c->has_numbers >> i) & 1),
                       c != NULL ? c->numbers[i] : 0);
    ice_row_str_if(row, c != NULL && c->writer.size > 0,
                   c != NULL ? c->writer : ICE_STR_NONE);
    for (size_t i = 0; i < 3; i++)
        ice_row_str_if(row, h->texts[i].size > 0, ice_buf_str(&h->texts[i]));
    return ice_row_send(row, h->err);
}

/* ---- all ---- */

static void tell_absent(const struct ice_story *story) {
    struct ice_error trouble;
    char shown[160];
    if (story->n_absent == 0)
        return;
    ice_error_clear(&trouble);
    if (story->n_absent == 1)
        (void)ice_error_set(
            &trouble, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
            "a metadata file of the log is not in the directory, %s: what "
            "it changed is not known",
            ice_escape(shown, sizeof(shown), story->first_absent));
    else
        (void)ice_error_set(&trouble, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            "%" PRIu64 " metadata files of the log are not in the "
                            "directory, the newest is %s: what they changed is not known",
                            story->n_absent,
                            ice_escape(shown, sizeof(shown), story->first_absent));
    ice_error_set_file(&trouble, story->reader->check.metadata_file);
    ice_table_reader_tell(story->reader, &trouble);
}

/* No fault, and nothing that could be given: the writer took them off. */
static void note_trimmed(const struct ice_story *story) {
    char shown[160];
    if (story->n_trimmed > 0)
        ice_check_note(&story->reader->check, 0,
                       "%" PRIu64 " older metadata file%s that the log no longer keeps "
                       "%s not here, the newest is %s: what only %s changed is not told",
                       story->n_trimmed, story->n_trimmed == 1 ? "" : "s",
                       story->n_trimmed == 1 ? "is" : "are",
                       ice_escape(shown, sizeof(shown), story->first_trimmed),
                       story->n_trimmed == 1 ? "it" : "they");
}

static enum ice_status answer(struct history *h, struct ice_table_reader *reader) {
    ICE_TRY(ice_story_gather(&h->story, reader, h->err));
    ICE_TRY(ice_old_metadata_open(&h->old, reader, h->err));
    tell_absent(&h->story);
    note_trimmed(&h->story);
    ICE_TRY(add_events(h));
    if (h->n > 0)
        qsort(h->events, h->n, sizeof(*h->events), compare_events);
    ICE_TRY(h->row.on_row(columns, NULL, ICE_COUNT_OF(columns) - 1, h->row.user));
    for (size_t i = 0; i < h->n; i++)
        ICE_TRY(send(h, &h->events[i]));
    return ICE_OK;
}

static void tell_lack(struct ice_table_reader *reader) {
    struct ice_error trouble;
    ice_error_clear(&trouble);
    (void)ice_error_set(&trouble, ICE_ENOENT, NULL, ICE_NO_OFFSET,
                        "the metadata file that should be current is missing: what came "
                        "after this one is not known");
    ice_error_set_file(&trouble, reader->check.metadata_file);
    ice_table_reader_tell(reader, &trouble);
}

enum ice_status ice_history(const char *path, const struct ice_options *options,
                            ice_row_fn on_row, ice_trouble_fn on_trouble, void *user,
                            struct ice_error *err) {
    struct ice_table_reader reader;
    struct history h = {.err = err};
    enum ice_status status = ice_table_reader_open_readable(&reader, path, options, true,
                                                            on_trouble, user, err);
    struct ice_alloc *alloc = &reader.run.alloc;
    h.is_scoped = options != NULL && options->snapshot != NULL;
    for (size_t i = 0; i < ICE_COUNT_OF(h.texts); i++)
        ice_buf_init(&h.texts[i], alloc, SIZE_MAX);
    ice_row_init(&h.row, &reader.run, columns, on_row, user);
    if (status >= 0 && ice_table_reader_lacks_current(&reader))
        tell_lack(&reader);
    if (status >= 0)
        status = answer(&h, &reader);
    for (size_t i = 0; i < ICE_COUNT_OF(h.texts); i++)
        ice_buf_release(&h.texts[i]);
    ice_array_free(alloc, &h.events, &h.capacity, sizeof(*h.events));
    ice_row_release(&h.row);
    ice_old_metadata_release(&h.old);
    ice_story_release(&h.story);
    ice_table_reader_release(&reader);
    return status;
}
