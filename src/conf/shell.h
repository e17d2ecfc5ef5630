/*
 * The words of a shell file with what its variables hold put in, as far as the file alone
 * tells it. Nothing is run: what a branch, a loop, a function, another file or the
 * environment may have changed is not known, and is handed out as such.
 */
#ifndef ICE_CONF_SHELL_H
#define ICE_CONF_SHELL_H

#include "conf/conf.h"

/* A word; text: quotes and escapes taken off. */
struct ice_shell_word {
    struct ice_str text; /* in the setup's arena; of what is not known the reference */
    size_t at;           /* where its first byte stands, be it in an assignment ... */
    size_t value_at;     /* ... and the one behind its first "=" */
    bool has_unknown;    /* a part of it is not known ... */
    bool is_unknown;     /* ... all of it is not: one word ... */
    bool is_many;        /* ... or any number of words */
    bool is_named;       /* ... that stand in a variable, by its name alone */
    bool begins_line;
    bool ends_command; /* ";", "&" or "|" is in it, out of quotes */
    bool is_loose; /* of an array that no command named: all of it stands at the end */
};

struct ice_shell; /* shell.c */

/* input is borrowed. ICE_ENOMEM. */
enum ice_status ice_shell_open(struct ice_shell **out, struct ice_conf *conf,
                               const struct ice_conf_input *input);
/* The next word: assignments give none. ICE_DONE at the end; ICE_ENOMEM. */
enum ice_status ice_shell_next(struct ice_shell *shell, struct ice_shell_word *out);
/* Is the word handed out last an argument of a command that is being read? Then what
 * follows in its line is no assignment, and what it names of variables is used. */
void ice_shell_set_inside(struct ice_shell *shell, bool is_inside);
void ice_shell_free(struct ice_shell *shell); /* NULL: nothing */

#endif
