/*
 * What pass 3 notes of every entry of a distinct manifest, for the questions over several
 * files: 32 bytes an entry, another 32 where a delete file names its data file, 24 a live
 * data file with a row id (fewer where ids follow each other), 24 or 32 a live delete
 * file. Towards the memory limit they go to a temporary file (base/spill.h); what stays
 * in memory is 24 bytes an origin, and what a manifest takes.
 *
 * Facts with one key are about one path (a deletion vector: path and offset). The key is
 * a seeded hash of the folded path, so that s3a://b/x and s3://b/x meet; what was
 * suspected by hash is read again before it is said (suspects.h).
 */
#ifndef ICE_CHECK_FACTS_H
#define ICE_CHECK_FACTS_H

#include "base/spill.h"
#include "check/manifest_walk.h"

#define ICE_NO_NUMBER UINT32_MAX
#define ICE_ASKED_BITS ((size_t)1 << 20) /* of struct ice_facts.asked */
#define ICE_RECENT ((size_t)1 << 12)     /* slots of struct ice_recent */

enum ice_fact_kind {
    ICE_FACT_DATA,
    ICE_FACT_POSITION, /* position delete file */
    ICE_FACT_EQUALITY,
    ICE_FACT_VECTOR,      /* deletion vector, by path and offset */
    ICE_FACT_OF_VECTOR,   /* the data file that a live deletion vector names */
    ICE_FACT_OF_POSITION, /* ... a live position delete file */
    ICE_FACT_KINDS
};

struct ice_fact {
    uint64_t key;
    uint32_t low;       /* 27 more bits of the key, 3 of the kind, 2 of the status */
    uint32_t entry;     /* number over all manifests, in reading order */
    uint32_t origin;    /* in facts.origins */
    uint32_t partition; /* hash of spec and partition values; 0: not known */
    uint32_t rows;      /* record_count; ICE_NO_NUMBER: negative, unknown or larger */
    uint32_t size;      /* hash of file_size_in_bytes and of a record_count beyond rows;
                           0: the size is not known */
};

static inline enum ice_fact_kind ice_fact_kind(const struct ice_fact *fact) {
    return (enum ice_fact_kind)(fact->low >> 2 & 7);
}
static inline int32_t ice_fact_status(const struct ice_fact *fact) {
    return (int32_t)(fact->low & 3);
}
/* Not known is taken for equal. */
static inline bool ice_fact_same_partition(const struct ice_fact *a,
                                           const struct ice_fact *b) {
    return a->partition == b->partition || a->partition == 0 || b->partition == 0;
}
static inline bool ice_fact_same_key(const struct ice_fact *a, const struct ice_fact *b) {
    return a->key == b->key && a->low >> 5 == b->low >> 5;
}

/* Whose commit an entry names, and with which number. Few: shared by entries. */
struct ice_origin {
    int64_t sequence_number; /* data sequence number; INT64_MIN: not known */
    int64_t snapshot_id;     /* effective: that added, or deleted, the file */
    uint32_t snapshot;       /* its number; ICE_NO_NUMBER: not kept */
    bool has_columns;        /* the manifest has sequence number columns */
    bool has_row_id;         /* the entry has a first_row_id of its own */
    bool counts_partitions;  /* its summary says how many partitions it changed */
    uint8_t spelling;        /* of the fact's path: ice_path_spelling */
};

/* Row ids of live data files that follow each other in one manifest. */
struct ice_row_range {
    int64_t first, end; /* end may be INT64_MAX where it overflowed */
    uint32_t entry;     /* of the first file */
    uint32_t is_explicit;
};

/* A live deletion vector: a blob of a Puffin file. */
struct ice_blob_fact {
    uint64_t key; /* hash of the Puffin file's path */
    int64_t offset, size;
    uint32_t entry;
};

/* Of one data sequence number, in the order in which they apply. */
enum ice_partition_side {
    ICE_SIDE_EQUALITY, /* deletes rows of data files with a smaller number */
    ICE_SIDE_DATA,
    ICE_SIDE_POSITION /* ... also of those with the same */
};

/* A live delete file that names no data file; pass 4 adds data files beside them. */
struct ice_partition_fact {
    int64_t sequence_number; /* INT64_MIN: not known */
    uint32_t partition;      /* 0: not known, or the whole table */
    uint32_t entry;
    uint8_t side;           /* enum ice_partition_side */
    bool whole_table;       /* equality: its spec has no field, or only void ones */
    bool leaves_partitions; /* equality: a partition source is not among its ids */
};

/* An added or deleted file: what its commit changed. */
struct ice_commit_partition {
    uint32_t snapshot, partition;
};

/* Sums beyond 64 bits: high * 2^32 + low, both of sums of halves. */
struct ice_wide {
    uint64_t high, low;
};

/* By content (data, position deletes with vectors, equality deletes) and status. */
struct ice_file_sums {
    uint64_t files;
    struct ice_wide rows, sizes;
};
struct ice_manifest_sums {
    struct ice_file_sums files[3][3]; /* [status][content] */
    uint64_t vectors[3];              /* of the position deletes, by status */
    struct ice_wide vector_sizes[3];  /* content_size_in_bytes */
    struct ice_wide vector_files[3];  /* file_size_in_bytes of the same */
    struct ice_wide new_rows;         /* of live data files without a first_row_id */
    bool unknown; /* a value that is negative or not there: sums are not to be compared */
};

struct ice_facts {
    struct ice_check *ck;
    struct ice_sorter items;      /* struct ice_fact, by key, kind, status, entry */
    struct ice_sorter ranges;     /* struct ice_row_range, by first id, entry */
    struct ice_sorter blobs;      /* struct ice_blob_fact, by key, offset, entry */
    struct ice_sorter partitions; /* struct ice_partition_fact: partition_deletes.c */
    struct ice_sorter commit_partitions; /* struct ice_commit_partition, by both */
    struct ice_origin *origins;
    size_t n_origins, cap_origins;
    struct ice_table origins_by_value;
    /* partitions that deletes ask for, by some bits of their hash; NULL: none */
    uint64_t *asked;
    bool asks_whole_table;
    /* by manifest: number of its first entry; one more behind the last */
    uint32_t *bases;
    uint32_t *nearest; /* by entry >> shift: a manifest that begins at or before it */
    unsigned shift;
    struct ice_manifest_sums *sums; /* by manifest */
    uint64_t n_entries;
    struct ice_buf folded; /* scratch */
    bool dropped;          /* they could not be kept: only sums are left */
};

/* Once the manifests are numbered. */
enum ice_status ice_facts_open(struct ice_check *ck) ICE_MUST_USE;
void ice_facts_free(struct ice_check *ck); /* safe twice */
/* All facts are dropped, and what they would have answered is named as not evaluated. */
void ice_facts_give_up(struct ice_facts *facts, struct ice_str why);
/*
 * Pass on what sorting came to. ICE_EIO, that the temporary file cannot be used, is no
 * fault of the table: the facts are given up and the run goes on (ICE_OK).
 */
enum ice_status ice_facts_sorted(struct ice_facts *facts,
                                 enum ice_status status) ICE_MUST_USE;

/* fact_add.c: into walk->unit, where there is one; its manifest is read next. */
void ice_facts_begin(struct ice_manifest_walk *walk);
struct ice_unit_reader; /* unit.h */
void ice_facts_free_recent(struct ice_unit_reader *reader);
/* An entry with a legal status. */
enum ice_status ice_facts_add(struct ice_manifest_walk *walk,
                              const struct ice_manifest_entry *entry,
                              const struct ice_effective *effective) ICE_MUST_USE;
/* What units had, as they are joined: *out is the position of such an origin, with its
 * snapshot found; a partition that deletes ask for. ICE_ENOMEM. */
enum ice_status ice_facts_add_origin(struct ice_facts *facts,
                                     const struct ice_origin *origin,
                                     uint32_t *out) ICE_MUST_USE;
enum ice_status ice_facts_ask(struct ice_facts *facts, uint32_t partition) ICE_MUST_USE;
/* Behind the last manifest: bases are closed, facts sorted, but for partitions. */
enum ice_status ice_facts_finish(struct ice_facts *facts) ICE_MUST_USE;

/* Do deletes ask for a partition? May say yes to a few others. */
bool ice_facts_ask_for(const struct ice_facts *facts, uint32_t partition);

/* changed-partition-count of a snapshot's summary; false: not there. */
bool ice_commit_counts_partitions(const struct ice_check *ck, uint32_t snapshot,
                                  int64_t *out);

/* *out: record_count of the live data file with this path; -1 where it is not known,
 * there is none, or facts disagree. Behind _finish. ICE_ENOMEM. */
enum ice_status ice_fact_rows(struct ice_facts *facts, struct ice_str path,
                              int64_t *out) ICE_MUST_USE;
/* The manifest that holds an entry; behind _finish. */
uint32_t ice_fact_manifest(const struct ice_facts *facts, uint32_t entry);

/* sort_facts.c: in place, by radix; and how the others are sorted. */
void ice_facts_sort(struct ice_fact *facts, size_t n);
extern const struct ice_sorter_kind ice_sorted_facts, ice_sorted_ranges, ice_sorted_blobs,
    ice_sorted_partitions, ice_sorted_commit_partitions;

/* fact_key.c */
/* A path as it meets others: scheme folded, "//" and %XX resolved. *out is path itself or
 * in scratch. */
enum ice_status ice_path_fold(struct ice_str path, struct ice_buf *scratch,
                              struct ice_str *out) ICE_MUST_USE;
/* How a path is written, beyond what folding leaves of it; 0: as it leaves it. Few of a
 * table differ. Of paths that fold alike, those with two spellings are two texts; those
 * with one may still have other escapes. */
uint8_t ice_path_spelling(struct ice_str path, struct ice_str folded);
/* Of spec and partition values: by value and field id, nulls left out. 0: not known. */
uint32_t ice_partition_digest(const struct ice_manifest_walk *walk,
                              const struct ice_manifest_entry *entry, int64_t spec_id);
/* The data file that a delete file names, by 143 or by equal file_path bounds; size 0. */
struct ice_str ice_named_data_file(const struct ice_manifest *manifest,
                                   const struct ice_manifest_entry *entry);

static inline void ice_wide_add(struct ice_wide *sum, uint64_t value) {
    sum->high += value >> 32;
    sum->low += value & UINT32_MAX;
}
static inline void ice_wide_sum(struct ice_wide *sum, const struct ice_wide *other) {
    sum->high += other->high;
    sum->low += other->low;
}
static inline void ice_wide_less(struct ice_wide *sum, const struct ice_wide *other) {
    sum->high -= other->high;
    sum->low -= other->low;
}
/* false: beyond INT64_MAX */
static inline bool ice_wide_value(const struct ice_wide *sum, int64_t *out) {
    uint64_t high = sum->high + (sum->low >> 32);
    if (high > INT32_MAX)
        return false;
    *out = (int64_t)(high << 32 | (sum->low & UINT32_MAX));
    return true;
}

#endif
