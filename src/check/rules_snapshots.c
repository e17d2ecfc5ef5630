/*
 * snapshot.*: each snapshot by itself, and against its parent. Questions over all
 * snapshots (equal numbers, shared lists, order of time): rules_snapshot_sets.c.
 *
 * Keeps 5 bytes a snapshot while it runs.
 */
#include "check/rules_snapshots.h"

#include "base/error.h"

static const struct ice_place *at(struct ice_snapshot_rules *r, size_t index,
                                  const char *member) {
    return ice_at_element(r->p, "/snapshots", index, member);
}

static bool has(const struct ice_snapshot *s, enum ice_snapshot_bit bit) {
    return ice_snapshot_has(s, bit);
}

static bool has_positive_sequence(const struct ice_snapshot *s) {
    return has(s, ICE_SNAP_sequence_number) && s->sequence_number > 0;
}

static bool is_numbered(const struct ice_snapshot_rules *r,
                        const struct ice_snapshot *s) {
    return r->p->version >= 2 && has_positive_sequence(s);
}

/* ---- parents ---- */

static void find_parents(struct ice_snapshot_rules *r) {
    const struct ice_metadata *m = r->p->m;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        r->parents[i] = ICE_NO_SNAPSHOT;
        if (!ice_snapshot_has_parent(s))
            continue;
        if (has(s, ICE_SNAP_snapshot_id) && s->snapshot_id == s->parent_snapshot_id)
            continue;
        size_t parent = ice_metadata_find_snapshot(m, s->parent_snapshot_id);
        if (parent != SIZE_MAX)
            r->parents[i] = (uint32_t)parent;
    }
}

enum { WALKED = 1, ON_PATH = 2, IN_CYCLE = ICE_SNAPSHOT_IN_CYCLE, REACHABLE = 8 };

/* The parents from `start` on lead back to it: named once, at the first snapshot of them.
 */
static void report_cycle(struct ice_snapshot_rules *r, uint32_t start) {
    uint32_t first = start, i = start;
    do {
        r->state[i] |= IN_CYCLE;
        first = i < first ? i : first;
        i = r->parents[i];
    } while (i != start);
    FOUND(r->p->emit, ICE_RULE_SNAPSHOT_PARENT_CYCLE, at(r, first, "/parent-snapshot-id"),
          arg_id("id", r->p->m->snapshots[first].snapshot_id));
}

static void find_cycles(struct ice_snapshot_rules *r) {
    for (size_t start = 0; start < r->p->m->n_snapshots; start++) {
        uint32_t i = (uint32_t)start;
        while (i != ICE_NO_SNAPSHOT && r->state[i] == 0) {
            r->state[i] |= ON_PATH;
            i = r->parents[i];
        }
        if (i != ICE_NO_SNAPSHOT && (r->state[i] & ON_PATH))
            report_cycle(r, i);
        for (i = (uint32_t)start; i != ICE_NO_SNAPSHOT && (r->state[i] & ON_PATH);
             i = r->parents[i])
            r->state[i] = (uint8_t)((r->state[i] & ~ON_PATH) | WALKED);
    }
}

static void reach(struct ice_snapshot_rules *r, int64_t snapshot_id) {
    size_t found = ice_metadata_find_snapshot(r->p->m, snapshot_id);
    uint32_t i = found == SIZE_MAX ? ICE_NO_SNAPSHOT : (uint32_t)found;
    while (i != ICE_NO_SNAPSHOT && !(r->state[i] & REACHABLE)) {
        r->state[i] |= REACHABLE;
        i = r->parents[i];
    }
}

static void find_reachable(struct ice_snapshot_rules *r) {
    const struct ice_metadata *m = r->p->m;
    if (ice_metadata_names_current(m))
        reach(r, m->current_snapshot_id);
    for (size_t i = 0; i < m->n_refs; i++) {
        if (m->refs[i].has_snapshot_id)
            reach(r, m->refs[i].snapshot_id);
    }
}

/* ---- one snapshot ---- */

static void check_id(struct ice_snapshot_rules *r, size_t i,
                     const struct ice_snapshot *s) {
    if (ice_snapshot_lacks(s, ICE_SNAP_snapshot_id))
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_ID_MISSING, at(r, i, ""), ARG_NONE);
    if (!has(s, ICE_SNAP_snapshot_id))
        return;
    size_t first = ice_metadata_find_snapshot(r->p->m, s->snapshot_id);
    if (first != i)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_ID_DUPLICATE, at(r, i, "/snapshot-id"),
              arg_id("id", s->snapshot_id), arg_i64("first", (int64_t)first));
    if (s->snapshot_id <= 0)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_ID_NOT_POSITIVE, at(r, i, "/snapshot-id"),
              arg_id("id", s->snapshot_id));
}

static void check_time(struct ice_snapshot_rules *r, size_t i,
                       const struct ice_snapshot *s) {
    if (ice_snapshot_lacks(s, ICE_SNAP_timestamp_ms))
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_TIMESTAMP_MISSING, at(r, i, ""),
              arg_id("id", s->snapshot_id));
    if (!has(s, ICE_SNAP_timestamp_ms))
        return;
    const char *oddity = ice_time_oddity(s->timestamp_ms, r->p->ck->now_ms);
    if (oddity != NULL)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_TIMESTAMP_IMPLAUSIBLE,
              at(r, i, "/timestamp-ms"), arg_id("value", s->timestamp_ms),
              arg_text("what", oddity));
}

/* By number where both have one, since clocks of writers differ; else by time. */
static bool comes_later(const struct ice_snapshot_rules *r,
                        const struct ice_snapshot *s) {
    if (is_numbered(r, s) && s->sequence_number > r->lowest_number)
        return true;
    return has(s, ICE_SNAP_timestamp_ms) && r->oldest_ms != INT64_MAX &&
           ice_time_difference(s->timestamp_ms, r->oldest_ms) > ICE_CLOCK_SKEW_MS;
}

static void check_parent(struct ice_snapshot_rules *r, size_t i,
                         const struct ice_snapshot *s) {
    struct ice_emit *emit = r->p->emit;
    const char *member = "/parent-snapshot-id";
    if (ice_snapshot_lacks(s, ICE_SNAP_parent_snapshot_id)) {
        if (comes_later(r, s))
            FOUND(emit, ICE_RULE_SNAPSHOT_PARENT_NONE_NOT_FIRST, at(r, i, ""),
                  arg_id("id", s->snapshot_id));
        return;
    }
    if (!has(s, ICE_SNAP_parent_snapshot_id))
        return;
    struct ice_arg id = arg_id("id", s->snapshot_id);
    struct ice_arg parent = arg_id("parent", s->parent_snapshot_id);
    if (s->parent_snapshot_id <= 0)
        FOUND(emit, ICE_RULE_SNAPSHOT_PARENT_NOT_POSITIVE, at(r, i, member), id, parent);
    else if (has(s, ICE_SNAP_snapshot_id) && s->parent_snapshot_id == s->snapshot_id)
        FOUND(emit, ICE_RULE_SNAPSHOT_PARENT_SELF, at(r, i, member), id);
    else if (r->parents[i] == ICE_NO_SNAPSHOT && r->p->m->snapshot_ids_known)
        FOUND(emit, ICE_RULE_SNAPSHOT_PARENT_MISSING, at(r, i, member), id, parent);
}

/* Time and number against the parent's. A cycle has no order to keep. */
static void check_against_parent(struct ice_snapshot_rules *r, size_t i,
                                 const struct ice_snapshot *s) {
    if (r->parents[i] == ICE_NO_SNAPSHOT || (r->state[i] & IN_CYCLE))
        return;
    const struct ice_snapshot *parent = &r->p->m->snapshots[r->parents[i]];
    struct ice_arg id = arg_id("id", s->snapshot_id);
    struct ice_arg parent_id = arg_id("parent", parent->snapshot_id);
    int64_t late = ice_time_difference(parent->timestamp_ms, s->timestamp_ms);
    if (has(s, ICE_SNAP_timestamp_ms) && has(parent, ICE_SNAP_timestamp_ms) &&
        late > ICE_CLOCK_SKEW_MS)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_TIMESTAMP_BEFORE_PARENT,
              at(r, i, "/timestamp-ms"), id, parent_id, arg_i64("seconds", late / 1000));
    if (r->p->version == 1 || !has(s, ICE_SNAP_sequence_number) || s->sequence_number < 0)
        return;
    /* an absent number of the parent is 0: v1 leftovers */
    int64_t before = has(parent, ICE_SNAP_sequence_number) ? parent->sequence_number : 0;
    bool both_zero = s->sequence_number == 0 && before == 0;
    if (s->sequence_number <= before && !both_zero)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_SEQUENCE_NUMBER_NOT_ABOVE_PARENT,
              at(r, i, "/sequence-number"), id, arg_i64("number", s->sequence_number),
              parent_id, arg_i64("parent_number", before));
}

static void check_sequence(struct ice_snapshot_rules *r, size_t i,
                           const struct ice_snapshot *s) {
    if (!has(s, ICE_SNAP_sequence_number))
        return;
    struct ice_arg id = arg_id("id", s->snapshot_id);
    struct ice_arg number = arg_i64("number", s->sequence_number);
    if (r->p->version == 1 && s->sequence_number > 0)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_SEQUENCE_NUMBER_IN_V1,
              at(r, i, "/sequence-number"), id, number);
    if (r->p->version >= 2 && s->sequence_number < 0)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_SEQUENCE_NUMBER_NEGATIVE,
              at(r, i, "/sequence-number"), id, number);
}

static void check_files(struct ice_snapshot_rules *r, size_t i,
                        const struct ice_snapshot *s, struct ice_str list) {
    struct ice_emit *emit = r->p->emit;
    struct ice_arg id = arg_id("id", s->snapshot_id);
    bool has_list = list.size > 0;
    bool list_is_bad = (s->bad >> ICE_SNAP_manifest_list) & 1;
    bool has_manifests = has(s, ICE_SNAP_manifests);
    bool manifests_are_bad = (s->bad >> ICE_SNAP_manifests) & 1;
    bool has_number = has_positive_sequence(s);
    if (!has_list && !list_is_bad && !manifests_are_bad && (!has_manifests || has_number))
        FOUND(emit, ICE_RULE_SNAPSHOT_MANIFEST_LIST_MISSING,
              at(r, i, has(s, ICE_SNAP_manifest_list) ? "/manifest-list" : ""), id);
    if (!has_manifests)
        return;
    if (r->p->version == 1 && has(s, ICE_SNAP_manifest_list))
        FOUND(emit, ICE_RULE_SNAPSHOT_MANIFEST_LIST_AND_MANIFESTS, at(r, i, "/manifests"),
              id);
    if (r->p->version >= 2)
        FOUND_AS(emit, ICE_RULE_SNAPSHOT_MANIFESTS_IN_V2,
                 has(s, ICE_SNAP_manifest_list) || has_number ? ICE_WARN : ICE_INFO,
                 at(r, i, "/manifests"), id);
}

static void check_summary(struct ice_snapshot_rules *r, size_t i,
                          const struct ice_snapshot *s) {
    struct ice_emit *emit = r->p->emit;
    struct ice_arg id = arg_id("id", s->snapshot_id);
    /* snapshots of version 1 times need neither */
    bool needs_one = r->p->version >= 2 && has_positive_sequence(s);
    if (ice_snapshot_lacks(s, ICE_SNAP_summary) && needs_one)
        FOUND(emit, ICE_RULE_SNAPSHOT_SUMMARY_MISSING, at(r, i, ""), id);
    if (!has(s, ICE_SNAP_summary))
        return;
    if (s->operation == ICE_OPERATION_ABSENT &&
        !(s->flags & ICE_SNAPSHOT_OPERATION_BAD) && needs_one)
        FOUND(emit, ICE_RULE_SNAPSHOT_SUMMARY_OPERATION_MISSING, at(r, i, "/summary"),
              id);
    if (s->operation == ICE_OPERATION_OTHER)
        FOUND(emit, ICE_RULE_SNAPSHOT_SUMMARY_OPERATION_UNKNOWN,
              at(r, i, "/summary/operation"), id,
              arg_str("operation", ice_snapshot_operation(r->p->m, s)));
}

static void check_schema_id(struct ice_snapshot_rules *r, size_t i,
                            const struct ice_snapshot *s) {
    const struct ice_metadata *m = r->p->m;
    struct ice_arg id = arg_id("id", s->snapshot_id);
    if (ice_snapshot_lacks(s, ICE_SNAP_schema_id) && r->p->version >= 2)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_SCHEMA_ID_MISSING, at(r, i, ""), id);
    /* without the list there is nothing to look it up in: metadata.schemas.* speak */
    if (has(s, ICE_SNAP_schema_id) && m->n_schemas > 0 &&
        ice_metadata_lacks_schema(m, s->schema_id))
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_SCHEMA_ID_DANGLING, at(r, i, "/schema-id"),
              id, arg_i64("schema", s->schema_id));
}

static void check_reach(struct ice_snapshot_rules *r, size_t i,
                        const struct ice_snapshot *s) {
    if ((r->state[i] & REACHABLE) || !r->p->m->snapshot_ids_known)
        return;
    /* of an id that stands twice the other one is the one that refs name */
    if (has(s, ICE_SNAP_snapshot_id) &&
        ice_metadata_find_snapshot(r->p->m, s->snapshot_id) != i)
        return;
    FOUND(r->p->emit, ICE_RULE_SNAPSHOT_UNREACHABLE, at(r, i, ""),
          arg_id("id", s->snapshot_id));
    if (s->flags & ICE_SNAPSHOT_WAP_ID)
        FOUND(r->p->emit, ICE_RULE_SNAPSHOT_STAGED_WAP, at(r, i, "/summary/wap.id"),
              arg_id("id", s->snapshot_id));
}

/* ---- a missing number although an ancestor has one ---- */

/*
 * nearest[i]: the nearest ancestor of i that has a positive number, itself included, else
 * ICE_NO_SNAPSHOT. Each snapshot is walked twice at most: to what is known, then once
 * more to write it down.
 */
static uint32_t nearest_numbered(struct ice_snapshot_rules *r, uint32_t *nearest,
                                 uint32_t start) {
    const uint32_t unknown = ICE_NO_SNAPSHOT - 1, walking = ICE_NO_SNAPSHOT - 2;
    uint32_t i = start, found = ICE_NO_SNAPSHOT;
    while (i != ICE_NO_SNAPSHOT && nearest[i] == unknown) {
        if (has_positive_sequence(&r->p->m->snapshots[i])) {
            nearest[i] = i;
            break;
        }
        nearest[i] = walking;
        i = r->parents[i];
    }
    if (i != ICE_NO_SNAPSHOT && nearest[i] != walking)
        found = nearest[i];
    for (i = start; i != ICE_NO_SNAPSHOT && nearest[i] == walking; i = r->parents[i])
        nearest[i] = found;
    return found;
}

/* Is any number missing where there must be one? Mostly not, and then nothing is built.
 */
static bool lacks_numbers(const struct ice_metadata *m, int version) {
    for (size_t i = 0; version >= 2 && i < m->n_snapshots; i++) {
        if (ice_snapshot_lacks(&m->snapshots[i], ICE_SNAP_sequence_number))
            return true;
    }
    return false;
}

static void report_missing_sequence(struct ice_snapshot_rules *r, size_t i,
                                    const char *what, int64_t number) {
    FOUND(r->p->emit, ICE_RULE_SNAPSHOT_SEQUENCE_NUMBER_MISSING, at(r, i, ""),
          arg_id("id", r->p->m->snapshots[i].snapshot_id), arg_text("what", what),
          arg_i64("number", number));
}

/*
 * listed: NULL in pass 1: the ancestors decide. After pass 2, by metadata index: the
 * largest sequence_number in the snapshot's list; only where no ancestor has decided it
 * already.
 */
static enum ice_status check_missing_sequence(struct ice_snapshot_rules *r,
                                              const int64_t *listed,
                                              struct ice_error *err) {
    const struct ice_metadata *m = r->p->m;
    if (!lacks_numbers(m, r->p->version))
        return ICE_OK;
    struct ice_alloc *alloc = &r->p->ck->run->alloc;
    uint32_t *nearest = ice_calloc(alloc, m->n_snapshots, sizeof(*nearest));
    if (nearest == NULL)
        return ice_error_memory(err);
    for (size_t i = 0; i < m->n_snapshots; i++)
        nearest[i] = ICE_NO_SNAPSHOT - 1;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        if (!ice_snapshot_lacks(&m->snapshots[i], ICE_SNAP_sequence_number))
            continue;
        uint32_t found = nearest_numbered(r, nearest, (uint32_t)i);
        if (found != ICE_NO_SNAPSHOT && listed == NULL)
            report_missing_sequence(r, i, "an ancestor",
                                    m->snapshots[found].sequence_number);
        if (found == ICE_NO_SNAPSHOT && listed != NULL && listed[i] > 0)
            report_missing_sequence(r, i, "a manifest of its list", listed[i]);
    }
    ice_free(alloc, nearest, m->n_snapshots * sizeof(*nearest));
    return ICE_OK;
}

/* By metadata index: the largest sequence_number (515) among the manifests of its list.
 */
static void find_listed_numbers(const struct ice_check *ck, int64_t *listed) {
    for (size_t i = 0; i < ck->n_manifests; i++) {
        const struct ice_manifest_facts *facts = &ck->manifests[i];
        int64_t number = 0;
        for (const struct ice_list_record *record = facts->records; record != NULL;
             record = record->next) {
            if ((record->present & ICE_BIT(ICE_LIST_sequence_number)) &&
                record->row.sequence_number > number)
                number = record->row.sequence_number;
        }
        for (uint32_t run = 0; number > 0 && run < facts->n_runs; run++) {
            for (uint32_t k = facts->runs[run].first; k <= facts->runs[run].last; k++) {
                int64_t *slot = &listed[ck->snapshots[k].index];
                *slot = number > *slot ? number : *slot;
            }
        }
    }
}

enum ice_status ice_rules_listed_sequence(struct ice_check *ck, struct ice_error *err) {
    const size_t n = ck->metadata.n_snapshots;
    if (!ck->metadata_readable || !lacks_numbers(&ck->metadata, ck->version))
        return ICE_OK;
    struct ice_alloc *alloc = &ck->run->alloc;
    struct ice_pass1 p = {
        .ck = ck, .emit = ck->emit, .m = &ck->metadata, .version = ck->version};
    struct ice_snapshot_rules r = {.p = &p};
    ice_buf_init(&p.pointer, alloc, SIZE_MAX);
    int64_t *listed = ice_calloc(alloc, n, sizeof(*listed));
    r.parents = ice_calloc(alloc, n, sizeof(*r.parents));
    enum ice_status status = ICE_OK;
    if (listed == NULL || r.parents == NULL) {
        status = ice_error_memory(err);
    } else {
        find_parents(&r);
        find_listed_numbers(ck, listed);
        status = check_missing_sequence(&r, listed, err);
    }
    ice_free(alloc, listed, listed != NULL ? n * sizeof(*listed) : 0);
    ice_free(alloc, r.parents, r.parents != NULL ? n * sizeof(*r.parents) : 0);
    ice_buf_release(&p.pointer);
    return status;
}

/* ---- all ---- */

static enum ice_status check_each(struct ice_snapshot_rules *r, struct ice_error *err) {
    const struct ice_metadata *m = r->p->m;
    struct ice_buf scratch;
    enum ice_status status = ICE_OK;
    ice_buf_init(&scratch, &r->p->ck->run->alloc, SIZE_MAX);
    for (size_t i = 0; i < m->n_snapshots && status >= 0; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        struct ice_str list;
        status = ice_snapshot_manifest_list(m, s, &scratch, &list);
        if (status < 0)
            break;
        check_id(r, i, s);
        check_time(r, i, s);
        check_parent(r, i, s);
        check_against_parent(r, i, s);
        check_sequence(r, i, s);
        check_files(r, i, s, list);
        check_summary(r, i, s);
        check_schema_id(r, i, s);
        check_reach(r, i, s);
        if ((i & 4095) == 0 && ice_check_cancelled(r->p->ck))
            status = ICE_ECANCELLED;
    }
    ice_buf_release(&scratch);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

static void find_first(struct ice_snapshot_rules *r) {
    const struct ice_metadata *m = r->p->m;
    r->oldest_ms = r->lowest_number = INT64_MAX;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        const struct ice_snapshot *s = &m->snapshots[i];
        if (is_numbered(r, s) && s->sequence_number < r->lowest_number)
            r->lowest_number = s->sequence_number;
        if (!is_numbered(r, s) && has(s, ICE_SNAP_timestamp_ms) &&
            s->timestamp_ms < r->oldest_ms)
            r->oldest_ms = s->timestamp_ms;
    }
}

enum ice_status ice_rules_snapshots(struct ice_pass1 *p, struct ice_error *err) {
    const size_t n = p->m->n_snapshots, many = 1000;
    struct ice_alloc *alloc = &p->ck->run->alloc;
    struct ice_snapshot_rules r = {.p = p};
    enum ice_status status = ICE_OK;
    if (n == 0)
        return ICE_OK;
    if (n > many)
        FOUND(p->emit, ICE_RULE_SNAPSHOT_COUNT_HIGH, ice_at(p, "/snapshots"),
              arg_i64("count", (int64_t)n));
    r.parents = ice_calloc(alloc, n, sizeof(*r.parents));
    r.state = ice_calloc(alloc, n, sizeof(*r.state));
    if (r.parents == NULL || r.state == NULL) {
        status = ice_error_memory(err);
        goto done;
    }
    find_first(&r);
    find_parents(&r);
    find_cycles(&r);
    find_reachable(&r);
    status = check_each(&r, err);
    if (status >= 0)
        status = check_missing_sequence(&r, NULL, err);
    if (status >= 0)
        status = ice_rules_snapshot_sets(&r, err);
    if (status >= 0)
        status = ice_rules_summaries(&r, err);
done:
    if (r.parents != NULL)
        ice_free(alloc, r.parents, n * sizeof(*r.parents));
    if (r.state != NULL)
        ice_free(alloc, r.state, n * sizeof(*r.state));
    return status;
}
