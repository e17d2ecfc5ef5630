/*
 * Completion for bash. It needs nothing of the package bash-completion, whose loader
 * finds it by name.
 */
#include "cli/pages.h"

#include <string.h>

static void put(struct cli_sink *sink, const char *text) {
    (void)cli_sink_write(text, strlen(text), sink);
}

static const char head[] =
    "# icefsck(1) completion, by: icefsck help --completion bash\n"
    "\n"
    "# rules by name; those behind the last comma of a list\n"
    "_icefsck_rules() {\n"
    "    local list= part=$cur\n"
    "    if [[ $1 == list && $cur == *,* ]]; then list=${cur%,*},; part=${cur##*,}; fi\n"
    "    local names=$(ICEFSCK_OPTS= \"$program\" rules --no-config -f tsv --columns id "
    "2>/dev/null | tail -n +2)\n"
    "    COMPREPLY=($(compgen -P \"$list\" -S \"${2-}\" -W \"$names\" -- \"$part\"))\n"
    "}\n"
    "_icefsck_files() {\n"
    "    local IFS=$'\\n'\n"
    "    COMPREPLY=($(compgen \"$1\" -- \"$cur\"))\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n"
    "_icefsck() {\n"
    "    local program=$1 cur=${COMP_WORDS[COMP_CWORD]} "
    "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command= word i options n=0\n"
    "    # readline takes --format=json for three words\n"
    "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then "
    "prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    COMPREPLY=()\n"
    "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        [[ $word == -- ]] && { _icefsck_files -f; return; }\n"
    "        if [[ $word != -* && -z $command ]]; then command=$word; elif [[ $word != "
    "-* "
    "]]; then n=$((n + 1)); fi\n"
    "    done\n";

static const char tail[] = "}\n"
                           "complete -F _icefsck icefsck\n";

static void put_value(struct cli_sink *sink, enum cli_value_kind kind,
                      const char *words) {
    switch (kind) {
    case CLI_VALUE_FREE:
        put(sink, "return");
        break;
    case CLI_VALUE_WORDS:
        put(sink,
            cli_join("COMPREPLY=($(compgen -W \"", words, "\" -- \"$cur\")); return"));
        break;
    case CLI_VALUE_FILE:
        put(sink, "_icefsck_files -f; return");
        break;
    case CLI_VALUE_DIRECTORY:
        put(sink, "_icefsck_files -d; return");
        break;
    case CLI_VALUE_RULES:
        put(sink, "_icefsck_rules list; return");
        break;
    case CLI_VALUE_RULE_LEVEL:
        put(sink, "_icefsck_rules one =; compopt -o nospace 2>/dev/null; return");
        break;
    }
}

/* "  -f|--format) ... ;;" for the options with an argument, then all options. */
static void put_options(struct cli_sink *sink, enum cli_command command) {
    char *names = cli_copy("--help", 6);
    put(sink, "        case $prev in\n");
    for (int i = 0; i < CLI_OPT_COUNT; i++) {
        const struct cli_option *option = &cli_options[i];
        if ((option->commands & (1u << command)) == 0)
            continue;
        names = cli_join(names, " --", option->name);
        if (option->argument == NULL)
            continue;
        const char *words;
        enum cli_value_kind kind = cli_value_kind((enum cli_option_id)i, command, &words);
        put(sink, "        ");
        if (option->letter != '\0') {
            const char letter[] = {'-', option->letter, '|', '\0'};
            put(sink, letter);
        }
        put(sink, cli_join("--", option->name, ") "));
        put_value(sink, kind, words);
        put(sink, " ;;\n");
    }
    put(sink, cli_join("        esac\n        options=\"", names, "\"\n"));
}

/* What stands where no option does. */
static void put_words(struct cli_sink *sink, enum cli_command command) {
    if (command == CLI_CMD_EXPLAIN || command == CLI_CMD_RULES)
        put(sink, "        [[ $cur != -* ]] && { _icefsck_rules one; return; }\n");
    if (command == CLI_CMD_HELP) {
        char *names = cli_copy("", 0);
        for (int i = 0; i < CLI_CMD_COUNT; i++)
            names =
                cli_join(names, i > 0 ? " " : "", cli_command_name((enum cli_command)i));
        put(sink, cli_join("        [[ $cur != -* ]] && { COMPREPLY=($(compgen -W \"",
                           names, "\" -- \"$cur\")); return; }\n"));
    }
    if (command == CLI_CMD_INSPECT) {
        char *names = cli_copy("", 0);
        for (const char *const *name = ice_inspect_names(); *name != NULL; name++)
            names = cli_join(names, names[0] != '\0' ? " " : "", *name);
        put(sink,
            cli_join(
                "        [[ $n == 0 && $cur != -* ]] && { COMPREPLY=($(compgen -W \"",
                names, "\" -- \"$cur\")); return; }\n"));
    }
}

void cli_put_bash_completion(struct cli_sink *sink) {
    char *names = cli_copy("", 0);
    put(sink, head);
    put(sink, "    case $command in\n");
    for (int i = 0; i < CLI_CMD_COUNT; i++) {
        enum cli_command command = (enum cli_command)i;
        if (command == CLI_CMD_CHECK) /* the default, and last */
            continue;
        names = cli_join(names, names[0] != '\0' ? " " : "", cli_command_name(command));
        put(sink, cli_join("    ", cli_command_name(command), ")\n"));
        put_options(sink, command);
        put_words(sink, command);
        put(sink, "        ;;\n");
    }
    names = cli_join("check ", names, "");
    put(sink, "    *)\n");
    put_options(sink, CLI_CMD_CHECK);
    put(sink, cli_join("        if [[ -z $command && $cur != -* ]]; then\n"
                       "            local names=$(compgen -W \"",
                       names,
                       "\" -- \"$cur\")\n"
                       "            _icefsck_files -f\n"
                       "            COMPREPLY+=($names)\n"
                       "            return\n"
                       "        fi\n"
                       "        ;;\n"
                       "    esac\n"));
    put(sink, "    if [[ $cur == -* ]]; then\n"
              "        COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
              "    else\n"
              "        _icefsck_files -f\n"
              "    fi\n");
    put(sink, tail);
}
