/*
 * The frame of a Puffin file and its deletion vectors; the payload is in puffin_footer.c.
 */
#include "iceberg/puffin.h"

#include "base/error.h"
#include "iceberg/puffin_footer.h"

#include <libdeflate.h>

enum {
    MAGIC_BYTES = 4,
    PAIR_BYTES = 8,  /* a magic, and another or a number beside it */
    TAIL_BYTES = 12, /* payload size, flags, magic */
    SMALLEST = 20,   /* magic, magic, no payload, tail */
    FLAG_COMPRESSED = 1,
    VECTOR_FRAME = 12, /* length, magic, CRC */
};

static const char magic[MAGIC_BYTES] = {'P', 'F', 'A', '1'};
static const char vector_magic[MAGIC_BYTES] = {'\xd1', '\xd3', '\x39', '\x64'};

static uint32_t little_endian(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static uint32_t big_endian(const char *at) {
    const unsigned char *b = (const unsigned char *)at;
    return (uint32_t)b[3] | (uint32_t)b[2] << 8 | (uint32_t)b[1] << 16 |
           (uint32_t)b[0] << 24;
}

/* ---- the frame ---- */

static void fail(struct ice_puffin *p, enum ice_puffin_fault fault, uint64_t offset,
                 const char *why) {
    p->fault = fault;
    p->fault_offset = offset;
    p->why = why;
}

static bool is_magic_at(struct ice_str bytes, size_t at) {
    return memcmp(bytes.data + at, magic, MAGIC_BYTES) == 0;
}

/* A footer elsewhere: then its size is wrong, not its magic. */
static bool has_other_footer(struct ice_str bytes) {
    for (size_t at = bytes.size - TAIL_BYTES - MAGIC_BYTES; at >= MAGIC_BYTES; at--)
        if (bytes.data[at] == magic[0] && is_magic_at(bytes, at) &&
            bytes.data[at + MAGIC_BYTES] == '{')
            return true;
    return false;
}

/* false: fault says why. */
static bool find_footer(struct ice_puffin *p, struct ice_str bytes) {
    if (bytes.size < MAGIC_BYTES || !is_magic_at(bytes, 0)) {
        fail(p, ICE_PUFFIN_MAGIC, 0, "does not begin with PFA1");
        if (ice_str_starts(bytes, ICE_STR("AGS1")))
            p->fault = ICE_PUFFIN_ENCRYPTED;
        return false;
    }
    if (bytes.size < SMALLEST) {
        fail(p, ICE_PUFFIN_SIZE, bytes.size, "is too short for a footer");
        return false;
    }
    size_t end = bytes.size - TAIL_BYTES;
    if (!is_magic_at(bytes, bytes.size - MAGIC_BYTES)) {
        fail(p, ICE_PUFFIN_MAGIC, bytes.size - MAGIC_BYTES, "does not end with PFA1");
        return false;
    }
    uint32_t size = little_endian(bytes.data + end);
    if (size > end - PAIR_BYTES) {
        fail(p, ICE_PUFFIN_SIZE, end,
             "has no room for the payload that its footer tells");
        return false;
    }
    p->payload_size = size;
    p->footer_start = end - size - MAGIC_BYTES;
    if (is_magic_at(bytes, (size_t)p->footer_start))
        return true;
    if (has_other_footer(bytes))
        fail(p, ICE_PUFFIN_SIZE, end, "has a footer of another size than its end tells");
    else
        fail(p, ICE_PUFFIN_MAGIC, p->footer_start,
             "has no PFA1 where its footer should begin");
    return false;
}

static enum ice_status parse(struct ice_puffin *p) {
    struct ice_str bytes = ice_buf_str(&p->bytes);
    if (!find_footer(p, bytes)) {
        p->footer_start = bytes.size;
        return ICE_OK;
    }
    uint32_t flags = little_endian(bytes.data + bytes.size - PAIR_BYTES);
    p->reserved_flags = flags & ~(uint32_t)FLAG_COMPRESSED;
    if (flags & FLAG_COMPRESSED) {
        p->fault = ICE_PUFFIN_COMPRESSED;
        return ICE_OK;
    }
    struct ice_str payload =
        ice_str_make(bytes.data + p->footer_start + MAGIC_BYTES, (size_t)p->payload_size);
    return ice_puffin_read_footer(p, payload);
}

static enum ice_status read_all(struct ice_puffin *p, struct ice_stream *stream,
                                struct ice_error *err) {
    struct ice_str view;
    for (;;) {
        ICE_TRY(ice_stream_peek(stream, 1, &view, err));
        if (view.size == 0)
            return ICE_OK;
        enum ice_status status = ice_buf_append_str(&p->bytes, view);
        if (status == ICE_ELIMIT)
            return ice_error_set(
                err, status, "limit.file", p->bytes.size,
                "a Puffin file is read whole, and this one is too large");
        if (status < 0)
            return ice_error_memory(err);
        ice_stream_consume(stream, view.size);
    }
}

enum ice_status ice_puffin_read(struct ice_puffin *out, struct ice_run *run,
                                struct ice_stream *stream, uint64_t most_bytes,
                                struct ice_error *err) {
    *out = (struct ice_puffin){.run = run};
    ice_arena_init(&out->arena, &run->alloc);
    ice_buf_init(&out->bytes, &run->alloc,
                 most_bytes > SIZE_MAX ? SIZE_MAX : (size_t)most_bytes);
    ICE_TRY(read_all(out, stream, err));
    enum ice_status status = parse(out);
    return status == ICE_ENOMEM ? ice_error_memory(err) : status;
}

void ice_puffin_release(struct ice_puffin *puffin) {
    if (puffin->run == NULL)
        return;
    ice_array_free(&puffin->run->alloc, &puffin->blobs, &puffin->cap_blobs,
                   sizeof(*puffin->blobs));
    ice_arena_release(&puffin->arena);
    ice_buf_release(&puffin->bytes);
    puffin->n_blobs = 0;
}

/* ---- deletion vectors ---- */

bool ice_deletion_vector_is(struct ice_str blob) {
    return blob.size >= VECTOR_FRAME &&
           memcmp(blob.data + MAGIC_BYTES, vector_magic, MAGIC_BYTES) == 0;
}

static enum ice_status wrong(struct ice_roaring *out, uint64_t offset, const char *why) {
    out->why = why;
    out->offset = offset;
    return ICE_EFORMAT;
}

enum ice_status ice_deletion_vector_read(struct ice_str blob, struct ice_roaring *out) {
    *out = (struct ice_roaring){0};
    if (blob.size < VECTOR_FRAME)
        return wrong(out, 0, "it is too short for length, magic and CRC");
    if (!ice_deletion_vector_is(blob))
        return wrong(out, MAGIC_BYTES, "its magic is not D1D33964");
    size_t covered = blob.size - PAIR_BYTES, end = blob.size - MAGIC_BYTES;
    if (big_endian(blob.data) != covered)
        return wrong(out, 0, "its length does not fit the blob");
    if (libdeflate_crc32(0, blob.data + MAGIC_BYTES, covered) !=
        big_endian(blob.data + end))
        return wrong(out, end, "its CRC is not that of its bytes");
    struct ice_str bitmap = ice_str_make(blob.data + PAIR_BYTES, covered - MAGIC_BYTES);
    enum ice_status status = ice_roaring64_read(bitmap, out);
    if (status < 0)
        out->offset += PAIR_BYTES;
    return status;
}
