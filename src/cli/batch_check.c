/*
 * One table of a batch, checked and put into one line.
 */
#include "cli/batch.h"

#include <string.h>

static void keep_verdict(const struct ice_summary *summary, struct cli_verdict *verdict) {
    memcpy(verdict->counts, summary->counts, sizeof(verdict->counts));
    verdict->n_bytes = summary->n_bytes;
    verdict->n_known = summary->n_known;
    verdict->n_fixed = summary->n_fixed;
    verdict->code = summary->exit_code;
    verdict->is_complete = summary->complete;
}

/* The line of a summary, behind the findings that the report holds. */
static void end_line(struct ice_report *report, struct ice_report_options *options,
                     const struct ice_summary *summary, struct cli_verdict *verdict) {
    if (ice_report_summary(report, summary, options) < 0 || ice_report_finish(report) < 0)
        cli_out_of_memory();
    keep_verdict(summary, verdict);
}

static struct ice_report *open_report(const struct cli *cli, struct cli_text *out,
                                      struct ice_report_options *options) {
    struct ice_report *report = NULL;
    options->min_severity = cli->min_severity;
    out->size = 0;
    if (ice_report_open(&report, ICE_FORMAT_LINES, options, NULL, cli_text_append, out,
                        NULL) < 0)
        cli_out_of_memory();
    return report;
}

void cli_job_fail(const struct cli *cli, const char *path, const char *name,
                  const char *why, struct cli_text *out, struct cli_verdict *verdict) {
    struct ice_report_options options = {.path = path};
    struct ice_report *report = open_report(cli, out, &options);
    struct cli_failure failure;
    cli_failure_of(&failure, path, name, why);
    end_line(report, &options, &failure.summary, verdict);
    ice_report_free(report);
    verdict->line_size = out->size;
}

static const char *why_of(const struct ice_error *err, enum ice_status status) {
    return err->message[0] != '\0' ? err->message : ice_status_name(status);
}

/* Where a finding of the job goes. */
struct job_found {
    struct ice_report *report;
    struct ice_baseline *found;
};

static enum ice_status take_finding(const struct ice_finding *finding, void *user) {
    struct job_found *to = user;
    if (to->found != NULL && ice_baseline_add(to->found, finding) < 0)
        return ICE_ENOMEM;
    return ice_report_finding(finding, to->report);
}

void cli_job_run(const struct cli *cli, const struct cli_job *job,
                 struct ice_baseline *found, struct cli_text *out,
                 struct cli_verdict *verdict) {
    struct ice_report_options options = {.path = job->path};
    struct ice_error err = {.offset = ICE_NO_OFFSET};
    struct ice_summary *summary = NULL;
    char key[CLI_KEY_SIZE];
    *verdict = (struct cli_verdict){0};
    struct ice_report *report = open_report(cli, out, &options);
    struct job_found to = {.report = report, .found = found};
    enum ice_status status =
        ice_check_path(job->path, &job->options, take_finding, &to, &summary, &err);
    if (status == ICE_ENOMEM)
        cli_out_of_memory();
    if (summary != NULL) {
        if (!summary->interrupted && summary->metadata_file.size > 0) {
            cli_key_of(cli, job, summary->metadata_file, key);
            options.key = key;
        }
        end_line(report, &options, summary, verdict);
    } else {
        struct cli_failure failure;
        cli_failure_of(&failure, job->path, job->name, why_of(&err, status));
        failure.summary.interrupted = status == ICE_ECANCELLED;
        end_line(report, &options, &failure.summary, verdict);
    }
    bool is_read = summary != NULL && !summary->interrupted;
    ice_summary_free(summary);
    ice_report_free(report);
    verdict->line_size = out->size;
    if (cli->wants_history && is_read)
        verdict->n_dropped = cli_history_append(job, out);
}
