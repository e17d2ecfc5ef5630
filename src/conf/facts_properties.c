/*
 * Spark properties: pairs with their places, as java.util.Properties reads them and Spark
 * trims them. Tried with Java 17: what joins lines, which escapes there are, and that one
 * \u without four digits makes it refuse the whole file.
 */
#include "conf/setup.h"

#include "base/utf8.h"

/*
 * Bytes behind joined lines. A backslash in front of a line end, and the blanks that
 * begin the next line, are nowhere seen: skip_joined goes past them.
 */
struct scan {
    struct ice_str text;
    size_t at;
    uint32_t high; /* first half of a pair of surrogates, whose second may follow; or 0 */
};

/* What comes of one escape. */
enum escape { ESCAPE_TAKEN, ESCAPE_MALFORMED, ESCAPE_NO_MEMORY };

static bool is_line_end(char c) {
    return c == '\n' || c == '\r';
}

static bool is_white(char c) {
    return c == ' ' || c == '\t' || c == '\f';
}

static bool at_end_of_line(const struct scan *s) {
    return s->at >= s->text.size || is_line_end(s->text.data[s->at]);
}

static void skip_white(struct scan *s) {
    while (s->at < s->text.size && is_white(s->text.data[s->at]))
        s->at++;
}

static size_t joined_bytes(const struct scan *s) {
    struct ice_str rest = ice_str_from_index(s->text, s->at);
    if (rest.size < 2 || rest.data[0] != '\\' || !is_line_end(rest.data[1]))
        return 0;
    return ice_str_starts(rest, ICE_STR("\\\r\n")) ? 3 : 2;
}

static void skip_joined(struct scan *s) {
    for (size_t n = joined_bytes(s); n > 0; n = joined_bytes(s)) {
        s->at += n;
        skip_white(s);
    }
}

/* ---- characters ---- */

static bool is_surrogate(uint32_t unit, uint32_t first) {
    return unit >= first && unit < first + 0x400;
}

static bool append(struct ice_buf *buf, uint32_t code_point) {
    char bytes[4];
    size_t n = ice_utf8_encode(code_point, bytes);
    return ice_buf_append_str(buf, ice_str_make(bytes, n)) == ICE_OK;
}

/* Half a pair is no character: U+FFFD in its place. */
static bool end_pair(struct scan *s, struct ice_buf *buf) {
    bool is_half = s->high != 0;
    s->high = 0;
    return !is_half || append(buf, 0xfffd);
}

/* A unit of UTF-16, as escapes name them. */
static bool append_unit(struct scan *s, struct ice_buf *buf, uint32_t unit) {
    if (s->high != 0 && is_surrogate(unit, 0xdc00)) {
        uint32_t pair = 0x10000 + ((s->high - 0xd800) << 10) + (unit - 0xdc00);
        s->high = 0;
        return append(buf, pair);
    }
    if (!end_pair(s, buf))
        return false;
    if (is_surrogate(unit, 0xd800)) {
        s->high = unit;
        return true;
    }
    return append(buf, is_surrogate(unit, 0xdc00) ? 0xfffd : unit);
}

/* Four hexadecimal digits, of one line or of joined ones. */
static enum escape take_unit(struct scan *s, struct ice_buf *buf) {
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        skip_joined(s);
        int digit = s->at < s->text.size ? ice_hex_digit(s->text.data[s->at]) : -1;
        if (digit < 0)
            return ESCAPE_MALFORMED;
        unit = unit << 4 | (uint32_t)digit;
        s->at++;
    }
    return append_unit(s, buf, unit) ? ESCAPE_TAKEN : ESCAPE_NO_MEMORY;
}

/* Behind a backslash, which is no byte of its own; the last of a file is none at all. */
static enum escape take_escape(struct scan *s, struct ice_buf *buf) {
    static const char names[] = "tnrf", meanings[] = "\t\n\r\f";
    if (s->at >= s->text.size)
        return ESCAPE_TAKEN;
    char c = s->text.data[s->at++];
    if (c == 'u')
        return take_unit(s, buf);
    const char *name = c == '\0' ? NULL : strchr(names, c);
    if (!end_pair(s, buf) ||
        ice_buf_append_char(buf, name != NULL ? meanings[name - names] : c) < 0)
        return ESCAPE_NO_MEMORY;
    return ESCAPE_TAKEN;
}

/* ---- pairs ---- */

struct properties {
    struct ice_conf *conf;
    struct ice_conf_input *input;
    struct ice_conf_session *session;
    struct scan scan;
    struct ice_buf buf;
};

/* Java refuses the file; here the rest of it is read, so that more is seen at once. */
static void say_malformed(struct properties *p, size_t backslash) {
    struct ice_str rest = ice_str_from_index(p->scan.text, backslash);
    CONF_FOUND(p->conf, ICE_RULE_CONF_PROPERTIES_ESCAPE,
               ice_conf_at_offset(p->input, backslash),
               arg_str("escape", ice_str_first(rest, p->scan.at - backslash)));
}

static bool take_byte(struct properties *p) {
    struct scan *s = &p->scan;
    size_t start = s->at;
    char c = s->text.data[s->at++];
    if (c != '\\')
        return end_pair(s, &p->buf) && ice_buf_append_char(&p->buf, c) == ICE_OK;
    switch (take_escape(s, &p->buf)) {
    case ESCAPE_TAKEN:
        break;
    case ESCAPE_MALFORMED:
        say_malformed(p, start);
        break;
    case ESCAPE_NO_MEMORY:
        return false;
    }
    return true;
}

static bool ends_key(char c) {
    return c == '=' || c == ':' || is_white(c);
}

static void skip_separator(struct scan *s) {
    bool has_sign = false;
    for (;; s->at++) {
        skip_joined(s);
        if (at_end_of_line(s))
            return;
        char c = s->text.data[s->at];
        if (!is_white(c) && (has_sign || !ends_key(c)))
            return;
        has_sign = has_sign || !is_white(c);
    }
}

/* A key or value, up to its end. */
static bool take_text(struct properties *p, bool is_key) {
    struct scan *s = &p->scan;
    ice_buf_clear(&p->buf);
    for (;;) {
        skip_joined(s);
        if (at_end_of_line(s) || (is_key && ends_key(s->text.data[s->at])))
            return end_pair(s, &p->buf);
        if (!take_byte(p))
            return false;
    }
}

/* Spark takes off what is no letter, but for line ends, which were meant (escaped). */
static struct ice_str trimmed(struct ice_str text) {
    size_t begin = 0, end = text.size;
    if (end == 0)
        return text;
    while (begin < end && (unsigned char)text.data[begin] <= ' ' &&
           !is_line_end(text.data[begin]))
        begin++;
    while (end > begin && (unsigned char)text.data[end - 1] <= ' ' &&
           !is_line_end(text.data[end - 1]))
        end--;
    return ice_str_make(text.data + begin, end - begin);
}

static bool read_pair(struct properties *p) {
    struct ice_arena *arena = p->conf->arena;
    struct ice_str key, value;
    struct ice_conf_at at = ice_conf_at_offset(p->input, p->scan.at);
    if (!take_text(p, true) || !ice_arena_dup(arena, ice_buf_str(&p->buf), &key))
        return false;
    skip_separator(&p->scan);
    struct ice_conf_at value_at = ice_conf_at_offset(p->input, p->scan.at);
    return take_text(p, false) &&
           ice_arena_dup(arena, trimmed(ice_buf_str(&p->buf)), &value) &&
           ice_conf_add_pair(p->conf, p->session, key, value, at, value_at);
}

enum ice_status ice_conf_facts_properties(struct ice_conf *conf,
                                          struct ice_conf_input *input) {
    struct properties p = {.conf = conf,
                           .input = input,
                           .session = ice_conf_declared(conf, input),
                           .scan.text = input->bytes};
    struct scan *s = &p.scan;
    bool done = p.session != NULL;
    if (ice_str_starts(s->text, ICE_STR("\xef\xbb\xbf")))
        s->at = 3;
    ice_buf_init(&p.buf, &conf->run->alloc, SIZE_MAX / 2);
    while (done && s->at < s->text.size) {
        skip_white(s);
        bool is_comment = !at_end_of_line(s) &&
                          (s->text.data[s->at] == '#' || s->text.data[s->at] == '!');
        while (is_comment && !at_end_of_line(s))
            s->at++;
        skip_joined(s); /* lines of nothing but a backslash */
        if (!at_end_of_line(s))
            done = read_pair(&p);
        s->at++;
    }
    ice_buf_release(&p.buf);
    return done ? ICE_OK : ICE_ENOMEM;
}
