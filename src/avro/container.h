/*
 * Avro object container files: header map, blocks, sync markers.
 *
 *   magic "Obj\1" | map<bytes> header | 16 bytes sync | { long count | long size | data |
 * sync }*
 *
 * A bad block costs that block only: reading goes on behind the next sync marker.
 */
#ifndef ICE_AVRO_CONTAINER_H
#define ICE_AVRO_CONTAINER_H

#include "avro/avro_schema.h"
#include "stream/stream.h"

enum ice_avro_codec {
    ICE_CODEC_NULL,
    ICE_CODEC_DEFLATE,
    ICE_CODEC_ZSTANDARD,
    ICE_CODEC_SNAPPY,
    ICE_CODEC_BZIP2,
    ICE_CODEC_XZ,
};

struct ice_avro_header_entry {
    struct ice_str key, value;
    bool duplicate; /* an earlier entry has the same key; the later one counts */
    bool differs;   /* ... and another value */
};

/* A block, inflated. Everything borrowed until the next call on the file. */
struct ice_avro_block {
    uint64_t index;        /* from 0, bad blocks count too */
    uint64_t offset;       /* of its first byte (the count) in the file */
    uint64_t count;        /* records it declares */
    struct ice_str data;   /* inflated */
    uint64_t packed_bytes; /* stored size of data */
};

struct ice_avro_file {
    struct ice_run *run;
    struct ice_stream *stream; /* borrowed */
    struct ice_arena arena;    /* header and schema */
    struct ice_avro_header_entry *header;
    size_t n_header;
    enum ice_avro_codec codec;
    struct ice_str codec_name; /* "null" where the key is absent */
    unsigned char sync[16];
    uint64_t header_bytes;    /* offset of the first block */
    uint64_t next_block;      /* index of the block that comes next */
    uint64_t skipped_bytes;   /* passed over while looking for a sync marker, in all */
    bool varint_not_shortest; /* one was met: avro.varint.not-shortest */
    uint64_t varint_not_shortest_offset;
    /* what readers of records draw on, so that their work is linear in the bytes: */
    uint64_t empty_records_left; /* records of no bytes that may still come */
    uint64_t empty_values_left;  /* values of no bytes; each byte of a block adds one */
    bool must_resync, ended;
    struct ice_codec *unpacker; /* codec.h */
    struct ice_ahead *ahead;    /* of the run, while this file holds it; or NULL */
    /* private: what the next call has to say or to step over first */
    bool cut_marker; /* the file ends inside the sync marker of the block given out */
    uint64_t given_block, given_offset; /* of the block given out */
    uint64_t cut_bytes, cut_whole;      /* of that block: bytes there, bytes due */
    size_t pending_bytes;               /* of that block, still in the stream's window */
};

/*
 * Read magic and header. The stream is borrowed until the release. Faults, ICE_EFORMAT:
 * "avro.magic", "avro.truncated" (ends inside the header), "avro.header.malformed",
 * "avro.length", "avro.varint.overlong", "avro.varint.range"; ICE_ELIMIT "limit.header";
 * codec unknown to Avro: ICE_EFORMAT "avro.codec.unsupported", not built in:
 * ICE_EUNSUPPORTED with the same rule (the header is readable in both cases: file stays
 * usable for it).
 */
enum ice_status ice_avro_open(struct ice_avro_file *file, struct ice_run *run,
                              struct ice_stream *stream, struct ice_error *err);
void ice_avro_release(struct ice_avro_file *file);

/* Values of no bytes that the next datum may hold. */
static inline uint64_t ice_avro_empty_values(const struct ice_avro_file *file) {
    const uint64_t limit = file->run->limits.zero_size_items;
    return limit < file->empty_values_left ? limit : file->empty_values_left;
}

/* Value of a header key (the last one if there are several); false if it is absent. */
bool ice_avro_header(const struct ice_avro_file *file, const char *key,
                     struct ice_str *out);

/*
 * The next block; ICE_DONE at a clean end. Behind a wrong sync marker reading goes on at
 * the byte after it when a whole block follows there, else behind the next right marker.
 * When a block is lost, out says which: index, offset, packed_bytes, and the count that
 * it declares (0 if that is not known or cannot be), with data empty. ICE_EFORMAT loses
 * this block and the call may be repeated, except behind "avro.truncated", which is the
 * end. Rules: "avro.truncated",
 * "avro.block.size", "avro.block.count", "avro.sync-mismatch" (the block's data is good
 * then and was given out before; see container.c), "avro.codec.corrupt", "avro.varint.*";
 * ICE_ELIMIT "limit.block", "limit.bomb", "limit.window" lose the block too. err->offset
 * is the offset of the block.
 */
enum ice_status ice_avro_next_block(struct ice_avro_file *file,
                                    struct ice_avro_block *out,
                                    struct ice_error *err) ICE_MUST_USE;

#endif
