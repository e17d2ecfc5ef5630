/*
 * Values of a row that need arrays: lists, maps, tuples.
 */
#include "avro/row_values.h"

#include "base/size.h"

/* ---- slots ---- */

static bool grow_array(struct ice_alloc *alloc, void **array, size_t *capacity,
                       size_t wanted, size_t bytes) {
    size_t size;
    if (bytes == 0 || *capacity >= wanted)
        return true;
    if (!ice_size_mul(wanted, bytes, &size))
        return false;
    void *grown = ice_realloc(alloc, *array, *capacity * bytes, size);
    if (grown == NULL)
        return false;
    *array = grown;
    *capacity = wanted;
    return true;
}

bool ice_slot_grow(struct ice_scratch *s, struct ice_cursor *c, struct ice_slot *slot,
                   size_t first_bytes, size_t second_bytes) {
    const size_t capacity = slot->capacity ? slot->capacity * 2 : 32;
    slot->first_bytes = first_bytes; /* the same for a slot each time */
    slot->second_bytes = second_bytes;
    if (capacity < slot->capacity ||
        !grow_array(s->alloc, &slot->first, &slot->first_capacity, capacity,
                    first_bytes) ||
        !grow_array(s->alloc, &slot->second, &slot->second_capacity, capacity,
                    second_bytes))
        return ice_cursor_fail(c, ICE_FAULT_MEMORY, 0);
    slot->capacity = capacity;
    return true;
}

void ice_slot_release(struct ice_scratch *s, struct ice_slot *slot) {
    ice_free(s->alloc, slot->first, slot->first_capacity * slot->first_bytes);
    ice_free(s->alloc, slot->second, slot->second_capacity * slot->second_bytes);
}

/* ---- arrays ---- */

bool ice_items_more(struct ice_cursor *c, struct ice_items *items, uint64_t least) {
    if (items->left > 0)
        return true;
    if (items->end != NULL && c->at != items->end)
        return ice_cursor_fail(c, ICE_FAULT_ITEMS_SIZE, items->end - items->start);
    if (ICE_LIKELY(c->at < c->end && *c->at == 0)) {
        c->at++;
        return false;
    }
    if (!ice_cursor_items(c, least, &items->left, &items->end))
        return false;
    items->start = c->at;
    return items->left > 0;
}

/* Items that fit behind n, and that are left; they count as read. */
static size_t take_items(struct ice_items *items, size_t n, const struct ice_slot *slot) {
    const size_t room = slot->capacity - n;
    const size_t some = items->left < room ? (size_t)items->left : room;
    items->left -= some;
    return some;
}

bool ice_read_list_i64(struct ice_scratch *s, struct ice_cursor *c,
                       const struct ice_step *step, struct ice_list_i64 *out) {
    struct ice_slot *slot = &s->slots[step->slot];
    struct ice_items items = {0};
    size_t n = 0;
    while (ice_items_more(c, &items, 1)) {
        if (n == slot->capacity && !ice_slot_grow(s, c, slot, sizeof(int64_t), 0))
            return false;
        int64_t *values = slot->first;
        for (const size_t stop = n + take_items(&items, n, slot); n < stop; n++) {
            if (!ice_cursor_long(c, &values[n]))
                return false;
            if (step->is_int && values[n] != (int32_t)values[n])
                return ice_cursor_fail(c, ICE_FAULT_RANGE, values[n]);
        }
    }
    *out = (struct ice_list_i64){slot->first, n};
    return c->fault == ICE_FAULT_NONE;
}

/*
 * A key and a number, where 2 * ICE_VARINT_MOST bytes can be read. Returns where they
 * end, or NULL for anything odd. Most keys are one byte, and both come of one look.
 */
static inline const unsigned char *take_pair(const unsigned char *at, int32_t *key,
                                             int64_t *value, uint64_t *odd) {
    uint64_t word;
    if (!ice_varint_word(at, &word))
        return NULL;
    if (ICE_LIKELY((word & 0x80) == 0)) {
        const unsigned bytes = ice_varint_of_word(word >> 8, value, odd);
        *key = (int32_t)ice_zigzag(word & 0x7f);
        return ICE_LIKELY(bytes != 0) ? at + 1 + bytes : NULL;
    }
    int64_t wide = 0;
    const unsigned char *next = ice_varint_take(at, &wide, odd);
    *key = (int32_t)wide;
    return next == NULL || wide != *key ? NULL : ice_varint_take(next, value, odd);
}

/*
 * Pairs while there are bytes enough that none of them needs a look at the end: the hot
 * loop. Stops early at anything odd, which the careful loop then judges. Returns the
 * pairs read.
 */
static size_t take_pairs(struct ice_cursor *c, size_t n, int32_t *restrict keys,
                         int64_t *restrict values) {
    const unsigned char *at = c->at;
    uint64_t odd = 0;
    size_t i = 0;
    if (ice_cursor_left(c) / (2 * ICE_VARINT_MOST) < n)
        return 0;
    for (; i < n; i++) {
        const unsigned char *next = take_pair(at, &keys[i], &values[i], &odd);
        if (ICE_UNLIKELY(next == NULL))
            break;
        at = next;
    }
    c->at = at;
    c->not_shortest |= odd != 0;
    return i;
}

bool ice_read_map_i64(struct ice_scratch *s, struct ice_cursor *c,
                      const struct ice_step *step, struct ice_map_i64 *out) {
    struct ice_slot *slot = &s->slots[step->slot];
    struct ice_items items = {0};
    size_t n = 0;
    while (ice_items_more(c, &items, 2)) {
        if (n == slot->capacity &&
            !ice_slot_grow(s, c, slot, sizeof(int32_t), sizeof(int64_t)))
            return false;
        int32_t *keys = slot->first;
        int64_t *values = slot->second;
        const size_t stop = n + take_items(&items, n, slot);
        size_t i = n + take_pairs(c, stop - n, keys + n, values + n);
        for (; i < stop; i++)
            if (!ice_cursor_int(c, &keys[i]) || !ice_cursor_long(c, &values[i]))
                return false;
        for (; step->is_int && n < stop; n++)
            if (values[n] != (int32_t)values[n])
                return ice_cursor_fail(c, ICE_FAULT_RANGE, values[n]);
        n = stop;
    }
    *out = (struct ice_map_i64){slot->first, slot->second, n};
    return c->fault == ICE_FAULT_NONE;
}

/* The same for values of bytes; what is odd is left to the careful loop from there on. */
static size_t take_byte_pairs(struct ice_cursor *c, size_t n, int32_t *restrict keys,
                              struct ice_str *restrict values) {
    const unsigned char *at = c->at, *const end = c->end;
    uint64_t odd = 0;
    size_t i = 0;
    for (; i < n && end - at >= 2 * ICE_VARINT_MOST; i++) {
        int64_t length;
        const unsigned char *next = take_pair(at, &keys[i], &length, &odd);
        if (ICE_UNLIKELY(next == NULL || length < 0 || length > end - next))
            break;
        values[i] = ice_str_make(next, (size_t)length);
        at = next + length;
    }
    c->at = at;
    c->not_shortest |= odd != 0;
    return i;
}

bool ice_read_map_bytes(struct ice_scratch *s, struct ice_cursor *c,
                        const struct ice_step *step, struct ice_map_bytes *out) {
    struct ice_slot *slot = &s->slots[step->slot];
    struct ice_items items = {0};
    size_t n = 0;
    while (ice_items_more(c, &items, 2)) {
        if (n == slot->capacity &&
            !ice_slot_grow(s, c, slot, sizeof(int32_t), sizeof(struct ice_str)))
            return false;
        int32_t *keys = slot->first;
        struct ice_str *values = slot->second;
        const size_t stop = n + take_items(&items, n, slot);
        n += take_byte_pairs(c, stop - n, keys + n, values + n);
        for (; n < stop; n++)
            if (!ice_cursor_int(c, &keys[n]) || !ice_cursor_sized(c, &values[n]))
                return false;
    }
    *out = (struct ice_map_bytes){slot->first, slot->second, n};
    return c->fault == ICE_FAULT_NONE;
}

/* ---- tuples ---- */

/* All fields' places, and the fields that never take bytes once and for all. */
static bool begin_tuple(struct ice_scratch *s, struct ice_cursor *c,
                        struct ice_slot *slot, const struct ice_avro_schema *record) {
    if (record->n_fields == 0 || slot->capacity > 0)
        return true;
    struct ice_datum *values = ice_calloc(s->alloc, record->n_fields, sizeof(*values));
    if (values == NULL)
        return ice_cursor_fail(c, ICE_FAULT_MEMORY, 0);
    for (size_t i = 0; i < record->n_fields; i++)
        values[i].type = record->fields[i].type->type;
    slot->first = values;
    slot->first_bytes = sizeof(*values);
    slot->first_capacity = slot->capacity = record->n_fields;
    return true;
}

bool ice_read_tuple(struct ice_scratch *s, struct ice_cursor *c,
                    const struct ice_step *step, struct ice_tuple *out) {
    const struct ice_avro_schema *record = step->schema;
    struct ice_slot *slot = &s->slots[step->slot];
    if (!begin_tuple(s, c, slot, record))
        return false;
    struct ice_datum *values = slot->first;
    for (size_t i = 0; i < record->n_sized_fields; i++) {
        const size_t field = record->sized_fields[i];
        const struct ice_avro_schema *type = record->fields[field].type;
        size_t branch;
        if (type->type == ICE_AVRO_UNION) {
            if (!ice_cursor_index(c, type->n_branches, ICE_FAULT_UNION, &branch))
                return false;
            type = type->branches[branch];
        }
        if (!ice_walk_primitive(c, type, &values[field]))
            return false;
    }
    *out = (struct ice_tuple){values, record->n_fields};
    return true;
}
