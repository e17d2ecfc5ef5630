/*
 * Members and values of the canonical dump.
 */
#include "answer/oracle_values.h"

#include "iceberg/value.h"
#include "json/row_value.h"

void ice_key_i64(struct ice_json_writer *w, const char *key, bool has, int64_t value) {
    ice_jw_key(w, key);
    if (has)
        ice_jw_i64(w, value);
    else
        ice_jw_null(w);
}

void ice_key_str(struct ice_json_writer *w, const char *key, bool has,
                 struct ice_str value) {
    ice_jw_key(w, key);
    if (has)
        ice_jw_str(w, value);
    else
        ice_jw_null(w);
}

void ice_key_hex(struct ice_json_writer *w, const char *key, bool has,
                 struct ice_str value) {
    ice_jw_key(w, key);
    if (has)
        ice_jw_hex(w, value);
    else
        ice_jw_null(w);
}

void ice_key_map(struct ice_json_writer *w, const char *key, bool has,
                 const struct ice_map_i64 *map) {
    ice_jw_key(w, key);
    if (has)
        ice_jw_map_i64(w, map->keys, map->values, map->n);
    else
        ice_jw_null(w);
}

void ice_key_hex_map(struct ice_json_writer *w, const char *key, bool has,
                     const struct ice_map_bytes *map) {
    ice_jw_key(w, key);
    if (has)
        ice_jw_map_hex(w, map->keys, map->values, map->n);
    else
        ice_jw_null(w);
}

void ice_key_list(struct ice_json_writer *w, const char *key, bool has,
                  const struct ice_list_i64 *list) {
    ice_jw_key(w, key);
    if (has)
        ice_jw_list_i64(w, list->items, list->n);
    else
        ice_jw_null(w);
}

/* float and double by their bits, big endian, as bounds are shown. */
static void write_real(struct ice_json_writer *w, const struct ice_datum *datum) {
    struct ice_type type = {.kind = ICE_TYPE_DOUBLE};
    char bytes[8];
    uint64_t bits = 0;
    size_t size = 8;
    if (datum->type == ICE_AVRO_FLOAT) {
        float narrow = (float)datum->f64;
        uint32_t narrow_bits;
        memcpy(&narrow_bits, &narrow, sizeof(narrow_bits));
        bits = narrow_bits;
        size = 4;
        type.kind = ICE_TYPE_FLOAT;
    } else {
        memcpy(&bits, &datum->f64, sizeof(bits));
    }
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(bits >> (8 * i) & 0xff);
    ice_value_to_json(&type, ice_str_make(bytes, size), w);
}

/* By the writer's schema alone: other readers of the dump do not know the table's types.
 */
static void write_bytes(struct ice_json_writer *w, const struct ice_avro_schema *node,
                        struct ice_str bytes) {
    bool is_nullable;
    struct ice_type type = {.kind = ICE_TYPE_BINARY};
    node = ice_avro_not_null(node, &is_nullable);
    if (ice_str_is(node->logical_type, "decimal")) {
        type.kind = ICE_TYPE_DECIMAL;
        type.precision = node->precision;
        type.scale = node->scale;
    } else if (ice_str_is(node->logical_type, "uuid") && bytes.size == 16) {
        type.kind = ICE_TYPE_UUID;
    }
    ice_value_to_json(&type, bytes, w);
}

void ice_oracle_datum(struct ice_json_writer *w, const struct ice_avro_schema *node,
                      const struct ice_datum *datum) {
    switch (datum->type) {
    case ICE_AVRO_BOOLEAN:
        ice_jw_bool(w, datum->i64 != 0);
        return;
    case ICE_AVRO_INT:
    case ICE_AVRO_LONG:
    case ICE_AVRO_ENUM:
        ice_jw_i64(w, datum->i64);
        return;
    case ICE_AVRO_FLOAT:
    case ICE_AVRO_DOUBLE:
        write_real(w, datum);
        return;
    case ICE_AVRO_STRING:
        ice_jw_str(w, datum->str);
        return;
    case ICE_AVRO_BYTES:
    case ICE_AVRO_FIXED:
        write_bytes(w, node, datum->str);
        return;
    case ICE_AVRO_NULL:
    case ICE_AVRO_RECORD:
    case ICE_AVRO_ARRAY:
    case ICE_AVRO_MAP:
    case ICE_AVRO_UNION:
        ice_jw_null(w);
        return;
    }
}
