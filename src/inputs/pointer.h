/*
 * Catalog pointers: what an export of a catalog, a catalog file or NAME=URI says about
 * which metadata file of a table is current. All exports come to one normal form.
 */
#ifndef ICE_INPUTS_POINTER_H
#define ICE_INPUTS_POINTER_H

#include "base/arena.h"
#include "base/hash.h"
#include "source/source.h"

/* What an input was taken for. AUTO as a wish: find out. */
enum ice_pointer_format {
    ICE_POINTER_AUTO,
    ICE_POINTER_ARGUMENT, /* NAME=URI of the command line */
    ICE_POINTER_GLUE,     /* get-table, get-tables, get-table-versions, TableInput */
    ICE_POINTER_S3TABLES, /* get-table, get-table-metadata-location */
    ICE_POINTER_REST,     /* LoadTableResult */
    ICE_POINTER_NESSIE,
    ICE_POINTER_UNITY,
    ICE_POINTER_POLARIS,
    ICE_POINTER_BIGQUERY,
    ICE_POINTER_SNOWFLAKE,
    ICE_POINTER_HIVE, /* text of Hive and Spark, Hive JSON, dumps of TABLE_PARAMS */
    ICE_POINTER_JDBC, /* the SQLite file itself, or a dump of iceberg_tables */
    ICE_POINTER_HINT,
    ICE_POINTER_LIST,   /* plain lists, CSV, TSV */
    ICE_POINTER_NORMAL, /* the normal form as NDJSON */
    ICE_POINTER_FORMATS,
};

/* One table of an input. Texts of size 0 are not known. Everything lives in the arena. */
struct ice_pointer {
    enum ice_pointer_format format;
    struct ice_str file; /* base name of the input, for findings; empty: ARGUMENT */
    struct ice_str catalog, space, table; /* space: the namespace, joined by '.' */
    struct ice_str metadata_location, previous_metadata_location;
    struct ice_str table_uuid, location, table_type;
    int64_t version;     /* of the entry in its catalog; of a hint; -1 unknown */
    int64_t snapshot_id; /* valid with has_snapshot_id */
    bool has_snapshot_id;
    bool was_staged; /* the key of the metadata location is there, its value null */
    int64_t time_ms; /* since when the entry is as it is; valid with has_time */
    bool has_time;
    /* REST: the metadata document inside the answer, as bytes of the inflated input */
    uint64_t document, document_end; /* document_end 0: none */
    struct ice_str input;            /* with a document: the argument, to read it again */
    const struct ice_str *columns;   /* current ones, in order */
    size_t n_columns;
};

/* An input that could not be read, or was nothing we know. */
struct ice_pointer_fault {
    struct ice_str file;
    struct ice_error error;
};

struct ice_pointers {
    struct ice_run *run;
    struct ice_arena arena;
    struct ice_pointer *items;
    size_t n, capacity;
    /* hash of the name of its metadata file -> item; filled when all are read */
    struct ice_table by_name;
    struct ice_pointer_fault *faults;
    size_t n_faults, cap_faults;
    uint64_t n_other; /* entries that are no Iceberg tables */
    size_t n_exports; /* inputs that list tables: what they lack is not in the catalog */
    size_t n_inventories; /* inputs that list names, without pointers */
    bool is_partial;      /* one of them goes on: NextToken and its like */
    struct ice_pointer_read_input {
        struct ice_str argument;
        enum ice_pointer_format format; /* AUTO: nothing that is known */
        size_t n;                       /* entries of it */
    } * inputs;
    size_t n_inputs, cap_inputs;
    /* inputs that can be read only once, for documents in them */
    struct ice_pointer_spool {
        struct ice_str input;
        struct ice_source *source;
        struct ice_str key;
    } * spools;
    size_t n_spools, cap_spools;
};

void ice_pointers_init(struct ice_pointers *pointers, struct ice_run *run);
/* Safe twice and on all-zero. */
void ice_pointers_release(struct ice_pointers *pointers);

/*
 * Read one argument of --pointer: a FILE, "-" (standard input, once), or NAME=URI, and
 * add its entries. *out_format: what it was taken for. A file that cannot be read or is
 * nothing we know becomes a fault, and ICE_OK: only memory and cancelling end the run.
 */
enum ice_status ice_pointers_read(struct ice_pointers *pointers, const char *argument,
                                  enum ice_pointer_format wish,
                                  enum ice_pointer_format *out_format,
                                  struct ice_error *err);

/* All of options.pointers, with options.pointer_format and on_note. */
enum ice_status ice_pointers_read_all(struct ice_pointers *pointers,
                                      const struct ice_options *options,
                                      struct ice_error *err);
/*
 * The input of an entry with a document once more, inflated, from its start. *out_source
 * is the caller's where *out_owned says so.
 */
enum ice_status ice_pointers_reopen(const struct ice_pointers *pointers,
                                    const struct ice_pointer *entry, struct ice_run *run,
                                    struct ice_arena *arena,
                                    struct ice_source **out_source, bool *out_owned,
                                    struct ice_stream *out, struct ice_error *err);

/* Why there may be no entry in what was read, in words. */
const char *ice_pointers_nothing(const struct ice_pointers *pointers);

/* The parts of it that tests call: text as from a file called name. */
enum ice_status ice_pointers_read_text(struct ice_pointers *pointers, struct ice_str name,
                                       struct ice_str text, enum ice_pointer_format wish,
                                       enum ice_pointer_format *out_format,
                                       struct ice_error *err);

/* "glue", "s3tables" ...; false if there is none of that name. */
bool ice_pointer_format_of(const char *name, enum ice_pointer_format *out);
const char *ice_pointer_format_name(enum ice_pointer_format format);
/* In words, for notes: "Glue table export". */
const char *ice_pointer_format_words(enum ice_pointer_format format);

#endif
