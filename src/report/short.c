/*
 * One line a finding, as compilers print them; stable, for editors and grep.
 *
 *   path:line:col: level: message [rule]
 *   path:#block.record: level: message [rule]      in an Avro file; "-" where unknown
 *
 * What was asked and not checked is a note.
 */
#include "report/report.h"
#include "base/chars.h"

/* A ':' that a reader of the line would take for the end of the path. */
static bool ends_a_path(struct ice_str path, size_t at) {
    size_t next = at + 1;
    if (path.data[at] != ':')
        return false;
    while (next < path.size && ice_is_digit(path.data[next]))
        next++;
    return next == path.size || path.data[next] == ' ' ||
           (path.data[next] == ':' && next > at + 1);
}

static void put_path(struct ice_report *report, struct ice_str path) {
    struct ice_text *text = &report->text;
    bool is_relative =
        path.size > 0 && path.data[0] != '/' && ice_str_find(path, ':') == SIZE_MAX;
    if (is_relative)
        ice_text_escaped(text, report->prefix);
    size_t start = 0;
    for (size_t i = 0; i < path.size; i++) {
        if (!ends_a_path(path, i))
            continue;
        ice_text_escaped(text, (struct ice_str){path.data + start, i - start});
        ice_text_put(text, "\\x3a");
        start = i + 1;
    }
    ice_text_escaped(text, ice_str_from_index(path, start));
    if (path.size == 0)
        ice_text_put(text, "-");
    ice_text_put(text, ":");
}

static void put_number(struct ice_text *text, uint64_t value) {
    if (value == ICE_NO_OFFSET)
        ice_text_put(text, "-");
    else
        ice_text_u64(text, value);
}

static void put_place(struct ice_report *report, const struct ice_location *at) {
    struct ice_text *text = &report->text;
    put_path(report, at->file);
    if (at->line > 0) {
        ice_text_u64(text, at->line);
        ice_text_put(text, ":");
        ice_text_u64(text, at->column);
        ice_text_put(text, ":");
    } else if (at->block != ICE_NO_OFFSET || at->record != ICE_NO_OFFSET) {
        ice_text_put(text, "#");
        put_number(text, at->block);
        ice_text_put(text, ".");
        put_number(text, at->record);
        ice_text_put(text, ":");
    }
    ice_text_put(text, " ");
}

static enum ice_status short_finding(struct ice_report *report,
                                     const struct ice_finding *finding) {
    struct ice_text *text = &report->text;
    put_place(report, &finding->at);
    ice_text_put(text, ice_severity_name(finding->severity));
    ice_text_put(text, ": ");
    ice_text_escaped(text, finding->message);
    ice_text_put(text, " [");
    ice_text_put(text, finding->rule->name);
    ice_text_put(text, "]");
    if (finding->more > 0) {
        ice_text_put(text, " (+");
        ice_text_u64(text, finding->more);
        ice_text_put(text, " more)");
    }
    ice_text_put(text, "\n");
    return text->status;
}

static enum ice_status short_summary(struct ice_report *report,
                                     const struct ice_summary *summary) {
    struct ice_text *text = &report->text;
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        if (!line->asked)
            continue;
        put_path(report, line->file.size > 0 ? line->file : summary->table);
        ice_text_put(text, " note: not checked: ");
        ice_text_escaped(text, line->what);
        ice_text_put(text, ": ");
        ice_text_escaped(text, line->why);
        if (line->more > 0) {
            ice_text_put(text, " (+");
            ice_text_u64(text, line->more);
            ice_text_put(text, " more)");
        }
        ice_text_put(text, "\n");
    }
    return ice_text_finish(text);
}

static enum ice_status short_finish(struct ice_report *report) {
    return ice_text_finish(&report->text);
}

const struct ice_report_ops ice_report_short = {short_finding, short_summary,
                                                short_finish, NULL};
