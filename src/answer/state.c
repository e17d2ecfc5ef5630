/*
 * A word of the user's to a state. The pinned file is asked first, whatever else lies in
 * its directory after that.
 */
#include "answer/state_parts.h"

#include "base/error.h"
#include "check/pick_snapshot.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* ---- parts ---- */

enum ice_status ice_state_says(struct ice_state *state, struct ice_error *err,
                               const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    ice_buf_clear(&state->evidence);
    if (ice_buf_append_str(&state->evidence, ice_str_from(text)) < 0)
        return ice_error_memory(err);
    return ICE_OK;
}

void ice_state_take_current(struct ice_state *state) {
    const struct ice_metadata *m = state->document.metadata;
    state->has_snapshot = ice_metadata_names_current(m);
    if (!state->has_snapshot)
        ice_tell_without_current(state->reader, m, state->document.file);
    state->snapshot_id = state->has_snapshot ? m->current_snapshot_id : 0;
    state->snapshot = state->has_snapshot
                          ? ice_metadata_find_snapshot(m, m->current_snapshot_id)
                          : SIZE_MAX;
}

bool ice_state_take_id(struct ice_state *state, int64_t snapshot_id) {
    size_t index = ice_metadata_find_snapshot(state->document.metadata, snapshot_id);
    if (index == SIZE_MAX)
        return false;
    state->has_snapshot = true;
    state->snapshot_id = snapshot_id;
    state->snapshot = index;
    return true;
}

enum ice_status ice_state_search(struct ice_state *state, int64_t snapshot_id,
                                 bool *out_found, struct ice_error *err) {
    struct ice_table_reader *reader = state->reader;
    struct ice_document tried = {0};
    *out_found = false;
    for (size_t i = reader->target.n_names; i-- > 0 && !*out_found;) {
        struct ice_error fault = {0};
        if (i == state->document.name)
            continue;
        enum ice_status status = ice_document_open(&tried, reader, i, &fault);
        ICE_TRY(ice_error_pass_final(err, status, &fault));
        *out_found = status >= 0 &&
                     ice_metadata_find_snapshot(tried.metadata, snapshot_id) != SIZE_MAX;
        ice_document_release(&tried);
        if (!*out_found)
            continue;
        ice_document_release(&state->document);
        ICE_TRY(ice_document_open(&state->document, reader, i, err));
        (void)ice_state_take_id(state, snapshot_id);
    }
    return ICE_OK;
}

static void begin(struct ice_state *out, struct ice_table_reader *reader) {
    *out = (struct ice_state){.given = reader, .reader = reader, .snapshot = SIZE_MAX};
    ice_buf_init(&out->evidence, &reader->run.alloc, SIZE_MAX);
    ice_document_current(&out->document, reader);
}

static void drop_own_reader(struct ice_state *state) {
    if (state->reader == state->given)
        return;
    ice_table_reader_release(state->reader);
    ice_free(&state->given->run.alloc, state->reader, sizeof(*state->reader));
    state->reader = state->given;
}

void ice_state_release(struct ice_state *state) {
    ice_document_release(&state->document);
    drop_own_reader(state);
    ice_buf_release(&state->evidence);
    *state = (struct ice_state){.snapshot = SIZE_MAX};
}

/* ---- by file ---- */

static enum ice_status take_file(struct ice_state *state, size_t name, const char *how,
                                 struct ice_error *err) {
    ICE_TRY(ice_document_open(&state->document, state->reader, name, err));
    ice_state_take_current(state);
    return ice_state_says(state, err, "%s", how);
}

/* Of one version; *out_n: how many files have it. What a crashed commit left is none. */
static size_t find_version(const struct ice_table_reader *reader, int64_t version,
                           size_t *out_n) {
    size_t found = SIZE_MAX;
    *out_n = 0;
    for (size_t i = 0; i < reader->target.n_names; i++) {
        const struct ice_metadata_name *name = &reader->target.names[i];
        if (name->version != version || name->is_temp)
            continue;
        found = i;
        (*out_n)++;
    }
    return found;
}

static enum ice_status take_version(struct ice_state *state, int64_t version,
                                    bool *out_found, struct ice_error *err) {
    size_t n;
    size_t name = find_version(state->reader, version, &n);
    *out_found = n > 0;
    if (n > 1) {
        char shown[100];
        return ice_error_set(
            err, ICE_EARG, NULL, ICE_NO_OFFSET,
            "%zu metadata files have version %" PRId64
            ", one is %s: give the file's name",
            n, version,
            ice_escape(shown, sizeof(shown), state->reader->target.names[name].name));
    }
    return n == 1 ? take_file(state, name, "by its version", err) : ICE_OK;
}

static enum ice_status take_named(struct ice_state *state, struct ice_str word,
                                  bool *out_found, struct ice_error *err) {
    int64_t version;
    size_t name = ice_document_find(state->reader, word);
    *out_found = name != SIZE_MAX;
    if (*out_found)
        return take_file(state, name, "by its name", err);
    if (ice_str_starts(word, ICE_STR("v")) &&
        ice_str_to_i64(ice_str_from_index(word, 1), &version) && version >= 0)
        return take_version(state, version, out_found, err);
    return ICE_OK;
}

/* ---- by snapshot ---- */

static enum ice_status take_ref(struct ice_state *state, struct ice_str word,
                                bool *out_found, struct ice_error *err) {
    const struct ice_metadata *m = state->document.metadata;
    char name[ICE_SHOWN_SIZE];
    const struct ice_ref *ref = NULL;
    for (size_t i = 0; i < m->n_refs && ref == NULL; i++)
        if (m->refs[i].has_snapshot_id && ice_str_equal(m->refs[i].name, word))
            ref = &m->refs[i];
    /* refs may leave main out: it is the current snapshot */
    *out_found = ref != NULL || ice_str_is(word, "main");
    if (!*out_found)
        return ICE_OK;
    if (ref == NULL) {
        ice_state_take_current(state);
    } else if (!ice_state_take_id(state, ref->snapshot_id)) {
        state->has_snapshot = true;
        state->snapshot_id = ref->snapshot_id;
        state->snapshot = SIZE_MAX;
    }
    return ice_state_says(state, err, "by ref %s", ice_escape(name, sizeof(name), word));
}

static enum ice_status take_id(struct ice_state *state, int64_t id, bool *out_found,
                               struct ice_error *err) {
    char now[ICE_SHOWN_SIZE];
    *out_found = ice_state_take_id(state, id);
    if (*out_found)
        return ice_state_says(state, err, "by its snapshot id");
    (void)ice_escape(now, sizeof(now), state->document.file);
    ICE_TRY(ice_state_search(state, id, out_found, err));
    return *out_found ? ice_state_says(state, err,
                                       "by its snapshot id: %s no longer keeps it, this "
                                       "file still describes it",
                                       now)
                      : ICE_OK;
}

/* Known by its id alone. */
static bool is_in_logs(const struct ice_metadata *m, int64_t id) {
    for (size_t i = 0; i < m->n_snapshot_log; i++)
        if (m->snapshot_log[i].has_what && m->snapshot_log[i].snapshot_id == id)
            return true;
    for (size_t i = 0; i < m->n_snapshots; i++)
        if (ice_snapshot_has(&m->snapshots[i], ICE_SNAP_parent_snapshot_id) &&
            m->snapshots[i].parent_snapshot_id == id)
            return true;
    return false;
}

static enum ice_status take_lost(struct ice_state *state, int64_t id, bool *out_found,
                                 struct ice_error *err) {
    *out_found = is_in_logs(state->document.metadata, id);
    if (!*out_found)
        return ICE_OK;
    state->has_snapshot = true;
    state->snapshot_id = id;
    state->snapshot = SIZE_MAX;
    return ice_state_says(state, err,
                          "by its snapshot id: this file names it, and no metadata file "
                          "here describes it");
}

static enum ice_status take_number(struct ice_state *state, int64_t number,
                                   bool *out_found, struct ice_error *err) {
    size_t n;
    bool is_version = find_version(state->reader, number, &n) != SIZE_MAX;
    *out_found = false;
    if (!is_version ||
        ice_metadata_find_snapshot(state->document.metadata, number) != SIZE_MAX)
        ICE_TRY(take_id(state, number, out_found, err));
    if (!*out_found && is_version)
        return take_version(state, number, out_found, err);
    return *out_found ? ICE_OK : take_lost(state, number, out_found, err);
}

/* ---- by path ---- */

static enum ice_status open_path(struct ice_state *state, const char *word,
                                 struct ice_error *err) {
    struct ice_table_reader *given = state->given;
    struct ice_table_reader *own = ice_calloc(&given->run.alloc, 1, sizeof(*own));
    if (own == NULL)
        return ice_error_memory(err);
    state->reader = own;
    state->own_options = *given->options;
    state->own_options.metadata = state->own_options.snapshot = NULL;
    state->own_options.n_pointers = 0;
    ICE_TRY(ice_table_reader_open(own, word, &state->own_options,
                                  given->check.want_summaries, given->on_trouble,
                                  given->user, err));
    if (own->target.kind != ICE_TARGET_TABLE && own->target.kind != ICE_TARGET_METADATA)
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "no metadata file and no table: it is of kind '%s'",
                             ice_input_kind_name(own->target.is));
    ice_document_current(&state->document, own);
    ice_state_take_current(state);
    return ice_state_says(state, err, "by its path");
}

/* Nothing of that name: *out_found false. */
static enum ice_status take_path(struct ice_state *state, const char *word,
                                 bool *out_found, struct ice_error *err) {
    struct ice_error fault = {0};
    enum ice_status status = open_path(state, word, &fault);
    *out_found = status != ICE_ENOENT;
    if (status >= 0)
        return ICE_OK;
    drop_own_reader(state);
    if (status == ICE_ENOENT)
        return ICE_OK;
    if (err != NULL)
        *err = fault;
    return status;
}

/* ---- all ---- */

static enum ice_status refuse(const struct ice_state *state, struct ice_str word,
                              struct ice_error *err) {
    const struct ice_target *target = &state->reader->target;
    const struct ice_metadata *m = state->document.metadata;
    char shown[64], first[48] = "", last[48] = "", files[160] = "1 metadata file";
    if (target->n_names > 0) {
        (void)ice_escape(first, sizeof(first), target->names[0].name);
        (void)ice_escape(last, sizeof(last), target->names[target->n_names - 1].name);
    }
    if (target->n_names > 1)
        (void)snprintf(files, sizeof(files), "%zu metadata files (%s to %s)",
                       target->n_names, first, last);
    return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                         "'%s' is no metadata file, ref, snapshot or time of it: it has "
                         "%s, %zu ref%s, %zu snapshot%s (inspect refs, snapshots)",
                         ice_escape(shown, sizeof(shown), word), files, m->n_refs,
                         m->n_refs == 1 ? "" : "s", m->n_snapshots,
                         m->n_snapshots == 1 ? "" : "s");
}

static enum ice_status resolve(struct ice_state *state, const char *text,
                               struct ice_error *err) {
    struct ice_str word = ice_str_from(text);
    int64_t number;
    bool is_found = false;
    if (text == NULL) {
        ice_state_take_current(state);
        return ice_state_says(state, err, "the current one, by %s",
                              ice_picked_by_name(state->reader->check.picked_by));
    }
    ICE_TRY(take_named(state, word, &is_found, err));
    if (!is_found)
        ICE_TRY(take_ref(state, word, &is_found, err));
    if (!is_found && ice_str_to_i64(word, &number))
        ICE_TRY(take_number(state, number, &is_found, err));
    if (!is_found && ice_time_parse(word, &number)) {
        is_found = true;
        ICE_TRY(ice_state_take_time(state, number, err));
    }
    if (!is_found)
        ICE_TRY(take_path(state, text, &is_found, err));
    return is_found ? ICE_OK : refuse(state, word, err);
}

static enum ice_status end(struct ice_state *state, enum ice_status status) {
    if (status < 0)
        ice_state_release(state);
    return status;
}

enum ice_status ice_state_open(struct ice_state *out, struct ice_table_reader *reader,
                               const char *word, struct ice_error *err) {
    begin(out, reader);
    return end(out, resolve(out, word, err));
}

enum ice_status ice_state_open_file(struct ice_state *out,
                                    struct ice_table_reader *reader, size_t name,
                                    struct ice_error *err) {
    begin(out, reader);
    return end(out, take_file(out, name, "by its name", err));
}

enum ice_status ice_state_open_id(struct ice_state *out, struct ice_table_reader *reader,
                                  int64_t snapshot_id, struct ice_error *err) {
    bool is_found;
    begin(out, reader);
    enum ice_status status = take_id(out, snapshot_id, &is_found, err);
    if (status >= 0 && !is_found)
        status = take_lost(out, snapshot_id, &is_found, err);
    if (status >= 0 && !is_found)
        status =
            ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                          "no metadata file here knows a snapshot %" PRId64, snapshot_id);
    return end(out, status);
}

/* ---- walks ---- */

enum ice_status ice_state_walk(const struct ice_state *state, ice_listed_manifest_fn each,
                               ice_stage_fn on_fault, void *context,
                               struct ice_error *err) {
    struct ice_table_reader *reader = state->reader;
    if (ice_state_snapshot(state) == NULL)
        return ICE_OK;
    const struct ice_metadata *kept = reader->metadata;
    reader->metadata = state->document.metadata;
    enum ice_status status =
        ice_walk_snapshot(reader, state->snapshot, each, on_fault, context, err);
    reader->metadata = kept;
    return status;
}

enum ice_status ice_state_walk_manifest(const struct ice_state *state,
                                        const struct ice_listed_manifest *listed,
                                        ice_entry_fn each, ice_stage_fn on_fault,
                                        void *context, struct ice_error *err) {
    struct ice_table_reader *reader = state->reader;
    const struct ice_metadata *kept = reader->metadata;
    reader->metadata = state->document.metadata;
    enum ice_status status =
        ice_walk_manifest(reader, listed, each, on_fault, context, err);
    reader->metadata = kept;
    return status;
}
