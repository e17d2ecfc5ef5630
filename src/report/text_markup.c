/*
 * Untrusted text inside markup.
 */
#include "report/text_markup.h"

#include "base/escape.h"

/* before and behind: the neighbouring bytes, NUL where there are none. */
typedef const char *(*replace_fn)(struct ice_str piece, char before, char behind);

/* Every code point, made visible, and then what replace says instead, if anything. */
static void put_replaced(struct ice_text *text, struct ice_str untrusted,
                         replace_fn replace) {
    char before = '\0';
    for (size_t at = 0; at < untrusted.size;) {
        char piece[16];
        size_t size = ice_escape_next(untrusted, &at, piece);
        /* what was escaped is several characters, each of which may mean something */
        bool is_whole = (piece[0] & 0x80) != 0;
        for (size_t i = 0; i < size; i += is_whole ? size : 1) {
            struct ice_str part = {piece + i, is_whole ? size : 1};
            char behind = i + part.size < size  ? piece[i + part.size]
                          : at < untrusted.size ? untrusted.data[at]
                                                : '\0';
            const char *other = replace(part, before, behind);
            if (other != NULL)
                ice_text_put(text, other);
            else
                ice_text_raw(text, part);
            before = piece[i];
        }
    }
}

const char *ice_markup_reference(char c) {
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

static const char *xml(struct ice_str piece, char before, char behind) {
    (void)before;
    (void)behind;
    /* the two of the basic plane that are neither hazards nor characters of XML */
    if (ice_str_is(piece, "\xef\xbf\xbe"))
        return "\\u{fffe}";
    if (ice_str_is(piece, "\xef\xbf\xbf"))
        return "\\u{ffff}";
    return ice_markup_reference(piece.data[0]);
}

static const char *command(struct ice_str piece, char before, char behind) {
    (void)before;
    (void)behind;
    return piece.data[0] == '%' ? "%25" : NULL;
}

static const char *property(struct ice_str piece, char before, char behind) {
    (void)before;
    (void)behind;
    switch (piece.data[0]) {
    case '%':
        return "%25";
    case ':':
        return "%3A";
    case ',':
        return "%2C";
    default:
        return NULL;
    }
}

/* A pipe ends a cell, and a backslash may hide one, so neither stands for itself. */
static const char *markdown(struct ice_str piece, char before, char behind) {
    switch (piece.data[0]) {
    case '|':
        return "&#124;";
    case '\\':
        return "&#92;";
    case '`':
        return "&#96;";
    case '*':
        return "\\*";
    case '_':
        return "\\_";
    case '[':
        return "\\[";
    case ']':
        return "\\]";
    case '<':
    case '>':
    case '&':
        return ice_markup_reference(piece.data[0]);
    case '~':
        return "\\~";
    case '#':
        return "\\#";
    case '$':
        return "\\$";
    case '!':
        return "\\!";
    case ':': /* https: and :word: become links and pictures by themselves */
        return behind == ' ' ? NULL : "\\:";
    case '@': /* addresses and people too, escaped or not, but not in a code span */
        return before == '@' || behind == '@' ? "\\@" : "`@`";
    case '.': /* and so does www. */
        return before == 'w' || before == 'W' ? "\\." : NULL;
    default:
        return NULL;
    }
}

void ice_text_xml(struct ice_text *text, struct ice_str untrusted) {
    put_replaced(text, untrusted, xml);
}

void ice_text_command(struct ice_text *text, struct ice_str untrusted) {
    put_replaced(text, untrusted, command);
}

void ice_text_property(struct ice_text *text, struct ice_str untrusted) {
    put_replaced(text, untrusted, property);
}

void ice_text_markdown(struct ice_text *text, struct ice_str untrusted) {
    put_replaced(text, untrusted, markdown);
}

/* Neither backslash nor entity means anything in a code span; what would end it, or its
 * cell, or be taken off its ends, must not be there. */
static bool fits_code(struct ice_str name) {
    for (size_t at = 0; at < name.size;) {
        char piece[16];
        (void)ice_escape_next(name, &at, piece);
        if (piece[0] == '`' || piece[0] == '|' || piece[0] == '\\')
            return false;
    }
    return name.size > 0 && name.data[0] != ' ' && name.data[name.size - 1] != ' ';
}

void ice_text_markdown_name(struct ice_text *text, struct ice_str name) {
    if (!fits_code(name)) {
        ice_text_markdown(text, name);
        return;
    }
    ice_text_put(text, "`");
    ice_text_escaped(text, name);
    ice_text_put(text, "`");
}
