/*
 * main() of a fuzz target without an engine: feeds it every file named, and every file
 * below every directory named, in a fixed order; of directories behind name=GLOB only
 * files with such a name. So regressions and seeds run under any compiler.
 */
#include <fnmatch.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* larger files are no seeds */
enum { SIZE_MAX_SEED = 4 << 20, DESCRIPTORS = 16, MOST_GLOBS = 16 };

static unsigned long n_files;
static const char *globs[MOST_GLOBS];
static size_t n_globs;

static int replay_file(const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(SIZE_MAX_SEED);
    if (file == NULL || data == NULL) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        return 1;
    }
    const size_t size = fread(data, 1, SIZE_MAX_SEED, file);
    const int is_whole = feof(file);
    (void)fclose(file);
    /* of its own size, so that a read behind the end is found out */
    uint8_t *exact = realloc(data, size > 0 ? size : 1);
    if (exact == NULL)
        exact = data;
    if (is_whole) {
        (void)LLVMFuzzerTestOneInput(exact, size);
        n_files++;
    }
    free(exact);
    return 0;
}

static int visit(const char *path, const struct stat *found, int kind,
                 struct FTW *place) {
    (void)found;
    if (kind != FTW_F)
        return 0;
    bool is_wanted = n_globs == 0;
    for (size_t i = 0; i < n_globs; i++)
        is_wanted |= fnmatch(globs[i], path + place->base, 0) == 0;
    return is_wanted ? replay_file(path) : 0;
}

int main(int argc, char **argv) {
    static const char glob_is[] = "name=";
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], glob_is, sizeof(glob_is) - 1) == 0 && n_globs < MOST_GLOBS) {
            globs[n_globs++] = argv[i] + sizeof(glob_is) - 1;
            continue;
        }
        const unsigned long before = n_files;
        if (nftw(argv[i], visit, DESCRIPTORS, FTW_PHYS) != 0 || n_files == before) {
            /* nothing replayed is nothing tested */
            fprintf(stderr, "replay: nothing to replay in %s\n", argv[i]);
            return 1;
        }
    }
    printf("replayed %lu inputs\n", n_files);
    return n_files > 0 ? 0 : 1;
}
