/*
 * icefsck history PATH: the commits of a table over all its metadata files.
 */
#include "cli/cli.h"

int cli_history(struct cli *cli) {
    if (cli->n_words != 1) {
        cli_say("history takes one PATH, as in: icefsck history ./orders --graph");
        return CLI_USAGE;
    }
    const char *path = cli->words[0];
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct cli_rows rows;
    if (cli->graph && cli->format != CLI_FORMAT_TABLE) {
        cli_say("--graph draws text: leave -f out, or take the rows without --graph");
        return CLI_USAGE;
    }
    if (cli->graph)
        cli->format = CLI_FORMAT_GRAPH;
    int code = cli_rows_open(cli, &rows);
    if (code != 0)
        return code;
    cli_watch(cli);
    enum ice_status status =
        ice_history(path, &cli->options, cli_rows_row, cli_rows_trouble, &rows, &err);
    code |= cli_rows_answered(&rows, path, status, &err);
    return cli_rows_close(&rows, code);
}
