/*
 * What readers' logs say was read, gathered over inputs: reads of one state are one.
 */
#ifndef ICE_ANSWER_READS_H
#define ICE_ANSWER_READS_H

#include "check/check.h"
#include "inputs/evidence.h"

/* States that are kept; each read is looked for among them. */
enum { ICE_MOST_READS = 1000 };

/* One state of one table, as one input tells it. Texts live in the arena of the reads. */
struct ice_read {
    struct ice_str source; /* base name of the input */
    struct ice_str table, metadata_location;
    enum ice_evidence_kind kind;
    bool has_snapshot_id;
    int64_t snapshot_id;
    int64_t time_ms; /* of the last one; INT64_MIN: unknown */
    uint64_t line;   /* of the last one */
    uint64_t n;
    bool is_told;
};

struct ice_reads {
    struct ice_run *run;
    struct ice_arena arena;
    struct ice_read *items; /* in the order of their last read */
    size_t n, capacity;
    uint64_t n_dropped; /* states beyond the most that are kept: the oldest go */
};

void ice_reads_init(struct ice_reads *reads, struct ice_run *run);
void ice_reads_release(struct ice_reads *reads); /* safe twice and on all-zero */

/* Add those of an input; *out_what: what it was taken for, in words. Statuses of opening
 * and reading it; ICE_EUNSUPPORTED with what to do where nothing in it says what was
 * read. */
enum ice_status ice_reads_add(struct ice_reads *reads, const char *path,
                              const struct ice_listing_options *options,
                              const char **out_what, struct ice_error *err);

/*
 * Is a record about this table? By its snapshot, which the metadata describes or has in
 * its log; by the name of its metadata file, which lies in the directory of the target;
 * or by its name. A row of a metadata table has none, and is of the table asked for.
 */
bool ice_evidence_is_about(const struct ice_evidence *record,
                           const struct ice_metadata *metadata,
                           const struct ice_target *target, struct ice_str name);
bool ice_read_is_about(const struct ice_read *read, const struct ice_metadata *metadata,
                       const struct ice_target *target, struct ice_str name);

#endif
