/*
 * Preloaded: the FAIL_NTH-th allocation of the process, and all behind it, give NULL.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static _Atomic long count;

static bool fails(void) {
    static long nth;
    if (nth == 0) {
        const char *text = getenv("FAIL_NTH");
        nth = text != NULL ? strtol(text, NULL, 10) : -1;
    }
    return ++count >= nth && nth > 0;
}

void *malloc(size_t size);
void *realloc(void *pointer, size_t size);

void *malloc(size_t size) {
    static void *(*real)(size_t);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "malloc");
    return fails() ? NULL : real(size);
}

void *realloc(void *pointer, size_t size) {
    static void *(*real)(void *, size_t);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "realloc");
    return size > 0 && fails() ? NULL : real(pointer, size);
}

/* dlsym itself may allocate by calloc, so that is counted only where it is ours to fail
 */
void *calloc(size_t n, size_t size);
extern void *__libc_calloc(size_t n, size_t size);

void *calloc(size_t n, size_t size) {
    return fails() ? NULL : __libc_calloc(n, size);
}
