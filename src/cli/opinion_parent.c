/*
 * The parent's end: one child at a time, started again for the next block when it died.
 * What it says is judged by the library; what becomes of it is a line of the report.
 */
#include "cli/opinion.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct cli_opinion {
    pid_t pid;            /* 0: no child */
    int to, from;         /* pipes */
    struct ice_str known; /* schema that the child has; data is ours */
    struct cli_opinion_answer answer;
    uint64_t *digests;
    size_t capacity;
    char none[CLI_OPINION_TEXT];
};

bool cli_opinion_is_built(void) {
#ifdef ICE_WITH_AVROC
    return true;
#else
    return false;
#endif
}

/* ---- the process ---- */

/* This program, by its path; by the system's name for it where the file has moved. */
static int spawn_self(const posix_spawn_file_actions_t *actions, pid_t *out_pid) {
    static char name[] = "icefsck", argument[] = CLI_OPINION_ARGUMENT;
    static const char self[] = "/proc/self/exe";
    char *const arguments[] = {name, argument, NULL};
    char path[4096];
    const ssize_t size = readlink(self, path, sizeof(path) - 1);
    path[size > 0 ? size : 0] = '\0';
    if (size > 0 && posix_spawn(out_pid, path, actions, NULL, arguments, environ) == 0)
        return 0;
    return posix_spawn(out_pid, self, actions, NULL, arguments, environ);
}

static bool spawn(int in, int out, pid_t *out_pid) {
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    const bool good =
        posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO) == 0 &&
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY,
                                         0) == 0 &&
        spawn_self(&actions, out_pid) == 0;
    (void)posix_spawn_file_actions_destroy(&actions);
    return good;
}

static void start(struct cli_opinion *o) {
    int down[2], up[2];
    o->pid = 0;
    cli_free((void *)(uintptr_t)o->known.data);
    o->known = (struct ice_str){NULL, 0};
    if (pipe2(down, O_CLOEXEC) != 0)
        return;
    if (pipe2(up, O_CLOEXEC) != 0) {
        (void)close(down[0]);
        (void)close(down[1]);
        return;
    }
    if (!spawn(down[0], up[1], &o->pid))
        o->pid = 0;
    (void)close(down[0]);
    (void)close(up[1]);
    o->to = down[1];
    o->from = up[0];
    if (o->pid > 0)
        return;
    (void)close(o->to);
    (void)close(o->from);
}

/* Ends the child; how it ended. */
static int end(struct cli_opinion *o) {
    int status = 0;
    (void)close(o->to);
    (void)close(o->from);
    while (waitpid(o->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    o->pid = 0;
    return status;
}

/* ---- talking ---- */

/* false: it ended, or took too long. */
static bool get(const struct cli_opinion *o, void *data, size_t size, bool *out_late) {
    char *at = data;
    const double deadline = cli_seconds() + CLI_OPINION_WAIT_SECONDS;
    while (size > 0) {
        struct pollfd polled = {.fd = o->from, .events = POLLIN};
        const double left = deadline - cli_seconds();
        *out_late = left <= 0;
        if (*out_late)
            return false;
        const int n_ready = poll(&polled, 1, (int)(left * 1000) + 1);
        if (n_ready < 0 && errno != EINTR)
            return false; /* no memory, and no use to ask again and again */
        if (n_ready > 0 && !cli_read_some(o->from, &at, &size))
            return false;
    }
    return true;
}

static bool ask(struct cli_opinion *o, const struct ice_block *block) {
    const bool is_known =
        o->known.size == block->schema.size && block->schema.size > 0 &&
        memcmp(o->known.data, block->schema.data, block->schema.size) == 0;
    const struct cli_opinion_question question = {.schema_bytes =
                                                      is_known ? 0 : block->schema.size,
                                                  .record_bytes = block->records.size,
                                                  .n_records = block->n_records};
    if (!cli_write_all(o->to, &question, sizeof(question)) ||
        !cli_write_all(o->to, block->schema.data, is_known ? 0 : block->schema.size) ||
        !cli_write_all(o->to, block->records.data, block->records.size))
        return false;
    if (is_known)
        return true;
    cli_free((void *)(uintptr_t)o->known.data);
    o->known = (struct ice_str){cli_copy(block->schema.data, block->schema.size),
                                block->schema.size};
    return true;
}

/* The child is a stranger too: it may claim no more than it was asked for. */
static bool hear(struct cli_opinion *o, const struct ice_block *block, bool *out_late) {
    if (!get(o, &o->answer, sizeof(o->answer), out_late) ||
        o->answer.n_records > block->n_records)
        return false;
    o->answer.text[CLI_OPINION_TEXT - 1] = '\0';
    if (o->answer.n_records > o->capacity) {
        cli_free(o->digests);
        o->capacity = (size_t)o->answer.n_records;
        o->digests = cli_alloc(o->capacity, sizeof(*o->digests));
    }
    return get(o, o->digests, (size_t)o->answer.n_records * sizeof(*o->digests),
               out_late);
}

/* ---- what became of it ---- */

static const char *say_end(struct cli_opinion *o, bool is_late) {
    if (is_late)
        (void)kill(o->pid, SIGKILL);
    const int status = end(o);
    if (is_late)
        (void)snprintf(o->none, sizeof(o->none), "Avro C did not answer within %d s",
                       CLI_OPINION_WAIT_SECONDS);
    else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
        (void)snprintf(o->none, sizeof(o->none),
                       "Avro C took more than %d s of CPU time for a block",
                       CLI_OPINION_SECONDS);
    else if (WIFSIGNALED(status))
        (void)snprintf(o->none, sizeof(o->none),
                       "Avro C died of signal %d (%s) in its own process",
                       WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        (void)snprintf(o->none, sizeof(o->none),
                       "Avro C ended in its own process, code %d",
                       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return o->none;
}

static enum ice_status on_block(const struct ice_block *block, struct ice_opinion *out,
                                void *user) {
    struct cli_opinion *o = user;
    bool is_late = false;
    if (o->pid == 0)
        start(o);
    if (o->pid == 0) {
        out->none = "the process for Avro C could not be started";
        return ICE_OK;
    }
    if (!ask(o, block) || !hear(o, block, &is_late)) {
        out->none = say_end(o, is_late);
        return ICE_OK;
    }
    out->digests = o->digests;
    out->n_records = o->answer.n_records;
    if (o->answer.has_none)
        out->none = o->answer.text;
    else if (o->answer.has_stopped)
        out->stopped = o->answer.text;
    return ICE_OK;
}

void cli_opinion_hang(struct ice_options *options) {
    options->on_block = on_block;
    options->block_user = cli_alloc(1, sizeof(struct cli_opinion));
}

void cli_opinion_start(struct ice_options *options) {
    if (options->on_block == on_block)
        start(options->block_user);
}
