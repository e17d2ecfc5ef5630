/*
 * -r: the directories below one that hold metadata/NAME.metadata.json, or what is left of
 * a table that lost these, one at a time, in the order of their names. What is kept are
 * the directories still to be looked at.
 */
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 64 };

struct directory {
    char *path, *name; /* name: relative to the root, "" for itself */
    unsigned depth;
};

struct cli_below {
    char *root;
    struct directory *items; /* still to be looked at, a stack */
    size_t n, capacity;
    struct directory at; /* the one at hand: lives until the next call */
    size_t n_found;
    bool has_trouble;
    char *real_root;  /* NULL: not known */
    char *real;       /* scratch of PATH_MAX bytes */
    uint64_t n_links; /* to directories elsewhere */
    char *first_link, *links_said;
};

static void push(struct cli_below *below, char *path, char *name, unsigned depth) {
    if (below->n == below->capacity) {
        size_t capacity = below->capacity == 0 ? 16 : below->capacity * 2;
        struct directory *items = cli_alloc(capacity, sizeof(*items));
        if (below->n > 0)
            memcpy(items, below->items, below->n * sizeof(*items));
        cli_free(below->items);
        below->items = items;
        below->capacity = capacity;
    }
    below->items[below->n++] = (struct directory){path, name, depth};
}

static void drop(struct directory *directory) {
    cli_free(directory->path);
    cli_free(directory->name);
    *directory = (struct directory){0};
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

/* Of a table whose metadata files are gone: it must not be passed over. */
static bool is_remains_name(const char *name) {
    const char *dash = strrchr(name, '-');
    return strcmp(name, "version-hint.text") == 0 ||
           (ends_with(name, ".avro") &&
            (strncmp(name, "snap-", 5) == 0 ||
             (dash != NULL && dash[1] == 'm' && dash[2] >= '0' && dash[2] <= '9')));
}

static DIR *open_directory(const char *path) {
    DIR *directory;
    do
        directory = opendir(path);
    while (directory == NULL && errno == EINTR);
    if (directory == NULL && errno == ENOMEM)
        cli_out_of_memory();
    return directory;
}

/* NULL at the end, and where it cannot be read on: errno says why, 0 at the end. */
static struct dirent *next_entry(DIR *directory) {
    errno = 0;
    return readdir(directory);
}

/* Does the directory have a "metadata" with a metadata file in it, or with what is left
 * without? *out_why: why that cannot be told, an errno, or 0. */
static bool is_table(const char *path, int *out_why) {
    char *metadata = cli_join(path, ends_with(path, "/") ? "" : "/", "metadata");
    DIR *directory = open_directory(metadata);
    bool found = false, remains = false;
    *out_why = 0;
    cli_free(metadata);
    if (directory == NULL) {
        *out_why = errno == ENOENT || errno == ENOTDIR ? 0 : errno;
        return false;
    }
    for (struct dirent *entry; !found && (entry = next_entry(directory)) != NULL;) {
        found = is_metadata_name(entry->d_name);
        remains = remains || is_remains_name(entry->d_name);
    }
    *out_why = found ? 0 : errno;
    (void)closedir(directory);
    return found || (remains && *out_why == 0);
}

/* Links are not followed: they may lead out, or round in a circle. */
static mode_t type_of(const char *path, const struct dirent *entry) {
    struct stat info;
    if (entry->d_type != DT_UNKNOWN)
        return (mode_t)DTTOIF(entry->d_type);
    return lstat(path, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

/* A link to a directory that the search does not come to by itself. */
static bool leads_out(const struct cli_below *below, const char *path) {
    char *real = below->real;
    struct stat info;
    const size_t size = below->real_root != NULL ? strlen(below->real_root) : 0;
    if (stat(path, &info) != 0 || !S_ISDIR(info.st_mode))
        return false;
    return size == 0 || realpath(path, real) == NULL ||
           strncmp(real, below->real_root, size) != 0 ||
           (real[size] != '\0' && real[size] != '/' && below->real_root[size - 1] != '/');
}

static void keep_link(struct cli_below *below, char *path) {
    char *other = path;
    if (below->n_links++ == 0 || strcmp(path, below->first_link) < 0) {
        other = below->first_link; /* a directory has no order */
        below->first_link = path;
    }
    cli_free(other);
}

static int by_name_backwards(const void *left, const void *right) {
    const struct directory *a = left, *b = right;
    return strcmp(b->path, a->path);
}

/* Push the directories below, so that they are taken in the order of their names. false:
 * errno says why. */
static bool push_children(struct cli_below *below, const struct directory *at,
                          bool is_of_table) {
    DIR *directory = open_directory(at->path);
    if (directory == NULL)
        return false;
    size_t first = below->n;
    for (struct dirent *entry; (entry = next_entry(directory)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        char *path = cli_join(at->path, ends_with(at->path, "/") ? "" : "/", name);
        const mode_t type = type_of(path, entry);
        if (type == S_IFDIR)
            push(below, path,
                 at->name[0] != '\0' ? cli_join(at->name, "/", name)
                                     : cli_join("", name, ""),
                 at->depth + 1);
        else if (type == S_IFLNK && !is_of_table && leads_out(below, path))
            keep_link(below, path);
        else
            cli_free(path);
    }
    const int why = errno;
    (void)closedir(directory);
    if (below->n > first)
        qsort(below->items + first, below->n - first, sizeof(*below->items),
              by_name_backwards);
    errno = why;
    return why == 0;
}

/* Its metadata directory is not searched: what is wrong with it has been said. */
static void drop_metadata(struct cli_below *below, const struct directory *at) {
    for (size_t i = below->n; i > 0 && below->items[i - 1].depth == at->depth + 1; i--) {
        if (!ends_with(below->items[i - 1].path, "/metadata"))
            continue;
        drop(&below->items[i - 1]);
        memmove(below->items + i - 1, below->items + i,
                (below->n - i) * sizeof(*below->items));
        below->n--;
        return;
    }
}

struct cli_below *cli_below_open(const char *root) {
    struct cli_below *below = cli_alloc(1, sizeof(*below));
    below->root = cli_copy(root, strlen(root));
    push(below, cli_copy(root, strlen(root)), cli_copy("", 0), 0);
    below->real = cli_alloc(PATH_MAX, 1);
    if (realpath(root, below->real) != NULL)
        below->real_root = cli_copy(below->real, strlen(below->real));
    return below;
}

/* What else there is to say of the search, once each. */
static bool tell_end(struct cli_below *below, struct cli_found *out) {
    *out = (struct cli_found){.path = below->root};
    if (below->n_links > 0 && below->links_said == NULL) {
        char n[24];
        (void)snprintf(n, sizeof(n), "%" PRIu64, below->n_links);
        const char *what = below->n_links == 1
                               ? " symbolic link to a directory was not followed: "
                               : " symbolic links to directories were not followed, as ";
        below->links_said =
            cli_join(cli_join(n, what, cli_quoted(below->first_link)),
                     "; give what it leads to as a PATH, if there are tables", "");
        out->trouble = below->links_said;
        below->has_trouble = true;
        return true;
    }
    if (below->n_found > 0 || below->has_trouble)
        return false;
    below->has_trouble = true;
    out->trouble = "no table below: no directory holds metadata/*.metadata.json";
    return true;
}

bool cli_below_next(struct cli_below *below, struct cli_found *out) {
    while (below->n > 0 && !cli_is_interrupted(NULL)) {
        drop(&below->at);
        struct directory at = below->at = below->items[--below->n];
        *out = (struct cli_found){.path = at.path};
        int why;
        out->is_table = is_table(at.path, &why);
        if (at.depth >= MAX_DEPTH)
            out->trouble = "not searched: too deep";
        else if (!push_children(below, &at, out->is_table))
            out->trouble = cli_join("not searched: ", strerror(errno), "");
        if (out->trouble == NULL && why != 0) {
            out->trouble =
                cli_join("its metadata directory cannot be listed: ", strerror(why), "");
            drop_metadata(below, &at);
        }
        below->has_trouble = below->has_trouble || out->trouble != NULL;
        below->n_found += out->is_table;
        if (at.name[0] != '\0')
            out->name = at.name;
        if (out->is_table || out->trouble != NULL)
            return true;
    }
    return !cli_is_interrupted(NULL) && tell_end(below, out);
}

void cli_below_free(struct cli_below *below) {
    while (below->n > 0)
        drop(&below->items[--below->n]);
    drop(&below->at);
    cli_free(below->first_link);
    cli_free(below->links_said);
    cli_free(below->real_root);
    cli_free(below->real);
    cli_free(below->root);
    cli_free(below->items);
    cli_free(below);
}
