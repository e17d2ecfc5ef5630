/*
 * Listings: which objects exist, as tools print them. Read as a stream, one object after
 * another; nothing is kept of them. Keys are given as they stand: no text form is
 * decoded.
 *
 *   listing.c         opening, recognising, dispatching
 *   listing_detect.c  telling forms of JSON apart
 *   listing_item.h    one object, value by value, for those that name their values
 *   listing_json.c    JSON, NDJSON, concatenated pages
 *   listing_text.c    one line an object
 *   listing_lines.h   ... form by form
 *   listing_details.c some lines an object
 *   listing_table.c   CSV and TSV with a header
 *   listing_inventory.c S3 Inventory: a manifest, and CSV files without a header
 *   listing_time.c    times
 */
#ifndef ICE_INPUTS_LISTING_H
#define ICE_INPUTS_LISTING_H

#include "base/arena.h"
#include "base/buf.h"
#include "source/source.h"

enum ice_listing_format {
#define ICE_LISTING(token, name, scope, what) ICE_LISTING_##token,
#include "inputs/listings.def"
#undef ICE_LISTING
    ICE_LISTING_COUNT
};

/* What a key without a scheme stands below. */
enum ice_key_scope {
    ICE_KEY_URI,      /* none: keys are URIs */
    ICE_KEY_BUCKET,   /* the bucket: the key is whole */
    ICE_KEY_RELATIVE, /* a prefix that the listing does not name, and covers */
};

struct ice_listed {
    struct ice_str key; /* as it stands */
    bool has_size;
    uint64_t size;
    int64_t mtime_ms;          /* INT64_MIN: unknown */
    bool is_old;               /* a version that is not the latest: nobody sees it */
    bool is_deleted;           /* a delete marker */
    bool is_latest;            /* the listing says so of this version or marker */
    bool is_record;            /* of a journal: it was so then */
    struct ice_str version_id; /* or generation */
    struct ice_str etag;       /* or MD5: equal for equal bytes, mostly; or empty */
    bool is_gone;              /* of an old version: deleted, and may be brought back */
    struct ice_str by;         /* who did it, in words; or empty */
};
/* object is borrowed. Anything but ICE_OK stops the reading with that status. */
typedef enum ice_status (*ice_listed_fn)(const struct ice_listed *object, void *user);

struct ice_listing_options {
    bool has_zone;
    int zone_minutes; /* east of UTC, for times that name no zone */
};

/* One listing, open; what it says about itself is known when it has been read. */
struct ice_listing {
    struct ice_run *run;
    struct ice_source *source;
    struct ice_str directory; /* it lies in; empty: standard input, or the root */
    struct ice_str key;
    struct ice_arena arena;
    enum ice_listing_format format;
    struct ice_listing_options options;

    /* found out by reading */
    uint64_t n_objects;     /* told so far, directories and old versions not counted */
    uint64_t n_bad;         /* lines or items that are no object */
    const char *partial;    /* why it is not whole, or NULL */
    bool is_open;           /* its last line has no end: known before partial is */
    bool has_local_times;   /* a time named no zone, and none was given */
    bool is_url_encoded;    /* keys are percent-encoded (EncodingType) */
    bool has_utc_times;     /* times without a zone are of UTC */
    bool is_journal;        /* it tells what was done, not what is there */
    int64_t taken_ms;       /* as it says; INT64_MIN: it does not */
    struct ice_str bucket;  /* as raw pages name it, or empty */
    struct ice_str prefix;  /* ... */
    struct ice_str *covers; /* URIs, of our own form */
    size_t n_covers, cap_covers;
};

/*
 * Open the file ("-": standard input) and tell its format from its first bytes, or take
 * the one named (NULL: none). Faults of opening as of sources; ICE_EARG where it is no
 * listing that is known, with the way out in the message.
 */
enum ice_status ice_listing_open(struct ice_listing *listing, struct ice_run *run,
                                 const char *path, const char *format,
                                 const struct ice_listing_options *options,
                                 struct ice_error *err);
/* Safe twice, on all-zero, and after an _open that failed. */
void ice_listing_release(struct ice_listing *listing);

/* Read it from its start; may be called again. ICE_EFORMAT, ICE_EIO, ICE_ELIMIT: it
 * broke off there. */
enum ice_status ice_listing_read(struct ice_listing *listing, ice_listed_fn each,
                                 void *user, struct ice_error *err);

/* The same from a stream of its bytes, inflated; needs run, arena, format and options
 * only. */
enum ice_status ice_listing_read_stream(struct ice_listing *listing,
                                        struct ice_stream *stream, ice_listed_fn each,
                                        void *user, struct ice_error *err);

/* From its first bytes (64 KiB, inflated); COUNT: none that is known. Pure, but
 * a guess where ice_alloc_refusals has grown meanwhile. */
enum ice_listing_format ice_listing_detect(struct ice_run *run, struct ice_str first);
enum ice_key_scope ice_listing_scope(enum ice_listing_format format);
/* "s3-ls" ... and what it is, in words. */
const char *ice_listing_name(enum ice_listing_format format);
const char *ice_listing_what(enum ice_listing_format format);

/* ---- between the files of this folder ---- */

/* Hand one object out. */
enum ice_status ice_listing_tell(struct ice_listing *listing,
                                 const struct ice_listed *object, ice_listed_fn each,
                                 void *user);
enum ice_status ice_listing_read_json(struct ice_listing *listing,
                                      struct ice_stream *stream, ice_listed_fn each,
                                      void *user, struct ice_error *err);
enum ice_status ice_listing_read_text(struct ice_listing *listing,
                                      struct ice_stream *stream, ice_listed_fn each,
                                      void *user, struct ice_error *err);
enum ice_status ice_listing_read_table(struct ice_listing *listing,
                                       struct ice_stream *stream, ice_listed_fn each,
                                       void *user, struct ice_error *err);
enum ice_status ice_listing_read_details(struct ice_listing *listing,
                                         struct ice_stream *stream, ice_listed_fn each,
                                         void *user, struct ice_error *err);
enum ice_status ice_listing_read_inventory(struct ice_listing *listing,
                                           struct ice_stream *stream, ice_listed_fn each,
                                           void *user, struct ice_error *err);
enum ice_listing_format ice_listing_detect_json(struct ice_run *run,
                                                struct ice_str first);
enum ice_listing_format ice_listing_detect_text(struct ice_str first);
/* Is the first line the header of a table that names a path and a size? Or of a journal?
 */
bool ice_listing_is_table(struct ice_str first, bool *out_is_journal);
/* A URL, and below it the time of its creation? */
bool ice_listing_is_details(struct ice_str first);

/*
 * ISO 8601 with or without a zone, seconds or ms since 1970. false: it is no time. A time
 * without a zone is taken as of options, and noted.
 */
bool ice_listing_time(struct ice_listing *listing, struct ice_str text, int64_t *out_ms);
/* The same without a listing; *out_has_zone: the text names its zone. */
bool ice_time_of_text(struct ice_str text, const struct ice_listing_options *options,
                      int64_t *out_ms, bool *out_has_zone);
/* All of text as a number of bytes. */
bool ice_listing_size(struct ice_str text, uint64_t *out);

#endif
