/*
 * Which tables a call is about: its words, --files-from, and with -r the directories
 * below that hold metadata/NAME.metadata.json.
 */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_LIST_BYTES = 1 << 30, MAX_DEPTH = 64 };

static void add_path(struct cli_paths *out, const char *path, const char *name) {
    out->paths = cli_grow(out->paths, out->n, sizeof(*out->paths));
    out->names = cli_grow(out->names, out->n, sizeof(*out->names));
    out->paths[out->n] = path;
    out->names[out->n++] = name;
}

/* ---- -r ---- */

/* Directories still to be looked at, a stack. */
struct walk {
    struct directory {
        const char *path, *name; /* name: relative to the argument, "" for itself */
        unsigned depth;
    } * items;
    size_t n;
};

static void push(struct walk *walk, const char *path, const char *name, unsigned depth) {
    walk->items = cli_grow(walk->items, walk->n, sizeof(*walk->items));
    walk->items[walk->n++] = (struct directory){path, name, depth};
}

static bool ends_with(const char *text, const char *end) {
    size_t size = strlen(text), n = strlen(end);
    return size > n && strcmp(text + size - n, end) == 0;
}

static bool is_metadata_name(const char *name) {
    return name[0] != '.' &&
           (ends_with(name, ".metadata.json") || ends_with(name, ".metadata.json.gz") ||
            ends_with(name, ".metadata.json.zst"));
}

/* Is it a directory with a metadata file in it? */
static bool holds_metadata(const char *path) {
    DIR *directory = opendir(path);
    if (directory == NULL)
        return false;
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(directory)) != NULL;)
        found = is_metadata_name(entry->d_name);
    (void)closedir(directory);
    return found;
}

/* Links are not followed: they may lead out, or round in a circle. */
static bool is_directory(const char *path, const struct dirent *entry) {
    struct stat info;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int by_name_backwards(const void *left, const void *right) {
    const struct directory *a = left, *b = right;
    return strcmp(b->path, a->path);
}

/* Push the directories below, so that they are taken in the order of their names. */
static int push_children(struct walk *walk, const struct directory *at) {
    DIR *directory = opendir(at->path);
    if (directory == NULL) {
        cli_say("%s: not searched: %s", cli_quoted(at->path), strerror(errno));
        return CLI_INCOMPLETE;
    }
    size_t first = walk->n;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        const char *path = cli_join(at->path, ends_with(at->path, "/") ? "" : "/", name);
        if (is_directory(path, entry))
            push(walk, path,
                 at->name[0] != '\0' ? cli_join(at->name, "/", name)
                                     : cli_join("", name, ""),
                 at->depth + 1);
    }
    (void)closedir(directory);
    if (walk->n > first)
        qsort(walk->items + first, walk->n - first, sizeof(*walk->items),
              by_name_backwards);
    return 0;
}

static int find_below(const char *root, struct cli_paths *out) {
    struct walk walk = {0};
    int code = 0;
    size_t before = out->n;
    push(&walk, root, "", 0);
    while (walk.n > 0 && !cli_is_interrupted(NULL)) {
        struct directory at = walk.items[--walk.n];
        const char *metadata =
            cli_join(at.path, ends_with(at.path, "/") ? "" : "/", "metadata");
        if (holds_metadata(metadata))
            add_path(out, at.path, at.name[0] != '\0' ? at.name : NULL);
        if (at.depth >= MAX_DEPTH) {
            cli_say("%s: not searched: too deep", cli_quoted(at.path));
            code |= CLI_INCOMPLETE;
            continue;
        }
        code |= push_children(&walk, &at);
    }
    if (out->n == before && code == 0) {
        cli_say("%s: no table below: no directory holds metadata/*.metadata.json",
                cli_quoted(root));
        code = CLI_INCOMPLETE;
    }
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
    if (failed)
        cli_say("%s: %s", cli_quoted(path),
                size >= MAX_LIST_BYTES ? "too long for a list of paths"
                                       : strerror(errno));
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
