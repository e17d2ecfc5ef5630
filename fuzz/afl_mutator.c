/*
 * The Avro mutator for AFL++: a library, AFL_CUSTOM_MUTATOR_LIBRARY. AFL++ calls it in
 * turn with its own mutations.
 */
#include "fuzz/avro_mutator.h"

#include <stdlib.h>
#include <string.h>

void *afl_custom_init(void *afl, unsigned int seed);
size_t afl_custom_fuzz(void *user, uint8_t *data, size_t size, uint8_t **out,
                       uint8_t *other, size_t other_size, size_t most_size);
void afl_custom_deinit(void *user);

struct user {
    uint64_t seed;
    uint8_t *room;
    size_t size;
};

__attribute__((visibility("default"))) void *afl_custom_init(void *afl,
                                                             unsigned int seed) {
    (void)afl;
    struct user *user = calloc(1, sizeof(*user));
    if (user != NULL)
        user->seed = seed;
    return user;
}

__attribute__((visibility("default"))) size_t
afl_custom_fuzz(void *opaque, uint8_t *data, size_t size, uint8_t **out, uint8_t *other,
                size_t other_size, size_t most_size) {
    struct user *user = opaque;
    (void)other;
    (void)other_size;
    if (most_size < size)
        most_size = size;
    if (user->size < most_size) {
        uint8_t *room = realloc(user->room, most_size);
        if (room == NULL)
            return 0;
        user->room = room;
        user->size = most_size;
    }
    memcpy(user->room, data, size);
    mutate_plain_seed(++user->seed);
    *out = user->room;
    return mutate_avro(user->room, size, most_size, user->seed, mutate_plain);
}

__attribute__((visibility("default"))) void afl_custom_deinit(void *opaque) {
    struct user *user = opaque;
    free(user->room);
    free(user);
}
