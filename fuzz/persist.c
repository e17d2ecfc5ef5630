/*
 * main() of a fuzz target for AFL++: many inputs from shared memory in one process. Built
 * by afl-clang-fast alone.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

__AFL_FUZZ_INIT();

/* inputs before the process is begun anew, so that nothing can pile up */
enum { INPUTS = 10000 };

int main(void) {
    __AFL_INIT();
    const unsigned char *const input = __AFL_FUZZ_TESTCASE_BUF;
    while (__AFL_LOOP(INPUTS)) {
        const int size = __AFL_FUZZ_TESTCASE_LEN;
        if (size < 0)
            continue;
        /* of its own size, so that a read behind the end is found out */
        uint8_t *exact = malloc(size > 0 ? (size_t)size : 1);
        if (exact == NULL)
            return 1;
        for (int i = 0; i < size; i++)
            exact[i] = input[i];
        (void)LLVMFuzzerTestOneInput(exact, (size_t)size);
        free(exact);
    }
    return 0;
}
