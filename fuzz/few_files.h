/*
 * Small files of a table cut from one input by a length prefix, so that what reads
 * several files is reached.
 *
 *   input   = count, file*
 *   file    = index of its name, size (2 bytes, little endian), bytes
 *
 * The first `count` modulo MAX_FILES files; the last takes what is left.
 */
#ifndef ICE_FUZZ_FEW_FILES_H
#define ICE_FUZZ_FEW_FILES_H

#include "icefsck.h"

#include <string.h>

enum { MAX_FILES = 8 };

/* The names that fixtures/base/plain-* use, so that lists and manifests are found. */
static const char *const few_names[] = {
    "metadata/v3.metadata.json", "metadata/snap-3.avro",
    "metadata/m3.avro",          "metadata/m1.avro",
    "metadata/d1.avro",          "metadata/version-hint.text",
    "metadata/v2.metadata.json", "metadata/v3.gz.metadata.json",
    "metadata/snap-1.avro",      "metadata/m2.avro",
};
enum { N_FEW_NAMES = sizeof(few_names) / sizeof(few_names[0]) };

struct few_files {
    struct ice_memory_file files[MAX_FILES]; /* keys end in NUL */
    size_t n;
};

static inline bool few_files_have(const struct few_files *table, const char *name) {
    for (size_t i = 0; i < table->n; i++) {
        if (strcmp(table->files[i].key.data, name) == 0)
            return true;
    }
    return false;
}

/* Bytes are borrowed from the input. */
static inline struct few_files few_files_cut(const uint8_t *data, size_t size) {
    struct few_files table = {.n = 0};
    size_t at = 0;
    const size_t count = size > 0 ? data[at++] % MAX_FILES : 0;
    while (table.n < count && size - at >= 3) {
        const char *name = few_names[data[at] % N_FEW_NAMES];
        size_t bytes = (size_t)data[at + 1] | (size_t)data[at + 2] << 8;
        at += 3;
        if (bytes > size - at || table.n + 1 == count)
            bytes = size - at;
        if (!few_files_have(&table, name))
            table.files[table.n++] = (struct ice_memory_file){
                {name, strlen(name)}, {(const char *)data + at, bytes}};
        at += bytes;
    }
    return table;
}

#endif
