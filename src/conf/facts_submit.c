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
    bool begins_line;
    bool ends_command; /* ";", "&" or "|" is in it, out of quotes */
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
    } else if (*quote == '\0' && (c == ';' || c == '&' || c == '|')) {
        word->ends_command = true;
    }
    return ice_buf_append_char(buf, c) == ICE_OK;
}

/* To the next word; *out_is_line: a line ended before it, and did not go on. */
static void skip_blanks(struct scan *s, bool *out_is_line) {
    for (;;) {
        size_t joined = joined_bytes(s);
        if (joined == 0 && (s->at >= s->text.size || !is_blank(s->text.data[s->at])))
            return;
        *out_is_line = *out_is_line || (joined == 0 && at_end_of_line(s));
        s->at += joined > 0 ? joined : 1;
    }
}

/* false at the end, or out of memory: then *out_failed. */
static bool next_word(struct ice_conf *conf, struct scan *s, struct ice_buf *buf,
                      struct word *out, bool *out_failed) {
    char quote = '\0';
    bool is_line = s->at == 0;
    for (;;) {
        skip_blanks(s, &is_line);
        if (s->at >= s->text.size)
            return false;
        if (s->text.data[s->at] != '#')
            break;
        while (!at_end_of_line(s))
            s->at++;
    }
    *out = (struct word){.at = s->at, .is_literal = true, .begins_line = is_line};
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

/* ---- commands ---- */

/* Where the words of a file are just now. */
struct reading {
    struct ice_conf *conf;
    struct ice_conf_input *input;
    bool is_inside;                   /* of a command that starts Spark ... */
    size_t program;                   /* ... whose name stands here, ... */
    struct ice_conf_session *command; /* ... its session, once an option was read */
    struct ice_str option;            /* whose value comes next; empty: none */
};

static bool is_program(struct ice_str text) {
    static const char *const programs[] = {"spark-submit", "spark-sql", "spark-shell",
                                           "pyspark"};
    for (size_t i = 0; i < ICE_COUNT_OF(programs); i++) {
        if (ice_str_ends(text, ice_str_from(programs[i])))
            return true;
    }
    return false;
}

/*
 * A command goes on over lines that are joined, and over lines that begin with an option,
 * as in a folded text of YAML. Inside of it the name of a program is a value.
 */
static void see_command(struct reading *r, const struct word *word) {
    bool is_list = ice_str_is(word->text, "-");
    if (word->begins_line && (is_list || !ice_str_starts(word->text, ICE_STR("-"))))
        r->is_inside = false;
    if (r->is_inside || !is_program(word->text))
        return;
    r->is_inside = true;
    r->program = word->at;
    r->command = NULL;
}

/* The session that an option belongs to: what stands in front of commands, in arrays and
 * variables, is shared by them. NULL: out of memory, or *out_is_full. */
static struct ice_conf_session *session_of(struct reading *r, bool *out_is_full) {
    if (!r->is_inside)
        return ice_conf_declared(r->conf, r->input);
    if (r->command != NULL)
        return r->command;
    *out_is_full = ice_conf_is_full(r->conf, r->input);
    if (*out_is_full)
        return NULL;
    r->command = ice_conf_new_session(r->conf, ICE_CONF_DECLARED, r->input);
    if (r->command == NULL)
        return NULL;
    r->command->runtime_at = ice_conf_at_offset(r->input, r->program);
    r->conf->n_commands++;
    return r->command;
}

static bool take_option(struct reading *r, struct ice_str option,
                        const struct word *value) {
    bool is_full = false;
    struct ice_conf_session *session = session_of(r, &is_full);
    return is_full ||
           (session != NULL && add_option(r->conf, session, r->input, option, value));
}

static bool take_word(struct reading *r, struct word *word) {
    size_t equals = ice_str_find(word->text, '=');
    struct ice_str option = r->option;
    r->option = ICE_STR_NONE;
    if (option.size > 0)
        return take_option(r, option, word);
    see_command(r, word);
    /* an array: ARGS=(--conf ... */
    size_t open = ice_str_rfind(word->text, '(');
    option = open == SIZE_MAX ? word->text : ice_str_from_index(word->text, open + 1);
    if (is_option(option)) {
        r->option = option;
        return true;
    }
    option = ice_str_first(word->text, equals);
    if (equals == SIZE_MAX || !is_option(option))
        return true;
    word->text = ice_str_from_index(word->text, equals + 1);
    word->at += equals + 1;
    return take_option(r, option, word);
}

enum ice_status ice_conf_facts_submit(struct ice_conf *conf,
                                      struct ice_conf_input *input) {
    struct reading r = {.conf = conf, .input = input};
    struct scan s = {.text = input->bytes};
    struct ice_buf buf;
    struct word word;
    bool failed = false;
    ice_buf_init(&buf, &conf->run->alloc, SIZE_MAX / 2);
    while (!failed && next_word(conf, &s, &buf, &word, &failed)) {
        failed = !take_word(&r, &word);
        if (word.ends_command)
            r.is_inside = false;
    }
    ice_buf_release(&buf);
    return failed ? ICE_ENOMEM : ICE_OK;
}
