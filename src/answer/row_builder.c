/*
 * One row of an answer under construction.
 */
#include "answer/row_builder.h"

#include "base/error.h"

#include <assert.h>

void ice_row_init(struct ice_row *row, struct ice_run *run,
                  const struct ice_column *columns, ice_row_fn on_row, void *user) {
    *row = (struct ice_row){.columns = columns, .on_row = on_row, .user = user};
    while (columns[row->n_columns].name != NULL)
        row->n_columns++;
    assert(row->n_columns <= ICE_ROW_COLUMNS);
    ice_buf_init(&row->text, &run->alloc, SIZE_MAX); /* limits.memory bounds it */
}

void ice_row_release(struct ice_row *row) {
    ice_buf_release(&row->text);
}

void ice_row_begin(struct ice_row *row) {
    row->n = 0;
    row->status = ICE_OK;
    ice_buf_clear(&row->text);
}

static struct ice_value *next_cell(struct ice_row *row, enum ice_value_kind kind) {
    assert(row->n < row->n_columns);
    assert(kind == ICE_VALUE_NULL || kind == row->columns[row->n].kind);
    struct ice_value *value = &row->values[row->n++];
    *value = (struct ice_value){.kind = kind};
    return value;
}

void ice_row_null(struct ice_row *row) {
    (void)next_cell(row, ICE_VALUE_NULL);
}

void ice_row_bool(struct ice_row *row, bool value) {
    next_cell(row, ICE_VALUE_BOOL)->i64 = value;
}

void ice_row_i64(struct ice_row *row, int64_t value) {
    next_cell(row, ICE_VALUE_I64)->i64 = value;
}

void ice_row_str(struct ice_row *row, struct ice_str value) {
    next_cell(row, ICE_VALUE_STR)->str = value;
}

void ice_row_text(struct ice_row *row, const char *value) {
    ice_row_str(row, ice_str_from(value));
}

void ice_row_bytes(struct ice_row *row, struct ice_str value) {
    next_cell(row, ICE_VALUE_BYTES)->str = value;
}

void ice_row_time(struct ice_row *row, int64_t ms) {
    next_cell(row, ICE_VALUE_TIME)->i64 = ms;
}

void ice_row_map_i64(struct ice_row *row, const int32_t *keys, const int64_t *values,
                     size_t n) {
    struct ice_value *value = next_cell(row, ICE_VALUE_MAP_I64);
    value->keys = keys;
    value->numbers = values;
    value->n = n;
}

void ice_row_map_bytes(struct ice_row *row, const int32_t *keys,
                       const struct ice_str *values, size_t n) {
    struct ice_value *value = next_cell(row, ICE_VALUE_MAP_BYTES);
    value->keys = keys;
    value->strs = values;
    value->n = n;
}

void ice_row_list_i64(struct ice_row *row, const int64_t *items, size_t n) {
    struct ice_value *value = next_cell(row, ICE_VALUE_LIST_I64);
    value->numbers = items;
    value->n = n;
}

void ice_row_i64_if(struct ice_row *row, bool has, int64_t value) {
    if (has)
        ice_row_i64(row, value);
    else
        ice_row_null(row);
}

void ice_row_str_if(struct ice_row *row, bool has, struct ice_str value) {
    if (has)
        ice_row_str(row, value);
    else
        ice_row_null(row);
}

void ice_row_bytes_if(struct ice_row *row, bool has, struct ice_str value) {
    if (has)
        ice_row_bytes(row, value);
    else
        ice_row_null(row);
}

void ice_row_time_if(struct ice_row *row, bool has, int64_t ms) {
    if (has)
        ice_row_time(row, ms);
    else
        ice_row_null(row);
}

static enum ice_status append(const char *data, size_t size, void *user) {
    struct ice_row *row = user;
    return ice_buf_append(&row->text, data, size);
}

struct ice_json_writer *ice_row_json(struct ice_row *row) {
    next_cell(row, ICE_VALUE_JSON)->i64 = (int64_t)row->text.size;
    ice_jw_init(&row->json, append, row, 0);
    return &row->json;
}

void ice_row_json_end(struct ice_row *row) {
    struct ice_value *value = &row->values[row->n - 1];
    enum ice_status status = ice_jw_finish(&row->json);
    if (status < 0 && row->status >= 0)
        row->status = status;
    value->str.size = row->text.size - (size_t)value->i64;
}

enum ice_status ice_row_send(struct ice_row *row, struct ice_error *err) {
    assert(row->n == row->n_columns);
    if (row->status == ICE_ENOMEM)
        return ice_error_memory(err);
    if (row->status < 0)
        return ice_error_set(err, row->status, NULL, ICE_NO_OFFSET, "a row grew too big");
    for (size_t i = 0; i < row->n; i++) {
        if (row->values[i].kind != ICE_VALUE_JSON)
            continue;
        row->values[i].str.data = row->text.data + (size_t)row->values[i].i64;
        row->values[i].i64 = 0;
    }
    return row->on_row(row->columns, row->values, row->n, row->user);
}
