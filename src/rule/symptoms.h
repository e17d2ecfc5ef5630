/*
 * Symptoms: what people see and what logs say, with the rules that may explain it. Public
 * lookups are in icefsck.h. symptoms.def, in the order of a report (classpath,
 * registration, identity, warehouse and endpoint, job and script, the table's entry,
 * freshness), has rows of
 *
 * ICE_SYMPTOM(TOKEN, "what people see", "what it means")
 * ICE_SEEN(TOKEN, "text")     a text of a log that is a sure sign
 * ICE_WORDS(TOKEN, "words")   words that people type, beside those of the other rows
 * ICE_CAUSE(TOKEN, RULE)      a rule that may explain it, likeliest first
 * ICE_ASK(TOKEN, "command")   what to run
 *
 * Texts are compared in one spelling: letters folded, blanks, line ends, '_' and '-' one
 * blank, '.' and '/' one sign, all other signs one.
 */
#ifndef ICE_RULE_SYMPTOMS_H
#define ICE_RULE_SYMPTOMS_H

#include "rule/catalogue.h"

#include "base/str.h"

enum ice_symptom_id {
#define ICE_SYMPTOM(token, name, about) ICE_SYMPTOM_##token,
#define ICE_SEEN(token, text)
#define ICE_WORDS(token, words)
#define ICE_CAUSE(token, rule)
#define ICE_ASK(token, command)
#include "rule/symptoms.def"
#undef ICE_SYMPTOM
#undef ICE_SEEN
#undef ICE_WORDS
#undef ICE_CAUSE
#undef ICE_ASK
    ICE_SYMPTOM_COUNT
};

/* Signs of the one spelling: letters are 0 to 25, digits 26 to 35. */
enum {
    ICE_SIGN_DIGIT = 26,
    ICE_SIGN_BLANK = 36,
    ICE_SIGN_DOT,
    ICE_SIGN_OTHER,
    ICE_SIGN_COUNT
};

static inline unsigned char ice_sign_of(char c) {
    if (c >= 'a' && c <= 'z')
        return (unsigned char)(c - 'a');
    if (c >= 'A' && c <= 'Z')
        return (unsigned char)(c - 'A');
    if (c >= '0' && c <= '9')
        return (unsigned char)(ICE_SIGN_DIGIT + (c - '0'));
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '_' || c == '-')
        return ICE_SIGN_BLANK;
    return c == '.' || c == '/' ? ICE_SIGN_DOT : ICE_SIGN_OTHER;
}

/* What its ICE_WORDS row says, or "". */
const char *ice_symptom_words(size_t symptom);

/* The index-th text of the ICE_SEEN rows; false beyond the last. */
bool ice_seen_at(size_t index, enum ice_symptom_id *out, struct ice_str *out_text);

#endif
