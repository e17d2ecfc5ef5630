/*
 * gzip and zstd streams: any bytes, whole and in pieces, give one text and one verdict,
 * within the limits. The first byte picks the filter.
 */
#include "base/buf.h"
#include "fuzz/target.h"
#include "stream/stream.h"

struct outcome {
    enum ice_status status;
    struct ice_error err;
    struct ice_buf text;
    bool has_trailing;
};

static void inflate_all(struct outcome *out, struct ice_run *run, struct ice_str bytes,
                        bool is_gzip, size_t most, size_t chunk) {
    struct pieces pieces = {.bytes = bytes, .most = most};
    struct ice_stream stream;
    ice_buf_init(&out->text, &run->alloc, SIZE_MAX);
    ice_error_clear(&out->err);
    require(ice_stream_init(&stream, run, &pieces_ops, &pieces, NULL) == ICE_OK);
    stream.chunk = most;
    out->status = is_gzip ? ice_stream_gzip(&stream, &stream, &out->err)
                          : ice_stream_zstd(&stream, &stream, &out->err);
    stream.chunk = chunk;
    while (out->status == ICE_OK) {
        struct ice_str view;
        out->status = ice_stream_peek(&stream, 1, &view, &out->err);
        if (out->status < 0 || view.size == 0)
            break;
        require(ice_buf_append_str(&out->text, view) == ICE_OK);
        ice_stream_consume(&stream, view.size);
    }
    require(out->text.size <= run->limits.file_bytes);
    out->has_trailing = ice_gzip_has_trailing(&stream);
    ice_stream_release(&stream);
}

/* A piece: most often of a few bytes, else of any size up to that of the whole. */
static size_t draw_size(uint64_t draw, size_t size) {
    return 1 + (size_t)(draw >> 8) % (draw % 4 != 0 ? 13 : size + 1);
}

static size_t draw_chunk(uint64_t draw) {
    static const size_t most[] = {1, 7, 1021, 64 * 1024};
    return 1 + (size_t)(draw >> 40) % most[draw >> 4 & 3];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct ice_options options = ICE_OPTIONS_INIT;
    options.hash_seed = 1;
    options.limits.file_bytes = 1 << 20;
    struct ice_run run;
    ice_run_init(&run, &options);
    const bool is_gzip = size > 0 && data[0] == 0x1f;
    const struct ice_str bytes = ice_str_make(data, size);
    struct outcome whole, pieces;
    inflate_all(&whole, &run, bytes, is_gzip, size + 1, 64 * 1024);
    const uint64_t draw = ice_hash64(bytes, 2);
    inflate_all(&pieces, &run, bytes, is_gzip, draw_size(draw, size), draw_chunk(draw));
    require(whole.status == pieces.status);
    require(whole.status == ICE_OK || whole.status == ICE_EFORMAT ||
            whole.status == ICE_ELIMIT);
    if (whole.status == ICE_OK) {
        require(whole.has_trailing == pieces.has_trailing);
        require(ice_str_equal(ice_buf_str(&whole.text), ice_buf_str(&pieces.text)));
    } else {
        require(whole.err.rule != NULL && whole.err.offset <= size);
        /* a file that is over two limits may meet either first */
        require(whole.status == ICE_ELIMIT ||
                strcmp(whole.err.rule, pieces.err.rule) == 0);
        if (whole.status == ICE_EFORMAT) {
            require(ice_str_equal(ice_buf_str(&whole.text), ice_buf_str(&pieces.text)));
            require(strcmp(whole.err.message, pieces.err.message) == 0);
            require(whole.err.offset == pieces.err.offset);
        }
    }
    ice_buf_release(&whole.text);
    ice_buf_release(&pieces.text);
    require(run.alloc.used == 0);
    return 0;
}
