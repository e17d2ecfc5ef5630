/*
 * Inside of struct ice_shell: what its files share.
 */
#ifndef ICE_CONF_SHELL_STATE_H
#define ICE_CONF_SHELL_STATE_H

#include "conf/shell.h"
#include "conf/shell_text.h"
#include "conf/shell_value.h"

enum {
    ICE_SHELL_MOST_VARIABLES = 500,
    ICE_SHELL_MOST_BLOCKS = 32,
    ICE_SHELL_MOST_TEXT = 1 << 20 /* that variables give, all together */
};

struct ice_shell_variable {
    struct ice_str name;
    struct ice_shell_value value; /* of an array words, else text */
    bool is_array, is_known;
    bool is_used;   /* a command or another variable names it */
    size_t depth;   /* blocks around the last assignment */
    size_t n, n_to; /* assignments so far, and in the whole file */
};

enum ice_shell_block {
    ICE_SHELL_BRANCH,
    ICE_SHELL_LOOP,
    ICE_SHELL_FUNCTION,
    ICE_SHELL_GROUP
};

struct ice_shell {
    struct ice_conf *conf;
    struct ice_shell_scan scan;
    struct ice_shell_variable *variables;
    size_t n_variables, cap_variables;
    enum ice_shell_block blocks[ICE_SHELL_MOST_BLOCKS];
    size_t n_blocks;
    size_t n_text;
    bool is_lost; /* there is more than is looked at: nothing is known any more */

    bool is_inside;
    bool begins_command; /* the next word does */
    bool is_condition;   /* ... if the one before it says so: "&&", "||" */
    bool declares;       /* words are assignments: behind "export" */
    bool takes_names;    /* words are names of variables: behind "read" */
    bool names_function; /* the next block is one */

    struct ice_shell_value words; /* to be handed out ... */
    size_t at;                    /* ... from here */
    struct ice_shell_raw raw;     /* which they come from */
    bool is_first;                /* none of them was handed out */
    size_t loose;                 /* variables looked at, at the end */
};

/* ---- shell_expand.c: variables, and what words hold ---- */

/* NULL: there is none of the name. */
struct ice_shell_variable *ice_shell_find(const struct ice_shell *s, struct ice_str name);
/* Blocks around the innermost one that may run more than once, and that one; 0: none. */
size_t ice_shell_repeated(const struct ice_shell *s);
bool ice_shell_is_known(const struct ice_shell *s, const struct ice_shell_variable *v);

struct ice_shell_reading {
    struct ice_shell *s;
    struct ice_shell_value *out;
    struct ice_str text;
    size_t at; /* of text in the file */
    size_t i;
    char quote;
    bool splits; /* not what is assigned */
    const struct ice_shell_variable *own;
    bool names_own; /* a value is made of the variable's former one */
};
/* The text of a raw word, behind `from` bytes of it, to the end of r->out. false: out of
 * memory. */
bool ice_shell_evaluate(struct ice_shell_reading *r, const struct ice_shell_raw *raw,
                        size_t from);

/* ---- shell_flow.c: what changes variables without assigning ---- */

void ice_shell_forget(struct ice_shell *s,
                      struct ice_shell_variable *v); /* NULL: nothing */
/* A word without ";", "&" and "|" at its end. */
struct ice_str ice_shell_bare(struct ice_str word);
/* Words that change what is known. begins: the word is the first of a command. */
void ice_shell_see(struct ice_shell *s, struct ice_str word, bool begins);
/* A word that ends a command, whole. */
void ice_shell_end_command(struct ice_shell *s, struct ice_str word);

#endif
