/*
 * The run over one table: context, pass table, and what passes leave for each other.
 *
 *   pass 0 pin        which metadata file is current, by whose word
 *   pass 1 metadata   one metadata.json, streaming
 *                     (then: location mapped, snapshots numbered)
 *   pass 2 lists      every kept snapshot's list, once a file
 *   pass 3 manifests  each distinct manifest once
 *   pass 4 groups     questions over several files, from facts
 *          puffin     with --depth puffin: Puffin files that are here
 *          opinion    with options.on_block: all Avro blocks once more (second_opinion.h)
 *   pass 5 storage    the tree and listings against what metadata names
 *   pass 6 history    the other metadata files of the directory
 *
 * A pass is plain calls in reading order. A file that cannot be read poisons what depends
 * on it: that is "not evaluated" and said once; no cascade of findings.
 */
#ifndef ICE_CHECK_CHECK_H
#define ICE_CHECK_CHECK_H

#include "base/cache_dir.h"
#include "base/error.h"
#include "base/spill.h"
#include "iceberg/manifest.h"
#include "iceberg/manifest_list.h"
#include "iceberg/metadata.h"
#include "inputs/pointer.h"
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
    int64_t rows[3];       /* sum of record_count by status */
    bool rows_negative[3]; /* ... has an entry with a record_count below 0 */
    bool rows_unknown[3];  /* ... is not known: a null, or an overflow */
    bool has_live_sequence;
    /* smallest explicit data sequence number of a live entry */
    int64_t min_live_sequence;
    bool has_inherited_live; /* a live entry takes the number of the list record */
    bool has_unknown_live;   /* a live entry has no number at all */
    bool has_bad_status;     /* an entry is in no status: counts cannot be compared */
    bool has_contents[3];    /* an entry, deleted ones too, has content 0, 1, 2 */
    uint64_t first_of_content[3]; /* its record number */
};

enum ice_read_state { ICE_READ_NOT_YET, ICE_READ_WHOLE, ICE_READ_PARTLY, ICE_READ_NOT };

/*
 * A record of a list about a manifest. Lists that repeat it word for word are kept as
 * runs of snapshots only; one that differs is a record of its own.
 */
struct ice_list_record {
    uint32_t manifest;            /* in check.manifests */
    struct ice_manifest_file row; /* views live in check.arena */
    uint64_t present;             /* ICE_BIT(ICE_LIST_...): there and not null */
    uint64_t summary_present;     /* ICE_BIT(ICE_SUMMARY_...): columns of summaries */
    const struct ice_list_names *names;
    int version;       /* the list was written in: 1, 2 or 3 */
    uint32_t snapshot; /* number of the first snapshot that has this record */
    uint64_t record, block, offset; /* its place in that snapshot's list */
    struct ice_list_record *next;   /* the same manifest, other values */
};

/* A distinct manifest, numbered by first listing. */
struct ice_manifest_facts {
    struct ice_str path; /* as stored in the list */
    /* by first listing; NULL: named by inline `manifests` */
    struct ice_list_record *records;
    uint32_t first_snapshot; /* number of the snapshot that lists it first */
    uint32_t last_snapshot;  /* ... last so far */
    uint64_t last_record;    /* its record there: for list.manifest.duplicate */
    enum ice_read_state state;
    bool is_not_copied;        /* it was not there, and storage has it */
    bool has_sequence_columns; /* after pass 3 */
    uint32_t lost_fields;      /* of its spec, whose values went with the source column */
    struct ice_manifest_totals totals;
    struct ice_snapshot_run *runs; /* snapshots that list it, ascending */
    uint32_t n_runs, cap_runs;
    uint32_t
        follower; /* named behind it in the list read last: mostly the next time too */
};

/* Whom a missing or unreadable file hurts: args.scope of its finding. */
enum ice_scope {
    ICE_SCOPE_HEAD, /* a ref's snapshot or the current one names it; also: no snapshot's
                       file */
    ICE_SCOPE_OLD,  /* only ancestors of those: time travel, rollback, expiry */
    ICE_SCOPE_UNREACHABLE, /* no ref leads there: one level lower */
};

/* Per kept snapshot, beside metadata.snapshots. number = position in check.snapshots
 * order. */
struct ice_snapshot_facts {
    uint32_t index;    /* in metadata.snapshots */
    bool in_scope;     /* --snapshot */
    bool is_head;      /* a ref points to it, or it is current */
    bool is_reachable; /* head or an ancestor of one */
    enum ice_read_state list_state;
    struct ice_str list_file; /* for findings: relative name of its list */
    bool is_not_copied;       /* its list was not there, and storage has it */
    bool has_unnamed;         /* a row of its list names no manifest */
    bool is_disputed;         /* entries and their list disagree whether it added them */
    bool shares_list;      /* another snapshot named the same list before: read there */
    uint32_t enter, leave; /* ancestry.c: the subtree of descendants is [enter, leave) */
    bool chain_whole; /* no parent on the way down to the first snapshot is missing: after
                         its list was read, by the parent that the list names, too */
};

/* By whose word the metadata file is the current one. */
enum ice_picked_by {
    ICE_PICKED_BY_NAME, /* nobody's: it has the highest number */
    ICE_PICKED_BY_HINT,
    ICE_PICKED_BY_POINTER,
    ICE_PICKED_BY_ARGUMENT,
};
/* As in struct ice_summary: "argument" "pointer" "hint" "name". */
const char *ice_picked_by_name(enum ice_picked_by picked_by);

struct ice_facts;   /* facts.h */
struct ice_named;   /* named.h */
struct ice_storage; /* storage.h */
struct ice_paths;   /* path_rules.c */
struct ice_unfound; /* unfound.h */

/* Members of a metadata file that lost elements, their ids or paths, any part of one:
 * ICE_BIT(ICE_META_...). */
struct ice_unread {
    uint64_t elements, keys, parts;
};

/* unfound.h */
struct ice_unfounds {
    struct ice_unfound *items;
    size_t n, capacity;
    bool are_held;    /* the listings will be asked; else they are told at once */
    bool has_current; /* the metadata file that is current is in a listing alone */
};

struct ice_check {
    struct ice_run *run;
    const struct ice_options *options;
    int64_t now_ms;
    struct ice_emit *emit;
    struct ice_arena arena; /* facts that later passes need */
    struct ice_spill spill; /* the temporary file of facts that do not fit in memory */
    struct ice_mapping mapping;
    const struct ice_target *target; /* what the argument was: table, lone file */
    struct ice_options defaults;     /* where the caller gave no options */
    bool owns_helpers;               /* run->pool and ahead were opened by this check */
    struct ice_source **map_sources; /* opened for options.maps, owned */
    size_t n_map_sources;

    /* the file opened last, to see whether it changed meanwhile */
    struct ice_source *opened_source;
    struct ice_buf opened_key;
    struct ice_file_info opened_info;

    /* pass 0 */
    struct ice_source *metadata_source;
    struct ice_str metadata_key;  /* in its source */
    struct ice_str metadata_file; /* for findings, relative to the table root */
    enum ice_picked_by picked_by;
    bool pinned; /* a metadata file was found; it may yet be unreadable */
    const struct ice_pointers *pointers; /* of every --pointer */
    struct ice_pointers own_pointers;    /* ... where no catalog was opened before */
    const struct ice_pointer
        *wanted_pointer;   /* in: the entry to judge, or NULL: find it */
    bool answers_pointers; /* in: the caller tells what inputs and entries lack */
    const struct ice_pointer *pointer; /* the entry about this table, or NULL */
    bool pointer_is_missing;           /* it names a file that is not there */
    bool hint_is_missing;              /* it names a newer one that is not there */
    bool is_relocated;                 /* the file stands outside its table's location */

    /* pass 1 */
    bool want_summaries; /* in: keep whole snapshot summaries (answers set it) */
    /* out: why metadata_readable is false; else status ICE_OK */
    struct ice_error metadata_fault;
    struct ice_metadata metadata;
    bool metadata_readable;   /* the whole document was read */
    struct ice_unread unread; /* of metadata, see unread_members.h */
    int version;              /* 1 .. 4, of the document; 0 if unknown */
    struct ice_str table_name;
    struct ice_str root_uri; /* location the tree stands for, folded; "" if unknown */

    /* numbering: parents before children, the main line first */
    struct ice_snapshot_facts *snapshots;
    size_t n_snapshots;
    uint32_t *number_of; /* metadata index -> number */

    /* pass 2 */
    struct ice_manifest_facts *manifests;
    size_t n_manifests, cap_manifests;
    uint32_t last_manifest; /* that was asked for by its path */
    struct ice_table manifests_by_path;
    struct ice_list_record **records; /* all records of lists, each in the arena */
    size_t n_records, cap_records;
    struct ice_table records_by_value;       /* list records, to find equal ones */
    const struct ice_list_names *list_names; /* of the last list: mostly the same */

    /* pass 3 */
    const struct ice_cache_dir *cache; /* of options.cache_dir; NULL: none, or no use */
    struct ice_hash cache_seen;        /* what rules see of the table, seen.h */
    bool names_only;         /* nothing is asked of entries but which files they name */
    struct ice_facts *facts; /* of all entries; NULL where no manifest is read */
    struct ice_named *named; /* schemas, specs, orders that manifests name */
    struct ice_paths *paths; /* NULL where no rule asks */
    struct ice_storage *storage; /* what storage must hold; NULL where nobody asks */
    struct ice_unfounds unfound; /* what the copy lacks, until the listings were asked */

    /* pass 6 */
    bool want_history;    /* in: whether or not anything else asks for it */
    struct ice_str newer; /* the furthest file that continues the current one, or empty */
    size_t n_newer;       /* ... by so many commits */
    struct ice_str
        untold;    /* without it: a file of which it is not known whether it does */
    bool has_fork; /* another file has a version or a parent of the chain */
    bool has_other_table; /* a file of another table-uuid lies there, or did */
    bool
        has_restored; /* a lower number was written later, with commits that it has not */

    size_t n_passes_begun; /* of passes.c; 0: the metadata file is not read */

    /* counters for the summary */
    uint64_t n_lists, n_manifests_read, n_entries, n_bytes;
    uint64_t n_same_blocks, n_same_records; /* second_opinion.h */
    /* progress.h: of all manifests, of those that were joined, of the one that is being
     */
    uint64_t bytes_to_join, bytes_joined, part_joined;
    uint64_t n_header_missing; /* manifest.header.missing: once a table, with a count */
    struct ice_place header_missing_place;
    uint64_t n_parquet_manifests; /* v4.manifest.not-avro: likewise */
    struct ice_place parquet_place;
};

/*
 * The context of a run over an opened target, everything empty: for ice_check_table and
 * for answers (inspect, list-files), which run passes 0 and 1 and then read on by
 * themselves, with metadata and mapping of the check. options may be NULL. run, options
 * and target are borrowed until the release, which is safe twice and on all-zero.
 */
enum ice_status ice_check_init(struct ice_check *ck, struct ice_run *run,
                               const struct ice_options *options,
                               const struct ice_target *target, struct ice_error *err);
void ice_check_release(struct ice_check *ck);

/*
 * Passes 0 and 1 with what belongs between: pins the metadata file, reads it, maps its
 * location (ck->mapping, root_uri, table_name) and numbers the snapshots. ICE_OK also
 * when there is no readable metadata file: see metadata_readable and metadata_fault. For
 * targets of kind TABLE and METADATA; for any other kind it only sets the mapping of
 * --map.
 */
enum ice_status ice_check_read_metadata(struct ice_check *ck, struct ice_error *err);

/* Pass 0 alone, for a target of kind TABLE or METADATA: ck->metadata_file and its kin. */
enum ice_status ice_check_pin(struct ice_check *ck, struct ice_error *err);
/* ... with the pointers that ck->pointers holds. */
enum ice_status ice_check_pin_with(struct ice_check *ck, struct ice_error *err);

/*
 * Without --map a location stands for the table's root. ice_check_read_metadata has done
 * it for the pinned file; another metadata file of the table may have another location.
 */
enum ice_status ice_check_map_location(struct ice_check *ck, struct ice_str location,
                                       struct ice_error *err);

/*
 * Between pass 1 and 2 (scope.c): numbers the snapshots (parents before children, the
 * main line first), says which are heads and reachable, and resolves options.snapshot:
 * in_scope. A --snapshot that names nothing is not evaluated and leaves nothing in scope.
 */
enum ice_status ice_check_number_snapshots(struct ice_check *ck, struct ice_error *err);
/* "head", "old", "unreachable". */
const char *ice_scope_name(enum ice_scope scope);
/* What a file of that scope costs when it is lost: "a current state cannot be read" ...
 */
const char *ice_scope_affects(enum ice_scope scope);
enum ice_scope ice_snapshot_scope(const struct ice_snapshot_facts *snapshot);
/* The strongest scope over all snapshots that list it, from its runs. */
enum ice_scope ice_manifest_scope(const struct ice_check *ck,
                                  const struct ice_manifest_facts *manifest);

/*
 * What follows _read_metadata of a table that was read whole, as far as options.depth
 * asks: passes 2 to 5, and 6 if wanted (passes.c). For ice_check_table, and for answers
 * that judge several states of one table.
 */
enum ice_status ice_check_run_passes(struct ice_check *ck, bool with_history,
                                     struct ice_error *err);

/* What passes 0 and 1 know of the table, into its summary: texts are the check's. */
void ice_check_summarise(const struct ice_check *ck, struct ice_summary *out);

/* The passes. Statuses below 0 end the run: memory, misuse, cancelled. Each in its own
 * file. */
enum ice_status ice_pass0_pin(struct ice_check *ck, struct ice_error *err);
/*
 * catalog.pointer.other-table, of pass 0: where the number alone picked a file
 * (names[picked]) and a lower number is of another table and newer, the table was dropped
 * and made anew. Opens a few files at most: those of versions that names show to be odd.
 */
enum ice_status ice_check_made_anew(struct ice_check *ck, size_t picked,
                                    struct ice_error *err);
enum ice_status ice_pass1_metadata(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_pass2_lists(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_pass3_manifests(struct ice_check *ck, struct ice_error *err);
/* With depth puffin it leaves ck->facts to the next pass. */
enum ice_status ice_pass4_groups(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_pass_puffin(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_pass6_history(struct ice_check *ck, struct ice_error *err);
/* Are older metadata files looked at? */
bool ice_history_is_asked(const struct ice_check *ck);
/* Groups 3 to 5 of the rules on metadata.json (layout_rules.c); behind pass 3. */
enum ice_status ice_check_layouts(struct ice_check *ck, struct ice_error *err);

/* An argument that is no table and no file of one (no_table.c). */
void ice_report_no_table(struct ice_check *ck);
/* A directory without metadata files: an error where a pointer or a version hint says
 * that there should be one, else nothing that is known. */
enum ice_status ice_report_empty(struct ice_check *ck, struct ice_error *err);

/*
 * A lone file as the argument (target->kind LIST, MANIFEST, AVRO): row rules as far as
 * they need nothing else. Opened with ice_check_open_target. list, manifest: beside
 * passes 2 and 3.
 */
enum ice_status ice_check_lone_list(struct ice_check *ck, struct ice_error *err);
enum ice_status ice_check_lone_manifest(struct ice_check *ck, struct ice_error *err);
/* Another Avro container: header and every block, no Iceberg rule. */
enum ice_status ice_check_lone_avro(struct ice_check *ck, struct ice_error *err);

/*
 * A file named by metadata, opened. ICE_OK, or a negative status after the fault was
 * reported (missing_rule, source.*, limit.* ...) and noted as not evaluated; ICE_ENOMEM
 * and ICE_ECANCELLED are for the caller to pass on: see ice_status_is_final. named_at:
 * where the URI stands. The stream is what is stored, nothing inflated; it is counted in
 * ck->n_bytes. An absent file is FOUND with missing_rule at named_at; its message has
 * {path} {affects}, args are path, scope, affects.
 */
enum ice_status ice_check_open(struct ice_check *ck, struct ice_str uri,
                               const struct ice_place *named_at,
                               enum ice_rule_id missing_rule, enum ice_scope scope,
                               const char *what, struct ice_stream *out,
                               struct ice_file_info *info, struct ice_error *err);
/*
 * As _open, for a file that need not be there: one that is absent, or that nothing maps,
 * is ICE_ENOENT and nothing is said; *out_mapped tells which.
 */
enum ice_status ice_check_open_present(struct ice_check *ck, struct ice_str uri,
                                       uint64_t order, enum ice_scope scope,
                                       const char *what, struct ice_stream *out,
                                       bool *out_mapped, struct ice_error *err);
/* source.unmapped at named_at, and what was not evaluated for it. */
void ice_check_unmapped(struct ice_check *ck, struct ice_str uri,
                        const struct ice_place *named_at, const char *what);
/* The lone file of the target; *out_file: its name for findings. Faults as above. */
enum ice_status ice_check_open_target(struct ice_check *ck, struct ice_str *out_file,
                                      struct ice_stream *out, struct ice_file_info *info,
                                      struct ice_error *err);

/* Neither replaced nor written to between two looks, as far as the source can tell. */
bool ice_same_file(const struct ice_file_info *a, const struct ice_file_info *b);

/* How findings name a stored URI: relative to the table root where inside it; in
 * ck->arena. */
struct ice_str ice_check_file_name(struct ice_check *ck, struct ice_str uri);

/*
 * Turn a decoder's error into a finding of its rule at place (offset, line, pointer from
 * err where they are known there), plus a not-evaluated line for what ("manifest" ...).
 * The rule's severity is dropped by one for ICE_SCOPE_UNREACHABLE. Args, for the message
 * of any such rule: detail (the decoder's own words, a whole sentence), what, scope.
 * Where the file opened last is no longer what it was, source.changed is said instead.
 * Returns ICE_OK, or the status if it must end the run.
 */
enum ice_status ice_check_fault(struct ice_check *ck, const struct ice_error *fault,
                                const struct ice_place *place, enum ice_scope scope,
                                const char *what);

/*
 * on_fault of the Avro readers: user is a struct ice_fault_sink. Args, for the message of
 * any such rule: field (its name), id (-1: none), detail.
 */
struct ice_fault_sink {
    struct ice_check *ck;
    struct ice_place place;
    bool any_error; /* one of severity error was among them: X rules should not trust
                       columns */
};
enum ice_status ice_check_avro_fault(const struct ice_avro_fault *fault, void *user);

/*
 * A list or manifest that begins as an encrypted file: key.file.* (rules_keys.c). The
 * caller notes that it was not evaluated, and no other rule runs on it. is_announced:
 * what names it has a key; why: the words where it has none.
 */
void ice_encrypted_file(struct ice_check *ck, const struct ice_place *place,
                        const char *what, bool is_announced, const char *why);

bool ice_check_cancelled(const struct ice_check *ck);
/* options.on_progress, if any. */
void ice_check_progress(const struct ice_check *ck, const char *phase, uint64_t done,
                        uint64_t total);
/* options.on_note, if any: lower case, untrusted text escaped by the caller. */
void ice_check_note(const struct ice_check *ck, int level, const char *format, ...)
    ICE_PRINTF(3, 4);

/*
 * Every file that a check of this target would read, in reading order, for --list-files:
 * runs passes 0 to 2 as far as the depth asks; their findings stay in ck->emit. kind:
 * "hint" "metadata" "manifest-list" "manifest" or, for a lone file, what it was taken
 * for. here: 1 it is there, 0 it is not, -1 not mapped. size: -1 unknown.
 */
typedef enum ice_status (*ice_file_fn)(struct ice_str uri, const char *kind, int64_t size,
                                       int here, void *user);
enum ice_status ice_check_walk_files(struct ice_check *ck, ice_file_fn each, void *user,
                                     struct ice_error *err);

#endif
