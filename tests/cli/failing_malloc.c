/*
 * Preloaded: the FAIL_NTH-th allocation of main, and all behind it, give NULL. What is
 * allocated before main and behind it is not ours: the loader's, and counters of gcov.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

typedef int (*main_fn)(int argc, char **argv, char **environment);
typedef int (*start_fn)(main_fn program, int argc, char **argv, void (*init)(void),
                        void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static _Atomic long count;
static _Atomic bool is_in_main;
static long nth;
static main_fn real_main;

static bool fails(void) {
    return is_in_main && ++count >= nth && nth > 0;
}

static int counted_main(int argc, char **argv, char **environment) {
    const char *text = getenv("FAIL_NTH");
    nth = text != NULL ? strtol(text, NULL, 10) : -1;
    is_in_main = true;
    int code = real_main(argc, argv, environment);
    is_in_main = false;
    return code;
}

int __libc_start_main(main_fn program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

int __libc_start_main(main_fn program, int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
    start_fn start;
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = program;
    return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
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
