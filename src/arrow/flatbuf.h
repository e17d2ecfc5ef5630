/*
 * As much of FlatBuffers as the messages of Arrow IPC need, written front to back: a
 * table is laid out with its slots empty, and the things they refer to follow it.
 * https://flatbuffers.dev/internals/
 */
#ifndef ICE_ARROW_FLATBUF_H
#define ICE_ARROW_FLATBUF_H

#include "base/buf.h"

/* Failures stick in status; positions are offsets in out. */
struct ice_flatbuf {
    struct ice_buf out;
    enum ice_status status;
};

void ice_fb_init(struct ice_flatbuf *fb, struct ice_alloc *alloc);
void ice_fb_release(struct ice_flatbuf *fb); /* safe twice */
/* Empty again, with room for the reference to the root: give 0 to ice_fb_refer. */
void ice_fb_begin(struct ice_flatbuf *fb);

/* A table of n_slots slots; sizes[i] is 1, 2, 4 or 8 bytes, 0 where the slot is absent.
 * Returns its position. */
size_t ice_fb_table(struct ice_flatbuf *fb, const uint8_t *sizes, size_t n_slots);
/* Position of a slot that is present. */
size_t ice_fb_slot(const struct ice_flatbuf *fb, size_t table, size_t slot);
/* The low bytes of value at a position. */
void ice_fb_put(struct ice_flatbuf *fb, size_t at, uint64_t value, size_t size);
/* The reference at a position leads to target, which lies behind it. */
void ice_fb_refer(struct ice_flatbuf *fb, size_t at, size_t target);

size_t ice_fb_string(struct ice_flatbuf *fb, const char *text);
/* A vector of n references; number i is at the returned position + 4 + 4 * i. */
size_t ice_fb_references(struct ice_flatbuf *fb, size_t n);
/* A vector of n pairs of int64. */
size_t ice_fb_pairs(struct ice_flatbuf *fb, const int64_t *pairs, size_t n);

#endif
