/*
 * What only holds for the options of a call together.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const enum cli_format *cli_formats_of(const struct cli *cli, bool is_report) {
    static const enum cli_format findings[] = {
        CLI_FORMAT_HUMAN, CLI_FORMAT_SHORT, CLI_FORMAT_JSON,   CLI_FORMAT_NDJSON,
        CLI_FORMAT_SARIF, CLI_FORMAT_JUNIT, CLI_FORMAT_GITHUB, CLI_FORMAT_MARKDOWN,
        CLI_FORMAT_HTML,  CLI_FORMAT_UNSET};
    static const enum cli_format rows[] = {CLI_FORMAT_TABLE, CLI_FORMAT_TSV,
                                           CLI_FORMAT_JSON,  CLI_FORMAT_NDJSON,
                                           CLI_FORMAT_ARROW, CLI_FORMAT_UNSET};
    static const enum cli_format live[] = {
        CLI_FORMAT_TABLE, CLI_FORMAT_TSV,    CLI_FORMAT_JSON, CLI_FORMAT_NDJSON,
        CLI_FORMAT_ARROW, CLI_FORMAT_ORACLE, CLI_FORMAT_UNSET};
    static const enum cli_format lines[] = {CLI_FORMAT_NDJSON, CLI_FORMAT_UNSET};
    static const enum cli_format document[] = {CLI_FORMAT_JSON, CLI_FORMAT_UNSET};
    static const enum cli_format words[] = {CLI_FORMAT_HUMAN, CLI_FORMAT_JSON,
                                            CLI_FORMAT_UNSET};
    switch (cli->command) {
    case CLI_CMD_CHECK:
        return cli->list_files ? rows : findings;
    case CLI_CMD_LINT_CONF:
        return findings;
    case CLI_CMD_BATCH:
        return is_report ? findings : lines;
    case CLI_CMD_INSPECT:
        return cli->n_words > 0 && strcmp(cli->words[0], "live") == 0 ? live : rows;
    case CLI_CMD_RULES:
    case CLI_CMD_ORPHANS:
    case CLI_CMD_DIFF:
    case CLI_CMD_POINTERS:
    case CLI_CMD_BENCH:
    case CLI_CMD_HISTORY:
    case CLI_CMD_RESCUE:
        return rows;
    case CLI_CMD_DUMP:
        return document;
    case CLI_CMD_EXPLAIN:
    case CLI_CMD_HELP:
    case CLI_CMD_VERSION:
    case CLI_CMD_COUNT:
        break;
    }
    return words;
}

static int check_format(const struct cli *cli, enum cli_format format, bool is_report,
                        const char *place) {
    const enum cli_format *known = cli_formats_of(cli, is_report);
    if (format == CLI_FORMAT_UNSET)
        return 0;
    for (size_t i = 0; known[i] != CLI_FORMAT_UNSET; i++) {
        if (known[i] == format)
            return 0;
    }
    char *list = cli_copy("", 0);
    for (size_t i = 0; known[i] != CLI_FORMAT_UNSET; i++)
        list = cli_join(list, i > 0 ? ", " : "", cli_format_name(known[i]));
    cli_say_of(place);
    cli_say("'%s%s' has no format %s; there are %s", cli_command_name(cli->command),
            cli->list_files ? " --list-files" : "", cli_format_name(format), list);
    return CLI_USAGE;
}

static int default_now(struct cli *cli) {
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    uint64_t seconds;
    if (cli->options.has_now || epoch == NULL || epoch[0] == '\0')
        return 0;
    if (!cli_number(epoch, UINT64_C(1) << 40, &seconds)) {
        cli_say("SOURCE_DATE_EPOCH: %s is no number of seconds", cli_quoted(epoch));
        return CLI_USAGE;
    }
    cli->options.has_now = true;
    cli->options.now_ms = (int64_t)seconds * 1000;
    return 0;
}

static int check_output(const struct cli *cli, const struct cli_output *output) {
    if (cli->command != CLI_CMD_BATCH || output->format != CLI_FORMAT_UNSET)
        return check_format(cli, output->format, true, output->place);
    cli_say_of(output->place);
    cli_say("batch writes its lines to standard output; -o adds reports, each with its "
            "format: -o html:%s",
            cli_quoted(output->file));
    return CLI_USAGE;
}

/* A slip in a name is said before anything is read, also where the file would not be. */
static int check_file(const char *option, const char *path) {
    struct stat info;
    if (strcmp(path, "-") == 0 || stat(path, &info) == 0 ||
        (errno != ENOENT && errno != ENOTDIR))
        return 0;
    cli_say("%s %s: no such file", option, cli_quoted(path));
    return CLI_USAGE;
}

static int check_files(const struct cli *cli) {
    for (size_t i = 0; i < cli->options.n_listings; i++)
        if (check_file("--listing", cli->options.listings[i]) != 0)
            return CLI_USAGE;
    for (size_t i = 0; i < cli->options.n_pointers; i++)
        if (strchr(cli->options.pointers[i], '=') == NULL && /* else NAME=URI */
            check_file("--pointer", cli->options.pointers[i]) != 0)
            return CLI_USAGE;
    return 0;
}

int cli_apply_end(struct cli *cli) {
    int code = check_format(cli, cli->format, false, cli->format_place);
    for (size_t i = 0; code == 0 && i < cli->n_outputs; i++)
        code = check_output(cli, &cli->outputs[i]);
    if (cli->format == CLI_FORMAT_UNSET)
        cli->format = cli_formats_of(cli, false)[0];
    if (code == 0)
        code = default_now(cli);
    return code != 0 ? code : check_files(cli);
}
