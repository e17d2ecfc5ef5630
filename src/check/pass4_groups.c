/*
 * Pass 4: questions over several files, from facts.
 *
 * reads          nothing but manifests that hold suspects, each once more, for names
 * checks         groups 11, 17, 19, 20, 21 as far as they need several files, and
 *                manifest.entry.sequence-number.changed
 * leaves behind  nothing
 */
#include "base/error.h"
#include "check/groups.h"
#include "check/set_rules.h"
#include "check/snapshot_totals.h"

/* What is asked in one walk over all facts. */
struct questions {
    struct ice_groups groups;
    struct ice_partition_deletes deletes;
};

static bool same_key(const void *a, const void *b) {
    return ice_fact_same_key(a, b);
}

static enum ice_status add_facts(const void *records, size_t n, void *user) {
    struct questions *q = user;
    const struct ice_fact *facts = records;
    ICE_TRY(ice_groups_add(&q->groups, facts, n));
    for (size_t i = 0; i < n; i++)
        ICE_TRY(ice_partition_deletes_add(&q->deletes, &facts[i]));
    return ICE_OK;
}

static enum ice_status ask_all(struct questions *q, struct ice_facts *facts,
                               const struct ice_snapshot_sets *sets,
                               struct ice_suspects *suspects) {
    ICE_TRY(ice_groups_open(&q->groups, facts, sets, suspects));
    ICE_TRY(ice_partition_deletes_open(&q->deletes, facts, sets, suspects));
    ICE_TRY(ice_sorter_read(&facts->items, same_key, add_facts, q));
    ICE_TRY(ice_partition_deletes_check(&q->deletes));
    ICE_TRY(ice_blob_overlaps_check(facts, sets, suspects));
    ICE_TRY(ice_row_ranges_check(facts, sets, suspects));
    /* it reports by itself: last, when all else could be sorted */
    return ice_partition_counts_check(facts, sets);
}

static enum ice_status ask_facts(struct ice_facts *facts,
                                 const struct ice_snapshot_sets *sets,
                                 struct ice_suspects *suspects) {
    struct questions q = {0};
    ICE_TRY(ice_facts_finish(facts));
    enum ice_status status = ask_all(&q, facts, sets, suspects);
    ice_groups_release(&q.groups);
    ice_partition_deletes_release(&q.deletes);
    return status;
}

static enum ice_status ask(struct ice_facts *facts, const struct ice_snapshot_sets *sets,
                           struct ice_suspects *suspects) {
    ICE_TRY(ice_total_rules(sets));
    ICE_TRY(ice_lineage_records_check(sets));
    ICE_TRY(ice_lost_partitions_check(sets->ck));
    ICE_TRY(ice_record_pairs_check(sets->ck));
    if (facts->dropped)
        return ICE_OK;
    ICE_TRY(ice_facts_sorted(facts, ask_facts(facts, sets, suspects)));
    if (facts->dropped) /* half of them is no answer */
        ice_suspects_release(suspects);
    return ICE_OK;
}

/* What was asked is not asked again: names need the memory. */
static void release_asked(struct ice_facts *facts) {
    ice_sorter_release(&facts->ranges);
    ice_sorter_release(&facts->blobs);
    ice_sorter_release(&facts->partitions);
    ice_sorter_release(&facts->commit_partitions);
    if (facts->ck->options->depth != ICE_DEPTH_PUFFIN) /* it asks for rows by path */
        ice_sorter_release(&facts->items);
}

static enum ice_status check_facts(struct ice_check *ck, struct ice_error *err) {
    struct ice_snapshot_sets sets = {0};
    struct ice_suspects suspects;
    ice_suspects_init(&suspects, ck);
    enum ice_status status = ice_snapshot_sets_open(&sets, ck);
    if (status == ICE_OK)
        status = ask(ck->facts, &sets, &suspects);
    if (status < 0) {
        status = ice_error_memory(err);
    } else if (!ck->facts->dropped) {
        release_asked(ck->facts);
        status = ice_facts_sorted(ck->facts, ice_suspects_report(&suspects, err));
    }
    ice_suspects_release(&suspects);
    ice_snapshot_sets_release(&sets);
    return status;
}

enum ice_status ice_pass4_groups(struct ice_check *ck, struct ice_error *err) {
    enum ice_status status = ck->facts ? check_facts(ck, err) : ICE_OK;
    if (status < 0 || ck->options->depth != ICE_DEPTH_PUFFIN)
        ice_facts_free(ck);
    return status;
}
