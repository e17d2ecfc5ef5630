/*
 * The run over one table: context, pass table, and what passes leave for each other.
 *
 *   pass 0 pin        which metadata file is current, by whose word
 *   pass 1 metadata   one metadata.json, streaming
 *   pass 2 lists      every kept snapshot's list, once a file
 *   pass 3 manifests  each distinct manifest once
 *   pass 4 groups     questions over several files, from facts
 *
 * A pass is plain calls in reading order. A file that cannot be read poisons what depends on
 * it: that is "not evaluated" and said once; no cascade of findings.
 */
#ifndef ICE_CHECK_CHECK_H
#define ICE_CHECK_CHECK_H

#include "iceberg/manifest.h"
#include "iceberg/manifest_list.h"
#include "iceberg/metadata.h"
#include "inputs/target.h"
#include "rule/emit.h"
#include "source/mapping.h"

/* Snapshots that list a manifest, as a run of snapshot numbers [first, last]. */
struct ice_snapshot_run {
    uint32_t first, last;
};

/* True totals of a manifest, from its entries. */
struct ice_manifest_totals {
    uint64_t entries[3];   /* by status */
    int64_t rows[3];       /* sum of record_count by status; see rows_known */
    bool rows_known;       /* no entry has record_count below 0, no overflow */
    bool has_live_sequence;
    int64_t min_live_sequence; /* smallest effective data sequence number of a live entry */
};

enum ice_read_state { ICE_READ_NOT_YET, ICE_READ_WHOLE, ICE_READ_PARTLY, ICE_READ_NOT };

/* A distinct manifest, numbered by first listing. */
struct ice_manifest_facts {
    struct ice_str path;       /* as stored in the list */
    struct ice_manifest_file row; /* first listing's record: scalars; views live in the arena */
    uint64_t row_present;      /* ICE_BIT(ICE_LIST_...) not null and there */
    uint32_t list_snapshot;    /* snapshot number of that first listing */
    uint64_t list_record;      /* record number in that list */
    int list_version;          /* version the list was written in */
    enum ice_read_state state;
    struct ice_manifest_totals totals;
    struct ice_snapshot_run *runs; /* snapshots that list it, ascending */
    uint32_t n_runs, cap_runs;
};

/* Per kept snapshot, beside metadata.snapshots. number = position in check.snapshots order. */
struct ice_snapshot_facts {
    uint32_t index;            /* in metadata.snapshots */
    bool in_scope;             /* --snapshot */
    bool is_head;              /* a ref points to it, or it is current */
    bool is_reachable;         /* head or an ancestor of one */
    enum ice_read_state list_state;
    struct ice_str list_file;  /* for findings: relative name of its list */
};

struct ice_check {
    struct ice_run *run;
    const struct ice_options *options;
    int64_t now_ms;
    struct ice_emit *emit;
    struct ice_arena arena;          /* facts that later passes need */
    struct ice_mapping mapping;
    const struct ice_target *target; /* what the argument was: table, lone file */

    /* pass 0 */
    struct ice_source *metadata_source;
    struct ice_str metadata_key;     /* in its source */
    struct ice_str metadata_file;    /* for findings, relative to the table root */
    const char *picked_by;

    /* pass 1 */
    bool want_summaries;             /* in: keep whole snapshot summaries (answers set it) */
    struct ice_error metadata_fault; /* out: why metadata_readable is false; else status ICE_OK */
    struct ice_metadata metadata;
    bool metadata_readable;          /* the whole document was read */
    int version;                     /* 1 .. 4, of the document; 0 if unknown */
    struct ice_str table_name;
    struct ice_str root_uri;         /* location the tree stands for, folded */

    /* numbering: parents before children, the main line first */
    struct ice_snapshot_facts *snapshots;
    size_t n_snapshots;
    uint32_t *number_of;             /* metadata index -> number */

    /* pass 2 */
    struct ice_manifest_facts *manifests;
    size_t n_manifests, cap_manifests;
    struct ice_table manifests_by_path;

    /* counters for the summary */
    uint64_t n_lists, n_manifests_read, n_entries, n_bytes;
    bool header_missing_seen;        /* manifest.header.missing: once a table, with a count */
    uint64_t n_header_missing;
    struct ice_str header_missing_file;
};

/*
 * The context of a run over an opened target, everything empty: for ice_check_table and for
 * answers (inspect, list-files), which run passes 0 and 1 and then read on by themselves, with
 * metadata and mapping of the check. options may be NULL. run, options and target are borrowed
 * until the release, which is safe twice and on all-zero.
 */
enum ice_status ice_check_init(struct ice_check *ck, struct ice_run *run,
                               const struct ice_options *options,
                               const struct ice_target *target, struct ice_error *err);
void ice_check_release(struct ice_check *ck);

/* The passes. Statuses below 0 end the run: memory, misuse, cancelled. Each in its own file. */
enum ice_status ice_pass0_pin(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_pass1_metadata(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_pass2_lists(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_pass3_manifests(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_pass4_groups(struct ice_check *ck, struct ice_error *err);

/*
 * A file named by metadata, opened. ICE_OK, or a negative status after the fault was reported
 * (storage.*.missing, source.*, limit.* …) and noted as not evaluated; ICE_ENOMEM and
 * ICE_ECANCELLED are for the caller to pass on. missing_rule: the rule of an absent file.
 */
enum ice_status ice_check_open(struct ice_check *ck, struct ice_str uri,
                               const struct ice_place *named_at, enum ice_rule_id missing_rule,
                               enum ice_severity missing_severity, const char *what,
                               struct ice_stream *out, struct ice_file_info *info,
                               struct ice_error *err);

/* How findings name a stored URI: relative to the table root where inside it; in ck->arena. */
struct ice_str ice_check_file_name(struct ice_check *ck, struct ice_str uri);

/*
 * Turn a decoder's error into a finding of its rule at place (offset, line, pointer from err),
 * plus a not-evaluated line for what. Returns ICE_OK, or the status if it must end the run.
 */
enum ice_status ice_check_fault(struct ice_check *ck, const struct ice_error *fault,
                                const struct ice_place *place, const char *what);

/* on_fault of the Avro readers: user is a struct ice_fault_sink. */
struct ice_fault_sink {
    struct ice_check *ck;
    struct ice_place place;
    bool any_error;   /* one was avro.field-id.none or worse: X rules should not trust columns */
};
enum ice_status ice_check_avro_fault(const struct ice_avro_fault *fault, void *user);

bool ice_check_cancelled(const struct ice_check *ck);

#endif
