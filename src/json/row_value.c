/*
 * Values of rows as JSON.
 */
#include "json/row_value.h"

#include "base/time_text.h"

void ice_jw_key_i32(struct ice_json_writer *w, int32_t id) {
    char digits[16];
    size_t at = sizeof(digits);
    uint32_t rest = id < 0 ? (uint32_t)0 - (uint32_t)id : (uint32_t)id;
    do {
        digits[--at] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (id < 0)
        digits[--at] = '-';
    ice_jw_key_str(w, ice_str_make(digits + at, sizeof(digits) - at));
}

void ice_jw_map_i64(struct ice_json_writer *w, const int32_t *keys, const int64_t *values,
                    size_t n) {
    ice_jw_object(w);
    for (size_t i = 0; i < n; i++) {
        ice_jw_key_i32(w, keys[i]);
        ice_jw_i64(w, values[i]);
    }
    ice_jw_object_end(w);
}

void ice_jw_map_hex(struct ice_json_writer *w, const int32_t *keys,
                    const struct ice_str *values, size_t n) {
    ice_jw_object(w);
    for (size_t i = 0; i < n; i++) {
        ice_jw_key_i32(w, keys[i]);
        ice_jw_hex(w, values[i]);
    }
    ice_jw_object_end(w);
}

void ice_jw_list_i64(struct ice_json_writer *w, const int64_t *items, size_t n) {
    ice_jw_array(w);
    for (size_t i = 0; i < n; i++)
        ice_jw_i64(w, items[i]);
    ice_jw_array_end(w);
}

void ice_jw_value(struct ice_json_writer *w, const struct ice_value *value) {
    char time[ICE_TIME_SIZE];
    switch (value->kind) {
    case ICE_VALUE_NULL:
        ice_jw_null(w);
        return;
    case ICE_VALUE_BOOL:
        ice_jw_bool(w, value->i64 != 0);
        return;
    case ICE_VALUE_I64:
        ice_jw_i64(w, value->i64);
        return;
    case ICE_VALUE_F64:
        ice_jw_f64(w, value->f64);
        return;
    case ICE_VALUE_STR:
        ice_jw_str(w, value->str);
        return;
    case ICE_VALUE_BYTES:
        ice_jw_hex(w, value->str);
        return;
    case ICE_VALUE_TIME:
        ice_jw_str(w, ice_time_text(value->i64, time));
        return;
    case ICE_VALUE_JSON:
        ice_jw_raw(w, value->str);
        return;
    case ICE_VALUE_MAP_I64:
        ice_jw_map_i64(w, value->keys, value->numbers, value->n);
        return;
    case ICE_VALUE_MAP_BYTES:
        ice_jw_map_hex(w, value->keys, value->strs, value->n);
        return;
    case ICE_VALUE_LIST_I64:
        ice_jw_list_i64(w, value->numbers, value->n);
        return;
    }
}
