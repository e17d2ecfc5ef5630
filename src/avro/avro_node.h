/*
 * Inside of the schema parser: nodes as they stand in the JSON text, before and while
 * names are resolved. They live in a work arena that is dropped behind the parsing; what
 * the caller gets (node->schema) lives in its own.
 */
#ifndef ICE_AVRO_AVRO_NODE_H
#define ICE_AVRO_AVRO_NODE_H

#include "avro/avro_schema.h"
#include "base/hash.h"

/* A member of a list whose length is not known yet: a field, branch or symbol. */
struct ice_avro_link {
    struct ice_avro_link *next;
    struct ice_avro_node *child; /* field, branch */
    struct ice_avro_field field; /* field */
    struct ice_str symbol;       /* symbol */
};

struct ice_avro_node {
    struct ice_avro_schema *schema;
    /* the node that counts: itself, what it names, or wraps */
    struct ice_avro_node *target;
    uint32_t index;                   /* in document order */
    bool is_string;                   /* "name", not {"type": "name"} */
    bool is_union;                    /* [...] */
    struct ice_avro_node *inner;      /* of {"type": {...}} */
    struct ice_str type, name, space; /* as written; data NULL if absent */
    bool has_size, has_fields, has_symbols;
    int64_t size;
    struct ice_avro_link *first, *last; /* fields, branches */
    size_t n_links;
    struct ice_avro_link *first_symbol, *last_symbol;
    size_t n_symbols;
    struct ice_avro_node *items, *values;
    struct ice_avro_node **children; /* made from the above when the node is entered */
    size_t n_children;
    bool is_complete; /* all below it is resolved */
};

/* Two definitions of one name, to be compared when all is resolved. */
struct ice_avro_twin {
    struct ice_avro_twin *next;
    const struct ice_avro_node *first, *second;
};

struct ice_avro_parser {
    struct ice_run *run;
    struct ice_arena *arena; /* the caller's */
    struct ice_arena work;
    const struct ice_avro_attr_names *names;
    struct ice_avro_problems *problems; /* may be NULL */
    struct ice_error *err;
    struct ice_avro_node **nodes; /* in document order */
    size_t n_nodes, nodes_capacity;
    uint64_t n_counted; /* nodes and symbols, against the limit */
    uint64_t pointer_bytes;
    size_t deepest;           /* open schema objects and arrays at a time */
    struct ice_table defined; /* full name -> index in nodes */
    struct ice_avro_twin *twins;
};

/* avro_schema_read.c: JSON text -> nodes; nodes[0] is the root. */
enum ice_status ice_avro_read_nodes(struct ice_avro_parser *p, struct ice_str text);
/* avro_schema_resolve.c: names -> targets, checks, sizes. */
enum ice_status ice_avro_resolve(struct ice_avro_parser *p);
/* avro_schema_twin.c: are names that were defined twice defined alike? */
enum ice_status ice_avro_compare_twins(struct ice_avro_parser *p);
/* avro_schema_finite.c: "avro.schema.infinite" if some node can have no datum. */
enum ice_status ice_avro_check_finite(struct ice_avro_parser *p);

/* avro_schema.c: set the error; pointer is of the schema text, subject may be anything.
 */
enum ice_status ice_avro_schema_fail(struct ice_avro_parser *p, enum ice_status status,
                                     const char *rule, struct ice_str pointer,
                                     const char *what, struct ice_str subject);
static inline enum ice_status ice_avro_invalid(struct ice_avro_parser *p,
                                               struct ice_str pointer, const char *what,
                                               struct ice_str subject) {
    return ice_avro_schema_fail(p, ICE_EFORMAT, "avro.schema.invalid", pointer, what,
                                subject);
}
enum ice_status ice_avro_add_problem(struct ice_avro_parser *p,
                                     struct ice_avro_problem problem);

/* avro_name.c: is it [A-Za-z_][A-Za-z0-9_]*? If not, *beyond_ascii as of
 * ice_avro_problem. */
bool ice_avro_name_is_legal(struct ice_str name, bool *beyond_ascii);
/* The same for names of parts between dots. */
bool ice_avro_dotted_is_legal(struct ice_str name, bool *beyond_ascii);

#endif
