/*
 * One row of an answer under construction: typed cells for columns in their order, nested
 * values as JSON text.
 *
 *   ice_row_begin(&row);
 *   ice_row_i64(&row, id);
 *   w = ice_row_json(&row); ... write one value to w ...; ice_row_json_end(&row);
 *   status = ice_row_send(&row, err);
 */
#ifndef ICE_ANSWER_ROW_BUILDER_H
#define ICE_ANSWER_ROW_BUILDER_H

#include "base/run.h"
#include "json/writer.h"

#define ICE_ROW_COLUMNS 32 /* of the widest table, with room */

/* Strings, maps and lists are borrowed until _send; JSON is kept in text. A failure
 * sticks until _send.
 */
struct ice_row {
    const struct ice_column *columns;
    size_t n_columns;
    ice_row_fn on_row;
    void *user;
    struct ice_value values[ICE_ROW_COLUMNS];
    size_t n;
    /* JSON cells one behind the other; i64 of a cell is its offset */
    struct ice_buf text;
    struct ice_json_writer json;
    enum ice_status status;
};

/* columns, ended by a NULL name, are borrowed until the release. */
void ice_row_init(struct ice_row *row, struct ice_run *run,
                  const struct ice_column *columns, ice_row_fn on_row, void *user);
void ice_row_release(struct ice_row *row); /* safe twice and on all-zero */

void ice_row_begin(struct ice_row *row);
void ice_row_null(struct ice_row *row);
void ice_row_bool(struct ice_row *row, bool value);
void ice_row_i64(struct ice_row *row, int64_t value);
void ice_row_str(struct ice_row *row, struct ice_str value);
void ice_row_text(struct ice_row *row, const char *value);
void ice_row_bytes(struct ice_row *row, struct ice_str value);
void ice_row_time(struct ice_row *row, int64_t ms);
void ice_row_map_i64(struct ice_row *row, const int32_t *keys, const int64_t *values,
                     size_t n);
void ice_row_map_bytes(struct ice_row *row, const int32_t *keys,
                       const struct ice_str *values, size_t n);
void ice_row_list_i64(struct ice_row *row, const int64_t *items, size_t n);
/* ... or null where has is false */
void ice_row_i64_if(struct ice_row *row, bool has, int64_t value);
void ice_row_str_if(struct ice_row *row, bool has, struct ice_str value);
void ice_row_bytes_if(struct ice_row *row, bool has, struct ice_str value);
void ice_row_time_if(struct ice_row *row, bool has, int64_t ms);
/* A nested value: write it to the returned writer, then call _end. */
struct ice_json_writer *ice_row_json(struct ice_row *row);
void ice_row_json_end(struct ice_row *row);
/* Hand the row out; all columns must have been filled. Status of on_row or of the
 * building. */
enum ice_status ice_row_send(struct ice_row *row, struct ice_error *err) ICE_MUST_USE;

#endif
