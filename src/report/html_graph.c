/*
 * The commits of a table, newest first: a list, with the lanes of their lines drawn in
 * front of each item. What the drawing shows stands in words, too, so that it can be left
 * out by who reads with the ears.
 */
#include "report/html.h"

#include "base/error.h"

#include <inttypes.h>

enum {
    LANES = 8,       /* further lines begin where they are met: a phone is narrow */
    LANE_WIDTH = 14, /* pixels */
    DOT_AT = 14,     /* pixels below the top of an item */
    OPEN_ROWS = 20,  /* the others are folded */
};

static const struct {
    const char *flag, *means;
    bool is_bad;
} flags[] = {
    {"current", "the metadata file that was judged", false},
    {"newer", "continues the metadata file that was judged, which its readers miss",
     true},
    {"lost", "in no metadata file that led to the current one: the commit is lost", true},
    {"lost-commit", "this metadata file left a commit out that was there before", true},
    {"fork", "no log of the current line names this metadata file", true},
    {"rollback", "the main branch went back to an earlier snapshot", true},
    {"jump", "the main branch went to a snapshot that is no ancestor", true},
    {"replaced", "the main branch began anew", true},
    {"off-main", "no branch or tag leads to this snapshot", false},
    {"expired", "removed from the table by an expiry", false},
    {"absent", "the metadata file is not in the directory", false},
    {"unreadable", "the metadata file could not be read", true},
    {"gap", "versions in front of it are in no log and in no file", false},
    {"not-in-log", "no log names this metadata file; by its snapshots it came before",
     false},
    {"unexplained",
     "by its number it came later; whether it continues the line is not known", true},
    {"other-branch", "another branch of the catalog may hold this metadata file", false},
    {"other-table", "the metadata file belongs to another table", true},
};

/* ---- the lanes of one row ---- */

static void put_lane(struct ice_html_text *out, size_t lane, const char *y1,
                     const char *y2) {
    size_t x = lane * LANE_WIDTH + LANE_WIDTH / 2;
    ice_html_printf(out,
                    "<line class=\"l%zu\" x1=\"%zu\" y1=\"%s\" x2=\"%zu\" y2=\"%s\"/>",
                    lane % 4, x, y1, x, y2);
}

static void put_join(struct ice_html_text *out, size_t from, size_t to) {
    size_t x1 = from * LANE_WIDTH + LANE_WIDTH / 2, x2 = to * LANE_WIDTH + LANE_WIDTH / 2;
    ice_html_printf(out, "<path class=\"l%zu\" d=\"M%zu 0C%zu %d %zu 0 %zu %d\"/>",
                    from % 4, x1, x1, DOT_AT, x2, x2, DOT_AT);
}

static void put_lanes(struct ice_html_text *out, const struct ice_lane_step *step,
                      const struct ice_html_commit *commit, size_t width) {
    struct ice_str words = ice_html_commit_text(commit, ICE_HTML_FLAGS);
    bool is_hollow = !commit->lane.has_id || ice_html_has_word(words, "lost") ||
                     ice_html_has_word(words, "expired");
    ice_html_printf(out, "<svg class=\"lanes\" width=\"%zu\" aria-hidden=\"true\">",
                    width * LANE_WIDTH);
    for (size_t i = 0; i < LANES; i++) {
        uint32_t bit = UINT32_C(1) << i;
        bool comes = (step->before & bit) != 0, goes = (step->after & bit) != 0;
        if ((step->joins & bit) != 0)
            put_join(out, i, step->at);
        else if (comes && goes)
            put_lane(out, i, "0", "100%");
        else if (comes)
            put_lane(out, i, "0", "14");
        if (goes && (!comes || (step->joins & bit) != 0))
            put_lane(out, i, "14", "100%");
    }
    ice_html_printf(out, "<circle class=\"l%zu%s\" cx=\"%zu\" cy=\"%d\" r=\"%d\"/></svg>",
                    step->at % 4, is_hollow ? " hollow" : "",
                    step->at * LANE_WIDTH + LANE_WIDTH / 2, DOT_AT,
                    commit->lane.has_id ? 5 : 3);
}

/* ---- its words ---- */

static void put_refs(struct ice_html_text *out, struct ice_str refs) {
    struct ice_str word;
    while (ice_html_next_word(&refs, &word)) {
        bool is_tag = ice_str_starts(word, ICE_STR("tag: "));
        ice_html_put(out, is_tag ? " <span class=\"ref tag\">" : " <span class=\"ref\">");
        ice_html_escaped(out, word);
        ice_html_put(out, "</span>");
    }
}

/* "current" is of a file, which may have brought many commits: said at the newest. */
static void put_flags(struct ice_html_text *out, struct ice_str words,
                      bool is_current_told) {
    struct ice_str word;
    while (ice_html_next_word(&words, &word)) {
        bool is_bad = false;
        if (is_current_told && ice_str_is(word, "current"))
            continue;
        for (size_t i = 0; i < ICE_COUNT_OF(flags); i++)
            is_bad = is_bad || (flags[i].is_bad && ice_str_is(word, flags[i].flag));
        ice_html_put(out,
                     is_bad ? " <span class=\"flag bad\">" : " <span class=\"flag\">");
        ice_html_escaped(out, word);
        ice_html_put(out, "</span>");
    }
}

/* A number of the commit that is there and not 0. */
static bool has_change(const struct ice_html_commit *commit, enum ice_html_number which) {
    return ((commit->has_numbers >> which) & 1) != 0 && commit->numbers[which] != 0;
}

static void put_signed(struct ice_html_text *out, const char *sign, int64_t number) {
    if (number < 0) { /* no writer's; what it says is shown as it is */
        ice_html_printf(out, " %s%" PRId64, sign, number);
        return;
    }
    ice_html_printf(out, " %s", sign);
    ice_html_grouped(out, (uint64_t)number);
}

static void put_change(struct ice_html_text *out, const struct ice_html_commit *commit,
                       enum ice_html_number added, enum ice_html_number gone,
                       const char *what) {
    if (!has_change(commit, added) && !has_change(commit, gone))
        return;
    ice_html_put(out, " <span class=\"change\">");
    if (has_change(commit, added))
        put_signed(out, "+", commit->numbers[added]);
    if (has_change(commit, gone))
        put_signed(out, "\xe2\x88\x92", commit->numbers[gone]);
    ice_html_printf(out, " %s</span>", what);
}

static void put_text(struct ice_html_text *out, const struct ice_html_commit *commit,
                     enum ice_html_commit_text which, const char *before,
                     const char *behind) {
    struct ice_str text = ice_html_commit_text(commit, which);
    if (text.size == 0)
        return;
    ice_html_put(out, before);
    ice_html_escaped(out, text);
    ice_html_put(out, behind);
}

static void put_row(struct ice_html_text *out, const struct ice_html_commit *commit,
                    bool is_current_told) {
    ice_html_put(out, "<div><p>");
    if (commit->lane.has_id)
        ice_html_printf(out, "<code>%" PRId64 "</code>", commit->lane.id);
    else
        ice_html_put(out, "no snapshot");
    put_refs(out, ice_html_commit_text(commit, ICE_HTML_REFS));
    put_flags(out, ice_html_commit_text(commit, ICE_HTML_FLAGS), is_current_told);
    ice_html_put(out, "</p><p class=\"in\">");
    if (commit->has_time)
        ice_html_time(out, commit->time_ms);
    put_text(out, commit, ICE_HTML_OPERATION, " ", "");
    put_change(out, commit, ICE_HTML_ADDED_FILES, ICE_HTML_DELETED_FILES, "files");
    put_change(out, commit, ICE_HTML_ADDED_DELETES, ICE_HTML_REMOVED_DELETES,
               "delete files");
    put_change(out, commit, ICE_HTML_ADDED_ROWS, ICE_HTML_DELETED_ROWS, "rows");
    put_text(out, commit, ICE_HTML_WRITER, " by ", "");
    put_text(out, commit, ICE_HTML_FILE, " <code>", "</code>");
    put_text(out, commit, ICE_HTML_CHANGES, " · ", "");
    ice_html_put(out, "</p></div>");
}

/* ---- all ---- */

static void put_legend(struct ice_html_text *out, const struct ice_html_facts *facts,
                       size_t n) {
    bool is_begun = false;
    for (size_t i = 0; i < ICE_COUNT_OF(flags); i++) {
        bool is_there = false;
        for (size_t k = 0; k < n && !is_there; k++)
            is_there = ice_html_has_word(
                ice_html_commit_text(ice_html_commit(facts, k), ICE_HTML_FLAGS),
                flags[i].flag);
        if (!is_there)
            continue;
        ice_html_put(out, is_begun ? "" : "<dl class=\"legend\">\n");
        is_begun = true;
        ice_html_printf(out,
                        "<div><dt><span class=\"flag%s\">%s</span></dt><dd>%s</dd>"
                        "</div>\n",
                        flags[i].is_bad ? " bad" : "", flags[i].flag, flags[i].means);
    }
    ice_html_put(out, is_begun ? "</dl>\n" : "");
}

static enum ice_status lay_out(const struct ice_html_facts *facts,
                               struct ice_lanes *lanes, struct ice_lane_step *steps,
                               size_t *out_width) {
    size_t n = ice_html_commits(facts);
    uint32_t used = 0;
    for (size_t i = 0; i < n; i++)
        ICE_TRY(ice_lanes_add(lanes, &ice_html_commit(facts, i)->lane));
    ice_lanes_begin(lanes);
    for (size_t i = n; i > 0; i--) {
        ice_lanes_step(lanes, i - 1, &steps[i - 1]);
        used |= steps[i - 1].before | steps[i - 1].after | UINT32_C(1) << steps[i - 1].at;
    }
    *out_width = ice_lanes_width(used);
    return ICE_OK;
}

static void put_list(struct ice_html_text *out, const struct ice_html_facts *facts,
                     const struct ice_lane_step *steps, size_t from, size_t to,
                     size_t width) {
    bool is_current_told = from < ice_html_commits(facts);
    ice_html_put(out, "<ol class=\"graph\">\n");
    for (size_t i = from; i > to; i--) {
        const struct ice_html_commit *commit = ice_html_commit(facts, i - 1);
        ice_html_put(out, "<li>");
        put_lanes(out, &steps[i - 1], commit, width);
        put_row(out, commit, is_current_told);
        is_current_told =
            is_current_told ||
            ice_html_has_word(ice_html_commit_text(commit, ICE_HTML_FLAGS), "current");
        ice_html_put(out, "</li>\n");
    }
    ice_html_put(out, "</ol>\n");
}

static void put_graph(struct ice_html_text *out, const struct ice_html_facts *facts,
                      const struct ice_lane_step *steps, size_t width) {
    size_t n = ice_html_commits(facts);
    size_t folded = n > OPEN_ROWS + 5 ? n - OPEN_ROWS : 0;
    ice_html_put(out, "<h3>Snapshots, newest first</h3>\n");
    put_legend(out, facts, n);
    put_list(out, facts, steps, n, folded, width);
    if (folded > 0) {
        ice_html_put(out, "<details class=\"older\">\n<summary>");
        ice_html_number(out, folded, "older commit", "older commits");
        ice_html_put(out, "</summary>\n");
        put_list(out, facts, steps, folded, 0, width);
        ice_html_put(out, "</details>\n");
    }
    if (facts->n_rows > n) {
        ice_html_put(out, "<p class=\"rest\">");
        ice_html_number(out, facts->n_rows - n, "commit before that is",
                        "commits before that are");
        ice_html_put(out, " not on this page: <code>icefsck history --graph</code> draws "
                          "them all.</p>\n");
    }
}

void ice_html_put_graph(struct ice_html_text *out, const struct ice_html_facts *facts) {
    struct ice_lanes lanes;
    size_t n = ice_html_commits(facts), width;
    if (!facts->was_asked[ICE_HTML_HISTORY])
        return;
    if (n == 0) {
        ice_html_put(out,
                     "<h3>Snapshots</h3>\n<p class=\"rest\">The history of the table "
                     "could not be read, or there is none.</p>\n");
        return;
    }
    struct ice_lane_step *steps = ice_calloc(facts->alloc, n, sizeof(*steps));
    ice_lanes_init(&lanes, facts->alloc, LANES);
    if (steps == NULL || lay_out(facts, &lanes, steps, &width) < 0)
        out->status = ICE_ENOMEM;
    else
        put_graph(out, facts, steps, width);
    ice_lanes_release(&lanes);
    ice_free(facts->alloc, steps, steps != NULL ? n * sizeof(*steps) : 0);
}
