/*
 * Puffin files: the frame, the footer with what it says of blobs, and deletion vectors.
 * The file is read once, forward, into memory; blobs are views of it. What is wrong with
 * a file is an answer (enum ice_puffin_fault), not an error.
 */
#ifndef ICE_ICEBERG_PUFFIN_H
#define ICE_ICEBERG_PUFFIN_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/run.h"
#include "iceberg/roaring.h"
#include "stream/stream.h"

struct ice_puffin_blob {
    struct ice_str type, codec; /* codec: empty where absent or null */
    const int32_t *fields;
    size_t n_fields;
    int64_t snapshot_id, sequence_number, offset, length;
    bool has_codec, has_referenced, has_cardinality;
    struct ice_str referenced, cardinality; /* properties of deletion vectors */
};

enum ice_puffin_fault {
    ICE_PUFFIN_SOUND,
    ICE_PUFFIN_ENCRYPTED,  /* AGS1 in place of the magic: nothing else was looked at */
    ICE_PUFFIN_MAGIC,      /* one of the three */
    ICE_PUFFIN_SIZE,       /* the payload does not fit */
    ICE_PUFFIN_JSON,       /* the payload is no FileMetadata; reason says why */
    ICE_PUFFIN_COMPRESSED, /* LZ4: sound so far, but the payload was not read */
    ICE_PUFFIN_LIMIT,      /* reason: a limit of the JSON reader */
};

struct ice_puffin {
    struct ice_run *run;
    struct ice_arena arena;
    struct ice_buf bytes;    /* the whole file */
    uint64_t footer_start;   /* offset of the footer's first magic, behind it no blob */
    uint64_t payload_size;   /* valid unless MAGIC or SIZE */
    uint32_t reserved_flags; /* flag bits that are set and not defined */
    enum ice_puffin_fault fault;
    const char *why;         /* of MAGIC and SIZE: half a sentence, static */
    uint64_t fault_offset;   /* in the file */
    struct ice_error reason; /* of JSON and LIMIT */
    struct ice_puffin_blob *blobs;
    size_t n_blobs, cap_blobs; /* 0 unless SOUND */
};

/*
 * The rest of the stream, at most most_bytes. ICE_ELIMIT, rule "limit.file", beyond them;
 * ICE_ENOMEM; the stream's own failures. ICE_OK else, with fault set. Release in any
 * case.
 */
enum ice_status ice_puffin_read(struct ice_puffin *out, struct ice_run *run,
                                struct ice_stream *stream, uint64_t most_bytes,
                                struct ice_error *err) ICE_MUST_USE;
/* Safe twice and on all-zero. */
void ice_puffin_release(struct ice_puffin *puffin);

/*
 * A deletion-vector-v1 blob: length u32 big-endian (of magic and bitmap), magic, 64-bit
 * Roaring bitmap, CRC-32 u32 big-endian over magic and bitmap. ICE_OK, or ICE_EFORMAT
 * with out->why and out->offset in the blob.
 */
enum ice_status ice_deletion_vector_read(struct ice_str blob,
                                         struct ice_roaring *out) ICE_MUST_USE;
/* Does it begin as one? */
bool ice_deletion_vector_is(struct ice_str blob);

#endif
