/*
 * Forms of listings with one line an object: each is one function from a line to an
 * object, and the same functions recognise the form.
 */
#ifndef ICE_INPUTS_LISTING_LINES_H
#define ICE_INPUTS_LISTING_LINES_H

#include "inputs/listing.h"

/* What a line is. */
enum ice_line {
    ICE_LINE_NO, /* not of this form */
    ICE_LINE_OBJECT,
    ICE_LINE_SKIP,    /* of this form, but no object: directory, header, trailer */
    ICE_LINE_PARTIAL, /* ... and it says that the listing is not whole */
};

/* listing NULL: only recognise; then a time is not read. out borrows from text. */
typedef enum ice_line (*ice_line_fn)(struct ice_listing *listing, struct ice_str text,
                                     struct ice_listed *out);

/* All of them; those that match much come last. */
struct ice_line_form {
    enum ice_listing_format format;
    ice_line_fn read;
};
enum { ICE_LINE_FORMS = 10 };
extern const struct ice_line_form ice_line_forms[ICE_LINE_FORMS];

/* Lines of a stream, one after another. */
struct ice_lines {
    struct ice_stream *stream;
    struct ice_buf kept; /* a line that lies over a border of what the stream shows */
    size_t pending;      /* bytes of the last line, still to be stepped over */
    char end;            /* '\n', or NUL where the first 64 KiB have one */
    bool is_first;
    bool is_open; /* the last line had no end */
};
enum ice_status ice_lines_init(struct ice_lines *lines, struct ice_stream *stream,
                               struct ice_error *err);
void ice_lines_release(struct ice_lines *lines);
/*
 * The next line, its end taken off (and '\r' in front of '\n', and a UTF-8 mark at the
 * start of all); ICE_DONE behind the last, ICE_EFORMAT for one beyond 1 MiB, at the
 * offset where it begins. Borrowed until the next call.
 */
enum ice_status ice_lines_next(struct ice_lines *lines, struct ice_str *out,
                               struct ice_error *err);
/* What _next takes off. */
struct ice_str ice_trim_line(struct ice_str line, bool is_first);

#endif
