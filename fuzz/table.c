/*
 * A whole table from one input: small files cut by a length prefix, in a memory source,
 * so that passes over several files are reached.
 *
 *   input   = count, file*
 *   file    = index of its name, size (2 bytes, little endian), bytes
 *
 * The first `count` modulo MAX_FILES files; the last takes what is left. Two runs must
 * agree, and every finding must stand in one of the files, at a place inside it.
 */
#include "icefsck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 8, TEXT_BYTES = 1 << 16 };

/* The names that fixtures/base/plain-* use, so that lists and manifests are found. */
static const char *const names[] = {
    "metadata/v3.metadata.json", "metadata/snap-3.avro",
    "metadata/m3.avro",          "metadata/m1.avro",
    "metadata/d1.avro",          "metadata/version-hint.text",
    "metadata/v2.metadata.json", "metadata/v3.gz.metadata.json",
    "metadata/snap-1.avro",      "metadata/m2.avro",
};
enum { N_NAMES = sizeof(names) / sizeof(names[0]) };

struct table {
    struct ice_memory_file files[MAX_FILES];
    size_t n;
};

static bool has_name(const struct table *table, const char *name) {
    for (size_t i = 0; i < table->n; i++) {
        if (strcmp(table->files[i].key.data, name) == 0)
            return true;
    }
    return false;
}

static struct table cut(const uint8_t *data, size_t size) {
    struct table table = {.n = 0};
    size_t at = 0, count = size > 0 ? data[at++] % MAX_FILES : 0;
    while (table.n < count && size - at >= 3) {
        const char *name = names[data[at] % N_NAMES];
        size_t bytes = (size_t)data[at + 1] | (size_t)data[at + 2] << 8;
        at += 3;
        if (bytes > size - at || table.n + 1 == count)
            bytes = size - at;
        if (!has_name(&table, name))
            table.files[table.n++] = (struct ice_memory_file){
                {name, strlen(name)}, {(const char *)data + at, bytes}};
        at += bytes;
    }
    return table;
}

struct report {
    const struct table *table;
    char *text;
    size_t used;
};

static size_t size_of(const struct table *table, struct ice_str file) {
    for (size_t i = 0; i < table->n; i++) {
        struct ice_str key = table->files[i].key;
        if (key.size == file.size && memcmp(key.data, file.data, key.size) == 0)
            return table->files[i].bytes.size;
    }
    return SIZE_MAX;
}

static bool is_inflated(const struct table *table, struct ice_str file) {
    (void)table;
    return file.size > 5 && memcmp(file.data + file.size - 5, ".json", 5) == 0;
}

static enum ice_status note(const struct ice_finding *finding, void *user) {
    struct report *report = user;
    struct ice_str file = finding->at.file;
    static const char hint[] = "metadata/version-hint.text";
    bool is_hint =
        file.size == sizeof(hint) - 1 && memcmp(file.data, hint, file.size) == 0;
    /* rules on what is absent stand at the file that names it */
    size_t bytes = file.size > 0 ? size_of(report->table, file) : SIZE_MAX;
    bool is_of_source = strncmp(finding->rule->name, "source.", 7) == 0 ||
                        strncmp(finding->rule->name, "limit.", 6) == 0;
    if (bytes == SIZE_MAX && !is_hint && !is_of_source) {
        fprintf(stderr, "%s: no such file '%.*s'\n", finding->rule->name, (int)file.size,
                file.data ? file.data : "");
        abort();
    }
    if (bytes != SIZE_MAX && finding->at.offset != ICE_NO_OFFSET &&
        finding->at.offset > bytes && !is_inflated(report->table, file))
        abort();
    int n = snprintf(report->text + report->used, TEXT_BYTES - report->used,
                     "%s %d %.*s#%.*s %llu: %.*s\n", finding->rule->name,
                     (int)finding->severity, (int)file.size, file.data ? file.data : "",
                     (int)finding->at.pointer.size,
                     finding->at.pointer.data ? finding->at.pointer.data : "",
                     (unsigned long long)finding->at.offset, (int)finding->message.size,
                     finding->message.data ? finding->message.data : "");
    if (n > 0 && report->used + (size_t)n < TEXT_BYTES)
        report->used += (size_t)n;
    return ICE_OK;
}

static int check(const struct table *table, uint64_t seed, struct report *report) {
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_source *source = NULL;
    struct ice_summary *summary = NULL;
    struct ice_error err = {0};
    options.has_now = true;
    options.now_ms = 1767225600000;
    options.hash_seed = seed;
    report->table = table;
    report->used = 0;
    report->text[0] = '\0';
    if (ice_source_open_memory(&source, table->files, table->n, NULL, &err) < 0)
        abort();
    enum ice_status status =
        ice_check_table(source, "", &options, note, report, &summary, &err);
    int exit_code = summary != NULL ? summary->exit_code : -1;
    ice_summary_free(summary);
    ice_source_free(source);
    return status < 0 ? (int)status : exit_code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct table table = cut(data, size);
    struct report first = {.text = malloc(TEXT_BYTES)},
                  second = {.text = malloc(TEXT_BYTES)};
    if (first.text == NULL || second.text == NULL)
        abort();
    int a = check(&table, 1, &first), b = check(&table, 2, &second);
    if (a != b || strcmp(first.text, second.text) != 0) {
        fprintf(stderr, "two runs differ:\n%s---\n%s", first.text, second.text);
        abort();
    }
    free(first.text);
    free(second.text);
    return 0;
}
