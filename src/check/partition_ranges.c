/*
 * Smallest and largest partition values of live entries, field by field of the tuple.
 * Values are kept as single-value bytes, so that they compare with the bounds of a list
 * record. Memory: two values a field.
 */
#include "base/error.h"
#include "check/manifest_walk.h"
#include "check/partition_types.h"
#include "iceberg/value.h"

#include <math.h>

/* A datum as a single value; scratch holds numbers. */
static struct ice_str single_value(const struct ice_datum *datum, char scratch[8]) {
    uint64_t bits = (uint64_t)datum->i64;
    size_t size = 8;
    float narrow;
    switch (datum->type) {
    case ICE_AVRO_BOOLEAN:
        size = 1;
        break;
    case ICE_AVRO_INT:
    case ICE_AVRO_ENUM:
        size = 4;
        break;
    case ICE_AVRO_LONG:
        break;
    case ICE_AVRO_FLOAT:
        size = 4;
        narrow = (float)datum->f64;
        uint32_t half;
        memcpy(&half, &narrow, sizeof(half));
        bits = half;
        break;
    case ICE_AVRO_DOUBLE:
        memcpy(&bits, &datum->f64, sizeof(bits));
        break;
    case ICE_AVRO_BYTES:
    case ICE_AVRO_STRING:
    case ICE_AVRO_FIXED:
        return datum->str;
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        return ICE_STR_NONE;
    }
    for (size_t i = 0; i < size; i++)
        scratch[i] = (char)(unsigned char)(bits >> 8 * i);
    return ice_str_make(scratch, size);
}

/*
 * The order of a tuple field's values, from its Avro type: not from the current schema,
 * which may have promoted the column since. Numbers compare across widths. A decimal or
 * uuid without logical type is known by the spec only.
 */
static enum ice_type_kind order_of(const struct ice_avro_schema *node,
                                   enum ice_type_kind declared) {
    switch (node->type) {
    case ICE_AVRO_BOOLEAN:
        return ICE_TYPE_BOOLEAN;
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
        return ICE_TYPE_LONG;
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
        return ICE_TYPE_DOUBLE;
    case ICE_AVRO_STRING:
        return ICE_TYPE_STRING;
    case ICE_AVRO_BYTES:
    case ICE_AVRO_FIXED:
        if (declared == ICE_TYPE_DECIMAL || ice_str_is(node->logical_type, "decimal"))
            return ICE_TYPE_DECIMAL;
        if (node->type == ICE_AVRO_FIXED && node->fixed_size == 16 &&
            (declared == ICE_TYPE_UUID || ice_str_is(node->logical_type, "uuid")))
            return ICE_TYPE_UUID;
        return ICE_TYPE_BINARY;
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ENUM:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        break;
    }
    return ICE_TYPE_BAD;
}

size_t ice_partition_tuple_index(const struct ice_manifest_walk *walk,
                                 const struct ice_partition_spec *spec, size_t index) {
    const struct ice_avro_schema *tuple = walk->manifest->plan.tuple;
    if (!tuple)
        return SIZE_MAX;
    const struct ice_avro_field *field =
        ice_avro_field_by_id(tuple, spec->fields[index].field_id);
    if (field)
        return (size_t)(field - tuple->fields);
    bool by_position = walk->version == 1 || walk->ck->version == 1;
    return by_position && index < tuple->n_fields && tuple->n_fields == spec->n_fields
               ? index
               : SIZE_MAX;
}

/* The declared type of a tuple field, by the spec that the first list record names. */
static enum ice_type_kind declared_kind(const struct ice_manifest_walk *walk,
                                        size_t index) {
    const struct ice_manifest *manifest = walk->manifest;
    const struct ice_schema *header =
        manifest->header & ~manifest->header_bad & ICE_MHEAD_SCHEMA
            ? &manifest->header_schema
            : NULL;
    for (size_t i = 0; walk->spec && i < walk->spec->n_fields; i++)
        if (ice_partition_tuple_index(walk, walk->spec, i) == index)
            return ice_partition_type(walk->ck, header, &walk->spec->fields[i]).kind;
    return ICE_TYPE_BAD;
}

enum ice_status ice_partition_ranges_open(struct ice_manifest_walk *walk) {
    const struct ice_avro_schema *tuple = walk->manifest->plan.tuple;
    bool nullable;
    if (!tuple || tuple->n_fields == 0)
        return ICE_OK;
    walk->ranges = ice_arena_array(&walk->manifest->file.arena, tuple->n_fields,
                                   sizeof(*walk->ranges));
    if (!walk->ranges)
        return ICE_ENOMEM;
    walk->n_ranges = tuple->n_fields;
    struct ice_alloc *alloc = &walk->ck->run->alloc;
    for (size_t i = 0; i < walk->n_ranges; i++) {
        struct ice_partition_range *range = &walk->ranges[i];
        const struct ice_avro_schema *node =
            ice_avro_not_null(tuple->fields[i].type, &nullable);
        range->type.kind = order_of(node, declared_kind(walk, i));
        range->is_known = range->type.kind != ICE_TYPE_BAD;
        ice_buf_init(&range->least, alloc, SIZE_MAX);
        ice_buf_init(&range->most, alloc, SIZE_MAX);
        ice_buf_init(&range->signed_least, alloc, SIZE_MAX);
        ice_buf_init(&range->signed_most, alloc, SIZE_MAX);
    }
    return ICE_OK;
}

void ice_partition_ranges_close(struct ice_manifest_walk *walk) {
    for (size_t i = 0; i < walk->n_ranges; i++) {
        ice_buf_release(&walk->ranges[i].least);
        ice_buf_release(&walk->ranges[i].most);
        ice_buf_release(&walk->ranges[i].signed_least);
        ice_buf_release(&walk->ranges[i].signed_most);
    }
    walk->n_ranges = 0;
}

static enum ice_status keep(struct ice_buf *buf, struct ice_str value) {
    ice_buf_clear(buf);
    return ice_buf_append_str(buf, value);
}

static enum ice_status widen_signed(struct ice_partition_range *range,
                                    struct ice_str value) {
    if (range->type.kind != ICE_TYPE_UUID)
        return ICE_OK;
    if (!range->has_value || ice_value_compare_uuid_signed(
                                 value, ice_buf_str(&range->signed_least)) == ICE_IS_LESS)
        ICE_TRY(keep(&range->signed_least, value));
    if (!range->has_value ||
        ice_value_compare_uuid_signed(value, ice_buf_str(&range->signed_most)) ==
            ICE_IS_GREATER)
        ICE_TRY(keep(&range->signed_most, value));
    return ICE_OK;
}

static enum ice_status widen(struct ice_partition_range *range, struct ice_str value) {
    ICE_TRY(widen_signed(range, value));
    if (!range->has_value) {
        range->has_value = true;
        ICE_TRY(keep(&range->least, value));
        return keep(&range->most, value);
    }
    if (ice_value_compare(&range->type, value, ice_buf_str(&range->least)) == ICE_IS_LESS)
        return keep(&range->least, value);
    if (ice_value_compare(&range->type, value, ice_buf_str(&range->most)) ==
        ICE_IS_GREATER)
        return keep(&range->most, value);
    return ICE_OK;
}

/* Nearly all values lie between what was seen before: numbers need no bytes for that. */
static bool is_within(struct ice_partition_range *range, const struct ice_datum *datum) {
    if (range->type.kind != ICE_TYPE_LONG)
        return false;
    int64_t number = datum->i64;
    if (!range->has_numbers) {
        range->has_numbers = true;
        range->least_number = range->most_number = number;
        return false;
    }
    if (number >= range->least_number && number <= range->most_number)
        return true;
    if (number < range->least_number)
        range->least_number = number;
    else
        range->most_number = number;
    return false;
}

static bool is_float(const struct ice_datum *datum) {
    return datum->type == ICE_AVRO_FLOAT || datum->type == ICE_AVRO_DOUBLE;
}

enum ice_status ice_partition_ranges_add(struct ice_manifest_walk *walk,
                                         const struct ice_tuple *tuple, bool is_live) {
    char scratch[8];
    for (size_t i = 0; i < tuple->n && i < walk->n_ranges; i++) {
        struct ice_partition_range *range = &walk->ranges[i];
        const struct ice_datum *datum = &tuple->values[i];
        bool is_null = datum->type == ICE_AVRO_NULL;
        if (!is_live) {
            range->has_deleted_null |= is_null;
            continue;
        }
        if (is_null) {
            range->has_null = true;
            continue;
        }
        if (is_float(datum) && isnan(datum->f64)) {
            range->has_nan = true;
            continue;
        }
        if (is_float(datum) && fpclassify(datum->f64) == FP_ZERO) {
            range->has_minus_zero |= signbit(datum->f64) != 0;
            range->has_plus_zero |= signbit(datum->f64) == 0;
        }
        if (range->is_known && !is_within(range, datum))
            ICE_TRY(widen(range, single_value(datum, scratch)));
        range->has_value = true;
    }
    return ICE_OK;
}
