/*
 * Streaming JSON output, compact or indented, to a byte sink. Commas, quoting and
 * escaping are done here. A byte that is not UTF-8 is written as \\xNN (it reads back as
 * \xNN), so that every output parses.
 */
#ifndef ICE_JSON_WRITER_H
#define ICE_JSON_WRITER_H

#include "base/buf.h"

/* Errors stick: after the first failing write nothing more is written, status says why.
 */
struct ice_json_writer {
    ice_write_fn write;
    void *user;
    enum ice_status status;
    unsigned indent; /* spaces a level, 0: one line */
    unsigned depth;
    bool need_comma, after_key;
    char buffer[4096];
    size_t used;
};

void ice_jw_init(struct ice_json_writer *w, ice_write_fn write, void *user,
                 unsigned indent);
void ice_jw_object(struct ice_json_writer *w);
void ice_jw_object_end(struct ice_json_writer *w);
void ice_jw_array(struct ice_json_writer *w);
void ice_jw_array_end(struct ice_json_writer *w);
void ice_jw_key(struct ice_json_writer *w, const char *key);
void ice_jw_key_str(struct ice_json_writer *w, struct ice_str key);
void ice_jw_str(struct ice_json_writer *w, struct ice_str text);
void ice_jw_text(struct ice_json_writer *w, const char *text);
void ice_jw_i64(struct ice_json_writer *w, int64_t value);
void ice_jw_u64(struct ice_json_writer *w, uint64_t value);
void ice_jw_i64_string(struct ice_json_writer *w,
                       int64_t value); /* "123": for 64-bit ids */
void ice_jw_f64(
    struct ice_json_writer *w,
    double value); /* shortest that reads back; NaN and infinities as strings */
void ice_jw_bool(struct ice_json_writer *w, bool value);
void ice_jw_null(struct ice_json_writer *w);
void ice_jw_hex(struct ice_json_writer *w,
                struct ice_str bytes); /* lower-case hex string */
void ice_jw_raw(struct ice_json_writer *w, struct ice_str json); /* a finished value */
void ice_jw_newline(struct ice_json_writer *w); /* between documents (ndjson) */
/* Flush; returns the sticky status. */
enum ice_status ice_jw_finish(struct ice_json_writer *w);

#endif
