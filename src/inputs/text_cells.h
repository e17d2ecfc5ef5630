/*
 * Cells of one line of text: a table drawn with pipes, tabs, or commas (RFC 4180, but a
 * cell ends with its line).
 */
#ifndef ICE_INPUTS_TEXT_CELLS_H
#define ICE_INPUTS_TEXT_CELLS_H

#include "base/buf.h"

enum { ICE_MAX_CELLS = 64 };

/* Cells beyond the most are dropped. Blanks around a cell are taken off. */
struct ice_text_cells {
    struct ice_str items[ICE_MAX_CELLS];
    size_t n;
};

/* Cells are borrowed from the line and from unquoted, which is cleared. ICE_ENOMEM. */
enum ice_status ice_text_cells_split(struct ice_text_cells *out, struct ice_str line,
                                     struct ice_buf *unquoted, struct ice_error *err);
/* The text behind a byte order mark and the blanks at its start. */
struct ice_str ice_text_start(struct ice_str text);
/* The text without the blanks around it. */
struct ice_str ice_text_trim(struct ice_str text);

#endif
