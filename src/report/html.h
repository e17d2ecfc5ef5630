/*
 * A report as one HTML page that needs nothing else: no script, no file, no network.
 *
 *   html.c         takes findings and rows, table by table
 *   html_text.c    markup and untrusted text into a buffer
 *   html_words.c   verdicts in words
 *   html_table.c   the section of one table, as soon as that has its summary
 *   html_found.c   ... its findings
 *   html_facts.c   rows about a table, as many as a page can show
 *   html_graph.c   ... its commits, html_chart.c its growth, html_known.c the rest
 *   html_page.c    the whole page: the verdict over all tables, the worst first
 *   html_style.c   how it looks
 *
 * Kept are the sections of the worst tables and a line for each of the others, both up to
 * a ceiling: a page that no browser can open helps nobody. What is left out is counted on
 * the page.
 */
#ifndef ICE_REPORT_HTML_H
#define ICE_REPORT_HTML_H

#include "report/html_facts.h"
#include "report/html_text.h"
#include "report/report.h"

enum {
    ICE_HTML_RULE_FINDINGS = 100,      /* shown of one rule in one table */
    ICE_HTML_TABLE_FINDINGS = 2000,    /* shown of one table */
    ICE_HTML_SECTIONS = 200,           /* tables with a section of their own */
    ICE_HTML_SECTION_BYTES = 32 << 20, /* of all sections together, but for the first */
    ICE_HTML_ROWS = 2000,              /* tables with a line */
    ICE_HTML_UNCHECKED = 50,           /* shown of what was not checked in one table */
};

/* A finding that is shown. Texts are in the arena of the table at hand. */
struct ice_html_finding {
    struct ice_location at, other;
    struct ice_str message;
    uint64_t more, fingerprint;
};

/* Findings of one rule and severity in the table at hand. */
struct ice_html_fold {
    const struct ice_rule *rule;
    enum ice_severity severity;
    uint64_t total;                 /* also those that are not shown */
    struct ice_html_finding *shown; /* those that hurt a current state come first */
    size_t n_shown, n_current, cap_shown;
};

enum ice_html_verdict {
    ICE_HTML_SOUND,
    ICE_HTML_WARNED,
    ICE_HTML_UNSURE, /* no error, but not all was checked */
    ICE_HTML_BROKEN,
};

/* A table that is done. */
struct ice_html_table {
    size_t number; /* from 1, in the order of the input */
    enum ice_html_verdict verdict;
    bool is_complete;
    uint64_t counts[4];     /* by severity */
    uint64_t n_known;       /* findings that the baseline hides */
    struct ice_buf name;    /* untrusted */
    struct ice_buf where;   /* untrusted: its directory */
    struct ice_buf worst;   /* untrusted: the message of its worst finding */
    struct ice_buf section; /* markup; size 0: it was left out */
};

struct ice_html {
    struct ice_alloc *alloc;
    /* the table at hand */
    struct ice_arena arena;
    struct ice_html_fold *folds;
    size_t n_folds, cap_folds;
    size_t n_shown;
    uint64_t n_hidden; /* below the severity that is shown from */
    struct ice_html_facts facts;
    /* tables that are done, the worst first */
    struct ice_html_table *tables;
    size_t n_tables, cap_tables;
    uint64_t n_left_out; /* without even a line */
    uint64_t n_verdicts[ICE_HTML_BROKEN + 1];
    uint64_t n_incomplete, n_known;
    size_t n_sections;
    uint64_t section_bytes;
};

/* The page that a report holds; made when it is first asked for. NULL: no memory. */
struct ice_html *ice_html_of(struct ice_report *report);

/* ---- html_words.c ---- */

enum ice_html_verdict ice_html_verdict_of(const struct ice_summary *summary);
/* "broken", for a class and, with a capital, for people. */
const char *ice_html_verdict_class(enum ice_html_verdict verdict);
const char *ice_html_verdict_name(enum ice_html_verdict verdict);
/* "3 findings are hidden: the baseline knows them." */
void ice_html_put_known(struct ice_html_text *out, uint64_t n_known);
/* "3 errors and 1 warning"; "nothing" where there are none. */
void ice_html_put_counts(struct ice_html_text *out, const uint64_t counts[4]);
/* ---- html_table.c, html_found.c ---- */

/* Folds stand worst first. directory: of the table, without a slash behind it. */
void ice_html_put_table(struct ice_html_text *out, const struct ice_html *html,
                        const struct ice_html_table *table,
                        const struct ice_summary *summary, struct ice_str directory);
void ice_html_put_worst(struct ice_html_text *out, const struct ice_html *html,
                        size_t number);
void ice_html_put_findings(struct ice_html_text *out, const struct ice_html *html,
                           size_t number);

/* ---- html_graph.c, html_chart.c, html_known.c: of the rows that were given; nothing
 * where there are none ---- */

void ice_html_put_graph(struct ice_html_text *out, const struct ice_html_facts *facts);
void ice_html_put_charts(struct ice_html_text *out, const struct ice_html_facts *facts,
                         const struct ice_summary *summary, size_t table);
void ice_html_put_missed(struct ice_html_text *out, const struct ice_html_facts *facts,
                         const struct ice_summary *summary);
void ice_html_put_manifests(struct ice_html_text *out,
                            const struct ice_html_facts *facts);

/* ---- html_page.c ---- */

/* Writes the page. counts: over all tables. */
enum ice_status ice_html_write_page(const struct ice_html *html, const uint64_t counts[4],
                                    ice_write_fn write, void *user) ICE_MUST_USE;

/* Pieces of the style sheet, ended by NULL. */
extern const char *const ice_html_style[];

#endif
