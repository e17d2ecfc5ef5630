/*
 * Reading partition specs and sort orders from JSON (spec: App. C Partition Specs, Sort
 * Orders).
 */
#include "iceberg/read.h"

#include "base/error.h"

/* Members of a partition or sort field as they stand. */
struct field_text {
    int32_t source_id, field_id;
    struct ice_str name, transform, direction, null_order;
    int32_t *source_ids;
};

#define ROW_INT(member, name) ICE_MEMBER(field_text, member, name, INT)
#define ROW_STRING(member, name) ICE_MEMBER(field_text, member, name, STRING)
#define ROW_ARRAY(member, name) ICE_MEMBER_HANDED(name, ARRAY)
#define ICE_FIELD(member, name, type, v1, v2, v3, where) ROW_##type(member, name),
static const struct ice_member partition_members[] = {
#include "iceberg/fields/partition_field.def"
};
static const struct ice_member sort_members[] = {
#include "iceberg/fields/sort_field.def"
};
#undef ICE_FIELD
static const struct ice_object_table partition_table = {
    partition_members, ICE_COUNT_OF(partition_members), ICE_NULLS_NONE};
static const struct ice_object_table sort_table = {
    sort_members, ICE_COUNT_OF(sort_members), ICE_NULLS_NONE};

struct container_text {
    int32_t spec_id, order_id;
};
#undef ROW_INT
#define ROW_INT(member, name) ICE_MEMBER(container_text, member, name, INT)
#define ICE_FIELD(member, name, type, v1, v2, v3, where) ROW_##type(member, name),
static const struct ice_member spec_members[] = {
#include "iceberg/fields/partition_spec.def"
};
static const struct ice_member order_members[] = {
#include "iceberg/fields/sort_order.def"
};
#undef ICE_FIELD
static const struct ice_object_table spec_table = {
    spec_members, ICE_COUNT_OF(spec_members), ICE_NULLS_NONE};
static const struct ice_object_table order_table = {
    order_members, ICE_COUNT_OF(order_members), ICE_NULLS_NONE};

enum { MEMBER_ID = 0, MEMBER_FIELDS = 1 }; /* of specs and orders alike */

/* One field's members; source-ids is the only one handed over in both tables. */
static enum ice_status read_field(struct ice_object_reader *r,
                                  const struct ice_object_table *table,
                                  struct field_text *out, struct ice_bits *bits,
                                  size_t *out_n_source_ids) {
    for (;;) {
        size_t member;
        struct ice_json_event event;
        enum ice_status status = ice_object_next(r, table, out, bits, &member, &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        ICE_TRY(ice_array_ints(r, "source-ids", &out->source_ids, out_n_source_ids));
    }
}

/* source-ids may stand alone: the one source of a one-argument transform. */
static int32_t one_source(const struct field_text *text, uint64_t present,
                          size_t n_source_ids) {
    if (present & ICE_PART_HAS_SOURCE_ID)
        return text->source_id;
    return (present & ICE_PART_HAS_SOURCE_IDS) && n_source_ids == 1 ? text->source_ids[0]
                                                                    : 0;
}

static enum ice_status pointer_here(struct ice_object_reader *r, struct ice_str *out) {
    ICE_TRY(ice_json_pointer(r->json, &r->pointer));
    return ice_arena_dup(r->arena, ice_buf_str(&r->pointer), out)
               ? ICE_OK
               : ice_error_memory(r->err);
}

static enum ice_status read_partition_field(struct ice_object_reader *r, size_t position,
                                            void *field) {
    struct ice_partition_field *out = field;
    struct field_text text = {0};
    struct ice_bits bits = {0};
    ICE_TRY(pointer_here(r, &out->pointer));
    ICE_TRY(read_field(r, &partition_table, &text, &bits, &out->n_source_ids));
    out->has = (uint8_t)bits.present;
    out->bad = (uint8_t)bits.bad;
    if (!(out->has & ICE_PART_HAS_SOURCE_IDS))
        out->n_source_ids = 0;
    out->source_ids = text.source_ids;
    out->source_id = one_source(&text, bits.present, out->n_source_ids);
    if (out->has & ICE_PART_HAS_FIELD_ID)
        out->field_id = text.field_id;
    else
        out->field_id =
            position < INT32_MAX - 1000 ? (int32_t)(1000 + position) : INT32_MAX;
    if (out->has & ICE_PART_HAS_NAME)
        out->name = text.name;
    out->transform = ice_transform_parse(
        out->has & ICE_PART_HAS_TRANSFORM ? text.transform : ICE_STR_NONE);
    return ICE_OK;
}

static enum ice_status read_sort_field(struct ice_object_reader *r, size_t position,
                                       void *field) {
    struct ice_sort_field *out = field;
    (void)position;
    struct field_text text = {0};
    struct ice_bits bits = {0};
    ICE_TRY(pointer_here(r, &out->pointer));
    ICE_TRY(read_field(r, &sort_table, &text, &bits, &out->n_source_ids));
    /* the table has no field-id and name between source-ids and transform */
    out->has = (uint8_t)((bits.present & 3) | (bits.present & ~UINT64_C(3)) << 2);
    out->bad = (uint8_t)((bits.bad & 3) | (bits.bad & ~UINT64_C(3)) << 2);
    if (!(out->has & ICE_PART_HAS_SOURCE_IDS))
        out->n_source_ids = 0;
    out->source_ids = text.source_ids;
    out->source_id = one_source(&text, bits.present, out->n_source_ids);
    out->transform = ice_transform_parse(
        out->has & ICE_PART_HAS_TRANSFORM ? text.transform : ICE_STR_NONE);
    if (out->has & ICE_PART_HAS_DIRECTION)
        out->direction = text.direction;
    if (out->has & ICE_PART_HAS_NULL_ORDER)
        out->null_order = text.null_order;
    return ICE_OK;
}

/* ---- the two containers: an id and an array of fields ---- */

struct field_kind {
    enum ice_status (*read)(struct ice_object_reader *r, size_t position, void *field);
    size_t size; /* of one, in memory */
};
static const struct field_kind partition_field = {read_partition_field,
                                                  sizeof(struct ice_partition_field)};
static const struct field_kind sort_field = {read_sort_field,
                                             sizeof(struct ice_sort_field)};

struct container {
    struct container_text text;
    struct ice_bits bits;
    void *fields; /* in the arena */
    size_t n_fields;
};

static enum ice_status read_fields(struct ice_object_reader *r,
                                   const struct field_kind *kind, struct container *out) {
    size_t capacity = 0;
    out->fields = NULL;
    out->n_fields = 0;
    for (;;) {
        struct ice_json_event event;
        enum ice_status status = ice_array_next(r, ICE_JSON_OBJECT, "fields", &event);
        if (status != ICE_OK)
            return status < 0 ? status : ICE_OK;
        out->fields =
            ice_arena_push(r->arena, out->fields, &out->n_fields, &capacity, kind->size);
        if (out->fields == NULL) {
            out->n_fields = 0;
            return ice_error_memory(r->err);
        }
        size_t at = out->n_fields - 1;
        ICE_TRY(kind->read(r, at, (char *)out->fields + at * kind->size));
    }
}

static enum ice_status read_container(struct ice_object_reader *r,
                                      const struct ice_object_table *table,
                                      const struct field_kind *kind,
                                      struct container *out) {
    enum ice_status status;
    struct ice_json_event event;
    size_t member;
    while ((status = ice_object_next(r, table, &out->text, &out->bits, &member,
                                     &event)) == ICE_OK)
        ICE_TRY(read_fields(r, kind, out));
    if (!(out->bits.present & ICE_BIT(MEMBER_FIELDS)))
        out->n_fields = 0;
    return status < 0 ? status : ICE_OK;
}

enum ice_status ice_read_partition_spec(struct ice_object_reader *r,
                                        const struct ice_json_event *begin,
                                        struct ice_partition_spec *out) {
    struct container c = {0};
    *out = (struct ice_partition_spec){0};
    ICE_TRY(pointer_here(r, &out->pointer));
    if (begin->kind == ICE_JSON_ARRAY) {
        c.bits.present = ICE_BIT(MEMBER_FIELDS);
        ICE_TRY(read_fields(r, &partition_field, &c));
    } else {
        ICE_TRY(read_container(r, &spec_table, &partition_field, &c));
    }
    out->has_spec_id = c.bits.present & ICE_BIT(MEMBER_ID);
    out->bad_spec_id = c.bits.bad & ICE_BIT(MEMBER_ID);
    out->spec_id = out->has_spec_id ? c.text.spec_id : 0;
    out->has_fields = c.bits.present & ICE_BIT(MEMBER_FIELDS);
    out->bad_fields = c.bits.bad & ICE_BIT(MEMBER_FIELDS);
    out->fields = c.fields;
    out->n_fields = c.n_fields;
    return ICE_OK;
}

enum ice_status ice_read_sort_order(struct ice_object_reader *r,
                                    struct ice_sort_order *out) {
    struct container c = {0};
    *out = (struct ice_sort_order){0};
    ICE_TRY(pointer_here(r, &out->pointer));
    ICE_TRY(read_container(r, &order_table, &sort_field, &c));
    out->has_order_id = c.bits.present & ICE_BIT(MEMBER_ID);
    out->bad_order_id = c.bits.bad & ICE_BIT(MEMBER_ID);
    out->order_id = out->has_order_id ? c.text.order_id : 0;
    out->has_fields = c.bits.present & ICE_BIT(MEMBER_FIELDS);
    out->bad_fields = c.bits.bad & ICE_BIT(MEMBER_FIELDS);
    out->fields = c.fields;
    out->n_fields = c.n_fields;
    return ICE_OK;
}

/* ---- entry points ---- */

enum ice_status ice_partition_spec_read(struct ice_json *json,
                                        const struct ice_json_event *begin,
                                        struct ice_run *run, struct ice_arena *arena,
                                        ice_defect_fn on_defect, void *user,
                                        struct ice_partition_spec *out,
                                        struct ice_error *err) {
    struct ice_object_reader r;
    ice_object_reader_init(&r, json, run, arena, on_defect, user, err);
    enum ice_status status = ice_read_partition_spec(&r, begin, out);
    ice_object_reader_release(&r);
    return status;
}

enum ice_status ice_partition_spec_parse(struct ice_str text, struct ice_run *run,
                                         struct ice_arena *arena,
                                         struct ice_partition_spec *out,
                                         bool *out_is_object, struct ice_error *err) {
    struct ice_stream stream = {0};
    struct ice_json json = {0};
    struct ice_json_event event;
    *out = (struct ice_partition_spec){0};
    *out_is_object = false;
    ice_stream_init_memory(&stream, run, text);
    enum ice_status status = ice_json_init(&json, &stream, run, NULL, NULL, err);
    if (status < 0)
        goto done;
    status = ice_json_next(&json, &event, err);
    if (status < 0)
        goto done;
    if (event.kind != ICE_JSON_OBJECT && event.kind != ICE_JSON_ARRAY) {
        status = ice_error_set(err, ICE_EFORMAT, NULL, event.offset,
                               "a partition spec is neither an object nor an array");
        goto done;
    }
    *out_is_object = event.kind == ICE_JSON_OBJECT;
    status = ice_partition_spec_read(&json, &event, run, arena, NULL, NULL, out, err);
    if (status < 0)
        goto done;
    /* what stands behind the value must be nothing */
    status = ice_json_next(&json, &event, err);
done:
    ice_json_release(&json);
    ice_stream_release(&stream);
    return status < 0 ? status : ICE_OK;
}
