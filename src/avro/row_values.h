/*
 * Inside of ice_avro_rows: the arrays behind lists, maps and tuples, and how they are
 * filled. Functions return false on a fault, which the cursor then names.
 */
#ifndef ICE_AVRO_ROW_VALUES_H
#define ICE_AVRO_ROW_VALUES_H

#include "avro/avro_walk.h"
#include "avro/cursor.h"
#include "avro/step.h"

/* Two arrays of one length: a list uses only the first. */
struct ice_slot {
    void *first, *second;
    size_t first_bytes, second_bytes; /* of an element */
    size_t first_capacity, second_capacity;
    size_t capacity; /* elements that both have room for */
    /* of a map: the keys of the last row as they are encoded, row_maps.c */
    uint16_t *encoded;
    size_t n_encoded, encoded_capacity;
    uint64_t keys_id; /* another one whenever the keys changed; 0: none yet */
};

struct ice_scratch {
    struct ice_alloc *alloc;
    struct ice_slot *slots;
    size_t n_slots;
    struct ice_walk walk;
    uint64_t zero_limit;           /* values of no bytes in one datum */
    uint64_t *zero_left;           /* and in what is left of the file */
    const struct ice_step *failed; /* where a fault was met */
    const struct ice_step *failed_in_list;
    uint64_t failed_item;
    bool has_failed_item;
};

/*
 * Room for one more element. Twice as much each time, so that what is allocated follows
 * what was decoded, not what a count promised.
 */
bool ice_slot_grow(struct ice_scratch *s, struct ice_cursor *c, struct ice_slot *slot,
                   size_t first_bytes, size_t second_bytes);
void ice_slot_release(struct ice_scratch *s, struct ice_slot *slot);

/* What is left of an array: its blocks one after another. All-zero at its start. */
struct ice_items {
    uint64_t left;
    const unsigned char *start, *end;
};

/* The next block head of any kind. */
bool ice_items_head(struct ice_cursor *c, struct ice_items *items, uint64_t least);

/* Make left > 0; false at the end of the array (c->fault none) and on a fault. */
static inline bool ice_items_more(struct ice_cursor *c, struct ice_items *items,
                                  uint64_t least) {
    if (items->left > 0)
        return true;
    /* nearly all: a count of one byte that is not negative, and no size stated before */
    if (least <= INT32_MAX && /* so that the product fits */
        ICE_LIKELY(items->end == NULL && c->at < c->end && (*c->at & 0x81) == 0) &&
        ICE_LIKELY((*c->at >> 1) * least < ice_cursor_left(c))) {
        items->left = *c->at++ >> 1;
        items->start = c->at;
        return items->left > 0;
    }
    return ice_items_head(c, items, least);
}

/* How many of those left fit behind n elements of the slot; they count as read. */
size_t ice_items_take(struct ice_items *items, size_t n, const struct ice_slot *slot);

bool ice_read_list_i64(struct ice_scratch *s, struct ice_cursor *c,
                       const struct ice_step *step, struct ice_list_i64 *out);
bool ice_read_map_i64(struct ice_scratch *s, struct ice_cursor *c,
                      const struct ice_step *step, struct ice_map_i64 *out);
bool ice_read_map_bytes(struct ice_scratch *s, struct ice_cursor *c,
                        const struct ice_step *step, struct ice_map_bytes *out);
bool ice_read_tuple(struct ice_scratch *s, struct ice_cursor *c,
                    const struct ice_step *step, struct ice_tuple *out);

/* ---- rows.c, shared with avro_json.c ---- */

/*
 * Come to a block with a record left, of at least `least` bytes: rows->at is its place
 * and rows->record its number. Statuses as of ice_avro_rows_next.
 */
enum ice_status ice_rows_find(struct ice_avro_rows *rows, uint64_t least,
                              struct ice_error *err);
/*
 * The record did not decode: give up its block and say where. is_first_byte: no byte of
 * the record was there. walk: that found the fault, or NULL for a step.
 */
enum ice_status ice_rows_fault(struct ice_avro_rows *rows, const struct ice_cursor *c,
                               bool is_first_byte, const struct ice_walk *walk,
                               struct ice_error *err);
/* Note in the file what the cursor met that is odd but legal. */
void ice_rows_note(struct ice_avro_rows *rows, const struct ice_cursor *c);

#endif
