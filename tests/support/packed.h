/*
 * Texts packed by zlib and libzstd, and inflated again through the streams.
 */
#ifndef ICE_TEST_PACKED_H
#define ICE_TEST_PACKED_H

#include "base/buf.h"
#include "stream/stream.h"
#include "support/cmocka_all.h"
#include "support/pieces.h"

#include <zlib.h>
#include <zstd.h>

enum codec { GZIP, ZSTD };

struct packed {
    char bytes[16384];
    size_t size;
};

static inline void add_gzip(struct packed *out, struct ice_str text) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text.data;
    z.avail_in = (unsigned)text.size;
    z.next_out = (unsigned char *)out->bytes + out->size;
    z.avail_out = (unsigned)(sizeof(out->bytes) - out->size);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->size = sizeof(out->bytes) - z.avail_out;
    assert_int_equal(deflateEnd(&z), Z_OK);
}

static inline void add_zstd(struct packed *out, struct ice_str text) {
    ZSTD_CCtx *context = ZSTD_createCCtx();
    assert_non_null(context);
    (void)ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const size_t size =
        ZSTD_compress2(context, out->bytes + out->size, sizeof(out->bytes) - out->size,
                       text.data, text.size);
    assert_false(ZSTD_isError(size));
    out->size += size;
    (void)ZSTD_freeCCtx(context);
}

static inline void add_bytes(struct packed *out, struct ice_str bytes) {
    memcpy(out->bytes + out->size, bytes.data, bytes.size);
    out->size += bytes.size;
}

struct result {
    struct ice_buf text;
    enum ice_status status;
    struct ice_error err;
    bool has_trailing;
};

static inline void inflate_all(struct result *result, struct ice_run *run,
                               enum codec codec, struct ice_str bytes, size_t inner_chunk,
                               size_t outer_chunk) {
    struct pieces pieces = {.bytes = bytes, .most = inner_chunk};
    struct ice_stream inner, outer;
    ice_buf_init(&result->text, &run->alloc, SIZE_MAX);
    ice_error_clear(&result->err);
    assert_int_equal(ice_stream_init(&inner, run, &pieces_ops, &pieces, NULL), ICE_OK);
    inner.chunk = inner_chunk;
    result->status = codec == GZIP ? ice_stream_gzip(&outer, &inner, &result->err)
                                   : ice_stream_zstd(&outer, &inner, &result->err);
    outer.chunk = outer_chunk;
    while (result->status == ICE_OK) {
        struct ice_str view;
        result->status = ice_stream_peek(&outer, 1, &view, &result->err);
        if (result->status < 0 || view.size == 0)
            break;
        result->status = ice_buf_append_str(&result->text, view);
        ice_stream_consume(&outer, view.size);
    }
    result->has_trailing = ice_gzip_has_trailing(&outer);
    ice_stream_release(&outer);
    ice_stream_release(&inner);
}

#endif
