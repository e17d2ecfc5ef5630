/*
 * Built twice by the same walk: once to count, once to write. Nothing gets longer by
 * resolving escapes; a hole may, and is counted with three bytes.
 */
#include "conf/py_text.h"

#include "base/utf8.h"

struct build {
    char *data; /* NULL while counting */
    struct ice_py_segment *segments;
    size_t size, n_segments;
    size_t next_offset; /* where the next byte stands if the segment goes on */
    bool has_hole;
};

/* Bytes that stand at offset and took `taken` bytes of the script. */
static void put(struct build *b, const char *bytes, size_t n, size_t offset,
                size_t taken) {
    if (offset != b->next_offset) {
        if (b->segments != NULL)
            b->segments[b->n_segments] =
                (struct ice_py_segment){.index = b->size, .offset = offset};
        b->n_segments++;
    }
    if (b->data != NULL)
        memcpy(b->data + b->size, bytes, n);
    b->size += n;
    b->next_offset = taken == n ? offset + taken : SIZE_MAX - 1;
}

static void put_hole(struct build *b, size_t offset) {
    put(b, "${}", 3, offset, 0);
    b->has_hole = true;
}

/* The number in n hex digits; SIZE_MAX: they are none. */
static size_t hex(struct ice_str body, size_t at, size_t n) {
    size_t value = 0;
    for (size_t i = 0; i < n; i++) {
        const int digit = at + i < body.size ? ice_hex_digit(body.data[at + i]) : -1;
        if (digit < 0)
            return SIZE_MAX;
        value = value * 16 + (size_t)digit;
    }
    return value;
}

/* A code point by its number: \xhh, \uhhhh, \Uhhhhhhhh. 0: it is none. */
static size_t put_code_point(struct build *b, struct ice_str body, size_t at,
                             size_t offset) {
    const char letter = body.data[at + 1];
    const size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : letter == 'U' ? 8 : 0;
    const size_t value = digits > 0 ? hex(body, at + 2, digits) : SIZE_MAX;
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
        return 0;
    char encoded[4];
    const size_t n = ice_utf8_encode((uint32_t)value, encoded);
    put(b, encoded, n, offset, digits + 2);
    return digits + 2;
}

/* The escape at `at`; how many bytes it takes. */
static size_t put_escape(struct build *b, struct ice_str body, size_t at, size_t offset) {
    static const char names[] = "ntrabfv\\'\"";
    static const char values[] = "\n\t\r\a\b\f\v\\'\"";
    if (body.size - at < 2) {
        put(b, "\\", 1, offset, 1);
        return 1;
    }
    const char c = body.data[at + 1];
    if (c == '\n') { /* the line goes on: nothing */
        b->next_offset = SIZE_MAX - 1;
        return 2;
    }
    const char *name = c != '\0' ? strchr(names, c) : NULL;
    if (name != NULL) {
        put(b, values + (name - names), 1, offset, 2);
        return 2;
    }
    const size_t taken = put_code_point(b, body, at, offset);
    if (taken > 0)
        return taken;
    put(b, body.data + at, 2, offset, 2);
    return 2;
}

/* The hole of an f-string that opens at `at`; how many bytes it takes. */
static size_t hole_size(struct ice_str body, size_t at) {
    size_t depth = 0;
    for (size_t i = at; i < body.size; i++) {
        if (body.data[i] == '{')
            depth++;
        else if (body.data[i] == '}' && --depth == 0)
            return i + 1 - at;
    }
    return body.size - at;
}

static void put_string(struct build *b, const struct ice_py_token *token) {
    const struct ice_str body = token->body;
    for (size_t at = 0; at < body.size;) {
        const char c = body.data[at];
        const size_t offset = token->body_offset + at;
        const bool is_doubled = at + 1 < body.size && body.data[at + 1] == c;
        if (c == '\\' && !token->is_raw) {
            at += put_escape(b, body, at, offset);
        } else if (token->is_format && c == '{' && !is_doubled) {
            put_hole(b, offset);
            at += hole_size(body, at);
        } else if (token->is_format && (c == '{' || c == '}') && is_doubled) {
            put(b, &c, 1, offset, 2);
            at += 2;
        } else {
            put(b, &c, 1, offset, 1);
            at++;
        }
    }
}

static void build(struct build *b, const struct ice_py_piece *pieces) {
    b->size = b->n_segments = 0;
    b->next_offset = SIZE_MAX - 1;
    for (const struct ice_py_piece *p = pieces; p != NULL; p = p->next) {
        if (p->token.kind == ICE_PY_STRING)
            put_string(b, &p->token);
        else
            put_hole(b, p->token.offset);
    }
}

bool ice_py_text_build(const struct ice_py_piece *pieces, struct ice_arena *arena,
                       struct ice_py_text *out) {
    struct build b = {0};
    build(&b, pieces);
    b.data = ice_arena_array(arena, b.size + 1, 1);
    b.segments = ice_arena_array(arena, b.n_segments + 1, sizeof(*b.segments));
    if (b.data == NULL || b.segments == NULL)
        return false;
    build(&b, pieces);
    *out = (struct ice_py_text){.text = ice_str_make(b.data, b.size),
                                .segments = b.segments,
                                .n_segments = b.n_segments,
                                .has_hole = b.has_hole};
    return true;
}

size_t ice_py_text_offset(const struct ice_py_text *text, size_t index) {
    size_t low = 0, high = text->n_segments;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (text->segments[middle].index <= index)
            low = middle;
        else
            high = middle;
    }
    if (high == 0)
        return 0;
    return text->segments[low].offset + (index - text->segments[low].index);
}
