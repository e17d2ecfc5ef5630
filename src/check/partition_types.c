/*
 * Result types of partition transforms over all schemas that know the source column.
 */
#include "check/partition_types.h"

static const struct ice_type bad_type = {.kind = ICE_TYPE_BAD};

static bool has_one_source(const struct ice_partition_field *field) {
    return field->has & (ICE_PART_HAS_SOURCE_ID | ICE_PART_HAS_SOURCE_IDS) &&
           field->n_source_ids <= 1;
}

static struct ice_type type_over(const struct ice_schema *schema,
                                 const struct ice_partition_field *field) {
    const struct ice_field *source = ice_schema_field(schema, field->source_id);
    return source ? ice_transform_result(&field->transform, &source->type) : bad_type;
}

struct question {
    const struct ice_partition_field *field;
    ice_type_fits_fn fits;
    const void *user;
    enum ice_types_answer answer;
    struct ice_type type;
};

/* true: the answer is final */
static bool ask(struct question *q, const struct ice_schema *schema) {
    const struct ice_field *source = ice_schema_field(schema, q->field->source_id);
    if (!source)
        return false;
    struct ice_type type = ice_transform_result(&q->field->transform, &source->type);
    if (type.kind == ICE_TYPE_BAD) {
        q->answer = ICE_TYPES_UNKNOWN;
        return true;
    }
    /* void: the source's type or int, spec: #partition-transforms */
    static const struct ice_type int_type = {.kind = ICE_TYPE_INT};
    if (q->fits(&type, q->user) ||
        (q->field->transform.kind == ICE_TRANSFORM_VOID && q->fits(&int_type, q->user))) {
        q->answer = ICE_TYPES_FIT;
        return true;
    }
    q->answer = ICE_TYPES_WRONG;
    q->type = type;
    return false;
}

enum ice_types_answer ice_partition_types(const struct ice_check *ck,
                                          const struct ice_schema *header,
                                          const struct ice_partition_field *field,
                                          ice_type_fits_fn fits, const void *user,
                                          struct ice_type *out_type) {
    struct question q = {
        .field = field, .fits = fits, .user = user, .answer = ICE_TYPES_UNKNOWN};
    if (!has_one_source(field) || field->transform.kind == ICE_TRANSFORM_UNKNOWN)
        return ICE_TYPES_UNKNOWN;
    bool done = header && ask(&q, header);
    done = done || ask(&q, &ck->metadata.schema);
    for (size_t i = ck->metadata.n_schemas; !done && i > 0; i--)
        done = ask(&q, &ck->metadata.schemas[i - 1]);
    *out_type = q.type;
    return q.answer;
}

struct ice_type ice_partition_type(const struct ice_check *ck,
                                   const struct ice_schema *header,
                                   const struct ice_partition_field *field) {
    if (!has_one_source(field))
        return bad_type;
    if (header && ice_schema_field(header, field->source_id))
        return type_over(header, field);
    const struct ice_schema *current = ice_metadata_current_schema(&ck->metadata);
    return current ? type_over(current, field) : bad_type;
}

static bool same_kind(const struct ice_type *type, const void *user) {
    return type->kind == *(const enum ice_type_kind *)user;
}

struct ice_type ice_partition_type_agreed(const struct ice_check *ck,
                                          const struct ice_partition_field *field) {
    struct ice_type type = ice_partition_type(ck, NULL, field);
    struct question q = {.field = field, .fits = same_kind, .user = &type.kind};
    if (type.kind == ICE_TYPE_BAD)
        return type;
    for (size_t i = 0; i < ck->metadata.n_schemas; i++) {
        q.answer = ICE_TYPES_UNKNOWN;
        (void)ask(&q, &ck->metadata.schemas[i]);
        if (q.answer == ICE_TYPES_WRONG)
            return bad_type;
    }
    return type;
}
