/*
 * What a versioned bucket remembers of a table's pointers: every version of metadata
 * files and of version-hint.text, as `list-object-versions` and its kin tell them. From
 * these times it follows which metadata file was there, or was hinted at, at a moment.
 *
 * Data files, lists and manifests are not kept: memory grows with the versions of small
 * files, up to a cap.
 */
#ifndef ICE_INPUTS_OBJECT_VERSIONS_H
#define ICE_INPUTS_OBJECT_VERSIONS_H

#include "inputs/listing.h"

struct ice_object_version {
    struct ice_str key;        /* as the listing has it: whole, without a bucket if the
                                  listing names none */
    struct ice_str version_id; /* or generation; empty: not told. S3 has "null" too */
    int64_t time_ms;           /* of this version or marker; INT64_MIN: unknown */
    uint64_t size;             /* valid with has_size */
    bool has_size;
    bool is_latest;           /* false as well where the listing does not tell */
    bool is_deleted;          /* a delete marker: from time_ms on nothing is there */
    enum ice_key_scope scope; /* what the key stands below */
};

/* All texts live in the arena. */
struct ice_object_versions {
    struct ice_run *run;
    struct ice_arena arena;
    struct ice_object_version *items; /* sorted by _sort; before it as they came */
    size_t n, capacity;
    enum ice_key_scope scope; /* of the listing that is being read */
    uint64_t n_more;          /* beyond the cap, not kept */
    const char *partial;      /* why a listing was not whole, or NULL */
    bool has_local_times;     /* a time named no zone, and none was given */
    bool has_markers_or_old;  /* something but latest versions was listed */
};

void ice_object_versions_init(struct ice_object_versions *versions, struct ice_run *run);
/* Safe twice and on all-zero. */
void ice_object_versions_release(struct ice_object_versions *versions);

/* Is it a name whose versions are kept: of a metadata file, or version-hint.text? */
bool ice_is_pointer_name(struct ice_str key);

/* Keep what a listing tells, where its name counts. ICE_OK or ICE_ENOMEM. */
enum ice_status ice_object_versions_add(struct ice_object_versions *versions,
                                        const struct ice_listed *object) ICE_MUST_USE;
/*
 * Read a listing of any form to its end ("-": standard input), and sort. Listings without
 * versions give one version a key. Statuses as of ice_listing_open and _read; after a
 * failure what was read before it is there, sorted.
 */
enum ice_status ice_object_versions_read(struct ice_object_versions *versions,
                                         const char *path, const char *format,
                                         const struct ice_listing_options *options,
                                         struct ice_error *err);
/* By key, then oldest first; unknown times in front; equal repeats are dropped. */
void ice_object_versions_sort(struct ice_object_versions *versions);

/*
 * The version of a key that counted at a moment, sorted before: the last one not later
 * than it. NULL: none was there yet, or none is known. A delete marker is returned as
 * such.
 */
const struct ice_object_version *
ice_object_versions_at(const struct ice_object_versions *versions, struct ice_str key,
                       int64_t time_ms);
/* The first of the versions of a key, and how many; 0: none. Sorted before. */
size_t ice_object_versions_find(const struct ice_object_versions *versions,
                                struct ice_str key, size_t *out_n);

#endif
