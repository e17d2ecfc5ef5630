/*
 * One walk over the tokens with a stack of open brackets. Only calls with a role are
 * kept, so that memory grows with what is worth looking at.
 */
#include "conf/py_script.h"

#include "base/error.h"

/* Calls below that many brackets are not looked at. Assignments that are remembered for
 * .sql(name). */
enum { DEEPEST = 64, REMEMBERED = 256 };

/* An open bracket, and the argument that is being read in it. */
struct frame {
    struct ice_py_call *call; /* NULL: nobody wants to know */
    bool is_list;             /* of that call's argument */
    struct ice_py_piece *first, *last;
    struct ice_str keyword, variable;
    size_t offset, position, n_operands;
    bool has_text;
};

struct reading {
    struct ice_py_script *out;
    struct ice_arena *arena;
    struct ice_py_lexer lexer;
    struct frame frames[DEEPEST + 1]; /* [0]: the statement */
    size_t depth;
    struct ice_py_assignment *assigned;
    struct ice_str target; /* of the assignment that is being read */
    /* the dotted name that ends at the token before */
    struct ice_str dotted;
    size_t dotted_offset;
    bool is_chained; /* it goes on behind a bracket: SparkConf().set */
    bool is_behind_dot;
};

static const struct {
    const char *method;
    enum ice_py_role role;
} methods[] = {
    {"set", ICE_PY_BUILDER},
    {"config", ICE_PY_BUILDER},
    {"setAll", ICE_PY_SET_ALL},
    {"sql", ICE_PY_SQL},
    {"getResolvedOptions", ICE_PY_OPTIONS},
    {"Job", ICE_PY_JOB},
    {"init", ICE_PY_INIT},
    {"commit", ICE_PY_COMMIT},
    {"table", ICE_PY_TABLE},
    {"toTable", ICE_PY_WRITES},
    {"writeTo", ICE_PY_WRITES},
    {"saveAsTable", ICE_PY_WRITES},
    {"insertInto", ICE_PY_WRITES},
    {"refreshTable", ICE_PY_REFRESH},
    {"refresh", ICE_PY_REFRESH},
    {"refreshByPath", ICE_PY_REFRESH},
    {"invalidate", ICE_PY_REFRESH},
    {"invalidateTable", ICE_PY_REFRESH},
    {"clearCache", ICE_PY_REFRESH},
};

static struct ice_str method_of(struct ice_str dotted) {
    const size_t dot = ice_str_rfind(dotted, '.');
    return dot == SIZE_MAX ? dotted : ice_str_from_index(dotted, dot + 1);
}

/* spark.conf.set, self.spark.conf.set, session.conf.set: not conf.set of a SparkConf. */
static bool is_running_conf(struct ice_str dotted) {
    if (!ice_str_ends(dotted, ICE_STR(".conf.set")))
        return false;
    const struct ice_str owner = method_of(ice_str_first(dotted, dotted.size - 9));
    return ice_str_equal_nocase(owner, ICE_STR("spark")) ||
           ice_str_equal_nocase(owner, ICE_STR("session")) ||
           ice_str_equal_nocase(owner, ICE_STR("spark_session")) ||
           ice_str_equal_nocase(owner, ICE_STR("sparksession"));
}

static enum ice_py_role role_of(const struct reading *r) {
    const struct ice_str method = method_of(r->dotted);
    if (!r->is_chained && is_running_conf(r->dotted))
        return ICE_PY_CONF_SET;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
        if (ice_str_is(method, methods[i].method))
            return methods[i].role;
    }
    return ICE_PY_NO_ROLE;
}

static struct frame *top(struct reading *r) {
    return r->depth <= DEEPEST ? &r->frames[r->depth] : NULL;
}

static void clear_argument(struct frame *f) {
    f->first = f->last = NULL;
    f->keyword = f->variable = ICE_STR_NONE;
    f->n_operands = 0;
    f->has_text = false;
}

/* The last text that was given to the name; NULL: not known. */
static const struct ice_py_assignment *find(const struct reading *r,
                                            struct ice_str name) {
    const struct ice_py_assignment *a = r->assigned;
    for (size_t i = 0; i < REMEMBERED && a != NULL; i++, a = a->previous) {
        if (ice_str_equal(a->name, name))
            return a;
    }
    return NULL;
}

/* What the pieces of a frame are, as an argument of the call. */
static enum ice_status keep_argument(struct reading *r, struct frame *f) {
    const bool is_name = f->variable.size > 0 && f->n_operands == 1;
    if (f->call == NULL || (!f->has_text && !is_name))
        return ICE_OK;
    struct ice_py_arg *arg = ice_arena_alloc(r->arena, sizeof(*arg));
    if (arg == NULL)
        return ICE_ENOMEM;
    *arg = (struct ice_py_arg){.keyword = f->keyword,
                               .offset = f->offset,
                               .position = f->position,
                               .is_item = f->is_list,
                               .is_text = f->has_text};
    if (f->has_text && !ice_py_text_build(f->first, r->arena, &arg->text))
        return ICE_ENOMEM;
    if (is_name && !f->has_text)
        arg->variable = f->variable;
    const struct ice_py_assignment *known =
        f->call->role == ICE_PY_SQL && arg->variable.size > 0 ? find(r, arg->variable)
                                                              : NULL;
    if (known != NULL) {
        arg->is_text = true;
        arg->text = known->text;
    }
    if (f->call->last != NULL)
        f->call->last->next = arg;
    else
        f->call->first = arg;
    f->call->last = arg;
    return ICE_OK;
}

/* One operand of the argument: a literal, or something else. */
static enum ice_status add_operand(struct reading *r, const struct ice_py_token *token) {
    struct frame *f = top(r);
    const bool is_wanted = f != NULL && (f->call != NULL || r->target.size > 0);
    if (!is_wanted)
        return ICE_OK;
    const bool is_string = token->kind == ICE_PY_STRING && !token->is_bytes;
    if (f->n_operands == 0)
        f->offset = token->offset;
    f->n_operands++;
    f->has_text = f->has_text || is_string;
    /* holes that follow each other are one */
    if (!is_string && f->last != NULL && f->last->token.kind != ICE_PY_STRING)
        return ICE_OK;
    struct ice_py_piece *piece = ice_arena_alloc(r->arena, sizeof(*piece));
    if (piece == NULL)
        return ICE_ENOMEM;
    piece->token = *token;
    if (!is_string)
        piece->token.kind = ICE_PY_OTHER;
    if (f->last != NULL)
        f->last->next = piece;
    else
        f->first = piece;
    f->last = piece;
    return ICE_OK;
}

/* The statement ends: remember name = "text". */
static enum ice_status end_statement(struct reading *r) {
    struct frame *f = &r->frames[0];
    /* names that never held a text are not worth the memory */
    if (r->target.size > 0 && (f->has_text || find(r, r->target) != NULL)) {
        struct ice_py_assignment *a = ice_arena_alloc(r->arena, sizeof(*a));
        if (a == NULL)
            return ICE_ENOMEM;
        a->name = r->target;
        a->offset = f->offset;
        a->previous = r->assigned;
        if (f->first != NULL && !ice_py_text_build(f->first, r->arena, &a->text))
            return ICE_ENOMEM;
        r->assigned = a;
    }
    r->target = ICE_STR_NONE;
    clear_argument(f);
    return ICE_OK;
}

static enum ice_status new_call(struct reading *r, enum ice_py_role role, size_t offset,
                                struct ice_py_call **out) {
    struct ice_py_call *call = ice_arena_alloc(r->arena, sizeof(*call));
    if (call == NULL)
        return ICE_ENOMEM;
    call->role = role;
    call->offset = offset;
    if (r->out->last != NULL)
        r->out->last->next = call;
    else
        r->out->first = call;
    r->out->last = call;
    *out = call;
    return ICE_OK;
}

/* Something stands in brackets: in the argument around it that is a hole. */
static enum ice_status open_bracket(struct reading *r, const struct ice_py_token *token) {
    struct frame *outer = top(r);
    const bool is_call = ice_py_is_mark(token, '(') && r->dotted.size > 0;
    const bool is_first = outer != NULL && outer->call != NULL && outer->n_operands == 0;
    struct frame inner = {.offset = token->offset};
    if (is_call) {
        const enum ice_py_role role = role_of(r);
        if (role != ICE_PY_NO_ROLE)
            ICE_TRY(new_call(r, role, r->dotted_offset, &inner.call));
    } else if (is_first && outer->call->role == ICE_PY_SET_ALL && !outer->is_list &&
               ice_py_is_mark(token, '[')) {
        inner.call = outer->call;
        inner.is_list = true;
    } else if (is_first && outer->call->role == ICE_PY_SET_ALL && outer->is_list &&
               ice_py_is_mark(token, '(')) {
        ICE_TRY(new_call(r, ICE_PY_PAIR, token->offset, &inner.call));
    } else if (is_first && outer->call->role != ICE_PY_SET_ALL && !outer->is_list &&
               ice_py_is_mark(token, '[')) {
        inner.call = outer->call;
        inner.is_list = true;
        inner.position = outer->position;
        inner.keyword = outer->keyword;
    } else if (is_first && outer->call->role == ICE_PY_SQL &&
               ice_py_is_mark(token, '(')) {
        inner.call = outer->call; /* .sql(("a" "b")) */
    }
    if (!is_call || r->is_chained || inner.call == NULL)
        ICE_TRY(add_operand(r, token));
    if (outer != NULL)
        outer->variable = ICE_STR_NONE;
    r->depth++;
    if (r->depth <= DEEPEST)
        r->frames[r->depth] = inner;
    return ICE_OK;
}

static enum ice_status close_bracket(struct reading *r) {
    struct frame *f = top(r);
    if (r->depth == 0)
        return ICE_OK;
    if (f != NULL)
        ICE_TRY(keep_argument(r, f));
    r->depth--;
    return ICE_OK;
}

static enum ice_status next_argument(struct reading *r) {
    struct frame *f = top(r);
    if (f == NULL || r->depth == 0)
        return ICE_OK;
    ICE_TRY(keep_argument(r, f));
    clear_argument(f);
    if (!f->is_list)
        f->position++;
    return ICE_OK;
}

/* name = at the begin of an argument or of a statement; == and the like are operators. */
static enum ice_status see_equals(struct reading *r, const struct ice_py_token *token) {
    struct frame *f = top(r);
    const size_t behind = token->offset + 1;
    const struct ice_str text = r->lexer.text;
    if (f == NULL || r->dotted.size == 0 || r->is_chained ||
        (behind < text.size && text.data[behind] == '='))
        return ICE_OK;
    const bool is_argument = r->depth > 0 && f->call != NULL && f->n_operands == 1;
    const bool is_statement = r->depth == 0 && r->target.size == 0;
    if (!is_argument && !is_statement)
        return ICE_OK;
    clear_argument(f);
    if (is_argument)
        f->keyword = r->dotted;
    else
        r->target = r->dotted;
    /* name += "text": what stood in front is not known any more */
    return text.data[token->offset - 1] == '+' ? add_operand(r, token) : ICE_OK;
}

static enum ice_status see_name(struct reading *r, const struct ice_py_token *token) {
    static const char *const streams[] = {"readStream", "writeStream", "foreachBatch"};
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        if (r->out->stream_offset == SIZE_MAX && ice_str_is(token->text, streams[i]))
            r->out->stream_offset = token->offset;
    }
    if (ice_str_is(token->text, "awsglue"))
        r->out->is_glue = true;
    const size_t end = token->offset + token->text.size;
    if (r->is_behind_dot && r->dotted.size > 0) {
        r->dotted =
            ice_str_make(r->lexer.text.data + r->dotted_offset, end - r->dotted_offset);
        struct frame *f = top(r);
        if (f != NULL)
            f->variable = r->dotted;
        return ICE_OK;
    }
    r->is_chained = r->is_behind_dot;
    r->dotted = token->text;
    r->dotted_offset = token->offset;
    ICE_TRY(add_operand(r, token));
    struct frame *f = top(r);
    if (f != NULL)
        f->variable = r->is_chained ? ICE_STR_NONE : r->dotted;
    return ICE_OK;
}

static enum ice_status see_magic(struct reading *r, const struct ice_py_token *token) {
    struct ice_py_magic *magic = ice_arena_alloc(r->arena, sizeof(*magic));
    if (magic == NULL)
        return ICE_ENOMEM;
    *magic = (struct ice_py_magic){.text = token->text, .offset = token->offset};
    if (r->out->last_magic != NULL)
        r->out->last_magic->next = magic;
    else
        r->out->magics = magic;
    r->out->last_magic = magic;
    return ICE_OK;
}

/* Marks: brackets, dots, commas, and operators, which are nothing but between. */
static enum ice_status see_mark(struct reading *r, const struct ice_py_token *token) {
    switch (token->text.data[0]) {
    case '(':
    case '[':
    case '{':
        return open_bracket(r, token);
    case ')':
    case ']':
    case '}':
        return close_bracket(r);
    case ',':
        return next_argument(r);
    case ';':
        return r->depth == 0 ? end_statement(r) : ICE_OK;
    case '=':
        return see_equals(r, token);
    case '+':
    case '.':
        return ICE_OK;
    default: /* any other operator: what it makes of its operands is not known */
        return add_operand(r, token);
    }
}

static enum ice_status see_token(struct reading *r, const struct ice_py_token *token) {
    switch (token->kind) {
    case ICE_PY_NAME:
        return see_name(r, token);
    case ICE_PY_STRING:
    case ICE_PY_NUMBER:
        return add_operand(r, token);
    case ICE_PY_OTHER:
        return see_mark(r, token);
    case ICE_PY_MAGIC:
        return see_magic(r, token);
    case ICE_PY_NEWLINE:
    case ICE_PY_END:
        break;
    }
    r->depth = 0; /* brackets are closed where a statement ends */
    return end_statement(r);
}

enum ice_status ice_py_script_read(struct ice_py_script *out, struct ice_str text,
                                   struct ice_arena *arena) {
    *out = (struct ice_py_script){.stream_offset = SIZE_MAX};
    struct reading r = {.out = out, .arena = arena, .lexer = {.text = text}};
    struct ice_py_token token;
    do {
        ice_py_lexer_next(&r.lexer, &token);
        ICE_TRY(see_token(&r, &token));
        const bool is_dot = ice_py_is_mark(&token, '.');
        const bool is_plus = ice_py_is_mark(&token, '+'); /* perhaps of += */
        if (token.kind != ICE_PY_NAME && !is_dot && !is_plus)
            r.dotted = ICE_STR_NONE;
        r.is_behind_dot = is_dot;
    } while (token.kind != ICE_PY_END);
    return ICE_OK;
}

const struct ice_py_arg *ice_py_arg_at(const struct ice_py_call *call, size_t position) {
    for (const struct ice_py_arg *a = call->first; a != NULL; a = a->next) {
        if (!a->is_item && a->position == position)
            return a;
    }
    return NULL;
}

struct ice_str ice_py_literal(const struct ice_py_arg *arg) {
    return arg != NULL && arg->is_text && !arg->text.has_hole ? arg->text.text
                                                              : ICE_STR_NONE;
}
