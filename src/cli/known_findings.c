/*
 * --baseline and --write-baseline: findings that are known, read before and written
 * behind the tables.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BASELINE_BYTES = 256 << 20, READ_BYTES = 64 << 10 };

static int read_text(const char *path, struct cli_text *out) {
    FILE *file = fopen(path, "re");
    char *bytes = cli_alloc(READ_BYTES, 1);
    size_t n = 0;
    while (file != NULL && (n = fread(bytes, 1, READ_BYTES, file)) > 0 &&
           out->size <= MAX_BASELINE_BYTES)
        (void)cli_text_append(bytes, n, out);
    cli_free(bytes);
    bool failed = file == NULL || ferror(file) != 0;
    if (failed)
        cli_say("%s: %s", cli_quoted(path), strerror(errno));
    else if (out->size > MAX_BASELINE_BYTES)
        cli_say("%s: too long for a baseline", cli_quoted(path));
    if (file != NULL)
        (void)fclose(file);
    return failed || out->size > MAX_BASELINE_BYTES ? CLI_USAGE : 0;
}

static int read_baseline(struct cli *cli) {
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    int code = read_text(cli->baseline, &cli->baseline_text);
    if (code != 0)
        return code;
    if (ice_baseline_open(&cli->known, NULL, &err) < 0)
        cli_out_of_memory();
    cli->options.baseline = cli->known;
    if (ice_baseline_read(
            cli->known,
            (struct ice_str){cli->baseline_text.data, cli->baseline_text.size},
            &err) >= 0)
        return 0;
    (void)cli_say_error(cli->baseline, &err);
    return CLI_USAGE;
}

/* What the usual limits leave out could be neither known nor written. */
static void keep_all_findings(struct cli *cli) {
    struct ice_limits *limits = &cli->options.limits;
    if (limits->findings_per_file == 0)
        limits->findings_per_file = limits->findings_per_rule = UINT64_MAX;
}

void cli_baseline_take(struct cli *cli, const char *text, size_t size) {
    (void)cli_text_append(text, size, &cli->found_text);
}

static int write_baseline(struct cli *cli) {
    struct cli_sink *sink = cli_sink_file(cli->write_baseline);
    if (sink == NULL)
        return CLI_FAILED;
    enum ice_status status = ICE_OK;
    if (cli->found_text.size > 0)
        status = ice_baseline_read(
            cli->found, (struct ice_str){cli->found_text.data, cli->found_text.size},
            NULL);
    if (status >= 0)
        status = ice_baseline_write(cli->found, cli_sink_write, sink);
    if (status == ICE_ENOMEM)
        cli_out_of_memory();
    return cli_sink_close(sink, status >= 0) | (status < 0 ? CLI_FAILED : 0);
}

int cli_baseline_close(struct cli *cli, int code) {
    if (cli->found != NULL && (code & (CLI_FAILED | CLI_USAGE)) == 0) {
        if (cli_is_interrupted(NULL))
            cli_say("%s: not written, since not all was checked",
                    cli_quoted(cli->write_baseline));
        else
            code |= write_baseline(cli);
    }
    ice_baseline_free(cli->known);
    ice_baseline_free(cli->found);
    cli->known = cli->found = NULL;
    cli->options.baseline = NULL;
    return code;
}

int cli_baseline_open(struct cli *cli) {
    if (cli->baseline == NULL && cli->write_baseline == NULL)
        return 0;
    keep_all_findings(cli);
    if (cli->write_baseline != NULL && ice_baseline_open(&cli->found, NULL, NULL) < 0)
        cli_out_of_memory();
    int code = cli->baseline != NULL ? read_baseline(cli) : 0;
    return code != 0 ? cli_baseline_close(cli, code) : 0;
}
