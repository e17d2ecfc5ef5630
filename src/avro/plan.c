/*
 * Schema and wants to steps, in the order of the schema's fields. Recursion follows the
 * wants, which are the caller's, never the schema.
 */
#include "avro/plan.h"

#include "avro/step.h"
#include "base/error.h"

struct builder {
    struct ice_arena *arena;
    struct ice_error *err;
    struct ice_plan *plan;
    bool by_name;
    bool in_list;
    struct ice_step *steps;
    size_t n, capacity;
};

static uint8_t member_bytes(enum ice_want_kind kind) {
    switch (kind) {
    case ICE_WANT_BOOL:
        return sizeof(bool);
    case ICE_WANT_I32:
        return sizeof(int32_t);
    case ICE_WANT_I64:
        return sizeof(int64_t);
    case ICE_WANT_STR:
    case ICE_WANT_BYTES:
        return sizeof(struct ice_str);
    case ICE_WANT_RECORD:
        break;
    case ICE_WANT_LIST_I64:
        return sizeof(struct ice_list_i64);
    case ICE_WANT_LIST:
        return sizeof(struct ice_list);
    case ICE_WANT_MAP_I64:
        return sizeof(struct ice_map_i64);
    case ICE_WANT_MAP_BYTES:
        return sizeof(struct ice_map_bytes);
    case ICE_WANT_TUPLE:
        return sizeof(struct ice_tuple);
    }
    return 0; /* its members have steps of their own */
}

static bool is_integer(const struct ice_avro_schema *schema) {
    return schema->type == ICE_AVRO_INT || schema->type == ICE_AVRO_LONG;
}

static bool fits_tuple(const struct ice_avro_schema *schema) {
    if (schema->type != ICE_AVRO_RECORD)
        return false;
    for (size_t i = 0; i < schema->n_fields; i++) {
        const struct ice_avro_schema *type = schema->fields[i].type;
        if (type->type != ICE_AVRO_UNION) {
            if (!ice_avro_is_primitive(type->type))
                return false;
            continue;
        }
        for (size_t b = 0; b < type->n_branches; b++)
            if (!ice_avro_is_primitive(type->branches[b]->type))
                return false;
    }
    return true;
}

/* array of records {int key, value} */
static bool fits_map(const struct ice_avro_schema *schema, enum ice_want_kind kind) {
    if (schema->type != ICE_AVRO_ARRAY || schema->items->type != ICE_AVRO_RECORD ||
        schema->items->n_fields != 2)
        return false;
    const struct ice_avro_field *fields = schema->items->fields;
    if (fields[0].type->type != ICE_AVRO_INT)
        return false;
    return kind == ICE_WANT_MAP_I64 ? is_integer(fields[1].type)
                                    : fields[1].type->type == ICE_AVRO_BYTES;
}

/* Does the type (without null) fit the want, and by which step? */
static bool fits(const struct ice_avro_schema *schema, enum ice_want_kind kind,
                 enum ice_op *op) {
    const enum ice_avro_type type = schema->type;
    switch (kind) {
    case ICE_WANT_BOOL:
        *op = ICE_OP_BOOL;
        return type == ICE_AVRO_BOOLEAN;
    case ICE_WANT_I32:
        *op = ICE_OP_I32;
        return type == ICE_AVRO_INT;
    case ICE_WANT_I64:
        *op = type == ICE_AVRO_INT ? ICE_OP_I64_OF_INT : ICE_OP_I64;
        return is_integer(schema);
    case ICE_WANT_STR:
        *op = ICE_OP_STR;
        return type == ICE_AVRO_STRING;
    case ICE_WANT_BYTES:
        *op = type == ICE_AVRO_FIXED ? ICE_OP_FIXED : ICE_OP_BYTES;
        return type == ICE_AVRO_BYTES || type == ICE_AVRO_FIXED;
    case ICE_WANT_RECORD:
        *op = ICE_OP_ENTER;
        return type == ICE_AVRO_RECORD;
    case ICE_WANT_LIST_I64:
        *op = ICE_OP_LIST_I64;
        return type == ICE_AVRO_ARRAY && is_integer(schema->items);
    case ICE_WANT_LIST:
        *op = ICE_OP_LIST;
        return type == ICE_AVRO_ARRAY && schema->items->type == ICE_AVRO_RECORD;
    case ICE_WANT_MAP_I64:
        *op = ICE_OP_MAP_I64;
        return fits_map(schema, kind);
    case ICE_WANT_MAP_BYTES:
        *op = ICE_OP_MAP_BYTES;
        return fits_map(schema, kind);
    case ICE_WANT_TUPLE:
        break;
    }
    *op = ICE_OP_TUPLE;
    return fits_tuple(schema);
}

static enum ice_status add_step(struct builder *b, struct ice_step step,
                                size_t *out_index) {
    if (b->n == b->capacity) {
        const size_t capacity = b->capacity ? b->capacity * 2 : 32;
        struct ice_step *grown = ice_arena_array(b->arena, capacity, sizeof(*grown));
        if (grown == NULL)
            return ice_error_memory(b->err);
        if (b->n > 0)
            memcpy(grown, b->steps, b->n * sizeof(*grown));
        b->steps = grown;
        b->capacity = capacity;
    }
    *out_index = b->n;
    b->steps[b->n++] = step;
    return ICE_OK;
}

static enum ice_status make_path(struct builder *b, struct ice_str prefix,
                                 struct ice_str name, struct ice_str *out) {
    char *text = ice_arena_alloc(b->arena, prefix.size + 1 + 2 * name.size);
    if (text == NULL)
        return ice_error_memory(b->err);
    size_t n = 0;
    if (prefix.size > 0)
        memcpy(text, prefix.data, prefix.size);
    n += prefix.size;
    text[n++] = '/';
    for (size_t i = 0; i < name.size; i++) {
        const char c = name.data[i];
        if (c == '~' || c == '/')
            text[n++] = '~';
        text[n++] = c == '~' ? '0' : c == '/' ? '1' : c;
    }
    *out = ice_str_make(text, n);
    return ICE_OK;
}

static enum ice_op skip_op(const struct ice_avro_schema *schema, size_t *size) {
    switch (schema->type) {
    case ICE_AVRO_BOOLEAN:
        return ICE_OP_SKIP_BOOL;
    case ICE_AVRO_INT:
        return ICE_OP_SKIP_INT;
    case ICE_AVRO_LONG:
        return ICE_OP_SKIP_LONG;
    case ICE_AVRO_STRING:
        return ICE_OP_SKIP_STR;
    case ICE_AVRO_BYTES:
        return ICE_OP_SKIP_BYTES;
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
    case ICE_AVRO_FIXED:
        *size = (size_t)schema->least_size; /* a fixed is below 2^31 */
        return ICE_OP_SKIP_FIXED;
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ENUM:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        break;
    }
    return ICE_OP_SKIP;
}

static uint8_t null_branch(const struct ice_avro_schema *declared, bool is_nullable) {
    if (!is_nullable)
        return ICE_NOT_NULLABLE;
    return declared->branches[0]->type == ICE_AVRO_NULL ? 0 : 1;
}

static enum ice_status add_skip(struct builder *b, const struct ice_avro_field *field,
                                struct ice_str path) {
    if (field->type->least_size == 0)
        return ICE_OK; /* no bytes, nothing to step over */
    bool is_nullable;
    const struct ice_avro_schema *type = ice_avro_not_null(field->type, &is_nullable);
    struct ice_step step = {.null_branch = null_branch(field->type, is_nullable),
                            .schema = type,
                            .path = path};
    step.op = skip_op(type, &step.size);
    size_t ignored;
    return add_step(b, step, &ignored);
}

static enum ice_status add_absent(struct builder *b, const struct ice_want *wants,
                                  size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (wants[i].kind == ICE_WANT_RECORD) {
            ICE_TRY(add_absent(b, wants[i].children, wants[i].n_children));
            continue;
        }
        size_t ignored;
        ICE_TRY(add_step(b,
                         (struct ice_step){.op = ICE_OP_ABSENT,
                                           .null_branch = ICE_NOT_NULLABLE,
                                           .member_bytes = member_bytes(wants[i].kind),
                                           .offset = wants[i].offset},
                         &ignored));
    }
    return ICE_OK;
}

/* One of the names, split by '|'? */
static bool is_one_of(struct ice_str name, const char *names) {
    struct ice_str rest = ice_str_from(names);
    while (rest.size > 0) {
        const size_t bar = ice_str_find(rest, '|');
        if (ice_str_equal(name, ice_str_first(rest, bar)))
            return true;
        rest = bar == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(rest, bar + 1);
    }
    return false;
}

static size_t find_want(const struct builder *b, const struct ice_want *wants, size_t n,
                        const struct ice_avro_field *field) {
    for (size_t i = 0; i < n; i++)
        if (b->by_name ? is_one_of(field->name, wants[i].name)
                       : field->id.has && field->id.value == wants[i].id)
            return i;
    return SIZE_MAX;
}

static void mark(struct builder *b, uint64_t bit, bool is_nullable) {
    *(b->in_list ? &b->plan->item_present : &b->plan->present) |= bit;
    if (is_nullable)
        *(b->in_list ? &b->plan->item_nullable : &b->plan->nullable) |= bit;
}

static enum ice_status add_record(struct builder *b, const struct ice_avro_schema *record,
                                  const struct ice_want *wants, size_t n_wants,
                                  struct ice_str path);

static enum ice_status add_list(struct builder *b, struct ice_step *step,
                                const struct ice_want *want) {
    struct builder inner = {.arena = b->arena,
                            .err = b->err,
                            .plan = b->plan,
                            .by_name = b->by_name,
                            .in_list = true};
    ICE_TRY(add_record(&inner, step->schema->items, want->children, want->n_children,
                       ICE_STR_NONE));
    step->sub = inner.steps;
    step->n_sub = inner.n;
    step->size = want->item_size;
    step->item_null_offset = want->item_null_offset;
    return ICE_OK;
}

static enum ice_status add_wanted(struct builder *b, const struct ice_avro_field *field,
                                  const struct ice_want *want, struct ice_str path,
                                  bool *out_fits) {
    bool is_nullable;
    const struct ice_avro_schema *type = ice_avro_not_null(field->type, &is_nullable);
    struct ice_step step = {.null_branch = null_branch(field->type, is_nullable),
                            .member_bytes = member_bytes(want->kind),
                            .offset = want->offset,
                            .bit = UINT64_C(1) << (want->bit & 63),
                            .schema = type,
                            .path = path};
    *out_fits = fits(type, want->kind, &step.op);
    if (!*out_fits)
        return ICE_OK;
    mark(b, step.bit, is_nullable);
    size_t index;
    if (want->kind == ICE_WANT_RECORD) {
        if (is_nullable)
            ICE_TRY(add_step(b, step, &index));
        ICE_TRY(add_record(b, type, want->children, want->n_children, path));
        if (is_nullable)
            b->steps[index].n_sub = b->n - index - 1;
        return ICE_OK;
    }
    if (type->type == ICE_AVRO_FIXED)
        step.size = (size_t)type->fixed_size;
    if (type->type == ICE_AVRO_ARRAY || want->kind == ICE_WANT_TUPLE) {
        if (b->in_list)
            return ice_error_set(b->err, ICE_EARG, NULL, ICE_NO_OFFSET,
                                 "a list in a list is not supported");
        step.slot = (uint32_t)b->plan->n_slots++;
    }
    if (want->kind == ICE_WANT_LIST_I64)
        step.is_int = type->items->type == ICE_AVRO_INT;
    else if (want->kind == ICE_WANT_MAP_I64)
        step.is_int = type->items->fields[1].type->type == ICE_AVRO_INT;
    else if (want->kind == ICE_WANT_TUPLE)
        b->plan->tuple = type;
    else if (want->kind == ICE_WANT_LIST)
        ICE_TRY(add_list(b, &step, want));
    return add_step(b, step, &index);
}

static enum ice_status add_record(struct builder *b, const struct ice_avro_schema *record,
                                  const struct ice_want *wants, size_t n_wants,
                                  struct ice_str path) {
    bool *seen = ice_arena_array(b->arena, n_wants, sizeof(*seen));
    bool *done = ice_arena_array(b->arena, n_wants, sizeof(*done));
    if (seen == NULL || done == NULL)
        return ice_error_memory(b->err);
    for (size_t i = 0; i < record->n_fields; i++) {
        const struct ice_avro_field *field = &record->fields[i];
        const size_t w = find_want(b, wants, n_wants, field);
        if (w == SIZE_MAX && field->type->least_size == 0)
            continue;
        struct ice_str below = {0};
        ICE_TRY(make_path(b, path, field->name, &below));
        if (w != SIZE_MAX && !seen[w]) {
            seen[w] = true; /* of an id that stands twice the first counts */
            ICE_TRY(add_wanted(b, field, &wants[w], below, &done[w]));
            if (done[w])
                continue;
        }
        ICE_TRY(add_skip(b, field, below));
    }
    for (size_t w = 0; w < n_wants; w++)
        if (!done[w])
            ICE_TRY(add_absent(b, &wants[w], 1));
    return ICE_OK;
}

enum ice_status ice_plan_compile(const struct ice_avro_schema *schema,
                                 const struct ice_want *wants, size_t n_wants,
                                 uint16_t null_offset, bool by_name,
                                 struct ice_arena *arena, struct ice_plan *out,
                                 struct ice_error *err) {
    *out = (struct ice_plan){.schema = schema, .null_offset = null_offset};
    struct builder b = {.arena = arena, .err = err, .plan = out, .by_name = by_name};
    ICE_TRY(add_record(&b, schema, wants, n_wants, ICE_STR_NONE));
    out->steps = b.steps;
    out->n_steps = b.n;
    return ICE_OK;
}
