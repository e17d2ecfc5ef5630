/*
 * Memory of the command itself: little, and kept to the end of the process. The library
 * has its own, counted allocator.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

void *cli_alloc(size_t count, size_t size) {
    void *memory = calloc(count > 0 ? count : 1, size > 0 ? size : 1);
    if (memory == NULL)
        cli_out_of_memory();
    return memory;
}

void *cli_grow(void *items, size_t n, size_t size) {
    if (n > 0 && (n & (n - 1)) != 0)
        return items; /* between powers of two there is room */
    size_t capacity = n == 0 ? 1 : n * 2, bytes;
    if (__builtin_mul_overflow(capacity, size, &bytes))
        cli_out_of_memory();
    void *grown = realloc(items, bytes);
    if (grown == NULL)
        cli_out_of_memory();
    return grown;
}

char *cli_copy(const char *text, size_t size) {
    char *copy = cli_alloc(size + 1, 1);
    memcpy(copy, text, size);
    return copy;
}

char *cli_join(const char *a, const char *b, const char *c) {
    size_t a_size = strlen(a), b_size = strlen(b), c_size = strlen(c);
    char *joined = cli_alloc(a_size + b_size + c_size + 1, 1);
    memcpy(joined, a, a_size);
    memcpy(joined + a_size, b, b_size);
    memcpy(joined + a_size + b_size, c, c_size);
    return joined;
}
