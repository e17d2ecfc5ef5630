/*
 * What a person watching sees on stderr: notes of -v and one line of progress.
 */
#include "cli/cli.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct watch {
    int verbose;
    bool shows_progress, line_is_shown;
    double started, last_shown;
    size_t table, n_tables;           /* the table at hand, from 1 */
    uint64_t bytes_before, bytes_now; /* of finished tables, of this one */
    double manifests_began;           /* when their bytes were known; 0: they are not */
};

double cli_seconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* One watch a process: the terminal is one, too. */
static struct watch *the_watch(void) {
    static struct watch watch;
    return &watch;
}

static void clear_line(struct watch *watch) {
    if (watch->line_is_shown)
        (void)fputs("\r\033[K", stderr);
    watch->line_is_shown = false;
}

static void on_note(int level, struct ice_str text, void *user) {
    (void)user;
    struct watch *watch = the_watch();
    if (level > watch->verbose)
        return;
    clear_line(watch);
    char escaped[2048];
    ice_escape(escaped, sizeof(escaped), text);
    (void)fprintf(stderr, "icefsck: note: %s\n", escaped);
}

static bool is_due(struct watch *watch) {
    double now = cli_seconds();
    if (!watch->shows_progress || now - watch->started < 1 ||
        now - watch->last_shown < 0.1)
        return false;
    watch->last_shown = now;
    return true;
}

static void put_time_left(double seconds) {
    if (seconds < 90)
        (void)fprintf(stderr, " \xc2\xb7 %.0f s left", seconds);
    else if (seconds < 90 * 60)
        (void)fprintf(stderr, " \xc2\xb7 %.0f min left", seconds / 60);
    else
        (void)fprintf(stderr, " \xc2\xb7 %.1f h left", seconds / 3600);
}

/* What is left goes at the pace of what was done: bytes of manifests are most of the
 * work. */
static void put_part(const struct watch *watch, const struct ice_progress *progress,
                     double now) {
    double done = (double)progress->bytes_done, total = (double)progress->bytes_total;
    if (total <= 0 || done <= 0 || done > total)
        return;
    (void)fprintf(stderr, " \xc2\xb7 %.0f %%", 100 * done / total);
    if (done < total && now > watch->manifests_began)
        put_time_left((now - watch->manifests_began) * (total - done) / done);
}

static void on_progress(const struct ice_progress *progress, void *user) {
    (void)user;
    struct watch *watch = the_watch();
    watch->bytes_now = progress->bytes;
    if (watch->manifests_began <= 0 && progress->bytes_total > 0)
        watch->manifests_began = cli_seconds();
    if (!is_due(watch))
        return;
    double now = watch->last_shown;
    double megabytes = (double)(watch->bytes_before + progress->bytes) / 1e6;
    (void)fputs("\r\033[K", stderr);
    if (watch->n_tables > 1)
        (void)fprintf(stderr, "table %zu/%zu \xc2\xb7 ", watch->table, watch->n_tables);
    else if (watch->n_tables == 0)
        (void)fprintf(stderr, "table %zu \xc2\xb7 ", watch->table);
    (void)fprintf(stderr, "%s %llu", progress->phase, (unsigned long long)progress->done);
    if (progress->total > 0)
        (void)fprintf(stderr, "/%llu", (unsigned long long)progress->total);
    (void)fprintf(stderr, " \xc2\xb7 %.1f MB \xc2\xb7 %.1f MB/s", megabytes,
                  megabytes / (now - watch->started));
    put_part(watch, progress, now);
    watch->line_is_shown = true;
}

void cli_watch_done(size_t n_tables, uint64_t bytes) {
    struct watch *watch = the_watch();
    double megabytes = (double)bytes / 1e6;
    if (!is_due(watch))
        return;
    (void)fprintf(stderr, "\r\033[Ktables done: %zu \xc2\xb7 %.1f MB \xc2\xb7 %.1f MB/s",
                  n_tables, megabytes, megabytes / (watch->last_shown - watch->started));
    watch->line_is_shown = true;
}

void cli_watch(struct cli *cli) {
    struct watch *watch = the_watch();
    watch->verbose = cli->verbose;
    watch->n_tables = 1;
    watch->started = cli_seconds();
    watch->shows_progress = cli->progress == CLI_ALWAYS ||
                            (cli->progress == CLI_AUTO && isatty(STDERR_FILENO) == 1);
    cli->options.cancelled = cli_is_interrupted;
    /* of these some notes are said to everybody: they have no line for what is not asked
     */
    if (watch->verbose > 0 || cli->command == CLI_CMD_INSPECT ||
        cli->command == CLI_CMD_DIFF || cli->command == CLI_CMD_HISTORY)
        cli->options.on_note = on_note;
    if (watch->shows_progress)
        cli->options.on_progress = on_progress;
}

void cli_watch_table(size_t number, size_t n_tables) {
    struct watch *watch = the_watch();
    watch->table = number;
    watch->n_tables = n_tables;
    watch->bytes_before += watch->bytes_now;
    watch->bytes_now = 0;
    watch->manifests_began = 0;
}

void cli_watch_end(void) {
    clear_line(the_watch());
    (void)fflush(stderr);
}
