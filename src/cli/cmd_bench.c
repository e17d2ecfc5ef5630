/*
 * icefsck bench PATH: reading, unpacking and checking the same files in turn, in one
 * process, so that the ratios hold on a busy machine too.
 */
#include "cli/cli.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS_DEFAULT = 7 };

enum step { STEP_READ, STEP_INFLATE, STEP_METADATA, STEP_CHECK, STEPS };

static const char *const step_names[STEPS] = {"read", "inflate", "metadata", "check"};

static const struct ice_column columns[] = {
    {"step", ICE_VALUE_STR},
    {"cpu_seconds", ICE_VALUE_F64},
    {"wall_seconds", ICE_VALUE_F64},
    {"files", ICE_VALUE_I64},
    {"bytes", ICE_VALUE_I64},
    {"mb_per_second", ICE_VALUE_F64},
    {"entries_per_second", ICE_VALUE_I64},
    {"ratio", ICE_VALUE_F64},
    {"ratio_least", ICE_VALUE_F64},
    {"ratio_most", ICE_VALUE_F64},
    {"peak_kib", ICE_VALUE_I64},
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };

struct bench {
    struct cli *cli;
    const char *path;
    struct ice_bench *files;
    struct ice_work work[2]; /* of read, of inflate */
    uint64_t check_bytes, metadata_bytes;
    uint64_t n_rounds;
    double *cpu[STEPS], *wall[STEPS]; /* a round each */
    struct ice_error err;
};

static double cpu_seconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
        return 0;
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the steps ---- */

static enum ice_status no_finding(const struct ice_finding *finding, void *user) {
    (void)finding;
    (void)user;
    return ICE_OK;
}

static enum ice_status check(struct bench *b, enum ice_depth depth, uint64_t *out_bytes) {
    struct ice_options options = b->cli->options;
    struct ice_summary *summary = NULL;
    options.depth = depth;
    enum ice_status status =
        ice_check_path(b->path, &options, no_finding, NULL, &summary, &b->err);
    if (summary != NULL)
        *out_bytes = summary->n_bytes;
    ice_summary_free(summary);
    return status;
}

static enum ice_status run_step(struct bench *b, enum step step) {
    switch (step) {
    case STEP_READ:
        return ice_bench_run(b->files, ICE_EFFORT_READ, &b->work[0], &b->err);
    case STEP_INFLATE:
        return ice_bench_run(b->files, ICE_EFFORT_INFLATE, &b->work[1], &b->err);
    case STEP_METADATA:
        return check(b, ICE_DEPTH_METADATA, &b->metadata_bytes);
    case STEP_CHECK:
        return check(b, b->cli->options.depth, &b->check_bytes);
    case STEPS:
        break;
    }
    return ICE_OK;
}

/* All steps once, unless untimed, which warms the page cache. */
static enum ice_status run_round(struct bench *b, uint64_t round, bool is_timed) {
    for (enum step step = 0; step < STEPS; step++) {
        double cpu = cpu_seconds(), wall = cli_seconds();
        enum ice_status status = run_step(b, step);
        if (status < 0)
            return status;
        if (is_timed) {
            b->cpu[step][round] = cpu_seconds() - cpu;
            b->wall[step][round] = cli_seconds() - wall;
        }
        if (cli_is_interrupted(NULL))
            return ICE_ECANCELLED;
    }
    return ICE_OK;
}

/* ---- the figures ---- */

static int by_value(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static double median(double *values, uint64_t n) {
    qsort(values, (size_t)n, sizeof(*values), by_value);
    return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Rounded to what a measurement can say: parts of one. */
static struct ice_value number(double value, double parts) {
    return (struct ice_value){.kind = ICE_VALUE_F64,
                              .f64 = (double)(uint64_t)(value * parts + 0.5) / parts};
}

static struct ice_value count(uint64_t value) {
    return (struct ice_value){.kind = ICE_VALUE_I64, .i64 = (int64_t)value};
}

static uint64_t step_bytes(const struct bench *b, enum step step) {
    switch (step) {
    case STEP_READ:
    case STEP_INFLATE:
        return b->work[0].bytes;
    case STEP_METADATA:
        return b->metadata_bytes;
    case STEP_CHECK:
        return b->check_bytes;
    case STEPS:
        break;
    }
    return 0;
}

/* Ratios are of one round each, so what disturbs the machine disturbs both. */
static enum ice_status put_step(struct bench *b, enum step step, struct cli_rows *rows) {
    struct ice_value values[COLUMNS] = {0};
    double *ratios = cli_alloc((size_t)b->n_rounds, sizeof(*ratios));
    for (uint64_t i = 0; i < b->n_rounds; i++)
        ratios[i] =
            b->cpu[STEP_INFLATE][i] > 0 ? b->cpu[step][i] / b->cpu[STEP_INFLATE][i] : 0;
    double ratio = median(ratios, b->n_rounds);
    double *sorted = cli_alloc((size_t)b->n_rounds, sizeof(*sorted));
    memcpy(sorted, b->cpu[step], (size_t)b->n_rounds * sizeof(*sorted));
    double cpu = median(sorted, b->n_rounds);
    memcpy(sorted, b->wall[step], (size_t)b->n_rounds * sizeof(*sorted));
    bool reads_files = step != STEP_METADATA;
    uint64_t bytes = step_bytes(b, step);
    struct rusage usage;
    values[0] = (struct ice_value){.kind = ICE_VALUE_STR,
                                   .str = {step_names[step], strlen(step_names[step])}};
    values[1] = number(cpu, 1e6);
    values[2] = number(median(sorted, b->n_rounds), 1e6);
    if (reads_files)
        values[3] = count(b->work[0].n_files);
    values[4] = count(bytes);
    if (cpu > 0)
        values[5] = number((double)bytes / cpu / 1e6, 10);
    if (cpu > 0 && reads_files)
        values[6] = count((uint64_t)((double)b->work[1].n_records / cpu));
    if (reads_files) {
        values[7] = number(ratio, 1e3);
        values[8] = number(ratios[0], 1e3);
        values[9] = number(ratios[b->n_rounds - 1], 1e3);
    }
    if (step == STEP_CHECK && getrusage(RUSAGE_SELF, &usage) == 0)
        values[10] = count((uint64_t)usage.ru_maxrss);
    return cli_rows_row(columns, values, COLUMNS, rows);
}

static enum ice_status measure(struct bench *b, struct cli_rows *rows) {
    enum ice_status status =
        ice_bench_open(&b->files, b->path, &b->cli->options, &b->err);
    if (status >= 0)
        status = run_round(b, 0, false);
    for (uint64_t i = 0; i < b->n_rounds && status >= 0; i++)
        status = run_round(b, i, true);
    for (enum step step = 0; step < STEPS && status >= 0; step++)
        status = put_step(b, step, rows);
    ice_bench_free(b->files);
    return status;
}

int cli_bench(struct cli *cli) {
    struct bench b = {.cli = cli, .n_rounds = cli->n_rounds, .err.offset = ICE_NO_OFFSET};
    struct cli_rows rows;
    if (cli->n_words != 1) {
        cli_say("bench takes one table: icefsck bench PATH");
        return CLI_USAGE;
    }
    b.path = cli->words[0];
    if (b.n_rounds == 0)
        b.n_rounds = ROUNDS_DEFAULT;
    for (enum step step = 0; step < STEPS; step++) {
        b.cpu[step] = cli_alloc((size_t)b.n_rounds, sizeof(double));
        b.wall[step] = cli_alloc((size_t)b.n_rounds, sizeof(double));
    }
    int code = cli_rows_open(cli, &rows);
    if (code != 0)
        return code;
    cli_watch(cli);
    enum ice_status status = measure(&b, &rows);
    code |= cli_rows_answered(&rows, b.path, status, &b.err);
    uint64_t n_faulty =
        b.work[0].n_faulty > b.work[1].n_faulty ? b.work[0].n_faulty : b.work[1].n_faulty;
    if (n_faulty > 0) {
        cli_say("%s: %" PRIu64 " file%s could not be read whole, so these figures say "
                "little: see icefsck check",
                cli_quoted(b.path), n_faulty, n_faulty == 1 ? "" : "s");
        code |= CLI_INCOMPLETE;
    }
    return cli_rows_close(&rows, code);
}
