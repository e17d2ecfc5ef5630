/*
 * Two documents of `dump` side by side. Places in maps and lists that a table fills as it
 * likes (names of columns, properties, snapshots) are one field each.
 */
#include "torture/damage_fields.h"

#include "iceberg/dump.h"
#include "base/buf.h"
#include "stream/stream.h"
#include "support/failing.h"
#include "support/failing_run.h"

#include <stdio.h>

enum { MOST_STEPS = 160, MOST_NAME = 200 };

/* ---- what a reader gets ---- */

static enum ice_status append(const char *data, size_t size, void *user) {
    return ice_buf_append(user, data, size);
}

static enum ice_status dump_bytes(struct ice_run *run, struct ice_str bytes,
                                  struct ice_buf *out) {
    struct ice_stream stream, outer;
    ice_stream_init_memory(&stream, run, bytes);
    bool is_gzip = bytes.size > 2 && memcmp(bytes.data, "\x1f\x8b", 2) == 0;
    if (is_gzip) {
        enum ice_status status = ice_stream_gzip(&outer, &stream, NULL);
        if (status < 0)
            return status;
    }
    struct ice_stream *end = is_gzip ? &outer : &stream;
    enum ice_status status = ice_dump_stream(end, run, append, NULL, out, NULL);
    ice_stream_release(end);
    return status;
}

/* The parser takes no NUL in keys; that something else stands there is all that counts.
 */
static void replace_nul(struct ice_buf *text) {
    char *at = text->data, *end = text->data + text->size;
    while (at < end && (at = memmem(at, (size_t)(end - at), "\\u0000", 6)) != NULL) {
        at[5] = '1';
        at += 6;
    }
}

json_t *damage_model(struct ice_str bytes, uint64_t *out_leaked) {
    struct failing failing = {0};
    struct ice_run run;
    struct ice_buf text;
    failing_run_init(&run, &failing);
    ice_buf_init(&text, &run.alloc, SIZE_MAX);
    json_t *model = NULL;
    if (dump_bytes(&run, bytes, &text) >= 0) {
        replace_nul(&text);
        model = json_loadb(text.data, text.size, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    }
    ice_buf_release(&text);
    *out_leaked += failing.used;
    return model;
}

/* ---- names of places ---- */

struct compare {
    const char *kind;
    const char *steps[MOST_STEPS]; /* keys from the root, "[]" for items */
    size_t n;
    damage_note_fn note;
    void *user;
};

static bool is(const char *text, const char *other) {
    return strcmp(text, other) == 0;
}

/* Below these only the name of the innermost member tells. */
static bool is_schema(const char *step) {
    return is(step, "schemas") || is(step, "schema") || is(step, "avro.schema") ||
           is(step, "iceberg.schema");
}

/* Their members are named by the table. */
static bool is_free(const char *step) {
    return is(step, "properties") || is(step, "refs") || is(step, "partition");
}

static void name_place(const struct compare *c, const char *last, char *out) {
    size_t used = (size_t)snprintf(out, MOST_NAME, "%s", c->kind);
    bool in_schema = false, is_hidden = false;
    const char *innermost = NULL;
    for (size_t i = 0; i <= c->n; i++) {
        const char *step = i < c->n ? c->steps[i] : last;
        if (step == NULL || is(step, "[]") || is(step, "records") || is(step, "hex"))
            continue;
        innermost = step;
        if (in_schema)
            continue;
        if (used < MOST_NAME)
            used += (size_t)snprintf(out + used, MOST_NAME - used, ".%s",
                                     is_hidden ? "*" : step);
        in_schema = is_schema(step);
        is_hidden = is_free(step);
    }
    if (in_schema && innermost != NULL && !is_schema(innermost) && used < MOST_NAME)
        (void)snprintf(out + used, MOST_NAME - used, ".%s", innermost);
    else if (used == strlen(c->kind) && used < MOST_NAME)
        (void)snprintf(out + used, MOST_NAME - used, ".%s", "records");
}

static void tell(const struct compare *c, const char *last) {
    char name[MOST_NAME + 1] = "";
    name_place(c, last, name);
    c->note(name, c->user);
}

/* ---- side by side ---- */

static void compare_values(struct compare *c, const json_t *a, const json_t *b);

static void compare_member(struct compare *c, const char *step, const json_t *a,
                           const json_t *b) {
    if (c->n == MOST_STEPS) {
        tell(c, NULL);
        return;
    }
    c->steps[c->n++] = step;
    compare_values(c, a, b);
    c->n--;
}

/* Columns of an Avro record: known by their place, as by their ids; that one has got
 * another name is told of the schema. */
static bool are_columns(const struct compare *c, const json_t *a, const json_t *b) {
    return c->n > 0 && is(c->steps[0], "records") &&
           json_object_size(a) == json_object_size(b);
}

static void compare_columns(struct compare *c, const json_t *a, const json_t *b) {
    const char *key;
    json_t *value;
    void *other = json_object_iter((json_t *)(uintptr_t)b);
    json_object_foreach((json_t *)(uintptr_t)a, key, value) {
        compare_member(c, key, value, json_object_iter_value(other));
        other = json_object_iter_next((json_t *)(uintptr_t)b, other);
    }
}

static void compare_objects(struct compare *c, const json_t *a, const json_t *b) {
    if (are_columns(c, a, b)) {
        compare_columns(c, a, b);
        return;
    }
    bool lacks = false;
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, key, value) {
        const json_t *other = json_object_get(b, key);
        if (other == NULL) {
            char gone[MOST_NAME];
            lacks = true;
            (void)snprintf(gone, sizeof(gone), "%s (gone)", key);
            tell(c, gone);
        } else {
            compare_member(c, key, value, other);
        }
    }
    if (!lacks && json_object_size(b) > json_object_size(a))
        tell(c, "(other key)");
}

static void compare_arrays(struct compare *c, const json_t *a, const json_t *b) {
    if (json_array_size(a) != json_array_size(b)) {
        tell(c, "(count)");
        return;
    }
    for (size_t i = 0; i < json_array_size(a); i++)
        compare_member(c, "[]", json_array_get(a, i), json_array_get(b, i));
}

static void compare_values(struct compare *c, const json_t *a, const json_t *b) {
    if (json_is_object(a) && json_is_object(b))
        compare_objects(c, a, b);
    else if (json_is_array(a) && json_is_array(b))
        compare_arrays(c, a, b);
    else if (!json_equal(a, b))
        tell(c, NULL);
}

void damage_compare(const char *kind, const json_t *whole, const json_t *damaged,
                    damage_note_fn note, void *user) {
    struct compare c = {.kind = kind, .note = note, .user = user};
    if (whole == NULL || damaged == NULL)
        tell(&c, "(not read)");
    else
        compare_values(&c, whole, damaged);
}
