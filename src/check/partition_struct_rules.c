/*
 * Group 15: the record type of field 102 against the spec that the list names for the
 * manifest.
 */
#include "base/utf8.h"
#include "check/manifest_walk.h"
#include "check/partition_types.h"

#include <stdio.h>

static struct ice_str field_pointer(const struct ice_avro_schema *tuple, size_t index,
                                    struct ice_row_place *out) {
    static const char prefix[] = "/header/avro.schema";
    out->place.at.pointer = ice_str_make(out->pointer, 0);
    size_t size = tuple->pointer.size;
    if (sizeof(prefix) - 1 + size > sizeof(out->pointer))
        size = 0;
    memcpy(out->pointer, prefix, sizeof(prefix) - 1);
    if (size > 0)
        memcpy(out->pointer + sizeof(prefix) - 1, tuple->pointer.data, size);
    out->place.at.pointer = ice_str_make(out->pointer, sizeof(prefix) - 1 + size);
    if (index != SIZE_MAX) {
        ice_row_place_step(out, ICE_STR("fields"));
        ice_row_place_index(out, index);
    }
    return out->place.at.pointer;
}

static void place_field(const struct ice_manifest_walk *walk, size_t index,
                        struct ice_row_place *out) {
    out->place = ice_place_file(walk->file, walk->order);
    out->place.at.pointer = field_pointer(walk->manifest->plan.tuple, index, out);
}

/* ---- types ---- */

static bool is_whole_number(const struct ice_avro_schema *node) {
    return node->type == ICE_AVRO_INT || node->type == ICE_AVRO_LONG;
}

/* Which Avro types readers take for an Iceberg type: logical types may be left out. */
static bool avro_fits(const struct ice_type *type, const void *user) {
    const struct ice_avro_schema *node = user;
    switch (type->kind) {
    case ICE_TYPE_BOOLEAN:
        return node->type == ICE_AVRO_BOOLEAN;
    case ICE_TYPE_INT:
    case ICE_TYPE_DATE:
        return node->type == ICE_AVRO_INT;
    case ICE_TYPE_LONG:      /* an int was promoted since */
    case ICE_TYPE_TIMESTAMP: /* a date was */
    case ICE_TYPE_TIMESTAMP_NS:
        return is_whole_number(node);
    case ICE_TYPE_TIME:
    case ICE_TYPE_TIMESTAMPTZ:
    case ICE_TYPE_TIMESTAMPTZ_NS:
        return node->type == ICE_AVRO_LONG;
    case ICE_TYPE_FLOAT:
        return node->type == ICE_AVRO_FLOAT;
    case ICE_TYPE_DOUBLE:
        return node->type == ICE_AVRO_DOUBLE || node->type == ICE_AVRO_FLOAT;
    case ICE_TYPE_STRING:
        return node->type == ICE_AVRO_STRING;
    case ICE_TYPE_BINARY:
    case ICE_TYPE_DECIMAL:
        return node->type == ICE_AVRO_BYTES || node->type == ICE_AVRO_FIXED;
    case ICE_TYPE_UUID:
        return node->type == ICE_AVRO_FIXED && node->fixed_size == 16;
    case ICE_TYPE_FIXED:
        return node->type == ICE_AVRO_FIXED && type->length >= 0 &&
               node->fixed_size == (uint64_t)type->length;
    case ICE_TYPE_UNKNOWN:
    case ICE_TYPE_VARIANT:
    case ICE_TYPE_GEOMETRY:
    case ICE_TYPE_GEOGRAPHY:
    case ICE_TYPE_STRUCT:
    case ICE_TYPE_LIST:
    case ICE_TYPE_MAP:
    case ICE_TYPE_BAD:
        break;
    }
    return true; /* no partition value can be of these: rules on specs speak */
}

/* false: it can hold no value of the field */
static bool check_type(const struct ice_manifest_walk *walk, size_t index,
                       const struct ice_partition_field *field) {
    const struct ice_manifest *manifest = walk->manifest;
    const struct ice_avro_field *column = &manifest->plan.tuple->fields[index];
    bool nullable = false;
    const struct ice_avro_schema *node = ice_avro_not_null(column->type, &nullable);
    const struct ice_schema *header =
        manifest->header & ~manifest->header_bad & ICE_MHEAD_SCHEMA
            ? &manifest->header_schema
            : NULL;
    struct ice_type expected = {0};
    struct ice_row_place at;
    if (!nullable && node->type != ICE_AVRO_NULL && node->type != ICE_AVRO_UNION) {
        place_field(walk, index, &at);
        FOUND(walk->ck->emit, ICE_RULE_MANIFEST_PARTITION_REQUIRED, &at.place,
              arg_str("name", column->name));
    }
    if (node->type == ICE_AVRO_NULL || /* holds nothing but null: every type has that */
        ice_partition_types(walk->ck, header, field, avro_fits, node, &expected) !=
            ICE_TYPES_WRONG)
        return true;
    place_field(walk, index, &at);
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_PARTITION_TYPE, &at.place,
          arg_str("name", field->name), arg_text("found", ice_avro_type_name(node->type)),
          arg_str("transform", field->transform.text),
          arg_text("expected", ice_type_kind_name(expected.kind)));
    return false;
}

/* ---- names ---- */

static bool is_avro_letter(uint32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* Step over "_x" and the hex of one UTF-16 unit, as Java writes a character that Avro
 * lacks. */
static bool skip_escape(struct ice_str name, size_t *at, uint32_t unit) {
    static const char digits[] = "0123456789ABCDEF";
    char text[8] = {'_', 'x'};
    size_t size = 2;
    bool started = false;
    for (unsigned shift = 16; shift > 0; shift -= 4) {
        unsigned digit = unit >> (shift - 4) & 15;
        started = started || digit != 0 || shift == 4;
        if (started)
            text[size++] = digits[digit];
    }
    if (!ice_str_starts(ice_str_from_index(name, *at), ice_str_make(text, size)))
        return false;
    *at += size;
    return true;
}

static bool skip_character(struct ice_str name, size_t *at, struct ice_str spec,
                           size_t *spec_at) {
    size_t first = *spec_at;
    uint32_t c = ice_utf8_next(spec, spec_at);
    struct ice_str plain = ice_str_make(spec.data + first, *spec_at - first);
    bool is_digit = c >= '0' && c <= '9';
    if (is_digit && first == 0 && *at == 0 && name.size > 0 && name.data[0] == '_')
        (*at)++; /* a digit cannot come first */
    if (ice_str_starts(ice_str_from_index(name, *at), plain)) {
        *at += plain.size;
        return true;
    }
    if (is_avro_letter(c) || is_digit || c == UINT32_MAX)
        return false;
    if (c < 0x10000)
        return skip_escape(name, at, c);
    c -= 0x10000;
    return skip_escape(name, at, 0xD800 + (c >> 10)) &&
           skip_escape(name, at, 0xDC00 + (c & 0x3FF));
}

/* Is name the spec's name, as it is or sanitised? */
static bool is_sanitised(struct ice_str name, struct ice_str spec) {
    size_t at = 0, spec_at = 0;
    while (spec_at < spec.size)
        if (!skip_character(name, &at, spec, &spec_at))
            return false;
    return at == name.size;
}

static void check_name(const struct ice_manifest_walk *walk, size_t index,
                       const struct ice_partition_field *field) {
    const struct ice_avro_field *column = &walk->manifest->plan.tuple->fields[index];
    struct ice_row_place at;
    if (!(field->has & ICE_PART_HAS_NAME) || is_sanitised(column->name, field->name) ||
        ice_str_equal(column->original_name, field->name))
        return;
    place_field(walk, index, &at);
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_PARTITION_NAME_DIFFERS, &at.place,
          arg_i64("field_id", field->field_id), arg_str("found", column->name),
          arg_str("expected", field->name));
}

/* ---- fields ---- */

static void found_ids(const struct ice_manifest_walk *walk, size_t i,
                      enum ice_severity severity) {
    const struct ice_avro_field *column = &walk->manifest->plan.tuple->fields[i];
    struct ice_row_place at;
    place_field(walk, i, &at);
    FOUND_AS(walk->ck->emit, ICE_RULE_MANIFEST_PARTITION_FIELD_IDS, severity, &at.place,
             arg_i64("position", (int64_t)i),
             column->id.has ? arg_i64("found", column->id.value)
                            : arg_text("found", "none"),
             arg_i64("spec_id", walk->spec->spec_id),
             arg_i64("expected", walk->spec->fields[i].field_id));
}

static void check_ids(struct ice_manifest_walk *walk) {
    const struct ice_avro_schema *tuple = walk->manifest->plan.tuple;
    const struct ice_partition_spec *spec = walk->spec;
    /* matched by position there: a spec of v1 without field ids counts from 1000 */
    bool by_position = walk->version == 1 || walk->ck->version == 1;
    for (size_t i = 0; i < spec->n_fields; i++) {
        if (ice_avro_field_by_id(tuple, spec->fields[i].field_id) ||
            !(spec->fields[i].has & ICE_PART_HAS_FIELD_ID || by_position))
            continue;
        found_ids(walk, i, by_position ? ICE_WARN : ICE_ERROR);
        if (!by_position)
            walk->wrong_fields |= ice_lost_bit(i);
    }
}

/* A field of type unknown holds nothing and may be left out. */
static bool may_lack_fields(const struct ice_manifest_walk *walk) {
    const struct ice_partition_spec *spec = walk->spec;
    for (size_t i = 0; i < spec->n_fields; i++)
        if (ice_partition_type(walk->ck, NULL, &spec->fields[i]).kind == ICE_TYPE_UNKNOWN)
            return true;
    return false;
}

static void check_count(const struct ice_manifest_walk *walk) {
    struct ice_row_place at;
    place_field(walk, SIZE_MAX, &at);
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_PARTITION_FIELD_COUNT, &at.place,
          arg_i64("found", (int64_t)walk->manifest->plan.tuple->n_fields),
          arg_i64("spec_id", walk->spec->spec_id),
          arg_i64("expected", (int64_t)walk->spec->n_fields));
}

static void check_missing(const struct ice_manifest_walk *walk) {
    const struct ice_manifest *manifest = walk->manifest;
    bool by_name = !ice_avro_has_ids(manifest->schema);
    /* a column of a wrong type or without id has spoken: avro.field.type, avro.field-id.*
     */
    if (walk->ck->version > 3 || by_name ||
        ice_column_lacks_id(walk, ICE_STR("partition")) ||
        ice_manifest_has_column(manifest, ICE_FILE_partition) ||
        !ice_manifest_has_column(manifest, ICE_ENTRY_data_file))
        return;
    struct ice_place place = ice_header_place(walk, "/header/avro.schema");
    FOUND(walk->ck->emit, ICE_RULE_MANIFEST_PARTITION_MISSING, &place,
          arg_text("what", "the schema has no partition struct (id 102)"));
}

void ice_partition_struct_rules(struct ice_manifest_walk *walk) {
    const struct ice_avro_schema *tuple = walk->manifest->plan.tuple;
    const struct ice_partition_spec *spec = walk->spec;
    if (!tuple) {
        check_missing(walk);
        return;
    }
    if (!spec)
        return;
    if (tuple->n_fields != spec->n_fields) {
        if (tuple->n_fields > spec->n_fields || !may_lack_fields(walk))
            check_count(walk);
        return;
    }
    if (ice_avro_has_ids(walk->manifest->schema))
        check_ids(walk); /* avro.field-id.none has spoken else */
    for (size_t i = 0; i < spec->n_fields; i++) {
        size_t index = ice_partition_tuple_index(walk, spec, i);
        if (index == SIZE_MAX)
            continue;
        if (!check_type(walk, index, &spec->fields[i]))
            walk->wrong_fields |= ice_lost_bit(i);
        check_name(walk, index, &spec->fields[i]);
    }
    walk->knows_partitions = walk->knows_partitions && walk->wrong_fields == 0;
}

/* ---- what the schema says of entries that cannot be decoded ---- */

/* The first field of the tuple that is a fixed and nothing more, or SIZE_MAX: decimals
 * and uuids are written right. */
static size_t plain_fixed(const struct ice_avro_schema *tuple, uint64_t *out_size) {
    for (size_t i = 0; tuple && i < tuple->n_fields; i++) {
        bool nullable = false;
        const struct ice_avro_schema *node =
            ice_avro_not_null(tuple->fields[i].type, &nullable);
        *out_size = node->fixed_size;
        if (node->type == ICE_AVRO_FIXED && node->logical_type.size == 0)
            return i;
    }
    return SIZE_MAX;
}

/* Decoded before the fault: did a length stand before all of them? Some get through, when
 * the byte that is left over makes one number with what follows it. */
static bool begin_with_length(const struct ice_manifest_walk *walk, size_t index,
                              uint64_t size) {
    const char length = (char)(size < 64 ? size << 1 : (size << 1 & 127) | 128);
    if (index >= walk->n_ranges || !walk->ranges[index].is_known)
        return false;
    const struct ice_partition_range *range = &walk->ranges[index];
    return range->least.size > 0 && range->least.data[0] == length &&
           range->most.size > 0 && range->most.data[0] == length;
}

/* Of a datum, not of the container around it. */
static bool is_of_datum(const char *rule) {
    static const char *const rules[] = {"avro.union",        "avro.length",
                                        "avro.boolean",      "avro.varint.overlong",
                                        "avro.varint.range", "avro.block.size"};
    for (size_t i = 0; i < ICE_COUNT_OF(rules); i++)
        if (rule != NULL && strcmp(rule, rules[i]) == 0)
            return true;
    return false;
}

void ice_partition_fixed_fault(const struct ice_manifest_walk *walk,
                               struct ice_error *fault) {
    const struct ice_avro_schema *tuple = walk->manifest->plan.tuple;
    char name[64], detail[sizeof(fault->message)];
    uint64_t size = 0;
    size_t index = plain_fixed(tuple, &size);
    if (index == SIZE_MAX || fault->status != ICE_EFORMAT || !is_of_datum(fault->rule) ||
        (walk->n_entries > 0 && !begin_with_length(walk, index, size)))
        return;
    memcpy(detail, fault->message, sizeof(detail));
    fault->rule = ice_rule_of(ICE_RULE_MANIFEST_PARTITION_FIXED_WITH_LENGTH)->name;
    (void)snprintf(fault->message, sizeof(fault->message), "partition field %s, %.160s",
                   ice_escape(name, sizeof(name), tuple->fields[index].name), detail);
}
