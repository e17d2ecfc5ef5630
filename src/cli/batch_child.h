/*
 * icefsck batch --isolate: tables in children.
 */
#ifndef ICE_CLI_BATCH_CHILD_H
#define ICE_CLI_BATCH_CHILD_H

#include "cli/batch.h"

#include <sys/types.h>

enum { CLI_MAX_CHILDREN = 64 };

/* What a child hands over, in front of its text. */
struct cli_reply {
    struct cli_verdict verdict;
    size_t text_size, found_size; /* behind the text: findings for --write-baseline */
};

struct cli_child {
    pid_t pid; /* 0: none, or it was waited for */
    int fd;    /* -1: it has said all */
    double deadline;
    bool is_late;
    struct cli_text text; /* what it has said so far; behind _end its text */
};

/* Check the job in a child. false: no process or pipe is to be had; errno. */
bool cli_child_start(struct cli *cli, struct cli_job *job, struct cli_child *out);
/*
 * Wait until a child says something or is late. Children but `first` are read ahead of
 * their turn only so far. A child with fd -1 has ended, or is about to.
 */
void cli_child_wait(struct cli_child *children, size_t n, size_t first);
/* The child has fd -1. false: there is no line, and *out_why says why. */
bool cli_child_end(struct cli *cli, struct cli_child *child, const char **out_why,
                   struct cli_verdict *verdict);

/* sandbox.c: limits of this process, a child, and what it may still ask of the system. */
void cli_sandbox(const struct cli *cli);

#endif
