/*
 * Partitions that a commit changes, counted by distinct pairs of snapshot and partition.
 */
#include "base/error.h"
#include "check/set_rules.h"

struct counts {
    const struct ice_facts *facts;
    const struct ice_snapshot_sets *sets;
    struct ice_table seen;
    uint32_t *by_snapshot;
    uint64_t last;
};

static bool declared(const struct ice_check *ck, uint32_t snapshot, int64_t *out) {
    return ice_snapshot_metric(&ck->metadata, ice_numbered(ck, snapshot),
                               ICE_METRIC_CHANGED_PARTITION_COUNT, out);
}

static enum ice_status count(struct counts *c, const struct ice_fact *fact) {
    uint32_t snapshot = c->facts->origins[fact->origin].snapshot, found;
    size_t at = SIZE_MAX;
    int64_t ignored;
    if (ice_fact_status(fact) == ICE_STATUS_EXISTING || snapshot == ICE_NO_NUMBER ||
        ice_fact_kind(fact) > ICE_FACT_VECTOR || !c->sets->judged[snapshot] ||
        !declared(c->facts->ck, snapshot, &ignored))
        return ICE_OK;
    uint64_t key = ice_hash_mix((uint64_t)snapshot << 32 | fact->partition,
                                c->facts->ck->run->hash_seed);
    if (key == c->last || ice_table_next(&c->seen, key, &at, &found))
        return ICE_OK;
    c->last = key;
    c->by_snapshot[snapshot]++;
    return ice_table_put(&c->seen, key, 1);
}

static void compare(const struct counts *c, uint32_t snapshot) {
    const struct ice_check *ck = c->facts->ck;
    const struct ice_snapshot *s = ice_numbered(ck, snapshot);
    int64_t found, counted = c->by_snapshot[snapshot];
    struct ice_row_place at;
    /* an unpartitioned table has one partition, or none: writers differ */
    if (!c->sets->judged[snapshot] || !declared(ck, snapshot, &found) ||
        found == counted || counted == 0 || (counted == 1 && found == 0))
        return;
    at.place = ice_place_file(ck->metadata_file, ICE_ORDER_METADATA);
    at.place.at.pointer = ice_str_make(at.pointer, 0);
    ice_row_place_step(&at, ICE_STR("snapshots"));
    ice_row_place_index(&at, ck->snapshots[snapshot].index);
    ice_row_place_step(&at, ICE_STR("summary"));
    ice_row_place_step(&at, ICE_STR("changed-partition-count"));
    FOUND(ck->emit, ICE_RULE_SUMMARY_PARTITION_COUNT, &at.place,
          arg_id("id", s->snapshot_id), arg_i64("found", found),
          arg_i64("counted", counted));
}

enum ice_status ice_partition_counts_check(const struct ice_facts *facts,
                                           const struct ice_snapshot_sets *sets) {
    struct ice_check *ck = facts->ck;
    struct counts c = {.facts = facts, .sets = sets};
    enum ice_status status = ICE_OK;
    if (sets->n == 0 || facts->dropped ||
        !ice_emit_is_on(ck->emit, ICE_RULE_SUMMARY_PARTITION_COUNT))
        return ICE_OK;
    ice_table_init(&c.seen, &ck->run->alloc);
    c.by_snapshot = ice_calloc(&ck->run->alloc, sets->n, sizeof(*c.by_snapshot));
    if (!c.by_snapshot)
        status = ICE_ENOMEM;
    for (size_t i = 0; status == ICE_OK && i < facts->n; i++)
        status = count(&c, &facts->items[i]);
    for (uint32_t s = 0; status == ICE_OK && s < sets->n; s++)
        compare(&c, s);
    ice_free(&ck->run->alloc, c.by_snapshot, sets->n * sizeof(*c.by_snapshot));
    ice_table_release(&c.seen);
    return status;
}
