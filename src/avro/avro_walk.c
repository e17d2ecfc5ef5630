/*
 * The walk over one datum. Work is bounded by the bytes: every value takes one, except
 * those of zero bytes (null, empty records), which have a budget of their own.
 */
#include "avro/avro_walk.h"

#include <assert.h>
#include <stdio.h>

void ice_walk_init(struct ice_walk *walk, const struct ice_run *run,
                   struct ice_arena *arena) {
    *walk = (struct ice_walk){.arena = arena, .depth_limit = run->limits.avro_depth};
}

void ice_walk_begin(struct ice_walk *walk, const struct ice_avro_schema *schema,
                    uint64_t zero_left, bool skips) {
    walk->n_frames = 0;
    walk->root = schema;
    walk->zero_left = zero_left;
    walk->skips = skips;
}

static bool push(struct ice_walk *walk, struct ice_cursor *c,
                 const struct ice_avro_schema *schema) {
    if (walk->n_frames >= walk->depth_limit)
        return ice_cursor_fail(c, ICE_FAULT_DEPTH, (int64_t)walk->depth_limit);
    if (walk->n_frames == walk->capacity) {
        const size_t capacity = walk->capacity ? walk->capacity * 2 : 16;
        struct ice_walk_frame *grown =
            ice_arena_array(walk->arena, capacity, sizeof(*grown));
        if (grown == NULL)
            return ice_cursor_fail(c, ICE_FAULT_MEMORY, 0);
        if (walk->n_frames > 0)
            memcpy(grown, walk->frames, walk->n_frames * sizeof(*grown));
        walk->frames = grown;
        walk->capacity = capacity;
    }
    walk->frames[walk->n_frames++] = (struct ice_walk_frame){.schema = schema};
    return true;
}

bool ice_walk_primitive(struct ice_cursor *c, const struct ice_avro_schema *schema,
                        struct ice_datum *out) {
    bool flag = false;
    int32_t number = 0;
    size_t index = 0;
    assert(ice_avro_is_primitive(schema->type));
    *out = (struct ice_datum){.type = schema->type};
    switch (schema->type) {
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        break;
    case ICE_AVRO_BOOLEAN:
        if (!ice_cursor_boolean(c, &flag))
            return false;
        out->i64 = flag;
        return true;
    case ICE_AVRO_INT:
        if (!ice_cursor_int(c, &number))
            return false;
        out->i64 = number;
        return true;
    case ICE_AVRO_LONG:
        return ice_cursor_long(c, &out->i64);
    case ICE_AVRO_FLOAT:
        return ice_cursor_float(c, &out->f64);
    case ICE_AVRO_DOUBLE:
        return ice_cursor_double(c, &out->f64);
    case ICE_AVRO_BYTES:
        return ice_cursor_sized(c, &out->str);
    case ICE_AVRO_STRING:
        return ice_cursor_string(c, &out->str);
    case ICE_AVRO_FIXED:
        return ice_cursor_bytes(c, schema->fixed_size, &out->str);
    case ICE_AVRO_ENUM:
        if (!ice_cursor_index(c, schema->n_symbols, ICE_FAULT_ENUM, &index))
            return false;
        out->i64 = (int64_t)index;
        return true;
    }
    return true; /* null takes no bytes */
}

/* Begin a value: false on a fault. */
static bool begin(struct ice_walk *walk, struct ice_cursor *c,
                  const struct ice_avro_schema *schema, struct ice_walk_event *out) {
    if (schema->least_size == 0) {
        if (walk->zero_left == 0)
            return ice_cursor_fail(c, ICE_FAULT_ITEMS, 1);
        walk->zero_left--;
    }
    if (schema->type == ICE_AVRO_UNION) { /* a union holds no union */
        size_t index;
        if (!ice_cursor_index(c, schema->n_branches, ICE_FAULT_UNION, &index))
            return false;
        schema = schema->branches[index];
    }
    out->schema = schema;
    if (schema->type == ICE_AVRO_RECORD) {
        out->kind = ICE_WALK_RECORD;
        return push(walk, c, schema);
    }
    if (schema->type == ICE_AVRO_ARRAY || schema->type == ICE_AVRO_MAP) {
        out->kind = schema->type == ICE_AVRO_ARRAY ? ICE_WALK_ARRAY : ICE_WALK_MAP;
        return push(walk, c, schema);
    }
    out->kind = ICE_WALK_VALUE;
    return ice_walk_primitive(c, schema, &out->datum);
}

static const struct ice_avro_field *next_field(const struct ice_walk *walk,
                                               struct ice_walk_frame *frame) {
    const struct ice_avro_schema *schema = frame->schema;
    const size_t i = frame->next_field;
    if (walk->skips) {
        if (i == schema->n_sized_fields)
            return NULL;
        frame->next_field++;
        return &schema->fields[schema->sized_fields[i]];
    }
    if (i == schema->n_fields)
        return NULL;
    frame->next_field++;
    return &schema->fields[i];
}

/* Make frame->left > 0, or *out_ended. */
static bool next_items(struct ice_walk *walk, struct ice_cursor *c,
                       struct ice_walk_frame *frame, bool *out_ended) {
    const bool is_map = frame->schema->type == ICE_AVRO_MAP;
    const uint64_t least = frame->schema->items->least_size + (is_map ? 1 : 0);
    *out_ended = false;
    while (frame->left == 0) {
        if (frame->end != NULL && c->at != frame->end)
            return ice_cursor_fail(c, ICE_FAULT_ITEMS_SIZE, frame->end - frame->items);
        uint64_t count;
        if (!ice_cursor_items(c, least, &count, &frame->end))
            return false;
        frame->items = c->at;
        if (count == 0) {
            *out_ended = true;
            return true;
        }
        if (least == 0) {
            if (count > walk->zero_left)
                return ice_cursor_fail(c, ICE_FAULT_ITEMS, (int64_t)count);
            if (walk->skips) {
                walk->zero_left -= count;
                continue;
            }
        }
        frame->left = count;
    }
    return true;
}

/* Go on in the innermost open value: false on a fault. */
static bool go_on(struct ice_walk *walk, struct ice_cursor *c,
                  struct ice_walk_event *out) {
    struct ice_walk_frame *frame = &walk->frames[walk->n_frames - 1];
    const enum ice_avro_type type = frame->schema->type;
    out->schema = frame->schema;
    if (type == ICE_AVRO_RECORD) {
        const struct ice_avro_field *field = next_field(walk, frame);
        if (field == NULL) {
            walk->n_frames--;
            out->kind = ICE_WALK_RECORD_END;
            return true;
        }
        frame->key = out->key = field->name;
        out->has_key = true;
        return begin(walk, c, field->type, out);
    }
    bool ended;
    frame->key = ICE_STR_NONE;
    frame->in_item = false;
    if (!next_items(walk, c, frame, &ended))
        return false;
    if (ended) {
        walk->n_frames--;
        out->kind = type == ICE_AVRO_MAP ? ICE_WALK_MAP_END : ICE_WALK_ARRAY_END;
        return true;
    }
    frame->left--;
    frame->index++;
    frame->in_item = true;
    if (type == ICE_AVRO_MAP) {
        if (!ice_cursor_string(c, &out->key))
            return false;
        frame->key = out->key;
        out->has_key = true;
    }
    return begin(walk, c, frame->schema->items, out);
}

enum ice_walk_kind ice_walk_next(struct ice_walk *walk, struct ice_cursor *c,
                                 struct ice_walk_event *out) {
    out->has_key = false;
    bool good;
    if (walk->root != NULL) {
        const struct ice_avro_schema *root = walk->root;
        walk->root = NULL;
        good = begin(walk, c, root, out);
    } else if (walk->n_frames == 0) {
        out->kind = ICE_WALK_DONE;
        return ICE_WALK_DONE;
    } else {
        good = go_on(walk, c, out);
    }
    if (!good)
        out->kind = ICE_WALK_FAULT;
    return out->kind;
}

bool ice_walk_skip(struct ice_walk *walk, struct ice_cursor *c,
                   const struct ice_avro_schema *schema, uint64_t zero_left) {
    assert(schema->least_size > 0);
    struct ice_walk_event event;
    ice_walk_begin(walk, schema, zero_left, true);
    enum ice_walk_kind kind;
    do
        kind = ice_walk_next(walk, c, &event);
    while (kind != ICE_WALK_DONE && kind != ICE_WALK_FAULT);
    return kind == ICE_WALK_DONE;
}

/* ---- paths ---- */

void ice_avro_path_raw(struct ice_avro_path *path, struct ice_str text) {
    if (path->is_full || text.size >= sizeof(path->text) - path->size) {
        path->is_full = true;
        return;
    }
    if (text.size > 0)
        memcpy(path->text + path->size, text.data, text.size);
    path->size += text.size;
    path->text[path->size] = '\0';
}

void ice_avro_path_step(struct ice_avro_path *path, struct ice_str name) {
    const size_t start = path->size;
    ice_avro_path_raw(path, ICE_STR("/"));
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '~')
            ice_avro_path_raw(path, ICE_STR("~0"));
        else if (name.data[i] == '/')
            ice_avro_path_raw(path, ICE_STR("~1"));
        else
            ice_avro_path_raw(path, ice_str_make(name.data + i, 1));
    }
    if (path->is_full)
        path->size = path->size > start ? start : path->size;
    path->text[path->size] = '\0';
}

void ice_avro_path_index(struct ice_avro_path *path, uint64_t index) {
    char text[24];
    (void)snprintf(text, sizeof(text), "/%llu", (unsigned long long)index);
    ice_avro_path_raw(path, ice_str_from(text));
}

void ice_walk_path(const struct ice_walk *walk, struct ice_avro_path *path) {
    for (size_t i = 0; i < walk->n_frames; i++) {
        const struct ice_walk_frame *frame = &walk->frames[i];
        if (frame->key.data != NULL)
            ice_avro_path_step(path, frame->key);
        else if (frame->schema->type == ICE_AVRO_ARRAY && frame->in_item)
            ice_avro_path_index(path, frame->index - 1);
    }
}
