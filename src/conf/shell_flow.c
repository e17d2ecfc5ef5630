/*
 * Blocks and commands: behind which of them a variable may hold something else.
 */
#include "conf/shell_state.h"

#include "base/compiler.h"

void ice_shell_forget(struct ice_shell *s, struct ice_shell_variable *v) {
    if (v == NULL)
        return;
    v->is_known = false;
    v->depth = s->n_blocks;
}

/* ... what was assigned in the block at hand, or in one of its own. */
static void forget_block(struct ice_shell *s) {
    for (size_t i = 0; s->n_blocks > 0 && i < s->n_variables; i++) {
        if (s->variables[i].depth >= s->n_blocks)
            s->variables[i].is_known = false;
    }
}

static void forget_all(struct ice_shell *s) {
    for (size_t i = 0; i < s->n_variables; i++)
        ice_shell_forget(s, &s->variables[i]);
}

/* ---- the flow of commands ---- */

enum act {
    OPEN_BRANCH,
    OPEN_LOOP,
    OPEN_NAMES, /* "for": a loop, and a name behind it */
    OPEN_GROUP,
    NEXT,   /* a command follows */
    BEHIND, /* ... in another branch */
    CLOSE,
    LOSE_ALL,
    LOSE_NAMES,
    DECLARE,
    DEFINE
};

static const struct {
    const char *word;
    enum act act;
} words[] = {
    {"if", OPEN_BRANCH},
    {"case", OPEN_BRANCH},
    {"while", OPEN_LOOP},
    {"until", OPEN_LOOP},
    {"for", OPEN_NAMES},
    {"select", OPEN_NAMES},
    {"{", OPEN_GROUP},
    {"(", OPEN_GROUP},
    {"then", NEXT},
    {"do", NEXT},
    {"!", NEXT},
    {"time", NEXT},
    {"elif", BEHIND},
    {"else", BEHIND},
    {"fi", CLOSE},
    {"esac", CLOSE},
    {"done", CLOSE},
    {"}", CLOSE},
    {")", CLOSE},
    {"source", LOSE_ALL},
    {".", LOSE_ALL},
    {"eval", LOSE_ALL},
    {"read", LOSE_NAMES},
    {"mapfile", LOSE_NAMES},
    {"readarray", LOSE_NAMES},
    {"getopts", LOSE_NAMES},
    {"unset", LOSE_NAMES},
    {"printf", LOSE_NAMES},
    {"let", LOSE_NAMES},
    {"export", DECLARE},
    {"local", DECLARE},
    {"readonly", DECLARE},
    {"declare", DECLARE},
    {"typeset", DECLARE},
    {"function", DEFINE},
};

static void open_block(struct ice_shell *s, enum ice_shell_block block) {
    if (s->n_blocks == ICE_SHELL_MOST_BLOCKS)
        s->is_lost = true;
    else
        s->blocks[s->n_blocks++] = block;
}

static void close_block(struct ice_shell *s) {
    forget_block(s);
    s->n_blocks -= s->n_blocks > 0;
}

static void act_on(struct ice_shell *s, enum act act) {
    switch (act) {
    case OPEN_NAMES:
        s->takes_names = true;
        open_block(s, ICE_SHELL_LOOP);
        return;
    case OPEN_LOOP:
        s->begins_command = true;
        open_block(s, ICE_SHELL_LOOP);
        return;
    case OPEN_BRANCH:
        s->begins_command = true;
        open_block(s, ICE_SHELL_BRANCH);
        return;
    case OPEN_GROUP:
        s->begins_command = true;
        open_block(s, s->names_function ? ICE_SHELL_FUNCTION : ICE_SHELL_GROUP);
        s->names_function = false;
        return;
    case BEHIND:
        forget_block(s);
        s->begins_command = true;
        return;
    case NEXT:
        s->begins_command = true;
        return;
    case CLOSE:
        close_block(s);
        return;
    case LOSE_ALL:
        forget_all(s);
        return;
    case LOSE_NAMES:
        s->takes_names = true;
        return;
    case DECLARE:
        s->declares = true;
        return;
    case DEFINE:
        s->names_function = true;
        return;
    }
}

struct ice_str ice_shell_bare(struct ice_str word) {
    while (word.size > 0 && strchr(";&|", word.data[word.size - 1]) != NULL)
        word.size--;
    return word;
}

static bool is_in_branch(const struct ice_shell *s) {
    return s->n_blocks > 0 && s->blocks[s->n_blocks - 1] == ICE_SHELL_BRANCH;
}

void ice_shell_see(struct ice_shell *s, struct ice_str word, bool begins) {
    if (s->takes_names || (s->declares && !begins)) {
        ice_shell_forget(s, ice_shell_find(s, word));
        return;
    }
    if (ice_str_ends(word, ICE_STR("()")) || ice_str_ends(word, ICE_STR("(){"))) {
        s->names_function = s->begins_command = true;
        if (word.data[word.size - 1] == '{')
            act_on(s, OPEN_GROUP);
        return;
    }
    /* an arm of a case */
    if (is_in_branch(s) && word.size > 1 && word.data[word.size - 1] == ')' &&
        ice_str_find(word, '(') == SIZE_MAX) {
        forget_block(s);
        s->begins_command = true;
        return;
    }
    for (size_t i = 0; begins && i < ICE_COUNT_OF(words); i++) {
        if (ice_str_is(word, words[i].word)) {
            act_on(s, words[i].act);
            return;
        }
    }
}

void ice_shell_end_command(struct ice_shell *s, struct ice_str word) {
    struct ice_str end = ice_str_from_index(word, ice_shell_bare(word).size);
    s->takes_names = s->declares = false;
    s->begins_command = true;
    s->is_condition = !ice_str_is(end, ";") && !ice_str_is(end, ";;");
    if (ice_str_is(end, ";;"))
        forget_block(s);
}
