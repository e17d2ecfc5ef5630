/*
 * Rows in sections as a report for people.
 */
#include "report/rows_report.h"

#include "base/error.h"

#include <inttypes.h>

enum { SECTION_ROWS = 20 }; /* shown of each; the others are counted */

bool ice_sections_are_wanted(const struct ice_column *columns, size_t n) {
    return n > 1 && strcmp(columns[0].name, "section") == 0;
}

/* ---- one row ---- */

static bool says_nothing(const struct ice_value *value) {
    bool is_zero = value->kind == ICE_VALUE_I64 && value->i64 == 0;
    return value->kind == ICE_VALUE_NULL || value->kind == ICE_VALUE_JSON || is_zero;
}

static enum ice_status hold_row(struct ice_rows *rows, const struct ice_value *values) {
    struct ice_buf buf;
    enum ice_status status = ICE_OK;
    ice_buf_init(&buf, &rows->alloc, SIZE_MAX / 2);
    for (size_t i = 0; i < rows->picked.n && status == ICE_OK; i++) {
        const struct ice_value *value = &values[rows->picked.at[i]];
        status = ice_value_cell(&buf, value);
        if (status == ICE_OK)
            status = ice_rows_hold(rows, i, ice_buf_str(&buf));
        rows->is_empty[i] = rows->is_empty[i] && says_nothing(value);
    }
    ice_buf_release(&buf);
    rows->n_held++;
    return status;
}

/* ---- one section ---- */

static enum ice_status begin(struct ice_rows *rows, const struct ice_column *columns,
                             struct ice_str section) {
    ice_buf_clear(&rows->section);
    ICE_TRY(ice_buf_append_str(&rows->section, section));
    for (size_t i = 0; i < rows->picked.n; i++) {
        const struct ice_column *column = &columns[rows->picked.at[i]];
        rows->is_empty[i] = true;
        rows->widths[i] = 0;
        rows->to_the_right[i] = column->kind == ICE_VALUE_I64;
        ICE_TRY(ice_rows_hold(rows, i, ice_str_from(column->name)));
    }
    return ICE_OK;
}

static bool is_shown(const struct ice_rows *rows, size_t column) {
    return rows->picked.at[column] != 0 && !rows->is_empty[column];
}

/* Names of columns help where there are numbers; sentences speak for themselves. */
static bool has_head(const struct ice_rows *rows) {
    for (size_t i = 0; i < rows->picked.n; i++)
        if (is_shown(rows, i) && rows->to_the_right[i])
            return true;
    return false;
}

/* A width counts the column's name only where names are shown. */
static void measure(struct ice_rows *rows, bool with_names) {
    for (size_t i = 0; i < rows->picked.n; i++) {
        rows->widths[i] = 0;
        for (size_t cell = with_names ? i : i + rows->picked.n; cell < rows->n_cells;
             cell += rows->picked.n) {
            size_t width = ice_text_width(rows->cells[cell]);
            if (width > rows->widths[i])
                rows->widths[i] = width;
        }
    }
}

static void put_row(struct ice_rows *rows, const struct ice_str *cells) {
    struct ice_text *text = &rows->text;
    size_t pending = 2; /* blanks before the next cell, if one comes */
    for (size_t i = 0; i < rows->picked.n; i++) {
        if (!is_shown(rows, i))
            continue;
        size_t width = ice_text_width(cells[i]);
        size_t gap = width < rows->widths[i] ? rows->widths[i] - width : 0;
        ice_text_spaces(text, pending + (rows->to_the_right[i] ? gap : 0));
        ice_text_escaped(text, cells[i]);
        pending = 2 + (rows->to_the_right[i] ? 0 : gap);
    }
    ice_text_put(text, "\n");
}

static void end(struct ice_rows *rows) {
    if (rows->n_cells == 0)
        return;
    bool with_names = has_head(rows);
    measure(rows, with_names);
    ice_text_put(&rows->text, rows->n_sections++ > 0 ? "\n" : "");
    ice_text_escaped(&rows->text, ice_buf_str(&rows->section));
    ice_text_put(&rows->text, "\n");
    for (size_t at = with_names ? 0 : rows->picked.n; at < rows->n_cells;
         at += rows->picked.n)
        put_row(rows, rows->cells + at);
    if (rows->n_left_out > 0) {
        ice_text_put(&rows->text, "  and ");
        ice_text_u64(&rows->text, rows->n_left_out);
        ice_text_put(&rows->text, " more: all of them with -f json\n");
    }
    rows->n_cells = rows->n_held = 0;
    rows->n_left_out = 0;
    ice_arena_release(&rows->arena);
}

/* ---- all ---- */

enum ice_status ice_sections_row(struct ice_rows *rows, const struct ice_column *columns,
                                 const struct ice_value *values) {
    bool is_same =
        rows->n_cells > 0 && ice_str_equal(ice_buf_str(&rows->section), values[0].str);
    if (!is_same) {
        end(rows);
        ICE_TRY(begin(rows, columns, values[0].str));
    }
    if (rows->n_held < SECTION_ROWS)
        return hold_row(rows, values);
    rows->n_left_out++;
    return rows->text.status;
}

void ice_sections_finish(struct ice_rows *rows) {
    end(rows);
}
