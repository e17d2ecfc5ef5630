/*
 * Rows as aligned table, tab-separated values, JSON, newline-delimited JSON, or a graph.
 */
#include "report/rows_report.h"

#include "base/error.h"
#include "base/escape.h"
#include "json/row_value.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROWS_HELD = 1000 }; /* the widths of a table are those of its first rows */

static bool is_of_rows(enum ice_format format) {
    return format == ICE_FORMAT_TABLE || format == ICE_FORMAT_TSV ||
           format == ICE_FORMAT_JSON || format == ICE_FORMAT_NDJSON ||
           format == ICE_FORMAT_GRAPH || format == ICE_FORMAT_ARROW;
}

enum ice_status ice_rows_open(struct ice_rows **out, enum ice_format format,
                              const char *columns, const struct ice_allocator *allocator,
                              ice_write_fn write, void *user, struct ice_error *err) {
    *out = NULL;
    if (write == NULL || !is_of_rows(format))
        return ice_error_set(err, ICE_EARG, NULL, ICE_NO_OFFSET,
                             "no report of rows has this format");
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct ice_rows *rows = ice_calloc(&alloc, 1, sizeof(*rows));
    if (rows == NULL)
        return ice_error_memory(err);
    ice_alloc_init(&rows->alloc, allocator, UINT64_MAX);
    rows->format = format;
    ice_text_init(&rows->text, write, user);
    ice_jw_init(&rows->json, write, user, 0);
    ice_arrow_rows_init(&rows->arrow, &rows->alloc, &rows->picked, write, user);
    ice_graph_init(&rows->graph, &rows->alloc, &rows->text);
    ice_arena_init(&rows->arena, &rows->alloc);
    ice_buf_init(&rows->wanted, &rows->alloc, SIZE_MAX / 2);
    ice_buf_init(&rows->section, &rows->alloc, SIZE_MAX / 2);
    if (ice_buf_append_str(&rows->wanted, ice_str_from(columns)) < 0) {
        ice_rows_free(rows);
        return ice_error_memory(err);
    }
    *out = rows;
    return ICE_OK;
}

void ice_rows_free(struct ice_rows *rows) {
    if (rows == NULL)
        return;
    ice_array_free(&rows->alloc, &rows->cells, &rows->cap_cells, sizeof(*rows->cells));
    ice_arrow_rows_release(&rows->arrow);
    ice_graph_release(&rows->graph);
    ice_arena_release(&rows->arena);
    ice_buf_release(&rows->section);
    ice_buf_release(&rows->wanted);
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &rows->alloc.base, UINT64_MAX);
    ice_free(&alloc, rows, sizeof(*rows));
}

const char *ice_rows_bad_column(const struct ice_rows *rows) {
    return rows->picked.bad_column[0] != '\0' ? rows->picked.bad_column : NULL;
}

/* ---- values as text ---- */

static enum ice_status append_to_buf(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

/* As JSON has it, without a detour through the locale. */
static enum ice_status json_text(struct ice_buf *out, const struct ice_value *value) {
    struct ice_json_writer w;
    size_t start = out->size;
    ice_jw_init(&w, append_to_buf, out, 0);
    ice_jw_value(&w, value);
    ICE_TRY(ice_jw_finish(&w));
    if (out->size > start && out->data[start] == '"') { /* "NaN" without its quotes */
        memmove(out->data + start, out->data + start + 1, out->size - start - 2);
        out->size -= 2;
    }
    return ICE_OK;
}

static enum ice_status hex_text(struct ice_buf *out, struct ice_str bytes) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char byte = (unsigned char)bytes.data[i];
        const char pair[2] = {digits[byte >> 4], digits[byte & 15]};
        ICE_TRY(ice_buf_append(out, pair, 2));
    }
    return ICE_OK;
}

enum ice_status ice_value_text(struct ice_buf *out, const struct ice_value *value) {
    char time[ICE_TIME_SIZE];
    switch (value->kind) {
    case ICE_VALUE_NULL:
        return ICE_OK;
    case ICE_VALUE_BOOL:
        return ice_buf_append_str(out, value->i64 ? ICE_STR("true") : ICE_STR("false"));
    case ICE_VALUE_I64:
        return ice_buf_printf(out, "%" PRId64, value->i64);
    case ICE_VALUE_F64:
    case ICE_VALUE_MAP_I64:
    case ICE_VALUE_MAP_BYTES:
    case ICE_VALUE_LIST_I64:
        return json_text(out, value);
    case ICE_VALUE_STR:
    case ICE_VALUE_JSON:
        return ice_buf_append_str(out, value->str);
    case ICE_VALUE_BYTES:
        return hex_text(out, value->str);
    case ICE_VALUE_TIME:
        return ice_buf_append_str(out, ice_time_text(value->i64, time));
    }
    return ICE_EARG;
}

enum ice_status ice_value_cell(struct ice_buf *out, const struct ice_value *value) {
    ice_buf_clear(out);
    return value->kind == ICE_VALUE_NULL ? ice_buf_append_char(out, '-')
                                         : ice_value_text(out, value);
}

/* ---- table ---- */

static void put_cell(struct ice_rows *rows, size_t column, struct ice_str cell) {
    struct ice_text *text = &rows->text;
    size_t width = ice_text_width(cell);
    size_t gap = width < rows->widths[column] ? rows->widths[column] - width : 0;
    bool is_last = column + 1 == rows->picked.n;
    if (rows->to_the_right[column])
        ice_text_spaces(text, gap);
    ice_text_escaped(text, cell);
    if (!rows->to_the_right[column] && !is_last)
        ice_text_spaces(text, gap);
    ice_text_put(text, is_last ? "\n" : "  ");
}

static void release_held(struct ice_rows *rows) {
    rows->widths_fixed = true;
    for (size_t i = 0; i < rows->n_cells; i++)
        put_cell(rows, i % rows->picked.n, rows->cells[i]);
    rows->n_cells = rows->n_held = 0;
    ice_arena_release(&rows->arena);
}

enum ice_status ice_rows_hold(struct ice_rows *rows, size_t column, struct ice_str cell) {
    if (!ice_array_reserve(&rows->alloc, &rows->cells, rows->n_cells, &rows->cap_cells,
                           sizeof(*rows->cells)) ||
        !ice_arena_dup(&rows->arena, cell, &rows->cells[rows->n_cells]))
        return ICE_ENOMEM;
    rows->n_cells++;
    size_t width = ice_text_width(cell);
    if (width > rows->widths[column])
        rows->widths[column] = width;
    return ICE_OK;
}

static enum ice_status table_cell(struct ice_rows *rows, size_t column,
                                  struct ice_str cell) {
    if (!rows->widths_fixed)
        return ice_rows_hold(rows, column, cell);
    put_cell(rows, column, cell);
    return rows->text.status;
}

static enum ice_status table_row(struct ice_rows *rows, const struct ice_value *values) {
    struct ice_buf buf;
    ice_buf_init(&buf, &rows->alloc, SIZE_MAX / 2);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < rows->picked.n && status == ICE_OK; i++) {
        status = ice_value_cell(&buf, &values[rows->picked.at[i]]);
        if (status == ICE_OK)
            status = table_cell(rows, i, ice_buf_str(&buf));
    }
    ice_buf_release(&buf);
    if (!rows->widths_fixed && ++rows->n_held > ROWS_HELD)
        release_held(rows);
    return status;
}

static enum ice_status table_head(struct ice_rows *rows,
                                  const struct ice_column *columns) {
    for (size_t i = 0; i < rows->picked.n; i++) {
        const struct ice_column *column = &columns[rows->picked.at[i]];
        rows->to_the_right[i] =
            column->kind == ICE_VALUE_I64 || column->kind == ICE_VALUE_F64;
        ICE_TRY(ice_rows_hold(rows, i, ice_str_from(column->name)));
    }
    return ICE_OK;
}

/* ---- tsv ---- */

/* Tab, newline, carriage return and backslash as in C, else what ice_escape escapes. */
static void tsv_text(struct ice_text *text, struct ice_str cell) {
    size_t start = 0;
    for (size_t i = 0; i < cell.size;) {
        unsigned char c = (unsigned char)cell.data[i];
        if (c >= 0x20 && c < 0x7f && c != '\\') {
            i++;
            continue;
        }
        const size_t from = i;
        char escape[16] = {'\\', 0};
        size_t length = 2;
        escape[1] = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : '\\';
        if (escape[1] != '\\' || c == '\\')
            i++;
        else
            length = ice_escape_next(cell, &i, escape);
        ice_text_raw(text, (struct ice_str){cell.data + start, from - start});
        ice_text_raw(text, (struct ice_str){escape, length});
        start = i;
    }
    ice_text_raw(text, ice_str_from_index(cell, start));
}

static enum ice_status tsv_row(struct ice_rows *rows, const struct ice_value *values) {
    struct ice_buf buf;
    ice_buf_init(&buf, &rows->alloc, SIZE_MAX / 2);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < rows->picked.n && status == ICE_OK; i++) {
        const struct ice_value *value = &values[rows->picked.at[i]];
        if (i > 0)
            ice_text_put(&rows->text, "\t");
        ice_buf_clear(&buf);
        status = ice_value_text(&buf, value);
        if (value->kind == ICE_VALUE_NULL)
            ice_text_put(&rows->text, "\\N");
        tsv_text(&rows->text, ice_buf_str(&buf));
    }
    ice_text_put(&rows->text, "\n");
    ice_buf_release(&buf);
    return status < 0 ? status : rows->text.status;
}

static enum ice_status tsv_head(struct ice_rows *rows, const struct ice_column *columns) {
    for (size_t i = 0; i < rows->picked.n; i++) {
        ice_text_put(&rows->text, i > 0 ? "\t" : "");
        ice_text_put(&rows->text, columns[rows->picked.at[i]].name);
    }
    ice_text_put(&rows->text, "\n");
    return rows->text.status;
}

/* ---- json, ndjson ---- */

static enum ice_status json_row(struct ice_rows *rows, const struct ice_column *columns,
                                const struct ice_value *values) {
    struct ice_json_writer *w = &rows->json;
    if (rows->format == ICE_FORMAT_JSON && rows->n_rows == 0)
        ice_jw_array(w);
    ice_jw_object(w);
    for (size_t i = 0; i < rows->picked.n; i++) {
        ice_jw_key(w, columns[rows->picked.at[i]].name);
        ice_jw_value(w, &values[rows->picked.at[i]]);
    }
    ice_jw_object_end(w);
    if (rows->format == ICE_FORMAT_NDJSON)
        ice_jw_newline(w);
    return w->status;
}

/* ---- all ---- */

static enum ice_status head(struct ice_rows *rows, const struct ice_column *columns,
                            size_t n) {
    ICE_TRY(ice_pick(&rows->picked, columns, n, ice_buf_str(&rows->wanted)));
    rows->has_columns = true;
    rows->is_sectioned =
        rows->format == ICE_FORMAT_TABLE && ice_sections_are_wanted(columns, n);
    if (rows->is_sectioned)
        return ICE_OK;
    if (rows->format == ICE_FORMAT_TABLE)
        return table_head(rows, columns);
    if (rows->format == ICE_FORMAT_ARROW)
        return ice_arrow_rows_head(&rows->arrow, columns);
    return rows->format == ICE_FORMAT_TSV ? tsv_head(rows, columns) : ICE_OK;
}

enum ice_status ice_rows_row(const struct ice_column *columns,
                             const struct ice_value *values, size_t n, void *user) {
    struct ice_rows *rows = user;
    if (!rows->has_columns)
        ICE_TRY(head(rows, columns, n));
    if (values == NULL)
        return ICE_OK;
    enum ice_status status = ICE_OK;
    if (rows->is_sectioned)
        status = ice_sections_row(rows, columns, values);
    else if (rows->format == ICE_FORMAT_TABLE)
        status = table_row(rows, values);
    else if (rows->format == ICE_FORMAT_TSV)
        status = tsv_row(rows, values);
    else if (rows->format == ICE_FORMAT_ARROW)
        status = ice_arrow_rows_row(&rows->arrow, values);
    else if (rows->format == ICE_FORMAT_GRAPH)
        status = ice_graph_row(&rows->graph, columns, values, n);
    else
        status = json_row(rows, columns, values);
    rows->n_rows++;
    return status;
}

enum ice_status ice_rows_finish(struct ice_rows *rows) {
    if (rows->finished)
        return ICE_EARG;
    rows->finished = true;
    if (rows->format == ICE_FORMAT_JSON) {
        if (rows->n_rows == 0)
            ice_jw_array(&rows->json);
        ice_jw_array_end(&rows->json);
        ice_jw_newline(&rows->json);
    }
    if (rows->format == ICE_FORMAT_ARROW)
        ICE_TRY(ice_arrow_rows_finish(&rows->arrow));
    ice_graph_draw(&rows->graph);
    if (rows->is_sectioned)
        ice_sections_finish(rows);
    release_held(rows);
    ICE_TRY(ice_jw_finish(&rows->json));
    return ice_text_finish(&rows->text);
}
