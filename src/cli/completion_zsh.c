/*
 * Completion for zsh: one _arguments a command.
 */
#include "cli/pages.h"

#include <string.h>

static void put(struct cli_sink *sink, const char *text) {
    (void)cli_sink_write(text, strlen(text), sink);
}

/* Inside '...' and the [text] of a specification. */
static void put_quoted(struct cli_sink *sink, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            put(sink, "'\\''");
        else if (*text == '[' || *text == ']' || *text == ':' || *text == '\\')
            put(sink, (const char[]){'\\', *text, '\0'});
        else
            put(sink, (const char[]){*text, '\0'});
    }
}

static const char head[] =
    "#compdef icefsck\n"
    "# by: icefsck help --completion zsh\n"
    "\n"
    "_icefsck_rules() {\n"
    "    local -a names\n"
    "    names=(${(f)\"$(ICEFSCK_OPTS= icefsck rules --no-config -f tsv --columns id "
    "2>/dev/null)\"})\n"
    "    shift names\n"
    "    compadd \"$@\" -a names\n"
    "}\n"
    "_icefsck_rule_list() { _sequence -s , _icefsck_rules }\n"
    "_icefsck_rule_level() { _icefsck_rules -S = }\n"
    "_icefsck_commands() {\n"
    "    local -a names\n"
    "    names=(\n";

static void put_action(struct cli_sink *sink, enum cli_value_kind kind,
                       const char *words) {
    switch (kind) {
    case CLI_VALUE_FREE:
        put(sink, " ");
        break;
    case CLI_VALUE_WORDS:
        put(sink, cli_join("(", words, ")"));
        break;
    case CLI_VALUE_FILE:
        put(sink, "_files");
        break;
    case CLI_VALUE_DIRECTORY:
        put(sink, "_files -/");
        break;
    case CLI_VALUE_RULES:
        put(sink, "_icefsck_rule_list");
        break;
    case CLI_VALUE_RULE_LEVEL:
        put(sink, "_icefsck_rule_level");
        break;
    }
}

/* '*' before a name: it may be repeated, which does no harm to the others. */
static void put_option(struct cli_sink *sink, enum cli_option_id id,
                       enum cli_command command) {
    const struct cli_option *option = &cli_options[id];
    const char letter[] = {'-', option->letter, '\0'};
    const char *words;
    enum cli_value_kind kind = cli_value_kind(id, command, &words);
    for (int is_long = option->letter == '\0'; is_long < 2; is_long++) {
        put(sink, " \\\n            '*");
        put(sink, is_long ? cli_join("--", option->name, "") : letter);
        put(sink, option->argument == NULL ? "[" : is_long ? "=[" : "+[");
        put_quoted(sink, option->about);
        put(sink, "]");
        if (option->argument != NULL) {
            put(sink, ":");
            put_quoted(sink, option->argument);
            put(sink, ":");
            put_action(sink, kind, words);
        }
        put(sink, "'");
    }
}

static void put_words(struct cli_sink *sink, enum cli_command command) {
    if (command == CLI_CMD_EXPLAIN || command == CLI_CMD_RULES) {
        put(sink, " \\\n            '*:rule:_icefsck_rules'");
    } else if (command == CLI_CMD_HELP) {
        put(sink, " \\\n            '1:command:_icefsck_commands'");
    } else if (command == CLI_CMD_INSPECT) {
        put(sink, " \\\n            '1:rows:(");
        for (const char *const *name = ice_inspect_names(); *name != NULL; name++)
            put(sink, cli_join(*name, " ", ""));
        put(sink, ")' '*:path:_files'");
    } else if (command != CLI_CMD_VERSION) {
        put(sink, " \\\n            '*:path:_files'");
    }
}

static void put_command(struct cli_sink *sink, enum cli_command command) {
    put(sink, cli_join("    ", cli_command_name(command), ")\n        _arguments -S -s"));
    for (int i = 0; i < CLI_OPT_COUNT; i++) {
        if (cli_options[i].commands & (1u << command))
            put_option(sink, (enum cli_option_id)i, command);
    }
    put(sink, " \\\n            '(- *)--help[all about the command]'");
    put_words(sink, command);
    put(sink, "\n        ;;\n");
}

void cli_put_zsh_completion(struct cli_sink *sink) {
    put(sink, head);
    for (int i = 0; i < CLI_CMD_COUNT; i++) {
        const struct cli_command_text *text = cli_command_text((enum cli_command)i);
        put(sink, cli_join("        '", text->name, ":"));
        put_quoted(sink, text->about);
        put(sink, "'\n");
    }
    put(sink, "    )\n"
              "    _describe -t commands command names\n"
              "}\n"
              "_icefsck() {\n"
              "    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
              "        _alternative 'commands:command:_icefsck_commands' "
              "'files:table:_files'\n"
              "        return\n"
              "    fi\n"
              "    local command=check\n"
              "    case $words[2] in\n"
              "    ");
    for (int i = 0; i < CLI_CMD_COUNT; i++)
        put(sink, cli_join(i > 0 ? "|" : "", cli_command_name((enum cli_command)i), ""));
    put(sink, ") command=$words[2]; shift words; (( CURRENT-- )) ;;\n"
              "    esac\n"
              "    case $command in\n");
    for (int i = 0; i < CLI_CMD_COUNT; i++)
        put_command(sink, (enum cli_command)i);
    put(sink, "    esac\n"
              "}\n"
              "_icefsck \"$@\"\n");
}
