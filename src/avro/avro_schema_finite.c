/*
 * Can a datum of each node exist? A record that contains itself with no union, array or
 * map between cannot; Avro C and fastavro die of it.
 *
 * From the leaves up: a record is finite when all its fields are, a union when one branch
 * is, everything else always. Each edge is looked at once.
 */
#include "avro/avro_node.h"

#include "base/error.h"

/* "child is needed by parent", in a list of the child's. */
struct edge {
    uint32_t parent, next;
};

struct graph {
    struct edge *edges; /* from 1 */
    uint32_t *first;    /* a node's list, 0: none */
    uint32_t *needed;   /* finite children that a node still waits for */
    uint32_t *queue;    /* finite nodes */
    size_t n_edges, n_queue;
};

static size_t count_children(const struct ice_avro_parser *p) {
    size_t n = 0;
    for (size_t i = 0; i < p->n_nodes; i++)
        n += p->nodes[i]->n_children;
    return n;
}

static void add_node(struct graph *g, const struct ice_avro_node *node) {
    const enum ice_avro_type type = node->schema->type;
    const uint32_t index = node->index;
    if (type == ICE_AVRO_RECORD)
        g->needed[index] = (uint32_t)node->n_children;
    else if (type == ICE_AVRO_UNION)
        g->needed[index] = 1;
    if (g->needed[index] == 0) {
        g->queue[g->n_queue++] = index;
        return;
    }
    for (size_t i = 0; i < node->n_children; i++) {
        const uint32_t child = node->children[i]->target->index;
        g->edges[++g->n_edges] = (struct edge){index, g->first[child]};
        g->first[child] = (uint32_t)g->n_edges;
    }
}

enum ice_status ice_avro_check_finite(struct ice_avro_parser *p) {
    const size_t n = p->n_nodes, n_edges = count_children(p) + 1;
    struct graph g = {.edges = ice_arena_array(&p->work, n_edges, sizeof(*g.edges)),
                      .first = ice_arena_array(&p->work, n, sizeof(*g.first)),
                      .needed = ice_arena_array(&p->work, n, sizeof(*g.needed)),
                      .queue = ice_arena_array(&p->work, n, sizeof(*g.queue))};
    if (!g.edges || !g.first || !g.needed || !g.queue)
        return ice_error_memory(p->err);
    for (size_t i = 0; i < n; i++)
        if (p->nodes[i]->target == p->nodes[i])
            add_node(&g, p->nodes[i]);
    while (g.n_queue > 0) {
        const uint32_t child = g.queue[--g.n_queue];
        for (uint32_t e = g.first[child]; e != 0; e = g.edges[e].next) {
            uint32_t *needed = &g.needed[g.edges[e].parent];
            if (*needed > 0 && --*needed == 0)
                g.queue[g.n_queue++] = g.edges[e].parent;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (g.needed[i] > 0)
            return ice_avro_schema_fail(p, ICE_EFORMAT, "avro.schema.infinite",
                                        p->nodes[i]->schema->pointer,
                                        "no value can exist: the type contains itself",
                                        p->nodes[i]->schema->full_name);
    return ICE_OK;
}
