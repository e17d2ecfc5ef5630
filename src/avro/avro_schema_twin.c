/*
 * Names that a schema defines twice. With one definition it can be read all the same,
 * with two different ones nobody knows what the name stands for.
 */
#include "avro/avro_node.h"

#include "base/error.h"

/* A pair of nodes to compare. */
struct pair {
    const struct ice_avro_node *a, *b;
};

struct pairs {
    struct ice_alloc *alloc;
    struct pair *items;
    size_t n, capacity;
};

static bool push_pair(struct pairs *pairs, const struct ice_avro_node *a,
                      const struct ice_avro_node *b) {
    if (!ice_array_reserve(pairs->alloc, &pairs->items, pairs->n, &pairs->capacity,
                           sizeof(*pairs->items)))
        return false;
    pairs->items[pairs->n++] = (struct pair){a, b};
    return true;
}

static bool is_same_shallow(const struct ice_avro_schema *a,
                            const struct ice_avro_schema *b) {
    if (a->type != b->type || a->fixed_size != b->fixed_size ||
        a->n_fields != b->n_fields || a->n_symbols != b->n_symbols ||
        a->n_branches != b->n_branches)
        return false;
    for (size_t i = 0; i < a->n_fields; i++)
        if (!ice_str_equal(a->fields[i].name, b->fields[i].name))
            return false;
    for (size_t i = 0; i < a->n_symbols; i++)
        if (!ice_str_equal(a->symbols[i], b->symbols[i]))
            return false;
    return true;
}

/*
 * Do both mean the same bytes? Named types below are compared by name only: where they
 * are defined again themselves, they are a pair of their own. Attributes and docs do not
 * count.
 */
static enum ice_status compare_twin(struct ice_avro_parser *p, struct pairs *pairs,
                                    const struct ice_avro_twin *twin, bool *out_same) {
    pairs->n = 0;
    *out_same = false;
    if (!push_pair(pairs, twin->first, twin->second))
        return ice_error_memory(p->err);
    while (pairs->n > 0) {
        const struct pair pair = pairs->items[--pairs->n];
        const bool is_top = pair.a == twin->first && pair.b == twin->second;
        if (!is_top && pair.a->schema->full_name.data != NULL) {
            if (pair.a->schema->type != pair.b->schema->type ||
                !ice_str_equal(pair.a->schema->full_name, pair.b->schema->full_name))
                return ICE_OK;
            continue;
        }
        if (!is_same_shallow(pair.a->schema, pair.b->schema))
            return ICE_OK;
        for (size_t i = 0; i < pair.a->n_children; i++)
            if (!push_pair(pairs, pair.a->children[i]->target,
                           pair.b->children[i]->target))
                return ice_error_memory(p->err);
    }
    *out_same = true;
    return ICE_OK;
}

enum ice_status ice_avro_compare_twins(struct ice_avro_parser *p) {
    struct pairs pairs = {.alloc = &p->run->alloc};
    enum ice_status status = ICE_OK;
    for (const struct ice_avro_twin *twin = p->twins; twin != NULL && status == ICE_OK;
         twin = twin->next) {
        const struct ice_avro_schema *second = twin->second->schema;
        bool is_same;
        status = compare_twin(p, &pairs, twin, &is_same);
        if (status < 0)
            break;
        if (!is_same)
            status = ice_avro_invalid(p, second->pointer,
                                      "a name with two different definitions",
                                      second->full_name);
        else
            status = ice_avro_add_problem(
                p, (struct ice_avro_problem){.rule = "avro.schema.invalid",
                                             .pointer = second->pointer,
                                             .name = second->full_name,
                                             .what = "second definition"});
    }
    ice_array_free(&p->run->alloc, &pairs.items, &pairs.capacity, sizeof(*pairs.items));
    return status;
}
