/*
 * Nodes to schema: what each name stands for, namespaces, and what a legal schema must
 * keep to. One walk in document order with an explicit stack, since a name stands for the
 * definition that was read before it.
 */
#include "avro/avro_node.h"

#include "base/error.h"

static const struct {
    const char *name;
    enum ice_avro_type type;
} primitives[] = {
    {"null", ICE_AVRO_NULL},   {"boolean", ICE_AVRO_BOOLEAN}, {"int", ICE_AVRO_INT},
    {"long", ICE_AVRO_LONG},   {"float", ICE_AVRO_FLOAT},     {"double", ICE_AVRO_DOUBLE},
    {"bytes", ICE_AVRO_BYTES}, {"string", ICE_AVRO_STRING},
};

static const struct {
    const char *name;
    enum ice_avro_type type;
} complex_types[] = {
    {"record", ICE_AVRO_RECORD}, {"error", ICE_AVRO_RECORD}, {"enum", ICE_AVRO_ENUM},
    {"array", ICE_AVRO_ARRAY},   {"map", ICE_AVRO_MAP},      {"fixed", ICE_AVRO_FIXED},
};

/* A node whose children are being resolved. space: for the names below it. */
struct frame {
    struct ice_avro_node *node;
    struct ice_str space;
    size_t next_child;
};

static bool find_primitive(struct ice_str name, enum ice_avro_type *out) {
    for (size_t i = 0; i < ICE_COUNT_OF(primitives); i++) {
        if (ice_str_is(name, primitives[i].name)) {
            *out = primitives[i].type;
            return true;
        }
    }
    return false;
}

static bool find_complex(struct ice_str name, enum ice_avro_type *out) {
    for (size_t i = 0; i < ICE_COUNT_OF(complex_types); i++) {
        if (ice_str_is(name, complex_types[i].name)) {
            *out = complex_types[i].type;
            return true;
        }
    }
    return false;
}

static struct ice_avro_node *find_defined(const struct ice_avro_parser *p,
                                          struct ice_str full_name) {
    const uint64_t hash = ice_hash64(full_name, p->run->hash_seed);
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(&p->defined, hash, &at, &index))
        if (ice_str_equal(p->nodes[index]->schema->full_name, full_name))
            return p->nodes[index];
    return NULL;
}

static enum ice_status join(struct ice_avro_parser *p, struct ice_arena *arena,
                            struct ice_str space, struct ice_str name,
                            struct ice_str *out) {
    if (space.size == 0 || ice_str_find(name, '.') != SIZE_MAX) {
        *out = name;
        return ICE_OK;
    }
    char *joined = ice_arena_alloc(arena, space.size + 1 + name.size);
    if (joined == NULL)
        return ice_error_memory(p->err);
    memcpy(joined, space.data, space.size);
    joined[space.size] = '.';
    if (name.size > 0)
        memcpy(joined + space.size + 1, name.data, name.size);
    *out = ice_str_make(joined, space.size + 1 + name.size);
    return ICE_OK;
}

/* The node that a name stands for: in this namespace, else in none (as Avro Java does).
 */
static enum ice_status resolve_name(struct ice_avro_parser *p, struct ice_avro_node *node,
                                    struct ice_str space) {
    struct ice_str full_name;
    ICE_TRY(join(p, &p->work, space, node->type, &full_name));
    node->target = find_defined(p, full_name);
    if (node->target == NULL)
        node->target = find_defined(p, node->type);
    if (node->target == NULL)
        return ice_avro_invalid(p, node->schema->pointer, "a type of unknown name",
                                node->type);
    return ICE_OK;
}

static enum ice_status check_dotted(struct ice_avro_parser *p, struct ice_str pointer,
                                    struct ice_str name, const char *what) {
    struct ice_avro_problem problem = {
        .rule = "avro.name.illegal", .pointer = pointer, .name = name, .what = what};
    if (ice_avro_dotted_is_legal(name, &problem.beyond_ascii))
        return ICE_OK;
    return ice_avro_add_problem(p, problem);
}

/* Enter a record, enum or fixed under its full name; *space becomes its namespace. */
static enum ice_status define(struct ice_avro_parser *p, struct ice_avro_node *node,
                              struct ice_str *space) {
    struct ice_avro_schema *schema = node->schema;
    const struct ice_str pointer = schema->pointer;
    if (node->name.data == NULL)
        return ice_avro_invalid(p, pointer, "a record, enum or fixed without a name",
                                ICE_STR_NONE);
    if (node->space.data != NULL)
        *space = node->space;
    ICE_TRY(join(p, p->arena, *space, node->name, &schema->full_name));
    const size_t dot = ice_str_rfind(schema->full_name, '.');
    *space = dot == SIZE_MAX ? ICE_STR_NONE : ice_str_first(schema->full_name, dot);
    ICE_TRY(check_dotted(p, pointer, node->name, "type name"));
    if (node->space.size > 0)
        ICE_TRY(check_dotted(p, pointer, node->space, "namespace"));
    enum ice_avro_type ignored;
    if (find_primitive(schema->full_name, &ignored))
        return ice_avro_invalid(p, pointer, "a type with the name of a primitive",
                                schema->full_name);
    const struct ice_avro_node *first = find_defined(p, schema->full_name);
    if (first != NULL) {
        struct ice_avro_twin *twin = ice_arena_alloc(&p->work, sizeof(*twin));
        if (twin == NULL)
            return ice_error_memory(p->err);
        *twin = (struct ice_avro_twin){.next = p->twins, .first = first, .second = node};
        p->twins = twin;
        return ICE_OK;
    }
    const uint64_t hash = ice_hash64(schema->full_name, p->run->hash_seed);
    return ice_table_put(&p->defined, hash, node->index) < 0 ? ice_error_memory(p->err)
                                                             : ICE_OK;
}

static enum ice_status set_children(struct ice_avro_parser *p, struct ice_avro_node *node,
                                    size_t n) {
    node->n_children = n;
    node->children = ice_arena_array(&p->work, n, sizeof(struct ice_avro_node *));
    return node->children ? ICE_OK : ice_error_memory(p->err);
}

static enum ice_status set_one_child(struct ice_avro_parser *p,
                                     struct ice_avro_node *node,
                                     struct ice_avro_node *child, const char *missing) {
    if (child == NULL)
        return ice_avro_invalid(p, node->schema->pointer, missing, ICE_STR_NONE);
    ICE_TRY(set_children(p, node, 1));
    node->children[0] = child;
    return ICE_OK;
}

static enum ice_status set_linked_children(struct ice_avro_parser *p,
                                           struct ice_avro_node *node) {
    ICE_TRY(set_children(p, node, node->n_links));
    size_t i = 0;
    for (struct ice_avro_link *link = node->first; link != NULL; link = link->next)
        node->children[i++] = link->child;
    return ICE_OK;
}

static bool same_before(const struct ice_table *seen, uint64_t hash,
                        const struct ice_str *names, struct ice_str name) {
    size_t at = SIZE_MAX;
    uint32_t index;
    while (ice_table_next(seen, hash, &at, &index))
        if (ice_str_equal(names[index], name))
            return true;
    return false;
}

/* Are all of these different? */
static enum ice_status check_unique(struct ice_avro_parser *p, struct ice_str pointer,
                                    const struct ice_str *names, size_t n,
                                    const char *what) {
    struct ice_table seen;
    ice_table_init(&seen, &p->run->alloc);
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < n && status == ICE_OK; i++) {
        const uint64_t hash = ice_hash64(names[i], p->run->hash_seed);
        if (same_before(&seen, hash, names, names[i]))
            status = ice_avro_invalid(p, pointer, what, names[i]);
        else if (ice_table_put(&seen, hash, (uint32_t)i) < 0)
            status = ice_error_memory(p->err);
    }
    ice_table_release(&seen);
    return status;
}

static enum ice_status enter_record(struct ice_avro_parser *p,
                                    struct ice_avro_node *node) {
    struct ice_avro_schema *schema = node->schema;
    if (!node->has_fields)
        return ice_avro_invalid(p, schema->pointer, "a record without fields",
                                schema->full_name);
    struct ice_avro_field *fields =
        ice_arena_array(p->arena, node->n_links, sizeof(*fields));
    struct ice_str *names = ice_arena_array(&p->work, node->n_links, sizeof(*names));
    if (fields == NULL || names == NULL)
        return ice_error_memory(p->err);
    size_t i = 0;
    for (struct ice_avro_link *link = node->first; link != NULL; link = link->next, i++) {
        fields[i] = link->field;
        names[i] = link->field.name;
        if (link->field.name.data == NULL || link->child == NULL)
            return ice_avro_invalid(p, schema->pointer, "a field without name or type",
                                    link->field.name);
        struct ice_avro_problem problem = {.rule = "avro.name.illegal",
                                           .pointer = link->child->schema->pointer,
                                           .name = link->field.name,
                                           .what = "field name"};
        if (ice_str_ends(problem.pointer, ICE_STR("/type")))
            problem.pointer.size -= sizeof("/type") - 1;
        if (!ice_avro_name_is_legal(link->field.name, &problem.beyond_ascii))
            ICE_TRY(ice_avro_add_problem(p, problem));
    }
    schema->fields = fields;
    schema->n_fields = node->n_links;
    ICE_TRY(
        check_unique(p, schema->pointer, names, i, "a field name twice in one record"));
    return set_linked_children(p, node);
}

static enum ice_status enter_enum(struct ice_avro_parser *p, struct ice_avro_node *node) {
    struct ice_avro_schema *schema = node->schema;
    if (!node->has_symbols || node->n_symbols == 0)
        return ice_avro_invalid(p, schema->pointer, "an enum without symbols",
                                schema->full_name);
    struct ice_str *symbols =
        ice_arena_array(p->arena, node->n_symbols, sizeof(*symbols));
    if (symbols == NULL)
        return ice_error_memory(p->err);
    size_t i = 0;
    for (struct ice_avro_link *link = node->first_symbol; link != NULL; link = link->next)
        symbols[i++] = link->symbol;
    schema->symbols = symbols;
    schema->n_symbols = i;
    return check_unique(p, schema->pointer, symbols, i, "a symbol twice in one enum");
}

static enum ice_status enter_fixed(struct ice_avro_parser *p,
                                   struct ice_avro_node *node) {
    if (!node->has_size || node->size < 0 || node->size > INT32_MAX)
        return ice_avro_invalid(p, node->schema->pointer,
                                "a fixed whose size is missing or out of range",
                                node->schema->full_name);
    node->schema->fixed_size = (uint64_t)node->size;
    return ICE_OK;
}

static enum ice_status enter_type(struct ice_avro_parser *p, struct ice_avro_node *node,
                                  struct ice_str *space) {
    switch (node->schema->type) {
    case ICE_AVRO_RECORD:
        ICE_TRY(define(p, node, space));
        return enter_record(p, node);
    case ICE_AVRO_ENUM:
        ICE_TRY(define(p, node, space));
        return enter_enum(p, node);
    case ICE_AVRO_FIXED:
        ICE_TRY(define(p, node, space));
        return enter_fixed(p, node);
    case ICE_AVRO_ARRAY:
        return set_one_child(p, node, node->items, "an array without items");
    case ICE_AVRO_MAP:
        return set_one_child(p, node, node->values, "a map without values");
    case ICE_AVRO_UNION:
        if (node->n_links == 0)
            return ice_avro_invalid(p, node->schema->pointer, "a union without branches",
                                    ICE_STR_NONE);
        return set_linked_children(p, node);
    case ICE_AVRO_NULL:
    case ICE_AVRO_BOOLEAN:
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
    case ICE_AVRO_BYTES:
    case ICE_AVRO_STRING:
        break;
    }
    return ICE_OK;
}

/* Say what a node is, and which nodes are below it. */
static enum ice_status enter(struct ice_avro_parser *p, struct ice_avro_node *node,
                             struct ice_str *space) {
    node->target = node;
    if (node->inner != NULL)
        return set_one_child(p, node, node->inner, "");
    if (node->is_union) {
        node->schema->type = ICE_AVRO_UNION;
        return enter_type(p, node, space);
    }
    if (node->type.data == NULL)
        return ice_avro_invalid(p, node->schema->pointer, "a schema without a type",
                                ICE_STR_NONE);
    if (find_primitive(node->type, &node->schema->type) ||
        (!node->is_string && find_complex(node->type, &node->schema->type)))
        return enter_type(p, node, space);
    return resolve_name(p, node, *space);
}

/* A lower bound, exact for what is complete: see avro_schema.h. */
static uint64_t least_of(const struct ice_avro_node *node) {
    /* still open: it contains itself behind a union, array or map, so it takes a byte */
    return node->is_complete ? node->schema->least_size : 1;
}

static uint64_t add_saturated(uint64_t a, uint64_t b) {
    const uint64_t sum = a + b; /* neither is above INT64_MAX */
    return sum > INT64_MAX ? INT64_MAX : sum;
}

static enum ice_status leave_record(struct ice_avro_parser *p,
                                    struct ice_avro_node *node) {
    struct ice_avro_schema *schema = node->schema;
    struct ice_avro_field *fields =
        ice_arena_array(p->arena, node->n_children, sizeof(*fields));
    uint32_t *sized = ice_arena_array(p->arena, node->n_children, sizeof(*sized));
    if (fields == NULL || sized == NULL)
        return ice_error_memory(p->err);
    for (size_t i = 0; i < node->n_children; i++) {
        const struct ice_avro_node *child = node->children[i]->target;
        fields[i] = schema->fields[i];
        fields[i].type = child->schema;
        schema->has_ids |= fields[i].id.has || child->schema->has_ids;
        const uint64_t least = least_of(child);
        schema->least_size = add_saturated(schema->least_size, least);
        if (least > 0)
            sized[schema->n_sized_fields++] = (uint32_t)i;
    }
    schema->fields = fields;
    schema->sized_fields = sized;
    return ICE_OK;
}

static uint64_t index_bytes(size_t index) {
    uint64_t bytes = 1;
    for (size_t rest = index >> 6; rest > 0; rest >>= 7)
        bytes++;
    return bytes;
}

static enum ice_status leave_union(struct ice_avro_parser *p,
                                   struct ice_avro_node *node) {
    struct ice_avro_schema *schema = node->schema;
    const size_t n = node->n_children;
    const struct ice_avro_schema **branches =
        ice_arena_array(p->arena, n, sizeof(struct ice_avro_schema *));
    struct ice_str *names = ice_arena_array(&p->work, n, sizeof(*names));
    if (branches == NULL || names == NULL)
        return ice_error_memory(p->err);
    unsigned seen = 0;
    size_t n_names = 0;
    schema->least_size = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct ice_avro_node *child = node->children[i]->target;
        branches[i] = child->schema;
        schema->has_ids |= child->schema->has_ids;
        const uint64_t least = add_saturated(index_bytes(i), least_of(child));
        if (least < schema->least_size)
            schema->least_size = least;
        const enum ice_avro_type type = child->schema->type;
        if (type == ICE_AVRO_UNION)
            return ice_avro_invalid(p, schema->pointer, "a union in a union",
                                    ICE_STR_NONE);
        if (type == ICE_AVRO_RECORD || type == ICE_AVRO_ENUM || type == ICE_AVRO_FIXED) {
            names[n_names++] = child->schema->full_name;
            continue;
        }
        if (seen & 1u << type)
            return ice_avro_invalid(p, schema->pointer,
                                    "a union with two branches of a kind",
                                    ice_str_from(ice_avro_type_name(type)));
        seen |= 1u << type;
    }
    schema->branches = branches;
    schema->n_branches = n;
    return check_unique(p, schema->pointer, names, n_names,
                        "a union with two branches of a kind");
}

/* All below is resolved: make what the caller sees. */
static enum ice_status leave(struct ice_avro_parser *p, struct ice_avro_node *node) {
    struct ice_avro_schema *schema = node->schema;
    enum ice_status status = ICE_OK;
    if (node->inner != NULL)
        node->target = node->inner->target;
    if (node->target != node)
        return ICE_OK;
    switch (schema->type) {
    case ICE_AVRO_NULL:
        break;
    case ICE_AVRO_FLOAT:
        schema->least_size = 4;
        break;
    case ICE_AVRO_DOUBLE:
        schema->least_size = 8;
        break;
    case ICE_AVRO_FIXED:
        schema->least_size = schema->fixed_size;
        break;
    case ICE_AVRO_BOOLEAN:
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
    case ICE_AVRO_BYTES:
    case ICE_AVRO_STRING:
    case ICE_AVRO_ENUM:
        schema->least_size = 1;
        break;
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
        schema->least_size = 1;
        schema->items = node->children[0]->target->schema;
        schema->has_ids = schema->element_id.has || schema->key_id.has ||
                          schema->value_id.has || schema->items->has_ids;
        break;
    case ICE_AVRO_RECORD:
        status = leave_record(p, node);
        break;
    case ICE_AVRO_UNION:
        status = leave_union(p, node);
        break;
    }
    node->is_complete = true;
    return status;
}

static enum ice_status walk(struct ice_avro_parser *p, struct frame *frames) {
    size_t n = 1;
    frames[0] = (struct frame){.node = p->nodes[0]};
    ICE_TRY(enter(p, frames[0].node, &frames[0].space));
    while (n > 0) {
        struct frame *top = &frames[n - 1];
        if (top->next_child == top->node->n_children) {
            ICE_TRY(leave(p, top->node));
            n--;
            continue;
        }
        /* the reader has kept the depth within the limit, and so within frames */
        struct frame *below = &frames[n++];
        *below = (struct frame){.node = top->node->children[top->next_child++],
                                .space = top->space};
        ICE_TRY(enter(p, below->node, &below->space));
    }
    return ICE_OK;
}

enum ice_status ice_avro_resolve(struct ice_avro_parser *p) {
    struct frame *frames = ice_arena_array(&p->work, p->deepest + 2, sizeof(*frames));
    if (frames == NULL)
        return ice_error_memory(p->err);
    ICE_TRY(walk(p, frames));
    return ice_avro_compare_twins(p);
}
