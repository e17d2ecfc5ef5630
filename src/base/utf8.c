/*
 * UTF-8 validation, sixteen ASCII bytes at a time, and stepping by code point.
 */
#include "base/utf8.h"

#include "base/bytes16.h"

/* Bytes of the sequence at data, 0 if it is none. */
static size_t sequence(const unsigned char *data, size_t size, uint32_t *out) {
    unsigned char lead = data[0];
    if (lead < 0x80) {
        *out = lead;
        return 1;
    }
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || size < length)
        return 0;
    uint32_t code = (uint32_t)lead & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((data[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (data[i] & 0x3fu);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return 0;
    *out = code;
    return length;
}

static bool are_ascii(const char *bytes) {
    return !ice_bytes16_any(ice_bytes16_at(bytes) & ice_bytes16_all((char)0x80));
}

size_t ice_utf8_check(struct ice_str text) {
    const unsigned char *data = (const unsigned char *)text.data;
    size_t at = 0;
    while (at < text.size) {
        if (text.size - at >= 16 && are_ascii(text.data + at)) {
            at += 16;
            if (text.size - at < 16 && are_ascii(text.data + text.size - 16))
                return text.size;
            continue;
        }
        if (data[at] < 0x80) {
            at++;
            continue;
        }
        uint32_t code;
        size_t length = sequence(data + at, text.size - at, &code);
        if (length == 0)
            return at;
        at += length;
    }
    return text.size;
}

uint32_t ice_utf8_next(struct ice_str text, size_t *at) {
    uint32_t code;
    size_t length =
        sequence((const unsigned char *)text.data + *at, text.size - *at, &code);
    *at += length ? length : 1;
    return length ? code : UINT32_MAX;
}

size_t ice_utf8_encode(uint32_t code_point, char out[4]) {
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    for (size_t i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    out[0] = (char)((0xf00u >> length) | code_point);
    return length;
}
