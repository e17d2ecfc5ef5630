/*
 * Where reports go: standard output, or a file that is written beside its place, synced
 * and renamed, so that a reader sees the old report or the whole new one.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct cli_sink {
    int fd;
    int error;                    /* errno of the first failing write, 0: none */
    const char *path, *temporary; /* NULL: standard output */
    size_t used;
    char buffer[65536];
};

struct cli_sink *cli_sink_stdout(void) {
    struct cli_sink *sink = cli_alloc(1, sizeof(*sink));
    sink->fd = STDOUT_FILENO;
    return sink;
}

/* Behind what is there: it is not ours to replace. */
struct cli_sink *cli_sink_append(const char *path) {
    struct cli_sink *sink = cli_alloc(1, sizeof(*sink));
    sink->path = path;
    sink->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (sink->fd >= 0)
        return sink;
    cli_say("%s: cannot be written: %s", cli_quoted(path), strerror(errno));
    return NULL;
}

/* A device or pipe cannot be replaced; it is written in place. */
static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

struct cli_sink *cli_sink_file(const char *path) {
    struct cli_sink *sink = cli_alloc(1, sizeof(*sink));
    sink->path = path;
    if (is_special(path)) {
        do
            sink->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
        while (sink->fd < 0 && errno == EINTR && !cli_is_interrupted(NULL));
    } else {
        char *temporary;
        do { /* which a failure has filled in, too */
            temporary = cli_join(path, ".XXXXXX", "");
            sink->fd = mkostemp(temporary, O_CLOEXEC);
        } while (sink->fd < 0 && errno == EINTR);
        sink->temporary = sink->fd >= 0 ? temporary : NULL;
        if (sink->temporary != NULL)
            cli_signals_remove(sink->temporary);
    }
    if (sink->fd < 0) {
        cli_say("%s: cannot be written: %s", cli_quoted(path), strerror(errno));
        return NULL;
    }
    return sink;
}

void cli_sink_flush(struct cli_sink *sink) {
    size_t done = 0;
    while (done < sink->used && sink->error == 0) {
        ssize_t n = write(sink->fd, sink->buffer + done, sink->used - done);
        if (n > 0)
            done += (size_t)n;
        else if (n < 0 && errno != EINTR)
            sink->error = errno;
    }
    sink->used = 0;
}

enum ice_status cli_sink_write(const char *data, size_t size, void *user) {
    struct cli_sink *sink = user;
    while (size > 0 && sink->error == 0) {
        size_t room = sizeof(sink->buffer) - sink->used, n = size < room ? size : room;
        memcpy(sink->buffer + sink->used, data, n);
        sink->used += n;
        data += n;
        size -= n;
        if (sink->used == sizeof(sink->buffer))
            cli_sink_flush(sink);
    }
    return sink->error == 0 ? ICE_OK : ICE_EIO;
}

bool cli_sink_is_terminal(const struct cli_sink *sink) {
    return isatty(sink->fd) == 1;
}

bool cli_sink_failed(const struct cli_sink *sink) {
    return sink->error != 0;
}

/* The rights a new file would have had, or those of the file it takes the place of. */
static mode_t wanted_mode(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0)
        return info.st_mode & 07777;
    mode_t mask = umask(0);
    (void)umask(mask);
    return 0666 & ~mask;
}

static void put_in_place(struct cli_sink *sink) {
    int synced = fchmod(sink->fd, wanted_mode(sink->path));
    while (synced == 0 && (synced = fsync(sink->fd)) < 0 && errno == EINTR)
        synced = 0;
    if (synced < 0)
        sink->error = errno;
}

int cli_sink_close(struct cli_sink *sink, bool keep) {
    if (!keep && sink->path != NULL)
        sink->used = 0;
    cli_sink_flush(sink);
    keep = keep && sink->error == 0;
    if (keep && sink->temporary != NULL)
        put_in_place(sink);
    if (close(sink->fd) < 0 && errno != EINTR && sink->error == 0)
        sink->error = errno;
    if (sink->temporary != NULL) {
        if (keep && sink->error == 0 && rename(sink->temporary, sink->path) < 0)
            sink->error = errno;
        if (!keep || sink->error != 0)
            (void)unlink(sink->temporary);
        cli_signals_keep(sink->temporary);
    }
    if (sink->error == 0)
        return 0;
    if (sink->error == EPIPE && sink->path == NULL)
        return CLI_PIPE_CLOSED;
    cli_say("%s: cannot be written: %s",
            sink->path != NULL ? cli_quoted(sink->path) : "standard output",
            strerror(sink->error));
    return CLI_FAILED;
}
