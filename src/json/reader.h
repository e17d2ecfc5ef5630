/*
 * Streaming JSON (RFC 8259, strict UTF-8): pull events with exact positions, bounded
 * memory, explicit stack, no tree. What is odd but readable is a notice; what is
 * malformed ends the reading with ICE_EFORMAT, a rule and a place.
 *
 *   while ((status = ice_json_next(&json, &event, err)) == ICE_OK) switch (event.kind)
 * ...
 */
#ifndef ICE_JSON_READER_H
#define ICE_JSON_READER_H

#include "base/buf.h"
#include "base/hash.h"
#include "stream/stream.h"

enum ice_json_kind {
    ICE_JSON_OBJECT,
    ICE_JSON_OBJECT_END,
    ICE_JSON_ARRAY,
    ICE_JSON_ARRAY_END,
    ICE_JSON_KEY,
    ICE_JSON_STRING,
    ICE_JSON_NUMBER,
    ICE_JSON_TRUE,
    ICE_JSON_FALSE,
    ICE_JSON_NULL,
};

struct ice_json_event {
    enum ice_json_kind kind;
    /* KEY, STRING: unescaped, may hold NUL; a lone surrogate is kept as its three bytes
     * (not UTF-8). NUMBER: the token as written. Borrowed until the next call. */
    struct ice_str text;
    uint64_t offset; /* of the first byte of the token */
    /* NUMBER: most integers of 64 bits come with their value; ice_number_i64 knows all */
    bool has_integer;
    int64_t integer;
};

/*
 * Odd, yet readable. Each is a rule of its own; offset and pointer of the place as usual.
 * A string gives each of its notices once, at the first place.
 */
enum ice_json_notice {
    ICE_JSON_BOM,            /* json.encoding.bom */
    ICE_JSON_LONE_SURROGATE, /* json.string.lone-surrogate */
    ICE_JSON_NUL,            /* json.string.nul */
    ICE_JSON_DUPLICATE_KEY,  /* json.key.duplicate: pointer names the member */
    ICE_JSON_TRAILING_DATA,  /* json.trailing-data */
};
typedef enum ice_status (*ice_json_notice_fn)(enum ice_json_notice notice,
                                              uint64_t offset, struct ice_str pointer,
                                              void *user);

struct ice_json; /* see below; callers do not touch its members */

#include "json/reader_state.h"

/* stream is borrowed until the release. notice may be NULL: then odd things are ignored.
 */
enum ice_status ice_json_init(struct ice_json *json, struct ice_stream *stream,
                              struct ice_run *run, ice_json_notice_fn notice, void *user,
                              struct ice_error *err);
/*
 * The stream then stands right behind the last token, so documents that follow one
 * another can be read by one reader each: stop when the depth is 0 again. Safe twice and
 * on all-zero.
 */
void ice_json_release(struct ice_json *json);

/*
 * The next event; ICE_DONE behind the root value (its trailing bytes were looked at).
 * Faults, ICE_EFORMAT: "json.truncated" (the input ends inside the value, is empty or
 * blank), "json.syntax.invalid", "json.encoding.not-utf8"; ICE_ELIMIT: "limit.depth",
 * "limit.token". err has offset, line, column and pointer. Final: the reader stays
 * failed.
 */
enum ice_status ice_json_next(struct ice_json *json, struct ice_json_event *out,
                              struct ice_error *err) ICE_MUST_USE;

/* Read on behind the value that `event` began (a no-op for a scalar). */
enum ice_status ice_json_skip(struct ice_json *json, const struct ice_json_event *event,
                              struct ice_error *err) ICE_MUST_USE;

/* As _skip, but append the value's exact bytes as they stand in the input to out. */
enum ice_status ice_json_raw(struct ice_json *json, const struct ice_json_event *event,
                             struct ice_buf *out, struct ice_error *err) ICE_MUST_USE;

/* Depth of open arrays and objects. */
size_t ice_json_depth(const struct ice_json *json);

/*
 * RFC 6901 pointer of the value of the last event (of KEY: of its member), appended to
 * out after clearing it.
 */
enum ice_status ice_json_pointer(const struct ice_json *json, struct ice_buf *out);

/* Line and column (from 1; columns count bytes) of an offset at or behind the last event.
 */
void ice_json_position(const struct ice_json *json, uint64_t offset, uint32_t *out_line,
                       uint32_t *out_column);

/* ---- numbers ---- */
enum ice_number {
    ICE_NUMBER_OK,
    ICE_NUMBER_NOT_INTEGER, /* fraction or exponent */
    ICE_NUMBER_RANGE,       /* beyond 64 bits */
};
/* token as of ICE_JSON_NUMBER. "-0" is 0. */
enum ice_number ice_number_i64(struct ice_str token, int64_t *out);
/* The same of an event. */
static inline enum ice_number ice_json_i64(const struct ice_json_event *event,
                                           int64_t *out) {
    if (!event->has_integer)
        return ice_number_i64(event->text, out);
    *out = event->integer;
    return ICE_NUMBER_OK;
}
/* Nearest double of a token, no locale; false on overflow to infinity. */
bool ice_number_f64(struct ice_str token, double *out);

/* Append one key or index as a pointer step: "/" and the text with ~0 and ~1. */
enum ice_status ice_pointer_append(struct ice_buf *out, struct ice_str step);
enum ice_status ice_pointer_append_index(struct ice_buf *out, uint64_t index);
/* The first step of a pointer, with its slash; empty: there is none. */
struct ice_str ice_pointer_step(struct ice_str pointer);

#endif
