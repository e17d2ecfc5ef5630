/*
 * One reading by events: wherever a "Statement" stands, below whatever wrapper. Documents
 * in strings wait in a list until the text around them is read, so nothing here calls
 * itself.
 */
#include "conf/iam_policy.h"

#include "base/error.h"
#include "base/percent.h"
#include "conf/arn.h"
#include "json/reader.h"

/* Keys that mean something outside of statements. */
enum wrapper {
    WRAP_OTHER,
    WRAP_STATEMENT,
    WRAP_DOCUMENT, /* its value may be a string that holds a document */
    WRAP_TRUST,
    WRAP_ATTACHED,
    WRAP_POLICY_ARN,
    WRAP_ARN,
};

static const struct {
    const char *key;
    enum wrapper meaning;
} wrappers[] = {
    {"Statement", WRAP_STATEMENT},
    {"PolicyDocument", WRAP_DOCUMENT},
    {"PolicyInJson", WRAP_DOCUMENT},
    {"Document", WRAP_DOCUMENT},
    {"AssumeRolePolicyDocument", WRAP_TRUST},
    {"AttachedPolicies", WRAP_ATTACHED},
    {"AttachedManagedPolicies", WRAP_ATTACHED},
    {"PolicyArn", WRAP_POLICY_ARN},
    {"Arn", WRAP_ARN},
};

/* A document in a string inside a document in a string: deeper than any tool writes. */
enum { DEEPEST = 2 };

struct embedded {
    struct ice_iam_text text;
    unsigned level;
};

/* The reading of one text; the queue is of the whole file. */
struct reading {
    struct ice_iam_policies *out;
    struct ice_run *run;
    struct ice_json json;
    struct ice_json_event event;
    uint64_t outer; /* offset of the string that the text stands in, or ICE_NO_OFFSET */
    unsigned level;
    struct embedded *queue;
    size_t n_queue, queue_capacity;
};

/* Room for one more item behind n, or false. */
static bool grow(struct ice_arena *arena, void **items, size_t n, size_t *capacity,
                 size_t item_bytes) {
    if (n < *capacity)
        return true;
    size_t more = *capacity ? *capacity * 2 : 4;
    void *bigger = ice_arena_array(arena, more, item_bytes);
    if (bigger == NULL)
        return false;
    if (n > 0)
        memcpy(bigger, *items, n * item_bytes);
    *items = bigger;
    *capacity = more;
    return true;
}

static uint64_t place(const struct reading *r) {
    return r->outer != ICE_NO_OFFSET ? r->outer : r->event.offset;
}

/* The string of the last event, kept. */
static bool keep(const struct reading *r, struct ice_iam_text *out) {
    out->offset = place(r);
    return ice_arena_dup(r->out->arena, r->event.text, &out->text);
}

static enum ice_status add_text(const struct reading *r, struct ice_iam_texts *list) {
    void *items = list->items;
    if (!grow(r->out->arena, &items, list->n, &list->capacity, sizeof(*list->items)))
        return ICE_ENOMEM;
    list->items = items;
    return keep(r, &list->items[list->n++]) ? ICE_OK : ICE_ENOMEM;
}

/* Every string of the value that the last event began. */
static enum ice_status read_texts(struct reading *r, struct ice_iam_texts *list,
                                  struct ice_error *err) {
    const size_t depth = ice_json_depth(&r->json);
    const bool is_open =
        r->event.kind == ICE_JSON_OBJECT || r->event.kind == ICE_JSON_ARRAY;
    for (;;) {
        if (r->event.kind == ICE_JSON_STRING)
            ICE_TRY(add_text(r, list));
        if (!is_open || ice_json_depth(&r->json) < depth)
            return ICE_OK;
        ICE_TRY(ice_json_next(&r->json, &r->event, err));
    }
}

/* The same for resources. An object is a function of a template, as {"Fn::GetAtt": …}:
 * what it will be is not known, as little as a variable. */
static enum ice_status read_resources(struct reading *r, struct ice_iam_texts *list,
                                      struct ice_error *err) {
    const size_t depth = ice_json_depth(&r->json);
    const bool is_list = r->event.kind == ICE_JSON_ARRAY;
    for (;;) {
        if (r->event.kind == ICE_JSON_OBJECT) {
            ICE_TRY(ice_json_skip(&r->json, &r->event, err));
            r->event.text = ICE_STR("${}");
            ICE_TRY(add_text(r, list));
        } else if (r->event.kind == ICE_JSON_STRING) {
            ICE_TRY(add_text(r, list));
        }
        if (!is_list)
            return ICE_OK;
        ICE_TRY(ice_json_next(&r->json, &r->event, err));
        if (ice_json_depth(&r->json) < depth)
            return ICE_OK;
    }
}

struct draft {
    struct ice_iam_statement statement;
    struct ice_iam_texts actions, resources, principals;
    bool has_effect;
};

/* A condition that tests nothing is none. */
static enum ice_status read_condition(struct reading *r, bool *out,
                                      struct ice_error *err) {
    const size_t depth = ice_json_depth(&r->json);
    if (r->event.kind != ICE_JSON_OBJECT)
        return ice_json_skip(&r->json, &r->event, err);
    ICE_TRY(ice_json_next(&r->json, &r->event, err));
    *out = r->event.kind != ICE_JSON_OBJECT_END;
    while (ice_json_depth(&r->json) >= depth)
        ICE_TRY(ice_json_next(&r->json, &r->event, err));
    return ICE_OK;
}

static enum ice_status read_effect(struct reading *r, struct draft *draft,
                                   struct ice_error *err) {
    draft->statement.is_deny = ice_str_is(r->event.text, "Deny");
    draft->has_effect = r->event.kind == ICE_JSON_STRING &&
                        (draft->statement.is_deny || ice_str_is(r->event.text, "Allow"));
    return ice_json_skip(&r->json, &r->event, err);
}

static enum ice_status read_sid(struct reading *r, struct draft *draft,
                                struct ice_error *err) {
    if (r->event.kind == ICE_JSON_STRING &&
        !ice_arena_dup(r->out->arena, r->event.text, &draft->statement.sid))
        return ICE_ENOMEM;
    return ice_json_skip(&r->json, &r->event, err);
}

/* The value of one member of a statement; the last event is its key. */
static enum ice_status read_member(struct reading *r, struct draft *draft,
                                   struct ice_error *err) {
    const struct ice_str key = r->event.text;
    struct ice_iam_statement *s = &draft->statement;
    enum { EFFECT, SID, ACTION, RESOURCE, PRINCIPAL, CONDITION, OTHER } member = OTHER;
    if (ice_str_is(key, "Effect")) {
        member = EFFECT;
    } else if (ice_str_is(key, "Sid")) {
        member = SID;
    } else if (ice_str_is(key, "Action") || ice_str_is(key, "NotAction")) {
        member = ACTION;
        s->not_action = key.data[0] == 'N';
    } else if (ice_str_is(key, "Resource") || ice_str_is(key, "NotResource")) {
        member = RESOURCE;
        s->not_resource = key.data[0] == 'N';
    } else if (ice_str_is(key, "Principal") || ice_str_is(key, "NotPrincipal")) {
        member = PRINCIPAL;
        s->has_principal = true;
        s->not_principal = key.data[0] == 'N';
    } else if (ice_str_is(key, "Condition")) {
        member = CONDITION;
    }
    ICE_TRY(ice_json_next(&r->json, &r->event, err));
    switch (member) {
    case EFFECT:
        return read_effect(r, draft, err);
    case SID:
        return read_sid(r, draft, err);
    case ACTION:
        return read_texts(r, &draft->actions, err);
    case RESOURCE:
        return read_resources(r, &draft->resources, err);
    case PRINCIPAL:
        return read_texts(r, &draft->principals, err);
    case CONDITION:
        return read_condition(r, &s->has_condition, err);
    case OTHER:
        break;
    }
    return ice_json_skip(&r->json, &r->event, err);
}

/* A statement; the last event began its object. */
static enum ice_status read_statement(struct reading *r, struct ice_error *err) {
    struct ice_iam_policies *out = r->out;
    struct draft draft = {.statement.offset = place(r)};
    ICE_TRY(ice_json_next(&r->json, &r->event, err));
    while (r->event.kind == ICE_JSON_KEY) {
        ICE_TRY(read_member(r, &draft, err));
        ICE_TRY(ice_json_next(&r->json, &r->event, err));
    }
    if (!draft.has_effect)
        return ICE_OK;
    void *items = out->statements;
    if (!grow(out->arena, &items, out->n, &out->capacity, sizeof(*out->statements)))
        return ICE_ENOMEM;
    out->statements = items;
    struct ice_iam_statement *s = &out->statements[out->n++];
    *s = draft.statement;
    s->actions = draft.actions.items;
    s->n_actions = draft.actions.n;
    s->resources = draft.resources.items;
    s->n_resources = draft.resources.n;
    s->principals = draft.principals.items;
    s->n_principals = draft.principals.n;
    return ICE_OK;
}

static enum ice_status read_statements(struct reading *r, struct ice_error *err) {
    if (r->event.kind == ICE_JSON_OBJECT)
        return read_statement(r, err);
    if (r->event.kind != ICE_JSON_ARRAY)
        return ICE_OK;
    for (;;) {
        ICE_TRY(ice_json_next(&r->json, &r->event, err));
        if (r->event.kind == ICE_JSON_ARRAY_END)
            return ICE_OK;
        if (r->event.kind == ICE_JSON_OBJECT)
            ICE_TRY(read_statement(r, err));
        else
            ICE_TRY(ice_json_skip(&r->json, &r->event, err));
    }
}

static enum ice_status put_off(struct reading *r) {
    if (r->event.kind != ICE_JSON_STRING)
        return ICE_OK; /* an object is walked as it comes */
    if (r->level >= DEEPEST) {
        r->out->n_unread++;
        return ICE_OK;
    }
    void *items = r->queue;
    if (!grow(r->out->arena, &items, r->n_queue, &r->queue_capacity, sizeof(*r->queue)))
        return ICE_ENOMEM;
    r->queue = items;
    struct embedded *next = &r->queue[r->n_queue++];
    next->level = r->level + 1;
    return keep(r, &next->text) ? ICE_OK : ICE_ENOMEM;
}

static enum wrapper meaning_of(struct ice_str key) {
    for (size_t i = 0; i < sizeof(wrappers) / sizeof(wrappers[0]); i++) {
        if (ice_str_is(key, wrappers[i].key))
            return wrappers[i].meaning;
    }
    return WRAP_OTHER;
}

static bool is_role(struct ice_str text) {
    struct ice_arn arn;
    return ice_arn_parse(text, &arn) && ice_str_is(arn.service, "iam") &&
           ice_str_starts(arn.resource, ICE_STR("role/"));
}

/* The value of a key outside of statements; the last event began it. */
static enum ice_status read_wrapped(struct reading *r, enum wrapper meaning,
                                    struct ice_error *err) {
    const bool is_text = r->event.kind == ICE_JSON_STRING;
    switch (meaning) {
    case WRAP_STATEMENT:
        return read_statements(r, err);
    case WRAP_DOCUMENT:
        return put_off(r);
    case WRAP_TRUST:
        return ice_json_skip(&r->json, &r->event, err);
    case WRAP_ATTACHED:
        r->out->lists_attached = true;
        return ICE_OK;
    case WRAP_POLICY_ARN:
        return is_text ? add_text(r, &r->out->attached) : ICE_OK;
    case WRAP_ARN:
        if (is_text && is_role(r->event.text) && r->out->role.text.size == 0 &&
            !keep(r, &r->out->role))
            return ICE_ENOMEM;
        return ICE_OK;
    case WRAP_OTHER:
        break;
    }
    return ICE_OK;
}

static enum ice_status read_events(struct reading *r, struct ice_error *err) {
    enum ice_status status;
    while ((status = ice_json_next(&r->json, &r->event, err)) == ICE_OK) {
        if (r->event.kind != ICE_JSON_KEY)
            continue;
        enum wrapper meaning = meaning_of(r->event.text);
        if (meaning == WRAP_OTHER)
            continue;
        ICE_TRY(ice_json_next(&r->json, &r->event, err));
        ICE_TRY(read_wrapped(r, meaning, err));
    }
    return status == ICE_DONE ? ICE_OK : status;
}

static enum ice_status read_text(struct reading *r, struct ice_str text,
                                 struct ice_error *err) {
    struct ice_stream stream = {0};
    ice_stream_init_memory(&stream, r->run, text);
    enum ice_status status = ice_json_init(&r->json, &stream, r->run, NULL, NULL, err);
    if (status == ICE_OK)
        status = read_events(r, err);
    ice_json_release(&r->json);
    ice_stream_release(&stream);
    return status;
}

/* One document that stood in a string; what is no JSON is counted, not an error. */
static enum ice_status read_embedded(struct reading *r, struct embedded document) {
    struct ice_buf decoded;
    ice_buf_init(&decoded, &r->run->alloc, document.text.text.size + 1);
    struct ice_str text = document.text.text;
    enum ice_status status = ICE_OK;
    if (ice_str_starts(text, ICE_STR("%"))) {
        status = ice_percent_decode(text, false, &decoded);
        text = ice_buf_str(&decoded);
    }
    r->outer = document.text.offset;
    r->level = document.level;
    if (status == ICE_OK)
        status = read_text(r, text, NULL);
    ice_buf_release(&decoded);
    if (status != ICE_EFORMAT && status != ICE_ELIMIT)
        return status;
    r->out->n_unread++;
    return ICE_OK;
}

enum ice_status ice_iam_read(struct ice_iam_policies *out, struct ice_str bytes,
                             struct ice_run *run, struct ice_error *err) {
    struct reading r = {.out = out, .run = run, .outer = ICE_NO_OFFSET};
    ICE_TRY(read_text(&r, bytes, err));
    for (size_t i = 0; i < r.n_queue; i++)
        ICE_TRY(read_embedded(&r, r.queue[i]));
    return ICE_OK;
}
