/*
 * Findings and rows of one table at a time; its section is made as soon as it is done.
 */
#include "report/html.h"

#include "base/error.h"
#include "rule/emit.h"

/* ---- the page ---- */

struct ice_html *ice_html_of(struct ice_report *report) {
    if (report->state != NULL)
        return report->state;
    struct ice_html *html = ice_calloc(&report->alloc, 1, sizeof(*html));
    if (html == NULL)
        return NULL;
    html->alloc = &report->alloc;
    ice_arena_init(&html->arena, html->alloc);
    ice_html_facts_init(&html->facts, html->alloc);
    report->state = html;
    return html;
}

static void release_table(struct ice_html_table *table) {
    ice_buf_release(&table->name);
    ice_buf_release(&table->where);
    ice_buf_release(&table->worst);
    ice_buf_release(&table->section);
}

static void html_release(struct ice_report *report) {
    struct ice_html *html = report->state;
    if (html == NULL)
        return;
    for (size_t i = 0; i < html->n_tables; i++)
        release_table(&html->tables[i]);
    ice_array_free(html->alloc, &html->tables, &html->cap_tables, sizeof(*html->tables));
    ice_array_free(html->alloc, &html->folds, &html->cap_folds, sizeof(*html->folds));
    ice_html_facts_release(&html->facts);
    ice_arena_release(&html->arena);
    ice_free(html->alloc, html, sizeof(*html));
    report->state = NULL;
}

/* ---- findings ---- */

static struct ice_html_fold *fold_of(struct ice_html *html,
                                     const struct ice_finding *finding) {
    for (size_t i = 0; i < html->n_folds; i++) {
        struct ice_html_fold *fold = &html->folds[i];
        if (fold->rule == finding->rule && fold->severity == finding->severity)
            return fold;
    }
    if (!ice_array_reserve(html->alloc, &html->folds, html->n_folds, &html->cap_folds,
                           sizeof(*html->folds)))
        return NULL;
    struct ice_html_fold *fold = &html->folds[html->n_folds++];
    *fold = (struct ice_html_fold){.rule = finding->rule, .severity = finding->severity};
    return fold;
}

static bool keep_text(struct ice_html *html, struct ice_str *text) {
    return ice_arena_dup(&html->arena, *text, text);
}

/* Room for one more in an array of the arena. */
static bool reserve_shown(struct ice_html *html, struct ice_html_fold *fold) {
    if (fold->n_shown < fold->cap_shown)
        return true;
    size_t capacity = fold->cap_shown == 0 ? 4 : 2 * fold->cap_shown;
    struct ice_html_finding *more =
        ice_arena_array(&html->arena, capacity, sizeof(*more));
    if (more == NULL)
        return false;
    if (fold->n_shown > 0)
        memcpy(more, fold->shown, fold->n_shown * sizeof(*more));
    fold->shown = more;
    fold->cap_shown = capacity;
    return true;
}

static bool is_full(const struct ice_html *html, const struct ice_html_fold *fold) {
    return fold->n_shown == ICE_HTML_RULE_FINDINGS ||
           (html->n_shown >= ICE_HTML_TABLE_FINDINGS &&
            fold->n_shown > 0); /* of each rule at least one is shown */
}

static enum ice_status html_finding(struct ice_report *report,
                                    const struct ice_finding *finding) {
    struct ice_html *html = ice_html_of(report);
    struct ice_html_fold *fold = html == NULL ? NULL : fold_of(html, finding);
    if (fold == NULL)
        return ICE_ENOMEM;
    fold->total += 1 + finding->more;
    bool is_current = ice_args_are_current(finding->args, finding->n_args);
    size_t index = is_current ? fold->n_current : fold->n_shown;
    bool replaces = is_full(html, fold);
    if (replaces && index == fold->n_shown)
        return ICE_OK;
    struct ice_html_finding kept = {.at = finding->at,
                                    .other = finding->other,
                                    .message = finding->message,
                                    .more = finding->more,
                                    .fingerprint = finding->fingerprint};
    if ((!replaces && !reserve_shown(html, fold)) || !keep_text(html, &kept.at.file) ||
        !keep_text(html, &kept.at.pointer) || !keep_text(html, &kept.other.file) ||
        !keep_text(html, &kept.other.pointer) || !keep_text(html, &kept.message))
        return ICE_ENOMEM;
    if (!replaces) {
        fold->n_shown++;
        html->n_shown++;
    }
    for (size_t i = fold->n_shown - 1; i > index; i--)
        fold->shown[i] = fold->shown[i - 1];
    fold->shown[index] = kept;
    fold->n_current += is_current;
    return ICE_OK;
}

/* ---- rows ---- */

static const char *const answer_names[ICE_HTML_ANSWERS] = {
    [ICE_HTML_HISTORY] = "history",
    [ICE_HTML_MANIFEST_ROWS] = "manifests",
};

const char *ice_report_wants(const struct ice_report *report, size_t index) {
    if (report->ops != &ice_report_html || index + 1 >= ICE_HTML_ANSWERS)
        return NULL;
    return answer_names[index + 1];
}

enum ice_status ice_report_answer(struct ice_report *report, const char *what) {
    if (report->ops != &ice_report_html)
        return ICE_OK;
    struct ice_html *html = ice_html_of(report);
    if (html == NULL)
        return ICE_ENOMEM;
    for (size_t i = 1; i < ICE_HTML_ANSWERS; i++) {
        if (strcmp(answer_names[i], what) != 0)
            continue;
        html->facts.answer = (enum ice_html_answer)i;
        html->facts.was_asked[i] = true;
        return ICE_OK;
    }
    return ICE_EARG;
}

enum ice_status ice_report_row(const struct ice_column *columns,
                               const struct ice_value *values, size_t n, void *user) {
    struct ice_report *report = user;
    if (report->ops != &ice_report_html)
        return ICE_OK;
    struct ice_html *html = ice_html_of(report);
    return html == NULL ? ICE_ENOMEM
                        : ice_html_facts_row(&html->facts, columns, values, n);
}

/* ---- tables ---- */

/* Worst first; of one severity as they came. */
static void sort_folds(struct ice_html *html) {
    for (size_t i = 1; i < html->n_folds; i++) {
        struct ice_html_fold fold = html->folds[i];
        size_t at = i;
        for (; at > 0 && html->folds[at - 1].severity < fold.severity; at--)
            html->folds[at] = html->folds[at - 1];
        html->folds[at] = fold;
    }
}

static bool is_worse(const struct ice_html_table *a, const struct ice_html_table *b) {
    if (a->verdict != b->verdict)
        return a->verdict > b->verdict;
    for (size_t level = ICE_ERROR; level >= ICE_INFO; level--) {
        if (a->counts[level] != b->counts[level])
            return a->counts[level] > b->counts[level];
    }
    return a->number < b->number;
}

static void drop_section(struct ice_html *html, struct ice_html_table *table) {
    html->section_bytes -= table->section.size;
    html->n_sections--;
    ice_buf_release(&table->section);
}

/* Beyond the ceilings the least bad tables lose their sections, then their lines. */
static void cut(struct ice_html *html) {
    for (size_t i = html->n_tables;
         i > 1 && (html->n_sections > ICE_HTML_SECTIONS ||
                   html->section_bytes > ICE_HTML_SECTION_BYTES);
         i--) {
        if (html->tables[i - 1].section.size > 0)
            drop_section(html, &html->tables[i - 1]);
    }
    if (html->n_tables > ICE_HTML_ROWS) {
        struct ice_html_table *last = &html->tables[--html->n_tables];
        if (last->section.size > 0)
            drop_section(html, last);
        release_table(last);
        html->n_left_out++;
    }
}

/* Takes what the table holds. */
static enum ice_status add_table(struct ice_html *html,
                                 const struct ice_html_table *table) {
    if (!ice_array_reserve(html->alloc, &html->tables, html->n_tables, &html->cap_tables,
                           sizeof(*html->tables)))
        return ICE_ENOMEM;
    size_t at = html->n_tables++;
    for (; at > 0 && is_worse(table, &html->tables[at - 1]); at--)
        html->tables[at] = html->tables[at - 1];
    html->tables[at] = *table;
    html->n_sections++;
    html->section_bytes += table->section.size;
    cut(html);
    return ICE_OK;
}

static enum ice_status make_table(struct ice_html *html, struct ice_str directory,
                                  const struct ice_summary *summary,
                                  struct ice_html_table *table) {
    struct ice_html_text out = {.buf = &table->section};
    if (directory.size > 1 && directory.data[directory.size - 1] == '/')
        directory.size--;
    ice_buf_init(&table->name, html->alloc, SIZE_MAX / 2);
    ice_buf_init(&table->where, html->alloc, SIZE_MAX / 2);
    ice_buf_init(&table->worst, html->alloc, SIZE_MAX / 2);
    ice_buf_init(&table->section, html->alloc, SIZE_MAX / 2);
    memcpy(table->counts, summary->counts, sizeof(table->counts));
    table->verdict = ice_html_verdict_of(summary);
    table->is_complete = summary->complete;
    table->n_known = summary->n_known;
    ICE_TRY(ice_buf_append_str(&table->name,
                               ice_str_first(summary->table, ICE_HTML_TEXT_BYTES)));
    ICE_TRY(
        ice_buf_append_str(&table->where, ice_str_first(directory, ICE_HTML_TEXT_BYTES)));
    if (html->n_folds > 0 && html->folds[0].n_shown > 0)
        ICE_TRY(ice_buf_append_str(
            &table->worst,
            ice_str_first(html->folds[0].shown[0].message, ICE_HTML_TEXT_BYTES)));
    ice_html_put_table(&out, html, table, summary, directory);
    return out.status;
}

static void forget(struct ice_html *html) {
    html->n_folds = html->n_shown = 0;
    ice_arena_reset(&html->arena);
    ice_html_facts_clear(&html->facts);
}

static enum ice_status html_summary(struct ice_report *report,
                                    const struct ice_summary *summary) {
    struct ice_html *html = ice_html_of(report);
    if (html == NULL)
        return ICE_ENOMEM;
    struct ice_html_table table = {.number = (size_t)report->n_tables + 1};
    sort_folds(html);
    html->n_hidden = 0;
    for (size_t level = ICE_INFO; level < report->options.min_severity; level++)
        html->n_hidden += summary->counts[level];
    enum ice_status status = make_table(html, report->prefix, summary, &table);
    if (status >= 0)
        status = add_table(html, &table);
    if (status < 0)
        release_table(&table);
    html->n_verdicts[table.verdict]++;
    html->n_incomplete += !summary->complete;
    html->n_known += summary->n_known;
    forget(html);
    return status;
}

static enum ice_status html_finish(struct ice_report *report) {
    struct ice_html *html = ice_html_of(report);
    if (html == NULL)
        return ICE_ENOMEM;
    return ice_html_write_page(html, report->counts, report->write, report->user);
}

const struct ice_report_ops ice_report_html = {html_finding, html_summary, html_finish,
                                               html_release};
