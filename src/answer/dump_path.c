/*
 * ice_dump: a local file, a pipe or standard input as one JSON document. The bytes are
 * read forwards once, so that `icefsck dump <(aws s3 cp ... -)` works too.
 */
#include "base/error.h"
#include "base/str.h"
#include "iceberg/dump.h"
#include "source/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

struct descriptor {
    struct ice_alloc *alloc;
    int fd;
    bool owned;
};

static enum ice_status read_descriptor(void *user, void *buffer, size_t size,
                                       size_t *out_size, struct ice_error *err) {
    const struct descriptor *file = user;
    for (;;) {
        ssize_t n = read(file->fd, buffer, size);
        if (n >= 0) {
            *out_size = (size_t)n;
            return ICE_OK;
        }
        if (errno == EINTR)
            continue;
        const char *why =
            errno == EISDIR ? "it is a directory; name one file in it" : strerror(errno);
        return ice_error_set(err, ICE_EIO, "source.unreadable", ICE_NO_OFFSET,
                             "cannot read: %s", why);
    }
}

static void free_descriptor(void *user) {
    struct descriptor *file = user;
    if (file->owned)
        (void)close(file->fd);
    ice_free(file->alloc, file, sizeof(*file));
}

static enum ice_status open_descriptor(struct ice_stream *out, struct ice_run *run,
                                       const char *path, struct ice_error *err) {
    static const struct ice_stream_ops ops = {read_descriptor, free_descriptor};
    bool is_stdin = strcmp(path, "-") == 0;
    /* a pipe that nobody writes to is empty: it must not block */
    enum { FLAGS = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY };
    int fd = is_stdin ? STDIN_FILENO : ice_walk_openat(AT_FDCWD, path, FLAGS);
    if (fd < 0 || (!is_stdin && fcntl(fd, F_SETFL, 0) < 0)) {
        bool absent = errno == ENOENT || errno == ENOTDIR;
        return ice_error_set(err, absent ? ICE_ENOENT : ICE_EIO,
                             absent ? NULL : "source.unreadable", ICE_NO_OFFSET,
                             "cannot open: %s", strerror(errno));
    }
    struct descriptor *file = ice_malloc(&run->alloc, sizeof(*file));
    if (file == NULL) {
        if (!is_stdin)
            (void)close(fd);
        return ice_error_memory(err);
    }
    *file = (struct descriptor){&run->alloc, fd, !is_stdin};
    return ice_stream_init(out, run, &ops, file, err);
}

/* Take gzip or zstd off where the bytes say so. */
static enum ice_status inflate(struct ice_stream *stream, struct ice_error *err) {
    struct ice_str first;
    ICE_TRY(ice_stream_peek(stream, 4, &first, err));
    enum ice_magic magic = ice_magic_of(first);
    if (magic != ICE_MAGIC_GZIP && magic != ICE_MAGIC_ZSTD)
        return ICE_OK;
    struct ice_stream inner = *stream;
    *stream = (struct ice_stream){0};
    return magic == ICE_MAGIC_GZIP ? ice_stream_gzip(stream, &inner, err)
                                   : ice_stream_zstd(stream, &inner, err);
}

/* Troubles get the name of the file before they go to the caller. */
struct named {
    ice_write_fn write;
    ice_trouble_fn on_trouble;
    void *user;
    struct ice_str path;
};

static enum ice_status write_on(const char *data, size_t size, void *user) {
    const struct named *named = user;
    return named->write(data, size, named->user);
}

static void tell(const struct ice_error *trouble, void *user) {
    const struct named *named = user;
    struct ice_error copy = *trouble;
    ice_error_set_file(&copy, named->path);
    if (named->on_trouble != NULL)
        named->on_trouble(&copy, named->user);
}

enum ice_status ice_dump(const char *path, const struct ice_options *options,
                         ice_write_fn write, ice_trouble_fn on_trouble, void *user,
                         struct ice_error *err) {
    struct ice_run run;
    struct ice_stream stream = {0};
    struct named named = {write, on_trouble, user, ice_str_from(path)};
    ice_run_init(&run, options);
    enum ice_status status = open_descriptor(&stream, &run, path, err);
    if (status >= 0)
        status = inflate(&stream, err);
    if (status >= 0)
        status = ice_dump_stream(&stream, &run, write_on, tell, &named, err);
    ice_stream_release(&stream);
    if (status < 0 && err != NULL)
        ice_error_set_file(err, named.path);
    return status;
}
