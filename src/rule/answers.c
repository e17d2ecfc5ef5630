/*
 * What a question is about: each text of the catalogue gets a score by the words that it
 * shares with the question, rare words first. The same question gives the same answers;
 * the work is bounded, whatever is typed.
 */
#include "rule/catalogue.h"
#include "rule/symptoms.h"
#include "rule/terms.h"

#include "base/compiler.h"

enum {
    MAX_TERMS = 48,   /* more words are left out */
    MAX_SYNONYMS = 8, /* of one word */
    MAX_FIELDS = 8,
    EXACT = 8,   /* a word itself */
    SYNONYM = 4, /* what it stands for */
    BEGINS = 4,  /* how a longer word begins */
};

static const struct {
    const char *question, *line, *words;
} questions[] = {
#define ICE_QUESTION(question, line, words) {question, line, words},
#include "rule/questions.def"
#undef ICE_QUESTION
};

static const struct {
    enum ice_rule_id rule;
    const char *words;
} rule_words[] = {
#define ICE_RULE_WORDS(rule, words) {ICE_RULE_##rule, words},
#include "rule/rule_words.def"
#undef ICE_RULE_WORDS
};

bool ice_question_at(size_t index, const char **out_question, const char **out_line) {
    if (index >= ICE_COUNT_OF(questions))
        return false;
    *out_question = questions[index].question;
    *out_line = questions[index].line;
    return true;
}

/* A word of the question with what it stands for. */
struct wanted {
    struct ice_term word, synonyms[MAX_SYNONYMS];
    size_t n_synonyms;
    uint32_t n_texts;  /* texts that have it */
    uint32_t rareness; /* 0: no text has it */
};

struct query {
    struct wanted terms[MAX_TERMS];
    size_t n;
    uint32_t all; /* sum of rareness */
};

/* The texts of one thing that may be the answer, with what a word in them is worth. */
struct page {
    struct {
        struct ice_str text;
        uint32_t weight;
    } fields[MAX_FIELDS];
    size_t n;
};

static void add_field(struct page *page, const char *text, uint32_t weight) {
    if (text != NULL && page->n < MAX_FIELDS) {
        page->fields[page->n].text = ice_str_from(text);
        page->fields[page->n++].weight = weight;
    }
}

static const char *words_of_rule(const struct ice_rule *rule) {
    for (size_t i = 0; i < ICE_COUNT_OF(rule_words); i++) {
        if (ice_rule_of(rule_words[i].rule) == rule)
            return rule_words[i].words;
    }
    return NULL;
}

static size_t count_of(enum ice_answer_kind kind) {
    switch (kind) {
    case ICE_ANSWER_SYMPTOM:
        return ICE_SYMPTOM_COUNT;
    case ICE_ANSWER_COMMAND:
        return ICE_COUNT_OF(questions);
    case ICE_ANSWER_RULE:
        return ICE_RULE_ID_COUNT;
    }
    return 0;
}

static struct page page_of(enum ice_answer_kind kind, size_t index) {
    struct page page = {.n = 0};
    switch (kind) {
    case ICE_ANSWER_SYMPTOM:
        add_field(&page, ice_symptom_name(index), 8);
        add_field(&page, ice_symptom_words(index), 6);
        break;
    case ICE_ANSWER_COMMAND:
        add_field(&page, questions[index].question, 8);
        add_field(&page, questions[index].words, 8);
        break;
    case ICE_ANSWER_RULE: {
        const struct ice_rule *rule = ice_rule_at(index);
        add_field(&page, rule->name, 8);
        add_field(&page, rule->message, 6);
        add_field(&page, rule->why, 3);
        add_field(&page, words_of_rule(rule), 8);
        add_field(&page, ice_rule_group_title(rule->group), 2);
        add_field(&page, rule->refused_by, 1);
        add_field(&page, rule->fix, 1);
        break;
    }
    }
    return page;
}

static uint32_t likeness(const struct wanted *wanted, const struct ice_term *term) {
    if (ice_term_equal(&wanted->word, term))
        return EXACT;
    for (size_t i = 0; i < wanted->n_synonyms; i++) {
        if (ice_term_equal(&wanted->synonyms[i], term))
            return SYNONYM;
    }
    return ice_term_begins(&wanted->word, term) ? BEGINS : 0;
}

/* The best place of every wanted word in a page, in hits[]. Returns how many words name
 * and message have, which makes long ones worth less. */
static size_t look_up(const struct query *query, const struct page *page,
                      uint32_t *hits) {
    size_t n_words = 0;
    for (size_t i = 0; i < query->n; i++)
        hits[i] = 0;
    for (size_t k = 0; k < page->n; k++) {
        struct ice_term term;
        for (size_t at = 0; ice_term_next(page->fields[k].text, &at, &term);) {
            n_words += k < 2;
            for (size_t i = 0; i < query->n; i++) {
                uint32_t worth =
                    likeness(&query->terms[i], &term) * page->fields[k].weight;
                if (worth > hits[i])
                    hits[i] = worth;
            }
        }
    }
    return n_words;
}

static void read_query(struct query *query, struct ice_str words) {
    struct ice_term term;
    query->n = 0;
    for (size_t at = 0; query->n < MAX_TERMS && ice_term_next(words, &at, &term);) {
        size_t k = 0;
        while (k < query->n && !ice_term_equal(&query->terms[k].word, &term))
            k++;
        if (k < query->n || ice_term_is_filler(&term))
            continue;
        struct wanted *wanted = &query->terms[query->n++];
        *wanted = (struct wanted){.word = term};
        wanted->n_synonyms = ice_term_synonyms(&term, wanted->synonyms, MAX_SYNONYMS);
    }
}

/* 16 times the logarithm to base 2 of all / some, roughly. */
static uint32_t rareness(uint32_t all, uint32_t some) {
    uint32_t value = 0, ratio = all * 16 / some;
    while (ratio >= 32) {
        ratio /= 2;
        value += 16;
    }
    return value + (ratio > 16 ? ratio - 16 : 0) + 1;
}

static void weigh(struct query *query) {
    static const enum ice_answer_kind kinds[] = {ICE_ANSWER_SYMPTOM, ICE_ANSWER_COMMAND,
                                                 ICE_ANSWER_RULE};
    uint32_t hits[MAX_TERMS], n_pages = 0;
    for (size_t k = 0; k < ICE_COUNT_OF(kinds); k++) {
        for (size_t i = 0; i < count_of(kinds[k]); i++, n_pages++) {
            const struct page page = page_of(kinds[k], i);
            (void)look_up(query, &page, hits);
            for (size_t t = 0; t < query->n; t++)
                query->terms[t].n_texts += hits[t] > 0;
        }
    }
    query->all = 0;
    for (size_t t = 0; t < query->n; t++) {
        struct wanted *wanted = &query->terms[t];
        wanted->rareness = wanted->n_texts > 0 ? rareness(n_pages, wanted->n_texts) : 0;
        query->all += wanted->rareness;
    }
}

/* How much of a name the question holds, in hundredths. */
static uint32_t name_share(const struct query *query, struct ice_str name) {
    uint32_t n = 0, held = 0;
    struct ice_term term;
    for (size_t at = 0; ice_term_next(name, &at, &term); n++) {
        uint32_t best = 0;
        for (size_t i = 0; i < query->n; i++) {
            uint32_t like = likeness(&query->terms[i], &term);
            best = like > best ? like : best;
        }
        held += best;
    }
    return n > 0 ? held * 100 / (n * EXACT) : 0;
}

/* Score 0: it is not about that at all. */
static struct ice_answer judge(const struct query *query, enum ice_answer_kind kind,
                               size_t index) {
    uint32_t hits[MAX_TERMS];
    uint64_t score = 0, found = 0;
    const struct page page = page_of(kind, index);
    size_t n_words = look_up(query, &page, hits);
    for (size_t t = 0; t < query->n; t++) {
        score += (uint64_t)query->terms[t].rareness * hits[t];
        found += hits[t] > 0 ? query->terms[t].rareness : 0;
    }
    unsigned share = query->all > 0 ? (unsigned)(found * 100 / query->all) : 0;
    uint64_t shortness = 64;
    if (kind == ICE_ANSWER_RULE) {
        shortness = 40 + n_words;
        score = score * (100 + name_share(query, page.fields[0].text)) / 100;
    }
    return (struct ice_answer){.kind = kind,
                               .index = index,
                               .share = share,
                               .score = (uint32_t)(score * share / shortness)};
}

size_t ice_answers(enum ice_answer_kind kind, struct ice_str words,
                   struct ice_answer *out, size_t n) {
    struct query query;
    size_t found = 0;
    read_query(&query, words);
    weigh(&query);
    for (size_t i = 0; i < count_of(kind) && query.all > 0; i++) {
        struct ice_answer answer = judge(&query, kind, i);
        size_t at = found;
        if (answer.score == 0)
            continue;
        while (at > 0 && out[at - 1].score < answer.score)
            at--;
        if (at >= n)
            continue;
        for (size_t k = found < n ? found : n - 1; k > at; k--)
            out[k] = out[k - 1];
        out[at] = answer;
        found += found < n;
    }
    return found;
}
