/*
 * Inside of struct ice_rows: rows of typed columns in five formats.
 */
#ifndef ICE_REPORT_ROWS_REPORT_H
#define ICE_REPORT_ROWS_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/writer.h"
#include "report/arrow_rows.h"
#include "report/graph_report.h"
#include "report/text.h"

struct ice_rows {
    struct ice_alloc alloc;
    enum ice_format format;
    struct ice_text text;        /* table, tsv */
    struct ice_json_writer json; /* json, ndjson */
    struct ice_buf wanted;       /* the comma list, or empty: all */
    bool finished, has_columns;

    struct ice_picked picked; /* columns shown */
    uint64_t n_rows;

    struct ice_arrow_rows arrow;

    struct ice_graph graph; /* graph */

    /* table: the first rows wait until the widths are known */
    struct ice_arena arena;
    struct ice_str *cells; /* n_held * picked.n */
    size_t n_cells, cap_cells;
    size_t n_held;
    bool widths_fixed;
    size_t widths[ICE_ROWS_COLUMNS];
    bool to_the_right[ICE_ROWS_COLUMNS];

    /* table in sections (sections.c): rows of the one that is under way */
    bool is_sectioned;
    struct ice_buf section; /* its name */
    uint64_t n_sections, n_left_out;
    bool is_empty[ICE_ROWS_COLUMNS]; /* nulls and zeros alone */
};

/* Keep the text of a cell of a table until the widths are known. */
enum ice_status ice_rows_hold(struct ice_rows *rows, size_t column,
                              struct ice_str cell) ICE_MUST_USE;

/*
 * Rows whose first column is called "section" are shown as a report: a heading for each
 * run of equal sections, and below it the columns that say something there, of its first
 * rows. Nested values are left out, they stand in other formats.
 */
bool ice_sections_are_wanted(const struct ice_column *columns, size_t n);
enum ice_status ice_sections_row(struct ice_rows *rows, const struct ice_column *columns,
                                 const struct ice_value *values) ICE_MUST_USE;
/* Behind the last row. */
void ice_sections_finish(struct ice_rows *rows);

/* Text of a value for table and tsv, appended to out; nothing is escaped. */
enum ice_status ice_value_text(struct ice_buf *out,
                               const struct ice_value *value) ICE_MUST_USE;
/* The same for a cell of a table: in place of what out holds, and "-" for null. */
enum ice_status ice_value_cell(struct ice_buf *out,
                               const struct ice_value *value) ICE_MUST_USE;

#endif
