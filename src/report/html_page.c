/*
 * The whole page: head, the verdict over all tables, a line for each, their sections.
 */
#include "report/html.h"

#include <inttypes.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<meta name=\"referrer\" content=\"no-referrer\">\n";

/* ---- the verdict ---- */

static uint64_t n_tables_of(const struct ice_html *html) {
    uint64_t n = 0;
    for (size_t i = 0; i < ICE_COUNT_OF(html->n_verdicts); i++)
        n += html->n_verdicts[i];
    return n;
}

static enum ice_html_verdict worst_of(const struct ice_html *html) {
    return html->n_tables > 0 ? html->tables[0].verdict : ICE_HTML_SOUND;
}

static void put_one_verdict(struct ice_html_text *out,
                            const struct ice_html_table *table) {
    struct ice_str name = ice_buf_str(&table->name);
    if (name.size > 0)
        ice_html_escaped(out, name);
    else
        ice_html_put(out, "The table");
    switch (table->verdict) {
    case ICE_HTML_SOUND:
        ice_html_put(out, table->n_known > 0 ? " has nothing new" : " is sound");
        return;
    case ICE_HTML_WARNED:
        ice_html_put(out, " has warnings");
        return;
    case ICE_HTML_UNSURE:
        ice_html_put(out, " was not wholly checked");
        return;
    case ICE_HTML_BROKEN:
        ice_html_put(out, " is broken");
        return;
    }
}

/* The words of the heading, which are the title, too. */
static void put_verdict(struct ice_html_text *out, const struct ice_html *html) {
    uint64_t n = n_tables_of(html);
    uint64_t n_broken = html->n_verdicts[ICE_HTML_BROKEN];
    uint64_t n_unsure = html->n_verdicts[ICE_HTML_UNSURE];
    uint64_t n_warned = html->n_verdicts[ICE_HTML_WARNED];
    if (n == 0) {
        ice_html_put(out, "No table was checked");
    } else if (n == 1 && html->n_tables == 1) {
        put_one_verdict(out, &html->tables[0]);
    } else if (n_broken > 0) {
        ice_html_grouped(out, n_broken);
        ice_html_put(out, " of ");
        ice_html_number(out, n, "table", "tables");
        ice_html_put(out, n_broken == 1 ? " is broken" : " are broken");
    } else if (n_unsure > 0) {
        ice_html_grouped(out, n_unsure);
        ice_html_put(out, " of ");
        ice_html_number(out, n, "table", "tables");
        ice_html_put(out, n_unsure == 1 ? " was" : " were");
        ice_html_put(out, " not wholly checked");
    } else {
        ice_html_put(out, "All ");
        ice_html_number(out, n, "table", "tables");
        ice_html_put(out, n_warned > 0        ? " can be read, some with warnings"
                          : html->n_known > 0 ? " have nothing new"
                                              : " are sound");
    }
}

static void put_tallies(struct ice_html_text *out, const struct ice_html *html) {
    ice_html_put(out, "<ul class=\"tallies\">\n");
    for (int verdict = ICE_HTML_BROKEN; verdict >= ICE_HTML_SOUND; verdict--) {
        enum ice_html_verdict which = (enum ice_html_verdict)verdict;
        ice_html_printf(out, "<li class=\"%s\"><strong>", ice_html_verdict_class(which));
        ice_html_grouped(out, html->n_verdicts[verdict]);
        ice_html_printf(out, "</strong> %s</li>\n",
                        which == ICE_HTML_SOUND && html->n_known > 0
                            ? "Sound, or nothing new"
                            : ice_html_verdict_name(which));
    }
    ice_html_put(out, "</ul>\n");
}

/* ---- a line for each ---- */

/* Roles: a phone shows the lines as blocks, which must stay a table for who listens. */
static void put_line(struct ice_html_text *out, const struct ice_html_table *table) {
    bool has_section = table->section.size > 0;
    ice_html_put(out, "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\">");
    if (has_section)
        ice_html_printf(out, "<a href=\"#t%zu\">", table->number);
    if (table->name.size > 0)
        ice_html_escaped(out, ice_buf_str(&table->name));
    else
        ice_html_put(out, "Table without a name");
    ice_html_put(out, has_section ? "</a>" : "");
    if (table->where.size > 0) {
        ice_html_put(out, " <span class=\"in\">");
        ice_html_escaped(out, ice_buf_str(&table->where));
        ice_html_put(out, "</span>");
    }
    ice_html_printf(out, "</th><td role=\"cell\"><span class=\"badge %s\">%s</span>",
                    ice_html_verdict_class(table->verdict),
                    table->verdict == ICE_HTML_SOUND && table->n_known > 0
                        ? "Nothing new"
                        : ice_html_verdict_name(table->verdict));
    if (!table->is_complete)
        ice_html_put(out, " <span class=\"badge unsure\">partly checked</span>");
    ice_html_put(out, "</td>");
    for (int level = ICE_ERROR; level >= ICE_WARN; level--) {
        ice_html_printf(out, "<td role=\"cell\" class=\"num %s\">",
                        level == ICE_ERROR ? "errors" : "warnings");
        ice_html_grouped(out, table->counts[level]);
        ice_html_put(out, "</td>");
    }
    ice_html_put(out, "<td role=\"cell\">");
    ice_html_escaped(out, ice_buf_str(&table->worst));
    ice_html_put(out, "</td></tr>\n");
}

static void put_lines(struct ice_html_text *out, const struct ice_html *html) {
    ice_html_put(
        out, "<h2>All tables, worst first</h2>\n<div class=\"scroll\">\n"
             "<table class=\"stack overview\" role=\"table\">\n<caption>Tables and what "
             "is worst "
             "in each</caption>\n<thead role=\"rowgroup\"><tr role=\"row\">"
             "<th role=\"columnheader\" scope=\"col\">Table</th>"
             "<th role=\"columnheader\" scope=\"col\">Verdict</th>"
             "<th role=\"columnheader\" scope=\"col\" class=\"num\">Errors</th>"
             "<th role=\"columnheader\" scope=\"col\" class=\"num\">Warnings</th>"
             "<th role=\"columnheader\" scope=\"col\">Worst finding</th></tr></thead>\n"
             "<tbody role=\"rowgroup\">\n");
    for (size_t i = 0; i < html->n_tables; i++)
        put_line(out, &html->tables[i]);
    ice_html_put(out, "</tbody>\n</table>\n</div>\n");
    if (html->n_left_out > 0) {
        ice_html_put(out, "<p class=\"rest\">");
        ice_html_number(out, html->n_left_out, "table is", "tables are");
        ice_html_put(out, " not on this page; none is worse than those that are.</p>\n");
    }
    if (html->n_sections < html->n_tables) {
        ice_html_put(out, "<p class=\"rest\">The worst ");
        ice_html_number(out, html->n_sections, "table has a section",
                        "tables have a section");
        ice_html_put(out, " below; the others would make the page too big to open. "
                          "<code>icefsck check -f html</code> makes a page of one "
                          "table.</p>\n");
    }
}

/* ---- the page ---- */

static void put_head(struct ice_html_text *out, const struct ice_html *html,
                     const uint64_t counts[4]) {
    ice_html_put(out, head);
    ice_html_put(out, "<title>");
    put_verdict(out, html);
    ice_html_put(out, " – icefsck</title>\n<style>\n");
    for (size_t i = 0; ice_html_style[i] != NULL; i++)
        ice_html_put(out, ice_html_style[i]);
    ice_html_put(out,
                 "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to "
                 "the verdict</a>\n<header class=\"top\"><p>icefsck report</p>"
                 "</header>\n<main id=\"main\">\n");
    ice_html_printf(out, "<h1 class=\"%s\">", ice_html_verdict_class(worst_of(html)));
    put_verdict(out, html);
    ice_html_put(out, "</h1>\n");
    if (n_tables_of(html) == 1)
        return;
    ice_html_put(out, "<p class=\"lead\">In all ");
    ice_html_put_counts(out, counts);
    ice_html_put(out, ".");
    if (html->n_incomplete > 0) {
        ice_html_put(out, " ");
        ice_html_number(out, html->n_incomplete, "table was", "tables were");
        ice_html_put(out, " not wholly checked: that is no pass.");
    }
    if (html->n_known > 0) {
        ice_html_put(out, " ");
        ice_html_put_known(out, html->n_known);
    }
    ice_html_put(out, "</p>\n");
    put_tallies(out, html);
    put_lines(out, html);
}

static void put_foot(struct ice_html_text *out) {
    ice_html_printf(
        out,
        "</main>\n<footer><p>Made by icefsck %s. Every finding has a rule, "
        "which <code>icefsck explain RULE</code> explains; <code>icefsck dump "
        "FILE</code> prints a file so that its pointers can be "
        "followed.</p></footer>\n</body>\n</html>\n",
        ice_version());
}

/* One piece, which is then empty again. */
static enum ice_status write_out(struct ice_html_text *out, ice_write_fn write,
                                 void *user) {
    enum ice_status status = out->status;
    if (status >= 0 && out->buf->size > 0)
        status = write(out->buf->data, out->buf->size, user);
    ice_buf_clear(out->buf);
    return status;
}

enum ice_status ice_html_write_page(const struct ice_html *html, const uint64_t counts[4],
                                    ice_write_fn write, void *user) {
    struct ice_buf buf;
    struct ice_html_text out = {.buf = &buf};
    ice_buf_init(&buf, html->alloc, SIZE_MAX / 2);
    put_head(&out, html, counts);
    enum ice_status status = write_out(&out, write, user);
    for (size_t i = 0; i < html->n_tables && status >= 0; i++) {
        const struct ice_buf *section = &html->tables[i].section;
        if (section->size > 0)
            status = write(section->data, section->size, user);
    }
    if (status >= 0) {
        put_foot(&out);
        status = write_out(&out, write, user);
    }
    ice_buf_release(&buf);
    return status;
}
