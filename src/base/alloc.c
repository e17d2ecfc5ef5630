/*
 * Counting allocator over the caller's or the C library's.
 */
#include "base/alloc.h"

#include "base/size.h"

#include <stdlib.h>
#include <string.h>

static void *libc_realloc(void *user, void *pointer, size_t old_size, size_t new_size) {
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    return realloc(pointer, new_size);
}

void ice_alloc_init(struct ice_alloc *alloc, const struct ice_allocator *base,
                    uint64_t limit) {
    *alloc = (struct ice_alloc){.limit = limit};
    if (base != NULL)
        alloc->base = *base;
    else
        alloc->base.realloc = libc_realloc;
}

static void note_peak(struct ice_alloc *alloc, uint64_t used) {
    uint64_t peak = atomic_load_explicit(&alloc->peak, memory_order_relaxed);
    while (used > peak &&
           !atomic_compare_exchange_weak_explicit(
               &alloc->peak, &peak, used, memory_order_relaxed, memory_order_relaxed))
        ;
}

static void note_refusal(struct ice_alloc *alloc) {
    atomic_fetch_add_explicit(&alloc->refusals, 1, memory_order_relaxed);
}

uint64_t ice_alloc_refusals(const struct ice_alloc *alloc) {
    return atomic_load_explicit(&alloc->refusals, memory_order_relaxed);
}

void *ice_realloc(struct ice_alloc *alloc, void *pointer, size_t old_size,
                  size_t new_size) {
    if (new_size == 0) {
        if (pointer != NULL) {
            alloc->base.realloc(alloc->base.user, pointer, old_size, 0);
            atomic_fetch_sub_explicit(&alloc->used, old_size, memory_order_relaxed);
        }
        return NULL;
    }
    if (new_size > old_size) {
        uint64_t more = new_size - old_size;
        uint64_t used =
            atomic_fetch_add_explicit(&alloc->used, more, memory_order_relaxed) + more;
        if (used > alloc->limit) {
            atomic_fetch_sub_explicit(&alloc->used, more, memory_order_relaxed);
            atomic_store_explicit(&alloc->over, true, memory_order_relaxed);
            note_refusal(alloc);
            return NULL;
        }
        void *grown = alloc->base.realloc(alloc->base.user, pointer, old_size, new_size);
        if (grown != NULL) {
            note_peak(alloc, used);
            return grown;
        }
        atomic_fetch_sub_explicit(&alloc->used, more, memory_order_relaxed);
        note_refusal(alloc);
        return NULL;
    }
    void *shrunk = alloc->base.realloc(alloc->base.user, pointer, old_size, new_size);
    if (shrunk != NULL)
        atomic_fetch_sub_explicit(&alloc->used, old_size - new_size,
                                  memory_order_relaxed);
    return shrunk;
}

void *ice_malloc(struct ice_alloc *alloc, size_t size) {
    return ice_realloc(alloc, NULL, 0, size);
}

void *ice_calloc(struct ice_alloc *alloc, size_t count, size_t size) {
    size_t total;
    if (!ice_size_mul(count, size, &total))
        return NULL;
    void *memory = ice_realloc(alloc, NULL, 0, total);
    if (memory != NULL)
        memset(memory, 0, total);
    return memory;
}

void ice_free(struct ice_alloc *alloc, void *pointer, size_t size) {
    if (pointer != NULL)
        (void)!ice_realloc(alloc, pointer, size, 0);
}

/* room for a size_t in front that keeps the alignment of any type */
enum { SIZED_HEADER = sizeof(max_align_t) };

void *ice_sized_malloc(struct ice_alloc *alloc, size_t size) {
    size_t whole;
    if (!ice_size_add(size, SIZED_HEADER, &whole))
        return NULL;
    char *memory = ice_malloc(alloc, whole);
    if (memory == NULL)
        return NULL;
    memcpy(memory, &whole, sizeof(whole));
    return memory + SIZED_HEADER;
}

void ice_sized_free(struct ice_alloc *alloc, void *pointer) {
    if (pointer == NULL)
        return;
    char *memory = (char *)pointer - SIZED_HEADER;
    size_t whole;
    memcpy(&whole, memory, sizeof(whole));
    ice_free(alloc, memory, whole);
}

bool ice_array_reserve(struct ice_alloc *alloc, void *items, size_t n, size_t *capacity,
                       size_t element_size) {
    if (n < *capacity)
        return true;
    size_t wanted, bytes, grown = *capacity < 16 ? 8 : *capacity / 2;
    if (ice_alloc_is_exact(n * element_size))
        grown = 1;
    if (!ice_size_add(*capacity, grown, &wanted) ||
        !ice_size_mul(wanted, element_size, &bytes))
        return false;
    void *old;
    memcpy(&old, items,
           sizeof(old)); /* items points to some T*: read it without aliasing */
    void *fresh = ice_realloc(alloc, old, *capacity * element_size, bytes);
    if (fresh == NULL)
        return false;
    memcpy(items, &fresh, sizeof(fresh));
    *capacity = wanted;
    return true;
}

void ice_array_free(struct ice_alloc *alloc, void *items, size_t *capacity,
                    size_t element_size) {
    void *old;
    memcpy(&old, items, sizeof(old));
    ice_free(alloc, old, *capacity * element_size);
    old = NULL;
    memcpy(items, &old, sizeof(old));
    *capacity = 0;
}
