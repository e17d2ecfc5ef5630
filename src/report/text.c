/*
 * Text output.
 */
#include "report/text.h"

#include "base/escape.h"

#include <inttypes.h>
#include <stdio.h>

void ice_text_init(struct ice_text *text, ice_write_fn write, void *user) {
    text->write = write;
    text->user = user;
    text->status = ICE_OK;
    text->used = 0;
}

static void flush(struct ice_text *text) {
    if (text->used > 0 && text->status >= 0)
        text->status = text->write(text->buffer, text->used, text->user);
    text->used = 0;
}

void ice_text_raw(struct ice_text *text, struct ice_str bytes) {
    while (bytes.size > 0 && text->status >= 0) {
        size_t room = sizeof(text->buffer) - text->used;
        struct ice_str piece = ice_str_first(bytes, room);
        memcpy(text->buffer + text->used, piece.data, piece.size);
        text->used += piece.size;
        bytes = ice_str_from_index(bytes, piece.size);
        if (text->used == sizeof(text->buffer))
            flush(text);
    }
}

void ice_text_put(struct ice_text *text, const char *words) {
    ice_text_raw(text, ice_str_from(words));
}

void ice_text_escaped(struct ice_text *text, struct ice_str untrusted) {
    for (size_t at = 0; at < untrusted.size;) {
        char piece[16];
        size_t size = ice_escape_next(untrusted, &at, piece);
        ice_text_raw(text, (struct ice_str){piece, size});
    }
}

void ice_text_u64(struct ice_text *text, uint64_t value) {
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    ice_text_raw(text, (struct ice_str){digits, (size_t)n});
}

void ice_text_i64(struct ice_text *text, int64_t value) {
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%" PRId64, value);
    ice_text_raw(text, (struct ice_str){digits, (size_t)n});
}

void ice_text_grouped(struct ice_text *text, uint64_t value) {
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            ice_text_put(text, " ");
        ice_text_raw(text, (struct ice_str){digits + i, 1});
    }
}

void ice_text_spaces(struct ice_text *text, size_t n) {
    for (size_t i = 0; i < n; i++)
        ice_text_put(text, " ");
}

enum ice_status ice_text_finish(struct ice_text *text) {
    flush(text);
    return text->status;
}

size_t ice_text_width(struct ice_str untrusted) {
    size_t width = 0;
    for (size_t at = 0; at < untrusted.size;) {
        char piece[16];
        size_t size = ice_escape_next(untrusted, &at, piece);
        for (size_t i = 0; i < size; i++)
            width += ((unsigned char)piece[i] & 0xc0) != 0x80;
    }
    return width;
}
