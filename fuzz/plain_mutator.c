/*
 * Bytes changed at random, where no engine does it: for AFL++'s library of mutations and
 * for the test of the mutator.
 */
#include "fuzz/avro_mutator.h"
#include "fuzz/target.h"

static uint64_t state = 1;

void mutate_plain_seed(uint64_t seed) {
    state = seed * 2 + 1;
}

size_t mutate_plain(uint8_t *data, size_t size, size_t most_size) {
    const size_t at = size > 0 ? (size_t)(random_next(&state) >> 11) % size : 0;
    const size_t n = 1 + (size_t)(random_next(&state) >> 11) % 4;
    switch (random_next(&state) % 4) {
    case 0: /* a bit */
        if (size > 0)
            data[at] = (uint8_t)(data[at] ^ 1u << random_next(&state) % 8);
        return size;
    case 1: /* a byte */
        if (size > 0)
            data[at] = (uint8_t)random_next(&state);
        return size;
    case 2: /* some less */
        if (size <= n || at + n > size)
            return size;
        memmove(data + at, data + at + n, size - at - n);
        return size - n;
    default: /* some more */
        if (size + n > most_size)
            return size;
        memmove(data + at + n, data + at, size - at);
        for (size_t i = 0; i < n; i++)
            data[at + i] = (uint8_t)random_next(&state);
        return size + n;
    }
}
