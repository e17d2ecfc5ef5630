/*
 * The table behind an answer: pinned and read as a check does it, then walked list by
 * list and manifest by manifest. Faults of a file are told once and passed; rows before
 * and behind them still come.
 */
#ifndef ICE_ANSWER_TABLE_READER_H
#define ICE_ANSWER_TABLE_READER_H

#include "check/check.h"

/* Does not move between _open and _release: the check borrows run and target. */
struct ice_table_reader {
    struct ice_run run;
    struct ice_target target;
    struct ice_check check;
    const struct ice_metadata *metadata; /* of check; while a state is walked, its own */
    const struct ice_options *options;   /* never NULL */
    struct ice_options own_options;      /* where they are not those of the caller */
    /* name of the pinned file, where it could not be read and another stands in for it */
    struct ice_str replaced;
    struct ice_str given; /* path, borrowed: how messages name the argument */
    ice_trouble_fn on_trouble;
    void *user;
    struct ice_buf key;  /* scratch of the mapping */
    struct ice_buf path; /* the list that is being walked */
    uint64_t n_troubles;
};

/*
 * Find what path is and begin a check of it, nothing read yet. Fails only if there is no
 * such path. user is that of on_trouble (may be NULL).
 */
enum ice_status ice_table_reader_find(struct ice_table_reader *reader, const char *path,
                                      const struct ice_options *options,
                                      ice_trouble_fn on_trouble, void *user,
                                      struct ice_error *err);
/*
 * Find, pin and read. For a lone manifest list or manifest metadata is empty: look at
 * target.kind. Fails if there is nothing to answer from: no such path, no metadata file,
 * one that cannot be read at all, no Iceberg file. user is that of on_trouble (may be
 * NULL).
 */
enum ice_status ice_table_reader_open(struct ice_table_reader *reader, const char *path,
                                      const struct ice_options *options,
                                      bool want_summaries, ice_trouble_fn on_trouble,
                                      void *user, struct ice_error *err);
/*
 * As _open, but where the pinned metadata file cannot be read, that is told and the
 * newest of the directory that can be stands in for it: see replaced.
 */
enum ice_status ice_table_reader_open_readable(
    struct ice_table_reader *reader, const char *path, const struct ice_options *options,
    bool want_summaries, ice_trouble_fn on_trouble, void *user, struct ice_error *err);
/* The file that the catalog or the hint names is missing: an older one was read. */
bool ice_table_reader_lacks_current(const struct ice_table_reader *reader);
/* One broken place, to on_trouble. */
void ice_table_reader_tell(struct ice_table_reader *reader,
                           const struct ice_error *fault);
/* Safe twice and on all-zero. */
void ice_table_reader_release(struct ice_table_reader *reader);

/* Index of options.snapshot; without it of the current snapshot, SIZE_MAX if there is
 * none. */
enum ice_status ice_table_reader_snapshot(struct ice_table_reader *reader,
                                          size_t *out_index, struct ice_error *err);

/* No snapshot of that metadata file is current: tells it where that is a fault of it. */
void ice_tell_without_current(struct ice_table_reader *reader,
                              const struct ice_metadata *metadata, struct ice_str file);

/* A manifest as its list names it, or as a v1 snapshot names it itself. */
struct ice_listed_manifest {
    size_t snapshot;     /* in metadata.snapshots; SIZE_MAX: a lone file */
    struct ice_str path; /* as stored */
    const struct ice_manifest_list *list; /* NULL: no list names it */
    const struct ice_manifest_file *row;  /* NULL: no list names it */
};

/* An entry with its inherited values. */
struct ice_listed_entry {
    const struct ice_listed_manifest *listed;
    const struct ice_manifest *manifest;
    const struct ice_manifest_entry *entry;
    struct ice_effective effective;
    int32_t spec_id;
};

/* Borrowed until they return. Anything but ICE_OK ends the walk with that status. */
typedef enum ice_status (*ice_listed_manifest_fn)(
    const struct ice_listed_manifest *listed, void *context);
typedef enum ice_status (*ice_entry_fn)(const struct ice_listed_entry *entry,
                                        void *context);
/* Faults of the walk: stage is "manifest-list" or "manifest", path as stored. */
typedef enum ice_status (*ice_stage_fn)(const char *stage, const struct ice_error *fault,
                                        struct ice_str path, void *context);

/*
 * All manifests of a snapshot in list order; for a lone list SIZE_MAX. Faults are told;
 * those that leave nothing to read end the walk with ICE_OK. on_fault may be NULL.
 */
enum ice_status ice_walk_snapshot(struct ice_table_reader *reader, size_t snapshot,
                                  ice_listed_manifest_fn each, ice_stage_fn on_fault,
                                  void *context, struct ice_error *err);
/* All entries of a manifest in file order. */
enum ice_status ice_walk_manifest(struct ice_table_reader *reader,
                                  const struct ice_listed_manifest *listed,
                                  ice_entry_fn each, ice_stage_fn on_fault, void *context,
                                  struct ice_error *err);
/* Spec id of a manifest that no list names, from its own header; ICE_DONE if it is not
 * readable. */
enum ice_status ice_inline_spec_id(struct ice_table_reader *reader,
                                   const struct ice_listed_manifest *listed,
                                   int32_t *out_spec_id, struct ice_error *err);
/* The manifest that is the argument itself. */
struct ice_listed_manifest ice_lone_manifest(const struct ice_table_reader *reader);

static inline bool ice_listed_has(const struct ice_listed_manifest *listed,
                                  enum ice_list_bit bit) {
    return listed->row != NULL && ice_list_has(listed->list, listed->row, bit);
}
/* 0 data, 1 deletes */
static inline int32_t ice_listed_content(const struct ice_listed_manifest *listed) {
    return ice_listed_has(listed, ICE_LIST_content) ? listed->row->content : 0;
}

/* Paths met so far, as hashes: is this one new? */
struct ice_seen {
    struct ice_table table;
    uint64_t seed;
};
void ice_seen_init(struct ice_seen *seen, struct ice_run *run);
void ice_seen_release(struct ice_seen *seen);
enum ice_status ice_seen_add(struct ice_seen *seen, struct ice_str path, bool *out_is_new,
                             struct ice_error *err);

#endif
