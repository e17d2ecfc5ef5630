/*
 * The commits of a table drawn as a graph, as `git log --graph` draws: a commit is a
 * star in the lane of its line, a metadata file without one an "o" in the first lane,
 * which is kept for main.
 *
 *   *  103  2025-03-03 ...  (main)
 *   | *  104  ...  [lost]
 *   |/
 *   *  102  ...
 */
#include "report/graph_report.h"

#include "base/buf.h"
#include "base/error.h"
#include "report/rows_report.h"

#include <inttypes.h>

enum {
    MOST_LANES = 24,     /* further lines begin where they are met, without a lane */
    COLUMNS_OF_LANE = 2, /* characters */
};

struct lane {
    bool is_used;    /* waits for a commit */
    bool is_started; /* a child of it was drawn */
    int64_t id;      /* of that commit */
};

/* ---- rows ---- */

void ice_graph_init(struct ice_graph *graph, struct ice_alloc *alloc,
                    struct ice_text *text) {
    *graph = (struct ice_graph){.alloc = alloc, .text = text};
    ice_arena_init(&graph->arena, alloc);
    ice_table_init(&graph->by_id, alloc);
}

void ice_graph_release(struct ice_graph *graph) {
    if (graph->alloc == NULL)
        return;
    ice_array_free(graph->alloc, &graph->rows, &graph->capacity, sizeof(*graph->rows));
    ice_table_release(&graph->by_id);
    ice_arena_release(&graph->arena);
    *graph = (struct ice_graph){0};
}

static const struct ice_value *find(const struct ice_column *columns,
                                    const struct ice_value *values, size_t n,
                                    const char *name) {
    for (size_t i = 0; i < n; i++) {
        if (strcmp(columns[i].name, name) == 0)
            return &values[i];
    }
    return NULL;
}

static bool is_null(const struct ice_value *value) {
    return value == NULL || value->kind == ICE_VALUE_NULL;
}

/* Does a comma list name main? */
static bool names_main(const struct ice_value *refs) {
    struct ice_str rest = is_null(refs) ? ICE_STR_NONE : refs->str;
    while (rest.size > 0) {
        size_t comma = ice_str_find(rest, ',');
        if (ice_str_is(ice_str_first(rest, comma), "main"))
            return true;
        rest = comma == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, comma + 2);
    }
    return false;
}

static enum ice_status put(struct ice_buf *out, const char *before,
                           const struct ice_value *value, const char *behind) {
    if (is_null(value))
        return ICE_OK;
    if (ice_buf_append_str(out, ice_str_from(before)) < 0 ||
        ice_value_text(out, value) < 0)
        return ICE_ENOMEM;
    return ice_buf_append_str(out, ice_str_from(behind));
}

/* "+3 -1 files" */
static enum ice_status put_pair(struct ice_buf *out, const struct ice_value *added,
                                const struct ice_value *gone, const char *what) {
    bool has_added = !is_null(added) && added->i64 != 0;
    bool has_gone = !is_null(gone) && gone->i64 != 0;
    if (!has_added && !has_gone)
        return ICE_OK;
    if (ice_buf_append_char(out, ' ') < 0 ||
        (has_added && ice_buf_printf(out, " +%" PRId64, added->i64) < 0) ||
        (has_gone && ice_buf_printf(out, " -%" PRId64, gone->i64) < 0))
        return ICE_ENOMEM;
    return ice_buf_append_str(out, ice_str_from(what));
}

static enum ice_status make_line(struct ice_buf *out, const struct ice_column *columns,
                                 const struct ice_value *values, size_t n) {
#define VALUE(name) find(columns, values, n, name)
    ICE_TRY(put(out, "", VALUE("snapshot_id"), "  "));
    ICE_TRY(put(out, "", VALUE("time"), ""));
    ICE_TRY(put(out, "  (", VALUE("refs"), ")"));
    ICE_TRY(put(out, "  ", VALUE("operation"), ""));
    ICE_TRY(
        put_pair(out, VALUE("added_data_files"), VALUE("deleted_data_files"), " files"));
    ICE_TRY(put_pair(out, VALUE("added_delete_files"), VALUE("removed_delete_files"),
                     " delete files"));
    ICE_TRY(put_pair(out, VALUE("added_records"), VALUE("deleted_records"), " rows"));
    ICE_TRY(put(out, "  ", VALUE("metadata_file"), ""));
    ICE_TRY(put(out, "  [", VALUE("flags"), "]"));
    ICE_TRY(put(out, "  ", VALUE("changes"), ""));
    return put(out, "  by ", VALUE("writer"), "");
#undef VALUE
}

enum ice_status ice_graph_row(struct ice_graph *graph, const struct ice_column *columns,
                              const struct ice_value *values, size_t n) {
    const struct ice_value *id = find(columns, values, n, "snapshot_id");
    const struct ice_value *parent = find(columns, values, n, "parent_id");
    struct ice_buf line;
    if (id == NULL || parent == NULL || graph->n >= UINT32_MAX)
        return ICE_EARG;
    if (!ice_array_reserve(graph->alloc, &graph->rows, graph->n, &graph->capacity,
                           sizeof(*graph->rows)))
        return ICE_ENOMEM;
    struct ice_graph_row *row = &graph->rows[graph->n];
    *row =
        (struct ice_graph_row){.id = id->i64,
                               .parent = parent->i64,
                               .has_id = !is_null(id),
                               .has_parent = !is_null(parent),
                               .is_head = names_main(find(columns, values, n, "refs"))};
    ice_buf_init(&line, graph->alloc, SIZE_MAX / 2);
    bool is_kept = make_line(&line, columns, values, n) >= 0 &&
                   ice_arena_dup(&graph->arena, ice_buf_str(&line), &row->line);
    ice_buf_release(&line);
    if (!is_kept ||
        (row->has_id && ice_table_put(&graph->by_id, ice_hash_mix((uint64_t)row->id, 0),
                                      (uint32_t)graph->n) < 0))
        return ICE_ENOMEM;
    graph->n++;
    return ICE_OK;
}

/* ---- drawing ---- */

/* Is the parent still to come? Else its line ends here: it is expired, or clocks went
 * astray. */
static bool is_awaited(const struct ice_graph *graph, const struct ice_graph_row *row) {
    size_t at = SIZE_MAX;
    uint32_t index;
    while (row->has_parent &&
           ice_table_next(&graph->by_id, ice_hash_mix((uint64_t)row->parent, 0), &at,
                          &index)) {
        if (graph->rows[index].id == row->parent && !graph->rows[index].is_drawn)
            return true;
    }
    return false;
}

static size_t width_of(const struct lane *lanes) {
    size_t n = MOST_LANES;
    while (n > 1 && !lanes[n - 1].is_used)
        n--;
    return n;
}

/* The lane that waits for a commit, or a free one behind that of main. */
static size_t lane_for(struct lane *lanes, int64_t id) {
    for (size_t i = 0; i < MOST_LANES; i++) {
        if (lanes[i].is_used && lanes[i].id == id)
            return i;
    }
    for (size_t i = 1; i < MOST_LANES; i++) {
        if (!lanes[i].is_used)
            return i;
    }
    return MOST_LANES - 1;
}

/* Lane `from` ends in lane `to`, left of it: "|_|/". */
static void draw_join(struct ice_graph *graph, const struct lane *lanes, size_t to,
                      size_t from) {
    char line[MOST_LANES * COLUMNS_OF_LANE + 1];
    size_t n = 0, end = 0;
    for (size_t i = 0; i < MOST_LANES; i++) {
        bool is_drawn = lanes[i].is_used && lanes[i].is_started && i != from;
        bool is_between = i >= to && i < from;
        line[n++] = is_drawn ? '|' : is_between && i > to ? '_' : ' ';
        line[n++] = i + 1 == from ? '/' : is_between ? '_' : ' ';
        end = line[n - 1] != ' ' ? n : line[n - 2] != ' ' ? n - 1 : end;
    }
    line[end] = '\n';
    ice_text_raw(graph->text, ice_str_make(line, end + 1));
}

static void draw_line(struct ice_graph *graph, const struct lane *lanes, size_t at,
                      const char *mark, struct ice_str line) {
    size_t n = width_of(lanes);
    if (at >= n)
        n = at + 1;
    for (size_t i = 0; i < n; i++) {
        bool is_drawn = lanes[i].is_used && lanes[i].is_started;
        ice_text_put(graph->text, i == at ? mark : is_drawn ? "|" : " ");
        ice_text_put(graph->text, " ");
    }
    ice_text_escaped(graph->text, line);
    ice_text_put(graph->text, "\n");
}

static void draw_commit(struct ice_graph *graph, struct lane *lanes,
                        struct ice_graph_row *row) {
    size_t at = lane_for(lanes, row->id);
    for (size_t i = MOST_LANES - 1; i > at; i--) {
        if (!lanes[i].is_used || lanes[i].id != row->id)
            continue;
        lanes[at].is_started = true;
        draw_join(graph, lanes, at, i);
        lanes[i] = (struct lane){0};
    }
    draw_line(graph, lanes, at, "*", row->line);
    row->is_drawn = true;
    bool goes_on = is_awaited(graph, row);
    lanes[at] = (struct lane){goes_on, goes_on, row->parent};
}

void ice_graph_draw(struct ice_graph *graph) {
    struct lane lanes[MOST_LANES] = {{0}};
    for (size_t i = 0; i < graph->n && !lanes[0].is_used; i++) {
        if (graph->rows[i].is_head)
            lanes[0] = (struct lane){true, false, graph->rows[i].id};
    }
    for (size_t i = graph->n; i > 0; i--) {
        struct ice_graph_row *row = &graph->rows[i - 1];
        if (row->has_id)
            draw_commit(graph, lanes, row);
        else
            draw_line(graph, lanes, 0, "o", row->line);
    }
}
