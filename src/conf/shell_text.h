/*
 * The raw words of a shell file and the references in them, without any meaning yet.
 */
#ifndef ICE_CONF_SHELL_TEXT_H
#define ICE_CONF_SHELL_TEXT_H

#include "base/str.h"

#include <stdbool.h>

struct ice_shell_scan {
    struct ice_str text;
    size_t at;
    bool in_array; /* ")" out of quotes ends a word, and the array */
};

struct ice_shell_raw {
    struct ice_str text; /* with quotes and escapes; borrowed */
    size_t at;
    bool begins_line, ends_command;
};

/* false at the end; of an array behind its ")". */
bool ice_shell_raw_next(struct ice_shell_scan *scan, struct ice_shell_raw *out);

/* "NAME=" or "NAME+=" at the start of a word. */
struct ice_shell_assignment {
    struct ice_str name;
    size_t value; /* offset in the word */
    bool is_append, is_array;
};
bool ice_shell_is_assignment(struct ice_str word, struct ice_shell_assignment *out);

enum ice_shell_ref_kind {
    ICE_SHELL_NO_REF, /* a dollar sign as such */
    ICE_SHELL_SCALAR, /* $NAME, ${NAME} */
    ICE_SHELL_ALL,    /* ${NAME[@]} */
    ICE_SHELL_JOINED, /* ${NAME[*]} */
    ICE_SHELL_ARGS,   /* $@, $* */
    ICE_SHELL_OTHER   /* $1, $(command), ${NAME:-text} ... */
};
/* A reference at the start of text, which begins with "$"; size: its bytes, 1 of no one.
 */
struct ice_shell_ref {
    enum ice_shell_ref_kind kind;
    struct ice_str name;
    size_t size;
};
struct ice_shell_ref ice_shell_ref_at(struct ice_str text);

#endif
