/*
 * Logs, a line at a time. Of a line that has no end only the head is kept. A line may be
 * an object of JSON, as layouts for machines have it.
 */
#include "inputs/evidence.h"

#include "base/error.h"
#include "inputs/evidence_json.h"

enum { LINE_BYTES = 1 << 20 };

struct ice_str ice_evidence_trim(struct ice_str line, bool is_first) {
    if (is_first && ice_str_starts(line, ICE_STR("\xef\xbb\xbf")))
        line = ice_str_from_index(line, 3);
    while (line.size > 0 &&
           (line.data[line.size - 1] == '\r' || line.data[line.size - 1] == ' '))
        line.size--;
    return line;
}

enum ice_status ice_evidence_next_line(struct ice_evidence_reader *reader,
                                       struct ice_stream *stream, struct ice_str *out) {
    struct ice_buf *line = &reader->line;
    bool is_any = false;
    size_t at = SIZE_MAX;
    ice_buf_clear(line);
    while (at == SIZE_MAX) {
        struct ice_str text;
        ICE_TRY(ice_stream_peek(stream, 1, &text, reader->err));
        if (text.size == 0 && !is_any)
            return ICE_DONE;
        if (text.size == 0)
            break;
        is_any = true;
        at = ice_str_find(text, '\n');
        struct ice_str part = ice_str_first(text, at);
        if (ice_buf_append_str(line, ice_str_first(part, LINE_BYTES - line->size)) < 0)
            return ice_error_memory(reader->err);
        ice_stream_consume(stream, part.size + (at != SIZE_MAX ? 1 : 0));
    }
    reader->log->n_lines++;
    *out = ice_evidence_trim(ice_buf_str(line), reader->log->n_lines == 1);
    return ICE_OK;
}

bool ice_evidence_is_object_line(struct ice_str line) {
    return line.size > 1 && line.data[0] == '{' && line.data[line.size - 1] == '}';
}

/* An access log has the body of a request behind things of its own. */
struct ice_str ice_evidence_body(struct ice_str line) {
    size_t at = ice_str_find(line, '{');
    if (at == SIZE_MAX || !ice_evidence_holds_report(line))
        return ICE_STR_NONE;
    return ice_str_from_index(line, at);
}

/* An object of JSON. One that is broken, cut off for instance, says nothing. */
static enum ice_status object_line(struct ice_evidence_walk *walk, struct ice_str line,
                                   const struct ice_evidence *around) {
    struct ice_stream stream;
    struct ice_error fault;
    ice_error_clear(&fault);
    walk->line = walk->reader->log->n_lines;
    walk->is_one_line = true;
    walk->around = around;
    ice_stream_init_memory(&stream, walk->reader->log->run, line);
    enum ice_status status = ice_evidence_walk_document(walk, &stream, &fault);
    ice_stream_release(&stream);
    if (status == ICE_EFORMAT || status == ICE_ELIMIT)
        return ICE_OK;
    if (status < 0)
        return ice_error_set(walk->reader->err, status, fault.rule, fault.offset, "%s",
                             fault.message);
    return ICE_OK;
}

static enum ice_status body_line(struct ice_evidence_walk *walk, struct ice_str line,
                                 struct ice_str body) {
    struct ice_evidence around = {.time_ms = INT64_MIN};
    ice_evidence_time_in_front(walk->reader->log, line, &around);
    return object_line(walk, body, &around);
}

enum ice_status ice_evidence_read_text(struct ice_evidence_reader *reader,
                                       struct ice_stream *stream) {
    struct ice_evidence_walk walk;
    enum ice_status status = ICE_OK;
    ice_evidence_walk_init(&walk, reader);
    while (status == ICE_OK) {
        struct ice_str line;
        struct ice_evidence base = {.time_ms = INT64_MIN, .created_ms = INT64_MIN};
        status = ice_evidence_next_line(reader, stream, &line);
        if (status != ICE_OK)
            continue;
        base.line = reader->log->n_lines;
        struct ice_str body = ice_evidence_body(line);
        if (!ice_evidence_is_object_line(line))
            status = body.size > 0 ? body_line(&walk, line, body)
                                   : ice_evidence_line(reader, line, &base);
        else if (ice_evidence_mentions(line))
            status = object_line(&walk, line, NULL);
    }
    ice_evidence_walk_release(&walk);
    return status == ICE_DONE ? ice_evidence_end(reader) : status;
}
