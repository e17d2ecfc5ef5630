/*
 * The Avro mutator for libFuzzer: linked to the targets whose inputs are Avro files or
 * hold some.
 */
#include "fuzz/avro_mutator.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most_size,
                               unsigned int seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most_size,
                               unsigned int seed) {
    return mutate_avro(data, size, most_size, seed, LLVMFuzzerMutate);
}
