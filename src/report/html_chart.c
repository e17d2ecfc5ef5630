/*
 * Rows, data files and bytes of the main branch over time. A drawing holds shapes alone;
 * its words stand beside it, where they keep their size on a phone.
 */
#include "report/html.h"

#include "base/error.h"

#include <inttypes.h>

enum {
    WIDTH = 1000,  /* units of a drawing, which is stretched to its place */
    LAST_AT = 970, /* where the last point is; its value holds from then on */
    HEIGHT = 200,
    MOST_POINTS = 400, /* of a line; a screen shows no more */
};

/* Points of the main branch, oldest first. */
struct line {
    const struct ice_html_point **points;
    size_t n;
    bool has_times; /* they grow: the axis is one of time, else one of commits */
};

struct curve {
    size_t number; /* of a point */
    const char *title, *id;
    void (*put)(struct ice_html_text *out, uint64_t value);
};

/* ---- which points ---- */

static enum ice_status index_points(const struct ice_html_facts *facts,
                                    struct ice_table *by_id) {
    for (size_t i = 0; i < ice_html_points(facts); i++)
        ICE_TRY(ice_table_put(
            by_id, ice_hash_mix((uint64_t)ice_html_point(facts, i)->id, 0), (uint32_t)i));
    return ICE_OK;
}

static const struct ice_html_point *find(const struct ice_html_facts *facts,
                                         const struct ice_table *by_id, int64_t id) {
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(by_id, ice_hash_mix((uint64_t)id, 0), &at, &index)) {
        if (ice_html_point(facts, index)->id == id)
            return ice_html_point(facts, index);
    }
    return NULL;
}

/* From the current snapshot back to the first; a loop ends at the number of points. */
static void follow(const struct ice_html_facts *facts, const struct ice_table *by_id,
                   int64_t head, struct line *line) {
    const struct ice_html_point *point = find(facts, by_id, head);
    size_t most = ice_html_points(facts);
    while (point != NULL && line->n < most) {
        line->points[line->n++] = point;
        point = point->has_parent ? find(facts, by_id, point->parent) : NULL;
    }
    for (size_t i = 0; i < line->n / 2; i++) {
        const struct ice_html_point *other = line->points[i];
        line->points[i] = line->points[line->n - 1 - i];
        line->points[line->n - 1 - i] = other;
    }
}

/* Every second is left out until the others fit; the last one stays. */
static void thin_out(struct line *line) {
    while (line->n > MOST_POINTS) {
        size_t kept = 0, odd = (line->n - 1) % 2;
        for (size_t i = odd; i < line->n; i += 2)
            line->points[kept++] = line->points[i];
        line->n = kept;
    }
    line->has_times = line->n > 1;
    for (size_t i = 0; i < line->n; i++)
        line->has_times =
            line->has_times && line->points[i]->has_time &&
            (i == 0 || line->points[i]->time_ms >= line->points[i - 1]->time_ms);
    line->has_times =
        line->has_times && line->points[line->n - 1]->time_ms > line->points[0]->time_ms;
}

/* ---- one curve ---- */

static bool value_of(const struct line *line, size_t i, size_t number, uint64_t *out) {
    const struct ice_html_point *point = line->points[i];
    *out = point->numbers[number] > 0 ? (uint64_t)point->numbers[number] : 0;
    return ((point->has_numbers >> number) & 1) != 0;
}

static int x_of(const struct line *line, size_t i) {
    if (!line->has_times)
        return (int)(i * LAST_AT / (line->n - 1));
    double first = (double)line->points[0]->time_ms;
    double span = (double)line->points[line->n - 1]->time_ms - first;
    return (int)(((double)line->points[i]->time_ms - first) / span * LAST_AT);
}

static int y_of(uint64_t value, uint64_t most) {
    return HEIGHT - (most == 0 ? 0 : (int)((double)value / (double)most * HEIGHT));
}

/* A value holds until the next commit: steps. Appends "x,y x,y". */
static void put_points(struct ice_html_text *out, const struct line *line, size_t number,
                       uint64_t most) {
    uint64_t value;
    int before = -1;
    for (size_t i = 0; i < line->n; i++) {
        if (!value_of(line, i, number, &value))
            continue;
        int x = x_of(line, i), y = y_of(value, most);
        if (before >= 0)
            ice_html_printf(out, " %d,%d", x, before);
        ice_html_printf(out, "%s%d,%d", before >= 0 ? " " : "", x, y);
        before = y;
    }
    if (before >= 0)
        ice_html_printf(out, " %d,%d", WIDTH, before);
}

struct range {
    size_t n, first_at; /* points with a value */
    uint64_t first, last, least, most;
};

static struct range range_of(const struct line *line, size_t number) {
    struct range range = {.least = UINT64_MAX};
    uint64_t value;
    for (size_t i = 0; i < line->n; i++) {
        if (!value_of(line, i, number, &value))
            continue;
        if (range.n++ == 0) {
            range.first = value;
            range.first_at = i;
        }
        range.last = value;
        range.least = value < range.least ? value : range.least;
        range.most = value > range.most ? value : range.most;
    }
    return range;
}

static void put_ends(struct ice_html_text *out, const struct line *line) {
    const struct ice_html_point *first = line->points[0],
                                *last = line->points[line->n - 1];
    ice_html_put(out, "<div class=\"axis\"><span>");
    if (line->has_times)
        ice_html_time(out, first->time_ms);
    else
        ice_html_put(out, "first commit");
    ice_html_put(out, "</span><span>");
    if (line->has_times)
        ice_html_time(out, last->time_ms);
    else
        ice_html_put(out, "last commit");
    ice_html_put(out, "</span></div>\n");
}

static void put_drawing(struct ice_html_text *out, const struct line *line,
                        const struct curve *curve, const struct range *range,
                        size_t table) {
    ice_html_printf(
        out,
        "<svg viewBox=\"0 -6 %d %d\" preserveAspectRatio=\"none\" role=\"img\" "
        "aria-labelledby=\"t%zu-%s-t t%zu-%s-d\"><title id=\"t%zu-%s-t\">%s "
        "over time</title><desc id=\"t%zu-%s-d\">From ",
        WIDTH, HEIGHT + 8, table, curve->id, table, curve->id, table, curve->id,
        curve->title, table, curve->id);
    curve->put(out, range->first);
    ice_html_put(out, " to ");
    curve->put(out, range->last);
    ice_html_put(out, "; at least ");
    curve->put(out, range->least);
    ice_html_put(out, ", at most ");
    curve->put(out, range->most);
    ice_html_printf(out, ".</desc><polygon points=\"%d,%d ", x_of(line, range->first_at),
                    HEIGHT);
    put_points(out, line, curve->number, range->most);
    ice_html_printf(out, " %d,%d\"/><polyline points=\"", WIDTH, HEIGHT);
    put_points(out, line, curve->number, range->most);
    ice_html_put(out, "\"/></svg>\n");
}

static void put_curve(struct ice_html_text *out, const struct line *line,
                      const struct curve *curve, size_t table) {
    struct range range = range_of(line, curve->number);
    if (range.n < 2)
        return;
    ice_html_printf(out, "<figure>\n<figcaption>%s <strong>", curve->title);
    curve->put(out, range.last);
    ice_html_put(out, "</strong> <span class=\"in\">most: ");
    curve->put(out, range.most);
    ice_html_put(out, "</span></figcaption>\n");
    put_drawing(out, line, curve, &range, table);
    put_ends(out, line);
    ice_html_put(out, "</figure>\n");
}

/* ---- all ---- */

static void put_curves(struct ice_html_text *out, const struct line *line, size_t n_all,
                       size_t table) {
    static const struct curve curves[] = {
        {ICE_HTML_TOTAL_ROWS - ICE_HTML_TOTAL_ROWS, "Rows", "rows", ice_html_grouped},
        {ICE_HTML_TOTAL_FILES - ICE_HTML_TOTAL_ROWS, "Data files", "files",
         ice_html_grouped},
        {ICE_HTML_TOTAL_BYTES - ICE_HTML_TOTAL_ROWS, "Bytes", "bytes", ice_html_bytes},
    };
    bool is_any = false;
    for (size_t i = 0; i < ICE_COUNT_OF(curves); i++)
        is_any = is_any || range_of(line, curves[i].number).n > 1;
    if (!is_any)
        return;
    ice_html_put(out, "<h3>Growth of the main branch</h3>\n<div class=\"charts\">\n");
    for (size_t i = 0; i < ICE_COUNT_OF(curves); i++)
        put_curve(out, line, &curves[i], table);
    ice_html_put(out, "</div>\n<p class=\"rest\">As the summaries of its snapshots "
                      "say");
    if (n_all > line->n) {
        ice_html_put(out, "; of its newest ");
        ice_html_grouped(out, n_all);
        ice_html_put(out, " commits ");
        ice_html_grouped(out, line->n);
        ice_html_put(out, " are drawn");
    }
    ice_html_put(out, ".</p>\n");
}

void ice_html_put_charts(struct ice_html_text *out, const struct ice_html_facts *facts,
                         const struct ice_summary *summary, size_t table) {
    struct ice_table by_id;
    struct line line = {0};
    size_t most = ice_html_points(facts);
    if (most < 2 || !summary->has_current_snapshot)
        return;
    line.points = ice_calloc(facts->alloc, most, sizeof(struct ice_html_point *));
    ice_table_init(&by_id, facts->alloc);
    if (line.points == NULL || index_points(facts, &by_id) < 0) {
        out->status = ICE_ENOMEM;
    } else {
        follow(facts, &by_id, summary->current_snapshot_id, &line);
        size_t n_all = line.n;
        thin_out(&line);
        if (line.n > 1)
            put_curves(out, &line, n_all, table);
    }
    ice_table_release(&by_id);
    ice_free(facts->alloc, line.points,
             line.points != NULL ? most * sizeof(struct ice_html_point *) : 0);
}
