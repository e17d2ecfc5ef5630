/*
 * icefsck orphans PATH...: files without reference. Nothing is deleted.
 */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

static const int64_t DAY_MS = INT64_C(24) * 3600 * 1000;

static void say_totals(const char *of, const struct ice_orphan_totals *totals) {
    char unsized[48] = "";
    if (totals->n_unsized > 0)
        (void)snprintf(unsized, sizeof(unsized), " and %" PRIu64 " of unknown size",
                       totals->n_unsized);
    cli_say("%s: %" PRIu64 " file%s that nothing names, %" PRIu64 " bytes%s; %" PRIu64
            " younger left out",
            of, totals->n_files, totals->n_files == 1 ? "" : "s", totals->bytes, unsized,
            totals->n_young);
}

/* What became of each, and of all. */
static int say_tables(const struct ice_orphan_table *tables, size_t n) {
    struct ice_orphan_totals all = {0};
    int code = 0;
    for (size_t i = 0; i < n; i++) {
        if (tables[i].error.status < 0)
            code |= cli_say_error(tables[i].path, &tables[i].error);
        else
            say_totals(cli_quoted(tables[i].path), &tables[i].totals);
        all.n_files += tables[i].totals.n_files;
        all.bytes += tables[i].totals.bytes;
        all.n_unsized += tables[i].totals.n_unsized;
        all.n_young += tables[i].totals.n_young;
    }
    if (n > 1)
        say_totals("all tables", &all);
    return code;
}

/* All tables stay open until the listings have been read: a directory or two each. */
static void allow_open_files(size_t n_tables) {
    struct rlimit limit;
    rlim_t wanted = 64 + 4 * (rlim_t)n_tables;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted)
        return;
    limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || limit.rlim_max > wanted
                         ? wanted
                         : limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

int cli_orphans(struct cli *cli) {
    struct cli_paths paths = {0};
    struct cli_rows rows;
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    int code = cli_find_paths(cli, &paths);
    if (paths.n == 0)
        return code;
    int opened = cli_rows_open(cli, &rows);
    if (opened != 0)
        return opened;
    struct ice_orphan_table *tables = cli_alloc(paths.n, sizeof(*tables));
    for (size_t i = 0; i < paths.n; i++)
        tables[i] =
            (struct ice_orphan_table){.path = paths.paths[i], .name = paths.names[i]};
    allow_open_files(paths.n);
    cli_watch(cli);
    int64_t older_than = cli->has_older_than ? cli->older_than_ms : 3 * DAY_MS;
    enum ice_status status = ice_orphans(tables, paths.n, &cli->options, older_than,
                                         cli_rows_row, cli_rows_trouble, &rows, &err);
    code |=
        cli_rows_answered(&rows, paths.n == 1 ? paths.paths[0] : "orphans", status, &err);
    if (status >= 0)
        code |= say_tables(tables, paths.n);
    cli_free(tables);
    return cli_rows_close(&rows, code);
}
