/*
 * A unit: what reading one manifest leaves. Reading touches nothing but the unit and its
 * reader, so that several manifests can be read at a time; joining puts a unit into the
 * check, on the calling thread and in the order of manifests, so that what comes out does
 * not depend on who read what when.
 *
 *     reader ── ice_unit_begin, rules … ──► unit ── ice_unit_join ──► struct ice_check
 *                     │ a part is full                    ▲
 *                     └── give ──► ice_unit_join_part ────┘
 *
 * Rules see a check of the reader's own (walk->ck): a copy of which emit, arena, counters
 * and paths are the unit's. Numbers in a unit are its own: entries from 0, origins from
 * 0, no manifest number; they become those of the table when it is joined.
 *
 * What a cache has to keep of a manifest: every member of struct ice_unit below the line,
 * and its parts one after the other. Reading looks at, and so the key of a cache holds:
 *   - the bytes of the file, its stored size (check_length) and its name
 *   - of metadata.json: version, location, all schemas and which is current, specs and
 *     sort orders; of snapshots, which ids are kept (disputed, deletion rules of v3) and
 *     whether their summaries count partitions (ice_origin.counts_partitions: pairs of
 *     others were not noted), whether the current one lists the manifest (deletes by
 *     columns that were dropped)
 *   - the records of lists about the manifest, all of them, each with its list's file and
 *     its place there (findings stand there); for inline `manifests` the place of the
 *     snapshot in metadata.json; the newest snapshot that lists it (find_newest)
 *   - its scope, where anything was found or missed (severity, args)
 *   - limits, the hash seed (keys of facts and of storage); which rules are on, their
 *     severities and caps; names_only, whether storage and paths are asked for, whether
 *     listings are (folding), whether tables are in a group
 * The number of the manifest stands in the order of findings (ICE_ORDER_MANIFEST + it).
 */
#ifndef ICE_CHECK_UNIT_H
#define ICE_CHECK_UNIT_H

#include "base/pack.h"
#include "check/facts.h"
#include "check/metrics.h"
#include "check/named.h"
#include "check/path_rules.h"

/* Rows of one size that gather in memory until they are joined. */
struct ice_unit_rows {
    char *items;
    size_t n, capacity;
    size_t n_joined; /* the first of them */
};

/* enum ice_unit_kind: rows of a part. */
enum ice_unit_kind {
    ICE_UNIT_ORIGINS,    /* struct ice_origin; snapshot is found anew when joined */
    ICE_UNIT_FACTS,      /* struct ice_fact: entry and origin of the unit */
    ICE_UNIT_RANGES,     /* struct ice_row_range: entry of the unit */
    ICE_UNIT_BLOBS,      /* struct ice_blob_fact: entry of the unit */
    ICE_UNIT_PARTITIONS, /* struct ice_partition_fact: entry of the unit */
    ICE_UNIT_COMMITS,    /* struct ice_unit_commit */
    ICE_UNIT_KEYS,       /* struct ice_storage_key: owner is filled in when joined */
    ICE_UNIT_KINDS
};

/* An added or deleted file: which partition a commit changed. */
struct ice_unit_commit {
    uint32_t origin, partition;
};

/* Part of the rows of a unit; origins come before what names them. */
struct ice_unit_part {
    struct ice_unit_rows rows[ICE_UNIT_KINDS];
    uint64_t n_records; /* of the manifest, up to here */
    bool is_renumbered; /* while it is joined */
    struct ice_unit_part *next;
};

/* A part of a unit is given away when it has so many rows of a kind: 1 MiB of facts. */
enum { ICE_UNIT_PART_ROWS = 1 << 15 };

struct ice_unit {
    struct ice_unit_reader *reader; /* while it is read */
    struct ice_unit_part *part;     /* that is being filled; owned; NULL: not read */
    /* A full part: joined, or put aside with another in its place. ICE_OK, or a status
     * that ends the run. */
    enum ice_status (*give)(struct ice_unit *unit, void *user);
    void *user;
    size_t n_given; /* origins that are in parts before this one */
    struct ice_table origins_by_value, disputed_by_id;
    bool has_commits;           /* a pair was put */
    struct ice_row_range range; /* the last one, which may go on; end 0: none */
    /* while it is joined */
    uint32_t *numbers; /* of its origins in the table */
    size_t n_numbers, cap_numbers;

    /* ---- what is left ---- */

    uint32_t number; /* of the manifest, in the check */
    enum ice_read_state state;
    struct ice_emit *emit; /* findings and what was not evaluated, capped on its own */
    struct ice_unfounds unfound; /* the manifest, or nothing */
    struct ice_arena arena;      /* texts of what follows, and of unfound */
    struct ice_str key;          /* that was opened in its source; data NULL: none was */
    uint64_t n_bytes;            /* stored size */
    bool was_read;               /* there was a file to read */
    uint64_t n_entries, n_records; /* that were decoded; up to the last one counted */
    uint64_t n_header_missing;     /* 0 or 1: it was written by a plain library */
    struct ice_place header_missing_place;
    uint64_t n_parquet_manifests; /* 0 or 1 */
    struct ice_place parquet_place;
    bool has_sequence_columns;
    uint32_t lost_fields; /* as in struct ice_manifest_facts */
    bool asks_snapshots;  /* something was said, or not, for a snapshot is kept or not */
    bool asks_current;    /* ... for the current snapshot lists it or not */
    const char *cache_note; /* what the cache had of it; NULL: it was not asked */
    struct ice_manifest_totals totals;
    struct ice_manifest_sums sums;
    struct ice_origin *origins; /* all of them */
    size_t n_origins, cap_origins;
    int64_t
        *named[ICE_NAMED_KINDS]; /* listed ids that it names, each once; in the arena */
    size_t n_named[ICE_NAMED_KINDS];
    int64_t *disputed; /* snapshots that did not add what they are said to have added */
    size_t n_disputed, cap_disputed;
    struct ice_paths *paths; /* of its live entries, in the arena; NULL: not asked */
    struct ice_error fault;  /* of a status that ends the run */
};

struct ice_recent; /* fact_add.c */

/* unit_cache.h: what is kept of the unit, and what was. */
struct ice_unit_store {
    struct ice_pack parts, body;
    struct ice_buf key;
    struct ice_hash name; /* of the entry */
    bool is_wanted;       /* parts are gathered, to be kept */
};

/* What reads one manifest after another: scratch that is kept from one to the next. */
struct ice_unit_reader {
    struct ice_check ck; /* a copy; what reading changes in it is its own */
    struct ice_metrics metrics;
    struct ice_buf folded; /* scratch of paths */
    struct ice_unit_store store;
    struct ice_recent *recent; /* commit partitions of a moment ago */
    struct ice_named named[ICE_NAMED_KINDS];
    const struct ice_paths *paths; /* of the check */
    bool wants_facts;
};

/* Behind ice_facts_open. of is read only while the reader lives, but for what joining
 * changes. ICE_ENOMEM. */
enum ice_status ice_unit_reader_open(struct ice_unit_reader *reader,
                                     const struct ice_check *of) ICE_MUST_USE;
void ice_unit_reader_release(struct ice_unit_reader *reader); /* safe twice, all-zero */

/* An empty unit for readers of that check. ICE_ENOMEM. */
enum ice_status ice_unit_init(struct ice_unit *unit,
                              const struct ice_check *of) ICE_MUST_USE;
void ice_unit_release(struct ice_unit *unit); /* safe twice and on all-zero */
/* Empty it for the next manifest; give and user stay. */
void ice_unit_reset(struct ice_unit *unit);

/* reader->ck is the unit's from here on until _end, which leaves in the unit what rules
 * left there. */
enum ice_status ice_unit_begin(struct ice_unit *unit, struct ice_unit_reader *reader,
                               uint32_t number) ICE_MUST_USE;
enum ice_status ice_unit_end(struct ice_unit *unit) ICE_MUST_USE;
/* As _begin left it, where nothing was given away since. */
enum ice_status ice_unit_begin_again(struct ice_unit *unit) ICE_MUST_USE;

/*
 * pass3_manifests.c: one manifest from _begin to _end, the last part still in unit->part.
 * Statuses below 0, with unit->fault, end the run.
 */
enum ice_status ice_unit_read(struct ice_unit *unit, struct ice_unit_reader *reader,
                              uint32_t number) ICE_MUST_USE;
/* unit_run.c: all manifests of the check, read and joined. */
enum ice_status ice_units_run(struct ice_check *ck, struct ice_error *err) ICE_MUST_USE;

/* unit.c: behind _put. */
enum ice_status ice_unit_grow(struct ice_unit *unit,
                              enum ice_unit_kind kind) ICE_MUST_USE;
static inline enum ice_status ice_unit_put(struct ice_unit *unit, enum ice_unit_kind kind,
                                           const void *row, size_t size) {
    if (unit->part->rows[kind].n == unit->part->rows[kind].capacity) {
        enum ice_status status = ice_unit_grow(unit, kind);
        if (status < 0)
            return status;
    }
    struct ice_unit_rows *rows = &unit->part->rows[kind];
    memcpy(rows->items + rows->n * size, row, size);
    rows->n++;
    return ICE_OK;
}
/* n rows, in a part that has room for them. ICE_ENOMEM. */
enum ice_status ice_unit_put_rows(struct ice_unit *unit, enum ice_unit_kind kind,
                                  const void *from, size_t n) ICE_MUST_USE;
/* The part is full: close it and give it away. */
enum ice_status ice_unit_give(struct ice_unit *unit) ICE_MUST_USE;
/* Close the part that is being filled: its origins. ICE_ENOMEM. */
enum ice_status ice_unit_close_part(struct ice_unit *unit) ICE_MUST_USE;
void ice_unit_part_clear(struct ice_unit_part *part);
size_t ice_unit_part_bytes(const struct ice_unit_part *part);
void ice_unit_part_release(struct ice_unit_part *part, struct ice_alloc *alloc);

/*
 * unit_join.c, on the calling thread: every part in its order, then the unit; units in
 * the order of their manifests. A part is empty afterwards; where memory ran out, its
 * call may be repeated. Any other status below 0 ends the run.
 */
enum ice_status ice_unit_join_part(struct ice_check *ck, struct ice_unit *unit,
                                   struct ice_unit_part *part) ICE_MUST_USE;
enum ice_status ice_unit_join(struct ice_check *ck, struct ice_unit *unit) ICE_MUST_USE;
/* What was found before the run was stopped: findings and counts. */
void ice_unit_join_stopped(struct ice_check *ck, const struct ice_unit *unit);

#endif
