/*
 * icefsck.h - check Apache Iceberg tables from their metadata files.
 *
 * The one installed header. Handles are opaque, nothing is global, no function keeps a
 * pointer to the caller's memory unless it says so. An object belongs to one thread at a
 * time; different runs may run in parallel. Strings carry their length, are not ended by
 * NUL, and are borrowed unless a comment says otherwise.
 */
#ifndef ICEFSCK_H
#define ICEFSCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ICE_API __attribute__((visibility("default")))

/* ---- results ------------------------------------------------------------------------
 */

enum ice_status {
    ICE_DONE = 1, /* iterator: no more records */
    ICE_OK = 0,
    ICE_EARG = -1,         /* wrong use of this API */
    ICE_ENOMEM = -2,       /* the allocator refused, or limits.memory would be passed */
    ICE_EIO = -3,          /* the source failed; the table may be fine */
    ICE_ENOENT = -4,       /* no such file in the source */
    ICE_EFORMAT = -5,      /* the bytes are not what they claim to be */
    ICE_EUNSUPPORTED = -6, /* legal, but not built in */
    ICE_ELIMIT = -7,       /* a limit of struct ice_limits was reached */
    ICE_ECANCELLED = -8,   /* a callback or a signal asked to stop */
};

/* Name of a status, for messages: "ok", "out of memory" ... */
ICE_API const char *ice_status_name(enum ice_status status);

#define ICE_NO_OFFSET UINT64_MAX

/* Bytes with their length. May hold NUL and need not be UTF-8. data may be NULL if size
 * is 0. */
struct ice_str {
    const char *data;
    size_t size;
};

/*
 * Why a call failed. Caller's storage, nothing to free, NULL is accepted everywhere.
 * The first writer wins: outer layers do not overwrite what the inner one knows.
 */
struct ice_error {
    enum ice_status status;
    /* catalogue id of this fault ("avro.length", "limit.depth"), or NULL */
    const char *rule;
    uint64_t offset; /* byte in the file (in the inflated text of a gzip metadata.json) */
    uint32_t line, column; /* JSON, counted from 1; else 0 */
    char file[256];        /* long keys keep their end */
    char pointer[128];     /* RFC 6901, "" if unknown */
    char message[256];     /* lower case, no full stop, untrusted bytes escaped */
};

/* ---- memory and limits --------------------------------------------------------------
 */

/* realloc(user, NULL, 0, n) allocates, realloc(user, p, n, 0) frees and returns NULL. */
struct ice_allocator {
    void *(*realloc)(void *user, void *pointer, size_t old_size, size_t new_size);
    void *user;
};

/* Every limit on input; defaults in src/base/limits.def. 0 means the default. */
struct ice_limits {
    /* the members, one a line; kept equal to src/base/limits.def by a test */
    uint64_t json_depth;         /* nested arrays and objects */
    uint64_t json_string_bytes;  /* one string */
    uint64_t json_key_bytes;     /* one key */
    uint64_t json_number_bytes;  /* one number token */
    uint64_t avro_depth;         /* nesting of an Avro schema or datum */
    uint64_t avro_schema_bytes;  /* JSON text of a header schema */
    uint64_t avro_schema_nodes;  /* nodes of a header schema */
    uint64_t avro_header_keys;   /* entries of the header map */
    uint64_t avro_header_bytes;  /* bytes of the header map in all */
    uint64_t block_packed_bytes; /* one block as stored */
    uint64_t block_bytes;        /* one block inflated */
    uint64_t inflate_ratio;      /* inflated bytes a stored byte, plus 64 KiB */
    uint64_t zstd_window_log;    /* log2 of the largest zstd window */
    uint64_t zero_size_items;    /* items of zero bytes in one datum */
    uint64_t file_bytes;         /* one file, inflated */
    uint64_t path_bytes;         /* one key */
    uint64_t memory;             /* bytes allocated in all */
    uint64_t findings_per_file;  /* ... of one rule in one file; UINT64_MAX: all */
    uint64_t findings_per_rule;  /* kept findings of one rule in one table */
    uint64_t findings_per_table; /* kept findings of one table */
};

/* Name, meaning and default of the index-th limit; false beyond the last. */
ICE_API bool ice_limit_at(size_t index, const char **out_name, const char **out_what,
                          uint64_t *out_value);

/* ---- the catalogue -------------------------------------------------------------------
 */

enum ice_severity { ICE_OFF = 0, ICE_INFO = 1, ICE_WARN = 2, ICE_ERROR = 3 };

enum ice_rule_status {
    ICE_RULE_ACTIVE = 0,
    ICE_RULE_NOT_DECIDABLE = 1,
    ICE_RULE_RETIRED = 2
};

/* versions: bit n = table format version n. needs: inputs the rule rests on. */
enum {
    ICE_V1 = 1 << 1,
    ICE_V2 = 1 << 2,
    ICE_V3 = 1 << 3,
    ICE_V4 = 1 << 4,
    ICE_VALL = ICE_V1 | ICE_V2 | ICE_V3 | ICE_V4,
};
enum {
    ICE_NEEDS_METADATA = 1 << 0, /* metadata.json */
    ICE_NEEDS_LIST = 1 << 1,     /* manifest lists */
    ICE_NEEDS_MANIFEST = 1 << 2, /* manifests */
    ICE_NEEDS_FILES = 1 << 3,    /* several files of one snapshot together */
    ICE_NEEDS_STORAGE = 1 << 4,  /* a listing, or the mapped tree */
    ICE_NEEDS_CATALOG = 1 << 5,  /* a catalog pointer or version hint */
    ICE_NEEDS_HISTORY = 1 << 6,  /* several metadata.json files */
    ICE_NEEDS_PUFFIN = 1 << 7,   /* Puffin footers and blobs */
    ICE_NEEDS_CONF = 1 << 8,     /* configuration, read by ice_lint_conf */
};

struct ice_rule {
    const char *name;           /* "list.files-count.mismatch": stable */
    enum ice_severity severity; /* by default; a site may report it lower */
    bool demoted; /* a MUST that writers break harmlessly: --strict says error */
    bool refused; /* a mainstream reader refuses or answers wrongly: --profile reader */
    unsigned versions;      /* ICE_V1 ... */
    unsigned needs;         /* ICE_NEEDS_... */
    const char *spec;       /* anchor in the Iceberg table spec, "" for practice */
    const char *message;    /* template, {name} stands for an argument; of
                               {name|one|many} the first word if it is the number 1 */
    const char *why;        /* why it matters */
    const char *refused_by; /* readers that refuse it, "" if not known */
    const char *fix;        /* the way out */
    enum ice_rule_status status;
    uint16_t group; /* group of the catalogue it stands in, 1 ... */
};

ICE_API size_t ice_rule_count(void);
ICE_API const struct ice_rule *ice_rule_at(size_t index); /* NULL beyond the end */
/* By name or by a former name; NULL if there is none. */
ICE_API const struct ice_rule *ice_rule_find(const char *name);
/* The known name nearest to a misspelt one, or NULL if none is near. */
ICE_API const struct ice_rule *ice_rule_nearest(const char *name);
/* Shell-style match of "storage.*" against a rule name. */
ICE_API bool ice_rule_matches(const char *glob, const char *name);
ICE_API const char *ice_severity_name(enum ice_severity severity);
/* Title of a catalogue group ("JSON and the metadata file itself"), NULL if there is
 * none. */
ICE_API const char *ice_rule_group_title(unsigned group);

/* ---- symptoms: what people see, and the rules that may explain it --------------------
 */

/* Symptoms are counted from 0, in the order in which causes are to be ruled out. NULL
 * beyond the end. */
ICE_API size_t ice_symptom_count(void);
ICE_API const char *ice_symptom_name(size_t symptom);  /* "SHOW TABLES is empty" */
ICE_API const char *ice_symptom_about(size_t symptom); /* what it means */
/* Its index-th rule, likeliest first, and what to run, likeliest to help first. */
ICE_API const struct ice_rule *ice_symptom_rule(size_t symptom, size_t index);
ICE_API const char *ice_symptom_command(size_t symptom, size_t index);
/* Are all words that a person typed about this symptom? Letter case, order and words
 * such as "the" do not matter. */
ICE_API bool ice_symptom_is_about(size_t symptom, struct ice_str typed);

/* ---- answers: what typed words are about
 * -------------------------------------------- */

enum ice_answer_kind { ICE_ANSWER_SYMPTOM, ICE_ANSWER_COMMAND, ICE_ANSWER_RULE };

struct ice_answer {
    enum ice_answer_kind kind;
    size_t index;   /* of ice_symptom_name, ice_question_at or ice_rule_at */
    unsigned share; /* of what was typed and is known, rare words more: 0 to 100 */
    uint32_t score; /* to be compared with others of the kind */
};
/* What words of a person are about, best first: how many, at most n. Order and form of
 * the words do not matter, nor those that no text has. The work is bounded for any text.
 */
ICE_API size_t ice_answers(enum ice_answer_kind kind, struct ice_str words,
                           struct ice_answer *out, size_t n);
/* The index-th question that a command answers, and what to type; false beyond the last.
 */
ICE_API bool ice_question_at(size_t index, const char **out_question,
                             const char **out_line);

/*
 * Looks for symptoms and names of rules in a log or stack trace of any size, in constant
 * memory. Feed it in pieces; the first _next ends the log.
 */
struct ice_log_search;

struct ice_log_hit {
    const struct ice_rule *rule; /* the log names a rule; NULL: it shows a symptom */
    size_t symptom;
    uint64_t line; /* from 1, where it is seen best */
    uint64_t n;    /* how often it is seen */
    bool is_cause; /* in the innermost "Caused by" of a trace */
};

ICE_API enum ice_status ice_log_search_open(struct ice_log_search **out,
                                            const struct ice_allocator *allocator,
                                            struct ice_error *err);
ICE_API void ice_log_search_feed(struct ice_log_search *search, const void *data,
                                 size_t size);
/* Rules that are named first, then symptoms: innermost causes, what stands alone, what
 * wraps a cause. Each once; false behind the last. */
ICE_API bool ice_log_search_next(struct ice_log_search *search, struct ice_log_hit *out);
/* As opened just now: for the next log, at a fraction of what opening costs. */
ICE_API void ice_log_search_rewind(struct ice_log_search *search);
ICE_API void ice_log_search_free(struct ice_log_search *search); /* accepts NULL */

/* ---- findings ------------------------------------------------------------------------
 */

struct ice_location {
    /* relative to the table root where inside it, else the stored URI */
    struct ice_str file;
    /* RFC 6901; an Avro file is {"header": {...}, "records": [...]} */
    struct ice_str pointer;
    /* JSON: of the value. Avro: of the block. ICE_NO_OFFSET if unknown */
    uint64_t offset;
    uint32_t line, column;  /* JSON, from 1; else 0 */
    uint64_t block, record; /* Avro, from 0; ICE_NO_OFFSET if unknown */
};

enum ice_arg_kind { ICE_ARG_STR, ICE_ARG_I64, ICE_ARG_ID, ICE_ARG_BYTES, ICE_ARG_BOOL };

/*
 * A named value of a finding. STR: text. I64: a count, size or small number. ID: a 64-bit
 * id or time, written as a string in JSON. BYTES: binary, shown as hex. BOOL.
 */
struct ice_arg {
    const char *name;
    enum ice_arg_kind kind;
    struct ice_str str; /* STR, BYTES */
    int64_t i64;        /* I64, ID, BOOL */
};

/* Borrowed until the callback returns. */
struct ice_finding {
    const struct ice_rule *rule;
    enum ice_severity severity; /* after overrides */
    struct ice_str table;
    struct ice_location at;
    struct ice_location other; /* the file it disagrees with; file.size 0 if none */
    const struct ice_arg *args;
    size_t n_args;
    /* template filled with the arguments, untrusted bytes as they are */
    struct ice_str message;
    uint64_t more;        /* equal findings left out behind this one */
    uint64_t fingerprint; /* rule, table uuid and stable place; equal in every format */
    struct ice_str table_uuid;
    bool is_known; /* options.baseline has it: reports leave it out */
};

/* Anything but ICE_OK stops the run, which then returns that status. */
typedef enum ice_status (*ice_finding_fn)(const struct ice_finding *finding, void *user);

/* One thing that was not checked. asked: it makes the report incomplete (exit bit 2). */
struct ice_not_evaluated {
    /* rule glob ("storage.*") or what hangs on a file ("manifest") */
    struct ice_str what;
    struct ice_str why;
    struct ice_str file; /* size 0 if it is no single file */
    bool asked;
    uint64_t more; /* equal ones left out behind this one */
};

struct ice_summary {
    struct ice_str table, location, table_uuid, metadata_file;
    const char *picked_by; /* "argument" "pointer" "hint" "name" */
    int format_version;    /* 0 if it could not be read */
    bool has_current_snapshot;
    int64_t current_snapshot_id;
    uint64_t counts[4]; /* by severity, exact: also findings that were left out */
    uint64_t n_refs;
    uint64_t n_metadata_files, n_snapshots, n_lists, n_manifests, n_entries, n_bytes;
    const char *scope_snapshots; /* "all", or what --snapshot said */
    const char *depth;           /* "metadata" "list" "manifest" "puffin" */
    const struct ice_not_evaluated *not_evaluated;
    size_t n_not_evaluated;
    bool complete;
    bool interrupted;
    int exit_code;     /* bits 1 and 2 of this table, by options.fail_on */
    bool has_opinions; /* options.on_block was given */
    uint64_t n_same_blocks, n_same_records; /* that both decoders read alike */
    /* options.baseline was given: findings that it hides, which counts and exit_code are
     * without; and those it names that are no more, where all was looked at */
    bool has_baseline;
    uint64_t n_known, n_fixed;
};

/* ---- sources -------------------------------------------------------------------------
 */

/*
 * Where bytes are. Keys are relative, '/'-separated, without "." or ".." parts, and never
 * lead out of the source. Ownership goes to the caller, _free accepts NULL.
 */
struct ice_source;

struct ice_file_info {
    uint64_t size;     /* bytes; in a list of a directory UINT64_MAX if unknown */
    int64_t mtime_ms;  /* ms since 1970 UTC, INT64_MIN if unknown */
    uint64_t identity; /* changes when the file is replaced (inode), 0 if unknown */
    /* ns since 1970 UTC of the last change to the file, by the storage's own clock
     * (ctime); 0 if unknown: whether it is the same file is then told by its bytes */
    uint64_t changed_ns;
};

struct ice_source_ops {
    /* ICE_ENOENT: no such file. *out_file is passed to read_at and close. */
    enum ice_status (*open)(void *user, struct ice_str key, void **out_file,
                            struct ice_file_info *out_info, struct ice_error *err);
    /* *out_size 0: end of file. Short reads are fine. */
    enum ice_status (*read_at)(void *user, void *file, uint64_t offset, void *buffer,
                               size_t size, size_t *out_size, struct ice_error *err);
    void (*close)(void *user, void *file);
    /*
     * Call each(name, is_directory, info, context) for every entry of one directory (""
     * is the root), in any order. each returns ICE_OK to go on.
     */
    enum ice_status (*list)(void *user, struct ice_str directory,
                            enum ice_status (*each)(struct ice_str name,
                                                    bool is_directory,
                                                    const struct ice_file_info *info,
                                                    void *context),
                            void *context, struct ice_error *err);
    void (*free)(void *user);
};

/* A local directory. Links inside it are followed, links out of it never. */
ICE_API enum ice_status ice_source_open_dir(struct ice_source **out, const char *path,
                                            const struct ice_allocator *allocator,
                                            struct ice_error *err);

struct ice_memory_file {
    struct ice_str key;
    struct ice_str bytes;
};
/* Files in memory; keys and bytes are borrowed until the source is freed. */
ICE_API enum ice_status ice_source_open_memory(struct ice_source **out,
                                               const struct ice_memory_file *files,
                                               size_t n_files,
                                               const struct ice_allocator *allocator,
                                               struct ice_error *err);
/* Any storage of the caller's. ops is copied. user is freed through ops.free. */
ICE_API enum ice_status ice_source_open_ops(struct ice_source **out,
                                            const struct ice_source_ops *ops, void *user,
                                            const struct ice_allocator *allocator,
                                            struct ice_error *err);
ICE_API void ice_source_free(struct ice_source *source);

/* ---- options --------------------------------------------------------------------------
 */

enum ice_depth {
    ICE_DEPTH_MANIFEST = 0,
    ICE_DEPTH_METADATA,
    ICE_DEPTH_LIST,
    ICE_DEPTH_PUFFIN
};
enum ice_profile { ICE_PROFILE_DEFAULT = 0, ICE_PROFILE_STRICT, ICE_PROFILE_READER };

/* "storage.*" = OFF; later entries win. */
struct ice_override {
    const char *glob;
    enum ice_severity severity;
};

/* --map FROM=TO: URIs below from are files below to (a local directory; for a run over
 * one source of the caller's, a key prefix of it). Longest match by path segment wins. */
struct ice_map_entry {
    const char *from, *to;
};

struct ice_catalog;  /* see below */
struct ice_baseline; /* see below */

/* ---- a second decoder beside our own, see options.on_block ---- */

/*
 * What a datum is made of, in the order of its schema: a record is RECORD, its fields,
 * RECORD_END; a map has a KEY in front of each value; of a union the value alone counts.
 */
enum ice_token {
    ICE_TOKEN_NULL,
    ICE_TOKEN_BOOLEAN, /* data: one byte, 0 or 1 */
    ICE_TOKEN_INTEGER, /* int and long; data: int64_t */
    ICE_TOKEN_REAL,    /* float and double; data: double */
    ICE_TOKEN_STRING,  /* data: the bytes, as of BYTES and KEY */
    ICE_TOKEN_BYTES,   /* bytes and fixed */
    ICE_TOKEN_ENUM,    /* data: int64_t, the index of the symbol */
    ICE_TOKEN_RECORD,
    ICE_TOKEN_RECORD_END,
    ICE_TOKEN_ARRAY,
    ICE_TOKEN_ARRAY_END,
    ICE_TOKEN_MAP,
    ICE_TOKEN_MAP_END,
    ICE_TOKEN_KEY,
};

/* The digest of a datum that goes on with this token; before the first it is 0. The same
 * for all that link one library of one machine. data may be NULL if size is 0. */
ICE_API uint64_t ice_datum_mix(uint64_t digest, enum ice_token token, const void *data,
                               size_t size);

/* A block of a manifest list, a manifest or a lone Avro file, of which icefsck could
 * decode every record. Borrowed for the call. */
struct ice_block {
    struct ice_str file;    /* as in findings */
    struct ice_str schema;  /* avro.schema of its header */
    struct ice_str records; /* unpacked */
    uint64_t index, offset; /* of the block in the file */
    uint64_t n_records;
    const uint64_t *digests; /* n_records of them */
};

/* What another decoder makes of a block. */
struct ice_opinion {
    const uint64_t *digests; /* of the records that it could read; kept by the caller */
    uint64_t n_records;
    const char *stopped; /* why it read no more of them; NULL: it read all that it saw */
    const char *none;    /* why it has no opinion at all; NULL: the above holds */
};
/* Fills *out, which comes all-zero. Anything but ICE_OK stops the run. */
typedef enum ice_status (*ice_block_fn)(const struct ice_block *block,
                                        struct ice_opinion *out, void *user);

struct ice_progress {
    const char *phase;    /* "metadata" "lists" "manifests" "groups" */
    uint64_t done, total; /* files of the phase; total 0 if not known */
    uint64_t bytes;       /* read so far in this table */
    /* Of its manifests: stored bytes that were checked and that there are, as manifest
     * lists tell. bytes_total 0: not known, or not yet. */
    uint64_t bytes_done, bytes_total;
};

/*
 * Options of a run. Start from ICE_OPTIONS_INIT; fields are only ever appended. All
 * pointers are borrowed for the length of the call.
 */
struct ice_options {
    size_t size;                           /* sizeof(struct ice_options) of the caller */
    const struct ice_allocator *allocator; /* NULL: the C library's */
    struct ice_limits limits;
    uint64_t hash_seed; /* 0: drawn from the system */
    bool has_now;
    int64_t now_ms; /* instant at which the inputs were taken, ms UTC */
    enum ice_depth depth;
    enum ice_profile profile;
    enum ice_severity fail_on; /* ICE_OFF: never */
    const struct ice_override *overrides;
    size_t n_overrides;
    const char *const *only; /* rule globs; none: all */
    size_t n_only;
    const char *metadata; /* file name, version number, "latest" or "hint"; NULL: pick */
    const char *snapshot; /* id, ref or ISO time; NULL: all kept snapshots */
    const char *table_name; /* as a catalog says; NULL: derived */
    const struct ice_map_entry *maps;
    size_t n_maps;
    /* threads in all, the caller's with them; 0: cores. More than 1: allocator must be
     * safe to call from several threads. The result is the same. */
    unsigned jobs;
    bool (*cancelled)(void *user); /* polled; true stops the run with a partial report */
    void (*on_progress)(const struct ice_progress *progress, void *user);
    /* Plain-language notes, level 1 and 2 those of -v and -vv: what an input was taken
     * for, a mapping made, a file opened. Level 0 is for everybody. */
    void (*on_note)(int level, struct ice_str text, void *user);
    void *user; /* for the three callbacks above */
    /* What storage holds: the rules of groups 22 and 23 compare it with what metadata
     * names. */
    bool storage_local;          /* the mapped tree is complete, data files included */
    bool trust_mtime;            /* file times of the tree are the objects' */
    const char *const *listings; /* files that list objects; "-": standard input */
    size_t n_listings;
    const char *listing_format; /* NULL: told from its bytes */
    bool has_listing_zone;      /* else times without a zone are UTC, give or take 14 h */
    int listing_zone_minutes;   /* east of UTC */
    bool allow_empty_listing;
    const char *base; /* URI that keys of listings stand below; NULL: found */
    bool has_grace;
    int64_t grace_ms; /* younger files are in flight; default 15 minutes */
    /* What catalogs say about which metadata file is current: files, "-", or NAME=URI. */
    const char *const *pointers;
    size_t n_pointers;
    const char *pointer_format; /* NULL: told from its bytes */
    bool has_max_age;
    int64_t max_age_ms; /* the newest commit that changed rows is no older */
    /* Read before by ice_catalog_open: in place of pointers. */
    const struct ice_catalog *catalog;
    size_t catalog_table; /* 1 + index of the table's entry in it; 0: find the entry */
    bool has_at;          /* ice_list_pointers: what was current at a time, instead */
    int64_t at_ms;
    /* Where the one temporary file may be made that takes what does not fit in memory:
     * unlinked at once, and made only then. NULL: TMPDIR, else /tmp. */
    const char *temp_dir;
    uint64_t spill_records; /* of one kind kept in memory; 0: as limits.memory allows */
    /* ice_check_...: a directory, made if it is not there, that keeps what manifests left
     * for the next run: what has not changed is not read again. The report is the same.
     * Several runs may use it at one time. Not inside a table: ICE_EARG. */
    const char *cache_dir;
    /* ice_check_...: called for every block of every list and manifest that was read, in
     * reading order, on the calling thread; the files are read once more for it. Where
     * its digests are others than ours, avro.second-opinion says so. */
    ice_block_fn on_block;
    void *block_user;
    const struct ice_baseline *baseline; /* known findings: is_known; NULL: none */
};

/* In C++ from C++20 on. */
#define ICE_OPTIONS_INIT                                                                 \
    { .size = sizeof(struct ice_options), .fail_on = ICE_ERROR }

/* Writes bytes; anything but ICE_OK stops the caller with that status. */
typedef enum ice_status (*ice_write_fn)(const char *data, size_t size, void *user);

/* ---- baselines: findings that are known
 * ------------------------------- */

/*
 * A set of findings that are known, as text that people read. A finding is known if its
 * table, fingerprint and number are there, and if it is no worse than it was. One behind
 * which others were left out is never known: raise limits.findings_per_....
 */
struct ice_baseline;

/* Empty. */
ICE_API enum ice_status ice_baseline_open(struct ice_baseline **out,
                                          const struct ice_allocator *allocator,
                                          struct ice_error *err);
/* Adds what ice_baseline_write wrote. ICE_EFORMAT: it is none; some of it may be added.
 * Then it may be used by any number of runs, until it is added to. */
ICE_API enum ice_status ice_baseline_read(struct ice_baseline *baseline,
                                          struct ice_str text, struct ice_error *err);
/* Adds a finding, known or not. */
ICE_API enum ice_status ice_baseline_add(struct ice_baseline *baseline,
                                         const struct ice_finding *finding);
/* All of it, in an order that does not depend on that of adding. */
ICE_API enum ice_status ice_baseline_write(struct ice_baseline *baseline,
                                           ice_write_fn write, void *user);
ICE_API void ice_baseline_free(struct ice_baseline *baseline); /* accepts NULL */

/* ---- catalogs: pointers that are read once, for many tables
 * ------------------------------- */

/*
 * Reads options.pointers. What cannot be read, or is no export that is known, is told by
 * every check that uses the handle. The handle is only read afterwards: runs may share
 * it. Directories are found by options.maps.
 */
ICE_API enum ice_status ice_catalog_open(struct ice_catalog **out,
                                         const struct ice_options *options,
                                         struct ice_error *err);
ICE_API void ice_catalog_free(struct ice_catalog *catalog);

/* Why a handle without faults may hold no table, in words. */
ICE_API const char *ice_catalog_nothing(const struct ice_catalog *catalog);
/* Inputs that could not be read, or are nothing known; false beyond the last. out->file
 * is the input's name. */
ICE_API bool ice_catalog_fault(const struct ice_catalog *catalog, size_t index,
                               struct ice_error *out);

/* One table of one input, by its newest entry. Borrowed from the handle. */
struct ice_catalog_table {
    struct ice_str name;              /* "db.orders" */
    struct ice_str metadata_location; /* size 0: none */
    const char *directory; /* of the table, by options.maps; NULL: none leads there */
    bool has_document;     /* the answer holds the metadata itself (LoadTableResult) */
};
/* In the order of the inputs; false beyond the last. */
ICE_API bool ice_catalog_at(const struct ice_catalog *catalog, size_t index,
                            struct ice_catalog_table *out);

/* ---- the whole job
 * --------------------------------------------------------------------- */

/*
 * Check one table of a source. root is the key of the table directory ("" for the source
 * itself), of its metadata directory, or of one metadata file, manifest list or manifest.
 * Findings are held and delivered at the end, sorted by file and place; summary strings
 * live until ice_summary_free. Returns ICE_OK also when the table is broken: only out
 * of memory, misuse, cancelling and a failing callback are errors of the call.
 */
ICE_API enum ice_status ice_check_table(struct ice_source *source, const char *root,
                                        const struct ice_options *options,
                                        ice_finding_fn on_finding, void *user,
                                        struct ice_summary **out, struct ice_error *err);

/* The same for a local path: opens the directory (of a lone file: the one that holds it).
 */
ICE_API enum ice_status ice_check_path(const char *path,
                                       const struct ice_options *options,
                                       ice_finding_fn on_finding, void *user,
                                       struct ice_summary **out, struct ice_error *err);

/*
 * The metadata document inside the index-th table's answer, checked by itself: its lists
 * and manifests only as far as options.maps leads to them. ICE_EARG: it has none.
 */
ICE_API enum ice_status
ice_check_document(const struct ice_catalog *catalog, size_t index,
                   const struct ice_options *options, ice_finding_fn on_finding,
                   void *user, struct ice_summary **out, struct ice_error *err);

/*
 * Which metadata file a check would judge, as the summary's metadata_file: names, hint
 * and pointers are read, the file is not. Empty where the path is no table. ICE_ELIMIT if
 * the name with its final NUL does not fit size bytes.
 */
ICE_API enum ice_status ice_current_file(const char *path,
                                         const struct ice_options *options, char *out,
                                         size_t size, struct ice_error *err);

ICE_API void ice_summary_free(struct ice_summary *summary);

/* ---- rows: answers of inspect, list-files and friends
 * ---------------------------------- */

enum ice_value_kind {
    ICE_VALUE_NULL,
    ICE_VALUE_BOOL,
    ICE_VALUE_I64,
    ICE_VALUE_F64,
    ICE_VALUE_STR,
    ICE_VALUE_BYTES,     /* hex in text formats */
    ICE_VALUE_TIME,      /* i64: ms since 1970 UTC; ISO 8601 in text formats */
    ICE_VALUE_JSON,      /* str: a finished JSON value (object or array) */
    ICE_VALUE_MAP_I64,   /* keys and numbers; {"1":10} in text formats */
    ICE_VALUE_MAP_BYTES, /* keys and strs; {"1":"hex"} in text formats */
    ICE_VALUE_LIST_I64,  /* numbers; [4] in text formats */
};

struct ice_value {
    enum ice_value_kind kind;
    int64_t i64;
    double f64;
    struct ice_str str;
    /* maps and lists: n of each that the kind has; keys are field ids, as they come */
    const int32_t *keys;
    const int64_t *numbers;
    const struct ice_str *strs;
    size_t n;
};

struct ice_column {
    const char *name;         /* snake case, as in Iceberg's metadata tables */
    enum ice_value_kind kind; /* kind of its values that are not null */
};

/*
 * columns are the same for every row of a call; values[i] belongs to columns[i]. The
 * first call may have values NULL: it only tells the columns, for answers that have no
 * row.
 */
typedef enum ice_status (*ice_row_fn)(const struct ice_column *columns,
                                      const struct ice_value *values, size_t n,
                                      void *user);

/* Trouble on the way that does not stop the rows: one line a broken place. */
typedef void (*ice_trouble_fn)(const struct ice_error *trouble, void *user);

/* The tables that inspect knows ("snapshots", "files" ...), ended by NULL. */
ICE_API const char *const *ice_inspect_names(void);

/* Rows of one of Iceberg's metadata tables. path as in ice_check_path. */
ICE_API enum ice_status ice_inspect(const char *path, const char *what,
                                    bool readable_bounds,
                                    const struct ice_options *options, ice_row_fn on_row,
                                    ice_trouble_fn on_trouble, void *user,
                                    struct ice_error *err);

/* Every snapshot's live files after inheritance, as one JSON document
 * (iceberg-live-files/1). */
ICE_API enum ice_status ice_inspect_live_oracle(const char *path,
                                                const struct ice_options *options,
                                                ice_write_fn write,
                                                ice_trouble_fn on_trouble, void *user,
                                                struct ice_error *err);

/* One file (metadata.json, manifest list, manifest, any Avro container) as one JSON
 * document: pointers of findings address this text. "-" reads standard input. */
ICE_API enum ice_status ice_dump(const char *path, const struct ice_options *options,
                                 ice_write_fn write, ice_trouble_fn on_trouble,
                                 void *user, struct ice_error *err);

/* What each input was taken for and every file that a check would read: rows uri, kind,
 * size, here. */
ICE_API enum ice_status ice_list_files(const char *path,
                                       const struct ice_options *options,
                                       ice_row_fn on_row, ice_trouble_fn on_trouble,
                                       void *user, struct ice_error *err);

/* Rows of the same columns: what options.catalog's pointers and options.listings were
 * taken for. here false: nothing that is known. */
ICE_API enum ice_status ice_list_inputs(const struct ice_options *options,
                                        ice_row_fn on_row, ice_trouble_fn on_trouble,
                                        void *user, struct ice_error *err);

struct ice_orphan_totals {
    uint64_t n_files, bytes; /* of the rows */
    uint64_t n_unsized;      /* rows without a size, which bytes lacks */
    uint64_t n_young; /* left out: younger than older_than_ms or options.grace_ms */
};

/* One table of a call, with what became of it. */
struct ice_orphan_table {
    const char *path;
    const char *name;                /* as options.table_name; NULL: found out */
    struct ice_error error;          /* out: status < 0: it gave no rows, and why */
    struct ice_orphan_totals totals; /* out */
};

/*
 * Files below tables' locations that nothing names, by options.listings or storage_local:
 * rows file, size, mtime, class, reason, uri, table by table. A file whose time is known
 * and younger than older_than_ms gets none. Where it cannot be sure of a table (a
 * manifest unread, a newer metadata file) there are no rows of it, and on_trouble says
 * why. Deletes nothing.
 *
 * All tables are read before the listings, which are read once for all of them: what one
 * names is no orphan of another, wherever it lies. Tables that share a listing belong in
 * one call. Fails only if nothing can be said of any of them.
 */
ICE_API enum ice_status ice_orphans(struct ice_orphan_table *tables, size_t n_tables,
                                    const struct ice_options *options,
                                    int64_t older_than_ms, ice_row_fn on_row,
                                    ice_trouble_fn on_trouble, void *user,
                                    struct ice_error *err);

/* ---- how fast a check could be
 * ------------------------------------------------------------- */

/* How much is done to each manifest list and manifest that a check reads. */
enum ice_effort {
    ICE_EFFORT_READ,    /* its bytes are read */
    ICE_EFFORT_INFLATE, /* ... and its Avro blocks unpacked: no reader can do less */
};

struct ice_work {
    uint64_t n_files, bytes; /* as stored */
    uint64_t n_faulty;       /* files of which not all could be read: time them not */
    /* INFLATE only */
    uint64_t unpacked_bytes, n_blocks, n_records;
};

struct ice_bench;

/* Finds the manifest lists and manifests that a check of path with these options reads
 * (options are borrowed until _free). ICE_ENOENT if there is none. */
ICE_API enum ice_status ice_bench_open(struct ice_bench **out, const char *path,
                                       const struct ice_options *options,
                                       struct ice_error *err);
/* Once through all of them, begun in the order of a check, by as many threads as
 * options.jobs said. To be timed by the caller, beside ice_check_path. */
ICE_API enum ice_status ice_bench_run(struct ice_bench *bench, enum ice_effort effort,
                                      struct ice_work *out, struct ice_error *err);
ICE_API void ice_bench_free(struct ice_bench *bench); /* accepts NULL */

/*
 * The commits of a table over all metadata files of its directory, their logs,
 * options.pointers and options.listings (what became of files that lack), oldest first:
 * rows time, metadata_file, snapshot_id, parent_id, operation, numbers of the summary,
 * writer, refs, changes, flags. Where the current file cannot be read the newest that can
 * be stands in for it, and on_trouble says so, as it does for every file that is missing
 * or unreadable. options.snapshot: only what led to that one. With ICE_FORMAT_GRAPH,
 * ice_rows draws them, newest first.
 */
ICE_API enum ice_status ice_history(const char *path, const struct ice_options *options,
                                    ice_row_fn on_row, ice_trouble_fn on_trouble,
                                    void *user, struct ice_error *err);

struct ice_rescue_result {
    bool is_found;   /* a whole state: the first row */
    bool is_current; /* ... which is the current one: nothing to do */
    uint64_t n_states, n_whole, n_unsure;
    uint64_t n_fetch; /* files lost from storage that an old version can bring back */
};

/*
 * States to go back to, best first: every metadata file of the directory, and every kept
 * snapshot of the one that is judged. A state is whole if all that it reaches is there
 * and without errors; data files are looked for by options.listings or storage_local.
 * Rows rank, state, metadata_file, snapshot_id, time, age, way, lost_commits, lost_files,
 * lost_rows, lacks, faults, lost, statements, fetch. write_advice (may be NULL) gets what
 * a person must know as lines of text, once, behind the last row. Writes nothing else.
 * out_result may be NULL.
 */
ICE_API enum ice_status ice_rescue(const char *path, const struct ice_options *options,
                                   ice_row_fn on_row, ice_write_fn write_advice,
                                   ice_trouble_fn on_trouble, void *user,
                                   struct ice_rescue_result *out_result,
                                   struct ice_error *err);

struct ice_pointer_calls {
    ice_row_fn on_row;
    ice_finding_fn on_finding; /* behind the row of their table */
    /* Ends one table; borrowed for the call. */
    enum ice_status (*on_summary)(const struct ice_summary *summary, void *user);
    ice_trouble_fn on_trouble; /* may be NULL; status ICE_OK: a note, no fault */
    void *user;
};

/*
 * What catalogs say of each table, against what storage holds: a row for each entry, and
 * for each table that no entry names, then its catalog.*, hint.* and history.fork.*
 * findings. words: exports of catalogs, table directories and listings, told apart by
 * their bytes; options.pointers and options.listings come first. *out_exit: bits 1 and 2,
 * as in ice_summary. With options.has_at the rows say which metadata file was current at
 * that time, one for each thing that tells.
 */
ICE_API enum ice_status ice_list_pointers(const char *const *words, size_t n_words,
                                          const struct ice_options *options,
                                          const struct ice_pointer_calls *calls,
                                          int *out_exit, struct ice_error *err);

struct ice_diff_request {
    const char *from, *to;         /* states, as below; NULL: see ice_diff */
    const char *const *partitions; /* "name=value": effect and partitions of these files
                                      alone */
    size_t n_partitions;
};

/*
 * Two states of a table: rows in sections states, relation, missed, undone, effect,
 * partitions, changes, risks, gone, next, not-asked, unknown. A state is a metadata file
 * (name, vN, N, path), a snapshot id, a ref, or an ISO time. path is a table, or one of
 * its metadata files: that is then `from`, or `to` where from is given. Without to: what
 * is current in path's directory. With options.listings or storage_local also the files
 * of from that are gone. *out_differs (may be NULL): anything at all differs.
 */
ICE_API enum ice_status ice_diff(const char *path, const struct ice_diff_request *request,
                                 const struct ice_options *options, ice_row_fn on_row,
                                 ice_trouble_fn on_trouble, void *user, bool *out_differs,
                                 struct ice_error *err);

/* Options of ice_lint_conf alone. All pointers are borrowed for the length of the call.
 */
struct ice_conf_request {
    const char *const *paths; /* files of one setup; "-": standard input */
    size_t n_paths;
    /* what the role must be able to do: "glue-read", "glue-write", "s3tables-etl",
     * "rest-vended"; NULL: by the catalogs that are configured */
    const char *iam_profile;
    bool has_schedule;
    int64_t schedule_ms; /* how often the pipeline runs */
    const char *region;  /* in which the tables are known to be; NULL: not known */
    /* catalogs that need no configuration: NAME, or NAME=federated (Unity Catalog) */
    const char *const *known_catalogs;
    size_t n_known_catalogs;
    /* "glue", "databricks", "emr", "spark"; NULL: by what the files say */
    const char *platform;
};

/*
 * Judge configuration as text: Spark properties, spark-submit lines, Glue jobs,
 * Databricks clusters, Spark event logs, scripts, policies, exports of catalogs, each
 * told by its bytes. All paths are one setup. Runs and calls nothing. Findings are
 * delivered in the order in which causes are best excluded; texts that look like secrets
 * are masked in all of them. ICE_EARG: an unknown word in the request.
 */
ICE_API enum ice_status ice_lint_conf(const struct ice_conf_request *request,
                                      const struct ice_options *options,
                                      ice_finding_fn on_finding, void *user,
                                      struct ice_summary **out, struct ice_error *err);

/* ---- reports
 * ----------------------------------------------------------------------------- */

/*
 * R: of rows, F: of findings. Whatever the format, the same findings and summaries give
 * the same bytes (but for options.times), and no text of a table can end the place that
 * the format gives it.
 */
enum ice_format {
    ICE_FORMAT_HUMAN,    /* F: for people, folded by rule, worst first */
    ICE_FORMAT_SHORT,    /* F: path:line:col: level: message [rule] */
    ICE_FORMAT_JSON,     /* F, R: one document */
    ICE_FORMAT_NDJSON,   /* F, R: an object a line */
    ICE_FORMAT_TABLE,    /* R: aligned columns */
    ICE_FORMAT_TSV,      /* R: head line, tabs */
    ICE_FORMAT_LINES,    /* F: a table a line: an element of "tables" of JSON */
    ICE_FORMAT_GRAPH,    /* R: rows of ice_history */
    ICE_FORMAT_SARIF,    /* F: SARIF 2.1.0, one run, the worst 5,000 results */
    ICE_FORMAT_JUNIT,    /* F: XML, a testsuite a table, a testcase a rule that ran */
    ICE_FORMAT_GITHUB,   /* F: workflow commands, 10 a level */
    ICE_FORMAT_MARKDOWN, /* F: CommonMark with tables */
    ICE_FORMAT_HTML,     /* F: one self-contained page */
    ICE_FORMAT_ARROW,    /* R: an Arrow IPC stream */
};

struct ice_report_options {
    bool color;
    bool quiet;                     /* human: only the summary line */
    bool times;                     /* human: "checked in 0.8 s": only on a terminal */
    double seconds;                 /* set before _summary when times is on */
    enum ice_severity min_severity; /* show from; counts stay exact */
    /* LINES, set before _summary: members behind "findings", NULL: none */
    const char *path; /* the table, as given */
    const char *key;  /* what a later run knows this line by */
    /* Options of the runs whose findings come, for formats that tell which rules ran
     * (JUNIT); NULL: the defaults. Borrowed until _finish. */
    const struct ice_options *judged_by;
    bool of_configuration; /* they are of ice_lint_conf */
};

struct ice_report;

/* A report of findings, in a format marked F. */
ICE_API enum ice_status ice_report_open(struct ice_report **out, enum ice_format format,
                                        const struct ice_report_options *options,
                                        const struct ice_allocator *allocator,
                                        ice_write_fn write, void *user,
                                        struct ice_error *err);
/* Where the files of the tables that follow lie: SHORT puts it before relative names.
 * Copied. */
ICE_API enum ice_status ice_report_directory(struct ice_report *report,
                                             const char *directory);
/* Has the signature of ice_finding_fn; user is the report. */
ICE_API enum ice_status ice_report_finding(const struct ice_finding *finding,
                                           void *report);
/*
 * What a format shows of a table beside its findings (HTML: "history", "manifests", of
 * ice_history and ice_inspect): NULL beyond the last, and for formats that show nothing
 * more. Between the findings of a table and its summary each may be given: _answer says
 * which, then _row takes its rows. Without them, the report says less.
 */
ICE_API const char *ice_report_wants(const struct ice_report *report, size_t index);
ICE_API enum ice_status ice_report_answer(struct ice_report *report, const char *what);
/* Has the signature of ice_row_fn; user is the report. */
ICE_API enum ice_status ice_report_row(const struct ice_column *columns,
                                       const struct ice_value *values, size_t n,
                                       void *report);
/* Ends one table. Repeat finding and summary for more tables. */
ICE_API enum ice_status ice_report_summary(struct ice_report *report,
                                           const struct ice_summary *summary,
                                           const struct ice_report_options *options);
/* Ends the report; the handle stays to be freed. */
ICE_API enum ice_status ice_report_finish(struct ice_report *report);
ICE_API void ice_report_free(struct ice_report *report);

struct ice_rows;

/* A report of rows, in a format marked R. columns: a comma list of names to keep, or
 * NULL. */
ICE_API enum ice_status ice_rows_open(struct ice_rows **out, enum ice_format format,
                                      const char *columns,
                                      const struct ice_allocator *allocator,
                                      ice_write_fn write, void *user,
                                      struct ice_error *err);
/* Has the signature of ice_row_fn; user is the rows report. */
ICE_API enum ice_status ice_rows_row(const struct ice_column *columns,
                                     const struct ice_value *values, size_t n,
                                     void *rows);
/* After ICE_EARG of _row: the name in the list of columns that these rows do not have. */
ICE_API const char *ice_rows_bad_column(const struct ice_rows *rows);
ICE_API enum ice_status ice_rows_finish(struct ice_rows *rows);
ICE_API void ice_rows_free(struct ice_rows *rows);

/*
 * Rows as a stream of Arrow record batches in memory, not copied, through the Arrow C
 * stream interface (https://arrow.apache.org/docs/format/CStreamInterface.html, whose
 * header declares the struct): strings are utf8, times timestamp[ms, UTC], maps
 * map<int32, int64> or map<int32, binary>, nested values JSON text with the extension
 * name arrow.json.
 */
struct ArrowArrayStream;

/* Tells rows to on_row, as ice_inspect and ice_diff do: call one of them. */
typedef enum ice_status (*ice_produce_fn)(ice_row_fn on_row, void *row_user, void *user,
                                          struct ice_error *err);

/*
 * produce runs in a thread of its own, at most two batches ahead of who reads them, and
 * is stopped with ICE_ECANCELLED when the stream is released early. columns: a comma list
 * of names to keep, or NULL. allocator (NULL: the C library's) is called from any thread
 * and must outlive the last batch. release(user) is called once, when the stream is
 * released and produce has returned; on failure of this call at once. Errors of produce
 * are EIO of get_next or get_schema, with the text of err in get_last_error.
 */
ICE_API enum ice_status
ice_arrow_stream(struct ArrowArrayStream *out, const char *columns,
                 const struct ice_allocator *allocator, ice_produce_fn produce,
                 void (*release)(void *user), void *user, struct ice_error *err);

/* Text safe for a terminal or a log: control, bidi and invalid bytes as \xNN or \u{NNNN}.
 * Writes at most size bytes with the final NUL, returns out. */
ICE_API char *ice_escape(char *out, size_t size, struct ice_str text);

ICE_API const char *ice_version(void); /* "0.1.0" */

#ifdef __cplusplus
}
#endif

#endif
