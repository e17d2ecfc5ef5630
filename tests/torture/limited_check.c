/*
 * Checks tables under limits of the caller's and counts what the library allocates. One
 * job a line of standard input, one thread, its ndjson report, and a line with the count.
 * With the word "limits": names and defaults instead.
 *
 *   PATH [TAB limit=N]... [TAB seed=N] [TAB depth=metadata|list|manifest|puffin]
 *   {"kind":"run","status":0,"rule":null,"peak":1234,"requests":56,"largest":789}
 */
#include "icefsck.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counted {
    uint64_t used, peak;        /* bytes */
    uint64_t requests, largest; /* calls that ask for memory; bytes of one */
};

static void *counted_realloc(void *user, void *pointer, size_t old_size,
                             size_t new_size) {
    struct counted *counted = user;
    if (new_size == 0) {
        counted->used -= old_size;
        free(pointer);
        return NULL;
    }
    void *fresh = realloc(pointer, new_size);
    if (fresh == NULL)
        return NULL;
    counted->requests++;
    counted->used = counted->used - old_size + new_size;
    if (counted->used > counted->peak)
        counted->peak = counted->used;
    if (new_size > counted->largest)
        counted->largest = new_size;
    return fresh;
}

static enum ice_status to_stdout(const char *data, size_t size, void *user) {
    (void)user;
    return fwrite(data, 1, size, stdout) == size ? ICE_OK : ICE_EIO;
}

/* "name=value" of a limit or of the depth; ends the program if it is neither. */
static void set_option(struct ice_options *options, char *word) {
    static const char *const depths[] = {"metadata", "list", "manifest", "puffin"};
    static const enum ice_depth values[] = {ICE_DEPTH_METADATA, ICE_DEPTH_LIST,
                                            ICE_DEPTH_MANIFEST, ICE_DEPTH_PUFFIN};
    char *value = strchr(word, '=');
    if (value == NULL)
        exit(2);
    *value++ = '\0';
    for (size_t i = 0; strcmp(word, "depth") == 0 && i < 4; i++)
        if (strcmp(value, depths[i]) == 0) {
            options->depth = values[i];
            return;
        }
    if (strcmp(word, "seed") == 0) {
        options->hash_seed = strtoull(value, NULL, 10);
        return;
    }
    const char *name, *what;
    uint64_t fallback;
    for (size_t i = 0; ice_limit_at(i, &name, &what, &fallback); i++) {
        if (strcmp(word, name) != 0)
            continue;
        /* the members of the structure are the limits, in their order */
        assert((i + 1) * sizeof(uint64_t) <= sizeof(options->limits));
        ((uint64_t *)&options->limits)[i] = strtoull(value, NULL, 10);
        return;
    }
    fprintf(stderr, "no limit named %s\n", word);
    exit(2);
}

static enum ice_status check(const char *path, const struct ice_options *options,
                             struct ice_error *err) {
    struct ice_report_options how = {.min_severity = ICE_INFO};
    struct ice_report *report = NULL;
    struct ice_summary *summary = NULL;
    enum ice_status status =
        ice_report_open(&report, ICE_FORMAT_NDJSON, &how, NULL, to_stdout, NULL, err);
    if (status >= 0)
        status = ice_check_path(path, options, ice_report_finding, report, &summary, err);
    if (status >= 0)
        status = ice_report_summary(report, summary, &how);
    if (status >= 0)
        status = ice_report_finish(report);
    ice_summary_free(summary);
    ice_report_free(report);
    return status;
}

static void print_limits(void) {
    const char *name, *what;
    uint64_t fallback;
    for (size_t i = 0; ice_limit_at(i, &name, &what, &fallback); i++)
        printf("%s %llu\n", name, (unsigned long long)fallback);
}

int main(int argc, char **argv) {
    static char line[1 << 16];
    if (argc > 1 && strcmp(argv[1], "limits") == 0) {
        print_limits();
        return 0;
    }
    while (fgets(line, sizeof(line), stdin) != NULL) {
        struct counted counted = {0};
        const struct ice_allocator allocator = {counted_realloc, &counted};
        struct ice_options options = ICE_OPTIONS_INIT;
        struct ice_error err = {0};
        options.allocator = &allocator;
        options.jobs = 1;
        options.hash_seed = 1;
        options.has_now = true;
        options.now_ms = 1767225600000;
        line[strcspn(line, "\n")] = '\0';
        char *save = NULL;
        const char *path = strtok_r(line, "\t", &save);
        for (char *word; (word = strtok_r(NULL, "\t", &save)) != NULL;)
            set_option(&options, word);
        enum ice_status status = check(path, &options, &err);
        printf("{\"kind\":\"run\",\"status\":%d,\"rule\":\"%s\",\"peak\":%llu,"
               "\"requests\":%llu,\"largest\":%llu}\n",
               (int)status, err.rule == NULL ? "" : err.rule,
               (unsigned long long)counted.peak, (unsigned long long)counted.requests,
               (unsigned long long)counted.largest);
        fflush(stdout);
        if (counted.used != 0) {
            fprintf(stderr, "%s: %llu bytes are not given back\n", path,
                    (unsigned long long)counted.used);
            return 1;
        }
    }
    return 0;
}
