/*
 * icefsck batch: many tables, one line each, in the order of the input. Several may be at
 * work at a time, each in a child; a line is written when its turn has come, whole.
 */
#include "cli/batch_child.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct totals {
    uint64_t n_tables, n_skipped, n_with_errors, n_incomplete;
    uint64_t counts[4], n_bytes, n_known, n_fixed;
    int code;
};

/* A table that was begun. children[i] belongs to slots[i]. */
struct slot {
    bool is_taken;
    bool is_line; /* no child: the line is there */
    bool is_old;  /* ... of an earlier run: for the reports alone */
    char *path, *name;
    struct cli_text line;
    struct cli_verdict verdict;
};

struct batch {
    struct cli *cli;
    struct cli_items *items;
    struct cli_done *done;
    struct cli_sink *out;
    struct cli_findings findings; /* of -o */
    struct slot slots[CLI_MAX_CHILDREN];
    struct cli_child children[CLI_MAX_CHILDREN];
    size_t n_slots, first, n_taken; /* a ring */
    bool is_isolated, is_at_end, is_terminal;
    struct totals totals;
    int report_code;
};

/* ---- output ---- */

static void put_report(struct batch *batch, const struct cli_text *text,
                       const struct cli_verdict *verdict) {
    const struct cli_history history = {text->data + verdict->line_size,
                                        text->size - verdict->line_size,
                                        verdict->n_dropped};
    if (batch->findings.n_targets == 0 || cli_findings_failed(&batch->findings))
        return;
    enum ice_status status =
        cli_findings_line(&batch->findings, text->data, verdict->line_size, &history);
    if (status >= 0 || cli_findings_failed(&batch->findings))
        return;
    cli_say("the report was not written: %s", ice_status_name(status));
    batch->report_code = CLI_FAILED;
}

static void put_line(struct batch *batch, const struct cli_text *text,
                     const struct cli_verdict *verdict) {
    struct totals *totals = &batch->totals;
    if (batch->is_terminal) /* that shows both */
        cli_watch_end();
    (void)cli_sink_write(text->data, verdict->line_size, batch->out);
    cli_sink_flush(batch->out);
    put_report(batch, text, verdict);
    totals->n_tables++;
    for (size_t i = 0; i < 4; i++)
        totals->counts[i] += verdict->counts[i];
    totals->n_bytes += verdict->n_bytes;
    totals->n_known += verdict->n_known;
    totals->n_fixed += verdict->n_fixed;
    totals->n_with_errors += verdict->counts[ICE_ERROR] > 0;
    totals->n_incomplete += !verdict->is_complete;
    totals->code |= verdict->code & (CLI_FOUND | CLI_INCOMPLETE);
}

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

static void say_totals(const struct batch *batch, double seconds) {
    const struct totals *totals = &batch->totals;
    char skipped[64] = "", speed[64] = "", known[96] = "";
    if (batch->done != NULL)
        (void)snprintf(skipped, sizeof(skipped), ", %" PRIu64 " were there already",
                       totals->n_skipped);
    if (isatty(STDERR_FILENO) == 1 && seconds > 0)
        (void)snprintf(speed, sizeof(speed), ", %.1f s, %.0f tables/s", seconds,
                       (double)totals->n_tables / seconds);
    if (batch->cli->known != NULL)
        (void)snprintf(known, sizeof(known),
                       ", %" PRIu64 " in baseline, %" PRIu64 " fixed", totals->n_known,
                       totals->n_fixed);
    const uint64_t *counts = totals->counts;
    cli_say("%" PRIu64 " table%s, %" PRIu64 " with errors, %" PRIu64
            " not wholly checked%s: %" PRIu64 " error%s, %" PRIu64 " warning%s, %" PRIu64
            " info%s%s%s",
            totals->n_tables, plural(totals->n_tables), totals->n_with_errors,
            totals->n_incomplete, skipped, counts[ICE_ERROR], plural(counts[ICE_ERROR]),
            counts[ICE_WARN], plural(counts[ICE_WARN]), counts[ICE_INFO],
            plural(counts[ICE_INFO]), known, speed);
}

/* ---- one table ---- */

/* Reports are of all tables: a line of the earlier run takes its place among the new. */
static void begin_old(struct batch *batch, const struct cli_job *job, const char *key) {
    size_t at = (batch->first + batch->n_taken) % batch->n_slots;
    struct slot *slot = &batch->slots[at];
    if (batch->findings.n_targets == 0)
        return;
    if (!cli_done_line(batch->done, key, &slot->line)) {
        cli_say("%s: its line cannot be read again, and lacks in the reports",
                cli_quoted(job->path));
        batch->report_code = CLI_FAILED;
        cli_free(slot->line.data);
        slot->line = (struct cli_text){0};
        return;
    }
    slot->verdict.line_size = slot->line.size;
    slot->is_taken = slot->is_line = slot->is_old = true;
    batch->n_taken++;
}

/* Is it another shard's, or there already? A table that cannot be looked at is neither.
 */
static bool is_skipped(struct batch *batch, const struct cli_job *job) {
    const struct cli *cli = batch->cli;
    char file[4096], key[CLI_KEY_SIZE];
    int code = 0;
    if (cli->n_shards > 0 && cli_shard_of(job, cli->n_shards) != cli->shard)
        return true;
    if (batch->done == NULL || job->fault != NULL || !cli_job_is_settled(job) ||
        ice_current_file(job->path, &job->options, file, sizeof(file), NULL) < 0)
        return false;
    cli_key_of(cli, job, (struct ice_str){file, strlen(file)}, key);
    if (!cli_done_has(batch->done, key, &code))
        return false;
    batch->totals.n_skipped++;
    batch->totals.code |= code;
    begin_old(batch, job, key);
    return true;
}

static void begin(struct batch *batch, struct cli_job *job) {
    struct cli *cli = batch->cli;
    size_t at = (batch->first + batch->n_taken) % batch->n_slots;
    struct slot *slot = &batch->slots[at];
    struct cli_child *child = &batch->children[at];
    slot->is_taken = slot->is_line = true;
    batch->n_taken++;
    cli_watch_table((size_t)batch->totals.n_tables + batch->n_taken, 0);
    if (job->fault != NULL) {
        cli_job_fail(cli, job->path, job->name, job->fault, &slot->line, &slot->verdict);
    } else if (!batch->is_isolated) {
        cli_job_run(cli, job, cli->found, &slot->line, &slot->verdict);
    } else if (cli_child_start(cli, job, child)) {
        slot->is_line = false;
        slot->path = cli_join(job->path, "", "");
        slot->name = job->name != NULL ? cli_join(job->name, "", "") : NULL;
    } else {
        const char *why = cli_join("no process for it: ", strerror(errno), "");
        cli_job_fail(cli, job->path, job->name, why, &slot->line, &slot->verdict);
    }
}

/* The first of the ring is done: its line goes out. */
static void end_first(struct batch *batch) {
    struct slot *slot = &batch->slots[batch->first];
    struct cli_child *child = &batch->children[batch->first];
    const char *why = NULL;
    if (slot->is_old) {
        put_report(batch, &slot->line, &slot->verdict);
    } else if (slot->is_line) {
        put_line(batch, &slot->line, &slot->verdict);
    } else if (cli_child_end(batch->cli, child, &why, &slot->verdict)) {
        put_line(batch, &child->text, &slot->verdict);
    } else {
        cli_job_fail(batch->cli, slot->path, slot->name, why, &slot->line,
                     &slot->verdict);
        put_line(batch, &slot->line, &slot->verdict);
    }
    cli_free(child->text.data);
    cli_free(slot->path);
    cli_free(slot->name);
    cli_free(slot->line.data);
    *slot = (struct slot){0};
    *child = (struct cli_child){.fd = -1};
    assert(batch->n_slots > 0); /* this one was one */
    batch->first = (batch->first + 1) % batch->n_slots;
    batch->n_taken--;
}

/* ---- all ---- */

/* The children hear of an interrupt from the terminal, or from here. */
static void pass_interrupt(struct batch *batch) {
    for (size_t i = 0; i < batch->n_slots; i++) {
        if (batch->children[i].pid > 0)
            (void)kill(batch->children[i].pid, SIGTERM);
    }
}

static void take_more(struct batch *batch) {
    struct cli_item item;
    struct cli_job job;
    while (batch->n_taken < batch->n_slots && !batch->is_at_end &&
           !cli_is_interrupted(NULL)) {
        batch->is_at_end = !cli_items_next(batch->items, &item);
        if (batch->is_at_end)
            return;
        size_t before = cli_mark();
        cli_job_of(batch->cli, &item, &job);
        size_t behind = cli_mark();
        if (!is_skipped(batch, &job))
            begin(batch, &job);
        cli_free_between(before, behind);
    }
}

static void run_all(struct batch *batch) {
    bool is_told = false;
    for (;;) {
        take_more(batch);
        if (batch->n_taken == 0 || cli_sink_failed(batch->out) ||
            cli_findings_failed(&batch->findings))
            return;
        struct slot *slot = &batch->slots[batch->first];
        struct cli_child *child = &batch->children[batch->first];
        if (cli_is_interrupted(NULL) && !is_told) {
            pass_interrupt(batch);
            is_told = true;
        }
        if (slot->is_line || child->fd < 0)
            end_first(batch);
        else
            cli_child_wait(batch->children, batch->n_slots, batch->first);
        if (batch->is_isolated)
            cli_watch_done((size_t)batch->totals.n_tables, batch->totals.n_bytes);
    }
}

/* Nobody reads their lines any more. */
static void kill_all(struct batch *batch) {
    const char *why;
    struct cli_verdict verdict;
    for (size_t i = 0; i < batch->n_slots; i++) {
        if (batch->children[i].pid <= 0)
            continue;
        (void)kill(batch->children[i].pid, SIGKILL);
        (void)cli_child_end(batch->cli, &batch->children[i], &why, &verdict);
    }
}

/* Standard input can be read once: for a pointer, or for the tables. */
static bool is_stdin_wanted_twice(const struct cli *cli) {
    bool is_input =
        cli->files_from != NULL ? strcmp(cli->files_from, "-") == 0 : cli->n_words == 0;
    size_t n = is_input + cli_stdin_pointers(cli);
    n += 2 * cli_stdin_listings(cli); /* every table needs it */
    if (n > 1)
        cli_say_stdin_twice();
    return n > 1;
}

enum { OWN_FILES = 12 }; /* of a process: standard streams, lists, what a check opens */

/* Each takes a descriptor here, and inherits those of the others; poll takes no more
 * slots than descriptors. */
static size_t most_children(void) {
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0 ||
        files.rlim_cur >= 2 * CLI_MAX_CHILDREN + OWN_FILES)
        return CLI_MAX_CHILDREN;
    return files.rlim_cur > OWN_FILES + 2 ? (size_t)(files.rlim_cur - OWN_FILES) / 2 : 1;
}

/* How many tables at a time, and in what. */
static void plan(struct batch *batch) {
    struct cli *cli = batch->cli;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = cli->options.jobs;
    if (cli->has_jobs && n == 0)
        n = cores > 0 ? (size_t)cores : 1;
    const size_t most = most_children();
    batch->n_slots = n < 1 ? 1 : n > most ? most : n;
    batch->is_isolated = cli->isolate || batch->n_slots > 1 || cli->timeout_ms > 0;
    if (batch->is_isolated)
        cli->options.jobs = 1;
    if (cli->timeout_ms == 0)
        cli->timeout_ms = INT64_C(3600) * 1000;
    for (size_t i = 0; i < CLI_MAX_CHILDREN; i++)
        batch->children[i].fd = -1;
}

/* Children may write nothing. */
static bool is_cache_out_of_reach(const struct cli *cli) {
    const bool has_children =
        cli->isolate || cli->timeout_ms > 0 || (cli->has_jobs && cli->options.jobs != 1);
    if (cli->options.cache_dir == NULL || !has_children)
        return false;
    cli_say("--cache needs one process: leave out --isolate, --timeout and -j");
    return true;
}

/* An earlier run may have left findings out of its lines. */
static bool is_baseline_out_of_reach(const struct cli *cli) {
    if (cli->resume == NULL || cli->write_baseline == NULL)
        return false;
    cli_say("--write-baseline needs all tables to be checked: leave out --resume");
    return true;
}

static int give_up(struct batch *batch, struct ice_catalog *catalog, int code) {
    cli_done_free(batch->done);
    ice_catalog_free(catalog);
    return code;
}

int cli_batch(struct cli *cli) {
    struct ice_catalog *catalog = NULL;
    if (is_stdin_wanted_twice(cli) || is_cache_out_of_reach(cli) ||
        is_baseline_out_of_reach(cli) ||
        (cli->resume != NULL && !cli_resume_is_sound(cli)))
        return CLI_USAGE;
    cli_see_inputs(cli);
    struct batch *batch = cli_alloc(1, sizeof(*batch));
    batch->cli = cli;
    int code = cli->resume != NULL ? cli_done_read(cli->resume, &batch->done) : 0;
    if (code == 0)
        code = cli_items_open(cli, &batch->items);
    if (code != 0)
        return give_up(batch, NULL, code);
    cli_watch(cli);
    code = cli_open_catalog(cli, &catalog);
    if (code == 0)
        code = cli_baseline_open(cli);
    if (code != 0)
        return give_up(batch, catalog, code);
    code = cli_findings_open(cli, &batch->findings);
    if (code != 0)
        return give_up(batch, catalog, cli_baseline_close(cli, code));
    cli->wants_history = cli_findings_want(&batch->findings, 0) != NULL;
    plan(batch);
    double started = cli_seconds();
    batch->out = cli_sink_stdout();
    batch->is_terminal = cli_sink_is_terminal(batch->out);
    if (cli_done_is_torn(batch->done))
        (void)cli_sink_write("\n", 1, batch->out);
    run_all(batch);
    kill_all(batch);
    cli_watch_end();
    code = batch->totals.code | batch->report_code | cli_items_close(batch->items);
    int closed = cli_sink_close(batch->out, true);
    code = cli_findings_close(&batch->findings, code);
    if (!cli->quiet && closed == 0)
        say_totals(batch, cli_seconds() - started);
    code = cli_baseline_close(cli, code);
    cli_done_free(batch->done);
    ice_catalog_free(catalog);
    return closed == CLI_PIPE_CLOSED ? closed : code | closed;
}
