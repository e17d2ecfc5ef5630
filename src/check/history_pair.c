/*
 * What happened between two metadata files of one table: how main moved, what expired,
 * what may only grow.
 */
#include "check/history.h"

#include "check/pass1.h"

#include <stdio.h>

/* Two files side by side. */
struct pair {
    struct ice_history *h;
    const struct ice_history_file *earlier, *later;
    const struct ice_metadata *e, *l;
};

static struct ice_place at(const struct pair *pair, const char *pointer) {
    return ice_history_place(pair->later, ice_str_from(pointer));
}

static struct ice_arg earlier_name(const struct pair *pair) {
    return arg_str("name", ice_history_name(pair->h, pair->earlier->name));
}

/* ---- numbers that only grow ---- */

static void check_counter(const struct pair *pair, enum ice_metadata_bit bit,
                          const char *pointer, int64_t before, int64_t after,
                          bool is_lower_in_v1) {
    if (!ice_metadata_has(pair->e, bit) || !ice_metadata_has(pair->l, bit) ||
        after >= before)
        return;
    struct ice_place place = at(pair, pointer);
    FOUND_AS(pair->h->ck->emit, ICE_RULE_HISTORY_COUNTER_REGRESSED,
             is_lower_in_v1 && pair->l->format_version == 1 ? ICE_WARN : ICE_ERROR,
             &place, arg_text("field", pointer + 1), arg_i64("from", before),
             arg_i64("to", after), earlier_name(pair));
}

static void check_counters(const struct pair *pair) {
    const struct ice_metadata *e = pair->e, *l = pair->l;
    check_counter(pair, ICE_META_last_column_id, "/last-column-id", e->last_column_id,
                  l->last_column_id, true);
    check_counter(pair, ICE_META_last_partition_id, "/last-partition-id",
                  e->last_partition_id, l->last_partition_id, true);
    check_counter(pair, ICE_META_last_sequence_number, "/last-sequence-number",
                  e->last_sequence_number, l->last_sequence_number, false);
    check_counter(pair, ICE_META_next_row_id, "/next-row-id", e->next_row_id,
                  l->next_row_id, false);
}

static void check_version(const struct pair *pair) {
    int64_t from = pair->e->format_version, to = pair->l->format_version;
    struct ice_place place = at(pair, "/format-version");
    if (from <= 0 || to <= 0 || from == to)
        return;
    FOUND(pair->h->ck->emit,
          to < from ? ICE_RULE_HISTORY_FORMAT_VERSION_REGRESSED
                    : ICE_RULE_HISTORY_UPGRADE,
          &place, arg_i64("from", from), arg_i64("to", to), earlier_name(pair));
}

static void check_location(const struct pair *pair) {
    struct ice_str from = pair->e->location, to = pair->l->location;
    struct ice_run *run = pair->h->ck->run;
    struct ice_place place = at(pair, "/location");
    if (from.size == 0 || to.size == 0 || ice_uri_is_same(run, from, to))
        return;
    FOUND(pair->h->ck->emit, ICE_RULE_HISTORY_LOCATION_CHANGED, &place,
          arg_str("from", from), arg_str("to", to), earlier_name(pair));
}

static void check_time(const struct pair *pair) {
    if (!ice_metadata_has(pair->e, ICE_META_last_updated_ms) ||
        !ice_metadata_has(pair->l, ICE_META_last_updated_ms))
        return;
    int64_t back =
        ice_time_difference(pair->e->last_updated_ms, pair->l->last_updated_ms);
    struct ice_place place = at(pair, "/last-updated-ms");
    if (back > ICE_CLOCK_SKEW_MS)
        FOUND(pair->h->ck->emit, ICE_RULE_HISTORY_LAST_UPDATED_REGRESSED, &place,
              arg_i64("seconds", back / 1000), earlier_name(pair));
}

/* ---- logs ---- */

static bool is_same_file(const struct pair *pair, const struct ice_metadata_log_entry *a,
                         const struct ice_metadata_log_entry *b) {
    struct ice_run *run = pair->h->ck->run;
    return !a->has_what || !b->has_what || ice_uri_is_same(run, a->file, b->file);
}

/* The later log is the earlier one without some of its head, and the earlier file. */
static void check_metadata_log(const struct pair *pair) {
    const struct ice_metadata *e = pair->e, *l = pair->l;
    if (!ice_str_equal(ice_history_logged(l),
                       ice_history_name(pair->h, pair->earlier->name)))
        return; /* a log that does not name the earlier file was not kept */
    size_t kept = l->n_metadata_log - 1;
    bool is_same = kept <= e->n_metadata_log;
    for (size_t i = 0; is_same && i < kept; i++)
        is_same = is_same_file(pair, &l->metadata_log[i],
                               &e->metadata_log[e->n_metadata_log - kept + i]);
    struct ice_place place = at(pair, "/metadata-log");
    if (!is_same)
        FOUND(pair->h->ck->emit, ICE_RULE_HISTORY_LOG_REWRITTEN, &place,
              earlier_name(pair));
}

/* What the later log says of the time before must stand in the earlier one, in order. */
static void check_snapshot_log(const struct pair *pair) {
    const struct ice_metadata *e = pair->e, *l = pair->l;
    size_t at_e = 0;
    if (e->n_snapshot_log == 0)
        return;
    int64_t end = e->snapshot_log[e->n_snapshot_log - 1].timestamp_ms;
    for (size_t i = 0; i < l->n_snapshot_log; i++) {
        const struct ice_log_entry *entry = &l->snapshot_log[i];
        if (!entry->has_what || !entry->has_timestamp || entry->timestamp_ms >= end)
            break;
        while (at_e < e->n_snapshot_log &&
               (e->snapshot_log[at_e].snapshot_id != entry->snapshot_id ||
                e->snapshot_log[at_e].timestamp_ms != entry->timestamp_ms))
            at_e++;
        if (at_e < e->n_snapshot_log)
            continue;
        struct ice_place place = ice_history_place(
            pair->later, ice_history_pointer(pair->h, "snapshot-log", i, ""));
        FOUND(pair->h->ck->emit, ICE_RULE_HISTORY_SNAPSHOT_LOG_REWRITTEN, &place,
              arg_id("id", entry->snapshot_id), earlier_name(pair));
        return;
    }
}

/* ---- how main moved ---- */

static const struct ice_snapshot *find(const struct ice_metadata *earlier,
                                       const struct ice_metadata *later, int64_t id) {
    size_t index = ice_metadata_find_snapshot(later, id);
    if (index != SIZE_MAX)
        return &later->snapshots[index];
    index = ice_metadata_find_snapshot(earlier, id);
    return index != SIZE_MAX ? &earlier->snapshots[index] : NULL;
}

enum kinship { IS_ANCESTOR, IS_NONE, IS_UNKNOWN };

/* Is the snapshot `id` among the ancestors of `of`, or `of` itself? UNKNOWN: the chain of
 * parents breaks before it is found. */
static enum kinship ancestor_of(const struct ice_metadata *earlier,
                                const struct ice_metadata *later, int64_t id,
                                int64_t of) {
    size_t most = earlier->n_snapshots + later->n_snapshots;
    for (size_t steps = 0; steps <= most; steps++) {
        if (of == id)
            return IS_ANCESTOR;
        const struct ice_snapshot *s = find(earlier, later, of);
        if (s == NULL)
            return IS_UNKNOWN;
        if (!ice_snapshot_has_parent(s))
            return IS_NONE;
        of = s->parent_snapshot_id;
    }
    return IS_UNKNOWN; /* a loop: snapshot.parent.cycle says so */
}

/* It is no ancestor and no descendant of what was current. */
static enum ice_history_move kind_of_leap(const struct ice_metadata *earlier,
                                          const struct ice_metadata *later, int64_t from,
                                          int64_t to) {
    const struct ice_snapshot *s = find(earlier, later, to);
    if (s != NULL && !ice_snapshot_has(s, ICE_SNAP_parent_snapshot_id))
        return ICE_MOVE_ANEW;
    return ice_metadata_find_snapshot(later, from) == SIZE_MAX ? ICE_MOVE_LOST
                                                               : ICE_MOVE_JUMP;
}

enum ice_history_move ice_history_move(const struct ice_metadata *earlier,
                                       const struct ice_metadata *later) {
    int64_t from = earlier->current_snapshot_id, to = later->current_snapshot_id;
    if (!ice_metadata_has_current(earlier))
        return ICE_MOVE_ON;
    if (!ice_metadata_has_current(later))
        return ICE_MOVE_CLEARED;
    if (from == to || ice_metadata_find_snapshot(later, to) == SIZE_MAX)
        return ICE_MOVE_ON; /* metadata.current-snapshot-id.dangling has said it */
    enum kinship forward = ancestor_of(earlier, later, from, to);
    enum kinship back = ancestor_of(earlier, later, to, from);
    if (back == IS_ANCESTOR)
        return ICE_MOVE_BACK;
    return forward == IS_NONE && back == IS_NONE ? kind_of_leap(earlier, later, from, to)
                                                 : ICE_MOVE_ON;
}

/* Only between neighbours: over a gap, two moves may look like a third. */
static void check_main(const struct pair *pair) {
    int64_t from = pair->e->current_snapshot_id, to = pair->l->current_snapshot_id;
    struct ice_emit *emit = pair->h->ck->emit;
    struct ice_place place = at(pair, "/current-snapshot-id");
    switch (ice_history_move(pair->e, pair->l)) {
    case ICE_MOVE_ON:
        return;
    case ICE_MOVE_BACK:
        FOUND(emit, ICE_RULE_HISTORY_ROLLBACK, &place, arg_id("from", from),
              arg_id("to", to), earlier_name(pair));
        return;
    case ICE_MOVE_CLEARED:
        FOUND(emit, ICE_RULE_HISTORY_REPLACE_TABLE, &place, arg_id("from", from),
              arg_text("now", "has no snapshot"), earlier_name(pair));
        return;
    case ICE_MOVE_ANEW:
        FOUND(emit, ICE_RULE_HISTORY_REPLACE_TABLE, &place, arg_id("from", from),
              arg_id("to", to), arg_text("now", "began anew"), earlier_name(pair));
        return;
    case ICE_MOVE_LOST:
        FOUND(emit, ICE_RULE_HISTORY_COMMIT_LOST, &place, arg_id("from", from),
              arg_id("to", to), earlier_name(pair));
        return;
    case ICE_MOVE_JUMP:
        FOUND(emit, ICE_RULE_HISTORY_JUMP, &place, arg_id("from", from), arg_id("to", to),
              earlier_name(pair));
        return;
    }
}

/* ---- what went away ---- */

static void check_expired(const struct pair *pair) {
    int64_t first = 0, count = 0;
    for (size_t i = 0; i < pair->e->n_snapshots; i++) {
        int64_t id = pair->e->snapshots[i].snapshot_id;
        if (ice_metadata_find_snapshot(pair->l, id) != SIZE_MAX)
            continue;
        first = count++ == 0 ? id : first;
    }
    struct ice_place place = at(pair, "/snapshots");
    if (count > 0)
        FOUND(pair->h->ck->emit, ICE_RULE_HISTORY_EXPIRED, &place,
              arg_i64("count", count), arg_id("first", first), earlier_name(pair));
}

enum { MOST_REFS = 1000 }; /* compared each with each */

static void check_refs(const struct pair *pair) {
    struct ice_place place = at(pair, "/refs");
    if (pair->e->n_refs > MOST_REFS || pair->l->n_refs > MOST_REFS)
        return;
    for (size_t i = 0; i < pair->e->n_refs; i++) {
        const struct ice_ref *before = &pair->e->refs[i];
        const struct ice_ref *after = ice_metadata_find_ref(pair->l, before->name);
        if (ice_str_is(before->name, "main") || !before->has_snapshot_id ||
            (after != NULL &&
             (!after->has_snapshot_id || after->snapshot_id == before->snapshot_id ||
              ancestor_of(pair->e, pair->l, after->snapshot_id, before->snapshot_id) !=
                  IS_ANCESTOR)))
            continue;
        FOUND(pair->h->ck->emit, ICE_RULE_HISTORY_REF_DROPPED, &place,
              arg_str("ref", before->name), arg_id("id", before->snapshot_id),
              arg_text("what", after == NULL ? "is gone" : "was set back"),
              earlier_name(pair));
    }
}

void ice_history_pair(struct ice_history *h, const struct ice_history_file *earlier,
                      const struct ice_history_file *later, bool is_adjacent) {
    struct pair pair = {.h = h,
                        .earlier = earlier,
                        .later = later,
                        .e = earlier->metadata,
                        .l = later->metadata};
    check_version(&pair);
    check_counters(&pair);
    check_location(&pair);
    check_time(&pair);
    check_expired(&pair);
    check_refs(&pair);
    check_snapshot_log(&pair);
    if (is_adjacent) {
        check_metadata_log(&pair);
        check_main(&pair);
    }
}
