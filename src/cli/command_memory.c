/*
 * Memory of the command itself: little, and kept to the end of the process, when all of
 * it is freed; what a run over many tables needs for one of them is given back behind it.
 * The library has its own, counted allocator.
 */
#include "cli/cli.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *older, *newer;
    size_t number; /* counts up: newer blocks have a larger one */
    alignas(max_align_t) unsigned char data[];
};

/* The newest block; a process has one command. */
static struct block *blocks;

void *cli_alloc(size_t count, size_t size) {
    size_t bytes;
    struct block *block = NULL;
    if (!__builtin_mul_overflow(count, size, &bytes) &&
        !__builtin_add_overflow(bytes, sizeof(*block), &bytes))
        block = calloc(1, bytes);
    if (block == NULL) {
        cli_out_of_memory();
        return NULL; /* not reached; analysers do not all know */
    }
    block->older = blocks;
    block->number = blocks != NULL ? blocks->number + 1 : 1;
    if (blocks != NULL)
        blocks->newer = block;
    blocks = block;
    return block->data;
}

static void free_block(struct block *block) {
    if (block->older != NULL)
        block->older->newer = block->newer;
    if (block->newer != NULL)
        block->newer->older = block->older;
    else
        blocks = block->older;
    free(block);
}

void cli_free(void *data) {
    if (data != NULL)
        free_block((struct block *)((char *)data - offsetof(struct block, data)));
}

size_t cli_mark(void) {
    return blocks != NULL ? blocks->number : 0;
}

void cli_free_between(size_t before, size_t behind) {
    for (struct block *at = blocks; at != NULL && at->number > before;) {
        struct block *older = at->older;
        if (at->number <= behind)
            free_block(at);
        at = older;
    }
}

void cli_free_all(void) {
    cli_free_between(0, SIZE_MAX);
}

void *cli_grow(void *items, size_t n, size_t size) {
    if (n > 0 && (n & (n - 1)) != 0)
        return items; /* between powers of two there is room */
    void *grown = cli_alloc(n == 0 ? 1 : n * 2, size);
    if (n > 0)
        memcpy(grown, items, n * size);
    return grown;
}

char *cli_copy(const char *text, size_t size) {
    char *copy = cli_alloc(size + 1, 1);
    memcpy(copy, text, size);
    return copy;
}

static char *put(char *at, const char *text, size_t size) {
    memcpy(at, text, size);
    return at + size;
}

char *cli_join(const char *a, const char *b, const char *c) {
    size_t a_size = strlen(a), b_size = strlen(b), c_size = strlen(c);
    char *joined = cli_alloc(a_size + b_size + c_size + 1, 1);
    char *end = put(put(put(joined, a, a_size), b, b_size), c, c_size);
    *end = '\0';
    return joined;
}

enum ice_status cli_text_append(const char *data, size_t size, void *user) {
    struct cli_text *text = user;
    if (size > text->capacity - text->size) {
        size_t capacity = text->capacity == 0 ? 4096 : text->capacity;
        while (capacity - text->size < size) {
            if (capacity > SIZE_MAX / 2)
                return ICE_ENOMEM;
            capacity *= 2;
        }
        char *bigger = cli_alloc(capacity, 1);
        if (text->size > 0)
            memcpy(bigger, text->data, text->size);
        cli_free(text->data);
        text->data = bigger;
        text->capacity = capacity;
    }
    if (size > 0)
        memcpy(text->data + text->size, data, size);
    text->size += size;
    return ICE_OK;
}
