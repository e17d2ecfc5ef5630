/*
 * Inputs that the tables of a call share: pointers, and standard input.
 */
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>

int cli_open_catalog(struct cli *cli, struct ice_catalog **out) {
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    *out = NULL;
    if (cli->options.n_pointers == 0)
        return 0;
    if (ice_catalog_open(out, &cli->options, &err) < 0)
        return cli_say_error("--pointer", &err);
    cli->options.catalog = *out;
    return 0;
}

static size_t count_stdin(const char *const *names, size_t n) {
    size_t found = 0;
    for (size_t i = 0; i < n; i++)
        found += strcmp(names[i], "-") == 0;
    return found;
}

size_t cli_stdin_pointers(const struct cli *cli) {
    return count_stdin(cli->options.pointers, cli->options.n_pointers);
}

size_t cli_stdin_listings(const struct cli *cli) {
    return count_stdin(cli->options.listings, cli->options.n_listings);
}

void cli_say_stdin_twice(void) {
    cli_say("standard input can be read once: write it to a file, and name that");
}

const char *cli_directory_of(const char *path) {
    struct stat info;
    const char *directory = path == NULL || strcmp(path, "-") == 0 ? "" : path;
    if (path != NULL && stat(path, &info) == 0 && !S_ISDIR(info.st_mode)) {
        const char *slash = strrchr(path, '/');
        directory = slash == NULL ? "" : cli_copy(path, (size_t)(slash - path) + 1);
    }
    size_t size = strlen(directory);
    while (size > 1 && directory[size - 1] == '/')
        size--;
    static const char metadata[] = "metadata";
    size_t n = sizeof(metadata) - 1;
    if (size >= n && memcmp(directory + size - n, metadata, n) == 0 &&
        (size == n || directory[size - n - 1] == '/'))
        size -= n;
    return cli_copy(directory, size);
}
