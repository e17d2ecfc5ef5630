/*
 * The words of the command line: GNU long options, a few short ones, options and paths in
 * any order, "--" ends options, no abbreviations.
 */
#include "cli/cli.h"

#include <string.h>

const struct cli_option cli_options[] = {
#define BENCH (1u << CLI_CMD_BENCH)
#define CHECK_ONLY (1u << CLI_CMD_CHECK)
#define BATCH (1u << CLI_CMD_BATCH)
#define CHECK (CHECK_ONLY | BATCH) /* batch takes what check takes, but its reports */
#define INSPECT (1u << CLI_CMD_INSPECT)
#define DIFF (1u << CLI_CMD_DIFF)
#define DUMP (1u << CLI_CMD_DUMP)
#define ORPHANS (1u << CLI_CMD_ORPHANS)
#define POINTERS (1u << CLI_CMD_POINTERS)
#define HISTORY (1u << CLI_CMD_HISTORY)
#define RESCUE (1u << CLI_CMD_RESCUE)
#define LINT_CONF (1u << CLI_CMD_LINT_CONF)
#define RULES (1u << CLI_CMD_RULES)
#define VERSION (1u << CLI_CMD_VERSION)
#define HELP (1u << CLI_CMD_HELP)
#define CLI_OPTION(id, name, letter, argument, commands, about)                          \
    {name, letter, argument, commands, about},
#define CLI_LATER(name, has_argument)
#include "cli/options.def"
#undef CLI_OPTION
#undef CLI_LATER
    {0},
};

static const char *const later_options[] = {
#define CLI_OPTION(id, name, letter, argument, commands, about)
#define CLI_LATER(name, has_argument) name,
#include "cli/options.def"
#undef CLI_OPTION
#undef CLI_LATER
    NULL,
};

static const char *const command_names[] = {
#define CLI_COMMAND(id, name, run, arguments, about, exit_1) name,
#include "cli/commands.def"
#undef CLI_COMMAND
    NULL,
};

const char *cli_command_name(enum cli_command command) {
    return command_names[command];
}

bool cli_command_of(const char *word, enum cli_command *out) {
    for (int i = 0; i < CLI_CMD_COUNT; i++) {
        if (strcmp(word, command_names[i]) == 0) {
            *out = (enum cli_command)i;
            return true;
        }
    }
    return false;
}

static const char *command_candidate(size_t index) {
    return command_names[index];
}

const char *cli_nearest_command(const char *word) {
    return cli_nearest(word, command_candidate);
}

static const char *option_candidate(size_t index) {
    static const char *const more[] = {"help", "version", NULL};
    return index < CLI_OPT_COUNT ? cli_options[index].name : more[index - CLI_OPT_COUNT];
}

static int unknown_option(const char *name) {
    for (size_t i = 0; later_options[i] != NULL; i++) {
        if (strcmp(name, later_options[i]) == 0) {
            cli_say("option --%s is not in this release", name);
            return CLI_USAGE;
        }
    }
    const char *nearest = cli_nearest(name, option_candidate);
    const char *written = cli_quoted(cli_join("--", name, ""));
    if (nearest != NULL)
        cli_say("unknown option %s; did you mean --%s?", written, nearest);
    else
        cli_say("unknown option %s; see icefsck --help", written);
    return CLI_USAGE;
}

void cli_settings_add(struct cli_settings *settings, enum cli_option_id id,
                      const char *value) {
    settings->items = cli_grow(settings->items, settings->n, sizeof(*settings->items));
    settings->items[settings->n++] = (struct cli_setting){.id = id, .value = value};
}

int cli_long_option(const char *text, const char *next, struct cli_settings *out,
                    bool *out_took_next) {
    const char *equals = strchr(text, '=');
    size_t size = equals != NULL ? (size_t)(equals - text) : strlen(text);
    const char *name = cli_copy(text, size);
    *out_took_next = false;
    for (int i = 0; i < CLI_OPT_COUNT; i++) {
        const struct cli_option *option = &cli_options[i];
        if (strcmp(option->name, name) != 0)
            continue;
        const char *value = equals != NULL ? equals + 1 : NULL;
        if (option->argument == NULL && value != NULL) {
            cli_say("option --%s takes no value", name);
            return CLI_USAGE;
        }
        if (option->argument != NULL && value == NULL) {
            value = next;
            *out_took_next = next != NULL;
        }
        if (option->argument != NULL && value == NULL) {
            cli_say("option --%s needs a value: --%s=%s", name, name, option->argument);
            return CLI_USAGE;
        }
        cli_settings_add(out, (enum cli_option_id)i, value);
        return 0;
    }
    return unknown_option(name);
}

/* "-rv", "-j1", "-j 1" */
static int short_options(struct cli *cli, const char *letters, const char *next,
                         struct cli_settings *out, bool *out_took_next) {
    *out_took_next = false;
    for (const char *at = letters; *at != '\0'; at++) {
        if (*at == 'h') {
            cli->wants_help = true;
            continue;
        }
        int i = 0;
        while (i < CLI_OPT_COUNT && cli_options[i].letter != *at)
            i++;
        if (i == CLI_OPT_COUNT) {
            cli_say("unknown option %s; see icefsck --help",
                    cli_quoted(cli_join("-", at, "")));
            return CLI_USAGE;
        }
        if (cli_options[i].argument == NULL) {
            cli_settings_add(out, (enum cli_option_id)i, NULL);
            continue;
        }
        const char *value = at[1] != '\0' ? at + 1 : next;
        *out_took_next = at[1] == '\0' && next != NULL;
        if (value == NULL) {
            cli_say("option -%c needs a value: -%c %s", *at, *at,
                    cli_options[i].argument);
            return CLI_USAGE;
        }
        cli_settings_add(out, (enum cli_option_id)i, value);
        return 0;
    }
    return 0;
}

static void add_word(struct cli *cli, const char *word) {
    cli->words = cli_grow(cli->words, cli->n_words, sizeof(*cli->words));
    cli->words[cli->n_words++] = word;
}

/* Split argv into words and settings. *out_before: words before "--", SIZE_MAX without
 * it. */
static int split(struct cli *cli, int argc, char **argv, struct cli_settings *settings,
                 size_t *out_before) {
    *out_before = SIZE_MAX;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        bool took_next = false;
        int code = 0;
        if (*out_before != SIZE_MAX || arg[0] != '-' || arg[1] == '\0')
            add_word(cli, arg);
        else if (strcmp(arg, "--") == 0)
            *out_before = cli->n_words;
        else if (strcmp(arg, "--help") == 0)
            cli->wants_help = true;
        else if (strcmp(arg, "--version") == 0)
            cli->wants_version = true;
        else if (arg[1] == '-')
            code = cli_long_option(arg + 2, next, settings, &took_next);
        else
            code = short_options(cli, arg + 1, next, settings, &took_next);
        if (code != 0)
            return code;
        i += took_next;
    }
    return 0;
}

/* Could it change a verdict, or what is told of it? */
static bool is_judging(enum cli_option_id id) {
    static const enum cli_option_id others[] = {
        CLI_OPT_FORMAT,         CLI_OPT_OUTPUT,     CLI_OPT_QUIET,  CLI_OPT_VERBOSE,
        CLI_OPT_COLOR,          CLI_OPT_PROGRESS,   CLI_OPT_JOBS,   CLI_OPT_RECURSIVE,
        CLI_OPT_FILES_FROM,     CLI_OPT_LIST_FILES, CLI_OPT_CONFIG, CLI_OPT_NO_CONFIG,
        CLI_OPT_ISOLATE,        CLI_OPT_TIMEOUT,    CLI_OPT_SHARD,  CLI_OPT_RESUME,
        CLI_OPT_WRITE_BASELINE,
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i] == id)
            return false;
    }
    return true;
}

static const char *place_of(const struct cli_setting *setting, enum cli_origin origin,
                            const char *config) {
    switch (origin) {
    case CLI_FROM_FILE:
        return cli_line_place(setting->line, config);
    case CLI_FROM_ENVIRONMENT:
        return "ICEFSCK_OPTS";
    case CLI_FROM_ARGUMENTS:
        break;
    }
    return NULL;
}

/* config: the file that the settings are of, CLI_FROM_FILE. */
static int apply_all(struct cli *cli, const struct cli_settings *settings,
                     enum cli_origin origin, const char *config) {
    for (size_t i = 0; i < settings->n; i++) {
        const struct cli_setting *setting = &settings->items[i];
        const struct cli_option *option = &cli_options[setting->id];
        cli->place = place_of(setting, origin, config);
        cli_say_of(cli->place);
        bool belongs = (option->commands & (1u << cli->command)) != 0;
        if (!belongs && origin == CLI_FROM_ARGUMENTS) {
            cli_say("option --%s does not belong to '%s'; see icefsck help %s",
                    option->name, cli_command_name(cli->command),
                    cli_command_name(cli->command));
            return CLI_USAGE;
        }
        if (origin == CLI_FROM_FILE &&
            (setting->id == CLI_OPT_CONFIG || setting->id == CLI_OPT_NO_CONFIG)) {
            cli_say("option --%s has no place in a configuration file", option->name);
            return CLI_USAGE;
        }
        int code = belongs ? cli_apply(cli, setting->id, setting->value, origin) : 0;
        if (belongs && is_judging(setting->id)) {
            cli->judging = cli_grow(cli->judging, cli->n_judging, sizeof(*setting));
            cli->judging[cli->n_judging++] = *setting;
        }
        if (code != 0)
            return code;
    }
    cli_say_of(NULL);
    return 0;
}

/* The file first, then ICEFSCK_OPTS, then the arguments: later ones win. */
static int apply_everything(struct cli *cli, const struct cli_settings *arguments) {
    const char *config = NULL, *read_from = NULL;
    /* what tells the way out of a bad configuration must not need a good one */
    bool is_alone = cli->command == CLI_CMD_HELP || cli->command == CLI_CMD_VERSION;
    bool no_config = is_alone;
    struct cli_settings environment = {0}, file = {0};
    int code = is_alone ? 0 : cli_read_environment(&environment);
    const struct cli_settings *both[] = {&environment, arguments};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < both[k]->n; i++) {
            if (both[k]->items[i].id == CLI_OPT_CONFIG)
                config = both[k]->items[i].value;
            if (both[k]->items[i].id == CLI_OPT_NO_CONFIG)
                no_config = true;
        }
    }
    if (code == 0 && !no_config)
        code = cli_read_config(config, &file, &read_from);
    if (code == 0)
        code = apply_all(cli, &file, CLI_FROM_FILE, read_from);
    if (code == 0)
        code = apply_all(cli, &environment, CLI_FROM_ENVIRONMENT, NULL);
    if (code == 0)
        code = apply_all(cli, arguments, CLI_FROM_ARGUMENTS, NULL);
    if (code == 0 && read_from != NULL && cli->verbose > 0)
        cli_say("options of %s are in force", cli_quoted(read_from));
    return code != 0 ? code : cli_apply_end(cli);
}

int cli_parse(struct cli *cli, int argc, char **argv) {
    struct cli_settings settings = {0};
    size_t before;
    int code = split(cli, argc, argv, &settings, &before);
    if (code != 0)
        return code;
    if (cli->n_words > 0 && before > 0 && cli_command_of(cli->words[0], &cli->command)) {
        cli->words++;
        cli->n_words--;
    } else {
        cli->command = CLI_CMD_CHECK;
        cli->is_implied = true;
    }
    if (cli->wants_help || cli->wants_version)
        return 0;
    bool recursive = false;
    for (size_t i = 0; i < settings.n; i++)
        recursive = recursive || settings.items[i].id == CLI_OPT_RECURSIVE;
    bool has_paths = cli->command == CLI_CMD_CHECK || cli->command == CLI_CMD_INSPECT ||
                     cli->command == CLI_CMD_DUMP || cli->command == CLI_CMD_ORPHANS ||
                     cli->command == CLI_CMD_BENCH || cli->command == CLI_CMD_POINTERS ||
                     cli->command == CLI_CMD_HISTORY || cli->command == CLI_CMD_DIFF ||
                     cli->command == CLI_CMD_RESCUE;
    if (has_paths && cli_refuse_cloud(cli, recursive))
        return CLI_USAGE;
    return apply_everything(cli, &settings);
}
