/*
 * main() of a fuzz target without an engine: feeds it every file named, and every file
 * below every directory named, in a fixed order. So regressions and seeds run under any
 * compiler.
 */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* larger files are no seeds */
enum { SIZE_MAX_SEED = 4 << 20, DESCRIPTORS = 16 };

static unsigned long n_files;

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
    (void)place;
    return kind == FTW_F ? replay_file(path) : 0;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        struct stat found;
        if (stat(argv[i], &found) != 0)
            continue; /* a target without regressions has no directory */
        if (nftw(argv[i], visit, DESCRIPTORS, FTW_PHYS) != 0)
            return 1;
    }
    printf("replayed %lu inputs\n", n_files);
    /* nothing replayed is nothing tested */
    return n_files > 0 ? 0 : 1;
}
