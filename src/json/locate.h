/*
 * A second, rare reading of a JSON file: where do these pointers stand? Passes keep no
 * offsets; only a table with findings pays for finding their lines.
 */
#ifndef ICE_JSON_LOCATE_H
#define ICE_JSON_LOCATE_H

#include "json/reader.h"

struct ice_locate {
    struct ice_str pointer; /* in: what to find */
    bool found;             /* out: false: the nearest ancestor that is there was taken */
    uint64_t offset; /* out: first byte of the value, ICE_NO_OFFSET if nothing at all */
    uint32_t line, column; /* out: from 1 */
    /* out: for a member that stands twice in its object */
    bool duplicate, duplicate_differs; /* values compared as JSON: numbers by text */
};

/*
 * Fill items (any order, repeats allowed) in one pass over stream. A malformed rest of
 * the input is not an error: what was found before it counts. keys_are_unique: the caller
 * knows that no key stands twice in its object, so nothing is read behind the last item.
 */
enum ice_status ice_json_locate(struct ice_stream *stream, struct ice_run *run,
                                bool keys_are_unique, struct ice_locate *items, size_t n,
                                struct ice_error *err);

#endif
