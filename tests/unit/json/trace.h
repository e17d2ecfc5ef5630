/*
 * Everything a reading of a JSON text says, as one text: events, notices, and how it
 * ended. Two readings are equal if their traces are.
 */
#ifndef ICE_TESTS_UNIT_JSON_TRACE_H
#define ICE_TESTS_UNIT_JSON_TRACE_H

#include "base/error.h"
#include "json/reader.h"

#include "support/cmocka_all.h"
#include "support/pieces.h"

#include <inttypes.h>

struct trace {
    struct ice_buf text;
    enum ice_status status;
    struct ice_error err;
    unsigned notices; /* bit 1 << enum ice_json_notice */
    unsigned n_notices;
};

static inline void trace_add(struct trace *trace, enum ice_status status) {
    (void)trace;
    assert_int_equal(status, ICE_OK);
}

static inline enum ice_status trace_notice(enum ice_json_notice notice, uint64_t offset,
                                           struct ice_str pointer, void *user) {
    struct trace *trace = user;
    trace->notices |= 1u << notice;
    trace->n_notices++;
    trace_add(trace, ice_buf_printf(&trace->text, "notice %d @%" PRIu64 " ", (int)notice,
                                    offset));
    trace_add(trace, ice_buf_append_str(&trace->text, pointer));
    return ice_buf_append_char(&trace->text, '\n');
}

/* Read all of a stream, which is released. */
static inline void trace_stream(struct trace *trace, struct ice_run *run,
                                struct ice_stream *stream) {
    struct ice_json json;
    struct ice_json_event event;
    struct ice_buf pointer;
    ice_buf_init(&trace->text, &run->alloc, SIZE_MAX);
    ice_buf_init(&pointer, &run->alloc, SIZE_MAX);
    ice_error_clear(&trace->err);
    trace->notices = trace->n_notices = 0;
    trace_add(trace, ice_json_init(&json, stream, run, trace_notice, trace, &trace->err));
    while ((trace->status = ice_json_next(&json, &event, &trace->err)) == ICE_OK) {
        uint32_t line, column;
        int64_t integer;
        if (event.has_integer) {
            assert_int_equal(event.kind, ICE_JSON_NUMBER);
            assert_int_equal(ice_number_i64(event.text, &integer), ICE_NUMBER_OK);
            assert_true(integer == event.integer);
        }
        ice_json_position(&json, event.offset, &line, &column);
        trace_add(trace, ice_json_pointer(&json, &pointer));
        trace_add(trace, ice_buf_printf(&trace->text, "%d @%" PRIu64 " %u:%u depth %zu ",
                                        (int)event.kind, event.offset, line, column,
                                        ice_json_depth(&json)));
        trace_add(trace, ice_buf_append_str(&trace->text, ice_buf_str(&pointer)));
        trace_add(trace, ice_buf_append_char(&trace->text, '='));
        trace_add(trace, ice_buf_append_str(&trace->text, event.text));
        trace_add(trace, ice_buf_append_char(&trace->text, '\n'));
    }
    /* a failure is final */
    if (trace->status < 0)
        assert_int_equal(ice_json_next(&json, &event, NULL), trace->status);
    else
        assert_int_equal(ice_json_next(&json, &event, NULL), ICE_DONE);
    trace_add(trace, ice_buf_printf(&trace->text, "%s %s @%" PRIu64 " %u:%u %s: %s\n",
                                    ice_status_name(trace->status),
                                    trace->err.rule ? trace->err.rule : "-",
                                    trace->err.offset, trace->err.line, trace->err.column,
                                    trace->err.pointer, trace->err.message));
    ice_buf_release(&pointer);
    ice_json_release(&json);
    ice_stream_release(stream);
}

static inline void trace_memory(struct trace *trace, struct ice_run *run,
                                struct ice_str text) {
    struct ice_stream stream;
    ice_stream_init_memory(&stream, run, text);
    trace_stream(trace, run, &stream);
}

/* most and seed as in struct pieces. */
static inline void trace_pieces(struct trace *trace, struct ice_run *run,
                                struct ice_str text, size_t chunk, size_t most,
                                uint64_t seed) {
    struct pieces pieces = {.bytes = text, .most = most, .seed = seed};
    struct ice_stream stream;
    trace_add(trace, ice_stream_init(&stream, run, &pieces_ops, &pieces, NULL));
    stream.chunk = chunk;
    trace_stream(trace, run, &stream);
}

static inline void trace_release(struct trace *trace) {
    ice_buf_release(&trace->text);
}

/* Read text whole and in pieces of many sizes: all say the same. Leaves the trace in
 * *out. */
static inline void trace_all_ways(struct trace *out, struct ice_run *run,
                                  struct ice_str text) {
    trace_memory(out, run, text);
    for (size_t chunk = 1; chunk <= 20; chunk += chunk < 5 ? 1 : 5) {
        struct trace pieces;
        trace_pieces(&pieces, run, text, chunk, chunk, 1);
        struct ice_str a = ice_buf_str(&out->text), b = ice_buf_str(&pieces.text);
        if (!ice_str_equal(a, b))
            print_error("chunk %zu:\n%.*s\nwhole:\n%.*s\n", chunk, ICE_STR_FMT(b),
                        ICE_STR_FMT(a));
        assert_true(ice_str_equal(a, b));
        trace_release(&pieces);
    }
    struct trace pieces;
    trace_pieces(&pieces, run, text, 4096, 0, 88172645463325252u + text.size);
    assert_true(ice_str_equal(ice_buf_str(&out->text), ice_buf_str(&pieces.text)));
    trace_release(&pieces);
}

#endif
