/*
 * A whole table from one input: small files cut by a length prefix, in a memory source,
 * so that passes over several files are reached.
 * See few_files.h. Two runs must agree, and every finding must stand in one of the files,
 * at a place inside it.
 */
#include "fuzz/few_files.h"
#include "fuzz/target.h"

enum { TEXT_BYTES = 1 << 16 };

struct report {
    const struct few_files *table;
    char *text;
    size_t used;
};

static size_t size_of(const struct few_files *table, struct ice_str file) {
    for (size_t i = 0; i < table->n; i++) {
        struct ice_str key = table->files[i].key;
        if (key.size == file.size && memcmp(key.data, file.data, key.size) == 0)
            return table->files[i].bytes.size;
    }
    return SIZE_MAX;
}

static bool is_inflated(const struct few_files *table, struct ice_str file) {
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

static int check(const struct few_files *table, uint64_t seed, struct report *report) {
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
    struct few_files table = few_files_cut(data, size);
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
