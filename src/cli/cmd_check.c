/*
 * icefsck check: every table to every report.
 */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct check {
    struct cli *cli;
    struct cli_findings findings;
    size_t n_tables;
};

static enum ice_status put_failure(struct check *check, const char *path,
                                   const char *name, const struct ice_error *err) {
    struct cli_failure failure;
    cli_failure_of(&failure, path, name,
                   err->message[0] != '\0' ? err->message : ice_status_name(err->status));
    failure.summary.interrupted = err->status == ICE_ECANCELLED;
    return cli_findings_summary(&check->findings, &failure.summary);
}

/* One thing to check: a path, or the document inside a catalog's answer. */
struct job {
    const char *path, *name; /* name: of the table, NULL: derived */
    size_t entry;            /* 1 + index in the catalog; 0: none is known */
    bool is_document;
};

static enum ice_status run_job(struct check *check, const struct job *job,
                               struct ice_summary **out, struct ice_error *err) {
    struct ice_options *options = &check->cli->options;
    options->table_name = job->name;
    options->catalog_table = job->entry;
    if (job->is_document)
        return ice_check_document(options->catalog, job->entry - 1, options,
                                  cli_findings_one, &check->findings, out, err);
    return ice_check_path(job->path, options, cli_findings_one, &check->findings, out,
                          err);
}

static int check_one(struct check *check, const struct job *job) {
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_summary *summary = NULL;
    const char *path = job->path;
    check->findings.started = cli_seconds();
    const char *directory = job->is_document ? "" : cli_directory_of(path);
    cli_findings_directory(&check->findings, directory);
    enum ice_status status = run_job(check, job, &summary, &err);
    cli_watch_end();
    if (err.status >= 0)
        err.status = status;
    int code = summary != NULL ? summary->exit_code : 0;
    if (status < 0 && !cli_findings_failed(&check->findings))
        code |= cli_say_error(path, &err);
    if (status == ICE_EARG && check->n_tables > 1)
        code = CLI_INCOMPLETE; /* an option that does not fit this table: go on */
    if (summary != NULL && !job->is_document && !summary->interrupted &&
        cli_findings_facts(&check->findings, path, &check->cli->options) < 0)
        cli_out_of_memory();
    enum ice_status written = summary != NULL
                                  ? cli_findings_summary(&check->findings, summary)
                              : status < 0 && (code & (CLI_USAGE | CLI_FAILED)) == 0
                                  ? put_failure(check, path, job->name, &err)
                                  : ICE_OK;
    ice_summary_free(summary);
    if (written == ICE_ENOMEM)
        cli_out_of_memory();
    if (written < 0 && !cli_findings_failed(&check->findings)) {
        cli_say("%s: the report was not written: %s", cli_quoted(path),
                ice_status_name(written));
        code |= CLI_FAILED;
    }
    return code;
}

static int check_all(struct check *check, const struct job *jobs, size_t n) {
    int code = 0;
    for (size_t i = 0; i < n; i++) {
        if (cli_is_interrupted(NULL) || cli_findings_failed(&check->findings))
            break;
        cli_watch_table(i + 1, n);
        int one = check_one(check, &jobs[i]);
        if (one == CLI_INTERRUPTED)
            break;
        code |= one;
        if (one & (CLI_FAILED | CLI_USAGE))
            break;
    }
    return code;
}

/* ---- which ---- */

static struct job *add_job(struct job *jobs, size_t *n, struct job job) {
    jobs = cli_grow(jobs, *n, sizeof(*jobs));
    jobs[(*n)++] = job;
    return jobs;
}

/* Without a PATH: the tables that the pointers name, as far as they can be read. */
static struct job *jobs_of_catalog(const struct ice_catalog *catalog, size_t *out_n,
                                   int *out_code) {
    struct ice_catalog_table table;
    struct job *jobs = NULL;
    size_t n_lost = 0, i = 0;
    const char *lost = NULL;
    struct ice_error fault;
    size_t n_faults = 0;
    for (; ice_catalog_fault(catalog, n_faults, &fault); n_faults++)
        *out_code |= cli_say_error(fault.file, &fault);
    for (; ice_catalog_at(catalog, i, &table); i++) {
        const char *name = cli_copy(table.name.data, table.name.size);
        if (table.directory != NULL) {
            jobs =
                add_job(jobs, out_n, (struct job){table.directory, name, i + 1, false});
        } else if (table.has_document) {
            jobs = add_job(jobs, out_n, (struct job){name, name, i + 1, true});
        } else if (n_lost++ == 0) {
            lost = cli_copy(table.metadata_location.data, table.metadata_location.size);
        }
    }
    if (i == 0 && n_faults == 0)
        cli_say("%s", ice_catalog_nothing(catalog));
    else if (n_lost > 0)
        cli_say(
            "%zu of %zu tables were not checked: no --map leads to them, such as to %s",
            n_lost, i, cli_quoted(lost));
    if (*out_n == 0)
        *out_code |= CLI_INCOMPLETE;
    return jobs;
}

static struct job *jobs_of_paths(const struct cli_paths *paths, size_t *out_n) {
    struct job *jobs = NULL;
    for (size_t i = 0; i < paths->n; i++)
        jobs = add_job(jobs, out_n,
                       (struct job){paths->paths[i], paths->names[i], 0, false});
    return jobs;
}

/* ---- --list-files ---- */

static int list_files(struct cli *cli, const struct job *jobs, size_t n, int code) {
    struct cli_rows out;
    int opened = cli_rows_open(cli, &out);
    if (opened != 0)
        return opened;
    struct ice_error fault = {.offset = ICE_NO_OFFSET};
    enum ice_status listed =
        ice_list_inputs(&cli->options, cli_rows_row, cli_rows_trouble, &out, &fault);
    code |= cli_rows_answered(&out, "inputs", listed, &fault);
    for (size_t i = 0; i < n && !cli_rows_failed(&out); i++) {
        struct ice_error err = {.offset = ICE_NO_OFFSET};
        cli->options.catalog_table = jobs[i].entry;
        enum ice_status status =
            jobs[i].is_document
                ? ICE_OK
                : ice_list_files(jobs[i].path, &cli->options, cli_rows_row,
                                 cli_rows_trouble, &out, &err);
        code |= cli_rows_answered(&out, jobs[i].path, status, &err);
    }
    return cli_rows_close(&out, code);
}

/* ---- */

/* A word that is neither a command nor a file was most likely meant as a command. */
static bool is_no_path(const struct cli *cli) {
    struct stat info;
    if (!cli->is_implied || cli->n_words == 0 || strcmp(cli->words[0], "-") == 0 ||
        strchr(cli->words[0], '/') != NULL || lstat(cli->words[0], &info) == 0 ||
        errno != ENOENT)
        return false;
    const char *nearest = cli_nearest_command(cli->words[0]);
    cli_say("%s is no command and no file%s%s%s", cli_quoted(cli->words[0]),
            nearest != NULL ? "; did you mean " : "; see icefsck --help",
            nearest != NULL ? nearest : "", nearest != NULL ? "?" : "");
    return true;
}

/* Standard input can be read once: pointers are, listings once a table. */
static bool is_stdin_wanted_twice(const struct cli *cli, const struct cli_paths *paths) {
    size_t n_pointers = cli_stdin_pointers(cli), n_listings = cli_stdin_listings(cli);
    size_t n_paths = 0;
    for (size_t i = 0; i < paths->n; i++)
        n_paths += strcmp(paths->paths[i], "-") == 0;
    if (n_pointers + n_listings + n_paths < 2 && (n_listings == 0 || paths->n < 2))
        return false;
    cli_say_stdin_twice();
    return true;
}

static int check_jobs(struct cli *cli, const struct job *jobs, size_t n, int code) {
    struct check check = {.cli = cli, .n_tables = n};
    if (cli->list_files)
        return list_files(cli, jobs, n, code);
    int opened = cli_baseline_open(cli);
    if (opened == 0)
        opened = cli_findings_open(cli, &check.findings);
    if (opened != 0)
        return cli_baseline_close(cli, opened);
    code |= check_all(&check, jobs, n);
    return cli_baseline_close(cli, cli_findings_close(&check.findings, code));
}

int cli_check(struct cli *cli) {
    struct cli_paths paths = {0};
    struct ice_catalog *catalog = NULL;
    size_t n = 0;
    int code = 0;
    bool by_catalog =
        cli->n_words == 0 && cli->files_from == NULL && cli->options.n_pointers > 0;
    if (is_no_path(cli))
        return CLI_USAGE;
    if (!by_catalog) {
        code = cli_find_paths(cli, &paths);
        if (paths.n == 0)
            return code;
    }
    if (is_stdin_wanted_twice(cli, &paths))
        return CLI_USAGE;
    cli_watch(cli);
    int opened = cli_open_catalog(cli, &catalog);
    if (opened != 0)
        return opened;
    struct job *jobs =
        by_catalog ? jobs_of_catalog(catalog, &n, &code) : jobs_of_paths(&paths, &n);
    if (n > 0)
        code = check_jobs(cli, jobs, n, code);
    ice_catalog_free(catalog);
    return code;
}
