/*
 * Reading schemas from JSON (spec: App. C Schemas). Types nest, so frames on an explicit
 * stack stand for the open objects; fields are appended parents first.
 *
 *   SCHEMA {type, schema-id, fields[ FIELD{id, name, required, type: TYPE{...}} ]}
 *   TYPE   {type: struct, fields[...]} | {type: list, element: ...} | {type: map, key,
 * value}
 */
#include "iceberg/read.h"

#include "base/error.h"

enum frame_kind { FRAME_SCHEMA, FRAME_FIELDS, FRAME_FIELD, FRAME_TYPE };

/* Members of the objects that are stored at once; the rest goes to the field itself. */
struct frame_text {
    int32_t schema_id, id, element_id, key_id, value_id;
    bool required, element_required, value_required;
    struct ice_str name, doc;
};

struct frame {
    enum frame_kind kind;
    /* FIELD, TYPE: its index; SCHEMA, FIELDS: the parent of what is in it */
    uint32_t field;
    uint32_t position;            /* FIELDS: of the next field */
    uint32_t element, key, value; /* TYPE: children, ICE_NO_PARENT if none yet */
    bool has_fields;
    struct ice_str type; /* SCHEMA, TYPE: the word */
    struct frame_text text;
    struct ice_bits bits;
};

struct schema_reader {
    struct ice_object_reader *r;
    struct ice_schema *out;
    size_t capacity;
    size_t pointer_prefix; /* bytes of the schema's own pointer */
    struct frame *frames;
    size_t n_frames, cap_frames;
};

#define ROW_INT(member, name) ICE_MEMBER(frame_text, member, name, INT)
#define ROW_BOOL(member, name) ICE_MEMBER(frame_text, member, name, BOOL)
#define ROW_STRING(member, name) ICE_MEMBER(frame_text, member, name, STRING)
#define ROW_ARRAY(member, name) ICE_MEMBER_HANDED(name, ARRAY)
#define ROW_TEXT(member, name) ICE_MEMBER_HANDED(name, TEXT)
#define ROW_ANY(member, name) ICE_MEMBER_HANDED(name, ANY)
#define ICE_FIELD(member, name, type, v1, v2, v3, where) ROW_##type(member, name),
static const struct ice_member schema_members[] = {
#include "iceberg/fields/schema.def"
};
static const struct ice_member field_members[] = {
#include "iceberg/fields/struct_field.def"
};
static const struct ice_member type_members[] = {
#include "iceberg/fields/nested_type.def"
};
#undef ICE_FIELD
#define ICE_FIELD(member, name, type, v1, v2, v3, where) where##_##member,
enum {
#include "iceberg/fields/schema.def"
};
enum {
#include "iceberg/fields/struct_field.def"
};
enum {
#include "iceberg/fields/nested_type.def"
};
#undef ICE_FIELD

static const struct ice_object_table tables[] = {
    [FRAME_SCHEMA] = {schema_members, ICE_COUNT_OF(schema_members), ICE_NULLS_KNOWN},
    [FRAME_FIELDS] = {NULL, 0, ICE_NULLS_NONE},
    [FRAME_FIELD] = {field_members, ICE_COUNT_OF(field_members), ICE_NULLS_KNOWN},
    [FRAME_TYPE] = {type_members, ICE_COUNT_OF(type_members), ICE_NULLS_KNOWN},
};

static bool has(const struct ice_bits *bits, unsigned member) {
    return (bits->present >> member) & 1;
}

static bool is_bad(const struct ice_bits *bits, unsigned member) {
    return (bits->bad >> member) & 1;
}

static enum ice_status push_frame(struct schema_reader *s, enum frame_kind kind,
                                  uint32_t field) {
    s->frames = ice_arena_push(s->r->arena, s->frames, &s->n_frames, &s->cap_frames,
                               sizeof(*s->frames));
    if (s->frames == NULL)
        return ice_error_memory(s->r->err);
    struct frame *frame = &s->frames[s->n_frames - 1];
    frame->kind = kind;
    frame->field = field;
    frame->element = frame->key = frame->value = ICE_NO_PARENT;
    return ICE_OK;
}

/* suffix: "" or "/element" ...: the reader stands in front of it or at its value */
static enum ice_status pointer_here(struct schema_reader *s, const char *suffix,
                                    struct ice_str *out) {
    struct ice_object_reader *r = s->r;
    ICE_TRY(ice_json_pointer(r->json, &r->pointer));
    ICE_TRY(ice_buf_append_str(&r->pointer, ice_str_from(suffix)));
    struct ice_str pointer =
        ice_str_from_index(ice_buf_str(&r->pointer), s->pointer_prefix);
    return ice_arena_dup(r->arena, pointer, out) ? ICE_OK : ice_error_memory(r->err);
}

static enum ice_status push_field(struct schema_reader *s, uint32_t parent,
                                  enum ice_field_role role, uint32_t position,
                                  const char *suffix) {
    if (s->out->n_fields >= ICE_NO_PARENT)
        return ice_error_memory(s->r->err);
    s->out->fields = ice_arena_push(s->r->arena, s->out->fields, &s->out->n_fields,
                                    &s->capacity, sizeof(*s->out->fields));
    if (s->out->fields == NULL) {
        s->out->n_fields = 0;
        return ice_error_memory(s->r->err);
    }
    struct ice_field *field = &s->out->fields[s->out->n_fields - 1];
    *field = (struct ice_field){.parent = parent, .role = role, .position = position};
    field->type.kind = ICE_TYPE_BAD;
    if (role == ICE_ROLE_ELEMENT)
        field->name = ICE_STR("element");
    else if (role == ICE_ROLE_KEY)
        field->name = ICE_STR("key");
    else if (role == ICE_ROLE_VALUE)
        field->name = ICE_STR("value");
    return pointer_here(s, suffix, &field->pointer);
}

/* The value of a `type`, `element`, `key` or `value`: a primitive's text or a nested
 * type. */
static enum ice_status take_type(struct schema_reader *s, uint32_t index,
                                 const char *member, const struct ice_json_event *event) {
    struct ice_field *field = &s->out->fields[index];
    field->has &= (uint8_t)~ICE_FIELD_HAS_TYPE;
    field->bad &= (uint8_t)~ICE_FIELD_HAS_TYPE;
    field->type = (struct ice_type){.kind = ICE_TYPE_BAD};
    if (event->kind == ICE_JSON_NULL)
        return ICE_OK;
    if (event->kind == ICE_JSON_OBJECT)
        return push_frame(s, FRAME_TYPE, index);
    if (event->kind != ICE_JSON_STRING) {
        field->bad |= ICE_FIELD_HAS_TYPE;
        return ice_object_wrong_type(s->r, member, "a string or an object", event);
    }
    struct ice_str text;
    if (!ice_arena_dup(s->r->arena, event->text, &text))
        return ice_error_memory(s->r->err);
    field->type = ice_type_parse(text);
    field->has |= ICE_FIELD_HAS_TYPE;
    return ICE_OK;
}

/* The raw JSON of a default. */
static enum ice_status take_default(struct schema_reader *s, struct ice_str *out,
                                    const struct ice_json_event *event) {
    struct ice_buf raw;
    ice_buf_init(&raw, &s->r->run->alloc, SIZE_MAX / 2);
    enum ice_status status = ice_json_raw(s->r->json, event, &raw, s->r->err);
    struct ice_str copy;
    if (status >= 0 && !ice_arena_dup(s->r->arena, ice_buf_str(&raw), &copy))
        status = ice_error_memory(s->r->err);
    if (status >= 0)
        *out = copy;
    ice_buf_release(&raw);
    return status;
}

/* Forget fields from n on: a second `fields`, or children that do not fit the type's
 * word. */
static void drop_fields(struct schema_reader *s, size_t n) {
    s->out->n_fields = n;
}

static size_t first_child(const struct schema_reader *s, uint32_t parent) {
    size_t i = parent == ICE_NO_PARENT ? 0 : (size_t)parent + 1;
    return i < s->out->n_fields ? i : s->out->n_fields;
}

static enum ice_status begin_fields(struct schema_reader *s, uint32_t parent) {
    struct frame *top = &s->frames[s->n_frames - 1];
    if (top->has_fields) {
        drop_fields(s, first_child(s, parent));
        top->element = top->key = top->value = ICE_NO_PARENT;
    }
    top->has_fields = true;
    return push_frame(s, FRAME_FIELDS, parent);
}

static enum ice_status copy_word(struct schema_reader *s,
                                 const struct ice_json_event *event,
                                 struct ice_str *out) {
    return ice_arena_dup(s->r->arena, event->text, out) ? ICE_OK
                                                        : ice_error_memory(s->r->err);
}

/* `element`, `key` or `value`: its child is made at the first sight. */
static enum ice_status take_child(struct schema_reader *s, uint32_t *child,
                                  enum ice_field_role role, const char *name,
                                  const struct ice_json_event *event) {
    struct frame *top = &s->frames[s->n_frames - 1];
    if (*child == ICE_NO_PARENT) {
        *child = (uint32_t)s->out->n_fields;
        ICE_TRY(push_field(s, top->field, role, 0, ""));
    } else {
        /* a second one: nothing of the first stays, nor what came behind it */
        size_t n = (size_t)*child + 1;
        drop_fields(s, n);
        top->element = top->element < n ? top->element : ICE_NO_PARENT;
        top->key = top->key < n ? top->key : ICE_NO_PARENT;
        top->value = top->value < n ? top->value : ICE_NO_PARENT;
    }
    return take_type(s, *child, name, event);
}

static enum ice_status take_schema_member(struct schema_reader *s, size_t member,
                                          const struct ice_json_event *event) {
    struct frame *top = &s->frames[s->n_frames - 1];
    if (member == SCHEMA_type)
        return copy_word(s, event, &top->type);
    if (member == SCHEMA_fields)
        return begin_fields(s, ICE_NO_PARENT);
    return ice_array_ints(s->r, "identifier-field-ids", &s->out->identifier_ids,
                          &s->out->n_identifier_ids);
}

static enum ice_status take_field_member(struct schema_reader *s, size_t member,
                                         const struct ice_json_event *event) {
    uint32_t index = s->frames[s->n_frames - 1].field;
    if (member == FIELD_type) {
        drop_fields(s, (size_t)index + 1);
        return take_type(s, index, "type", event);
    }
    struct ice_field *field = &s->out->fields[index];
    return take_default(s,
                        member == FIELD_initial_default ? &field->initial_default
                                                        : &field->write_default,
                        event);
}

static enum ice_status take_type_member(struct schema_reader *s, size_t member,
                                        const struct ice_json_event *event) {
    struct frame *top = &s->frames[s->n_frames - 1];
    switch (member) {
    case TYPE_type:
        return copy_word(s, event, &top->type);
    case TYPE_fields:
        return begin_fields(s, top->field);
    case TYPE_element:
        return take_child(s, &top->element, ICE_ROLE_ELEMENT, "element", event);
    case TYPE_key:
        return take_child(s, &top->key, ICE_ROLE_KEY, "key", event);
    case TYPE_value:
        return take_child(s, &top->value, ICE_ROLE_VALUE, "value", event);
    }
    return ICE_OK;
}

/* Attributes of a child that stood in its parent's object. */
static void finish_child(struct ice_field *field, const struct ice_bits *bits,
                         unsigned id_bit, int32_t id, unsigned required_bit,
                         bool required) {
    if (has(bits, id_bit)) {
        field->has |= ICE_FIELD_HAS_ID;
        field->id = id;
    }
    if (is_bad(bits, id_bit))
        field->bad |= ICE_FIELD_HAS_ID;
    if (field->role == ICE_ROLE_KEY) {
        field->required = true;
        return;
    }
    if (has(bits, required_bit)) {
        field->has |= ICE_FIELD_HAS_REQUIRED;
        field->required = required;
    }
    if (is_bad(bits, required_bit))
        field->bad |= ICE_FIELD_HAS_REQUIRED;
}

static enum ice_status need_child(struct schema_reader *s, uint32_t parent,
                                  uint32_t *child, enum ice_field_role role,
                                  const char *suffix) {
    if (*child != ICE_NO_PARENT)
        return ICE_OK;
    *child = (uint32_t)s->out->n_fields;
    return push_field(s, parent, role, 0, suffix);
}

static enum ice_status finish_list(struct schema_reader *s, struct frame *frame) {
    ICE_TRY(need_child(s, frame->field, &frame->element, ICE_ROLE_ELEMENT, "/element"));
    finish_child(&s->out->fields[frame->element], &frame->bits, TYPE_element_id,
                 frame->text.element_id, TYPE_element_required,
                 frame->text.element_required);
    return ICE_OK;
}

static enum ice_status finish_map(struct schema_reader *s, struct frame *frame) {
    ICE_TRY(need_child(s, frame->field, &frame->key, ICE_ROLE_KEY, "/key"));
    ICE_TRY(need_child(s, frame->field, &frame->value, ICE_ROLE_VALUE, "/value"));
    finish_child(&s->out->fields[frame->key], &frame->bits, TYPE_key_id,
                 frame->text.key_id, 0, false);
    finish_child(&s->out->fields[frame->value], &frame->bits, TYPE_value_id,
                 frame->text.value_id, TYPE_value_required, frame->text.value_required);
    return ICE_OK;
}

/* Children that the type's word does not have; document order may show them before it. */
static bool has_strange_children(const struct frame *frame, enum ice_type_kind kind) {
    bool list = frame->element != ICE_NO_PARENT;
    bool map = frame->key != ICE_NO_PARENT || frame->value != ICE_NO_PARENT;
    if (kind == ICE_TYPE_STRUCT)
        return list || map;
    if (kind == ICE_TYPE_LIST)
        return frame->has_fields || map;
    if (kind == ICE_TYPE_MAP)
        return frame->has_fields || list;
    return frame->has_fields || list || map;
}

static enum ice_status finish_type(struct schema_reader *s, struct frame *frame) {
    struct ice_field *field = &s->out->fields[frame->field];
    enum ice_type_kind kind = ICE_TYPE_BAD;
    if (!has(&frame->bits, TYPE_type))
        frame->type = ICE_STR_NONE;
    /* other than of a primitive type, readers take these words in lower case alone */
    if (ice_str_is(frame->type, "struct"))
        kind = ICE_TYPE_STRUCT;
    else if (ice_str_is(frame->type, "list"))
        kind = ICE_TYPE_LIST;
    else if (ice_str_is(frame->type, "map"))
        kind = ICE_TYPE_MAP;
    if (has_strange_children(frame, kind)) {
        drop_fields(s, (size_t)frame->field + 1);
        frame->element = frame->key = frame->value = ICE_NO_PARENT;
        frame->has_fields = false;
    }
    field->type = (struct ice_type){.kind = kind, .text = frame->type};
    field->type.canonical = kind != ICE_TYPE_BAD;
    if (is_bad(&frame->bits, TYPE_type) || is_bad(&frame->bits, TYPE_fields))
        field->bad |= ICE_FIELD_HAS_TYPE;
    else if (has(&frame->bits, TYPE_type) &&
             (kind != ICE_TYPE_STRUCT || has(&frame->bits, TYPE_fields)))
        field->has |= ICE_FIELD_HAS_TYPE;
    if (kind == ICE_TYPE_LIST)
        return finish_list(s, frame);
    if (kind == ICE_TYPE_MAP)
        return finish_map(s, frame);
    return ICE_OK;
}

static void finish_field(struct schema_reader *s, const struct frame *frame) {
    struct ice_field *field = &s->out->fields[frame->field];
    const struct ice_bits *bits = &frame->bits;
    /* the first three bits are those of ICE_FIELD_HAS_... */
    field->has |= (uint8_t)(bits->present & 7);
    field->bad |= (uint8_t)(bits->bad & 7);
    if (has(bits, FIELD_id))
        field->id = frame->text.id;
    if (has(bits, FIELD_name))
        field->name = frame->text.name;
    if (has(bits, FIELD_required))
        field->required = frame->text.required;
    if (has(bits, FIELD_doc))
        field->doc = frame->text.doc;
}

static void finish_schema(struct schema_reader *s, const struct frame *frame) {
    struct ice_schema *out = s->out;
    const struct ice_bits *bits = &frame->bits;
    out->has_schema_id = has(bits, SCHEMA_schema_id);
    out->null_schema_id = (bits->null >> SCHEMA_schema_id) & 1;
    out->bad_schema_id = is_bad(bits, SCHEMA_schema_id);
    out->schema_id = out->has_schema_id ? frame->text.schema_id : 0;
    out->has_identifier_ids = has(bits, SCHEMA_identifier_field_ids);
    if (!out->has_identifier_ids)
        out->n_identifier_ids = 0;
    if (!has(bits, SCHEMA_fields))
        drop_fields(s, 0);
    out->is_struct = has(bits, SCHEMA_fields) && has(bits, SCHEMA_type) &&
                     ice_str_is(frame->type, "struct");
    out->bad_root = is_bad(bits, SCHEMA_fields) || is_bad(bits, SCHEMA_type);
}

/* The next field of a FIELDS frame; pops it at the end of its array. */
static enum ice_status step_fields(struct schema_reader *s) {
    struct frame *top = &s->frames[s->n_frames - 1];
    struct ice_json_event event;
    enum ice_status status = ice_array_next(s->r, ICE_JSON_OBJECT, "fields", &event);
    if (status < 0)
        return status;
    if (status == ICE_DONE) {
        s->n_frames--;
        return ICE_OK;
    }
    uint32_t index = (uint32_t)s->out->n_fields;
    ICE_TRY(push_field(s, top->field, ICE_ROLE_FIELD, top->position++, ""));
    return push_frame(s, FRAME_FIELD, index);
}

/* The next member of an object frame; finishes and pops it at its end. */
static enum ice_status step_object(struct schema_reader *s) {
    struct frame *top = &s->frames[s->n_frames - 1];
    size_t member;
    struct ice_json_event event;
    enum ice_status status = ice_object_next(s->r, &tables[top->kind], &top->text,
                                             &top->bits, &member, &event);
    if (status < 0)
        return status;
    if (status == ICE_OK) {
        if (top->kind == FRAME_SCHEMA)
            return take_schema_member(s, member, &event);
        return top->kind == FRAME_FIELD ? take_field_member(s, member, &event)
                                        : take_type_member(s, member, &event);
    }
    s->n_frames--;
    if (top->kind == FRAME_TYPE)
        return finish_type(s, top);
    if (top->kind == FRAME_FIELD)
        finish_field(s, top);
    else
        finish_schema(s, top);
    return ICE_OK;
}

static enum ice_status index_fields(struct ice_object_reader *r, struct ice_schema *out) {
    ice_table_init(&out->by_id, &r->run->alloc);
    out->hash_seed = r->run->hash_seed;
    for (size_t i = 0; i < out->n_fields; i++) {
        if (!(out->fields[i].has & ICE_FIELD_HAS_ID))
            continue;
        uint64_t key = ice_hash_mix((uint64_t)out->fields[i].id, out->hash_seed);
        if (ice_table_put(&out->by_id, key, (uint32_t)i) < 0)
            return ice_error_memory(r->err);
    }
    return ICE_OK;
}

enum ice_status ice_read_schema(struct ice_object_reader *r, struct ice_schema *out) {
    *out = (struct ice_schema){0};
    struct schema_reader s = {.r = r, .out = out};
    ICE_TRY(ice_json_pointer(r->json, &r->pointer));
    s.pointer_prefix = r->pointer.size;
    if (!ice_arena_dup(r->arena, ice_buf_str(&r->pointer), &out->pointer))
        return ice_error_memory(r->err);
    ICE_TRY(push_frame(&s, FRAME_SCHEMA, ICE_NO_PARENT));
    while (s.n_frames > 0) {
        if (s.frames[s.n_frames - 1].kind == FRAME_FIELDS)
            ICE_TRY(step_fields(&s));
        else
            ICE_TRY(step_object(&s));
    }
    return index_fields(r, out);
}

enum ice_status ice_schema_read(struct ice_json *json, struct ice_run *run,
                                struct ice_arena *arena, ice_defect_fn on_defect,
                                void *user, struct ice_schema *out,
                                struct ice_error *err) {
    struct ice_object_reader r;
    ice_object_reader_init(&r, json, run, arena, on_defect, user, err);
    enum ice_status status = ice_read_schema(&r, out);
    ice_object_reader_release(&r);
    return status;
}
