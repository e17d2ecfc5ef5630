/*
 * Which tables a call is about: its words, --files-from, and with -r the directories
 * below that hold metadata/NAME.metadata.json.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LIST_BYTES = 1 << 30 };

static void add_path(struct cli_paths *out, const char *path, const char *name) {
    out->paths = cli_grow(out->paths, out->n, sizeof(*out->paths));
    out->names = cli_grow(out->names, out->n, sizeof(*out->names));
    out->paths[out->n] = path;
    out->names[out->n++] = name;
}

static int find_below(const char *root, struct cli_paths *out) {
    struct cli_below *below = cli_below_open(root);
    struct cli_found found;
    int code = 0;
    while (cli_below_next(below, &found)) {
        if (found.is_table)
            add_path(out, cli_copy(found.path, strlen(found.path)),
                     found.name != NULL ? cli_copy(found.name, strlen(found.name))
                                        : NULL);
        if (found.trouble != NULL) {
            cli_say("%s: %s", cli_quoted(found.path), found.trouble);
            code |= CLI_INCOMPLETE;
        }
    }
    cli_below_free(below);
    return code;
}

/* ---- --files-from ---- */

/* All of a file, ended by NUL; NULL after a message. */
static char *read_all(const char *path, size_t *out_size) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *text = NULL;
    size_t size = 0, capacity = 0;
    while (file != NULL && size < MAX_LIST_BYTES) {
        if (size == capacity) {
            size_t wanted = capacity == 0 ? 65536 : capacity * 2;
            char *bigger = cli_alloc(wanted + 1, 1);
            if (size > 0)
                memcpy(bigger, text, size);
            text = bigger;
            capacity = wanted;
        }
        size_t n = fread(text + size, 1, capacity - size, file);
        size += n;
        if (n == 0)
            break;
    }
    bool failed = file == NULL || ferror(file) || size >= MAX_LIST_BYTES;
    if (size >= MAX_LIST_BYTES)
        cli_say("%s: too long for a list of paths", cli_quoted(path));
    else if (failed)
        cli_say_system(cli_quoted(path), errno);
    if (file != NULL && file != stdin)
        (void)fclose(file);
    *out_size = size;
    return failed ? NULL : text;
}

static int read_list(const char *path, struct cli_paths *out) {
    size_t size;
    char *text = read_all(path, &size);
    if (text == NULL)
        return CLI_USAGE;
    char separator = memchr(text, '\0', size) != NULL ? '\0' : '\n';
    for (size_t start = 0; start < size;) {
        char *end = memchr(text + start, separator, size - start);
        size_t length = end != NULL ? (size_t)(end - text) - start : size - start;
        size_t next = start + length + 1;
        if (separator == '\n' && length > 0 && text[start + length - 1] == '\r')
            length--;
        text[start + length] = '\0';
        if (length > 0)
            add_path(out, text + start, NULL);
        start = next;
    }
    return 0;
}

int cli_find_paths(const struct cli *cli, struct cli_paths *out) {
    struct cli_paths given = {0};
    for (size_t i = 0; i < cli->n_words; i++)
        add_path(&given, cli->words[i], NULL);
    int code = cli->files_from != NULL ? read_list(cli->files_from, &given) : 0;
    if (code != 0)
        return code;
    if (given.n == 0) {
        cli_say("no PATH to check%s", cli->files_from != NULL
                                          ? ": the list is empty"
                                          : "; for example: icefsck check ./orders");
        return cli->files_from != NULL ? CLI_INCOMPLETE : CLI_USAGE;
    }
    if (!cli->recursive) {
        *out = given;
        return 0;
    }
    for (size_t i = 0; i < given.n; i++)
        code |= find_below(given.paths[i], out);
    return code;
}
