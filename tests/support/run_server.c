/*
 * Preloaded into the command: in the place of main stands a server, which for each
 * request that it reads forks a child that runs main. A program with sanitizers is ready
 * to run after a tenth of a second of setting up; the children find it done, and are
 * looked at as any process is, leaks at their end too. tools/lib/run_server.py asks.
 *
 * ICEFSCK_RUN_SERVER=FD   a socket that keeps messages apart
 *
 * Request: texts, each with its zero byte: the folder to run in, how many arguments, the
 * arguments, the environment; with it the descriptors of stdin, stdout and stderr.
 * Reply: two messages of an int each, the child's process id and its wait status.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REQUEST_BYTES = 1 << 18, MOST_WORDS = 1 << 14, N_FDS = 3, CANNOT_RUN = 127 };

typedef int main_function(int, char **, char **);
static main_function *real_main;

static struct {
    char bytes[REQUEST_BYTES + 1];
    char *words[MOST_WORDS +
                2]; /* of the arguments and of the environment, NULL behind each */
    int fds[N_FDS];
} request;

/* Bytes of the next request; 0: there is none any more, or it is none. */
static size_t receive(int socket) {
    union {
        struct cmsghdr first; /* aligns it */
        char bytes[CMSG_SPACE(N_FDS * sizeof(int))];
    } control;
    struct iovec part = {.iov_base = request.bytes, .iov_len = REQUEST_BYTES};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    ssize_t got = recvmsg(socket, &message, 0);
    struct cmsghdr *fds = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (fds == NULL || fds->cmsg_type != SCM_RIGHTS ||
        fds->cmsg_len != CMSG_LEN(N_FDS * sizeof(int)) ||
        (message.msg_flags & MSG_TRUNC) != 0)
        return 0;
    memcpy(request.fds, CMSG_DATA(fds), sizeof(request.fds));
    return (size_t)got;
}

static int run_child(size_t n_bytes) {
    char *at = request.bytes, *end = at + n_bytes;
    *end = '\0';
    const char *folder = at;
    at += strlen(at) + 1;
    int argc = atoi(at);
    at += strlen(at) + 1;
    int n = 0;
    for (; at < end && n < MOST_WORDS; at += strlen(at) + 1) {
        if (n == argc)
            request.words[n++] = NULL;
        request.words[n++] = at;
    }
    request.words[n] = NULL;
    for (int i = 0; i < N_FDS; i++) { /* what was received is none of the three */
        (void)dup2(request.fds[i], i);
        (void)close(request.fds[i]);
    }
    if (argc < 1 || argc >= n || chdir(folder) != 0)
        _exit(CANNOT_RUN);
    environ = request.words + argc + 1;
    return real_main(argc, request.words, environ);
}

static int serve(int socket) {
    size_t n_bytes;
    while ((n_bytes = receive(socket)) > 0) {
        int child = fork();
        if (child == 0) {
            (void)close(socket);
            return run_child(n_bytes);
        }
        for (int i = 0; i < N_FDS; i++)
            (void)close(request.fds[i]);
        int status = -1;
        if (child < 0 || send(socket, &child, sizeof(child), MSG_NOSIGNAL) < 0 ||
            waitpid(child, &status, 0) != child ||
            send(socket, &status, sizeof(status), MSG_NOSIGNAL) < 0)
            break;
    }
    _exit(0);
}

static int server_main(int argc, char **argv, char **envp) {
    const char *fd = getenv("ICEFSCK_RUN_SERVER");
    return fd != NULL ? serve(atoi(fd)) : real_main(argc, argv, envp);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    int (*real)(main_function *, int, char **, void (*)(void), void (*)(void),
                void (*)(void), void *);
    *(void **)&real = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return real(server_main, argc, argv, init, fini, rtld_fini, stack_end);
}
