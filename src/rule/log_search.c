/*
 * Symptoms and rule names in a log of any size, read once in pieces of any size.
 *
 * All texts stand in one automaton (Aho and Corasick): a byte costs one step. Hits are
 * weighed by traces: a chain of exceptions is a line, its frames, "Caused by:" lines and
 * their frames. Of a chain with causes, what stands in the innermost one counts most,
 * then plain lines and chains without causes, then what wraps a cause. Hits in frames are
 * class names on the way, and count for nothing. Logs come with times in front of every
 * line, and in JSON with \n inside a string; both are seen through.
 */
#include "rule/symptoms.h"

#include "base/alloc.h"
#include "base/compiler.h"
#include "base/error.h"

#include <stdint.h>

enum { LONGEST_TEXT = 128, LEVEL_INNERMOST = 0, LEVEL_PLAIN = 1, LEVEL_WRAPS = 2 };
enum { MAX_DEPTH = 1000000, LONGEST_MORE = 14 /* "... 1234 more" */ };

/* what a text stands for: a symptom, a rule, or one of these */
enum kind {
    KIND_NONE,
    KIND_SYMPTOM,
    KIND_RULE,
    KIND_CAUSE,
    KIND_FRAME,
    KIND_AT,
    KIND_DOTS,
    KIND_MORE
};

struct meaning {
    uint8_t kind;
    uint8_t size;    /* signs of the text */
    uint16_t number; /* of the symptom or rule */
};

static const struct {
    const char *text;
    enum kind kind;
} marks[] = {
    {"Caused by:", KIND_CAUSE}, {" at ", KIND_AT},          {"... ", KIND_DOTS},
    {" more", KIND_MORE},       {" at java", KIND_FRAME},   {" at org.", KIND_FRAME},
    {" at com.", KIND_FRAME},   {" at scala.", KIND_FRAME}, {" at py4j.", KIND_FRAME},
    {" at sun.", KIND_FRAME},   {" at jdk.", KIND_FRAME},   {" at software.", KIND_FRAME},
    {" at io.", KIND_FRAME},
};

struct hit {
    uint64_t line, n; /* n 0: none */
    uint32_t level;
    uint32_t depth; /* in the chain that is being read */
    uint64_t chain_line;
    bool in_chain;
};

/* What was read so far. */
struct reading {
    struct hit symptoms[ICE_SYMPTOM_COUNT];
    unsigned char signs[LONGEST_TEXT]; /* the last ones: where a name begins */
    uint64_t n_signs;
    uint16_t state;
    uint16_t pending_rule; /* 1 + a rule whose name ended at the last byte; 0: none */
    bool is_escaped;       /* the last byte was a backslash */

    uint64_t line;  /* from 1 */
    size_t at;      /* signs since its beginning, blanks in front not counted */
    size_t dots_at; /* where "... " ended, 0: nowhere */
    bool on_line[ICE_SYMPTOM_COUNT], has_hits, starts_digit, is_frame, is_more, has_cause;
    bool in_frames;
    uint32_t depth; /* "Caused by:" of this chain so far */

    bool is_ended;
    size_t handed_out;
};

struct ice_log_search {
    struct ice_alloc alloc;
    /* the automaton */
    uint16_t *next; /* n_states * ICE_SIGN_COUNT */
    uint16_t *fail;
    uint16_t *also; /* the nearest state on the way of fail that has a meaning */
    struct meaning *meanings;
    size_t n_states, capacity;

    struct reading log;
    struct hit *rules; /* line and n alone */
};

/* ---- the automaton ---- */

static uint16_t *edge(const struct ice_log_search *s, size_t state, size_t sign) {
    return &s->next[state * ICE_SIGN_COUNT + sign];
}

/* The signs of a text; 0 if there are too many. Blanks in a row are one. */
static size_t to_signs(struct ice_str text, unsigned char out[LONGEST_TEXT]) {
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char sign = ice_sign_of(text.data[i]);
        if (sign == ICE_SIGN_BLANK && n > 0 && out[n - 1] == ICE_SIGN_BLANK)
            continue;
        if (n == LONGEST_TEXT)
            return 0;
        out[n++] = sign;
    }
    return n;
}

static bool add_text(struct ice_log_search *s, struct ice_str text, enum kind kind,
                     size_t number) {
    unsigned char signs[LONGEST_TEXT];
    size_t n = to_signs(text, signs), state = 0;
    for (size_t i = 0; i < n; i++) {
        uint16_t *to = edge(s, state, signs[i]);
        if (*to == 0) {
            if (s->n_states == s->capacity)
                return false;
            *to = (uint16_t)s->n_states++;
        }
        state = *to;
    }
    if (state != 0 && s->meanings[state].kind == KIND_NONE)
        s->meanings[state] = (struct meaning){
            .kind = (uint8_t)kind, .size = (uint8_t)n, .number = (uint16_t)number};
    return state != 0;
}

static bool add_texts(struct ice_log_search *s) {
    enum ice_symptom_id symptom;
    struct ice_str text;
    bool fits = true;
    for (size_t i = 0; i < ICE_COUNT_OF(marks); i++)
        fits &= add_text(s, ice_str_from(marks[i].text), marks[i].kind, 0);
    for (size_t i = 0; ice_seen_at(i, &symptom, &text); i++)
        fits &= add_text(s, text, KIND_SYMPTOM, symptom);
    for (size_t i = 0; i < ice_rule_count(); i++)
        fits &= add_text(s, ice_str_from(ice_rule_at(i)->name), KIND_RULE, i);
    return fits;
}

/* States for every sign of every text. */
static size_t count_states(void) {
    enum ice_symptom_id symptom;
    struct ice_str text;
    size_t n = 1;
    for (size_t i = 0; i < ICE_COUNT_OF(marks); i++)
        n += strlen(marks[i].text);
    for (size_t i = 0; ice_seen_at(i, &symptom, &text); i++)
        n += text.size;
    for (size_t i = 0; i < ice_rule_count(); i++)
        n += strlen(ice_rule_at(i)->name);
    return n;
}

/* Breadth first: complete the edges of each state from those of its longest proper end.
 */
static void close_edges(struct ice_log_search *s, uint16_t *queue) {
    size_t head = 0, tail = 0;
    for (size_t sign = 0; sign < ICE_SIGN_COUNT; sign++) {
        if (*edge(s, 0, sign) != 0)
            queue[tail++] = *edge(s, 0, sign);
    }
    while (head < tail) {
        size_t state = queue[head++], fail = s->fail[state];
        s->also[state] =
            s->meanings[fail].kind != KIND_NONE ? (uint16_t)fail : s->also[fail];
        for (size_t sign = 0; sign < ICE_SIGN_COUNT; sign++) {
            uint16_t *to = edge(s, state, sign);
            uint16_t else_to = *edge(s, fail, sign);
            if (*to == 0) {
                *to = else_to;
                continue;
            }
            s->fail[*to] = else_to;
            queue[tail++] = *to;
        }
    }
}

static bool build(struct ice_log_search *s) {
    s->capacity = count_states();
    s->n_states = 1;
    if (s->capacity > UINT16_MAX)
        return false;
    s->next = ice_calloc(&s->alloc, s->capacity, ICE_SIGN_COUNT * sizeof(*s->next));
    s->fail = ice_calloc(&s->alloc, s->capacity, sizeof(*s->fail));
    s->also = ice_calloc(&s->alloc, s->capacity, sizeof(*s->also));
    s->meanings = ice_calloc(&s->alloc, s->capacity, sizeof(*s->meanings));
    s->rules = ice_calloc(&s->alloc, ice_rule_count(), sizeof(*s->rules));
    uint16_t *queue = ice_calloc(&s->alloc, s->capacity, sizeof(*queue));
    bool is_built = s->next != NULL && s->fail != NULL && s->also != NULL &&
                    s->meanings != NULL && s->rules != NULL && queue != NULL &&
                    add_texts(s);
    if (is_built)
        close_edges(s, queue);
    ice_free(&s->alloc, queue, s->capacity * sizeof(*queue));
    return is_built;
}

enum ice_status ice_log_search_open(struct ice_log_search **out,
                                    const struct ice_allocator *allocator,
                                    struct ice_error *err) {
    struct ice_alloc alloc;
    *out = NULL;
    ice_alloc_init(&alloc, allocator, UINT64_MAX);
    struct ice_log_search *s = ice_calloc(&alloc, 1, sizeof(*s));
    if (s == NULL)
        return ice_error_memory(err);
    ice_alloc_init(&s->alloc, allocator, UINT64_MAX);
    if (!build(s)) {
        ice_log_search_free(s);
        return ice_error_memory(err);
    }
    ice_log_search_rewind(s);
    *out = s;
    return ICE_OK;
}

void ice_log_search_rewind(struct ice_log_search *s) {
    s->log = (struct reading){.line = 1};
    /* the first line may be a frame, too */
    s->log.state = *edge(s, 0, ICE_SIGN_BLANK);
    memset(s->rules, 0, ice_rule_count() * sizeof(*s->rules));
}

void ice_log_search_free(struct ice_log_search *s) {
    if (s == NULL)
        return;
    ice_free(&s->alloc, s->next, s->capacity * ICE_SIGN_COUNT * sizeof(*s->next));
    ice_free(&s->alloc, s->fail, s->capacity * sizeof(*s->fail));
    ice_free(&s->alloc, s->also, s->capacity * sizeof(*s->also));
    ice_free(&s->alloc, s->meanings, s->capacity * sizeof(*s->meanings));
    ice_free(&s->alloc, s->rules, ice_rule_count() * sizeof(*s->rules));
    struct ice_alloc alloc;
    ice_alloc_init(&alloc, &s->alloc.base, UINT64_MAX);
    ice_free(&alloc, s, sizeof(*s));
}

/* ---- chains of exceptions ---- */

static void end_chain(struct ice_log_search *s) {
    for (size_t i = 0; i < ICE_SYMPTOM_COUNT; i++) {
        struct hit *hit = &s->log.symptoms[i];
        if (!hit->in_chain)
            continue;
        uint32_t level = LEVEL_PLAIN;
        if (s->log.depth > 0)
            level = hit->depth == s->log.depth
                        ? LEVEL_INNERMOST
                        : LEVEL_WRAPS + (s->log.depth - hit->depth);
        if (hit->line == 0 || level < hit->level) {
            hit->level = level;
            hit->line = hit->chain_line;
        }
        hit->in_chain = false;
    }
    s->log.depth = 0;
    s->log.in_frames = false;
}

/* What the line showed so far belongs to the exception that is being told. */
static void settle_hits(struct ice_log_search *s) {
    if (!s->log.has_hits)
        return;
    for (size_t i = 0; i < ICE_SYMPTOM_COUNT; i++) {
        struct hit *hit = &s->log.symptoms[i];
        if (!s->log.on_line[i])
            continue;
        s->log.on_line[i] = false;
        hit->n++;
        if (hit->in_chain && hit->depth == s->log.depth)
            continue;
        hit->in_chain = true;
        hit->depth = s->log.depth;
        hit->chain_line = s->log.line;
    }
    s->log.has_hits = false;
}

static void drop_hits(struct ice_log_search *s) {
    if (s->log.has_hits)
        memset(s->log.on_line, 0, sizeof(s->log.on_line));
    s->log.has_hits = false;
}

static void see_cause(struct ice_log_search *s) {
    settle_hits(s);
    s->log.has_cause = true;
    s->log.in_frames = false;
    s->log.depth += s->log.depth < MAX_DEPTH ? 1 : 0;
}

/* The line has ended, or a part of a string that stands for one. */
static void end_line(struct ice_log_search *s) {
    if (s->log.has_cause) {
        settle_hits(s);
    } else if (s->log.is_more || s->log.at == 0) {
        drop_hits(s);
    } else if (s->log.is_frame) {
        drop_hits(s);
        s->log.in_frames = true;
    } else {
        if (s->log.in_frames || (s->log.depth > 0 && s->log.starts_digit))
            end_chain(s);
        settle_hits(s);
    }
    s->log.at = s->log.dots_at = 0;
    s->log.starts_digit = s->log.is_frame = s->log.is_more = s->log.has_cause = false;
}

/* ---- bytes ---- */

static bool is_in_name(unsigned char sign) {
    return sign < ICE_SIGN_BLANK || sign == ICE_SIGN_DOT;
}

/* A rule's name has ended here; it counts if it began here, too. */
static void see_rule(struct ice_log_search *s, struct meaning found) {
    if (s->log.n_signs > found.size &&
        is_in_name(s->log.signs[(s->log.n_signs - found.size - 1) % LONGEST_TEXT]))
        return;
    s->log.pending_rule = (uint16_t)(found.number + 1);
}

static void settle_rule(struct ice_log_search *s, char next) {
    struct hit *hit = &s->rules[s->log.pending_rule - 1];
    s->log.pending_rule = 0;
    if (ice_sign_of(next) < ICE_SIGN_BLANK || next == '-' || next == '_')
        return;
    hit->n++;
    if (hit->line == 0)
        hit->line = s->log.line;
}

static void see(struct ice_log_search *s, struct meaning found) {
    switch ((enum kind)found.kind) {
    case KIND_NONE:
        break;
    case KIND_SYMPTOM:
        s->log.on_line[found.number] = s->log.has_hits = true;
        break;
    case KIND_RULE:
        see_rule(s, found);
        break;
    case KIND_CAUSE:
        see_cause(s);
        break;
    case KIND_FRAME:
        s->log.is_frame = true;
        break;
    case KIND_AT: /* "at " begins the line; blanks before it are not counted */
        s->log.is_frame |= s->log.at == 3;
        break;
    case KIND_DOTS:
        s->log.dots_at = s->log.at;
        break;
    case KIND_MORE: /* "... 12 more" */
        s->log.is_more |=
            s->log.dots_at > 0 && s->log.at - s->log.dots_at <= LONGEST_MORE;
        break;
    }
}

static void take_sign(struct ice_log_search *s, unsigned char sign) {
    bool is_blank = sign == ICE_SIGN_BLANK;
    if (is_blank && (s->log.n_signs == 0 ||
                     s->log.signs[(s->log.n_signs - 1) % LONGEST_TEXT] == ICE_SIGN_BLANK))
        return;
    s->log.signs[s->log.n_signs++ % LONGEST_TEXT] = sign;
    if (s->log.at == 0)
        s->log.starts_digit = sign >= ICE_SIGN_DIGIT && sign < ICE_SIGN_BLANK;
    s->log.at += is_blank && s->log.at == 0 ? 0 : 1;
    s->log.state = *edge(s, s->log.state, sign);
    size_t state = s->log.state;
    if (s->meanings[state].kind == KIND_NONE)
        state = s->also[state];
    for (; state != 0; state = s->also[state])
        see(s, s->meanings[state]);
}

static void take_line_end(struct ice_log_search *s) {
    end_line(s);
    take_sign(s, ICE_SIGN_BLANK); /* which is no sign of the next line */
    s->log.at = s->log.dots_at = 0;
    s->log.is_frame = s->log.is_more = s->log.starts_digit = false;
}

/* What stands behind a backslash. */
static void take_escaped(struct ice_log_search *s, char c) {
    s->log.is_escaped = false;
    if (c == 'n') {
        take_line_end(s);
    } else if (c == 't' || c == 'r') {
        take_sign(s, ICE_SIGN_BLANK);
    } else {
        take_sign(s, ICE_SIGN_OTHER);
        take_sign(s, ice_sign_of(c));
    }
}

void ice_log_search_feed(struct ice_log_search *s, const void *data, size_t size) {
    const char *bytes = data;
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        if (ICE_UNLIKELY(s->log.pending_rule != 0))
            settle_rule(s, c);
        if (ICE_UNLIKELY(c == '\n')) {
            s->log.is_escaped = false;
            take_line_end(s);
            s->log.line++;
        } else if (ICE_UNLIKELY(s->log.is_escaped)) {
            take_escaped(s, c);
        } else if (ICE_UNLIKELY(c == '\\')) {
            s->log.is_escaped = true;
        } else {
            take_sign(s, ice_sign_of(c));
        }
    }
}

/* ---- what was found ---- */

static void end_log(struct ice_log_search *s) {
    if (s->log.pending_rule != 0)
        settle_rule(s, '\n');
    end_line(s);
    end_chain(s);
    s->log.is_ended = true;
}

/* The best symptom that was not handed out: by level, then as in the table. */
static size_t next_symptom(const struct ice_log_search *s) {
    size_t best = ICE_SYMPTOM_COUNT;
    for (size_t i = 0; i < ICE_SYMPTOM_COUNT; i++) {
        if (s->log.symptoms[i].n > 0 &&
            (best == ICE_SYMPTOM_COUNT ||
             s->log.symptoms[i].level < s->log.symptoms[best].level))
            best = i;
    }
    return best;
}

bool ice_log_search_next(struct ice_log_search *s, struct ice_log_hit *out) {
    if (!s->log.is_ended)
        end_log(s);
    *out = (struct ice_log_hit){0};
    for (; s->log.handed_out < ice_rule_count(); s->log.handed_out++) {
        struct hit *hit = &s->rules[s->log.handed_out];
        if (hit->n == 0)
            continue;
        *out = (struct ice_log_hit){
            .rule = ice_rule_at(s->log.handed_out++), .line = hit->line, .n = hit->n};
        return true;
    }
    size_t symptom = next_symptom(s);
    if (symptom == ICE_SYMPTOM_COUNT)
        return false;
    struct hit *hit = &s->log.symptoms[symptom];
    out->symptom = symptom;
    out->line = hit->line;
    out->n = hit->n;
    out->is_cause = hit->level == LEVEL_INNERMOST;
    hit->n = 0;
    return true;
}
