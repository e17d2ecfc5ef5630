/*
 * Workflow commands of GitHub Actions: an annotation a finding, on the file and line. The
 * runner shows ten a level and step, so no more are written, the first of each; lines for
 * people say what each table came to and how many were left out, which stand in the job
 * summary (Markdown).
 */
#include "report/report.h"
#include "report/place_uri.h"
#include "report/text_markup.h"
#include "rule/emit.h"

enum { MAX_ANNOTATIONS = 10, KEPT_FREE = 2 };

struct github {
    uint64_t n_shown[4], n_left_out;
};

static struct github *state_of(struct ice_report *report) {
    if (report->state == NULL)
        report->state = ice_calloc(&report->alloc, 1, sizeof(struct github));
    return report->state;
}

static void github_release(struct ice_report *report) {
    ice_free(&report->alloc, report->state, sizeof(struct github));
    report->state = NULL;
}

static const char *command_of(enum ice_severity severity) {
    switch (severity) {
    case ICE_ERROR:
        return "error";
    case ICE_WARN:
        return "warning";
    case ICE_INFO:
    case ICE_OFF:
        break;
    }
    return "notice";
}

/* Paths, not URIs: GitHub takes those of the repository. */
static void put_place(struct ice_report *report, const struct ice_location *at) {
    struct ice_text *text = &report->text;
    if (at->file.size == 0)
        return;
    ice_text_put(text, " file=");
    if (ice_place_is_relative(at->file))
        ice_text_property(text, report->prefix);
    ice_text_property(text, at->file);
    if (at->line > 0) {
        ice_text_put(text, ",line=");
        ice_text_u64(text, at->line);
        ice_text_put(text, ",col=");
        ice_text_u64(text, at->column);
    }
}

/* Counts it; is there room for one more? What hurts old snapshots alone leaves places for
 * what a current state needs. */
static bool has_room(struct github *github, enum ice_severity severity, bool is_old,
                     uint64_t n) {
    const uint64_t most = is_old ? MAX_ANNOTATIONS - KEPT_FREE : MAX_ANNOTATIONS;
    if (github->n_shown[severity] >= most) {
        github->n_left_out += n;
        return false;
    }
    github->n_shown[severity]++;
    github->n_left_out += n - 1;
    return true;
}

static enum ice_status github_finding(struct ice_report *report,
                                      const struct ice_finding *finding) {
    struct ice_text *text = &report->text;
    struct github *github = state_of(report);
    if (github == NULL)
        return ICE_ENOMEM;
    struct ice_str scope = ice_args_scope(finding->args, finding->n_args);
    bool is_old = scope.size > 0 && !ice_str_is(scope, "head");
    if (!has_room(github, finding->severity, is_old, 1 + finding->more))
        return ICE_OK;
    ice_text_put(text, "::");
    ice_text_put(text, command_of(finding->severity));
    put_place(report, &finding->at);
    ice_text_put(text, finding->at.file.size > 0 ? ",title=" : " title=");
    ice_text_put(text, finding->rule->name);
    ice_text_put(text, "::");
    ice_text_command(text, finding->message);
    ice_text_more(text, finding->more);
    ice_text_put(text, "%0A");
    ice_text_command(text, ice_str_from(finding->rule->why));
    if (finding->rule->fix[0] != '\0') {
        ice_text_put(text, "%0ATry: ");
        ice_text_command(text, ice_str_from(finding->rule->fix));
    }
    ice_text_put(text, "\n");
    return text->status;
}

/* What was asked and not checked counts as an error: no silence. */
static void put_missed(struct ice_report *report, struct github *github,
                       const struct ice_not_evaluated *line) {
    struct ice_text *text = &report->text;
    const struct ice_location at = {.file = line->file};
    if (!has_room(github, ICE_ERROR, false, 1 + line->more))
        return;
    ice_text_put(text, "::error");
    put_place(report, &at);
    ice_text_put(text,
                 at.file.size > 0 ? ",title=not checked::" : " title=not checked::");
    ice_text_command(text, line->what);
    ice_text_put(text, ": ");
    ice_text_command(text, line->why);
    ice_text_more(text, line->more);
    ice_text_put(text, "\n");
}

static enum ice_status github_summary(struct ice_report *report,
                                      const struct ice_summary *summary) {
    struct ice_text *text = &report->text;
    struct github *github = state_of(report);
    if (github == NULL)
        return ICE_ENOMEM;
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        if (summary->not_evaluated[i].asked)
            put_missed(report, github, &summary->not_evaluated[i]);
    }
    ice_text_put(text, "icefsck: ");
    ice_text_escaped(text, summary->table);
    ice_text_put(text, ": ");
    ice_text_verdict(text, summary);
    ice_text_baseline(text, ", ", summary);
    if (!summary->complete)
        ice_text_put(text, ", not checked completely");
    ice_text_put(text, "\n");
    return ice_text_finish(text);
}

static enum ice_status github_finish(struct ice_report *report) {
    struct ice_text *text = &report->text;
    struct github *github = state_of(report);
    if (github == NULL)
        return ICE_ENOMEM;
    if (github->n_left_out > 0) {
        ice_text_put(text, "icefsck: ");
        ice_text_grouped(text, github->n_left_out);
        ice_text_put(text, " more than the ten annotations of a level that GitHub shows: "
                           "-o ndjson:FILE has all\n");
    }
    return ice_text_finish(text);
}

const struct ice_report_ops ice_report_github = {github_finding, github_summary,
                                                 github_finish, github_release};
