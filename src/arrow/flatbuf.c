/*
 * FlatBuffers, front to back.
 */
#include "arrow/flatbuf.h"

#include <assert.h>

/* The format is little endian. */
static void put(char *at, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        at[i] = (char)(value >> 8 * i & 0xff);
}

static uint64_t get(const char *at, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)(unsigned char)at[i] << 8 * i;
    return value;
}

void ice_fb_init(struct ice_flatbuf *fb, struct ice_alloc *alloc) {
    *fb = (struct ice_flatbuf){0};
    ice_buf_init(&fb->out, alloc, INT32_MAX);
}

void ice_fb_release(struct ice_flatbuf *fb) {
    ice_buf_release(&fb->out);
}

/* Zeroed bytes at the end; SIZE_MAX on failure. */
static size_t add(struct ice_flatbuf *fb, size_t size) {
    size_t at = fb->out.size;
    if (fb->status == ICE_OK)
        fb->status = ice_buf_reserve(&fb->out, size);
    if (fb->status < 0)
        return SIZE_MAX;
    memset(fb->out.data + at, 0, size);
    fb->out.size += size;
    return at;
}

/* Zeros until the size, with more bytes behind it, is a multiple of unit. */
static void align(struct ice_flatbuf *fb, size_t unit, size_t more) {
    (void)add(fb, (unit - (fb->out.size + more) % unit) % unit);
}

void ice_fb_begin(struct ice_flatbuf *fb) {
    ice_buf_clear(&fb->out);
    fb->status = ICE_OK;
    (void)add(fb, 4);
}

/* Slots in their order, each at a multiple of its size; out[i] is where, 0: absent. */
static size_t lay_out(const uint8_t *sizes, size_t n_slots, uint16_t *out) {
    size_t size = 4; /* the reference to the vtable */
    for (size_t i = 0; i < n_slots; i++) {
        out[i] = 0;
        if (sizes[i] == 0)
            continue;
        size += (sizes[i] - size % sizes[i]) % sizes[i];
        out[i] = (uint16_t)size;
        size += sizes[i];
    }
    return size;
}

enum { MAX_SLOTS = 8 };

size_t ice_fb_table(struct ice_flatbuf *fb, const uint8_t *sizes, size_t n_slots) {
    uint16_t places[MAX_SLOTS];
    assert(n_slots <= MAX_SLOTS);
    size_t table_size = lay_out(sizes, n_slots, places);
    size_t vtable_size = 4 + 2 * n_slots;
    align(fb, 8, vtable_size); /* the table begins at a multiple of 8 */
    size_t vtable = add(fb, vtable_size), table = add(fb, table_size);
    if (fb->status < 0)
        return 0;
    ice_fb_put(fb, vtable, vtable_size, 2);
    ice_fb_put(fb, vtable + 2, table_size, 2);
    for (size_t i = 0; i < n_slots; i++)
        ice_fb_put(fb, vtable + 4 + 2 * i, places[i], 2);
    ice_fb_put(fb, table, table - vtable, 4);
    return table;
}

size_t ice_fb_slot(const struct ice_flatbuf *fb, size_t table, size_t slot) {
    if (fb->status < 0)
        return 0;
    size_t vtable = table - (size_t)get(fb->out.data + table, 4);
    size_t place = (size_t)get(fb->out.data + vtable + 4 + 2 * slot, 2);
    assert(place > 0);
    return table + place;
}

void ice_fb_put(struct ice_flatbuf *fb, size_t at, uint64_t value, size_t size) {
    if (fb->status == ICE_OK)
        put(fb->out.data + at, value, size);
}

void ice_fb_refer(struct ice_flatbuf *fb, size_t at, size_t target) {
    assert(fb->status < 0 || target > at);
    ice_fb_put(fb, at, target - at, 4);
}

size_t ice_fb_string(struct ice_flatbuf *fb, const char *text) {
    size_t size = strlen(text);
    align(fb, 4, 0);
    size_t at = add(fb, 4 + size + 1);
    if (fb->status < 0)
        return 0;
    put(fb->out.data + at, size, 4);
    memcpy(fb->out.data + at + 4, text, size);
    return at;
}

size_t ice_fb_references(struct ice_flatbuf *fb, size_t n) {
    align(fb, 4, 0);
    size_t at = add(fb, 4 + 4 * n);
    ice_fb_put(fb, at, n, 4);
    return fb->status < 0 ? 0 : at;
}

size_t ice_fb_pairs(struct ice_flatbuf *fb, const int64_t *pairs, size_t n) {
    align(fb, 8, 4);
    size_t at = add(fb, 4 + 16 * n);
    if (fb->status < 0)
        return 0;
    put(fb->out.data + at, n, 4);
    for (size_t i = 0; i < 2 * n; i++)
        put(fb->out.data + at + 4 + 8 * i, (uint64_t)pairs[i], 8);
    return at;
}
