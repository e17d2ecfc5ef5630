/*
 * A directory of its own for a test, in a path that is short.
 */
#ifndef ICE_TESTS_SUPPORT_TEMP_DIR_H
#define ICE_TESTS_SUPPORT_TEMP_DIR_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEMP_DIR_SIZE = 64 };

static inline bool temp_dir_make(char out[TEMP_DIR_SIZE]) {
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(out, TEMP_DIR_SIZE, "%s/icefsck-XXXXXX",
                   tmp != NULL && strlen(tmp) < 40 ? tmp : "/tmp");
    return mkdtemp(out) != NULL;
}

/* With all that is in it; 0, or why rm failed. */
static inline int temp_dir_remove(const char *path) {
    char command[TEMP_DIR_SIZE + sizeof("rm -rf ''")];
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", path);
    return system(command);
}

#endif
