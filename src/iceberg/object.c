/*
 * Reading JSON objects by field tables.
 */
#include "iceberg/object.h"

#include "base/error.h"
#include "base/size.h"

/* Members whose null is told: those that Java or PyIceberg take only as absent. The
 * members of v2 that v1 may leave out are told too; `check` knows the version. */
static const char *const null_keys[] = {
    "parent-snapshot-id",
    "manifest-list",
    "manifests",
    "sequence-number",
    "summary",
    "refs",
    "snapshots",
    "properties",
    "statistics",
    "partition-statistics",
    "encryption-keys",
    "initial-default",
    "write-default",
    "schemas",
    "partition-specs",
    "sort-orders",
    "snapshot-log",
    "metadata-log",
    "identifier-field-ids",
};

void ice_object_reader_init(struct ice_object_reader *r, struct ice_json *json,
                            struct ice_run *run, struct ice_arena *arena,
                            ice_defect_fn on_defect, void *user, struct ice_error *err) {
    *r = (struct ice_object_reader){.json = json,
                                    .run = run,
                                    .arena = arena,
                                    .on_defect = on_defect,
                                    .user = user,
                                    .err = err};
    size_t max = SIZE_MAX / 2;
    ice_buf_init(&r->pointer, &run->alloc, max);
    ice_buf_init(&r->key, &run->alloc, max);
    ice_buf_init(&r->duplicate, &run->alloc, max);
}

void ice_object_reader_release(struct ice_object_reader *r) {
    ice_buf_release(&r->pointer);
    ice_buf_release(&r->key);
    ice_buf_release(&r->duplicate);
}

static enum ice_status tell(struct ice_object_reader *r,
                            const struct ice_defect *defect) {
    return r->on_defect == NULL ? ICE_OK : r->on_defect(defect, r->user);
}

/* A defect of the value whose first event was just returned. */
static enum ice_status tell_value(struct ice_object_reader *r, struct ice_defect defect,
                                  const struct ice_json_event *event) {
    if (r->on_defect == NULL)
        return ICE_OK;
    ICE_TRY(ice_json_pointer(r->json, &r->pointer));
    defect.pointer = ice_buf_str(&r->pointer);
    defect.offset = event->offset;
    if (event->kind == ICE_JSON_NUMBER)
        defect.text = event->text;
    return tell(r, &defect);
}

enum ice_status ice_object_defect(struct ice_object_reader *r, enum ice_defect_kind kind,
                                  struct ice_str field,
                                  const struct ice_json_event *event) {
    struct ice_defect defect = {.kind = kind, .field = field};
    if (event->kind == ICE_JSON_STRING)
        defect.text = event->text;
    return tell_value(r, defect, event);
}

enum ice_status ice_object_notice(enum ice_json_notice notice, uint64_t offset,
                                  struct ice_str pointer, void *user) {
    struct ice_object_reader *r = user;
    struct ice_defect defect = {.pointer = pointer, .offset = offset};
    switch (notice) {
    case ICE_JSON_BOM:
        defect.kind = ICE_DEFECT_BOM;
        break;
    case ICE_JSON_LONE_SURROGATE:
        defect.kind = ICE_DEFECT_LONE_SURROGATE;
        break;
    case ICE_JSON_NUL:
        defect.kind = ICE_DEFECT_NUL;
        break;
    case ICE_JSON_TRAILING_DATA:
        defect.kind = ICE_DEFECT_TRAILING_DATA;
        break;
    case ICE_JSON_DUPLICATE_KEY:
        defect.kind = ICE_DEFECT_DUPLICATE_KEY;
        r->met_duplicate = true;
        if (!r->expects_key)
            break;
        r->has_duplicate = true;
        r->duplicate_offset = offset;
        ice_buf_clear(&r->duplicate);
        return ice_buf_append_str(&r->duplicate, pointer);
    }
    return tell(r, &defect);
}

/* The next key of an object into r->key, or ICE_DONE. */
static enum ice_status next_key(struct ice_object_reader *r) {
    struct ice_json_event event;
    r->expects_key = true;
    r->has_duplicate = false;
    enum ice_status status = ice_json_next(r->json, &event, r->err);
    r->expects_key = false;
    if (status < 0)
        return status;
    if (event.kind != ICE_JSON_KEY)
        return ICE_DONE;
    ice_buf_clear(&r->key);
    return ice_buf_append_str(&r->key, event.text);
}

static enum ice_status tell_duplicate(struct ice_object_reader *r, bool known) {
    r->was_duplicate = r->has_duplicate;
    if (!r->has_duplicate)
        return ICE_OK;
    return tell(r, &(struct ice_defect){.kind = ICE_DEFECT_DUPLICATE_KEY,
                                        .pointer = ice_buf_str(&r->duplicate),
                                        .field = ice_buf_str(&r->key),
                                        .known = known,
                                        .offset = r->duplicate_offset});
}

enum ice_status ice_object_key(struct ice_object_reader *r, bool known_keys) {
    enum ice_status status = next_key(r);
    if (status != ICE_OK)
        return status;
    return tell_duplicate(r, known_keys);
}

static const char *kind_text(enum ice_json_kind kind) {
    switch (kind) {
    case ICE_JSON_OBJECT:
    case ICE_JSON_OBJECT_END:
        return "an object";
    case ICE_JSON_ARRAY:
    case ICE_JSON_ARRAY_END:
        return "an array";
    case ICE_JSON_KEY:
    case ICE_JSON_STRING:
        return "a string";
    case ICE_JSON_NUMBER:
        return "a number";
    case ICE_JSON_TRUE:
    case ICE_JSON_FALSE:
        return "a boolean";
    case ICE_JSON_NULL:
        return "null";
    }
    return "";
}

enum ice_status ice_object_wrong_type(struct ice_object_reader *r, const char *field,
                                      const char *expected,
                                      const struct ice_json_event *event) {
    ICE_TRY(tell_value(r,
                       (struct ice_defect){.kind = ICE_DEFECT_TYPE,
                                           .field = ice_str_from(field),
                                           .expected = expected,
                                           .found = kind_text(event->kind)},
                       event));
    return ice_json_skip(r->json, event, r->err);
}

/* *out_ok: the number is an integer of 32 or 64 bits; else its defect was told. */
static enum ice_status take_integer(struct ice_object_reader *r, const char *field,
                                    const struct ice_json_event *event, bool is_int,
                                    int64_t *out, bool *out_ok) {
    enum ice_number number = ice_json_i64(event, out);
    struct ice_defect defect = {.kind = ICE_DEFECT_NOT_INTEGER,
                                .field = ice_str_from(field)};
    *out_ok = false;
    if (number == ICE_NUMBER_NOT_INTEGER)
        return tell_value(r, defect, event);
    int32_t narrow;
    if (number == ICE_NUMBER_RANGE || (is_int && !ice_narrow_i32(*out, &narrow))) {
        defect.kind = ICE_DEFECT_RANGE;
        defect.expected = is_int ? "32 bits" : "64 bits";
        return tell_value(r, defect, event);
    }
    *out_ok = true;
    return ICE_OK;
}

static void store_integer(void *target, const struct ice_member *member, int64_t value) {
    unsigned char *at = (unsigned char *)target + member->offset;
    int32_t narrow;
    if (member->width == sizeof(int64_t))
        memcpy(at, &value, sizeof(value));
    else if (ice_narrow_i32(value, &narrow))
        memcpy(at, &narrow, sizeof(narrow));
}

static bool is_wanted(enum ice_want want, enum ice_json_kind kind) {
    switch (want) {
    case ICE_WANT_INT:
    case ICE_WANT_LONG:
        return kind == ICE_JSON_NUMBER;
    case ICE_WANT_BOOL:
        return kind == ICE_JSON_TRUE || kind == ICE_JSON_FALSE;
    case ICE_WANT_STRING:
    case ICE_WANT_TEXT:
        return kind == ICE_JSON_STRING;
    case ICE_WANT_OBJECT:
    case ICE_WANT_MAP:
        return kind == ICE_JSON_OBJECT;
    case ICE_WANT_ARRAY:
        return kind == ICE_JSON_ARRAY;
    case ICE_WANT_ANY:
    case ICE_WANT_IGNORE:
        return true;
    }
    return false;
}

static const char *const want_text[] = {
    [ICE_WANT_INT] = "an integer", [ICE_WANT_LONG] = "an integer",
    [ICE_WANT_BOOL] = "a boolean", [ICE_WANT_STRING] = "a string",
    [ICE_WANT_TEXT] = "a string",  [ICE_WANT_OBJECT] = "an object",
    [ICE_WANT_MAP] = "an object",  [ICE_WANT_ARRAY] = "an array",
    [ICE_WANT_ANY] = "any value",  [ICE_WANT_IGNORE] = "any value",
};

static enum ice_status tell_null(struct ice_object_reader *r,
                                 const struct ice_object_table *table,
                                 const struct ice_member *member,
                                 const struct ice_json_event *event) {
    bool is_told = false;
    switch (table->nulls) {
    case ICE_NULLS_NONE:
        break;
    case ICE_NULLS_KNOWN:
        for (size_t i = 0; i < ICE_COUNT_OF(null_keys) && !is_told; i++)
            is_told = strcmp(null_keys[i], member->key) == 0;
        break;
    case ICE_NULLS_PROPERTIES:
        is_told = strcmp("properties", member->key) == 0;
        break;
    }
    if (!is_told)
        return ICE_OK;
    return tell_value(
        r,
        (struct ice_defect){.kind = ICE_DEFECT_NULL, .field = ice_str_from(member->key)},
        event);
}

/* Store or hand over a value of the right kind. */
static enum ice_status take_value(struct ice_object_reader *r,
                                  const struct ice_member *member, void *target,
                                  const struct ice_json_event *event, bool *out_ok,
                                  bool *out_handed) {
    int64_t integer;
    *out_ok = true;
    switch ((enum ice_want)member->want) {
    case ICE_WANT_INT:
    case ICE_WANT_LONG:
        ICE_TRY(take_integer(r, member->key, event, member->want == ICE_WANT_INT,
                             &integer, out_ok));
        if (*out_ok)
            store_integer(target, member, integer);
        return ICE_OK;
    case ICE_WANT_BOOL: {
        bool value = event->kind == ICE_JSON_TRUE;
        memcpy((unsigned char *)target + member->offset, &value, sizeof(value));
        return ICE_OK;
    }
    case ICE_WANT_STRING: {
        struct ice_str copy;
        if (!ice_arena_dup(r->arena, event->text, &copy))
            return ice_error_memory(r->err);
        memcpy((unsigned char *)target + member->offset, &copy, sizeof(copy));
        return ICE_OK;
    }
    case ICE_WANT_IGNORE:
        return ice_json_skip(r->json, event, r->err);
    case ICE_WANT_TEXT:
    case ICE_WANT_OBJECT:
    case ICE_WANT_MAP:
    case ICE_WANT_ARRAY:
    case ICE_WANT_ANY:
        break;
    }
    *out_handed = true;
    return ICE_OK;
}

static size_t find_member(const struct ice_object_table *table, struct ice_str key) {
    for (size_t i = 0; i < table->n; i++) {
        const struct ice_member *member = &table->members[i];
        if (member->key_size == key.size && memcmp(member->key, key.data, key.size) == 0)
            return i;
    }
    return SIZE_MAX;
}

static enum ice_status take_unknown(struct ice_object_reader *r,
                                    const struct ice_json_event *event) {
    ICE_TRY(tell_value(r,
                       (struct ice_defect){.kind = ICE_DEFECT_UNKNOWN_KEY,
                                           .field = ice_buf_str(&r->key)},
                       event));
    return ice_json_skip(r->json, event, r->err);
}

enum ice_status ice_object_next(struct ice_object_reader *r,
                                const struct ice_object_table *table, void *target,
                                struct ice_bits *bits, size_t *out_member,
                                struct ice_json_event *out_event) {
    for (;;) {
        enum ice_status status = next_key(r);
        if (status != ICE_OK)
            return status;
        size_t at = find_member(table, ice_buf_str(&r->key));
        ICE_TRY(tell_duplicate(r, at != SIZE_MAX));
        struct ice_json_event event;
        ICE_TRY(ice_json_next(r->json, &event, r->err));
        if (at == SIZE_MAX) {
            ICE_TRY(take_unknown(r, &event));
            continue;
        }
        const struct ice_member *member = &table->members[at];
        const uint64_t bit = UINT64_C(1) << at;
        bits->present &= ~bit;
        bits->null &= ~bit;
        bits->bad &= ~bit;
        bool ok = true, handed = false;
        if (event.kind == ICE_JSON_NULL) {
            bits->null |= bit;
            ICE_TRY(tell_null(r, table, member, &event));
            if (member->want != ICE_WANT_ANY)
                continue;
            handed = true;
        } else if (is_wanted((enum ice_want)member->want, event.kind)) {
            ICE_TRY(take_value(r, member, target, &event, &ok, &handed));
        } else {
            ok = false;
            ICE_TRY(
                ice_object_wrong_type(r, member->key, want_text[member->want], &event));
        }
        if (!ok)
            bits->bad |= bit;
        else if (event.kind != ICE_JSON_NULL)
            bits->present |= bit;
        if (handed) {
            *out_member = at;
            *out_event = event;
            return ICE_OK;
        }
    }
}

enum ice_status ice_array_next(struct ice_object_reader *r, enum ice_json_kind wanted,
                               const char *field, struct ice_json_event *out) {
    for (;;) {
        ICE_TRY(ice_json_next(r->json, out, r->err));
        if (out->kind == ICE_JSON_ARRAY_END)
            return ICE_DONE;
        if (out->kind == wanted)
            return ICE_OK;
        ICE_TRY(ice_object_wrong_type(r, field, kind_text(wanted), out));
    }
}

enum ice_status ice_array_ints(struct ice_object_reader *r, const char *field,
                               int32_t **out, size_t *out_n) {
    int32_t *items = NULL;
    size_t n = 0, capacity = 0;
    *out = NULL;
    *out_n = 0;
    for (;;) {
        struct ice_json_event event;
        ICE_TRY(ice_json_next(r->json, &event, r->err));
        if (event.kind == ICE_JSON_ARRAY_END)
            break;
        if (event.kind != ICE_JSON_NUMBER) {
            ICE_TRY(ice_object_wrong_type(r, field, "an integer", &event));
            continue;
        }
        int64_t value;
        bool ok;
        ICE_TRY(take_integer(r, field, &event, true, &value, &ok));
        if (!ok)
            continue;
        items = ice_arena_push(r->arena, items, &n, &capacity, sizeof(*items));
        if (items == NULL)
            return ice_error_memory(r->err);
        (void)ice_narrow_i32(value, &items[n - 1]);
    }
    *out = items;
    *out_n = n;
    return ICE_OK;
}

void *ice_arena_push(struct ice_arena *arena, void *items, size_t *n, size_t *capacity,
                     size_t size) {
    if (*n < *capacity) {
        memset((unsigned char *)items + *n * size, 0, size);
        ++*n;
        return items;
    }
    size_t wanted = *capacity == 0 ? 4 : *capacity;
    if (!ice_size_mul(wanted, *capacity == 0 ? 1 : 2, &wanted))
        return NULL;
    void *bigger = ice_arena_array(arena, wanted, size);
    if (bigger == NULL)
        return NULL;
    if (*n > 0)
        memcpy(bigger, items, *n * size);
    *capacity = wanted;
    ++*n;
    return bigger;
}
