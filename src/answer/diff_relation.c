/*
 * Which two states, how they are related, and the commits between them.
 *
 * Parents are followed over the documents of both states and the pinned one, so that a
 * snapshot that one of them has expired is still known from another. Where they do not
 * meet, the other metadata files are asked: expiry takes the commits between away, and
 * PyIceberg's takes the parent of the oldest that stays as well.
 */
#include "answer/diff.h"

#include "answer/commit_text.h"
#include "base/error.h"
#include "base/size.h"
#include "base/time_text.h"
#include "check/history.h"
#include "check/pick_snapshot.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    APART = 64,    /* bytes of " and 26 h 5 min" */
    MOST_MORE = 16 /* further documents that are kept open */
};

/* A snapshot and the document that describes it; s NULL: known by its id alone. */
struct commit {
    int64_t id;
    const struct ice_metadata *m;
    const struct ice_snapshot *s;
};

/* A state's snapshot and its ancestors, the newest first. */
struct line {
    struct commit *items;
    size_t n, capacity;
    bool is_broken; /* its end is not the first snapshot: a parent is not described */
    struct ice_table by_id;
};

struct relation {
    struct ice_diff *d;
    struct line from, to;
    size_t common_from, common_to; /* places of the newest common ancestor; or SIZE_MAX */
    struct ice_document more[MOST_MORE]; /* other metadata files that know parents */
    size_t n_more;
};

/* ---- states ---- */

static enum ice_status state_row(struct ice_diff *d, const char *name,
                                 const struct ice_state *state) {
    const struct ice_snapshot *s = ice_state_snapshot(state);
    const struct ice_metadata *m = state->document.metadata;
    struct ice_diff_row row = {.section = "states",
                               .name = ice_str_from(name),
                               .has_snapshot_id = state->has_snapshot,
                               .snapshot_id = state->snapshot_id,
                               .file = state->document.file,
                               .detail = ice_buf_str(&state->evidence)};
    if (s != NULL) {
        row.has_time = ice_snapshot_has(s, ICE_SNAP_timestamp_ms);
        row.time_ms = s->timestamp_ms;
    } else if (!state->has_snapshot) {
        row.has_time = ice_metadata_has(m, ICE_META_last_updated_ms);
        row.time_ms = m->last_updated_ms;
    }
    return ice_diff_put(d, &row);
}

/* Who reads holds what it loaded, not what is current while it reads. */
static enum ice_status qualify_time(struct ice_diff *d) {
    int64_t unused;
    if (d->ask->from == NULL || !ice_time_parse(ice_str_from(d->ask->from), &unused))
        return ICE_OK;
    return ice_buf_append_str(&d->from.evidence,
                              ICE_STR("; a session that loaded the table then or later "
                                      "holds this state at the earliest")) < 0
               ? ice_error_memory(d->err)
               : ICE_OK;
}

enum ice_status ice_diff_states(struct ice_diff *d) {
    ICE_TRY(qualify_time(d));
    ICE_TRY(state_row(d, "from", &d->from));
    return state_row(d, "to", &d->to);
}

/* ---- lines of ancestors ---- */

/* As the documents describe it, the first that names its parent before others. */
static struct commit find(const struct relation *r, int64_t id) {
    const struct ice_diff *d = r->d;
    const struct ice_metadata *documents[3 + MOST_MORE] = {
        d->to.document.metadata, d->from.document.metadata, d->reader->metadata};
    struct commit found = {.id = id};
    for (size_t i = 0; i < r->n_more; i++)
        documents[3 + i] = r->more[i].metadata;
    for (size_t i = 0; i < 3 + r->n_more; i++) {
        size_t index = ice_metadata_find_snapshot(documents[i], id);
        if (index == SIZE_MAX)
            continue;
        struct commit commit = {id, documents[i], &documents[i]->snapshots[index]};
        if (ice_snapshot_has_parent(commit.s))
            return commit;
        if (found.s == NULL)
            found = commit;
    }
    return found;
}

static size_t place_of(const struct relation *r, const struct line *line, int64_t id) {
    uint64_t key = ice_hash_mix((uint64_t)id, r->d->reader->run.hash_seed);
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&line->by_id, key, &at, &index))
        if (line->items[index].id == id)
            return index;
    return SIZE_MAX;
}

static enum ice_status add(struct relation *r, struct line *line, struct commit commit) {
    uint64_t key = ice_hash_mix((uint64_t)commit.id, r->d->reader->run.hash_seed);
    if (line->n >= UINT32_MAX ||
        !ice_array_reserve(&r->d->reader->run.alloc, &line->items, line->n,
                           &line->capacity, sizeof(*line->items)) ||
        ice_table_put(&line->by_id, key, (uint32_t)line->n) < 0)
        return ice_error_memory(r->d->err);
    line->items[line->n++] = commit;
    return ICE_OK;
}

/* A snapshot that is met twice closes a cycle: the line ends there, broken. */
static enum ice_status follow(struct relation *r, const struct ice_state *state,
                              struct line *line) {
    line->n = 0;
    line->is_broken = false;
    ice_table_release(&line->by_id);
    ice_table_init(&line->by_id, &r->d->reader->run.alloc);
    if (!state->has_snapshot)
        return ICE_OK;
    int64_t id = state->snapshot_id;
    for (;;) {
        struct commit commit = find(r, id);
        if (place_of(r, line, id) != SIZE_MAX) {
            line->is_broken = true;
            return ICE_OK;
        }
        ICE_TRY(add(r, line, commit));
        if (commit.s == NULL || !ice_snapshot_has_parent(commit.s)) {
            line->is_broken = commit.s == NULL;
            return ICE_OK;
        }
        id = commit.s->parent_snapshot_id;
    }
}

static void meet(struct relation *r) {
    r->common_from = r->common_to = SIZE_MAX;
    for (size_t i = 0; i < r->to.n && r->common_to == SIZE_MAX; i++) {
        r->common_from = place_of(r, &r->from, r->to.items[i].id);
        r->common_to = r->common_from != SIZE_MAX ? i : SIZE_MAX;
    }
}

static enum ice_status follow_both(struct relation *r) {
    ICE_TRY(follow(r, &r->d->from, &r->from));
    ICE_TRY(follow(r, &r->d->to, &r->to));
    meet(r);
    return ICE_OK;
}

/* Does the document know the parent of the end of a line? */
static bool knows_more(const struct ice_document *document, const struct line *line) {
    const struct ice_metadata *m = document->metadata;
    if (line->n == 0)
        return false;
    const struct commit *end = &line->items[line->n - 1];
    size_t index = ice_metadata_find_snapshot(m, end->id);
    return index != SIZE_MAX && (end->s == NULL || !ice_snapshot_has_parent(end->s)) &&
           ice_snapshot_has_parent(&m->snapshots[index]);
}

static bool is_used(const struct ice_diff *d, size_t name) {
    return d->reader->target.names[name].is_temp || d->to.document.name == name ||
           d->from.document.name == name;
}

/* One that cannot be read, or is of another table, knows nothing. */
static enum ice_status ask(struct relation *r, size_t name) {
    struct ice_diff *d = r->d;
    struct ice_document *document = &r->more[r->n_more];
    struct ice_error fault = {0};
    enum ice_status status = ice_document_open(document, d->reader, name, &fault);
    ICE_TRY(ice_error_pass_final(d->err, status, &fault));
    if (status < 0 || ice_is_other_table(document->metadata, d->to.document.metadata) ||
        (!knows_more(document, &r->from) && !knows_more(document, &r->to))) {
        ice_document_release(document);
        return ICE_OK;
    }
    r->n_more++;
    return follow_both(r);
}

static enum ice_status ask_others(struct relation *r) {
    struct ice_diff *d = r->d;
    if (!d->from.has_snapshot || !d->to.has_snapshot ||
        ice_is_other_table(d->from.document.metadata, d->to.document.metadata))
        return ICE_OK;
    for (size_t i = d->reader->target.n_names;
         i-- > 0 && r->common_to == SIZE_MAX && r->n_more < MOST_MORE;) {
        if (!is_used(d, i))
            ICE_TRY(ask(r, i));
    }
    return ICE_OK;
}

static enum ice_diff_kind judge(const struct relation *r) {
    const struct ice_state *from = &r->d->from, *to = &r->d->to;
    if (ice_is_other_table(from->document.metadata, to->document.metadata))
        return ICE_DIFF_OTHER_TABLE;
    if (!from->has_snapshot || !to->has_snapshot)
        return from->has_snapshot ? ICE_DIFF_AHEAD
               : to->has_snapshot ? ICE_DIFF_BEHIND
                                  : ICE_DIFF_SAME;
    if (r->common_to == SIZE_MAX)
        return r->from.is_broken || r->to.is_broken ? ICE_DIFF_UNKNOWN : ICE_DIFF_ANEW;
    if (r->common_from == 0)
        return r->common_to == 0 ? ICE_DIFF_SAME : ICE_DIFF_BEHIND;
    return r->common_to == 0 ? ICE_DIFF_AHEAD : ICE_DIFF_FORK;
}

/* ---- the sentence ---- */

static const char *commits(uint64_t n) {
    return n == 1 ? "commit" : "commits";
}

/* Between the commits of the two states; "" where a time is not known. */
static const char *apart(const struct ice_diff *d, const char *before, char out[APART]) {
    const struct ice_snapshot *a = ice_state_snapshot(&d->from),
                              *b = ice_state_snapshot(&d->to);
    char text[48];
    int64_t ms;
    out[0] = '\0';
    if (a == NULL || b == NULL || !ice_snapshot_has(a, ICE_SNAP_timestamp_ms) ||
        !ice_snapshot_has(b, ICE_SNAP_timestamp_ms) ||
        __builtin_sub_overflow(b->timestamp_ms, a->timestamp_ms, &ms) ||
        ms == INT64_MIN || (ms > -1000 && ms < 1000))
        return out;
    (void)snprintf(out, APART, "%s%s", before,
                   ice_duration_text(ms < 0 ? -ms : ms, text));
    return out;
}

static enum ice_status say_behind(struct ice_diff *d) {
    char time[APART];
    if (!d->from.has_snapshot)
        return ice_diff_say(d, "relation", "behind",
                            "from is the table before its first commit: %" PRIu64
                            " %s behind to",
                            d->n_missed, commits(d->n_missed));
    return ice_diff_say(d, "relation", "behind",
                        "from is an ancestor of to: %" PRIu64 " %s%s behind", d->n_missed,
                        commits(d->n_missed), apart(d, " and ", time));
}

static enum ice_status say_ahead(struct ice_diff *d) {
    char time[APART];
    if (d->ahead.from_is)
        return ice_diff_say(d, "relation", "ahead",
                            "from continues to, by %zu metadata file%s and %" PRIu64
                            " %s%s: %s is behind from, or was set back",
                            d->ahead.n_from, d->ahead.n_from == 1 ? "" : "s", d->n_undone,
                            commits(d->n_undone), apart(d, " and ", time),
                            ice_diff_pointer(d));
    return ice_diff_say(d, "relation", "ahead",
                        "to %s: %" PRIu64 " %s%s undone by a rollback, unless the "
                        "two were named the wrong way round",
                        d->to.has_snapshot ? "is an ancestor of from"
                                           : "has no snapshot, from has one",
                        d->n_undone, commits(d->n_undone), apart(d, " and ", time));
}

static bool log_place(const struct ice_metadata *m, int64_t id, size_t *out) {
    for (size_t i = m->n_snapshot_log; i-- > 0;) {
        *out = i;
        if (m->snapshot_log[i].has_what && m->snapshot_log[i].snapshot_id == id)
            return true;
    }
    return false;
}

static enum ice_status say_unknown(struct relation *r) {
    struct ice_diff *d = r->d;
    const struct line *line = r->to.is_broken ? &r->to : &r->from;
    char file[200];
    size_t a, b;
    int64_t lost = line->n > 0 ? line->items[line->n - 1].id : 0;
    (void)ice_escape(file, sizeof(file), d->to.document.file);
    if (log_place(d->to.document.metadata, d->from.snapshot_id, &a) &&
        log_place(d->to.document.metadata, d->to.snapshot_id, &b) && a < b)
        ICE_TRY(ice_diff_say(d, "relation", "unknown",
                             "from was current before to, which came %zu moves of main "
                             "later by the snapshot log of %s; whether it is an ancestor "
                             "is not known",
                             b - a, file));
    else
        ICE_TRY(ice_diff_say(d, "relation", "unknown",
                             "whether from is an ancestor of to is not known"));
    return ice_diff_unknown(d, d->to.document.file,
                            "the line of ancestors breaks at snapshot %" PRId64
                            ", which no metadata file here describes",
                            lost);
}

static enum ice_status say_other_table(struct ice_diff *d) {
    char a[64], b[64];
    return ice_diff_say(
        d, "relation", "other-table",
        "two tables: table-uuid %s of from, %s of to; it was dropped and made again, or "
        "the paths are of different tables",
        ice_escape(a, sizeof(a), d->from.document.metadata->table_uuid),
        ice_escape(b, sizeof(b), d->to.document.metadata->table_uuid));
}

static enum ice_status say(struct relation *r) {
    struct ice_diff *d = r->d;
    switch (d->kind) {
    case ICE_DIFF_SAME:
        return ice_diff_say(d, "relation", "same", "both are at %s",
                            d->from.has_snapshot ? "the same snapshot" : "no snapshot");
    case ICE_DIFF_BEHIND:
        return say_behind(d);
    case ICE_DIFF_AHEAD:
        return say_ahead(d);
    case ICE_DIFF_FORK:
        return ice_diff_say(
            d, "relation", "fork",
            "neither is an ancestor of the other: they part at snapshot "
            "%" PRId64 "; %" PRIu64 " %s only in to, %" PRIu64 " only in from",
            r->to.items[r->common_to].id, d->n_missed, commits(d->n_missed), d->n_undone);
    case ICE_DIFF_ANEW:
        return ice_diff_say(d, "relation", "anew",
                            "no snapshot is an ancestor of both: the table was replaced "
                            "between them, or its history began anew");
    case ICE_DIFF_UNKNOWN:
        return say_unknown(r);
    case ICE_DIFF_OTHER_TABLE:
        return say_other_table(d);
    }
    return ICE_OK;
}

/* ---- commits ---- */

static const enum ice_metric metrics[ICE_DIFF_NUMBERS] = {
    [ICE_DIFF_FILES_ADDED] = ICE_METRIC_ADDED_DATA_FILES,
    [ICE_DIFF_FILES_REMOVED] = ICE_METRIC_DELETED_DATA_FILES,
    [ICE_DIFF_RECORDS_ADDED] = ICE_METRIC_ADDED_RECORDS,
    [ICE_DIFF_RECORDS_REMOVED] = ICE_METRIC_DELETED_RECORDS,
    [ICE_DIFF_BYTES_ADDED] = ICE_METRIC_ADDED_FILES_SIZE,
    [ICE_DIFF_BYTES_REMOVED] = ICE_METRIC_REMOVED_FILES_SIZE,
    [ICE_DIFF_DELETES_ADDED] = ICE_METRIC_ADDED_DELETE_FILES,
    [ICE_DIFF_DELETES_REMOVED] = ICE_METRIC_REMOVED_DELETE_FILES,
};

static enum ice_status commit_row(struct ice_diff *d, const char *section,
                                  const struct commit *commit) {
    struct ice_diff_row row = {
        .section = section, .has_snapshot_id = true, .snapshot_id = commit->id};
    if (commit->s == NULL) {
        row.detail = ICE_STR("no metadata file here describes it");
        return ice_diff_put(d, &row);
    }
    for (unsigned i = 0; i < ICE_DIFF_NUMBERS; i++) {
        if (ice_snapshot_metric(commit->m, commit->s, metrics[i], &row.numbers[i]))
            row.has_numbers |= 1u << i;
    }
    row.has_time = ice_snapshot_has(commit->s, ICE_SNAP_timestamp_ms);
    row.time_ms = commit->s->timestamp_ms;
    row.operation = ice_snapshot_operation(commit->m, commit->s);
    ice_buf_clear(&d->text);
    if (ice_writer_text(commit->m, commit->s, &d->text) < 0)
        return ice_error_memory(d->err);
    row.writer = ice_buf_str(&d->text);
    return ice_diff_put(d, &row);
}

static enum ice_status rows(struct ice_diff *d, const char *section,
                            const struct line *line, uint64_t n) {
    for (size_t i = 0; i < n; i++)
        ICE_TRY(commit_row(d, section, &line->items[i]));
    return ICE_OK;
}

/* What the summaries of missed commits say together; an absent number is none. */
static void sum_up(struct relation *r) {
    struct ice_diff *d = r->d;
    d->has_sums = d->kind == ICE_DIFF_BEHIND;
    for (size_t i = 0; i < d->n_missed && d->has_sums; i++) {
        const struct commit *commit = &r->to.items[i];
        int64_t total, value;
        /* a summary with totals leaves out what is 0 */
        d->has_sums =
            commit->s != NULL && ice_snapshot_metric(commit->m, commit->s,
                                                     ICE_METRIC_TOTAL_DATA_FILES, &total);
        for (size_t k = 0; k < ICE_DIFF_NUMBERS && d->has_sums; k++)
            if (ice_snapshot_metric(commit->m, commit->s, metrics[k], &value))
                d->has_sums = ice_i64_add(d->sums[k], value, &d->sums[k]);
    }
}

/* Up to where they meet; without that as far as they are described. */
static void count(struct relation *r) {
    struct ice_diff *d = r->d;
    switch (d->kind) {
    case ICE_DIFF_SAME:
    case ICE_DIFF_OTHER_TABLE:
        return;
    case ICE_DIFF_UNKNOWN:
        d->n_missed = r->to.n - (r->to.is_broken && r->to.n > 0);
        return;
    case ICE_DIFF_BEHIND:
    case ICE_DIFF_AHEAD:
    case ICE_DIFF_FORK:
    case ICE_DIFF_ANEW:
        d->n_missed = r->common_to != SIZE_MAX ? r->common_to : r->to.n;
        d->n_undone = r->common_from != SIZE_MAX ? r->common_from : r->from.n;
        return;
    }
}

static enum ice_status tell(struct relation *r) {
    struct ice_diff *d = r->d;
    d->kind = judge(r);
    count(r);
    d->differs = d->differs || d->kind != ICE_DIFF_SAME;
    ICE_TRY(say(r));
    ICE_TRY(ice_diff_say_ahead(d));
    sum_up(r);
    ICE_TRY(rows(d, "missed", &r->to, d->n_missed));
    return rows(d, "undone", &r->from, d->n_undone);
}

enum ice_status ice_diff_relation(struct ice_diff *d) {
    struct ice_alloc *alloc = &d->reader->run.alloc;
    struct relation r = {.d = d};
    ice_table_init(&r.from.by_id, alloc);
    ice_table_init(&r.to.by_id, alloc);
    enum ice_status status = follow_both(&r);
    if (status >= 0)
        status = ask_others(&r);
    if (status >= 0)
        status = tell(&r);
    for (size_t i = 0; i < r.n_more; i++)
        ice_document_release(&r.more[i]);
    ice_table_release(&r.to.by_id);
    ice_table_release(&r.from.by_id);
    ice_array_free(alloc, &r.to.items, &r.to.capacity, sizeof(*r.to.items));
    ice_array_free(alloc, &r.from.items, &r.from.capacity, sizeof(*r.from.items));
    return status;
}
