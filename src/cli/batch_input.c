/*
 * The tables of a batch: words, lines of a file or of standard input, and with -r the
 * tables below each of them. Nothing grows with their number but the walk of -r, by the
 * directories of one level.
 */
#include "cli/batch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LINE = 16 << 20, READ_BYTES = 64 << 10 };

struct lines {
    int fd; /* -1: none, or at its end */
    const char *file;
    char *buffer;
    size_t start, used, capacity;
    char separator;
    bool is_begun, is_skipping; /* skipping: the rest of a line that is too long */
    int code;
};

struct cli_items {
    const struct cli *cli;
    size_t next_word;
    struct lines lines;
    struct cli_below *below;
    bool has_any; /* was told */
};

/* ---- lines ---- */

static int open_lines(struct lines *lines, const char *file) {
    lines->file = file;
    lines->fd = strcmp(file, "-") == 0 ? dup(STDIN_FILENO)
                                       : open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (lines->fd >= 0)
        return 0;
    cli_say_system(cli_quoted(file), errno);
    return CLI_USAGE;
}

static void make_room(struct lines *lines) {
    size_t kept = lines->used - lines->start;
    if (lines->start > 0)
        memmove(lines->buffer, lines->buffer + lines->start, kept);
    lines->start = 0;
    lines->used = kept;
    if (lines->capacity - kept > READ_BYTES)
        return;
    size_t capacity = lines->capacity == 0 ? 2 * READ_BYTES + 1 : lines->capacity * 2;
    char *buffer = cli_alloc(capacity, 1);
    if (kept > 0)
        memcpy(buffer, lines->buffer, kept);
    cli_free(lines->buffer);
    lines->buffer = buffer;
    lines->capacity = capacity;
}

/* false: no more comes. */
static bool fill(struct lines *lines) {
    ssize_t n = -1;
    make_room(lines);
    while (lines->fd >= 0 && n < 0 && !cli_is_interrupted(NULL)) {
        n = read(lines->fd, lines->buffer + lines->used, READ_BYTES);
        if (n < 0 && errno != EINTR) {
            cli_say_system(cli_quoted(lines->file), errno);
            lines->code = CLI_INCOMPLETE;
            break;
        }
    }
    if (n <= 0) {
        if (lines->fd >= 0)
            (void)close(lines->fd);
        lines->fd = -1;
        return false;
    }
    if (!lines->is_begun) /* paths ended by NUL, or lines */
        lines->separator = memchr(lines->buffer, '\0', (size_t)n) != NULL ? '\0' : '\n';
    lines->is_begun = true;
    lines->used += (size_t)n;
    return true;
}

static bool too_long(struct lines *lines, struct cli_item *out) {
    lines->used = lines->start;
    bool is_news = !lines->is_skipping;
    lines->is_skipping = true;
    *out =
        (struct cli_item){.text = "", .fault = "a line of input is longer than 16 MiB"};
    return is_news;
}

/* What lies between start and end, which becomes its NUL. false: nothing to tell. */
static bool take(struct lines *lines, size_t end, struct cli_item *out) {
    char *text = lines->buffer + lines->start;
    size_t size = end - lines->start;
    bool is_rest = lines->is_skipping;
    lines->start = end < lines->used ? end + 1 : end;
    lines->is_skipping = false;
    if (lines->separator == '\n' && size > 0 && text[size - 1] == '\r')
        size--;
    text[size] = '\0';
    *out = (struct cli_item){.text = text, .size = size};
    return size > 0 && !is_rest;
}

static bool next_line(struct lines *lines, struct cli_item *out) {
    size_t searched = 0;
    while (!cli_is_interrupted(NULL)) {
        size_t held = lines->used - lines->start;
        const char *end = NULL;
        if (held > searched) /* nothing is held before the first read */
            end = memchr(lines->buffer + lines->start + searched, lines->separator,
                         held - searched);
        if (end != NULL) {
            searched = 0;
            if (take(lines, (size_t)(end - lines->buffer), out))
                return true;
            continue;
        }
        searched = held;
        if (held > MAX_LINE) {
            searched = 0;
            if (too_long(lines, out))
                return true;
        }
        if (!fill(lines)) /* the last line need not be ended */
            return lines->used > lines->start && take(lines, lines->used, out);
    }
    return false;
}

/* ---- all ---- */

int cli_items_open(const struct cli *cli, struct cli_items **out) {
    struct cli_items *items = cli_alloc(1, sizeof(*items));
    items->cli = cli;
    items->lines.fd = -1;
    const char *file = cli->files_from;
    if (cli->n_words == 0 && file == NULL && cli->recursive) {
        cli_say("no PATH to search; for example: icefsck batch -r ./warehouse");
        return CLI_USAGE;
    }
    if (cli->n_words == 0 && file == NULL && isatty(STDIN_FILENO) == 1) {
        cli_say("no tables: give PATHs, --files-from FILE, or lines on standard input");
        return CLI_USAGE;
    }
    *out = items;
    if (cli->n_words == 0 && file == NULL)
        file = "-";
    return file != NULL ? open_lines(&items->lines, file) : 0;
}

/* A JSON object names its table; a path may be one to search. */
static bool is_object(const struct cli_item *item) {
    return item->text[strspn(item->text, " \t")] == '{';
}

static bool next_below(struct cli_items *items, struct cli_item *out) {
    struct cli_found found;
    if (!cli_below_next(items->below, &found)) {
        cli_below_free(items->below);
        items->below = NULL;
        return false;
    }
    *out = (struct cli_item){.text = found.path,
                             .size = strlen(found.path),
                             .name = found.name,
                             .fault = found.trouble};
    return true;
}

static bool next_given(struct cli_items *items, struct cli_item *out) {
    const struct cli *cli = items->cli;
    if (items->next_word == cli->n_words)
        return next_line(&items->lines, out);
    const char *word = cli->words[items->next_word++];
    *out = (struct cli_item){.text = word, .size = strlen(word)};
    return true;
}

static bool next_item(struct cli_items *items, struct cli_item *out) {
    for (;;) {
        if (items->below != NULL && next_below(items, out))
            return true;
        if (!next_given(items, out))
            return false;
        if (!items->cli->recursive || out->fault != NULL || is_object(out))
            return true;
        items->below = cli_below_open(out->text);
    }
}

bool cli_items_next(struct cli_items *items, struct cli_item *out) {
    bool is_told = next_item(items, out);
    items->has_any = items->has_any || is_told;
    return is_told;
}

int cli_items_close(struct cli_items *items) {
    int code = items->lines.code;
    if (code == 0 && !items->has_any && !cli_is_interrupted(NULL)) {
        cli_say("no tables: the list is empty"); /* what made it may have failed */
        code = CLI_INCOMPLETE;
    }
    if (items->below != NULL)
        cli_below_free(items->below);
    if (items->lines.fd >= 0)
        (void)close(items->lines.fd);
    cli_free(items->lines.buffer);
    cli_free(items);
    return code;
}
