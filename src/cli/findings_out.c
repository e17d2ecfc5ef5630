/*
 * Findings to every report of the call: standard output and the files of -o.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

/* One report and where it goes. */
struct cli_target {
    struct cli_sink *sink;
    struct ice_report *report;
    struct ice_report_options options;
    enum cli_format format;
};

static bool wants_color(const struct cli *cli, const struct cli_sink *sink) {
    if (cli->color != CLI_AUTO)
        return cli->color == CLI_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return cli_sink_is_terminal(sink) && (no_color == NULL || no_color[0] == '\0') &&
           (term == NULL || strcmp(term, "dumb") != 0);
}

/* In a batch, where ndjson is a table a line, as on standard output. */
static enum ice_format report_format(const struct cli *cli, enum cli_format format) {
    return cli->command == CLI_CMD_BATCH && format == CLI_FORMAT_NDJSON
               ? ICE_FORMAT_LINES
               : cli_library_format(format);
}

static int add_target(struct cli_findings *findings, struct cli_sink *sink,
                      enum cli_format format, bool is_stdout) {
    const struct cli *cli = findings->cli;
    struct cli_target target = {.sink = sink, .format = format};
    target.options.color = is_stdout && wants_color(cli, sink);
    target.options.quiet = cli->quiet;
    target.options.times = is_stdout && cli_sink_is_terminal(sink);
    target.options.min_severity = cli->min_severity;
    target.options.judged_by = &cli->options;
    target.options.of_configuration = cli->command == CLI_CMD_LINT_CONF;
    struct ice_error err = {0};
    if (ice_report_open(&target.report, report_format(cli, format), &target.options, NULL,
                        cli_sink_write, sink, &err) < 0) {
        (void)cli_sink_close(sink, false);
        return cli_say_error("report", &err) | CLI_FAILED;
    }
    findings->targets =
        cli_grow(findings->targets, findings->n_targets, sizeof(*findings->targets));
    findings->targets[findings->n_targets++] = target;
    return 0;
}

/* GitHub shows few annotations: the file that it names for Markdown gets all. */
static int add_job_summary(struct cli_findings *findings) {
    const char *path = getenv("GITHUB_STEP_SUMMARY");
    bool is_github = false;
    for (size_t i = 0; i < findings->n_targets; i++)
        is_github = is_github || findings->targets[i].format == CLI_FORMAT_GITHUB;
    if (!is_github || path == NULL || path[0] == '\0')
        return 0;
    struct cli_sink *sink = cli_sink_append(path);
    return sink != NULL ? add_target(findings, sink, CLI_FORMAT_MARKDOWN, false)
                        : CLI_FAILED;
}

/* A file named without a format takes the place of stdout; the lines of a batch go there
 * by another way. */
static int open_targets(struct cli_findings *findings) {
    const struct cli *cli = findings->cli;
    bool to_stdout = cli->command != CLI_CMD_BATCH;
    for (size_t i = 0; i < cli->n_outputs; i++)
        to_stdout = to_stdout && cli->outputs[i].format != CLI_FORMAT_UNSET;
    int code = to_stdout ? add_target(findings, cli_sink_stdout(), cli->format, true) : 0;
    for (size_t i = 0; code == 0 && i < cli->n_outputs; i++) {
        const struct cli_output *output = &cli->outputs[i];
        struct cli_sink *sink = cli_sink_file(output->file);
        if (sink == NULL)
            return CLI_FAILED;
        enum cli_format format =
            output->format != CLI_FORMAT_UNSET ? output->format : cli->format;
        code = add_target(findings, sink, format, false);
    }
    return code == 0 ? add_job_summary(findings) : code;
}

/* keep false: nothing new appears in files. */
static int close_targets(struct cli_findings *findings, bool keep) {
    int code = 0;
    for (size_t i = 0; i < findings->n_targets; i++) {
        struct cli_target *target = &findings->targets[i];
        enum ice_status status = keep ? ice_report_finish(target->report) : ICE_OK;
        if (status == ICE_ENOMEM)
            cli_out_of_memory();
        ice_report_free(target->report);
        int closed = cli_sink_close(target->sink, keep && status == ICE_OK);
        if (status < 0 && closed == 0) {
            cli_say("the report was not written: %s", ice_status_name(status));
            closed = CLI_FAILED;
        }
        code |= closed;
    }
    return code;
}

bool cli_findings_failed(const struct cli_findings *findings) {
    for (size_t i = 0; i < findings->n_targets; i++) {
        if (cli_sink_failed(findings->targets[i].sink))
            return true;
    }
    return false;
}

enum ice_status cli_findings_one(const struct ice_finding *finding, void *user) {
    struct cli_findings *findings = user;
    struct ice_baseline *found = findings->cli->found;
    if (found != NULL && findings->cli->command != CLI_CMD_BATCH &&
        ice_baseline_add(found, finding) < 0)
        return ICE_ENOMEM;
    for (size_t i = 0; i < findings->n_targets; i++) {
        enum ice_status status = ice_report_finding(finding, findings->targets[i].report);
        if (status < 0)
            return status;
    }
    return ICE_OK;
}

const char *cli_findings_want(const struct cli_findings *findings, size_t index) {
    const char *what = NULL;
    for (size_t i = 0; i < findings->n_targets && what == NULL; i++)
        what = ice_report_wants(findings->targets[i].report, index);
    return what;
}

enum ice_status cli_findings_answer(struct cli_findings *findings, const char *what) {
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < findings->n_targets && status >= 0; i++)
        status = ice_report_answer(findings->targets[i].report, what);
    return status;
}

enum ice_status cli_findings_row(const struct ice_column *columns,
                                 const struct ice_value *values, size_t n, void *user) {
    struct cli_findings *findings = user;
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < findings->n_targets && status >= 0; i++)
        status = ice_report_row(columns, values, n, findings->targets[i].report);
    return status;
}

enum ice_status cli_findings_summary(struct cli_findings *findings,
                                     const struct ice_summary *summary) {
    for (size_t i = 0; i < findings->n_targets; i++) {
        struct cli_target *target = &findings->targets[i];
        target->options.path = findings->path;
        target->options.key = findings->key;
        target->options.seconds = cli_seconds() - findings->started;
        enum ice_status status =
            ice_report_summary(target->report, summary, &target->options);
        if (status < 0)
            return status;
    }
    return ICE_OK;
}

int cli_findings_open(struct cli *cli, struct cli_findings *out) {
    *out = (struct cli_findings){.cli = cli};
    int opened = open_targets(out);
    if (opened != 0)
        (void)close_targets(out, false);
    return opened;
}

void cli_findings_directory(struct cli_findings *findings, const char *directory) {
    for (size_t i = 0; i < findings->n_targets; i++) {
        if (ice_report_directory(findings->targets[i].report, directory) < 0)
            cli_out_of_memory();
    }
}

int cli_findings_close(struct cli_findings *findings, int code) {
    /* a report that lacks something must not be taken for a whole one */
    bool keep = !cli_findings_failed(findings) && (code & CLI_FAILED) == 0;
    int closed = close_targets(findings, keep);
    return closed == CLI_PIPE_CLOSED ? closed : code | closed;
}
