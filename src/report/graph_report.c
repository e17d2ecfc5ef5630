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

enum { COLUMNS_OF_LANE = 2 }; /* characters */

/* ---- rows ---- */

void ice_graph_init(struct ice_graph *graph, struct ice_alloc *alloc,
                    struct ice_text *text) {
    *graph = (struct ice_graph){.alloc = alloc, .text = text};
    ice_arena_init(&graph->arena, alloc);
    ice_lanes_init(&graph->lanes, alloc, ICE_LANES);
}

void ice_graph_release(struct ice_graph *graph) {
    if (graph->alloc == NULL)
        return;
    ice_array_free(graph->alloc, &graph->lines, &graph->capacity, sizeof(*graph->lines));
    ice_lanes_release(&graph->lanes);
    ice_arena_release(&graph->arena);
    *graph = (struct ice_graph){0};
}

const struct ice_value *ice_value_named(const struct ice_column *columns,
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
bool ice_refs_name_main(const struct ice_value *refs) {
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
#define VALUE(name) ice_value_named(columns, values, n, name)
    ICE_TRY(put(out, "", VALUE("snapshot_id"), "  "));
    ICE_TRY(put(out, "", VALUE("time"), ""));
    if (is_null(VALUE("time")))
        ICE_TRY(ice_buf_append_str(out, ICE_STR("time unknown")));
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
    const struct ice_value *id = ice_value_named(columns, values, n, "snapshot_id");
    const struct ice_value *parent = ice_value_named(columns, values, n, "parent_id");
    struct ice_buf line;
    if (id == NULL || parent == NULL)
        return ICE_EARG;
    const struct ice_lane_commit commit = {
        .id = id->i64,
        .parent = parent->i64,
        .has_id = !is_null(id),
        .has_parent = !is_null(parent),
        .is_head = ice_refs_name_main(ice_value_named(columns, values, n, "refs"))};
    size_t at = graph->lanes.n;
    if (!ice_array_reserve(graph->alloc, &graph->lines, at, &graph->capacity,
                           sizeof(*graph->lines)))
        return ICE_ENOMEM;
    ice_buf_init(&line, graph->alloc, SIZE_MAX / 2);
    bool is_kept = make_line(&line, columns, values, n) >= 0 &&
                   ice_arena_dup(&graph->arena, ice_buf_str(&line), &graph->lines[at]);
    ice_buf_release(&line);
    return is_kept ? ice_lanes_add(&graph->lanes, &commit) : ICE_ENOMEM;
}

/* ---- drawing ---- */

static bool has_lane(uint32_t lanes, size_t i) {
    return (lanes >> i & 1) != 0;
}

/* Lane `from` ends in lane `to`, left of it: "|_|/". */
static void draw_join(struct ice_graph *graph, uint32_t lanes, size_t to, size_t from) {
    char line[ICE_LANES * COLUMNS_OF_LANE + 1];
    size_t n = 0, end = 0;
    for (size_t i = 0; i < ICE_LANES; i++) {
        bool is_between = i >= to && i < from;
        line[n++] = has_lane(lanes, i) ? '|' : is_between && i > to ? '_' : ' ';
        line[n++] = i + 1 == from ? '/' : is_between ? '_' : ' ';
        end = line[n - 1] != ' ' ? n : line[n - 2] != ' ' ? n - 1 : end;
    }
    line[end] = '\n';
    ice_text_raw(graph->text, ice_str_make(line, end + 1));
}

static void draw_row(struct ice_graph *graph, size_t index) {
    struct ice_lane_step step;
    ice_lanes_step(&graph->lanes, index, &step);
    uint32_t lanes = step.before;
    for (size_t i = ICE_LANES - 1; i > step.at; i--) {
        if (!has_lane(step.joins, i))
            continue;
        lanes = (lanes & ~(UINT32_C(1) << i)) | UINT32_C(1) << step.at;
        draw_join(graph, lanes, step.at, i);
    }
    size_t n = ice_lanes_width(lanes | UINT32_C(1) << step.at);
    const char *mark = graph->lanes.commits[index].has_id ? "*" : "o";
    for (size_t i = 0; i < n; i++) {
        ice_text_put(graph->text, i == step.at ? mark : has_lane(lanes, i) ? "|" : " ");
        ice_text_put(graph->text, " ");
    }
    ice_text_escaped(graph->text, graph->lines[index]);
    ice_text_put(graph->text, "\n");
}

void ice_graph_draw(struct ice_graph *graph) {
    ice_lanes_begin(&graph->lanes);
    for (size_t i = graph->lanes.n; i > 0; i--)
        draw_row(graph, i - 1);
}
