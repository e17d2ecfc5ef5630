/*
 * A stream over bytes in memory that arrive in small pieces: of one size, or of sizes
 * drawn from a seed. Can fail at an offset.
 */
#ifndef ICE_TESTS_SUPPORT_PIECES_H
#define ICE_TESTS_SUPPORT_PIECES_H

#include "base/error.h"
#include "stream/stream.h"

struct pieces {
    struct ice_str bytes;
    size_t at;
    size_t most; /* bytes a piece, 0: drawn, 1 to 17 */
    uint64_t seed;
    size_t fail_from; /* reading at or behind this offset is ICE_EIO; 0: never */
};

static inline uint64_t random_next(uint64_t *seed) {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static inline enum ice_status pieces_read(void *user, void *buffer, size_t size,
                                          size_t *out_size, struct ice_error *err) {
    struct pieces *pieces = user;
    size_t most = pieces->most > 0 ? pieces->most : 1 + random_next(&pieces->seed) % 17;
    size_t left = pieces->bytes.size - pieces->at;
    if (pieces->fail_from > 0 && pieces->at >= pieces->fail_from)
        return ice_error_set(err, ICE_EIO, "source.unreadable", pieces->at,
                             "made to fail");
    size_t n = size < most ? size : most;
    if (n > left)
        n = left;
    if (n > 0)
        memcpy(buffer, pieces->bytes.data + pieces->at, n);
    pieces->at += n;
    *out_size = n;
    return ICE_OK;
}

static const struct ice_stream_ops pieces_ops = {pieces_read, NULL};

#endif
