/*
 * What a stale pointer hides, and the biggest manifests.
 */
#include "report/html.h"

#include <inttypes.h>

/* ---- missed ---- */

static uint64_t positive(int64_t number) {
    return number > 0 ? (uint64_t)number : 0;
}

static void put_sum(struct ice_html_text *out, const char *name, int64_t added,
                    int64_t gone) {
    if (added <= 0 && gone <= 0)
        return;
    ice_html_printf(out, "<div><dt>%s</dt><dd>", name);
    if (added > 0) {
        ice_html_grouped(out, positive(added));
        ice_html_put(out, " added");
    }
    if (gone > 0) {
        ice_html_put(out, added > 0 ? ", " : "");
        ice_html_grouped(out, positive(gone));
        ice_html_put(out, " removed");
    }
    ice_html_put(out, "</dd></div>\n");
}

void ice_html_put_missed(struct ice_html_text *out, const struct ice_html_facts *facts,
                         const struct ice_summary *summary) {
    const struct ice_html_missed *missed = &facts->missed;
    const int64_t *numbers = missed->numbers;
    if (missed->n_files == 0)
        return;
    ice_html_put(out, "<h3>What readers of the old state miss</h3>\n<p>The metadata file "
                      "that was judged");
    if (summary->picked_by != NULL && strcmp(summary->picked_by, "pointer") == 0)
        ice_html_put(out, ", to which the catalog points,");
    ice_html_put(out, " is not the newest. Behind it came ");
    ice_html_number(out, missed->n_commits, "commit", "commits");
    ice_html_put(out, " in ");
    ice_html_number(out, missed->n_files, "metadata file", "metadata files");
    ice_html_put(out, ".</p>\n<dl class=\"facts\">\n");
    put_sum(out, "Rows", numbers[ICE_HTML_ADDED_ROWS], numbers[ICE_HTML_DELETED_ROWS]);
    put_sum(out, "Data files", numbers[ICE_HTML_ADDED_FILES],
            numbers[ICE_HTML_DELETED_FILES]);
    put_sum(out, "Delete files", numbers[ICE_HTML_ADDED_DELETES],
            numbers[ICE_HTML_REMOVED_DELETES]);
    if (missed->has_time) {
        ice_html_put(out, "<div><dt>Between</dt><dd>");
        ice_html_time(out, missed->first_ms);
        ice_html_put(out, " and ");
        ice_html_time(out, missed->last_ms);
        ice_html_put(out, " UTC</dd></div>\n");
    }
    ice_html_put(out, "</dl>\n");
}

/* ---- manifests ---- */

static void put_manifest(struct ice_html_text *out,
                         const struct ice_html_manifest *manifest, int64_t most) {
    int width = most > 0 && manifest->length > 0
                    ? (int)((double)manifest->length / (double)most * 100)
                    : 0;
    ice_html_put(out, "<tr role=\"row\"><th role=\"rowheader\" scope=\"row\"><code>");
    ice_html_escaped(out, ice_buf_str(&manifest->path));
    ice_html_printf(
        out,
        "</code></th><td role=\"cell\">%s</td><td role=\"cell\" class=\"num files\">",
        manifest->content == 1 ? "deletes" : "data");
    ice_html_grouped(out, positive(manifest->n_files));
    ice_html_put(out, "</td><td role=\"cell\" class=\"num\">");
    ice_html_bytes(out, positive(manifest->length));
    ice_html_printf(
        out,
        "<svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" "
        "aria-hidden=\"true\"><rect x=\"%d\" y=\"0\" width=\"%d\" "
        "height=\"6\"/></svg></td></tr>\n",
        100 - (width > 0 ? width : 1), width > 0 ? width : 1);
}

void ice_html_put_manifests(struct ice_html_text *out,
                            const struct ice_html_facts *facts) {
    if (facts->n_manifests == 0)
        return;
    ice_html_put(out, "<h3>Manifests of the current snapshot</h3>\n<p>");
    ice_html_number(out, facts->n_manifests, "manifest", "manifests");
    if (facts->n_delete_manifests > 0) {
        ice_html_put(out, ", ");
        ice_html_grouped(out, facts->n_delete_manifests);
        ice_html_put(out, " of them of deletes");
    }
    ice_html_put(out, "; ");
    ice_html_bytes(out, facts->manifest_bytes);
    ice_html_put(out, " in all, which every plan of a full scan reads.</p>\n"
                      "<div class=\"scroll\">\n<table class=\"stack manifests\" "
                      "role=\"table\">\n<caption>");
    ice_html_put(out, facts->n_manifests > facts->n_shown ? "The biggest" : "By size");
    ice_html_put(out, "</caption>\n<thead role=\"rowgroup\"><tr role=\"row\"><th "
                      "role=\"columnheader\" scope=\"col\">Manifest</th>"
                      "<th role=\"columnheader\" scope=\"col\">Holds</th><th "
                      "role=\"columnheader\" scope=\"col\" class=\"num\">Live "
                      "files</th><th role=\"columnheader\" scope=\"col\" "
                      "class=\"num\">Size</th></tr></thead>\n"
                      "<tbody role=\"rowgroup\">\n");
    for (size_t i = 0; i < facts->n_shown; i++)
        put_manifest(out, &facts->manifests[i], facts->manifests[0].length);
    ice_html_put(out, "</tbody>\n</table>\n</div>\n");
}
