/*
 * icefsck orphans PATH...: files without reference. Nothing is deleted.
 */
#include "cli/cli.h"

#include <inttypes.h>

static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;

static void say_totals(const char *path, const struct ice_orphan_totals *totals) {
    cli_say("%s: %" PRIu64 " files that nothing names, %" PRIu64 " bytes; %" PRIu64
            " younger ones left out",
            cli_quoted(path), totals->n_files, totals->bytes, totals->n_young);
}

int cli_orphans(struct cli *cli) {
    struct cli_paths paths = {0};
    struct cli_rows rows;
    int code = cli_find_paths(cli, &paths);
    if (paths.n == 0)
        return code;
    int opened = cli_rows_open(cli, &rows);
    if (opened != 0)
        return opened;
    cli_watch(cli);
    int64_t older_than = cli->has_older_than ? cli->older_than_ms : 3 * DAY_MS;
    for (size_t i = 0; i < paths.n && !cli_rows_failed(&rows); i++) {
        struct ice_error err = {.offset = ICE_NO_OFFSET};
        struct ice_orphan_totals totals = {0};
        cli->options.table_name = paths.names[i];
        enum ice_status status =
            ice_orphans(paths.paths[i], &cli->options, older_than, cli_rows_row,
                        cli_rows_trouble, &rows, &totals, &err);
        cli_watch_end();
        if (err.status >= 0)
            err.status = status;
        if (status < 0 && !cli_rows_failed(&rows))
            code |= cli_say_error(paths.paths[i], &err);
        else if (status >= 0)
            say_totals(paths.paths[i], &totals);
    }
    return cli_rows_close(&rows, code);
}
