/*
 * What facts and hashes make suspect is read once more, each manifest at most once,
 * before it is said: findings name paths, records and manifests, and equal hashes are
 * confirmed by equal paths.
 */
#ifndef ICE_CHECK_SUSPECTS_H
#define ICE_CHECK_SUSPECTS_H

#include "check/snapshot_sets.h"

struct ice_suspect {
    enum ice_rule_id rule;
    enum ice_severity severity; /* ICE_DEFAULT: of the catalogue */
    uint32_t entry;             /* that the finding is about */
    uint32_t other;             /* that it disagrees with; ICE_NO_NUMBER: none */
    uint32_t snapshot; /* where both are live, or where it is said; ICE_NO_NUMBER */
    uint32_t before;   /* a second snapshot: the deleting one, the parent */
    int64_t row; /* lineage: an id in both; entries are the first ones of their ranges;
                    else -1 */
    int64_t number,
        other_number; /* data sequence numbers, where the rule speaks of them */
};

struct ice_suspects {
    struct ice_check *ck;
    struct ice_sorter found; /* struct ice_suspect: hashes change with every run */
};

void ice_suspects_init(struct ice_suspects *suspects, struct ice_check *ck);
/* ICE_ENOMEM, ICE_EIO as ice_sorter_add. */
enum ice_status ice_suspect_add(struct ice_suspects *suspects,
                                struct ice_suspect suspect) ICE_MUST_USE;
/* Read the names and report. What does not fit in memory at once is read in several
 * rounds. ICE_EIO: of the temporary file. */
enum ice_status ice_suspects_report(struct ice_suspects *suspects,
                                    struct ice_error *err) ICE_MUST_USE;
void ice_suspects_release(struct ice_suspects *suspects);

/* An entry of a suspect as it was read again. */
struct ice_suspect_side {
    uint32_t entry; /* wanted */
    int64_t row;    /* wanted: the live data file from entry on with this row id; -1 */
    bool found;
    uint32_t manifest;
    uint64_t record, block, offset;
    struct ice_str file;            /* the manifest, for findings */
    struct ice_str path, data_path; /* the file; of deletes the data file they name */
    int64_t rows;                   /* -1: not there, as below 0 */
    bool has_size;
    int64_t size, first_row_id, content_offset, content_size;
    const struct ice_str *names; /* of columns, by enum ice_entry_bit */
};

/* suspect_report.c: one finding; sides NULL where there is none. */
void ice_suspect_report(struct ice_check *ck, const struct ice_suspect *suspect,
                        const struct ice_suspect_side *side,
                        const struct ice_suspect_side *other);

#endif
