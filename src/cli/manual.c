/*
 * Man pages: troff source with the macros of man(7), from the tables of the manual.
 */
#include "cli/pages.h"

#include <stdio.h>
#include <string.h>

/* Of the texts, not of the day of a build: pages are equal from the same source. */
static const char page_date[] = "2026-11-30";

/* Of the texts; escapes make a line of the source longer, which lint wants below 80. */
enum { LINE = 62 };

static void put(struct cli_sink *sink, const char *text) {
    (void)cli_sink_write(text, strlen(text), sink);
}

/* Signs that troff would read otherwise. */
static const char *escape_of(char c) {
    static const struct {
        char sign;
        const char *escape;
    } signs[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                 {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
        if (signs[i].sign == c)
            return signs[i].escape;
    }
    return NULL;
}

static void put_escaped(struct cli_sink *sink, const char *text, size_t size) {
    for (size_t i = 0; i < size; i++) {
        /* size is of text. NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage) */
        const char *escape = escape_of(text[i]);
        if (escape != NULL)
            put(sink, escape);
        else
            (void)cli_sink_write(&text[i], 1, sink);
    }
}

static void put_styled(struct cli_sink *sink, char font, const char *text) {
    const char start[] = {'\\', 'f', font, '\0'};
    put(sink, start);
    put_escaped(sink, text, strlen(text));
    put(sink, "\\fR");
}

/* One paragraph; a sentence begins a line, as troff wants it. */
static void put_text(struct cli_sink *sink, const char *text) {
    size_t used = 0;
    while (*text != '\0') {
        size_t size = strcspn(text, " ");
        if (used > 0 && used + 1 + size > LINE) {
            put(sink, "\n");
            used = 0;
        } else if (used > 0) {
            put(sink, " ");
            used++;
        }
        if (used == 0 && (text[0] == '.' || text[0] == '\''))
            put(sink, "\\&");
        put_escaped(sink, text, size);
        used += size;
        bool is_end = size > 0 && text[size - 1] == '.' && text[size] == ' ';
        text += size;
        while (*text == ' ')
            text++;
        if (is_end && *text != '\0') {
            put(sink, "\n");
            used = 0;
        }
    }
    put(sink, "\n");
}

static void put_section(struct cli_sink *sink, const char *title) {
    put(sink, ".SH ");
    put(sink, title);
    put(sink, "\n");
}

static bool has_part(unsigned page, enum cli_page_part part) {
    const struct cli_page_line *line;
    for (size_t i = 0; (line = cli_page_line_at(i)) != NULL; i++) {
        if (line->page == page && line->part == part)
            return true;
    }
    return false;
}

/* All terms of a kind under a heading. */
static void put_terms(struct cli_sink *sink, const char *title, enum cli_page_part part) {
    const struct cli_page_line *line;
    put_section(sink, title);
    for (size_t i = 0; (line = cli_page_line_at(i)) != NULL; i++) {
        if (line->part != part)
            continue;
        put(sink, ".TP\n");
        put_styled(sink, part == CLI_PART_FILE ? 'I' : 'B', line->head);
        put(sink, "\n");
        put_text(sink, line->text);
    }
}

static void put_paragraphs(struct cli_sink *sink, unsigned page, bool is_behind) {
    const struct cli_page_line *line;
    for (size_t i = 0; (line = cli_page_line_at(i)) != NULL; i++) {
        if (line->page != page || line->part != CLI_PART_TEXT)
            continue;
        put(sink, is_behind ? ".PP\n" : "");
        is_behind = true;
        put_text(sink, line->text);
    }
}

static void put_examples(struct cli_sink *sink, unsigned page) {
    const struct cli_page_line *line;
    if (!has_part(page, CLI_PART_EXAMPLE))
        return;
    put_section(sink, "EXAMPLES");
    for (size_t i = 0; (line = cli_page_line_at(i)) != NULL; i++) {
        if (line->page != page || line->part != CLI_PART_EXAMPLE)
            continue;
        put(sink, ".TP\n");
        put_styled(sink, 'B', line->head);
        put(sink, "\n");
        put_text(sink, line->text);
    }
}

static void put_option(struct cli_sink *sink, const struct cli_option *option) {
    put(sink, ".TP\n");
    if (option->letter != '\0') {
        const char letter[] = {'-', option->letter, '\0'};
        put_styled(sink, 'B', letter);
        put(sink, ", ");
    }
    put_styled(sink, 'B', cli_join("--", option->name, ""));
    if (option->argument != NULL) {
        put(sink, " ");
        put_styled(sink, 'I', option->argument);
    }
    put(sink, "\n");
    put_text(sink, option->about);
}

static void put_options(struct cli_sink *sink, unsigned command) {
    put_section(sink, "OPTIONS");
    for (const struct cli_option *option = cli_options; option->name != NULL; option++) {
        if (option->commands & (1u << command))
            put_option(sink, option);
    }
    const struct cli_option help = {"help", 'h', NULL, 0, "all about the command"};
    put_option(sink, &help);
}

static void put_exit(struct cli_sink *sink, unsigned page) {
    const struct cli_exit_text *line;
    put_section(sink, "EXIT STATUS");
    put(sink, "The bits are or\\-ed.\n");
    for (size_t i = 0; (line = cli_exit_text_at(i)) != NULL; i++) {
        const char *means = line->means;
        if (means == NULL && page != CLI_PAGE_OVERVIEW)
            means = cli_command_text((enum cli_command)page)->exit_1;
        put(sink, ".TP\n");
        put_styled(sink, 'B', line->code);
        put(sink, "\n");
        put_text(sink, means != NULL ? means : "see the pages of the commands");
    }
}

static void put_commands(struct cli_sink *sink) {
    put_section(sink, "COMMANDS");
    for (int i = 0; i < CLI_CMD_COUNT; i++) {
        const struct cli_command_text *text = cli_command_text((enum cli_command)i);
        put(sink, ".TP\n");
        put_styled(sink, 'B', text->name);
        if (text->arguments[0] != '\0') {
            put(sink, " ");
            put_styled(sink, 'I', text->arguments);
        }
        put(sink, "\n");
        put_text(sink, text->about);
    }
}

static void put_synopsis(struct cli_sink *sink, unsigned page) {
    put_section(sink, "SYNOPSIS");
    if (page == CLI_PAGE_OVERVIEW) {
        put(sink, "\\fBicefsck\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\-\\-] "
                  "[\\fIPATH...\\fR]\n.br\n\\fBicefsck\\fR \\fIPATH...\\fR\n");
        return;
    }
    const struct cli_command_text *text = cli_command_text((enum cli_command)page);
    put_styled(sink, 'B', cli_join("icefsck ", text->name, ""));
    put(sink, " [\\fIOPTIONS\\fR] ");
    put_styled(sink, 'I', text->arguments);
    put(sink, "\n");
}

static void put_what(struct cli_sink *sink) {
    char *list = cli_copy("WHAT is one of", 14);
    for (const char *const *name = ice_inspect_names(); *name != NULL; name++)
        list = cli_join(list, " ", *name);
    put(sink, ".PP\n");
    put_text(sink, cli_join(list, ".", ""));
}

static void put_sentence(struct cli_sink *sink, const char *text) {
    char *sentence = cli_join(text, ".", "");
    if (sentence[0] >= 'a' && sentence[0] <= 'z')
        sentence[0] = (char)(sentence[0] - 'a' + 'A');
    put_text(sink, sentence);
}

/* Pages of the other commands: from the overview all, from a command those it is read
 * with. */
static void put_see_also(struct cli_sink *sink, unsigned page) {
    put_section(sink, "SEE ALSO");
    if (page != CLI_PAGE_OVERVIEW) {
        put(sink, "\\fBicefsck\\fR(1)");
        if (page != CLI_CMD_EXPLAIN)
            put(sink, ",\n\\fBicefsck\\-explain\\fR(1)");
        put(sink, "\n");
        return;
    }
    for (int i = 0; i < CLI_CMD_COUNT; i++) {
        put(sink, i > 0 ? ",\n" : "");
        put_styled(sink, 'B',
                   cli_join("icefsck-", cli_command_name((enum cli_command)i), ""));
        put(sink, "(1)");
    }
    put(sink, "\n");
}

void cli_put_manual(struct cli_sink *sink, unsigned page) {
    bool is_overview = page == CLI_PAGE_OVERVIEW;
    const struct cli_command_text *text =
        is_overview ? NULL : cli_command_text((enum cli_command)page);
    const char *name = is_overview ? "icefsck" : cli_join("icefsck-", text->name, "");
    char *title = cli_copy(name, strlen(name));
    for (char *c = title; *c != '\0'; c++)
        *c = *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c;
    put(sink, ".\\\" from the tables of the program: icefsck help --man\n.TH ");
    put_escaped(sink, title, strlen(title));
    put(sink, cli_join(" 1 ", page_date, " \"icefsck "));
    put(sink, cli_join(ice_version(), "\" \"User Commands\"\n", ""));
    put_section(sink, "NAME");
    put_text(sink, cli_join(name, " - ",
                            is_overview
                                ? "check Apache Iceberg tables from their metadata files"
                                : text->about));
    put_synopsis(sink, page);
    put_section(sink, "DESCRIPTION");
    if (!is_overview)
        put_sentence(sink, text->about);
    put_paragraphs(sink, page, !is_overview);
    if (page == CLI_CMD_INSPECT)
        put_what(sink);
    if (is_overview)
        put_commands(sink);
    else
        put_options(sink, page);
    put_exit(sink, page);
    if (is_overview) {
        put_terms(sink, "ENVIRONMENT", CLI_PART_ENVIRONMENT);
        put_terms(sink, "FILES", CLI_PART_FILE);
    }
    put_examples(sink, page);
    put_see_also(sink, page);
}
