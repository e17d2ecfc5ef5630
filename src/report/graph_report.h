/*
 * The commits of a table drawn as a graph, newest first: rows of ice_history.
 */
#ifndef ICE_REPORT_GRAPH_REPORT_H
#define ICE_REPORT_GRAPH_REPORT_H

#include "base/arena.h"
#include "report/lanes.h"
#include "report/text.h"

struct ice_graph {
    struct ice_alloc *alloc;
    struct ice_text *text;
    struct ice_arena arena;
    struct ice_lanes lanes; /* rows, oldest first, held until the last one is known */
    struct ice_str *lines;  /* behind the graph, one a row */
    size_t capacity;
};

void ice_graph_init(struct ice_graph *graph, struct ice_alloc *alloc,
                    struct ice_text *text);
void ice_graph_release(struct ice_graph *graph); /* safe twice and on all-zero */
/* ICE_EARG: these are no rows of ice_history. */
enum ice_status ice_graph_row(struct ice_graph *graph, const struct ice_column *columns,
                              const struct ice_value *values, size_t n) ICE_MUST_USE;
void ice_graph_draw(struct ice_graph *graph);

/* Of rows: the value of a column, NULL if they have no such column. */
const struct ice_value *ice_value_named(const struct ice_column *columns,
                                        const struct ice_value *values, size_t n,
                                        const char *name);
/* Does a comma list of refs (or NULL, or null) name main? */
bool ice_refs_name_main(const struct ice_value *refs);

#endif
