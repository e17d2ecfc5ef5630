/*
 * Runs command lines in one process, again and again, and lets a request fail at every
 * place that was not tried before: a place is the chain of calls that leads to it, so
 * that the work grows with the code and not with the requests. No such run may crash or
 * keep memory. With memory it ends with 8, or gives the report of the run that nothing
 * disturbed; what must be said of files that fail is asked by faults.py.
 *
 *   failing_sites memory|files PLAN
 *
 * PLAN: a line a run, fields between tabs: the directory to run in, then the words behind
 * "icefsck". The command is linked in with its main as icefsck_main; the functions below
 * stand before those of the C library.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int icefsck_main(int argc, char **argv);
void cli_free_all(void);

enum {
    MAX_WORDS = 128,
    SEEN_SLOTS = 1 << 20,
    LINE_BYTES = 1 << 14,
    FRAMES = 24,
    WRONG_USE = 4,
    FAILED = 8,
    INTERRUPTED = 130,
    MOST_FDS = 256,
};

static struct {
    bool is_on, is_memory;
    bool has_failed;
    uintptr_t stack_end;
    uintptr_t frames[FRAMES]; /* of the request that failed */
    int n_frames;
    long in_use; /* requests not given back */
} fault;
static uint64_t seen[SEEN_SLOTS];
static size_t n_seen;
static unsigned long n_runs, n_whole;
static int failures;
static jmp_buf at_exit_now;
static volatile int exit_code;
static char now_running[LINE_BYTES];

/* ---- which chain of calls this is ---- */

extern const char __executable_start, etext;

/* What libraries keep where a frame pointer would be is no part of the chain. */
static bool is_ours(uintptr_t code) {
    return code >= (uintptr_t)&__executable_start && code < (uintptr_t)&etext;
}

static uint64_t site_of_caller(void) {
    uintptr_t const *frame = __builtin_frame_address(0);
    uint64_t hash = 1469598103934665603U;
    fault.n_frames = 0;
    for (int i = 0; i < FRAMES; i++) {
        const uintptr_t *next = (const uintptr_t *)frame[0];
        if (i == 0 || is_ours(frame[1]))
            hash = (hash ^ frame[1]) * 1099511628211U;
        fault.frames[fault.n_frames++] = frame[1];
        if ((uintptr_t)next <= (uintptr_t)frame || (uintptr_t)next >= fault.stack_end ||
            (uintptr_t)next % sizeof(uintptr_t) != 0)
            break;
        frame = next;
    }
    return hash | 1;
}

/* True for a place that is new; it counts as tried then. */
static bool is_new(uint64_t site) {
    size_t slot = (size_t)(site * 0x9e3779b97f4a7c15U >> 44);
    for (; seen[slot] != 0; slot = (slot + 1) % SEEN_SLOTS) {
        if (seen[slot] == site)
            return false;
    }
    if (n_seen > SEEN_SLOTS / 2)
        return false;
    seen[slot] = site;
    n_seen++;
    return true;
}

static bool is_main_thread(void) {
    return (pid_t)syscall(SYS_gettid) == getpid();
}

static bool fails(bool is_memory) {
    if (!fault.is_on || fault.has_failed || fault.is_memory != is_memory ||
        !is_main_thread())
        return false;
    fault.has_failed = is_new(site_of_caller());
    return fault.has_failed;
}

/* ---- what stands before the C library ---- */

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void __libc_free(void *pointer);

void *malloc(size_t size) {
    void *got = fails(true) ? NULL : __libc_malloc(size);
    fault.in_use += got != NULL;
    return got;
}

void *calloc(size_t n, size_t size) {
    void *got = fails(true) ? NULL : __libc_calloc(n, size);
    fault.in_use += got != NULL;
    return got;
}

void *realloc(void *pointer, size_t size) {
    if (size > 0 && fails(true))
        return NULL;
    void *got = __libc_realloc(pointer, size);
    fault.in_use +=
        (pointer == NULL && got != NULL) - (pointer != NULL && got == NULL && size == 0);
    return got;
}

void free(void *pointer) {
    fault.in_use -= pointer != NULL;
    __libc_free(pointer);
}

static bool io_fails(int error) {
    if (!fails(false))
        return false;
    errno = error;
    return true;
}

ssize_t read(int fd, void *buffer, size_t size) {
    return io_fails(EIO) ? -1 : (ssize_t)syscall(SYS_read, fd, buffer, size);
}

ssize_t pread(int fd, void *buffer, size_t size, off_t offset) {
    return io_fails(EIO) ? -1 : (ssize_t)syscall(SYS_pread64, fd, buffer, size, offset);
}

ssize_t write(int fd, const void *buffer, size_t size) {
    return fd > STDERR_FILENO && io_fails(ENOSPC)
               ? -1
               : (ssize_t)syscall(SYS_write, fd, buffer, size);
}

int openat(int directory, const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    int mode = (flags & O_CREAT) != 0 ? va_arg(args, int) : 0;
    va_end(args);
    return io_fails(EMFILE) ? -1 : (int)syscall(SYS_openat, directory, path, flags, mode);
}

int open(const char *path, int flags, ...) {
    va_list args;
    va_start(args, flags);
    int mode = (flags & O_CREAT) != 0 ? va_arg(args, int) : 0;
    va_end(args);
    return io_fails(EMFILE) ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fstat(int fd, struct stat *out) {
    return io_fails(EIO) ? -1 : (int)syscall(SYS_fstat, fd, out);
}

int fsync(int fd) {
    return io_fails(EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

void _exit(int code) {
    if (fault.is_on && is_main_thread()) {
        exit_code = code;
        longjmp(at_exit_now, 1);
    }
    syscall(SYS_exit_group, code);
    for (;;)
        continue;
}

/* ---- runs ---- */

static void crashed(int number) {
    (void)!write(STDERR_FILENO, "crash: ", 7);
    (void)!write(STDERR_FILENO, now_running, strlen(now_running));
    (void)!write(STDERR_FILENO, "\n", 1);
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

/* How much was read is left out: what has no memory at first may be read again. */
static size_t without_bytes_read(char *text, size_t size) {
    static const char human[] = "B read", json[] = "\"read\":{";
    const char *end = text + size;
    for (char *at = text;
         (at = memmem(at, (size_t)(end - at), human, sizeof(human) - 1)) != NULL; at++) {
        for (char *digit = at;
             digit > text && strchr("0123456789. kMG", digit[-1]) != NULL; digit--)
            digit[-1] = '\0';
    }
    for (char *at = text;
         (at = memmem(at, (size_t)(end - at), json, sizeof(json) - 1)) != NULL; at++) {
        for (char *digit = at; digit < end && *digit != '}'; digit++)
            *digit = *digit >= '0' && *digit <= '9' ? '\0' : *digit;
    }
    size_t kept = 0;
    for (const char *at = text; at < end; at++) {
        if (*at != '\0')
            text[kept++] = *at;
    }
    return kept;
}

struct outcome {
    int code;
    bool ended_at_once, has_failed;
    long kept; /* requests that were not given back */
    char *text;
    size_t size;
};

static int plan_fd, out_fd, real_out, real_err;

/* What ended at once closed nothing: a process would have done it for it. */
static void close_files(void) {
    for (int fd = STDERR_FILENO + 1; fd < MOST_FDS; fd++) {
        if (fd != plan_fd && fd != out_fd && fd != real_out && fd != real_err)
            (void)close(fd);
    }
}

static void run_once(char **words, int n_words, bool disturb, struct outcome *out) {
    char *argv[MAX_WORDS + 1];
    memcpy(argv, words, (size_t)n_words * sizeof(*argv));
    argv[n_words] = NULL;
    free(out->text);
    memset(out, 0, sizeof(*out));
    (void)!ftruncate(out_fd, 0);
    (void)lseek(out_fd, 0, SEEK_SET);
    (void)dup2(out_fd, STDOUT_FILENO);
    (void)dup2(out_fd, STDERR_FILENO);
    n_runs++;
    clearerr(stdout);
    fault.has_failed = false;
    volatile const long before = fault.in_use;
    fault.is_on = disturb;
    if (setjmp(at_exit_now) == 0)
        exit_code = icefsck_main(n_words, argv);
    else
        out->ended_at_once = true;
    fault.is_on = false;
    if (out->ended_at_once) {
        cli_free_all();
        close_files();
    }
    (void)fflush(stdout);
    out->code = exit_code;
    out->has_failed = fault.has_failed;
    out->kept = fault.in_use - before;
    (void)dup2(real_out, STDOUT_FILENO);
    (void)dup2(real_err, STDERR_FILENO);
    struct stat info;
    if (syscall(SYS_fstat, out_fd, &info) == 0 && info.st_size > 0) {
        out->text = malloc((size_t)info.st_size);
        out->size = out->text != NULL ? (size_t)info.st_size : 0;
        (void)!pread(out_fd, out->text, out->size, 0);
        out->size = without_bytes_read(out->text, out->size);
    }
}

/* Where the first difference of two reports is, for a reader. */
static void show(const char *whose, const struct outcome *outcome, size_t from) {
    enum { MOST = 160 };
    size_t size = outcome->size > from ? outcome->size - from : 0;
    fprintf(stderr, "    %s: exit %d: %.*s\n", whose, outcome->code,
            (int)(size < MOST ? size : MOST),
            outcome->text != NULL ? outcome->text + from : "");
}

static void complain(const char *what, const struct outcome *got,
                     const struct outcome *good) {
    size_t same = 0;
    failures++;
    while (same < got->size && same < good->size && got->text[same] == good->text[same])
        same++;
    fprintf(stderr, "%s: %s\n", what, now_running);
    show("undisturbed", good, same);
    show("disturbed", got, same);
    fprintf(stderr, "    addr2line");
    for (int i = 0; i < fault.n_frames; i++)
        fprintf(stderr, " %lx",
                (unsigned long)(fault.frames[i] - 1 - (uintptr_t)&__executable_start));
    fprintf(stderr, "\n");
}

static bool is_told(const struct outcome *got, const struct outcome *good) {
    if (!fault.is_memory || (got->code < INTERRUPTED && (got->code & FAILED) != 0))
        return true; /* it may be said that findings were there, too */
    return got->code == good->code && got->size == good->size &&
           memcmp(got->text, good->text, got->size) == 0;
}

static void try_all(char **words, int n_words) {
    struct outcome good = {0}, got = {0};
    run_once(words, n_words, false, &good);
    run_once(words, n_words, false, &good); /* what is kept once is kept by now */
    if (good.kept != 0)
        complain("memory is kept", &good, &good);
    if (good.code == WRONG_USE)
        complain("no such command line", &good, &good);
    for (;;) {
        run_once(words, n_words, true, &got);
        if (!got.has_failed)
            break;
        if (!is_told(&got, &good))
            complain("a request failed and nothing says so", &got, &good);
        if (got.kept != 0 && !got.ended_at_once)
            complain("memory is kept", &got, &good);
    }
    n_whole++;
    free(good.text);
    free(got.text);
}

static int split(char *line, char **words) {
    int n = 0;
    for (char *at = line; at != NULL && n < MAX_WORDS;) {
        words[n++] = at;
        at = strchr(at, '\t');
        if (at != NULL)
            *at++ = '\0';
    }
    return n;
}

int main(int argc, char **argv) {
    static char line[LINE_BYTES];
    char *words[MAX_WORDS];
    FILE *plan = argc == 3 ? fopen(argv[2], "re") : NULL;
    struct rlimit stack;
    if (plan == NULL || getrlimit(RLIMIT_STACK, &stack) != 0) {
        fprintf(stderr, "usage: failing_sites memory|files PLAN\n");
        return 4;
    }
    fault.stack_end = (uintptr_t)__builtin_frame_address(0);
    fault.is_memory = strcmp(argv[1], "memory") == 0;
    plan_fd = fileno(plan);
    out_fd = memfd_create("report", MFD_CLOEXEC);
    real_out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 20);
    real_err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 20);
    (void)signal(SIGSEGV, crashed);
    (void)signal(SIGABRT, crashed);
    (void)signal(SIGBUS, crashed);
    while (fgets(line, sizeof(line), plan) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        memcpy(now_running, line, sizeof(line));
        int n = split(line, words);
        if (n < 2 || chdir(words[0]) != 0) {
            complain("no such directory", &(struct outcome){0}, &(struct outcome){0});
            continue;
        }
        words[0] = argv[0];
        try_all(words, n);
    }
    fclose(plan);
    printf("%lu command lines, %zu places that fail, %lu runs, %d complaints\n", n_whole,
           n_seen, n_runs, failures);
    return failures > 0 || n_whole == 0;
}
