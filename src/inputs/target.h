/*
 * What a PATH argument is: a table directory, its metadata directory, or a lone file; and
 * which metadata file of a directory is current by names and hint.
 */
#ifndef ICE_INPUTS_TARGET_H
#define ICE_INPUTS_TARGET_H

#include "inputs/identify.h"
#include "source/mapping.h"

enum ice_target_kind {
    ICE_TARGET_TABLE,    /* directory whose "metadata" holds metadata files, or that
                            directory */
    ICE_TARGET_METADATA, /* one metadata.json */
    ICE_TARGET_LIST,     /* one manifest list */
    ICE_TARGET_MANIFEST, /* one manifest */
    ICE_TARGET_AVRO,     /* another Avro container */
    ICE_TARGET_EMPTY,    /* directory without metadata files */
    ICE_TARGET_OTHER,    /* something else: see `is` */
};

/* One metadata file of a directory. */
struct ice_metadata_name {
    struct ice_str name; /* file name */
    int64_t version;     /* number in the name, -1 if none */
    bool is_hadoop;      /* v<N>.metadata.json */
    bool is_gzip_name;
    bool is_temp; /* <uuid>.metadata.json: what a crashed commit leaves */
    struct ice_file_info info;
};

struct ice_target {
    enum ice_target_kind kind;
    enum ice_input_kind is;    /* of a lone file */
    struct ice_source *source; /* borrowed, or owned if owns_source */
    bool owns_source;
    struct ice_str table_root; /* key of the table directory, "" for the source's root */
    struct ice_str metadata_dir; /* key of the directory that holds the metadata files */
    struct ice_str file_key;     /* lone file: its key */
    struct ice_str argument;     /* as given */
    struct ice_str directory_name; /* last part of the table root's path, as found */
    struct ice_str root_path; /* absolute path of the source's root; empty: not known */
    bool is_stdin;            /* "-": the file has no name and stands nowhere */
    bool is_document;         /* it is the metadata inside a catalog's answer */
    struct ice_arena arena;
    struct ice_metadata_name *names; /* of metadata_dir, by version, then name */
    size_t n_names;
    bool has_hint;               /* version-hint.text is there */
    bool hint_readable;          /* ... and holds a number or a file name */
    int64_t hint_version;        /* -1 if it holds a name */
    struct ice_str hint_text;    /* its first line, without blanks around it */
    struct ice_error hint_fault; /* why it could not be read; status ICE_OK if it could */
    struct ice_str hint_temp;    /* a <uuid>-version-hint.temp, or empty */
    size_t n_hint_temps;
};

/*
 * Look at what root names in a source. ICE_ENOENT if there is nothing. The table root is
 * the parent of a directory called "metadata", else the directory that holds the metadata
 * files.
 */
enum ice_status ice_target_find(struct ice_target *out, struct ice_run *run,
                                struct ice_source *source, struct ice_str root,
                                struct ice_error *err);
/*
 * The same for a local path: opens a directory source of its own, at the table root. "-"
 * reads standard input into an unlinked temporary file first.
 */
enum ice_status ice_target_open(struct ice_target *out, struct ice_run *run,
                                const char *path, struct ice_error *err);
/*
 * For a target of kind EMPTY: take the metadata files of the directory with this key
 * (below the table root) for its own. Stays EMPTY where there are none.
 */
enum ice_status ice_target_look_in(struct ice_target *target, struct ice_run *run,
                                   struct ice_str key, struct ice_error *err);
/*
 * The same argument once more, as it is now. The source is that of old, which keeps it:

 */
enum ice_status ice_target_again(struct ice_target *out, const struct ice_target *old,
                                 struct ice_run *run, struct ice_error *err);
/* *target becomes *fresh, one of _again; what it was is released, the source goes over.
 */
void ice_target_replace(struct ice_target *target, struct ice_target *fresh);
/* Safe twice, on all-zero, and after a _find or _open that failed. */
void ice_target_release(struct ice_target *target);

/*
 * A file of the metadata directory by its name, whatever that is: its key in the arena,
 * or empty where there is none. ICE_ENOMEM.
 */
enum ice_status ice_target_find_file(const struct ice_target *target, struct ice_str name,
                                     struct ice_run *run, struct ice_arena *arena,
                                     struct ice_str *out_key, struct ice_error *err);

/* How findings name a key of the source: relative to the table root where inside it.
 * Borrowed. */
struct ice_str ice_target_file_name(const struct ice_target *target, struct ice_str key);

/*
 * Number in a metadata file's name: v12.metadata.json, 00012-uuid.metadata.json, gz
 * forms; -1. A name that is a UUID alone has none.
 */
int64_t ice_metadata_name_version(struct ice_str name, bool *out_is_hadoop);
/*
 * Does the name end as a metadata file's does (.metadata.json, .metadata.json.gz or .zst,
 * .gz.metadata.json)? Dot files (Hadoop checksums) are none. *out_is_gzip may be NULL.
 */
bool ice_is_metadata_name(struct ice_str name, bool *out_is_gzip);
/* The first line of a version hint, without blanks around it, in the arena. */
enum ice_status ice_hint_read(struct ice_source *source, struct ice_str key,
                              struct ice_run *run, struct ice_arena *arena,
                              struct ice_str *out_line,
                              struct ice_error *err) ICE_MUST_USE;
/* Does a hint's text name this file, with or without what metadata files end in? */
bool ice_is_hint_of(struct ice_str name, struct ice_str text);
/* Is the name, without its metadata suffix, a UUID and nothing else? */
bool ice_is_uuid_name(struct ice_str name);
/* Directory of a key ("" for a bare name) and the last part of it. */
struct ice_str ice_key_parent(struct ice_str key);
struct ice_str ice_key_name(struct ice_str key);
/* "directory/name" in the arena; directory may be "". ICE_ENOMEM. */
enum ice_status ice_key_join(struct ice_arena *arena, struct ice_str directory,
                             struct ice_str name, struct ice_str *out);

/*
 * table-uuid and location of a metadata file, read up to the later of them only, in the
 * arena; empty where it has none. Statuses as of opening and reading it.
 */
enum ice_status ice_metadata_peek_identity(struct ice_source *source, struct ice_str key,
                                           struct ice_run *run, struct ice_arena *arena,
                                           struct ice_str *out_uuid,
                                           struct ice_str *out_location,
                                           struct ice_error *err);

/*
 * last-updated-ms of a metadata file, read up to that key only: which of two files of one
 * version is newer. Statuses as of opening and reading it; ICE_DONE if it has none.
 */
enum ice_status ice_metadata_peek_updated(struct ice_source *source, struct ice_str key,
                                          struct ice_run *run, int64_t *out_ms,
                                          struct ice_error *err);

#endif
