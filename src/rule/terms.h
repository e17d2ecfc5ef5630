/*
 * Words of texts in the one form in which questions are compared with rules: small
 * letters, without the ends that English adds.
 */
#ifndef ICE_RULE_TERMS_H
#define ICE_RULE_TERMS_H

#include "base/str.h"

/* Longer words are cut. */
enum { ICE_TERM_BYTES = 24 };

struct ice_term {
    char text[ICE_TERM_BYTES];
    uint8_t size; /* of the text */
};

/* The next word at *at, in that form; false behind the last. */
bool ice_term_next(struct ice_str text, size_t *at, struct ice_term *out);
bool ice_term_equal(const struct ice_term *a, const struct ice_term *b);
/* Is a, of four letters at least, how b begins? */
bool ice_term_begins(const struct ice_term *a, const struct ice_term *b);
/* Does the word say nothing of what is meant? */
bool ice_term_is_filler(const struct ice_term *term);
/* What else a typed word stands for, by synonyms.def: how many, at most n. */
size_t ice_term_synonyms(const struct ice_term *term, struct ice_term *out, size_t n);

#endif
