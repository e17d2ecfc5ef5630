/*
 * Logs, a line at a time. Of a line that has no end only the head is kept.
 */
#include "inputs/evidence.h"

#include "base/error.h"

enum { LINE_BYTES = 1 << 20 };

/* The head of the next line, its end taken off and stepped over; ICE_DONE behind the
 * last. */
static enum ice_status next_line(struct ice_stream *stream, struct ice_buf *line,
                                 struct ice_error *err) {
    bool is_any = false;
    ice_buf_clear(line);
    for (;;) {
        struct ice_str text;
        ICE_TRY(ice_stream_peek(stream, 1, &text, err));
        if (text.size == 0)
            return is_any ? ICE_OK : ICE_DONE;
        is_any = true;
        size_t at = ice_str_find(text, '\n');
        struct ice_str part = ice_str_first(text, at);
        if (ice_buf_append_str(line, ice_str_first(part, LINE_BYTES - line->size)) < 0)
            return ice_error_memory(err);
        ice_stream_consume(stream, part.size + (at != SIZE_MAX ? 1 : 0));
        if (at != SIZE_MAX)
            return ICE_OK;
    }
}

static struct ice_str trim(struct ice_str line, bool is_first) {
    if (is_first && ice_str_starts(line, ICE_STR("\xef\xbb\xbf")))
        line = ice_str_from_index(line, 3);
    while (line.size > 0 &&
           (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
        line.size--;
    return line;
}

enum ice_status ice_evidence_read_text(struct ice_evidence_log *log,
                                       struct ice_stream *stream, ice_evidence_fn each,
                                       void *user, struct ice_error *err) {
    struct ice_evidence_reader reader = {
        .log = log, .each = each, .user = user, .err = err};
    struct ice_buf *bufs[] = {&reader.line, &reader.report, &reader.uri, &reader.scanned};
    enum ice_status status = ICE_OK;
    for (size_t i = 0; i < ICE_COUNT_OF(bufs); i++)
        ice_buf_init(bufs[i], &log->run->alloc, SIZE_MAX);
    while (status == ICE_OK) {
        status = next_line(stream, &reader.line, err);
        if (status == ICE_OK) {
            log->n_lines++;
            status = ice_evidence_line(
                &reader, trim(ice_buf_str(&reader.line), log->n_lines == 1));
        }
    }
    if (status == ICE_DONE)
        status = ice_evidence_flush(&reader);
    for (size_t i = 0; i < ICE_COUNT_OF(bufs); i++)
        ice_buf_release(bufs[i]);
    return status;
}
