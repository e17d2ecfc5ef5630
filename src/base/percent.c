/*
 * Percent-encoding, put on and taken off, and schemes.
 */
#include "base/percent.h"

#include "base/chars.h"
#include "base/error.h"

enum ice_status ice_percent_decode(struct ice_str text, bool plus_is_blank,
                                   struct ice_buf *out) {
    ice_buf_clear(out);
    for (size_t i = 0; i < text.size; i++) {
        char c = plus_is_blank && text.data[i] == '+' ? ' ' : text.data[i];
        bool may_be = c == '%' && text.size - i > 2;
        int high = may_be ? ice_hex_digit(text.data[i + 1]) : -1;
        int low = high >= 0 ? ice_hex_digit(text.data[i + 2]) : -1;
        if (low >= 0) {
            c = (char)(high * 16 + low);
            i += 2;
        }
        ICE_TRY(ice_buf_append_char(out, c));
    }
    return ICE_OK;
}

size_t ice_uri_scheme(struct ice_str uri) {
    size_t i = 0;
    while (i < uri.size &&
           (ice_is_letter(uri.data[i]) ||
            (i > 0 && ((uri.data[i] >= '0' && uri.data[i] <= '9') || uri.data[i] == '+' ||
                       uri.data[i] == '-' || uri.data[i] == '.'))))
        i++;
    /* one letter is a drive; without '/' behind it, a file name that holds a colon */
    bool is_scheme =
        i >= 2 && i + 1 < uri.size && uri.data[i] == ':' && uri.data[i + 1] == '/';
    return is_scheme ? i + 1 : 0;
}

static bool is_plain(char c) {
    return ice_is_letter(c) || ice_is_digit(c) || c == '/' || c == '-' || c == '.' ||
           c == '_' || c == '~' || c == '=' || c == '+' || c == '@' || c == ',';
}

enum ice_status ice_percent_encode(struct ice_buf *out, struct ice_str path) {
    for (size_t i = 0; i < path.size; i++) {
        if (is_plain(path.data[i]))
            ICE_TRY(ice_buf_append_char(out, path.data[i]));
        else
            ICE_TRY(ice_buf_printf(out, "%%%02X", (unsigned char)path.data[i]));
    }
    return ICE_OK;
}
