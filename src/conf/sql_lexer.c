/*
 * Spark's lexer as far as names need it. Comments of Spark nest; hints look like comments
 * and are skipped as such.
 */
#include "conf/sql_lexer.h"

/* Bytes above ASCII belong to words: Spark refuses them bare, other tools do not. */
static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || (unsigned char)c >= 0x80;
}

static bool is_letter(char c) {
    return is_word(c) && !(c >= '0' && c <= '9');
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

/* The byte that is `ahead` bytes further, or NUL behind the end. */
static char peek(const struct ice_sql_lexer *l, size_t ahead) {
    return l->text.size - l->at > ahead ? l->text.data[l->at + ahead] : '\0';
}

static void skip_line(struct ice_sql_lexer *l) {
    while (l->at < l->text.size && l->text.data[l->at] != '\n')
        l->at++;
}

static void skip_block(struct ice_sql_lexer *l) {
    size_t depth = 0;
    while (l->at < l->text.size) {
        const char c = peek(l, 0), d = peek(l, 1);
        if (c == '/' && d == '*') {
            depth++;
            l->at += 2;
        } else if (c == '*' && d == '/') {
            l->at += 2;
            if (--depth == 0)
                return;
        } else {
            l->at++;
        }
    }
}

static void skip_blanks(struct ice_sql_lexer *l) {
    while (l->at < l->text.size) {
        const char c = peek(l, 0), d = peek(l, 1);
        if (is_space(c))
            l->at++;
        else if (c == '-' && d == '-')
            skip_line(l);
        else if (c == '/' && d == '*')
            skip_block(l);
        else
            return;
    }
}

/* at stands on the opening quote. A doubled quote, and with escapes one behind a
 * backslash, belongs to the text. */
static struct ice_str read_quoted(struct ice_sql_lexer *l, bool has_escapes) {
    const char quote = peek(l, 0);
    const size_t start = ++l->at;
    while (l->at < l->text.size) {
        const char c = l->text.data[l->at];
        if (c == '\\' && has_escapes && l->text.size - l->at > 1) {
            l->at += 2;
        } else if (c != quote) {
            l->at++;
        } else if (peek(l, 1) == quote) {
            l->at += 2;
        } else {
            l->at++;
            return ice_str_make(l->text.data + start, l->at - 1 - start);
        }
    }
    return ice_str_make(l->text.data + start, l->at - start);
}

/* Behind the byte that closes; the whole rest if none does. */
static void skip_past(struct ice_sql_lexer *l, const char *closing) {
    const struct ice_str end = ice_str_from(closing);
    while (l->at < l->text.size) {
        if (ice_str_starts(ice_str_from_index(l->text, l->at), end)) {
            l->at += end.size;
            return;
        }
        l->at++;
    }
}

static void skip_words(struct ice_sql_lexer *l) {
    while (l->at < l->text.size && is_word(l->text.data[l->at]))
        l->at++;
}

/* Step over a hole; false: there is none here. is_glued: behind a word, where : and % are
 * no holes. */
static bool skip_hole(struct ice_sql_lexer *l, bool is_glued) {
    const char c = peek(l, 0), d = peek(l, 1);
    if (c == '{') {
        skip_past(l, d == '{' ? "}}" : d == '%' ? "%}" : d == '#' ? "#}" : "}");
        return true;
    }
    if (c == '$' && d == '{') {
        skip_past(l, "}");
        return true;
    }
    if ((c == '$' && is_word(d)) || (c == ':' && is_letter(d) && !is_glued)) {
        l->at++;
        skip_words(l);
        return true;
    }
    if (c == '%' && d == '(') {
        skip_past(l, ")");
        if (is_letter(peek(l, 0)))
            l->at++;
        return true;
    }
    if ((c == '%' && (d == 's' || d == 'd') && !is_word(peek(l, 2)))) {
        l->at += 2;
        return true;
    }
    if (c == '?') {
        l->at++;
        return true;
    }
    return false;
}

static enum ice_sql_kind read_word(struct ice_sql_lexer *l) {
    bool has_letter = false;
    for (; l->at < l->text.size && is_word(l->text.data[l->at]); l->at++)
        has_letter = has_letter || is_letter(l->text.data[l->at]);
    return has_letter ? ICE_SQL_WORD : ICE_SQL_NUMBER;
}

void ice_sql_lexer_next(struct ice_sql_lexer *l, struct ice_sql_token *out) {
    const size_t before = l->at;
    skip_blanks(l);
    *out = (struct ice_sql_token){.offset = l->at, .is_glued = l->at == before};
    const char c = peek(l, 0), d = peek(l, 1);
    if (l->at >= l->text.size)
        return;
    const bool is_raw = (c == 'r' || c == 'R') && (d == '\'' || d == '"');
    if (is_raw)
        l->at++;
    if (is_raw || c == '\'' || c == '"') {
        out->kind = ICE_SQL_STRING;
        out->text = read_quoted(l, !is_raw);
        return;
    }
    if (c == '`') {
        out->kind = ICE_SQL_QUOTED;
        out->text = read_quoted(l, false);
        return;
    }
    const bool behind_word =
        out->offset > 0 && out->is_glued &&
        (is_word(l->text.data[out->offset - 1]) || l->text.data[out->offset - 1] == ':');
    if (skip_hole(l, behind_word)) {
        out->kind = ICE_SQL_HOLE;
    } else if (is_word(c)) {
        out->kind = read_word(l);
    } else {
        out->kind = ICE_SQL_OTHER;
        l->at++;
    }
    out->text = ice_str_make(l->text.data + out->offset, l->at - out->offset);
}
