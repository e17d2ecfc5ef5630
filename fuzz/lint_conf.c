/*
 * Configuration: one input, whatever it is taken for, through all rules, twice with other
 * hash seeds: the same findings. The first byte picks the name of the file, since endings
 * tell some kinds.
 */
#include "base/compiler.h"
#include "fuzz/target.h"

#include <unistd.h>

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    uint64_t *digest = user;
    require(finding->message.size > 0 && finding->rule != NULL);
    digest_str(digest, ice_str_from(finding->rule->name));
    digest_str(digest, finding->message);
    digest_str(digest, finding->at.file);
    digest_number(digest, (uint64_t)finding->at.line << 32 | finding->at.column);
    return ICE_OK;
}

static bool write_all(const char *path, const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    bool done = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && done;
}

static uint64_t lint(const char *path, uint64_t seed) {
    uint64_t digest = 1;
    const char *const paths[] = {path};
    const struct ice_conf_request request = {
        .paths = paths, .n_paths = 1, .region = "eu-west-1"};
    struct ice_options options = target_options();
    struct ice_summary *summary = NULL;
    options.hash_seed = seed;
    const enum ice_status status =
        ice_lint_conf(&request, &options, on_finding, &digest, &summary, NULL);
    require(status == ICE_OK && summary != NULL);
    digest_number(&digest, (uint64_t)summary->exit_code);
    ice_summary_free(summary);
    return digest;
}

static char directory[256];

static void remove_directory(void) {
    (void)rmdir(directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const endings[] = {"conf", "json", "py", "sql", "ipynb", "sh"};
    char path[300];
    if (size == 0)
        return 0;
    if (directory[0] == '\0') {
        const char *where = getenv("TMPDIR");
        const int n = snprintf(directory, sizeof(directory), "%s/lint-conf-XXXXXX",
                               where ? where : "/tmp");
        require(n < (int)sizeof(directory) && mkdtemp(directory) != NULL);
        require(atexit(remove_directory) == 0);
    }
    (void)snprintf(path, sizeof(path), "%s/f.%s", directory,
                   endings[data[0] % ICE_COUNT_OF(endings)]);
    require(write_all(path, data + 1, size - 1));
    require(lint(path, 1) == lint(path, 2));
    (void)unlink(path);
    return 0;
}
