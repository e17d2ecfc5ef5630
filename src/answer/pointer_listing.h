/*
 * What listings say of the metadata files of one table: by their names alone.
 */
#ifndef ICE_ANSWER_POINTER_LISTING_H
#define ICE_ANSWER_POINTER_LISTING_H

#include "base/buf.h"
#include "inputs/object_versions.h"
#include "inputs/target.h"

/* Where the metadata files of a table are, and how keys of listings lead there. */
struct ice_listed_place {
    struct ice_run *run;
    const struct ice_object_versions *versions; /* sorted */
    struct ice_str directory;                   /* URI of the metadata directory */
    struct ice_str base;                        /* --base, or empty */
    bool is_only;        /* no other table is looked at: relative keys are of this one */
    struct ice_buf *uri; /* scratch */
};

/* Is the object in that directory? *out_name: its name there. ICE_DONE: it is not. */
enum ice_status ice_listed_name(const struct ice_listed_place *place,
                                const struct ice_object_version *version,
                                struct ice_str *out_name);

/* What is there at a time (INT64_MAX: now). Texts are borrowed from the versions. */
struct ice_listed_metadata {
    bool is_seen;          /* a metadata file of the directory is listed at all */
    struct ice_str newest; /* of what is there: the highest version; or empty */
    int64_t newest_version;
    int64_t newest_ms; /* when it was put there, INT64_MIN: unknown */
    bool has_wanted;   /* the file that was asked for is there */
    int64_t wanted_ms; /* ... since then, INT64_MIN: unknown */
    int64_t last_ms;   /* newest time of any of them */
};
enum ice_status ice_listed_metadata_at(const struct ice_listed_place *place,
                                       struct ice_str wanted, int64_t time_ms,
                                       struct ice_listed_metadata *out);

/*
 * The file of the highest number that is there now and not in the target's directory,
 * numbered as `current` is, above its number, and not put there before min_ms (INT64_MIN:
 * whenever). Empty: there is none.
 */
enum ice_status ice_listed_newer(const struct ice_listed_place *place,
                                 const struct ice_target *target, struct ice_str current,
                                 int64_t min_ms, struct ice_str *out) ICE_MUST_USE;

#endif
