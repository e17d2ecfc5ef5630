/*
 * Bytes and their marks, side by side.
 */
#include "conf/shell_value.h"

void ice_shell_value_init(struct ice_shell_value *value, struct ice_alloc *alloc) {
    *value = (struct ice_shell_value){0};
    ice_buf_init(&value->text, alloc, SIZE_MAX / 2);
    ice_buf_init(&value->marks, alloc, SIZE_MAX / 2);
}

void ice_shell_value_release(struct ice_shell_value *value) {
    ice_buf_release(&value->text);
    ice_buf_release(&value->marks);
    value->is_open = false;
}

void ice_shell_value_clear(struct ice_shell_value *value) {
    ice_buf_clear(&value->text);
    ice_buf_clear(&value->marks);
    value->is_open = false;
}

bool ice_shell_value_append(struct ice_shell_value *value,
                            const struct ice_shell_value *from) {
    value->is_open = from->is_open;
    return ice_buf_append_str(&value->text, ice_buf_str(&from->text)) == ICE_OK &&
           ice_buf_append_str(&value->marks, ice_buf_str(&from->marks)) == ICE_OK;
}

bool ice_shell_value_put(struct ice_shell_value *value, char c, uint32_t mark) {
    value->is_open = true;
    return ice_buf_append_char(&value->text, c) == ICE_OK &&
           ice_buf_append(&value->marks, &mark, sizeof(mark)) == ICE_OK;
}

bool ice_shell_value_end_word(struct ice_shell_value *value) {
    if (!value->is_open)
        return true;
    bool done = ice_shell_value_put(value, '\0', 0);
    value->is_open = false;
    return done;
}
