/*
 * icefsck rescue PATH: states of a table to go back to, best first. Nothing is written.
 */
#include "cli/cli.h"

#include <string.h>

/* Rows go to the report; advice waits behind them. */
struct rescue {
    struct cli_rows rows; /* first: on_trouble is that of rows */
    char *advice;
};

static enum ice_status keep_advice(const char *data, size_t size, void *user) {
    struct rescue *rescue = user;
    rescue->advice = cli_join(rescue->advice, cli_copy(data, size), "");
    return ICE_OK;
}

static enum ice_status put_row(const struct ice_column *columns,
                               const struct ice_value *values, size_t n, void *user) {
    struct rescue *rescue = user;
    return cli_rows_row(columns, values, n, &rescue->rows);
}

/* On stderr, a line each, where stdout is for machines. */
static void say_advice(const char *advice) {
    while (*advice != '\0') {
        size_t size = strcspn(advice, "\n");
        if (size > 0)
            cli_say("%.*s", (int)size, advice);
        advice += size + (advice[size] == '\n');
    }
}

int cli_rescue(struct cli *cli) {
    static const char shown[] = "rank,state,metadata_file,snapshot_id,time,age,way,"
                                "lost_commits,lost_files,lost_rows,lacks";
    if (cli->n_words != 1) {
        cli_say("rescue takes one PATH, as in: icefsck rescue ./orders --listing l.json");
        return CLI_USAGE;
    }
    const char *path = cli->words[0];
    bool is_table = cli->format == CLI_FORMAT_TABLE && cli->n_outputs == 0;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_rescue_result result = {0};
    struct rescue rescue = {.advice = cli_copy("\n", 1)};
    if (cli->columns == NULL && is_table)
        cli->columns = shown;
    int code = cli_rows_open(cli, &rescue.rows);
    if (code != 0)
        return code;
    cli_watch(cli);
    enum ice_status status = ice_rescue(path, &cli->options, put_row, keep_advice,
                                        cli_rows_trouble, &rescue, &result, &err);
    code |= cli_rows_answered(&rescue.rows, path, status, &err);
    if (status >= 0 && !result.is_found)
        code |= CLI_FOUND;
    if (status >= 0 && is_table)
        rescue.rows.tail = rescue.advice;
    else if (status >= 0)
        say_advice(rescue.advice);
    return cli_rows_close(&rescue.rows, code);
}
