/*
 * What a child that checks one table may do. It reads files and writes its answer to a
 * pipe: no network, no other program, no other process, nothing renamed or linked. Files
 * may still be made and removed, since facts that do not fit memory go to a temporary
 * one. A kernel that knows no such filter leaves the limits.
 */
#include "cli/batch_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#if defined(__x86_64__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define AUDIT_ARCH_HERE AUDIT_ARCH_AARCH64
#endif

#if defined(__SANITIZE_ADDRESS__)
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
#include <stddef.h>
#include <sys/syscall.h>

static const unsigned refused[] = {
    SYS_socket,
    SYS_socketpair,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept4,
    SYS_sendto,
    SYS_sendmsg,
    SYS_execve,
    SYS_execveat,
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_kill,
    SYS_process_vm_writev,
    SYS_linkat,
    SYS_symlinkat,
    SYS_renameat2,
    SYS_mkdirat,
    SYS_fchmodat,
    SYS_fchownat,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_unshare,
    SYS_setns,
    SYS_init_module,
    SYS_finit_module,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_keyctl,
    SYS_userfaultfd,
    SYS_mknodat,
    SYS_truncate,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_io_uring_setup,
#ifdef SYS_renameat
    SYS_renameat,
#endif
#ifdef __x86_64__ /* what newer machines no longer have */
    SYS_accept,
    SYS_fork,
    SYS_vfork,
    SYS_link,
    SYS_symlink,
    SYS_rename,
    SYS_mkdir,
    SYS_rmdir,
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_mknod,
#endif
};
enum { N_REFUSED = sizeof(refused) / sizeof(refused[0]), HEAD = 4 };

/* Calls numbered for another machine are refused too: the list does not fit them. */
static void refuse_calls(void) {
    struct sock_filter code[HEAD + N_REFUSED + 2];
    const uint32_t no = SECCOMP_RET_ERRNO | EPERM;
    size_t n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             offsetof(struct seccomp_data, arch));
    code[n++] =
        (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_HERE, 1, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, no);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                             offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < N_REFUSED; i++)
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i],
                                                 (uint8_t)(N_REFUSED - i), 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, no);
    const struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
        (void)prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#else
static void refuse_calls(void) {
}
#endif

void cli_sandbox(const struct cli *cli) {
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    set_limits(cli);
    refuse_calls();
}
