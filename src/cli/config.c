/*
 * Options from a file (long options, one a line) and from ICEFSCK_OPTS (words).
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CONFIG_BYTES = 1 << 20 };

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The next blank-separated word; '...' and "..." hold blanks together. NULL: none, or no
 * end. */
static char *next_word(const char **text, bool *out_open) {
    while (is_blank(**text) || **text == '\n')
        (*text)++;
    *out_open = false;
    if (**text == '\0')
        return NULL;
    char *word = cli_copy(*text, strlen(*text));
    size_t n = 0;
    char quote = '\0';
    for (; **text != '\0'; (*text)++) {
        char c = **text;
        if (quote == '\0' && (is_blank(c) || c == '\n'))
            break;
        if (quote == '\0' && (c == '\'' || c == '"'))
            quote = c;
        else if (c == quote)
            quote = '\0';
        else
            word[n++] = c;
    }
    word[n] = '\0';
    *out_open = quote != '\0';
    return word;
}

int cli_read_environment(struct cli_settings *out) {
    const char *text = getenv("ICEFSCK_OPTS");
    bool open = false;
    char *word = text != NULL ? next_word(&text, &open) : NULL;
    while (word != NULL) {
        const bool was_open = open;
        char *next = next_word(&text, &open);
        bool took_next = false;
        cli_say_of("ICEFSCK_OPTS");
        if (was_open || open || strncmp(word, "--", 2) != 0) {
            cli_say("%s is no long option", cli_quoted(word));
            return CLI_USAGE;
        }
        int code = cli_long_option(word + 2, next, out, &took_next);
        if (code != 0)
            return code;
        cli_say_of(NULL);
        word = took_next ? next_word(&text, &open) : next;
    }
    return 0;
}

/* One line: "fail-on warn", "fail-on=warn" or "--fail-on=warn"; "#" begins a comment. */
static int read_line(char *line, struct cli_settings *out) {
    while (is_blank(*line))
        line++;
    size_t size = strlen(line);
    while (size > 0 && is_blank(line[size - 1]))
        line[--size] = '\0';
    if (size == 0 || *line == '#')
        return 0;
    if (strncmp(line, "--", 2) == 0)
        line += 2;
    size_t name = strcspn(line, "= \t");
    const char *value = NULL;
    if (line[name] != '\0' && line[name] != '=') {
        value = line + name + 1;
        line[name] = '\0';
        while (is_blank(*value) || *value == '=')
            value++;
    }
    bool took_value;
    int code = cli_long_option(line, value, out, &took_value);
    if (code == 0 && value != NULL && !took_value) {
        cli_say("option --%s takes no value", line);
        return CLI_USAGE;
    }
    return code;
}

const char *cli_line_place(unsigned line, const char *path) {
    char number[16];
    const char *quoted = cli_quoted(path);
    (void)snprintf(number, sizeof(number), ":%u", line);
    return cli_join(cli_copy(quoted + 1, strlen(quoted) - 2), number, "");
}

static int read_lines(char *text, const char *path, struct cli_settings *out) {
    for (unsigned number = 1; text != NULL; number++) {
        char *end = strchr(text, '\n');
        if (end != NULL)
            *end = '\0';
        const size_t n_before = out->n;
        cli_say_of(cli_line_place(number, path));
        int code = read_line(text, out);
        if (code != 0)
            return code;
        cli_say_of(NULL);
        for (size_t i = n_before; i < out->n; i++)
            out->items[i].line = number;
        text = end != NULL ? end + 1 : NULL;
    }
    return 0;
}

/* -1: there is no such file. */
static int read_file(const char *path, struct cli_settings *out) {
    FILE *file = fopen(path, "re");
    if (file == NULL && (errno == ENOENT || errno == ENOTDIR))
        return -1;
    char *text = cli_alloc(MAX_CONFIG_BYTES + 1, 1);
    size_t size = file != NULL ? fread(text, 1, MAX_CONFIG_BYTES, file) : 0;
    bool failed = file == NULL || ferror(file);
    if (failed && errno == EACCES)
        cli_say("%s: %s; --no-config reads no such file", cli_quoted(path),
                strerror(errno));
    else if (failed)
        cli_say_system(cli_quoted(path), errno);
    else if (size == MAX_CONFIG_BYTES)
        cli_say("%s: too long for a configuration file", cli_quoted(path));
    if (file != NULL)
        (void)fclose(file);
    if (failed || size == MAX_CONFIG_BYTES)
        return CLI_USAGE;
    return read_lines(text, path, out);
}

int cli_read_config(const char *path, struct cli_settings *out, const char **out_path) {
    if (path != NULL) {
        int code = read_file(path, out);
        if (code < 0)
            cli_say("%s: no such configuration file", cli_quoted(path));
        *out_path = path;
        return code < 0 ? CLI_USAGE : code;
    }
    const char *home = getenv("HOME"), *config_home = getenv("XDG_CONFIG_HOME");
    const char *places[2] = {"./.icefsck", NULL};
    if (config_home != NULL && config_home[0] != '\0')
        places[1] = cli_join(config_home, "/icefsck/config", "");
    else if (home != NULL && home[0] != '\0')
        places[1] = cli_join(home, "/.config/icefsck/config", "");
    for (size_t i = 0; i < 2 && places[i] != NULL; i++) {
        int code = read_file(places[i], out);
        if (code < 0)
            continue;
        *out_path = places[i];
        return code;
    }
    return 0;
}
