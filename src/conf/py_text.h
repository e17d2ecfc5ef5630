/*
 * Texts that a Python script builds from literals: "a" "b", "a" + x + "b", f"a{x}b". What
 * is not a literal is a hole, spelt ${} in the result.
 */
#ifndef ICE_CONF_PY_TEXT_H
#define ICE_CONF_PY_TEXT_H

#include "base/arena.h"
#include "conf/py_lexer.h"

/* From here to the next segment the text stands byte by byte at offset in the script. */
struct ice_py_segment {
    size_t index;  /* in the text */
    size_t offset; /* in the script */
};

struct ice_py_text {
    struct ice_str text; /* escapes resolved */
    struct ice_py_segment *segments;
    size_t n_segments;
    bool has_hole;
};

/* What a text is built from, in order. */
struct ice_py_piece {
    struct ice_py_token token; /* a string; of any other kind: a hole */
    struct ice_py_piece *next;
};

/* All in the arena. false: out of memory. Time and memory grow with the pieces. */
bool ice_py_text_build(const struct ice_py_piece *pieces, struct ice_arena *arena,
                       struct ice_py_text *out) ICE_MUST_USE;

/* Where byte `index` of the text stands in the script. */
size_t ice_py_text_offset(const struct ice_py_text *text, size_t index);

#endif
