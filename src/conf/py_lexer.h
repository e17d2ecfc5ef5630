/*
 * Python as tokens: names, strings of every prefix, brackets, ends of lines, and lines
 * that a notebook reads itself (%pip, !cmd). No memory, linear time. What is no Python is
 * tokens too: nothing is refused.
 */
#ifndef ICE_CONF_PY_LEXER_H
#define ICE_CONF_PY_LEXER_H

#include "base/str.h"

enum ice_py_kind {
    ICE_PY_END,
    ICE_PY_NAME,
    ICE_PY_NUMBER,
    ICE_PY_STRING,
    ICE_PY_OTHER,   /* one byte of anything else */
    ICE_PY_NEWLINE, /* ends a statement: not inside brackets */
    ICE_PY_MAGIC,   /* a line that begins with % or !, up to its end */
};

/* Views into the text. */
struct ice_py_token {
    enum ice_py_kind kind;
    struct ice_str text; /* all of it */
    size_t offset;
    /* ICE_PY_STRING */
    struct ice_str body; /* between the quotes */
    size_t body_offset;
    bool is_raw, is_format, is_bytes;
};

struct ice_py_lexer {
    struct ice_str text;
    size_t at;
    size_t depth;    /* of brackets */
    bool is_in_line; /* the statement has begun */
};

/* The next token; ICE_PY_END at the end and ever after. */
void ice_py_lexer_next(struct ice_py_lexer *lexer, struct ice_py_token *out);

static inline bool ice_py_is_mark(const struct ice_py_token *token, char mark) {
    return token->kind == ICE_PY_OTHER && token->text.data[0] == mark;
}

#endif
