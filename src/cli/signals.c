/*
 * Signals: the first SIGINT or SIGTERM asks the run to stop with what it has, the second
 * ends the process at once. A closed pipe is seen as a failing write.
 */
#include "cli/cli.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t n_signals;
enum { MAX_FILES = 32 };
static const char *volatile to_remove[MAX_FILES];

void cli_end_at_once(int code) {
    for (int i = 0; i < MAX_FILES; i++) {
        if (to_remove[i] != NULL)
            (void)unlink(to_remove[i]);
    }
    _exit(code);
}

static void on_signal(int number) {
    (void)number;
    if (n_signals > 0)
        cli_end_at_once(CLI_INTERRUPTED);
    n_signals = 1;
}

void cli_signals_start(void) {
    struct sigaction action = {0};
    (void)sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_DFL; /* ignored, it would take what becomes of a child away */
    (void)sigaction(SIGCHLD, &action, NULL);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
}

bool cli_is_interrupted(void *unused) {
    (void)unused;
    return n_signals > 0;
}

/* Put path where old stands. */
static void replace(const char *old, const char *path) {
    for (int i = 0; i < MAX_FILES; i++) {
        if (to_remove[i] == old) {
            to_remove[i] = path;
            return;
        }
    }
}

void cli_signals_remove(const char *path) {
    replace(NULL, path);
}

void cli_signals_keep(const char *path) {
    replace(path, NULL);
}

void cli_signals_keep_all(void) {
    for (int i = 0; i < MAX_FILES; i++)
        to_remove[i] = NULL;
}
