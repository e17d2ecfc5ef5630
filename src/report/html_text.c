/*
 * Markup and text of a page.
 */
#include "report/html_text.h"

#include "base/escape.h"
#include "report/text.h"
#include "report/text_markup.h"

#include <stdarg.h>
#include <stdio.h>

void ice_html_put(struct ice_html_text *out, const char *markup) {
    if (out->status >= 0)
        out->status = ice_buf_append_str(out->buf, ice_str_from(markup));
}

void ice_html_printf(struct ice_html_text *out, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (out->status >= 0)
        out->status = n < 0 || (size_t)n >= sizeof(text)
                          ? ICE_EARG
                          : ice_buf_append(out->buf, text, (size_t)n);
}

/* Also for attributes in single quotes. */
static const char *reference_of(char c) {
    return c == '\'' ? "&#39;" : ice_markup_reference(c);
}

void ice_html_escaped(struct ice_html_text *out, struct ice_str untrusted) {
    size_t at = 0;
    while (at < untrusted.size && at < ICE_HTML_TEXT_BYTES && out->status >= 0) {
        char piece[16];
        size_t size = ice_escape_next(untrusted, &at, piece);
        const char *reference = size == 1 ? reference_of(piece[0]) : NULL;
        if (reference != NULL)
            ice_html_put(out, reference);
        else
            out->status = ice_buf_append(out->buf, piece, size);
    }
    if (at < untrusted.size)
        ice_html_printf(out, "… (%zu more bytes)", untrusted.size - at);
}

void ice_html_words(struct ice_html_text *out, const char *words) {
    ice_html_escaped(out, ice_str_from(words));
}

void ice_html_grouped(struct ice_html_text *out, uint64_t value) {
    char grouped[ICE_GROUPED_SIZE];
    /* narrow spaces that do not break */
    ice_html_put(out, ice_grouped_text(value, "\xe2\x80\xaf", grouped));
}

void ice_html_bytes(struct ice_html_text *out, uint64_t bytes) {
    char words[ICE_GROUPED_SIZE];
    ice_html_put(out, ice_bytes_text(bytes, "\xc2\xa0", words));
}

void ice_html_number(struct ice_html_text *out, uint64_t n, const char *one,
                     const char *many) {
    ice_html_grouped(out, n);
    ice_html_put(out, "\xc2\xa0"); /* a number stays with what it counts */
    ice_html_put(out, n == 1 ? one : many);
}

void ice_html_time(struct ice_html_text *out, int64_t ms) {
    char buffer[ICE_TIME_SIZE];
    struct ice_str text = ice_time_text(ms, buffer);
    /* 2026-01-01T00:00:00.000Z as 2026-01-01 00:00:00; what is no date as it is */
    bool is_date = text.size == 24 && text.data[10] == 'T';
    if (is_date)
        buffer[10] = ' ';
    ice_html_escaped(out, ice_str_first(text, is_date ? 19 : text.size));
}
