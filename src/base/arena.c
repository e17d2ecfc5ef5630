/*
 * Bump allocation in chunks of 4 KiB, doubling to 256 KiB; a larger piece gets its own
 * chunk.
 */
#include "base/arena.h"

#include "base/size.h"

#include <stdalign.h>

enum { FIRST_CHUNK = 4096, LAST_CHUNK = 256 * 1024 };

struct ice_arena_chunk {
    struct ice_arena_chunk *next;
    size_t size; /* of the whole chunk, this header included */
    alignas(max_align_t) unsigned char data[];
};

void ice_arena_init(struct ice_arena *arena, struct ice_alloc *alloc) {
    *arena = (struct ice_arena){.alloc = alloc};
}

static void free_chunks(struct ice_arena *arena, struct ice_arena_chunk *chunk) {
    while (chunk != NULL) {
        struct ice_arena_chunk *next = chunk->next;
        ice_free(arena->alloc, chunk, chunk->size);
        chunk = next;
    }
}

void ice_arena_release(struct ice_arena *arena) {
    free_chunks(arena, arena->chunks);
    arena->chunks = NULL;
    arena->used = arena->capacity = 0;
}

void ice_arena_reset(struct ice_arena *arena) {
    if (arena->chunks == NULL)
        return;
    free_chunks(arena, arena->chunks->next);
    arena->chunks->next = NULL;
    arena->used = 0;
}

static bool add_chunk(struct ice_arena *arena, size_t size) {
    size_t wanted = arena->chunks == NULL ? FIRST_CHUNK : arena->chunks->size * 2;
    if (ice_alloc_is_exact(size))
        wanted = 0;
    if (wanted > LAST_CHUNK)
        wanted = LAST_CHUNK;
    size_t whole;
    if (!ice_size_add(size, sizeof(struct ice_arena_chunk), &whole))
        return false;
    if (whole < wanted)
        whole = wanted;
    struct ice_arena_chunk *chunk = ice_malloc(arena->alloc, whole);
    if (chunk == NULL)
        return false;
    chunk->size = whole;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->used = 0;
    arena->capacity = whole - sizeof(struct ice_arena_chunk);
    return true;
}

void *ice_arena_alloc(struct ice_arena *arena, size_t size) {
    size_t rounded;
    const size_t align = alignof(max_align_t);
    if (!ice_size_add(size, align - 1, &rounded))
        return NULL;
    rounded &= ~(align - 1);
    if (rounded > arena->capacity - arena->used || arena->chunks == NULL) {
        if (!add_chunk(arena, rounded))
            return NULL;
    }
    void *memory = arena->chunks->data + arena->used;
    arena->used += rounded;
    if (size > 0)
        memset(memory, 0, size);
    return memory;
}

void *ice_arena_array(struct ice_arena *arena, size_t count, size_t size) {
    size_t total;
    if (!ice_size_mul(count, size, &total))
        return NULL;
    return ice_arena_alloc(arena, total);
}

bool ice_arena_dup(struct ice_arena *arena, struct ice_str text, struct ice_str *out) {
    size_t size;
    if (!ice_size_add(text.size, 1, &size))
        return false;
    char *copy = ice_arena_alloc(arena, size);
    if (copy == NULL)
        return false;
    if (text.size > 0)
        memcpy(copy, text.data, text.size);
    *out = (struct ice_str){copy, text.size};
    return true;
}
