/*
 * Spark SQL as tokens: names, backticks, strings, comments, and holes, which are places
 * that something else fills in before Spark sees the text. No memory, linear time.
 */
#ifndef ICE_CONF_SQL_LEXER_H
#define ICE_CONF_SQL_LEXER_H

#include "base/str.h"

enum ice_sql_kind {
    ICE_SQL_END,
    ICE_SQL_WORD,   /* letters, digits and _, at least one of them no digit */
    ICE_SQL_QUOTED, /* in backticks; text is what stands between them, doubled ones kept
                     */
    ICE_SQL_STRING, /* in ' or "; text is what stands between them */
    ICE_SQL_NUMBER,
    ICE_SQL_HOLE,  /* ${x} {x} {{ x }} {% x %} $x :x %s %(x)s ? */
    ICE_SQL_OTHER, /* one byte of anything else */
};

/* Views into the text. */
struct ice_sql_token {
    enum ice_sql_kind kind;
    struct ice_str text;
    size_t offset; /* of its first byte, quotes included */
    bool is_glued; /* nothing stands between it and the token before */
};

struct ice_sql_lexer {
    struct ice_str text;
    size_t at;
};

/* The next token; ICE_SQL_END at the end and ever after. What is not closed ends with the
 * text. */
void ice_sql_lexer_next(struct ice_sql_lexer *lexer, struct ice_sql_token *out);

/* A word of the language, of any case; never one in backticks. */
static inline bool ice_sql_is(const struct ice_sql_token *token, const char *keyword) {
    return token->kind == ICE_SQL_WORD &&
           ice_str_equal_nocase(token->text, ice_str_from(keyword));
}
/* That one byte of punctuation. */
static inline bool ice_sql_is_mark(const struct ice_sql_token *token, char mark) {
    return token->kind == ICE_SQL_OTHER && token->text.data[0] == mark;
}

#endif
