/*
 * The escapes of a JSON string. A surrogate without its other half is kept as the three
 * bytes that UTF-8 would have for it, so that two different names stay different.
 */
#include "json/unescape.h"

#include "base/utf8.h"

/* The value of four hex digits at text[at], or UINT32_MAX. */
static uint32_t hex4(struct ice_str text, size_t at) {
    if (text.size < 4 || at > text.size - 4)
        return UINT32_MAX;
    uint32_t value = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = text.data[i];
        uint32_t digit;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (uint32_t)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = (uint32_t)(c - 'A') + 10;
        else
            return UINT32_MAX;
        value = value << 4 | digit;
    }
    return value;
}

static bool is_high_surrogate(uint32_t unit) {
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low_surrogate(uint32_t unit) {
    return unit >= 0xdc00 && unit <= 0xdfff;
}

/* \uXXXX at text[at], with its second half if it has one; the bytes used, 0 if malformed.
 */
static size_t unicode(struct ice_str text, size_t at, char out[4], size_t *out_size,
                      struct ice_json_odd *odd) {
    uint32_t code = hex4(text, at + 2);
    size_t used = 6;
    if (code == UINT32_MAX)
        return 0;
    if (is_high_surrogate(code) && at + 7 < text.size && text.data[at + 6] == '\\' &&
        text.data[at + 7] == 'u') {
        uint32_t second = hex4(text, at + 8);
        if (second != UINT32_MAX && is_low_surrogate(second)) {
            code = 0x10000 + ((code - 0xd800) << 10) + (second - 0xdc00);
            used = 12;
        }
    }
    if (code >= 0xd800 && code <= 0xdfff && odd->lone_surrogate == SIZE_MAX)
        odd->lone_surrogate = at;
    if (code == 0 && odd->nul == SIZE_MAX)
        odd->nul = at;
    *out_size = ice_utf8_encode(code, out);
    return used;
}

static char simple_escape(char c) {
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return '\0';
    }
}

enum ice_status ice_json_unescape(struct ice_str raw, struct ice_buf *out,
                                  struct ice_json_odd *odd) {
    *odd = (struct ice_json_odd){SIZE_MAX, SIZE_MAX, SIZE_MAX};
    ice_buf_clear(out);
    /* an escape is never shorter than what it stands for */
    enum ice_status status = ice_buf_reserve(out, raw.size);
    if (status < 0)
        return status;
    char *to = out->data;
    for (size_t at = 0; at < raw.size;) {
        if (raw.data[at] != '\\') {
            struct ice_str rest = ice_str_from_index(raw, at);
            size_t run = ice_str_find(rest, '\\');
            if (run == SIZE_MAX)
                run = rest.size;
            memcpy(to, rest.data, run);
            to += run;
            at += run;
            continue;
        }
        char bytes[4];
        size_t size = 1, used = 2;
        char c = at + 1 < raw.size ? raw.data[at + 1] : '\0';
        if (c == 'u')
            used = unicode(raw, at, bytes, &size, odd);
        else
            bytes[0] = simple_escape(c);
        if (used == 0 || (c != 'u' && bytes[0] == '\0')) {
            odd->bad = at;
            return ICE_EFORMAT;
        }
        memcpy(to, bytes, size);
        to += size;
        at += used;
    }
    out->size = (size_t)(to - out->data);
    return ICE_OK;
}
