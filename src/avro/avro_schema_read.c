/*
 * Schema JSON to nodes as they are written. Attributes may come in any order, so nothing
 * is judged here but JSON kinds: names, and what they stand for, wait for
 * avro_schema_resolve.c.
 */
#include "avro/avro_node.h"

#include "base/error.h"
#include "base/size.h"
#include "json/reader.h"

#include <assert.h>

/* above this the pointers of nodes are those of their parents */
enum { MOST_POINTER_BYTES = 8 << 20 };

enum place { IN_SCHEMA, IN_UNION, IN_FIELDS, IN_FIELD, IN_SYMBOLS };

/* An open object or array of the text. */
struct frame {
    enum place place;
    struct ice_avro_node *node;
    struct ice_avro_link *link; /* IN_FIELD */
};

struct reader {
    struct ice_avro_parser *p;
    struct ice_json json;
    struct ice_buf key; /* of the value that comes next */
    struct ice_buf pointer;
    struct frame *frames;
    size_t n_frames, frames_capacity;
    size_t depth; /* open schema nodes */
    bool has_trailing;
};

static enum ice_status notice(enum ice_json_notice kind, uint64_t offset,
                              struct ice_str pointer, void *user) {
    struct reader *r = user;
    (void)offset;
    (void)pointer;
    if (kind == ICE_JSON_TRAILING_DATA)
        r->has_trailing = true;
    return ICE_OK;
}

static enum ice_status next(struct reader *r, struct ice_json_event *out) {
    struct ice_error fault = {.offset = ICE_NO_OFFSET};
    const enum ice_status status = ice_json_next(&r->json, out, &fault);
    if (status >= 0)
        return status;
    struct ice_error *err = r->p->err;
    if (status == ICE_EFORMAT)
        return ice_error_set(err, status, "avro.schema.unparseable", ICE_NO_OFFSET,
                             "the schema is not JSON: %.200s", fault.message);
    if (status == ICE_ELIMIT) {
        const bool is_depth =
            fault.rule != NULL && strcmp(fault.rule, "limit.depth") == 0;
        return ice_error_set(err, status, is_depth ? "limit.depth" : "limit.schema",
                             ICE_NO_OFFSET, "the schema is too large: %.200s",
                             fault.message);
    }
    return ice_error_set(err, status, fault.rule, ICE_NO_OFFSET, "%.255s", fault.message);
}

static enum ice_status skip(struct reader *r, const struct ice_json_event *event) {
    if (event->kind != ICE_JSON_OBJECT && event->kind != ICE_JSON_ARRAY)
        return ICE_OK;
    const size_t depth = ice_json_depth(&r->json);
    struct ice_json_event ignored;
    do
        ICE_TRY(next(r, &ignored));
    while (ice_json_depth(&r->json) >= depth);
    return ICE_OK;
}

static enum ice_status keep(struct ice_avro_parser *p, struct ice_str text,
                            struct ice_str *out) {
    return ice_arena_dup(p->arena, text, out) ? ICE_OK : ice_error_memory(p->err);
}

static enum ice_status push(struct reader *r, enum place place,
                            struct ice_avro_node *node, struct ice_avro_link *link) {
    if (!ice_array_reserve(&r->p->run->alloc, &r->frames, r->n_frames,
                           &r->frames_capacity, sizeof(*r->frames)))
        return ice_error_memory(r->p->err);
    r->frames[r->n_frames++] = (struct frame){.place = place, .node = node, .link = link};
    return ICE_OK;
}

static enum ice_status count_one(struct ice_avro_parser *p) {
    const uint64_t limit = p->run->limits.avro_schema_nodes;
    if (++p->n_counted <= limit)
        return ICE_OK;
    return ice_error_set(p->err, ICE_ELIMIT, "limit.schema", ICE_NO_OFFSET,
                         "the schema has more than %llu nodes",
                         (unsigned long long)limit);
}

static enum ice_status set_pointer(struct reader *r, struct ice_avro_node *node,
                                   const struct ice_avro_node *parent) {
    struct ice_avro_parser *p = r->p;
    if (p->pointer_bytes > MOST_POINTER_BYTES) {
        assert(parent != NULL); /* the first node's takes no byte */
        node->schema->pointer = parent->schema->pointer;
        return ICE_OK;
    }
    if (ice_json_pointer(&r->json, &r->pointer) < 0)
        return ice_error_memory(p->err);
    p->pointer_bytes += r->pointer.size;
    return keep(p, ice_buf_str(&r->pointer), &node->schema->pointer);
}

static enum ice_status new_node(struct reader *r, const struct ice_avro_node *parent,
                                struct ice_avro_node **out) {
    struct ice_avro_parser *p = r->p;
    ICE_TRY(count_one(p));
    struct ice_avro_node *node = ice_arena_alloc(&p->work, sizeof(*node));
    if (node == NULL)
        return ice_error_memory(p->err);
    node->schema = ice_arena_alloc(p->arena, sizeof(*node->schema));
    if (node->schema == NULL)
        return ice_error_memory(p->err);
    if (p->n_nodes == p->nodes_capacity) {
        const size_t capacity = p->nodes_capacity ? p->nodes_capacity * 2 : 64;
        struct ice_avro_node **grown =
            ice_arena_array(&p->work, capacity, sizeof(struct ice_avro_node *));
        if (grown == NULL)
            return ice_error_memory(p->err);
        if (p->n_nodes > 0)
            memcpy(grown, p->nodes, p->n_nodes * sizeof(struct ice_avro_node *));
        p->nodes = grown;
        p->nodes_capacity = capacity;
    }
    node->index = (uint32_t)p->n_nodes;
    p->nodes[p->n_nodes++] = node;
    *out = node;
    return set_pointer(r, node, parent);
}

/* A value where a schema stands. */
static enum ice_status begin_schema(struct reader *r, const struct ice_json_event *event,
                                    const struct ice_avro_node *parent,
                                    struct ice_avro_node **out) {
    struct ice_avro_parser *p = r->p;
    ICE_TRY(new_node(r, parent, out));
    struct ice_avro_node *node = *out;
    if (event->kind == ICE_JSON_STRING) {
        node->is_string = true;
        return keep(p, event->text, &node->type);
    }
    if (event->kind != ICE_JSON_OBJECT && event->kind != ICE_JSON_ARRAY)
        return ice_avro_invalid(p, node->schema->pointer, "a value that is no schema",
                                ICE_STR_NONE);
    if (++r->depth > p->run->limits.avro_depth)
        return ice_avro_schema_fail(p, ICE_ELIMIT, "limit.depth", node->schema->pointer,
                                    "the schema is nested too deep", ICE_STR_NONE);
    if (r->depth > p->deepest)
        p->deepest = r->depth;
    node->is_union = event->kind == ICE_JSON_ARRAY;
    return push(r, node->is_union ? IN_UNION : IN_SCHEMA, node, NULL);
}

static enum ice_status new_link(struct ice_avro_parser *p, struct ice_avro_link **first,
                                struct ice_avro_link **last, size_t *n) {
    struct ice_avro_link *link = ice_arena_alloc(&p->work, sizeof(*link));
    if (link == NULL)
        return ice_error_memory(p->err);
    if (*last != NULL)
        (*last)->next = link;
    else
        *first = link;
    *last = link;
    ++*n;
    return ICE_OK;
}

static bool is_named(struct ice_str key, const char *name) {
    return name != NULL && ice_str_is(key, name);
}

static void take_attr(const struct ice_json_event *event, struct ice_avro_attr *out) {
    int64_t value;
    *out = (struct ice_avro_attr){0};
    if (event->kind == ICE_JSON_NUMBER &&
        ice_number_i64(event->text, &value) == ICE_NUMBER_OK)
        out->has = ice_narrow_i32(value, &out->value);
}

/* A small number that is not worth a fault of its own: 0 if it is none. */
static int32_t small_number(const struct ice_json_event *event) {
    struct ice_avro_attr attr;
    take_attr(event, &attr);
    return attr.has ? attr.value : 0;
}

static enum ice_status take_text(struct reader *r, const struct ice_json_event *event,
                                 struct ice_str *out) {
    *out = ICE_STR_NONE;
    if (event->kind != ICE_JSON_STRING)
        return skip(r, event);
    if (event->text.size > r->p->run->limits.json_key_bytes)
        return ice_error_set(r->p->err, ICE_ELIMIT, "limit.schema", ICE_NO_OFFSET,
                             "a name in the schema is %zu bytes long", event->text.size);
    return keep(r->p, event->text, out);
}

static void read_size(struct ice_avro_node *node, const struct ice_json_event *event) {
    node->has_size = event->kind == ICE_JSON_NUMBER &&
                     ice_number_i64(event->text, &node->size) == ICE_NUMBER_OK;
}

static enum ice_status begin_list(struct reader *r, const struct ice_json_event *event,
                                  struct ice_avro_node *node, enum place place) {
    if (place == IN_FIELDS) {
        node->first = node->last = NULL; /* a key twice: the last one counts */
        node->n_links = 0;
        node->has_fields = event->kind == ICE_JSON_ARRAY;
    } else {
        node->first_symbol = node->last_symbol = NULL;
        node->n_symbols = 0;
        node->has_symbols = event->kind == ICE_JSON_ARRAY;
    }
    return event->kind == ICE_JSON_ARRAY ? push(r, place, node, NULL) : skip(r, event);
}

/* The value of `key` in a schema object. */
static enum ice_status read_attribute(struct reader *r,
                                      const struct ice_json_event *event,
                                      struct ice_avro_node *node, struct ice_str key) {
    const struct ice_avro_attr_names *names = r->p->names;
    struct ice_avro_schema *schema = node->schema;
    if (ice_str_is(key, "type")) {
        node->inner = NULL;
        node->type = ICE_STR_NONE;
        if (event->kind == ICE_JSON_STRING)
            return keep(r->p, event->text, &node->type);
        return begin_schema(r, event, node, &node->inner);
    }
    if (ice_str_is(key, "fields"))
        return begin_list(r, event, node, IN_FIELDS);
    if (ice_str_is(key, "symbols"))
        return begin_list(r, event, node, IN_SYMBOLS);
    if (ice_str_is(key, "items"))
        return begin_schema(r, event, node, &node->items);
    if (ice_str_is(key, "values"))
        return begin_schema(r, event, node, &node->values);
    if (ice_str_is(key, "name"))
        return take_text(r, event, &node->name);
    if (ice_str_is(key, "namespace"))
        return take_text(r, event, &node->space);
    if (ice_str_is(key, "logicalType"))
        return take_text(r, event, &schema->logical_type);
    if (event->kind == ICE_JSON_TRUE || event->kind == ICE_JSON_FALSE) {
        if (ice_str_is(key, "adjust-to-utc")) {
            schema->has_adjust_to_utc = true;
            schema->adjust_to_utc = event->kind == ICE_JSON_TRUE;
        }
        return ICE_OK;
    }
    if (ice_str_is(key, "size"))
        read_size(node, event);
    if (ice_str_is(key, "precision"))
        schema->precision = small_number(event);
    if (ice_str_is(key, "scale"))
        schema->scale = small_number(event);
    if (is_named(key, names->element))
        take_attr(event, &schema->element_id);
    if (is_named(key, names->key))
        take_attr(event, &schema->key_id);
    if (is_named(key, names->value))
        take_attr(event, &schema->value_id);
    return skip(r, event);
}

/* The value of `key` in a field object. */
static enum ice_status read_field_attribute(struct reader *r,
                                            const struct ice_json_event *event,
                                            const struct frame *frame,
                                            struct ice_str key) {
    const struct ice_avro_attr_names *names = r->p->names;
    struct ice_avro_field *field = &frame->link->field;
    if (ice_str_is(key, "type"))
        return begin_schema(r, event, frame->node, &frame->link->child);
    if (ice_str_is(key, "name"))
        return take_text(r, event, &field->name);
    if (is_named(key, names->original))
        return take_text(r, event, &field->original_name);
    if (is_named(key, names->field))
        take_attr(event, &field->id);
    return skip(r, event);
}

/* An element of a list of fields, branches or symbols. */
static enum ice_status read_element(struct reader *r, const struct ice_json_event *event,
                                    const struct frame *frame) {
    struct ice_avro_parser *p = r->p;
    struct ice_avro_node *node = frame->node;
    if (frame->place == IN_SYMBOLS) {
        if (event->kind != ICE_JSON_STRING)
            return ice_avro_invalid(p, node->schema->pointer,
                                    "a symbol that is no string", ICE_STR_NONE);
        ICE_TRY(count_one(p));
        ICE_TRY(new_link(p, &node->first_symbol, &node->last_symbol, &node->n_symbols));
        return keep(p, event->text, &node->last_symbol->symbol);
    }
    ICE_TRY(new_link(p, &node->first, &node->last, &node->n_links));
    if (frame->place == IN_UNION)
        return begin_schema(r, event, node, &node->last->child);
    if (event->kind != ICE_JSON_OBJECT)
        return ice_avro_invalid(p, node->schema->pointer, "a field that is no object",
                                ICE_STR_NONE);
    return push(r, IN_FIELD, node, node->last);
}

static void pop(struct reader *r) {
    const struct frame *frame = &r->frames[--r->n_frames];
    if (frame->place == IN_SCHEMA || frame->place == IN_UNION)
        r->depth--;
}

static enum ice_status read_event(struct reader *r, const struct ice_json_event *event) {
    struct frame *frame = &r->frames[r->n_frames - 1];
    if (event->kind == ICE_JSON_OBJECT_END || event->kind == ICE_JSON_ARRAY_END) {
        pop(r);
        return ICE_OK;
    }
    if (event->kind == ICE_JSON_KEY) {
        /* read_attribute is done with the key before the next one comes */
        ice_buf_clear(&r->key);
        if (ice_buf_append_str(&r->key, event->text) < 0)
            return ice_error_memory(r->p->err);
        return ICE_OK;
    }
    const struct ice_str key = ice_buf_str(&r->key);
    const struct frame copy = *frame; /* frames may move */
    switch (copy.place) {
    case IN_SCHEMA:
        return read_attribute(r, event, copy.node, key);
    case IN_FIELD:
        return read_field_attribute(r, event, &copy, key);
    case IN_UNION:
    case IN_FIELDS:
    case IN_SYMBOLS:
        break;
    }
    return read_element(r, event, &copy);
}

static enum ice_status read_text(struct reader *r) {
    struct ice_json_event event;
    ICE_TRY(next(r, &event));
    if (event.kind != ICE_JSON_OBJECT && event.kind != ICE_JSON_ARRAY &&
        !(r->p->names->any_root && event.kind == ICE_JSON_STRING))
        return ice_avro_schema_fail(r->p, ICE_EFORMAT, "avro.schema.unparseable",
                                    ICE_STR_NONE, "the schema is not a record",
                                    ICE_STR_NONE);
    struct ice_avro_node *root;
    ICE_TRY(begin_schema(r, &event, NULL, &root));
    while (r->n_frames > 0) {
        ICE_TRY(next(r, &event));
        ICE_TRY(read_event(r, &event));
    }
    ICE_TRY(next(r, &event));
    if (r->has_trailing)
        return ice_avro_schema_fail(r->p, ICE_EFORMAT, "avro.schema.unparseable",
                                    ICE_STR_NONE, "more text stands behind the schema",
                                    ICE_STR_NONE);
    return ICE_OK;
}

enum ice_status ice_avro_read_nodes(struct ice_avro_parser *p, struct ice_str text) {
    const uint64_t limit = p->run->limits.avro_schema_bytes;
    if (text.size > limit)
        return ice_error_set(p->err, ICE_ELIMIT, "limit.schema", ICE_NO_OFFSET,
                             "the schema has %zu bytes, the limit is %llu", text.size,
                             (unsigned long long)limit);
    struct ice_stream stream = {0};
    struct reader r = {.p = p};
    ice_buf_init(&r.key, &p->run->alloc, SIZE_MAX / 2);
    ice_buf_init(&r.pointer, &p->run->alloc, SIZE_MAX / 2);
    ice_stream_init_memory(&stream, p->run, text);
    enum ice_status status = ice_json_init(&r.json, &stream, p->run, notice, &r, p->err);
    if (status == ICE_OK)
        status = read_text(&r);
    ice_json_release(&r.json);
    ice_stream_release(&stream);
    ice_buf_release(&r.key);
    ice_buf_release(&r.pointer);
    ice_array_free(&p->run->alloc, &r.frames, &r.frames_capacity, sizeof(*r.frames));
    return status;
}
