/*
 * Markdown (CommonMark with the tables of GitHub): for a job summary, a comment or a
 * wiki. Verdict first, then the tables with errors, those that were not checked
 * completely, the others with findings; the sound ones are only counted. Held until the
 * end, at most MAX_BYTES of sections, since a job summary takes no more than a megabyte.
 */
#include "report/report.h"
#include "report/text_markup.h"

#include "base/error.h"

enum { MAX_BYTES = 800 << 10, MAX_ROW_BYTES = 100 << 10 };

enum rank { WITH_ERRORS, INCOMPLETE, WITH_OTHERS, RANKS };

struct markdown {
    struct ice_buf rows[RANKS], sections[RANKS]; /* of tables */
    struct ice_buf only;                         /* section of a first, sound table */
    size_t n_bytes, n_row_bytes;
    uint64_t n_sound, n_left_out; /* tables */
};

static struct markdown *state_of(struct ice_report *report) {
    struct markdown *markdown = report->state;
    if (markdown != NULL)
        return markdown;
    markdown = ice_calloc(&report->alloc, 1, sizeof(*markdown));
    if (markdown == NULL)
        return NULL;
    for (int i = 0; i < RANKS; i++) {
        ice_buf_init(&markdown->rows[i], &report->alloc, SIZE_MAX / 2);
        ice_buf_init(&markdown->sections[i], &report->alloc, SIZE_MAX / 2);
    }
    ice_buf_init(&markdown->only, &report->alloc, SIZE_MAX / 2);
    report->state = markdown;
    return markdown;
}

static void markdown_release(struct ice_report *report) {
    struct markdown *markdown = report->state;
    if (markdown == NULL)
        return;
    for (int i = 0; i < RANKS; i++) {
        ice_buf_release(&markdown->rows[i]);
        ice_buf_release(&markdown->sections[i]);
    }
    ice_buf_release(&markdown->only);
    ice_free(&report->alloc, markdown, sizeof(*markdown));
    report->state = NULL;
}

/* ---- one table ---- */

static const char between_parts[] = " \xc2\xb7 ";

static void put_facts(struct ice_text *text, const struct ice_summary *summary) {
    const char *between = "";
    if (summary->location.size > 0) {
        ice_text_markdown_name(text, summary->location);
        between = between_parts;
    }
    if (summary->format_version > 0) {
        ice_text_put(text, between);
        ice_text_put(text, "v");
        ice_text_i64(text, summary->format_version);
        between = between_parts;
    }
    if (summary->metadata_file.size > 0) {
        ice_text_put(text, between);
        ice_text_markdown_name(text, summary->metadata_file);
        between = between_parts;
    }
    if (summary->n_metadata_files > 0) {
        ice_text_count(text, between, summary->n_snapshots, "snapshot", "snapshots");
        ice_text_count(text, ", ", summary->n_manifests, "manifest", "manifests");
        ice_text_count(text, ", ", summary->n_entries, "file", "files");
    }
    ice_text_baseline(text, between_parts, summary);
    ice_text_put(text, "\n\n");
}

static void put_place(struct ice_text *text, const struct ice_location *at) {
    if (at->file.size > 0)
        ice_text_markdown_name(text, at->file);
    if (at->line > 0) {
        ice_text_put(text, " line ");
        ice_text_u64(text, at->line);
    } else if (at->record != ICE_NO_OFFSET) {
        ice_text_put(text, " record ");
        ice_text_u64(text, at->record);
    } else if (at->block != ICE_NO_OFFSET) {
        ice_text_put(text, " block ");
        ice_text_u64(text, at->block);
    }
    if (at->pointer.size > 0) {
        ice_text_put(text, " ");
        ice_text_markdown_name(text, at->pointer);
    }
}

static void put_fold(struct ice_text *text, const struct ice_fold *fold) {
    for (size_t i = 0; i < fold->n_shown; i++) {
        ice_text_put(text, "| ");
        ice_text_put(text, ice_severity_name(fold->severity));
        ice_text_put(text, " | `");
        ice_text_put(text, fold->rule->name);
        ice_text_put(text, "` | ");
        put_place(text, &fold->shown[i].at);
        ice_text_put(text, " | ");
        ice_text_markdown(text, fold->shown[i].message);
        if (i + 1 == fold->n_shown)
            ice_text_more(text, fold->total - fold->n_shown);
        ice_text_put(text, " |\n");
    }
}

static void put_folds(struct ice_report *report, struct ice_text *text) {
    if (report->n_folds == 0)
        return;
    ice_text_put(text, "| severity | rule | where | what |\n|---|---|---|---|\n");
    for (int level = ICE_ERROR; level >= ICE_INFO; level--) {
        for (size_t i = 0; i < report->n_folds; i++) {
            if ((int)report->folds[i].severity == level)
                put_fold(text, &report->folds[i]);
        }
    }
    ice_text_put(text, "\n");
}

static void put_advice(struct ice_text *text, const struct ice_rule *rule) {
    ice_text_put(text, "- `");
    ice_text_put(text, rule->name);
    ice_text_put(text, "`: ");
    ice_text_markdown(text, ice_str_from(rule->why));
    if (rule->fix[0] != '\0') {
        ice_text_put(text, " **Try:** ");
        ice_text_markdown(text, ice_str_from(rule->fix));
    }
    ice_text_put(text, "\n");
}

/* A rule may have folds of two severities; its advice stands once. */
static bool is_first_of_rule(const struct ice_report *report, size_t index) {
    for (size_t i = 0; i < index; i++) {
        if (report->folds[i].rule == report->folds[index].rule)
            return false;
    }
    return true;
}

static void put_all_advice(struct ice_report *report, struct ice_text *text) {
    for (size_t i = 0; i < report->n_folds; i++) {
        if (is_first_of_rule(report, i))
            put_advice(text, report->folds[i].rule);
    }
    if (report->n_folds > 0)
        ice_text_put(text, "\n");
}

static void put_missed(struct ice_text *text, const struct ice_summary *summary,
                       bool asked) {
    enum { MOST = 20 };
    uint64_t n = 0, more = 0;
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        const struct ice_not_evaluated *line = &summary->not_evaluated[i];
        if (line->asked != asked)
            continue;
        if (n++ >= MOST) {
            more += 1 + line->more;
            continue;
        }
        ice_text_put(text, asked ? "- **not checked:** " : "- not asked: ");
        ice_text_markdown(text, ice_plain_words(line->what));
        if (line->file.size > 0) {
            ice_text_put(text, " ");
            ice_text_markdown_name(text, line->file);
        }
        ice_text_put(text, " (");
        ice_text_markdown(text, line->why);
        ice_text_put(text, ")");
        ice_text_more(text, line->more);
        ice_text_put(text, "\n");
    }
    if (more > 0) {
        ice_text_put(text, asked ? "- **not checked**" : "- not asked");
        ice_text_more(text, more);
        ice_text_put(text, "\n");
    }
}

static void put_section(struct ice_report *report, struct ice_text *text,
                        const struct ice_summary *summary) {
    ice_text_put(text, "## ");
    ice_text_markdown_name(text, summary->table);
    ice_text_put(text, "\n\n");
    put_facts(text, summary);
    put_folds(report, text);
    put_all_advice(report, text);
    put_missed(text, summary, true);
    put_missed(text, summary, false);
    ice_text_put(text, "\n");
}

static void put_row(struct ice_text *text, const struct ice_summary *summary) {
    ice_text_put(text, "| ");
    ice_text_markdown_name(text, summary->table);
    for (int level = ICE_ERROR; level >= ICE_INFO; level--) {
        ice_text_put(text, " | ");
        ice_text_grouped(text, summary->counts[level]);
    }
    ice_text_put(text, summary->interrupted ? " | interrupted |\n"
                       : summary->complete  ? " | all that was asked |\n"
                                            : " | **not completely** |\n");
}

/* ---- the report ---- */

static enum ice_status markdown_finding(struct ice_report *report,
                                        const struct ice_finding *finding) {
    return ice_report_fold(report, finding);
}

static enum ice_status hold_section(struct ice_report *report, struct ice_buf *out,
                                    const struct ice_summary *summary) {
    struct ice_text text;
    ice_text_init(&text, ice_report_hold, out);
    put_section(report, &text, summary);
    return ice_text_finish(&text);
}

static enum ice_status hold_table(struct ice_report *report, enum rank rank,
                                  const struct ice_summary *summary) {
    struct markdown *markdown = report->state;
    struct ice_text text;
    if (markdown->n_row_bytes < MAX_ROW_BYTES) {
        size_t before = markdown->rows[rank].size;
        ice_text_init(&text, ice_report_hold, &markdown->rows[rank]);
        put_row(&text, summary);
        ICE_TRY(ice_text_finish(&text));
        markdown->n_row_bytes += markdown->rows[rank].size - before;
    }
    if (markdown->n_bytes >= MAX_BYTES) {
        markdown->n_left_out++;
        return ICE_OK;
    }
    size_t before = markdown->sections[rank].size;
    ICE_TRY(hold_section(report, &markdown->sections[rank], summary));
    markdown->n_bytes += markdown->sections[rank].size - before;
    return ICE_OK;
}

static enum ice_status markdown_summary(struct ice_report *report,
                                        const struct ice_summary *summary) {
    struct markdown *markdown = state_of(report);
    enum ice_status status = ICE_OK;
    if (markdown == NULL)
        return ICE_ENOMEM;
    if (summary->counts[ICE_ERROR] > 0)
        status = hold_table(report, WITH_ERRORS, summary);
    else if (!summary->complete)
        status = hold_table(report, INCOMPLETE, summary);
    else if (report->n_folds > 0)
        status = hold_table(report, WITH_OTHERS, summary);
    else if (markdown->n_sound++ == 0 && report->n_tables == 0)
        status = hold_section(report, &markdown->only, summary);
    ice_report_forget_folds(report);
    return status;
}

static void put_verdict(struct ice_report *report) {
    struct ice_text *text = &report->text;
    ice_text_put(text, "# icefsck: ");
    ice_text_counts(text, report->counts);
    if (report->n_tables != 1)
        ice_text_count(text, " in ", report->n_tables, "table", "tables");
    if (report->n_tables_incomplete > 0)
        ice_text_count(text, ", ", report->n_tables_incomplete,
                       "table not checked completely", "tables not checked completely");
    ice_text_put(text, "\n\n");
}

static void put_overview(struct ice_report *report) {
    struct ice_text *text = &report->text;
    const struct markdown *markdown = report->state;
    if (report->n_tables < 2)
        return;
    ice_text_put(text, "| table | errors | warnings | infos | checked |\n"
                       "|---|--:|--:|--:|---|\n");
    for (int i = 0; i < RANKS; i++)
        ice_text_raw(text, ice_buf_str(&markdown->rows[i]));
    ice_text_put(text, "\n");
    if (markdown->n_sound > 0) {
        ice_text_count(text, "", markdown->n_sound, "table", "tables");
        ice_text_put(text, " without findings.\n\n");
    }
}

static enum ice_status markdown_finish(struct ice_report *report) {
    struct ice_text *text = &report->text;
    const struct markdown *markdown = state_of(report);
    if (markdown == NULL)
        return ICE_ENOMEM;
    put_verdict(report);
    put_overview(report);
    if (report->n_tables == 1)
        ice_text_raw(text, ice_buf_str(&markdown->only));
    for (int i = 0; i < RANKS; i++)
        ice_text_raw(text, ice_buf_str(&markdown->sections[i]));
    if (markdown->n_left_out > 0) {
        ice_text_count(text, "", markdown->n_left_out, "table", "tables");
        ice_text_put(text, " more with findings have no section here: the page would be "
                           "too large. icefsck -f ndjson has all.\n");
    }
    return ice_text_finish(text);
}

const struct ice_report_ops ice_report_markdown = {markdown_finding, markdown_summary,
                                                   markdown_finish, markdown_release};
