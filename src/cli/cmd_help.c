/*
 * icefsck help, --help, and help COMMAND, all from the tables of commands and options.
 */
#include "cli/pages.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 80, ABOUT_COLUMN = 30, EXAMPLE_COLUMN = 6 };

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

static const char *name(int command) {
    return cli_command_name((enum cli_command)command);
}

static const char *brief(int command) {
    return cli_command_text((enum cli_command)command)->brief;
}

/* Read downwards: the first half left, the second half right. */
static void put_commands(struct cli_sink *sink) {
    const int lines = (CLI_CMD_COUNT + 1) / 2;
    for (int i = 0; i < lines; i++) {
        char line[COLUMNS + 1];
        int right = i + lines;
        if (right < CLI_CMD_COUNT)
            (void)snprintf(line, sizeof(line), "  %-9s %-28s %-9s %s", name(i), brief(i),
                           name(right), brief(right));
        else
            (void)snprintf(line, sizeof(line), "  %-9s %s", name(i), brief(i));
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
        "  icefsck check ./orders                      all snapshots, not only the "
        "last\n"
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

static void put_paragraphs(struct cli_sink *sink, unsigned page) {
    const struct cli_page_line *line;
    for (size_t i = 0; (line = cli_page_line_at(i)) != NULL; i++) {
        if (line->page != page || line->part != CLI_PART_TEXT)
            continue;
        put(sink, "\n");
        put_wrapped(sink, line->text, 0, 0);
    }
}

/* The line as it is typed, however long, and what it does behind it or below. */
static void put_examples(struct cli_sink *sink, unsigned page) {
    const struct cli_page_line *line;
    bool is_first = true;
    for (size_t i = 0; (line = cli_page_line_at(i)) != NULL; i++) {
        if (line->page != page || line->part != CLI_PART_EXAMPLE)
            continue;
        put(sink, is_first ? "\nexamples:\n" : "");
        is_first = false;
        put_entry(sink, cli_join("  ", line->head, ""), line->text, EXAMPLE_COLUMN);
    }
}

static void put_command(struct cli_sink *sink, enum cli_command command) {
    const struct cli_command_text *text = cli_command_text(command);
    const struct cli_exit_text *line;
    put(sink, cli_join("usage: icefsck ", text->name, ""));
    put(sink, cli_join(" [OPTIONS] ", text->arguments, "\n\n"));
    put_wrapped(sink, text->about, 0, 0);
    put_paragraphs(sink, command);
    if (command == CLI_CMD_INSPECT) {
        char *list = cli_copy("WHAT:", 5);
        for (const char *const *row = ice_inspect_names(); *row != NULL; row++)
            list = cli_join(list, " ", *row);
        put(sink, "\n");
        put_wrapped(sink, list, 0, 0);
    }
    put_options(sink, command);
    put(sink, "\nexit code, or-ed:\n");
    for (size_t i = 0; (line = cli_exit_text_at(i)) != NULL; i++)
        put_entry(sink, cli_join("  ", line->code, ""),
                  line->means != NULL ? line->means : text->exit_1, 6);
    put_examples(sink, command);
}

/* --man and --completion. */
static int put_generated(const struct cli *cli, unsigned page) {
    struct cli_sink *sink = cli_sink_stdout();
    if (cli->completion == NULL)
        cli_put_manual(sink, page);
    else if (strcmp(cli->completion, "bash") == 0)
        cli_put_bash_completion(sink);
    else if (strcmp(cli->completion, "zsh") == 0)
        cli_put_zsh_completion(sink);
    else
        cli_put_fish_completion(sink);
    return cli_sink_close(sink, true);
}

static int no_command(const char *word) {
    const char *nearest = cli_nearest_command(word);
    if (nearest != NULL)
        cli_say("no command %s; did you mean %s?", cli_quoted(word), nearest);
    else
        cli_say("no command %s; see icefsck --help", cli_quoted(word));
    return CLI_USAGE;
}

int cli_help(struct cli *cli) {
    enum cli_command command = cli->command;
    bool is_overview = cli->is_implied || command == CLI_CMD_HELP;
    if (command == CLI_CMD_HELP && cli->n_words > 0) {
        if (!cli_command_of(cli->words[0], &command))
            return no_command(cli->words[0]);
        is_overview = false;
    }
    if (cli->manual || cli->completion != NULL)
        return put_generated(cli, is_overview ? CLI_PAGE_OVERVIEW : command);
    struct cli_sink *sink = cli_sink_stdout();
    if (is_overview)
        put_overview(sink);
    else
        put_command(sink, command);
    return cli_sink_close(sink, true);
}
