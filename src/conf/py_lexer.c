/*
 * Strings decide where everything else is; the rest is cut into words and single bytes.
 */
#include "conf/py_lexer.h"

#include "base/chars.h"

static bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || ice_is_digit(c) ||
           c == '_' || (unsigned char)c >= 0x80;
}

static char peek(const struct ice_py_lexer *l, size_t ahead) {
    return l->text.size - l->at > ahead ? l->text.data[l->at + ahead] : '\0';
}

static void skip_line(struct ice_py_lexer *l) {
    while (l->at < l->text.size && l->text.data[l->at] != '\n')
        l->at++;
}

/* Blanks, comments, joined lines, and ends of lines that end nothing. */
static void skip_blanks(struct ice_py_lexer *l) {
    while (l->at < l->text.size) {
        const char c = peek(l, 0);
        if (c == '#')
            skip_line(l);
        else if (c == '\n' && (l->depth > 0 || !l->is_in_line))
            l->at++;
        else if (c == ' ' || c == '\t' || c == '\r' || c == '\f')
            l->at++;
        else if (c == '\\' && peek(l, 1) == '\n')
            l->at += 2;
        else if (c == '\\' && peek(l, 1) == '\r' && peek(l, 2) == '\n')
            l->at += 3;
        else
            return;
    }
}

/* How many letters at `at` are the prefix of a string; 0 and no quote behind: none. */
static size_t prefix_size(const struct ice_py_lexer *l) {
    size_t n = 0;
    while (n < 2 && strchr("rRbBuUfFtT", peek(l, n)) != NULL && peek(l, n) != '\0')
        n++;
    return peek(l, n) == '\'' || peek(l, n) == '"' ? n : 0;
}

static void read_prefix(struct ice_py_lexer *l, size_t n, struct ice_py_token *out) {
    for (size_t i = 0; i < n; i++) {
        const char c = peek(l, i);
        out->is_raw = out->is_raw || c == 'r' || c == 'R';
        out->is_bytes = out->is_bytes || c == 'b' || c == 'B';
        out->is_format = out->is_format || c == 'f' || c == 'F' || c == 't' || c == 'T';
    }
    l->at += n;
}

/* at stands on the opening quote. A string that is not closed ends with its line, a
 * tripled one with the text. */
static void read_string(struct ice_py_lexer *l, struct ice_py_token *out) {
    const char quote = peek(l, 0);
    const bool is_triple = peek(l, 1) == quote && peek(l, 2) == quote;
    const size_t width = is_triple ? 3 : 1;
    l->at += width;
    const size_t start = l->at;
    size_t end = SIZE_MAX;
    while (l->at < l->text.size && end == SIZE_MAX) {
        const char c = l->text.data[l->at];
        if (c == '\\' && l->text.size - l->at > 1)
            l->at += 2;
        else if (c == '\n' && !is_triple)
            end = l->at;
        else if (c == quote &&
                 (!is_triple || (peek(l, 1) == quote && peek(l, 2) == quote))) {
            end = l->at;
            l->at += width;
        } else
            l->at++;
    }
    if (end == SIZE_MAX)
        end = l->at;
    out->kind = ICE_PY_STRING;
    out->body = ice_str_make(l->text.data + start, end - start);
    out->body_offset = start;
}

static void read_other(struct ice_py_lexer *l, struct ice_py_token *out) {
    const char c = peek(l, 0);
    out->kind = ICE_PY_OTHER;
    if (c == '(' || c == '[' || c == '{')
        l->depth++;
    else if ((c == ')' || c == ']' || c == '}') && l->depth > 0)
        l->depth--;
    else if (c == '\n') {
        out->kind = ICE_PY_NEWLINE;
        l->is_in_line = false;
    } else if ((c == '%' || c == '!') && !l->is_in_line && l->depth == 0) {
        out->kind = ICE_PY_MAGIC;
        skip_line(l);
        return;
    }
    l->at++;
}

void ice_py_lexer_next(struct ice_py_lexer *l, struct ice_py_token *out) {
    skip_blanks(l);
    *out = (struct ice_py_token){.offset = l->at};
    if (l->at >= l->text.size)
        return;
    const char c = peek(l, 0);
    const size_t prefix = prefix_size(l);
    if (prefix > 0 || c == '\'' || c == '"') {
        read_prefix(l, prefix, out);
        read_string(l, out);
    } else if (is_name(c)) {
        out->kind = ice_is_digit(c) ? ICE_PY_NUMBER : ICE_PY_NAME;
        while (l->at < l->text.size && is_name(l->text.data[l->at]))
            l->at++;
    } else {
        read_other(l, out);
    }
    if (out->kind != ICE_PY_NEWLINE && out->kind != ICE_PY_MAGIC)
        l->is_in_line = true;
    out->text = ice_str_make(l->text.data + out->offset, l->at - out->offset);
}
