/*
 * icefsck diff PATH [PATH]: what a stale reader missed.
 */
#include "cli/cli.h"

#include <sys/stat.h>

static bool is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* One table without a state is nothing to compare. */
static int say_usage(const struct cli *cli) {
    if (cli->n_words == 1)
        cli_say(
            "diff %s with what? Name the older state: --from v10, or a snapshot id, a "
            "ref, an ISO time, a metadata file, a reader's log (inspect snapshots and "
            "inspect metadata_log_entries list them)",
            cli_quoted(cli->words[0]));
    else
        cli_say("diff takes one table, as in: icefsck diff ./orders --from v10; or two "
                "metadata files: icefsck diff 00010-aa.metadata.json "
                "00013-dd.metadata.json");
    return CLI_USAGE;
}

static bool is_usable(const struct cli *cli) {
    if (cli->n_words == 1)
        return cli->from != NULL || cli->to != NULL || !is_directory(cli->words[0]);
    return cli->n_words == 2;
}

int cli_diff(struct cli *cli) {
    if (!is_usable(cli))
        return say_usage(cli);
    if (cli->n_words == 2 && (cli->from != NULL || cli->to != NULL)) {
        cli_say("two paths are the two states: leave --from and --to out");
        return CLI_USAGE;
    }
    const struct ice_diff_request request = {.from = cli->from,
                                             .to = cli->n_words == 2 ? cli->words[1]
                                                                     : cli->to,
                                             .partitions = cli->partitions,
                                             .n_partitions = cli->n_partitions};
    struct cli_rows rows;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    bool differs = false;
    int code = cli_rows_open(cli, &rows);
    if (code != 0)
        return code;
    cli_watch(cli);
    enum ice_status status =
        ice_diff(cli->words[0], &request, &cli->options, cli_rows_row, cli_rows_trouble,
                 &rows, &differs, &err);
    code |= cli_rows_answered(&rows, cli->words[0], status, &err);
    if (status >= 0 && differs)
        code |= CLI_FOUND;
    return cli_rows_close(&rows, code);
}
