/*
 * The run's allocator: every byte the library allocates is counted here, against
 * limits.memory, and may fail at any call. The only file that may name malloc.
 */
#ifndef ICE_BASE_ALLOC_H
#define ICE_BASE_ALLOC_H

#include "icefsck.h"
#include "base/compiler.h"

#include <stdatomic.h>

struct ice_alloc {
    struct ice_allocator base;
    uint64_t limit;        /* bytes in all; UINT64_MAX: none */
    _Atomic uint64_t used; /* bytes now */
    _Atomic uint64_t peak; /* largest value of used */
    _Atomic bool over;     /* a request was refused by limit, not by the base allocator */
    _Atomic uint64_t refusals; /* requests refused so far, by either */
};

/* Whether no room is kept for what comes later, in a thing of so many bytes: a build for
 * tests, in which sanitizers see every bound and every request can be made to fail. */
static inline bool ice_alloc_is_exact(size_t bytes) {
#ifdef ICE_EXACT_ALLOCATIONS
    return bytes < 4096;
#else
    (void)bytes;
    return false;
#endif
}

/* base NULL: the C library's. limit in bytes. */
void ice_alloc_init(struct ice_alloc *alloc, const struct ice_allocator *base,
                    uint64_t limit);

/*
 * Like realloc with the old size told. pointer NULL and old_size 0 allocates; new_size 0
 * frees and returns NULL. NULL on failure: the old memory is then untouched.
 */
void *ice_realloc(struct ice_alloc *alloc, void *pointer, size_t old_size,
                  size_t new_size) ICE_MUST_USE;

/* Requests refused so far: what gave no status while they grew, as a guess at a format,
 * may be wrong. */
uint64_t ice_alloc_refusals(const struct ice_alloc *alloc);

/* size > 0. Not zeroed. */
void *ice_malloc(struct ice_alloc *alloc, size_t size) ICE_MUST_USE;
/* count > 0, size > 0; zeroed; NULL also on overflow of the product. */
void *ice_calloc(struct ice_alloc *alloc, size_t count, size_t size) ICE_MUST_USE;
/* pointer may be NULL. size as allocated. */
void ice_free(struct ice_alloc *alloc, void *pointer, size_t size);

/*
 * For libraries that free without telling the size (zlib, zstd): the size is kept in
 * front of the memory. size 0 is fine; NULL on failure; _free accepts NULL.
 */
void *ice_sized_malloc(struct ice_alloc *alloc, size_t size) ICE_MUST_USE;
void ice_sized_free(struct ice_alloc *alloc, void *pointer);

/*
 * Make room for one more element of an array (*items with *capacity elements of
 * element_size bytes, n in use). Grows by half, from 8. Returns false when out of memory;
 * the array is then as before.
 */
bool ice_array_reserve(struct ice_alloc *alloc, void *items, size_t n, size_t *capacity,
                       size_t element_size) ICE_MUST_USE;
/* Release such an array and set *items and *capacity to nothing. */
void ice_array_free(struct ice_alloc *alloc, void *items, size_t *capacity,
                    size_t element_size);

#endif
