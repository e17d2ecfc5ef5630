/*
 * --baseline and --write-baseline: findings that are known, read before and written
 * behind the tables.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>

enum { MAX_BASELINE_BYTES = 256 << 20, READ_BYTES = 64 << 10 };

static int read_text(const char *path, struct cli_text *out) {
    char *bytes = cli_alloc(READ_BYTES, 1);
    FILE *file = fopen(path, "re");
    size_t n = 0;
    while (file != NULL && (n = fread(bytes, 1, READ_BYTES, file)) > 0 &&
           out->size <= MAX_BASELINE_BYTES)
        (void)cli_text_append(bytes, n, out);
    int why = errno;
    cli_free(bytes);
    bool failed = file == NULL || ferror(file) != 0;
    if (failed)
        cli_say_system(cli_quoted(path), why);
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
    const struct ice_str text = {cli->baseline_text.data, cli->baseline_text.size};
    enum ice_status status = ice_baseline_read(cli->known, text, &err);
    if (status == ICE_ENOMEM)
        cli_out_of_memory();
    if (status >= 0)
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

static enum ice_status write_baseline(struct cli *cli) {
    const struct ice_str text = {cli->found_text.data, cli->found_text.size};
    enum ice_status status = ICE_OK;
    if (text.size > 0)
        status = ice_baseline_read(cli->found, text, NULL);
    if (status >= 0)
        status = ice_baseline_write(cli->found, cli_sink_write, cli->found_sink);
    if (status == ICE_ENOMEM)
        cli_out_of_memory();
    return status;
}

int cli_baseline_close(struct cli *cli, int code) {
    if (cli->found_sink != NULL) {
        bool keep = (code & (CLI_FAILED | CLI_USAGE)) == 0;
        if (keep && cli_is_interrupted(NULL)) {
            cli_say("%s: not written, since not all was checked",
                    cli_quoted(cli->write_baseline));
            keep = false;
        }
        keep = keep && write_baseline(cli) >= 0;
        code |= cli_sink_close(cli->found_sink, keep);
    }
    ice_baseline_free(cli->known);
    ice_baseline_free(cli->found);
    cli->known = cli->found = NULL;
    cli->found_sink = NULL;
    cli->options.baseline = NULL;
    return code;
}

/* The file is opened before the tables: what cannot be written is said at once. */
static int open_found(struct cli *cli) {
    if (ice_baseline_open(&cli->found, NULL, NULL) < 0)
        cli_out_of_memory();
    cli->found_sink = cli_sink_file(cli->write_baseline);
    return cli->found_sink != NULL ? 0 : CLI_FAILED;
}

int cli_baseline_open(struct cli *cli) {
    if (cli->baseline == NULL && cli->write_baseline == NULL)
        return 0;
    keep_all_findings(cli);
    int code = cli->baseline != NULL ? read_baseline(cli) : 0;
    if (code == 0 && cli->write_baseline != NULL)
        code = open_found(cli);
    return code != 0 ? cli_baseline_close(cli, code) : 0;
}
