/*
 * The commits of a table of a batch, for reports that show them: rows as lines of JSON,
 * so that a child can hand them over behind its line. Kept are the newest; the others are
 * counted.
 */
#include "cli/batch.h"

#include <jansson.h>
#include <string.h>

enum { KEPT_BYTES = 1 << 20 };

/* ---- where the table is checked ---- */

struct rows {
    struct cli_text *text;
    size_t start; /* of the rows in the text */
    uint64_t n_dropped;
};

/* The older half of the rows goes. */
static void drop(struct rows *rows) {
    char *first = rows->text->data + rows->start;
    size_t size = rows->text->size - rows->start, gone = 0;
    while (gone < size / 2) {
        const char *end = memchr(first + gone, '\n', size - gone);
        if (end == NULL)
            return;
        gone = (size_t)(end - first) + 1;
        rows->n_dropped++;
    }
    memmove(first, first + gone, size - gone);
    rows->text->size -= gone;
}

static enum ice_status keep(const char *data, size_t size, void *user) {
    struct rows *rows = user;
    if (rows->text->size - rows->start > KEPT_BYTES)
        drop(rows);
    return cli_text_append(data, size, rows->text);
}

uint64_t cli_history_append(const struct cli_job *job, struct cli_text *out) {
    struct rows rows = {.text = out, .start = out->size};
    struct ice_rows *writer = NULL;
    struct ice_options options = job->options;
    cli_answer_quietly(&options);
    if (ice_rows_open(&writer, ICE_FORMAT_NDJSON, NULL, NULL, keep, &rows, NULL) < 0)
        cli_out_of_memory();
    enum ice_status status = ice_history(job->path, &options, ice_rows_row,
                                         cli_trouble_is_known, writer, NULL);
    if (status == ICE_ENOMEM || ice_rows_finish(writer) == ICE_ENOMEM)
        cli_out_of_memory();
    ice_rows_free(writer);
    return rows.n_dropped;
}

/* ---- where the reports are ---- */

enum { MOST_COLUMNS = 32 };

static struct ice_value value_of(const char *name, const json_t *value) {
    struct ice_value out = {.kind = ICE_VALUE_NULL};
    if (json_is_integer(value)) {
        out.kind = ICE_VALUE_I64;
        out.i64 = json_integer_value(value);
    } else if (json_is_string(value) && strcmp(name, "time") == 0) {
        if (cli_time(json_string_value(value), &out.i64))
            out.kind = ICE_VALUE_TIME;
    } else if (json_is_string(value)) {
        out.kind = ICE_VALUE_STR;
        out.str = (struct ice_str){json_string_value(value), json_string_length(value)};
    }
    return out;
}

static enum ice_status put_row(struct cli_findings *findings, const char *line,
                               size_t size) {
    struct ice_column columns[MOST_COLUMNS];
    struct ice_value values[MOST_COLUMNS];
    json_error_t error;
    json_t *object = json_loadb(line, size, JSON_ALLOW_NUL, &error), *value;
    const char *name;
    size_t n = 0;
    if (object == NULL && json_error_code(&error) == json_error_out_of_memory)
        cli_out_of_memory();
    json_object_foreach(object, name, value) {
        if (n == MOST_COLUMNS)
            break;
        values[n] = value_of(name, value);
        columns[n] = (struct ice_column){name, values[n].kind};
        n++;
    }
    enum ice_status status =
        n > 0 ? cli_findings_row(columns, values, n, findings) : ICE_EFORMAT;
    json_decref(object);
    return status;
}

enum ice_status cli_findings_history(struct cli_findings *findings,
                                     const struct cli_history *history) {
    static const struct ice_column columns[] = {{"snapshot_id", ICE_VALUE_I64}};
    static const struct ice_value unknown = {.kind = ICE_VALUE_NULL};
    const char *at = history->rows, *behind = at + history->size;
    if (history->size == 0)
        return ICE_OK;
    enum ice_status status = cli_findings_answer(findings, "history");
    for (uint64_t i = 0; i < history->n_dropped && status >= 0; i++)
        status = cli_findings_row(columns, &unknown, 1, findings); /* to be counted */
    while (at < behind && status >= 0) {
        const char *end = memchr(at, '\n', (size_t)(behind - at));
        if (end == NULL)
            break;
        status = put_row(findings, at, (size_t)(end - at));
        at = end + 1;
    }
    return status;
}
