/*
 * The table of symptoms, and which of them typed words are about.
 */
#include "rule/symptoms.h"

#include "base/compiler.h"

struct row {
    enum ice_symptom_id symptom;
    const char *text;
};
struct cause {
    enum ice_symptom_id symptom;
    enum ice_rule_id rule;
};

#define ICE_SYMPTOM(token, name, about)
#define ICE_SEEN(token, text)
#define ICE_WORDS(token, words)
#define ICE_CAUSE(token, rule)
#define ICE_ASK(token, command)

static const struct {
    const char *name, *about;
} symptoms[] = {
#undef ICE_SYMPTOM
#define ICE_SYMPTOM(token, name, about) {name, about},
#include "rule/symptoms.def"
#undef ICE_SYMPTOM
#define ICE_SYMPTOM(token, name, about)
};

static const struct row seen[] = {
#undef ICE_SEEN
#define ICE_SEEN(token, text) {ICE_SYMPTOM_##token, text},
#include "rule/symptoms.def"
#undef ICE_SEEN
#define ICE_SEEN(token, text)
};

static const struct row words[] = {
#undef ICE_WORDS
#define ICE_WORDS(token, words) {ICE_SYMPTOM_##token, words},
#include "rule/symptoms.def"
#undef ICE_WORDS
#define ICE_WORDS(token, words)
};

static const struct cause causes[] = {
#undef ICE_CAUSE
#define ICE_CAUSE(token, rule) {ICE_SYMPTOM_##token, ICE_RULE_##rule},
#include "rule/symptoms.def"
#undef ICE_CAUSE
#define ICE_CAUSE(token, rule)
};

static const struct row asks[] = {
#undef ICE_ASK
#define ICE_ASK(token, command) {ICE_SYMPTOM_##token, command},
#include "rule/symptoms.def"
#undef ICE_ASK
#define ICE_ASK(token, command)
};

#undef ICE_SYMPTOM
#undef ICE_SEEN
#undef ICE_WORDS
#undef ICE_CAUSE
#undef ICE_ASK

/* Words that say nothing of what is meant. */
static const char *const fillers[] = {
    "a",   "an",   "and", "are",  "but", "do",  "does", "for", "from", "get", "i",
    "in",  "is",   "it",  "its",  "me",  "my",  "no",   "not", "of",   "on",  "our",
    "see", "that", "the", "this", "to",  "was", "we",   "why", "with"};

size_t ice_symptom_count(void) {
    return ICE_SYMPTOM_COUNT;
}

const char *ice_symptom_name(size_t symptom) {
    return symptom < ICE_SYMPTOM_COUNT ? symptoms[symptom].name : NULL;
}

const char *ice_symptom_about(size_t symptom) {
    return symptom < ICE_SYMPTOM_COUNT ? symptoms[symptom].about : NULL;
}

const struct ice_rule *ice_symptom_rule(size_t symptom, size_t index) {
    for (size_t i = 0; i < ICE_COUNT_OF(causes); i++) {
        if (causes[i].symptom == symptom && index-- == 0)
            return ice_rule_of(causes[i].rule);
    }
    return NULL;
}

const char *ice_symptom_command(size_t symptom, size_t index) {
    for (size_t i = 0; i < ICE_COUNT_OF(asks); i++) {
        if (asks[i].symptom == symptom && index-- == 0)
            return asks[i].text;
    }
    return NULL;
}

const char *ice_symptom_words(size_t symptom) {
    for (size_t i = 0; i < ICE_COUNT_OF(words); i++) {
        if (words[i].symptom == symptom)
            return words[i].text;
    }
    return "";
}

bool ice_seen_at(size_t index, enum ice_symptom_id *out, struct ice_str *out_text) {
    if (index >= ICE_COUNT_OF(seen))
        return false;
    *out = seen[index].symptom;
    *out_text = ice_str_from(seen[index].text);
    return true;
}

static bool is_in_word(char c) {
    return ice_sign_of(c) < ICE_SIGN_BLANK;
}

/* The next word of text at *at; false behind the last. */
static bool next_word(struct ice_str text, size_t *at, struct ice_str *out) {
    while (*at < text.size && !is_in_word(text.data[*at]))
        (*at)++;
    size_t start = *at;
    while (*at < text.size && is_in_word(text.data[*at]))
        (*at)++;
    *out = ice_str_first(ice_str_from_index(text, start), *at - start);
    return out->size > 0;
}

static bool is_filler(struct ice_str word) {
    for (size_t i = 0; i < ICE_COUNT_OF(fillers); i++) {
        if (ice_str_equal_nocase(word, ice_str_from(fillers[i])))
            return true;
    }
    return false;
}

static bool text_has(const char *text, struct ice_str word) {
    struct ice_str all = ice_str_from(text), one;
    for (size_t at = 0; next_word(all, &at, &one);) {
        if (ice_str_equal_nocase(one, word))
            return true;
    }
    return false;
}

static bool rows_have(const struct row *rows, size_t n, size_t symptom,
                      struct ice_str word) {
    for (size_t i = 0; i < n; i++) {
        if (rows[i].symptom == symptom && text_has(rows[i].text, word))
            return true;
    }
    return false;
}

bool ice_symptom_is_about(size_t symptom, struct ice_str typed) {
    struct ice_str word;
    bool has_any = false;
    if (symptom >= ICE_SYMPTOM_COUNT)
        return false;
    for (size_t at = 0; next_word(typed, &at, &word);) {
        if (is_filler(word))
            continue;
        has_any = true;
        if (!text_has(symptoms[symptom].name, word) &&
            !rows_have(seen, ICE_COUNT_OF(seen), symptom, word) &&
            !rows_have(words, ICE_COUNT_OF(words), symptom, word))
            return false;
    }
    return has_any;
}
