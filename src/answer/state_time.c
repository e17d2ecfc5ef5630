/*
 * Which state was current at a time.
 *
 * A file was current from its last-updated-ms on, until the next one. The metadata log of
 * the pinned file has these times for the files before it, as far as it goes back; files
 * that are here and older than the log tell their own. Where the file of that time is
 * gone the snapshot log still has the snapshot.
 */
#include "answer/state_parts.h"

#include "base/error.h"
#include "base/time_text.h"
#include "check/peeked.h"

#include <inttypes.h>

/* What was found: a file (SIZE_MAX: none, or it is gone) and since when. */
struct moment {
    size_t name;
    int64_t since_ms, until_ms; /* INT64_MAX: not known */
    struct ice_str gone;        /* the file that the log names, which is not here */
    bool has_any;
    bool by_log;
};

static void look_in_log(const struct ice_state *state, int64_t time_ms,
                        struct moment *out) {
    const struct ice_metadata *m = state->document.metadata;
    int64_t next =
        ice_metadata_has(m, ICE_META_last_updated_ms) ? m->last_updated_ms : INT64_MAX;
    for (size_t i = m->n_metadata_log; i-- > 0;) {
        const struct ice_metadata_log_entry *entry = &m->metadata_log[i];
        if (!entry->has_what || !entry->has_timestamp)
            continue;
        if (entry->timestamp_ms <= time_ms) {
            struct ice_str name = ice_uri_base_name(entry->file);
            *out = (struct moment){.name = ice_document_find(state->reader, name),
                                   .since_ms = entry->timestamp_ms,
                                   .until_ms = next,
                                   .has_any = true,
                                   .by_log = true};
            out->gone = out->name == SIZE_MAX ? name : ICE_STR_NONE;
            return;
        }
        next = entry->timestamp_ms;
    }
}

/* By the files' own words: what is older than the log. */
static enum ice_status look_in_files(const struct ice_state *state, int64_t time_ms,
                                     struct moment *out, struct ice_error *err) {
    struct ice_table_reader *reader = state->reader;
    for (size_t i = 0; i < reader->target.n_names; i++) {
        struct ice_peeked file;
        if (reader->target.names[i].is_temp)
            continue;
        ICE_TRY(ice_peek_metadata(&reader->check, reader->target.names[i].name,
                                  ICE_PEEK_UPDATED, &file, err));
        if (file.updated_ms == INT64_MIN || file.updated_ms > time_ms ||
            (out->has_any && file.updated_ms < out->since_ms))
            continue;
        *out = (struct moment){.name = i,
                               .since_ms = file.updated_ms,
                               .until_ms = INT64_MAX,
                               .has_any = true};
    }
    return ICE_OK;
}

/* The last entry of the snapshot log that is not later. */
static bool look_in_snapshot_log(const struct ice_metadata *m, int64_t time_ms,
                                 int64_t *out_id, int64_t *out_since) {
    bool found = false;
    for (size_t i = 0; i < m->n_snapshot_log; i++) {
        const struct ice_log_entry *entry = &m->snapshot_log[i];
        if (!entry->has_timestamp || !entry->has_what || entry->timestamp_ms > time_ms)
            continue;
        *out_id = entry->snapshot_id;
        *out_since = entry->timestamp_ms;
        found = true;
    }
    return found;
}

static enum ice_status take_moment(struct ice_state *state, const struct moment *moment,
                                   struct ice_error *err) {
    char since[ICE_TIME_SIZE], until[ICE_TIME_SIZE], by[ICE_SHOWN_SIZE];
    (void)ice_escape(by, sizeof(by), state->document.file);
    ICE_TRY(ice_document_open(&state->document, state->reader, moment->name, err));
    ice_state_take_current(state);
    (void)ice_time_text(moment->since_ms, since);
    if (!moment->by_log)
        return ice_state_says(state, err, "current from %s on, by its last-updated-ms",
                              since);
    if (moment->until_ms == INT64_MAX)
        return ice_state_says(state, err, "current from %s on, by the metadata log of %s",
                              since, by);
    return ice_state_says(state, err, "current from %s to %s, by the metadata log of %s",
                          since, ice_time_text(moment->until_ms, until).data, by);
}

/* The file of that time is not here: its snapshot, wherever it is described. */
static enum ice_status take_logged(struct ice_state *state, int64_t id, int64_t since_ms,
                                   struct ice_str gone, struct ice_error *err) {
    char since[ICE_TIME_SIZE], by[ICE_SHOWN_SIZE], name[ICE_SHOWN_SIZE];
    bool is_found = ice_state_take_id(state, id);
    (void)ice_escape(by, sizeof(by), state->document.file);
    (void)ice_escape(name, sizeof(name), gone);
    if (!is_found)
        ICE_TRY(ice_state_search(state, id, &is_found, err));
    if (!is_found) {
        state->has_snapshot = true;
        state->snapshot_id = id;
        state->snapshot = SIZE_MAX;
    }
    (void)ice_time_text(since_ms, since);
    return ice_state_says(state, err,
                          "current from %s on, by the snapshot log of %s%s%s%s%s", since,
                          by, gone.size > 0 ? "; the metadata file of then, " : "", name,
                          gone.size > 0 ? ", is not here" : "",
                          is_found ? "" : "; no metadata file here describes it");
}

static enum ice_status refuse(const struct ice_state *state, int64_t time_ms,
                              struct ice_error *err) {
    const struct ice_metadata *m = state->document.metadata;
    char at[ICE_TIME_SIZE], first[ICE_TIME_SIZE];
    int64_t earliest =
        ice_metadata_has(m, ICE_META_last_updated_ms) ? m->last_updated_ms : INT64_MAX;
    for (size_t i = 0; i < m->n_metadata_log; i++)
        if (m->metadata_log[i].has_timestamp &&
            m->metadata_log[i].timestamp_ms < earliest)
            earliest = m->metadata_log[i].timestamp_ms;
    for (size_t i = 0; i < m->n_snapshot_log; i++)
        if (m->snapshot_log[i].has_timestamp &&
            m->snapshot_log[i].timestamp_ms < earliest)
            earliest = m->snapshot_log[i].timestamp_ms;
    (void)ice_time_text(time_ms, at);
    if (earliest == INT64_MAX)
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "nothing here tells what was current at %s", at);
    return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                         "nothing here tells what was current at %s: the earliest time "
                         "known is %s",
                         at, ice_time_text(earliest, first).data);
}

enum ice_status ice_state_take_time(struct ice_state *state, int64_t time_ms,
                                    struct ice_error *err) {
    const struct ice_metadata *m = state->document.metadata;
    struct moment moment = {.name = SIZE_MAX, .since_ms = INT64_MIN};
    int64_t id = 0, since = INT64_MIN;
    char updated[ICE_TIME_SIZE];
    if (ice_metadata_has(m, ICE_META_last_updated_ms) && m->last_updated_ms <= time_ms) {
        ice_state_take_current(state);
        return ice_state_says(state, err, "current from %s on: it is the last one",
                              ice_time_text(m->last_updated_ms, updated).data);
    }
    look_in_log(state, time_ms, &moment);
    if (!moment.has_any)
        ICE_TRY(look_in_files(state, time_ms, &moment, err));
    bool is_logged = look_in_snapshot_log(m, time_ms, &id, &since);
    /* a file that is older than what the snapshot log knows is not that of the time */
    bool is_better = !moment.by_log && since > moment.since_ms;
    if (moment.name != SIZE_MAX && !(is_logged && is_better))
        return take_moment(state, &moment, err);
    if (is_logged)
        return take_logged(state, id, since, moment.gone, err);
    return refuse(state, time_ms, err);
}
