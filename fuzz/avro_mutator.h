/*
 * Mutations of Avro containers that keep what shields the records: lengths, counts, sync
 * markers, compression and checksums are made anew behind each change.
 */
#ifndef ICE_FUZZ_AVRO_MUTATOR_H
#define ICE_FUZZ_AVRO_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* Changes size bytes in place, at most most_size come of it; returns how many. */
typedef size_t (*mutate_bytes_fn)(uint8_t *data, size_t size, size_t most_size);

/*
 * Change one thing of one container in data, which is one or holds some behind their
 * sizes (few_files.h). By bytes where there is none or the result would be too large.
 */
size_t mutate_avro(uint8_t *data, size_t size, size_t most_size, uint64_t seed,
                   mutate_bytes_fn by_bytes);

/* A mutate_bytes_fn where no engine brings one, drawn from a seed that is set before. */
size_t mutate_plain(uint8_t *data, size_t size, size_t most_size);
void mutate_plain_seed(uint64_t seed);

#endif
