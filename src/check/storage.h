/*
 * What storage must hold, as sorted hashes, and objects that stream past it: pass 5 and
 * the answer of `orphans`.
 *
 *   storage_keys.c      the keys: 32 bytes a file that metadata or a live entry names
 *   storage_group.c     tables that are joined with the same listings
 *   storage_stream.c    objects of the mapped tree and of listings, one after another
 *   storage_listing.c   ... of listings
 *   storage_objects.c   one object against the keys
 *   storage_missing.c   keys that no object had: their names, and what became of them
 *   storage_spelling.c  ... by another spelling
 *   storage_place.c     where a finding about a key stands
 *   storage_versions.c  old versions of objects: to fetch back, or written over
 *   storage_times.c     objects later than the commits that name them
 *   storage_foreign.c   metadata files of other tables among the objects
 *   pass5_storage.c     the pass
 *
 * Memory grows with the keys, and up to a cap with objects that nobody names; never with
 * the listing.
 */
#ifndef ICE_CHECK_STORAGE_H
#define ICE_CHECK_STORAGE_H

#include "check/manifest_walk.h"
#include "check/row_place.h"

enum ice_storage_kind {
    ICE_STORED_DATA,
    ICE_STORED_DELETES,
    ICE_STORED_MANIFEST,
    ICE_STORED_LIST,
    ICE_STORED_STATISTICS,
    ICE_STORED_METADATA,     /* the file being judged */
    ICE_STORED_METADATA_LOG, /* one of its log */
    ICE_STORED_UNFOUND, /* the copy lacks it: owner is its index, record that of the URI
                         */
};

enum {
    ICE_STORAGE_SEEN = 1,     /* an object has this name */
    ICE_STORAGE_SIZED = 2,    /* size is known */
    ICE_STORAGE_OLD = 4,      /* an old version has this name */
    ICE_STORAGE_TWICE = 8,    /* ... and there is one more */
    ICE_STORAGE_TIMED = 16,   /* the object has a time */
    ICE_STORAGE_NEWER = 32,   /* ... later than a commit that names it */
    ICE_STORAGE_OUTSIDE = 64, /* on its way: outside of its table, which is in a group */
};

struct ice_storage_key {
    struct ice_hash hash; /* of the folded URI */
    uint32_t size_low;    /* 48 bits of size */
    uint16_t size_high;
    uint8_t kind, flags;
    uint32_t owner;  /* manifest number, snapshot number, index of statistics or log */
    uint32_t record; /* of an entry in its manifest */
};
static inline uint64_t ice_storage_size(const struct ice_storage_key *key) {
    return (uint64_t)key->size_high << 32 | key->size_low;
}

struct ice_listed;   /* inputs/listing.h */
struct ice_versions; /* storage_versions.c */

/* An object that a listing or the tree holds. */
struct ice_stored_object {
    struct ice_str uri;   /* folded, as keys are hashed */
    struct ice_hash hash; /* of uri */
    uint64_t size;
    bool has_size;
    int64_t mtime_ms; /* INT64_MIN: unknown, or not to be trusted */
    int64_t slack_ms; /* by which the time may be off (a listing in local time) */
    bool is_local;    /* of the tree */
    bool is_old;      /* a version that nobody sees, or a delete marker */
    const struct ice_listed *listed; /* as the listing tells it; NULL: of the tree */
};
typedef enum ice_status (*ice_stored_fn)(struct ice_check *ck,
                                         const struct ice_stored_object *object,
                                         void *user);

/* Class of an object by its name alone. */
enum ice_object_class {
    ICE_CLASS_DATA,
    ICE_CLASS_DELETE,
    ICE_CLASS_MANIFEST,
    ICE_CLASS_LIST,
    ICE_CLASS_METADATA,
    ICE_CLASS_STATISTICS,
    ICE_CLASS_TEMP,
    ICE_CLASS_UNKNOWN,
    ICE_CLASS_COMPANION, /* checksums, version hint: goes with another file */
};

struct ice_orphan {
    struct ice_str uri; /* folded; in the arena */
    int64_t size;       /* -1 unknown */
    int64_t mtime_ms;
    enum ice_object_class class;
    bool is_young; /* below --grace */
    bool is_named; /* a missing file by another spelling */
};

/* Objects later than the commits that name them, of one kind. */
struct ice_late {
    uint64_t n;         /* of them */
    int64_t least_ms;   /* the earliest of their times */
    struct ice_str uri; /* the first that was told; in the arena */
    size_t key;
    int64_t time_ms;
};

/* What listings and trees say of themselves, the same for all tables beside them. */
struct ice_storage_inputs {
    struct ice_arena arena;
    /* folded URIs that listings cover begin so; the tree covers what is mapped */
    struct ice_str *covers;
    size_t n_covers, cap_covers;
    int64_t newest_ms; /* of all listed objects, INT64_MIN: no times */
    int64_t
        taken_ms; /* when listings that say so were taken, the earliest; or INT64_MIN */
    int64_t slack_ms;
    bool is_partial;  /* of any listing */
    bool has_gap;     /* part of the tree could not be listed */
    bool has_listing; /* one was read whole */
    bool has_journal;
    bool is_streamed; /* once, whole: what is read again adds nothing to the above */
    struct ice_listing_base *bases; /* by listing; in the arena */
    const char *why_partial;
    struct ice_str partial_file;
    /* folded: the last key of the only listing, where its keys ascend and nothing shows
     * that it is whole; else empty */
    struct ice_str ends_at;
};

/*
 * Tables that are joined with the same listings in one pass: one, or all that `orphans`
 * is called for. What one of them names is no orphan of another, and what nobody names is
 * told to the innermost table that it lies in. Runs of all have one hash seed.
 */
struct ice_storage_group {
    struct ice_alloc *alloc;
    struct ice_check **checks; /* borrowed */
    size_t n, capacity;
    struct ice_table by_root;     /* index by hash of the folded location */
    struct ice_table outside;     /* index by hash of a key outside of its location */
    const struct ice_check *only; /* the one table that is told; NULL: all */
    struct ice_storage_inputs in;
};

enum { ICE_STORAGE_OWN = 64 };

/* Writers' clocks and that of storage may differ by so much. */
enum { ICE_CLOCKS_APART_MS = 3600000 };

/* What was found out about a listing when it was read first. */
struct ice_listing_base {
    bool is_known;
    bool is_encoded;     /* its keys are percent-encoded */
    struct ice_str base; /* that its keys stand below; empty: they are URIs */
};

struct ice_storage {
    struct ice_storage_group *group; /* never NULL */
    struct ice_storage_group own_group;
    uint32_t index;        /* in the group */
    struct ice_str lender; /* a table that names files in here, and was not read whole */
    struct ice_storage_key *keys;
    size_t n, capacity;
    size_t *first;   /* by the first 16 bits of the hash, 65537 of them; NULL: few keys */
    uint64_t *maybe; /* a bit for each hash that is there, and for some more; NULL: few */
    size_t maybe_mask;
    bool sorted;
    struct ice_buf folded; /* scratch */
    struct ice_arena arena;

    struct ice_orphan *orphans;
    size_t n_orphans, cap_orphans;
    uint64_t more_orphans[ICE_CLASS_COMPANION]; /* beyond the cap, by class */
    struct ice_str *foreign; /* roots of other tables seen below the location, folded */
    size_t n_foreign, cap_foreign;
    struct ice_table foreign_by_root;
    struct ice_str own[ICE_STORAGE_OWN]; /* directories of lists, manifests and the log */
    size_t n_own;
    bool has_outside_live; /* a live file lies outside of the location, or in another
                              table inside it */
    struct ice_versions *versions; /* storage_versions.c; NULL: nothing was looked for */
    struct ice_late late[2];       /* data and delete files; manifests and lists */
    struct ice_str newer; /* the metadata file of the highest later version, or empty */
    int64_t newer_version;
    bool newer_is_young;
    size_t n_peeked;            /* files of higher versions that were opened */
    struct ice_str other_table; /* ... one of another table, older than this state */
    uint64_t n_outside;         /* referenced, outside of what is covered */
    struct ice_str outside;     /* ... the first of them */
    struct ice_str unsized;     /* a file of the tree that cannot be opened, the first */
    uint64_t n_unknown;         /* ... of commits later than the listing */
};

/* Is there anything to compare with? */
bool ice_storage_is_asked(const struct ice_check *ck);

/* Before pass 3; nothing where storage is not asked. group NULL: the table alone. */
enum ice_status ice_storage_open(struct ice_check *ck,
                                 struct ice_storage_group *group) ICE_MUST_USE;
void ice_storage_free(struct ice_check *ck);
/* A live entry of a manifest of the table, where it is decoded: a row of its unit. */
enum ice_status
ice_storage_add_entry(struct ice_manifest_walk *walk,
                      const struct ice_manifest_entry *entry) ICE_MUST_USE;
/* Those rows, of a manifest; again where memory ran out. */
struct ice_unit_rows;
enum ice_status ice_storage_join_keys(struct ice_check *ck, uint32_t manifest,
                                      struct ice_unit_rows *rows) ICE_MUST_USE;
/* Adds what metadata names, and sorts. Behind pass 3. */
enum ice_status ice_storage_sort(struct ice_check *ck, struct ice_error *err);
/* The keys of a hash: *out_n of them from the returned index on. */
size_t ice_storage_find(const struct ice_storage *storage, struct ice_hash hash,
                        size_t *out_n);

/* How findings name a URI: relative to the location where inside it. Borrowed. */
struct ice_str ice_storage_name(const struct ice_check *ck, struct ice_str uri);
/* Younger than --grace: a commit or a copy may be under way. */
bool ice_storage_is_young(const struct ice_check *ck, int64_t time_ms, int64_t slack_ms);

/* Fold as keys are folded; the text is borrowed until the next call. */
enum ice_status ice_storage_fold(struct ice_check *ck, struct ice_str uri,
                                 struct ice_str *out) ICE_MUST_USE;
struct ice_hash ice_storage_hash(const struct ice_check *ck, struct ice_str folded);

/* ---- storage_group.c ---- */

enum ice_status ice_storage_group_init(struct ice_storage_group *group,
                                       struct ice_alloc *alloc, size_t n_listings);
/* Safe twice and on all-zero. */
void ice_storage_group_release(struct ice_storage_group *group);
/* A table, when its storage is opened; its location is known. */
enum ice_status ice_storage_group_add(struct ice_storage_group *group,
                                      struct ice_check *ck) ICE_MUST_USE;
/* Is a key of a table, folded, for the group to know? */
bool ice_storage_group_is_outside(const struct ice_check *ck, struct ice_str folded);
/* Does any table name it? */
bool ice_storage_group_names(const struct ice_storage_group *group, struct ice_str folded,
                             struct ice_hash hash);
/* An object to the tables that it is about; walked: the table whose tree holds it, which
 * then is the only one, or NULL. */
enum ice_status ice_storage_group_tell(struct ice_storage_group *group,
                                       struct ice_check *walked,
                                       const struct ice_stored_object *object,
                                       ice_stored_fn each, void *user) ICE_MUST_USE;

/* Every object of the tree (--storage local) and of the listings, one after another, to
 * all tables of the group. */
enum ice_status ice_storage_stream(struct ice_check *ck, ice_stored_fn each, void *user,
                                   struct ice_error *err);
/* The tree of one table alone. */
enum ice_status ice_storage_walk_tree(struct ice_check *ck, ice_stored_fn each,
                                      void *user, struct ice_error *err);
/* Does what was streamed cover this (folded) URI? */
bool ice_storage_covers(const struct ice_check *ck, struct ice_str folded);
enum ice_status ice_storage_add_cover(struct ice_check *ck,
                                      struct ice_str folded) ICE_MUST_USE;

/* One object against the keys: marks, sizes, candidates. An ice_stored_fn. */
enum ice_status ice_storage_object(struct ice_check *ck,
                                   const struct ice_stored_object *object, void *user);
enum ice_object_class ice_object_class_of(struct ice_str name, bool in_metadata);
const char *ice_object_class_name(enum ice_object_class class);
/* Is it below the table's location and its candidate for an orphan? */
bool ice_storage_is_candidate(struct ice_check *ck,
                              const struct ice_stored_object *object,
                              enum ice_object_class *out_class);
/* A metadata file that nobody names: of a later version, or of another table? */
enum ice_status
ice_storage_see_metadata(struct ice_check *ck,
                         const struct ice_stored_object *object) ICE_MUST_USE;
/* Index of the root of another table that it lies below, the innermost; or SIZE_MAX. */
size_t ice_storage_foreign_of(const struct ice_check *ck, struct ice_str folded);
/* path.sibling-prefix, storage.file.foreign-table; may stream once more. */
enum ice_status ice_storage_report_foreign(struct ice_check *ck, struct ice_error *err);

/* Where a finding about a key stands; member: of its entry, or NULL. */
void ice_storage_place(const struct ice_check *ck, const struct ice_storage_key *key,
                       const char *member, struct ice_row_place *out);
/* Time of the commit that names the file first, of the kept ones; INT64_MIN unknown. */
int64_t ice_storage_committed(const struct ice_check *ck,
                              const struct ice_storage_key *key);

/* An old version or a delete marker of the keys [at, at + n). */
void ice_storage_see_version(struct ice_storage *storage, size_t at, size_t n,
                             const struct ice_stored_object *object);
/* Stream once more, where that helps, for versions of what is missing or written over. */
enum ice_status ice_storage_find_versions(struct ice_check *ck, struct ice_error *err);
void ice_storage_free_versions(struct ice_check *ck);
/* storage.file.recoverable, where an old version of it is there. */
enum ice_status ice_storage_report_recoverable(struct ice_check *ck,
                                               struct ice_str folded, struct ice_str name,
                                               const struct ice_place *at) ICE_MUST_USE;
/* storage.file.overwritten. */
enum ice_status ice_storage_report_overwritten(struct ice_check *ck) ICE_MUST_USE;

/* The time of an object of the keys [at, at + n). */
enum ice_status ice_storage_see_time(struct ice_check *ck, size_t at, size_t n,
                                     const struct ice_stored_object *object) ICE_MUST_USE;
/* storage.file.newer; may stream once more. */
enum ice_status ice_storage_report_newer(struct ice_check *ck, struct ice_error *err);

/* Keys without an object: storage.*.missing and their kin. */
enum ice_status ice_storage_missing(struct ice_check *ck, struct ice_error *err);
/* Why no file can be called an orphan; NULL: it can. */
const char *ice_storage_blocked(const struct ice_check *ck);
/* Why others may need files in here that this state does not name; NULL: nobody does. */
const char *ice_storage_shared(const struct ice_check *ck);
/* Candidates, once all is known: storage.orphan.*. */
void ice_storage_report_orphans(struct ice_check *ck);

/* storage.listing.partial, storage.listing.older. */
void ice_storage_report_inputs(struct ice_check *ck);

/* Passes 2 and 3 up to sorted keys, for answers; the metadata file was read. What the
 * copy lacks is held (unfound.h). */
enum ice_status ice_storage_collect(struct ice_check *ck, struct ice_storage_group *group,
                                    struct ice_error *err);
enum ice_status ice_pass5_storage(struct ice_check *ck, struct ice_error *err);

#endif
