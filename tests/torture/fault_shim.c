/*
 * The wrappers: each call of the C library that reaches the system, and the allocator,
 * may fail by the plan of fault_plan.h. Streams of stdio go around such wrappers inside
 * the C library, so fopen gives streams that read by them.
 */
#include "fault_plan.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* REAL(read)(...): the next definition of the name. */
#define REAL(name)                                                                       \
    ({                                                                                   \
        static __typeof__(&name) real_##name;                                            \
        if (real_##name == NULL) {                                                       \
            void *found_##name = dlsym(RTLD_NEXT, #name);                                \
            memcpy(&real_##name, &found_##name, sizeof(found_##name));                   \
        }                                                                                \
        real_##name;                                                                     \
    })

static bool is_on(void) {
    return fault_is_armed;
}

static bool is_hit(enum fault_call call) {
    const struct fault_plan *plan = &fault_shared->plan;
    long n = ++fault_shared->seen.n[call];
    if (plan->call != (int)call || plan->event != EVENT_NONE ||
        (n != plan->nth && !(plan->is_sticky && n > plan->nth)))
        return false;
    fault_shared->seen.hits++;
    if (getenv("FAULT_TRACE") != NULL) { /* for addr2line: who was hit */
        void *frames[32];
        backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
    }
    for (int i = 0; i < plan->signals; i++)
        (void)raise(SIGINT);
    return plan->error != 0;
}

/* Inside stdio a call that was interrupted is an error, as in the C library: signals are
 * not sent there. */
static _Thread_local bool is_in_stdio;

/* errno tells how. may_restart: the system may say EINTR. */
static bool fails(enum fault_call call, bool may_restart) {
    static _Thread_local bool is_second[FAULT_N_CALLS];
    if (!is_on())
        return false;
    const struct fault_plan *plan = &fault_shared->plan;
    bool is_failing = is_hit(call);
    if (call != FAULT_ALLOC)
        is_failing |= is_hit(FAULT_SYSTEM);
    if (is_failing) {
        errno = plan->error;
        return true;
    }
    if (plan->is_restarted && may_restart && !is_in_stdio) {
        is_second[call] = !is_second[call];
        errno = EINTR;
        return is_second[call];
    }
    return false;
}

/* ---- memory ---- */

#ifndef FAULT_KEEP_MALLOC
void *malloc(size_t size);
void *realloc(void *pointer, size_t size);
void *calloc(size_t n, size_t size);
void free(void *pointer);
extern void *__libc_malloc(size_t size); /* dlsym itself allocates */
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void __libc_free(void *pointer);

static void *taken(void *pointer) {
    if (is_on() && pointer != NULL)
        fault_shared->seen.live++;
    return pointer;
}

void *malloc(size_t size) {
    return fails(FAULT_ALLOC, false) ? NULL : taken(__libc_malloc(size));
}

void *calloc(size_t n, size_t size) {
    return fails(FAULT_ALLOC, false) ? NULL : taken(__libc_calloc(n, size));
}

void *realloc(void *pointer, size_t size) {
    if (pointer == NULL)
        return malloc(size);
    return size > 0 && fails(FAULT_ALLOC, false) ? NULL : __libc_realloc(pointer, size);
}

void free(void *pointer) {
    if (is_on() && pointer != NULL)
        fault_shared->seen.live--;
    __libc_free(pointer);
}
#endif

/* ---- the file that a plan is about ---- */

enum { MOST_FDS = 1024 };
static bool is_watched[MOST_FDS];
static _Atomic long watched_reads;

static void watch(int fd, const char *path) {
    if (fd < 0 || fd >= MOST_FDS || !is_on())
        return;
    const char *end = fault_shared->plan.file;
    size_t size = strlen(end), path_size = strlen(path);
    is_watched[fd] = path_size >= size && strcmp(path + path_size - size, end) == 0;
}

static bool is_the_file(int fd) {
    return fd >= 0 && fd < MOST_FDS && is_watched[fd] && is_on();
}

static void change(int fd, enum fault_event event) {
    char link[64], path[PATH_MAX], beside[PATH_MAX + 8], bytes[1 << 16];
    struct stat info;
    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof(path) - 1);
    if (size < 0 || REAL(fstat)(fd, &info) != 0)
        abort();
    path[size] = '\0';
    if (event == EVENT_DELETE) {
        if (REAL(unlink)(path) != 0)
            abort();
        return;
    }
    if (event == EVENT_SHRINK) {
        if (truncate(path, info.st_size / 2) != 0)
            abort();
        return;
    }
    /* grow, or another file of the same bytes and 64 more */
    ssize_t n = REAL(pread)(fd, bytes, sizeof(bytes), 0);
    (void)snprintf(beside, sizeof(beside), "%s.new", path);
    int to =
        REAL(open)(event == EVENT_GROW ? path : beside,
                   O_WRONLY | O_CREAT | (event == EVENT_GROW ? O_APPEND : O_TRUNC), 0600);
    if (to < 0 || n < 64 ||
        REAL(write)(to, bytes, event == EVENT_GROW ? 64 : (size_t)n) < 64 ||
        (event == EVENT_REPLACE && REAL(write)(to, bytes, 64) < 64))
        abort();
    (void)REAL(close)(to);
    if (event == EVENT_REPLACE && REAL(rename)(beside, path) != 0)
        abort();
}

/* Bytes that may be read at offset; -1: EIO. */
static ssize_t allowed(int fd, size_t size, off_t offset) {
    if (!is_on())
        return (ssize_t)size;
    const struct fault_plan *plan = &fault_shared->plan;
    if (is_the_file(fd)) {
        long n = ++watched_reads;
        if (plan->event != EVENT_NONE &&
            (n == plan->nth || (plan->is_sticky && n > plan->nth))) {
            fault_shared->seen.hits++;
            change(fd, (enum fault_event)plan->event);
        }
        if (plan->at >= 0 && offset >= plan->at) {
            fault_shared->seen.hits++;
            errno = EIO;
            return -1;
        }
        if (plan->at >= 0 && (off_t)size > plan->at - offset)
            size = (size_t)(plan->at - offset);
    }
    return plan->most > 0 && size > (size_t)plan->most ? plan->most : (ssize_t)size;
}

/* ---- opening ---- */

static mode_t mode_of(int flags, va_list rest) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

#define WRAP_OPEN(name)                                                                  \
    int name(const char *path, int flags, ...) {                                         \
        va_list rest;                                                                    \
        va_start(rest, flags);                                                           \
        mode_t mode = mode_of(flags, rest);                                              \
        va_end(rest);                                                                    \
        int fd = fails(FAULT_OPEN, true) ? -1 : REAL(name)(path, flags, mode);           \
        watch(fd, path);                                                                 \
        return fd;                                                                       \
    }
WRAP_OPEN(open)
WRAP_OPEN(open64)

#define WRAP_OPENAT(name)                                                                \
    int name(int directory, const char *path, int flags, ...) {                          \
        va_list rest;                                                                    \
        va_start(rest, flags);                                                           \
        mode_t mode = mode_of(flags, rest);                                              \
        va_end(rest);                                                                    \
        int fd =                                                                         \
            fails(FAULT_OPEN, true) ? -1 : REAL(name)(directory, path, flags, mode);     \
        watch(fd, path);                                                                 \
        return fd;                                                                       \
    }
WRAP_OPENAT(openat)
WRAP_OPENAT(openat64)

/* A function that fails as a whole, and gives `bad` then. */
#define WRAP(type, name, call, may_restart, bad, parameters, arguments)                  \
    type name parameters;                                                                \
    type name parameters {                                                               \
        return fails(FAULT_##call, may_restart) ? (bad) : REAL(name) arguments;          \
    }

WRAP(int, mkstemp, OPEN, true, -1, (char *name), (name))
WRAP(int, mkostemp, OPEN, true, -1, (char *name, int flags), (name, flags))
WRAP(DIR *, opendir, OPEN, true, NULL, (const char *path), (path))
WRAP(DIR *, fdopendir, LIST, false, NULL, (int fd), (fd))

/* At an error the stream stays as it is, and the next call goes on. */
struct dirent *readdir(DIR *stream) {
    return fails(FAULT_LIST, false) ? NULL : REAL(readdir)(stream);
}

/* ---- reading ---- */

#define WRAP_PREAD(name)                                                                 \
    ssize_t name(int fd, void *buffer, size_t size, off_t offset) {                      \
        ssize_t n = fails(FAULT_READ, true) ? -1 : allowed(fd, size, offset);            \
        return n < 0 ? -1 : REAL(name)(fd, buffer, (size_t)n, offset);                   \
    }
WRAP_PREAD(pread)
WRAP_PREAD(pread64)

ssize_t read(int fd, void *buffer, size_t size) {
    ssize_t n = fails(FAULT_READ, true) ? -1 : (ssize_t)size;
    if (n > 0 && is_on()) {
        off_t at = lseek(fd, 0, SEEK_CUR);
        n = allowed(fd, size, at >= 0 ? at : 0);
    }
    return n < 0 ? -1 : REAL(read)(fd, buffer, (size_t)n);
}

/* What _FORTIFY_SOURCE makes of them. */
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room);
ssize_t __read_chk(int fd, void *buffer, size_t size, size_t room) {
    if (size > room)
        abort();
    return read(fd, buffer, size);
}

ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room);
ssize_t __pread_chk(int fd, void *buffer, size_t size, off_t offset, size_t room) {
    if (size > room)
        abort();
    return pread(fd, buffer, size, offset);
}

static ssize_t cookie_read(void *cookie, char *buffer, size_t size) {
    is_in_stdio = true;
    ssize_t n = read((int)(long)cookie, buffer, size);
    is_in_stdio = false;
    return n;
}

static int cookie_close(void *cookie) {
    return close((int)(long)cookie);
}

static FILE *stream_of(int fd) {
    const cookie_io_functions_t calls = {.read = cookie_read, .close = cookie_close};
    return fopencookie((void *)(long)fd, "r", calls);
}

FILE *fopen(const char *path, const char *mode) {
    if (!is_on() || mode[0] != 'r')
        return REAL(fopen)(path, mode);
    is_in_stdio = true;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    is_in_stdio = false;
    return fd < 0 ? NULL : stream_of(fd);
}

size_t fread(void *buffer, size_t size, size_t n, FILE *stream) {
    static FILE *own_stdin;
    if (stream == stdin && is_on()) {
        if (own_stdin == NULL)
            own_stdin = stream_of(STDIN_FILENO);
        size_t got = own_stdin != NULL ? REAL(fread)(buffer, size, n, own_stdin) : 0;
        if (own_stdin == NULL || ferror(own_stdin))
            stdin->_flags |= 0x20; /* what ferror of glibc looks at */
        return got;
    }
    return REAL(fread)(buffer, size, n, stream);
}

/* ---- what is known of a file ---- */

WRAP(int, fstat, STAT, false, -1, (int fd, struct stat *out), (fd, out))
WRAP(int, stat, STAT, false, -1, (const char *path, struct stat *out), (path, out))
WRAP(int, lstat, STAT, false, -1, (const char *path, struct stat *out), (path, out))
WRAP(int, fstatat, STAT, false, -1,
     (int at, const char *path, struct stat *out, int flags), (at, path, out, flags))
WRAP(ssize_t, readlinkat, LINK, false, -1,
     (int at, const char *path, char *buffer, size_t size), (at, path, buffer, size))
WRAP(char *, realpath, LINK, false, NULL, (const char *path, char *out), (path, out))

/* ---- writing ---- */

ssize_t write(int fd, const void *data, size_t size) {
    if (fails(FAULT_WRITE, true))
        return -1;
    const long most = is_on() ? fault_shared->plan.most : 0;
    return REAL(write)(fd, data, most > 0 && size > (size_t)most ? (size_t)most : size);
}

WRAP(int, fsync, SYNC, true, -1, (int fd), (fd))
WRAP(int, fchmod, CHMOD, false, -1, (int fd, mode_t mode), (fd, mode))
WRAP(int, rename, RENAME, false, -1, (const char *from, const char *to), (from, to))
WRAP(int, renameat, RENAME, false, -1, (int a, const char *from, int b, const char *to),
     (a, from, b, to))
WRAP(int, linkat, RENAME, false, -1,
     (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))

/* It is closed, whatever it says. */
int close(int fd) {
    int closed = REAL(close)(fd);
    if (fd >= 0 && fd < MOST_FDS)
        is_watched[fd] = false;
    return fails(FAULT_CLOSE, true) ? -1 : closed;
}

/* ---- processes and threads ---- */

int pthread_create(pthread_t *out, const pthread_attr_t *how, void *(*run)(void *),
                   void *user) {
    return fails(FAULT_THREAD, false) ? EAGAIN
                                      : REAL(pthread_create)(out, how, run, user);
}

WRAP(int, pipe2, PIPE, false, -1, (int fds[2], int flags), (fds, flags))
WRAP(pid_t, fork, FORK, false, -1, (void), ())
WRAP(int, posix_spawn, FORK, false, EAGAIN,
     (pid_t * out, const char *path, const posix_spawn_file_actions_t *actions,
      const posix_spawnattr_t *how, char *const words[], char *const environment[]),
     (out, path, actions, how, words, environment))
WRAP(pid_t, waitpid, WAIT, true, -1, (pid_t child, int *status, int flags),
     (child, status, flags))
WRAP(int, poll, WAIT, true, -1, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms))
WRAP(ssize_t, getrandom, RANDOM, true, -1, (void *buffer, size_t size, unsigned flags),
     (buffer, size, flags))

void _exit(int code) {
    if (is_on())
        fault_shared->seen.by_exit = 1;
    REAL(_exit)(code);
    for (;;)
        ;
}
