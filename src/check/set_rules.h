/*
 * Questions of pass 4 that are not about one path: partitions, row ids, blobs. Each takes
 * finished facts; suspects are named later.
 */
#ifndef ICE_CHECK_SET_RULES_H
#define ICE_CHECK_SET_RULES_H

#include "check/suspects.h"

/* partition_counts.c: summary.partition-count. */
enum ice_status
ice_partition_counts_check(const struct ice_facts *facts,
                           const struct ice_snapshot_sets *sets) ICE_MUST_USE;
/* row_ranges.c: lineage.file.range-*, and next-row-id against ids that were assigned. */
enum ice_status ice_row_ranges_check(struct ice_facts *facts,
                                     const struct ice_snapshot_sets *sets,
                                     struct ice_suspects *suspects) ICE_MUST_USE;
/* lineage_records.c: first_row_id of manifests in the lists. */
enum ice_status
ice_lineage_records_check(const struct ice_snapshot_sets *sets) ICE_MUST_USE;
/* delete_sets.c: blobs in one Puffin file; deletes of whole partitions at heads of refs.
 */
enum ice_status ice_delete_sets_check(struct ice_facts *facts,
                                      const struct ice_snapshot_sets *sets,
                                      struct ice_suspects *suspects) ICE_MUST_USE;

/* Raise what is kept of a rule at a pointer of metadata.json to error; false: nothing is.
 */
bool ice_raise_kept(struct ice_emit *emit, enum ice_rule_id rule, struct ice_str pointer);

#endif
