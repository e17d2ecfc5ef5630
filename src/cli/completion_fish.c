/*
 * Completion for fish: one line an option of a command.
 */
#include "cli/pages.h"

#include <string.h>

static void put(struct cli_sink *sink, const char *text) {
    (void)cli_sink_write(text, strlen(text), sink);
}

/* Between '...' of fish. */
static void put_quoted(struct cli_sink *sink, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            put(sink, "\\");
        put(sink, (const char[]){*text, '\0'});
    }
}

static const char head[] =
    "# by: icefsck help --completion fish\n"
    "\n"
    "# the command of the line; nothing before it is named\n"
    "function __icefsck_command\n"
    "    for word in (commandline -opc)[2..-1]\n"
    "        if not string match -q -- '-*' $word\n"
    "            echo $word\n"
    "            return\n"
    "        end\n"
    "    end\n"
    "end\n"
    "function __icefsck_none\n"
    "    test -z (__icefsck_command)\n"
    "end\n"
    "# check is meant where no command is named\n"
    "function __icefsck_is\n"
    "    set -l command (__icefsck_command)\n"
    "    test \"$command\" = $argv[1]; and return\n"
    "    test $argv[1] = check; and not contains -- \"$command\" $__icefsck_names\n"
    "end\n"
    "function __icefsck_first\n"
    "    set -l words (string match -v -- '-*' (commandline -opc)[2..-1])\n"
    "    test (count $words) = 1\n"
    "end\n"
    "function __icefsck_rules\n"
    "    ICEFSCK_OPTS= icefsck rules --no-config -f tsv --columns id,message 2>/dev/null "
    "| tail -n +2\n"
    "end\n"
    "function __icefsck_rule_list\n"
    "    set -l list (commandline -ct | string replace -r '^--[a-z-]+=' '' | string "
    "match "
    "-r '.*,')\n"
    "    __icefsck_rules | string replace -r '^' \"$list\"\n"
    "end\n";

static void put_value(struct cli_sink *sink, enum cli_value_kind kind,
                      const char *words) {
    switch (kind) {
    case CLI_VALUE_FREE:
        put(sink, " -x");
        break;
    case CLI_VALUE_WORDS:
        put(sink, cli_join(" -x -a '", words, "'"));
        break;
    case CLI_VALUE_FILE:
        put(sink, " -r -F");
        break;
    case CLI_VALUE_DIRECTORY:
        put(sink, " -x -a '(__fish_complete_directories)'");
        break;
    case CLI_VALUE_RULES:
        put(sink, " -x -a '(__icefsck_rule_list)'");
        break;
    case CLI_VALUE_RULE_LEVEL:
        put(sink, " -x -a '(__icefsck_rules | string replace -r \"\\t\" \"=\\t\")'");
        break;
    }
}

static void put_option(struct cli_sink *sink, enum cli_option_id id,
                       enum cli_command command) {
    const struct cli_option *option = &cli_options[id];
    const char *words;
    enum cli_value_kind kind = cli_value_kind(id, command, &words);
    put(sink, cli_join("complete -c icefsck -n '__icefsck_is ", cli_command_name(command),
                       "'"));
    if (option->letter != '\0') {
        const char letter[] = {' ', '-', 's', ' ', option->letter, '\0'};
        put(sink, letter);
    }
    put(sink, cli_join(" -l ", option->name, ""));
    if (option->argument != NULL)
        put_value(sink, kind, words);
    put(sink, " -d '");
    put_quoted(sink, option->about);
    put(sink, "'\n");
}

static void put_words(struct cli_sink *sink, enum cli_command command) {
    if (command == CLI_CMD_EXPLAIN || command == CLI_CMD_RULES) {
        put(sink, cli_join("complete -c icefsck -n '__icefsck_is ",
                           cli_command_name(command), "' -f -a '(__icefsck_rules)'\n"));
    } else if (command == CLI_CMD_HELP) {
        put(sink, "complete -c icefsck -n '__icefsck_is help' -f -a "
                  "'$__icefsck_names'\n");
    } else if (command == CLI_CMD_INSPECT) {
        put(sink, "complete -c icefsck -n '__icefsck_is inspect; and __icefsck_first' -f "
                  "-a '");
        for (const char *const *name = ice_inspect_names(); *name != NULL; name++)
            put(sink, cli_join(*name, " ", ""));
        put(sink, "'\n");
    }
}

void cli_put_fish_completion(struct cli_sink *sink) {
    put(sink, head);
    put(sink, "set -g __icefsck_names");
    for (int i = 0; i < CLI_CMD_COUNT; i++)
        put(sink, cli_join(" ", cli_command_name((enum cli_command)i), ""));
    put(sink, "\n");
    for (int i = 0; i < CLI_CMD_COUNT; i++) {
        const struct cli_command_text *text = cli_command_text((enum cli_command)i);
        put(sink,
            cli_join("complete -c icefsck -n __icefsck_none -a ", text->name, " -d '"));
        put_quoted(sink, text->about);
        put(sink, "'\n");
    }
    put(sink, "complete -c icefsck -s h -l help -d 'all about the command'\n");
    for (int i = 0; i < CLI_CMD_COUNT; i++) {
        enum cli_command command = (enum cli_command)i;
        for (int k = 0; k < CLI_OPT_COUNT; k++) {
            if (cli_options[k].commands & (1u << command))
                put_option(sink, (enum cli_option_id)k, command);
        }
        put_words(sink, command);
    }
}
