/*
 * Whatever is the caller's is used by the calling thread alone, however many threads
 * read: callbacks, and sources that it brought. And a run may be stopped at any poll.
 *
 *   callers TABLE...
 */
#include "icefsck.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static pthread_t caller;
static int bad;
static unsigned long n_polls, stop_at; /* stop_at 0: never */
static uint64_t last_done;

static void check_thread(const char *what) {
    if (pthread_equal(pthread_self(), caller))
        return;
    fprintf(stderr, "%s: called from another thread\n", what);
    bad = 1;
}

static bool cancelled(void *user) {
    (void)user;
    check_thread("cancelled");
    n_polls++;
    return stop_at > 0 && n_polls >= stop_at;
}

static void on_progress(const struct ice_progress *progress, void *user) {
    (void)user;
    check_thread("on_progress");
    if (strcmp(progress->phase, "manifests") != 0)
        last_done = 0;
    else if (progress->done < last_done || progress->done > progress->total)
        bad = 1;
    else
        last_done = progress->done;
}

static void on_note(int level, struct ice_str text, void *user) {
    (void)level;
    (void)text;
    (void)user;
    check_thread("on_note");
}

static enum ice_status on_finding(const struct ice_finding *finding, void *user) {
    (void)finding;
    check_thread("on_finding");
    ++*(unsigned long *)user;
    return ICE_OK;
}

/* ---- a source of the caller's: files below a directory ---- */

static FILE *open_below(const char *root, struct ice_str key, struct stat *out) {
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/%.*s", root, (int)key.size, key.data);
    FILE *file = fopen(path, "rb");
    if (file != NULL && (fstat(fileno(file), out) != 0 || !S_ISREG(out->st_mode))) {
        (void)fclose(file);
        file = NULL;
    }
    return file;
}

static enum ice_status source_open(void *user, struct ice_str key, void **out_file,
                                   struct ice_file_info *out_info,
                                   struct ice_error *err) {
    struct stat found;
    (void)err;
    check_thread("open");
    *out_file = open_below(user, key, &found);
    if (*out_file == NULL)
        return ICE_ENOENT;
    *out_info =
        (struct ice_file_info){.size = (uint64_t)found.st_size, .mtime_ms = INT64_MIN};
    return ICE_OK;
}

static enum ice_status source_read_at(void *user, void *file, uint64_t offset,
                                      void *buffer, size_t size, size_t *out_size,
                                      struct ice_error *err) {
    (void)user;
    (void)err;
    check_thread("read_at");
    if (fseek(file, (long)offset, SEEK_SET) != 0)
        return ICE_EIO;
    *out_size = fread(buffer, 1, size, file);
    return ICE_OK;
}

static void source_close(void *user, void *file) {
    (void)user;
    check_thread("close");
    (void)fclose(file);
}

static enum ice_status source_list(void *user, struct ice_str directory,
                                   enum ice_status (*each)(struct ice_str, bool,
                                                           const struct ice_file_info *,
                                                           void *),
                                   void *context, struct ice_error *err) {
    char path[4096];
    (void)err;
    check_thread("list");
    (void)snprintf(path, sizeof(path), "%s/%.*s", (const char *)user, (int)directory.size,
                   directory.data);
    DIR *stream = opendir(path);
    if (stream == NULL)
        return ICE_ENOENT;
    enum ice_status status = ICE_OK;
    for (struct dirent *entry; status == ICE_OK && (entry = readdir(stream)) != NULL;) {
        struct ice_file_info info = {.mtime_ms = INT64_MIN};
        struct ice_str name = {entry->d_name, strlen(entry->d_name)};
        if (entry->d_name[0] != '.')
            status = each(name, entry->d_type == DT_DIR, &info, context);
    }
    (void)closedir(stream);
    return status;
}

static const struct ice_source_ops ops = {source_open, source_read_at, source_close,
                                          source_list, NULL};

/* ---- runs ---- */

static struct ice_options options_of(unsigned jobs) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.jobs = jobs;
    options.cancelled = cancelled;
    options.on_progress = on_progress;
    options.on_note = on_note;
    n_polls = 0;
    last_done = 0;
    return options;
}

/* The number of findings; is it the status that it should be? */
static unsigned long run(const char *path, unsigned jobs) {
    struct ice_options options = options_of(jobs);
    struct ice_summary *summary = NULL;
    struct ice_error err = {0};
    unsigned long n = 0;
    enum ice_status status =
        ice_check_path(path, &options, on_finding, &n, &summary, &err);
    bool is_stopped = stop_at > 0 && n_polls >= stop_at;
    if (is_stopped ? status != ICE_ECANCELLED : status < 0) {
        fprintf(stderr, "%s: -j %u, stopped at poll %lu of %lu: status %d, %s\n", path,
                jobs, stop_at, n_polls, (int)status, err.message);
        bad = 1;
    }
    if (is_stopped && summary != NULL && !summary->interrupted)
        bad = 1;
    ice_summary_free(summary);
    return n;
}

static unsigned long run_own(char *path, unsigned jobs) {
    struct ice_options options = options_of(jobs);
    struct ice_source *source = NULL;
    struct ice_summary *summary = NULL;
    unsigned long n = 0;
    if (ice_source_open_ops(&source, &ops, path, NULL, NULL) < 0 ||
        ice_check_table(source, "", &options, on_finding, &n, &summary, NULL) < 0)
        bad = 1;
    ice_summary_free(summary);
    ice_source_free(source);
    return n;
}

int main(int argc, char **argv) {
    caller = pthread_self();
    for (int i = 1; i < argc; i++) {
        unsigned long wanted = run(argv[i], 1);
        unsigned long most = n_polls;
        if (run(argv[i], 8) != wanted || run_own(argv[i], 8) != wanted) {
            fprintf(stderr, "%s: not the same findings\n", argv[i]);
            bad = 1;
        }
        for (stop_at = 1; stop_at < most; stop_at += 1 + stop_at / 3)
            (void)run(argv[i], 8);
        stop_at = 0;
        printf("%s: %lu findings, %lu polls\n", argv[i], wanted, most);
    }
    return bad;
}
