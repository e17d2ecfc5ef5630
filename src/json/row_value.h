/*
 * Values of rows as JSON: times as ISO 8601, bytes as hex, maps as objects by id.
 */
#ifndef ICE_JSON_ROW_VALUE_H
#define ICE_JSON_ROW_VALUE_H

#include "json/writer.h"

void ice_jw_value(struct ice_json_writer *w, const struct ice_value *value);

void ice_jw_key_i32(struct ice_json_writer *w, int32_t id);
/* {"1": 10, ...}; {"1": "hex", ...}; [4, ...] */
void ice_jw_map_i64(struct ice_json_writer *w, const int32_t *keys, const int64_t *values,
                    size_t n);
void ice_jw_map_hex(struct ice_json_writer *w, const int32_t *keys,
                    const struct ice_str *values, size_t n);
void ice_jw_list_i64(struct ice_json_writer *w, const int64_t *items, size_t n);

#endif
