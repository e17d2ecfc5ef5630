/*
 * Everything that the pointers of a call say, read once: the tables in it, and where
 * --map leads for each.
 */
#ifndef ICE_INPUTS_CATALOG_H
#define ICE_INPUTS_CATALOG_H

#include "inputs/pointer.h"
#include "inputs/target.h"

/* One table of one input: its newest entry. */
struct ice_catalog_row {
    const struct ice_pointer *entry;
    size_t first, n;       /* its versions, newest first, in catalog.versions */
    struct ice_str name;   /* "db.orders" */
    const char *directory; /* the table's, by --map; NULL: nothing leads there */
};

struct ice_catalog {
    struct ice_run run;
    struct ice_pointers pointers;
    const struct ice_pointer **versions; /* all entries, those of a table together */
    struct ice_catalog_row *rows;        /* in the order of their first entry */
    size_t n_rows;
};

/*
 * The local directory below which options.maps puts a URI's file: that of its table, when
 * the file lies in a directory called "metadata", else the one it lies in. In the arena;
 * *out NULL where no entry covers the URI, or it climbs. ICE_ENOMEM.
 */
enum ice_status ice_catalog_directory(struct ice_run *run, struct ice_arena *arena,
                                      const struct ice_options *options,
                                      struct ice_str uri, const char **out,
                                      struct ice_error *err);

/*
 * For a target of kind EMPTY: the table of an entry that writes its metadata elsewhere in
 * the directory (write.metadata.path), found by --map or by the entry's own location.
 */
enum ice_status ice_catalog_look_inside(const struct ice_catalog *catalog,
                                        struct ice_run *run, struct ice_target *target,
                                        struct ice_error *err);

/*
 * The metadata document inside an answer (document_end > 0) as a target of its own: the
 * input again, with blanks in place of all else, so that lines and offsets are those of
 * the input.
 */
enum ice_status ice_catalog_open_document(const struct ice_pointers *pointers,
                                          const struct ice_pointer *entry,
                                          struct ice_run *run, struct ice_target *out,
                                          struct ice_error *err);

#endif
