/*
 * What the targets share: promises that end the program, digests of what was read, a run
 * with lower limits, and an input that arrives whole or in small pieces.
 *
 * A target promises that any bytes, whole and in pieces, have one verdict; that all
 * memory is given back and stays within the limit; and that a fault names its rule and a
 * place inside the input.
 */
#ifndef ICE_FUZZ_TARGET_H
#define ICE_FUZZ_TARGET_H

#include "base/error.h"
#include "base/hash.h"
#include "base/run.h"
#include "tests/support/pieces.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

_Noreturn static inline void broken(const char *file, int line, const char *promise) {
    fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
    abort();
}

#define require(promise) ((promise) ? (void)0 : broken(__FILE__, __LINE__, #promise))

/* ---- digests ---- */

static inline void digest_str(uint64_t *digest, struct ice_str text) {
    *digest = ice_hash64(text, *digest);
}

static inline void digest_number(uint64_t *digest, uint64_t number) {
    *digest = ice_hash_mix(number, *digest);
}

/* A fault of a decoder: of the input, well told, at a place inside it. */
static inline void digest_fault(uint64_t *digest, enum ice_status status,
                                const struct ice_error *err, size_t size) {
    require(status == ICE_EFORMAT || status == ICE_ELIMIT || status == ICE_EUNSUPPORTED);
    require(err->status == status && err->rule != NULL && err->message[0] != '\0');
    require(err->offset == ICE_NO_OFFSET || err->offset <= size);
    digest_str(digest, ice_str_from(err->rule));
    digest_str(digest, ice_str_from(err->pointer));
    digest_str(digest, ice_str_from(err->message));
    digest_number(digest, err->offset);
    digest_number(digest, (uint64_t)err->line << 32 | err->column);
}

/* ---- runs ---- */

enum { TARGET_BLOCK_BYTES = 1 << 20, TARGET_MEMORY = 256 << 20 };

static inline struct ice_options target_options(void) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    options.limits.block_bytes = options.limits.block_packed_bytes = TARGET_BLOCK_BYTES;
    options.limits.zero_size_items = 1024;
    options.limits.avro_schema_nodes = 4096;
    options.limits.memory = TARGET_MEMORY;
    return options;
}

static inline void target_begin(struct ice_run *run) {
    const struct ice_options options = target_options();
    ice_run_init(run, &options);
}

static inline void target_end(const struct ice_run *run) {
    require(run->alloc.used == 0);
    require(!run->alloc.over);
}

/* ---- inputs ---- */

/* A stream of the bytes: at once, or in pieces of a size that the bytes draw. */
static inline void target_stream(struct ice_stream *stream, struct pieces *pieces,
                                 struct ice_run *run, struct ice_str bytes,
                                 bool in_pieces) {
    const uint64_t draw = ice_hash64(bytes, 2);
    *pieces = (struct pieces){.bytes = bytes,
                              .most = in_pieces ? 1 + draw % 61 : bytes.size + 1};
    require(ice_stream_init(stream, run, &pieces_ops, pieces, NULL) == ICE_OK);
    stream->chunk = in_pieces ? 1 + (size_t)(draw >> 8) % 1021 : 64 << 10;
}

/* A whole target: the digest of the bytes at once is that of the bytes in pieces. */
static inline int target_whole_and_pieces(const uint8_t *data, size_t size,
                                          uint64_t (*read)(struct ice_run *run,
                                                           struct ice_str bytes,
                                                           bool in_pieces)) {
    struct ice_run run;
    target_begin(&run);
    const struct ice_str bytes = ice_str_make(data, size);
    require(read(&run, bytes, false) == read(&run, bytes, true));
    target_end(&run);
    return 0;
}

#endif
