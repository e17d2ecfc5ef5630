/*
 * The tables of inspect: one function each, called with an open table. Columns are those
 * of Iceberg's metadata tables of the same name; schemas, specs, sort_orders, properties,
 * statistics and live are ours.
 */
#ifndef ICE_ANSWER_INSPECT_H
#define ICE_ANSWER_INSPECT_H

#include "answer/row_builder.h"
#include "answer/table_reader.h"

struct ice_inspection {
    struct ice_table_reader *reader;
    struct ice_row row; /* with the columns of the table */
    const char *what;
    bool readable_bounds;
    ice_row_fn on_row;
    void *user;
};

typedef enum ice_status (*ice_inspect_fn)(struct ice_inspection *in,
                                          struct ice_error *err);

/* columns (ended by a NULL name) with bounds of the kind that in asks for. */
void ice_inspect_columns(const struct ice_inspection *in,
                         const struct ice_column *columns,
                         struct ice_column out[ICE_ROW_COLUMNS + 1]);

/* Which lone file a table can be answered from, beside a table. */
enum ice_lone { ICE_LONE_NONE, ICE_LONE_LIST, ICE_LONE_MANIFEST };

struct ice_inspect_table {
    const char *name;
    const struct ice_column *columns; /* ended by a NULL name */
    ice_inspect_fn run;
    enum ice_lone lone;
    /* ICE_BIT(ICE_META_...) of the members that rows are made of; shows_parts: of all in
     * them, not of which elements there are alone */
    uint64_t members;
    bool shows_parts;
};

/* inspect_metadata.c: rows from metadata.json alone */
extern const struct ice_column ice_columns_history[], ice_columns_metadata_log[],
    ice_columns_snapshots[], ice_columns_refs[], ice_columns_properties[],
    ice_columns_statistics[];
enum ice_status ice_inspect_history(struct ice_inspection *in, struct ice_error *err);
enum ice_status ice_inspect_metadata_log(struct ice_inspection *in,
                                         struct ice_error *err);
enum ice_status ice_inspect_snapshots(struct ice_inspection *in, struct ice_error *err);
enum ice_status ice_inspect_refs(struct ice_inspection *in, struct ice_error *err);
enum ice_status ice_inspect_properties(struct ice_inspection *in, struct ice_error *err);
enum ice_status ice_inspect_statistics(struct ice_inspection *in, struct ice_error *err);

/* inspect_schemas.c: one row a field */
extern const struct ice_column ice_columns_schemas[], ice_columns_specs[],
    ice_columns_sort_orders[];
enum ice_status ice_inspect_schemas(struct ice_inspection *in, struct ice_error *err);
enum ice_status ice_inspect_specs(struct ice_inspection *in, struct ice_error *err);
enum ice_status ice_inspect_sort_orders(struct ice_inspection *in, struct ice_error *err);

/* inspect_manifests.c: rows of manifest lists */
extern const struct ice_column ice_columns_manifests[], ice_columns_all_manifests[];
enum ice_status ice_inspect_manifests(struct ice_inspection *in, struct ice_error *err);
enum ice_status ice_inspect_all_manifests(struct ice_inspection *in,
                                          struct ice_error *err);

/* inspect_files.c: rows of manifests; which of them by in->what */
extern const struct ice_column ice_columns_files[], ice_columns_entries[],
    ice_columns_live[];
enum ice_status ice_inspect_files(struct ice_inspection *in, struct ice_error *err);

/* inspect_partitions.c: live files of a snapshot, grouped */
extern const struct ice_column ice_columns_partitions[];
enum ice_status ice_inspect_partitions(struct ice_inspection *in, struct ice_error *err);

#endif
