/*
 * Words with what variables hold put in. What is not known stands as it is written, and
 * its bytes are marked.
 */
#include "conf/shell_state.h"

#include "base/chars.h"

struct ice_shell_variable *ice_shell_find(const struct ice_shell *s,
                                          struct ice_str name) {
    for (size_t i = 0; i < s->n_variables; i++) {
        if (ice_str_equal(s->variables[i].name, name))
            return &s->variables[i];
    }
    return NULL;
}

size_t ice_shell_repeated(const struct ice_shell *s) {
    size_t n = s->n_blocks;
    while (n > 0 && s->blocks[n - 1] != ICE_SHELL_LOOP &&
           s->blocks[n - 1] != ICE_SHELL_FUNCTION)
        n--;
    return n;
}

bool ice_shell_is_known(const struct ice_shell *s, const struct ice_shell_variable *v) {
    return v != NULL && v->is_known && !s->is_lost &&
           (v->depth >= ice_shell_repeated(s) || v->n == v->n_to);
}

/* ---- words ---- */

static bool put(struct ice_shell_reading *r, char c, uint32_t marks) {
    return ice_shell_value_put(r->out, c == '\0' ? ' ' : c,
                               (uint32_t)(r->at + r->i) | marks);
}

/* The reference as it is written. */
static bool put_unknown(struct ice_shell_reading *r, const struct ice_shell_ref *ref) {
    bool is_many = (r->quote == '\0' && r->splits) || ref->kind == ICE_SHELL_ALL ||
                   (ref->kind == ICE_SHELL_ARGS && r->text.data[r->i + 1] == '@');
    uint32_t marks = ICE_SHELL_UNKNOWN | (is_many ? ICE_SHELL_MANY : 0);
    for (size_t end = r->i + ref->size; r->i < end; r->i++) {
        if (!put(r, r->text.data[r->i], marks))
            return false;
    }
    return true;
}

static bool put_known(struct ice_shell_reading *r, const struct ice_shell_ref *ref,
                      const struct ice_shell_variable *v) {
    const bool is_quoted = r->quote != '\0' || !r->splits;
    const bool are_words = ref->kind == ICE_SHELL_ALL && r->splits;
    const struct ice_shell_value *value = &v->value;
    r->i += ref->size;
    r->s->n_text += value->text.size;
    if (r->s->n_text > ICE_SHELL_MOST_TEXT)
        r->s->is_lost = true;
    for (size_t k = 0; k < value->text.size; k++) {
        char c = value->text.data[k];
        uint32_t mark = ice_shell_value_mark(value, k);
        bool is_end = c == '\0' && k + 1 == value->text.size;
        bool ends = is_quoted ? c == '\0' && are_words : c == '\0' || ice_is_blank(c);
        if (is_end && is_quoted)
            break; /* what follows is joined to the last word */
        if (!is_quoted && (mark & ICE_SHELL_UNKNOWN) != 0)
            mark |= ICE_SHELL_MANY;
        if (ends ? !ice_shell_value_end_word(r->out)
                 : !ice_shell_value_put(r->out, c == '\0' ? ' ' : c, mark))
            return false;
    }
    return true;
}

static bool put_reference(struct ice_shell_reading *r) {
    struct ice_shell_ref ref = ice_shell_ref_at(ice_str_from_index(r->text, r->i));
    if (ref.kind == ICE_SHELL_NO_REF)
        return put(r, r->text.data[r->i++], 0);
    struct ice_shell_variable *v =
        ref.name.size > 0 ? ice_shell_find(r->s, ref.name) : NULL;
    if (v != NULL && (r->s->is_inside || !r->splits))
        v->is_used = true;
    r->names_own = r->names_own || (v != NULL && v == r->own);
    bool is_whole = ref.kind == ICE_SHELL_ALL || ref.kind == ICE_SHELL_JOINED ||
                    (ref.kind == ICE_SHELL_SCALAR && v != NULL && !v->is_array);
    if (is_whole && ice_shell_is_known(r->s, v))
        return put_known(r, &ref, v);
    return put_unknown(r, &ref);
}

static bool put_next(struct ice_shell_reading *r) {
    char c = r->text.data[r->i];
    if (c == '"' || c == '\'') {
        if (r->quote == '\0' || r->quote == c) {
            r->quote = r->quote == '\0' ? c : '\0';
            r->out->is_open = true;
            r->i++;
            return true;
        }
    } else if (c == '\\' && r->quote != '\'' && r->i + 1 < r->text.size) {
        r->i += ice_str_starts(ice_str_from_index(r->text, r->i), ICE_STR("\\\r\n"));
        if (r->text.data[++r->i] == '\n') {
            r->i++;
            return true;
        }
        c = r->text.data[r->i];
    } else if (c == '$' && r->quote != '\'') {
        return put_reference(r);
    }
    bool is_command = c == '`' && r->quote != '\'';
    bool done = put(r, c, is_command ? ICE_SHELL_UNKNOWN | ICE_SHELL_MANY : 0);
    r->i++;
    return done;
}

bool ice_shell_evaluate(struct ice_shell_reading *r, const struct ice_shell_raw *raw,
                        size_t from) {
    r->text = ice_str_from_index(raw->text, from);
    r->at = raw->at + from;
    r->i = 0;
    r->quote = '\0';
    while (r->i < r->text.size) {
        if (!put_next(r))
            return false;
    }
    return true;
}
