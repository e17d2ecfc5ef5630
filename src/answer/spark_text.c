/*
 * Names and texts for Spark. A quote inside a literal has a backslash before it: two
 * literals side by side are one there, so a doubled quote only vanishes.
 */
#include "answer/spark_text.h"

#include "base/chars.h"

static bool is_word(struct ice_str part) {
    if (part.size == 0 || ice_is_digit(part.data[0]))
        return false;
    for (size_t i = 0; i < part.size; i++) {
        char c = part.data[i];
        if (!ice_is_letter(c) && !ice_is_digit(c) && c != '_')
            return false;
    }
    return true;
}

static enum ice_status put_inside(struct ice_str part, struct ice_buf *out) {
    for (size_t i = 0; i < part.size; i++) {
        if (part.data[i] == '`')
            ICE_TRY(ice_buf_append_char(out, '`'));
        ICE_TRY(ice_buf_append_char(out, part.data[i]));
    }
    return ICE_OK;
}

static enum ice_status put_part(struct ice_str part, struct ice_str suffix,
                                struct ice_buf *out) {
    if (is_word(part)) {
        ICE_TRY(ice_buf_append_str(out, part));
        return ice_buf_append_str(out, suffix);
    }
    ICE_TRY(ice_buf_append_char(out, '`'));
    ICE_TRY(put_inside(part, out));
    ICE_TRY(put_inside(suffix, out));
    return ice_buf_append_char(out, '`');
}

/* Each with a dot behind it. */
static enum ice_status put_parts(struct ice_str *text, bool with_last,
                                 struct ice_buf *out) {
    while (text->size > 0) {
        size_t dot = ice_str_find(*text, '.');
        if (dot == SIZE_MAX && !with_last)
            return ICE_OK;
        ICE_TRY(put_part(ice_str_first(*text, dot), ICE_STR_NONE, out));
        ICE_TRY(ice_buf_append_char(out, '.'));
        *text = dot == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(*text, dot + 1);
    }
    return ICE_OK;
}

enum ice_status ice_spark_table(const struct ice_check *ck, struct ice_str suffix,
                                struct ice_buf *out) {
    const struct ice_pointer *pointer = ck->pointer;
    struct ice_str table = ck->table_name;
    if (pointer != NULL && pointer->table.size > 0) {
        struct ice_str space = pointer->space;
        ICE_TRY(put_parts(&space, true, out));
        table = pointer->table;
    } else if (ck->options->table_name != NULL) {
        ICE_TRY(put_parts(&table, false, out));
    }
    return put_part(table, suffix, out);
}

enum ice_status ice_spark_literal(struct ice_str text, struct ice_buf *out) {
    ICE_TRY(ice_buf_append_char(out, '\''));
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '\'' || text.data[i] == '\\')
            ICE_TRY(ice_buf_append_char(out, '\\'));
        ICE_TRY(ice_buf_append_char(out, text.data[i]));
    }
    return ice_buf_append_char(out, '\'');
}
