/*
 * Which call of a run fails, and what became of it: shared between the server of runs,
 * which reads plans from a pipe, and the wrappers of the calls.
 */
#ifndef ICE_TESTS_TORTURE_FAULT_PLAN_H
#define ICE_TESTS_TORTURE_FAULT_PLAN_H

#include <stdbool.h>
#include <stddef.h>

/* What is counted apart. SYSTEM: all but ALLOC, each call once. */
#define FAULT_CALLS(X)                                                                   \
    X(ALLOC, "alloc")                                                                    \
    X(OPEN, "open")                                                                      \
    X(READ, "read")                                                                      \
    X(STAT, "stat")                                                                      \
    X(LIST, "list")                                                                      \
    X(LINK, "link")                                                                      \
    X(WRITE, "write")                                                                    \
    X(SYNC, "sync")                                                                      \
    X(RENAME, "rename")                                                                  \
    X(CHMOD, "chmod")                                                                    \
    X(CLOSE, "close")                                                                    \
    X(THREAD, "thread")                                                                  \
    X(PIPE, "pipe")                                                                      \
    X(FORK, "fork")                                                                      \
    X(WAIT, "wait")                                                                      \
    X(RANDOM, "random")                                                                  \
    X(SYSTEM, "system")
#define FAULT_ID(id, name) FAULT_##id,
enum fault_call { FAULT_CALLS(FAULT_ID) FAULT_N_CALLS };
#undef FAULT_ID

/* What is done to a file between its stat and its nth read. */
enum fault_event { EVENT_NONE, EVENT_SHRINK, EVENT_GROW, EVENT_REPLACE, EVENT_DELETE };

struct fault_plan {
    int call;         /* enum fault_call; FAULT_N_CALLS: none */
    long nth;         /* from 1 */
    int is_sticky;    /* all behind it too */
    int error;        /* errno; 0: nothing fails, signals are sent */
    int signals;      /* SIGINT so often, before the nth call is made */
    long most;        /* bytes a read or write; 0: all that is asked for */
    int is_restarted; /* every call fails first by EINTR, then is made */
    long at;        /* reads of the file at or behind this offset fail by EIO; -1: none */
    int event;      /* enum fault_event, before the nth read of the file */
    char file[128]; /* how the name of the file ends; "-": none */
};

struct fault_seen {
    _Atomic long n[FAULT_N_CALLS];
    _Atomic long hits;   /* faults given */
    _Atomic long live;   /* blocks of memory taken and not given back */
    _Atomic int by_exit; /* the process ended without giving memory back: _exit */
};

struct fault_shared {
    struct fault_plan plan;
    struct fault_seen seen;
};
extern struct fault_shared *fault_shared; /* NULL: no server */
extern bool fault_is_armed; /* false: calls are neither counted nor disturbed */

#endif
