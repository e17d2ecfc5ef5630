/*
 * Variables of a shell file, as far as reading it from top to bottom tells what they
 * hold. What was assigned in a branch or a loop is not known behind it; in a loop or a
 * function a variable is known if it got its value there, or if no assignment follows in
 * the file.
 */
#include "conf/shell_state.h"

#include "base/compiler.h"

static bool count_assignments(struct ice_shell *s) {
    struct ice_shell_scan scan = s->scan;
    struct ice_shell_raw raw;
    struct ice_shell_assignment a;
    struct ice_alloc *alloc = &s->conf->run->alloc;
    while (ice_shell_raw_next(&scan, &raw)) {
        if (!ice_shell_is_assignment(raw.text, &a) || a.name.size > 200)
            continue;
        struct ice_shell_variable *v = ice_shell_find(s, a.name);
        if (v == NULL && s->n_variables == ICE_SHELL_MOST_VARIABLES) {
            s->is_lost = true;
            return true;
        }
        if (v == NULL) {
            if (!ice_array_reserve(alloc, &s->variables, s->n_variables,
                                   &s->cap_variables, sizeof(*s->variables)))
                return false;
            v = &s->variables[s->n_variables++];
            *v = (struct ice_shell_variable){.name = a.name};
            ice_shell_value_init(&v->value, alloc);
        }
        v->n_to++;
    }
    return true;
}

/* ---- assignments ---- */

static bool read_array(struct ice_shell *s, struct ice_shell_reading *r,
                       struct ice_shell_raw *raw, size_t from) {
    struct ice_shell_raw word = *raw;
    s->scan.at = raw->at + from;
    s->scan.in_array = true;
    r->splits = true;
    while (s->scan.in_array && ice_shell_raw_next(&s->scan, &word)) {
        if (!ice_shell_evaluate(r, &word, 0) || !ice_shell_value_end_word(r->out))
            return false;
    }
    s->scan.in_array = false;
    raw->ends_command = false;
    return true;
}

static bool assign(struct ice_shell *s, struct ice_shell_raw *raw,
                   const struct ice_shell_assignment *a) {
    struct ice_shell_variable *v = ice_shell_find(s, a->name);
    struct ice_shell_value value;
    if (v == NULL)
        return true; /* there are too many */
    ice_shell_value_init(&value, &s->conf->run->alloc);
    struct ice_shell_reading r = {.s = s, .out = &value, .own = v};
    bool was_inside = s->is_inside, was_known = ice_shell_is_known(s, v);
    s->is_inside = true; /* what it names is used */
    bool done = a->is_array ? read_array(s, &r, raw, a->value)
                            : ice_shell_evaluate(&r, raw, a->value);
    s->is_inside = was_inside;
    /* of a former value, which is another one in the next round */
    bool is_grown = a->is_append || r.names_own;
    bool is_sure = !s->is_condition && (!is_grown || v->depth >= ice_shell_repeated(s)) &&
                   (!a->is_append || was_known);
    if (!a->is_append)
        ice_shell_value_clear(&v->value);
    s->n_text += value.text.size;
    done = done && ice_shell_value_append(&v->value, &value);
    ice_shell_value_release(&value);
    v->is_array = a->is_array || (a->is_append && v->is_array);
    v->is_known = is_sure;
    v->depth = s->n_blocks;
    v->n++;
    s->is_lost = s->is_lost || s->n_text > ICE_SHELL_MOST_TEXT;
    return done;
}

/* ---- words ---- */

/* A raw word: what it holds to s->words, unless it assigns. */
static bool take(struct ice_shell *s, struct ice_shell_raw *raw) {
    struct ice_shell_assignment a;
    if (raw->begins_line) {
        s->takes_names = s->declares = s->is_condition = false;
        s->begins_command = true;
    }
    bool begins = s->begins_command;
    struct ice_str word = ice_shell_bare(raw->text), whole = raw->text;
    s->begins_command = false;
    bool is_assignment = ice_shell_is_assignment(word, &a);
    struct ice_shell_reading r = {.s = s, .out = &s->words, .splits = true};
    if (is_assignment && !a.is_array)
        raw->text = word;
    if (is_assignment && (begins || s->declares)) {
        if (!assign(s, raw, &a))
            return false;
        s->begins_command = begins;
        if (raw->ends_command)
            ice_shell_end_command(s, whole);
        return true;
    }
    if (is_assignment && !s->is_inside)
        ice_shell_forget(
            s, ice_shell_find(s, a.name)); /* "env A=b": whose it is, is not known */
    ice_shell_see(s, word, begins);
    raw->text = word;
    bool done = ice_shell_evaluate(&r, raw, 0) && ice_shell_value_end_word(&s->words);
    if (raw->ends_command)
        ice_shell_end_command(s, whole);
    if (done && s->words.text.size == 0 && (raw->begins_line || raw->ends_command)) {
        s->words.is_open = true; /* the line and the command end all the same */
        done = ice_shell_value_end_word(&s->words);
    }
    return done;
}

static bool give(struct ice_shell *s, struct ice_shell_word *out) {
    struct ice_str rest = ice_str_from_index(ice_buf_str(&s->words.text), s->at);
    struct ice_str text = ice_str_first(rest, ice_str_find(rest, '\0'));
    size_t n_unknown = 0, n_many = 0;
    *out = (struct ice_shell_word){.at = s->raw.at};
    for (size_t i = 0; i < text.size; i++) {
        uint32_t mark = ice_shell_value_mark(&s->words, s->at + i);
        n_unknown += (mark & ICE_SHELL_UNKNOWN) != 0;
        n_many += (mark & ICE_SHELL_MANY) != 0;
    }
    if (text.size > 0)
        out->at = ice_shell_value_mark(&s->words, s->at) & ICE_SHELL_OFFSET;
    size_t value = ice_str_find(text, '=');
    if (value < text.size) /* the NUL behind the text has no place */
        out->value_at =
            1 + (ice_shell_value_mark(&s->words, s->at + value) & ICE_SHELL_OFFSET);
    if (value + 1 < text.size)
        out->value_at =
            ice_shell_value_mark(&s->words, s->at + value + 1) & ICE_SHELL_OFFSET;
    out->has_unknown = n_unknown > 0;
    out->is_unknown = text.size > 0 && n_unknown == text.size;
    out->is_many = out->is_unknown && n_many == text.size;
    if (out->is_many) {
        struct ice_shell_ref ref = ice_shell_ref_at(text);
        bool is_place = ref.size == 2 && text.data[1] >= '1' && text.data[1] <= '9';
        out->is_named =
            (ref.kind == ICE_SHELL_SCALAR || is_place) && ref.size == text.size;
    }
    s->at += text.size + 1;
    out->begins_line = s->is_first && s->raw.begins_line;
    out->ends_command = s->at >= s->words.text.size && s->raw.ends_command;
    s->is_first = false;
    return ice_arena_dup(s->conf->arena, text, &out->text);
}

static bool next_loose(struct ice_shell *s) {
    while (s->loose < s->n_variables) {
        const struct ice_shell_variable *v = &s->variables[s->loose++];
        if (!v->is_array || v->is_used || v->value.text.size == 0)
            continue;
        s->raw = (struct ice_shell_raw){.at = 0};
        return ice_shell_value_append(&s->words, &v->value);
    }
    return true;
}

enum ice_status ice_shell_next(struct ice_shell *s, struct ice_shell_word *out) {
    while (s->at >= s->words.text.size) {
        ice_shell_value_clear(&s->words);
        s->at = 0;
        s->is_first = true;
        if (s->loose == 0 && ice_shell_raw_next(&s->scan, &s->raw)) {
            if (!take(s, &s->raw))
                return ICE_ENOMEM;
            continue;
        }
        if (s->loose >= s->n_variables)
            return ICE_DONE;
        if (!next_loose(s))
            return ICE_ENOMEM;
    }
    if (!give(s, out))
        return ICE_ENOMEM;
    out->is_loose = s->loose > 0;
    return ICE_OK;
}

void ice_shell_set_inside(struct ice_shell *s, bool is_inside) {
    s->is_inside = is_inside;
}

enum ice_status ice_shell_open(struct ice_shell **out, struct ice_conf *conf,
                               const struct ice_conf_input *input) {
    struct ice_alloc *alloc = &conf->run->alloc;
    struct ice_shell *s = ice_calloc(alloc, 1, sizeof(*s));
    *out = s;
    if (s == NULL)
        return ICE_ENOMEM;
    s->conf = conf;
    s->scan.text = input->bytes;
    ice_shell_value_init(&s->words, alloc);
    if (count_assignments(s))
        return ICE_OK;
    ice_shell_free(s);
    *out = NULL;
    return ICE_ENOMEM;
}

void ice_shell_free(struct ice_shell *s) {
    if (s == NULL)
        return;
    struct ice_alloc *alloc = &s->conf->run->alloc;
    for (size_t i = 0; i < s->n_variables; i++)
        ice_shell_value_release(&s->variables[i].value);
    ice_array_free(alloc, &s->variables, &s->cap_variables, sizeof(*s->variables));
    ice_shell_value_release(&s->words);
    ice_free(alloc, s, sizeof(*s));
}
