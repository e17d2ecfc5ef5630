/*
 * Does the Avro mutator keep what shields the records? mutator_check FILE...: of many
 * mutations of containers most must leave every block readable, and change what is read.
 * So must those of containers inside of a table's input. Counts at the ends of their
 * range are changed, too.
 */
#include "avro/container.h"
#include "fuzz/avro_mutator.h"
#include "fuzz/target.h"

enum { TRIES = 300, MOST_BYTES = 1 << 16, PREFIX = 4, LEAST_GOOD = 60 };

struct seen {
    uint64_t digest;
    bool is_whole;
};

static struct seen read_blocks(struct ice_str bytes) {
    struct seen seen = {.digest = 1, .is_whole = true};
    struct ice_run run;
    struct ice_stream stream;
    struct ice_avro_file file;
    target_begin(&run);
    ice_stream_init_memory(&stream, &run, bytes);
    enum ice_status status = ice_avro_open(&file, &run, &stream, NULL);
    seen.is_whole = status == ICE_OK;
    while (status == ICE_OK) {
        struct ice_avro_block block;
        status = ice_avro_next_block(&file, &block, NULL);
        seen.is_whole &= status >= 0;
        if (status == ICE_OK) {
            digest_str(&seen.digest, block.data);
            digest_number(&seen.digest, block.count);
        }
    }
    for (size_t i = 0; i < file.n_header; i++)
        digest_str(&seen.digest, file.header[i].value);
    ice_avro_release(&file);
    ice_stream_release(&stream);
    target_end(&run);
    return seen;
}

/* Percent of mutations that leave all blocks readable and change what is read. */
static unsigned share_of_good(const char *path, bool is_inside) {
    static uint8_t data[MOST_BYTES], copy[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    require(file != NULL);
    const size_t skip = is_inside ? PREFIX : 0;
    const size_t n = fread(data + skip, 1, sizeof(data) - skip, file);
    const struct seen before = read_blocks(ice_str_make(data + skip, n));
    unsigned good = 0;
    (void)fclose(file);
    require(n > 0 && before.is_whole);
    /* a table of two files, this is the first; some bytes are the second */
    data[2] = (uint8_t)(n & 0xff);
    data[3] = (uint8_t)(n >> 8);
    if (!is_inside)
        memcpy(data, "Obj\1", 4);
    for (unsigned i = 0; i < TRIES; i++) {
        memcpy(copy, data, skip + n);
        mutate_plain_seed(i);
        const size_t size = mutate_avro(copy, skip + n, sizeof(copy), i, mutate_plain);
        require(size <= sizeof(copy));
        if (size <= skip)
            continue;
        const struct seen after = read_blocks(ice_str_make(copy + skip, size - skip));
        good += after.is_whole && after.digest != before.digest;
    }
    return good * 100 / TRIES;
}

/* What UBSan says of it ended a run of fuzzing. */
static void change_ends_of_range(void) {
    static const char *const counts[] = {"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\1",
                                         "\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"};
    static const char header[] = "Obj\1\2\x14"
                                 "avro.codec\x08null\0"
                                 "0123456789abcdef";
    for (size_t end = 0; end < ICE_COUNT_OF(counts); end++) {
        for (unsigned i = 0; i < TRIES; i++) {
            uint8_t data[256] = {0};
            size_t n = sizeof(header) - 1;
            memcpy(data, header, n);
            memcpy(data + n, counts[end], 10); /* of a block of no bytes */
            memcpy(data + n + 11, "0123456789abcdef", 16);
            mutate_plain_seed(i);
            require(mutate_avro(data, n + 27, sizeof(data), i, mutate_plain) <=
                    sizeof(data));
        }
    }
}

int main(int argc, char **argv) {
    int failures = argc < 2;
    change_ends_of_range();
    for (int i = 1; i < argc; i++) {
        for (int inside = 0; inside < 2; inside++) {
            const unsigned good = share_of_good(argv[i], inside != 0);
            printf("%u %% good%s: %s\n", good, inside ? ", inside of a table" : "",
                   argv[i]);
            failures += good < LEAST_GOOD;
        }
    }
    return failures > 0;
}
