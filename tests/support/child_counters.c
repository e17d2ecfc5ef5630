/*
 * For tools/coverage alone: the counters of the command's children, which leave by _exit
 * or may open no file to write. The linker puts these before the functions that they name
 * (--wrap); src/ knows nothing of it.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

/* How gcov opens a file of counters: no caller of ours opens one so. */
enum { COUNTER_FLAGS = O_RDWR | O_CREAT, MOST_CODE = 512 };

extern void __gcov_dump(void);
_Noreturn void __real__exit(int code);
int __real_setrlimit(__rlimit_resource_t what, const struct rlimit *limit);
int __real_prctl(int what, ...);
_Noreturn void __wrap__exit(int code);
int __wrap_setrlimit(__rlimit_resource_t what, const struct rlimit *limit);
int __wrap_prctl(int what, ...);

void __wrap__exit(int code) {
    __gcov_dump();
    __real__exit(code);
}

static void lift(__rlimit_resource_t what) {
    struct rlimit limit;
    if (getrlimit(what, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        (void)__real_setrlimit(what, &limit);
    }
}

static void lift_all(void) {
    lift(RLIMIT_NOFILE);
    lift(RLIMIT_FSIZE);
}

/* The decoder's child may open and write no file until it ends. */
int __wrap_setrlimit(__rlimit_resource_t what, const struct rlimit *limit) {
    struct rlimit here = *limit;
    if (limit->rlim_cur == 0 && (what == RLIMIT_NOFILE || what == RLIMIT_FSIZE)) {
        if (getrlimit(what, &here) != 0 || atexit(lift_all) != 0)
            return -1;
        here.rlim_cur = 0;
    }
    return __real_setrlimit(what, &here);
}

/* The filter as it was given, behind one that lets files of counters be opened. */
static int restrict_calls(const struct sock_fprog *given) {
    const struct sock_filter before[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, COUNTER_FLAGS, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const size_t n_before = sizeof(before) / sizeof(before[0]);
    struct sock_filter code[MOST_CODE];
    if (given->len > MOST_CODE - n_before)
        __builtin_trap();
    memcpy(code, before, sizeof(before));
    memcpy(code + n_before, given->filter, given->len * sizeof(*code));
    const struct sock_fprog all = {.len = (unsigned short)(given->len + n_before),
                                   .filter = code};
    return __real_prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (unsigned long)&all, 0, 0);
}

int __wrap_prctl(int what, ...) {
    unsigned long words[4];
    va_list args;
    va_start(args, what);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        words[i] = va_arg(args, unsigned long);
    va_end(args);
    if (what == PR_SET_SECCOMP)
        return restrict_calls((const struct sock_fprog *)words[1]);
    return __real_prctl(what, words[0], words[1], words[2], words[3]);
}
