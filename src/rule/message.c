/*
 * Templates: a plain scan for braces.
 */
#include "rule/message.h"

#include "base/error.h"

#include <assert.h>
#include <inttypes.h>

static enum ice_status put_hex(struct ice_buf *out, struct ice_str bytes) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < bytes.size; i++) {
        unsigned char byte = (unsigned char)bytes.data[i];
        ICE_TRY(ice_buf_append_char(out, digits[byte >> 4]));
        ICE_TRY(ice_buf_append_char(out, digits[byte & 15]));
    }
    return ICE_OK;
}

static enum ice_status put_arg(struct ice_buf *out, const struct ice_arg *arg) {
    switch (arg->kind) {
    case ICE_ARG_STR:
        return ice_buf_append_str(out, arg->str);
    case ICE_ARG_I64:
    case ICE_ARG_ID:
        return ice_buf_printf(out, "%" PRId64, arg->i64);
    case ICE_ARG_BYTES:
        return put_hex(out, arg->str);
    case ICE_ARG_BOOL:
        return ice_buf_append_str(out, arg->i64 ? ICE_STR("true") : ICE_STR("false"));
    }
    return ICE_EARG;
}

/* The next {name} of *rest; *rest then stands behind it, *out_before is what stood in
 * front. */
static bool next_placeholder(struct ice_str *rest, struct ice_str *out_before,
                             struct ice_str *out_name) {
    size_t open = ice_str_find(*rest, '{');
    size_t close =
        open == SIZE_MAX ? SIZE_MAX : ice_str_find(ice_str_from_index(*rest, open), '}');
    if (close == SIZE_MAX)
        return false;
    *out_before = ice_str_first(*rest, open);
    *out_name = (struct ice_str){rest->data + open + 1, close - 1};
    *rest = ice_str_from_index(*rest, open + close + 1);
    return true;
}

/* The argument of a placeholder: `name`, or that of `name|one|many`. */
static const struct ice_arg *arg_of(struct ice_str name, const struct ice_arg *args,
                                    size_t n_args) {
    size_t bar = ice_str_find(name, '|');
    if (bar != SIZE_MAX)
        name = ice_str_first(name, bar);
    assert(name.data != NULL); /* behind a brace */
    for (size_t i = 0; i < n_args; i++) {
        if (args[i].name != NULL && ice_str_is(name, args[i].name))
            return &args[i];
    }
    return NULL;
}

/* Of `name|one|many` the words that go with the number; false: it has no such words. */
static bool words_of(struct ice_str placeholder, const struct ice_arg *arg,
                     struct ice_str *out) {
    size_t bar = ice_str_find(placeholder, '|');
    if (bar == SIZE_MAX)
        return false;
    struct ice_str one = ice_str_from_index(placeholder, bar + 1);
    size_t second = ice_str_find(one, '|');
    if (second == SIZE_MAX)
        return false;
    *out = arg->kind == ICE_ARG_I64 && arg->i64 == 1
               ? ice_str_first(one, second)
               : ice_str_from_index(one, second + 1);
    return true;
}

enum ice_status ice_message_fill(struct ice_buf *out, const char *template,
                                 const struct ice_arg *args, size_t n_args) {
    struct ice_str rest = ice_str_from(template), before, name, words;
    while (next_placeholder(&rest, &before, &name)) {
        ICE_TRY(ice_buf_append_str(out, before));
        const struct ice_arg *arg = arg_of(name, args, n_args);
        if (arg != NULL && words_of(name, arg, &words)) {
            ICE_TRY(ice_buf_append_str(out, words));
            continue;
        }
        if (arg != NULL) {
            ICE_TRY(put_arg(out, arg));
            continue;
        }
        struct ice_str placeholder = {name.data - 1, name.size + 2};
        ICE_TRY(ice_buf_append_str(out, placeholder));
    }
    return ice_buf_append_str(out, rest);
}

bool ice_message_has_all(const char *template, const struct ice_arg *args,
                         size_t n_args) {
    struct ice_str rest = ice_str_from(template), before, name;
    while (next_placeholder(&rest, &before, &name)) {
        if (arg_of(name, args, n_args) == NULL)
            return false;
    }
    return true;
}
