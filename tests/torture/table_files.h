/*
 * A table of fixtures/ as files in memory, for tests that run it many times.
 */
#ifndef ICE_TEST_TABLE_FILES_H
#define ICE_TEST_TABLE_FILES_H

#include "icefsck.h"

struct table_files {
    struct ice_memory_file *files;
    size_t n;
};

/* All regular files below a directory, keys relative to it. Ends the program on failure.
 */
struct table_files table_files_load(const char *directory);
void table_files_free(struct table_files *table);

/* All of one file, with a NUL behind it; free data. Ends the program on failure. */
struct ice_str table_file_read(const char *path);

#endif
