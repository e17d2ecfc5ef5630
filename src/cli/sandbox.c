/*
 * What a child that checks one table may do. It reads files and writes its answer to a
 * pipe: no network, no other program, no other process, no file made, changed or removed
 * but the temporary one, which has no name, for facts that do not fit memory. A kernel
 * that knows no such filter leaves the limits.
 */
#include "cli/batch_child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__x86_64__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_AARCH64
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||               \
    __has_feature(thread_sanitizer)
#define IS_SANITIZED 1
#endif
#endif
#ifndef IS_SANITIZED
#define IS_SANITIZED 0
#endif

enum { SLACK_BYTES = 1 << 29, DEFAULT_MEMORY = 1 << 30 };

static void limit(int what, uint64_t value) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)what, &now) != 0 ||
        (now.rlim_max != RLIM_INFINITY && now.rlim_max < value))
        return;
    now.rlim_cur = now.rlim_max = (rlim_t)value;
    (void)setrlimit((__rlimit_resource_t)what, &now);
}

static void set_limits(const struct cli *cli) {
    uint64_t memory = cli->options.limits.memory;
    if (memory == 0)
        memory = DEFAULT_MEMORY;
    limit(RLIMIT_CORE, 0);
    /* a sanitizer maps terabytes; the library keeps to its own limit, this is for all
     * else */
    if (!IS_SANITIZED && memory < UINT64_MAX - SLACK_BYTES)
        limit(RLIMIT_AS, memory + SLACK_BYTES);
}

#ifdef AUDIT_ARCH_HERE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

static const unsigned refused[] = {
#define CALL(name) SYS_##name,
#include "cli/sandbox_calls.def"
#undef CALL
};
enum { N_REFUSED = sizeof(refused) / sizeof(refused[0]), OTHERS = 64 };

struct filter {
    struct sock_filter code[2 * N_REFUSED + OTHERS];
    unsigned short n;
};

static void add(struct filter *filter, unsigned code, unsigned k, unsigned if_true,
                unsigned if_false) {
    filter->code[filter->n++] = (struct sock_filter){
        .code = (uint16_t)code, .jt = (uint8_t)if_true, .jf = (uint8_t)if_false, .k = k};
}

static void load(struct filter *filter, size_t offset) {
    add(filter, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void load_call(struct filter *filter) {
    load(filter, offsetof(struct seccomp_data, nr));
}

/* Its lower half: both machines are little-endian. */
static void load_argument(struct filter *filter, size_t index) {
    load(filter, offsetof(struct seccomp_data, args) + index * sizeof(uint64_t));
}

static void refuse(struct filter *filter, int code) {
    add(filter, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)code, 0, 0);
}

enum { IF_EQUAL = BPF_JMP | BPF_JEQ | BPF_K, IF_ANY = BPF_JMP | BPF_JSET | BPF_K };

static void refuse_call(struct filter *filter, unsigned call, int code) {
    add(filter, IF_EQUAL, call, 0, 1);
    refuse(filter, code);
}

/* Refuse the call unless its argument passes `test` of `value`. */
static void refuse_unless(struct filter *filter, unsigned call, size_t index,
                          unsigned test, unsigned value) {
    add(filter, IF_EQUAL, call, 0, 4);
    load_argument(filter, index);
    add(filter, test, value, 1, 0);
    refuse(filter, EPERM);
    load_call(filter);
}

static void refuse_if(struct filter *filter, unsigned call, size_t index,
                      unsigned value) {
    add(filter, IF_EQUAL, call, 0, 4);
    load_argument(filter, index);
    add(filter, IF_EQUAL, value, 0, 1);
    refuse(filter, EPERM);
    load_call(filter);
}

/* Opening is for reading, or of the temporary file. */
static void refuse_writing(struct filter *filter, unsigned call, size_t index,
                           bool has_nameless) {
    enum { WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND };
    add(filter, IF_EQUAL, call, 0, 6);
    load_argument(filter, index);
    if (has_nameless) {
        add(filter, IF_ANY, O_TMPFILE & ~(unsigned)O_DIRECTORY, 3, 0);
        add(filter, BPF_ALU | BPF_OR | BPF_K, 0, 0, 0); /* as long as the other way */
    } else {
        add(filter, IF_ANY, O_CREAT, 0, 1);
        add(filter, IF_ANY, O_EXCL, 2, 0);
    }
    add(filter, IF_ANY, WRITES, 0, 1);
    refuse(filter, EPERM);
    load_call(filter);
}

/* Does the place of temporary files have such without a name? */
static bool has_nameless_files(void) {
    const char *dir = getenv("TMPDIR");
    int fd = open(dir != NULL && dir[0] != '\0' ? dir : "/tmp",
                  O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0)
        (void)close(fd);
    return fd >= 0;
}

static void refuse_by_arguments(struct filter *filter, bool has_nameless) {
    const unsigned self = (unsigned)getpid();
    refuse_writing(filter, SYS_openat, 2, has_nameless);
#ifdef SYS_open
    refuse_writing(filter, SYS_open, 1, has_nameless);
    if (has_nameless)
        refuse_call(filter, SYS_unlink, EPERM);
#endif
    if (has_nameless)
        refuse_call(filter, SYS_unlinkat, EPERM);
    refuse_unless(filter, SYS_clone, 0, IF_ANY, CLONE_THREAD);
    refuse_unless(filter, SYS_tgkill, 0, IF_EQUAL, self);
    refuse_unless(filter, SYS_prlimit64, 0, IF_EQUAL, 0);
    refuse_if(filter, SYS_ioctl, 1, TIOCSTI); /* as if typed at the terminal */
    /* their arguments are out of a filter's sight; the C library goes back to the others
     */
    refuse_call(filter, SYS_clone3, ENOSYS);
    refuse_call(filter, SYS_openat2, ENOSYS);
}

/* Calls numbered for another machine are refused too: the list does not fit them. */
static void refuse_calls(void) {
    struct filter filter = {.n = 0};
    load(&filter, offsetof(struct seccomp_data, arch));
    add(&filter, IF_EQUAL, AUDIT_ARCH_HERE, 1, 0);
    refuse(&filter, EPERM);
    load_call(&filter);
#ifdef __x86_64__ /* x32: the same machine, other numbers */
    add(&filter, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    refuse(&filter, EPERM);
#endif
    for (size_t i = 0; i < N_REFUSED; i++)
        refuse_call(&filter, refused[i], EPERM);
    refuse_by_arguments(&filter, has_nameless_files());
    add(&filter, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    const struct sock_fprog program = {.len = filter.n, .filter = filter.code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static void refuse_calls(void) {
}
#endif

/* Its answer goes through the pipe; what is on standard output is the parent's. */
static void leave_standard_output(void) {
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)dup2(fd, STDOUT_FILENO);
    (void)close(fd);
}

void cli_sandbox(const struct cli *cli) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    leave_standard_output();
    set_limits(cli);
    refuse_calls();
}
