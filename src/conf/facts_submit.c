/*
 * Lines that start Spark: pairs with their places, out of the words of a shell.
 */
#include "conf/setup.h"
#include "base/chars.h"

#include "base/compiler.h"

static bool is_blank(char c) {
    return ice_is_blank(c) || c == '\f';
}

struct scan {
    struct ice_str text;
    size_t at;
};

static bool at_end_of_line(const struct scan *s) {
    return s->at >= s->text.size || s->text.data[s->at] == '\n';
}

/* A backslash at the end of a line joins the next one: it and its line end. */
static size_t joined_bytes(const struct scan *s) {
    struct ice_str rest = ice_str_from_index(s->text, s->at);
    if (ice_str_starts(rest, ICE_STR("\\\r\n")))
        return 3;
    return ice_str_starts(rest, ICE_STR("\\\n")) ? 2 : 0;
}

/* A word of a shell line; text: quotes and escapes taken off. */
struct word {
    struct ice_str text;
    size_t at;       /* where its first byte stands */
    bool is_literal; /* no variable or command in it */
};

/* The next byte of a word, out of quotes or inside of them. */
static bool take_shell(struct scan *s, char *quote, struct word *word,
                       struct ice_buf *buf) {
    char c = s->text.data[s->at++];
    if (*quote == '\0' && (c == '"' || c == '\'')) {
        *quote = c;
        return true;
    }
    if (c == *quote) {
        *quote = '\0';
        return true;
    }
    if (c == '\\' && *quote != '\'' && s->at < s->text.size) {
        c = s->text.data[s->at++];
        if (c == '\n')
            return true;
    } else if ((c == '$' || c == '`') && *quote != '\'') {
        word->is_literal = false;
    }
    return ice_buf_append_char(buf, c) == ICE_OK;
}

/* false at the end, or out of memory: then *out_failed. */
static bool next_word(struct ice_conf *conf, struct scan *s, struct ice_buf *buf,
                      struct word *out, bool *out_failed) {
    char quote = '\0';
    for (;;) {
        while (s->at < s->text.size &&
               (is_blank(s->text.data[s->at]) ||
                (s->text.data[s->at] == '\\' && joined_bytes(s) > 0)))
            s->at += s->text.data[s->at] == '\\' ? joined_bytes(s) : 1;
        if (s->at >= s->text.size)
            return false;
        if (s->text.data[s->at] != '#')
            break;
        while (!at_end_of_line(s))
            s->at++;
    }
    *out = (struct word){.at = s->at, .is_literal = true};
    ice_buf_clear(buf);
    while (s->at < s->text.size && (quote != '\0' || !is_blank(s->text.data[s->at]))) {
        if (!take_shell(s, &quote, out, buf)) {
            *out_failed = true;
            return false;
        }
    }
    *out_failed = !ice_arena_dup(conf->arena, ice_buf_str(buf), &out->text);
    return !*out_failed;
}

static bool add_conf(struct ice_conf *conf, struct ice_conf_session *session,
                     const struct ice_conf_input *input, const struct word *word) {
    size_t equals = ice_str_find(word->text, '=');
    if (equals == SIZE_MAX)
        return true;
    size_t at = word->at;
    if (at < input->bytes.size &&
        (input->bytes.data[at] == '"' || input->bytes.data[at] == '\''))
        at++;
    struct ice_conf_at place = ice_conf_at_offset(input, at), value_at = place;
    value_at.offset += equals + 1;
    bool done =
        ice_conf_add_pair(conf, session, ice_str_first(word->text, equals),
                          ice_str_from_index(word->text, equals + 1), place, value_at);
    if (done && !word->is_literal && session->n_pairs > 0)
        session->pairs[session->n_pairs - 1].is_hidden = true;
    return done;
}

/* Options that say a setting by another name. */
static const struct {
    const char *option, *key;
} options[] = {
    {"--conf", NULL},
    {"-c", NULL},
    {"--hiveconf", NULL}, /* of spark-sql */
    {"--jars", "spark.jars"},
    {"--packages", "spark.jars.packages"},
    {"--driver-class-path", "spark.driver.extraClassPath"},
};

static bool add_option(struct ice_conf *conf, struct ice_conf_session *session,
                       const struct ice_conf_input *input, struct ice_str option,
                       const struct word *value) {
    const char *key = NULL;
    for (size_t i = 0; i < ICE_COUNT_OF(options); i++) {
        if (ice_str_is(option, options[i].option))
            key = options[i].key;
    }
    if (key == NULL)
        return add_conf(conf, session, input, value);
    struct ice_conf_at at = ice_conf_at_offset(input, value->at);
    return ice_conf_add_pair(conf, session, ice_str_from(key), value->text, at, at);
}

static bool is_option(struct ice_str text) {
    for (size_t i = 0; i < ICE_COUNT_OF(options); i++) {
        if (ice_str_is(text, options[i].option))
            return true;
    }
    return false;
}

enum ice_status ice_conf_facts_submit(struct ice_conf *conf,
                                      struct ice_conf_input *input) {
    struct ice_conf_session *session = ice_conf_declared(conf, input);
    struct scan s = {.text = input->bytes};
    struct ice_buf buf;
    struct ice_str option = ICE_STR_NONE;
    struct word word;
    bool failed = session == NULL;
    ice_buf_init(&buf, &conf->run->alloc, SIZE_MAX / 2);
    while (!failed && next_word(conf, &s, &buf, &word, &failed)) {
        size_t equals = ice_str_find(word.text, '=');
        if (option.size > 0) {
            failed = !add_option(conf, session, input, option, &word);
            option = ICE_STR_NONE;
        } else if (is_option(word.text)) {
            option = word.text;
        } else if (equals != SIZE_MAX && is_option(ice_str_first(word.text, equals))) {
            struct ice_str name = ice_str_first(word.text, equals);
            word.text = ice_str_from_index(word.text, equals + 1);
            word.at += equals + 1;
            failed = !add_option(conf, session, input, name, &word);
        }
    }
    ice_buf_release(&buf);
    return failed ? ICE_ENOMEM : ICE_OK;
}
