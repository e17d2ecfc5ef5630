/*
 * The grammar: a state, a stack of open arrays and objects, one event a call.
 */
#include "json/token.h"

#include "json/scan.h"

#include "base/size.h"

#include <assert.h>
#include <inttypes.h>

/* Largest number of digits whose value is in 64 bits without a sign. */
enum { MOST_DIGITS = 19 };

enum ice_status ice_json_init(struct ice_json *json, struct ice_stream *stream,
                              struct ice_run *run, ice_json_notice_fn notice, void *user,
                              struct ice_error *err) {
    (void)err;
    *json =
        (struct ice_json){.stream = stream, .run = run, .notice = notice, .user = user};
    json->line = 1;
    json->base = json->line_start = stream->position;
    /* what bounds these texts are the limits on depth and tokens */
    ice_buf_init(&json->path, &run->alloc, SIZE_MAX);
    ice_buf_init(&json->text, &run->alloc, SIZE_MAX);
    ice_buf_init(&json->place, &run->alloc, SIZE_MAX);
    return ICE_OK;
}

void ice_json_release(struct ice_json *json) {
    if (json->run == NULL)
        return;
    if (json->at > 0)
        ice_stream_consume(json->stream, json->at);
    struct ice_alloc *alloc = &json->run->alloc;
    for (size_t i = 0; i < json->depth; i++)
        ice_json_keyset_release(&json->frames[i].many, alloc);
    ice_array_free(alloc, &json->frames, &json->frames_capacity, sizeof(*json->frames));
    for (size_t i = 0; i < ICE_JSON_SHAPED_DEPTH; i++) {
        if (json->shapes[i] != NULL)
            ice_free(alloc, json->shapes[i], sizeof(*json->shapes[i]));
    }
    ice_array_free(alloc, &json->hashes, &json->hashes_capacity, sizeof(*json->hashes));
    ice_buf_release(&json->path);
    ice_buf_release(&json->text);
    ice_buf_release(&json->place);
    *json = (struct ice_json){0};
}

/* ---- input ---- */

/* Move counted on to end. */
static void count_lines(struct ice_json *json, size_t end) {
    struct ice_str part = ice_str_make(json->data + json->counted, end - json->counted);
    size_t n = ice_scan_newlines((const unsigned char *)part.data, part.size);
    if (n > 0) {
        json->line += (uint32_t)n;
        json->line_start = json->base + json->counted + ice_str_rfind(part, '\n') + 1;
    }
    json->counted = end;
}

static enum ice_status copy_raw(struct ice_json *json, size_t end,
                                struct ice_error *err) {
    enum ice_status status =
        ice_buf_append(json->raw, json->data + json->raw_from, end - json->raw_from);
    json->raw_from = end;
    if (status == ICE_ELIMIT)
        return ice_json_fail(json, err, status, "limit.token", end,
                             "a value is longer than %zu bytes", json->raw->max);
    return status < 0 ? ice_error_memory(err) : ICE_OK;
}

enum ice_status ice_json_refill(struct ice_json *json, size_t keep,
                                struct ice_error *err) {
    if (keep > 0) {
        if (json->raw != NULL) {
            ICE_TRY(copy_raw(json, keep, err));
            json->raw_from = 0;
        }
        if (json->counted < keep)
            count_lines(json, keep);
        json->counted -= keep;
        ice_stream_consume(json->stream, keep);
        json->data += keep;
        json->base += keep;
        json->size -= keep;
        json->at -= keep;
        json->last = 0; /* the last token is gone, or begins at keep */
    }
    struct ice_str view;
    ICE_TRY(ice_stream_peek(json->stream, json->size + 1, &view, err));
    json->at_end = view.size == json->size;
    json->data = (const unsigned char *)view.data;
    json->size = view.size;
    return ICE_OK;
}

static bool is_space(unsigned char byte) {
    return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t';
}

/* Stand on the next byte that is no space, or at the end of the input: at == size. */
static enum ice_status skip_space(struct ice_json *json, struct ice_error *err) {
    for (;;) {
        const unsigned char *data = json->data;
        size_t at = json->at;
        const size_t size = json->size;
        while (at < size && data[at] <= ' ' && is_space(data[at]))
            at++;
        json->at = at;
        if (at < size || json->at_end)
            return ICE_OK;
        ICE_TRY(ice_json_refill(json, at, err));
    }
}

static enum ice_status notify(struct ice_json *json, enum ice_json_notice notice,
                              size_t index, struct ice_error *err) {
    if (json->notice == NULL)
        return ICE_OK;
    enum ice_status status = ice_json_pointer(json, &json->place);
    if (status < 0)
        return ice_error_memory(err);
    status =
        json->notice(notice, json->base + index, ice_buf_str(&json->place), json->user);
    if (status < 0)
        return ice_error_set(err, status, NULL, json->base + index,
                             "the reader of the notices stopped");
    return ICE_OK;
}

/* Marks of an encoding, once. */
static enum ice_status start(struct ice_json *json, struct ice_error *err) {
    while (json->size < 4 && !json->at_end)
        ICE_TRY(ice_json_refill(json, 0, err));
    const struct ice_str first = ice_str_make(json->data, json->size);
    if (ice_str_starts(first, ICE_STR("\xef\xbb\xbf"))) {
        ICE_TRY(notify(json, ICE_JSON_BOM, 0, err));
        json->at = 3;
    } else if (ice_magic_of(ice_str_first(first, 4)) == ICE_MAGIC_UTF16) {
        return ice_json_fail(json, err, ICE_EFORMAT, "json.encoding.not-utf8", 0,
                             "the text is UTF-16, not UTF-8");
    }
    json->state = ICE_JSON_AT_VALUE;
    return ICE_OK;
}

/* ---- structure ---- */

static struct ice_json_frame *top(const struct ice_json *json) {
    return &json->frames[json->depth - 1];
}

/* The first object of a depth may be the only one; the second has a shape. */
static enum ice_status find_shape(struct ice_json *json, struct ice_json_shape **out,
                                  struct ice_error *err) {
    const size_t depth = json->depth;
    *out = NULL;
    if (depth >= ICE_JSON_SHAPED_DEPTH)
        return ICE_OK;
    if (json->n_objects[depth] < 2 && ++json->n_objects[depth] == 2) {
        json->shapes[depth] =
            ice_calloc(&json->run->alloc, 1, sizeof(*json->shapes[depth]));
        if (json->shapes[depth] == NULL)
            return ice_error_memory(err);
    }
    *out = json->shapes[depth];
    return ICE_OK;
}

static enum ice_status open_frame(struct ice_json *json, bool is_object,
                                  struct ice_error *err) {
    const uint64_t limit = json->run->limits.json_depth;
    if (json->depth >= limit)
        return ice_json_fail(json, err, ICE_ELIMIT, "limit.depth", json->at,
                             "arrays and objects nest deeper than %" PRIu64, limit);
    if (!ice_array_reserve(&json->run->alloc, &json->frames, json->depth,
                           &json->frames_capacity, sizeof(*json->frames)))
        return ice_error_memory(err);
    struct ice_json_shape *shape = NULL;
    if (is_object)
        ICE_TRY(find_shape(json, &shape, err));
    json->frames[json->depth++] = (struct ice_json_frame){
        .is_object = is_object,
        .shaped = {.shape = shape},
        .path_start = json->path.size,
        .hash_start = json->n_hashes,
    };
    json->last = json->at++;
    json->state = is_object ? ICE_JSON_AT_MEMBER : ICE_JSON_AT_FIRST;
    return ICE_OK;
}

static void behind_value(struct ice_json *json) {
    json->state = json->depth == 0 ? ICE_JSON_AT_END : ICE_JSON_AT_NEXT;
}

static enum ice_status close_frame(struct ice_json *json, struct ice_json_event *out) {
    struct ice_json_frame *frame = top(json);
    out->kind = frame->is_object ? ICE_JSON_OBJECT_END : ICE_JSON_ARRAY_END;
    ice_json_keyset_release(&frame->many, &json->run->alloc);
    json->n_hashes = frame->hash_start;
    json->path.size = frame->path_start;
    json->depth--;
    json->last = json->at++;
    behind_value(json);
    return ICE_OK;
}

static enum ice_status notify_odd(struct ice_json *json, const struct ice_json_odd *odd,
                                  struct ice_error *err) {
    const size_t first = json->last + 1;
    if (odd->lone_surrogate != SIZE_MAX)
        ICE_TRY(notify(json, ICE_JSON_LONE_SURROGATE, first + odd->lone_surrogate, err));
    if (odd->nul != SIZE_MAX)
        ICE_TRY(notify(json, ICE_JSON_NUL, first + odd->nul, err));
    return ICE_OK;
}

/* The colon mostly stands right behind its key. */
static void step_over_colon(struct ice_json *json) {
    json->state = ICE_JSON_AT_COLON;
    if (json->at < json->size && json->data[json->at] == ':') {
        json->at++;
        json->state = ICE_JSON_AT_VALUE;
    }
}

static enum ice_status read_other_key(struct ice_json *json, struct ice_json_frame *frame,
                                      struct ice_json_event *out, struct ice_error *err) {
    struct ice_json_odd odd;
    if (json->data[json->at] != '"')
        return ice_json_unexpected(
            json, json->at, json->state == ICE_JSON_AT_MEMBER ? "a key or '}'" : "a key",
            err);
    ICE_TRY(
        ice_json_string(json, json->run->limits.json_key_bytes, &out->text, &odd, err));
    json->path.size = frame->path_start;
    frame->key_is_shaped = false;
    frame->has_step = true;
    if (ice_buf_append_str(&json->path, out->text) < 0)
        return ice_error_memory(err);
    const bool has_escapes = out->text.size != json->at - json->last - 2;
    bool was_there;
    ICE_TRY(notify_odd(json, &odd, err));
    ICE_TRY(ice_json_add_key(json, frame, out->text, has_escapes, &was_there, err));
    if (was_there)
        ICE_TRY(notify(json, ICE_JSON_DUPLICATE_KEY, json->last, err));
    step_over_colon(json);
    return ICE_OK;
}

static enum ice_status read_key(struct ice_json *json, struct ice_json_event *out,
                                struct ice_error *err) {
    struct ice_json_frame *frame = top(json);
    out->kind = ICE_JSON_KEY;
    if (!ice_json_next_of_shape(json, frame, &out->text))
        return read_other_key(json, frame, out, err);
    json->path.size = frame->path_start;
    frame->has_step = true;
    json->state = ICE_JSON_AT_VALUE;
    return ICE_OK;
}

/*
 * An integer without surprises, which ends in the window: *out has it and its value.
 * False leaves the verdict to ice_json_number.
 */
static bool read_integer(struct ice_json *json, struct ice_json_event *out) {
    const unsigned char *data = json->data;
    const size_t size = json->size, start = json->at;
    const bool negative = data[start] == '-';
    const size_t first = start + negative;
    size_t at = first;
    uint64_t value = 0;
    while (at < size && at - first < MOST_DIGITS && data[at] >= '0' && data[at] <= '9')
        value = value * 10 + (data[at++] - '0');
    const size_t n = at - first;
    if (n == 0 || at == size || (data[at] != ',' && data[at] != '}' && data[at] != ']') ||
        (n > 1 && data[first] == '0') || value > INT64_MAX ||
        at - start > json->run->limits.json_number_bytes)
        return false;
    out->has_integer = true;
    out->integer = negative ? -(int64_t)value : (int64_t)value;
    out->text = ice_str_make(data + start, at - start);
    json->last = start;
    json->at = at;
    return true;
}

static enum ice_status read_value(struct ice_json *json, struct ice_json_event *out,
                                  struct ice_error *err) {
    static const char expected[] = "a value";
    if (json->depth > 0 && !top(json)->is_object) {
        top(json)->n_begun++;
        top(json)->has_step = true;
    }
    struct ice_json_odd odd = {SIZE_MAX, SIZE_MAX, SIZE_MAX};
    const unsigned char byte = json->data[json->at];
    switch (byte) {
    case '{':
        out->kind = ICE_JSON_OBJECT;
        return open_frame(json, true, err);
    case '[':
        out->kind = ICE_JSON_ARRAY;
        return open_frame(json, false, err);
    case '"':
        out->kind = ICE_JSON_STRING;
        ICE_TRY(ice_json_string(json, json->run->limits.json_string_bytes, &out->text,
                                &odd, err));
        ICE_TRY(notify_odd(json, &odd, err));
        break;
    case 't':
        out->kind = ICE_JSON_TRUE;
        ICE_TRY(ice_json_word(json, "true", err));
        break;
    case 'f':
        out->kind = ICE_JSON_FALSE;
        ICE_TRY(ice_json_word(json, "false", err));
        break;
    case 'n':
        out->kind = ICE_JSON_NULL;
        ICE_TRY(ice_json_word(json, "null", err));
        break;
    default:
        if (byte != '-' && (byte < '0' || byte > '9'))
            return ice_json_unexpected(json, json->at, expected, err);
        out->kind = ICE_JSON_NUMBER;
        if (!read_integer(json, out))
            ICE_TRY(ice_json_number(json, &out->text, err));
        break;
    }
    behind_value(json);
    return ICE_OK;
}

/* What should stand here, by state. */
static const char *expected_in(const struct ice_json *json) {
    switch (json->state) {
    case ICE_JSON_AT_FIRST:
        return "a value or ']'";
    case ICE_JSON_AT_MEMBER:
        return "a key or '}'";
    case ICE_JSON_AT_KEY:
        return "a key";
    case ICE_JSON_AT_COLON:
        return "':'";
    case ICE_JSON_AT_NEXT:
        return top(json)->is_object ? "',' or '}'" : "',' or ']'";
    case ICE_JSON_AT_START:
    case ICE_JSON_AT_VALUE:
    case ICE_JSON_AT_END: /* from here on nothing is asked for */
    case ICE_JSON_IS_DONE:
    case ICE_JSON_IS_FAILED:
        break;
    }
    return "a value";
}

static enum ice_status finish(struct ice_json *json, struct ice_error *err) {
    if (json->at < json->size)
        ICE_TRY(notify(json, ICE_JSON_TRAILING_DATA, json->at, err));
    json->state = ICE_JSON_IS_DONE;
    return ICE_DONE;
}

/* One token at data[at]. ICE_OK: *out is an event; *out_again: it was punctuation, go on.
 */
static enum ice_status step(struct ice_json *json, struct ice_json_event *out,
                            bool *out_again, struct ice_error *err) {
    const unsigned char byte = json->data[json->at];
    *out_again = false;
    switch (json->state) {
    case ICE_JSON_AT_NEXT:
        if (byte == ',') {
            json->state = top(json)->is_object ? ICE_JSON_AT_KEY : ICE_JSON_AT_VALUE;
            break;
        }
        if (byte != (top(json)->is_object ? '}' : ']'))
            return ice_json_unexpected(json, json->at, expected_in(json), err);
        return close_frame(json, out);
    case ICE_JSON_AT_COLON:
        if (byte != ':')
            return ice_json_unexpected(json, json->at, expected_in(json), err);
        json->state = ICE_JSON_AT_VALUE;
        break;
    case ICE_JSON_AT_MEMBER:
        return byte == '}' ? close_frame(json, out) : read_key(json, out, err);
    case ICE_JSON_AT_KEY:
        return read_key(json, out, err);
    case ICE_JSON_AT_FIRST:
        return byte == ']' ? close_frame(json, out) : read_value(json, out, err);
    case ICE_JSON_AT_VALUE:
    case ICE_JSON_AT_START: /* from here on states of next() itself */
    case ICE_JSON_AT_END:
    case ICE_JSON_IS_DONE:
    case ICE_JSON_IS_FAILED:
        assert(json->state == ICE_JSON_AT_VALUE);
        return read_value(json, out, err);
    }
    json->at++;
    *out_again = true;
    return ICE_OK;
}

static enum ice_status next(struct ice_json *json, struct ice_json_event *out,
                            struct ice_error *err) {
    if (json->state == ICE_JSON_AT_START)
        ICE_TRY(start(json, err));
    for (;;) {
        if (json->at == json->size || json->data[json->at] <= ' ')
            ICE_TRY(skip_space(json, err));
        if (json->state == ICE_JSON_AT_END)
            return finish(json, err);
        if (json->at == json->size)
            return ice_json_unexpected(json, json->at, expected_in(json), err);
        bool again;
        ICE_TRY(step(json, out, &again, err));
        if (!again)
            break;
    }
    out->offset = json->base + json->last;
    return ICE_OK;
}

enum ice_status ice_json_next(struct ice_json *json, struct ice_json_event *out,
                              struct ice_error *err) {
    if (json->state == ICE_JSON_IS_DONE)
        return ICE_DONE;
    if (json->state == ICE_JSON_IS_FAILED)
        return json->failed;
    out->text = ICE_STR_NONE;
    out->has_integer = false;
    enum ice_status status = next(json, out, err);
    if (status < 0) {
        json->state = ICE_JSON_IS_FAILED;
        json->failed = status;
    }
    return status;
}

enum ice_status ice_json_skip(struct ice_json *json, const struct ice_json_event *event,
                              struct ice_error *err) {
    if (event->kind != ICE_JSON_OBJECT && event->kind != ICE_JSON_ARRAY)
        return ICE_OK;
    const size_t depth = json->depth - 1;
    struct ice_json_event inner;
    while (json->depth > depth)
        ICE_TRY(ice_json_next(json, &inner, err));
    return ICE_OK;
}

enum ice_status ice_json_raw(struct ice_json *json, const struct ice_json_event *event,
                             struct ice_buf *out, struct ice_error *err) {
    json->raw = out;
    json->raw_from = json->last;
    enum ice_status status = ice_json_skip(json, event, err);
    if (status == ICE_OK)
        status = copy_raw(json, json->at, err);
    json->raw = NULL;
    return status;
}

size_t ice_json_depth(const struct ice_json *json) {
    return json->depth;
}

void ice_json_mark(struct ice_json *json) {
    if (json->counted < json->last)
        count_lines(json, json->last);
}

void ice_json_position(const struct ice_json *json, uint64_t offset, uint32_t *out_line,
                       uint32_t *out_column) {
    uint32_t line = json->line;
    uint64_t line_start = json->line_start;
    const uint64_t counted = json->base + json->counted;
    if (offset > counted) {
        const size_t size =
            ice_size_min((size_t)(offset - counted), json->size - json->counted);
        struct ice_str part = ice_str_make(json->data + json->counted, size);
        size_t n = ice_scan_newlines((const unsigned char *)part.data, size);
        if (n > 0) {
            line += (uint32_t)n;
            line_start = counted + ice_str_rfind(part, '\n') + 1;
        }
    }
    uint64_t column = offset >= line_start ? offset - line_start + 1 : 1;
    *out_line = line;
    *out_column = column > UINT32_MAX ? UINT32_MAX : (uint32_t)column;
}
