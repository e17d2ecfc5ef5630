/*
 * Percent-encoding, taken off.
 */
#include "base/percent.h"

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
