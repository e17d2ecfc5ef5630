/*
 * Listings of one line an object: from lines to objects, and which form it is.
 */
#include "inputs/listing_lines.h"

#include "base/error.h"

enum { PEEK_BYTES = 64 * 1024, LINE_BYTES = 1 << 20, SAMPLE_LINES = 50 };

enum ice_status ice_lines_init(struct ice_lines *lines, struct ice_stream *stream,
                               struct ice_error *err) {
    struct ice_str first;
    *lines = (struct ice_lines){.stream = stream, .is_first = true};
    ice_buf_init(&lines->kept, &stream->run->alloc, SIZE_MAX);
    ICE_TRY(ice_stream_peek_first(stream, PEEK_BYTES, &first, err));
    lines->end = ice_str_find(first, '\0') != SIZE_MAX ? '\0' : '\n';
    return ICE_OK;
}

void ice_lines_release(struct ice_lines *lines) {
    ice_buf_release(&lines->kept);
}

struct ice_str ice_trim_line(struct ice_str line, bool is_first) {
    if (is_first && ice_str_starts(line, ICE_STR("\xef\xbb\xbf")))
        line = ice_str_from_index(line, 3);
    if (line.size > 0 && line.data[line.size - 1] == '\r')
        line.size--;
    return line;
}

/* Mostly a view of what the stream holds; a line over its border is put together. */
static enum ice_status raw_line(struct ice_lines *lines, struct ice_str *out,
                                struct ice_error *err) {
    struct ice_stream *stream = lines->stream;
    const uint64_t start = stream->position + lines->pending; /* of the line */
    ice_buf_clear(&lines->kept);
    for (;;) {
        struct ice_str text;
        ice_stream_consume(stream, lines->pending);
        lines->pending = 0;
        ICE_TRY(ice_stream_peek(stream, 1, &text, err));
        *out = ice_buf_str(&lines->kept);
        if (text.size == 0) {
            lines->is_open = out->size > 0 || lines->is_open;
            return out->size > 0 ? ICE_OK : ICE_DONE;
        }
        size_t at = ice_str_find(text, lines->end);
        struct ice_str part = ice_str_first(text, at);
        if (out->size + part.size > LINE_BYTES)
            return ice_error_set(err, ICE_EFORMAT, NULL, start,
                                 "a line has more than %d bytes", LINE_BYTES);
        lines->pending = part.size + (at != SIZE_MAX ? 1 : 0);
        if (at != SIZE_MAX && out->size == 0) {
            *out = part;
            return ICE_OK;
        }
        if (ice_buf_append_str(&lines->kept, part) < 0)
            return ice_error_memory(err);
        *out = ice_buf_str(&lines->kept);
        if (at != SIZE_MAX)
            return ICE_OK;
    }
}

enum ice_status ice_lines_next(struct ice_lines *lines, struct ice_str *out,
                               struct ice_error *err) {
    enum ice_status status = raw_line(lines, out, err);
    if (status == ICE_OK && lines->end == '\n')
        *out = ice_trim_line(*out, lines->is_first);
    lines->is_first = false;
    return status;
}

static enum ice_status read_line(struct ice_listing *listing, ice_line_fn read,
                                 struct ice_str line, ice_listed_fn each, void *user) {
    struct ice_listed object = {.mtime_ms = INT64_MIN};
    switch (read(listing, line, &object)) {
    case ICE_LINE_NO:
        listing->n_bad++;
        return ICE_OK;
    case ICE_LINE_OBJECT:
        return ice_listing_tell(listing, &object, each, user);
    case ICE_LINE_PARTIAL:
        listing->partial = "it names prefixes that it does not list: list recursively";
        return ICE_OK;
    case ICE_LINE_SKIP:
        return ICE_OK;
    }
    return ICE_OK;
}

static ice_line_fn reader_of(enum ice_listing_format format) {
    for (size_t i = 0; i < ICE_LINE_FORMS; i++) {
        if (ice_line_forms[i].format == format)
            return ice_line_forms[i].read;
    }
    return ice_line_forms[ICE_LINE_FORMS - 1].read; /* plain paths */
}

enum ice_status ice_listing_read_text(struct ice_listing *listing,
                                      struct ice_stream *stream, ice_listed_fn each,
                                      void *user, struct ice_error *err) {
    struct ice_lines lines;
    struct ice_str line;
    ice_line_fn read = reader_of(listing->format);
    enum ice_status status = ice_lines_init(&lines, stream, err);
    while (status == ICE_OK) {
        status = ice_lines_next(&lines, &line, err);
        if (status == ICE_OK && line.size > 0)
            status = read_line(listing, read, line, each, user);
    }
    if (lines.is_open)
        listing->is_open = true;
    ice_lines_release(&lines);
    return status == ICE_DONE ? ICE_OK : status;
}

/* ---- recognising ---- */

/* A form wins with 8 of 10 lines, where no other has more than 2 of 10. */
enum ice_listing_format ice_listing_detect_text(struct ice_str first) {
    if (ice_listing_is_details(first))
        return ICE_LISTING_GCLOUD_DETAILS;
    size_t counts[ICE_LINE_FORMS] = {0}, n = 0;
    char end = ice_str_find(first, '\0') != SIZE_MAX ? '\0' : '\n';
    while (first.size > 0 && n < SAMPLE_LINES) {
        size_t at = ice_str_find(first, end);
        struct ice_str line = ice_trim_line(ice_str_first(first, at), n == 0);
        if (at == SIZE_MAX && n > 0)
            break; /* the peek may have cut it */
        first = at == SIZE_MAX ? ICE_STR_NONE : ice_str_from_index(first, at + 1);
        if (line.size == 0)
            continue;
        n++;
        for (size_t i = 0; i < ICE_LINE_FORMS; i++) {
            struct ice_listed object = {.mtime_ms = INT64_MIN};
            counts[i] += ice_line_forms[i].read(NULL, line, &object) != ICE_LINE_NO;
        }
    }
    /* plain paths and our own lines match much: they come last, when no other does */
    for (size_t i = 0; i < ICE_LINE_FORMS; i++) {
        if (n > 0 && counts[i] * 10 >= n * 8)
            return ice_line_forms[i].format;
    }
    return ICE_LISTING_COUNT;
}
