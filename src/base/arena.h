/*
 * Bump allocation: many small pieces that live and die together (a file's schema, a run's
 * facts). Nothing is freed one by one.
 */
#ifndef ICE_BASE_ARENA_H
#define ICE_BASE_ARENA_H

#include "base/alloc.h"
#include "base/str.h"

struct ice_arena_chunk;

/* Invariant: an all-zero arena with alloc set is empty and ready. */
struct ice_arena {
    struct ice_alloc *alloc;
    struct ice_arena_chunk *chunks; /* newest first */
    size_t used, capacity;          /* of the newest chunk */
};

void ice_arena_init(struct ice_arena *arena, struct ice_alloc *alloc);
/* Frees all. Safe twice and on all-zero. */
void ice_arena_release(struct ice_arena *arena);
/* Frees all but one chunk, for the next file. */
void ice_arena_reset(struct ice_arena *arena);

/* Zeroed, aligned for any type, lives as long as the arena; NULL when out of memory. size
 * 0 is fine. */
void *ice_arena_alloc(struct ice_arena *arena, size_t size) ICE_MUST_USE;
/* count * size bytes; NULL also on overflow. */
void *ice_arena_array(struct ice_arena *arena, size_t count, size_t size) ICE_MUST_USE;
/* Copy text into the arena (ended by NUL for debuggers). false when out of memory. */
bool ice_arena_dup(struct ice_arena *arena, struct ice_str text,
                   struct ice_str *out) ICE_MUST_USE;

#endif
