/*
 * Values of a row that need arrays: lists and tuples. Maps: row_maps.c.
 */
#include "avro/row_values.h"

#include "base/size.h"

/* ---- slots ---- */

static bool grow_array(struct ice_alloc *alloc, void **array, size_t *capacity,
                       size_t wanted, size_t bytes) {
    size_t size;
    if (bytes == 0 || *capacity >= wanted)
        return true;
    void *grown = NULL;
    if (ice_size_mul(wanted, bytes, &size))
        grown = ice_realloc(alloc, *array, *capacity * bytes, size);
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
    if (!grow_array(s->alloc, &slot->first, &slot->first_capacity, capacity,
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
    ice_free(s->alloc, slot->encoded, slot->encoded_capacity * sizeof(*slot->encoded));
}

/* ---- arrays ---- */

bool ice_items_head(struct ice_cursor *c, struct ice_items *items, uint64_t least) {
    if (items->end != NULL && c->at != items->end)
        return ice_cursor_fail(c, ICE_FAULT_ITEMS_SIZE, items->end - items->start);
    if (!ice_cursor_items(c, least, &items->left, &items->end))
        return false;
    items->start = c->at;
    return items->left > 0;
}

size_t ice_items_take(struct ice_items *items, size_t n, const struct ice_slot *slot) {
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
        for (const size_t stop = n + ice_items_take(&items, n, slot); n < stop; n++) {
            if (!ice_cursor_long(c, &values[n]))
                return false;
            if (step->is_int && values[n] != (int32_t)values[n])
                return ice_cursor_fail(c, ICE_FAULT_RANGE, values[n]);
        }
    }
    *out = (struct ice_list_i64){slot->first, n};
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
