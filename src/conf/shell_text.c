/*
 * Where words of a shell end: quotes, escapes, $( ) and ${ } that may hold blanks.
 */
#include "conf/shell_text.h"

#include "base/chars.h"

#include <assert.h>

static bool is_blank(char c) {
    return ice_is_blank(c) || c == '\f';
}

static bool is_name(char c, bool is_first) {
    return ice_is_letter(c) || c == '_' || (!is_first && ice_is_digit(c));
}

static size_t name_size(struct ice_str text) {
    size_t n = 0;
    while (n < text.size && is_name(text.data[n], n == 0))
        n++;
    return n;
}

/* ---- words ---- */

/* A backslash at the end of a line joins the next one: it and its line end. */
static size_t joined_bytes(const struct ice_shell_scan *s) {
    struct ice_str rest = ice_str_from_index(s->text, s->at);
    if (ice_str_starts(rest, ICE_STR("\\\r\n")))
        return 3;
    return ice_str_starts(rest, ICE_STR("\\\n")) ? 2 : 0;
}

/* To the next word; *out_is_line: a line ended before it, and did not go on. */
static void skip_blanks(struct ice_shell_scan *s, bool *out_is_line) {
    for (;;) {
        size_t joined = joined_bytes(s);
        if (joined == 0 && (s->at >= s->text.size || !is_blank(s->text.data[s->at])))
            return;
        *out_is_line = *out_is_line || (joined == 0 && s->text.data[s->at] == '\n');
        s->at += joined > 0 ? joined : 1;
    }
}

/* What is open: quotes, "(" of "$(" and "{" of "${". */
enum { MOST_OPEN = 16 };
struct open {
    char marks[MOST_OPEN];
    size_t n;
};

static char innermost(const struct open *open) {
    return open->n > 0 ? open->marks[open->n - 1] : '\0';
}

static void push(struct open *open, char mark) {
    if (open->n < MOST_OPEN)
        open->marks[open->n++] = mark;
}

/* One step at a byte of text; how many bytes it took. */
static size_t step(struct open *open, struct ice_str text, size_t at) {
    assert(at < text.size);
    char c = text.data[at], next = at + 1 < text.size ? text.data[at + 1] : '\0';
    char in = innermost(open);
    if (in == '\'') {
        open->n -= c == '\'';
        return 1;
    }
    if (c == '\\' && ice_str_starts(ice_str_from_index(text, at), ICE_STR("\\\r\n")))
        return 3;
    if (c == '\\')
        return at + 1 < text.size ? 2 : 1;
    if (c == '$' && (next == '(' || next == '{')) {
        push(open, next);
        return 2;
    }
    if (in != '\0' && c == (in == '(' ? ')' : in == '{' ? '}' : in))
        open->n--;
    else if (c == '"' || (c == '\'' && in != '"') || (c == '(' && in == '('))
        push(open, c);
    return 1;
}

bool ice_shell_raw_next(struct ice_shell_scan *s, struct ice_shell_raw *out) {
    bool is_line = s->at == 0;
    for (;;) {
        skip_blanks(s, &is_line);
        if (s->at >= s->text.size)
            return false;
        if (s->text.data[s->at] != '#')
            break;
        while (s->at < s->text.size && s->text.data[s->at] != '\n')
            s->at++;
    }
    *out = (struct ice_shell_raw){.at = s->at, .begins_line = is_line};
    struct open open = {.n = 0};
    while (s->at < s->text.size) {
        char c = s->text.data[s->at];
        if (open.n == 0 && is_blank(c))
            break;
        if (open.n == 0 && s->in_array && c == ')') {
            s->in_array = false;
            out->text =
                ice_str_first(ice_str_from_index(s->text, out->at), s->at - out->at);
            s->at++;
            return out->text.size > 0;
        }
        if (open.n == 0 && (c == ';' || c == '&' || c == '|'))
            out->ends_command = true;
        s->at += step(&open, s->text, s->at);
    }
    out->text = ice_str_first(ice_str_from_index(s->text, out->at), s->at - out->at);
    return true;
}

/* ---- names ---- */

bool ice_shell_is_assignment(struct ice_str word, struct ice_shell_assignment *out) {
    size_t n = name_size(word);
    struct ice_str rest = ice_str_from_index(word, n);
    bool is_append = ice_str_starts(rest, ICE_STR("+="));
    if (n == 0 || (!is_append && !ice_str_starts(rest, ICE_STR("="))))
        return false;
    size_t value = n + (is_append ? 2 : 1);
    bool is_array = value < word.size && word.data[value] == '(';
    *out = (struct ice_shell_assignment){.name = ice_str_first(word, n),
                                         .value = value + is_array,
                                         .is_append = is_append,
                                         .is_array = is_array};
    return true;
}

/* To the end of "$(" or "${". */
static size_t closed_size(struct ice_str text) {
    struct open open = {.n = 0};
    size_t at = 0;
    do
        at += step(&open, text, at);
    while (open.n > 0 && at < text.size);
    return at < text.size ? at : text.size;
}

static struct ice_shell_ref braced(struct ice_str text) {
    struct ice_shell_ref ref = {.kind = ICE_SHELL_OTHER, .size = closed_size(text)};
    struct ice_str inside = ice_str_from_index(text, 2);
    ref.name = ice_str_first(inside, name_size(inside));
    struct ice_str rest = ice_str_from_index(inside, ref.name.size);
    if (ref.name.size == 0)
        return ref;
    if (ice_str_starts(rest, ICE_STR("}")))
        ref.kind = ICE_SHELL_SCALAR;
    else if (ice_str_starts(rest, ICE_STR("[@]}")))
        ref.kind = ICE_SHELL_ALL;
    else if (ice_str_starts(rest, ICE_STR("[*]}")))
        ref.kind = ICE_SHELL_JOINED;
    return ref;
}

struct ice_shell_ref ice_shell_ref_at(struct ice_str text) {
    char next = text.size > 1 ? text.data[1] : '\0';
    if (next == '{')
        return braced(text);
    if (next == '(')
        return (struct ice_shell_ref){.kind = ICE_SHELL_OTHER, .size = closed_size(text)};
    if (next == '@' || next == '*')
        return (struct ice_shell_ref){.kind = ICE_SHELL_ARGS, .size = 2};
    if (next != '\0' && strchr("0123456789#?!$-", next) != NULL)
        return (struct ice_shell_ref){.kind = ICE_SHELL_OTHER, .size = 2};
    size_t n = name_size(ice_str_from_index(text, 1));
    if (n == 0)
        return (struct ice_shell_ref){.kind = ICE_SHELL_NO_REF, .size = 1};
    return (struct ice_shell_ref){.kind = ICE_SHELL_SCALAR,
                                  .name = ice_str_first(ice_str_from_index(text, 1), n),
                                  .size = n + 1};
}
