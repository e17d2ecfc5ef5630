/*
 * Tokens: each is read whole in the window, which grows while a token's bytes arrive and
 * never beyond its limit. So a verdict rests on the token alone, not on where the window
 * ended.
 */
#include "json/token.h"

#include "json/scan.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* data[from] is the quote, data[end] the first byte that is not known to be a string's.
 */
static enum ice_status check_utf8(struct ice_json *json, size_t from, size_t end,
                                  bool may_be_cut, struct ice_error *err) {
    struct ice_str raw = ice_str_make(json->data + from + 1, end - from - 1);
    size_t bad = ice_utf8_check(raw);
    if (bad == raw.size || (may_be_cut && raw.size - bad < 4))
        return ICE_OK;
    return ice_json_fail(json, err, ICE_EFORMAT, "json.encoding.not-utf8", from + 1 + bad,
                         "byte 0x%02x is not UTF-8", (unsigned char)raw.data[bad]);
}

enum ice_status ice_json_fail(struct ice_json *json, struct ice_error *err,
                              enum ice_status status, const char *rule, size_t index,
                              const char *format, ...) {
    if (err == NULL || err->status < 0)
        return status;
    char message[sizeof(err->message)];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    uint64_t offset = json->base + index;
    if (ice_json_pointer(json, &json->place) == ICE_ENOMEM)
        return ice_error_memory(err);
    (void)ice_error_set(err, status, rule, offset, "%s", message);
    ice_json_position(json, offset, &err->line, &err->column);
    ice_error_set_pointer(err, ice_buf_str(&json->place));
    return status;
}

enum ice_status ice_json_unexpected(struct ice_json *json, size_t index,
                                    const char *expected, struct ice_error *err) {
    /* the four bytes of the longest code point, to tell bad bytes from bad grammar */
    while (json->size - index < 4 && !json->at_end) {
        size_t keep = json->at;
        ICE_TRY(ice_json_refill(json, keep, err));
        index -= keep;
    }
    if (json->base + index == 0 && json->size == 0)
        return ice_json_fail(json, err, ICE_EFORMAT, "json.truncated", 0,
                             "the input is empty: 0 bytes");
    if (index == json->size)
        return ice_json_fail(json, err, ICE_EFORMAT, "json.truncated", index,
                             "the input ends where %s should stand", expected);
    struct ice_str rest = ice_str_make(json->data + index, json->size - index);
    size_t at = 0;
    if (ice_utf8_next(rest, &at) == UINT32_MAX)
        return ice_json_fail(json, err, ICE_EFORMAT, "json.encoding.not-utf8", index,
                             "byte 0x%02x is not UTF-8", json->data[index]);
    char found[32];
    (void)ice_escape(found, sizeof(found), ice_str_first(rest, at));
    return ice_json_fail(json, err, ICE_EFORMAT, "json.syntax.invalid", index,
                         "expected %s, found '%s'", expected, found);
}

static enum ice_status too_long(struct ice_json *json, const char *what, uint64_t limit,
                                struct ice_error *err) {
    return ice_json_fail(json, err, ICE_ELIMIT, "limit.token", json->at,
                         "%s is longer than %" PRIu64 " bytes", what, limit);
}

/* The input ends inside a string. */
static enum ice_status string_cut(struct ice_json *json, size_t end,
                                  struct ice_error *err) {
    ICE_TRY(check_utf8(json, json->at, end, true, err));
    return ice_json_fail(json, err, ICE_EFORMAT, "json.truncated", json->size,
                         "the input ends inside a string");
}

/* Find the closing quote: *out_end. */
static enum ice_status string_end(struct ice_json *json, uint64_t limit, size_t *out_end,
                                  unsigned *high, bool *has_escapes,
                                  struct ice_error *err) {
    size_t i = json->at + 1;
    for (;;) {
        i = ice_scan_string(json->data, i, json->size, high);
        if (i - json->at - 1 > limit)
            return too_long(json, "a string", limit, err);
        bool needs_more =
            i == json->size || (json->data[i] == '\\' && i + 1 == json->size);
        if (needs_more && json->at_end)
            return string_cut(json, i, err);
        if (needs_more) {
            size_t keep = json->at;
            ICE_TRY(ice_json_refill(json, keep, err));
            i -= keep;
        } else if (json->data[i] == '"') {
            *out_end = i;
            return ICE_OK;
        } else if (json->data[i] == '\\') {
            *has_escapes = true;
            i += 2;
        } else {
            ICE_TRY(check_utf8(json, json->at, i, false, err));
            return ice_json_fail(json, err, ICE_EFORMAT, "json.syntax.invalid", i,
                                 "raw control byte 0x%02x in a string", json->data[i]);
        }
    }
}

enum ice_status ice_json_string(struct ice_json *json, uint64_t limit,
                                struct ice_str *out, struct ice_json_odd *odd,
                                struct ice_error *err) {
    unsigned high = 0;
    bool has_escapes = false;
    const size_t first = json->at + 1;
    size_t end = ice_scan_string(json->data, first, json->size, &high);
    odd->lone_surrogate = odd->nul = SIZE_MAX;
    if (end < json->size && json->data[end] == '"' && high == 0 && end - first <= limit) {
        *out = ice_str_make(json->data + first, end - first);
        json->last = json->at;
        json->at = end + 1;
        return ICE_OK;
    }
    high = 0;
    ICE_TRY(string_end(json, limit, &end, &high, &has_escapes, err));
    size_t start = json->at;
    if (high != 0 || has_escapes)
        ICE_TRY(check_utf8(json, start, end, false, err));
    *out = ice_str_make(json->data + start + 1, end - start - 1);
    if (has_escapes) {
        enum ice_status status = ice_json_unescape(*out, &json->text, odd);
        if (status == ICE_EFORMAT)
            return ice_json_fail(json, err, status, "json.syntax.invalid",
                                 start + 1 + odd->bad, "not an escape of JSON");
        if (status < 0)
            return ice_error_memory(err);
        *out = ice_buf_str(&json->text);
    }
    json->last = start;
    json->at = end + 1;
    return ICE_OK;
}

/* ---- numbers ---- */

static size_t skip_digits(const struct ice_json *json, size_t i) {
    while (i < json->size && json->data[i] >= '0' && json->data[i] <= '9')
        i++;
    return i;
}

static bool is_byte(const struct ice_json *json, size_t i, char c) {
    return i < json->size && json->data[i] == (unsigned char)c;
}

/*
 * Match -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? from data[at] on as far as the
 * window goes. Returns where it stops; *ok says whether a number may end there.
 */
static size_t match_number(const struct ice_json *json, bool *ok) {
    *ok = false;
    size_t i = json->at + is_byte(json, json->at, '-');
    size_t end = 0;
    if (is_byte(json, i, '0')) {
        end = i + 1;
        if (end < json->size && json->data[end] >= '0' && json->data[end] <= '9')
            return end;
    } else {
        end = skip_digits(json, i);
        if (end == i)
            return end;
    }
    if (is_byte(json, end, '.')) {
        i = end + 1;
        end = skip_digits(json, i);
        if (end == i)
            return end;
    }
    if (is_byte(json, end, 'e') || is_byte(json, end, 'E')) {
        i = end + 1;
        i += is_byte(json, i, '+') || is_byte(json, i, '-');
        end = skip_digits(json, i);
        if (end == i)
            return end;
    }
    *ok = true;
    return end;
}

enum ice_status ice_json_number(struct ice_json *json, struct ice_str *out,
                                struct ice_error *err) {
    const uint64_t limit = json->run->limits.json_number_bytes;
    for (;;) {
        bool ok;
        size_t end = match_number(json, &ok);
        if (end - json->at > limit)
            return too_long(json, "a number", limit, err);
        if (end == json->size && !json->at_end) {
            ICE_TRY(ice_json_refill(json, json->at, err));
            continue;
        }
        if (!ok) {
            bool is_zero =
                end < json->size && json->data[end] >= '0' && json->data[end] <= '9';
            return ice_json_unexpected(
                json, end, is_zero ? "no digit behind a leading 0" : "a digit", err);
        }
        *out = ice_str_make(json->data + json->at, end - json->at);
        json->last = json->at;
        json->at = end;
        return ICE_OK;
    }
}

/* ---- true, false, null ---- */

enum ice_status ice_json_word(struct ice_json *json, const char *word,
                              struct ice_error *err) {
    size_t length = strlen(word);
    while (json->size - json->at < length && !json->at_end)
        ICE_TRY(ice_json_refill(json, json->at, err));
    for (size_t i = 0; i < length; i++) {
        size_t index = json->at + i;
        if (index == json->size || json->data[index] != (unsigned char)word[i])
            return ice_json_unexpected(json, index, word, err);
    }
    json->last = json->at;
    json->at += length;
    return ICE_OK;
}
