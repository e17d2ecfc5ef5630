/*
 * Rows of an answer, to stdout and to the files of -o.
 */
#include "cli/cli.h"

#include <string.h>

enum ice_format cli_library_format(enum cli_format format) {
    switch (format) {
    case CLI_FORMAT_SHORT:
        return ICE_FORMAT_SHORT;
    case CLI_FORMAT_JSON:
        return ICE_FORMAT_JSON;
    case CLI_FORMAT_NDJSON:
        return ICE_FORMAT_NDJSON;
    case CLI_FORMAT_SARIF:
        return ICE_FORMAT_SARIF;
    case CLI_FORMAT_JUNIT:
        return ICE_FORMAT_JUNIT;
    case CLI_FORMAT_GITHUB:
        return ICE_FORMAT_GITHUB;
    case CLI_FORMAT_MARKDOWN:
        return ICE_FORMAT_MARKDOWN;
    case CLI_FORMAT_HTML:
        return ICE_FORMAT_HTML;
    case CLI_FORMAT_TABLE:
        return ICE_FORMAT_TABLE;
    case CLI_FORMAT_TSV:
        return ICE_FORMAT_TSV;
    case CLI_FORMAT_GRAPH:
        return ICE_FORMAT_GRAPH;
    case CLI_FORMAT_ARROW:
        return ICE_FORMAT_ARROW;
    case CLI_FORMAT_UNSET:
    case CLI_FORMAT_HUMAN:
    case CLI_FORMAT_ORACLE:
        break;
    }
    return ICE_FORMAT_HUMAN;
}

static int add(const struct cli *cli, struct cli_rows *out, struct cli_sink *sink,
               enum cli_format format) {
    struct ice_error err = {0};
    if (sink == NULL)
        return CLI_FAILED;
    out->items = cli_grow(out->items, out->n, sizeof(*out->items));
    out->items[out->n].sink = sink;
    out->items[out->n].format = format;
    const char *columns = cli->columns;
    if (columns == NULL && format == CLI_FORMAT_TABLE)
        columns = cli->table_columns;
    if (ice_rows_open(&out->items[out->n].rows, cli_library_format(format), columns, NULL,
                      cli_sink_write, sink, &err) < 0) {
        (void)cli_sink_close(sink, false);
        return cli_say_error("rows", &err) | CLI_FAILED;
    }
    out->n++;
    return 0;
}

static void drop_all(struct cli_rows *rows) {
    for (size_t i = 0; i < rows->n; i++) {
        ice_rows_free(rows->items[i].rows);
        (void)cli_sink_close(rows->items[i].sink, false);
    }
    rows->n = 0;
}

int cli_rows_open(const struct cli *cli, struct cli_rows *out) {
    *out = (struct cli_rows){0};
    bool to_stdout = true;
    for (size_t i = 0; i < cli->n_outputs; i++)
        to_stdout = to_stdout && cli->outputs[i].format != CLI_FORMAT_UNSET;
    int code = to_stdout ? add(cli, out, cli_sink_stdout(), cli->format) : 0;
    for (size_t i = 0; code == 0 && i < cli->n_outputs; i++) {
        const struct cli_output *output = &cli->outputs[i];
        code = add(cli, out, cli_sink_file(output->file),
                   output->format != CLI_FORMAT_UNSET ? output->format : cli->format);
    }
    if (code != 0)
        drop_all(out);
    return code;
}

static void say_columns(const char *bad, const struct ice_column *columns, size_t n) {
    char *list = cli_copy("", 0);
    for (size_t i = 0; i < n; i++)
        list = cli_join(list, i > 0 ? ", " : "", columns[i].name);
    cli_say("no column %s here; there are %s", cli_quoted(bad), list);
}

enum ice_status cli_rows_row(const struct ice_column *columns,
                             const struct ice_value *values, size_t n, void *user) {
    struct cli_rows *rows = user;
    if (cli_is_interrupted(NULL))
        return ICE_ECANCELLED;
    for (size_t i = 0; i < rows->n; i++) {
        enum ice_status status = ice_rows_row(columns, values, n, rows->items[i].rows);
        const char *bad = ice_rows_bad_column(rows->items[i].rows);
        if (status == ICE_EARG && bad != NULL) {
            say_columns(bad, columns, n);
            rows->is_bad_column = true;
        }
        if (status < 0)
            return status;
    }
    return ICE_OK;
}

void cli_rows_trouble(const struct ice_error *trouble, void *user) {
    struct cli_rows *rows = user;
    rows->has_trouble = true;
    cli_watch_end();
    (void)cli_say_error("input", trouble);
}

bool cli_rows_failed(const struct cli_rows *rows) {
    for (size_t i = 0; i < rows->n; i++) {
        if (cli_sink_failed(rows->items[i].sink))
            return true;
    }
    return rows->is_bad_column;
}

int cli_rows_answered(const struct cli_rows *rows, const char *path,
                      enum ice_status status, struct ice_error *err) {
    cli_watch_end();
    if (err->status >= 0)
        err->status = status;
    return status < 0 && !cli_rows_failed(rows) ? cli_say_error(path, err) : 0;
}

int cli_rows_close(struct cli_rows *rows, int code) {
    if (rows->is_bad_column) {
        drop_all(rows);
        return CLI_USAGE;
    }
    if (code < CLI_INTERRUPTED && (code & CLI_FAILED) != 0) {
        drop_all(rows); /* what lacks something must not be taken for a whole */
        return code;
    }
    if (rows->has_trouble && code == CLI_USAGE)
        code = 0; /* what was asked for may be in what could not be read */
    if (rows->has_trouble)
        code |= CLI_INCOMPLETE;
    int closed = 0;
    for (size_t i = 0; i < rows->n; i++) {
        enum ice_status status = ice_rows_finish(rows->items[i].rows);
        if (status == ICE_OK && rows->tail != NULL)
            status = cli_sink_write(rows->tail, strlen(rows->tail), rows->items[i].sink);
        if (status == ICE_OK && rows->items[i].tail_size > 0)
            status = cli_sink_write(rows->items[i].tail, rows->items[i].tail_size,
                                    rows->items[i].sink);
        ice_rows_free(rows->items[i].rows);
        int one = cli_sink_close(rows->items[i].sink, status == ICE_OK);
        if (one == CLI_PIPE_CLOSED)
            closed = one;
        else if (closed != CLI_PIPE_CLOSED)
            closed |= one != 0 ? one : status < 0 ? CLI_FAILED : 0;
    }
    return closed == CLI_PIPE_CLOSED ? closed : code | closed;
}
