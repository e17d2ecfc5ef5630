/*
 * The section of one table: what it is, the verdict, what to do, and what it rests on.
 */
#include "report/html.h"

#include <inttypes.h>

enum { WAYS_SHOWN = 3 };

/* ---- what it is ---- */

static void put_fact(struct ice_html_text *out, const char *name, struct ice_str text) {
    if (text.size == 0)
        return;
    ice_html_printf(out, "<div><dt>%s</dt><dd><code>", name);
    ice_html_escaped(out, text);
    ice_html_put(out, "</code></dd></div>\n");
}

static void put_facts(struct ice_html_text *out, const struct ice_summary *summary) {
    ice_html_put(out, "<dl class=\"facts\">\n");
    put_fact(out, "Location", summary->location);
    put_fact(out, "Metadata file", summary->metadata_file);
    put_fact(out, "UUID", summary->table_uuid);
    if (summary->format_version > 0)
        ice_html_printf(out, "<div><dt>Format version</dt><dd>%d</dd></div>\n",
                        summary->format_version);
    if (summary->has_current_snapshot)
        ice_html_printf(out,
                        "<div><dt>Current snapshot</dt><dd><code>%" PRId64
                        "</code></dd></div>\n",
                        summary->current_snapshot_id);
    ice_html_put(out, "<div><dt>Read</dt><dd>");
    ice_html_number(out, summary->n_metadata_files, "metadata file", "metadata files");
    ice_html_put(out, ", ");
    ice_html_number(out, summary->n_snapshots, "snapshot", "snapshots");
    ice_html_put(out, ", ");
    ice_html_number(out, summary->n_manifests, "manifest", "manifests");
    ice_html_put(out, ", ");
    ice_html_number(out, summary->n_entries, "entry", "entries");
    ice_html_put(out, ", ");
    ice_html_bytes(out, summary->n_bytes);
    ice_html_put(out, "</dd></div>\n");
    if (summary->has_opinions) {
        ice_html_put(out, "<div><dt>Second opinion</dt><dd>");
        ice_html_number(out, summary->n_same_blocks, "block", "blocks");
        ice_html_put(out, " with ");
        ice_html_number(out, summary->n_same_records, "record", "records");
        ice_html_put(out, " read alike by both decoders</dd></div>\n");
    }
    ice_html_put(out, "</dl>\n");
}

/* ---- the verdict ---- */

/* Is it configuration, not a table? Its rules tell, those that ran or those that did not.
 */
static bool is_configuration(const struct ice_html *html,
                             const struct ice_summary *summary) {
    for (size_t i = 0; i < html->n_folds; i++) {
        if ((html->folds[i].rule->needs & ICE_NEEDS_CONF) != 0)
            return true;
    }
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        if (ice_str_starts(summary->not_evaluated[i].what, ICE_STR("conf.")))
            return true;
    }
    return false;
}

static const char *sentence_of(const struct ice_summary *summary, bool is_conf) {
    if (is_conf && summary->counts[ICE_ERROR] > 0)
        return "With this, tables are not found, or jobs fail or do something else than "
               "was meant.";
    switch (ice_html_verdict_of(summary)) {
    case ICE_HTML_SOUND:
        return summary->n_known > 0
                   ? "Nothing new was found in anything that was checked."
                   : "Nothing wrong was found in anything that was checked.";
    case ICE_HTML_WARNED:
        return is_conf ? "No error. But something is not as it should be."
                       : "No error: readers can use it. But something is not as it "
                         "should be.";
    case ICE_HTML_UNSURE:
        return "No error was found, but not all could be checked: this is no pass.";
    case ICE_HTML_BROKEN:
        return summary->complete
                   ? "Readers may refuse it, or answer wrongly."
                   : "Readers may refuse it, or answer wrongly. And not all "
                     "could be checked: there may be more.";
    }
    return "";
}

static void put_verdict(struct ice_html_text *out, const struct ice_summary *summary,
                        bool is_conf) {
    enum ice_html_verdict verdict = ice_html_verdict_of(summary);
    ice_html_printf(out, "<p class=\"verdict %s\"><strong>%s</strong> <span>",
                    ice_html_verdict_class(verdict),
                    verdict == ICE_HTML_SOUND && summary->n_known > 0
                        ? "Nothing new"
                        : ice_html_verdict_name(verdict));
    if (summary->counts[ICE_ERROR] + summary->counts[ICE_WARN] +
            summary->counts[ICE_INFO] >
        0) {
        ice_html_put_counts(out, summary->counts);
        ice_html_put(out, ". ");
    }
    ice_html_put(out, sentence_of(summary, is_conf));
    if (summary->interrupted)
        ice_html_put(out, " The check was interrupted.");
    if (summary->n_known > 0) {
        ice_html_put(out, " ");
        ice_html_put_known(out, summary->n_known);
    }
    ice_html_put(out, "</span></p>\n");
}

/* ---- what was not checked ---- */

static void put_unchecked_line(struct ice_html_text *out,
                               const struct ice_not_evaluated *line) {
    struct ice_str words = ice_plain_words(line->what);
    ice_html_printf(out, "<li%s><strong>", line->asked ? " class=\"asked\"" : "");
    ice_html_escaped(out, words);
    ice_html_put(out, "</strong>");
    if (line->file.size > 0) {
        ice_html_put(out, " <code>");
        ice_html_escaped(out, line->file);
        ice_html_put(out, "</code>");
    }
    ice_html_put(out, ": ");
    ice_html_escaped(out, line->why);
    if (line->more > 0) {
        ice_html_put(out, ", and ");
        ice_html_grouped(out, line->more);
        ice_html_put(out, " more");
    }
    ice_html_put(out, line->asked ? "" : " <span class=\"in\">(not asked for)</span>");
    ice_html_put(out, "</li>\n");
}

static void put_unchecked(struct ice_html_text *out, const struct ice_summary *summary) {
    uint64_t shown = 0, more = 0;
    ice_html_put(out, "<h3>What was not checked</h3>\n");
    if (summary->n_not_evaluated == 0) {
        ice_html_put(out, "<p>Nothing: all that icefsck knows to check was "
                          "checked.</p>\n");
        return;
    }
    ice_html_put(out, "<ul class=\"unchecked\">\n");
    for (int asked = 1; asked >= 0; asked--) { /* what was asked for weighs more */
        for (size_t i = 0; i < summary->n_not_evaluated; i++) {
            const struct ice_not_evaluated *line = &summary->not_evaluated[i];
            if (line->asked != (asked != 0))
                continue;
            if (shown++ < ICE_HTML_UNCHECKED)
                put_unchecked_line(out, line);
            else
                more += 1 + line->more;
        }
    }
    if (more > 0) {
        ice_html_put(out, "<li class=\"rest\">and ");
        ice_html_grouped(out, more);
        ice_html_put(out, " more</li>\n");
    }
    ice_html_put(out, "</ul>\n");
}

/* ---- what to do ---- */

/* A name that a shell takes as it is: a command with it may be pasted. */
static bool is_plain(struct ice_str path) {
    static const char others[] = "._/=+,@%:-";
    for (size_t i = 0; i < path.size; i++) {
        char c = path.data[i];
        bool is_word =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!is_word && (c == '\0' || strchr(others, c) == NULL))
            return false;
    }
    return path.size > 0 && path.size < 256 && path.data[0] != '-';
}

static void put_command(struct ice_html_text *out, const char *command,
                        struct ice_str directory, const char *what) {
    struct ice_str path = is_plain(directory) ? directory : ICE_STR("PATH");
    ice_html_printf(out, "<li><code>icefsck %s ", command);
    ice_html_escaped(out, path);
    ice_html_printf(out, "</code> %s</li>\n", what);
}

/* Does a worse fold say the same? */
static bool is_told(const struct ice_html *html, size_t i) {
    for (size_t k = 0; k < i; k++) {
        if (strcmp(html->folds[k].rule->fix, html->folds[i].rule->fix) == 0)
            return true;
    }
    return false;
}

/* The ways out of the worst rules; each once. */
static size_t put_ways(struct ice_html_text *out, const struct ice_html *html,
                       size_t number) {
    size_t n = 0;
    for (size_t i = 0; i < html->n_folds && n < WAYS_SHOWN; i++) {
        const struct ice_html_fold *fold = &html->folds[i];
        if (fold->severity < ICE_WARN || fold->rule->fix[0] == '\0' || is_told(html, i))
            continue;
        if (fold->severity < html->folds[0].severity && n > 0)
            break; /* first things first */
        ice_html_put(out, "<li>");
        ice_html_words(out, fold->rule->fix);
        ice_html_printf(out, " <a href=\"#t%zu-r%zu\">%s</a></li>\n", number, i + 1,
                        fold->rule->name);
        n++;
    }
    return n;
}

/* What the baseline names and is no more hides the next one like it. */
static void put_fixed(struct ice_html_text *out, const struct ice_summary *summary) {
    if (summary->n_fixed == 0)
        return;
    ice_html_put(out, "<li>");
    ice_html_number(out, summary->n_fixed, "finding of the baseline is",
                    "findings of the baseline are");
    ice_html_put(out, " no more: write the baseline anew.</li>\n");
}

static bool lacks_listing(const struct ice_summary *summary) {
    for (size_t i = 0; i < summary->n_not_evaluated; i++) {
        if (ice_str_is(summary->not_evaluated[i].what, "storage.*"))
            return true;
    }
    return false;
}

static void put_next(struct ice_html_text *out, const struct ice_html *html,
                     const struct ice_html_table *table,
                     const struct ice_summary *summary, struct ice_str directory) {
    ice_html_put(out, "<h3>What to do next</h3>\n<ol class=\"next\">\n");
    size_t n = put_ways(out, html, table->number);
    if (table->verdict == ICE_HTML_BROKEN && !is_configuration(html, summary))
        put_command(out, "rescue", directory,
                    "tells the last good state, and what going back to it costs.");
    put_fixed(out, summary);
    if (!summary->complete)
        ice_html_put(out, "<li>Make readable what could not be checked, and check "
                          "again.</li>\n");
    if (lacks_listing(summary))
        put_command(out, "check --storage local", directory,
                    "also tells whether the data files are there, on a whole copy; or "
                    "give the bucket’s <code>--listing</code>.");
    else if (n == 0 && summary->complete && summary->n_fixed == 0)
        ice_html_put(out, "<li>Nothing.</li>\n");
    ice_html_put(out, "</ol>\n");
}

/* ---- all ---- */

void ice_html_put_table(struct ice_html_text *out, const struct ice_html *html,
                        const struct ice_html_table *table,
                        const struct ice_summary *summary, struct ice_str directory) {
    ice_html_printf(out,
                    "<section class=\"table\" id=\"t%zu\" aria-labelledby=\"t%zu-h\">"
                    "\n<h2 id=\"t%zu-h\">",
                    table->number, table->number, table->number);
    if (summary->table.size > 0)
        ice_html_escaped(out, summary->table);
    else
        ice_html_put(out, "Table without a name");
    ice_html_put(out, "</h2>\n");
    if (directory.size > 0) {
        ice_html_put(out, "<p class=\"in\">");
        ice_html_escaped(out, directory);
        ice_html_put(out, "</p>\n");
    }
    bool is_conf = is_configuration(html, summary);
    put_verdict(out, summary, is_conf);
    ice_html_put_worst(out, html, table->number);
    ice_html_put_missed(out, &html->facts, summary);
    put_next(out, html, table, summary, directory);
    put_unchecked(out, summary);
    ice_html_put_findings(out, html, table->number);
    ice_html_put_graph(out, &html->facts);
    ice_html_put_charts(out, &html->facts, summary, table->number);
    ice_html_put_manifests(out, &html->facts);
    if (!is_conf) {
        ice_html_put(out, "<h3>The table</h3>\n");
        put_facts(out, summary);
    }
    ice_html_put(out, "<p class=\"back\"><a href=\"#main\">To the top</a></p>\n"
                      "</section>\n");
}
