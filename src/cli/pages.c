/*
 * The tables of the manual.
 */
#include "cli/pages.h"

#include <string.h>

/* A few words on each, for two columns; `about` is for its own page. */
#define BRIEF_CHECK "validate tables (default)"
#define BRIEF_BATCH "many tables, a line each"
#define BRIEF_INSPECT "rows, as metadata tables"
#define BRIEF_DUMP "one file as plain JSON"
#define BRIEF_DIFF "what a stale reader missed"
#define BRIEF_ORPHANS "files that nothing names"
#define BRIEF_POINTERS "catalogs against storage"
#define BRIEF_HISTORY "the commits; --graph"
#define BRIEF_RESCUE "the last good state"
#define BRIEF_LINT_CONF "misconfigured catalogs"
#define BRIEF_EXPLAIN "what a finding means"
#define BRIEF_RULES "the catalogue of rules"
#define BRIEF_BENCH "how fast, as ratios"
#define BRIEF_HELP "all about one command"
#define BRIEF_VERSION "and libraries, codecs, limits"

static const struct cli_command_text commands[CLI_CMD_COUNT] = {
#define CLI_COMMAND(id, name, run, arguments, about, exit_1)                             \
    [CLI_CMD_##id] = {name, arguments, about, exit_1, BRIEF_##id},
#include "cli/commands.def"
#undef CLI_COMMAND
};

static const struct cli_page_line lines[] = {
#define CLI_CMD_OVERVIEW CLI_PAGE_OVERVIEW
#define CLI_TEXT(page, text) {CLI_CMD_##page, CLI_PART_TEXT, NULL, text},
#define CLI_EXAMPLE(page, line, text) {CLI_CMD_##page, CLI_PART_EXAMPLE, line, text},
#define CLI_ENVIRONMENT(name, text) {CLI_PAGE_OVERVIEW, CLI_PART_ENVIRONMENT, name, text},
#define CLI_FILE(path, text) {CLI_PAGE_OVERVIEW, CLI_PART_FILE, path, text},
#include "cli/pages.def"
#undef CLI_TEXT
#undef CLI_EXAMPLE
#undef CLI_ENVIRONMENT
#undef CLI_FILE
};

static const struct cli_exit_text exits[] = {
    {"0", "everything asked was done, nothing at --fail-on or above"},
    {"1", NULL},
    {"2", "something asked could not be read or checked"},
    {"4", "usage or configuration error; nothing was read"},
    {"8", "icefsck itself failed: memory, report not writable"},
    {"130", "interrupted: what was found so far is reported"},
    {"141", "the reader of standard output went away"},
};

static const struct {
    enum cli_option_id id;
    enum cli_value_kind kind;
    const char *words;
} values[] = {
#define CLI_WORDS(id, words) {CLI_OPT_##id, CLI_VALUE_WORDS, words},
#define CLI_TAKES(id, kind) {CLI_OPT_##id, CLI_VALUE_##kind, ""},
#include "cli/option_values.def"
#undef CLI_WORDS
#undef CLI_TAKES
};

const struct cli_command_text *cli_command_text(enum cli_command command) {
    return &commands[command];
}

const struct cli_page_line *cli_page_line_at(size_t index) {
    return index < sizeof(lines) / sizeof(lines[0]) ? &lines[index] : NULL;
}

const struct cli_exit_text *cli_exit_text_at(size_t index) {
    return index < sizeof(exits) / sizeof(exits[0]) ? &exits[index] : NULL;
}

static const char *format_words(enum cli_command command) {
    const struct cli cli = {.command = command};
    const enum cli_format *known = cli_formats_of(&cli, false);
    const char *words = "";
    for (size_t i = 0; known[i] != CLI_FORMAT_UNSET; i++)
        words = cli_join(words, i > 0 ? " " : "", cli_format_name(known[i]));
    return words;
}

enum cli_value_kind cli_value_kind(enum cli_option_id id, enum cli_command command,
                                   const char **out_words) {
    *out_words = "";
    if (id == CLI_OPT_FORMAT) {
        *out_words = format_words(command);
        return CLI_VALUE_WORDS;
    }
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        if (values[i].id == id) {
            *out_words = values[i].words;
            return values[i].kind;
        }
    }
    return CLI_VALUE_FREE;
}
