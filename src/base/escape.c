/*
 * Untrusted text made safe for a terminal or a log.
 */
#include "base/escape.h"

#include <stdio.h>

/* Controls, separators and bidi marks that may move or hide what a person reads. */
static bool is_hazard(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x061c ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2060 && code <= 0x206f) || code == 0xfeff ||
           (code >= 0xfff9 && code <= 0xfffb) || (code >= 0xe0000 && code <= 0xe007f);
}

/*
 * Words that a CI runner takes for a command when they stand in a log: "::" at the start
 * of a line (GitHub, which trims it), "##" anywhere (Azure: ##vso[...], ##[...]).
 */
static bool is_command(struct ice_str text, size_t at) {
    const char c = text.data[at];
    if ((c != ':' && c != '#') || at + 1 >= text.size || text.data[at + 1] != c)
        return false;
    while (c == ':' && at > 0 && text.data[at - 1] == ' ')
        at--;
    return c == '#' || at == 0;
}

size_t ice_escape_next(struct ice_str text, size_t *at, char out[16]) {
    size_t start = *at;
    uint32_t code = ice_utf8_next(text, at);
    int length;
    if (code == UINT32_MAX)
        length = snprintf(out, 16, "\\x%02x", (unsigned char)text.data[start]);
    else if (code < 0x80 && (is_hazard(code) || is_command(text, start)))
        length = snprintf(out, 16, "\\x%02x", (unsigned)code);
    else if (is_hazard(code))
        length = snprintf(out, 16, "\\u{%04x}", (unsigned)code);
    else {
        memcpy(out, text.data + start, *at - start);
        return *at - start;
    }
    return length < 0 ? 0 : (size_t)length;
}

char *ice_escape(char *out, size_t size, struct ice_str text) {
    size_t n = 0, at = 0;
    while (at < text.size && size > 0) {
        char piece[16];
        size_t length = ice_escape_next(text, &at, piece);
        if (length >= size - n)
            break;
        memcpy(out + n, piece, length);
        n += length;
    }
    if (size > 0)
        out[n] = '\0';
    return out;
}
