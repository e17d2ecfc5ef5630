/*
 * icefsck lint-conf FILE...: configuration, judged as text.
 */
#include "cli/cli.h"

#include <string.h>

static bool is_stdin_wanted_twice(const struct cli *cli) {
    size_t n = cli_stdin_pointers(cli);
    for (size_t i = 0; i < cli->n_words; i++)
        n += strcmp(cli->words[i], "-") == 0;
    if (n > 1)
        cli_say_stdin_twice();
    return n > 1;
}

/* The words, and --pointer: all are inputs of one setup. */
static void name_inputs(struct cli *cli) {
    const char **paths =
        cli_alloc(cli->n_words + cli->options.n_pointers, sizeof(*paths));
    size_t n = 0;
    for (size_t i = 0; i < cli->n_words; i++)
        paths[n++] = cli->words[i];
    for (size_t i = 0; i < cli->options.n_pointers; i++)
        paths[n++] = cli->options.pointers[i];
    cli->conf.paths = paths;
    cli->conf.n_paths = n;
}

static int lint(struct cli *cli, struct cli_findings *findings) {
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_summary *summary = NULL;
    findings->started = cli_seconds();
    enum ice_status status = ice_lint_conf(&cli->conf, &cli->options, cli_findings_one,
                                           findings, &summary, &err);
    cli_watch_end();
    int code = summary != NULL ? summary->exit_code : 0;
    if (status < 0 && !cli_findings_failed(findings)) {
        if (err.status >= 0)
            err.status = status;
        code |= cli_say_error("lint-conf", &err);
    }
    if (summary != NULL && cli_findings_summary(findings, summary) < 0 &&
        !cli_findings_failed(findings)) {
        cli_say("the report was not written");
        code |= CLI_FAILED;
    }
    ice_summary_free(summary);
    return code;
}

int cli_lint_conf(struct cli *cli) {
    struct cli_findings findings;
    if (cli->n_words + cli->options.n_pointers == 0) {
        cli_say("lint-conf of which files? As in: icefsck lint-conf spark-defaults.conf, "
                "or aws glue get-job --job-name etl | icefsck lint-conf -");
        return CLI_USAGE;
    }
    if (is_stdin_wanted_twice(cli))
        return CLI_USAGE;
    name_inputs(cli);
    int opened = cli_baseline_open(cli);
    if (opened == 0)
        opened = cli_findings_open(cli, &findings);
    if (opened != 0)
        return cli_baseline_close(cli, opened);
    cli_watch(cli);
    return cli_baseline_close(cli, cli_findings_close(&findings, lint(cli, &findings)));
}
