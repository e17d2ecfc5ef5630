/*
 * MemorySanitizer knows of memory only what the code writes that it compiled, and the
 * libraries of the system it did not compile: what they leave would all count as never
 * written. These stand in front of their functions (the linker's --wrap, see
 * memory_sanitizer.cmake) and say what was written. No other build has this file.
 */
#include <ftw.h>
#include <jansson.h>
#include <libdeflate.h>
#include <sanitizer/msan_interface.h>
#include <snappy-c.h>
#include <stdlib.h>
#include <zlib.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#ifdef ICE_WITH_BZIP2
#include <bzlib.h>
#endif
#ifdef ICE_WITH_LZMA
#include <lzma.h>
#endif

#define WRITTEN(object) __msan_unpoison((object), sizeof(*(object)))
/* The real function, and the one that the program calls instead. */
#define WRAP(type, name, ...)                                                            \
    type __real_##name(__VA_ARGS__);                                                     \
    type __wrap_##name(__VA_ARGS__);                                                     \
    type __wrap_##name(__VA_ARGS__)

WRAP(int, inflateInit2_, z_streamp z, int bits, const char *version, int size) {
    const int result = __real_inflateInit2_(z, bits, version, size);
    WRITTEN(z);
    return result;
}

WRAP(int, inflateReset, z_streamp z) {
    const int result = __real_inflateReset(z);
    WRITTEN(z);
    return result;
}

WRAP(int, inflate, z_streamp z, int flush) {
    unsigned char *const out = z->next_out;
    const int result = __real_inflate(z, flush);
    WRITTEN(z);
    __msan_unpoison(out, (size_t)(z->next_out - out));
    return result;
}

WRAP(int, deflateInit2_, z_streamp z, int level, int method, int bits, int memory,
     int strategy, const char *version, int size) {
    const int result =
        __real_deflateInit2_(z, level, method, bits, memory, strategy, version, size);
    WRITTEN(z);
    return result;
}

WRAP(int, deflate, z_streamp z, int flush) {
    unsigned char *const out = z->next_out;
    const int result = __real_deflate(z, flush);
    WRITTEN(z);
    __msan_unpoison(out, (size_t)(z->next_out - out));
    return result;
}

WRAP(enum libdeflate_result, libdeflate_deflate_decompress_ex,
     struct libdeflate_decompressor *state, const void *in, size_t in_size, void *out,
     size_t room, size_t *out_used, size_t *out_size) {
    const enum libdeflate_result result = __real_libdeflate_deflate_decompress_ex(
        state, in, in_size, out, room, out_used, out_size);
    if (result == LIBDEFLATE_SUCCESS) {
        WRITTEN(out_used);
        WRITTEN(out_size);
        __msan_unpoison(out, *out_size);
    }
    return result;
}

WRAP(size_t, libdeflate_deflate_compress, struct libdeflate_compressor *state,
     const void *in, size_t in_size, void *out, size_t room) {
    const size_t size = __real_libdeflate_deflate_compress(state, in, in_size, out, room);
    __msan_unpoison(out, size);
    return size;
}

WRAP(snappy_status, snappy_uncompressed_length, const char *in, size_t in_size,
     size_t *out_size) {
    const snappy_status status = __real_snappy_uncompressed_length(in, in_size, out_size);
    if (status == SNAPPY_OK)
        WRITTEN(out_size);
    return status;
}

WRAP(snappy_status, snappy_uncompress, const char *in, size_t in_size, char *out,
     size_t *size) {
    const snappy_status status = __real_snappy_uncompress(in, in_size, out, size);
    if (status == SNAPPY_OK)
        __msan_unpoison(out, *size);
    return status;
}

WRAP(snappy_status, snappy_compress, const char *in, size_t in_size, char *out,
     size_t *size) {
    const snappy_status status = __real_snappy_compress(in, in_size, out, size);
    if (status == SNAPPY_OK)
        __msan_unpoison(out, *size);
    return status;
}

WRAP(ZSTD_bounds, ZSTD_dParam_getBounds, ZSTD_dParameter parameter) {
    ZSTD_bounds bounds = __real_ZSTD_dParam_getBounds(parameter);
    WRITTEN(&bounds);
    return bounds;
}

WRAP(size_t, ZSTD_getFrameHeader, ZSTD_frameHeader *out, const void *in, size_t size) {
    const size_t result = __real_ZSTD_getFrameHeader(out, in, size);
    if (result == 0)
        WRITTEN(out);
    return result;
}

WRAP(size_t, ZSTD_decompressStream, ZSTD_DStream *state, ZSTD_outBuffer *out,
     ZSTD_inBuffer *in) {
    const size_t result = __real_ZSTD_decompressStream(state, out, in);
    WRITTEN(in);
    WRITTEN(out);
    __msan_unpoison(out->dst, out->pos);
    return result;
}

WRAP(size_t, ZSTD_compress, void *out, size_t room, const void *in, size_t size,
     int level) {
    const size_t result = __real_ZSTD_compress(out, room, in, size, level);
    if (!ZSTD_isError(result))
        __msan_unpoison(out, result);
    return result;
}

WRAP(size_t, ZSTD_compress2, ZSTD_CCtx *state, void *out, size_t room, const void *in,
     size_t size) {
    const size_t result = __real_ZSTD_compress2(state, out, room, in, size);
    if (!ZSTD_isError(result))
        __msan_unpoison(out, result);
    return result;
}

#ifdef ICE_WITH_BZIP2
WRAP(int, BZ2_bzDecompressInit, bz_stream *stream, int verbosity, int is_small) {
    const int result = __real_BZ2_bzDecompressInit(stream, verbosity, is_small);
    WRITTEN(stream);
    return result;
}

WRAP(int, BZ2_bzDecompress, bz_stream *stream) {
    char *const out = stream->next_out;
    const int result = __real_BZ2_bzDecompress(stream);
    WRITTEN(stream);
    __msan_unpoison(out, (size_t)(stream->next_out - out));
    return result;
}

WRAP(int, BZ2_bzBuffToBuffCompress, char *out, unsigned *size, char *in, unsigned in_size,
     int level, int verbosity, int work) {
    const int result =
        __real_BZ2_bzBuffToBuffCompress(out, size, in, in_size, level, verbosity, work);
    if (result == BZ_OK)
        __msan_unpoison(out, *size);
    return result;
}
#endif

#ifdef ICE_WITH_LZMA
WRAP(lzma_ret, lzma_stream_decoder, lzma_stream *stream, uint64_t limit, uint32_t flags) {
    const lzma_ret result = __real_lzma_stream_decoder(stream, limit, flags);
    WRITTEN(stream);
    return result;
}

WRAP(lzma_ret, lzma_code, lzma_stream *stream, lzma_action action) {
    unsigned char *const out = stream->next_out;
    __msan_scoped_disable_interceptor_checks(); /* it calls memcmp on memory of its own */
    const lzma_ret result = __real_lzma_code(stream, action);
    __msan_scoped_enable_interceptor_checks();
    WRITTEN(stream);
    __msan_unpoison(out, (size_t)(stream->next_out - out));
    return result;
}

WRAP(lzma_ret, lzma_easy_buffer_encode, uint32_t preset, lzma_check check,
     const lzma_allocator *allocator, const uint8_t *in, size_t in_size, uint8_t *out,
     size_t *size, size_t room) {
    const lzma_ret result = __real_lzma_easy_buffer_encode(preset, check, allocator, in,
                                                           in_size, out, size, room);
    if (result == LZMA_OK)
        __msan_unpoison(out, *size);
    return result;
}
#endif

/* jansson makes objects that its header reads in the program. */
static void *zeroed(size_t size) {
    return calloc(1, size);
}

/* Below this frame lie the marks of calls that are over, where jansson's will lie. */
static void begin_jansson(void) {
    enum { DEEP = 128 << 10 };
    char *const here = __builtin_frame_address(0);
    json_set_alloc_funcs(zeroed, free);
    __msan_unpoison(here - DEEP, DEEP);
}

WRAP(json_t *, json_loads, const char *text, size_t flags, json_error_t *error) {
    begin_jansson();
    json_t *const root = __real_json_loads(text, flags, error);
    if (error != NULL)
        WRITTEN(error);
    return root;
}

WRAP(json_t *, json_loadb, const char *text, size_t size, size_t flags,
     json_error_t *error) {
    begin_jansson();
    json_t *const root = __real_json_loadb(text, size, flags, error);
    if (error != NULL)
        WRITTEN(error);
    return root;
}

struct dump {
    json_dump_callback_t write;
    void *data;
};

static int written_dump(const char *text, size_t size, void *data) {
    const struct dump *const dump = data;
    __msan_unpoison(text, size);
    return dump->write(text, size, dump->data);
}

WRAP(int, json_dump_callback, const json_t *json, json_dump_callback_t write, void *data,
     size_t flags) {
    struct dump dump = {write, data};
    begin_jansson();
    return __real_json_dump_callback(json, written_dump, &dump, flags);
}

/* The walk of the C library, which passes what it wrote itself; one at a time. */
static __nftw_func_t visit;

static int written_visit(const char *path, const struct stat *info, int kind,
                         struct FTW *place) {
    __msan_unpoison_string(path);
    WRITTEN(info);
    WRITTEN(place);
    return visit(path, info, kind, place);
}

WRAP(int, nftw, const char *path, __nftw_func_t function, int n_open, int flags) {
    visit = function;
    return __real_nftw(path, written_visit, n_open, flags);
}
