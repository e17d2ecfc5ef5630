/*
 * Words: where they end, what is taken off them, which stand for others.
 */
#include "rule/terms.h"

#include "base/chars.h"
#include "base/compiler.h"

#include <string.h>

static const struct {
    const char *typed, *meant;
} synonyms[] = {
#define ICE_SAME(typed, meant) {typed, meant},
#include "rule/synonyms.def"
#undef ICE_SAME
};

static const char fillers[] =
    "a about above after again all also am an and any anything are as at be been before "
    "below but by can could "
    "did do does done during each ever every for from get gets got had has have he help "
    "here how i if in into is "
    "it its just know let like me mean means my new no nor now of off on once one only "
    "or other our out over own "
    "please say says see seem seems she should since so some somebody someone something "
    "still such tell tells than that the "
    "their them then there these they thing things this those through to told under "
    "until up us very was we well were "
    "what when where whether which while who why will with would you your "
    "iceberg icefsck table tables "
    "error errors say";

static char fold(char c) {
    return ice_is_letter(c) || ice_is_digit(c) ? ice_lower(c) : '\0';
}

static bool ends(const struct ice_term *term, const char *end, size_t least) {
    size_t size = strlen(end);
    return term->size >= size + least &&
           memcmp(term->text + term->size - size, end, size) == 0;
}

static void take_off(struct ice_term *term, size_t size) {
    term->size = (uint8_t)(term->size - size);
}

/* "dropp", of dropped */
static void undouble(struct ice_term *term) {
    size_t n = term->size;
    if (n > 3 && term->text[n - 1] == term->text[n - 2] &&
        strchr("lsz", term->text[n - 1]) == NULL)
        take_off(term, 1);
}

static void stem(struct ice_term *term) {
    if (ends(term, "ies", 2)) {
        take_off(term, 2);
        term->text[term->size - 1] = 'y';
    } else if (ends(term, "sses", 1) || ends(term, "xes", 1) || ends(term, "ches", 2) ||
               ends(term, "shes", 2)) {
        take_off(term, 2);
    } else if (ends(term, "s", 2) && !ends(term, "ss", 1) && !ends(term, "us", 1) &&
               !ends(term, "is", 1)) {
        take_off(term, 1);
    }
    if (ends(term, "ing", 3)) {
        take_off(term, 3);
        undouble(term);
    } else if (ends(term, "ed", 3)) {
        take_off(term, 2);
        undouble(term);
    }
    if (ends(term, "e", 3))
        take_off(term, 1);
}

bool ice_term_next(struct ice_str text, size_t *at, struct ice_term *out) {
    size_t i = *at;
    *out = (struct ice_term){0};
    while (i < text.size && fold(text.data[i]) == '\0')
        i++;
    for (; i < text.size && fold(text.data[i]) != '\0'; i++) {
        if (out->size < ICE_TERM_BYTES)
            out->text[out->size++] = fold(text.data[i]);
    }
    *at = i;
    stem(out);
    return out->size > 0;
}

bool ice_term_equal(const struct ice_term *a, const struct ice_term *b) {
    return a->size == b->size && memcmp(a->text, b->text, a->size) == 0;
}

bool ice_term_begins(const struct ice_term *a, const struct ice_term *b) {
    return a->size >= 4 && a->size <= b->size && memcmp(a->text, b->text, a->size) == 0;
}

static bool text_has(const char *text, const struct ice_term *term) {
    struct ice_term one;
    for (size_t at = 0; ice_term_next(ice_str_from(text), &at, &one);) {
        if (ice_term_equal(&one, term))
            return true;
    }
    return false;
}

bool ice_term_is_filler(const struct ice_term *term) {
    return text_has(fillers, term);
}

size_t ice_term_synonyms(const struct ice_term *term, struct ice_term *out, size_t n) {
    size_t found = 0;
    for (size_t i = 0; i < ICE_COUNT_OF(synonyms); i++) {
        if (!text_has(synonyms[i].typed, term))
            continue;
        struct ice_term one;
        struct ice_str meant = ice_str_from(synonyms[i].meant);
        for (size_t at = 0; found < n && ice_term_next(meant, &at, &one);) {
            if (!ice_term_equal(&one, term))
                out[found++] = one;
        }
    }
    return found;
}
