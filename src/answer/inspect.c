/*
 * ice_inspect: which table is asked for, and what it is asked of.
 */
#include "answer/inspect.h"

#include "answer/member_faults.h"
#include "base/error.h"

#include <assert.h>
#include <stdio.h>

#define OF(member) ICE_BIT(ICE_META_##member)
/* Rows of the current snapshot say themselves what they lack. */
static const struct ice_inspect_table tables[] = {
    {"history", ice_columns_history, ice_inspect_history, ICE_LONE_NONE,
     OF(snapshots) | OF(snapshot_log), true},
    {"metadata_log_entries", ice_columns_metadata_log, ice_inspect_metadata_log,
     ICE_LONE_NONE, OF(metadata_log), true},
    {"snapshots", ice_columns_snapshots, ice_inspect_snapshots, ICE_LONE_NONE,
     OF(snapshots), true},
    {"refs", ice_columns_refs, ice_inspect_refs, ICE_LONE_NONE, OF(refs), true},
    {"entries", ice_columns_entries, ice_inspect_files, ICE_LONE_MANIFEST, 0, false},
    {"files", ice_columns_files, ice_inspect_files, ICE_LONE_MANIFEST, 0, false},
    {"data_files", ice_columns_files, ice_inspect_files, ICE_LONE_NONE, 0, false},
    {"delete_files", ice_columns_files, ice_inspect_files, ICE_LONE_NONE, 0, false},
    {"manifests", ice_columns_manifests, ice_inspect_manifests, ICE_LONE_LIST, 0, false},
    {"partitions", ice_columns_partitions, ice_inspect_partitions, ICE_LONE_NONE, 0,
     false},
    {"all_data_files", ice_columns_files, ice_inspect_files, ICE_LONE_NONE, OF(snapshots),
     false},
    {"all_delete_files", ice_columns_files, ice_inspect_files, ICE_LONE_NONE,
     OF(snapshots), false},
    {"all_files", ice_columns_files, ice_inspect_files, ICE_LONE_NONE, OF(snapshots),
     false},
    {"all_manifests", ice_columns_all_manifests, ice_inspect_all_manifests, ICE_LONE_NONE,
     OF(snapshots), false},
    {"all_entries", ice_columns_entries, ice_inspect_files, ICE_LONE_NONE, OF(snapshots),
     false},
    {"schemas", ice_columns_schemas, ice_inspect_schemas, ICE_LONE_NONE,
     OF(schema) | OF(schemas), true},
    {"specs", ice_columns_specs, ice_inspect_specs, ICE_LONE_NONE,
     OF(partition_spec) | OF(partition_specs), true},
    {"sort_orders", ice_columns_sort_orders, ice_inspect_sort_orders, ICE_LONE_NONE,
     OF(sort_orders), true},
    {"properties", ice_columns_properties, ice_inspect_properties, ICE_LONE_NONE,
     OF(properties), true},
    {"statistics", ice_columns_statistics, ice_inspect_statistics, ICE_LONE_NONE,
     OF(statistics) | OF(partition_statistics), true},
    {"live", ice_columns_live, ice_inspect_files, ICE_LONE_NONE, OF(snapshots), false},
};

const char *const *ice_inspect_names(void) {
    static const char *const names[] = {"history",        "metadata_log_entries",
                                        "snapshots",      "refs",
                                        "entries",        "files",
                                        "data_files",     "delete_files",
                                        "manifests",      "partitions",
                                        "all_data_files", "all_delete_files",
                                        "all_files",      "all_manifests",
                                        "all_entries",    "schemas",
                                        "specs",          "sort_orders",
                                        "properties",     "statistics",
                                        "live",           NULL};
    _Static_assert(ICE_COUNT_OF(names) == ICE_COUNT_OF(tables) + 1, "one name a table");
    return names;
}

static const struct ice_inspect_table *find_table(const char *what) {
    for (size_t i = 0; i < ICE_COUNT_OF(tables); i++)
        if (strcmp(tables[i].name, what) == 0)
            return &tables[i];
    return NULL;
}

/* A lone list or manifest holds the rows of few tables. */
static enum ice_status judge_lone(const struct ice_table_reader *reader,
                                  const struct ice_inspect_table *table,
                                  struct ice_error *err) {
    bool is_list = reader->target.kind == ICE_TARGET_LIST;
    bool is_manifest = reader->target.kind == ICE_TARGET_MANIFEST;
    if ((!is_list && !is_manifest) || (is_list && table->lone == ICE_LONE_LIST) ||
        (is_manifest && table->lone == ICE_LONE_MANIFEST))
        return ICE_OK;
    (void)ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                        "a lone %s answers %s only: give the table's directory or its "
                        "metadata file",
                        is_list ? "manifest list" : "manifest",
                        is_list ? "'manifests'" : "'files' and 'entries'");
    if (err != NULL)
        ice_error_set_file(err, reader->given);
    return ICE_EARG;
}

void ice_inspect_columns(const struct ice_inspection *in,
                         const struct ice_column *columns,
                         struct ice_column out[ICE_ROW_COLUMNS + 1]) {
    size_t n = 0;
    for (; columns[n].name != NULL; n++) {
        assert(n < ICE_ROW_COLUMNS);
        out[n] = columns[n];
        if (in->readable_bounds && columns[n].kind == ICE_VALUE_MAP_BYTES)
            out[n].kind = ICE_VALUE_JSON;
    }
    out[n] = (struct ice_column){0};
}

enum ice_status ice_inspect(const char *path, const char *what, bool readable_bounds,
                            const struct ice_options *options, ice_row_fn on_row,
                            ice_trouble_fn on_trouble, void *user,
                            struct ice_error *err) {
    const struct ice_inspect_table *table = find_table(what);
    if (table == NULL) {
        char shown[64];
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "no table is called '%s'",
                             ice_escape(shown, sizeof(shown), ice_str_from(what)));
    }
    struct ice_table_reader reader;
    enum ice_status status =
        ice_table_reader_open(&reader, path, options, table->run == ice_inspect_snapshots,
                              on_trouble, user, err);
    if (status >= 0)
        status = judge_lone(&reader, table, err);
    if (status >= 0) {
        struct ice_inspection in = {.reader = &reader,
                                    .what = what,
                                    .readable_bounds = readable_bounds,
                                    .on_row = on_row,
                                    .user = user};
        struct ice_column columns[ICE_ROW_COLUMNS + 1];
        ice_inspect_columns(&in, table->columns, columns);
        ice_row_init(&in.row, &reader.run, columns, on_row, user);
        status = on_row(columns, NULL, in.row.n_columns, user);
        if (status >= 0) {
            ice_note_guess(&reader);
            ice_tell_members(&reader, reader.metadata, reader.check.metadata_file,
                             table->members, table->shows_parts);
            status = table->run(&in, err);
        }
        ice_row_release(&in.row);
    }
    ice_table_reader_release(&reader);
    return status;
}
