/*
 * Pull streams: bytes in order, with look-ahead. Every decoder reads through peek and
 * consume and never sees where bytes come from or that they were compressed.
 *
 *   ice_stream_peek(&s, 16, &view, err)   view.size >= 16, or less at the end of the
 * input ice_stream_consume(&s, 4)             the next peek begins 4 bytes later
 *
 * A stream is built from the inside out: a reader (file, memory, callback), then filters
 * (gzip, zstd) that own the stream they read from.
 */
#ifndef ICE_STREAM_STREAM_H
#define ICE_STREAM_STREAM_H

#include "base/run.h"
#include "base/str.h"

/* What a stream reads from. */
struct ice_stream_ops {
    /* Fill buffer with up to size bytes; *out_size 0 means the end. Short reads are fine.
     */
    enum ice_status (*read)(void *user, void *buffer, size_t size, size_t *out_size,
                            struct ice_error *err);
    void (*free)(void *user);
};

/* Invariant: begin <= end <= capacity; all-zero is a released stream. */
struct ice_stream {
    struct ice_run *run;
    const struct ice_stream_ops *ops; /* NULL: all bytes are in the window (memory) */
    void *user;
    unsigned char *window;
    size_t begin, end, capacity;
    uint64_t position;      /* offset of window[begin] in this stream's bytes */
    bool at_end;            /* the reader has no more */
    bool borrowed;          /* window belongs to the caller (memory) */
    enum ice_status failed; /* a failure of the reader sticks, */
    struct ice_error fault; /* ... with its words */
    size_t chunk;           /* bytes asked of the reader at a time; default 256 KiB */
    bool is_endless;        /* nothing of it is kept: limits.file_bytes does not hold */
};

/* Takes user: it is freed through ops->free, also when this call fails. */
enum ice_status ice_stream_init(struct ice_stream *stream, struct ice_run *run,
                                const struct ice_stream_ops *ops, void *user,
                                struct ice_error *err);
/* bytes are borrowed until the release. Cannot fail. */
void ice_stream_init_memory(struct ice_stream *stream, struct ice_run *run,
                            struct ice_str bytes);
/* Safe twice and on all-zero. */
void ice_stream_release(struct ice_stream *stream);

/*
 * See at least `least` bytes ahead (or all that is left) without moving; all buffered
 * bytes are shown. The view is borrowed until the next call on the stream. Fewer than
 * least bytes means the end of the input: ICE_OK, not an error. ICE_ENOMEM, or the
 * reader's failure. The window grows to at most the next power of two of least; the
 * caller bounds least.
 */
enum ice_status ice_stream_peek(struct ice_stream *stream, size_t least,
                                struct ice_str *out, struct ice_error *err);
/*
 * The first `size` bytes ahead, or all that is left: as ice_stream_peek, but no more is
 * shown. Take it wherever bytes are judged as a whole (which kind, which separator): what
 * else is in the window hangs on the sizes of reads.
 */
enum ice_status ice_stream_peek_first(struct ice_stream *stream, size_t size,
                                      struct ice_str *out, struct ice_error *err);
/* Step over size bytes that the last peek has shown. */
void ice_stream_consume(struct ice_stream *stream, size_t size);
/* Step over size bytes, reading as needed; *out_skipped < size at the end of the input.
 */
enum ice_status ice_stream_skip(struct ice_stream *stream, uint64_t size,
                                uint64_t *out_skipped, struct ice_error *err);

/*
 * Filters. The inner stream is taken (also on failure) and released with the outer one.
 * They keep to run->limits: file_bytes of output and inflate_ratio (limit.file,
 * limit.bomb).
 *
 * gzip: members one after another as one text; zero padding behind the last is fine.
 * Faults: rule "metadata.file.gzip.corrupt", ICE_EFORMAT, offset in the stored bytes.
 * Bytes behind the last member that are neither zeros nor a member end the text;
 * ice_gzip_has_trailing then says true.
 */
enum ice_status ice_stream_gzip(struct ice_stream *outer, struct ice_stream *inner,
                                struct ice_error *err);
bool ice_gzip_has_trailing(const struct ice_stream *outer);
/* zstd frames one after another; rule of faults: "json.syntax.invalid". */
enum ice_status ice_stream_zstd(struct ice_stream *outer, struct ice_stream *inner,
                                struct ice_error *err);

/* What the first bytes say: used to pick a filter and to identify an input. */
enum ice_magic {
    ICE_MAGIC_NONE,
    ICE_MAGIC_GZIP,
    ICE_MAGIC_ZSTD,
    ICE_MAGIC_AVRO,
    ICE_MAGIC_PARQUET,
    ICE_MAGIC_ORC,
    ICE_MAGIC_PUFFIN,
    ICE_MAGIC_SQLITE,
    ICE_MAGIC_ZIP,
    ICE_MAGIC_TAR,
    ICE_MAGIC_AGS1,
    ICE_MAGIC_PNG,
    ICE_MAGIC_UTF16,
};
/* More bytes of a file may make a kind of what was none, and leave every other. */
enum ice_magic ice_magic_of(struct ice_str first_bytes);
enum { ICE_ZSTD_MAGIC_BYTES = 4 };
/*
 * Is this, where a zstd frame should begin, none, nor one to step over? False for fewer
 * than four bytes. Ask before every frame: libzstd may have been built to read what came
 * before zstd 1.0, too, with memory that it counts nowhere.
 */
bool ice_is_foreign_zstd(struct ice_str first_bytes);
/* limits.zstd_window_log, or the next to it that libzstd takes as a limit. */
int ice_zstd_window_log(const struct ice_run *run);

#endif
