/*
 * A report must not depend on what fitted in memory: each table is checked with all facts
 * in memory, and again with a few records of each kind there and the rest in the
 * temporary file. Where that file cannot be made, what needs it must be named and nothing
 * else be said.
 *
 *   spilled TABLE...
 */
#include "icefsck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *data;
    size_t size, capacity;
};

static enum ice_status append(const char *data, size_t size, void *user) {
    struct text *text = user;
    if (text->capacity - text->size < size + 1) {
        text->capacity = (text->capacity + size) * 2 + 64;
        text->data = realloc(text->data, text->capacity);
        if (text->data == NULL)
            exit(2);
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = '\0';
    return ICE_OK;
}

static int check(const char *path, const struct ice_options *options, struct text *out) {
    struct ice_report_options how = {.min_severity = ICE_INFO};
    struct ice_report *report = NULL;
    struct ice_summary *summary = NULL;
    struct ice_error err = {0};
    int code = -1;
    out->size = 0;
    (void)append("", 0, out);
    enum ice_status status =
        ice_report_open(&report, ICE_FORMAT_NDJSON, &how, NULL, append, out, &err);
    if (status >= 0)
        status =
            ice_check_path(path, options, ice_report_finding, report, &summary, &err);
    if (status >= 0) {
        code = summary->exit_code;
        status = ice_report_summary(report, summary, &how);
    }
    if (status >= 0)
        status = ice_report_finish(report);
    if (status < 0)
        fprintf(stderr, "%s: %s\n", path, err.message);
    ice_summary_free(summary);
    ice_report_free(report);
    return code;
}

/* Each finding of a is one of b. */
static int is_part(const struct text *a, const struct text *b) {
    for (char *line = a->data, *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
        *end = '\0';
        int found = strstr(line, "\"kind\":\"summary\"") || strstr(b->data, line);
        *end = '\n';
        if (!found)
            return 0;
    }
    return 1;
}

static int n_needed; /* checks that could not go without the file */

static int compare(const char *path, enum ice_depth depth) {
    static const uint64_t most[] = {1, 2, 7, 64};
    struct text wanted = {0}, found = {0};
    struct ice_options options = ICE_OPTIONS_INIT;
    int bad = 0;
    options.has_now = true;
    options.now_ms = 1767225600000;
    options.depth = depth;
    int code = check(path, &options, &wanted);
    for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
        options.spill_records = most[i];
        if (check(path, &options, &found) == code && strcmp(wanted.data, found.data) == 0)
            continue;
        fprintf(stderr, "%s: another report with %llu records in memory\n%s\nnot\n%s\n",
                path, (unsigned long long)most[i], found.data, wanted.data);
        bad = 1;
    }
    options.spill_records = 1;
    options.temp_dir = "/dev/null/none"; /* can never be made, by nobody */
    int unable = check(path, &options, &found);
    int is_named = unable >= 0 && (unable & 2) && strstr(found.data, "\"live.*\"");
    n_needed += is_named;
    if ((!is_named && strcmp(wanted.data, found.data) != 0) ||
        !is_part(&found, &wanted)) {
        fprintf(stderr, "%s: without a temporary file:\n%s\nnot\n%s\n", path, found.data,
                wanted.data);
        bad = 1;
    }
    free(wanted.data);
    free(found.data);
    return bad;
}

int main(int argc, char **argv) {
    int bad = 0;
    for (int i = 1; i < argc; i++)
        bad |= compare(argv[i], ICE_DEPTH_MANIFEST) | compare(argv[i], ICE_DEPTH_PUFFIN);
    printf("%d checks, %d needed the temporary file\n", 2 * (argc - 1), n_needed);
    return bad;
}
