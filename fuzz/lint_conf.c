/*
 * Configuration: one input, whatever it is taken for, through all rules. The first byte
 * picks the name of the file, since endings tell some kinds.
 */
#include "icefsck.h"

#include <stdlib.h>
#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    (void)user;
    if (finding->message.size == 0 || finding->rule == NULL)
        abort();
    return ICE_OK;
}

static bool write_all(const char *path, const uint8_t *data, size_t size) {
    FILE *file = fopen(path, "we");
    if (file == NULL)
        return false;
    bool done = fwrite(data, 1, size, file) == size;
    return fclose(file) == 0 && done;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const endings[] = {"conf", "json", "py", "sql", "ipynb", "sh"};
    static char directory[] = "/tmp/icefsck-fuzz-XXXXXX";
    static bool is_made;
    char path[64];
    if (size == 0 || (!is_made && mkdtemp(directory) == NULL))
        return 0;
    is_made = true;
    (void)snprintf(path, sizeof(path), "%s/f.%s", directory,
                   endings[data[0] % (sizeof(endings) / sizeof(endings[0]))]);
    const char *const paths[] = {path};
    const struct ice_conf_request request = {
        .paths = paths, .n_paths = 1, .region = "eu-west-1"};
    struct ice_options options = ICE_OPTIONS_INIT;
    struct ice_summary *summary = NULL;
    options.hash_seed = 1;
    options.limits.memory = UINT64_C(256) << 20;
    if (write_all(path, data + 1, size - 1))
        (void)ice_lint_conf(&request, &options, on_finding, NULL, &summary, NULL);
    ice_summary_free(summary);
    (void)unlink(path);
    return 0;
}
