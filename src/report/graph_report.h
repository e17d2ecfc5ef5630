/*
 * The commits of a table drawn as a graph, newest first: rows of ice_history.
 */
#ifndef ICE_REPORT_GRAPH_REPORT_H
#define ICE_REPORT_GRAPH_REPORT_H

#include "base/arena.h"
#include "base/hash.h"
#include "report/text.h"

/* A row, held until the last one is known. */
struct ice_graph_row {
    int64_t id, parent;
    bool has_id, has_parent, is_head, is_drawn;
    struct ice_str line; /* behind the graph */
};

struct ice_graph {
    struct ice_alloc *alloc;
    struct ice_text *text;
    struct ice_arena arena;
    struct ice_graph_row *rows; /* oldest first */
    size_t n, capacity;
    struct ice_table by_id;
};

void ice_graph_init(struct ice_graph *graph, struct ice_alloc *alloc,
                    struct ice_text *text);
void ice_graph_release(struct ice_graph *graph); /* safe twice and on all-zero */
/* ICE_EARG: these are no rows of ice_history. */
enum ice_status ice_graph_row(struct ice_graph *graph, const struct ice_column *columns,
                              const struct ice_value *values, size_t n) ICE_MUST_USE;
void ice_graph_draw(struct ice_graph *graph);

#endif
