/*
 * Standard input, spooled to a file without a name.
 */
#include "inputs/stdin.h"

#include "base/error.h"
#include "base/temp_file.h"
#include "inputs/target.h"
#include "source/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* Lives as long as its source. */
struct spool {
    struct ice_alloc alloc; /* outlives the run that opened it */
    int fd;
    uint64_t size;
    char key[256]; /* of its one file */
};

static enum ice_status system_fault(struct ice_error *err, const char *what) {
    return ice_error_set(err, ICE_EIO, "source.unreadable", ICE_NO_OFFSET, "%s: %s", what,
                         strerror(errno));
}

static enum ice_status spool_open(void *user, struct ice_str key, void **out_file,
                                  struct ice_file_info *out_info, struct ice_error *err) {
    struct spool *spool = user;
    if (!ice_str_is(key, spool->key))
        return ice_error_set(err, ICE_ENOENT, NULL, ICE_NO_OFFSET, "no such file");
    *out_file = spool;
    *out_info = (struct ice_file_info){.size = spool->size, .mtime_ms = INT64_MIN};
    return ICE_OK;
}

static enum ice_status spool_read(void *user, void *file, uint64_t offset, void *buffer,
                                  size_t size, size_t *out_size, struct ice_error *err) {
    struct spool *spool = user;
    (void)file;
    *out_size = 0;
    if (offset >= spool->size)
        return ICE_OK;
    ssize_t got;
    do {
        got = pread(spool->fd, buffer, size, (off_t)offset);
    } while (got < 0 && errno == EINTR);
    if (got < 0)
        return system_fault(err, "temporary file");
    *out_size = (size_t)got;
    return ICE_OK;
}

static void spool_close(void *user, void *file) {
    (void)user;
    (void)file;
}

static enum ice_status
spool_list(void *user, struct ice_str directory,
           enum ice_status (*each)(struct ice_str name, bool is_directory,
                                   const struct ice_file_info *info, void *context),
           void *context, struct ice_error *err) {
    struct spool *spool = user;
    if (directory.size > 0)
        return ice_error_set(err, ICE_ENOENT, NULL, ICE_NO_OFFSET, "no such directory");
    struct ice_file_info info = {.size = spool->size, .mtime_ms = INT64_MIN};
    return each(ice_str_from(spool->key), false, &info, context);
}

static void spool_free(void *user) {
    struct spool *spool = user;
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &spool->alloc.base, UINT64_MAX);
    if (spool->fd >= 0)
        close(spool->fd);
    ice_free(&alloc, spool, sizeof(*spool));
}

/* what: "standard input", "the pipe". */
static enum ice_status fill(struct spool *spool, int from, const char *what,
                            uint64_t limit, struct ice_error *err) {
    char chunk[64 * 1024];
    for (;;) {
        ssize_t got = read(from, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return system_fault(err, what);
        if (got == 0)
            return ICE_OK;
        spool->size += (uint64_t)got;
        if (spool->size > limit)
            return ice_error_set(err, ICE_ELIMIT, "limit.file", limit,
                                 "%s has more than %" PRIu64 " bytes", what, limit);
        if (!ice_temp_file_write(spool->fd, chunk, (size_t)got))
            return system_fault(err, "temporary file");
    }
}

static enum ice_status open_spool(struct spool **out, struct ice_run *run,
                                  struct ice_str key, struct ice_error *err) {
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &run->alloc.base, UINT64_MAX);
    struct spool *spool = ice_calloc(&alloc, 1, sizeof(*spool));
    *out = spool;
    if (spool == NULL)
        return ice_error_memory(err);
    ice_alloc_init(&spool->alloc, &run->alloc.base, UINT64_MAX);
    key = ice_str_first(key, sizeof(spool->key) - 1);
    if (key.size > 0)
        memcpy(spool->key, key.data, key.size);
    spool->fd = ice_temp_file_open(NULL);
    return spool->fd < 0 ? system_fault(err, "temporary file") : ICE_OK;
}

/* status: of filling it. */
static enum ice_status close_spool(struct spool *spool, struct ice_run *run,
                                   enum ice_status status, struct ice_source **out,
                                   struct ice_error *err) {
    static const struct ice_source_ops ops = {spool_open, spool_read, spool_close,
                                              spool_list, spool_free};
    if (status < 0) {
        if (spool != NULL)
            spool_free(spool);
        return status;
    }
    return ice_source_open_ops(out, &ops, spool, &run->alloc.base, err);
}

bool ice_path_is_pipe(const char *path) {
    struct stat info;
    return strcmp(path, "-") == 0 || (stat(path, &info) == 0 && S_ISFIFO(info.st_mode));
}

/* <(command) of a shell. One that nobody writes to is empty: it must not block. */
static enum ice_status open_pipe(struct ice_source **out, struct ice_run *run,
                                 struct ice_str key, const char *path,
                                 struct ice_error *err) {
    struct spool *spool = NULL;
    int fd = ice_walk_openat(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    enum ice_status status = fd < 0 ? system_fault(err, "the pipe") : ICE_OK;
    if (status >= 0 && fcntl(fd, F_SETFL, 0) < 0)
        status = system_fault(err, "the pipe");
    if (status >= 0)
        status = open_spool(&spool, run, key, err);
    if (status >= 0)
        status = fill(spool, fd, "the pipe", run->limits.file_bytes, err);
    if (fd >= 0)
        (void)close(fd);
    return close_spool(spool, run, status, out, err);
}

enum ice_status ice_source_open_argument(struct ice_source **out, struct ice_str *out_key,
                                         struct ice_arena *arena, struct ice_run *run,
                                         const char *path, struct ice_error *err) {
    char absolute[PATH_MAX];
    if (strcmp(path, "-") == 0) {
        *out_key = ICE_STR(ICE_STDIN_KEY);
        return ice_source_open_stdin(out, run, err);
    }
    if (ice_path_is_pipe(path)) {
        *out_key = ice_key_name(ice_str_from(path));
        return ice_arena_dup(arena, *out_key, out_key)
                   ? open_pipe(out, run, *out_key, path, err)
                   : ice_error_memory(err);
    }
    if (realpath(path, absolute) == NULL)
        return ice_error_set(err, ICE_ENOENT, NULL, ICE_NO_OFFSET, "no such file");
    struct ice_str whole = ice_str_from(absolute), directory;
    if (!ice_arena_dup(arena, ice_key_parent(whole), &directory) ||
        !ice_arena_dup(arena, ice_key_name(whole), out_key))
        return ice_error_memory(err);
    return ice_source_open_dir(out, directory.size > 0 ? directory.data : "/",
                               &run->alloc.base, err);
}

enum ice_status ice_source_open_stdin(struct ice_source **out, struct ice_run *run,
                                      struct ice_error *err) {
    struct spool *spool;
    *out = NULL;
    enum ice_status status = open_spool(&spool, run, ICE_STR(ICE_STDIN_KEY), err);
    if (status >= 0)
        status = fill(spool, STDIN_FILENO, "standard input", run->limits.file_bytes, err);
    return close_spool(spool, run, status, out, err);
}

/* Blanks in place of what is outside; lines stay. */
static void blank_out(char *data, size_t size, uint64_t offset, uint64_t from,
                      uint64_t to) {
    for (size_t i = 0; i < size; i++) {
        if ((offset + i < from || offset + i >= to) && data[i] != '\n')
            data[i] = ' ';
    }
}

static enum ice_status fill_from(struct spool *spool, struct ice_stream *stream,
                                 uint64_t from, uint64_t to, struct ice_error *err) {
    char chunk[64 * 1024];
    struct ice_str view;
    while (spool->size < to) {
        ICE_TRY(ice_stream_peek(stream, 1, &view, err));
        if (view.size == 0)
            break;
        view = ice_str_first(view, sizeof(chunk));
        memcpy(chunk, view.data, view.size);
        ice_stream_consume(stream, view.size);
        blank_out(chunk, view.size, spool->size, from, to);
        if (!ice_temp_file_write(spool->fd, chunk, view.size))
            return system_fault(err, "temporary file");
        spool->size += view.size;
    }
    return ICE_OK;
}

enum ice_status ice_source_open_spool(struct ice_source **out, struct ice_run *run,
                                      struct ice_stream *stream, struct ice_str key,
                                      uint64_t from, uint64_t to, struct ice_error *err) {
    struct spool *spool;
    *out = NULL;
    enum ice_status status = open_spool(&spool, run, key, err);
    if (status >= 0)
        status = fill_from(spool, stream, from, to, err);
    return close_spool(spool, run, status, out, err);
}

bool ice_path_is_directory(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}
