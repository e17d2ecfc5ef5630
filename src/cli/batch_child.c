/*
 * A table in a child process. The child hands over the verdict and the whole line through
 * a pipe; whatever else becomes of it is a line of its own.
 */
#include "cli/batch_child.h"

#include "cli/opinion.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A child whose turn has not come waits in its write beyond this. */
enum {
    AHEAD_BYTES = 1 << 20,
    MAX_LINE_BYTES = 1 << 30,
    READ_BYTES = 64 << 10,
    STEP_NS = 10000000
};

/* ---- in the child ---- */

_Noreturn static void run_child(struct cli *cli, struct cli_job *job, int fd) {
    struct cli_text line = {0}, found = {0};
    struct ice_baseline *baseline = NULL;
    struct cli_reply reply = {0};
    cli_signals_keep_all();
    (void)setpgid(0, 0); /* the terminal's signals are passed on, once */
    job->options.on_progress = NULL;
    cli_opinion_start(&job->options); /* no process can be started in the sandbox */
    cli_sandbox(cli);
    if (cli->found != NULL && ice_baseline_open(&baseline, NULL, NULL) < 0)
        cli_out_of_memory();
    cli_job_run(cli, job, baseline, &line, &reply.verdict);
    if (baseline != NULL && ice_baseline_write(baseline, cli_text_append, &found) < 0)
        cli_out_of_memory();
    reply.text_size = line.size;
    reply.found_size = found.size;
    bool is_whole = cli_write_all(fd, &reply, sizeof(reply)) &&
                    cli_write_all(fd, line.data, line.size) &&
                    cli_write_all(fd, found.data, found.size);
    (void)fflush(stderr);
    cli_end_at_once(is_whole ? 0 : CLI_FAILED);
}

/* ---- in the parent ---- */

bool cli_child_start(struct cli *cli, struct cli_job *job, struct cli_child *out) {
    int fds[2];
    *out = (struct cli_child){.fd = -1};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return false;
    (void)fflush(stderr);
    pid_t pid = fork();
    if (pid == 0) {
        (void)close(fds[0]);
        run_child(cli, job, fds[1]);
    }
    (void)close(fds[1]);
    if (pid < 0) {
        (void)close(fds[0]);
        return false;
    }
    (void)fcntl(fds[0], F_SETFL, O_NONBLOCK);
    out->pid = pid;
    out->fd = fds[0];
    out->deadline = cli_seconds() + (double)cli->timeout_ms / 1000;
    return true;
}

/* Reads what is there. */
static void read_some(struct cli_child *child) {
    char bytes[READ_BYTES];
    ssize_t n = read(child->fd, bytes, sizeof(bytes));
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0 || child->text.size > MAX_LINE_BYTES) {
        (void)close(child->fd);
        child->fd = -1;
        return;
    }
    (void)cli_text_append(bytes, (size_t)n, &child->text);
}

static void end(struct cli_child *child, int *out_status) {
    if (child->fd >= 0)
        (void)close(child->fd);
    child->fd = -1;
    while (waitpid(child->pid, out_status, 0) < 0 && errno == EINTR)
        continue;
    child->pid = 0;
}

void cli_child_wait(struct cli_child *children, size_t n, size_t first) {
    struct pollfd polled[CLI_MAX_CHILDREN];
    double now = cli_seconds(), wait = 1;
    for (size_t i = 0; i < n; i++) {
        struct cli_child *child = &children[i];
        bool is_ahead = i != first && child->text.size > AHEAD_BYTES;
        polled[i] = (struct pollfd){.fd = child->pid > 0 && !is_ahead ? child->fd : -1,
                                    .events = POLLIN};
        if (child->pid <= 0)
            continue;
        if (now >= child->deadline && !child->is_late) {
            child->is_late = true;
            (void)kill(child->pid, SIGKILL);
        }
        if (child->deadline - now < wait && !child->is_late)
            wait = child->deadline - now;
    }
    const int n_ready = poll(polled, n, (int)(wait * 1000) + 1);
    if (n_ready == 0 || (n_ready < 0 && errno == EINTR))
        return;
    if (n_ready < 0) { /* no memory: look at each of them now and then */
        const struct timespec step = {.tv_nsec = STEP_NS};
        (void)nanosleep(&step, NULL);
        for (size_t i = 0; i < n; i++)
            polled[i].revents = POLLIN;
    }
    for (size_t i = 0; i < n; i++) {
        if (polled[i].fd >= 0 && polled[i].revents != 0)
            read_some(&children[i]);
    }
}

/* Why there is no line; NULL: there is one. */
static const char *why_none(const struct cli *cli, const struct cli_child *child,
                            int status) {
    struct cli_reply reply;
    char text[96];
    if (child->is_late) {
        (void)snprintf(text, sizeof(text),
                       "it took longer than %lld ms and was given up: raise --timeout",
                       (long long)cli->timeout_ms);
        return cli_copy(text, strlen(text));
    }
    if (WIFSIGNALED(status)) {
        const char *name = strsignal(WTERMSIG(status));
        (void)snprintf(text, sizeof(text), "the check of it was ended by signal %d (%s)",
                       WTERMSIG(status), name != NULL ? name : "?");
        return cli_copy(text, strlen(text));
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
        return WEXITSTATUS(status) == CLI_FAILED ? "icefsck failed: out of memory"
                                                 : "icefsck failed";
    if (child->text.size < sizeof(reply))
        return "icefsck failed: nothing came back";
    memcpy(&reply, child->text.data, sizeof(reply));
    return reply.text_size + reply.found_size == child->text.size - sizeof(reply) &&
                   reply.verdict.line_size <= reply.text_size
               ? NULL
               : "icefsck failed: its report was cut";
}

bool cli_child_end(struct cli *cli, struct cli_child *child, const char **out_why,
                   struct cli_verdict *verdict) {
    int status = 0;
    struct cli_reply reply;
    end(child, &status);
    *out_why = why_none(cli, child, status);
    if (*out_why != NULL)
        return false;
    memcpy(&reply, child->text.data, sizeof(reply));
    *verdict = reply.verdict;
    if (reply.found_size > 0)
        cli_baseline_take(cli, child->text.data + sizeof(reply) + reply.text_size,
                          reply.found_size);
    memmove(child->text.data, child->text.data + sizeof(reply), reply.text_size);
    child->text.size = reply.text_size;
    return true;
}
