/*
 * summary.*, as far as metadata.json decides it: running totals against those of the
 * parent, replaced rows, and the snapshots that a summary names (spec: App. F Optional
 * Snapshot Summary Fields). Against manifests: the rules on groups.
 */
#include "check/rules_snapshots.h"
#include "check/snapshot_totals.h"

#include "base/error.h"

/* total = total of the parent + added - removed. Absent added and removed are 0. */
struct chain {
    enum ice_metric total, added, removed;
    const char *pointer; /* of the total in its snapshot */
};
static const struct chain chains[] = {
    {ICE_METRIC_TOTAL_DATA_FILES, ICE_METRIC_ADDED_DATA_FILES,
     ICE_METRIC_DELETED_DATA_FILES, "/summary/total-data-files"},
    {ICE_METRIC_TOTAL_DELETE_FILES, ICE_METRIC_ADDED_DELETE_FILES,
     ICE_METRIC_REMOVED_DELETE_FILES, "/summary/total-delete-files"},
    {ICE_METRIC_TOTAL_RECORDS, ICE_METRIC_ADDED_RECORDS, ICE_METRIC_DELETED_RECORDS,
     "/summary/total-records"},
    {ICE_METRIC_TOTAL_FILES_SIZE, ICE_METRIC_ADDED_FILES_SIZE,
     ICE_METRIC_REMOVED_FILES_SIZE, "/summary/total-files-size"},
    {ICE_METRIC_TOTAL_POSITION_DELETES, ICE_METRIC_ADDED_POSITION_DELETES,
     ICE_METRIC_REMOVED_POSITION_DELETES, "/summary/total-position-deletes"},
    {ICE_METRIC_TOTAL_EQUALITY_DELETES, ICE_METRIC_ADDED_EQUALITY_DELETES,
     ICE_METRIC_REMOVED_EQUALITY_DELETES, "/summary/total-equality-deletes"},
};

struct summary_rules {
    struct ice_snapshot_rules *r;
    struct ice_snapshot_metrics own, parent; /* of the snapshot at hand */
    uint32_t parent_index;    /* whose metrics `parent` are, ICE_NO_SNAPSHOT: nobody's */
    struct ice_table wap_ids; /* hashes of wap.id; filled at the first one published */
    bool has_wap_ids;
    bool has_line; /* the state of snapshots has OF_CURRENT */
};

/* A bit of state, beside those of rules_snapshots.c: the current one or before it. */
enum { OF_CURRENT = 64 };

static const struct ice_place *at(struct summary_rules *s, size_t index,
                                  const char *member) {
    return ice_at_element(s->r->p, "/snapshots", index, member);
}

static bool has(const struct ice_snapshot_metrics *m, enum ice_metric metric) {
    return (m->present >> metric) & 1;
}

/* ---- totals ---- */

/* false: what the total should be is not known. */
static bool expected_total(const struct ice_snapshot_metrics *own,
                           const struct ice_snapshot_metrics *parent,
                           const struct chain *chain, int64_t *out) {
    int64_t before = 0, sum;
    if (parent != NULL && !has(parent, chain->total))
        return false;
    if (parent != NULL)
        before = parent->values[chain->total];
    return !__builtin_add_overflow(before, own->values[chain->added], &sum) &&
           !__builtin_sub_overflow(sum, own->values[chain->removed], out);
}

bool ice_totals_restart(const struct ice_snapshot_metrics *own,
                        const struct ice_snapshot_metrics *parent) {
    bool any = false;
    for (size_t i = 0; i < ICE_COUNT_OF(chains); i++) {
        int64_t alone, expected;
        if (!has(own, chains[i].total))
            continue;
        if (!expected_total(own, NULL, &chains[i], &alone) ||
            own->values[chains[i].total] != alone)
            return false;
        any = any || parent == NULL ||
              (expected_total(own, parent, &chains[i], &expected) && expected != alone);
    }
    return any;
}

/* Of the line that a scan of the table reads? Found at the first question. */
static bool is_of_current(struct summary_rules *s, size_t index) {
    const struct ice_metadata *m = s->r->p->m;
    if (!s->has_line && ice_metadata_has(m, ICE_META_current_snapshot_id)) {
        size_t found = ice_metadata_find_snapshot(m, m->current_snapshot_id);
        uint32_t i = found == SIZE_MAX ? ICE_NO_SNAPSHOT : (uint32_t)found;
        for (; i != ICE_NO_SNAPSHOT && !(s->r->state[i] & OF_CURRENT);
             i = s->r->parents[i])
            s->r->state[i] |= OF_CURRENT;
    }
    s->has_line = true;
    return s->r->state[index] & OF_CURRENT;
}

static void tell_break(struct summary_rules *s, size_t index, const struct chain *chain,
                       int64_t expected) {
    FOUND(s->r->p->emit, ICE_RULE_SUMMARY_CHAIN_BREAK, at(s, index, chain->pointer),
          arg_id("id", s->r->p->m->snapshots[index].snapshot_id),
          arg_text("field", chain->pointer + sizeof("/summary/") - 1),
          arg_i64("value", s->own.values[chain->total]), arg_i64("expected", expected));
}

static void check_chains(struct summary_rules *s, size_t index,
                         const struct ice_snapshot_metrics *parent) {
    const struct ice_snapshot *snapshot = &s->r->p->m->snapshots[index];
    if (ice_totals_restart(&s->own, parent)) {
        FOUND_AS(s->r->p->emit, ICE_RULE_SUMMARY_TOTALS_RESTARTED,
                 is_of_current(s, index) ? ICE_WARN : ICE_INFO, at(s, index, "/summary"),
                 arg_id("id", snapshot->snapshot_id),
                 arg_id("parent", snapshot->parent_snapshot_id));
        return;
    }
    for (size_t i = 0; i < ICE_COUNT_OF(chains); i++) {
        const struct chain *chain = &chains[i];
        int64_t expected;
        if (!has(&s->own, chain->total) ||
            !expected_total(&s->own, parent, chain, &expected) ||
            s->own.values[chain->total] == expected)
            continue;
        tell_break(s, index, chain, expected);
    }
}

/*
 * Without a parent the commits before are not known: PyIceberg takes an expired parent
 * out, and the numbers of version 2 begin with 1 also behind snapshots of version 1. But
 * no total was below 0 before.
 */
static void check_start(struct summary_rules *s, size_t index) {
    for (size_t i = 0; i < ICE_COUNT_OF(chains); i++) {
        int64_t least;
        if (has(&s->own, chains[i].total) &&
            expected_total(&s->own, NULL, &chains[i], &least) &&
            s->own.values[chains[i].total] < least)
            tell_break(s, index, &chains[i], least);
    }
}

static void check_totals(struct summary_rules *s, size_t index) {
    const struct ice_metadata *m = s->r->p->m;
    const struct ice_snapshot *snapshot = &m->snapshots[index];
    uint64_t totals = 0;
    for (size_t i = 0; i < ICE_COUNT_OF(chains); i++)
        totals |= ICE_BIT(chains[i].total);
    bool is_bad = ice_snapshot_has_bad_metrics(snapshot);
    if (!(s->own.present & totals) && !is_bad)
        FOUND(s->r->p->emit, ICE_RULE_SUMMARY_TOTAL_MISSING, at(s, index, "/summary"),
              arg_id("id", snapshot->snapshot_id));
    bool is_copy = ice_snapshot_has(snapshot, ICE_SNAP_snapshot_id) &&
                   ice_metadata_find_snapshot(m, snapshot->snapshot_id) != index;
    /* a number that is bad is none to reckon with, nor is there an order in a cycle */
    if (is_bad || is_copy || (s->r->state[index] & ICE_SNAPSHOT_IN_CYCLE))
        return;
    uint32_t parent = s->r->parents[index];
    if (ice_snapshot_lacks(snapshot, ICE_SNAP_parent_snapshot_id)) {
        check_start(s, index);
        return;
    }
    if (parent == ICE_NO_SNAPSHOT || ice_snapshot_has_bad_metrics(&m->snapshots[parent]))
        return;
    if (parent != s->parent_index)
        ice_snapshot_metrics(m, &m->snapshots[parent], &s->parent);
    s->parent_index = parent;
    check_chains(s, index, &s->parent);
}

/* ---- replace ---- */

static void check_replace(struct summary_rules *s, size_t index) {
    const struct ice_snapshot *snapshot = &s->r->p->m->snapshots[index];
    int64_t added = s->own.values[ICE_METRIC_ADDED_RECORDS];
    int64_t deleted = s->own.values[ICE_METRIC_DELETED_RECORDS];
    if (snapshot->operation != ICE_OPERATION_REPLACE || added <= deleted ||
        (snapshot->flags & ICE_SNAPSHOT_METRIC_BAD))
        return;
    FOUND(s->r->p->emit, ICE_RULE_SUMMARY_OPERATION_REPLACE_GROWS,
          at(s, index, "/summary/added-records"), arg_id("id", snapshot->snapshot_id),
          arg_i64("added", added), arg_i64("deleted", deleted));
}

/* ---- what a summary names ---- */

static uint64_t wap_key(const struct summary_rules *s, int64_t hash) {
    return ice_hash_mix((uint64_t)hash, s->r->p->ck->run->hash_seed);
}

static enum ice_status find_wap_ids(struct summary_rules *s) {
    const struct ice_metadata *m = s->r->p->m;
    if (s->has_wap_ids)
        return ICE_OK;
    s->has_wap_ids = true;
    for (size_t i = 0; i < m->n_snapshots; i++) {
        int64_t hash;
        if ((m->snapshots[i].flags & ICE_SNAPSHOT_WAP_ID) &&
            ice_snapshot_metric(m, &m->snapshots[i], ICE_METRIC_WAP_ID, &hash))
            ICE_TRY(ice_table_put(&s->wap_ids, wap_key(s, hash), (uint32_t)i));
    }
    return ICE_OK;
}

static enum ice_status check_sources(struct summary_rules *s, size_t index) {
    const struct ice_metadata *m = s->r->p->m;
    struct ice_arg id = arg_id("id", m->snapshots[index].snapshot_id);
    if (has(&s->own, ICE_METRIC_SOURCE_SNAPSHOT_ID) &&
        ice_metadata_find_snapshot(m, s->own.values[ICE_METRIC_SOURCE_SNAPSHOT_ID]) ==
            SIZE_MAX)
        FOUND(s->r->p->emit, ICE_RULE_SUMMARY_SOURCE_SNAPSHOT,
              at(s, index, "/summary/source-snapshot-id"), id,
              arg_text("field", "source-snapshot-id"));
    if (!has(&s->own, ICE_METRIC_PUBLISHED_WAP_ID))
        return ICE_OK;
    ICE_TRY(find_wap_ids(s));
    uint64_t key = wap_key(s, s->own.values[ICE_METRIC_PUBLISHED_WAP_ID]);
    size_t slot = SIZE_MAX;
    uint32_t found;
    if (!ice_table_next(&s->wap_ids, key, &slot, &found))
        FOUND(s->r->p->emit, ICE_RULE_SUMMARY_SOURCE_SNAPSHOT,
              at(s, index, "/summary/published-wap-id"), id,
              arg_text("field", "published-wap-id"));
    return ICE_OK;
}

enum ice_status ice_rules_summaries(struct ice_snapshot_rules *r, struct ice_error *err) {
    struct summary_rules s = {.r = r, .parent_index = ICE_NO_SNAPSHOT};
    enum ice_status status = ICE_OK;
    ice_table_init(&s.wap_ids, &r->p->ck->run->alloc);
    for (size_t i = 0; i < r->p->m->n_snapshots && status >= 0; i++) {
        const struct ice_snapshot *snapshot = &r->p->m->snapshots[i];
        if (!ice_snapshot_has(snapshot, ICE_SNAP_summary))
            continue;
        ice_snapshot_metrics(r->p->m, snapshot, &s.own);
        check_totals(&s, i);
        check_replace(&s, i);
        status = check_sources(&s, i);
        /* mostly the parent of the next one */
        s.parent = s.own;
        s.parent_index = (uint32_t)i;
    }
    ice_table_release(&s.wap_ids);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}
