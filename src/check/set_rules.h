/*
 * Questions of pass 4 that are not about one path: partitions, row ids, blobs. Each takes
 * finished facts; suspects are named later. Those with _add see every fact once, while
 * the groups are walked.
 */
#ifndef ICE_CHECK_SET_RULES_H
#define ICE_CHECK_SET_RULES_H

#include "check/suspects.h"

/* partition_counts.c: summary.partition-count. */
enum ice_status
ice_partition_counts_check(const struct ice_facts *facts,
                           const struct ice_snapshot_sets *sets) ICE_MUST_USE;

/* partition_deletes.c: delete.*.dangling of whole partitions, delete.equality.*. */
struct ice_partition_deletes {
    struct ice_facts *facts;
    const struct ice_snapshot_sets *sets;
    struct ice_suspects *suspects;
    uint32_t *rank;  /* by snapshot: judged heads before it; one more at the end */
    uint32_t *heads; /* by rank; NULL: nothing is asked */
    size_t n_heads;
    size_t n_words; /* of a set of heads */
    /* sets of heads: that see a data file whose partition is not known; that see one
     * that a delete of the current group applies to */
    uint64_t *unknown, *covered;
    int64_t *least;        /* by manifest: number of a live data file */
    uint32_t *least_entry; /* ... and which; ICE_NO_NUMBER */
    uint32_t *marks, mark; /* by manifest: the last group that it was looked at for */
    struct ice_partition_fact last; /* partition of the current group */
    bool has_last;
};
enum ice_status ice_partition_deletes_open(struct ice_partition_deletes *deletes,
                                           struct ice_facts *facts,
                                           const struct ice_snapshot_sets *sets,
                                           struct ice_suspects *suspects) ICE_MUST_USE;
enum ice_status ice_partition_deletes_add(struct ice_partition_deletes *deletes,
                                          const struct ice_fact *fact) ICE_MUST_USE;
/* Behind the last fact. */
enum ice_status
ice_partition_deletes_check(struct ice_partition_deletes *deletes) ICE_MUST_USE;
void ice_partition_deletes_release(struct ice_partition_deletes *deletes);

/* blob_overlaps.c: manifest.file.blob.overlap. */
enum ice_status ice_blob_overlaps_check(const struct ice_facts *facts,
                                        const struct ice_snapshot_sets *sets,
                                        struct ice_suspects *suspects) ICE_MUST_USE;
/* row_ranges.c: lineage.file.range-*, and next-row-id against ids that were assigned. */
enum ice_status ice_row_ranges_check(struct ice_facts *facts,
                                     const struct ice_snapshot_sets *sets,
                                     struct ice_suspects *suspects) ICE_MUST_USE;
/* lineage_records.c: first_row_id of manifests in the lists. */
enum ice_status
ice_lineage_records_check(const struct ice_snapshot_sets *sets) ICE_MUST_USE;

/* lost_partitions.c: manifest.partition.values-lost. ICE_ENOMEM. */
enum ice_status ice_lost_partitions_check(struct ice_check *ck) ICE_MUST_USE;
/* record_pair_rules.c: of list.added-snapshot.sequence what needs two lists. ICE_ENOMEM.
 */
enum ice_status ice_record_pairs_check(const struct ice_check *ck) ICE_MUST_USE;

/* Raise what is kept of a rule at a pointer of metadata.json to error; false: nothing is.
 */
bool ice_raise_kept(struct ice_emit *emit, enum ice_rule_id rule, struct ice_str pointer);

#endif
