/*
 * Checks a table again and again, with the k-th allocation or the k-th read failing, for
 * every k; and with reads of a few bytes at a time. A run must end cleanly, give back all
 * memory, and never pass a table that it could not read.
 *
 *   torture_table DIRECTORY...
 */
#include "support/failing.h"
#include "torture/table_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_BYTES = 1 << 18, ALLOC_STEP_ABOVE = 2000 };

static int failures;

static void complain(const char *what, uint64_t k, const char *text) {
    fprintf(stderr, "k = %llu: %s %s\n", (unsigned long long)k, what, text);
    failures++;
}

/* ---- a source whose k-th read fails, or reads only a little ---- */

struct failing_source {
    const struct table_files *table;
    unsigned long reads, fail_at;
    size_t most; /* bytes a read, 0: all */
};

static enum ice_status source_open(void *user, struct ice_str key, void **out_file,
                                   struct ice_file_info *out_info,
                                   struct ice_error *err) {
    const struct failing_source *source = user;
    (void)err;
    for (size_t i = 0; i < source->table->n; i++) {
        const struct ice_memory_file *file = &source->table->files[i];
        if (file->key.size != key.size || memcmp(file->key.data, key.data, key.size) != 0)
            continue;
        *out_file = &source->table->files[i];
        *out_info = (struct ice_file_info){.size = file->bytes.size};
        return ICE_OK;
    }
    return ICE_ENOENT;
}

static enum ice_status source_read(void *user, void *file, uint64_t offset, void *buffer,
                                   size_t size, size_t *out_size, struct ice_error *err) {
    struct failing_source *source = user;
    const struct ice_memory_file *memory = file;
    (void)err;
    if (++source->reads == source->fail_at)
        return ICE_EIO;
    size_t left = offset < memory->bytes.size ? memory->bytes.size - (size_t)offset : 0;
    size_t n = size < left ? size : left;
    if (source->most != 0 && n > source->most)
        n = source->most;
    if (n > 0)
        memcpy(buffer, memory->bytes.data + offset, n);
    *out_size = n;
    return ICE_OK;
}

static void source_close(void *user, void *file) {
    (void)user;
    (void)file;
}

typedef enum ice_status (*each_fn)(struct ice_str name, bool is_directory,
                                   const struct ice_file_info *info, void *context);

static enum ice_status source_list(void *user, struct ice_str directory, each_fn each,
                                   void *context, struct ice_error *err) {
    const struct failing_source *source = user;
    bool found = directory.size == 0;
    (void)err;
    struct ice_str told = {NULL, 0};
    for (size_t i = 0; i < source->table->n; i++) {
        struct ice_str key = source->table->files[i].key;
        size_t skip = directory.size > 0 ? directory.size + 1 : 0;
        if (key.size <= skip || memcmp(key.data, directory.data, directory.size) != 0 ||
            (skip > 0 && key.data[directory.size] != '/'))
            continue;
        found = true;
        struct ice_str name = {key.data + skip, key.size - skip};
        const char *slash = memchr(name.data, '/', name.size);
        if (slash != NULL)
            name.size = (size_t)(slash - name.data);
        if (slash != NULL && told.size == name.size &&
            memcmp(told.data, name.data, name.size) == 0)
            continue;
        told = name;
        struct ice_file_info info = {.size = source->table->files[i].bytes.size};
        enum ice_status status = each(name, slash != NULL, &info, context);
        if (status < 0)
            return status;
    }
    return found ? ICE_OK : ICE_ENOENT;
}

static const struct ice_source_ops source_ops = {source_open, source_read, source_close,
                                                 source_list, NULL};

/* ---- one run ---- */

struct outcome {
    enum ice_status status;
    int exit_code;
    char *text; /* findings, one a line */
    size_t used;
};

static enum ice_status note(const struct ice_finding *finding, void *user) {
    struct outcome *outcome = user;
    int n = snprintf(outcome->text + outcome->used, TEXT_BYTES - outcome->used,
                     "%s %.*s#%.*s %llu %u\n", finding->rule->name,
                     (int)finding->at.file.size, finding->at.file.data,
                     (int)finding->at.pointer.size,
                     finding->at.pointer.data ? finding->at.pointer.data : "",
                     (unsigned long long)finding->at.offset, finding->at.line);
    if (n > 0 && outcome->used + (size_t)n < TEXT_BYTES)
        outcome->used += (size_t)n;
    return ICE_OK;
}

static void run_once(struct failing_source *user, struct failing *failing,
                     struct outcome *out) {
    struct ice_allocator allocator = failing_allocator(failing);
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_source *source = NULL;
    struct ice_summary *summary = NULL;
    struct ice_error err = {0};
    options.allocator = &allocator;
    options.has_now = true;
    options.now_ms = 1767225600000;
    options.hash_seed = 1;
    out->used = 0;
    out->text[0] = '\0';
    out->exit_code = -1;
    out->status = ice_source_open_ops(&source, &source_ops, user, NULL, &err);
    if (out->status >= 0)
        out->status = ice_check_table(source, "", &options, note, out, &summary, &err);
    if (out->status < 0 && err.message[0] == '\0')
        complain("no message", failing->fail_at, "");
    if (summary != NULL)
        out->exit_code = summary->exit_code;
    ice_summary_free(summary);
    ice_source_free(source);
    if (failing->used != 0)
        complain("memory was not given back", failing->fail_at, "");
}

static bool same(const struct outcome *a, const struct outcome *b) {
    return a->status == b->status && a->exit_code == b->exit_code &&
           strcmp(a->text, b->text) == 0;
}

/* ---- the campaigns ---- */

static void fail_allocations(const struct table_files *table, const struct outcome *good,
                             uint64_t n_calls, struct outcome *got) {
    uint64_t step = n_calls > ALLOC_STEP_ABOVE ? n_calls / ALLOC_STEP_ABOVE + 1 : 1;
    for (uint64_t k = 1; k <= n_calls; k += k < 500 ? 1 : step) {
        for (int sticky = 0; sticky < 2; sticky++) {
            struct failing_source source = {.table = table};
            struct failing allocator = {.fail_at = k, .sticky = sticky != 0};
            run_once(&source, &allocator, got);
            if (got->status != ICE_ENOMEM && !same(got, good))
                complain("an allocation failed and the report is another", k, got->text);
        }
    }
}

static void fail_reads(const struct table_files *table, const struct outcome *good,
                       unsigned long n_reads, struct outcome *got) {
    for (unsigned long k = 1; k <= n_reads; k++) {
        struct failing_source source = {.table = table, .fail_at = k};
        struct failing allocator = {0};
        run_once(&source, &allocator, got);
        bool is_told = got->status == ICE_OK && (got->exit_code & 2) != 0 &&
                       strstr(got->text, "source.unreadable") != NULL;
        if (!is_told && !same(got, good))
            complain("a read failed and nothing says so", k, got->text);
    }
}

static void read_little(const struct table_files *table, const struct outcome *good,
                        struct outcome *got) {
    static const size_t sizes[] = {1, 7, 4096};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct failing_source source = {.table = table, .most = sizes[i]};
        struct failing allocator = {0};
        run_once(&source, &allocator, got);
        if (!same(got, good))
            complain("reads of few bytes give another report", sizes[i], got->text);
    }
}

static void torture(const char *directory) {
    struct table_files table = table_files_load(directory);
    struct failing_source source = {.table = &table};
    struct failing allocator = {0};
    struct outcome good = {.text = malloc(TEXT_BYTES)},
                   got = {.text = malloc(TEXT_BYTES)};
    if (good.text == NULL || got.text == NULL)
        exit(2);
    run_once(&source, &allocator, &good);
    if (good.status != ICE_OK)
        complain("the undisturbed run failed", 0, directory);
    printf("%s: %llu allocations, %lu reads, exit %d\n", directory,
           (unsigned long long)allocator.n, source.reads, good.exit_code);
    fail_allocations(&table, &good, allocator.n, &got);
    fail_reads(&table, &good, source.reads, &got);
    read_little(&table, &good, &got);
    free(good.text);
    free(got.text);
    table_files_free(&table);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        torture(argv[i]);
    return failures > 0 || argc < 2;
}
