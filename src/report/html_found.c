/*
 * Findings of one table: the worst in a few lines, and all of them folded by rule, each
 * with what it means and the way out.
 */
#include "report/html.h"

#include <inttypes.h>
#include <stdio.h>

enum { WORST_SHOWN = 3 };

/* ---- where ---- */

static void put_cell(struct ice_html_text *out, const char *name, struct ice_str text) {
    if (text.size == 0)
        return;
    ice_html_printf(out, "<div><dt>%s</dt><dd><code>", name);
    ice_html_escaped(out, text);
    ice_html_put(out, "</code></dd></div>");
}

static void put_file(struct ice_html_text *out, const struct ice_location *at) {
    if (at->file.size == 0)
        return;
    ice_html_put(out, "<div><dt>File</dt><dd><code>");
    ice_html_escaped(out, at->file);
    if (at->line > 0)
        ice_html_printf(out, ":%" PRIu32 ":%" PRIu32, at->line, at->column);
    ice_html_put(out, "</code></dd></div>");
}

static void put_position(struct ice_html_text *out, const char *name, uint64_t value) {
    if (value == ICE_NO_OFFSET)
        return;
    ice_html_printf(out, "<div><dt>%s</dt><dd>%" PRIu64 "</dd></div>", name, value);
}

static void put_place(struct ice_html_text *out, const struct ice_html_finding *finding) {
    const struct ice_location *at = &finding->at;
    ice_html_put(out, "<dl class=\"place\">");
    put_file(out, at);
    put_cell(out, "Pointer", at->pointer);
    put_position(out, "Record", at->record);
    put_position(out, "Block", at->block);
    put_position(out, "Byte",
                 at->line > 0 || at->offset == 0 ? ICE_NO_OFFSET : at->offset);
    put_cell(out, "Against", finding->other.file);
    put_cell(out, "… at", finding->other.pointer);
    ice_html_printf(out,
                    "<div><dt>Fingerprint</dt><dd><code>%016" PRIx64 "</code></dd></div>",
                    finding->fingerprint);
    ice_html_put(out, "</dl>");
}

/* ---- the worst ---- */

static void put_severity(struct ice_html_text *out, enum ice_severity severity) {
    const char *name = ice_severity_name(severity);
    ice_html_printf(out, "<span class=\"level %s\">%s</span>", name, name);
}

void ice_html_put_worst(struct ice_html_text *out, const struct ice_html *html,
                        size_t number) {
    size_t n = html->n_folds < WORST_SHOWN ? html->n_folds : WORST_SHOWN;
    if (n == 0)
        return;
    ice_html_put(out, "<h3>What was found</h3>\n<ul class=\"worst\">\n");
    for (size_t i = 0; i < n && html->folds[i].n_shown > 0; i++) {
        const struct ice_html_fold *fold = &html->folds[i];
        ice_html_put(out, "<li>");
        put_severity(out, fold->severity);
        ice_html_put(out, " ");
        ice_html_escaped(out, fold->shown[0].message);
        if (fold->shown[0].at.file.size > 0) {
            ice_html_put(out, " <span class=\"in\">in <code>");
            ice_html_escaped(out, fold->shown[0].at.file);
            ice_html_put(out, "</code></span>");
        }
        ice_html_printf(out, " <a href=\"#t%zu-r%zu\">%s", number, i + 1,
                        fold->rule->name);
        if (fold->total > 1) {
            ice_html_put(out, ", ");
            ice_html_grouped(out, fold->total);
            ice_html_put(out, " times");
        }
        ice_html_put(out, "</a></li>\n");
    }
    if (html->n_folds > n) {
        ice_html_printf(out, "<li class=\"rest\"><a href=\"#t%zu-found\">and of ",
                        number);
        ice_html_number(out, html->n_folds - n, "other rule", "other rules");
        ice_html_put(out, "</a></li>\n");
    }
    ice_html_put(out, "</ul>\n");
}

/* ---- all ---- */

static void put_text(struct ice_html_text *out, const char *name, const char *words) {
    if (words[0] == '\0')
        return;
    ice_html_printf(out, "<div><dt>%s</dt><dd>", name);
    ice_html_words(out, words);
    ice_html_put(out, "</dd></div>\n");
}

static void put_explanation(struct ice_html_text *out, const struct ice_rule *rule) {
    ice_html_put(out, "<dl class=\"explain\">\n");
    put_text(out, "Why it matters", rule->why);
    put_text(out, "Refused by", rule->refused_by);
    put_text(out, "Way out", rule->fix);
    if (rule->spec[0] != '\0')
        ice_html_printf(out,
                        "<div><dt>Specification</dt><dd><a "
                        "href=\"https://iceberg.apache.org/spec/#%s\" "
                        "rel=\"noreferrer\">%s</a></dd></div>\n",
                        rule->spec, rule->spec);
    ice_html_put(out, "</dl>\n");
}

static void put_finding(struct ice_html_text *out, const struct ice_html_finding *finding,
                        const char *id, size_t index) {
    ice_html_printf(out, "<li id=\"%s-f%zu\"><p>", id, index + 1);
    ice_html_escaped(out, finding->message);
    if (finding->more > 0) {
        ice_html_put(out, " <span class=\"more\">and ");
        ice_html_number(out, finding->more, "equal one", "equal ones");
        ice_html_put(out, " like it</span>");
    }
    ice_html_put(out, "</p>");
    put_place(out, finding);
    ice_html_put(out, "</li>\n");
}

static void put_fold(struct ice_html_text *out, const struct ice_html_fold *fold,
                     const char *id, bool is_open) {
    uint64_t told = 0;
    ice_html_printf(out, "<details class=\"fold %s\" id=\"%s\"%s>\n<summary>",
                    ice_severity_name(fold->severity), id, is_open ? " open" : "");
    put_severity(out, fold->severity);
    ice_html_printf(out, " <span class=\"rule\">%s</span> <span class=\"n\">",
                    fold->rule->name);
    ice_html_number(out, fold->total, "finding", "findings");
    ice_html_put(out, "</span></summary>\n<div class=\"body\">\n");
    put_explanation(out, fold->rule);
    ice_html_put(out, "<ol class=\"found\">\n");
    for (size_t i = 0; i < fold->n_shown; i++) {
        put_finding(out, &fold->shown[i], id, i);
        told += 1 + fold->shown[i].more;
    }
    ice_html_put(out, "</ol>\n");
    if (fold->total > told) {
        ice_html_put(out, "<p class=\"rest\">");
        ice_html_number(out, fold->total - told, "more is", "more are");
        ice_html_put(out, " not on this page: <code>icefsck check -f json</code> prints "
                          "them.</p>\n");
    }
    ice_html_put(out, "</div>\n</details>\n");
}

void ice_html_put_findings(struct ice_html_text *out, const struct ice_html *html,
                           size_t number) {
    enum { OPEN = 3 }; /* folds; the first lines of a page must be read with ease */
    if (html->n_folds == 0 && html->n_hidden == 0)
        return;
    ice_html_printf(out, "<h3 id=\"t%zu-found\">Findings by rule</h3>\n", number);
    for (size_t i = 0; i < html->n_folds; i++) {
        char id[64];
        (void)snprintf(id, sizeof(id), "t%zu-r%zu", number, i + 1);
        bool is_bad = html->folds[i].severity == ICE_ERROR;
        put_fold(out, &html->folds[i], id, i < OPEN && (is_bad || i == 0));
    }
    if (html->n_hidden > 0) {
        ice_html_put(out, "<p class=\"rest\">");
        ice_html_number(out, html->n_hidden, "less severe finding is",
                        "less severe findings are");
        ice_html_put(out, " not shown: <code>-S info</code> "
                          "shows all.</p>\n");
    }
}
