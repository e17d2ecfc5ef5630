/*
 * Text output.
 */
#include "report/text.h"

#include "base/compiler.h"
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

const char *ice_grouped_text(uint64_t value, const char *separator,
                             char out[ICE_GROUPED_SIZE]) {
    char digits[24];
    int n = snprintf(digits, sizeof(digits), "%" PRIu64, value);
    size_t size = 0;
    for (int i = 0; i < n; i++) {
        for (const char *at = separator; i > 0 && (n - i) % 3 == 0 && *at != '\0'; at++)
            out[size++] = *at;
        out[size++] = digits[i];
    }
    out[size] = '\0';
    return out;
}

void ice_text_grouped(struct ice_text *text, uint64_t value) {
    char grouped[ICE_GROUPED_SIZE];
    ice_text_put(text, ice_grouped_text(value, " ", grouped));
}

const char *ice_bytes_text(uint64_t bytes, const char *separator,
                           char out[ICE_GROUPED_SIZE]) {
    static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
    uint64_t tenths = bytes / 100; /* of a kB; no floating point, whose text may differ */
    size_t unit = 0;
    while (tenths >= 10000 && unit + 1 < ICE_COUNT_OF(units)) {
        tenths /= 1000;
        unit++;
    }
    if (bytes < 1000)
        (void)snprintf(out, ICE_GROUPED_SIZE, "%" PRIu64 "%sB", bytes, separator);
    else
        (void)snprintf(out, ICE_GROUPED_SIZE, "%" PRIu64 ".%" PRIu64 "%s%s", tenths / 10,
                       tenths % 10, separator, units[unit]);
    return out;
}

struct ice_str ice_plain_words(struct ice_str what) {
    static const struct {
        const char *what, *words;
    } known[] = {
        {"storage.*", "data files"},           {"catalog.*", "catalog pointer"},
        {"history.*", "older metadata files"}, {"puffin.*", "Puffin files"},
        {"list.*", "manifest lists"},          {"manifest.*", "manifests"},
    };
    for (size_t i = 0; i < ICE_COUNT_OF(known); i++) {
        if (ice_str_is(what, known[i].what))
            return ice_str_from(known[i].words);
    }
    return what;
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

void ice_text_count(struct ice_text *text, const char *between, uint64_t n,
                    const char *one, const char *many) {
    ice_text_put(text, between);
    ice_text_grouped(text, n);
    ice_text_put(text, " ");
    ice_text_put(text, n == 1 ? one : many);
}

void ice_text_counts(struct ice_text *text, const uint64_t counts[4]) {
    const char *between = "";
    if (counts[ICE_ERROR] > 0) {
        ice_text_count(text, between, counts[ICE_ERROR], "error", "errors");
        between = ", ";
    }
    if (counts[ICE_WARN] > 0) {
        ice_text_count(text, between, counts[ICE_WARN], "warning", "warnings");
        between = ", ";
    }
    if (counts[ICE_INFO] > 0) {
        ice_text_count(text, between, counts[ICE_INFO], "info", "infos");
        between = ", ";
    }
    if (between[0] == '\0')
        ice_text_put(text, "no findings");
}

void ice_text_more(struct ice_text *text, uint64_t more) {
    if (more == 0)
        return;
    ice_text_put(text, " (+");
    ice_text_grouped(text, more);
    ice_text_put(text, " more)");
}

void ice_text_baseline(struct ice_text *text, const char *between,
                       const struct ice_summary *summary) {
    if (summary->n_known + summary->n_fixed == 0)
        return;
    ice_text_put(text, between);
    ice_text_grouped(text, summary->n_known);
    ice_text_put(text, " in baseline");
    if (summary->n_fixed == 0)
        return;
    ice_text_put(text, ", ");
    ice_text_grouped(text, summary->n_fixed);
    ice_text_put(text,
                 summary->n_fixed == 1 ? " fixed: remove it" : " fixed: remove them");
}

void ice_text_verdict(struct ice_text *text, const struct ice_summary *summary) {
    const uint64_t *counts = summary->counts;
    if (summary->n_known > 0 &&
        counts[ICE_ERROR] + counts[ICE_WARN] + counts[ICE_INFO] == 0)
        ice_text_put(text, "no new findings");
    else
        ice_text_counts(text, counts);
}
