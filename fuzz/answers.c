/*
 * Answers over a table: diff, history, rescue, inspect, orphans, pointers, files, one
 * file as JSON. The first byte picks one, the rest is a table (few_files.h), which stands
 * in a directory, since answers take a path. Twice the same, with other hash seeds;
 * values are of their column's kind, and nested ones are JSON.
 */
#include "base/compiler.h"
#include "fuzz/few_files.h"
#include "fuzz/target.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the directory ---- */

enum { ROOT_BYTES = 256, PATH_BYTES = 512 };

static char root[ROOT_BYTES];
static int metadata_fd = -1;

static void remove_files(void) {
    for (size_t i = 0; i < N_FEW_NAMES; i++)
        (void)unlinkat(metadata_fd, few_names[i] + sizeof("metadata/") - 1, 0);
}

static void remove_root(void) {
    char path[PATH_BYTES];
    remove_files();
    (void)snprintf(path, sizeof(path), "%s/metadata", root);
    (void)rmdir(path);
    (void)rmdir(root);
}

static void make_root(void) {
    char path[PATH_BYTES];
    const char *where = getenv("TMPDIR");
    const int n =
        snprintf(root, sizeof(root), "%s/answers-XXXXXX", where ? where : "/tmp");
    require(n < (int)sizeof(root) && mkdtemp(root) != NULL);
    (void)snprintf(path, sizeof(path), "%s/metadata", root);
    require(mkdir(path, 0700) == 0);
    metadata_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    require(metadata_fd >= 0 && atexit(remove_root) == 0);
}

static void write_files(const struct few_files *table) {
    for (size_t i = 0; i < table->n; i++) {
        const struct ice_str bytes = table->files[i].bytes;
        const char *name = table->files[i].key.data + sizeof("metadata/") - 1;
        const int fd =
            openat(metadata_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        require(fd >= 0 && write(fd, bytes.data, bytes.size) == (ssize_t)bytes.size);
        (void)close(fd);
    }
}

/* ---- what answers say ---- */

struct heard {
    uint64_t digest, n_rows, n_troubles;
    size_t n_columns;
};

static enum ice_status on_bytes(const char *data, size_t size, void *user) {
    struct heard *heard = user;
    digest_str(&heard->digest, ice_str_make(data, size));
    return ICE_OK;
}

static void add_value(struct heard *heard, const struct ice_column *column,
                      const struct ice_value *value) {
    digest_str(&heard->digest, ice_str_from(column->name));
    digest_number(&heard->digest, value->kind);
    if (value->kind == ICE_VALUE_NULL)
        return;
    require(value->kind == column->kind);
    digest_number(&heard->digest, (uint64_t)value->i64);
    digest_str(&heard->digest, value->str);
    if (value->kind == ICE_VALUE_JSON) {
        json_t *json = json_loadb(value->str.data, value->str.size,
                                  JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
        require(json != NULL);
        json_decref(json);
    }
}

static enum ice_status on_row(const struct ice_column *columns,
                              const struct ice_value *values, size_t n, void *user) {
    struct heard *heard = user;
    require(heard->n_columns == 0 || heard->n_columns == n);
    heard->n_columns = n;
    for (size_t i = 0; i < n && values != NULL; i++)
        add_value(heard, &columns[i], &values[i]);
    heard->n_rows++;
    return ICE_OK;
}

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    struct heard *heard = user;
    digest_str(&heard->digest, ice_str_from(finding->rule->name));
    digest_str(&heard->digest, finding->message);
    return ICE_OK;
}

static enum ice_status on_summary(const struct ice_summary *summary, void *user) {
    struct heard *heard = user;
    digest_str(&heard->digest, summary->table);
    digest_number(&heard->digest, (uint64_t)summary->exit_code);
    return ICE_OK;
}

static void on_trouble(const struct ice_error *trouble, void *user) {
    struct heard *heard = user;
    require(trouble->message[0] != '\0');
    digest_str(&heard->digest, ice_str_from(trouble->message));
    heard->n_troubles++;
}

static enum ice_status tell_inspect(const struct ice_options *options, unsigned which,
                                    struct heard *heard, struct ice_error *err) {
    const char *const *names = ice_inspect_names();
    size_t n = 0;
    while (names[n] != NULL)
        n++;
    return ice_inspect(root, names[which % n], which & 1, options, on_row, on_trouble,
                       heard, err);
}

static enum ice_status tell_orphans(const struct ice_options *options,
                                    struct heard *heard, struct ice_error *err) {
    struct ice_orphan_table table = {.path = root};
    const enum ice_status status =
        ice_orphans(&table, 1, options, 0, on_row, on_trouble, heard, err);
    digest_number(&heard->digest, table.totals.n_files);
    return status;
}

static enum ice_status tell_pointers(const struct ice_options *options,
                                     struct heard *heard, struct ice_error *err) {
    const char *const words[] = {root};
    int exit_code = 0;
    const struct ice_pointer_calls calls = {
        .on_row = on_row,
        .on_finding = on_finding,
        .on_summary = on_summary,
        .on_trouble = on_trouble,
        .user = heard,
    };
    const enum ice_status status =
        ice_list_pointers(words, 1, options, &calls, &exit_code, err);
    digest_number(&heard->digest, (uint64_t)exit_code);
    return status;
}

static enum ice_status tell_file(const struct ice_options *options, unsigned which,
                                 struct heard *heard, struct ice_error *err) {
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/%s", root, few_names[which % N_FEW_NAMES]);
    return ice_dump(path, options, on_bytes, on_trouble, heard, err);
}

static enum ice_status tell(const struct ice_options *options, unsigned which,
                            struct heard *heard, struct ice_error *err) {
    static const struct ice_diff_request requests[] = {
        {.from = "v2", .to = "v3"}, {.from = "3", .to = "main"}, {.from = "1"}};
    struct ice_rescue_result result = {0};
    bool differs = false;
    const unsigned part = which / 8;
    switch (which % 8) {
    case 0:
        return ice_history(root, options, on_row, on_trouble, heard, err);
    case 1:
        return ice_rescue(root, options, on_row, on_bytes, on_trouble, heard, &result,
                          err);
    case 2:
        return ice_diff(root, &requests[part % ICE_COUNT_OF(requests)], options, on_row,
                        on_trouble, heard, &differs, err);
    case 3:
        return tell_inspect(options, part, heard, err);
    case 4:
        return tell_orphans(options, heard, err);
    case 5:
        return tell_pointers(options, heard, err);
    case 6:
        return tell_file(options, part, heard, err);
    case 7:
        return part & 1 ? ice_list_files(root, options, on_row, on_trouble, heard, err)
                        : ice_inspect_live_oracle(root, options, on_bytes, on_trouble,
                                                  heard, err);
    }
    return ICE_OK;
}

static uint64_t ask(unsigned which, uint64_t seed) {
    struct heard heard = {.digest = 1};
    struct ice_options options = target_options();
    struct ice_error err = {0};
    options.hash_seed = seed;
    options.jobs = 1;
    options.has_now = true;
    options.now_ms = 1767225600000;
    options.storage_local = true;
    const enum ice_status status = tell(&options, which, &heard, &err);
    require(status != ICE_ENOMEM && status != ICE_ECANCELLED);
    require(status >= 0 || err.message[0] != '\0');
    digest_number(&heard.digest, (uint64_t)(int64_t)status);
    digest_str(&heard.digest, ice_str_from(err.message));
    return heard.digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    if (metadata_fd < 0)
        make_root();
    const struct few_files table = few_files_cut(data + 1, size - 1);
    write_files(&table);
    require(ask(data[0], 1) == ask(data[0], 2));
    remove_files();
    return 0;
}
