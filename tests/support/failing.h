/*
 * An allocator whose k-th request fails, once or for good. It checks the sizes it is told
 * and counts what is still in use.
 */
#ifndef ICE_TESTS_SUPPORT_FAILING_H
#define ICE_TESTS_SUPPORT_FAILING_H

#include "icefsck.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct failing {
    uint64_t n;       /* requests so far */
    uint64_t fail_at; /* from 1; 0: never */
    bool sticky;      /* all later ones fail too */
    uint64_t used;    /* bytes in use */
};

/* The size is kept in front, so that a wrong old_size is found out. */
static inline void *failing_realloc(void *user, void *pointer, size_t old_size,
                                    size_t new_size) {
    struct failing *failing = user;
    enum { HEADER = 32 };
    char *base = pointer == NULL ? NULL : (char *)pointer - HEADER;
    if (base != NULL) {
        size_t known;
        memcpy(&known, base, sizeof(known));
        assert(known == old_size);
    }
    if (new_size == 0) {
        failing->used -= old_size;
        free(base);
        return NULL;
    }
    failing->n++;
    if (failing->n == failing->fail_at ||
        (failing->sticky && failing->fail_at > 0 && failing->n > failing->fail_at))
        return NULL;
    char *fresh = realloc(base, new_size + HEADER);
    assert(fresh != NULL);
    memcpy(fresh, &new_size, sizeof(new_size));
    failing->used = failing->used - old_size + new_size;
    return fresh + HEADER;
}

static inline struct ice_allocator failing_allocator(struct failing *failing) {
    return (struct ice_allocator){failing_realloc, failing};
}

#endif
