/*
 * The manual: what help, the man pages and the completions say, from the tables of
 * commands, options, values and pages. Strings are constants.
 */
#ifndef ICE_CLI_PAGES_H
#define ICE_CLI_PAGES_H

#include "cli/cli.h"

/* The page of the command as a whole, beside those of its commands. */
enum { CLI_PAGE_OVERVIEW = CLI_CMD_COUNT };

struct cli_command_text {
    const char *name, *arguments, *about, *exit_1;
    const char *brief; /* for a column of the overview, and for completions */
};
const struct cli_command_text *cli_command_text(enum cli_command command);

enum cli_page_part {
    CLI_PART_TEXT,        /* a paragraph: text */
    CLI_PART_EXAMPLE,     /* what it does: text; the line to type: head */
    CLI_PART_ENVIRONMENT, /* a variable: head */
    CLI_PART_FILE,        /* a file: head */
};

struct cli_page_line {
    unsigned page; /* enum cli_command, or CLI_PAGE_OVERVIEW */
    enum cli_page_part part;
    const char *head, *text;
};
/* The index-th line of pages.def; NULL behind the last. */
const struct cli_page_line *cli_page_line_at(size_t index);

struct cli_exit_text {
    const char *code, *means; /* means NULL: of code 1, which goes with the command */
};
/* The bits of an exit code; NULL behind the last. */
const struct cli_exit_text *cli_exit_text_at(size_t index);

enum cli_value_kind {
    CLI_VALUE_FREE,
    CLI_VALUE_WORDS,
    CLI_VALUE_FILE,
    CLI_VALUE_DIRECTORY,
    CLI_VALUE_RULES,
    CLI_VALUE_RULE_LEVEL,
};
/* What an option's argument can be. *out_words: separated by blanks, "" if there are
 * none; for --format those of the command. They live until the end of the process. */
enum cli_value_kind cli_value_kind(enum cli_option_id id, enum cli_command command,
                                   const char **out_words);

/* manual.c: the troff source of one page. page: enum cli_command, or CLI_PAGE_OVERVIEW.
 */
void cli_put_manual(struct cli_sink *sink, unsigned page);
/* completion_bash.c, completion_zsh.c, completion_fish.c: scripts for these shells. */
void cli_put_bash_completion(struct cli_sink *sink);
void cli_put_zsh_completion(struct cli_sink *sink);
void cli_put_fish_completion(struct cli_sink *sink);

#endif
