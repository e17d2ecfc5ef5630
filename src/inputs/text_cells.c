/*
 * Lines into cells.
 */
#include "inputs/text_cells.h"
#include "base/chars.h"

#include "base/error.h"

struct ice_str ice_text_start(struct ice_str text) {
    size_t at = ice_str_starts(text, ICE_STR("\xef\xbb\xbf")) ? 3 : 0;
    while (at < text.size && ice_is_blank(text.data[at]))
        at++;
    return ice_str_from_index(text, at);
}

struct ice_str ice_text_trim(struct ice_str text) {
    while (text.size > 0 && ice_is_blank(text.data[0]))
        text = ice_str_from_index(text, 1);
    while (text.size > 0 && ice_is_blank(text.data[text.size - 1]))
        text.size--;
    return text;
}

static void add_cell(struct ice_text_cells *cells, struct ice_str text) {
    if (cells->n < ICE_MAX_CELLS)
        cells->items[cells->n++] = ice_text_trim(text);
}

static void split(struct ice_str line, char by, struct ice_text_cells *out) {
    out->n = 0;
    for (;;) {
        size_t end = ice_str_find(line, by);
        add_cell(out, end == SIZE_MAX ? line : ice_str_first(line, end));
        if (end == SIZE_MAX)
            return;
        line = ice_str_from_index(line, end + 1);
    }
}

/* RFC 4180: "a ""b""", c. Cells with quotes inside live in unquoted-> */
static enum ice_status split_csv(struct ice_str line, struct ice_text_cells *out,
                                 struct ice_buf *unquoted, struct ice_error *err) {
    size_t at = 0;
    out->n = 0;
    ice_buf_clear(unquoted);
    if (ice_buf_reserve(unquoted, line.size + 1) < 0) /* no cell moves below */
        return ice_error_memory(err);
    for (;;) {
        size_t begin = unquoted->size;
        bool is_quoted = at < line.size && line.data[at] == '"';
        at += is_quoted;
        while (at < line.size) {
            char c = line.data[at];
            if (is_quoted && c == '"') {
                if (at + 1 >= line.size || line.data[at + 1] != '"') {
                    is_quoted = false;
                    at++;
                    continue;
                }
                at++;
            } else if (!is_quoted && c == ',') {
                break;
            }
            if (ice_buf_append_char(unquoted, c) < 0)
                return ice_error_memory(err);
            at++;
        }
        add_cell(out, ice_str_make(unquoted->data + begin, unquoted->size - begin));
        if (at >= line.size)
            return ICE_OK;
        at++;
    }
}

enum ice_status ice_text_cells_split(struct ice_text_cells *out, struct ice_str line,
                                     struct ice_buf *unquoted, struct ice_error *err) {
    struct ice_str text = ice_text_trim(line);
    if (text.size > 0 && text.data[0] == '|') {
        text = ice_str_from_index(text, 1);
        if (text.size > 0 && text.data[text.size - 1] == '|')
            text.size--;
        split(text, '|', out);
        return ICE_OK;
    }
    if (ice_str_find(line, '\t') != SIZE_MAX) {
        split(line, '\t', out);
        return ICE_OK;
    }
    return split_csv(line, out, unquoted, err);
}
