/*
 * Preloaded into the command: in the place of main stands a server, which for each plan
 * that it reads forks a child that runs main under it. So a run costs a fork, not the
 * start of a program, and every point of failure can be tried. Without FAULT_SERVER main
 * runs.
 *
 * FAULT_SERVER=IN,OUT   descriptors of two pipes: plans, a line each; what became of them
 * FAULT_STDIN, FAULT_STDOUT, FAULT_STDERR   files of each run
 */
#include "fault_plan.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SECONDS = 10 };

struct fault_shared *fault_shared;
bool fault_is_armed;

typedef int main_function(int, char **, char **);
static main_function *real_main;

static void redirect(const char *variable, int to, int flags) {
    const char *path = getenv(variable);
    int fd = path != NULL ? open(path, flags, 0600) : -1;
    if (fd >= 0 && fd != to) {
        (void)dup2(fd, to);
        (void)close(fd);
    }
}

/* stdin was opened by stdio before the server began; nothing was read from it. */
static int run_child(int argc, char **argv, char **envp) {
    redirect("FAULT_STDIN", STDIN_FILENO, O_RDONLY);
    redirect("FAULT_STDOUT", STDOUT_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
    redirect("FAULT_STDERR", STDERR_FILENO, O_WRONLY | O_CREAT | O_TRUNC);
    (void)alarm(MOST_SECONDS);
    (void)unsetenv("FAULT_SERVER"); /* a program that this one starts is no server */
    fault_is_armed = true;
    return real_main(argc, argv, envp);
}

static bool read_plan(FILE *in, struct fault_plan *plan) {
    return fscanf(in, "%d %ld %d %d %d %ld %d %ld %d %127s", &plan->call, &plan->nth,
                  &plan->is_sticky, &plan->error, &plan->signals, &plan->most,
                  &plan->is_restarted, &plan->at, &plan->event, plan->file) == 10;
}

static void tell(FILE *out, int status) {
    const struct fault_seen *seen = &fault_shared->seen;
    fprintf(out, "%d %ld %ld %d", status, seen->hits, seen->live, seen->by_exit);
    for (int i = 0; i < FAULT_N_CALLS; i++)
        fprintf(out, " %ld", seen->n[i]);
    fprintf(out, "\n");
    (void)fflush(out);
}

static int serve(FILE *in, FILE *out, int argc, char **argv, char **envp) {
    struct fault_plan plan;
    while (read_plan(in, &plan)) {
        fault_shared->plan = plan;
        memset(&fault_shared->seen, 0, sizeof(fault_shared->seen));
        pid_t child = fork();
        if (child == 0) {
            (void)close(fileno(
                in)); /* the streams stay as they are: the child has its own copy */
            (void)close(fileno(out));
            return run_child(argc, argv, envp);
        }
        int status = -1;
        if (child < 0 || waitpid(child, &status, 0) != child)
            return 1;
        tell(out, status);
    }
    _exit(0);
}

static int server_main(int argc, char **argv, char **envp) {
    const char *fds = getenv("FAULT_SERVER");
    int in, out;
    if (fds == NULL || sscanf(fds, "%d,%d", &in, &out) != 2)
        return real_main(argc, argv, envp);
    void *memory = mmap(NULL, sizeof(*fault_shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FILE *plans = fdopen(in, "r"), *replies = fdopen(out, "w");
    if (memory == MAP_FAILED || plans == NULL || replies == NULL)
        return 1;
    fault_shared = memory;
    return serve(plans, replies, argc, argv, envp);
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
