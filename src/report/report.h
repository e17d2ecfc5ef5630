/*
 * Inside of struct ice_report: what every format of findings provides. A format sees
 * findings in their order, then the summary of their table, and so on, then the end.
 */
#ifndef ICE_REPORT_REPORT_H
#define ICE_REPORT_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "json/writer.h"
#include "report/text.h"

struct ice_report;

struct ice_report_ops {
    enum ice_status (*finding)(struct ice_report *report,
                               const struct ice_finding *finding);
    enum ice_status (*summary)(struct ice_report *report,
                               const struct ice_summary *summary);
    enum ice_status (*finish)(struct ice_report *report);
    /* NULL, or frees report->state, which is NULL until the format sets it. */
    void (*release)(struct ice_report *report);
};

extern const struct ice_report_ops ice_report_human, ice_report_short, ice_report_json,
    ice_report_ndjson, ice_report_lines, ice_report_html;
extern const struct ice_report_ops ice_report_sarif, ice_report_junit, ice_report_github,
    ice_report_markdown;

/* Findings of one rule and severity in the table at hand: the first few, and how many. */
enum { ICE_FOLD_SHOWN = 3 };
struct ice_fold {
    const struct ice_rule *rule;
    enum ice_severity severity;
    uint64_t total;
    size_t n_shown, n_current; /* those that hurt a current state come first */
    struct ice_fold_line {
        struct ice_location at;
        struct ice_str message;
    } shown[ICE_FOLD_SHOWN];
};

/* folds.c: hold a finding in report->folds; all of them end with their table. */
enum ice_status ice_report_fold(struct ice_report *report,
                                const struct ice_finding *finding);
void ice_report_forget_folds(struct ice_report *report);
/* The arguments of a finding as a JSON object (json.c). */
void ice_report_put_args(struct ice_json_writer *w, const struct ice_finding *finding);
/* An ice_write_fn; user is a struct ice_buf. */
enum ice_status ice_report_hold(const char *data, size_t size, void *user);

struct ice_report {
    struct ice_alloc alloc;
    const struct ice_report_ops *ops;
    struct ice_report_options options;
    ice_write_fn write;
    void *user;
    bool finished;
    uint64_t n_tables, n_tables_found, n_tables_incomplete;
    uint64_t counts[4]; /* over all tables */

    struct ice_text text;   /* human, short */
    struct ice_arena arena; /* human: texts of folds */
    struct ice_fold *folds;
    size_t n_folds, cap_folds;
    struct ice_str prefix; /* short: in front of relative files; in prefix_text */
    struct ice_buf prefix_text;

    struct ice_json_writer json; /* json, ndjson */
    struct ice_buf held;         /* json, lines: findings of the table at hand */

    void *state; /* what one format alone keeps: allocated and freed by it */
};

#endif
