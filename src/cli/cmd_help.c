/*
 * icefsck help, --help, and help COMMAND, all from the tables of commands and options.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 80, ABOUT_COLUMN = 30 };

static const struct {
    const char *name, *arguments, *about, *exit_1;
} commands[] = {
#define CLI_COMMAND(id, name, run, arguments, about, exit_1)                             \
    {name, arguments, about, exit_1},
#include "cli/commands.def"
#undef CLI_COMMAND
};

static void put(struct cli_sink *sink, const char *text) {
    (void)cli_sink_write(text, strlen(text), sink);
}

/* text behind column, broken at blanks; the line has `used` columns so far. */
static void put_wrapped(struct cli_sink *sink, const char *text, size_t used,
                        size_t column) {
    while (*text != '\0') {
        size_t word = strcspn(text, " ");
        if (used > column && used + 1 + word > COLUMNS) {
            put(sink, "\n");
            used = 0;
        }
        for (; used < column; used++)
            put(sink, " ");
        if (used > column) {
            put(sink, " ");
            used++;
        }
        put(sink, cli_copy(text, word));
        used += word;
        text += word;
        while (*text == ' ')
            text++;
    }
    put(sink, "\n");
}

static void put_entry(struct cli_sink *sink, const char *head, const char *about,
                      size_t column) {
    put(sink, head);
    size_t used = strlen(head);
    if (used >= column) {
        put(sink, "\n");
        used = 0;
    }
    put_wrapped(sink, about, used, column);
}

/* A few words on each, for two columns; `about` is for its own page. */
static const char *const briefs[CLI_CMD_COUNT] = {
    [CLI_CMD_CHECK] = "validate tables (default)",
    [CLI_CMD_BATCH] = "many tables, a line each",
    [CLI_CMD_INSPECT] = "rows, as metadata tables",
    [CLI_CMD_DUMP] = "one file as plain JSON",
    [CLI_CMD_DIFF] = "what a stale reader missed",
    [CLI_CMD_ORPHANS] = "files that nothing names",
    [CLI_CMD_POINTERS] = "catalogs against storage",
    [CLI_CMD_HISTORY] = "the commits; --graph",
    [CLI_CMD_RESCUE] = "the last good state",
    [CLI_CMD_LINT_CONF] = "misconfigured catalogs",
    [CLI_CMD_EXPLAIN] = "what a finding means",
    [CLI_CMD_RULES] = "the catalogue of rules",
    [CLI_CMD_BENCH] = "how fast, as ratios",
    [CLI_CMD_HELP] = "all about one command",
    [CLI_CMD_VERSION] = "and libraries, codecs, limits",
};

/* Read downwards: the first half left, the second half right. */
static void put_commands(struct cli_sink *sink) {
    const int lines = (CLI_CMD_COUNT + 1) / 2;
    for (int i = 0; i < lines; i++) {
        char line[COLUMNS + 1];
        int right = i + lines;
        if (right < CLI_CMD_COUNT)
            (void)snprintf(line, sizeof(line), "  %-9s %-28s %-9s %s", commands[i].name,
                           briefs[i], commands[right].name, briefs[right]);
        else
            (void)snprintf(line, sizeof(line), "  %-9s %s", commands[i].name, briefs[i]);
        put(sink, line);
        put(sink, "\n");
    }
}

static void put_overview(struct cli_sink *sink) {
    put(sink, "icefsck checks Apache Iceberg tables from their metadata files.\n\n"
              "usage: icefsck COMMAND [OPTIONS] [--] [PATH...]\n"
              "       icefsck PATH...                = icefsck check PATH...\n\n");
    put_commands(sink);
    put(sink,
        "\n"
        "  icefsck check ./orders                      the current state and its "
        "history\n"
        "  icefsck check ./orders --snapshot main      only what this snapshot reaches\n"
        "  icefsck batch -r ./warehouse                all tables below, for machines\n"
        "  icefsck check ./orders --map s3://lake/wh/db/orders=./orders\n"
        "  icefsck inspect files ./orders --snapshot main -f tsv\n"
        "  icefsck explain avro.truncated              what a finding means\n"
        "\n"
        "exit: 0 sound, or-ed: 1 findings, 2 not all checked, 4 usage, 8 icefsck failed\n"
        "more: icefsck help check\n");
}

static void put_options(struct cli_sink *sink, enum cli_command command) {
    put(sink, "\noptions:\n");
    for (const struct cli_option *option = cli_options; option->name != NULL; option++) {
        if ((option->commands & (1u << command)) == 0)
            continue;
        char letter[8] = "      ";
        if (option->letter != '\0')
            (void)snprintf(letter, sizeof(letter), "  -%c, ", option->letter);
        const char *head = cli_join(letter, "--", option->name);
        if (option->argument != NULL)
            head = cli_join(head, " ", option->argument);
        put_entry(sink, head, option->about, ABOUT_COLUMN);
    }
    put_entry(sink, "  -h, --help", "this text", ABOUT_COLUMN);
}

static const char batch_text[] =
    "\nWithout PATHs the tables are lines of standard input. A line is a path, or\n"
    "  {\"table\":\"db.t\",\"path\":\"...\",\"metadata\":\"...\",\"pointer\":\"...\",\n"
    "   \"map\":{\"FROM\":\"TO\"},\"listing\":\"...\",\"max_age\":\"6h\"}\n"
    "which adds to the options of the call. Each table gives one line, in the order\n"
    "of the input: "
    "{\"summary\":{...},\"findings\":[...],\"path\":\"...\",\"key\":\"...\"}.\n"
    "One that cannot be checked is a line with \"complete\":false and the reason.\n"
    "The totals go to standard error.\n"
    "\n"
    "  icefsck batch -r ./warehouse > results.ndjson\n"
    "  icefsck batch -r ./warehouse --resume results.ndjson >> results.ndjson\n"
    "  icefsck batch --shard 3/16 --files-from all-tables.txt > 3.ndjson\n";

static void put_command(struct cli_sink *sink, enum cli_command command) {
    put(sink, cli_join("usage: icefsck ", commands[command].name, ""));
    put(sink, cli_join(" [OPTIONS] ", commands[command].arguments, "\n\n"));
    put_wrapped(sink, commands[command].about, 0, 0);
    if (command == CLI_CMD_INSPECT) {
        char *list = cli_copy("WHAT:", 5);
        for (const char *const *name = ice_inspect_names(); *name != NULL; name++)
            list = cli_join(list, " ", *name);
        put(sink, "\n");
        put_wrapped(sink, list, 0, 0);
    }
    if (command == CLI_CMD_BATCH)
        put(sink, batch_text);
    put_options(sink, command);
    put(sink, "\nexit code, or-ed:\n");
    put_entry(sink, "  0", "everything asked was done, nothing at --fail-on or above", 6);
    put_entry(sink, "  1", commands[command].exit_1, 6);
    put_entry(sink, "  2", "something asked could not be read or checked", 6);
    put_entry(sink, "  4", "usage or configuration error; nothing was read", 6);
    put_entry(sink, "  8", "icefsck itself failed: memory, report not writable", 6);
    put(sink, "  130 interrupted, 141 closed pipe\n");
}

int cli_help(struct cli *cli) {
    enum cli_command command = cli->command;
    bool is_overview = cli->is_implied || command == CLI_CMD_HELP;
    if (command == CLI_CMD_HELP && cli->n_words > 0) {
        if (!cli_command_of(cli->words[0], &command)) {
            cli_say("no command %s; see icefsck --help", cli_quoted(cli->words[0]));
            return CLI_USAGE;
        }
        is_overview = false;
    }
    struct cli_sink *sink = cli_sink_stdout();
    if (is_overview)
        put_overview(sink);
    else
        put_command(sink, command);
    return cli_sink_close(sink, true);
}
