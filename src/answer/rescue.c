/*
 * ice_rescue: states of a table to go back to, best first.
 */
#include "answer/old_metadata.h"
#include "answer/rescue_run.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>

static const struct ice_column columns[] = {
    {"rank", ICE_VALUE_I64},          {"state", ICE_VALUE_STR},
    {"metadata_file", ICE_VALUE_STR}, {"snapshot_id", ICE_VALUE_I64},
    {"time", ICE_VALUE_TIME},         {"age", ICE_VALUE_STR},
    {"way", ICE_VALUE_STR},           {"lost_commits", ICE_VALUE_I64},
    {"lost_files", ICE_VALUE_I64},    {"lost_rows", ICE_VALUE_I64},
    {"lacks", ICE_VALUE_STR},         {"faults", ICE_VALUE_JSON},
    {"lost", ICE_VALUE_JSON},         {"statements", ICE_VALUE_JSON},
    {"fetch", ICE_VALUE_JSON},        {NULL, ICE_VALUE_NULL},
};

enum { MOST_NAMED = 2 }; /* faults in the column lacks; all are in faults */

/* ---- cells ---- */

static const char *state_name(const struct ice_rescue *r, size_t index) {
    switch (r->states[index].verdict.health) {
    case ICE_RESCUE_WHOLE:
        if (r->states[index].is_empty)
            return "empty";
        return index == r->best ? "best" : "whole";
    case ICE_RESCUE_UNSURE:
        return "unsure";
    case ICE_RESCUE_BROKEN:
        return "broken";
    }
    return "";
}

/* "storage.manifest.missing metadata/m3.avro; 2 more" */
static enum ice_status put_lacks(const struct ice_rescue_verdict *verdict,
                                 struct ice_buf *out) {
    uint64_t n = 0;
    ice_buf_clear(out);
    for (const struct ice_rescue_fault *f = verdict->first; f != NULL && n < MOST_NAMED;
         f = f->next, n++) {
        if (n > 0)
            ICE_TRY(ice_buf_append_str(out, ICE_STR("; ")));
        ICE_TRY(ice_buf_append_str(out, ice_str_from(f->rule)));
        ICE_TRY(ice_buf_append_str(out, f->file.size > 0 ? ICE_STR(" ") : ICE_STR_NONE));
        ICE_TRY(ice_buf_append_str(out, f->file));
        if (f->file.size == 0 && strcmp(f->rule, "not-evaluated") == 0) { /* all of it */
            ICE_TRY(ice_buf_append_str(out, ICE_STR(": ")));
            ICE_TRY(ice_buf_append_str(out, f->message));
        }
    }
    if (verdict->n_faults > n)
        ICE_TRY(ice_buf_printf(out, "; %" PRIu64 " more", verdict->n_faults - n));
    return ICE_OK;
}

static void put_faults(struct ice_json_writer *w, const struct ice_rescue_fault *first,
                       const char *message) {
    ice_jw_array(w);
    for (const struct ice_rescue_fault *f = first; f != NULL; f = f->next) {
        ice_jw_object(w);
        ice_jw_key(w, "rule");
        ice_jw_text(w, f->rule);
        ice_jw_key(w, "file");
        ice_jw_str(w, f->file);
        ice_jw_key(w, message);
        ice_jw_str(w, f->message);
        ice_jw_object_end(w);
    }
    ice_jw_array_end(w);
}

static enum ice_status put_statement(const char *engine, struct ice_str statement,
                                     void *user) {
    struct ice_json_writer *w = user;
    ice_jw_object(w);
    ice_jw_key(w, "engine");
    ice_jw_text(w, engine);
    ice_jw_key(w, "statement");
    ice_jw_str(w, statement);
    ice_jw_object_end(w);
    return ICE_OK;
}

/* Of the best state alone: what is lost exactly, how to go there, what to fetch. */
static enum ice_status put_best(struct ice_rescue *r, struct ice_row *row,
                                const struct ice_rescue_state *state) {
    struct ice_json_writer *w = ice_row_json(row);
    ICE_TRY(ice_rescue_write_lost(r, state, w, &r->lost));
    r->lost.is_known = r->lost.is_known && !r->is_tip_elsewhere;
    ice_row_json_end(row);
    w = ice_row_json(row);
    ice_jw_array(w);
    if (ice_rescue_statements(r, state, put_statement, w) < 0)
        return ice_error_memory(r->err);
    ice_jw_array_end(w);
    ice_row_json_end(row);
    put_faults(ice_row_json(row), r->fetch, "command");
    ice_row_json_end(row);
    return ICE_OK;
}

static enum ice_status send(struct ice_rescue *r, struct ice_row *row,
                            struct ice_buf *text, size_t index) {
    const struct ice_rescue_state *state = &r->states[index];
    const struct ice_rescue_loss *loss = &state->loss;
    char age[48];
    if (put_lacks(&state->verdict, text) < 0)
        return ice_error_memory(r->err);
    ice_row_begin(row);
    ice_row_i64(row, (int64_t)index + 1);
    ice_row_text(row, state_name(r, index));
    ice_row_str(row, r->files[state->file].name);
    ice_row_i64_if(row, state->has_snapshot, state->snapshot_id);
    ice_row_time_if(row, state->has_time, state->time_ms);
    ice_row_str_if(row, state->has_time,
                   ice_str_from(ice_rescue_age(r, state->time_ms, age)));
    ice_row_text(row, ice_rescue_way_name(state->way));
    ice_row_i64(row, loss->commits);
    ice_row_i64_if(row, loss->files >= 0, loss->files);
    ice_row_i64_if(row, loss->records >= 0, loss->records);
    ice_row_str_if(row, text->size > 0, ice_buf_str(text));
    put_faults(ice_row_json(row), state->verdict.first, "message");
    ice_row_json_end(row);
    if (index == r->best) {
        ICE_TRY(put_best(r, row, state));
    } else {
        ice_row_null(row);
        ice_row_null(row);
        if (r->best == SIZE_MAX && index == 0) {
            put_faults(ice_row_json(row), r->fetch, "command");
            ice_row_json_end(row);
        } else {
            ice_row_null(row);
        }
    }
    return ice_row_send(row, r->err);
}

/* Where one is known to be newer, it is of no weight that another may be. */
static void find_untold(const struct ice_rescue *r, struct ice_error *trouble) {
    uint64_t n_newer, n_untold;
    const struct ice_story_file *untold =
        ice_rescue_newest(r, ICE_SIDE_UNTOLD, &n_untold);
    (void)ice_rescue_newest(r, ICE_SIDE_NEWER, &n_newer);
    if (n_newer > 0 || n_untold == 0)
        return;
    (void)ice_error_set(trouble, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                        "whether it continues the current metadata file is not known");
    ice_error_set_file(trouble, untold->name);
}

/* ---- all ---- */

static void tell_unsure(struct ice_rescue *r) {
    struct ice_error trouble;
    ice_error_clear(&trouble);
    if (r->n_unjudged > 0)
        (void)ice_error_set(&trouble, ICE_ELIMIT, NULL, ICE_NO_OFFSET,
                            "%" PRIu64 " older metadata files were not judged",
                            r->n_unjudged);
    if (r->unknown.size > 0 && trouble.status >= 0 && r->reader->replaced.size == 0) {
        (void)ice_error_set(&trouble, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
                            r->is_unknown_listed
                                ? "the metadata file that should be current is in "
                                  "storage, and the copy lacks it"
                                : "the metadata file that should be current is missing");
        ice_error_set_file(&trouble, r->unknown);
    }
    if (trouble.status >= 0)
        find_untold(r, &trouble);
    for (size_t i = 0; i < r->n_states && trouble.status >= 0; i++) {
        const struct ice_rescue_state *state = &r->states[i];
        char file[120], shown[120];
        if (state->verdict.health != ICE_RESCUE_UNSURE || state->verdict.first == NULL)
            continue;
        bool has_file = state->verdict.first->file.size > 0; /* else: all of storage */
        (void)ice_error_set(
            &trouble, ICE_EFORMAT, NULL, ICE_NO_OFFSET,
            "a state could not be checked to the end%s%s: %s", has_file ? ", for " : "",
            ice_escape(file, sizeof(file), state->verdict.first->file),
            ice_escape(shown, sizeof(shown), state->verdict.first->message));
        ice_error_set_file(&trouble, r->files[state->file].name);
    }
    if (trouble.status < 0)
        ice_table_reader_tell(r->reader, &trouble);
}

static void fill_result(const struct ice_rescue *r, struct ice_rescue_result *out) {
    *out = (struct ice_rescue_result){
        .is_found = r->best != SIZE_MAX, .n_states = r->n_states, .n_fetch = r->n_fetch};
    for (size_t i = 0; i < r->n_states; i++) {
        out->n_whole += r->states[i].verdict.health == ICE_RESCUE_WHOLE;
        out->n_unsure += r->states[i].verdict.health == ICE_RESCUE_UNSURE;
    }
    if (out->is_found)
        out->is_current = r->states[r->best].way == ICE_WAY_STAY;
}

/* The file that nothing is known of may be there as an old version. */
static enum ice_status look_for_unknown(struct ice_rescue *r) {
    struct ice_old_metadata old = {0};
    struct ice_buf command;
    enum ice_old_kind kind = ICE_OLD_NONE;
    if (r->unknown.size == 0 || r->options.n_listings == 0)
        return ICE_OK;
    ice_buf_init(&command, &r->reader->run.alloc, SIZE_MAX);
    enum ice_status status = ice_old_metadata_open(&old, r->reader, r->err);
    if (status >= 0 && ice_old_metadata_find(&old, r->unknown, &kind, &command) < 0)
        status = ice_error_memory(r->err);
    r->is_unknown_listed = kind == ICE_OLD_LISTED;
    if (status >= 0 && kind == ICE_OLD_GONE)
        status = ice_rescue_keep_fetch(r, r->unknown, ice_buf_str(&command));
    ice_old_metadata_release(&old);
    ice_buf_release(&command);
    return status;
}

/* Files that cannot be read are rows, not trouble. */
static enum ice_status judge(struct ice_rescue *r) {
    ice_trouble_fn on_trouble = r->reader->on_trouble;
    r->reader->on_trouble = NULL;
    enum ice_status status = ice_story_gather(&r->story, r->reader, r->err);
    if (status >= 0)
        status = look_for_unknown(r);
    if (status >= 0)
        status = ice_rescue_judge(r);
    if (status >= 0)
        status = ice_rescue_rank(r);
    r->reader->on_trouble = on_trouble;
    return status;
}

static enum ice_status answer(struct ice_rescue *r, struct ice_row *row,
                              ice_write_fn write_advice) {
    struct ice_buf text;
    enum ice_status status = judge(r);
    ice_buf_init(&text, &r->reader->run.alloc, SIZE_MAX);
    if (status >= 0)
        status = row->on_row(columns, NULL, ICE_COUNT_OF(columns) - 1, row->user);
    for (size_t i = 0; i < r->n_states && status >= 0; i++)
        status = send(r, row, &text, i);
    if (status >= 0) {
        tell_unsure(r);
        if (write_advice != NULL)
            status = ice_rescue_advice(r, write_advice, row->user);
    }
    ice_buf_release(&text);
    return status;
}

/* Findings of one rule and file are told apart by snapshot: more of them are kept. */
static void set_limits(struct ice_rescue *r) {
    struct ice_limits *limits = &r->reader->run.limits;
    limits->findings_per_file = 200;
    limits->findings_per_rule = 100000;
    limits->findings_per_table = 1000000;
}

/* The file that the catalog or the hint names, where it is missing; else the one that
 * could not be read. What it holds beyond the file judged is not known. */
static enum ice_status find_unknown(struct ice_rescue *r) {
    const struct ice_table_reader *reader = r->reader;
    const struct ice_pointer *pointer = reader->check.pointer;
    const struct ice_target *target = &reader->target;
    char name[64];
    bool is_there = !target->has_hint || target->hint_version < 0 ||
                    reader->check.picked_by != ICE_PICKED_BY_NAME;
    r->unknown = reader->replaced;
    if (reader->check.pointer_is_missing && pointer != NULL) {
        r->unknown = ice_uri_base_name(pointer->metadata_location);
        return ICE_OK;
    }
    for (size_t i = 0; i < target->n_names; i++)
        is_there = is_there || target->names[i].version == target->hint_version;
    if (is_there)
        return ICE_OK;
    (void)snprintf(name, sizeof(name), "v%" PRId64 ".metadata.json",
                   target->hint_version);
    return ice_arena_dup(&r->arena, ice_str_from(name), &r->unknown)
               ? ICE_OK
               : ice_error_memory(r->err);
}

static enum ice_status begin(struct ice_rescue *r, struct ice_table_reader *reader) {
    struct ice_alloc *alloc = &reader->run.alloc;
    r->reader = reader;
    r->best = SIZE_MAX;
    r->options = *reader->check.options;
    r->options.depth = ICE_DEPTH_MANIFEST; /* no more than a reader needs */
    r->table_name = reader->check.table_name;
    ice_arena_init(&r->arena, alloc);
    ice_table_init(&r->snapshots_by_id, alloc);
    set_limits(r);
    return find_unknown(r);
}

static void end(struct ice_rescue *r) {
    if (r->reader == NULL)
        return;
    struct ice_alloc *alloc = &r->reader->run.alloc;
    ice_array_free(alloc, &r->files, &r->cap_files, sizeof(*r->files));
    ice_array_free(alloc, &r->snapshots, &r->cap_snapshots, sizeof(*r->snapshots));
    ice_array_free(alloc, &r->states, &r->cap_states, sizeof(*r->states));
    ice_table_release(&r->snapshots_by_id);
    ice_arena_release(&r->arena);
    ice_story_release(&r->story);
}

enum ice_status ice_rescue(const char *path, const struct ice_options *options,
                           ice_row_fn on_row, ice_write_fn write_advice,
                           ice_trouble_fn on_trouble, void *user,
                           struct ice_rescue_result *out_result, struct ice_error *err) {
    struct ice_table_reader reader;
    struct ice_rescue r = {.err = err};
    struct ice_row row = {0};
    if (out_result != NULL)
        *out_result = (struct ice_rescue_result){0};
    struct ice_error fault;
    ice_error_clear(&fault);
    enum ice_status status = ice_table_reader_open_readable(&reader, path, options, true,
                                                            on_trouble, user, &fault);
    if (reader.check.pinned && (status == ICE_EFORMAT || status == ICE_EIO)) {
        ice_table_reader_tell(&reader, &fault); /* no metadata file can be read: no state
                                                 */
        ice_table_reader_release(&reader);
        return ICE_OK;
    }
    if (status < 0)
        (void)ice_error_pass(err, status, &fault);
    if (status >= 0) {
        ice_row_init(&row, &reader.run, columns, on_row, user);
        status = begin(&r, &reader);
        if (status >= 0)
            status = answer(&r, &row, write_advice);
        if (status >= 0 && out_result != NULL)
            fill_result(&r, out_result);
    }
    ice_row_release(&row);
    end(&r);
    ice_table_reader_release(&reader);
    return status;
}
