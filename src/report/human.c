/*
 * For people, one screen: the table, its findings worst first and folded by rule, and
 * always a last line that says what was read and what was not checked.
 */
#include "report/report.h"

enum { RULE_COLUMN = 30, MAX_MISSED_SHOWN = 10, MAX_WORDS_SHOWN = 3 };

enum style { STYLE_NONE, STYLE_ERROR, STYLE_WARN, STYLE_INFO, STYLE_BOLD, STYLE_DIM };

static void style(struct ice_report *report, enum style wanted) {
    static const char *const codes[] = {
        [STYLE_NONE] = "\033[0m",    [STYLE_ERROR] = "\033[1;31m",
        [STYLE_WARN] = "\033[1;33m", [STYLE_INFO] = "\033[36m",
        [STYLE_BOLD] = "\033[1m",    [STYLE_DIM] = "\033[2m"};
    if (report->options.color)
        ice_text_put(&report->text, codes[wanted]);
}

static enum style style_of(enum ice_severity severity) {
    switch (severity) {
    case ICE_ERROR:
        return STYLE_ERROR;
    case ICE_WARN:
        return STYLE_WARN;
    case ICE_INFO:
    case ICE_OFF:
        return STYLE_INFO;
    }
    return STYLE_NONE;
}

static enum ice_status human_finding(struct ice_report *report,
                                     const struct ice_finding *finding) {
    return report->options.quiet ? ICE_OK : ice_report_fold(report, finding);
}

/* ---- one fold ---- */

static void put_place(struct ice_report *report, const struct ice_location *at) {
    struct ice_text *text = &report->text;
    ice_text_escaped(text, at->file);
    bool is_row = ice_str_starts(at->pointer, ICE_STR("/records/"));
    if (at->line > 0) {
        ice_text_put(text, ":");
        ice_text_u64(text, at->line);
        ice_text_put(text, ":");
        ice_text_u64(text, at->column);
    }
    if (at->pointer.size > 0 && !is_row) {
        ice_text_put(text, "  ");
        ice_text_escaped(text, at->pointer);
    } else if (at->record != ICE_NO_OFFSET) {
        ice_text_put(text, "  record ");
        ice_text_u64(text, at->record);
    } else if (at->block != ICE_NO_OFFSET) {
        ice_text_put(text, "  block ");
        ice_text_u64(text, at->block);
        if (at->offset != ICE_NO_OFFSET) {
            ice_text_put(text, " at byte ");
            ice_text_u64(text, at->offset);
        }
    } else if (at->line == 0 && at->offset != ICE_NO_OFFSET && at->offset > 0) {
        ice_text_put(text, "  byte ");
        ice_text_u64(text, at->offset);
    }
    if (at->file.size > 0)
        ice_text_put(text, ":  ");
}

static void put_line(struct ice_report *report, const struct ice_fold *fold, size_t i) {
    struct ice_text *text = &report->text;
    if (i == 0) {
        const char *severity = ice_severity_name(fold->severity),
                   *rule = fold->rule->name;
        ice_text_put(text, "  ");
        style(report, style_of(fold->severity));
        ice_text_put(text, severity);
        style(report, STYLE_NONE);
        ice_text_spaces(text, 7 - strlen(severity));
        style(report, STYLE_BOLD);
        ice_text_put(text, rule);
        style(report, STYLE_NONE);
        size_t width = strlen(rule);
        ice_text_spaces(text, width < RULE_COLUMN ? RULE_COLUMN - width : 0);
    } else {
        ice_text_spaces(text, 9 + RULE_COLUMN);
    }
    ice_text_put(text, "  ");
    put_place(report, &fold->shown[i].at);
    ice_text_escaped(text, fold->shown[i].message);
    if (i + 1 == fold->n_shown && fold->total > fold->n_shown) {
        ice_text_put(text, "  (+");
        ice_text_grouped(text, fold->total - fold->n_shown);
        ice_text_put(text, " more)");
    }
    ice_text_put(text, "\n");
}

static void put_explain(struct ice_text *text, const struct ice_rule *rule) {
    ice_text_put(text, "  [icefsck explain ");
    ice_text_put(text, rule->name);
    ice_text_put(text, "]");
}

static void put_fold(struct ice_report *report, const struct ice_fold *fold) {
    struct ice_text *text = &report->text;
    for (size_t i = 0; i < fold->n_shown; i++)
        put_line(report, fold, i);
    ice_text_spaces(text, 9);
    style(report, STYLE_DIM);
    ice_text_put(text, "\xe2\x86\xb3 "); /* an arrow */
    ice_text_put(text, fold->rule->why);
    if (fold->rule->fix[0] != '\0') {
        ice_text_put(text, "  Try: ");
        ice_text_put(text, fold->rule->fix);
    }
    put_explain(text, fold->rule);
    style(report, STYLE_NONE);
    ice_text_put(text, "\n");
}

/* ---- the table ---- */

static void put_header(struct ice_report *report, const struct ice_summary *summary) {
    struct ice_text *text = &report->text;
    style(report, STYLE_BOLD);
    ice_text_escaped(text, summary->table);
    style(report, STYLE_NONE);
    if (summary->location.size > 0) {
        ice_text_put(text, "  ");
        ice_text_escaped(text, summary->location);
    }
    if (summary->format_version > 0) {
        ice_text_put(text, "   v");
        ice_text_i64(text, summary->format_version);
    }
    if (summary->metadata_file.size > 0) {
        size_t slash = ice_str_rfind(summary->metadata_file, '/');
        ice_text_put(text, "  \xc2\xb7  "); /* a middle dot */
        ice_text_escaped(text,
                         slash == SIZE_MAX
                             ? summary->metadata_file
                             : ice_str_from_index(summary->metadata_file, slash + 1));
    }
    const char *between = "  \xc2\xb7  ";
    if (summary->n_metadata_files > 0) {
        ice_text_count(text, between, summary->n_refs, "ref", "refs");
        ice_text_count(text, ", ", summary->n_snapshots, "snapshot", "snapshots");
        between = ", ";
    }
    if (summary->n_manifests > 0) {
        ice_text_count(text, between, summary->n_manifests, "manifest", "manifests");
        ice_text_count(text, ", ", summary->n_entries, "file", "files");
    }
    ice_text_put(text, "\n");
}

/* The rule that a reason names, unless its finding is shown anyway. */
static const struct ice_rule *hidden_rule(const struct ice_report *report,
                                          struct ice_str why) {
    char name[96];
    if (why.size == 0 || why.size >= sizeof(name))
        return NULL;
    memcpy(name, why.data, why.size);
    name[why.size] = '\0';
    const struct ice_rule *rule = ice_rule_find(name);
    for (size_t i = 0; i < report->n_folds; i++) {
        if (report->folds[i].rule == rule)
            return NULL;
    }
    return rule;
}

static void put_way_out(struct ice_report *report, const struct ice_rule *rule) {
    if (rule == NULL || rule->fix[0] == '\0')
        return;
    struct ice_text *text = &report->text;
    ice_text_spaces(text, 9);
    style(report, STYLE_DIM);
    ice_text_put(text, "\xe2\x86\xb3 Try: ");
    ice_text_put(text, rule->fix);
    put_explain(text, rule);
    style(report, STYLE_NONE);
    ice_text_put(text, "\n");
}

/* A line each, for what was asked; the way out once for equal reasons in a row. */
static void put_not_checked(struct ice_report *report,
                            const struct ice_summary *summary) {
    struct ice_text *text = &report->text;
    const struct ice_rule *reason = NULL;
    uint64_t shown = 0, more = 0;
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        if (!line->asked)
            continue;
        const struct ice_rule *rule = hidden_rule(report, line->why);
        if (rule != reason)
            put_way_out(report, reason);
        reason = rule;
        if (shown++ >= MAX_MISSED_SHOWN) {
            more += 1 + line->more;
            continue;
        }
        ice_text_put(text, "  ");
        style(report, STYLE_WARN);
        ice_text_put(text, "not checked");
        style(report, STYLE_NONE);
        ice_text_put(text, "  ");
        ice_text_escaped(text, ice_plain_words(line->what));
        if (line->file.size > 0) {
            ice_text_put(text, "  ");
            ice_text_escaped(text, line->file);
        }
        ice_text_put(text, ":  ");
        ice_text_escaped(text, line->why);
        ice_text_more(text, line->more);
        ice_text_put(text, "\n");
    }
    if (more > 0) {
        ice_text_put(text, "  not checked ");
        ice_text_more(text, more);
        ice_text_put(text, "\n");
    }
    put_way_out(report, reason);
}

static void put_bytes(struct ice_text *text, uint64_t bytes) {
    char words[ICE_GROUPED_SIZE];
    ice_text_put(text, ice_bytes_text(bytes, " ", words));
}

static const char between_parts[] = " \xc2\xb7 ";

/* " · title: a (why), b (why) and 3 more" of the lines that were, or were not, asked */
static void put_missing(struct ice_text *text, const struct ice_summary *summary,
                        bool asked, const char *title) {
    const uint64_t most =
        asked ? 1 : MAX_WORDS_SHOWN; /* what was asked has its own lines */
    uint64_t shown = 0, more = 0;
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        if (line->asked != asked)
            continue;
        more += line->more;
        if (shown >= most) {
            more++;
            continue;
        }
        ice_text_put(text, shown == 0 ? between_parts : ", ");
        if (shown == 0)
            ice_text_put(text, title);
        shown++;
        ice_text_escaped(text, ice_plain_words(line->what));
        if (line->file.size > 0) {
            ice_text_put(text, " ");
            ice_text_escaped(text, line->file);
        }
        ice_text_put(text, " (");
        ice_text_escaped(text, line->why);
        ice_text_put(text, ")");
    }
    if (more > 0) {
        ice_text_put(text, " and ");
        ice_text_grouped(text, more);
        ice_text_put(text, " more");
    }
}

static void put_last_line(struct ice_report *report, const struct ice_summary *summary) {
    struct ice_text *text = &report->text;
    ice_text_escaped(text, summary->table);
    ice_text_put(text, ": ");
    bool bad = summary->counts[ICE_ERROR] > 0 || !summary->complete;
    style(report, bad                             ? STYLE_ERROR
                  : summary->counts[ICE_WARN] > 0 ? STYLE_WARN
                                                  : STYLE_BOLD);
    ice_text_verdict(text, summary);
    style(report, STYLE_NONE);
    ice_text_baseline(text, between_parts, summary);
    if (summary->interrupted) {
        ice_text_put(text, between_parts);
        ice_text_put(text, "interrupted");
    }
    if (report->options.times) {
        double seconds = report->options.seconds;
        uint64_t tenths = seconds > 0 ? (uint64_t)(seconds * 10 + 0.5) : 0;
        ice_text_put(text, between_parts);
        ice_text_put(text, "checked in ");
        ice_text_u64(text, tenths / 10);
        ice_text_put(text, ".");
        ice_text_u64(text, tenths % 10);
        ice_text_put(text, " s");
    }
    ice_text_put(text, between_parts);
    put_bytes(text, summary->n_bytes);
    ice_text_put(text, " read");
    put_missing(text, summary, true, "not checked: ");
    put_missing(text, summary, false, "not asked: ");
    ice_text_put(text, "\n");
}

static enum ice_status human_summary(struct ice_report *report,
                                     const struct ice_summary *summary) {
    if (!report->options.quiet) {
        if (report->n_tables > 0)
            ice_text_put(&report->text, "\n");
        put_header(report, summary);
        for (int level = ICE_ERROR; level >= ICE_INFO; level--) {
            for (size_t i = 0; i < report->n_folds; i++) {
                if ((int)report->folds[i].severity == level)
                    put_fold(report, &report->folds[i]);
            }
        }
        put_not_checked(report, summary);
    }
    put_last_line(report, summary);
    ice_report_forget_folds(report);
    return ice_text_finish(&report->text);
}

static enum ice_status human_finish(struct ice_report *report) {
    struct ice_text *text = &report->text;
    if (report->n_tables > 1) {
        if (!report->options.quiet)
            ice_text_put(text, "\n");
        ice_text_count(text, "", report->n_tables, "table", "tables");
        ice_text_put(text, ": ");
        ice_text_counts(text, report->counts);
        if (report->n_tables_found > 0)
            ice_text_count(text, " in ", report->n_tables_found, "table", "tables");
        if (report->n_tables_incomplete > 0) {
            ice_text_count(text, between_parts, report->n_tables_incomplete, "table",
                           "tables");
            ice_text_put(text, " not checked completely");
        }
        ice_text_put(text, "\n");
    }
    return ice_text_finish(text);
}

const struct ice_report_ops ice_report_human = {human_finding, human_summary,
                                                human_finish, NULL};
