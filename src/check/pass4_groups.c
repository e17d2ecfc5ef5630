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

static enum ice_status ask(struct ice_facts *facts, const struct ice_snapshot_sets *sets,
                           struct ice_suspects *suspects) {
    ICE_TRY(ice_total_rules(sets));
    ICE_TRY(ice_lineage_records_check(sets));
    if (facts->dropped)
        return ICE_OK;
    ICE_TRY(ice_facts_finish(facts));
    ICE_TRY(ice_groups_check(facts, sets, suspects));
    ICE_TRY(ice_partition_counts_check(facts, sets));
    ICE_TRY(ice_row_ranges_check(facts, sets, suspects));
    return ice_delete_sets_check(facts, sets, suspects);
}

static enum ice_status check_facts(struct ice_check *ck, struct ice_error *err) {
    struct ice_snapshot_sets sets = {0};
    struct ice_suspects suspects = {.ck = ck};
    enum ice_status status = ice_snapshot_sets_open(&sets, ck);
    if (status == ICE_OK)
        status = ask(ck->facts, &sets, &suspects);
    if (status < 0)
        status = ice_error_memory(err);
    else
        status = ice_suspects_report(&suspects, err);
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
