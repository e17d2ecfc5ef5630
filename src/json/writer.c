/*
 * Streaming JSON output.
 */
#include "json/writer.h"

#include "json/reader.h"
#include "json/scan.h"

#include "base/utf8.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

void ice_jw_init(struct ice_json_writer *w, ice_write_fn write, void *user,
                 unsigned indent) {
    w->write = write;
    w->user = user;
    w->status = ICE_OK;
    w->indent = indent;
    w->depth = 0;
    w->need_comma = w->after_key = false;
    w->used = 0;
}

static void flush(struct ice_json_writer *w) {
    if (w->used > 0 && w->status >= 0)
        w->status = w->write(w->buffer, w->used, w->user);
    w->used = 0;
}

static void put(struct ice_json_writer *w, const char *data, size_t size) {
    if (w->status < 0)
        return;
    if (size > sizeof(w->buffer) - w->used) {
        flush(w);
        if (size > sizeof(w->buffer)) {
            if (w->status >= 0)
                w->status = w->write(data, size, w->user);
            return;
        }
    }
    memcpy(w->buffer + w->used, data, size);
    w->used += size;
}

static void put_char(struct ice_json_writer *w, char c) {
    put(w, &c, 1);
}

static void put_str(struct ice_json_writer *w, struct ice_str text) {
    if (text.size > 0)
        put(w, text.data, text.size);
}

static void new_line(struct ice_json_writer *w) {
    if (w->indent == 0)
        return;
    put_char(w, '\n');
    for (unsigned i = 0; i < w->indent * w->depth; i++)
        put_char(w, ' ');
}

/* What stands between the last value or key and the next. */
static void before_value(struct ice_json_writer *w) {
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->need_comma)
        put_char(w, ',');
    if (w->depth > 0)
        new_line(w);
}

static void value(struct ice_json_writer *w, struct ice_str text) {
    before_value(w);
    put_str(w, text);
    w->need_comma = true;
}

/* One byte or code point that may not stand for itself. */
static void put_escaped(struct ice_json_writer *w, struct ice_str text, size_t *at) {
    const unsigned char byte = (unsigned char)text.data[*at];
    static const char shorts[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    if (ice_utf8_next(text, at) == UINT32_MAX) {
        char bad[8];
        int n = snprintf(bad, sizeof(bad), "\\\\x%02x", byte);
        put(w, bad, (size_t)n);
        return;
    }
    assert(byte < 0x80); /* what is UTF-8 was put as it stands */
    for (size_t i = 0; i < sizeof(shorts) - 1; i += 2) {
        if ((unsigned char)shorts[i] == byte) {
            const char pair[2] = {'\\', shorts[i + 1]};
            put(w, pair, 2);
            return;
        }
    }
    char control[8];
    int n = snprintf(control, sizeof(control), "\\u%04x", byte);
    put(w, control, (size_t)n);
}

static void put_quoted(struct ice_json_writer *w, struct ice_str text) {
    put_char(w, '"');
    for (size_t at = 0; at < text.size;) {
        const unsigned char *data = (const unsigned char *)text.data;
        unsigned high = 0;
        size_t plain = ice_scan_string(data, at, text.size, &high);
        if (high != 0) {
            /* up to the first byte that is not UTF-8 */
            struct ice_str part = {text.data + at, plain - at};
            plain = at + ice_utf8_check(part);
        }
        put(w, text.data + at, plain - at);
        at = plain;
        if (at < text.size)
            put_escaped(w, text, &at);
    }
    put_char(w, '"');
}

static void open_container(struct ice_json_writer *w, char bracket) {
    before_value(w);
    put_char(w, bracket);
    w->depth++;
    w->need_comma = false;
}

static void close_container(struct ice_json_writer *w, char bracket) {
    w->depth--;
    if (w->need_comma)
        new_line(w);
    put_char(w, bracket);
    w->need_comma = true;
}

void ice_jw_object(struct ice_json_writer *w) {
    open_container(w, '{');
}

void ice_jw_object_end(struct ice_json_writer *w) {
    close_container(w, '}');
}

void ice_jw_array(struct ice_json_writer *w) {
    open_container(w, '[');
}

void ice_jw_array_end(struct ice_json_writer *w) {
    close_container(w, ']');
}

void ice_jw_key_str(struct ice_json_writer *w, struct ice_str key) {
    before_value(w);
    put_quoted(w, key);
    put(w, ": ", w->indent > 0 ? 2 : 1);
    w->after_key = true;
    w->need_comma = false;
}

void ice_jw_key(struct ice_json_writer *w, const char *key) {
    ice_jw_key_str(w, ice_str_from(key));
}

void ice_jw_str(struct ice_json_writer *w, struct ice_str text) {
    before_value(w);
    put_quoted(w, text);
    w->need_comma = true;
}

void ice_jw_text(struct ice_json_writer *w, const char *text) {
    ice_jw_str(w, ice_str_from(text));
}

void ice_jw_i64(struct ice_json_writer *w, int64_t number) {
    char text[ICE_I64_BYTES];
    value(w, ice_str_make(text, ice_i64_to_text(number, text)));
}

void ice_jw_u64(struct ice_json_writer *w, uint64_t number) {
    char text[ICE_U64_BYTES];
    value(w, ice_str_make(text, ice_u64_to_text(number, text)));
}

void ice_jw_i64_string(struct ice_json_writer *w, int64_t number) {
    char text[ICE_I64_BYTES + 2];
    size_t n = ice_i64_to_text(number, text + 1);
    text[0] = text[n + 1] = '"';
    value(w, ice_str_make(text, n + 2));
}

/* The locale's decimal point, whatever its bytes are, becomes a dot. */
static struct ice_str plain_point(char *text, size_t size) {
    size_t n = 0;
    bool in_point = false;
    for (size_t i = 0; i < size; i++) {
        char c = text[i];
        if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e') {
            text[n++] = c;
            in_point = false;
        } else if (!in_point) {
            text[n++] = '.';
            in_point = true;
        }
    }
    return ice_str_make(text, n);
}

void ice_jw_f64(struct ice_json_writer *w, double number) {
    if (!isfinite(number)) {
        ice_jw_text(w, isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity");
        return;
    }
    for (int digits = 15;; digits++) {
        char text[64];
        int n = snprintf(text, sizeof(text), "%.*g", digits, number);
        struct ice_str token = plain_point(text, (size_t)n);
        double again;
        bool same = ice_number_f64(token, &again);
        /* as bits: 0 is not -0. NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
        same = same && memcmp(&again, &number, sizeof(number)) == 0;
        if (same || digits == 17) {
            /* "-0" is read as an integer, which has no such zero */
            value(w, ice_str_is(token, "-0") ? ICE_STR("-0.0") : token);
            return;
        }
    }
}

void ice_jw_bool(struct ice_json_writer *w, bool truth) {
    value(w, truth ? ICE_STR("true") : ICE_STR("false"));
}

void ice_jw_null(struct ice_json_writer *w) {
    value(w, ICE_STR("null"));
}

void ice_jw_hex(struct ice_json_writer *w, struct ice_str bytes) {
    static const char digits[] = "0123456789abcdef";
    before_value(w);
    put_char(w, '"');
    for (size_t i = 0; i < bytes.size; i++) {
        const unsigned char byte = (unsigned char)bytes.data[i];
        const char pair[2] = {digits[byte >> 4], digits[byte & 15]};
        put(w, pair, 2);
    }
    put_char(w, '"');
    w->need_comma = true;
}

void ice_jw_raw(struct ice_json_writer *w, struct ice_str json) {
    value(w, json);
}

void ice_jw_newline(struct ice_json_writer *w) {
    put_char(w, '\n');
    w->need_comma = false;
}

enum ice_status ice_jw_finish(struct ice_json_writer *w) {
    flush(w);
    return w->status;
}
