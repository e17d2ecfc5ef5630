/*
 * The members of struct ice_json; included by json/reader.h only. Callers use the
 * functions.
 */
#ifndef ICE_JSON_READER_STATE_H
#define ICE_JSON_READER_STATE_H

#include "json/keyset.h"
#include "json/shape.h"

/* What the grammar allows at the next byte that is no space. */
enum ice_json_state {
    ICE_JSON_AT_START,  /* nothing read yet: look for marks of an encoding */
    ICE_JSON_AT_VALUE,  /* a value must follow */
    ICE_JSON_AT_FIRST,  /* behind '[': a value or ']' */
    ICE_JSON_AT_MEMBER, /* behind '{': a key or '}' */
    ICE_JSON_AT_KEY,    /* behind ',' of an object: a key */
    ICE_JSON_AT_COLON,
    ICE_JSON_AT_NEXT, /* behind a value: ',' or the end */
    ICE_JSON_AT_END,  /* behind the root */
    ICE_JSON_IS_DONE,
    ICE_JSON_IS_FAILED,
};

/* Objects deeper than this are read without a shape. */
enum { ICE_JSON_SHAPED_DEPTH = 8 };

/* One open array or object. */
struct ice_json_frame {
    bool is_object;
    bool has_step;      /* a member or element was begun */
    uint64_t n_begun;   /* array: elements begun */
    size_t path_start;  /* object: the current key is path[path_start ..) ... */
    bool key_is_shaped; /* ... or the last that it had of its shape */
    bool is_hashed;     /* its keys are in hashes or many; else its shape is the proof */
    struct ice_json_shaped shaped;
    /* object that is hashed: hashes of its keys are hashes[hash_start ..) */
    size_t hash_start;
    struct ice_json_keyset many; /* object with many keys: they are here instead */
};

/*
 * Invariants: data[0 .. size) is what the stream's last peek showed, data[0] stands at
 * offset base; at <= size. The token of the last event begins at data[last]. line and
 * line_start belong to data[0].
 */
struct ice_json {
    struct ice_stream *stream;
    struct ice_run *run;
    ice_json_notice_fn notice;
    void *user;

    const unsigned char *data;
    size_t at, size, last;
    uint64_t base;
    bool at_end; /* the input has no more bytes behind size */
    size_t counted;
    uint32_t line;
    uint64_t line_start; /* offset of the first byte of that line */

    enum ice_json_state state;
    enum ice_status failed;
    struct ice_json_frame *frames;
    size_t depth, frames_capacity;
    uint64_t *hashes;
    size_t n_hashes, hashes_capacity;
    /* of the last objects at these depths; NULL: there were fewer than two */
    struct ice_json_shape *shapes[ICE_JSON_SHAPED_DEPTH];
    uint32_t n_objects[ICE_JSON_SHAPED_DEPTH]; /* up to 2 */
    struct ice_buf path;  /* the current keys of the open objects, one behind the other */
    struct ice_buf text;  /* the last string with escapes */
    struct ice_buf place; /* pointer of a notice */

    struct ice_buf *raw; /* not NULL: copy the input here */
    size_t raw_from;     /* index of the first byte not yet copied */
};

#endif
